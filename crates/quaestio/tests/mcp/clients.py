"""The official Python client drives the program over stdio and over HTTP, with sessions and without.

usage: clients.py PROGRAM    (proves: F4)
"""

import asyncio
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
from contextlib import asynccontextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import anyio
import httpx2
import mcp_types as types
from mcp import Client, MCPError
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

PROGRAM = os.path.abspath(sys.argv[1])
EXAMPLES = Path(__file__).resolve().parents[4] / "examples"
QUESTION = "When was the handle of the Broad Street pump removed?"
ALICE, BOB = "alice-s-token-0123456789", "bob-s-token-0123456789ab"
PATIENCE = 60


class Silent(BaseHTTPRequestHandler):
    """A model that never answers."""

    called = threading.Event()

    def do_POST(self):
        Silent.called.set()
        threading.Event().wait(PATIENCE)

    def log_message(self, *_):
        pass


def environment(folder, **more):
    known = {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH") if name in os.environ}
    return {**known, "HOME": str(folder), "QUAESTIO_DATA_DIR": str(folder), **more}


def ingest(folder, user, *names):
    for name in names:
        command = [PROGRAM, "ingest", str(EXAMPLES / name), "--collection", name, "--quiet"]
        own = environment(folder, QUAESTIO_USER=user)
        subprocess.run(command, env=own, check=True, capture_output=True, timeout=PATIENCE)


@asynccontextmanager
async def over_stdio(folder, env, **wanted):
    server = StdioServerParameters(command=PROGRAM, args=["mcp"], env=env)
    async with Client(stdio_client(server), **wanted) as client:
        yield client


@asynccontextmanager
async def serving(env):
    server = subprocess.Popen(
        [PROGRAM, "serve", "--listen", "127.0.0.1:0"], env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    try:
        yield re.search(r"http://\S+", server.stdout.readline()).group()
    finally:
        server.terminate()
        server.wait(PATIENCE)


@asynccontextmanager
async def over_http(address, token, **wanted):
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    async with httpx2.AsyncClient(headers=headers, timeout=PATIENCE, trust_env=False) as http:
        async with Client(streamable_http_client(f"{address}/mcp", http_client=http), **wanted) as client:
            yield client


def refusing(expected):
    """Returns whoever is asked something and is not to be."""

    async def elicit(_, params):
        raise AssertionError(f"{expected}: {params.message}")

    return elicit


async def research(client):
    tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    wanted = {"ask", "deep", "market", "hypothesize", "debate", "brief", "check"}
    wanted |= {"search", "passage", "run_status", "answer", "approve", "cancel"}
    assert wanted <= set(tools), set(tools)
    assert all(tool.output_schema and tool.description for tool in tools.values())

    progress = []

    async def hear(value, total, message):
        progress.append((value, message))

    arguments = {"question": QUESTION, "collection": "cholera", "offline": True}
    result = await client.call_tool("ask", arguments, progress_callback=hear)
    told = result.structured_content
    assert told["status"] == "completed" and "8 September 1854" in told["report"], told
    assert progress == sorted(progress, key=lambda one: one[0]) and all(message for _, message in progress) and progress, progress
    first = told["citations"][0]
    links = [block.uri for block in result.content if block.type == "resource_link"]
    assert str(links[0]) == f"run://{told['run_id']}" and first["source_uri"] in map(str, links), links

    report = await client.read_resource(f"run://{told['run_id']}")
    assert report.contents[0].text == told["report"]
    document = await client.read_resource(first["source_uri"])
    assert first["quote"] in document.contents[0].text
    opened = await client.call_tool("passage", {"run_id": told["run_id"], "mark": first["label"]})
    assert opened.structured_content["quote"] in document.contents[0].text, opened
    assert opened.structured_content["is_kept"]
    found = await client.call_tool("search", {"query": "pump handle", "collection": "cholera"})
    passage = found.structured_content["passages"][0]
    again = await client.call_tool("passage", {"passage_id": passage["passage_id"]})
    assert again.structured_content["quote"] == passage["text"]

    listed, cursor = [], None
    while True:
        page = await client.list_resources(cursor=cursor)
        listed += [str(resource.uri) for resource in page.resources]
        cursor = page.next_cursor
        if cursor is None:
            break
    assert f"run://{told['run_id']}" in listed and first["source_uri"] in listed, listed
    for template in (await client.list_resource_templates()).resource_templates:
        assert "://" in template.uri_template
    prompts = [prompt.name for prompt in (await client.list_prompts()).prompts]
    assert "market" in prompts
    prompt = await client.get_prompt("ask", {"question": QUESTION, "collection": "cholera"})
    assert QUESTION in prompt.messages[0].content.text

    refused = await client.call_tool("ask", {"question": QUESTION, "survey": "bus"})
    assert refused.is_error and "survey" in refused.content[0].text, refused
    for wrong in (
        lambda: client.call_tool("no such tool", {}),
        lambda: client.read_resource("run://no-such-run"),
        lambda: client.get_prompt("no such prompt", {}),
        lambda: client.list_resources(cursor="nonsense"),
    ):
        try:
            await wrong()
        except MCPError as error:
            assert error.code in (-32602, -32002), error
        else:
            raise AssertionError("it was not refused")
    return told["run_id"]


async def without_forms(client):
    """A client that cannot ask its user gets what is asked as the result of the tool."""
    order = {"question": "I want to explore the market for contract review software", "collection": "market"}
    result = await client.call_tool("market", {**order, "sources": [], "offline": True})
    told = result.structured_content
    for _ in range(20):
        assert told["status"] == "waiting", told
        gate = told["gates"][0]
        if gate["plan"]:
            break
        said = {"run_id": told["run_id"], "gate": gate["gate"], "answer": "small law firms in the US"}
        told = (await client.call_tool("answer", said)).structured_content
    seen = {key: gate[key] for key in ("gate", "revision", "plan_hash")}
    done = (await client.call_tool("approve", {"run_id": told["run_id"], **seen})).structured_content
    assert done["status"] == "completed" and done["citations"], done


async def with_forms(connect):
    """A client that can ask its user does so, and the run goes on with what they say."""
    asked = []

    async def elicit(_, params):
        asked.append(params.message)
        field = next(iter(params.requested_schema["properties"]))
        said = {"answer": "small law firms in the US", "decision": "approve"}[field]
        return types.ElicitResult(action="accept", content={field: said})

    async with connect(elicitation_callback=elicit) as client:
        order = {"question": "I want to explore the market for contract review software", "collection": "market"}
        result = await client.call_tool("market", {**order, "sources": [], "offline": True})
        assert result.structured_content["status"] == "completed", result
        assert len(asked) > 1 and "1." in asked[-1], asked


async def cancelled(connect):
    """A call that is given up takes its run with it."""
    Silent.called.clear()
    async with connect() as client:
        with anyio.move_on_after(PATIENCE):
            async with anyio.create_task_group() as group:
                async def call():
                    await client.call_tool("ask", {"question": "What?", "strategy": "direct", "wait_seconds": 600})

                group.start_soon(call)
                await anyio.to_thread.run_sync(Silent.called.wait, PATIENCE)
                group.cancel_scope.cancel()
        for _ in range(PATIENCE * 10):
            runs = [uri for uri in map(str, [r.uri for r in (await client.list_resources()).resources])]
            states = [await client.call_tool("run_status", {"run_id": uri.removeprefix("run://")}) for uri in runs if uri.startswith("run://")]
            if any(state.structured_content["status"] == "cancelled" for state in states):
                return
            await anyio.sleep(0.1)
    raise AssertionError("the run was not cancelled")


async def check(name, connect, modes=("legacy", "auto")):
    for mode in modes:
        async with connect(mode=mode) as client:
            await research(client)
            await without_forms(client)
        await with_forms(lambda **wanted: connect(mode=mode, **wanted))
        print(f"{name}, {mode}: holds", flush=True)


async def main():
    silent = ThreadingHTTPServer(("127.0.0.1", 0), Silent)
    threading.Thread(target=silent.serve_forever, daemon=True).start()
    model = {
        "QUAESTIO_MODEL": "fake/model",
        "QUAESTIO_BASE_URL": f"http://127.0.0.1:{silent.server_port}/v1",
        "QUAESTIO_API_KEY": "none",
        "QUAESTIO_BUDGET__MAX_COST_USD": "0",
    }
    with tempfile.TemporaryDirectory() as folder:
        ingest(folder, "local", "cholera", "market")
        env = environment(folder)
        await check("stdio", lambda **wanted: over_stdio(folder, env, **wanted))
        for mode in ("legacy", "auto"):
            own = environment(folder, **model)
            await cancelled(lambda **wanted: over_stdio(folder, own, mode=mode, **wanted))
            print(f"stdio, {mode}: cancels", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        ingest(folder, "alice", "cholera", "market")
        tokens = {"QUAESTIO_TOKENS": f"alice {ALICE}\nbob {BOB}\n"}
        async with serving(environment(folder, **tokens)) as address:
            await check("HTTP", lambda **wanted: over_http(address, ALICE, **wanted))
            async with over_http(address, ALICE) as client:
                run = await research(client)
            async with over_http(address, BOB) as client:
                other = await client.call_tool("run_status", {"run_id": run})
                assert other.is_error, other
        async with serving(environment(folder, **tokens, **model)) as address:
            for mode in ("legacy", "auto"):
                await cancelled(lambda **wanted: over_http(address, ALICE, mode=mode, **wanted))
                print(f"HTTP, {mode}: cancels", flush=True)


asyncio.run(main())
