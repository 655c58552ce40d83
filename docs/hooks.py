"""What the book has besides its written pages: the reference, which the program writes, pictures, and the decisions behind it."""

import logging
import os
import re
import subprocess
import tempfile
from pathlib import Path

from mkdocs.structure.files import File

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
# Folders of `docs` whose files the book has, and where.
BESIDE = {DOCS / "decisions": "decisions", DOCS / "images": "images"}
OTHERS = {"images/icon.svg": ROOT / "crates/server/page/icon.svg", "assets/iframe-worker.js": DOCS / "iframe-worker.js"}
LINK = re.compile(r"(?<!\\)(!?)\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\(([^()\s]+)\)")
log = logging.getLogger("mkdocs.hooks.manual")


def on_files(files, config):
    for folder, name in BESIDE.items():
        for path in sorted(folder.iterdir()):
            files.append(File.generated(config, f"{name}/{path.name}", abs_src_path=str(path)))
    for name, path in OTHERS.items():
        files.append(File.generated(config, name, abs_src_path=str(path)))
    with tempfile.TemporaryDirectory() as folder:
        program = os.environ.get("QUAESTIO", "quaestio")
        subprocess.run([program, "reference", folder], check=True, stdout=subprocess.DEVNULL)
        for path in sorted(Path(folder).rglob("*")):
            if path.is_file():
                name = f"reference/{path.relative_to(folder).as_posix()}"
                files.append(File.generated(config, name, content=path.read_text(encoding="utf-8")))
    return files


def on_page_markdown(markdown, page, config, files):
    """Turns links to files of the repository into links that lead somewhere from the book."""
    # Readers look for what to do before they ask why.
    if page.file.src_uri.startswith("decisions/"):
        page.meta["search"] = {"boost": 0.2}
    generated = page.file.src_uri.startswith("reference/")
    source = DOCS / "manual" / page.file.src_uri if generated else Path(page.file.abs_src_path)

    def lead(match):
        mark, text, target = match.groups()
        path, hash_, anchor = target.partition("#")
        if not path or re.match(r"[a-z]+:", path):
            return match[0]
        place = Path(os.path.normpath(source.parent / path))
        if place.is_relative_to(DOCS / "manual" / "reference"):
            return match[0]
        if not place.exists():
            log.warning("%s: there is no %s", page.file.src_uri, target)
            return match[0]
        inside = next((name for name in own_names(place)), None)
        if inside is not None:
            link = os.path.relpath(inside, os.path.dirname(page.file.src_uri) or ".")
            return f"{mark}[{text}]({link}{hash_}{anchor})"
        if config.repo_url:
            kind = "tree" if place.is_dir() else "blob"
            return f"[{text}]({config.repo_url.rstrip('/')}/{kind}/main/{place.relative_to(ROOT).as_posix()}{hash_}{anchor})"
        # It is in the repository, and nobody knows here where that is.
        return text

    parts = re.split(r"(^ *```.*?^ *```)", markdown, flags=re.M | re.S)
    return "".join(part if index % 2 else LINK.sub(lead, part) for index, part in enumerate(parts))


def own_names(place):
    """The name in the book of a file that the book has."""
    for folder, name in {DOCS / "manual": "", **BESIDE}.items():
        if place.is_relative_to(folder) and place.is_file():
            yield (Path(name) / place.relative_to(folder)).as_posix()
