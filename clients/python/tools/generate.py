"""Makes what of the package is made: `models.py` from a server's description, and `_sync` from `_async`.

usage: python tools/generate.py URL [--check]

URL is where a server listens, such as http://127.0.0.1:8400, or a file with its `/openapi.json`. With --check nothing is written, and what
is not up to date is named.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

import httpx
from datamodel_code_generator import InputFileType, generate
from datamodel_code_generator.enums import DataModelType
from datamodel_code_generator.format import Formatter, PythonVersion
from datamodel_code_generator.parser import LiteralType

PACKAGE = Path(__file__).resolve().parent.parent / "src" / "quaestio"
HEADER = '"""What the server sends and takes. Made by tools/generate.py from the server\'s description; not to be edited."""\n'

#: Words of the code for an event loop, and what stands for them without one. Besides, `await` is left out.
WORDS = {
    "async def": "def",
    "async with": "with",
    "async for": "for",
    "__aenter__": "__enter__",
    "__aexit__": "__exit__",
    "aiter_bytes": "iter_bytes",
    "aread": "read",
    "aclosing": "closing",
    "aclose": "close",
    "asynccontextmanager": "contextmanager",
    "async_sleep": "sleep",
    "async_settle": "settle",
    "AsyncIterator": "Iterator",
    "AsyncStream": "Stream",
    "AsyncClient": "Client",
    "AsyncConnection": "Connection",
    "AsyncRun": "Run",
    "AsyncOnQuestion": "OnQuestion",
    "AsyncOnPlan": "OnPlan",
    "AsyncOnEvent": "OnEvent",
}
#: What callbacks of an event loop may give beside.
PROMISES = re.compile(r" \| Awaitable\[[^\[\]]*\]|Awaitable, ")


def read_description(at: str) -> dict[str, Any]:
    """Reads the OpenAPI document of a server, or from a file."""
    if at.startswith(("http://", "https://")):
        return dict(httpx.get(at.rstrip("/") + "/openapi.json").raise_for_status().json())
    return dict(json.loads(Path(at).read_text()))


def plain(schema: Any) -> Any:
    """Returns a schema without rules that no type can say: those that stand beside the fields of an object."""
    if isinstance(schema, list):
        return [plain(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    rules = ("allOf", "anyOf", "oneOf") if "properties" in schema else ()
    kept = {key: plain(value) for key, value in schema.items() if key not in rules}
    if isinstance(kept.get("$ref"), str):
        kept["$ref"] = kept["$ref"].replace(".", "")
    # Formats of numbers and instants are no types of JSON.
    if isinstance(kept.get("format"), str):
        del kept["format"]
    return kept


def make_models(description: dict[str, Any]) -> str:
    """Returns the module of the types that a description speaks of."""
    schemas = {name.replace(".", ""): plain(schema) for name, schema in description["components"]["schemas"].items()}
    document = {"openapi": description["openapi"], "info": description["info"], "paths": {}, "components": {"schemas": schemas}}
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = Path(folder) / "models.py"
        generate(
            json.dumps(document),
            input_file_type=InputFileType.OpenAPI,
            output=made,
            output_model_type=DataModelType.TypingTypedDict,
            target_python_version=PythonVersion.PY_310,
            use_union_operator=True,
            use_standard_collections=True,
            enum_field_as_literal=LiteralType.All,
            use_schema_description=True,
            use_closed_typed_dict=False,
            formatters=[Formatter.BLACK],
            custom_file_header=HEADER,
        )
        return made.read_text()


def make_sync(source: str) -> str:
    """Returns a module of `_async` as one that waits without an event loop."""
    words = re.compile(r"\b(" + "|".join(WORDS) + r")\b")
    made = words.sub(lambda found: WORDS[found.group(1)], PROMISES.sub("", source))
    return re.sub(r"\bawait ", "", made)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("url")
    parser.add_argument("--check", action="store_true")
    said = parser.parse_args()
    files = {PACKAGE / "models.py": make_models(read_description(said.url))}
    note = '"""The client that waits without an event loop. Made from `_async` by `tools/generate.py`; not to be edited."""\n'
    files[PACKAGE / "_sync" / "__init__.py"] = note
    for source in sorted((PACKAGE / "_async").glob("*.py")):
        if source.name != "__init__.py":
            files[PACKAGE / "_sync" / source.name] = make_sync(source.read_text())
    stale = [path for path, text in files.items() if not path.exists() or path.read_text() != text]
    if said.check:
        for path in stale:
            print(f"{path} is not up to date: run tools/generate.py", file=sys.stderr)
        return 1 if stale else 0
    for path in stale:
        path.parent.mkdir(exist_ok=True)
        path.write_text(files[path])
        print(f"{path} is made")
    return 0


if __name__ == "__main__":
    sys.exit(main())
