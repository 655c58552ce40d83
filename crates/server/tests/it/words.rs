//! The languages of the page: whether each says everything that the page says.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The folders whose texts the page shows in the reader's language.
const TOLD_BY_SERVER: [&str; 6] =
    ["methods/src", "app/src", "papers/src", "quaestio/src", "server/src", "run/src"];

fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if entry.is_dir() {
            found.extend(files(&entry, ending));
        } else if entry.extension().is_some_and(|own| own == ending) {
            found.push(entry);
        }
    }
    found.sort();
    found
}

/// Returns a script without the lines of its comments.
fn script(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap();
    let is_code = |line: &&str| !["*", "/*", "//"].iter().any(|sign| line.trim().starts_with(sign));
    text.lines().filter(is_code).collect::<Vec<_>>().join("\n")
}

/// Returns the literal that a text begins with, if it is whole and holds no expression, and what stands behind it.
fn literal(text: &str) -> Option<(String, &str)> {
    let text = text.trim_start();
    let quote = text.chars().next().filter(|c| ['"', '\'', '`'].contains(c))?;
    let mut said = String::new();
    let mut rest = text[1..].chars();
    while let Some(c) = rest.next() {
        match c {
            '\\' => match rest.next()? {
                'n' => said.push('\n'),
                other => said.push(other),
            },
            '$' if quote == '`' && rest.as_str().starts_with('{') => return None,
            c if c == quote => return Some((said, rest.as_str())),
            c => said.push(c),
        }
    }
    None
}

/// Returns what stands behind each call of a function of that name.
fn calls<'a>(text: &'a str, name: &str) -> Vec<&'a str> {
    let opened = format!("{name}(");
    let is_whole = |at: usize| {
        let before = text[..at].chars().next_back();
        !before.is_some_and(|c| c.is_alphanumeric() || "_$.".contains(c))
            && !text[..at].ends_with("function ")
    };
    let found = text.match_indices(&opened).filter(|(at, _)| is_whole(*at));
    found.map(|(at, _)| &text[at + opened.len()..]).collect()
}

/// Returns what stands behind the next comma that is not within brackets.
fn next_argument(text: &str) -> Option<&str> {
    let mut depth = 0_i32;
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' if depth == 0 => return None,
            ')' | ']' | '}' => depth -= 1,
            ',' if depth == 0 => return Some(&text[at + 1..]),
            _ => {}
        }
    }
    None
}

/// Returns a table in a file of words: lines that begin with a key and a colon. A value may stand in the line below.
fn table(text: &str, name: &str) -> BTreeMap<String, String> {
    let (_, table) = text.split_once(&format!("export const {name} = {{")).unwrap();
    let (table, _) = table.split_once("\n};").unwrap();
    let mut lines = table.lines().map(str::trim).filter(|line| !line.starts_with("//")).peekable();
    let mut pairs = BTreeMap::new();
    while let Some(line) = lines.next() {
        let found = match literal(line) {
            Some((key, rest)) => rest.trim_start().strip_prefix(':').map(|rest| (key, rest)),
            None => line.split_once(':').map(|(key, rest)| (key.to_owned(), rest)),
        };
        let Some((key, rest)) = found else { continue };
        let value = literal(rest).or_else(|| literal(lines.peek().filter(|_| rest.is_empty())?));
        pairs.insert(key, value.map(|(value, _)| value).unwrap_or_default());
    }
    pairs
}

/// Returns the `{names}` that values take the place of.
fn places(text: &str) -> BTreeSet<&str> {
    let opened = text.split('{').skip(1).filter_map(|rest| rest.split_once('}'));
    opened.map(|(name, _)| name).collect()
}

/// Returns every literal in a text, wherever it stands.
fn literals(text: &str) -> BTreeSet<String> {
    let starts = text.match_indices(['"', '\'', '`']).map(|(at, _)| at);
    starts.filter_map(|at| literal(&text[at..])).map(|(said, _)| said).collect()
}

// proves: F3
#[test]
fn german_says_everything_that_the_page_says_and_nothing_else() {
    let page = crates().join("server/page");
    let german = fs::read_to_string(page.join("js/de.js")).unwrap();
    let (pairs, plurals) = (table(&german, "words"), table(&german, "plurals"));
    for (english, german) in &pairs {
        assert!(!german.is_empty(), "{english:?} has no German");
        assert_eq!(places(english), places(german), "{english:?}");
    }
    let words: BTreeSet<String> = pairs.into_keys().collect();
    let plurals: BTreeSet<String> = plurals.into_keys().collect();
    let (mut said, mut counted, mut known) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for path in files(&page.join("js"), "js") {
        if path.ends_with("de.js") {
            continue;
        }
        let text = script(&path);
        said.extend(calls(&text, "t").into_iter().filter_map(literal).map(|(key, _)| key));
        let numbers = calls(&text, "plural").into_iter().filter_map(next_argument);
        counted.extend(numbers.filter_map(literal).map(|(key, _)| key));
        known.extend(literals(&text));
    }
    // The texts that stand in the page before any script runs.
    let html = fs::read_to_string(page.join("index.html")).unwrap();
    let marked =
        ["data-t=\"", "data-t-label=\""].into_iter().flat_map(|name| html.split(name).skip(1));
    said.extend(marked.filter_map(|rest| rest.split('"').next()).map(str::to_owned));
    for folder in TOLD_BY_SERVER {
        for path in files(&crates().join(folder), "rs") {
            // A text may go on in the next line.
            let text = fs::read_to_string(path).unwrap().replace("\\\n", "\u{0}");
            let text = text.split('\u{0}').map(str::trim_start).collect::<Vec<_>>().concat();
            known.extend(literals(&text));
        }
    }
    let lacking: Vec<&String> =
        said.difference(&words).chain(counted.difference(&plurals)).collect();
    assert!(lacking.is_empty(), "German lacks {lacking:#?}");
    known.extend(said);
    let unused: Vec<&String> =
        words.difference(&known).chain(plurals.difference(&counted)).collect();
    assert!(unused.is_empty(), "nobody says {unused:#?}");
}
