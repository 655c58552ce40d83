"""The client: orders, runs, documents, surveys, startup contexts."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any, cast

import httpx
from typing_extensions import Self, Unpack

from .._orders import path_of, read_file, read_order, read_waiting, without_none
from .._retries import Retries
from ..models import (
    Choices,
    CollectionState,
    ContextBody,
    ContextState,
    DocumentState,
    EstimateState,
    NewContext,
    Pruned,
    RunState,
    Session,
    Summary,
    Survey,
    SurveyState,
    Uploaded,
    Window,
)
from ..results import Result, Status
from .connection import Connection, new_key
from .options import (
    AskOptions,
    BriefOptions,
    CheckOptions,
    DebateOptions,
    DeepOptions,
    HypothesizeOptions,
    MarketOptions,
    StartOptions,
)
from .run import Run

#: The most seconds that the reading of an uploaded file may take.
_READING = 900.0


class Client:
    """A client of one server, as one user.

    Args:
        base_url: Where `quaestio serve` listens.
        token: The user's token, where the server asks for one.
        timeout: Seconds that a request may take; runs are waited for as long as they take.
        retries: When requests are sent again.
        http: The HTTP client to use, for example one that trusts a certificate of yours; it is not closed.
    """

    def __init__(
        self,
        base_url: str = "http://127.0.0.1:8400",
        *,
        token: str | None = None,
        timeout: float = 30.0,
        retries: Retries = Retries(),
        http: httpx.Client | None = None,
    ) -> None:
        self._connection = Connection(base_url, token, timeout, retries, http)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._connection.base_url!r})"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connections. Runs go on at the server."""
        self._connection.close()

    def _get(self, *parts: str, **params: Any) -> Any:
        response = self._connection.send("GET", path_of(*parts), params=without_none(**params))
        return response.json()

    def _pages(self, path: tuple[str, ...], field: str, cursor: str, params: Mapping[str, Any]) -> Iterator[Any]:
        """Yields the items of a list, page by page."""
        after: str | None = None
        while True:
            page = self._get(*path, **params, **{cursor: after})
            for item in page[field]:
                yield item
            after = page.get("next")
            if after is None:
                return

    # Orders.

    def start(self, method: str, question: str, **options: Unpack[StartOptions]) -> Run:
        """Orders a run and returns at once."""
        return self._start(method, question, options)

    def _start(self, method: str, question: str, options: Mapping[str, Any]) -> Run:
        body = read_order(method, question, options)
        response = self._connection.send("POST", path_of("runs"), body=body, key=options.get("key") or new_key())
        return Run(self._connection, cast(RunState, response.json()))

    def _hold(self, method: str, question: str, options: Mapping[str, Any]) -> Result:
        run = self._start(method, question, options)
        return run.wait(**read_waiting(options))

    def ask(self, question: str, **options: Unpack[AskOptions]) -> Result:
        """Answers a question from documents, papers or the web, and waits for the answer."""
        return self._hold("ask", question, options)

    def deep(self, question: str = "", **options: Unpack[DeepOptions]) -> Result:
        """Plans first, then looks everything up and writes a report; `continue_` goes on from an earlier run."""
        return self._hold("ask", question, {**options, "strategy": "deep"})

    def hypothesize(self, question: str, **options: Unpack[HypothesizeOptions]) -> Result:
        """Proposes hypotheses, has them contested, and ranks them."""
        return self._hold("hypothesize", question, options)

    def market(self, question: str, **options: Unpack[MarketOptions]) -> Result:
        """Analyses a market. It asks first, and proposes a plan: `on_question` and `on_plan` answer."""
        return self._hold("market", question, options)

    def debate(self, question: str, **options: Unpack[DebateOptions]) -> Result:
        """Has two scientists argue until a proposal stands up."""
        return self._hold("debate", question, options)

    def brief(self, question: str, survey: str, **options: Unpack[BriefOptions]) -> Result:
        """Summarises the data of a survey that was uploaded."""
        return self._hold("brief", question, {**options, "survey": survey})

    def check(self, text: str, collection: str, **options: Unpack[CheckOptions]) -> Result:
        """Holds every sentence of a text against the documents of a collection."""
        others = {name: value for name, value in options.items() if name != "title"}
        return self._hold("check", options.get("title", "Check"), {**others, "text": text, "collection": collection})

    def estimate(self, method: str, question: str, **options: Unpack[StartOptions]) -> EstimateState:
        """Returns what an order may cost, without running it."""
        body = read_order(method, question, options)
        response = self._connection.send("POST", path_of("estimates"), body=body, repeatable=True)
        return cast(EstimateState, response.json())

    # Runs.

    def run(self, run_id: str) -> Run:
        """Returns a run by its id."""
        return Run(self._connection, cast(RunState, self._get("runs", run_id)))

    def runs(self, *, status: Status | None = None, method: str | None = None, query: str | None = None) -> Iterator[Summary]:
        """Yields your runs, newest first; `query` is a text that their question holds."""
        return self._pages(("runs",), "runs", "before", {"status": status, "method": method, "q": query, "limit": 100})

    def prune_runs(self, older_than_days: int) -> Pruned:
        """Removes up to 1,000 runs that ended so long ago."""
        params = {"older_than_days": older_than_days}
        response = self._connection.send("DELETE", path_of("runs"), params=params)
        return cast(Pruned, response.json())

    # Documents.

    def collections(self, *, all: bool | None = None) -> Iterator[CollectionState]:
        """Yields your collections, by name; with `all` those that belong to a single run as well."""
        return self._pages(("collections",), "collections", "after", {"all": all})

    def create_collection(self, name: str) -> CollectionState:
        """Makes an empty collection."""
        response = self._connection.send("POST", path_of("collections"), body={"name": name})
        return cast(CollectionState, response.json())

    def remove_collection(self, name: str) -> None:
        """Removes a collection with everything in it."""
        self._connection.send("DELETE", path_of("collections", name))

    def documents(self, collection: str) -> Iterator[DocumentState]:
        """Yields the documents of a collection, by path."""
        return self._pages(("collections", collection, "documents"), "documents", "after", {})

    def upload(
        self, collection: str, file: str | os.PathLike[str] | bytes, *, name: str | None = None, key: str | None = None
    ) -> Uploaded:
        """Reads a file, by its path or as bytes, into a collection, which is made if it is not there; returns once it can be found."""
        uploaded = self._upload(path_of("collections", collection, "documents"), file, name, key)
        return cast(Uploaded, uploaded)

    def _upload(self, path: str, file: str | os.PathLike[str] | bytes, name: str | None, key: str | None) -> Any:
        content, called = read_file(file, name)
        params, key = {"name": called}, key or new_key()
        response = self._connection.send("POST", path, params=params, content=content, key=key, timeout=_READING)
        return response.json()

    def document(self, document_id: str) -> DocumentState:
        """Returns what is known of a document."""
        return cast(DocumentState, self._get("documents", document_id))

    def document_text(
        self, document_id: str, *, start: int | None = None, end: int | None = None, around: int | None = None
    ) -> Window:
        """Returns a span of a document's text, in UTF-8 bytes, with so many bytes around it; without a span the text from its beginning."""
        return cast(Window, self._get("documents", document_id, "text", start=start, end=end, around=around))

    def remove_document(self, document_id: str) -> None:
        """Removes a document. Reports that cite it keep their quotes."""
        self._connection.send("DELETE", path_of("documents", document_id))

    # Surveys.

    def surveys(self) -> list[Survey]:
        """Returns your surveys."""
        return cast("list[Survey]", (self._get("surveys"))["surveys"])

    def survey(self, name: str) -> SurveyState:
        """Returns a survey: its files, and the studies that they hold."""
        return cast(SurveyState, self._get("surveys", name))

    def upload_survey(
        self, survey: str, file: str | os.PathLike[str] | bytes, *, name: str | None = None, key: str | None = None
    ) -> SurveyState:
        """Brings a file of a survey, which begins with it if it is not there."""
        return cast(SurveyState, self._upload(path_of("surveys", survey), file, name, key))

    def remove_survey(self, name: str) -> None:
        """Forgets a survey. Runs that were started with it keep its files."""
        self._connection.send("DELETE", path_of("surveys", name))

    # Startup contexts.

    def contexts(self) -> list[ContextState]:
        """Returns your startup contexts, the last used first."""
        return cast("list[ContextState]", (self._get("contexts"))["contexts"])

    def context(self, context_id: str) -> ContextState:
        """Returns a startup context."""
        return cast(ContextState, self._get("contexts", context_id))

    def create_context(self, context: NewContext) -> ContextState:
        """Keeps a new startup context."""
        response = self._connection.send("POST", path_of("contexts"), body=context)
        return cast(ContextState, response.json())

    def replace_context(self, context_id: str, context: ContextBody) -> ContextState:
        """Replaces what a startup context says."""
        response = self._connection.send("PUT", path_of("contexts", context_id), body=context)
        return cast(ContextState, response.json())

    def remove_context(self, context_id: str) -> None:
        """Removes a startup context. Runs that began with it keep what they know."""
        self._connection.send("DELETE", path_of("contexts", context_id))

    def undo_learned(self, context_id: str) -> ContextState:
        """Takes back what the last analysis taught a startup context."""
        response = self._connection.send("DELETE", path_of("contexts", context_id, "learned"))
        return cast(ContextState, response.json())

    # The server.

    def settings(self) -> Choices:
        """Returns what there is to choose from: methods, models, sources, formats, limits."""
        return cast(Choices, self._get("settings"))

    def session(self) -> Session:
        """Returns who you are to the server."""
        return cast(Session, self._get("session"))
