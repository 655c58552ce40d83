//! A folder in BEIR's layout: `corpus.jsonl`, `queries.jsonl`, and judgements in `qrels/<split>.tsv`.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use serde_json::{Map, Value};

use super::error::{DatasetError, Fault};
use super::lines::{self, Limits, text};
use super::questions::{LARGEST_FILE, LIMITS, LONGEST_ID};
use super::{Case, Dataset, Document, name};

const LARGEST_CORPUS: u64 = 1 << 30;
const DOCUMENTS: Limits = Limits { line_bytes: 16 << 20, lines: 5_000_000 };
const JUDGEMENTS: Limits = Limits { line_bytes: 4 << 10, lines: 10_000_000 };

/// Which judgements of a folder are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Split {
    Train,
    Dev,
    Test,
    /// All that exist.
    #[default]
    All,
}

impl Split {
    pub const ALL: [Split; 4] = [Split::Train, Split::Dev, Split::Test, Split::All];

    pub fn name(self) -> &'static str {
        match self {
            Split::Train => "train",
            Split::Dev => "dev",
            Split::Test => "test",
            Split::All => "all",
        }
    }
}

impl fmt::Display for Split {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Split {
    type Err = String;

    fn from_str(name: &str) -> Result<Split, String> {
        let known = Split::ALL.into_iter().find(|split| split.name() == name);
        known.ok_or_else(|| format!("there is no split '{name}'; write train, dev, test or all"))
    }
}

/// Returns the test collections that a folder is or holds, sorted by name.
///
/// # Errors
/// If the folder cannot be read, or holds none.
pub fn folders(folder: &Path) -> Result<Vec<PathBuf>, DatasetError> {
    let is_one = |folder: &Path| folder.join("corpus.jsonl").is_file();
    if is_one(folder) {
        return Ok(vec![folder.to_owned()]);
    }
    let file = folder.display().to_string();
    let entries = std::fs::read_dir(folder).map_err(|error| DatasetError::Unreadable {
        file: file.clone(),
        reason: error.to_string(),
    })?;
    let mut found: Vec<PathBuf> =
        entries.filter_map(|entry| Some(entry.ok()?.path())).filter(|path| is_one(path)).collect();
    if found.is_empty() {
        return Err(DatasetError::NoFolder { folder: file });
    }
    found.sort();
    Ok(found)
}

/// Reads a folder. Queries without a relevant document in the chosen judgements are left out.
pub(super) fn read(folder: &Path, split: Split) -> Result<Dataset, DatasetError> {
    let documents = read_documents(&there(folder, "corpus.jsonl")?)?;
    let mut cases = queries(&there(folder, "queries.jsonl")?)?;
    let mut notes = Vec::new();
    let mut read: Vec<&str> = Vec::new();
    let mut judged = Judged::default();
    let chosen = match split {
        Split::All => [Split::Train, Split::Dev, Split::Test]
            .into_iter()
            .filter(|split| folder.join("qrels").join(format!("{split}.tsv")).is_file())
            .collect(),
        one => vec![one],
    };
    if chosen.is_empty() {
        let folder = folder.display().to_string();
        return Err(DatasetError::NotBeir { folder, missing: "qrels/*.tsv".into() });
    }
    for split in chosen {
        let file = there(folder, &format!("qrels/{split}.tsv"))?;
        let bytes = lines::bytes(&file, LARGEST_CORPUS)?;
        judgements(&file.display().to_string(), &bytes, &mut judged)?;
        read.push(split.name());
    }
    let Judged { grades, headless, otherwise } = judged;
    for file in headless {
        notes.push(format!("{file} has no header; its first line is read as a judgement"));
    }
    if otherwise > 0 {
        notes.push(format!(
            "{otherwise} documents are judged twice with different grades; the higher one counts"
        ));
    }
    let known: HashSet<&str> = documents.iter().map(|document| document.id.as_str()).collect();
    let unknown: BTreeSet<&str> = grades
        .values()
        .flat_map(BTreeMap::keys)
        .map(String::as_str)
        .filter(|id| !known.contains(id))
        .collect();
    if !unknown.is_empty() {
        notes.push(format!(
            "{} judged documents are not in the corpus; they count as relevant documents that cannot be found",
            unknown.len()
        ));
    }
    let asked: HashSet<&str> = cases.iter().map(|case| case.id.as_str()).collect();
    let foreign = grades.keys().filter(|id| !asked.contains(id.as_str())).count();
    if foreign > 0 {
        notes.push(format!("{foreign} judged queries are not in queries.jsonl and are left out"));
    }
    let all = cases.len();
    for case in &mut cases {
        if let Some(grades) = grades.get(&case.id) {
            case.relevant = grades
                .iter()
                .filter(|(_, grade)| **grade > 0)
                .map(|(id, grade)| (id.clone(), *grade))
                .collect();
        }
    }
    cases.retain(|case| !case.relevant.is_empty());
    let read = format!("qrels/{}.tsv", read.join(".tsv, qrels/"));
    if cases.is_empty() {
        return Err(DatasetError::Unjudged { folder: folder.display().to_string(), read });
    }
    if cases.len() < all {
        notes.push(format!(
            "{} of {all} queries have no relevant document in {read} and are left out",
            all - cases.len()
        ));
    }
    Ok(Dataset::of(name(folder), cases, documents, notes))
}

fn there(folder: &Path, file: &str) -> Result<PathBuf, DatasetError> {
    let path = folder.join(file);
    if path.is_file() {
        return Ok(path);
    }
    Err(DatasetError::NotBeir { folder: folder.display().to_string(), missing: file.to_owned() })
}

fn read_documents(path: &Path) -> Result<Vec<Document>, DatasetError> {
    let mut documents = Vec::new();
    each(path, LARGEST_CORPUS, &DOCUMENTS, |id, fields| {
        let field = |key| fields.get(key).map_or(Ok(None), |value| text(key, value));
        let title = field("title")?.unwrap_or_default();
        // No search finds a document without text, but published collections contain them.
        let text = field("text")?.unwrap_or_default();
        documents.push(Document { id, title, text });
        Ok(())
    })?;
    Ok(documents)
}

fn queries(path: &Path) -> Result<Vec<Case>, DatasetError> {
    let mut cases = Vec::new();
    each(path, LARGEST_FILE, &LIMITS, |id, fields| {
        let question = fields.get("text").map_or(Ok(None), |value| text("text", value))?;
        let question = question.ok_or(Fault::Missing { key: "text" })?;
        cases.push(Case { id, question, ..Case::default() });
        Ok(())
    })?;
    Ok(cases)
}

/// Calls `take` with every object of a file and its id.
fn each(
    path: &Path,
    largest: u64,
    limits: &Limits,
    mut take: impl FnMut(String, &Map<String, Value>) -> Result<(), Fault>,
) -> Result<(), DatasetError> {
    let file = path.display().to_string();
    let bytes = lines::bytes(path, largest)?;
    let mut first: HashMap<String, usize> = HashMap::new();
    for (number, line) in lines::lines(&file, &bytes, limits)? {
        let mut one = || {
            let fields = lines::object(line)?;
            let id = fields.get("_id").map_or(Ok(None), |value| text("_id", value))?;
            let id = id.ok_or(Fault::Missing { key: "_id" })?;
            if id.chars().count() > LONGEST_ID {
                return Err(Fault::LongId { limit: LONGEST_ID });
            }
            if let Some(first) = first.insert(id.clone(), number) {
                return Err(Fault::Duplicate { id, first });
            }
            take(id, &fields)
        };
        one().map_err(|fault| DatasetError::Line { file: file.clone(), line: number, fault })?;
    }
    Ok(())
}

/// The judgements: the grades of documents by query.
#[derive(Default)]
pub(super) struct Judged {
    pub(super) grades: HashMap<String, BTreeMap<String, u32>>,
    /// Files whose first line is a judgement.
    pub(super) headless: Vec<String>,
    /// The number of documents with two grades for a query.
    pub(super) otherwise: usize,
}

/// Adds the judgements of a file: query-id, corpus-id and score, separated by tabs and below a header.
pub(super) fn judgements(
    file: &str,
    bytes: &[u8],
    judged: &mut Judged,
) -> Result<(), DatasetError> {
    for (index, (number, line)) in lines::lines(file, bytes, &JUDGEMENTS)?.into_iter().enumerate() {
        let wrong = |fault| DatasetError::Line { file: file.to_owned(), line: number, fault };
        let columns: Vec<&str> = line.split('\t').map(str::trim).collect();
        let [query, document, score] = columns[..] else {
            return Err(wrong(Fault::Columns { columns: columns.len() }));
        };
        let grade = match score.parse::<i64>() {
            Ok(grade) => u32::try_from(grade.max(0)).unwrap_or(u32::MAX),
            Err(_) if index == 0 => continue,
            Err(_) => return Err(wrong(Fault::Score { score: run::ledger::one_line(score) })),
        };
        if index == 0 {
            judged.headless.push(file.to_owned());
        }
        let grades = judged.grades.entry(query.to_owned()).or_default();
        let known = grades.entry(document.to_owned()).or_insert(grade);
        if *known != grade {
            judged.otherwise += 1;
            *known = grade.max(*known);
        }
    }
    Ok(())
}
