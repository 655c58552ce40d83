//! Where the preamble of a document ends, and where the document does.

const BEGIN: &str = "\\begin{document}";
const END: &str = "\\end{document}";
/// An environment whose content is another file.
const FILE: &str = "filecontents";
/// What a document begins with.
const HEADS: &[&str] = &["\\documentclass", "\\documentstyle", BEGIN];
/// What stands in a text, and before no document.
const TEXT: &[&str] = &["\\chapter", "\\section", "\\subsection", "\\begin{"];

/// Returns the preamble and the body of a document; a text that begins no document, as a chapter, is all body.
///
/// A manual of LaTeX shows whole documents, or their ends. So the body ends where a document does that was not begun within it, at the
/// last such place; what may follow there is no text.
pub(super) fn split(text: &str) -> (&str, &str) {
    let begin = places(text, BEGIN).find(|at| !is_in_file(&text[..*at]));
    let Some(at) = begin.filter(|at| !is_shown_in_text(&text[..at + BEGIN.len()])) else {
        return ("", end_at(text, begin.is_none().then(|| text.find(END)).flatten()));
    };
    let (preamble, body) = (&text[..at], &text[at + BEGIN.len()..]);
    let begins = places(body, BEGIN).map(|at| (at, true));
    let mut marks: Vec<(usize, bool)> =
        begins.chain(places(body, END).map(|at| (at, false))).collect();
    marks.sort_unstable();
    let (mut inner, mut own, mut last) = (0_usize, None, None);
    for (at, is_begin) in marks {
        if is_begin {
            inner += 1;
            continue;
        }
        last = Some(at);
        if inner == 0 {
            own = last;
        }
        inner = inner.saturating_sub(1);
    }
    (preamble, end_at(body, own.or(last)))
}

fn end_at(text: &str, end: Option<usize>) -> &str {
    end.map_or(text, |end| &text[..end])
}

/// Returns where a mark stands, but for those that are shown within a line: `\verb|\end{document}|`.
fn places<'a>(text: &'a str, mark: &'a str) -> impl Iterator<Item = usize> + 'a {
    let is_shown = |at: usize| {
        let mut before = text[..at].chars().rev();
        let mark = before.next();
        mark == Some('|') || mark.is_some() && before.take(5).eq("brev\\".chars())
    };
    text.match_indices(mark).map(|(at, _)| at).filter(move |at| !is_shown(*at))
}

/// Returns whether text stands before the head of a document, so that it is only shown.
fn is_shown_in_text(head: &str) -> bool {
    let first = HEADS.iter().filter_map(|mark| head.find(mark)).min();
    let before = &head[..first.unwrap_or(0)];
    TEXT.iter().any(|mark| before.contains(mark)) && !before.contains(&format!("\\begin{{{FILE}"))
}

/// Returns whether a text ends within an environment that holds a file.
fn is_in_file(before: &str) -> bool {
    let begin = before.rfind(&format!("\\begin{{{FILE}"));
    begin.is_some_and(|at| !before[at..].contains(&format!("\\end{{{FILE}")))
}
