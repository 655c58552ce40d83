"""The program with its manual pages, completions and licences, for whom no package manager serves."""

import zipfile
from pathlib import Path
from time import gmtime

import about
import manual
import tarball
from program import Program


def pack(program: Program, pages: Path, out: Path, level: int) -> Path:
    base = f"{about.NAME}-{about.VERSION}-{program.target}"
    content = [(program.file_name, program.path, 0o755), ("README.md", about.README, 0o644)]
    content += [(text.name, text, 0o644) for text in about.LICENSES]
    content += [(page.as_posix(), pages / page, 0o644) for page in manual.files(pages)]
    if program.system == "windows":
        file = out / f"{base}.zip"
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=level) as package:
            for name, path, _ in content:
                entry = zipfile.ZipInfo(f"{base}/{name}", gmtime(about.SECONDS)[:6])
                entry.compress_type = zipfile.ZIP_DEFLATED
                package.writestr(entry, path.read_bytes(), compresslevel=level)
        return file
    file = out / f"{base}.tar.gz"
    with tarball.create(file, level) as package:
        for name, path, mode in content:
            package.put(f"{base}/{name}", path.read_bytes(), mode)
    return file
