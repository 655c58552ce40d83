"""Compares our local embedder with sentence-transformers and onnxruntime: the same vectors, at what cost?

Every engine embeds the same texts on two threads in a process of its own, in turns, and is charged its best turn.
Fails where a vector of ours has a cosine under 0.9999 with that of sentence-transformers, or where ours embeds
fewer texts per CPU second than onnxruntime does with f32.
"""

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# Of 8 and 32, onnxruntime did better with 8 (17.8 and 15.8 texts per CPU second, one turn each); for sentence-transformers
# 32 is its own default, and nothing else was tried.
BATCH = {"sentence-transformers": 32, "onnxruntime": 8}
SCRIPTS = [
    "Пациенты, получавшие препарат, выздоравливали быстрее.",
    "在伦敦的布罗德街，斯诺把死亡病例画在地图上。",
    "コレラは水によって広がると彼は主張した。",
    "المياه الملوثة هي سبب المرض.",
    "पानी से बीमारी फैलती है।",
    "콜레라는 오염된 물로 퍼진다.",
    "Η χολέρα μεταδίδεται με το νερό.",
    "Das Wasser der Pumpe war verseucht; die Straße lag öde, façade naïve.",
    "🧪 µg/L ≤ 0.5 ± 0.03 (p < 0.001) — ‘quoted’ … ½ ℃ ﬁne e\u0301te\u0301",
]


def make_texts(count):
    """Returns `count` texts: mostly of about 200 tokens, some short, empty, very long, or in other scripts."""
    chance = random.Random(7)
    sentences = []
    for path in sorted((ROOT / "examples").rglob("*")):
        if path.suffix in {".md", ".txt"}:
            text = " ".join(path.read_text(encoding="utf-8").split())
            sentences += [part.strip() + "." for part in text.split(". ") if len(part) > 20]
    words = sorted({word for sentence in sentences for word in sentence.split()})
    odd = [
        "", " ", "\n\t", ".", "a", "pump", "?!", "0", "\u200b", "[CLS] [SEP] [PAD] [MASK]", "x" * 300,
        "http://example.org/a?b=c&d=%20#e", "1854-09-08T12:00:00Z", "A" * 99 + " " + "b" * 101,
        " ".join(chance.choice(words) for _ in range(20_000)), "。" * 900, *SCRIPTS,
    ]
    texts = odd[:]
    while len(texts) < count:
        size = chance.choice([200, 850, 900, 950, 1000, 1100])
        text = ""
        while len(text) < size:
            kind = chance.random()
            if kind < 0.7:
                text += chance.choice(sentences) + " "
            elif kind < 0.95:
                text += " ".join(chance.choice(words) for _ in range(12)) + ". "
            else:
                text += chance.choice(SCRIPTS) + " "
        texts.append(text[: size + 50])
    chance.shuffle(texts)
    return texts


def sentence_transformers(model, texts, threads):
    import torch
    from sentence_transformers import SentenceTransformer

    torch.set_num_threads(threads)
    began = time.perf_counter()
    encoder = SentenceTransformer(str(model), device="cpu")
    opened = time.perf_counter() - began
    encode = lambda some: encoder.encode(some, batch_size=BATCH["sentence-transformers"], normalize_embeddings=True, show_progress_bar=False)
    return encode, opened


def onnxruntime(model, texts, threads):
    import numpy
    import onnxruntime as ort
    from tokenizers import Tokenizer

    began = time.perf_counter()
    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    # Threads that wait by spinning would be charged for it.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    session = ort.InferenceSession(str(model / "model.onnx"), options, providers=["CPUExecutionProvider"])
    tokenizer = Tokenizer.from_file(str(model / "tokenizer.json"))
    limits = model / "sentence_bert_config.json"
    limit = json.loads(limits.read_text())["max_seq_length"] if limits.exists() else 512
    tokenizer.enable_truncation(limit)
    tokenizer.no_padding()
    names = {given.name for given in session.get_inputs()}
    size = BATCH["onnxruntime"]
    opened = time.perf_counter() - began

    def encode(some):
        tokens = [encoding.ids for encoding in tokenizer.encode_batch([text.strip() for text in some])]
        order = sorted(range(len(some)), key=lambda index: -len(tokens[index]))
        vectors = [None] * len(some)
        for first in range(0, len(order), size):
            batch = order[first : first + size]
            longest = len(tokens[batch[0]])
            ids = numpy.zeros((len(batch), longest), dtype=numpy.int64)
            mask = numpy.zeros_like(ids)
            for row, index in enumerate(batch):
                ids[row, : len(tokens[index])] = tokens[index]
                mask[row, : len(tokens[index])] = 1
            given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": numpy.zeros_like(ids)}
            states = session.run(None, {name: given[name] for name in names})[0]
            sums = (states * mask[:, :, None]).sum(axis=1)
            sums /= numpy.linalg.norm(sums, axis=1, keepdims=True)
            for row, index in enumerate(batch):
                vectors[index] = sums[row]
        return numpy.stack(vectors)

    return encode, opened


def export(model, folder):
    """Writes `model.onnx` into `folder`, by torch, beside links to the model's other files."""
    import torch
    from transformers import AutoModel

    class States(torch.nn.Module):
        def __init__(self, bert):
            super().__init__()
            self.bert = bert

        def forward(self, input_ids, attention_mask, token_type_ids):
            return self.bert(input_ids=input_ids, attention_mask=attention_mask, token_type_ids=token_type_ids)[0]

    for file in Path(model).resolve().iterdir():
        (folder / file.name).symlink_to(file)
    if (folder / "model.onnx").exists():
        return
    bert = States(AutoModel.from_pretrained(str(model), attn_implementation="eager").eval())
    ids = torch.ones((2, 7), dtype=torch.int64)
    names = ["input_ids", "attention_mask", "token_type_ids"]
    axes = {name: {0: "texts", 1: "tokens"} for name in [*names, "states"]}
    torch.onnx.export(
        bert, (ids, ids, ids * 0), str(folder / "model.onnx"), input_names=names, output_names=["states"],
        dynamic_axes=axes, opset_version=17, dynamo=False,
    )


def work(args):
    """Embeds the texts with one of the Python engines, writes the vectors and prints one JSON line."""
    import numpy

    texts = [json.loads(line)["text"] for line in Path(args.texts).read_text().splitlines()]
    engine = {"sentence-transformers": sentence_transformers, "onnxruntime": onnxruntime}[args.engine]
    encode, opened = engine(Path(args.model), texts, args.threads)
    encode(texts[:8])
    cpu, wall = time.process_time(), time.perf_counter()
    vectors = encode(texts)
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    numpy.asarray(vectors, dtype="<f4").tofile(args.out)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(json.dumps({"texts": len(texts), "wall_s": wall, "cpu_s": cpu, "rss_peak_kb": peak, "open_s": opened}))


def turn(engine, args, model, texts, out):
    if engine == "quaestio":
        command = [args.program, "embed", "--model", model, "--texts", texts, "--out", out, "--threads", args.threads]
    else:
        command = [sys.executable, __file__, "--engine", engine, "--model", model, "--texts", texts, "--out", out,
                   "--threads", args.threads]
    environment = {**os.environ, "TOKENIZERS_PARALLELISM": "true", "RAYON_NUM_THREADS": str(args.threads),
                   "OMP_NUM_THREADS": str(args.threads), "HF_HUB_OFFLINE": "1"}
    done = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, check=True, env=environment)
    return json.loads(done.stdout.splitlines()[-1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", required=True, help="folder of a sentence-transformers model with mean pooling")
    parser.add_argument("--program", default=str(ROOT / "target/release/quaestio-bench"))
    parser.add_argument("--count", type=int, default=320, help="texts")
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--json", help="also write the figures here")
    parser.add_argument("--engine", help=argparse.SUPPRESS)
    parser.add_argument("--texts", help=argparse.SUPPRESS)
    parser.add_argument("--out", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.engine:
        return work(args)

    import numpy

    engines = ["quaestio", "onnxruntime", "sentence-transformers"]
    with tempfile.TemporaryDirectory() as scratch:
        scratch = Path(scratch)
        exported = scratch / "onnx"
        exported.mkdir()
        export(args.model, exported)
        texts = scratch / "texts.jsonl"
        lines = [json.dumps({"text": text}) for text in make_texts(args.count)]
        texts.write_text("\n".join(lines) + "\n")
        turns = {engine: [] for engine in engines}
        for _ in range(args.turns):
            for engine in engines:
                model = exported if engine == "onnxruntime" else args.model
                turns[engine].append(turn(engine, args, model, texts, scratch / engine))
        vectors = {}
        for engine in engines:
            vectors[engine] = numpy.fromfile(scratch / engine, dtype="<f4").reshape(len(lines), -1).astype("f8")
    figures = {}
    for engine in engines:
        cosines = (vectors[engine] * vectors["sentence-transformers"]).sum(axis=1)
        cosines /= numpy.linalg.norm(vectors[engine], axis=1)
        cosines /= numpy.linalg.norm(vectors["sentence-transformers"], axis=1)
        figures[engine] = {
            "texts_per_cpu_s": max(one["texts"] / one["cpu_s"] for one in turns[engine]),
            "texts_per_cpu_s_of_each_turn": [round(one["texts"] / one["cpu_s"], 2) for one in turns[engine]],
            "texts_per_wall_s": max(one["texts"] / one["wall_s"] for one in turns[engine]),
            "cosine_min": cosines.min(),
            "cosine_mean": cosines.mean(),
            "open_s": min(one["open_s"] for one in turns[engine]),
            "rss_peak_mb": min(one["rss_peak_kb"] for one in turns[engine]) / 1024,
        }
    print(f"{len(lines)} texts, {args.threads} threads, best of {args.turns} turns")
    print(f"{'':24}{'texts/CPU-s':>12}{'texts/s':>9}{'cos min':>13}{'cos mean':>13}{'open s':>9}{'MiB':>8}")
    for engine, figure in figures.items():
        print(
            f"{engine:24}{figure['texts_per_cpu_s']:12.2f}{figure['texts_per_wall_s']:9.2f}{figure['cosine_min']:13.9f}"
            f"{figure['cosine_mean']:13.9f}{figure['open_s']:9.3f}{figure['rss_peak_mb']:8.0f}"
        )
        print(f"{'':24}turns: {figure['texts_per_cpu_s_of_each_turn']}")
    if args.json:
        Path(args.json).write_text(json.dumps(figures, indent=2) + "\n")
    ours = figures["quaestio"]
    failures = []
    if not ours["cosine_min"] >= 0.9999:
        failures.append(f"the lowest cosine is {ours['cosine_min']:.6f}, under 0.9999")
    if ours["texts_per_cpu_s"] < figures["onnxruntime"]["texts_per_cpu_s"]:
        failures.append("onnxruntime embeds more texts per CPU second")
    for failure in failures:
        print(f"FAILED: {failure}", file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
