"""What happens where connections break or the server has no room."""

from __future__ import annotations

import pytest
from conftest import QUESTION, Clients, Server
from proxy import Proxy, refusal

from quaestio import Client, Conflict, ConnectionLost, Draft, End, Entry, Limited, Retries, TimedOut, Unavailable, UnexpectedResponse
from quaestio.events import Decoder

QUICK = Retries(first_wait=0.01)


# proves: F9
def test_a_stream_that_breaks_tells_every_entry_once_and_in_order(clients: Clients, proxy: Proxy, cholera: str) -> None:
    client = clients(proxy.url, retries=QUICK)
    run = client.start("ask", QUESTION, collection=cholera)
    whole = [event.seq for event in run.events() if isinstance(event, Entry)]
    proxy.heal()
    # Within the head, within an entry, between two, and within a character.
    proxy.cuts = [100, 900, 1500, 2600, 700, 5000, 1201]
    events = list(run.events())
    assert not proxy.cuts
    assert [event.seq for event in events if isinstance(event, Entry)] == whole == list(range(1, len(whole) + 1))
    assert isinstance(events[-1], End)
    resumed = [head for head in proxy.requests if "last-event-id: 0" not in head.lower()]
    assert resumed, "it went on behind the entries that it had"
    assert [event.seq for event in run.events(after=3) if isinstance(event, Entry)] == whole[3:]
    assert list(run.events(after=len(whole))) == []


# proves: F9
def test_a_run_is_waited_for_over_a_connection_that_breaks(clients: Clients, proxy: Proxy, cholera: str) -> None:
    client = clients(proxy.url, retries=QUICK)
    proxy.cuts = [0, 40, 100, 1000]
    heard: list[int] = []

    def hear(event: object) -> None:
        if isinstance(event, Entry):
            heard.append(event.seq)

    result = client.ask(QUESTION, collection=cholera, on_event=hear)
    assert result.status == "completed" and heard == list(range(1, len(heard) + 1))


# proves: F9
def test_an_order_whose_answer_is_lost_is_one_run(clients: Clients, proxy: Proxy, cholera: str) -> None:
    client = clients(proxy.url, retries=QUICK)
    before = len(list(client.runs()))
    # The order arrives, and the answer does not.
    proxy.cuts = [0, 20]
    run = client.start("ask", QUESTION, collection=cholera)
    assert not proxy.cuts
    assert len(list(client.runs())) == before + 1
    assert (
        client.start("ask", QUESTION, collection=cholera, key="a-key").id
        == client.start("ask", QUESTION, collection=cholera, key="a-key").id
    )
    proxy.cuts = [0]
    assert client.upload("lost", b"A pump has a handle.", name="pump.txt", key="pump")["put"] == "added"
    run.wait()


# proves: F9
def test_what_could_be_done_twice_is_not_sent_again(clients: Clients, proxy: Proxy, cholera: str) -> None:
    client = clients(proxy.url, retries=QUICK)
    run = client.start("market", "The market for pumps", collection=cholera, sources=[])
    run.rest()
    proxy.cuts = [0]
    with pytest.raises(ConnectionLost):
        run.answer("hospitals", gate="q1")
    with pytest.raises(Conflict):
        run.answer("hospitals", gate="q1")
    # A refusal for want of room is no such case.
    proxy.refusals = [refusal(429, "limited", 0)]
    run.answer("pumps", gate="q2")
    run.cancel()


# proves: F9
def test_a_server_without_room_is_asked_again_after_the_time_it_names(clients: Clients, proxy: Proxy, cholera: str) -> None:
    client = clients(proxy.url, retries=QUICK)
    proxy.refusals = [refusal(503, "unavailable"), refusal(429, "limited", 1), refusal(503, "unavailable", 0)]
    assert client.ask(QUESTION, collection=cholera).status == "completed"
    proxy.refusals = [refusal(429, "limited", 86_400)]
    with pytest.raises(Limited) as limited:
        client.settings()
    assert limited.value.retry_after == 86_400
    proxy.refusals = [refusal(503, "unavailable") for _ in range(QUICK.attempts)]
    with pytest.raises(Unavailable) as unavailable:
        client.settings()
    assert (unavailable.value.detail, unavailable.value.hint, unavailable.value.status) == ("not now", "later", 503)
    assert not proxy.refusals
    proxy.refusals = [b"HTTP/1.1 404 No\r\ncontent-length: 9\r\nconnection: close\r\n\r\n<h1>no</h"]
    with pytest.raises(UnexpectedResponse) as unexpected:
        client.settings()
    assert unexpected.value.status == 404


# proves: F9
def test_a_redirect_is_not_followed_with_the_token(clients: Clients, proxy: Proxy) -> None:
    client = clients(proxy.url, token="secret", retries=QUICK)
    assert "secret" not in repr(client)
    proxy.refusals = [f"HTTP/1.1 307 Away\r\nlocation: {proxy.url}/away\r\ncontent-length: 0\r\nconnection: close\r\n\r\n".encode()]
    with pytest.raises(UnexpectedResponse):
        client.settings()
    assert len(proxy.requests) == 1


# proves: F9
def test_a_server_that_is_not_there_is_told(clients: Clients) -> None:
    with pytest.raises(ConnectionLost, match="does not answer"):
        clients("http://127.0.0.1:9", retries=QUICK).settings()


# proves: F9
def test_a_wait_that_takes_too_long_ends_and_the_run_goes_on(clients: Clients, server: Server, cholera: str) -> None:
    client: Client = clients(server.url)
    run = client.start("market", "The market for pumps", collection=cholera, sources=[])
    run.rest()
    with pytest.raises(TimedOut):
        # It waits for answers, so its stream has no end.
        for _ in run.events(timeout=0.3):
            pass
    assert client.run(run.id).status == "waiting"
    run.cancel()


# proves: F9
def test_words_of_drafts_are_put_in_their_place() -> None:
    text = ""
    for draft in (Draft("writer", 0, "a😀"), Draft("writer", 3, "b"), Draft("writer", 0, "a😀b c"), Draft("writer", 6, "d")):
        text = draft.add_to(text)
    assert text == "a😀b cd"


# proves: F9
def test_a_stream_is_cut_into_events_wherever_it_is_cut() -> None:
    stream = (
        'retry: 250\n\nid: 1\nevent: entry\ndata: {"seq":1,"event":"said","line":"größer 😀"}\n\n: alive\n\n'
        'event: draft\r\ndata: {"step":"writer #1",\r\ndata: "offset":0,"text":"x"}\r\n\r\n'
        'event: entry\ndata: []\n\nevent: entry\ndata: {"seq":"x"}\n\nevent: entry\ndata: {\n\nevent: other\ndata: {}\n\n'
        'event: state\ndata: {"status":"completed","tokens":1,"cost_usd":0.5,"entries":1,"stopping":false}\n\n'
        'event: end\ndata: {"status":"completed"}\n\n'
    ).encode()
    whole = Decoder().feed(stream)
    assert [type(event).__name__ for event in whole] == ["Entry", "Draft", "State", "End"]
    for size in (1, 2, 3, 7, 50):
        decoder = Decoder()
        parts = (decoder.feed(stream[at : at + size]) for at in range(0, len(stream), size))
        assert [event for part in parts for event in part] == whole
        assert decoder.retry_seconds == 0.25
