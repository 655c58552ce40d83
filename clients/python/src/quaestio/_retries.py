"""When a request is sent again: the rules, without any waiting."""

from __future__ import annotations

import random
from dataclasses import dataclass

import httpx

from .errors import Limited, Problem, QuaestioError, UnexpectedResponse

#: The request was never received.
_NOT_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)
#: The connection broke: the request may have been carried out.
_LOST = (httpx.NetworkError, httpx.TimeoutException, httpx.RemoteProtocolError, httpx.ProxyError)
#: What a server, or a proxy in front of it, says where it cannot answer now.
_PASSING = (502, 503, 504)


@dataclass(frozen=True)
class Retries:
    """How often and how patiently a request is sent again.

    A request that could do something twice is sent again only where it certainly was not carried out: it never arrived, or was refused
    with 429. Every order and upload has an idempotency key, so it may be sent again in every case.
    """

    #: How many times a request is sent, at most.
    attempts: int = 5
    #: Seconds before the second attempt; each further wait is twice as long, with up to half of it left to chance.
    first_wait: float = 0.5
    #: The longest wait in seconds. A server that asks for a longer one is not waited for: its refusal is raised.
    longest_wait: float = 30.0

    def after_loss(self, error: httpx.TransportError, attempt: int, repeatable: bool) -> float | None:
        """Returns the seconds to wait after the `attempt`-th attempt (from 1) broke, or `None` to give up."""
        may = isinstance(error, _NOT_SENT) or (repeatable and isinstance(error, _LOST))
        return self._wait(attempt) if may else None

    def after_refusal(self, error: QuaestioError, attempt: int, repeatable: bool) -> float | None:
        """Returns the seconds to wait after a refusal, or `None` to give up."""
        if isinstance(error, Problem):
            may = isinstance(error, Limited) or (repeatable and error.status in _PASSING)
            wanted = error.retry_after
        elif isinstance(error, UnexpectedResponse):
            may, wanted = repeatable and error.status in _PASSING, None
        else:
            may, wanted = False, None
        if not may or (wanted is not None and wanted > self.longest_wait):
            return None
        wait = self._wait(attempt)
        return wait if wait is None or wanted is None else max(wait, wanted)

    def _wait(self, attempt: int) -> float | None:
        if attempt >= self.attempts:
            return None
        longest = min(self.first_wait * 2.0 ** (attempt - 1), self.longest_wait)
        return longest * random.uniform(0.5, 1.0)
