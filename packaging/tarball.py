"""Tar archives whose bytes depend on their content alone."""

import gzip
import io
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import about


class Tarball:
    def __init__(self, tar: tarfile.TarFile) -> None:
        self._tar = tar

    def put(self, name: str, content: bytes, mode: int = 0o644) -> None:
        entry = tarfile.TarInfo(name)
        entry.size, entry.mode, entry.mtime = len(content), mode, about.SECONDS
        self._tar.addfile(entry, io.BytesIO(content))


@contextmanager
def create(file: Path, level: int) -> Iterator[Tarball]:
    with (
        file.open("wb") as raw,
        gzip.GzipFile("", "wb", level, raw, about.SECONDS) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as tar,
    ):
        yield Tarball(tar)
