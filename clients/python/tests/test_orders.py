"""Every method, offline, by both clients."""

from __future__ import annotations

import json
import typing

from conftest import CHOLERA, QUESTION, ROOT

from quaestio import Client, models
from quaestio._async import options
from quaestio._orders import read_order


# proves: F9
def test_a_question_gets_a_typed_answer(client: Client, cholera: str) -> None:
    result = client.ask(QUESTION, collection=cholera)
    assert (result.status, result.method, result.mode) == ("completed", "ask", "offline")
    assert result.answer is not None and "8 September 1854" in result.answer
    assert "## Sources" in result.markdown and str(result) == result.markdown
    first = result.claims[0]
    assert first.verdict == "quoted" and first.holds
    citation = result.cited(1)
    assert citation == result.citations[0] and citation in first.citations
    assert citation.label and result.cited(citation.label) == citation and f"[{citation.label}]" in result.markdown
    assert citation.url == f"doc://{cholera}/{CHOLERA.name}"
    assert citation.quote in CHOLERA.read_text()
    assert citation.start is not None and citation.end is not None and citation.document_id is not None
    window = client.document_text(citation.document_id, start=citation.start, end=citation.end)
    assert window["quote"] == citation.quote
    assert result.grounding["quoted"] == len(result.claims)
    assert (result.usage.calls, result.cost_usd) == (0, 0.0)
    assert result.raw["run_id"] == result.run_id


# proves: F9
def test_the_other_methods_are_ordered_and_waited_for(client: Client, cholera: str) -> None:
    deep = client.deep(QUESTION + " How many died?", collection=cholera, sources=[], depth="quick", words=500)
    assert deep.status == "completed" and deep.raw.get("strategy") == "deep"
    again = client.deep(collection=cholera, sources=[], continue_=deep.run_id)
    assert again.status == "completed"
    hypotheses = client.hypothesize("Why did cholera spread?", collection=cholera, sources=[], domain="medicine", top=1)
    assert hypotheses.status == "completed" and hypotheses.deliverable["hypotheses"]
    debate = client.debate(QUESTION, collection=cholera, sources=[], max_turns=1)
    assert debate.status == "completed" and debate.deliverable["turns"]
    market = client.market("The market for pumps", collection=cholera, sources=[], clarify=False, on_plan=lambda gate: True)
    assert market.status == "completed" and "sizing" in market.deliverable
    checked = client.check(CHOLERA.read_text(), cholera, title="The outbreak")
    assert checked.question == "The outbreak" and checked.grounding["quoted"] > 10


# proves: F9
def test_a_survey_is_uploaded_and_summarised(client: Client) -> None:
    folder = ROOT / "examples" / "survey"
    for file in sorted(file for file in folder.iterdir() if file.suffix not in (".md", ".py")):
        client.upload_survey("buses", file)
    assert client.survey("buses")["studies"]
    assert "buses" in [survey["name"] for survey in client.surveys()]
    brief = client.brief("How satisfied are passengers, and who is not?", "buses")
    assert brief.status == "completed" and {claim.verdict for claim in brief.claims} == {"recomputed"}
    workbook = client.run(brief.run_id).export("xlsx")
    assert workbook.content.startswith(b"PK") and workbook.name.endswith(".xlsx")
    client.remove_survey("buses")
    assert "buses" not in [survey["name"] for survey in client.surveys()]


# proves: F9
def test_an_estimate_costs_nothing_offline(client: Client, cholera: str) -> None:
    estimate = client.estimate("ask", QUESTION, collection=cholera)
    assert estimate["mode"] == "offline" and estimate["expected"]["tokens"] == 0


# proves: F9
def test_a_run_is_exported_forked_listed_and_removed(client: Client, cholera: str) -> None:
    run = client.start("ask", QUESTION, collection=cholera)
    result = run.wait()
    assert run.has_ended and run.state["log"]["intact"]
    assert json.loads(run.export("json").content)["run_id"] == run.id
    assert "<html" in run.export("html").text
    assert run.export("md").name.endswith(f"-{run.id[-8:]}.md")
    assert run.export("csl-json").media_type.startswith("application/vnd.citationstyles.csl+json")
    assert any(passage["cited"] for passage in run.evidence())
    assert "data-" in run.report()["html"] or "<p" in run.report()["html"]
    forked = run.fork("writer", offline=True, settings={"ask.top_k": 3})
    assert forked.wait().answer and forked.state.get("forked_from") == run.id
    ids = [summary["run_id"] for summary in client.runs(status="completed", method="ask", query="broad street")]
    assert ids.index(forked.id) < ids.index(run.id)
    difference = run.diff(forked)
    assert difference["from"]["run_id"] == run.id and difference["to"]["run_id"] == forked.id
    assert any(change["what"].endswith("top_k") for change in difference["started"])
    assert run.diff(run.id)["claims"]["changed"] == []
    forked.remove()
    assert forked.id not in [summary["run_id"] for summary in client.runs()]
    assert client.run(run.id).result().answer == result.answer


# proves: F9
def test_lists_are_told_page_by_page(client: Client, cholera: str) -> None:
    for number in range(3):
        client.start("ask", f"page {number}", collection=cholera)
    client.start("ask", "last", collection=cholera).wait()
    seen = [summary["run_id"] for summary in client.runs()]
    assert len(seen) == len(set(seen)) >= 4


# proves: F9
def test_documents_are_uploaded_listed_and_removed(client: Client) -> None:
    made = client.create_collection("shelf")
    assert made["documents"] == 0
    added = client.upload("shelf", b"# Pumps\n\nThe pump has a handle.\n", name="pumps.md")
    assert added["put"] == "added"
    again = client.upload("shelf", b"# Pumps\n\nThe pump has a handle.\n", name="pumps.md")
    assert again["put"] == "unchanged"
    [document] = client.documents("shelf")
    assert client.document(document["document_id"])["title"] == "Pumps"
    assert "shelf" in [collection["name"] for collection in client.collections()]
    client.remove_document(document["document_id"])
    assert list(client.documents("shelf")) == []
    client.remove_collection("shelf")
    assert "shelf" not in [collection["name"] for collection in client.collections()]


# proves: F9
def test_startup_contexts_are_kept(client: Client) -> None:
    context = client.create_context({"name": "Pumps", "search_terms": ["pump"]})
    assert context in client.contexts() and client.context(context["id"])["search_terms"] == ["pump"]
    replaced = client.replace_context(context["id"], {"name": "Handles"})
    assert (replaced["name"], replaced["search_terms"]) == ("Handles", [])
    client.remove_context(context["id"])
    assert context["id"] not in [kept["id"] for kept in client.contexts()]


# proves: F9
def test_options_are_the_fields_that_the_server_reads(client: Client) -> None:
    common = set(options.OrderOptions.__annotations__) | set(options.Waiting.__annotations__)
    given = {"deep": {"strategy"}, "brief": {"survey"}, "check": {"collection", "text"}}
    kinds = {
        "ask": options.AskOptions, "deep": options.DeepOptions, "hypothesize": options.HypothesizeOptions,
        "market": options.MarketOptions, "debate": options.DebateOptions, "brief": options.BriefOptions, "check": options.CheckOptions,
    }  # fmt: skip
    choices = client.settings()
    read = {method["name"]: set(method["fields"]) for method in choices["methods"]}
    read["deep"] = read["ask"]
    for method, kind in kinds.items():
        offered = {name.removesuffix("_") for name in typing.get_type_hints(kind)} - common - {"title"}
        assert offered | given.get(method, set()) == read[method], method
    order = set(typing.get_type_hints(models.Order))
    everything = dict.fromkeys(typing.get_type_hints(options.StartOptions), "x")
    assert set(read_order("ask", "?", everything)) | {"budget"} == order
    assert client.session()["authentication"] == "none"
