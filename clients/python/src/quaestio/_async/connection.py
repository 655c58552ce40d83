"""Requests that are sent again where that is safe."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import httpx

from .._retries import Retries
from .._waiting import async_sleep
from ..errors import ConnectionLost, QuaestioError, read_problem


class AsyncConnection:
    """The way to a server."""

    def __init__(self, base_url: str, token: str | None, timeout: float, retries: Retries, http: httpx.AsyncClient | None) -> None:
        self.base_url = base_url.rstrip("/")
        self.retries = retries
        self._timeout = timeout
        self._is_own = http is None
        # A redirect is never followed: the token is for this server alone.
        self._http = httpx.AsyncClient(follow_redirects=False) if http is None else http
        self._headers = {} if token is None else {"authorization": f"Bearer {token}"}

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.base_url!r})"

    async def aclose(self) -> None:
        """Closes the connections, unless they are the caller's."""
        if self._is_own:
            await self._http.aclose()

    async def send(
        self,
        method: str,
        path: str,
        *,
        params: Mapping[str, Any] | None = None,
        body: Any = None,
        content: bytes | None = None,
        key: str | None = None,
        repeatable: bool | None = None,
        timeout: float | None = None,
    ) -> httpx.Response:
        """Sends a request until it is answered; `repeatable` says whether it may be carried out twice.

        Raises:
            Problem: The server refuses it.
            ConnectionLost: It could not be sent, or nobody knows what came of it.
        """
        headers = dict(self._headers)
        if key is not None:
            headers["idempotency-key"] = key
        if content is not None:
            headers["content-type"] = "application/octet-stream"
        is_repeatable = (method == "GET" or key is not None) if repeatable is None else repeatable
        attempt = 0
        while True:
            attempt += 1
            try:
                response = await self._http.request(
                    method,
                    self.base_url + path,
                    params=params,
                    json=body,
                    content=content,
                    headers=headers,
                    timeout=httpx.Timeout(timeout or self._timeout, connect=min(10.0, self._timeout)),
                    follow_redirects=False,
                )
            except httpx.TransportError as error:
                await self._wait_after_loss(error, attempt, is_repeatable)
                continue
            if response.is_success:
                return response
            await self._wait_after_refusal(response, attempt, is_repeatable)

    async def _wait_after_loss(self, error: httpx.TransportError, attempt: int, repeatable: bool) -> None:
        wait = self.retries.after_loss(error, attempt, repeatable)
        if wait is None:
            raise ConnectionLost(f"{self.base_url} does not answer: {str(error) or type(error).__name__}") from error
        await async_sleep(wait)

    async def _wait_after_refusal(self, response: httpx.Response, attempt: int, repeatable: bool) -> None:
        problem: QuaestioError = read_problem(response.status_code, response.headers, response.content)
        wait = self.retries.after_refusal(problem, attempt, repeatable)
        if wait is None:
            raise problem
        await async_sleep(wait)

    @asynccontextmanager
    async def stream(self, path: str, *, last_event: int, silence: float) -> AsyncIterator[httpx.Response]:
        """Opens a stream of events from the entry after `last_event`; `silence` is the most seconds without a byte.

        Raises:
            Problem: The server refuses it, and trying again does not help.
            httpx.TransportError: The connection broke.
        """
        headers = {**self._headers, "accept": "text/event-stream", "last-event-id": str(last_event)}
        timeout = httpx.Timeout(silence, connect=min(10.0, silence))
        attempt = 0
        while True:
            attempt += 1
            url = self.base_url + path
            async with self._http.stream("GET", url, headers=headers, timeout=timeout, follow_redirects=False) as response:
                if response.is_success:
                    yield response
                    return
                await response.aread()
            await self._wait_after_refusal(response, attempt, True)


def new_key() -> str:
    """Returns an idempotency key that nobody else has."""
    return str(uuid.uuid4())
