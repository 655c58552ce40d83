//! The reply of a writer of prose.

use std::ops::Range;

use grounding::address::{Address, Cited, cited};
use run::ledger::Quoted;
use run::{Form, Reply};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Prose with addresses, and what its writer says beside it.
///
/// The writer ends it with lines that begin with `Open:`, `Assumed:` or `Differ:`, an editor with `Cut:`, where there is something to say.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Prose {
    /// Markdown, with addresses behind what they bear out.
    pub text: String,
    /// What the question asks and the evidence does not answer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub open: Vec<String>,
    /// How the question was read where it can be read in more than one way.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub assumed: Vec<String>,
    /// Where sources differ: what about, and the address of each side.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub differ: Vec<String>,
    /// The numbers of sentences that an editor wants cut.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cut: Vec<String>,
    /// Quotes of a writer that copied them in the place of addresses; `[Q1]` in the text is the first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub quotes: Vec<Quoted>,
}

impl Reply for Prose {
    const FORM: Form = Form::Prose;

    fn plain(text: &str) -> Option<Prose> {
        // An object that cannot be read is code: nothing that it says is a sentence.
        let prose = match text::tolerant::is_object(text) {
            true => Prose { text: format!("```json\n{text}\n```"), ..Prose::default() },
            false => Prose::read(text),
        };
        let says_something = !prose.text.is_empty() || !prose.open.is_empty();
        says_something.then_some(prose)
    }

    fn from_object(value: &Value) -> Option<Prose> {
        Prose::of_claims(value)
    }
}

impl Prose {
    /// Reads a reply. Its last lines may say what is open, what was assumed, where sources differ, and what to cut.
    pub fn read(text: &str) -> Prose {
        let mut prose = Prose::default();
        let mut lines: Vec<&str> = text.lines().collect();
        while let Some(line) = lines.last() {
            let bare = line.trim().trim_start_matches(['-', '*', ' ']);
            let labelled = |label: &str| {
                let plain = bare.replace("**", "");
                let rest =
                    plain.get(..label.len()).filter(|begins| begins.eq_ignore_ascii_case(label));
                rest.and_then(|_| {
                    plain
                        .get(label.len()..)?
                        .trim_start()
                        .strip_prefix(':')
                        .map(|said| said.trim().to_owned())
                })
            };
            let list = [
                ("Open", &mut prose.open),
                ("Assumed", &mut prose.assumed),
                ("Differ", &mut prose.differ),
                ("Cut", &mut prose.cut),
            ]
            .into_iter()
            .find_map(|(label, list)| Some((list, labelled(label)?)));
            match list {
                Some((list, said)) if !is_nothing(&said) => list.insert(0, said),
                Some(_) => {}
                None if bare.is_empty() || matches!(bare, "---" | "***") => {}
                None => break,
            }
            lines.pop();
        }
        prose.text = lines.join("\n").trim().to_owned();
        prose
    }

    /// Reads claims with quotes or addresses, which some models write as JSON out of habit.
    fn of_claims(value: &Value) -> Option<Prose> {
        let text =
            |value: &Value, key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
        let texts = |key: &str| -> Vec<String> {
            let list = value.get(key).and_then(Value::as_array).into_iter().flatten();
            list.filter_map(Value::as_str).map(str::to_owned).collect()
        };
        let mut prose = ["text", "answer", "report", "content", "markdown"]
            .iter()
            .find_map(|key| text(value, key))
            .map(|text| Prose::read(&text))
            .unwrap_or_default();
        let claims = value.get("claims").and_then(Value::as_array).or_else(|| value.as_array());
        let mut sentences: Vec<String> = Vec::new();
        for claim in claims.into_iter().flatten() {
            let Some(said) = text(claim, "text").or_else(|| text(claim, "claim")) else { continue };
            let mut marks = String::new();
            for cite in claim.get("cites").and_then(Value::as_array).into_iter().flatten() {
                let address = cite.as_str().map_or_else(|| cite.to_string(), str::to_owned);
                marks.push_str(&format!(" [{}]", address.trim_matches(['[', ']'])));
            }
            for citation in claim.get("citations").and_then(Value::as_array).into_iter().flatten() {
                let number = citation.get("evidence").and_then(Value::as_u64);
                let evidence =
                    number.and_then(|number| u32::try_from(number).ok()).unwrap_or_default();
                let quote = text(citation, "quote").unwrap_or_default();
                prose.quotes.push(Quoted { evidence, quote });
                marks.push_str(&format!(" [Q{}]", prose.quotes.len()));
            }
            let said = said.trim();
            let stop = if said.ends_with(['.', '!', '?', '。', ':']) { "" } else { "." };
            sentences.push(format!("{said}{stop}{marks}"));
        }
        if !sentences.is_empty() {
            prose.text = [prose.text, sentences.join(" ")].join("\n\n").trim().to_owned();
        }
        prose.open.extend(texts("gaps"));
        prose.open.extend(texts("open_questions"));
        prose.assumed.extend(texts("assumptions"));
        let says_something = !prose.text.is_empty() || !prose.open.is_empty();
        says_something.then_some(prose)
    }

    /// Returns prose that quotes statements, one after the other.
    pub(crate) fn quoting(addresses: &[String]) -> Prose {
        let marks: Vec<String> = addresses.iter().map(|address| format!("[{address}]")).collect();
        Prose { text: marks.join(" "), ..Prose::default() }
    }

    /// Returns the citations of the text, including those of copied quotes.
    pub(crate) fn citations(&self) -> Vec<Cite> {
        let addresses = cited(&self.text)
            .into_iter()
            .map(|Cited { span, addresses }| Cite { span, of: Of::Addresses(addresses) });
        let quotes = self.quotes.iter().enumerate().flat_map(|(index, quoted)| {
            let mark = format!("[Q{}]", index + 1);
            let found: Vec<Cite> = self
                .text
                .match_indices(&mark)
                .map(|(at, mark)| Cite { span: at..at + mark.len(), of: Of::Quote(quoted.clone()) })
                .collect();
            found
        });
        let mut found: Vec<Cite> = addresses.chain(quotes).collect();
        found.sort_by_key(|cite| cite.span.start);
        found
    }

    pub(crate) fn citation_spans(&self) -> Vec<Range<usize>> {
        self.citations().into_iter().map(|cite| cite.span).collect()
    }
}

/// A citation in prose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Cite {
    pub(crate) span: Range<usize>,
    pub(crate) of: Of,
}

/// What is cited.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Of {
    Addresses(Vec<Address>),
    Quote(Quoted),
}

/// Returns whether a line says that there is nothing to say.
fn is_nothing(said: &str) -> bool {
    let bare = said.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    matches!(&*bare, "" | "none" | "nothing" | "n/a" | "keine" | "nichts")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    // proves: C3
    #[test]
    fn the_last_lines_say_what_stays_open() {
        let prose = Prose::read(
            "It rose [1.2].\n\nOpen: why it rose.\n\n- **Open:** how far\nAssumed: none\nDiffer: the height [1.2] | [3.1]\n",
        );
        assert_eq!(prose.text, "It rose [1.2].");
        assert_eq!(prose.open, ["why it rose.", "how far"]);
        assert_eq!(prose.differ, ["the height [1.2] | [3.1]"]);
        assert!(prose.assumed.is_empty());
        assert_eq!(Prose::plain("Open: all of it").unwrap().text, "");
        assert_eq!(Prose::plain("Openly, it rose.").unwrap().text, "Openly, it rose.");
        assert_eq!(Prose::plain(" \n"), None);
        let said = Prose::plain(r#"{"verdict": "It rose."}"#).unwrap();
        assert_eq!(said.text, "```json\n{\"verdict\": \"It rose.\"}\n```");
    }

    // proves: C3
    #[test]
    fn claims_in_json_are_read_as_prose_with_their_quotes() {
        let value = json!({
            "claims": [
                {"text": "It rose", "citations": [{"evidence": 2, "quote": "it rose by 3 m"}]},
                {"text": "It fell.", "cites": ["3.4", "[5.1]"]},
            ],
            "gaps": ["why"],
        });
        let prose = Prose::from_object(&value).unwrap();
        assert_eq!(prose.text, "It rose. [Q1] It fell. [3.4] [5.1]");
        assert_eq!(prose.quotes, [Quoted { evidence: 2, quote: "it rose by 3 m".into() }]);
        assert_eq!(prose.open, ["why"]);
        assert_eq!(prose.citations().len(), 3);
        assert_eq!(Prose::from_object(&json!({"plan": []})), None);
    }
}
