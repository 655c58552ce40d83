"""What every package says of Quaestio."""

import os
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NAME = "quaestio"
LICENSE = "MIT OR Apache-2.0"
LICENSES = [ROOT / "LICENSE-MIT", ROOT / "LICENSE-APACHE"]
# Shown by the registries of Python and Node.js.
README = Path(__file__).resolve().parent / "README.md"


def _find(pattern: str, file: Path) -> str:
    found = re.search(pattern, file.read_text(), re.MULTILINE)
    if found is None:
        raise ValueError(f"{file} does not say {pattern}")
    return found.group(1)


VERSION = _find(r'^version = "([^"]+)"', ROOT / "Cargo.toml")
DESCRIPTION = _find(r'^description = "([^"]+)"', ROOT / "crates/quaestio/Cargo.toml")

# The repository is known where packages are released, and nowhere else.
REPOSITORY = os.environ.get("GITHUB_REPOSITORY")
HOMEPAGE = f"{os.environ.get('GITHUB_SERVER_URL', 'https://github.com')}/{REPOSITORY}" if REPOSITORY else None

# The time of every file in every package, so that the same program gives the same bytes.
SECONDS = int(os.environ.get("SOURCE_DATE_EPOCH", "1767225600"))

# Debian's packages name a person who answers.
MAINTAINER = os.environ.get("QUAESTIO_MAINTAINER", "The Quaestio authors <authors@quaestio.invalid>")
