"""What the server sends and takes. Made by tools/generate.py from the server's description; not to be edited."""

from __future__ import annotations

from typing_extensions import NotRequired
from typing import Any, Literal, TypeAlias, TypedDict


class AnswerBody(TypedDict):
    answer: str
    gate: NotRequired[str | None]


class Answered(TypedDict):
    answer: NotRequired[str | None]
    question: str


class ApprovalBody(TypedDict):
    gate: NotRequired[str | None]
    plan_hash: NotRequired[str | None]
    revision: NotRequired[int | None]
    user_id: NotRequired[str | None]


class ApproveBody(TypedDict):
    gate: NotRequired[str | None]
    plan_hash: NotRequired[str | None]
    revision: NotRequired[int | None]


class BriefResultBar(TypedDict):
    base: int
    expression: str
    interval: NotRequired[tuple[float, float] | None]
    label: str
    low_base: bool
    value: float


class BriefResultCalibration(TypedDict):
    """
    How well a model reads claims against their sources, as it was measured over labelled claims.
    """

    false_claims: int
    false_passes: int
    false_refusals: int
    set: str
    true_claims: int


BriefResultConfidence: TypeAlias = Literal['high', 'medium', 'low']


BriefResultExploreEnd: TypeAlias = (
    Literal['no_new_angle', 'max_explore_iters', 'max_iterations']
    | Literal['no_feedback']
    | Literal['broken_off']
)


BriefResultExploreStage: TypeAlias = Literal['what', 'why', 'how']


class BriefResultFigureTold(TypedDict):
    """
    A figure that was evaluated from the data.
    """

    bases: list[int]
    expression: str
    interval: NotRequired[tuple[float, float] | None]
    low_base: bool
    shown: str
    significant: NotRequired[bool | None]
    studies: NotRequired[list[str]]
    value: float


class BriefResultGap(TypedDict):
    """
    Something that the data cannot say.
    """

    id: str
    text: str


BriefResultPart: TypeAlias = Literal[
    'overview',
    'key_findings',
    'strategic_implications',
    'risks_and_caveats',
    'recommended_actions',
]


class BriefResultRecord(TypedDict):
    """
    A line of the audit trail.
    """

    details: Any
    round: int
    stage: NotRequired[BriefResultExploreStage | None]
    step: str
    told: str


BriefResultRefineEnd: TypeAlias = (
    Literal['approved', 'max_refine_iters']
    | Literal['not_judged']
    | Literal['no_model']
    | Literal['broken_off']
)


class BriefResultRefineVerdict(TypedDict):
    """
    The judgement of a draft.
    """

    approved: bool
    clarity: int
    completeness: int
    factual_grounding: int
    overruled: NotRequired[str]
    revision_notes: list[str]
    score: int
    tone: int


class BriefResultSecondReader(TypedDict):
    """
    Who read, and how well they read as far as somebody measured it.
    """

    calibration: str
    figures: NotRequired[dict[str, BriefResultCalibration]]
    model: str


class BriefResultStudyTold(TypedDict):
    """
    A study as the deliverable names it.
    """

    file: str
    id: str
    notes: list[str]
    respondents: int
    sha256: str
    title: str
    weight: NotRequired[str | None]


BriefResultUnit: TypeAlias = Literal[
    'share', 'points', 'mean', 'difference', 'nps', 'count', 'ratio', 'growth'
]


BriefResultVerdict: TypeAlias = (
    Literal['unsupported']
    | Literal['quoted']
    | Literal['recomputed']
    | Literal['supported']
    | Literal['inferred']
    | Literal['verified']
    | Literal['unread']
)


BriefResultWay: TypeAlias = Literal['pipeline', 'simple']


class BriefResultWorded(TypedDict):
    """
    A statement that the program worded, with the figures that it tells.
    """

    address: str
    figures: list[BriefResultFigureTold]
    number: int
    question: str
    text: str


class BudgetChoice(TypedDict):
    """
    The default limits of a run. Null means no limit.
    """

    max_cost_usd: NotRequired[float | None]
    max_steps: NotRequired[int | None]
    max_tokens: NotRequired[int | None]
    max_wall_seconds: NotRequired[int | None]


CheckState: TypeAlias = Literal['ok', 'warn', 'fail']


class CheckupOrder(TypedDict):
    """
    What to check besides this machine.
    """

    network: bool


class CitedSource(TypedDict):
    """
    A passage cited by a shared run, limited to the quoted text.
    """

    number: int
    page: NotRequired[int | None]
    quotes: list[str]
    section: str
    source_uri: str
    title: str
    type: Literal['rag', 'web', 'scholarly', 'survey', 'user', 'execution', 'tool']


class CollectionState(TypedDict):
    """
    A named set of documents.
    """

    chunks: int
    created_at: str
    documents: int
    embedder: NotRequired[str | None]
    name: str
    original_bytes: int
    updated_at: str


class ConfigurationChange(TypedDict):
    """
    The changes to make. Anything not named stays as it is.
    """

    keys: NotRequired[dict[str, Any]]
    values: NotRequired[dict[str, Any]]


class ContextBody(TypedDict):
    """
    The new content of a startup context. Fields left out become empty.
    """

    description: NotRequired[str]
    geographical_scope: NotRequired[str]
    industry: NotRequired[str]
    metadata: NotRequired[dict[str, Any]]
    name: str
    search_terms: NotRequired[list[str]]


class ContextState(TypedDict):
    """
    A startup saved by a user.
    """

    created_at: str
    description: str
    geographical_scope: str
    id: str
    industry: str
    last_accessed: str
    metadata: dict[str, Any]
    name: str
    search_terms: list[str]
    user_id: str


DebateResultAgreement: TypeAlias = Literal['AGREE', 'DISAGREE']


DebateResultAnswer: TypeAlias = Literal['VERIFIED', 'UNVERIFIED']


class DebateResultCalibration(TypedDict):
    """
    How well a model reads claims against their sources, as it was measured over labelled claims.
    """

    false_claims: int
    false_passes: int
    false_refusals: int
    set: str
    true_claims: int


class DebateResultChecks(TypedDict):
    """
    The checks that a program makes of itself: assertions that depend on something. Each is counted once, wherever it stands in the source.

    Self-reported: they are counted in the interpreter that executes the program, and one that reaches into it can forge them.
    """

    failed: NotRequired[int]
    found: int
    held: int


class DebateResultEnd1(TypedDict):
    """
    By itself; 0 is success. An exception that nothing caught is 1.
    """

    code: int
    how: Literal['exited']


class DebateResultEnd2(TypedDict):
    """
    By a signal.
    """

    how: Literal['killed']
    signal: int


class DebateResultEnd3(TypedDict):
    """
    Its time was up.
    """

    how: Literal['timed_out']


class DebateResultEnd4(TypedDict):
    """
    It printed more than it may.
    """

    how: Literal['too_much_output']


class DebateResultEnd5(TypedDict):
    """
    It stored more than it may.
    """

    how: Literal['too_much_stored']


DebateResultEnd: TypeAlias = (
    DebateResultEnd1
    | DebateResultEnd2
    | DebateResultEnd3
    | DebateResultEnd4
    | DebateResultEnd5
)


DebateResultEnding: TypeAlias = (
    Literal['max_turns']
    | Literal['viable']
    | Literal['no_evidence']
    | Literal['interrupted']
)


class DebateResultIngested(TypedDict):
    """
    Papers that were read into the corpus.
    """

    arxiv: int
    crossref: int


class DebateResultLeft(TypedDict):
    """
    A file that an execution left behind.
    """

    bytes: int
    path: str
    sha256: str


class DebateResultListed(TypedDict):
    """
    A work in the list of references.
    """

    numbers: list[int]
    source_uri: str
    text: str


DebateResultScientist: TypeAlias = Literal['optimist', 'pessimist']


class DebateResultSecondReader(TypedDict):
    """
    Who read, and how well they read as far as somebody measured it.
    """

    calibration: str
    figures: NotRequired[dict[str, DebateResultCalibration]]
    model: str


class DebateResultTrial1(TypedDict):
    """
    An execution and everything that is known of it.
    """

    checks: DebateResultChecks
    duration_ms: int
    end: DebateResultEnd
    files: list[DebateResultLeft]
    interpreter: str
    layers: list[str]
    stderr: str
    stdout: str
    outcome: Literal['executed']


class DebateResultTrial2(TypedDict):
    """
    Nothing was run: there is no sandbox here, or the code is in no language that is executed.
    """

    outcome: Literal['not_executed']
    reason: str


DebateResultTrial: TypeAlias = DebateResultTrial1 | DebateResultTrial2


DebateResultValidation: TypeAlias = Literal['PASS', 'FAIL', 'N/A']


DebateResultVerdict: TypeAlias = (
    Literal['unsupported']
    | Literal['quoted']
    | Literal['recomputed']
    | Literal['supported']
    | Literal['inferred']
    | Literal['verified']
    | Literal['unread']
)


DebateResultViability: TypeAlias = Literal['VIABLE', 'NOT_VIABLE']


class DocumentState(TypedDict):
    """
    A document.
    """

    chunks: int
    collection: str
    document_id: str
    file_sha256: str
    format: str
    ingested_at: str
    metadata: dict[str, str]
    original_bytes: NotRequired[int | None]
    path: str
    source_uri: str
    text_sha256: str
    title: str
    type: Literal['rag', 'web', 'scholarly', 'survey', 'user', 'execution', 'tool']


class EvidenceState(TypedDict):
    """
    A passage used by the run.
    """

    cited: bool
    document_id: str
    end: int
    evidence_id: str
    number: int
    page: NotRequired[int | None]
    score: float
    section: str
    source_sha256: str
    source_uri: str
    start: int
    text: str
    title: str
    type: Literal['rag', 'web', 'scholarly', 'survey', 'user', 'execution', 'tool']


class ExampleName(TypedDict):
    """
    The example to load.
    """

    name: Literal['pump', 'bus', 'contracts']


class ExceededQuota(TypedDict):
    """
    The quota that a request exceeds.
    """

    key: str
    limit: float
    resets_at: str
    used: float


class Exchange(TypedDict):
    assistant: NotRequired[str | None]
    user: str


ForkBody = TypedDict(
    'ForkBody',
    {
        'from': str,
        'model': NotRequired[str | None],
        'offline': NotRequired[bool],
        'set': NotRequired[dict[str, str | float | bool]],
    },
)


class FormatChoice(TypedDict):
    group: str
    media_type: str
    methods: list[str]
    name: str
    title: str


class Heading(TypedDict):
    id: str
    level: int
    text: str


class Health(TypedDict):
    status: str


class HypothesisResultByDimension(TypedDict):
    """
    One value for each dimension.
    """

    grounding: int
    impact: int
    novelty: int
    plausibility: int
    testability: int


class HypothesisResultByDimension2(TypedDict):
    """
    One value for each dimension.
    """

    grounding: float
    impact: float
    novelty: float
    plausibility: float
    testability: float


class HypothesisResultCalibration(TypedDict):
    """
    How well a model reads claims against their sources, as it was measured over labelled claims.
    """

    false_claims: int
    false_passes: int
    false_refusals: int
    set: str
    true_claims: int


class HypothesisResultClosePair(TypedDict):
    hypothesis_a_id: str
    hypothesis_b_id: str
    similarity: float


class HypothesisResultFailed(TypedDict):
    """
    The stage that failed.
    """

    message: str
    retry_attempted: bool
    stage: str


Citation: TypeAlias = int


class HypothesisResultFoundPaper(TypedDict):
    authors: list[str]
    doi: NotRequired[str | None]
    has_abstract: bool
    paper_id: str
    read: bool
    title: str
    year: NotRequired[int | None]


FalsifiablePrediction: TypeAlias = str


MinimalExperiment: TypeAlias = str


class HypothesisResultInterval(TypedDict):
    """
    Where a score may lie if the judge made up its mind about every pair anew: a bootstrap interval at 1 - alpha.
    """

    high: float
    low: float


class HypothesisResultLeader(TypedDict):
    hypothesis_id: str
    p_value: float
    significant: bool


HypothesisResultMeasure: TypeAlias = Literal['embeddings', 'shingles']


class HypothesisResultMissingPair(TypedDict):
    hypothesis_a_id: str
    hypothesis_b_id: str
    round: int


HypothesisResultOrigin: TypeAlias = (
    Literal['model'] | Literal['extractive'] | Literal['fallback']
)


class HypothesisResultPairCoverage(TypedDict):
    """
    What became of the judge's records.
    """

    doubled: int
    expected: int
    foreign: int
    judged: int
    missing: list[HypothesisResultMissingPair]
    self_paired: int
    unreadable_winners: int


class HypothesisResultPositionBias(TypedDict):
    """
    Whether the judge favours what it is shown first.
    """

    compared: int
    first_won: float
    reversed: int


class HypothesisResultRanking(TypedDict):
    """
    How the ranks came about, and how much they can be relied on.
    """

    alpha: float
    critical_difference: float
    groups: list[list[str]]
    leader: HypothesisResultLeader
    pair_coverage: HypothesisResultPairCoverage
    position_bias: HypothesisResultPositionBias
    resamples: int
    rounds: int
    weights: HypothesisResultByDimension2


class HypothesisResultReply(TypedDict):
    objection_number: int
    origin: HypothesisResultOrigin
    text: str


class HypothesisResultRetrieval(TypedDict):
    """
    What was searched for and found.
    """

    answers: list[Any]
    complete: bool
    papers: list[HypothesisResultFoundPaper]
    queries: list[str]
    without_abstract: int


class HypothesisResultScores(TypedDict):
    """
    Scores, each 1 (poor) to 5.
    """

    grounding: float
    impact: float
    novelty: float
    overall: float
    plausibility: float
    testability: float


class HypothesisResultSecondReader(TypedDict):
    """
    Who read, and how well they read as far as somebody measured it.
    """

    calibration: str
    figures: NotRequired[dict[str, HypothesisResultCalibration]]
    model: str


HypothesisResultVerdict: TypeAlias = (
    Literal['unsupported']
    | Literal['quoted']
    | Literal['recomputed']
    | Literal['supported']
    | Literal['inferred']
    | Literal['verified']
    | Literal['unread']
)


HypothesisResultWinner: TypeAlias = Literal['a', 'b', 'tie']


class InterruptBody(TypedDict):
    """
    What to stop. Other keys are ignored.
    """

    run_id: NotRequired[str | None]


class Interrupted(TypedDict):
    run_ids: list[str]
    status: str


KeyName: TypeAlias = Literal['model', 'embedder', 'web']


class Labels(TypedDict):
    """
    The title and pin of a run. Fields left out do not change.
    """

    pinned: NotRequired[bool | None]
    title: NotRequired[str | None]


class LeftOut(TypedDict):
    """
    Something missing: a file within a file, or a part of a document.
    """

    path: str
    reason: str


class Limits(TypedDict):
    question_chars: int
    upload_bytes: int


class LogState(TypedDict):
    entries: int
    intact: bool


class MarketResultCalibration(TypedDict):
    """
    How well a model reads claims against their sources, as it was measured over labelled claims.
    """

    false_claims: int
    false_passes: int
    false_refusals: int
    set: str
    true_claims: int


class MarketResultComparison(TypedDict):
    """
    The two estimates beside each other.
    """

    ratio: NotRequired[float | None]
    text: str


class MarketResultFailed(TypedDict):
    """
    The stage that failed for good.
    """

    message: str
    retry_attempted: bool
    stage: str


MarketResultInputOrigin: TypeAlias = Literal['assumed'] | Literal['cited']


class MarketResultLearned(TypedDict):
    """
    What a startup context can be made of: said by the user, never by a source.
    """

    description: str
    geographical_scope: str
    industry: str
    name: str
    search_terms: list[str]


class MarketResultResult(TypedDict):
    """
    What an estimate comes to: its last step.
    """

    shown: str
    unit: str
    value: float


class MarketResultScopeAnswer(TypedDict):
    """
    A question and what a person said to it.
    """

    answer: str
    question: str


class MarketResultSearched(TypedDict):
    """
    What was looked up for a section.
    """

    answers: list[Any]
    complete: bool
    passages: int
    queries: list[str]
    read: list[Any]
    section: str


class MarketResultSecondReader(TypedDict):
    """
    Who read, and how well they read as far as somebody measured it.
    """

    calibration: str
    figures: NotRequired[dict[str, MarketResultCalibration]]
    model: str


MarketResultSection: TypeAlias = Literal[
    'market_sizing', 'competitors', 'customers', 'strategy'
]


MarketResultVerdict: TypeAlias = (
    Literal['unsupported']
    | Literal['quoted']
    | Literal['recomputed']
    | Literal['supported']
    | Literal['inferred']
    | Literal['verified']
    | Literal['unread']
)


MarketResultWhyNot: TypeAlias = Literal['not_planned', 'nothing_found', 'not_reached']


class ModelName(TypedDict):
    name: str
    role: str


class Named(TypedDict):
    answer: NotRequired[str | None]
    id: NotRequired[str | None]


class NewCollection(TypedDict):
    name: str


class NewContext(TypedDict):
    """
    A startup context to save. The fields given here replace what the run learned.
    """

    description: NotRequired[str | None]
    from_run: NotRequired[str | None]
    geographical_scope: NotRequired[str | None]
    id: NotRequired[str | None]
    industry: NotRequired[str | None]
    metadata: NotRequired[dict[str, Any]]
    name: NotRequired[str | None]
    search_terms: NotRequired[list[str] | None]


class OneRemark(TypedDict):
    content: NotRequired[str | None]
    role: str


class Budget(TypedDict):
    """
    What a run may cost. A cap that is not given is the configuration's.
    """

    max_cost_usd: NotRequired[float | None]
    max_steps: NotRequired[int | None]
    max_tokens: NotRequired[int | None]
    max_wall_seconds: NotRequired[int | None]


class HistoryItem(TypedDict):
    """
    Something said in a conversation before a run.
    """

    content: str
    role: str


Order = TypedDict(
    'Order',
    {
        'as': NotRequired[str | None],
        'audience': NotRequired[str | None],
        'budget': NotRequired[Budget],
        'clarify': NotRequired[bool | None],
        'collection': NotRequired[str | None],
        'company': NotRequired[str | None],
        'continue': NotRequired[str | None],
        'depth': NotRequired[Literal['quick', 'standard', 'exhaustive'] | None],
        'domain': NotRequired[str | None],
        'history': NotRequired[list[HistoryItem]],
        'language': NotRequired[str | None],
        'loop': NotRequired[Literal['pipeline', 'simple'] | None],
        'max_questions': NotRequired[int | None],
        'max_turns': NotRequired[int | None],
        'method': Literal['ask', 'hypothesize', 'market', 'debate', 'brief', 'check'],
        'model': NotRequired[str | None],
        'objective': NotRequired[str | None],
        'offline': NotRequired[bool],
        'plan': NotRequired[bool | None],
        'question': str,
        'sources': NotRequired[
            list[
                Literal['arxiv', 'crossref', 'semantic-scholar', 'openalex', 'web']
                | str
            ]
            | None
        ],
        'startup': NotRequired[str | None],
        'strategy': NotRequired[
            Literal['direct']
            | Literal['search']
            | Literal['rag']
            | Literal['deep']
            | Literal['v001', 'v002', 'v003', 'v004']
            | None
        ],
        'survey': NotRequired[str | None],
        'text': NotRequired[str | None],
        'top': NotRequired[int | None],
        'url': NotRequired[str | None],
        'where': NotRequired[dict[str, str]],
        'words': NotRequired[int | None],
    },
)


class Step(TypedDict):
    """
    One step of a plan.
    """

    agent_role: NotRequired[str]
    description: NotRequired[str]
    estimated_duration: NotRequired[str]
    name: NotRequired[str]


class Plan(TypedDict):
    """
    What is to be researched, and how.

    Fields that are missing read as empty. A field that is added later must not be written while it is empty: the plans
    that were approved before would have another hash.
    """

    estimated_cost: NotRequired[str]
    estimated_duration: NotRequired[str]
    focus_areas: NotRequired[list[str]]
    geographical_scope: NotRequired[str]
    search_terms: NotRequired[list[str]]
    steps: NotRequired[list[Step]]
    title: NotRequired[str]


class PlanBody(TypedDict):
    gate: NotRequired[str | None]
    plan: Plan
    plan_hash: str
    revision: int


class PlanState(TypedDict):
    plan: Plan
    plan_hash: str
    revision: int
    state: Literal['proposed', 'approved', 'rejected']


class ProblemDocument(TypedDict):
    """
    A problem document (RFC 9457).
    """

    detail: str
    hint: NotRequired[str]
    quota: NotRequired[ExceededQuota | None]
    run_id: NotRequired[str | None]
    status: int
    title: str
    type: str


class ProviderChoice(TypedDict):
    is_local: bool
    name: str
    needs_key: bool


class Pruned(TypedDict):
    more: bool
    removed: int


class RejectBody(TypedDict):
    gate: NotRequired[str | None]
    reason: NotRequired[str]


class RejectionBody(TypedDict):
    gate: NotRequired[str | None]
    reason: NotRequired[str]
    user_id: NotRequired[str | None]


RenderedPage = TypedDict(
    'RenderedPage',
    {
        'document_id': str,
        'from': int,
        'html': str,
        'length': int,
        'marked': Literal['exactly', 'around', 'nothing'],
        'quote': str,
        'source_uri': str,
        'text_sha256': str,
        'title': str,
        'to': int,
    },
)


class Report(TypedDict):
    """
    A result for a page: sanitised HTML and its headings.
    """

    html: str
    outline: list[Heading]


class ResultCitation(TypedDict):
    """
    A citation in the ledger.
    """

    address: NotRequired[str | None]
    document_id: NotRequired[str | None]
    end: NotRequired[int | None]
    evidence_id: str
    faults: NotRequired[list[str]]
    label: NotRequired[str]
    number: NotRequired[int | None]
    page: NotRequired[int | None]
    quote: str
    section: str
    source_sha256: str
    source_uri: str
    start: NotRequired[int | None]
    title: str
    verdict: (
        Literal['unsupported']
        | Literal['quoted']
        | Literal['recomputed']
        | Literal['supported']
        | Literal['inferred']
        | Literal['verified']
        | Literal['unread']
    )


class CameItem(TypedDict):
    """
    A claim of one result.
    """

    sources: list[str]
    text: str
    verdict: (
        Literal['unsupported']
        | Literal['quoted']
        | Literal['recomputed']
        | Literal['supported']
        | Literal['inferred']
        | Literal['verified']
        | Literal['unread']
    )


class From(TypedDict):
    """
    A claim of one result.
    """

    sources: list[str]
    text: str
    verdict: (
        Literal['unsupported']
        | Literal['quoted']
        | Literal['recomputed']
        | Literal['supported']
        | Literal['inferred']
        | Literal['verified']
        | Literal['unread']
    )


Number = TypedDict(
    'Number',
    {
        'from': NotRequired[str | None],
        'to': NotRequired[str | None],
    },
)


class To(TypedDict):
    """
    A claim of one result.
    """

    sources: list[str]
    text: str
    verdict: (
        Literal['unsupported']
        | Literal['quoted']
        | Literal['recomputed']
        | Literal['supported']
        | Literal['inferred']
        | Literal['verified']
        | Literal['unread']
    )


ChangedItem = TypedDict(
    'ChangedItem',
    {
        'from': From,
        'has_other_verdict': bool,
        'is_reworded': bool,
        'numbers': list[Number],
        'to': To,
    },
)


class WentItem(TypedDict):
    """
    A claim of one result.
    """

    sources: list[str]
    text: str
    verdict: (
        Literal['unsupported']
        | Literal['quoted']
        | Literal['recomputed']
        | Literal['supported']
        | Literal['inferred']
        | Literal['verified']
        | Literal['unread']
    )


class Claims(TypedDict):
    came: list[CameItem]
    changed: list[ChangedItem]
    same: int
    went: list[WentItem]


class From1(TypedDict):
    calls: int
    cost_usd: float
    tokens: int


class To1(TypedDict):
    calls: int
    cost_usd: float
    tokens: int


Cost = TypedDict(
    'Cost',
    {
        'from': From1,
        'to': To1,
    },
)


class From2(TypedDict):
    """
    A result that was compared.
    """

    method: str
    question: str
    run_id: str
    status: str


class CameItem1(TypedDict):
    """
    A source that one result cites.
    """

    source_uri: str
    title: str


ChangedItem1 = TypedDict(
    'ChangedItem1',
    {
        'from': str,
        'source_uri': str,
        'title': str,
        'to': str,
    },
)


class WentItem1(TypedDict):
    """
    A source that one result cites.
    """

    source_uri: str
    title: str


class Sources(TypedDict):
    came: list[CameItem1]
    changed: list[ChangedItem1]
    same: int
    went: list[WentItem1]


StartedItem = TypedDict(
    'StartedItem',
    {
        'from': Any,
        'to': Any,
        'what': str,
    },
)


class To2(TypedDict):
    """
    A result that was compared.
    """

    method: str
    question: str
    run_id: str
    status: str


RunDifference = TypedDict(
    'RunDifference',
    {
        'claims': Claims,
        'cost': Cost,
        'from': From2,
        'remarks': list[str],
        'sources': Sources,
        'started': list[StartedItem],
        'to': To2,
    },
)


class Deliverable(TypedDict):
    """
    Other methods: `answer` and further fields of the strategy. A run that ended early: what it had gathered, and `stage_outputs`.
    """

    claims: NotRequired[list[dict[str, Any]]]
    stage_outputs: NotRequired[dict[str, Any]]


class Error(TypedDict):
    """
    Why the run ended before its result was complete.
    """

    message: str
    retry_attempted: bool
    stage: str


class Usage(TypedDict):
    by_agent: NotRequired[list[dict[str, Any]]]
    cached_tokens: int
    calls: int
    input_tokens: int
    lost_calls: int
    output_tokens: int
    reading: NotRequired[dict[str, Any]]


Said: TypeAlias = list[str | None] | OneRemark | Answered | Exchange | str


class Session(TypedDict):
    """
    The user who is signed in.
    """

    authentication: str
    signed_in: bool
    user: NotRequired[str | None]


SetBy: TypeAlias = Literal['default', 'page', 'file', 'environment', 'command_line']


class ShareState(TypedDict):
    """
    A link, without its secret.
    """

    created_at: str
    share_id: str


class SharedEvidence(TypedDict):
    evidence: list[CitedSource]


class SharedState(TypedDict):
    """
    The parts of a run shown to a reader with a link.
    """

    created_at: str
    method: str
    method_title: str
    outcome: NotRequired[
        Literal['answered', 'not_enough_evidence', 'not_reached'] | None
    ]
    question: str
    status: Literal['queued', 'running', 'waiting', 'completed', 'partial', 'cancelled']
    title: NotRequired[str | None]
    updated_at: str


class SignIn(TypedDict):
    token: str


class SourceChoice(TypedDict):
    available: bool
    name: str
    title: str
    why_not: NotRequired[str | None]


class SpendState(TypedDict):
    cost_usd: NotRequired[float | None]
    tokens: int


class StageError(TypedDict):
    message: str
    retry_attempted: bool
    stage: str


class StepModel(TypedDict):
    milliseconds: NotRequired[int | None]
    model: NotRequired[str | None]
    started_at: str
    state: Literal['running', 'done', 'failed']
    step: str
    within: NotRequired[str | None]


class StrategyChoice(TypedDict):
    asks_sources: bool
    description: str
    is_planned: bool
    name: str
    needs_collection: bool
    title: str


class Summary(TypedDict):
    """
    A run as shown in lists.
    """

    cost_usd: float
    created_at: str
    entries: int
    method: str
    pinned: bool
    question: str
    run_id: str
    snippet: NotRequired[str | None]
    status: Literal['queued', 'running', 'waiting', 'completed', 'partial', 'cancelled']
    stopping: bool
    title: NotRequired[str | None]
    tokens: int
    updated_at: str


class SurveyFile(TypedDict):
    bytes: int
    name: str
    sha256: str


class SurveyStudy(TypedDict):
    id: str
    notes: list[str]
    questions: int
    respondents: int
    segments: list[str]
    title: str
    weight: NotRequired[str | None]


TrialOutcome: TypeAlias = Literal[
    'works',
    'misconfigured',
    'unreachable',
    'key_refused',
    'limited',
    'unknown_model',
    'unsuitable',
    'failed',
]


Tried: TypeAlias = Literal['model', 'embedder']


class Uploaded(TypedDict):
    """
    A file added to a collection.
    """

    document: DocumentState
    left_out: list[LeftOut]
    put: Literal['added', 'replaced', 'unchanged']
    within: list[DocumentState]


class UsageState(TypedDict):
    cached_tokens: int
    calls: int
    input_tokens: int
    lost_calls: int
    output_tokens: int


Window = TypedDict(
    'Window',
    {
        'after': str,
        'before': str,
        'document_id': str,
        'from': int,
        'length': int,
        'quote': str,
        'source_uri': str,
        'text_sha256': str,
        'title': str,
        'to': int,
    },
)


WorkflowStart = TypedDict(
    'WorkflowStart',
    {
        'as': NotRequired[str | None],
        'audience': NotRequired[str | None],
        'budget': NotRequired[Budget],
        'clarify': NotRequired[bool | None],
        'collection': NotRequired[str | None],
        'company': NotRequired[str | None],
        'continue': NotRequired[str | None],
        'depth': NotRequired[Literal['quick', 'standard', 'exhaustive'] | None],
        'domain': NotRequired[str | None],
        'history': NotRequired[list[HistoryItem]],
        'language': NotRequired[str | None],
        'loop': NotRequired[Literal['pipeline', 'simple'] | None],
        'max_questions': NotRequired[int | None],
        'max_turns': NotRequired[int | None],
        'method': NotRequired[
            Literal['ask', 'hypothesize', 'market', 'debate', 'brief', 'check']
        ],
        'model': NotRequired[str | None],
        'objective': NotRequired[str | None],
        'offline': NotRequired[bool],
        'plan': NotRequired[bool | None],
        'sources': NotRequired[
            list[
                Literal['arxiv', 'crossref', 'semantic-scholar', 'openalex', 'web']
                | str
            ]
            | None
        ],
        'startup': NotRequired[str | None],
        'strategy': NotRequired[
            Literal['direct']
            | Literal['search']
            | Literal['rag']
            | Literal['deep']
            | Literal['v001', 'v002', 'v003', 'v004']
            | None
        ],
        'survey': NotRequired[str | None],
        'text': NotRequired[str | None],
        'top': NotRequired[int | None],
        'url': NotRequired[str | None],
        'user_id': NotRequired[str | None],
        'user_message': str,
        'where': NotRequired[dict[str, str]],
        'words': NotRequired[int | None],
    },
)


class ClarifyingQuestion(TypedDict):
    context: str
    id: str
    question: str


class Step1(TypedDict):
    """
    One step of a plan.
    """

    agent_role: NotRequired[str]
    description: NotRequired[str]
    estimated_duration: NotRequired[str]
    name: NotRequired[str]


class Plan1(TypedDict):
    """
    The plan that was proposed last, as it was approved or else last edited.
    """

    estimated_cost: NotRequired[str]
    estimated_duration: NotRequired[str]
    focus_areas: NotRequired[list[str]]
    gate: str
    geographical_scope: NotRequired[str]
    plan_hash: str
    revision: int
    search_terms: NotRequired[list[str]]
    state: Literal['proposed', 'approved', 'rejected']
    steps: NotRequired[list[Step1]]
    title: NotRequired[str]


class StartupContext(TypedDict):
    """
    A startup idea that a user keeps.
    """

    created_at: str
    description: NotRequired[str]
    geographical_scope: NotRequired[str]
    id: str
    industry: NotRequired[str]
    last_accessed: str
    metadata: NotRequired[dict[str, Any]]
    name: str
    search_terms: NotRequired[list[str]]
    user_id: str


class WorkflowState(TypedDict):
    """
    Where a workflow stands.
    """

    clarifying_questions: list[ClarifyingQuestion]
    error: NotRequired[Error]
    phase: (
        Literal['execute', 'completed', 'cancelled']
        | Literal['clarify']
        | Literal['plan']
    )
    plan: NotRequired[Plan1 | None]
    results: NotRequired[Any]
    startup_context: NotRequired[StartupContext | None]
    user_answers: dict[str, str]
    user_message: str
    workflow_id: str


class BriefResultChart(TypedDict):
    """
    Figures beside each other, to be drawn as bars.
    """

    bars: list[BriefResultBar]
    measure: str
    title: str
    unit: BriefResultUnit


class BriefResultFinding(TypedDict):
    """
    An insight of the exploration.
    """

    claim: str
    confidence: BriefResultConfidence
    depth: BriefResultExploreStage
    figures: list[BriefResultFigureTold]
    id: str
    metric: NotRequired[str | None]
    round: int
    segment: NotRequired[str | None]
    study_id: NotRequired[str | None]
    verdict: NotRequired[BriefResultVerdict | None]


class BriefResultPipelineStats(TypedDict):
    """
    What the run came to, in numbers.
    """

    analyses: int
    explore_ended: NotRequired[BriefResultExploreEnd | None]
    explore_iterations: int
    figures_recomputed: int
    final_clarity: NotRequired[int | None]
    final_completeness: NotRequired[int | None]
    final_grounding: NotRequired[int | None]
    final_score: NotRequired[int | None]
    final_tone: NotRequired[int | None]
    findings_how: int
    findings_rejected: int
    findings_what: int
    findings_why: int
    loop: BriefResultWay
    refine_ended: NotRequired[BriefResultRefineEnd | None]
    refine_iterations: int
    segments_available: int
    segments_covered: int
    sentences_cut: int
    studies_available: int
    studies_used: int
    words: int


class BriefResultStatement(TypedDict):
    """
    A sentence of the summary.
    """

    figures: list[BriefResultFigureTold]
    numbers: list[int]
    part: BriefResultPart
    rests_on: list[str]
    text: str
    verdict: NotRequired[BriefResultVerdict | None]


class Check(TypedDict):
    """
    The result of one system check.
    """

    advice: NotRequired[str | None]
    found: str
    name: str
    state: CheckState


class Checkup(TypedDict):
    checks: list[Check]


class CollectionList(TypedDict):
    collections: list[CollectionState]
    next: NotRequired[str | None]


class ConfigurationKey(TypedDict):
    """
    An API key of a service. The key itself is never returned.
    """

    is_needed: bool
    name: KeyName
    place: NotRequired[str | None]
    service: NotRequired[str | None]
    set_by: NotRequired[SetBy | None]


class ConfigurationSetting(TypedDict):
    """
    A setting with its current value.
    """

    default: Any
    fixed: NotRequired[str | None]
    key: str
    place: NotRequired[str | None]
    set_by: SetBy
    value: Any


class ContextList(TypedDict):
    contexts: list[ContextState]


class DebateBody(TypedDict):
    """
    The settings of a new debate. Other keys are ignored.
    """

    history: NotRequired[list[Said] | None]
    max_turns: NotRequired[int | None]
    question: str
    url: NotRequired[str | None]


class DebateResultCitation(TypedDict):
    """
    A citation in the ledger.
    """

    address: NotRequired[str | None]
    end: NotRequired[int | None]
    evidence_id: str
    faults: NotRequired[list[str]]
    number: NotRequired[int | None]
    page: NotRequired[int | None]
    quote: str
    section: str
    source_sha256: str
    source_uri: str
    start: NotRequired[int | None]
    title: str
    verdict: DebateResultVerdict


class DebateResultExecution(TypedDict):
    """
    An execution and everything that is known of it.
    """

    checks: DebateResultChecks
    duration_ms: int
    end: DebateResultEnd
    files: list[DebateResultLeft]
    interpreter: str
    layers: list[str]
    stderr: str
    stdout: str


class DebateResultMarkers(TypedDict):
    """
    What the lines at the end of a response say.
    """

    agreement: DebateResultAgreement
    answer: NotRequired[DebateResultAnswer | None]
    conclusion: str
    validation: DebateResultValidation
    verification_reason: NotRequired[str]
    viability: DebateResultViability


class DebateResultSentence(TypedDict):
    """
    A sentence of a response.
    """

    numbers: list[int]
    text: str
    verdict: NotRequired[DebateResultVerdict | None]


class DocumentList(TypedDict):
    documents: list[DocumentState]
    next: NotRequired[str | None]
    total: int


class EstimateState(TypedDict):
    """
    The estimated cost of a run.
    """

    expected: SpendState
    mode: Literal['model', 'offline']
    model: NotRequired[str | None]
    notes: list[str]
    worst_case: SpendState


class EvidenceList(TypedDict):
    evidence: list[EvidenceState]


class ExampleState(TypedDict):
    """
    A sample question with its own material, for a first try.
    """

    collection: NotRequired[str | None]
    method: str
    name: str
    order: Order
    question: str
    shows: str
    survey: NotRequired[str | None]
    title: str


class HypothesisResultCitation(TypedDict):
    """
    A work of the retrieval on which a hypothesis rests, or that the program put beside it.
    """

    authors: list[str]
    claim: str
    doi: NotRequired[str | None]
    number: NotRequired[int | None]
    origin: HypothesisResultOrigin
    paper_id: str
    quote: str
    title: str
    verdict: HypothesisResultVerdict
    year: NotRequired[int | None]


class HypothesisResultComparison(TypedDict):
    """
    One judgement of a pair in one order: `a` was shown first.
    """

    hypothesis_a_id: str
    hypothesis_b_id: str
    judged: bool
    round: int
    winner_grounding: HypothesisResultWinner
    winner_impact: HypothesisResultWinner
    winner_novelty: HypothesisResultWinner
    winner_plausibility: HypothesisResultWinner
    winner_testability: HypothesisResultWinner


class HypothesisResultDiversity(TypedDict):
    """
    One measurement of how alike the hypotheses are.
    """

    highest: float
    measure: HypothesisResultMeasure
    retried: bool
    stage: str
    threshold: float
    too_close: list[HypothesisResultClosePair]


class HypothesisResultFinding(TypedDict):
    """
    A sentence that its statements bear out.
    """

    citations: list[Citation]
    text: str
    verdict: NotRequired[HypothesisResultVerdict | None]


class HypothesisResultLiterature(TypedDict):
    """
    What the papers say, claim by claim.
    """

    findings: list[HypothesisResultFinding]
    gaps: list[str]


class HypothesisResultObjection(TypedDict):
    citations: NotRequired[list[int]]
    number: int
    origin: HypothesisResultOrigin
    text: str
    verdict: NotRequired[HypothesisResultVerdict | None]


class HypothesisResultPairwiseRecord(TypedDict):
    """
    The judgements in which a hypothesis took part.
    """

    comparisons: list[HypothesisResultComparison]
    points_by_dimension: HypothesisResultByDimension2
    wins_by_dimension: HypothesisResultByDimension


Listed: TypeAlias = str | Named | None


class MarketResultConclusion(TypedDict):
    """
    A sentence of the summary.
    """

    id: str
    rests_on: list[str]
    text: str
    verdict: MarketResultVerdict


class MarketResultJudgement(TypedDict):
    """
    A judgement of the agent's: no source says it, and it follows from what sources say.
    """

    id: NotRequired[str]
    rests_on: list[str]
    text: str
    verdict: NotRequired[MarketResultVerdict | None]


class MarketResultLeftOut(TypedDict):
    """
    A section that is not there.
    """

    section: MarketResultSection
    why: MarketResultWhyNot


class MarketResultScope(TypedDict):
    """
    What was agreed on before.
    """

    answers: list[MarketResultScopeAnswer]
    focus_areas: list[str]
    geographical_scope: str
    search_terms: list[str]
    startup: NotRequired[str | None]


class MarketResultSpoken(TypedDict):
    """
    A sentence of a paragraph.
    """

    id: str
    rests_on: NotRequired[list[str]]
    text: str
    verdict: MarketResultVerdict


class MarketResultStatement(TypedDict):
    """
    A sentence that its sources bear out, or that was computed.
    """

    id: str
    text: str
    verdict: MarketResultVerdict


class MarketResultStep(TypedDict):
    """
    A step of an estimate.
    """

    expression: str
    name: str
    statement: MarketResultStatement
    unit: str
    value: float


class MethodChoice(TypedDict):
    clarify: bool
    description: str
    fields: list[str]
    name: str
    plan: bool
    strategies: list[StrategyChoice]
    title: str
    version: int


class NewShare(ShareState):
    """
    A new link.
    """

    token: str


class OpenGate(TypedDict):
    context: str
    gate: str
    plan: NotRequired[Plan | None]
    plan_hash: NotRequired[str | None]
    question: str
    revision: NotRequired[int | None]


class RunList(TypedDict):
    next: NotRequired[str | None]
    runs: list[Summary]


class RunState(Summary):
    """
    The state of a run.
    """

    collection: NotRequired[str | None]
    error: NotRequired[StageError | None]
    forked_from: NotRequired[str | None]
    gates: list[OpenGate]
    hindrance: NotRequired[str | None]
    log: LogState
    mode: Literal['model', 'offline']
    model: NotRequired[str | None]
    outcome: NotRequired[
        Literal['answered', 'not_enough_evidence', 'not_reached'] | None
    ]
    plan: NotRequired[PlanState | None]
    steps: list[StepModel]
    strategy: NotRequired[str | None]
    usage: UsageState
    version: int


class ShareList(TypedDict):
    shares: list[ShareState]


class Survey(TypedDict):
    """
    Survey files that belong together.
    """

    files: list[SurveyFile]
    name: str


class SurveyList(TypedDict):
    surveys: list[Survey]


class SurveyState(Survey):
    """
    A survey and its contents.
    """

    problem: NotRequired[str | None]
    studies: list[SurveyStudy]


class Trial(TypedDict):
    """
    The result of a test call to a service.
    """

    advice: NotRequired[str | None]
    error: NotRequired[str | None]
    milliseconds: int
    name: str
    outcome: TrialOutcome


class TrialList(TypedDict):
    trials: list[Trial]


class TrialOrder(TypedDict):
    """
    What to test.
    """

    what: Tried


Answers: TypeAlias = dict[str, str | None] | list[Listed]


class AnswersBody(TypedDict):
    answers: Answers
    user_id: NotRequired[str | None]


class BriefResult(TypedDict):
    """
    An executive summary with everything that it came from.
    """

    charts: list[BriefResultChart]
    cited: NotRequired[list[BriefResultWorded]]
    data_gaps: list[BriefResultGap]
    finding_bank: list[BriefResultFinding]
    history: list[BriefResultRecord]
    key_findings: list[str]
    overview: str
    pipeline_stats: BriefResultPipelineStats
    question: str
    reader: NotRequired[BriefResultSecondReader | None]
    recommended_actions: list[str]
    risks_and_caveats: list[str]
    segments_covered: list[str]
    segments_uncovered: list[str]
    significance: NotRequired[str]
    statements: list[BriefResultStatement]
    strategic_implications: list[str]
    studies: list[BriefResultStudyTold]
    studies_unused: list[str]
    studies_used: list[str]
    title: str
    verdict: NotRequired[BriefResultRefineVerdict | None]


class Choices(TypedDict):
    """
    The choices available when starting a run.
    """

    budget: BudgetChoice
    collections: int
    default_model: NotRequired[str | None]
    default_sources: dict[str, list[str]]
    default_style: str
    embedder: NotRequired[str | None]
    formats: list[FormatChoice]
    limits: Limits
    methods: list[MethodChoice]
    models: list[ModelName]
    network: bool
    sources: list[SourceChoice]
    upload_formats: list[str]
    version: str


class Configuration(TypedDict):
    """
    The settings that can be changed from a page, and the origin of each value.
    """

    engines: list[str]
    keys: list[ConfigurationKey]
    may_change: bool
    providers: list[ProviderChoice]
    settings: list[ConfigurationSetting]
    why_not: NotRequired[str | None]


class DebateResultCritique(TypedDict):
    """
    What a scientist holds against the other.
    """

    quotation: str
    remark: DebateResultSentence


class DebateResultProposed(TypedDict):
    """
    A proposal's code and what came of it.
    """

    code: str
    explanation: list[DebateResultSentence]
    language: str
    trial: DebateResultTrial


class DebateResultTurn(TypedDict):
    """
    What one scientist said, and what it rests on.
    """

    citations: list[DebateResultCitation]
    critique: list[DebateResultCritique]
    cycle: int
    evidence: list[int]
    ingested: DebateResultIngested
    markers: DebateResultMarkers
    next_step: list[DebateResultSentence]
    overruled: NotRequired[str]
    position: list[DebateResultSentence]
    proposal: NotRequired[DebateResultProposed | None]
    query: str
    references: list[DebateResultListed]
    response: str
    retrieved: int
    scientist: DebateResultScientist
    synthesis: list[DebateResultSentence]


class ExampleList(TypedDict):
    examples: list[ExampleState]


class HypothesisResultHypothesis(TypedDict):
    """
    A conjecture with what speaks for and against it.
    """

    citations: list[HypothesisResultCitation]
    fallbacks: list[str]
    falsifiable_predictions: list[FalsifiablePrediction]
    first_statement: NotRequired[str | None]
    id: str
    impact_rationale: str
    interval: NotRequired[HypothesisResultInterval | None]
    mechanism: str
    minimal_experiments: list[MinimalExperiment]
    novelty_rationale: str
    objections: list[HypothesisResultObjection]
    origin: HypothesisResultOrigin
    pairwise_record: NotRequired[HypothesisResultPairwiseRecord | None]
    plausibility_rationale: str
    rank: NotRequired[int | None]
    replies: list[HypothesisResultReply]
    scores: NotRequired[HypothesisResultScores | None]
    statement: str
    strength: NotRequired[float | None]
    supporting_citations: int
    testability_rationale: str
    title: str


class HypothesisResultPartial(TypedDict):
    """
    What was gathered before a stage failed for good.
    """

    diversity: list[HypothesisResultDiversity]
    domain: str
    error: HypothesisResultFailed
    hypotheses: list[HypothesisResultHypothesis]
    literature: NotRequired[HypothesisResultLiterature | None]
    objective: str
    question: str
    ranked_hypothesis_ids: list[str]
    ranking: NotRequired[HypothesisResultRanking | None]
    reader: NotRequired[HypothesisResultSecondReader | None]
    retrieval: NotRequired[HypothesisResultRetrieval | None]
    stage_outputs: dict[str, Any]
    summa_origin: NotRequired[HypothesisResultOrigin | None]
    summa_rendering: NotRequired[str | None]


class MarketResultCompetitor(TypedDict):
    """
    A row of the table; a cell that is not there was not found.
    """

    customers: NotRequired[MarketResultStatement | None]
    name: MarketResultStatement
    offering: NotRequired[MarketResultStatement | None]
    position: NotRequired[MarketResultStatement | None]
    pricing: NotRequired[MarketResultStatement | None]


class MarketResultInput(TypedDict):
    """
    A figure that an estimate begins with.
    """

    description: str
    name: str
    origin: MarketResultInputOrigin
    shown: str
    statement: NotRequired[MarketResultStatement | None]
    unit: str
    unsupported: bool
    value: float
    why: NotRequired[str | None]


class MarketResultParagraph(TypedDict):
    """
    A paragraph of a section: its sentences in turn.
    """

    sentences: list[MarketResultSpoken]


class MarketResultSegment(TypedDict):
    """
    A group of customers. Its name is the agent's.
    """

    claims: list[MarketResultStatement]
    name: str
    needs: list[MarketResultStatement]


class MarketResultStrategy(TypedDict):
    """
    What to do, and what may go wrong.
    """

    gaps: list[str]
    judged_risks: list[MarketResultJudgement]
    prose: NotRequired[list[MarketResultParagraph]]
    recommendations: list[MarketResultJudgement]
    risks: list[MarketResultStatement]


class Settings(Choices):
    """
    The choices for a run, and what this server allows.
    """

    sharing: bool


class DebateResult(TypedDict):
    """
    A debate as it is delivered.
    """

    answer: str
    ending: DebateResultEnding
    grounded: bool
    max_turns: int
    reader: NotRequired[DebateResultSecondReader | None]
    turns: list[DebateResultTurn]


class HypothesisResultComplete(TypedDict):
    """
    Ranked hypotheses, contested and grounded.
    """

    diversity: list[HypothesisResultDiversity]
    domain: str
    hypotheses: list[HypothesisResultHypothesis]
    literature: HypothesisResultLiterature
    objective: str
    question: str
    ranked_hypothesis_ids: list[str]
    ranking: HypothesisResultRanking
    reader: NotRequired[HypothesisResultSecondReader | None]
    retrieval: HypothesisResultRetrieval
    stage_outputs: dict[str, Any]
    summa_origin: HypothesisResultOrigin
    summa_rendering: str
    top: int


class MarketResultCompetitors(TypedDict):
    """
    Who is in the market already.
    """

    gaps: list[str]
    prose: NotRequired[list[MarketResultParagraph]]
    rows: list[MarketResultCompetitor]


class MarketResultCustomers(TypedDict):
    """
    Who buys, and what they need.
    """

    gaps: list[str]
    prose: NotRequired[list[MarketResultParagraph]]
    segments: list[MarketResultSegment]


class MarketResultEstimate(TypedDict):
    """
    An estimate, computed by program from its inputs.
    """

    assumptions_alone: bool
    corrections: list[str]
    inputs: list[MarketResultInput]
    result: NotRequired[MarketResultResult | None]
    steps: list[MarketResultStep]
    why_not: NotRequired[str | None]


class MarketResultSizing(TypedDict):
    """
    How large the market is.
    """

    bottom_up: MarketResultEstimate
    claims: list[MarketResultStatement]
    comparison: MarketResultComparison
    gaps: list[str]
    prose: NotRequired[list[MarketResultParagraph]]
    top_down: MarketResultEstimate


HypothesisResult: TypeAlias = HypothesisResultComplete | HypothesisResultPartial


class MarketResult(TypedDict):
    """
    A market analysis, whole, or as far as it came.
    """

    competitors: NotRequired[MarketResultCompetitors | None]
    customers: NotRequired[MarketResultCustomers | None]
    error: NotRequired[MarketResultFailed | None]
    learned: MarketResultLearned
    left_out: list[MarketResultLeftOut]
    open_questions: list[str]
    question: str
    reader: NotRequired[MarketResultSecondReader | None]
    scope: MarketResultScope
    searched: list[MarketResultSearched]
    sizing: NotRequired[MarketResultSizing | None]
    stage_outputs: dict[str, Any]
    strategy: NotRequired[MarketResultStrategy | None]
    summary: list[MarketResultConclusion]
    title: str


class RunResult(TypedDict):
    """
    The result of a run, in the same form for every method. `answer`, `strategy` and `assumptions` of the deliverable are repeated beside it.
    """

    answer: NotRequired[str | None]
    assumptions: NotRequired[list[str]]
    citations: list[ResultCitation]
    cost_usd: float
    deliverable: NotRequired[
        BriefResult | DebateResult | HypothesisResult | MarketResult | Deliverable
    ]
    error: NotRequired[Error]
    grounding: dict[str, Any]
    method: NotRequired[str]
    mode: NotRequired[Literal['model', 'offline']]
    models: NotRequired[dict[str, Any]]
    plan: NotRequired[dict[str, Any]]
    question: NotRequired[str]
    references: NotRequired[list[dict[str, Any]]]
    run_id: str
    status: Literal['queued', 'running', 'waiting', 'completed', 'partial', 'cancelled']
    strategy: NotRequired[str]
    usage: Usage
    warnings: list[str]
