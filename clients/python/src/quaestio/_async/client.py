"""The client: orders, runs, documents, surveys, startup contexts."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Mapping
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
from .connection import AsyncConnection, new_key
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
from .run import AsyncRun

#: The most seconds that the reading of an uploaded file may take.
_READING = 900.0


class AsyncClient:
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
        http: httpx.AsyncClient | None = None,
    ) -> None:
        self._connection = AsyncConnection(base_url, token, timeout, retries, http)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._connection.base_url!r})"

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Closes the connections. Runs go on at the server."""
        await self._connection.aclose()

    async def _get(self, *parts: str, **params: Any) -> Any:
        response = await self._connection.send("GET", path_of(*parts), params=without_none(**params))
        return response.json()

    async def _pages(self, path: tuple[str, ...], field: str, cursor: str, params: Mapping[str, Any]) -> AsyncIterator[Any]:
        """Yields the items of a list, page by page."""
        after: str | None = None
        while True:
            page = await self._get(*path, **params, **{cursor: after})
            for item in page[field]:
                yield item
            after = page.get("next")
            if after is None:
                return

    # Orders.

    async def start(self, method: str, question: str, **options: Unpack[StartOptions]) -> AsyncRun:
        """Orders a run and returns at once."""
        return await self._start(method, question, options)

    async def _start(self, method: str, question: str, options: Mapping[str, Any]) -> AsyncRun:
        body = read_order(method, question, options)
        response = await self._connection.send("POST", path_of("runs"), body=body, key=options.get("key") or new_key())
        return AsyncRun(self._connection, cast(RunState, response.json()))

    async def _hold(self, method: str, question: str, options: Mapping[str, Any]) -> Result:
        run = await self._start(method, question, options)
        return await run.wait(**read_waiting(options))

    async def ask(self, question: str, **options: Unpack[AskOptions]) -> Result:
        """Answers a question from documents, papers or the web, and waits for the answer."""
        return await self._hold("ask", question, options)

    async def deep(self, question: str = "", **options: Unpack[DeepOptions]) -> Result:
        """Plans first, then looks everything up and writes a report; `continue_` goes on from an earlier run."""
        return await self._hold("ask", question, {**options, "strategy": "deep"})

    async def hypothesize(self, question: str, **options: Unpack[HypothesizeOptions]) -> Result:
        """Proposes hypotheses, has them contested, and ranks them."""
        return await self._hold("hypothesize", question, options)

    async def market(self, question: str, **options: Unpack[MarketOptions]) -> Result:
        """Analyses a market. It asks first, and proposes a plan: `on_question` and `on_plan` answer."""
        return await self._hold("market", question, options)

    async def debate(self, question: str, **options: Unpack[DebateOptions]) -> Result:
        """Has two scientists argue until a proposal stands up."""
        return await self._hold("debate", question, options)

    async def brief(self, question: str, survey: str, **options: Unpack[BriefOptions]) -> Result:
        """Summarises the data of a survey that was uploaded."""
        return await self._hold("brief", question, {**options, "survey": survey})

    async def check(self, text: str, collection: str, **options: Unpack[CheckOptions]) -> Result:
        """Holds every sentence of a text against the documents of a collection."""
        others = {name: value for name, value in options.items() if name != "title"}
        return await self._hold("check", options.get("title", "Check"), {**others, "text": text, "collection": collection})

    async def estimate(self, method: str, question: str, **options: Unpack[StartOptions]) -> EstimateState:
        """Returns what an order may cost, without running it."""
        body = read_order(method, question, options)
        response = await self._connection.send("POST", path_of("estimates"), body=body, repeatable=True)
        return cast(EstimateState, response.json())

    # Runs.

    async def run(self, run_id: str) -> AsyncRun:
        """Returns a run by its id."""
        return AsyncRun(self._connection, cast(RunState, await self._get("runs", run_id)))

    def runs(self, *, status: Status | None = None, method: str | None = None, query: str | None = None) -> AsyncIterator[Summary]:
        """Yields your runs, newest first; `query` is a text that their question holds."""
        return self._pages(("runs",), "runs", "before", {"status": status, "method": method, "q": query, "limit": 100})

    async def prune_runs(self, older_than_days: int) -> Pruned:
        """Removes up to 1,000 runs that ended so long ago."""
        params = {"older_than_days": older_than_days}
        response = await self._connection.send("DELETE", path_of("runs"), params=params)
        return cast(Pruned, response.json())

    # Documents.

    def collections(self, *, all: bool | None = None) -> AsyncIterator[CollectionState]:
        """Yields your collections, by name; with `all` those that belong to a single run as well."""
        return self._pages(("collections",), "collections", "after", {"all": all})

    async def create_collection(self, name: str) -> CollectionState:
        """Makes an empty collection."""
        response = await self._connection.send("POST", path_of("collections"), body={"name": name})
        return cast(CollectionState, response.json())

    async def remove_collection(self, name: str) -> None:
        """Removes a collection with everything in it."""
        await self._connection.send("DELETE", path_of("collections", name))

    def documents(self, collection: str) -> AsyncIterator[DocumentState]:
        """Yields the documents of a collection, by path."""
        return self._pages(("collections", collection, "documents"), "documents", "after", {})

    async def upload(
        self, collection: str, file: str | os.PathLike[str] | bytes, *, name: str | None = None, key: str | None = None
    ) -> Uploaded:
        """Reads a file, by its path or as bytes, into a collection, which is made if it is not there; returns once it can be found."""
        uploaded = await self._upload(path_of("collections", collection, "documents"), file, name, key)
        return cast(Uploaded, uploaded)

    async def _upload(self, path: str, file: str | os.PathLike[str] | bytes, name: str | None, key: str | None) -> Any:
        content, called = read_file(file, name)
        params, key = {"name": called}, key or new_key()
        response = await self._connection.send("POST", path, params=params, content=content, key=key, timeout=_READING)
        return response.json()

    async def document(self, document_id: str) -> DocumentState:
        """Returns what is known of a document."""
        return cast(DocumentState, await self._get("documents", document_id))

    async def document_text(
        self, document_id: str, *, start: int | None = None, end: int | None = None, around: int | None = None
    ) -> Window:
        """Returns a span of a document's text, in UTF-8 bytes, with so many bytes around it; without a span the text from its beginning."""
        return cast(Window, await self._get("documents", document_id, "text", start=start, end=end, around=around))

    async def remove_document(self, document_id: str) -> None:
        """Removes a document. Reports that cite it keep their quotes."""
        await self._connection.send("DELETE", path_of("documents", document_id))

    # Surveys.

    async def surveys(self) -> list[Survey]:
        """Returns your surveys."""
        return cast("list[Survey]", (await self._get("surveys"))["surveys"])

    async def survey(self, name: str) -> SurveyState:
        """Returns a survey: its files, and the studies that they hold."""
        return cast(SurveyState, await self._get("surveys", name))

    async def upload_survey(
        self, survey: str, file: str | os.PathLike[str] | bytes, *, name: str | None = None, key: str | None = None
    ) -> SurveyState:
        """Brings a file of a survey, which begins with it if it is not there."""
        return cast(SurveyState, await self._upload(path_of("surveys", survey), file, name, key))

    async def remove_survey(self, name: str) -> None:
        """Forgets a survey. Runs that were started with it keep its files."""
        await self._connection.send("DELETE", path_of("surveys", name))

    # Startup contexts.

    async def contexts(self) -> list[ContextState]:
        """Returns your startup contexts, the last used first."""
        return cast("list[ContextState]", (await self._get("contexts"))["contexts"])

    async def context(self, context_id: str) -> ContextState:
        """Returns a startup context."""
        return cast(ContextState, await self._get("contexts", context_id))

    async def create_context(self, context: NewContext) -> ContextState:
        """Keeps a new startup context."""
        response = await self._connection.send("POST", path_of("contexts"), body=context)
        return cast(ContextState, response.json())

    async def replace_context(self, context_id: str, context: ContextBody) -> ContextState:
        """Replaces what a startup context says."""
        response = await self._connection.send("PUT", path_of("contexts", context_id), body=context)
        return cast(ContextState, response.json())

    async def remove_context(self, context_id: str) -> None:
        """Removes a startup context. Runs that began with it keep what they know."""
        await self._connection.send("DELETE", path_of("contexts", context_id))

    async def undo_learned(self, context_id: str) -> ContextState:
        """Takes back what the last analysis taught a startup context."""
        response = await self._connection.send("DELETE", path_of("contexts", context_id, "learned"))
        return cast(ContextState, response.json())

    # The server.

    async def settings(self) -> Choices:
        """Returns what there is to choose from: methods, models, sources, formats, limits."""
        return cast(Choices, await self._get("settings"))

    async def session(self) -> Session:
        """Returns who you are to the server."""
        return cast(Session, await self._get("session"))
