//! What an agent says without a source, which nothing checks but for what only a source could give.

use std::collections::BTreeSet;

use run::{grounding, ledger};

use crate::hypothesize::names_a_source;

/// Returns a text of an agent's on one line, without marks and what nobody sees.
pub(crate) fn line(text: &str) -> String {
    ledger::one_line(&ledger::without_marks(&grounding::clean(text)))
}

/// Returns the numbers of a text as they are written, without the commas between thousands.
pub(crate) fn numbers(text: &str) -> BTreeSet<String> {
    text.split(|c: char| !(c.is_numeric() || matches!(c, '.' | ',')))
        .map(|run| run.trim_matches(['.', ',']).replace(',', ""))
        .filter(|run| !run.is_empty())
        .collect()
}

/// Returns why a sentence is no opinion: it says a number that is not `known`, or names a source.
pub(crate) fn is_more(sentence: &str, known: &BTreeSet<String>) -> Option<String> {
    let foreign: Vec<String> = numbers(sentence).difference(known).cloned().collect();
    if !foreign.is_empty() {
        return Some(format!("it says {} and cites nothing for it", foreign.join(", ")));
    }
    names_a_source(sentence).then(|| "it names a source and does not cite it".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_they_are_written() {
        let read: Vec<String> =
            numbers("In 2023, 1,200 firms paid $43.2 million.").into_iter().collect();
        assert_eq!(read, ["1200", "2023", "43.2"]);
        assert_eq!(numbers("５５５ dollars, Ⅻ million").len(), 2);
        assert!(numbers("none at all").is_empty());
    }

    #[test]
    fn an_opinion_brings_neither_figures_nor_sources_of_its_own() {
        let known = numbers("In 2019 it was 7 %.");
        assert_eq!(is_more("I doubt that 7 % is enough.", &known), None);
        assert!(is_more("I expect 12 %.", &known).is_some_and(|why| why.contains("12")));
        assert!(is_more("As Smith et al. (2019) show, it holds.", &known).is_some());
        assert_eq!(is_more("It should be tried on more soils.", &known), None);
    }
}
