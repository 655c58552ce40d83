//! Words that cite nothing and state nothing as fact: conjectures, arguments, remarks.
//!
//! No source can support "It should be tried on more soils", and none needs to. Such words must not look like more: they bring no figures
//! that no one gave, and name no source without citing it.

use ::grounding::check::Shown;

use super::docket::plain;

/// What the program appends to a sentence that looks like more than it is.
pub(crate) const UNSUPPORTED: &str = " [unsupported]";

/// Returns what is wrong with a remark that says what only a source could give: figures that were not shown, or the address of a source.
pub(crate) fn is_more(sentence: &str, shown: &Shown) -> Option<String> {
    let foreign = shown.foreign_numbers(sentence);
    if !foreign.is_empty() {
        return Some(format!("it says {} and cites nothing for it", foreign.join(", ")));
    }
    names_a_source(sentence).then(|| "it names a source and does not cite it".to_owned())
}

/// Returns remarks, each on one line and once, without those that only a source could give; at most `most`.
pub(crate) fn remarks(said: &[String], shown: &Shown, most: usize) -> Vec<String> {
    let mut taken: Vec<String> = Vec::new();
    for remark in said.iter().map(|remark| plain(remark)) {
        let is_one = !remark.is_empty() && is_more(&remark, shown).is_none();
        if is_one && !taken.contains(&remark) && taken.len() < most {
            taken.push(remark);
        }
    }
    taken
}

/// Removes what an agent writes as if the program had checked it: `[supported]`, `(quoted by …)`.
fn without_verdicts(text: &str) -> String {
    use run::ledger::Verdict::{
        Inferred, Quoted, Recomputed, Supported, Unread, Unsupported, Verified,
    };
    let names = [Quoted, Recomputed, Supported, Inferred, Unread, Unsupported, Verified]
        .map(run::ledger::Verdict::name);
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, from)) = rest.find(['[', '(']).map(|open| rest.split_at(open)) {
        let inside = from.get(1..).unwrap_or_default().split([']', ')']).next().unwrap_or_default();
        let is_closed = from.len() > inside.len() + 1;
        let word = inside.split_whitespace().next().unwrap_or_default().to_lowercase();
        let is_verdict = is_closed && names.contains(&word.as_str());
        kept.push_str(if is_verdict { before.trim_end() } else { before });
        let end = if is_verdict { inside.len() + 2 } else { 1 };
        if !is_verdict {
            kept.push_str(from.get(..1).unwrap_or_default());
        }
        rest = from.get(end..).unwrap_or_default();
    }
    kept.push_str(rest);
    kept
}

/// Returns a conjecture or an argument on one line, with ` [unsupported]` after each sentence that names a source: by a year that no one
/// gave, or by its address. Other figures are its own: no one has measured yet what it predicts.
pub(crate) fn conjecture(said: &str, shown: &Shown) -> String {
    let text = without_verdicts(&plain(said));
    let mut page = String::with_capacity(text.len());
    let mut from = 0;
    for span in text::sentences(&text) {
        let sentence = text.get(span.clone()).unwrap_or_default();
        let years = shown.foreign_numbers(sentence);
        if years.iter().any(|number| is_year(number)) || names_a_source(sentence) {
            let end = span.start + sentence.trim_end().len();
            page.push_str(text.get(from..end).unwrap_or_default());
            page.push_str(UNSUPPORTED);
            from = end;
        }
    }
    page.push_str(text.get(from..).unwrap_or_default());
    page
}

/// Returns whether a number is a year in which something may have been published.
fn is_year(number: &str) -> bool {
    number.len() == 4 && number.parse::<u16>().is_ok_and(|year| (1600..=2100).contains(&year))
}

/// Returns whether words hold the address of a source: a URL, a DOI, an arXiv number.
fn names_a_source(text: &str) -> bool {
    let lower = text.to_lowercase();
    let is_doi = lower.match_indices("10.").any(|(at, _)| {
        let behind = lower.get(at + 3..).unwrap_or_default();
        let digits = behind.bytes().take_while(u8::is_ascii_digit).count();
        let name = behind.get(digits..).and_then(|rest| rest.strip_prefix('/'));
        digits >= 4 && name.is_some_and(|name| name.starts_with(char::is_alphanumeric))
    });
    is_doi || ["://", "www.", "doi:", "arxiv:"].iter().any(|form| lower.contains(form))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn build_shown() -> Shown {
        Shown::of(["Mites were found in 31 of 96 hives in 2019."])
    }

    // proves: C4
    #[test]
    fn a_conjecture_keeps_its_figures_and_names_no_source() {
        for (said, kept) in [
            ("Losses fall by 40 % within 3 years.", "Losses fall by 40 % within 3 years."),
            (
                "Smith et al. (2014) saw it. It may hold.",
                "Smith et al. (2014) saw it. [unsupported] It may hold.",
            ),
            ("It was seen in 2019 [1.2].", "It was seen in 2019."),
            (
                "See https://example.org/a for more.",
                "See https://example.org/a for more. [unsupported]",
            ),
            ("As doi 10.1038/171737a0 has it.", "As doi 10.1038/171737a0 has it. [unsupported]"),
            ("Test 96 hives at 10.5/12 °C.", "Test 96 hives at 10.5/12 °C."),
            ("It holds [1; 2] (supported).", "It holds."),
            ("It holds. [Verified by the program] So.", "It holds. So."),
            ("It holds (verify it) [sic].", "It holds (verify it) [sic]."),
            ("It holds [3.4-6, C2].", "It holds."),
            ("", ""),
        ] {
            assert_eq!(conjecture(said, &build_shown()), kept);
        }
    }

    // proves: D3
    #[test]
    fn a_remark_brings_neither_figures_nor_sources_of_its_own() {
        let shown = build_shown();
        assert_eq!(is_more("I doubt that 31 of 96 hives is enough.", &shown), None);
        assert!(is_more("I expect 12 %.", &shown).is_some_and(|why| why.contains("12")));
        assert!(is_more("See arXiv:1706.03762.", &shown).is_some());
        assert_eq!(is_more("It should be tried on two more soils.", &shown), None);
        let said = ["Nobody counts.", "Nobody counts.", "It is 7 %.", ""].map(str::to_owned);
        assert_eq!(remarks(&said, &shown, 5), ["Nobody counts."]);
    }
}
