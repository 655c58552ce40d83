//! Corrects what a style and its engine leave in a reference: marks with nothing between them, and lost capitals.
//!
//! The work's own texts are not changed: a rule is skipped if one of them contains what it would change.

use std::ops::Range;

use super::item::Item;

/// Marks that meet because the part between them is missing, and their replacements; of two rules for the same marks, the longer comes
/// first.
const MEETING: [(&str, &str); 9] = [
    (". .", "."),
    (" .", "."),
    (" ,", ","),
    (",,", ","),
    (",.", "."),
    (";.", "."),
    (":.", ":"),
    (".”.", ".”"),
    (".’.", ".’"),
];
/// Separators of parts, which must not begin or end a reference.
const BETWEEN: [char; 4] = [',', ';', ':', ' '];
/// The length in characters of the longest title whose capitals are restored.
const LONGEST_TITLE: usize = 1_000;

/// Returns a reference without stray marks: `SSRN.` for `SSRN,.`
pub(super) fn tidied(text: &str, work: &Item) -> String {
    let own = own_texts(work);
    let mut tidy = text.to_owned();
    for (marks, mark) in MEETING {
        let ellipsis = marks.ends_with(" .") && tidy.contains(". . .");
        // A URL may end in a mark.
        let first = marks.chars().next().filter(|first| *first != ' ');
        let is_theirs = |own: &&str| {
            own.contains(marks) || own.contains("://") && first.is_some_and(|c| own.ends_with(c))
        };
        if tidy.contains(marks) && !ellipsis && !own.iter().any(is_theirs) {
            tidy = without_meeting(&tidy, marks, mark);
        }
    }
    if !own.iter().any(|own| tidy.ends_with(own)) {
        tidy.truncate(tidy.trim_end_matches(BETWEEN).len());
    }
    if !own.iter().any(|own| tidy.starts_with(own)) {
        tidy = tidy.trim_start_matches(BETWEEN).to_owned();
    }
    tidy
}

/// Replaces `marks` by `mark` at the end of a word.
fn without_meeting(text: &str, marks: &str, mark: &str) -> String {
    let mut tidy = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(marks) {
        let ends = after.is_empty() || after.starts_with([' ', ')', ']', '”', '’']);
        tidy.push_str(before);
        tidy.push_str(if ends { mark } else { marks });
        rest = after;
    }
    tidy.push_str(rest);
    tidy
}

fn own_texts(work: &Item) -> Vec<&str> {
    let names = work.author.iter().chain(&work.editor);
    let names = names.flat_map(|name| [&name.family, &name.given, &name.literal]);
    let texts = [
        &work.container_title,
        &work.volume,
        &work.issue,
        &work.page,
        &work.number,
        &work.edition,
        &work.version,
        &work.genre,
        &work.status,
        &work.publisher,
        &work.doi,
        &work.url,
    ];
    let texts = texts.into_iter().chain(names).flatten().map(String::as_str);
    texts.chain([work.title.as_str()]).filter(|text| !text.is_empty()).collect()
}

/// Restores the title's words with inner capitals as deposited: `mRNA`, `(BIM)`, `3D`.
///
/// If a style changes capitals, the engine turns `mRNA` into `Mrna`, and does not recognise an abbreviation as the last word of a title.
/// A title that a style sets entirely in capitals or in small letters stays so.
pub(super) fn with_capitals(text: &str, title: &str) -> String {
    let title = title.trim_end_matches(['.', ' ']);
    let Some(place) = find_title(text, title) else { return text.to_owned() };
    let Some(written) = text.get(place.clone()) else { return text.to_owned() };
    let capitals = written.chars().filter(|c| c.is_uppercase()).count();
    let small = written.chars().filter(|c| c.is_lowercase()).count();
    let throughout = capitals == 0 || small == 0;
    // A title deposited in all capitals does not show its abbreviations, unless the style keeps it so.
    let shouted = !title.contains(char::is_lowercase) && capitals <= small;
    if written == title || throughout || shouted {
        return text.to_owned();
    }
    let mut restored = String::with_capacity(text.len());
    restored.push_str(text.get(..place.start).unwrap_or_default());
    let mut letters = written.chars();
    for word in title.split_inclusive(|c: char| c.is_whitespace() || "-–—/".contains(c)) {
        let as_written: String = letters.by_ref().take(word.chars().count()).collect();
        let mut signs = word.chars().filter(|c| c.is_alphanumeric()).skip(1);
        let telling = signs.any(char::is_uppercase);
        restored.push_str(if telling { word } else { &as_written });
    }
    restored.push_str(text.get(place.end..).unwrap_or_default());
    restored
}

/// Finds a title in a reference, ignoring case.
fn find_title(text: &str, title: &str) -> Option<Range<usize>> {
    if title.is_empty() || title.chars().nth(LONGEST_TITLE).is_some() {
        return None;
    }
    text.char_indices().find_map(|(from, _)| {
        let mut letters = text.get(from..)?.chars();
        let same = |c: char| letters.next().is_some_and(|l| l.to_lowercase().eq(c.to_lowercase()));
        let stands = title.chars().all(same);
        stands.then(|| from..text.len() - letters.as_str().len())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_with_nothing_between_them_are_one() {
        let work = Item { title: "Tea".into(), ..Item::default() };
        for (text, tidy) in [
            (
                "“Tea.” Preprint, SSRN,. https://a.example/x,.y",
                "“Tea.” Preprint, SSRN. https://a.example/x,.y",
            ),
            ("Tea. 2020;. doi:10.1/x", "Tea. 2020. doi:10.1/x"),
            ("Tea. SSRN, , 2020;.", "Tea. SSRN, 2020."),
            ("Tea,, 2020", "Tea, 2020"),
            ("Tea. (n.d.). . arXiv", "Tea. (n.d.). arXiv"),
            ("Tea. 2020 . doi", "Tea. 2020. doi"),
            ("“Tea.”. n.d.", "“Tea.” n.d."),
            ("Tea. In:. Handbook", "Tea. In: Handbook"),
            (", n.d., Tea:", "n.d., Tea"),
            ("A . . . B on .NET and 1,.5", "A . . . B on .NET and 1,.5"),
        ] {
            assert_eq!(tidied(text, &work), tidy);
        }
    }

    #[test]
    fn a_works_own_marks_stay() {
        let title = |title: &str| Item { title: title.into(), ..Item::default() };
        assert_eq!(
            tidied("Why, . and ,. mean. 2020", &title("Why, . and ,. mean")),
            "Why, . and ,. mean. 2020"
        );
        assert_eq!(tidied("Tea:", &title("Tea:")), "Tea:");
        assert_eq!(tidied(":tea", &title(":tea")), ":tea");
        let page = Item { url: Some("https://a.example/x,".into()), ..title("Tea") };
        assert_eq!(tidied("Tea. https://a.example/x,.", &page), "Tea. https://a.example/x,.");
        assert_eq!(tidied("Tea. https://a.example/x,", &page), "Tea. https://a.example/x,");
    }

    // proves: D3
    #[test]
    fn capitals_within_words_are_those_of_the_title() {
        for (title, text, restored) in [
            ("On models (BIM)", "Doe. “On Models (Bim).” 2020", "Doe. “On Models (BIM).” 2020"),
            (
                "Use of mRNA, 3D and BERT/GPT-4 in it.",
                "Use of Mrna, 3d and Bert/gpt-4 in It. 2020",
                "Use of mRNA, 3D and BERT/GPT-4 in It. 2020",
            ),
            ("BUILDING MODELS (BIM)", "BUILDING MODELS (Bim). 2020", "BUILDING MODELS (BIM). 2020"),
            ("BUILDING MODELS (BIM)", "Building models (bim). 2020", "Building models (bim). 2020"),
            ("On models (BIM)", "ON MODELS (BIM). 2020", "ON MODELS (BIM). 2020"),
            ("On models (BIM)", "Journal, 2020", "Journal, 2020"),
            ("Ünder ŒUVRE", "x: Ünder Œuvre.", "x: Ünder ŒUVRE."),
            ("", "x", "x"),
        ] {
            assert_eq!(with_capitals(text, title), restored);
        }
    }
}
