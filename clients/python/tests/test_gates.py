"""Questions answered and plans approved."""

from __future__ import annotations

import asyncio
import copy

import pytest
from conftest import QUESTION, ROOT, Server

from quaestio import AsyncClient, Client, Conflict, End, Event, Gate, Stale, WaitsForPerson
from quaestio.models import Plan

EXPLORE = "I want to explore the market for contract review software"


@pytest.fixture
def market(client: Client) -> str:
    client.upload("market", ROOT / "examples" / "market" / "law-firms.md")
    return "market"


# proves: F9
def test_callbacks_answer_questions_and_approve_the_plan(client: Client, market: str) -> None:
    asked: list[Gate] = []

    def answer(gate: Gate) -> str:
        asked.append(gate)
        return {"q1": "law firms", "q3": "Texas"}.get(gate.name, "all of it")

    def approve(gate: Gate) -> bool:
        asked.append(gate)
        return True

    result = client.market(EXPLORE, collection=market, sources=[], on_question=answer, on_plan=approve)
    assert result.status == "completed" and "Texas" in str(result.deliverable["scope"])
    assert [gate.name for gate in asked if gate.plan is None] == ["q1", "q2", "q3"]
    [plan] = [gate for gate in asked if gate.plan is not None]
    assert plan.revision is not None and plan.plan_hash is not None
    state = client.run(result.run_id).plan
    assert state is not None and state["state"] == "approved"


# proves: F9
def test_a_run_that_nobody_answers_waits_and_goes_on_later(client: Client, market: str) -> None:
    with pytest.raises(WaitsForPerson) as waiting:
        client.market(EXPLORE, collection=market, sources=[])
    assert waiting.value.gates == ("q1", "q2", "q3")
    run = client.run(waiting.value.run_id)
    for gate in run.gates:
        run.answer("law firms in Texas", gate=gate.name)
    run.rest()
    [gate] = run.gates
    assert gate.plan is not None and run.status == "waiting"
    with pytest.raises(WaitsForPerson):
        run.wait()
    run.approve()
    assert run.wait().status == "completed"
    with pytest.raises(LookupError, match="no plan was seen"):
        run.approve()


# proves: F9
def test_an_edited_plan_is_the_one_that_is_approved(client: Client, market: str) -> None:
    def edit(gate: Gate) -> Plan:
        assert gate.plan is not None
        plan = copy.deepcopy(gate.plan)
        plan["search_terms"] = ["contract review"]
        return plan

    result = client.market(EXPLORE, collection=market, sources=[], clarify=False, on_plan=edit)
    assert result.status == "completed"
    plan = client.run(result.run_id).plan
    assert plan is not None and (plan["revision"], plan["plan"]["search_terms"]) == (2, ["contract review"])


# proves: F9
def test_a_plan_that_changed_meanwhile_is_not_approved(client: Client, market: str) -> None:
    run = client.start("market", EXPLORE, collection=market, sources=[], clarify=False)
    run.rest()
    other = client.run(run.id)
    [gate] = other.gates
    assert gate.plan is not None
    other.edit_plan({**gate.plan, "search_terms": ["pumps"]})
    with pytest.raises(Stale) as stale:
        run.approve()
    assert stale.value.hint
    run.refresh()
    run.approve()
    assert run.wait().status == "completed"


# proves: F9
def test_a_rejected_plan_cancels_the_run_and_a_second_answer_is_refused(client: Client, market: str) -> None:
    result = client.market(EXPLORE, collection=market, sources=[], clarify=False, on_plan=lambda gate: False)
    assert result.status == "cancelled"
    run = client.start("market", EXPLORE, collection=market, sources=[])
    run.rest()
    run.answer("law firms", gate="q1")
    with pytest.raises(Conflict):
        run.answer("courts", gate="q1")
    run.cancel()
    assert run.rest()["status"] == "cancelled"
    with pytest.raises(Conflict):
        run.cancel()


# proves: F9
def test_callbacks_of_an_event_loop_may_wait(server: Server, cholera: str) -> None:
    heard: list[Event] = []

    async def on_event(event: Event) -> None:
        await asyncio.sleep(0)
        heard.append(event)

    async def on_plan(gate: Gate) -> bool:
        await asyncio.sleep(0)
        return gate.plan is not None

    async def work() -> None:
        async with AsyncClient(server.url) as client:
            question = "The market for pumps"
            both = await asyncio.gather(
                client.market(question, collection=cholera, sources=[], clarify=False, on_plan=on_plan, on_event=on_event),
                client.ask(QUESTION, collection=cholera),
            )
            assert [result.status for result in both] == ["completed", "completed"]
            kept = [summary["run_id"] async for summary in client.runs(query="market for pumps")]
            assert both[0].run_id in kept

    asyncio.run(work())
    assert isinstance(heard[-1], End)
