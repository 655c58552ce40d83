"""The OpenAI-compatible face before OpenAI's own client, LiteLLM, and requests as chat front ends send them."""

import asyncio
import json
import os
import pathlib
import re
import urllib.request

import litellm
import openai

BASE = os.environ["QUAESTIO_AT"] + "/v1"
ALICE, BOB = os.environ["QUAESTIO_ALICE"], os.environ["QUAESTIO_BOB"]
QUESTION = "When was the handle of the Broad Street pump removed?"
MODEL = "quaestio/rag@notes"

alice = openai.OpenAI(base_url=BASE, api_key=ALICE, max_retries=0)
bob = openai.OpenAI(base_url=BASE, api_key=BOB, max_retries=0)


def ask(text):
    return [{"role": "user", "content": text}]


def same(text):
    """Returns a report without the id of its run, by which reports of one question differ."""
    return re.sub(r"\b\d{8}-[0-9a-z]{8}\b", "RUN", text)


def refused(kind, call):
    try:
        call()
    except kind as error:
        return error
    raise AssertionError(f"{kind} was expected")


def check_answer(text, annotations):
    """Annotations cut exactly the marks of the text, and quote the source in its own words."""
    assert "8 September 1854" in text, text
    assert annotations
    for cited in annotations:
        # Over the statements of a source its mark stands for the first.
        marks = {f"[{cited.label}]", f"[{cited.label.rstrip('abcdefghijklmnopqrstuvwxyz')}]"}
        assert text[cited.start_index : cited.end_index] in marks, cited
        assert cited.quote in text and cited.title and cited.url.startswith("doc://"), cited


def models():
    names = [model.id for model in alice.models.list()]
    for name in ["ask", "direct", "search", "rag", "deep", "market", "hypothesize", "debate", "brief", "check"]:
        assert f"quaestio/{name}" in names, names
    assert MODEL in names
    assert MODEL not in [model.id for model in bob.models.list()]
    assert alice.models.retrieve(MODEL).id == MODEL
    refused(openai.NotFoundError, lambda: alice.models.retrieve("gpt-4"))
    refused(openai.NotFoundError, lambda: bob.models.retrieve(MODEL))


def completions():
    whole = alice.chat.completions.create(model=MODEL, messages=ask(QUESTION), temperature=0.3)
    message = whole.choices[0].message
    check_answer(message.content, [annotation.url_citation for annotation in message.annotations])
    assert message.reasoning_content and whole.choices[0].finish_reason == "stop"
    assert whole.usage.total_tokens == 0 and whole.quaestio["status"] == "completed"

    again = alice.chat.completions.create(
        model="quaestio/ask", messages=ask(QUESTION), extra_body={"quaestio": {"collection": "notes"}}
    )
    assert same(again.choices[0].message.content) == same(message.content)

    text, reasoning, annotations, usage = "", "", [], None
    with alice.chat.completions.create(
        model=MODEL, messages=ask(QUESTION), stream=True, stream_options={"include_usage": True}
    ) as chunks:
        for chunk in chunks:
            usage = chunk.usage or usage
            for choice in chunk.choices:
                text += choice.delta.content or ""
                reasoning += getattr(choice.delta, "reasoning_content", None) or ""
                annotations += getattr(choice.delta, "annotations", None) or []
    assert same(text) == same(message.content) and reasoning
    assert usage.total_tokens == 0
    assert len(annotations) == len(message.annotations)

    # The client's own way to put a stream together.
    with alice.chat.completions.stream(model=MODEL, messages=ask(QUESTION)) as stream:
        final = stream.get_final_completion()
    assert same(final.choices[0].message.content) == same(text)

    schema = {"name": "result", "schema": {"type": "object"}}
    result = alice.chat.completions.create(
        model=MODEL, messages=ask(QUESTION), response_format={"type": "json_schema", "json_schema": schema}
    )
    envelope = json.loads(result.choices[0].message.content)
    assert envelope["status"] == "completed" and envelope["citations"]


def conversation():
    messages = ask("I want to explore the market for repair cafés")
    said = []
    for reply in ["In one city", "skip", "skip", "reject: not today"]:
        answer = alice.chat.completions.create(model="quaestio/market", messages=messages)
        said.append(answer.choices[0].message.content)
        if answer.quaestio["status"] != "waiting":
            break
        if "approval of revision" in said[-1]:
            reply = "reject: not today"
        messages += [{"role": "assistant", "content": said[-1]}, {"role": "user", "content": reply}]
    answer = alice.chat.completions.create(model="quaestio/market", messages=messages)
    assert answer.quaestio["status"] == "cancelled", said


def responses():
    whole = alice.responses.create(model=MODEL, input=QUESTION, metadata={"chat": "7"})
    part = whole.output[-1].content[0]
    assert whole.status == "completed" and whole.output_text == part.text and whole.metadata == {"chat": "7"}
    check_answer(part.text, part.annotations)
    assert whole.output[0].type == "reasoning" and whole.output[0].summary[0].text
    assert alice.responses.retrieve(whole.id).output_text == part.text

    kinds = []
    with alice.responses.stream(model=MODEL, input=QUESTION) as stream:
        for event in stream:
            kinds.append(event.type)
        final = stream.get_final_response()
    assert same(final.output_text) == same(part.text)
    assert kinds[0] == "response.created" and kinds[-1] == "response.completed"
    for kind in ["reasoning_summary_text.delta", "output_text.delta", "output_text.annotation.added"]:
        assert f"response.{kind}" in kinds, kinds

    waiting = alice.responses.create(model="quaestio/market", input="The market for repair cafés", background=True)
    assert waiting.status in ("queued", "in_progress", "completed") and waiting.background
    assert alice.responses.cancel(waiting.id).status == "cancelled"
    alice.responses.delete(waiting.id)
    refused(openai.NotFoundError, lambda: alice.responses.retrieve(waiting.id))
    for call in [bob.responses.retrieve, bob.responses.cancel, bob.responses.delete]:
        refused(openai.NotFoundError, lambda call=call: call(whole.id))
    previous = lambda: bob.responses.create(model=MODEL, input=QUESTION, previous_response_id=whole.id)
    refused(openai.NotFoundError, previous)
    follow_up = alice.responses.create(model=MODEL, input=QUESTION, previous_response_id=whole.id)
    assert follow_up.previous_response_id == whole.id and "understanding a follow-up needs a model" in follow_up.output_text


def refusals():
    stranger = openai.OpenAI(base_url=BASE, api_key="nobody", max_retries=0)
    error = refused(openai.AuthenticationError, lambda: stranger.models.list())
    assert error.code == "invalid_api_key"
    create = alice.chat.completions.create
    error = refused(openai.NotFoundError, lambda: create(model="gpt-4", messages=ask("q")))
    assert (error.code, error.param) == ("model_not_found", "model")
    error = refused(openai.BadRequestError, lambda: create(model=MODEL, messages=ask("q"), n=2))
    assert error.param == "n"
    tool = {"type": "function", "function": {"name": "f", "parameters": {}}}
    forced = lambda: create(model=MODEL, messages=ask("q"), tools=[tool], tool_choice="required")
    assert refused(openai.BadRequestError, forced).param == "tool_choice"
    picture = [{"type": "image_url", "image_url": {"url": "data:image/png;base64,"}}]
    refused(openai.BadRequestError, lambda: create(model=MODEL, messages=[{"role": "user", "content": picture}]))
    refused(openai.BadRequestError, lambda: create(model=MODEL, messages=[]))
    unknown = {"quaestio": {"unknown": 1}}
    refused(openai.BadRequestError, lambda: create(model=MODEL, messages=ask("q"), extra_body=unknown))


async def asynchronous():
    client = openai.AsyncOpenAI(base_url=BASE, api_key=ALICE, max_retries=0)
    create = lambda: client.chat.completions.create(model=MODEL, messages=ask(QUESTION))
    answers = await asyncio.gather(*(create() for _ in range(4)))
    assert len({answer.id for answer in answers}) == 4
    assert all("8 September 1854" in answer.choices[0].message.content for answer in answers)
    await client.close()


def through_litellm():
    settings = {"model": f"openai/{MODEL}", "api_base": BASE, "api_key": ALICE, "messages": ask(QUESTION)}
    whole = litellm.completion(**settings)
    message = whole.choices[0].message
    assert "8 September 1854" in message.content and message.reasoning_content
    cited = message.annotations[0]["url_citation"]
    assert message.content[cited["start_index"] : cited["end_index"]] == f"[{cited['label']}]"
    chunks = litellm.completion(**settings, stream=True)
    text = "".join(chunk.choices[0].delta.content or "" for chunk in chunks)
    assert same(text) == same(message.content)
    error = refused(litellm.AuthenticationError, lambda: litellm.completion(**{**settings, "api_key": "nobody"}))
    assert error.status_code == 401


def recorded():
    """Requests as Open WebUI and LibreChat send them."""
    folder = pathlib.Path(__file__).parent / "recorded"
    for file in sorted(folder.glob("*.json")):
        request = json.loads(file.read_text())
        body = json.dumps(request["body"]).encode()
        headers = {"content-type": "application/json", "authorization": f"Bearer {ALICE}", **request["headers"]}
        asked = urllib.request.Request(BASE + request["path"], data=body, headers=headers)
        try:
            with urllib.request.urlopen(asked) as response:
                status, text = response.status, response.read().decode()
        except urllib.error.HTTPError as error:
            status, text = error.code, error.read().decode()
        assert status == request["status"], (file.name, status, text)
        for wanted in request["wanted"]:
            assert wanted in text, (file.name, wanted, text)


for part in [models, completions, conversation, responses, refusals, through_litellm, recorded]:
    part()
    print("fine:", part.__name__.replace("_", " "))
asyncio.run(asynchronous())
print("fine: asynchronous")
