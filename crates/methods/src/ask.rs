//! Answers a question: from the model alone, or from documents with every sentence checked. The documents are the user's own, or are first
//! found by searching outside.
//!
//! Over documents: retrieve passages, decide whether they bear on the question at all, give the best of them to the
//! writer as statements with addresses, and ground the prose that comes back. The program checks every sentence, a
//! second reader reads what the program cannot decide, and what does not hold is cut or marked.

pub mod deep;
pub mod extractive;
mod nothing;
mod outside;
mod relevance;
pub(crate) mod report;
mod stages;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use schemars::{JsonSchema, Schema};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use papers::Source;
use run::evidence::Passage;
use run::ledger::{Claim, Unsupported};
use run::library::{Retrieval, Search, of_run};
use run::{Agent, Call, Deliverable, Mode, Outcome, Reply, Result, Run, Stop, grounding};
use text::Language;

pub use crate::grounded::Prose;
pub use extractive::Closest;
use extractive::Looked;
use extractive::SILENT;
use nothing::{NOT_REACHED, Sought, nothing, nothing_found};
pub use outside::Queries;
pub use relevance::{Coverage, measure_nearness};
use relevance::{relevant, relevant_of, weigh_terms};
pub use stages::stages;

use crate::Calls;
use crate::grounded::docket::plain;
use crate::grounded::{self, Grounded, Subject};
use crate::outside::{approved, in_context, together};

const WRITER: Agent =
    Agent { name: "writer", prompt: "ask/writer", text: include_str!("../prompts/ask/writer.md") };
const ANSWERER: Agent = Agent {
    name: "answerer",
    prompt: "ask/answerer",
    text: include_str!("../prompts/ask/answerer.md"),
};

/// Tokens of the longest usual answer.
const LONGEST_ANSWER: u32 = 1_000;

/// How a question is answered. Each strategy is read by its number too, `v001` and on, and written by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(transform = numbered)]
pub enum Strategy {
    /// The model alone, without evidence; the answer is marked as ungrounded.
    #[serde(alias = "v001")]
    Direct,
    /// Scholarly sources and the web: look the question up, read what is found, then answer from that.
    #[serde(alias = "v002")]
    Search,
    /// The user's documents: retrieve, then answer from what was found.
    #[serde(alias = "v003")]
    Rag,
    /// A planner's graph of tasks over documents, papers, the web and whoever asks.
    #[serde(alias = "v004")]
    Deep,
}

/// Adds the strategies' numbers to their schema.
fn numbered(schema: &mut Schema) {
    let numbers: Vec<&str> = Strategy::ALL.iter().map(|strategy| strategy.number()).collect();
    let numbers = json!({"type": "string", "enum": numbers, "description": "The strategies by their numbers."});
    if let Some(ways) = schema.get_mut("oneOf").and_then(Value::as_array_mut) {
        ways.push(numbers);
    }
}

impl Strategy {
    /// Every strategy, in the order of their numbers.
    pub const ALL: [Strategy; 4] =
        [Strategy::Direct, Strategy::Search, Strategy::Rag, Strategy::Deep];

    /// Returns the strategy with this name or number.
    pub fn named(text: &str) -> Option<Strategy> {
        Strategy::ALL.into_iter().find(|one| one.name() == text || one.number() == text)
    }

    /// Returns the number, from `v001` on.
    pub fn number(self) -> &'static str {
        match self {
            Strategy::Direct => "v001",
            Strategy::Search => "v002",
            Strategy::Rag => "v003",
            Strategy::Deep => "v004",
        }
    }

    /// Returns the name that users write.
    pub fn name(self) -> &'static str {
        match self {
            Strategy::Direct => "direct",
            Strategy::Search => "search",
            Strategy::Rag => "rag",
            Strategy::Deep => "deep",
        }
    }
}

/// The options of a run of `ask`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Options {
    pub strategy: Strategy,
    /// The collection to answer from; the strategy `search` reads what it finds into it. Empty means a collection of the run's own.
    #[serde(default)]
    pub collection: String,
    /// Whether the collection holds the user's documents before anything is looked up.
    #[serde(default)]
    pub own_documents: bool,
    /// The sources that the strategies `search` and `deep` query.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<Source>,
    /// Metadata values that a document must have to be retrieved.
    #[serde(default)]
    pub filter: BTreeMap<String, String>,
    /// The company that the question is about; empty means none. Of the user's documents, only those about it are read.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub company: String,
    /// The audience, form and language wanted from the strategy `deep`.
    #[serde(default, skip_serializing_if = "Wishes::is_empty")]
    pub wishes: Wishes,
    /// The earlier run that the strategy `deep` continues or refreshes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub earlier: Option<Box<deep::Earlier>>,
    pub rules: Rules,
}

/// The audience, form and language wanted of an answer; each is empty if the user did not say.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Wishes {
    pub audience: String,
    /// For example, "a two-page memo" or "a list to work through".
    pub form: String,
    pub language: String,
}

impl Wishes {
    pub fn is_empty(&self) -> bool {
        *self == Wishes::default()
    }

    /// Returns them as text for an agent's prompt.
    fn told(&self) -> String {
        let lines = [("For", &self.audience), ("As", &self.form), ("Language", &self.language)];
        let said = lines.into_iter().filter(|(_, wish)| !wish.is_empty());
        said.map(|(label, wish)| format!("{label}: {wish}\n")).collect()
    }
}

impl Options {
    /// Returns the metadata that a document must have. Documents found outside carry no company, so the strategy `search` requires none.
    fn conditions(&self) -> BTreeMap<String, String> {
        let mut conditions = self.filter.clone();
        let reads_documents = matches!(self.strategy, Strategy::Rag | Strategy::Deep);
        if reads_documents && !self.company.is_empty() {
            conditions.insert("company".into(), self.company.clone());
        }
        conditions
    }

    /// Returns a call of `agent` with the question, the user's wishes and, unless the strategy is `rag`, the company.
    fn asking<'a>(&self, run: &'a Run, agent: &Agent, question: &str) -> Call<'a> {
        let mut call = run.agent(agent).given("Question", question);
        if !self.wishes.is_empty() {
            call = call.given("Whom it is for, and how it is to be written", self.wishes.told());
        }
        if self.strategy == Strategy::Rag || self.company.is_empty() {
            call
        } else {
            call.given("Company that the question is about", &self.company)
        }
    }

    fn collection(&self, run: &Run) -> String {
        if self.collection.is_empty() { of_run(run.id()) } else { self.collection.clone() }
    }
}

/// Limits on retrieval, and what happens to claims that do not hold.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Rules {
    /// The search method.
    #[serde(default)]
    pub retrieval: Retrieval,
    /// Number of passages to retrieve.
    pub top_k: u32,
    /// 0 to 1: a passage is dropped if its score is less than this share of the best score.
    pub score_threshold: f64,
    /// 0 to 1: the share of the question's topic words, weighted by IDF, that the best passages must hold for the question to count as
    /// covered; a single statement with nearly that share is enough too. It applies only if vectors were compared: without them, one topic
    /// word is enough.
    pub coverage_threshold: f64,
    /// 0 to 1, if vectors were compared. Without a model, nothing is relevant below `nearness_threshold`, and coverage is not required from
    /// `near_enough` on. With a model, reaching `nearness_threshold` or being covered is enough.
    #[serde(default)]
    pub nearness_threshold: f64,
    #[serde(default)]
    pub near_enough: f64,
    /// Maximum tokens of evidence given to the writer.
    pub context_tokens: u32,
    /// Maximum sentences of an extractive answer.
    pub extractive_sentences: u32,
    /// 0 to 1: the share of the question that a statement must hold, with its headings, to replace a sentence that does not hold.
    pub extractive_coverage: f64,
    /// 0 to 1: without a model, the minimum sureness that one of the statements answers.
    #[serde(default = "sure_enough")]
    pub extractive_sureness: f64,
    pub unsupported: Unsupported,
    #[serde(default)]
    pub search: SearchRules,
    #[serde(default)]
    pub deep: deep::DeepRules,
    #[serde(default)]
    pub report: deep::ReportRules,
}

fn sure_enough() -> f64 {
    extractive::SURE_ENOUGH
}

/// Limits on searches outside.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SearchRules {
    /// Maximum queries made from the question; without a model, the question itself is the only one.
    pub queries: u32,
    /// Papers and pages requested from each source for each query.
    pub results: u32,
    /// Maximum papers and pages read.
    pub papers_read: u32,
    pub pages_read: u32,
    /// Whether to read the full text of papers with a free PDF, or abstracts alone.
    pub full_text: bool,
}

pub(crate) async fn perform(run: &Run) -> Result<Deliverable> {
    let options: Options = run.options()?;
    ask(run, run.question(), &options).await
}

/// Answers the question.
pub async fn ask(run: &Run, question: &str, options: &Options) -> Result<Deliverable> {
    match options.strategy {
        Strategy::Direct => from_the_model(run, question, options).await,
        Strategy::Rag => {
            run.hold_back(&WRITER, context_bytes(&WRITER, &options.rules) + question.len())?;
            from_documents(run, question, options).await
        }
        Strategy::Search => from_outside(run, question, options).await,
        Strategy::Deep => deep::deep(run, question, options).await,
    }
}

async fn from_outside(run: &Run, question: &str, options: &Options) -> Result<Deliverable> {
    let told = question.len() + options.company.len();
    run.hold_back(&WRITER, context_bytes(&WRITER, &options.rules) + told)?;
    let looked_up = outside::read_up(run, question, options).await?;
    let mut deliverable = if looked_up.read_any() || options.own_documents {
        from_documents(run, question, options).await?
    } else {
        nothing_found(run, options, 0.0, &Sought::default())
    };
    if let (Outcome::NotEnoughEvidence, Some(missing)) = (deliverable.outcome, looked_up.missing())
    {
        deliverable.outcome = Outcome::NotReached;
        deliverable.fields.insert("answer".into(), json!(NOT_REACHED));
        deliverable.fields.insert("gaps".into(), json!([missing]));
    }
    deliverable.fields.insert("searched".into(), json!(looked_up));
    Ok(deliverable)
}

async fn from_documents(run: &Run, question: &str, options: &Options) -> Result<Deliverable> {
    let rules = &options.rules;
    let found = run.retrieve(&search(run, question, options)).await?;
    let also = by_terms(run, options).await?;
    let coverage = Coverage::of(&found);
    let nearness = measure_nearness(&found);
    let near = nearness.map_or_else(String::new, |near| format!("; closest in meaning: {near:.2}"));
    run.say(format!(
        "found {} passages; they cover {:.0} % of the question's words{near}",
        found.passages.len(),
        coverage.passages * 100.0
    ));
    let (language, weights) = (found.language, weigh_terms(&found));
    let sought = Sought::of(question, &found);
    let mut looked = Looked::of(question, &found);
    let has_vectors = found.cosines.is_some();
    let own = relevant(found, coverage, nearness, rules, run.mode());
    let passages = together(std::iter::once(own).chain(also).collect());
    if passages.is_empty() {
        return Ok(nothing_found(run, options, coverage.passages, &sought));
    }

    // Without a writer there is no context limit.
    let room = if run.mode() == Mode::Offline { u32::MAX } else { rules.context_tokens };
    let evidence = run.cite(in_context(run, passages, room).await?)?;
    if has_vectors && run.mode() == Mode::Offline {
        looked.compare(run, question, &evidence).await?;
    }
    grounded::hold_back(run, LONGEST_ANSWER)?;
    let extracted = LazyLock::new(|| looked.extract(question, &evidence, rules));
    let quotes = || extracted.prose.clone();
    let draft: Prose = options
        .asking(run, &WRITER, question)
        .citing_statements(&evidence)
        .as_synthesis()
        .even_if_unusable()
        .offline(quotes)
        .reply()
        .await?;
    let subject = Subject {
        run,
        question,
        evidence: &evidence,
        answers: &|words| covers(words, language, &weights, rules),
        call: &|| options.asking(run, &WRITER, question).citing_statements(&evidence),
        unsupported: rules.unsupported,
    };
    let grounded = grounded::ground(&subject, &draft, quotes).await?;
    let closest = if grounded.holds { &[] } else { extracted.closest.as_slice() };
    Ok(answer(run, options, &draft, grounded, coverage.passages, closest))
}

/// Returns whether `words` hold enough of the question to answer it.
fn covers(words: &str, language: Language, weights: &[(String, f64)], rules: &Rules) -> bool {
    extract::bearing(weights, &[text::terms(words, language)]) >= rules.extractive_coverage
}

/// Retrieves for each search term of an approved plan, as for the question. Returns the relevant passages of each, best first.
async fn by_terms(run: &Run, options: &Options) -> Result<Vec<Vec<Passage>>> {
    let mut by_terms = Vec::new();
    for term in approved(run) {
        let found = match run.retrieve(&search(run, &term, options)).await {
            Ok(found) => found,
            // The passages found so far are enough to answer from.
            Err(stop @ Stop::Budget { .. }) => {
                run.warn(format!("some search terms were not searched: {stop}"));
                break;
            }
            Err(stop) => return Err(stop),
        };
        by_terms.push(relevant_of(found, &options.rules, run.mode()));
    }
    Ok(by_terms)
}

async fn from_the_model(run: &Run, question: &str, options: &Options) -> Result<Deliverable> {
    let fields = |answer: &str, assumptions: &[String]| {
        build_fields(
            options,
            [
                ("answer", json!(answer)),
                ("assumptions", json!(remarks(assumptions))),
                ("grounded", json!(false)),
            ],
        )
    };
    if run.mode() == Mode::Offline {
        run.warn(
            "the strategy 'direct' needs a model, and none is configured. Choose a model with `--model`, or another strategy",
        );
        let fields = fields(
            "No answer: the strategy 'direct' asks a model, and none is configured. Choose a model, or a strategy that \
                reads documents.",
            &[],
        );
        return Ok(Deliverable { outcome: Outcome::NotEnoughEvidence, fields, ledger: vec![] });
    }
    let said: Said = options.asking(run, &ANSWERER, question).as_synthesis().reply().await?;
    run.warn(
        "ungrounded: the model answered from memory, and no sentence was checked against a source",
    );
    let fields = fields(&grounding::clean(&said.text), &said.assumptions);
    Ok(Deliverable { outcome: Outcome::Answered, fields, ledger: vec![] })
}

fn answer(
    run: &Run,
    options: &Options,
    draft: &Prose,
    grounded: Grounded,
    coverage: f64,
    closest: &[Closest],
) -> Deliverable {
    let Grounded { text, ledger, holds } = grounded;
    warn_of_unsupported(run, options.rules.unsupported, &ledger);
    let outcome = if holds { Outcome::Answered } else { Outcome::NotEnoughEvidence };
    let answer = match closest {
        _ if holds => text,
        [] => nothing(options).to_owned(),
        _ => "Not enough evidence: no sentence in the sources clearly answers the question."
            .to_owned(),
    };
    let mut gaps = remarks(&draft.open);
    if !holds && gaps.is_empty() {
        gaps.push(SILENT.to_owned());
    }
    let fields = build_fields(
        options,
        [
            ("answer", json!(answer)),
            ("assumptions", json!(remarks(&draft.assumed))),
            ("gaps", json!(gaps)),
            ("closest", if closest.is_empty() { Value::Null } else { json!(closest) }),
            ("coverage", json!(coverage)),
            ("grounded", json!(holds)),
            ("reader", json!(grounded::reader(run))),
        ],
    );
    Deliverable { outcome, fields, ledger }
}

/// Warns about the claims that did not hold, and says what was done with them.
fn warn_of_unsupported(run: &Run, unsupported: Unsupported, ledger: &[Claim]) {
    let failed = ledger.iter().filter(|claim| !claim.verdict.holds()).count();
    if failed > 0 {
        let done = match unsupported {
            Unsupported::Cut => "cut from the answer",
            Unsupported::Mark => "marked as unsupported",
        };
        run.warn(grounded::describe_failed(failed, done, "deliverable.claims"));
    }
}

/// Returns the writer's own remarks, which are not checked: each on one line and without marks, so that none looks like a checked claim.
fn remarks(said: &[String]) -> Vec<String> {
    said.iter().map(|remark| plain(remark)).filter(|remark| !remark.is_empty()).collect()
}

fn build_fields<const N: usize>(options: &Options, own: [(&str, Value); N]) -> Map<String, Value> {
    let Options { strategy, company, .. } = options;
    let company = (!company.is_empty()).then(|| ("company", json!(company)));
    let own = own.into_iter().chain([("strategy", json!(strategy))]).chain(company);
    own.filter(|(_, value)| !value.is_null()).map(|(key, value)| (key.to_owned(), value)).collect()
}

fn search(run: &Run, question: &str, options: &Options) -> Search {
    let search = search_in(&options.collection(run), question, options);
    match run.mode() {
        Mode::Model => search,
        // Without a model, more passages cost little: statements are only ranked.
        Mode::Offline => Search { top_k: search.top_k.max(extractive::PASSAGES), ..search },
    }
}

fn search_in(collection: &str, question: &str, options: &Options) -> Search {
    Search {
        collection: collection.to_owned(),
        question: question.to_owned(),
        filter: options.conditions(),
        top_k: options.rules.top_k,
        retrieval: options.rules.retrieval,
    }
}

/// Returns the bytes of the longest prompt that a writer can get.
fn context_bytes(writer: &Agent, rules: &Rules) -> usize {
    /// The token estimate counts four characters a token; a character is at most four bytes.
    const BYTES_PER_TOKEN: usize = 16;
    writer.text.len() + rules.context_tokens as usize * BYTES_PER_TOKEN
}

/// Returns the agents that a strategy calls, and how often at most. `goes_on`: whether it continues an earlier report.
pub fn calls(rules: &Rules, question: &str, strategy: Strategy, goes_on: bool) -> Vec<Calls> {
    /// A call, its repair, and one fresh call.
    const TRIES: u32 = 3;
    /// Tokens of an answer with its addresses.
    const USUAL_ANSWER: u32 = 300;
    let own = |agent: Agent| Calls {
        agent,
        prompt_bytes: agent.text.len() + question.len(),
        evidence_tokens: 0,
        reply_tokens: USUAL_ANSWER,
        usual: 1,
        most: TRIES,
    };
    let writer = Calls {
        agent: WRITER,
        prompt_bytes: context_bytes(&WRITER, rules) + question.len(),
        evidence_tokens: rules.context_tokens,
        reply_tokens: USUAL_ANSWER,
        usual: 1,
        most: 2 * TRIES,
    };
    let reader = grounded::reader_calls(LONGEST_ANSWER, USUAL_ANSWER, TRIES);
    match strategy {
        Strategy::Direct => vec![own(ANSWERER)],
        Strategy::Rag => vec![writer, reader],
        Strategy::Search => vec![own(outside::SEARCHER), writer, reader],
        Strategy::Deep => deep::calls(rules, question, goes_on, TRIES),
    }
}

/// An answer from the model alone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Said {
    /// The answer.
    #[schemars(length(max = 12_000))]
    pub text: String,
    /// How the question was read where it can be read in more than one way.
    #[serde(default)]
    pub assumptions: Vec<String>,
}

impl Reply for Said {
    const DRAFT: Option<&'static str> = Some("text");

    fn check(&self) -> std::result::Result<(), String> {
        if self.text.trim().is_empty() { Err("`text` is empty".into()) } else { Ok(()) }
    }
}
