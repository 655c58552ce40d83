//! Extractive answers, without a model: statements of the evidence, verbatim, and the closest passages if none answers.

use std::collections::HashMap;
use std::ops::Range;

use ::grounding::check::Naming;
use extract::{self, Measured, Question, Ranked, Ranker, Text, is_of_another_number};
use run::evidence::{Evidence, Numbered, Passage};
use run::library::Found;
use run::material::{Material, Place, row_with_heads};
use run::{Result, Run};
use text::{Kind, Language};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Rules;
use super::relevance::weigh_terms;
use crate::grounded::Prose;

/// Passages searched for an answer.
pub const PASSAGES: u32 = 24;
/// Minimum sureness for giving an answer.
pub const SURE_ENOUGH: f64 = 0.67;
/// Passages listed if no statement answers.
const CLOSEST: usize = 3;

/// The language in which a question is read, and the weights of its words.
pub struct Looked {
    language: Language,
    weights: Vec<(String, f64)>,
    /// The cosine of each statement with the question, by passage and first byte; empty if vectors are not compared.
    cosines: HashMap<(usize, usize), f64>,
}

impl Looked {
    /// Builds it from what a retrieval found. A collection is indexed in one language, whatever its documents are written in. If the
    /// question and its passages are in another, that language is taken, without the weights from the index.
    pub fn of(question: &str, found: &Found) -> Looked {
        let language = spoken(question, found.passages.iter().map(|one| one.text.as_str()));
        if language == found.language {
            return Looked::with(language, weigh_terms(found));
        }
        Looked::with(language, vec![])
    }

    /// Builds it from evidence alone, guessing the language from its texts.
    pub(super) fn over(question: &str, evidence: &[Numbered]) -> Looked {
        let texts = evidence.iter().map(|one| one.evidence.text.as_str());
        Looked::with(spoken(question, texts), vec![])
    }

    /// Builds it from a known language and known weights.
    pub(super) fn with(language: Language, weights: Vec<(String, f64)>) -> Looked {
        Looked { language, weights, cosines: HashMap::new() }
    }

    /// Compares the foremost statements with the question by meaning.
    pub async fn compare(
        &mut self,
        run: &Run,
        question: &str,
        evidence: &[Numbered],
    ) -> Result<()> {
        let passages: Vec<Text<'_>> = evidence.iter().map(|one| text_of(&one.evidence)).collect();
        let ranked = Ranked::of(self.measured_in(question, &passages), Ranker::own());
        let foremost: Vec<&Measured> = ranked.foremost().collect();
        let text = |one: &&Measured| {
            let words =
                passages.get(one.passage).and_then(|passage| passage.text.get(one.quote.clone()));
            format!("{}: {}", one.label, words.unwrap_or_default())
        };
        let texts: Vec<String> = foremost.iter().map(text).collect();
        let cosines = run.nearness(question, &texts).await?.unwrap_or_default();
        let place = |one: &Measured| (one.passage, one.span.start);
        self.cosines = foremost.into_iter().map(place).zip(cosines).collect();
        Ok(())
    }

    /// Returns the statements of the passages with their ranking signs.
    pub fn measured(&self, question: &str, passages: &[Passage]) -> Vec<Measured> {
        let texts: Vec<Text<'_>> = passages
            .iter()
            .map(|passage| Text {
                name: name(&passage.source_uri),
                title: &passage.place.title,
                section: &passage.place.section,
                text: &passage.text,
                score: passage.score,
            })
            .collect();
        self.measured_in(question, &texts)
    }

    fn measured_in(&self, question: &str, texts: &[Text<'_>]) -> Vec<Measured> {
        let question = Question { text: question, language: self.language, weights: &self.weights };
        extract::measured(&question, texts)
    }
}

/// Guesses the language of a question and the first of its passages.
fn spoken<'a>(question: &str, texts: impl Iterator<Item = &'a str>) -> Language {
    /// Passages taken to guess the language.
    const TELLING: usize = 3;
    let texts = texts.take(TELLING);
    text::guess(&texts.fold(question.to_owned(), |sample, text| sample + "\n" + text))
}

/// Returns the name of a document within its collection or on its host.
fn name(uri: &str) -> &str {
    let path = uri.split_once("://").map_or(uri, |(_, path)| path);
    path.split_once('/').map_or("", |(_, name)| name)
}

fn text_of(evidence: &Evidence) -> Text<'_> {
    let place = &evidence.provenance.place;
    Text {
        name: name(&evidence.source_uri),
        title: &place.title,
        section: &place.section,
        text: &evidence.text,
        score: evidence.score,
    }
}

/// Returns the place of a statement if it may be quoted: if it is neither a JSON object nor part of a list of sources.
fn place_of(one: &Measured, evidence: &[Numbered], material: &Material<'_>) -> Option<Place> {
    let source = evidence.get(one.passage).filter(|source| !is_apparatus(source))?;
    let place = material.touched(source.number, &one.quote)?;
    (!material.is_object(place)).then_some(place)
}

/// Returns whether a passage stands under the heading of a list of sources.
fn is_apparatus(source: &Numbered) -> bool {
    const HEADINGS: [&str; 7] = [
        "sources",
        "references",
        "bibliography",
        "literature",
        "works cited",
        "further reading",
        "see also",
    ];
    let section = &source.evidence.provenance.place.section;
    let heading = section.rsplit(" > ").next().unwrap_or_default().trim().to_lowercase();
    HEADINGS.contains(&heading.as_str())
}

/// The remark of an extractive answer with nothing to quote.
pub(super) const SILENT: &str = "No sentence answers the question clearly enough to be quoted. Read the closest passages, ask \
    in the words of the sources, or choose a model: it can answer from passages that put it differently.";

/// A passage that comes close to a question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Closest {
    /// As it stands in its source.
    pub quote: String,
    /// The same, on one line, after what leads into it, with the words of the question in `**`; of a table's row, each cell under its
    /// head.
    pub marked: String,
    /// The heading that it stands under, or the term that it defines.
    pub heading: String,
    pub title: String,
    pub source_uri: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<u32>,
    /// Bytes into the source's text.
    pub start: u64,
    pub end: u64,
}

/// The statements that answer a question best.
#[derive(Clone)]
struct Answer {
    best: Vec<Measured>,
    /// 0 to 1: the probability that one of them answers.
    sureness: f64,
}

/// An extractive answer.
pub struct Extract {
    /// The statements that answer; empty if nothing stands out.
    pub prose: Prose,
    /// The statements that come closest, whether or not they answer.
    pub closest: Vec<Closest>,
}

impl Looked {
    /// Extracts an answer without a model: the statements of the evidence that answer best, verbatim.
    ///
    /// They are included only if the sureness that one of them answers is high enough. The surroundings of each must also have one of the
    /// names in the question, if it has any.
    pub fn extract(&self, question: &str, evidence: &[Numbered], rules: &Rules) -> Extract {
        /// Bytes of a question that are searched for names; each statement's surroundings are compared with these.
        const NAMING: usize = 1_000;
        let material = Material::of(evidence);
        let asked = question.get(..question.floor_char_boundary(NAMING)).unwrap_or(question);
        let naming = Naming::of(asked);
        let speaks_of = |place: Place| {
            let ground = material.ground(place).unwrap_or_default();
            let headings = ground.headings.join("\n");
            let around = [&*headings, &*ground.opening, &*ground.text()].join("\n");
            let itself = [&*headings, &*ground.leads.join("\n"), &*ground.text()].join("\n");
            naming.is_in(&around) && !is_of_another_number(asked, &itself, self.language)
        };
        let passages: Vec<Text<'_>> = evidence.iter().map(|one| text_of(&one.evidence)).collect();
        let can_answer = |one: &Measured| -> Option<Place> {
            place_of(one, evidence, &material).filter(|place| speaks_of(*place))
        };
        // A compound question is answered part by part, as far as possible.
        let limit = rules.extractive_sentences as usize;
        let may_answer = |one: &Measured| can_answer(one).is_some();
        let whole = self.answer(question, &passages, limit, may_answer);
        let parts = split_question(question).into_iter();
        let of_parts = parts.map(|part| self.answer(part, &passages, 1, may_answer));
        let mut places: Vec<Place> = Vec::new();
        for answer in of_parts.chain([whole.clone()]) {
            if answer.sureness < rules.extractive_sureness {
                continue;
            }
            for place in answer.best.iter().filter_map(&can_answer) {
                if !places.iter().any(|known| known.holds(place)) {
                    places.push(place);
                }
            }
        }
        places.truncate(limit);
        // What leads into another is shown with it.
        let leads = |place: Place| material.with_leads(&[place]).into_iter().rev().skip(1);
        let known: Vec<Place> = places.iter().flat_map(|place| leads(*place)).collect();
        places.retain(|place| !known.contains(place));
        let addresses = quoting(&places, &material);
        let closest = whole.best.iter().take(CLOSEST).filter_map(|one| {
            let numbered = evidence.get(one.passage)?;
            Some(self.closest(question, numbered, one, &material))
        });
        let open = if addresses.is_empty() { vec![SILENT.to_owned()] } else { vec![] };
        let prose = Prose { open, ..Prose::quoting(&addresses) };
        Extract { prose, closest: closest.collect() }
    }

    /// Returns the statements of the evidence that come closest to a question, best first, whether or not they answer.
    pub(super) fn nearest(
        &self,
        question: &str,
        evidence: &[Numbered],
        material: &Material<'_>,
        limit: usize,
    ) -> Vec<Place> {
        let passages: Vec<Text<'_>> = evidence.iter().map(|one| text_of(&one.evidence)).collect();
        let place = |one: &Measured| place_of(one, evidence, material);
        let answer = self.answer(question, &passages, limit, |one| place(one).is_some());
        answer.best.iter().filter_map(place).collect()
    }

    fn answer(
        &self,
        question: &str,
        passages: &[Text<'_>],
        limit: usize,
        may_answer: impl Fn(&Measured) -> bool,
    ) -> Answer {
        let mut ranked = Ranked::of(self.measured_in(question, passages), Ranker::own());
        ranked.retain(may_answer);
        // The sureness model was trained without vectors.
        let sureness = ranked.sureness(Ranker::own(), limit);
        let ranked = self.by_meaning(ranked);
        Answer { best: ranked.best(limit).into_iter().cloned().collect(), sureness }
    }

    fn by_meaning(&self, ranked: Ranked) -> Ranked {
        ranked.by_meaning(|one| self.cosines.get(&(one.passage, one.span.start)).copied())
    }

    fn closest(
        &self,
        question: &str,
        numbered: &Numbered,
        one: &Measured,
        material: &Material<'_>,
    ) -> Closest {
        let evidence = &numbered.evidence;
        let place = &evidence.provenance.place;
        let quote = evidence.text.get(one.span.clone()).unwrap_or_default();
        let start = place.start + one.span.start as u64;
        let mut leads: Vec<Place> =
            material.touched(numbered.number, &one.span).into_iter().collect();
        leads = material.with_leads(&leads);
        leads.pop();
        let row = told(&evidence.text, &one.span, quote);
        let leads = leads.into_iter().filter_map(|lead| material.words(lead));
        let line = leads.chain([row.as_str()]).collect::<Vec<_>>().join(" ");
        Closest {
            quote: quote.to_owned(),
            marked: marked(question, &line, self.language),
            heading: one.label.clone(),
            title: place.title.clone(),
            source_uri: evidence.source_uri.clone(),
            page: place.page_at(start),
            start,
            end: place.start + one.span.end as u64,
        }
    }
}

/// Returns the addresses that quote places: those of one lead together, so that they are shown under it.
fn quoting(places: &[Place], material: &Material<'_>) -> Vec<String> {
    let mut quotes: Vec<(Option<Place>, Vec<Place>)> = Vec::new();
    for place in places {
        let lead = material.with_leads(&[*place]).into_iter().rev().nth(1);
        let known = quotes.iter_mut().find(|(known, _)| lead.is_some() && *known == lead);
        match known {
            Some((_, own)) => own.push(*place),
            None => quotes.push((lead, vec![*place])),
        }
    }
    let address = |(_, mut own): (Option<Place>, Vec<Place>)| {
        own.sort_unstable();
        own.into_iter().map(Place::address).collect::<Vec<_>>().join(", ")
    };
    quotes.into_iter().map(address).collect()
}

/// Returns a row of a table with its heads, and anything else as it is.
fn told(text: &str, span: &Range<usize>, quote: &str) -> String {
    let blocks = text::split_blocks(text);
    let row = blocks.iter().find(|block| block.span.start == span.start);
    let Some(Kind::Row { head }) = row.map(|row| &row.kind) else { return quote.to_owned() };
    let head = head.and_then(|head| text.get(blocks.get(head)?.span.clone()));
    row_with_heads(head, quote)
}

/// Splits a compound question into its questions; empty if it is a single one.
fn split_question(question: &str) -> Vec<&str> {
    const ASKING: [&str; 9] =
        ["who", "whom", "what", "which", "when", "where", "why", "how", "in which"];
    /// A part of fewer words does not say what it is about.
    const FEWEST_WORDS: usize = 4;
    /// A text of more parts is not a compound question.
    const MOST_PARTS: usize = 6;
    /// Nor is a text of more bytes.
    const LONGEST: usize = 2_000;
    if question.len() > LONGEST {
        return vec![];
    }
    let mut parts: Vec<&str> = Vec::new();
    for sentence in question
        .split_inclusive(['?', '？'])
        .map(str::trim)
        .filter(|part| part.ends_with(['?', '？']))
    {
        let mut rest = sentence;
        while let Some((before, behind)) = rest.split_once(", and ") {
            let asks = ASKING.iter().any(|word| behind.starts_with(&format!("{word} ")));
            if !asks {
                break;
            }
            parts.push(before);
            rest = behind;
        }
        parts.push(rest);
    }
    let are_questions = parts.iter().all(|part| text::words(part).count() >= FEWEST_WORDS);
    if (2..=MOST_PARTS).contains(&parts.len()) && are_questions { parts } else { vec![] }
}

/// Returns a quote on one line, with the words that the question also has in `**`.
fn marked(question: &str, quote: &str, language: Language) -> String {
    let asked = text::terms(question, language);
    let line = quote.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut written = String::with_capacity(line.len() + 16);
    let mut from = 0;
    for (start, word) in text::words(&line) {
        let is_asked = text::terms(word, language).iter().any(|term| asked.contains(term));
        let end = start + word.len();
        if is_asked {
            written.push_str(line.get(from..start).unwrap_or_default());
            written.push_str("**");
            written.push_str(word);
            written.push_str("**");
            from = end;
        }
    }
    written.push_str(line.get(from..).unwrap_or_default());
    written.replace("** **", " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    // proves: A6
    #[test]
    fn a_row_of_a_table_is_told_with_its_heads() {
        let text = "| Light | Lit |\n|---|---|\n| Noss \\| Bard | 1835 |\n\nThe end.\n";
        let row = "| Noss \\| Bard | 1835 |";
        let start = text.find(row).unwrap();
        let block = text::split_blocks(text).into_iter().find(|it| it.span.end > start).unwrap();
        let quote = &text[block.span.clone()];
        assert_eq!(told(text, &block.span, quote), "Light: Noss | Bard; Lit: 1835");
        let text = "|  |  |\n|---|---|\n| Tenant | Mara Quint |\n\nThe end.\n";
        let row = 18..41;
        assert_eq!(told(text, &row, &text[row.clone()]), "Tenant: Mara Quint");
        let end = text.find("The end.").unwrap();
        assert_eq!(told(text, &(end..end + 8), "The end."), "The end.");
    }

    // proves: C10
    #[test]
    fn a_question_of_several_comes_apart_and_a_text_with_marks_in_it_does_not() {
        let two = "When was the pump closed, and who closed it that day? Where was the pump found?";
        assert_eq!(
            split_question(two),
            ["When was the pump closed", "who closed it that day?", "Where was the pump found?"]
        );
        assert!(split_question("When was the pump closed?").is_empty());
        let text = format!("{two} {}", "It is said that it was. ".repeat(100));
        assert!(split_question(&text).is_empty());
    }
}
