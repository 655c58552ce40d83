"""A wheel that has the program and no Python: `uvx quaestio`, `pipx install quaestio`.

It is laid out as maturin does with `bindings = "bin"`. Maturin always calls Cargo and would compile once more what is built already.
"""

import base64
import hashlib
import zipfile
from pathlib import Path
from time import gmtime

import about
import manual
from program import Program


def tags(program: Program) -> list[str]:
    """Platforms on which pip may install the program."""
    machine = program.machine
    if program.system == "linux" and program.glibc:
        return [f"manylinux_{program.glibc[0]}_{program.glibc[1]}_{machine}"]
    if program.system == "linux":
        return [f"manylinux_2_17_{machine}", f"musllinux_1_1_{machine}"]
    if program.system == "darwin":
        return ["macosx_11_0_arm64" if machine == "aarch64" else "macosx_10_12_x86_64"]
    return ["win_arm64" if machine == "aarch64" else "win_amd64"]


def pack(program: Program, pages: Path, out: Path, level: int) -> Path:
    platforms = tags(program)
    base = f"{about.NAME}-{about.VERSION}"
    info, data = f"{base}.dist-info", f"{base}.data"
    record: list[str] = []
    file = out / f"{base}-py3-none-{'.'.join(platforms)}.whl"
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=level) as wheel:

        def put(name: str, content: bytes, mode: int = 0o644) -> None:
            entry = zipfile.ZipInfo(name, gmtime(about.SECONDS)[:6])
            entry.external_attr = (0o100000 | mode) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, content, compresslevel=level)
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            record.append(f"{name},sha256={digest},{len(content)}\n")

        put(f"{data}/scripts/{program.file_name}", program.path.read_bytes(), 0o755)
        if program.system != "windows":
            for page in manual.files(pages):
                put(f"{data}/data/{page.as_posix()}", (pages / page).read_bytes())
        for text in about.LICENSES:
            put(f"{info}/licenses/{text.name}", text.read_bytes())
        tag_lines = "".join(f"Tag: py3-none-{platform}\n" for platform in platforms)
        put(f"{info}/WHEEL", f"Wheel-Version: 1.0\nGenerator: quaestio-packaging\nRoot-Is-Purelib: false\n{tag_lines}".encode())
        put(f"{info}/METADATA", _metadata().encode())
        record.append(f"{info}/RECORD,,\n")
        entry = zipfile.ZipInfo(f"{info}/RECORD", gmtime(about.SECONDS)[:6])
        entry.external_attr = 0o100644 << 16
        wheel.writestr(entry, "".join(record))
    return file


def _metadata() -> str:
    lines = [
        "Metadata-Version: 2.4",
        f"Name: {about.NAME}",
        f"Version: {about.VERSION}",
        f"Summary: {about.DESCRIPTION}",
        f"License-Expression: {about.LICENSE}",
        *(f"License-File: {text.name}" for text in about.LICENSES),
        *([f"Project-URL: Source, {about.HOMEPAGE}"] if about.HOMEPAGE else []),
        "Classifier: Environment :: Console",
        "Classifier: Programming Language :: Rust",
        "Requires-Python: >=3.8",
        "Description-Content-Type: text/markdown",
        "",
        about.README.read_text(),
    ]
    return "\n".join(lines)
