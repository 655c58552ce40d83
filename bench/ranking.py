#!/usr/bin/env python3
"""Ranks test collections with code of its own and compares the store with it.

    ranking.py --ir FOLDER --model FOLDER              embeds with sentence-transformers
    ranking.py --ir FOLDER --vectors FOLDER            takes COLLECTION.f32 from an earlier run

Each folder below --ir is a collection in BEIR's layout. Words, BM25, feedback (RM3), cosine, fusion and the figures
are worked out here with numpy and PyStemmer; of the program only its list of stop words is used. The same vectors
go to both. Ends with 1 when the program is more than 0.01 nDCG@10 below this script in any method and collection, or
when its hybrid is not above both of its parts on average.
"""

import argparse
import collections
import json
import math
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy
import Stemmer

ROOT = Path(__file__).resolve().parent.parent
METHODS = ["lexical", "rm3", "dense", "lexical+dense", "hybrid"]
WORD = re.compile(r"[a-z0-9]+(?:['.][a-z0-9]+|(?<=[0-9]),(?=[0-9])[0-9]+)*")


def stop_words():
    source = (ROOT / "crates/run/src/analysis.rs").read_text()
    listed = re.search(r'const ENGLISH: &str = "(.*?)";', source, re.S).group(1)
    return set(listed.replace("\\\n", " ").split())


class Words:
    def __init__(self):
        self.stop = stop_words()
        self.stem = Stemmer.Stemmer("english").stemWord

    def __call__(self, text):
        words = (word for word in WORD.findall(text.lower()) if word not in self.stop)
        return [word.replace(",", "") if word[0].isdigit() else self.stem(word) for word in words]


def read(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def judged(folder, part):
    answers = collections.defaultdict(set)
    for name in ["train", "test"] if part == "all" else [part]:
        for line in (folder / "qrels" / f"{name}.tsv").read_text().splitlines()[1:]:
            query, document = line.split("\t")[:2]
            answers[query].add(document)
    return answers


class Bm25:
    """A matrix of documents by terms that holds what each term adds to a document's score."""

    def __init__(self, documents, k1=1.2, b=0.75):
        self.counts = [collections.Counter(document) for document in documents]
        lengths = numpy.array([len(document) for document in documents], dtype=float)
        self.postings = collections.defaultdict(list)
        for row, counts in enumerate(self.counts):
            for term, count in counts.items():
                self.postings[term].append((row, count))
        self.size = len(documents)
        self.weights = {}
        norm = k1 * (1 - b + b * lengths / lengths.mean())
        for term, posting in self.postings.items():
            rows, counts = numpy.array(posting).T
            idf = math.log((self.size - len(rows) + 0.5) / (len(rows) + 0.5))
            self.weights[term] = rows, max(idf, 1e-6) * counts * (k1 + 1) / (counts + norm[rows])

    def scores(self, query):
        scores = numpy.zeros(self.size)
        for term, weight in query.items():
            if term in self.weights:
                rows, added = self.weights[term]
                scores[rows] += weight * added
        return scores

    def widened(self, query, documents, terms, original, most_common):
        scores = self.scores(query)
        first = [row for row in ranked(scores, documents) if scores[row] > 0]
        model = collections.Counter()
        for row in first:
            length = sum(self.counts[row].values())
            for term, count in self.counts[row].items():
                model[term] += scores[row] * count / length
        heavy = sorted(model.items(), key=lambda item: (-item[1], item[0]))
        heavy = [(term, weight) for term, weight in heavy if len(self.postings[term]) <= most_common * self.size][:terms]
        total = sum(weight for _, weight in heavy)
        said = sum(query.values())
        mixed = collections.Counter({term: original * weight / said for term, weight in query.items()})
        for term, weight in heavy:
            mixed[term] += (1 - original) * weight / total
        return mixed


def forms(question, words):
    """A term weighs as many forms as it has in the question."""
    distinct = dict.fromkeys(re.sub(r"^\W+|\W+$", "", word) for word in question.lower().split())
    return collections.Counter(words(" ".join(distinct)))


def ranked(scores, count):
    return numpy.lexsort((numpy.arange(len(scores)), -scores))[:count].tolist()


def fused(rankings, k=60, depth=100):
    scores = collections.Counter()
    for ranking in rankings:
        for rank, row in enumerate(ranking[:depth], 1):
            scores[row] += 1 / (k + rank)
    return [row for row, _ in sorted(scores.items(), key=lambda item: (-item[1], item[0]))]


def figures(ranking, answers):
    gains = [row in answers for row in ranking]
    gained = sum(1 / math.log2(rank + 1) for rank, hit in enumerate(gains[:10], 1) if hit)
    ideal = sum(1 / math.log2(rank + 1) for rank in range(1, min(10, len(answers)) + 1))
    first = next((1 / rank for rank, hit in enumerate(gains[:100], 1) if hit), 0)
    return gained / ideal, sum(gains[:100]) / len(answers), first


def embed(model, texts):
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(str(model), device="cpu")
    return model.encode(texts, normalize_embeddings=True, batch_size=32).astype("<f4")


def measure(folder, part, vectors, args):
    documents, queries = read(folder / "corpus.jsonl"), read(folder / "queries.jsonl")
    file = vectors / f"{folder.name}.f32"
    if args.model:
        texts = [f"{one['title']} {one['text']}".strip() for one in documents] + [one["text"] for one in queries]
        embed(args.model, texts).tofile(file)
    held = numpy.fromfile(file, dtype="<f4").reshape(len(documents) + len(queries), -1)
    words = Words()
    index = Bm25([words(f"{one['title']} {one['text']}") for one in documents])
    rows = {one["_id"]: row for row, one in enumerate(documents)}
    answers = judged(folder, part)
    found = collections.defaultdict(list)
    for query, vector in zip(queries, held[len(documents) :]):
        right = {rows[document] for document in answers.get(query["_id"], ()) if document in rows}
        if not right:
            continue
        terms = forms(query["text"], words)
        plain = index.scores(terms)
        feedback = args.documents, args.terms, args.original_weight, args.most_common_share
        wide = index.scores(index.widened(terms, *feedback))
        near = ranked(held[: len(documents)] @ vector, 100)
        plain, wide = ([row for row in ranked(scores, 100) if scores[row] > 0] for scores in (plain, wide))
        rankings = [plain, wide, near, fused([plain, near]), fused([wide, near])]
        for method, ranking in zip(METHODS, rankings):
            found[method].append(figures(ranking, right))
    return {method: numpy.mean(all, axis=0) for method, all in found.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ir", type=Path, required=True, help="folder of test collections")
    parser.add_argument("--model", type=Path, help="folder of a sentence-transformers model")
    parser.add_argument("--vectors", type=Path, help="folder of COLLECTION.f32; with --model it is written")
    parser.add_argument("--part", choices=["train", "test", "all"], default="test")
    parser.add_argument("--program", default=str(ROOT / "target/release/quaestio-bench"))
    parser.add_argument("--documents", type=int, default=DOCUMENTS, help="of the feedback")
    parser.add_argument("--terms", type=int, default=TERMS)
    parser.add_argument("--original-weight", type=float, default=ORIGINAL)
    parser.add_argument("--most-common-share", type=float, default=COMMON)
    args = parser.parse_args()
    if not args.model and not args.vectors:
        parser.error("name --model or --vectors")
    with tempfile.TemporaryDirectory() as scratch:
        vectors = args.vectors or Path(scratch)
        vectors.mkdir(parents=True, exist_ok=True)
        folders = sorted(path for path in args.ir.iterdir() if (path / "corpus.jsonl").is_file())
        theirs = {folder.name: measure(folder, args.part, vectors, args) for folder in folders}
        command = [args.program, "rank", "--ir", args.ir, "--vectors", vectors, "--part", args.part]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
    theirs["mean"] = {method: numpy.mean([one[method] for one in theirs.values()], axis=0) for method in METHODS}
    ours = collections.defaultdict(dict)
    for line in done.stdout.splitlines():
        one = json.loads(line)
        ours[one["collection"]][one["method"]] = one["ndcg_10"], one["recall_100"], one["mrr"]
    failures = []
    print(f"{args.part:12}{'':15}{'nDCG@10':^22}{'recall@100':^22}{'MRR':^22}")
    print(f"{'':27}" + f"{'ours':>10}{'script':>10}  " * 3)
    for name, methods in theirs.items():
        for method in METHODS:
            pairs = list(zip(ours[name][method], methods[method]))
            print(f"{name:12}{method:15}" + "".join(f"{our:10.4f}{their:10.4f}  " for our, their in pairs))
            (our, their), *_ = pairs
            if our < their - 0.01:
                failures.append(f"{name}, {method}: {our:.4f} is more than 0.01 below {their:.4f}")
    for part in ["rm3", "dense"]:
        if ours["mean"]["hybrid"][0] <= ours["mean"][part][0]:
            failures.append(f"hybrid {ours['mean']['hybrid'][0]:.4f} is not above {part} {ours['mean'][part][0]:.4f}")
    for failure in failures:
        print(f"FAILED: {failure}", file=sys.stderr)
    return 1 if failures else 0


DOCUMENTS, TERMS, ORIGINAL, COMMON = 5, 20, 0.6, 0.2

if __name__ == "__main__":
    sys.exit(main())
