"""What can go wrong: one hierarchy, whose classes say what a caller does differently.

A refusal of the server is a `Problem`, made of its problem document (RFC 9457); its class follows from the document's `type`,
`urn:quaestio:problem:…`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, ClassVar

from .models import ExceededQuota

_PREFIX = "urn:quaestio:problem:"


class QuaestioError(Exception):
    """The base of every error that this package raises on purpose."""


class ConnectionLost(QuaestioError):
    """The server could not be reached, or the connection broke, and trying again did not help or could have done something twice."""


class TimedOut(QuaestioError):
    """A run did not come to its end in the time that the caller gave it. It goes on at the server."""

    def __init__(self, run_id: str, seconds: float) -> None:
        super().__init__(f"run {run_id} did not end within {seconds:g} s; it goes on at the server")
        self.run_id = run_id
        self.seconds = seconds


class WaitsForPerson(QuaestioError):
    """A run waits for an answer or an approval that no callback gave. Open it with `client.run(error.run_id)`, answer, and wait again."""

    def __init__(self, run_id: str, gates: tuple[str, ...]) -> None:
        super().__init__(f"run {run_id} waits for a person at {', '.join(gates) or 'a gate'}")
        self.run_id = run_id
        self.gates = gates


class CannotGoOn(QuaestioError):
    """This server cannot go on with a run, for example because it lacks the model that the run was started with."""

    def __init__(self, run_id: str, hindrance: str) -> None:
        super().__init__(f"run {run_id} cannot go on: {hindrance}")
        self.run_id = run_id
        self.hindrance = hindrance


class UnexpectedResponse(QuaestioError):
    """An answer that is not Quaestio's, for example a proxy's."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(f"the answer {status} is no problem document of Quaestio: {text[:200]!r}")
        self.status = status
        self.text = text


class Problem(QuaestioError):
    """A refusal of the server. Kinds that this version of the package does not know are of this class itself."""

    kind: ClassVar[str] = ""
    #: `urn:quaestio:problem:…`.
    type: str
    title: str
    #: The HTTP status.
    status: int
    #: What went wrong.
    detail: str
    #: What to do about it; empty where there is nothing.
    hint: str
    #: The run that stands in the way, where it is one.
    run_id: str | None
    #: The daily quota that leaves no room, where it is one.
    quota: ExceededQuota | None
    #: After how many seconds to try again, where the server says so.
    retry_after: float | None

    def __init__(self, document: Mapping[str, Any], status: int, retry_after: float | None = None) -> None:
        def text(key: str) -> str:
            value = document.get(key)
            return value if isinstance(value, str) else ""

        self.type, self.title = text("type"), text("title")
        self.detail, self.hint = text("detail"), text("hint")
        self.status = status
        self.run_id = text("run_id") or None
        quota = document.get("quota")
        self.quota = quota if isinstance(quota, dict) else None  # type: ignore[assignment]
        self.retry_after = retry_after
        said = self.detail or self.title or f"status {status}"
        super().__init__(f"{said} ({self.hint})" if self.hint else said)


class BadRequest(Problem):
    """The request cannot be read."""

    kind = "bad-request"


class Unauthorised(Problem):
    """The token is missing or wrong."""

    kind = "unauthorised"


class Forbidden(Problem):
    """The server does not answer under that name."""

    kind = "forbidden"


class NotFound(Problem):
    """There is no such thing, or it is another user's."""

    kind = "not-found"


class MethodNotAllowed(Problem):
    """The server does not take that request; it is probably older than this package."""

    kind = "method-not-allowed"


class Conflict(Problem):
    """The request does not fit the state of things."""

    kind = "conflict"


class Stale(Conflict):
    """The plan has changed since it was seen."""

    kind = "stale"


class TooLarge(Problem):
    """What was sent is too large."""

    kind = "too-large"


class Unsupported(Problem):
    """The server does not read what was sent in that form."""

    kind = "unsupported"


class Invalid(Problem):
    """It cannot be done as asked."""

    kind = "invalid"


class Limited(Problem):
    """Too much at once; `retry_after` says when to try again."""

    kind = "limited"


class QuotaExceeded(Problem):
    """A daily quota leaves no room; `quota` says which."""

    kind = "quota"


class Failed(Problem):
    """The server failed."""

    kind = "failed"


class Unavailable(Problem):
    """It cannot be done just now."""

    kind = "unavailable"


class DiskFull(Problem):
    """The server has no room left."""

    kind = "disk-full"


_KINDS: dict[str, type[Problem]] = {
    problem.kind: problem
    for problem in (
        BadRequest, Unauthorised, Forbidden, NotFound, MethodNotAllowed, Conflict, Stale, TooLarge, Unsupported, Invalid, Limited,
        QuotaExceeded, Failed, Unavailable, DiskFull,
    )
}  # fmt: skip


def read_problem(status: int, headers: Mapping[str, str], body: bytes) -> Problem | UnexpectedResponse:
    """Makes an error of an answer that is no success."""
    text = body.decode(errors="replace")
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        document = None
    name = document.get("type") if isinstance(document, dict) else None
    if not isinstance(document, dict) or not isinstance(name, str) or not name.startswith(_PREFIX):
        return UnexpectedResponse(status, text)
    kind = _KINDS.get(name.removeprefix(_PREFIX), Problem)
    return kind(document, status, read_retry_after(headers))


def read_retry_after(headers: Mapping[str, str]) -> float | None:
    """Reads `Retry-After` in seconds; dates, which Quaestio does not send, are passed over."""
    said = headers.get("retry-after", "").strip()
    return float(said) if said.isascii() and said.isdigit() and len(said) < 10 else None
