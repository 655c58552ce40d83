//! Reads Markdown or plain text as sentences with what they cite: footnotes, numbered marks with a list of references, and links.

use std::collections::BTreeMap;
use std::ops::Range;

use grounding::marks::marks;
use grounding::prose::{Prose, Role};
use run::consult::Cited;

use super::Read;
use crate::grounded::binding::{Side, Site, standing_around};
use crate::grounded::entry::Form;

/// Reads the sentences of a text with their citations.
pub(super) fn parse_text(text: &str) -> Vec<Read> {
    let text = text.trim_start_matches('\u{feff}');
    let mut body = text.to_owned();
    for span in unread(&body) {
        blank(&mut body, &span);
    }
    let definitions = find_definitions(&body);
    // The words of a footnote or reference are not sentences of the text.
    for definition in definitions.values() {
        blank(&mut body, &definition.span);
    }
    let links = find_links(&body);
    let mut cites = references(&body, &definitions);
    cites.extend(numbered_links(&body, &links));
    cites.sort_by_key(|(span, _)| span.start);
    let spans: Vec<Range<usize>> = cites.iter().map(|(span, _)| span.clone()).collect();
    let prose = Prose::of(&body, &spans);
    let mut found: Vec<Read> = Vec::new();
    let mut sites: Vec<Site> = Vec::new();
    for (_, piece) in prose.claims() {
        if piece.words.is_empty() {
            continue;
        }
        let own = piece.citations.iter().filter_map(|index| cites.get(*index));
        let mut cited: Vec<Cited> = own.flat_map(|(_, cited)| cited.clone()).collect();
        let linked = links.iter().filter(|(span, _)| piece.span.contains(&span.start));
        cited.extend(linked.map(|(_, url)| Cited { document: url.clone(), quote: String::new() }));
        sites.push(Site::of(piece));
        found.push(Read {
            id: String::new(),
            claim: piece.in_context(),
            words: piece.words.clone(),
            form: match piece.role {
                Role::Cell { .. } => Form::Cell,
                Role::Code => Form::Code,
                _ => Form::Sentence,
            },
            is_conclusion: piece.is_conclusion(),
            cites: cited,
            basis: vec![],
            around: vec![],
            span: Some((piece.span.start, piece.span.end)),
        });
    }
    for index in 0..found.len() {
        let basis = basis_of(index, &found, &sites);
        let around = find_neighbours(index, &found, &sites);
        if let Some(read) = found.get_mut(index) {
            read.basis = basis;
            read.around = around;
        }
    }
    found
}

/// Returns the sentences that one without citations may rest on: those of its paragraph, else of its section, else of the whole text.
fn basis_of(index: usize, found: &[Read], sites: &[Site]) -> Vec<usize> {
    match (found.get(index), sites.get(index)) {
        (Some(read), Some(own)) if read.cites.is_empty() => {
            let others: Vec<(usize, Site)> = citing(found)
                .filter(|other| *other != index)
                .filter_map(|other| Some((other, *sites.get(other)?)))
                .collect();
            standing_around(Side::Sentence(index), *own, &others)
        }
        _ => vec![],
    }
}

/// Returns the other sentences that cite in the paragraph of one that cites.
fn find_neighbours(index: usize, found: &[Read], sites: &[Site]) -> Vec<usize> {
    let block = |index: usize| sites.get(index).map(|site| site.block);
    let others =
        citing(found).filter(|other| *other != index && block(*other) == block(index)).collect();
    if citing(found).any(|one| one == index) { others } else { vec![] }
}

/// Returns the indices of the sentences that cite and are not conclusions.
fn citing(found: &[Read]) -> impl Iterator<Item = usize> {
    let cites = |(_, read): &(usize, &Read)| !read.cites.is_empty() && !read.is_conclusion;
    found.iter().enumerate().filter(cites).map(|(index, _)| index)
}

/// A footnote, or an entry of a list of references.
pub(super) struct Definition {
    /// The byte range of its lines.
    pub(super) span: Range<usize>,
    /// Its words, without the label.
    pub(super) said: String,
    pub(super) cited: Vec<Cited>,
}

/// Finds `[^1]: …` and `[1] …` at the beginning of a line, with their continuation lines; and the numbered items (`1. Smith …`) of a list
/// that ends the text under a heading, if a mark in the text has one of their numbers.
pub(super) fn find_definitions(text: &str) -> BTreeMap<String, Definition> {
    let mut found: BTreeMap<String, Definition> = BTreeMap::new();
    let mut open: Option<(String, Range<usize>, String)> = None;
    let mut close = |open: &mut Option<(String, Range<usize>, String)>| {
        if let Some((label, span, said)) = open.take() {
            let cited = parse_footnote(&said);
            // Of two with the same label the first counts, as in Markdown.
            found.entry(label).or_insert(Definition { span, said, cited });
        }
    };
    let list = list_of_references(text);
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let end = start + line.trim_end().len().max(1).min(line.len());
        let in_list = list.is_some_and(|from| start >= from);
        match label(line).or_else(|| numbered(line).filter(|_| in_list)) {
            Some((label, said)) => {
                close(&mut open);
                open = Some((label, start..end, said.to_owned()));
            }
            None => match &mut open {
                Some((_, span, said))
                    if !line.trim().is_empty() && line.starts_with([' ', '\t']) =>
                {
                    span.end = end;
                    said.push(' ');
                    said.push_str(line.trim());
                }
                _ => close(&mut open),
            },
        }
        start += line.len();
    }
    close(&mut open);
    name_sources(&mut found);
    found
}

/// Adds to what `7a` and `7b` cite the source that stands under `7`, as Quaestio's own reports list them.
fn name_sources(found: &mut BTreeMap<String, Definition>) {
    let is_letter = |c: char| c.is_ascii_lowercase();
    let of_source = |label: &String| {
        let source = label.trim_end_matches(is_letter);
        let said = found.get(source).filter(|_| source != label)?.said.clone();
        Some((label.clone(), said))
    };
    let named: Vec<(String, String)> = found.keys().filter_map(of_source).collect();
    for (label, source) in named {
        let cited = found.get_mut(&label).into_iter().flat_map(|definition| &mut definition.cited);
        for one in cited {
            let parts =
                [source.as_str(), &one.document].into_iter().filter(|part| !part.is_empty());
            one.document = parts.collect::<Vec<_>>().join(", ");
        }
    }
}

/// Returns where the last section of a text begins, if it is a list of numbered items and a mark before it has one of their numbers.
fn list_of_references(text: &str) -> Option<usize> {
    let mut last = None;
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let bare = line.trim().trim_end_matches(':');
        let is_bold = bare.starts_with("**") && bare.ends_with("**") && bare.len() > 4;
        let next = start + line.len();
        // A line with nothing but a list after it is the list's heading.
        let over_list = || {
            let behind = text.get(next..).unwrap_or_default();
            let items = behind.lines().filter(|line| !line.trim().is_empty());
            items.clone().next().is_some_and(|line| numbered(line).is_some())
                && items
                    .filter(|line| !line.starts_with([' ', '\t']))
                    .all(|line| numbered(line).is_some() || label(line).is_some())
        };
        let is_short = !bare.is_empty() && bare.len() < 60 && numbered(line).is_none();
        if (bare.starts_with('#') || is_bold || is_short) && over_list() {
            last = Some(next);
        }
        start = next;
    }
    let from = last?;
    let before = text.get(..from)?;
    let plain = marks(before).into_iter().flat_map(|mark| mark.numbers);
    let mut marked: Vec<String> = plain.map(|number| number.to_string()).collect();
    marked.extend(raised(before).into_iter().map(|(_, label)| label));
    let mut listed = text.get(from..)?.lines().filter_map(numbered);
    listed.any(|(number, _)| marked.contains(&number)).then_some(from)
}

/// Reads the number of an ordered list item, and the text after it.
pub(super) fn numbered(line: &str) -> Option<(String, &str)> {
    let line = line.trim();
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let said = line.get(digits..)?.strip_prefix(['.', ')'])?;
    (digits > 0 && said.starts_with(' ') && !said.trim().is_empty())
        .then(|| (line[..digits].to_owned(), said.trim()))
}

/// Reads the label of a definition, and the text after it; a list marker may precede it.
pub(super) fn label(line: &str) -> Option<(String, &str)> {
    let line = line.trim();
    let line =
        line.strip_prefix(['-', '*']).filter(|rest| rest.starts_with(' ')).unwrap_or(line).trim();
    let inner = line.strip_prefix('[')?;
    let (label, rest) = inner.split_once(']')?;
    let said = match (label.starts_with('^'), rest.strip_prefix(':')) {
        (true, Some(said)) => said,
        // An entry of a list of references: `[1] Smith …`, `[1]: …` or `[1a] …`.
        // A link is not one: `[1](page.html)`.
        (false, said) if is_label(label) && !rest.starts_with('(') => said.unwrap_or(rest),
        _ => return None,
    };
    let name = label.trim_start_matches('^').to_owned();
    (!said.trim().is_empty() && !name.is_empty()).then_some((name, said.trim()))
}

/// Returns whether a text is a number, or one with the letters of a statement: `7`, `7a`.
fn is_label(text: &str) -> bool {
    const MOST_LETTERS: usize = 3;
    let digits = text.trim_end_matches(|c: char| c.is_ascii_lowercase());
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number && text.len() - digits.len() <= MOST_LETTERS
}

/// Returns the marks with letters, such as `[7a]` and `[7a, 8]`, with their labels.
fn lettered(body: &str) -> Vec<(Range<usize>, Vec<String>)> {
    let find = |(start, _): (usize, &str)| {
        let rest = body.get(start + 1..)?;
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, ',' | ' '))?;
        let inside = rest.get(..end).filter(|_| rest[end..].starts_with(']'))?;
        let labels: Vec<String> = inside.split(',').map(|label| label.trim().to_owned()).collect();
        let has_letters = inside.contains(|c: char| c.is_ascii_lowercase());
        let is_mark = has_letters && labels.iter().all(|label| is_label(label));
        is_mark.then(|| (start..start + inside.len() + 2, labels))
    };
    body.match_indices('[').filter_map(find).collect()
}

/// Reads what a footnote cites: words in quotation marks, and the document that the rest of it names.
fn parse_footnote(said: &str) -> Vec<Cited> {
    const FEWEST_WORDS: usize = 3;
    let mut quotes: Vec<String> = Vec::new();
    let mut rest = said.to_owned();
    for (open, close) in [('“', '”'), ('„', '“'), ('«', '»'), ('"', '"'), ('「', '」')]
    {
        // From the first mark to the last: a quote may hold quotation marks of its own.
        let (Some(from), Some(to)) = (rest.find(open), rest.rfind(close)) else { continue };
        let inner = rest.get(from + open.len_utf8()..to).unwrap_or_default().trim().to_owned();
        let is_long = text::words(&inner).nth(FEWEST_WORDS - 1).is_some()
            || inner.chars().filter(|c| text::is_unspaced(*c)).count() > 5;
        if from < to && is_long {
            let unescaped = inner.replace("\\\"", "\"").replace("\\“", "“").replace("\\”", "”");
            quotes.push(unescaped);
            rest.replace_range(from..to + close.len_utf8(), " ");
            break;
        }
    }
    let document =
        rest.trim_matches(|c: char| c.is_whitespace() || "—–-:;,".contains(c)).to_owned();
    match quotes.pop() {
        Some(quote) => vec![Cited { document, quote }],
        None if document.chars().any(char::is_alphanumeric) => {
            vec![Cited { document, quote: String::new() }]
        }
        None => vec![],
    }
}

/// Returns the citations of a text with what each cites: `[^1]`, `[1]`, `[1a]` and raised marks that have a definition.
pub(super) fn references(
    body: &str,
    definitions: &BTreeMap<String, Definition>,
) -> Vec<(Range<usize>, Vec<Cited>)> {
    let mut found: Vec<(Range<usize>, Vec<Cited>)> = Vec::new();
    let mut from = 0;
    while let Some(start) = body.get(from..).and_then(|rest| rest.find("[^")).map(|at| from + at) {
        let Some(length) = body.get(start..).and_then(|rest| rest.find(']')) else { break };
        let label = body.get(start + 2..start + length).unwrap_or_default();
        if let Some(definition) = definitions.get(label) {
            found.push((start..start + length + 1, definition.cited.clone()));
        }
        from = start + 2;
    }
    for mark in marks(body) {
        let known: Vec<&Definition> =
            mark.numbers.iter().filter_map(|number| definitions.get(&number.to_string())).collect();
        let is_known = !known.is_empty()
            && !found
                .iter()
                .any(|(span, _)| span.start < mark.span.end && mark.span.start < span.end);
        if is_known {
            found.push((mark.span, known.into_iter().flat_map(|one| one.cited.clone()).collect()));
        }
    }
    let labelled = raised(body).into_iter().map(|(span, label)| (span, vec![label]));
    let known = |(span, labels): (Range<usize>, Vec<String>)| {
        let known: Vec<&Definition> =
            labels.iter().filter_map(|label| definitions.get(label)).collect();
        let cited = || known.iter().flat_map(|one| one.cited.clone()).collect();
        (!known.is_empty()).then(|| (span, cited()))
    };
    found.extend(lettered(body).into_iter().chain(labelled).filter_map(known));
    found
}

/// Returns the marks that chats and word processors write, each with its label: `¹`, `¹²` and `【3†source】`.
pub(super) fn raised(body: &str) -> Vec<(Range<usize>, String)> {
    let mut found = Vec::new();
    let mut open: Option<(usize, String)> = None;
    for (at, c) in body.char_indices().chain([(body.len(), ' ')]) {
        match (text::raised_digit(c), &mut open) {
            (Some(digit), Some((_, label))) => label.push(digit),
            (Some(digit), None) => open = Some((at, digit.to_string())),
            (None, _) => {
                if let Some((start, label)) = open.take() {
                    found.push((start..at, label));
                }
            }
        }
    }
    for (start, _) in body.match_indices('【') {
        let Some(inner) = body.get(start + '【'.len_utf8()..) else { continue };
        let Some((inside, _)) = inner.split_once('】') else { continue };
        let label = inside.split('†').next().unwrap_or_default().trim();
        let end = start + '【'.len_utf8() + inside.len() + '】'.len_utf8();
        found.push((start..end, label.to_owned()));
    }
    found
}

/// Returns the spans of a text that are not prose: front matter, HTML tags and comments, and images.
pub(super) fn unread(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    if let Some(inner) = text.strip_prefix("---\n")
        && let Some(length) = inner.find("\n---\n")
        && inner.get(..length).is_some_and(|fields| fields.contains(':'))
    {
        found.push(0.."---\n".len() + length + "\n---\n".len());
    }
    for (start, _) in text.match_indices('<') {
        let Some(rest) = text.get(start..) else { continue };
        let comment = rest.starts_with("<!--").then(|| rest.find("-->").map(|end| end + 3));
        let is_tag = rest.get(1..).is_some_and(|inner| {
            inner.trim_start_matches('/').starts_with(|c: char| c.is_ascii_alphabetic())
        });
        let tag = || rest.find(['>', '\n']).filter(|end| is_tag && rest[*end..].starts_with('>'));
        // An address in angle brackets is a link.
        let tag = tag().filter(|end| !rest[..*end].contains("://") || rest[..*end].contains('='));
        if let Some(end) = comment.flatten().or_else(|| tag.map(|end| end + 1)) {
            found.push(start..start + end);
        }
    }
    for (start, _) in text.match_indices("![") {
        let Some(rest) = text.get(start..) else { continue };
        let end = rest.find("](").and_then(|at| Some(at + rest.get(at..)?.find([')', '\n'])? + 1));
        found.extend(end.map(|end| start..start + end));
    }
    found
}

/// Returns the links of a text, each with its span and its target.
pub(super) fn find_links(body: &str) -> Vec<(Range<usize>, String)> {
    let mut found = Vec::new();
    for (at, _) in body.match_indices("](") {
        let Some(rest) = body.get(at + 2..) else { continue };
        let Some(length) = closing(rest) else { continue };
        let url =
            rest.get(..length).unwrap_or_default().split_whitespace().next().unwrap_or_default();
        if !url.is_empty() && !url.starts_with('#') && !url.starts_with("mailto:") {
            found.push((at..at + 3 + length, url.to_owned()));
        }
    }
    found
}

/// Returns the offset of the parenthesis that closes one opened before `text`, on its first line; an address may hold pairs of its own.
fn closing(text: &str) -> Option<usize> {
    let line = text.split('\n').next().unwrap_or_default();
    let mut depth = 0_u32;
    let balanced = line.char_indices().find(|(_, c)| match c {
        '(' => {
            depth += 1;
            false
        }
        ')' if depth == 0 => true,
        ')' => {
            depth -= 1;
            false
        }
        _ => false,
    });
    balanced.map(|(at, _)| at).or_else(|| line.find(')'))
}

/// Returns the links that are marks: `[3](page.html)`, `[[3]](page.html)`.
pub(super) fn numbered_links(
    body: &str,
    links: &[(Range<usize>, String)],
) -> Vec<(Range<usize>, Vec<Cited>)> {
    let mark = |(span, url): &(Range<usize>, String)| {
        let before = body.get(..span.start)?;
        let label = before.trim_end_matches(']').rsplit('[').next()?;
        let is_number = !label.is_empty() && label.bytes().all(|byte| byte.is_ascii_digit());
        let start = before.rfind('[').filter(|_| is_number)?;
        let start = if before.get(..start)?.ends_with('[') { start - 1 } else { start };
        Some((start..span.end, vec![Cited { document: url.clone(), quote: String::new() }]))
    };
    links.iter().filter_map(mark).collect()
}

/// Overwrites a span with blanks, except line breaks.
pub(super) fn blank(text: &mut String, span: &Range<usize>) {
    let Some(written) = text.get(span.clone()) else { return };
    let blank: String = written
        .chars()
        .map(|c| if c == '\n' { "\n".to_owned() } else { " ".repeat(c.len_utf8()) })
        .collect();
    text.replace_range(span.clone(), &blank);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(text: &str, expected: &[(&str, &[(&str, &str)])]) {
        let found = parse_text(text);
        let found: Vec<(String, Vec<(String, String)>)> = found
            .into_iter()
            .map(|read| {
                let cites = read.cites.into_iter().map(|cited| (cited.document, cited.quote));
                (read.claim, cites.collect())
            })
            .collect();
        let expected: Vec<(String, Vec<(String, String)>)> = expected
            .iter()
            .map(|(claim, cites)| {
                let cites =
                    cites.iter().map(|(one, other)| ((*one).to_owned(), (*other).to_owned()));
                ((*claim).to_owned(), cites.collect())
            })
            .collect();
        assert_eq!(found, expected, "{text:?}");
    }

    // proves: C19
    #[test]
    fn footnotes_numbers_and_links_are_citations() {
        check(
            "It rose.[^1][^b] It fell.\n\n[^1]: tides.html — \"it rose by 3 m \\\"at once\\\" there\"\n[^b]: Smith, *Tides*,\n    2020, page 3\n",
            &[
                (
                    "It rose.",
                    &[
                        ("tides.html", "it rose by 3 m \"at once\" there"),
                        ("Smith, *Tides*, 2020, page 3", ""),
                    ],
                ),
                ("It fell.", &[]),
            ],
        );
        check(
            "It rose [1, 2]. It fell [9].\n\n## References\n\n[1] Smith, Tides. https://a.example/tides\n[2]: moon.md, “it follows the moon”",
            &[
                (
                    "It rose.",
                    &[
                        ("Smith, Tides. https://a.example/tides", ""),
                        ("moon.md", "it follows the moon"),
                    ],
                ),
                ("It fell [9].", &[]),
            ],
        );
        check(
            "It rose [1a]. It fell [1b, 2].\n\n## Sources\n\n[1] Tides  \n    doc://t.md\n\n\
             - [1a] Floods  \n  \"it rose by 3 m\"  \n  bytes 1..2 (quoted)\n- [1b] \"it fell by 3 m\"\n\n[2] moon.md\n",
            &[
                (
                    "It rose.",
                    &[("Tides doc://t.md, Floods   bytes 1..2 (quoted)", "it rose by 3 m")],
                ),
                ("It fell.", &[("Tides doc://t.md", "it fell by 3 m"), ("moon.md", "")]),
            ],
        );
        check(
            "See [the tides](https://a.example/t \"x\"), which [rise](#up).",
            &[("See the tides, which rise.", &[("https://a.example/t", "")])],
        );
    }

    // proves: C19
    #[test]
    fn reports_of_chats_and_word_processors_are_read() {
        let list = "## References\n\n1. Smith, *Tides*. tides.md\n2. https://a.example/moon\n";
        let (tides, moon) = ("Smith, *Tides*. tides.md", "https://a.example/moon");
        for text in [
            "It rose by 3 m [1]. It fell [2].",
            "It rose by 3 m.¹ It fell.²",
            "It rose by 3 m【1†source】. It fell【2†source】.",
            "It rose by 3 m.<sup>[1](tides.md)</sup> It fell [[2]](https://a.example/moon).",
        ] {
            let text = format!(
                "---\ntitle: Tides\n---\n\n<!-- draft -->\n\n{text}\n\n![a chart](tides.png)\n\n{list}"
            );
            let found = parse_text(&text);
            let claims: Vec<&str> = found.iter().map(|read| &*read.claim).collect();
            assert_eq!(claims, ["It rose by 3 m.", "It fell."], "{text}");
            let first = &found[0].cites[0].document;
            assert!(first == tides || first == "tides.md", "{text}: {found:?}");
            assert_eq!(found[1].cites[0].document, moon, "{text}");
        }
        // Steps are not references, though they are numbered and stand last.
        let steps = parse_text(
            "It rose [1].\n\n## Steps\n\n1. Wait for it.\n2. Go on.\n\nAnd rest.\n\n[1] tides.md",
        );
        assert_eq!(steps.len(), 4, "{steps:?}");
    }

    // proves: C19
    #[test]
    fn conclusions_rest_on_what_cites_around_them() {
        let read = parse_text(
            "A is so.[^1] → Do B.\n\n## C\n\nD is so.[^1] It is.\n\nSo wait.\n\n[^1]: d.md",
        );
        let basis: Vec<Vec<usize>> = read.iter().map(|read| read.basis.clone()).collect();
        assert_eq!(basis, [vec![], vec![0], vec![], vec![2], vec![2]]);
        let pair = self::parse_text(
            "There are two.[^1] A is one.[^1] B is one.[^1] → Do A.\n\n[^1]: d.md",
        );
        let around: Vec<Vec<usize>> = pair.iter().map(|read| read.around.clone()).collect();
        assert_eq!(around, [vec![1, 2], vec![0, 2], vec![0, 1], vec![]]);
        assert!(read[1].is_conclusion && !read[3].is_conclusion);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn any_text_can_be_read(text in "(?s)(.|\\[\\^1\\]|\\[1\\]|\\]\\(|: |\"|“|”|\n|[a-c. ]){0,60}") {
            for read in parse_text(&text) {
                prop_assert!(!read.claim.is_empty());
                if let Some((start, end)) = read.span {
                    prop_assert!(start <= end);
                }
            }
        }
    }
}
