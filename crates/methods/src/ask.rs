//! Answers a question: from the model alone, or from the user's own documents with every sentence checked.
//!
//! Over documents: retrieve, see whether what was found bears on the question at all, put the best of it
//! before the writer, and enter what the writer claims into the ledger. What does not hold goes back to
//! the writer once; what still fails is not stated.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use run::analysis::{self, Language};
use run::budget::Spend;
use run::evidence::{Numbered, Passage};
use run::ledger::{self, Claim, Quoted, Unsupported, Verdict, Written};
use run::library::{Cosines, Found, Retrieval, Search};
use run::{Agent, Deliverable, Mode, Outcome, Reply, Result, Run, extract, grounding};

const WRITER: Agent =
    Agent { name: "writer", prompt: "ask/writer", text: include_str!("../prompts/ask/writer.md") };
const ANSWERER: Agent = Agent {
    name: "answerer",
    prompt: "ask/answerer",
    text: include_str!("../prompts/ask/answerer.md"),
};

/// How a question is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Strategy {
    /// The model alone, without evidence; the answer is marked as ungrounded.
    Direct,
    /// The user's documents: retrieve, then answer from what was found.
    Rag,
}

/// What `ask` is started with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Options {
    pub strategy: Strategy,
    /// The collection to answer from.
    #[serde(default)]
    pub collection: String,
    /// Only documents whose metadata has each of these values.
    #[serde(default)]
    pub filter: BTreeMap<String, String>,
    pub rules: Rules,
}

/// The limits of retrieval and what becomes of claims that do not hold.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Rules {
    /// How documents are searched.
    #[serde(default)]
    pub retrieval: Retrieval,
    /// Passages to retrieve.
    pub top_k: u32,
    /// 0 to 1: a passage is left out if its score is less than this share of the best one's.
    pub score_threshold: f64,
    /// 0 to 1: the share of the question's content words, weighted by IDF, that the best passages must hold.
    pub coverage_threshold: f64,
    /// 0 to 1: where vectors were compared, the nearness below which nothing is relevant, and the one from which on
    /// coverage is not asked for.
    #[serde(default)]
    pub nearness_threshold: f64,
    #[serde(default)]
    pub near_enough: f64,
    /// Tokens of evidence put before the writer.
    pub context_tokens: u32,
    /// Sentences of an extractive answer, at most.
    pub extractive_sentences: u32,
    /// 0 to 1: the share of the question that a sentence of an extractive answer must cover with its heading.
    pub extractive_coverage: f64,
    pub unsupported: Unsupported,
}

/// Passages that are looked at to see whether the question is covered.
const COVERING: usize = 3;

pub(crate) async fn perform(run: &Run) -> Result<Deliverable> {
    let options: Options = run.options()?;
    ask(run, run.question(), &options).await
}

/// Answers the question.
pub async fn ask(run: &Run, question: &str, options: &Options) -> Result<Deliverable> {
    match options.strategy {
        Strategy::Direct => from_the_model(run, question).await,
        Strategy::Rag => from_documents(run, question, options).await,
    }
}

async fn from_documents(run: &Run, question: &str, options: &Options) -> Result<Deliverable> {
    let rules = &options.rules;
    run.hold_back(&WRITER, context_bytes(rules) + question.len())?;
    let found = run.retrieve(&search(question, options)).await?;
    let coverage = coverage(&found);
    let nearness = nearness(&found);
    let near = nearness.map_or_else(String::new, |near| format!(", at a nearness of {near:.2}"));
    run.say(format!(
        "found {} passages; they cover {:.0} % of the question{near}",
        found.passages.len(),
        coverage * 100.0
    ));
    let (language, weights) = (found.language, weights(&found));
    let passages = relevant(found, coverage, nearness, rules);
    if passages.is_empty() {
        return Ok(nothing_found(options, coverage));
    }

    let evidence = run.cite(packed(passages, rules.context_tokens))?;
    let draft: Draft = run
        .agent(&WRITER)
        .given("Question", question)
        .citing(&evidence)
        .as_synthesis()
        .offline(|| extracted(question, &evidence, language, &weights, rules))
        .reply()
        .await?;
    let (draft, mut ledger) = checked(run, question, &evidence, draft).await?;
    ledger::number(&mut ledger);
    Ok(answer(run, options, &draft, ledger, coverage))
}

async fn from_the_model(run: &Run, question: &str) -> Result<Deliverable> {
    let fields = |answer: &str, assumptions: &[String]| {
        fields(
            Strategy::Direct,
            [
                ("answer", json!(answer)),
                ("assumptions", json!(remarks(assumptions))),
                ("grounded", json!(false)),
            ],
        )
    };
    if run.mode() == Mode::Offline {
        run.warn(
            "the strategy 'direct' needs a model: without one there is nothing to answer from",
        );
        let fields =
            fields("No answer: the strategy 'direct' asks a model, and none is configured.", &[]);
        return Ok(Deliverable { outcome: Outcome::NotEnoughEvidence, fields, ledger: vec![] });
    }
    let said: Said =
        run.agent(&ANSWERER).given("Question", question).as_synthesis().reply().await?;
    run.warn("ungrounded: this answer comes from the model alone and nothing in it was checked");
    let fields = fields(&grounding::clean(&said.text), &said.assumptions);
    Ok(Deliverable { outcome: Outcome::Answered, fields, ledger: vec![] })
}

/// Returns what the writer may see: the passages that pass the thresholds, best first.
fn relevant(found: Found, coverage: f64, nearness: Option<f64>, rules: &Rules) -> Vec<Passage> {
    let best = found.passages.first().map_or(0.0, |passage| passage.score);
    let covered = coverage >= rules.coverage_threshold;
    let bears_on_it = nearness.map_or(covered, |near| {
        near >= rules.near_enough || (near >= rules.nearness_threshold && covered)
    });
    if !bears_on_it || best <= 0.0 {
        return Vec::new();
    }
    found
        .passages
        .into_iter()
        .filter(|passage| passage.score >= best * rules.score_threshold)
        .collect()
}

/// Returns the share of the question's content words, weighted by IDF, that the best passages hold.
pub fn coverage(found: &Found) -> f64 {
    let best: Vec<Vec<String>> = found
        .passages
        .iter()
        .take(COVERING)
        .map(|passage| {
            analysis::terms(&format!("{}\n{}", passage.place.section, passage.text), found.language)
        })
        .collect();
    extract::coverage(&weights(found), &best)
}

/// Returns how much nearer than usual the question came to the chunk nearest to it: 0 as near as to any, 1 the same text;
/// none where vectors were not compared.
///
/// Every embedder has cosines of its own (unrelated texts have 0.05 with one and 0.75 with another), so the best one is
/// measured from their mean over the collection. A collection of fewer than twenty chunks counts as one of
/// twenty: in one of a single chunk the mean is the best.
pub fn nearness(found: &Found) -> Option<f64> {
    let Cosines { best, mean } = found.cosines?;
    let mean = mean * found.chunks as f64 / found.chunks.max(FEWEST_CHUNKS) as f64;
    let room = 1.0 - mean;
    (room > f64::EPSILON).then(|| ((best - mean) / room).clamp(0.0, 1.0))
}

/// Chunks that a collection counts as, at least.
const FEWEST_CHUNKS: u64 = 20;

/// Returns the question's content words with their IDF in the collection, as Lucene's BM25 has it.
///
/// A small collection counts as one of twenty chunks, so that in a page or two the words that stand
/// there still weigh something beside those that do not.
fn weights(found: &Found) -> Vec<(String, f64)> {
    let idf = |documents: u64| {
        let (all, with) = (found.chunks.max(FEWEST_CHUNKS) as f64, documents as f64);
        (1.0 + (all - with + 0.5) / (with + 0.5)).ln()
    };
    found.terms.iter().map(|(term, documents)| (term.clone(), idf(*documents))).collect()
}

/// Takes passages, best first, until the token budget is used up; the first always fits.
fn packed(passages: Vec<Passage>, tokens: u32) -> Vec<Passage> {
    let mut left = tokens as usize;
    let mut pack = Vec::new();
    for passage in passages {
        let needed = analysis::tokens(&passage.text);
        if needed > left && !pack.is_empty() {
            break;
        }
        left = left.saturating_sub(needed);
        pack.push(passage);
    }
    pack
}

/// Enters the draft into the ledger; what does not hold goes back to the writer once.
async fn checked(
    run: &Run,
    question: &str,
    evidence: &[Numbered],
    draft: Draft,
) -> Result<(Draft, Vec<Claim>)> {
    let ledger = ledger::enter(&draft.claims, evidence);
    let violations = ledger::violations(&ledger);
    if violations.is_empty() || run.mode() == Mode::Offline {
        return Ok((draft, ledger));
    }
    run.say("some claims did not hold; asking the writer once more");
    let again = run
        .agent(&WRITER)
        .given("Question", question)
        .given("Claims of your earlier answer that did not hold", &violations)
        .citing(evidence)
        .offline(|| draft.clone())
        .reply::<Draft>()
        .await;
    match again {
        Ok(second) => {
            let entered = ledger::enter(&second.claims, evidence);
            // The better of the two stands: a rewrite may lose what already held.
            if held(&entered) >= held(&ledger) {
                Ok((second, entered))
            } else {
                Ok((draft, ledger))
            }
        }
        Err(stop @ (run::Stop::Budget { .. } | run::Stop::Stage { .. })) => {
            run.warn(format!("the writer could not be asked again: {stop}"));
            Ok((draft, ledger))
        }
        Err(stop) => Err(stop),
    }
}

fn held(ledger: &[Claim]) -> usize {
    ledger.iter().filter(|claim| claim.verdict == Verdict::Verified).count()
}

fn answer(
    run: &Run,
    options: &Options,
    draft: &Draft,
    ledger: Vec<Claim>,
    coverage: f64,
) -> Deliverable {
    let unsupported = options.rules.unsupported;
    let failed = ledger.len() - held(&ledger);
    if failed > 0 {
        let done = match unsupported {
            Unsupported::Cut => "cut from the answer",
            Unsupported::Mark => "marked as unsupported",
        };
        run.warn(format!("{failed} claims did not hold against their sources and were {done}; see deliverable.claims"));
    }
    let text = ledger::text(&ledger, unsupported);
    let outcome = if held(&ledger) > 0 { Outcome::Answered } else { Outcome::NotEnoughEvidence };
    let answer = match outcome {
        Outcome::Answered => text,
        Outcome::NotEnoughEvidence => NOTHING.to_owned(),
    };
    let fields = fields(
        Strategy::Rag,
        [
            ("answer", json!(answer)),
            ("assumptions", json!(remarks(&draft.assumptions))),
            ("gaps", json!(remarks(&draft.gaps))),
            ("coverage", json!(coverage)),
            ("grounded", json!(outcome == Outcome::Answered)),
        ],
    );
    Deliverable { outcome, fields, ledger }
}

/// Returns the writer's own remarks, which nothing checks: each on one line, so that none looks like more.
fn remarks(said: &[String]) -> Vec<String> {
    said.iter().map(|remark| ledger::one_line(&grounding::clean(remark))).collect()
}

const NOTHING: &str = "Not enough evidence: the documents do not answer this question.";

fn nothing_found(options: &Options, coverage: f64) -> Deliverable {
    let whose = if options.filter.is_empty() {
        "the documents"
    } else {
        "the documents that pass the filter"
    };
    let gap = format!("nothing in {whose} bears on the question closely enough");
    let fields = fields(
        Strategy::Rag,
        [
            ("answer", json!(NOTHING)),
            ("assumptions", json!([])),
            ("gaps", json!([gap])),
            ("coverage", json!(coverage)),
            ("grounded", json!(false)),
        ],
    );
    Deliverable { outcome: Outcome::NotEnoughEvidence, fields, ledger: vec![] }
}

fn fields<const N: usize>(strategy: Strategy, own: [(&str, Value); N]) -> Map<String, Value> {
    let own = own.into_iter().map(|(key, value)| (key.to_owned(), value));
    own.chain([("strategy".to_owned(), json!(strategy))]).collect()
}

fn search(question: &str, options: &Options) -> Search {
    Search {
        collection: options.collection.clone(),
        question: question.to_owned(),
        filter: options.filter.clone(),
        top_k: options.rules.top_k,
        retrieval: options.rules.retrieval,
    }
}

/// The bytes of the longest prompt that the writer can get.
fn context_bytes(rules: &Rules) -> usize {
    /// A token of the house's estimate is four characters; a character is at most four bytes.
    const BYTES_PER_TOKEN: usize = 16;
    WRITER.text.len() + rules.context_tokens as usize * BYTES_PER_TOKEN
}

/// Returns the most that answering can cost: every try of the writer's call, and of its return, at its worst case.
pub fn worst_case(
    rules: &Rules,
    question: &str,
    strategy: Strategy,
    max_tokens: u32,
    price: Option<run::budget::Price>,
) -> Spend {
    match strategy {
        Strategy::Direct => {
            let call = Spend::worst_case(ANSWERER.text.len() + question.len(), max_tokens, price);
            call + call + call
        }
        Strategy::Rag => {
            let call = Spend::worst_case(context_bytes(rules) + question.len(), max_tokens, price);
            let tries = call + call + call;
            tries + tries
        }
    }
}

/// The agent that writes the answer of a strategy.
pub fn writer(strategy: Strategy) -> Agent {
    match strategy {
        Strategy::Direct => ANSWERER,
        Strategy::Rag => WRITER,
    }
}

/// The answer as its writer states it, claim by claim.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Draft {
    /// The answer in reading order, one sentence each.
    pub claims: Vec<Written>,
    /// What the question asks and the evidence does not answer.
    #[serde(default)]
    pub gaps: Vec<String>,
    /// How the question was read where it can be read in more than one way.
    #[serde(default)]
    pub assumptions: Vec<String>,
}

impl Reply for Draft {
    const DRAFT: Option<&'static str> = Some("text");
}

/// An answer from the model alone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Said {
    /// The answer.
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

/// Tells whether a passage stands under a heading that lists sources rather than says something.
fn is_apparatus(source: &Numbered) -> bool {
    const HEADINGS: [&str; 8] = [
        "sources",
        "references",
        "bibliography",
        "literature",
        "works cited",
        "further reading",
        "see also",
        "notes",
    ];
    let section = &source.evidence.provenance.place.section;
    let heading = section.rsplit(" > ").next().unwrap_or_default().trim().to_lowercase();
    HEADINGS.contains(&heading.as_str())
}

/// Where an extractive answer has nothing to quote.
const SILENT: &str = "passages were found that may bear on the question, but no sentence of them has enough of its words to be quoted as an \
                      answer; a model can answer from passages in other words";

/// Says what can be said without a model: the sentences of the evidence that answer best, word for word.
///
/// `weights` are the question's content words with their IDF. A sentence counts if it holds, with its
/// heading, enough of them, and not much less than the best one does.
pub fn extracted(
    question: &str,
    evidence: &[Numbered],
    language: Language,
    weights: &[(String, f64)],
    rules: &Rules,
) -> Draft {
    /// A sentence that covers less than this share of what the best one covers adds nothing.
    const BESIDE_THE_BEST: f64 = 0.6;
    let texts: Vec<&str> = evidence.iter().map(|one| one.evidence.text.as_str()).collect();
    let picked =
        extract::answer_sentences(question, &texts, language, rules.extractive_sentences as usize);
    let claims = picked.iter().filter_map(|pick| {
        let source = evidence.get(pick.passage).filter(|source| !is_apparatus(source))?;
        let quote = source.evidence.text.get(pick.span.clone())?.to_owned();
        let heading = &source.evidence.provenance.place.section;
        let covered = extract::coverage(
            weights,
            &[analysis::terms(&format!("{heading}\n{quote}"), language)],
        );
        let citations = vec![Quoted { evidence: source.number, quote: quote.clone() }];
        Some((Written { text: quote, citations }, covered))
    });
    let claims: Vec<(Written, f64)> = claims.collect();
    let best = claims.iter().map(|(_, covered)| *covered).fold(0.0, f64::max);
    let enough = rules.extractive_coverage.max(best * BESIDE_THE_BEST);
    let claims = claims.into_iter().filter(|(_, covered)| *covered >= enough);
    let claims: Vec<Written> = claims.map(|(claim, _)| claim).collect();
    let silent = claims.is_empty().then(|| SILENT.to_owned());
    Draft { claims, gaps: silent.into_iter().collect(), assumptions: vec![] }
}
