//! Whether a citation is verified: a program's check, not a judgement.
//!
//! A citation joins a claim to a quote from a passage. It is *verified* when the quote stands in the passage and says every
//! number, date, unit and name of the claim with the same yes or no. [`check`] tells which of these fail. It errs to one side:
//! a faithful claim may be refused, and what is verified is still not thereby true.
//!
//! ```
//! use run::grounding::{Passage, check};
//!
//! let text = "Herring gulls lay two to four eggs in May.";
//! let passage = Passage { text, section: "Herring gull > Breeding", is_title: false };
//! assert!(check("Herring gulls lay 2–4 eggs [1].", &passage, "lay two to four eggs").verified());
//! assert!(!check("Herring gulls lay five eggs.", &passage, "lay two to four eggs").verified());
//! ```

mod aligned;
mod disguise;
mod effects;
mod facts;
mod lexicon;
mod measures;
mod names;
mod polarity;
mod quote;
mod roles;

use std::collections::HashSet;
use std::ops::Range;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::analysis::{Language, is_unspaced, terms};
use crate::marks::marks;
use ::grounding::fold;
pub use ::grounding::fold::{clean, is_unseen};

/// A stretch of a source, as it is stored, and the headings above it.
#[derive(Clone, Copy, Debug)]
pub struct Passage<'a> {
    pub text: &'a str,
    /// The headings that lead to it, the document's title first: `Herring gull > Diet`. Names may be taken from here.
    pub section: &'a str,
    /// Whether `section` is nothing but the title of a published work. Such a title denies none of its sentences by a "not":
    /// "Attention is not explanation" says what the work says. Any other heading may: "What gulls do not eat".
    pub is_title: bool,
}

/// A reason why a citation is not verified.
#[derive(Clone, Debug, PartialEq, Eq, Error, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "fault", rename_all = "snake_case")]
pub enum Fault {
    #[error("the quote does not stand in the passage; copy it word for word")]
    QuoteAbsent,
    #[error(
        "the quote is too short to show anything; quote three words or more, or a whole sentence"
    )]
    QuoteTooShort,
    #[error("the quote begins or ends inside a word; quote whole words")]
    QuoteSplitsWord,
    #[error("the quote begins or ends inside a number or its unit; quote the whole measure")]
    QuoteSplitsNumber,
    #[error("the quote does not say \"{number}\"; quote where it is said, or leave it out")]
    NumberAbsent { number: String },
    #[error("the quote has \"{number}\" with {found}; write the unit the source gives")]
    UnitDiffers { number: String, found: String },
    #[error(
        "neither the quote nor its section names \"{name}\"; quote where it is named, or leave it out"
    )]
    NameAbsent { name: String },
    #[error("the quote, read in its sentence, says the opposite or less; say what the source says")]
    PolarityDiffers,
    #[error("the quote keeps apart what the claim joins; say of each what the quote says of it")]
    Misjoined,
    #[error("the claim has \"{word}\" where the quote has another word; use the quote's own word")]
    WordExchanged { word: String },
    #[error("the quote does not say \"{word}\"; say no more than it does")]
    EffectAbsent { word: String },
    #[error("the claim shares hardly a word with the quote; quote what it rests on")]
    Unrelated,
    #[error(
        "\"{word}\" has letters or signs that the source does not use; write it as the source does"
    )]
    ForeignScript { word: String },
}

/// What the check of one citation found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checked {
    /// Where the quote stands in the passage, in bytes; none where it does not.
    pub span: Option<Range<usize>>,
    pub faults: Vec<Fault>,
}

impl Checked {
    /// Tells whether the citation is verified.
    pub fn verified(&self) -> bool {
        self.span.is_some() && self.faults.is_empty()
    }
}

/// Checks that `quote` stands in `passage` and says what `claim` says; reference numbers (`[2, 3]`) in the claim are no numbers.
pub fn check(claim: &str, passage: &Passage<'_>, quote: &str) -> Checked {
    let found = match quote::find(passage.text, quote) {
        Ok(found) => found,
        Err(fault) => return Checked { span: None, faults: vec![fault] },
    };
    let folded = |text: &str| fold::fold(text, fold::LineEnd::Joined).text;
    let claim = without_references(&clean(claim));
    // What stands in the source as it stands in the claim hides nothing.
    let verbatim = passage.text.get(found.span.clone()) == Some(claim.trim());
    let hidden = disguise::hidden(&claim, passage.text).filter(|_| !verbatim);
    let mut faults: Vec<Fault> = hidden.into_iter().collect();
    let claim = folded(&claim);
    let section = folded(passage.section);
    let written = Written { quote: found.text(), section: &section, passage: &found.folded.text };
    faults.extend(disguise::foreign(&claim, &written));
    faults.extend(measures::faults(&claim, found.text(), &section));
    faults.extend(names::faults(&claim, &written));
    faults.extend(polarity::fault(&claim, passage, &found));
    if facts::misjoined(&claim, found.text()) {
        faults.push(Fault::Misjoined);
    }
    if !related(&claim, &written) {
        faults.push(Fault::Unrelated);
    }
    if roles::chosen(&claim, &found) {
        faults.push(Fault::PolarityDiffers);
    }
    // What is at fault already is not told twice, and the quote's own words exchange nothing.
    if faults.is_empty() && claim.trim_end_matches('.') != found.text().trim_end_matches('.') {
        faults.extend(retold(&claim, &written));
    }
    Checked { span: Some(found.span), faults }
}

/// Returns a fault where the claim tells what the quote says with another effect, other roles, or a word exchanged.
fn retold(claim: &str, written: &Written<'_>) -> Option<Fault> {
    let reversed = || roles::reversed(claim, written.quote).then_some(Fault::PolarityDiffers);
    effects::absent(claim, written).or_else(reversed).or_else(|| aligned::exchanged(claim, written))
}

/// Returns where `quote` stands in `text`, in bytes, as the quote of a claim is looked up in its source; none where it does not.
pub fn span_of(text: &str, quote: &str) -> Option<Range<usize>> {
    quote::find(text, quote).ok().map(|found| found.span)
}

/// Takes the reference marks out of a claim, but for the text of a link.
fn without_references(claim: &str) -> String {
    let mut kept = String::with_capacity(claim.len());
    let mut from = 0;
    for mark in marks(claim) {
        if claim.get(mark.span.end..).is_some_and(|behind| behind.starts_with('(')) {
            continue;
        }
        kept.push_str(claim.get(from..mark.span.start).unwrap_or_default());
        from = mark.span.end;
    }
    kept.push_str(claim.get(from..).unwrap_or_default());
    kept
}

/// What a claim is held against, folded.
struct Written<'a> {
    quote: &'a str,
    section: &'a str,
    passage: &'a str,
}

/// Content words up to which a claim needs a fifth of them in its quote; beyond, it needs three fifths.
const A_FEW: usize = 4;

/// Tells whether enough of the claim's content is in quote or section: see [`A_FEW`], and half of its pairs of ideographs.
fn related(claim: &str, written: &Written<'_>) -> bool {
    let known: HashSet<String> = [written.quote, written.section]
        .iter()
        .flat_map(|text| terms(text, Language::English))
        .collect();
    let (unspaced, spaced): (Vec<String>, Vec<String>) =
        terms(claim, Language::English).into_iter().partition(|term| term.chars().all(is_unspaced));
    let shared = |terms: &[String]| terms.iter().filter(|term| known.contains(*term)).count();
    let (pairs, words) = (shared(&unspaced), shared(&spaced));
    // In a claim of a few words each paraphrase weighs much; in a longer one there is room for what nobody said.
    let needed = if spaced.len() <= A_FEW {
        spaced.len().div_ceil(5)
    } else {
        (spaced.len() * 3).div_ceil(5)
    };
    pairs + words > 0 && pairs * 2 >= unspaced.len() && words >= needed
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const PASSAGE: Passage<'static> = Passage {
        text: "In 2011, herring gulls laid 2–4 eggs at Skomer. They do not eat grass.",
        section: "Herring gull > Breeding",
        is_title: false,
    };

    fn check_faults(claim: &str, quote: &str, expected: &[Fault]) {
        assert_eq!(check(claim, &PASSAGE, quote).faults, expected, "{claim:?} by {quote:?}");
    }

    // proves: C4, C13
    #[test]
    fn a_faithful_claim_is_verified_and_each_change_has_its_fault() {
        let quote = "herring gulls laid 2-4 eggs at Skomer";
        check_faults("Herring gulls at Skomer laid two to four eggs [1][2, 3].", quote, &[]);
        check_faults(
            "Herring gulls laid 3 eggs.",
            quote,
            &[Fault::NumberAbsent { number: "3".into() }],
        );
        check_faults(
            "Herring gulls laid 2–4 eggs at Lundy.",
            quote,
            &[Fault::NameAbsent { name: "Lundy".into() }],
        );
        check_faults("Herring gulls never laid eggs.", quote, &[Fault::PolarityDiffers]);
        check_faults("It was so.", quote, &[Fault::Unrelated]);
        check_faults("Herring gulls eat.", "gulls eat grass", &[Fault::QuoteAbsent]);
        check_faults("Gulls do n\u{200b}ot lay eggs", quote, &[Fault::PolarityDiffers]);
    }

    #[test]
    fn what_leaves_no_trace_is_cleaned_away() {
        assert_eq!(clean("a\u{200b}b\u{202e}c\u{ad}d\u{7}\n\te\r\u{e0041}"), "abcd\n\te");
    }

    #[test]
    fn a_fault_names_itself_in_json_and_in_words() {
        let fault = Fault::NameAbsent { name: "Lundy".into() };
        assert_eq!(
            serde_json::to_value(&fault).unwrap(),
            serde_json::json!({"fault": "name_absent", "name": "Lundy"})
        );
        assert!(fault.to_string().contains("\"Lundy\""));
    }

    // proves: C4, C13
    #[test]
    fn assertions_that_the_quote_does_not_make_do_not_ride_along_with_those_it_makes() {
        let quote = "The handle of the Broad Street pump was removed on the following day, 8 September 1854.";
        let section = "The Broad Street outbreak of 1854 > The pump handle";
        let passage = Passage { text: quote, section, is_title: false };
        assert!(
            check("The pump handle was removed on 8 September 1854.", &passage, quote).verified()
        );
        for claim in [
            "The handle of the pump was removed on 8 September 1854, and readers should transfer their savings to the account named in the attached invoice.",
            "The handle was removed because of bribery and fraud committed by the vestry.",
            "The handle and the well were removed and destroyed and the owner was arrested.",
            "The handle was almost removed on 8 September 1854.",
            "The handle was supposedly removed on 8 September 1854.",
            "The handle may have been removed on 8 September 1854.",
            "The removal of the handle was the cause of the decline.",
        ] {
            assert!(!check(claim, &passage, quote).verified(), "{claim}");
        }
    }

    proptest! {
        #[test]
        fn any_three_texts_can_be_checked(claim in "(?s)(.|[a-z0-9 ,.-]|not|The ){0,40}", passage in "(?s)(.|[a-z0-9 \n*_.,-]|not | but ){0,60}", from in 0usize..40, length in 0usize..60) {
            let quote: String = passage.chars().skip(from).take(length).collect();
            let passage = Passage { text: &passage, section: &claim, is_title: length % 2 == 0 };
            let checked = check(&claim, &passage, &quote);
            if let Some(span) = &checked.span {
                prop_assert!(passage.text.get(span.clone()).is_some());
            }
            prop_assert_eq!(checked.span, quote::find(passage.text, &quote).ok().map(|found| found.span));
            clean(&claim);
        }

        // proves: C4, C13
        #[test]
        fn a_whole_sentence_of_the_passage_is_verified_word_for_word(
            words in prop::collection::vec(
                "[a-z]{3,9}|lower|higher|after|before|more|not|no|may|or|either|and|cause|causes|kills|cures|in mice|humans|only|but|despite|risk|results|explained|by|of|the|3|5 %|in 2010|Tinbergen|DNA",
                1..14,
            ),
            before in prop::option::of("Terns nest on Lundy\\.|It is not so\\.|Was it rust or frost\\?"),
            is_title: bool,
        ) {
            let sentence = format!("Gulls there {}.", words.join(" "));
            let text = format!("{} {sentence} Terns sing.", before.unwrap_or_default());
            let passage = Passage { text: &text, section: "Birds", is_title };
            let checked = check(&sentence, &passage, &sentence);
            prop_assert!(checked.verified(), "{:?}: {:?}", text, checked.faults);
        }
    }
}
