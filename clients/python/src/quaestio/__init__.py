"""A client of Quaestio, a grounded research engine.

    from quaestio import Client

    with Client("http://127.0.0.1:8400") as client:
        result = client.ask("When was the handle of the Broad Street pump removed?", collection="notes")
        print(result.markdown)
        for claim in result.claims:
            print(claim.verdict, claim.text, [citation.url for citation in claim.citations])

`AsyncClient` has the same methods for an event loop. What the server sends is typed in `quaestio.models`.
"""

from . import models
from ._async.client import AsyncClient
from ._async.run import AsyncRun
from ._retries import Retries
from ._sync.client import Client
from ._sync.run import Run
from .errors import (
    BadRequest,
    CannotGoOn,
    Conflict,
    ConnectionLost,
    DiskFull,
    Failed,
    Forbidden,
    Invalid,
    Limited,
    MethodNotAllowed,
    NotFound,
    Problem,
    QuaestioError,
    QuotaExceeded,
    Stale,
    TimedOut,
    TooLarge,
    Unauthorised,
    Unavailable,
    UnexpectedResponse,
    Unsupported,
    WaitsForPerson,
)
from .events import Draft, End, Entry, Event, State
from .results import Citation, Claim, Export, Gate, Result, Status, Usage, Verdict

__all__ = [
    "AsyncClient",
    "AsyncRun",
    "BadRequest",
    "CannotGoOn",
    "Citation",
    "Claim",
    "Client",
    "Conflict",
    "ConnectionLost",
    "DiskFull",
    "Draft",
    "End",
    "Entry",
    "Event",
    "Export",
    "Failed",
    "Forbidden",
    "Gate",
    "Invalid",
    "Limited",
    "MethodNotAllowed",
    "NotFound",
    "Problem",
    "QuaestioError",
    "QuotaExceeded",
    "Result",
    "Retries",
    "Run",
    "Stale",
    "State",
    "Status",
    "TimedOut",
    "TooLarge",
    "Unauthorised",
    "Unavailable",
    "UnexpectedResponse",
    "Unsupported",
    "Usage",
    "Verdict",
    "WaitsForPerson",
    "models",
]
