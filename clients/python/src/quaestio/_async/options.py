"""What an order may say, by method, and how a run is waited for."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Literal, TypeAlias

from typing_extensions import TypedDict

from ..events import Event
from ..models import Budget, HistoryItem, Plan
from ..results import Gate

#: A source by its name; an MCP server of the configuration is `mcp:NAME`.
Source: TypeAlias = Literal["arxiv", "crossref", "semantic-scholar", "openalex", "web"] | str
Strategy: TypeAlias = Literal["rag", "search", "deep", "direct"]
Depth: TypeAlias = Literal["quick", "standard", "exhaustive"]

#: Returns the answer to a question, or `None` to leave it open.
AsyncOnQuestion: TypeAlias = Callable[[Gate], "str | None | Awaitable[str | None]"]
#: Returns `True` to approve a plan, an edited plan to approve that, `False` to reject it, or `None` to leave it open.
AsyncOnPlan: TypeAlias = Callable[[Gate], "bool | Plan | None | Awaitable[bool | Plan | None]"]
#: Hears everything that the run tells.
AsyncOnEvent: TypeAlias = Callable[[Event], "None | Awaitable[None]"]


class Waiting(TypedDict, total=False):
    """How a run is waited for."""

    on_question: AsyncOnQuestion | None
    on_plan: AsyncOnPlan | None
    on_event: AsyncOnEvent | None
    #: Seconds until `TimedOut` is raised; the run goes on at the server.
    timeout: float | None


class OrderOptions(TypedDict, total=False):
    """What an order of every method may say."""

    #: `provider/name`.
    model: str | None
    #: No model is asked, whatever is configured.
    offline: bool
    budget: Budget
    #: Whether a person is asked what the question leaves open.
    clarify: bool | None
    #: Whether a plan is proposed, and nothing researched before somebody approves it.
    plan: bool | None
    #: The idempotency key; a new one for each order where it is not given. The same order with the same key is one run.
    key: str


class SourceOptions(OrderOptions, total=False):
    """What an order may say of sources."""

    #: The documents to answer from, or to search beside the sources.
    collection: str | None
    #: Whom to ask for papers and pages; `[]` asks nobody outside.
    sources: Sequence[Source] | None
    #: What was said before, oldest first: a question that follows up on it is understood from it, where there is a model.
    history: Sequence[HistoryItem]


class WriteOptions(SourceOptions, total=False):
    """What an order of `ask` and `deep` may say."""

    #: Only documents whose metadata has each of these values.
    where: Mapping[str, str]
    company: str | None
    max_questions: int | None
    depth: Depth | None
    #: Words of a report, at most.
    words: int | None
    #: Whom it is for.
    audience: str | None
    #: What it is to be: "a two-page memo".
    as_: str | None
    language: str | None
    #: The run that a report goes on from.
    continue_: str | None


class AskOptions(WriteOptions, Waiting, total=False):
    """What `ask` takes beside the question."""

    strategy: Strategy | None


class DeepOptions(WriteOptions, Waiting, total=False):
    """What `deep` takes beside the question."""


class HypothesizeOptions(SourceOptions, Waiting, total=False):
    """What `hypothesize` takes beside the question."""

    domain: str | None
    objective: str | None
    #: How many of the best hypotheses are written up.
    top: int | None


class MarketOptions(SourceOptions, Waiting, total=False):
    """What `market` takes beside the question."""

    #: The id of the startup context to begin with; empty for none.
    startup: str | None


class DebateOptions(SourceOptions, Waiting, total=False):
    """What `debate` takes beside the question."""

    max_turns: int | None
    #: A page that is read before the first turn.
    url: str | None


class BriefOptions(OrderOptions, Waiting, total=False):
    """What `brief` takes beside the question."""

    #: What was said before, oldest first: a question that follows up on it is understood from it, where there is a model.
    history: Sequence[HistoryItem]
    loop: Literal["pipeline", "simple"] | None


class CheckOptions(OrderOptions, Waiting, total=False):
    """What `check` takes beside the text."""

    #: What the text is called in the list of runs.
    title: str


class StartOptions(WriteOptions, total=False):
    """What `start` and `estimate` take: everything that any method reads."""

    strategy: Strategy | None
    domain: str | None
    objective: str | None
    top: int | None
    startup: str | None
    max_turns: int | None
    url: str | None
    survey: str | None
    loop: Literal["pipeline", "simple"] | None
    text: str | None
