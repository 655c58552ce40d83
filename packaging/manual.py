"""Manual pages and completions, written by the program itself."""

import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

# By shell: where Debian's packages have it.
COMPLETIONS = {
    "bash": "share/bash-completion/completions/quaestio",
    "zsh": "share/zsh/vendor-completions/_quaestio",
    "fish": "share/fish/vendor_completions.d/quaestio.fish",
}
PAGES = "share/man/man1"


def write(program: Path, out: Path) -> Path:
    subprocess.run([program.resolve(), "man", out / PAGES], check=True)
    for shell, place in COMPLETIONS.items():
        script = subprocess.run([program.resolve(), "completions", shell], check=True, capture_output=True).stdout
        (out / place).parent.mkdir(parents=True, exist_ok=True)
        (out / place).write_bytes(script)
    return out


@contextmanager
def of(program: Path, given: Path | None) -> Iterator[Path]:
    """The folder that was given, or one that the program fills."""
    if given is not None:
        yield given
        return
    with tempfile.TemporaryDirectory() as folder:
        yield write(program, Path(folder))


def files(folder: Path) -> list[Path]:
    return sorted(path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
