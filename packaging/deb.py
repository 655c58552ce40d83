"""A package for Debian and Ubuntu: the program, manual pages, completions, a systemd unit, and the documents of the first example.

It is built by dpkg-deb. Nothing is started by the installation.
"""

import gzip
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import about
import manual
from program import Program

_PARTS = Path(__file__).resolve().parent / "deb"
_ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}


def pack(program: Program, pages: Path, out: Path, level: int) -> Path:
    if program.system != "linux":
        raise ValueError(f"{program.path} is no program for Linux")
    architecture = _ARCHITECTURES[program.machine]
    file = out / f"{about.NAME}_{about.VERSION}-1_{architecture}.deb"
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "root"
        _lay_out(root, program, pages)
        control = root / "DEBIAN"
        control.mkdir()
        installed = sum(path.stat().st_size for path in root.rglob("*") if path.is_file()) // 1024 + 1
        (control / "control").write_text(_control(program, architecture, installed))
        for name in ["postinst", "postrm"]:
            shutil.copy(_PARTS / name, control / name)
            (control / name).chmod(0o755)
        compression = ["-Zgzip", "-z1"] if level < 9 else ["-Zxz"]
        # The times of files are those of the package.
        environment = os.environ | {"SOURCE_DATE_EPOCH": str(about.SECONDS)}
        subprocess.run(
            ["dpkg-deb", "--root-owner-group", *compression, "--build", root, file],
            check=True, capture_output=True, env=environment,
        )
    return file


def _lay_out(root: Path, program: Program, pages: Path) -> None:
    def put(name: str, content: bytes, mode: int = 0o644) -> None:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        path.chmod(mode)

    put("usr/bin/quaestio", program.path.read_bytes(), 0o755)
    for page in manual.files(pages):
        content = (pages / page).read_bytes()
        if page.is_relative_to(manual.PAGES):
            put(f"usr/{page.as_posix()}.gz", gzip.compress(content, mtime=about.SECONDS))
        else:
            put(f"usr/{page.as_posix()}", content)
    put("usr/lib/systemd/system/quaestio.service", (_PARTS / "quaestio.service").read_bytes())
    documents = "usr/share/doc/quaestio"
    put(f"{documents}/copyright", _copyright().encode())
    changes = (about.ROOT / "CHANGELOG.md").read_bytes()
    put(f"{documents}/changelog.gz", gzip.compress(changes, mtime=about.SECONDS))
    example = about.ROOT / "examples/cholera"
    for path in sorted(example.rglob("*")):
        if path.is_file():
            put(f"{documents}/examples/cholera/{path.relative_to(example).as_posix()}", path.read_bytes())
    for path in [root, *root.rglob("*")]:
        if path.is_dir():
            path.chmod(0o755)


def _control(program: Program, architecture: str, installed: int) -> str:
    needed = f"libc6 (>= {program.glibc[0]}.{program.glibc[1]}), libgcc-s1" if program.glibc else ""
    return "\n".join([
        f"Package: {about.NAME}",
        f"Version: {about.VERSION}-1",
        f"Architecture: {architecture}",
        f"Maintainer: {about.MAINTAINER}",
        f"Installed-Size: {installed}",
        *([f"Depends: {needed}"] if needed else []),
        # Certificates for the services that are asked; the interpreter that executes the code of debates.
        "Recommends: ca-certificates, python3",
        "Section: science",
        "Priority: optional",
        *([f"Homepage: {about.HOMEPAGE}"] if about.HOMEPAGE else []),
        f"Description: {about.DESCRIPTION.lower()[:1]}{about.DESCRIPTION[1:]}",
        " Quaestio answers questions over your documents, papers and the web. Every sentence",
        " of an answer is bound to a quote that was found in its source by a program.",
        " It works with a language model of your choice, and without one by quoting.",
        "",
    ])


def _copyright() -> str:
    mit = about.LICENSES[0].read_text().strip().splitlines()
    text = "\n".join(f" {line}" if line.strip() else " ." for line in mit[4:])
    return (
        "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n"
        "Upstream-Name: Quaestio\n\n"
        "Files: *\nCopyright: 2026 The Quaestio authors\nLicense: Expat or Apache-2.0\n\n"
        f"License: Expat\n{text}\n\n"
        "License: Apache-2.0\n On Debian systems the text is in /usr/share/common-licenses/Apache-2.0.\n"
    )
