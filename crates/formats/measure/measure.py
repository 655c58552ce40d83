"""How well files are read: the words of our Markdown against those that independent readers find.

    measure.py READ-PROGRAM FOLDER [--only FORMAT,FORMAT] [--worst N]

READ-PROGRAM is the example `parse` of `crates/formats`, or `read` of `crates/corpus`. FOLDER has a folder of files for each format: `FOLDER/docx/*.docx`.
What is not compared stands in docs/decisions/formats-measured.md.
"""

import argparse
import contextlib
import os
import re
import select
import signal
import statistics
import subprocess
import unicodedata
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import references

LIMIT = 60  # seconds, for each reader of each file
SHORT = 20  # words; in a file that has fewer, one word weighs too much

# What we add to say where text is from: headings, labels, and lines about what a file is.
ADDED = {
    "mail": r"- (From|To|Cc): |- (Date|Attachments): .*",
    "slides": r"(Header|Footer): .*|## (Slide|Page) \d+( \(hidden\))?:?|### (Notes|Comments)$|(Image|Footnote \d*|Endnote \w*|Comment by [^:]*): ",
    "sheet": r"\d[\d,]* cells? ha(s|ve) a formula and no stored result, .*|Hidden and left out here.*|(This sheet is too large to be read whole|Of this table|The stored result of all) .*|#+ (Rows? [\d,]+(–[\d,]+)?|Summary of the columns|Hidden sheets?)$|- (Picture|Text|Note) (at|on) [A-Z]+\d+: ",
    "work": r"- [A-Z][A-Za-z ]+: |#+ (Entry( \d+)?|Rows? [\d,]+(–[\d,]+)?)$",
    "data": r"#+ ((Entry|Record|Document)( \d+)?|Rows? [\d,]+(–[\d,]+)?|Summary of the columns)$",
    "time": r"## \d\d.*",
    "tex": r"\(includes [^()]*\)$",
}
KIND = {
    "mail": ["eml", "mbox"], "slides": ["docx", "odg", "odp", "odt", "pptx", "rtf"], "sheet": ["csv", "ods", "tsv", "xlsx"],
    "work": ["bib", "ris", "xml"], "data": ["json", "jsonl", "toml", "yaml"], "time": ["srt", "vtt"], "tex": ["tex"],
}  # fmt: skip
ADDED = {format: re.compile(f"(?m)^(?:{ADDED[kind]})") for kind, formats in KIND.items() for format in formats}


# What is no word of a LaTeX document: commands, as in formulas that stay TeX, environments and labels.
TEX = re.compile(r"\\(?:(?:begin|end|label)\s*\{[^{}]*\}|[a-zA-Z]+)")


def words(text):
    text = unicodedata.normalize("NFKC", text).casefold()
    return Counter(re.findall(r"[^\W_]+", text))


def f1(ours, theirs):
    total = ours.total() + theirs.total()
    return 2 * (ours & theirs).total() / total if total else 1.0


def agreement(ours, one, other):
    """F1 of the share of the words that both readers find which we have, and the share of ours that either finds."""
    each, either = one & other, one | other
    recall = (ours & each).total() / each.total() if each else 1.0
    precision = (ours & either).total() / ours.total() if ours else 0.0
    return 2 * recall * precision / (recall + precision) if recall + precision else 0.0


def content(markdown, format):
    """Our Markdown without what was added to the words of the file."""
    if markdown.startswith("=== "):
        markdown = markdown.partition("\n---\n")[2]
    lines, head = [], None
    for line in markdown.splitlines():
        if lines and re.fullmatch(r"\|( :?-+:? \|)+", line):
            if lines[-1] == head or re.fullmatch(r"\|( [A-Z]{1,2} \|)+", lines[-1]):
                lines.pop()
            else:
                head = lines[-1]
        elif not re.match("```|~~~", line):
            lines.append(line)
    markdown = "\n".join(lines)
    if format in ADDED:
        markdown = ADDED[format].sub("", markdown)
    if format == "tex":
        markdown = TEX.sub(" ", markdown)
    if format == "mbox":
        markdown = re.sub(r"(?m)^(## .*) \([^()]*\)$", r"\1", markdown)
    if format in ("bib", "ris"):
        markdown = re.sub(r"\]\(https?:[^)]*\)", "]", markdown)
    return re.sub(r"\\([^\w\s])", r"\1", markdown)


def title_block(said, text):
    """What the example prints of the title, authors and date of a LaTeX document beside its text, which may show them."""
    found = re.search(r': title (?:Some\("((?:[^"\\]|\\.)*)"\)|None), \{(.*)', said)
    values = re.findall(r'"(?:author|subtitle|date)": "((?:[^"\\]|\\.)*)"', found[2]) if found else []
    return "\n".join([found and found[1] or "", *(name for value in values for name in value.split(", ") if name not in text)])


def apart(function, path):
    """What a function returns, from a process of its own that ends at the limit with all that it started."""
    here, there = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.setsid()
            os.close(here)
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
            found = function(path)
            text, names = found if isinstance(found, tuple) else (found, "")
            with open(there, "wb") as out:
                out.write(f"{text}\0{names}".encode("utf-8", "replace"))
            os._exit(0)
        except BaseException:  # whatever it is, the reader failed
            os._exit(1)
    os.close(there)
    read = bytearray()
    with open(here, "rb", buffering=0) as source:
        while select.select([source], [], [], LIMIT)[0] and (piece := source.read(1 << 20)):
            read += piece
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)
    os.kill(child, signal.SIGKILL)
    status = os.waitpid(child, 0)[1]
    if not read:
        raise ValueError(status)
    return read.decode().rsplit("\0", 1)


def compare(program, format, path):
    """Why we cannot read a file, if so; and for each reader None if it cannot, else how many words it finds, F1 and the words that differ."""
    problem, ours = None, ""
    try:
        read = subprocess.run([program, path], capture_output=True, check=False, timeout=LIMIT)
        ours = content(read.stdout.decode("utf-8", "replace"), format)
        if format == "tex":
            ours += "\n" + title_block(read.stderr.decode("utf-8", "replace"), ours)
        if read.returncode != 0:
            problem = (read.stdout[-200:] + read.stderr[-200:]).decode("utf-8", "replace").strip()
    except subprocess.TimeoutExpired:
        problem = f"over {LIMIT} s"
    results, found_by = [], []
    for _, reader in references.READERS[format]:
        try:
            theirs, names = apart(reader, path)
        except (OSError, ValueError):
            results.append(None)
            continue
        if format == "tex":
            theirs = TEX.sub(" ", theirs)
        names = set(words(names))
        mine, found = ({word: count for word, count in words(text).items() if word not in names} for text in (ours, theirs))
        mine, found = Counter(mine), Counter(found)
        results.append((found.total(), f1(mine, found), (found - mine).most_common(6), (mine - found).most_common(6)))
        found_by.append(found)
    both = None
    if len(results) == 2 and all(results) and not problem and all(result[0] >= SHORT for result in results):
        both = (agreement(mine, *found_by), f1(*found_by))
    return path, problem, results, both


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", help="formats, with commas between them")
    parser.add_argument("--worst", type=int, default=0, help="how many files with the lowest F1 to list for each format")
    options = parser.parse_args()
    chosen = options.only.split(",") if options.only else sorted(references.READERS)
    heads = "Format,Independent reader,Files,Short,Compared,F1 median,10th percentile,Only we failed,Only the reader failed,Both failed"
    print(f"| {heads.replace(',', ' | ')} |\n|---|---|{'--:|' * 8}", flush=True)
    listed = []
    with ProcessPoolExecutor(2) as pool:
        for format in chosen:
            files = sorted(str(path) for path in (options.folder / format).glob(f"*.{format}"))
            if not files:
                continue
            compared = list(pool.map(compare, [options.program] * len(files), [format] * len(files), files))
            for index, (name, _) in enumerate(references.READERS[format]):
                groups = {kind: [] for kind in ("scored", "short", "ours", "theirs", "both")}
                for path, problem, results, _ in compared:
                    result = results[index]
                    if problem:
                        kind = "ours" if result and result[0] else "both"
                    else:
                        kind = "theirs" if not result else "short" if result[0] < SHORT else "scored"
                    groups[kind].append((*result[1:], path) if kind == "scored" else f"{path}: {problem}")
                scored = sorted(groups["scored"])
                scores = [score for score, *_ in scored] or [float("nan")]
                counts = " | ".join(str(len(groups[kind])) for kind in ("short", "scored"))
                failed = " | ".join(str(len(groups[kind])) for kind in ("ours", "theirs", "both"))
                figures = f"{statistics.median(scores):.3f} | {scores[len(scores) // 10]:.3f}"
                print(f"| {format} | {name} | {len(files)} | {counts} | {figures} | {failed} |", flush=True)
                for score, missing, extra, path in scored[: options.worst]:
                    listed.append(f"{format}, {name}: {score:.3f} {path}\n    missing {missing}\n    extra {extra}")
                listed += [f"{format}, {name}: not read: {it}" for it in groups["ours"][: options.worst]]
            both = [both for *_, both in compared if both]
            if both:
                ours, theirs = (sorted(scores) for scores in zip(*both))
                figures = f"{statistics.median(ours):.3f} (10th percentile {ours[len(ours) // 10]:.3f})"
                listed.append(f"{format}, both readers, {len(both)} files: we agree with them {figures}, they with each other {statistics.median(theirs):.3f}")
    print("\n" + "\n".join(listed) if listed else "", end="\n" if listed else "")


if __name__ == "__main__":
    main()
