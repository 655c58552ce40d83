"""What comes of a run, and what it asks on the way, as plain values."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias
from urllib.parse import unquote

from .models import OpenGate, Plan, RunResult

Status: TypeAlias = Literal["queued", "running", "waiting", "completed", "partial", "cancelled"]
Verdict: TypeAlias = Literal["quoted", "recomputed", "supported", "inferred", "unread", "unsupported", "verified"]

#: The verdicts of claims that hold.
HOLDS: frozenset[Verdict] = frozenset(("quoted", "recomputed", "supported", "inferred", "verified"))
ENDED: frozenset[Status] = frozenset(("completed", "partial", "cancelled"))


@dataclass(frozen=True)
class Citation:
    """A statement of a source that a claim rests on."""

    #: The number in the result, from 1; `None` for a citation that is not shown.
    number: int | None
    #: The mark in the report, such as `7a`; `None` for a citation that is not shown, and of servers of former versions.
    label: str | None
    #: Where the source is: `https://…`, `doc://…`, `survey://…`.
    url: str
    #: The source's own words.
    quote: str
    verdict: Verdict
    title: str
    section: str
    page: int | None
    #: The document in which the span counts, where the server keeps it.
    document_id: str | None
    #: UTF-8 bytes into the text of the document.
    start: int | None
    end: int | None
    #: SHA-256 of that text.
    source_sha256: str
    #: The address of the statements in the run, such as `3.4`.
    address: str | None
    #: The passage that it stands in, among `run.evidence()`.
    evidence_id: str

    @classmethod
    def of(cls, said: Mapping[str, Any], documents: Mapping[str, str | None], labels: Mapping[int, str | None]) -> Citation:
        """Reads a citation of a result; `documents` says in which document each passage stands, `labels` the mark of each number."""
        number = said.get("number")
        return cls(
            number=number,
            label=None if number is None else labels.get(number),
            url=said.get("source_uri", ""),
            quote=said.get("quote", ""),
            verdict=said.get("verdict", "unsupported"),
            title=said.get("title", ""),
            section=said.get("section", ""),
            page=said.get("page"),
            document_id=documents.get(said.get("evidence_id", "")),
            start=said.get("start"),
            end=said.get("end"),
            source_sha256=said.get("source_sha256", ""),
            address=said.get("address"),
            evidence_id=said.get("evidence_id", ""),
        )


@dataclass(frozen=True)
class Claim:
    """A sentence that was written, with what became of it."""

    text: str
    verdict: Verdict
    citations: tuple[Citation, ...]
    #: Why it does not hold: each with its `fault`; empty where it holds.
    faults: tuple[Mapping[str, Any], ...]
    #: The claims that a conclusion rests on, by their place in `Result.claims`, counted from 1.
    rests_on: tuple[int, ...]
    #: Its UTF-8 bytes in the answer, marks included; `None` where it does not stand there.
    shown: tuple[int, int] | None

    @property
    def holds(self) -> bool:
        """Whether it may be shown as one that holds."""
        return self.verdict in HOLDS

    @classmethod
    def of(cls, said: Mapping[str, Any], documents: Mapping[str, str | None], labels: Mapping[int, str | None]) -> Claim:
        """Reads a claim of a result; `documents` and `labels` are those of its citations."""
        shown = said.get("shown")
        return cls(
            text=said.get("text", ""),
            verdict=said.get("verdict", "unsupported"),
            citations=tuple(Citation.of(citation, documents, labels) for citation in said.get("citations", ())),
            faults=tuple(said.get("faults", ())),
            rests_on=tuple(said.get("rests_on", ())),
            shown=(shown["start"], shown["end"]) if shown else None,
        )


@dataclass(frozen=True)
class Usage:
    """What a run's calls to models used."""

    input_tokens: int
    cached_tokens: int
    output_tokens: int
    calls: int
    #: Calls that ended without a reply.
    lost_calls: int
    cost_usd: float

    @classmethod
    def of(cls, said: Mapping[str, Any], cost_usd: float) -> Usage:
        """Reads the usage of a result."""
        return cls(
            input_tokens=said.get("input_tokens", 0),
            cached_tokens=said.get("cached_tokens", 0),
            output_tokens=said.get("output_tokens", 0),
            calls=said.get("calls", 0),
            lost_calls=said.get("lost_calls", 0),
            cost_usd=cost_usd,
        )


@dataclass(frozen=True)
class Result:
    """What came of a run."""

    run_id: str
    method: str
    status: Status
    #: `model`, or `offline` where no model was asked.
    mode: str
    question: str
    #: The report as Markdown, with its marks and sources.
    markdown: str
    #: The answer alone, where the method gives one.
    answer: str | None
    #: Every sentence that was written as a fact, with its verdict.
    claims: tuple[Claim, ...]
    #: What the report cites, by number.
    citations: tuple[Citation, ...]
    #: The works that are cited, as `text` and bibliographic data.
    references: tuple[Mapping[str, Any], ...]
    #: How many claims have each verdict.
    grounding: Mapping[str, int]
    usage: Usage
    warnings: tuple[str, ...]
    #: Where and why it ended before its end: `stage`, `message`.
    error: Mapping[str, Any] | None
    #: What the method delivers, as `schemas/` and `/openapi.json` describe it.
    deliverable: Mapping[str, Any]
    #: All of it as the server has it.
    raw: RunResult = field(repr=False)

    @property
    def cost_usd(self) -> float:
        """What the run cost, in US dollars."""
        return self.usage.cost_usd

    def cited(self, mark: int | str) -> Citation:
        """Returns the citation behind a mark: a number of the answer, or what the report shows, such as `"7a"`.

        Raises:
            KeyError: The result has no such mark.
        """
        for citation in self.citations:
            if mark in (citation.number, citation.label):
                return citation
        raise KeyError(mark)

    def __str__(self) -> str:
        return self.markdown

    @classmethod
    def of(cls, raw: RunResult, markdown: str) -> Result:
        """Reads a result as `/api/runs/{run_id}/result` has it."""
        said: Mapping[str, Any] = raw
        deliverable: Mapping[str, Any] = said.get("deliverable") or {}
        cited = said.get("citations", ())
        documents = {citation.get("evidence_id", ""): citation.get("document_id") for citation in cited}
        labels = {citation["number"]: citation.get("label") for citation in cited if citation.get("number")}
        return cls(
            run_id=said["run_id"],
            method=said.get("method", ""),
            status=said["status"],
            mode=said.get("mode", ""),
            question=said.get("question", ""),
            markdown=markdown,
            answer=said.get("answer"),
            claims=tuple(Claim.of(claim, documents, labels) for claim in deliverable.get("claims", ())),
            citations=tuple(Citation.of(citation, documents, labels) for citation in cited),
            references=tuple(said.get("references", ())),
            grounding=said.get("grounding", {}),
            usage=Usage.of(said.get("usage", {}), said.get("cost_usd", 0.0)),
            warnings=tuple(said.get("warnings", ())),
            error=said.get("error"),
            deliverable=deliverable,
            raw=raw,
        )


@dataclass(frozen=True)
class Gate:
    """Where a run waits for a person: a question, or a plan to approve."""

    name: str
    question: str
    #: Why it is asked.
    context: str
    #: The plan that is proposed; `None` where a question is asked.
    plan: Plan | None
    #: The revision and hash of the plan, which an approval names.
    revision: int | None
    plan_hash: str | None

    @classmethod
    def of(cls, said: OpenGate) -> Gate:
        """Reads a gate of a run's state."""
        return cls(
            name=said["gate"],
            question=said["question"],
            context=said["context"],
            plan=said.get("plan"),
            revision=said.get("revision"),
            plan_hash=said.get("plan_hash"),
        )


def file_name(disposition: str) -> str:
    """Returns the name under which a file is to be saved, from its header `Content-Disposition`."""
    whole = re.search(r"filename\*=UTF-8''([^;]+)", disposition)
    if whole:
        return unquote(whole[1])
    plain = re.search(r'filename="([^"]*)"', disposition)
    return plain[1] if plain else ""


@dataclass(frozen=True)
class Export:
    """A file that was made of a run."""

    name: str
    media_type: str
    content: bytes

    @property
    def text(self) -> str:
        """The content as text; of a workbook there is none."""
        return self.content.decode("utf-8")
