//! Claims as JSON lines: `{"id", "claim", "cites" | "quotes": [{"document", "quote"}], "rests_on"?}`.

use std::collections::BTreeMap;

use run::consult::Cited;
use serde::Deserialize;

use super::Read;

#[derive(Debug, Deserialize)]
struct Line {
    #[serde(default)]
    id: Option<Id>,
    claim: String,
    #[serde(default)]
    cites: Vec<Cite>,
    #[serde(default)]
    quotes: Vec<Cite>,
    #[serde(default)]
    rests_on: Vec<Id>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Id {
    Text(String),
    Number(u64),
}

impl Id {
    fn text(self) -> String {
        match self {
            Id::Text(text) => text,
            Id::Number(number) => number.to_string(),
        }
    }
}

/// What a line cites: a document's name, or a document and a quote from it.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Cite {
    Name(String),
    Quoted {
        #[serde(default)]
        document: String,
        #[serde(default)]
        quote: String,
    },
}

/// Returns whether a text is meant as JSON lines: whether its first line begins like an object.
pub(super) fn is_lines(text: &str) -> bool {
    let first = text.trim_start_matches('\u{feff}').lines().find(|line| !line.trim().is_empty());
    let inside = first.and_then(|line| line.trim_start().strip_prefix('{'));
    inside.is_some_and(|inside| inside.trim_start().starts_with('"'))
}

/// Reads the lines; an error says which line cannot be read, and why.
pub(super) fn parse_lines(text: &str) -> Result<Vec<Read>, String> {
    let mut found: Vec<Read> = Vec::new();
    let mut rests: Vec<Vec<String>> = Vec::new();
    let mut known: BTreeMap<String, usize> = BTreeMap::new();
    for (number, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
        if line.trim().is_empty() {
            continue;
        }
        let number = number + 1;
        let line: Line = serde_json::from_str(line)
            .map_err(|error| format!("line {number} is not {{\"id\", \"claim\", …}}: {error}"))?;
        let claim = run::ledger::one_line(&run::grounding::clean(&line.claim));
        if claim.is_empty() {
            return Err(format!("line {number} has no text in \"claim\""));
        }
        let id = line.id.map_or_else(|| number.to_string(), Id::text);
        if let Some(before) = known.insert(id.clone(), found.len()) {
            let before = before + 1;
            return Err(format!(
                "line {number} repeats the id \"{id}\" of claim {before}. Give each claim its own id"
            ));
        }
        let cites = line.quotes.into_iter().chain(line.cites).map(|cite| match cite {
            Cite::Name(document) => Cited { document, quote: String::new() },
            Cite::Quoted { document, quote } => Cited { document, quote },
        });
        rests.push(line.rests_on.into_iter().map(Id::text).collect());
        found.push(Read {
            id,
            words: claim.clone(),
            claim,
            cites: cites.collect(),
            ..Read::default()
        });
    }
    for (read, rests_on) in found.iter_mut().zip(rests) {
        for id in rests_on {
            let basis = known.get(&id).ok_or_else(|| {
                format!("\"{}\" rests on \"{id}\", but no claim in this file has that id", read.id)
            })?;
            read.basis.push(*basis);
        }
        read.is_conclusion = !read.basis.is_empty();
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    // proves: C19
    #[test]
    fn lines_are_claims_with_what_they_cite_and_rest_on() {
        let text = "{\"id\": \"a\", \"claim\": \"It rose.\", \"quotes\": [{\"document\": \"d\", \"quote\": \"rose\"}]}\n\n\
            {\"id\": 7, \"claim\": \"So it fell.\", \"cites\": [\"d.md\"], \"rests_on\": [\"a\"]}";
        assert!(is_lines(text));
        let read = parse_lines(text).unwrap();
        assert_eq!((read[0].id.as_str(), read[1].id.as_str()), ("a", "7"));
        assert_eq!(read[0].cites, [Cited { document: "d".into(), quote: "rose".into() }]);
        assert_eq!((read[1].basis.clone(), read[1].is_conclusion), (vec![0], true));
    }

    // proves: C19
    #[test]
    fn what_cannot_be_read_says_where() {
        for (text, what) in [
            ("{\"claim\": 1}", "line 1"),
            ("{\"claim\": \"a\"}\n{\"clam\": \"b\"}", "line 2"),
            ("{\"claim\": \" \"}", "line 1 has no text in \"claim\""),
            (
                "{\"id\": \"a\", \"claim\": \"a\"}\n{\"id\": \"a\", \"claim\": \"b\"}",
                "the id \"a\"",
            ),
            ("{\"claim\": \"a\", \"rests_on\": [\"z\"]}", "rests on \"z\""),
        ] {
            assert!(parse_lines(text).unwrap_err().contains(what), "{text}");
        }
        assert!(!is_lines("{not json"));
        assert!(!is_lines("# Report"));
    }
}
