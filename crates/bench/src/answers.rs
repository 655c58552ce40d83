//! How well answers are chosen without a model, and how much each feature of an answer should count.
//!
//! Every question of the datasets is searched in its collection as `ask` does it, and the statements found are ranked. The output is a line
//! per dataset: for how many questions the answer was among what was found, among what would be shown, and first. `--dump` writes the
//! statements with their features, from which `bench/answers.py` learns the weights.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::{Value, json};

use eval::dataset::{self, Case, Split};
use eval::metrics::expected;
use extract::{Measured, Ranked, Ranker, SURE, Signs};
use methods::ask::extractive;
use run::library::{Library, Retrieval, Search};
use store::Store;

use crate::Failure;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The data folder that the collections are in.
    #[arg(long)]
    data_dir: PathBuf,
    /// A collection and the questions that are asked of it; may be given several times.
    #[arg(long, value_name = "COLLECTION=FILE", required = true)]
    ask: Vec<String>,
    /// The same with questions that the collection cannot answer, whatever they say of themselves.
    #[arg(long, value_name = "COLLECTION=FILE")]
    foreign: Vec<String>,
    /// What was learned, to be tried in the place of the house's own.
    #[arg(long)]
    ranker: Option<PathBuf>,
    /// Passages that are looked through.
    #[arg(long, default_value_t = extractive::PASSAGES)]
    passages: u32,
    /// Writes every statement of every question with its signs to a file, a line a question.
    #[arg(long)]
    dump: Option<PathBuf>,
    /// Prints every question with what would be shown.
    #[arg(long)]
    cases: bool,
    /// From which sureness on an answer is given.
    #[arg(long, default_value_t = extractive::SURE_ENOUGH)]
    sure: f64,
}

/// A question whose statements were measured.
struct Asked {
    set: String,
    case: Case,
    statements: Vec<Measured>,
    /// Whether each statement contains a right answer.
    right: Vec<bool>,
    /// Whether the part that would be quoted does.
    holds: Vec<bool>,
    /// The text that would be shown for each statement.
    shown: Vec<String>,
}

/// The number of statements in an answer.
const SHOWN: usize = 3;

#[expect(clippy::print_stdout, reason = "a program whose output is its result")]
pub(crate) async fn measure(args: &Args) -> Result<(), Failure> {
    let store = Store::open(&args.data_dir)?;
    let mut all = Vec::new();
    for set in &args.ask {
        let (collection, file) = set.split_once('=').ok_or("--ask takes COLLECTION=FILE")?;
        for case in dataset::read(&PathBuf::from(file), Split::All)?.cases {
            all.push(ask(&store, args, collection, set, case).await?);
        }
    }
    for set in &args.foreign {
        let (collection, file) = set.split_once('=').ok_or("--foreign takes COLLECTION=FILE")?;
        for case in dataset::read(&PathBuf::from(file), Split::All)?.cases {
            let case = Case { answerable: Some(false), expects: vec![], ..case };
            all.push(ask(&store, args, collection, &format!("foreign {set}"), case).await?);
        }
    }
    if let Some(file) = &args.dump {
        std::fs::write(file, dumped(&all))?;
    }
    let ranker = match &args.ranker {
        Some(file) => serde_json::from_slice(&std::fs::read(file)?)?,
        None => Ranker::own().clone(),
    };
    let foreign: Vec<String> = args.foreign.iter().map(|set| format!("foreign {set}")).collect();
    for set in args.ask.iter().chain(&foreign) {
        let of_set: Vec<&Asked> = all.iter().filter(|one| one.set == *set).collect();
        println!("{}", told(set, &of_set, &ranker, args));
    }
    println!("{}", told("all", &all.iter().collect::<Vec<_>>(), &ranker, args));
    Ok(())
}

/// Returns a line with the names of the features, then a line per question.
fn dumped(all: &[Asked]) -> String {
    let mut lines = json!({"signs": Signs::NAMES, "sure": SURE}).to_string();
    for one in all {
        let statement = |(index, statement): (usize, &Measured)| {
            json!({"passage": statement.passage, "quote": statement.quote, "right": one.right.get(index), "holds": one.holds.get(index),
                "shown": one.shown.get(index), "signs": statement.signs.values()})
        };
        let statements: Vec<Value> = one.statements.iter().enumerate().map(statement).collect();
        let line = json!({"set": one.set, "id": one.case.id, "question": one.case.question, "answerable": one.is_answerable(), "statements": statements});
        lines.push('\n');
        lines.push_str(&line.to_string());
    }
    lines
}

async fn ask(
    store: &Store,
    args: &Args,
    collection: &str,
    set: &str,
    case: Case,
) -> Result<Asked, Failure> {
    let search = Search {
        collection: collection.to_owned(),
        question: case.question.clone(),
        filter: BTreeMap::new(),
        top_k: args.passages,
        retrieval: Retrieval::Auto,
    };
    let found = store.search("local", &search, None).await?;
    let looked = extractive::Looked::of(&case.question, &found);
    let statements = looked.measured(&case.question, &found.passages);
    let text = |one: &Measured, span: &std::ops::Range<usize>| -> String {
        let text =
            found.passages.get(one.passage).and_then(|passage| passage.text.get(span.clone()));
        format!("{}: {}", one.label, text.unwrap_or_default())
    };
    let is_right = |shown: &String| expected(shown, &case.expects) == Some(1.0);
    // The same words may occur elsewhere by chance.
    let is_relevant = |one: &Measured| {
        let uri = found.passages.get(one.passage).map_or("", |passage| passage.source_uri.as_str());
        case.relevant.is_empty() || case.relevant.keys().any(|path| uri.ends_with(path.as_str()))
    };
    let shown: Vec<String> = statements.iter().map(|one| text(one, &one.quote)).collect();
    let holds = shown.iter().map(is_right).collect();
    let right =
        statements.iter().map(|one| is_relevant(one) && is_right(&text(one, &one.span))).collect();
    Ok(Asked { set: set.to_owned(), case, statements, right, holds, shown })
}

impl Asked {
    fn is_answerable(&self) -> bool {
        self.case.answerable != Some(false)
    }

    /// Returns the indices of the statements that would be shown, and the confidence that they answer.
    fn answer(&self, ranker: &Ranker) -> (Vec<usize>, f64) {
        let ranked = Ranked::of(self.statements.clone(), ranker);
        let index = |one: &Measured| {
            self.statements
                .iter()
                .position(|other| (other.passage, &other.span) == (one.passage, &one.span))
        };
        let indices = ranked.best(SHOWN).into_iter().filter_map(index).collect();
        (indices, ranked.sureness(ranker, SHOWN))
    }
}

fn told(set: &str, asked: &[&Asked], ranker: &Ranker, args: &Args) -> Value {
    let (mut found, mut first, mut among) = (0, 0, 0);
    let (mut right, mut wrong, mut refused, mut kept) = (0, 0, 0, 0);
    let mut cases = Vec::new();
    for one in asked {
        let (indices, sureness) = one.answer(ranker);
        let is_right = |index: &usize| one.holds.get(*index) == Some(&true);
        let holds = indices.iter().any(is_right);
        let is_sure = sureness >= args.sure;
        if one.is_answerable() {
            found += usize::from(one.right.contains(&true));
            first += usize::from(indices.first().is_some_and(is_right));
            among += usize::from(holds);
        }
        let came = match (one.is_answerable(), is_sure, holds) {
            (true, true, true) => {
                right += 1;
                "right"
            }
            (true, true, false) => {
                wrong += 1;
                "wrong"
            }
            (true, false, _) => {
                refused += 1;
                if holds { "refused, right" } else { "refused, wrong" }
            }
            (false, true, _) => {
                kept += 1;
                "answered"
            }
            (false, false, _) => "rightly refused",
        };
        if args.cases {
            let shown: Vec<&str> = indices
                .iter()
                .filter_map(|index| one.shown.get(*index))
                .map(String::as_str)
                .collect();
            let there =
                one.right.iter().position(|right| *right).and_then(|index| one.shown.get(index));
            cases.push(json!({"id": one.case.id, "question": one.case.question, "came": came, "sure": sureness, "expects": one.case.expects,
                "shown": shown, "there": there}));
        }
    }
    let answerable = asked.iter().filter(|one| one.is_answerable()).count();
    let mut told = json!({
        "set": set, "answerable": answerable, "found": found, "first": first, "among": among,
        "right": right, "wrong": wrong, "refused": refused,
        "unanswerable": asked.len() - answerable, "answered_all_the_same": kept,
    });
    if args.cases && set != "all" {
        told["cases"] = Value::Array(cases);
    }
    told
}
