"""What a run tells while it is worked on, and the reader of the stream (server-sent events)."""

from __future__ import annotations

import codecs
import json
from dataclasses import dataclass
from typing import Any, TypeAlias

from .results import Status


@dataclass(frozen=True)
class Entry:
    """A line of the run's log. It is on disk, and comes once and in order."""

    #: Its number in the log, from 1.
    seq: int
    #: What it says, such as `called`, `said`, `asked`, `finished`.
    event: str
    #: All of it, as the log has it.
    data: dict[str, Any]


@dataclass(frozen=True)
class Draft:
    """Words of a draft while it is written. Nobody has checked them yet."""

    step: str
    #: UTF-16 units of the draft before these words.
    offset: int
    text: str

    def add_to(self, draft: str) -> str:
        """Returns the draft with these words at their place; a draft that begins anew is replaced."""
        units = draft.encode("utf-16-le", "surrogatepass")[: 2 * self.offset]
        return units.decode("utf-16-le", "replace") + self.text


@dataclass(frozen=True)
class State:
    """Where the run stands."""

    status: Status
    tokens: int
    cost_usd: float
    #: Entries in the log.
    entries: int
    #: Somebody asked it to stop, and it has not yet.
    stopping: bool


@dataclass(frozen=True)
class End:
    """The run has ended, and every entry was told."""

    status: Status


Event: TypeAlias = Entry | Draft | State | End


class Decoder:
    """Cuts a stream of bytes into events. What it does not know it passes over."""

    def __init__(self) -> None:
        self._bytes = codecs.getincrementaldecoder("utf-8")("replace")
        self._rest = ""
        self._name = ""
        self._data: list[str] = []
        #: How many seconds the server wants a client to wait before it connects again.
        self.retry_seconds = 1.0

    def feed(self, received: bytes) -> list[Event]:
        """Takes what was received; returns the events that are whole with it."""
        self._rest += self._bytes.decode(received)
        *lines, self._rest = self._rest.split("\n")
        events = (self._take(line.removesuffix("\r")) for line in lines)
        return [event for event in events if event is not None]

    def _take(self, line: str) -> Event | None:
        if line:
            field, _, value = line.partition(":")
            value = value.removeprefix(" ")
            if field == "event":
                self._name = value
            elif field == "data":
                self._data.append(value)
            elif field == "retry" and value.isascii() and value.isdigit() and len(value) < 8:
                self.retry_seconds = int(value) / 1000
            return None
        name, data = self._name, "\n".join(self._data)
        self._name, self._data = "", []
        return _read_event(name, data) if data else None


def _read_event(name: str, data: str) -> Event | None:
    try:
        said = json.loads(data)
    except ValueError:
        return None
    if not isinstance(said, dict):
        return None
    try:
        if name == "entry":
            return Entry(int(said["seq"]), str(said["event"]), said)
        if name == "draft":
            return Draft(str(said["step"]), int(said["offset"]), str(said["text"]))
        if name == "state":
            cost, stopping = float(said["cost_usd"]), bool(said["stopping"])
            return State(said["status"], int(said["tokens"]), cost, int(said["entries"]), stopping)
        if name == "end":
            return End(said["status"])
    except (KeyError, TypeError, ValueError):
        return None
    return None
