//! Detects from its comment and abstract whether a paper was withdrawn.
//!
//! Texts also mention other withdrawals: of patients, or of a paper from a journal before another printed it. So a statement counts only
//! if its subject is the paper itself, or is missing.

/// Words that may precede the subject.
const BEFORE: [&str; 7] = ["please", "note", "that", "this", "the", "our", "present"];
const SUBJECTS: [&str; 8] =
    ["paper", "article", "submission", "manuscript", "work", "preprint", "eprint", "version"];
const BETWEEN: [&str; 9] =
    ["has", "have", "had", "been", "being", "is", "was", "now", "temporarily"];
/// Words that may follow "withdrawn": `withdrawn adolescents` is something else.
const AFTER: [&str; 9] =
    ["because", "due", "owing", "since", "for", "as", "until", "pending", "temporarily"];
/// Words that name who withdrew a paper.
const WHO: [&str; 10] = [
    "the",
    "all",
    "its",
    "author",
    "authors",
    "author(s",
    "us",
    "arxiv",
    "admin",
    "administrators",
];

/// The text that makes the statement.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    Comment,
    Abstract,
}

/// Returns whether part of a comment says so: `9 pages; withdrawn by the authors`.
pub(super) fn in_comment(comment: &str) -> bool {
    let ends = |sign: char| matches!(sign, '.' | ',' | ';' | ':' | '!' | '[' | ']');
    let comment = comment.replace(" (", ";").replace(" -", ";");
    comment.split(ends).any(|part| says(part, Place::Comment))
}

/// Returns whether an abstract says only that.
pub(super) fn in_place_of_abstract(summary: &str) -> bool {
    is_one_sentence(summary) && says(summary, Place::Abstract)
}

/// Returns whether a text is a single sentence. The point in `Eq. 5` ends none.
fn is_one_sentence(text: &str) -> bool {
    let text = text.trim();
    text.match_indices(['.', '!', '?']).all(|(at, _)| {
        let after = &text[at + 1..];
        let next = after.trim_start().chars().next();
        !after.starts_with(char::is_whitespace) || next.is_none_or(|next| !next.is_uppercase())
    })
}

/// Returns whether a text begins with `this paper has been withdrawn` or, without the subject, `withdrawn by the authors`.
fn says(text: &str, place: Place) -> bool {
    let lower = text.to_lowercase().replace("e-print", "eprint");
    let mut words = lower
        .split_whitespace()
        .map(|word| word.trim_matches(|sign: char| !sign.is_alphanumeric()))
        .filter(|word| !word.is_empty())
        .peekable();
    while words.next_if(|word| BEFORE.contains(word)).is_some() {}
    let of_paper = words.next_if(|word| SUBJECTS.contains(word)).is_some();
    while words.next_if(|word| BETWEEN.contains(word)).is_some() {}
    if words.next() != Some("withdrawn") {
        return false;
    }
    let by = words.next_if_eq(&"by").is_some();
    let mut by_authors = false;
    while by && words.next_if(|word| WHO.contains(word)).is_some() {
        by_authors = true;
    }
    match words.next() {
        // It may have been withdrawn from a journal and printed in another.
        Some("from") => words.find(|word| *word != "the") == Some("arxiv"),
        None => true,
        Some(next) => {
            let by_whom_or_why = by || AFTER.contains(&next);
            match place {
                Place::Comment => of_paper || by_whom_or_why,
                // A study's abstract may begin this way.
                Place::Abstract => by_authors || (of_paper && by_whom_or_why),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    // proves: D2
    #[test]
    fn a_comment_says_that_the_paper_was_withdrawn_and_not_another() {
        for comment in [
            "This paper has been withdrawn by the authors",
            "Withdrawn due to an error",
            "withdrawn",
            "9 pages, 2 figures; withdrawn by the author(s) as Eq. 5 is wrong",
            "Paper withdrawn: Lemma 3 is wrong",
            "arXiv admin note: submission has been withdrawn by arXiv administrators due to overlap",
            "Please note that this e-print is now withdrawn from the arXiv",
            "Withdrawn by J. Doe",
            "9 pages (withdrawn)",
            "9 pages - this version is temporarily withdrawn",
        ] {
            assert!(in_comment(comment), "{comment}");
        }
        for comment in [
            "",
            "9 pages",
            "Withdrawn from PRL; published in JHEP",
            "This paper was withdrawn from PRL, published in JHEP",
            "Withdrawn by the authors from Nature",
            "A previous version of this paper was withdrawn by the authors",
            "Replaces our earlier paper, which was withdrawn",
            "Withdrawn adolescents and their peers",
            "This paper has not been withdrawn",
        ] {
            assert!(!in_comment(comment), "{comment}");
        }
    }

    // proves: D2
    #[test]
    fn an_abstract_says_so_where_it_is_nothing_but_that() {
        for summary in [
            "This submission has been withdrawn",
            "This paper has been withdrawn by the author due to a sign error in Eq. 5.",
            " Withdrawn by the authors.\n",
            "Withdrawn.",
        ] {
            assert!(in_place_of_abstract(summary), "{summary}");
        }
        for summary in [
            "",
            "We study how gulls were withdrawn from zoos.",
            "Withdrawn adolescents are at risk of depression. We follow 90 of them.",
            "Withdrawn as early as 1970, the drug is still sold.",
            "We report on a forgery. Its editors told us that this paper was withdrawn.",
            "The editors told us that this paper was withdrawn.",
            "This article was withdrawn in 1998, and we ask who cites it still.",
            "This article was withdrawn by its editors. We ask who cites it still.",
        ] {
            assert!(!in_place_of_abstract(summary), "{summary}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_judged(text in r"(?:withdrawn|this|paper|by|from|arXiv|\. |\PC){0,12}") {
            let _ = (in_comment(&text), in_place_of_abstract(&text));
        }
    }
}
