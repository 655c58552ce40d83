"""Users and refusals."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from conftest import CHOLERA, QUESTION, Clients, Server

from quaestio import BadRequest, Client, Conflict, Invalid, NotFound, Problem, QuotaExceeded, TooLarge, Unauthorised
from quaestio.errors import read_problem

ALICE, BOB = "a" * 40, "b" * 40


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("users")
    server = Server(folder, "server.upload_bytes=20000", "quotas.runs_per_day=6", tokens=f"alice:{ALICE},bob:{BOB}")
    yield server
    server.stop()


# proves: F9
def test_two_users_never_see_each_others_runs_and_documents(clients: Clients, shared: Server) -> None:
    alice, bob = clients(shared.url, token=ALICE), clients(shared.url, token=BOB)
    assert (alice.session()["user"], bob.session()["user"]) == ("alice", "bob")
    uploaded = alice.upload("hers", CHOLERA)
    result = alice.ask(QUESTION, collection="hers")
    assert result.run_id in [run["run_id"] for run in alice.runs()]
    assert result.run_id not in [run["run_id"] for run in bob.runs()]
    assert "hers" not in [collection["name"] for collection in bob.collections()]
    for look in (
        lambda: bob.run(result.run_id),
        lambda: bob.document(uploaded["document"]["document_id"]),
        lambda: list(bob.documents("hers")),
    ):
        with pytest.raises(NotFound):
            look()
    with pytest.raises(Problem):
        bob.ask(QUESTION, collection="hers")


# proves: F9
def test_refusals_are_typed_and_say_what_to_do(clients: Clients, shared: Server) -> None:
    with pytest.raises(Unauthorised) as unauthorised:
        clients(shared.url).settings()
    assert unauthorised.value.type == "urn:quaestio:problem:unauthorised"
    with pytest.raises(Unauthorised):
        clients(shared.url, token="c" * 40).settings()
    client: Client = clients(shared.url, token=BOB)
    with pytest.raises(Invalid) as invalid:
        client.start("asks", QUESTION)
    assert "ask, hypothesize" in invalid.value.hint and invalid.value.hint in str(invalid.value)
    with pytest.raises(TooLarge) as large:
        client.upload("his", b"x" * 30_000, name="x.txt")
    assert "server.upload_bytes" in large.value.hint
    for odd in ("nothing", "..", ".", "a/b", "ü ?#"):
        with pytest.raises(NotFound):
            client.run(odd)
    made = client.create_context({"id": "mine", "name": "Mine"})
    with pytest.raises(Conflict):
        client.create_context({"id": made["id"], "name": "Mine"})
    client.remove_context("mine")
    with pytest.raises(Invalid):
        client.start("ask", QUESTION, key="a b")


# proves: F9
def test_a_quota_that_is_used_up_is_told_at_once(clients: Clients, shared: Server) -> None:
    client: Client = clients(shared.url, token=BOB)
    client.upload("quota", CHOLERA)
    with pytest.raises(QuotaExceeded) as exceeded:
        for _ in range(8):
            client.start("ask", QUESTION, collection="quota")
    assert exceeded.value.quota is not None
    assert (exceeded.value.quota["key"], exceeded.value.quota["limit"]) == ("quotas.runs_per_day", 6)
    assert exceeded.value.retry_after is not None and exceeded.value.hint


# proves: F9
def test_a_kind_that_nobody_knows_is_a_problem_all_the_same() -> None:
    known = read_problem(400, {}, b'{"type": "urn:quaestio:problem:bad-request", "detail": 3, "quota": [], "hint": "try"}')
    assert isinstance(known, BadRequest) and (known.detail, known.quota, known.hint) == ("", None, "try")
    later = read_problem(418, {"retry-after": "x"}, b'{"type": "urn:quaestio:problem:teapot", "detail": "short and stout"}')
    assert type(later) is Problem and later.retry_after is None and str(later) == "short and stout"
    for body in (b"", b"[]", b"\xff", b'{"type": "about:blank"}', b"[" * 100_000):
        assert not isinstance(read_problem(500, {}, body), Problem)
