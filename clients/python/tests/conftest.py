"""Servers to test against: the real program, started for the tests, and a proxy that harms the way to it."""

from __future__ import annotations

import asyncio
import inspect
import os
import re
import subprocess
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any, cast

import pytest
from proxy import Proxy

from quaestio import AsyncClient, AsyncRun, Client

ROOT = Path(__file__).resolve().parents[3]
CHOLERA = ROOT / "examples" / "cholera" / "history" / "broad-street-outbreak-1854.md"
QUESTION = "When was the handle of the Broad Street pump removed?"


class Server:
    """A running `quaestio serve` with a data folder of its own."""

    def __init__(self, folder: Path, *settings: str, tokens: str = "") -> None:
        program = os.environ.get("QUAESTIO_PROGRAM")
        assert program, "QUAESTIO_PROGRAM is the path of the program `quaestio`"
        environment = {"PATH": os.environ.get("PATH", ""), "HOME": str(folder)} | ({"QUAESTIO_TOKENS": tokens} if tokens else {})
        command = [program, "serve", "--listen", "127.0.0.1:0", "--data-dir", str(folder / "data"), "--no-model", "--no-network"]
        for setting in ("server.requests_per_second=100000", *settings):
            command += ["--set", setting]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=(folder / "err").open("w"), text=True, env=environment)
        assert self._process.stdout is not None
        found = re.match(r"listening at (\S+)", self._process.stdout.readline())
        assert found, (folder / "err").read_text()
        self.url = found.group(1)

    @property
    def address(self) -> tuple[str, int]:
        host, _, port = self.url.removeprefix("http://").rpartition(":")
        return host, int(port)

    def stop(self) -> None:
        self._process.terminate()
        self._process.wait(20)


@pytest.fixture(scope="session")
def proxy_and_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Proxy, Server]]:
    with Proxy() as proxy:
        server = Server(tmp_path_factory.mktemp("server"), f'server.hosts=["127.0.0.1:{proxy.port}"]')
        proxy.target = server.address
        yield proxy, server
        server.stop()


@pytest.fixture(scope="session")
def server(proxy_and_server: tuple[Proxy, Server]) -> Server:
    return proxy_and_server[1]


@pytest.fixture
def proxy(proxy_and_server: tuple[Proxy, Server]) -> Iterator[Proxy]:
    proxy = proxy_and_server[0]
    yield proxy
    proxy.heal()


class Driven:
    """An object for an event loop as one without: what it promises is waited for, and what it yields is yielded."""

    def __init__(self, inner: Any, loop: asyncio.AbstractEventLoop) -> None:
        self._inner = inner
        self._loop = loop

    def __getattr__(self, name: str) -> Any:
        return self._plain(getattr(self._inner, name))

    def _plain(self, value: Any) -> Any:
        if inspect.isawaitable(value):
            return self._plain(self._loop.run_until_complete(cast(Any, value)))
        if isinstance(value, (AsyncRun, AsyncClient)):
            return Driven(value, self._loop)
        if isinstance(value, AsyncIterator):
            return self._items(value)
        if inspect.ismethod(value):
            return lambda *args, **kwargs: self._plain(value(*args, **kwargs))
        return value

    def _items(self, values: AsyncIterator[Any]) -> Iterator[Any]:
        while True:
            try:
                yield self._loop.run_until_complete(anext(values))
            except StopAsyncIteration:
                return


class Clients:
    """Makes clients of the kind that is tested."""

    def __init__(self, loop: asyncio.AbstractEventLoop | None) -> None:
        self._loop = loop
        self._open: list[Client] = []

    def __call__(self, url: str, **options: Any) -> Client:
        if self._loop is None:
            client = Client(url, **options)
        else:
            client = cast(Client, Driven(AsyncClient(url, **options), self._loop))
        self._open.append(client)
        return client

    def close(self) -> None:
        for client in self._open:
            client.close() if isinstance(client, Client) else cast(Any, client).aclose()


@pytest.fixture(params=["sync", "async"])
def clients(request: pytest.FixtureRequest) -> Iterator[Clients]:
    """Every test that uses clients is done with both kinds."""
    loop = asyncio.new_event_loop() if request.param == "async" else None
    clients = Clients(loop)
    yield clients
    clients.close()
    if loop is not None:
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()


@pytest.fixture
def client(clients: Clients, server: Server) -> Client:
    return clients(server.url)


@pytest.fixture(scope="session")
def cholera(server: Server) -> str:
    """A collection with a document about the outbreak."""
    with Client(server.url) as client:
        client.upload("cholera", CHOLERA)
    return "cholera"
