"""Packages for npm: `quaestio` with a launcher, and one for each platform with the program, of which npm installs the one that fits."""

import json
from pathlib import Path

import about
import tarball
from program import Program

_LAUNCHER = Path(__file__).resolve().parent / "npm" / "quaestio.js"
_SYSTEMS = {"linux": "linux", "darwin": "darwin", "windows": "win32"}
_MACHINES = {"x86_64": "x64", "aarch64": "arm64"}
# What a release has; the launcher asks for these.
PLATFORMS = ["linux-x64", "linux-arm64", "darwin-x64", "darwin-arm64", "win32-x64"]


def _manifest(name: str, more: dict) -> bytes:
    manifest = {"name": name, "version": about.VERSION, "description": about.DESCRIPTION, "license": about.LICENSE}
    if about.HOMEPAGE:
        manifest["repository"] = {"type": "git", "url": f"git+{about.HOMEPAGE}.git"}
    return json.dumps(manifest | more, indent=2).encode() + b"\n"


def pack_program(program: Program, out: Path, level: int) -> Path:
    system, machine = _SYSTEMS[program.system], _MACHINES[program.machine]
    name = f"@quaestio/{system}-{machine}"
    file = out / f"quaestio-{system}-{machine}-{about.VERSION}.tgz"
    with tarball.create(file, level) as package:
        more = {"os": [system], "cpu": [machine], "files": ["bin"], "preferUnplugged": True}
        package.put("package/package.json", _manifest(name, more))
        package.put("package/README.md", f"The program of [quaestio](https://www.npmjs.com/package/quaestio) for {system} on {machine}.\n".encode())
        for text in about.LICENSES:
            package.put(f"package/{text.name}", text.read_bytes())
        package.put(f"package/bin/{program.file_name}", program.path.read_bytes(), 0o755)
    return file


def pack_launcher(out: Path) -> Path:
    file = out / f"quaestio-{about.VERSION}.tgz"
    with tarball.create(file, 9) as package:
        more = {
            "bin": {"quaestio": "quaestio.js"},
            "engines": {"node": ">=18"},
            "optionalDependencies": {f"@quaestio/{platform}": about.VERSION for platform in PLATFORMS},
        }
        package.put("package/package.json", _manifest("quaestio", more))
        package.put("package/README.md", about.README.read_bytes())
        for text in about.LICENSES:
            package.put(f"package/{text.name}", text.read_bytes())
        package.put("package/quaestio.js", _LAUNCHER.read_bytes(), 0o755)
    return file
