"""What a built program runs on, read from the program itself: its system, its machine, and the C library that it needs."""

import re
import struct
from dataclasses import dataclass
from pathlib import Path

_ELF_MACHINES = {0x3E: "x86_64", 0xB7: "aarch64"}
_MACH_MACHINES = {0x01000007: "x86_64", 0x0100000C: "aarch64"}
_PE_MACHINES = {0x8664: "x86_64", 0xAA64: "aarch64"}


@dataclass(frozen=True)
class Program:
    path: Path
    # linux, darwin or windows
    system: str
    # x86_64 or aarch64
    machine: str
    # The oldest glibc that has all that the program needs; none for a program that needs no C library.
    glibc: tuple[int, int] | None = None

    @property
    def file_name(self) -> str:
        return "quaestio.exe" if self.system == "windows" else "quaestio"

    @property
    def target(self) -> str:
        libc = "gnu" if self.glibc else "musl"
        return {
            "linux": f"{self.machine}-unknown-linux-{libc}",
            "darwin": f"{self.machine}-apple-darwin",
            "windows": f"{self.machine}-pc-windows",
        }[self.system]

    @staticmethod
    def read(path: Path) -> "Program":
        with path.open("rb") as file:
            head = file.read(4096)
            if head[:4] == b"\x7fELF" and head[4] == 2:
                (machine,) = struct.unpack_from("<H", head, 18)
                return Program(path, "linux", _known(_ELF_MACHINES, machine, path), _oldest_glibc(file, head))
        if head[:4] == b"\xcf\xfa\xed\xfe":
            (machine,) = struct.unpack_from("<I", head, 4)
            return Program(path, "darwin", _known(_MACH_MACHINES, machine, path))
        if head[:2] == b"MZ":
            (at,) = struct.unpack_from("<I", head, 0x3C)
            (machine,) = struct.unpack_from("<H", head, at + 4)
            return Program(path, "windows", _known(_PE_MACHINES, machine, path))
        raise ValueError(f"{path} is no program for Linux, macOS or Windows on 64 bits")


def _known(machines: dict[int, str], machine: int, path: Path) -> str:
    if machine not in machines:
        raise ValueError(f"{path} is for a machine that no package has a name for ({machine:#x})")
    return machines[machine]


def _oldest_glibc(file, head: bytes) -> tuple[int, int] | None:
    """Reads the names of versions that the program asks the dynamic linker for."""
    (at,) = struct.unpack_from("<Q", head, 0x28)
    size, count = struct.unpack_from("<HH", head, 0x3A)
    needed = []
    for index in range(count):
        file.seek(at + index * size)
        section = file.read(size)
        (kind,) = struct.unpack_from("<I", section, 4)
        (flags, _, offset, length) = struct.unpack_from("<QQQQ", section, 8)
        # A table of strings that is loaded is that of the dynamic linker.
        if kind == 3 and flags & 2:
            file.seek(offset)
            needed += re.findall(rb"\0GLIBC_(\d+)\.(\d+)", file.read(length))
    return max(((int(major), int(minor)) for major, minor in needed), default=None)
