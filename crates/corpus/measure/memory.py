#!/usr/bin/env python3
"""Measures what `ingest` takes: peak memory and processor time of the program, and of the processes that read files for it.

    python3 crates/corpus/measure/memory.py target/release/quaestio [--files 100000] [--megabytes 40] [--folder FOLDER]

Makes a folder of Markdown files of 0.3 to 8 kB, whose words follow Zipf's law over a vocabulary of 60,000, and files of one long line.
Reads the folder, reads it again unchanged, again with `--prune`, and asks it a question; then reads each file of one line. With
`--folder`, a folder of your own is read as well, for the share of the cores that is used. Linux only: memory is read from /proc.
"""

import argparse
import bisect
import itertools
import math
import os
import random
import resource
import shutil
import subprocess
import tempfile
import threading
import time
from pathlib import Path

VOCABULARY = 60_000
PACE_SECONDS = 0.02


def vocabulary(rng):
    onsets = "b c d f g h j k l m n p r s t v w z st tr ch sh pl br gr".split()
    vowels = "a e i o u ea io ou".split()
    ends = ["", "", "", "s", "ed", "ing", "ly", "tion", "er", "ment", "ness", "al"]
    words, seen = [], set()
    while len(words) < VOCABULARY:
        syllables = 1 + (len(words) > 50) + (len(words) > 3_000) + (rng.random() < 0.4)
        word = "".join(rng.choice(onsets) + rng.choice(vowels) for _ in range(syllables))
        word += rng.choice("nrtlm") + rng.choice(ends)
        if word not in seen:
            seen.add(word)
            words.append(word)
    return words


def pool(rng, count):
    words = vocabulary(rng)
    weights = list(itertools.accumulate(1 / (rank + 2.7) ** 1.05 for rank in range(len(words))))
    draw = lambda: words[bisect.bisect(weights, rng.random() * weights[-1])]
    return [draw() for _ in range(count)]


def make_file(rng, words, number):
    size = min(8_000, max(300, int(rng.lognormvariate(math.log(1_600), 0.8))))
    at = rng.randrange(len(words) - 4_000)
    text = f"# {' '.join(words[at:at + 4]).capitalize()} {number}\n"
    at += 4
    for paragraph in itertools.count():
        if len(text) >= size:
            return text
        if paragraph % 3 == 2:
            text += f"\n## {' '.join(words[at:at + 3]).capitalize()}\n"
            at += 3
        sentences = []
        for _ in range(rng.randrange(2, 6)):
            length = rng.randrange(8, 24)
            sentences.append(" ".join(words[at:at + length]).capitalize() + ".")
            at += length
        text += "\n" + " ".join(sentences) + "\n"


def make_lines(rng, words, folder, size):
    def text(least):
        parts, have = [], 0
        while have < least:
            sentence = " ".join(rng.choice(words) for _ in range(14)).capitalize() + ". "
            parts.append(sentence)
            have += len(sentence)
        return "".join(parts)

    def records():
        have = 0
        for number in itertools.count():
            if have >= size:
                return
            note = " ".join(rng.choice(words) for _ in range(12))
            record = f'{{"id":{number},"value":{rng.random() * 1000:.3f},"note":"{note}"}}'
            have += len(record)
            yield record

    prose = text(size)
    page = "<p>" + prose.replace(". ", ".</p><p>") + "</p>"
    lines = {
        "line.txt": prose,
        "line.md": prose,
        "no-spaces.txt": "x" * size,
        "code.md": "`a` b. " * (size // 7),
        "line.html": f"<!doctype html><html><body><article>{page}</article></body></html>",
        "line.jsonl": f'{{"id":1,"text":"{prose}"}}\n{{"id":2,"text":"short"}}\n',
        "records.json": f"[{','.join(records())}]",
    }
    for name, content in lines.items():
        (folder / name).mkdir(parents=True)
        (folder / name / name).write_text(content)
    return [folder / name for name in lines]


def peak(process):
    status = Path(f"/proc/{process}/status").read_text()
    found = dict(line.split(":", 1) for line in status.splitlines())
    mebibytes = lambda key: int(found[key].split()[0]) / 1024
    return mebibytes("VmHWM"), mebibytes("RssAnon")


class Watch(threading.Thread):
    """Follows a process and its children until it ends."""

    def __init__(self, process):
        super().__init__(daemon=True)
        self.process, self.whole, self.own, self.workers = process, 0, 0, {}
        self.start()

    def run(self):
        while self.process.poll() is None:
            try:
                whole, own = peak(self.process.pid)
                self.whole, self.own = max(self.whole, whole), max(self.own, own)
                for task in Path(f"/proc/{self.process.pid}/task").iterdir():
                    for child in (task / "children").read_text().split():
                        self.workers[child] = max(self.workers.get(child, 0), peak(child)[0])
            except (OSError, KeyError):
                pass
            time.sleep(PACE_SECONDS)


def measure(what, command):
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.time()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    watch = Watch(process)
    process.wait()
    watch.join()
    after, taken = resource.getrusage(resource.RUSAGE_CHILDREN), time.time() - began
    user, system = after.ru_utime - before.ru_utime, after.ru_stime - before.ru_stime
    worker = max(watch.workers.values(), default=0)
    print(f"| {what} | {process.returncode} | {watch.whole:.0f} | {watch.own:.0f} | {worker:.0f} | {user:.1f} + {system:.1f} "
          f"| {taken:.1f} | {(user + system) / taken:.2f} |", flush=True)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("program", type=Path)
    arguments.add_argument("--files", type=int, default=100_000)
    arguments.add_argument("--megabytes", type=float, default=40)
    arguments.add_argument("--folder", type=Path)
    given = arguments.parse_args()
    rng = random.Random(33)
    words = pool(rng, 1_000_000)
    with tempfile.TemporaryDirectory() as scratch:
        scratch = Path(scratch)
        data = scratch / "data"

        def ingest(folder, *more):
            return [given.program.absolute(), "ingest", folder, "--no-model", "--quiet", "--data-dir", data, *more]

        print("| | exit | peak (MiB) | of it allocated | a worker's peak | CPU-s (user + system) | elapsed | cores used |\n|---|---|---|---|---|---|---|---|")
        if given.files:
            for number in range(given.files):
                folder = scratch / "files" / f"{number // 1000:03}"
                folder.mkdir(parents=True, exist_ok=True)
                (folder / f"{number:06}.md").write_text(make_file(rng, words, number))
            measure(f"{given.files} files", ingest(scratch / "files"))
            measure("again, unchanged", ingest(scratch / "files"))
            measure("again, with --prune", ingest(scratch / "files", "--prune"))
            question = f"What is {' '.join(words[500:504])}?"
            measure("a question", [given.program.absolute(), "ask", question, "--collection", "default", "--no-model", "--data-dir", data])
        for folder in make_lines(rng, words, scratch / "lines", int(given.megabytes * 1e6)) if given.megabytes else []:
            shutil.rmtree(data, ignore_errors=True)
            measure(f"{folder.name}, {given.megabytes:g} MB", ingest(folder))
        if given.folder:
            shutil.rmtree(data, ignore_errors=True)
            measure("a folder of your own", ingest(given.folder))


if __name__ == "__main__":
    main()
