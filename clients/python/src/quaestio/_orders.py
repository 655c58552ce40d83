"""Orders as the server reads them, and where things are."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote

_WAITING = ("on_question", "on_plan", "on_event", "timeout")

T = TypeVar("T")


def read_order(method: str, question: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Makes the body of an order: what is `None`, is about waiting or names the order is left out."""
    order: dict[str, Any] = {"method": method, "question": question}
    for name, value in options.items():
        if value is None or name in _WAITING or name == "key":
            continue
        # Words of the language have a `_` behind them.
        order[name.removesuffix("_")] = dict(value) if isinstance(value, Mapping) else value
    return order


def read_waiting(options: Mapping[str, Any]) -> dict[str, Any]:
    """Returns what of the options is about waiting."""
    return {name: options[name] for name in _WAITING if name in options}


def path_of(*parts: str) -> str:
    """Returns the path of something below `/api`, whatever its id consists of."""
    # A part of dots alone would be taken for a step up.
    quoted = (quote(part, safe="").replace(".", "%2E") if set(part) <= {"."} else quote(part, safe="") for part in parts)
    return "/api/" + "/".join(quoted)


def read_file(file: str | os.PathLike[str] | bytes, name: str | None) -> tuple[bytes, str]:
    """Returns the bytes and the name of a file that is to be uploaded."""
    if isinstance(file, bytes):
        if name is None:
            raise ValueError("bytes have no name: give one as `name`, with its ending")
        return file, name
    path = Path(file)
    return path.read_bytes(), name if name is not None else path.name


def without_none(**values: T | None) -> dict[str, T]:
    """Returns the values that were given."""
    return {name: value for name, value in values.items() if value is not None}
