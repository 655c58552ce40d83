#!/usr/bin/env python3
"""Measures the store's search against faiss and LanceDB, in one run and over the same rows.

    search.py --work FOLDER [--rows 100000] [--questions 200] [--turns 5]

Rows are clustered unit vectors with texts of about 1,000 characters, made from a fixed seed and kept in --work. Figures
are CPU milliseconds a question, the median of turns that alternate between the engines; questions are asked one
at a time. Recall is against an exact search in double precision. Needs faiss-cpu, lancedb, numpy.

Ends with 1 when the store's recall@10 is below 0.999, its vector search takes more than a fifth of the CPU of faiss'
exact index, or its hybrid search is less than twice as fast as LanceDB's.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

THREADS = "2"
for name in ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "LANCE_CPU_THREADS", "LANCE_IO_THREADS", "RAYON_NUM_THREADS"]:
    os.environ.setdefault(name, THREADS)

# A warning for each question would count against LanceDB.
os.environ.setdefault("LANCEDB_LOG", "error")

import numpy  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent
DIMENSIONS = 384
STOP = "the of and to in a is that for it as was with be by on not he his but at are this have from or had an they which".split()


def unit(vectors):
    return vectors / numpy.linalg.norm(vectors, axis=1, keepdims=True)


def make(work, rows, count):
    """Words follow Zipf's law; a third of each text belongs to the cluster of its vector; four in ten are stop words."""
    chance = numpy.random.default_rng(20261121)
    clusters = max(rows // 100, 1)
    centres = chance.standard_normal((clusters, DIMENSIONS), dtype="f4")
    of = chance.integers(0, clusters, rows)

    def near(which):
        spread = chance.standard_normal((len(which), DIMENSIONS), dtype="f4")
        return unit(centres[which] + 0.7 * spread).astype("<f4")

    near(of).tofile(work / "texts.f32")
    asked = chance.integers(0, clusters, count)
    near(asked).tofile(work / "questions.f32")

    onsets, vowels = "b c d f g h k l m n p r s t v w br cl st tr".split(), "a e i o u ea ou".split()
    words = set()
    while len(words) < 60_000:
        size = chance.integers(2, 5)
        words.add("".join(onsets[chance.integers(20)] + vowels[chance.integers(7)] for _ in range(size)))
    words = numpy.array(sorted(words))
    chance.shuffle(words)
    weights = 1 / (numpy.arange(len(words)) + 10.0)
    steps = numpy.cumsum(weights / weights.sum())
    topics = chance.integers(200, len(words), (clusters, 60))

    def write(path, which, size):
        with open(path, "w") as file:
            for cluster in which:
                drawn = words[numpy.minimum(numpy.searchsorted(steps, chance.random(size)), len(words) - 1)]
                own = chance.random(size) < 0.33
                drawn[own] = words[topics[cluster][chance.integers(0, 60, own.sum())]]
                plain = chance.random(size) < 0.4
                drawn[plain] = numpy.array(STOP)[chance.integers(0, len(STOP), plain.sum())]
                file.write(" ".join(drawn) + "\n")

    write(work / "texts.txt", of, 170)
    write(work / "questions.txt", asked, 12)


class Faiss:
    def __init__(self, vectors, questions):
        import faiss

        faiss.omp_set_num_threads(1)
        self.index, self.questions = faiss.IndexFlatIP(DIMENSIONS), questions
        self.index.add(vectors)

    def __call__(self):
        return [self.index.search(vector[None], 10)[1][0].tolist() for vector in self.questions]


class Lance:
    def __init__(self, work, vectors, texts, questions, asked):
        import lancedb
        import pyarrow
        from lancedb.rerankers import RRFReranker

        shutil.rmtree(work / "lance", ignore_errors=True)
        flat = pyarrow.FixedSizeListArray.from_arrays(pyarrow.array(vectors.ravel()), DIMENSIONS)
        rows = pyarrow.table({"id": numpy.arange(len(texts)), "vector": flat, "text": texts})
        self.table = lancedb.connect(work / "lance").create_table("rows", rows)
        self.table.create_index(metric="dot", vector_column_name="vector", index_type="IVF_HNSW_SQ")
        self.table.create_fts_index("text", stem=True, remove_stop_words=True, with_position=False)
        self.fuse, self.questions, self.asked = RRFReranker(), questions, asked

    def __call__(self):
        found = []
        for vector, text in zip(self.questions, self.asked):
            query = self.table.search(query_type="hybrid").vector(vector).text(text).rerank(self.fuse)
            found.append(query.limit(10).select(["id"]).to_arrow()["id"].to_pylist())
        return found


def timed(engine, questions):
    cpu, wall = time.process_time(), time.perf_counter()
    found = engine()
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    return {"cpu_ms": cpu * 1e3 / questions, "wall_ms": wall * 1e3 / questions, "found": found}


class Ours:
    def __init__(self, program, work):
        command = [program, "search", "--data", work, "--db", work / "search.db"]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.built = self.answer()

    def answer(self):
        line = self.process.stdout.readline()
        if not line:
            sys.exit("the program ended early")
        return json.loads(line)

    def __call__(self, method, turns):
        print(method, turns, file=self.process.stdin, flush=True)
        return self.answer()

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def nearest(vectors, questions):
    best = []
    for question in questions.astype("f8"):
        scores = numpy.concatenate([part.astype("f8") @ question for part in numpy.array_split(vectors, 20)])
        first = numpy.argpartition(-scores, 10)[:10]
        best.append(set(first.tolist()))
    return best


def recall(found, exact):
    return statistics.mean(len(set(ids) & best) / len(best) for ids, best in zip(found, exact))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, required=True, help="folder for data, about a gigabyte")
    parser.add_argument("--program", default=str(ROOT / "target/release/quaestio-bench"))
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--json", type=Path, help="also write the figures here")
    args = parser.parse_args()
    work = args.work / f"{args.rows}-{args.questions}"
    if not (work / "done").exists():
        work.mkdir(parents=True, exist_ok=True)
        make(work, args.rows, args.questions)
        (work / "done").touch()
    vectors = numpy.fromfile(work / "texts.f32", dtype="<f4").reshape(args.rows, DIMENSIONS)
    questions = numpy.fromfile(work / "questions.f32", dtype="<f4").reshape(args.questions, DIMENSIONS)
    texts, asked = ((work / name).read_text().splitlines() for name in ["texts.txt", "questions.txt"])

    ours = Ours(args.program, work)
    methods = ["dense", "dense-table", "lexical", "rm3-table", "hybrid-table", "hybrid-rm3", "hybrid-rm3-table"]
    flat, lance = Faiss(vectors, questions), Lance(work, vectors, texts, questions, asked)
    turns = {"faiss flat": [], "lancedb hybrid": [], **{method: [] for method in methods}}
    flat(), lance()
    for method in methods:
        ours(method, 1)
    for _ in range(args.turns):
        turns["faiss flat"].append(timed(flat, args.questions))
        for method in methods:
            turns[method].append(ours(method, 5))
        turns["lancedb hybrid"].append(timed(lance, args.questions))
    ours.close()
    exact = nearest(vectors, questions)
    figures = {}
    for name, all in turns.items():
        figures[name] = {
            "cpu_ms": statistics.median(one["cpu_ms"] for one in all),
            "cpu_ms_of_each_turn": [round(one["cpu_ms"], 3) for one in all],
            "wall_ms": statistics.median(one["wall_ms"] for one in all),
        }
        if name in ["faiss flat", "dense", "dense-table"]:
            figures[name]["recall_10"] = recall(all[-1]["found"], exact)
    print(json.dumps({key: value for key, value in ours.built.items() if key != "found"}))
    print(f"{args.rows} rows, {args.questions} questions, median of {args.turns} turns, milliseconds a question")
    print(f"{'':20}{'CPU':>9}{'wall':>9}{'recall@10':>11}{'CPU of faiss flat':>20}{'CPU of lancedb hybrid':>24}")
    for name, one in figures.items():
        found = f"{one['recall_10']:.4f}" if "recall_10" in one else ""
        ratios = [figures[other]["cpu_ms"] / one["cpu_ms"] for other in ["faiss flat", "lancedb hybrid"]]
        print(f"{name:20}{one['cpu_ms']:9.3f}{one['wall_ms']:9.3f}{found:>11}{ratios[0]:>18.1f} ×{ratios[1]:>22.1f} ×")
    if args.json:
        args.json.write_text(json.dumps({"built": ours.built, **figures}, indent=2) + "\n")
    failures = []
    for name in ["dense", "dense-table"]:
        if figures[name]["recall_10"] < 0.999:
            failures.append(f"{name}: recall@10 {figures[name]['recall_10']:.4f} is below 0.999")
        if figures[name]["cpu_ms"] > figures["faiss flat"]["cpu_ms"] / 5:
            failures.append(f"{name} takes more than a fifth of the CPU of faiss")
    for name in ["hybrid-table", "hybrid-rm3-table"]:
        for unit_name in ["cpu_ms", "wall_ms"]:
            if figures[name][unit_name] * 2 > figures["lancedb hybrid"][unit_name]:
                failures.append(f"{name} is not twice as fast as LanceDB ({unit_name})")
    for failure in failures:
        print(f"FAILED: {failure}", file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
