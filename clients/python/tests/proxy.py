"""A proxy that harms connections as a test wants."""

from __future__ import annotations

import contextlib
import re
import socket
import threading
from typing import Any


class Proxy:
    """Passes bytes to `target` and back, and does harm on the way."""

    def __init__(self) -> None:
        self.target = ("127.0.0.1", 0)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.heal()

    def heal(self) -> None:
        """Does no more harm."""
        #: After how many bytes each of the next answers is cut off.
        self.cuts: list[int] = []
        #: Answers that the next requests get in the place of the server's.
        self.refusals: list[bytes] = []
        #: The heads of the requests that came.
        self.requests: list[str] = []

    def __enter__(self) -> Proxy:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_: Any) -> None:
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with client:
            try:
                self._pass_on(client)
            except OSError:
                pass
            finally:
                # Closing alone does not reach the other end while a thread reads.
                with contextlib.suppress(OSError):
                    client.shutdown(socket.SHUT_RDWR)

    def _pass_on(self, client: socket.socket) -> None:
        received = b""
        while b"\r\n\r\n" not in received:
            more = client.recv(65536)
            if not more:
                return
            received += more
        head = received.split(b"\r\n\r\n")[0].decode("latin-1")
        self.requests.append(head)
        if self.refusals:
            # What is left unread would break the connection before the answer is read.
            found = re.search(r"content-length: (\d+)", head, re.IGNORECASE)
            missing = (int(found[1]) if found else 0) - len(received.split(b"\r\n\r\n", 1)[1])
            while missing > 0 and (more := client.recv(65536)):
                missing -= len(more)
            client.sendall(self.refusals.pop(0))
            return
        left = self.cuts.pop(0) if self.cuts else None
        with socket.create_connection(self.target) as server:
            # Each connection serves one request, so that harm is counted by requests.
            first, rest = received.split(b"\r\n", 1)
            rest = rest.replace(b"onnection: keep-alive", b"onnection: close")
            server.sendall(first + b"\r\n" + rest)
            threading.Thread(target=self._forward, args=(client, server), daemon=True).start()
            while more := server.recv(65536):
                if left is not None and len(more) >= left:
                    client.sendall(more[:left])
                    return
                client.sendall(more)
                left = None if left is None else left - len(more)

    @staticmethod
    def _forward(client: socket.socket, server: socket.socket) -> None:
        try:
            while more := client.recv(65536):
                server.sendall(more)
        except OSError:
            return


def refusal(status: int, name: str, retry_after: int | None = None) -> bytes:
    """Returns a problem document as an answer."""
    body = f'{{"type":"urn:quaestio:problem:{name}","title":"No","status":{status},"detail":"not now","hint":"later"}}'
    wait = "" if retry_after is None else f"retry-after: {retry_after}\r\n"
    head = (
        f"HTTP/1.1 {status} No\r\ncontent-type: application/problem+json\r\ncontent-length: {len(body)}\r\nconnection: close\r\n{wait}\r\n"
    )
    return (head + body).encode()
