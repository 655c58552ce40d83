"""A run: what it tells, what it asks, and what comes of it."""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import closing
from typing import Any, cast

import httpx

from .._orders import path_of, without_none
from .._waiting import Stream, settle, sleep
from ..errors import CannotGoOn, ConnectionLost, TimedOut, WaitsForPerson
from ..events import Decoder, End, Entry, Event, State
from ..models import EvidenceList, EvidenceState, Plan, PlanState, Report, RunDifference, RunResult, RunState
from ..results import ENDED, Export, Gate, Result, Status, file_name
from .connection import Connection, new_key
from .options import OnEvent, OnPlan, OnQuestion

#: The most seconds without a byte: the server sends one every 15 seconds.
_SILENCE = 45.0


class Run:
    """A run at the server. `state` is what was last seen of it; every call that acts on the run brings it up to date."""

    def __init__(self, connection: Connection, state: RunState) -> None:
        self._connection = connection
        #: Where it stood when the server was last asked.
        self.state: RunState = state
        self._seen = 0

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.id!r}, status={self.status!r})"

    @property
    def id(self) -> str:
        """The id of the run."""
        return self.state["run_id"]

    @property
    def status(self) -> Status:
        """The status when the server was last asked."""
        return self.state["status"]

    @property
    def has_ended(self) -> bool:
        """Whether it had ended when the server was last asked."""
        return self.status in ENDED

    @property
    def gates(self) -> tuple[Gate, ...]:
        """Where it waited for a person when the server was last asked."""
        return tuple(Gate.of(gate) for gate in self.state["gates"])

    @property
    def plan(self) -> PlanState | None:
        """The plan that was proposed last, with what became of it."""
        return self.state.get("plan")

    def refresh(self) -> RunState:
        """Asks the server where the run stands."""
        response = self._connection.send("GET", path_of("runs", self.id))
        return self._take(response)

    def _take(self, response: httpx.Response) -> RunState:
        self.state = cast(RunState, response.json())
        return self.state

    def _act(self, method: str, action: str, body: Mapping[str, Any] | None = None) -> RunState:
        response = self._connection.send(method, path_of("runs", self.id, action), body=body)
        return self._take(response)

    def events(self, after: int = 0, timeout: float | None = None) -> Stream[Event]:
        """Yields everything that the run tells, from the entry after number `after` until the run has ended.

        A connection that breaks is made again, and goes on behind the last entry: each comes once and in order. Words of drafts may
        come again; `Draft.add_to` puts them in their place.

        Raises:
            TimedOut: `timeout` seconds are over.
            ConnectionLost: The server cannot be reached any more.
        """
        deadline = None if timeout is None else time.monotonic() + timeout
        failures = 0
        while True:
            left = _SILENCE if deadline is None else deadline - time.monotonic()
            if left <= 0:
                raise TimedOut(self.id, timeout or 0.0)
            decoder, had_news = Decoder(), False
            try:
                with self._connection.stream(
                    path_of("runs", self.id, "events"), last_event=after, silence=min(left, _SILENCE)
                ) as response:
                    if response.status_code == 204:
                        return
                    for received in response.iter_bytes():
                        failures = 0
                        for event in decoder.feed(received):
                            if isinstance(event, Entry):
                                if event.seq <= after:
                                    continue
                                after, had_news = event.seq, True
                            yield event
                            if isinstance(event, End):
                                return
                        if deadline is not None and time.monotonic() >= deadline:
                            raise TimedOut(self.id, timeout or 0.0)
                failures += 1
            except httpx.TransportError as error:
                failures += 1
                if failures > self._connection.retries.attempts:
                    raise ConnectionLost(f"run {self.id} cannot be followed any more: {error}") from error
            sleep(0.05 if had_news else min(decoder.retry_seconds, max(left, 0.0)))

    def rest(self, *, on_event: OnEvent | None = None, timeout: float | None = None) -> RunState:
        """Waits until the run waits for a person or has ended; `on_event` hears everything once.

        Raises:
            TimedOut: `timeout` seconds are over.
            CannotGoOn: This server cannot go on with the run.
        """
        deadline = None if timeout is None else time.monotonic() + timeout
        while True:
            self.refresh()
            rests = self.has_ended or self.status == "waiting"
            if rests and (on_event is None or self._seen >= self.state["entries"]):
                return self.state
            hindrance = self.state.get("hindrance")
            if hindrance and not rests:
                raise CannotGoOn(self.id, hindrance)
            left = None if deadline is None else max(deadline - time.monotonic(), 0.0)
            if left == 0.0:
                raise TimedOut(self.id, timeout or 0.0)
            self._follow(on_event, left)

    def _follow(self, on_event: OnEvent | None, timeout: float | None) -> None:
        """Follows the run until it rests, as far as its stream tells."""
        after = self._seen if on_event is not None else self.state["entries"]
        with closing(self.events(after, timeout)) as events:
            for event in events:
                if on_event is not None:
                    if isinstance(event, Entry):
                        self._seen = event.seq
                    settle(on_event(event))
                # The stream of a run that has ended ends by itself.
                if isinstance(event, State) and event.status == "waiting":
                    return

    def wait(
        self,
        *,
        on_question: OnQuestion | None = None,
        on_plan: OnPlan | None = None,
        on_event: OnEvent | None = None,
        timeout: float | None = None,
    ) -> Result:
        """Waits until the run has ended, and has questions and plans answered on the way.

        A run that ended early is a result as well: its `status` and `error` tell.

        Raises:
            WaitsForPerson: The run waits, and no callback answers. It can be waited for again.
            TimedOut: `timeout` seconds are over.
        """
        deadline = None if timeout is None else time.monotonic() + timeout
        while True:
            left = None if deadline is None else max(deadline - time.monotonic(), 0.0)
            self.rest(on_event=on_event, timeout=left)
            if self.has_ended:
                return self.result()
            open_gates = [gate for gate in self.gates if not self._pass(gate, on_question, on_plan)]
            if open_gates:
                raise WaitsForPerson(self.id, tuple(gate.name for gate in open_gates))

    def _pass(self, gate: Gate, on_question: OnQuestion | None, on_plan: OnPlan | None) -> bool:
        """Has a gate answered; returns whether somebody did."""
        if self.has_ended:
            return True
        if gate.plan is None:
            answer = None if on_question is None else settle(on_question(gate))
            if answer is None:
                return False
            self.answer(answer, gate=gate.name)
            return True
        decision = None if on_plan is None else settle(on_plan(gate))
        if decision is None:
            return False
        if decision is False:
            self.reject(gate=gate.name)
            return True
        if decision is not True:
            self.edit_plan(decision, gate=gate.name)
        self.approve(gate=gate.name)
        return True

    def _plan_gate(self, name: str | None) -> Gate:
        """Returns the gate of that name at which a plan waits, or the only one.

        Raises:
            LookupError: None or several were seen.
        """
        gates = [gate for gate in self.gates if gate.plan is not None and name in (None, gate.name)]
        if len(gates) != 1:
            which = "no plan" if not gates else "more than one plan"
            raise LookupError(f"{which} was seen to wait for approval in run {self.id}; `refresh` it, or name the gate")
        return gates[0]

    def answer(self, answer: str, *, gate: str | None = None) -> RunState:
        """Answers a question; `gate` names it where the run asks several.

        Raises:
            Conflict: It was answered already.
        """
        return self._act("POST", "answer", without_none(answer=answer, gate=gate))

    def edit_plan(self, plan: Plan, *, gate: str | None = None) -> RunState:
        """Saves an edited plan in the place of the one that was seen.

        Raises:
            Stale: Somebody else changed it meanwhile.
        """
        seen = self._plan_gate(gate)
        body = {"gate": seen.name, "revision": seen.revision, "plan_hash": seen.plan_hash, "plan": plan}
        return self._act("PUT", "plan", body)

    def approve(self, *, gate: str | None = None) -> RunState:
        """Approves the plan as it was last seen.

        Raises:
            Stale: Somebody changed it meanwhile: `refresh`, and look again.
        """
        seen = self._plan_gate(gate)
        return self._act("POST", "approve", {"gate": seen.name, "revision": seen.revision, "plan_hash": seen.plan_hash})

    def reject(self, reason: str = "", *, gate: str | None = None) -> RunState:
        """Rejects a plan. The run is cancelled, and nothing of the plan is done."""
        return self._act("POST", "reject", without_none(reason=reason, gate=gate))

    def cancel(self) -> RunState:
        """Asks the run to stop. What it gathered stays.

        Raises:
            Conflict: It has ended already.
        """
        return self._act("POST", "cancel")

    def result(self) -> Result:
        """Returns what came of the run, or what there is of it before its end."""
        response = self._connection.send("GET", path_of("runs", self.id, "result"))
        markdown = self.export("md")
        return Result.of(cast(RunResult, response.json()), markdown.text)

    def report(self) -> Report:
        """Returns the report as sanitised HTML for a page around it, with its headings."""
        response = self._connection.send("GET", path_of("runs", self.id, "report"))
        return cast(Report, response.json())

    def evidence(self) -> list[EvidenceState]:
        """Returns every passage that was put before an agent."""
        response = self._connection.send("GET", path_of("runs", self.id, "evidence"))
        return cast(EvidenceList, response.json())["evidence"]

    def export(self, format: str, *, style: str | None = None, passages_only: bool = False) -> Export:
        """Returns the result as a file, in a format that `settings` lists: `md`, `html`, `json`, `bibtex` and so on.

        passages_only: of a bundle, leave out the texts of sources beside the passages in its log.
        """
        params = without_none(format=format, style=style, passages_only="true" if passages_only else None)
        response = self._connection.send("GET", path_of("runs", self.id, "export"), params=params)
        name = file_name(response.headers.get("content-disposition", ""))
        return Export(name, response.headers.get("content-type", ""), response.content)

    def diff(self, other: Run | str) -> RunDifference:
        """Returns what is different in the result of another run, usually a later one of the same question."""
        id = other if isinstance(other, str) else other.id
        response = self._connection.send("GET", path_of("runs", self.id, "diff", id))
        return cast(RunDifference, response.json())

    def fork(
        self,
        from_step: str,
        *,
        model: str | None = None,
        offline: bool = False,
        settings: Mapping[str, str | float | bool] | None = None,
        key: str | None = None,
    ) -> Run:
        """Begins a new run that keeps the steps of this one before `from_step` and goes another way after."""
        body = without_none(**{"from": from_step}, model=model, offline=offline, set=None if settings is None else dict(settings))
        response = self._connection.send("POST", path_of("runs", self.id, "fork"), body=body, key=key or new_key())
        return Run(self._connection, cast(RunState, response.json()))

    def remove(self) -> None:
        """Removes the run with everything that is its own."""
        self._connection.send("DELETE", path_of("runs", self.id))
