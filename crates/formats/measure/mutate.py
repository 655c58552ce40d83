"""Damages files and reads them: panics, runs that take too long, and the highest memory.

    mutate.py READ-PROGRAM FOLDER [--only FORMAT,FORMAT] [--count N]

READ-PROGRAM and FOLDER are those of measure.py. What is changed depends on the seed alone. A file that caused a panic or was slow is kept.
"""

import argparse
import io
import os
import random
import re
import shutil
import subprocess
import tempfile
import time
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

SEED = 33
SLOW = 10  # seconds
END = 30  # seconds, after which a run is ended
BIGGEST = 400_000  # bytes of a file that is damaged
DIED = b"error: reading it failed"  # what `read` says if the process that it started has died
NUMBERS = [b"999999999999", b"-1", b"0", b"18446744073709551615", b"2147483647"]
SIGNS = [b"{", b"}", b"<", b">", b'"', b"@", b"|", b"\n\n", b"--", b"\xff\xfe", b"\0" * 9, b"&", b"\\", b"    "]


def damage(content, chance):
    """Changes, cuts, repeats or moves a few parts, or puts a huge number in the place of one."""
    content = bytearray(content)
    for _ in range(chance.choice([1, 1, 2, 4, 16])):
        if not content:
            break
        at, length = chance.randrange(len(content)), chance.choice([1, 4, 50, 500, 5000])
        match chance.randrange(7):
            case 0:
                for _ in range(chance.choice([1, 5, 50])):
                    content[chance.randrange(len(content))] = chance.randrange(256)
            case 1:
                del content[at : at + length]
            case 2:
                content[at:at] = content[at : at + length] * chance.choice([1, 2, 20])
            case 3:
                to = chance.randrange(len(content))
                content[to:to] = content[at : at + length]
            case 4:
                content[at:at] = chance.choice(SIGNS) * chance.randrange(1, 200)
            case 5:
                if number := re.compile(rb"\d+").search(content, at):
                    content[number.start() : number.end()] = chance.choice(NUMBERS)
            case 6 if chance.random() < 0.3:
                del content[at:]
    return bytes(content)


def damage_package(content, chance):
    """Damages one or two files within a ZIP archive, or the archive itself."""
    if chance.random() < 0.2:
        return damage(content, chance)
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as package:
            files = {name: package.read(name) for name in package.namelist() if name}
    except Exception:  # it was damaged before, in any way
        return damage(content, chance)
    inner = [name for name in files if name.endswith((".xml", ".rels"))] or sorted(files)
    main = [name for name in inner if re.search(r"(document|content|styles|numbering|workbook|slide\d+|sheet\d+)\.xml$", name)]
    hit = set(chance.choices(main if main and chance.random() < 0.7 else inner, k=chance.choice([1, 1, 2])) if inner else [])
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as package:
        for name, part in files.items():
            package.writestr(name, damage(part, chance) if name in hit else part)
    return out.getvalue()


def read(program, path):
    """How a run ended (its status and what it said), its seconds and its mebibytes, which GNU time tells."""
    started = time.monotonic()
    command = ["time", "--quiet", "--format", "\n%M", "timeout", "--signal", "KILL", str(END), program, path]
    run = subprocess.run(command, capture_output=True, check=False)
    said, _, memory = run.stderr.decode("utf-8", "replace").strip().rpartition("\n")
    if run.returncode and DIED in run.stdout:
        said = "panicked, or took too much memory, in a process of its own"
    return run.returncode, said, time.monotonic() - started, int(memory) / 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=os.path.abspath)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", help="formats, with commas between them")
    parser.add_argument("--count", type=int, default=1000, help="how many damaged files for each format (1000)")
    parser.add_argument("--keep", type=Path, default=Path("damaged"), help="where files that caused a panic or were slow are kept")
    options = parser.parse_args()
    chosen = options.only.split(",") if options.only else sorted(path.name for path in options.folder.iterdir())
    print("| Format | Damaged files | Read | Refused | Panics or crashes | Over 10 s | Slowest | Most memory |")
    print("|---|--:|--:|--:|--:|--:|--:|--:|", flush=True)

    def one(format, index, path, folder):
        chance = random.Random(f"{SEED} {format} {index}")
        content = path.read_bytes()
        content = (damage_package if content[:2] == b"PK" else damage)(content, chance)
        name = folder / f"{format}-{index}{path.suffix}"
        name.write_bytes(content)
        code, said, seconds, memory = read(options.program, str(name))
        crashed = "panicked" in said or code not in (0, 1) and seconds < END
        if crashed or seconds > SLOW:
            options.keep.mkdir(exist_ok=True)
            shutil.copy(name, options.keep)
            print(f"{options.keep / name.name}, from {path}: {code}, {seconds:.1f} s, {said[-300:].strip()}", flush=True)
        name.unlink()
        return code == 0, code == 1 and not crashed, crashed, seconds, memory

    for format in chosen:
        files = sorted(path for path in (options.folder / format).glob(f"*.{format}") if path.stat().st_size <= BIGGEST)
        if not files:
            continue
        picked = random.Random(f"{SEED} {format}").choices(files, k=options.count)
        with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as pool:
            done = list(pool.map(lambda it: one(format, *it, Path(folder)), enumerate(picked)))
        was_read, refused, crashed, seconds, memory = zip(*done)
        slow = sum(it > SLOW for it in seconds)
        print(
            f"| {format} | {len(done)} | {sum(was_read)} | {sum(refused)} | {sum(crashed)} | {slow} | {max(seconds):.1f} s | {max(memory):.0f} MiB |",
            flush=True,
        )


if __name__ == "__main__":
    main()
