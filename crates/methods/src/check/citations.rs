//! A Markdown or plain text with what its sentences cite: footnotes, numbered marks with a list of references, and links.

use std::collections::BTreeMap;
use std::ops::Range;

use grounding::marks::marks;
use grounding::prose::{Prose, Role};
use run::consult::Cited;

use super::Read;
use crate::grounded::binding::{Side, Site, standing_around};
use crate::grounded::entry::Form;

/// Reads the sentences of a text.
pub(super) fn read(text: &str) -> Vec<Read> {
    let text = text.trim_start_matches('\u{feff}');
    let definitions = definitions(text);
    // What a footnote or reference says is no sentence of the text.
    let mut body = text.to_owned();
    for definition in definitions.values() {
        blank(&mut body, &definition.span);
    }
    let mut cites = references(&body, &definitions);
    let links = links(&body);
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
        let around = around(index, &found, &sites);
        if let Some(read) = found.get_mut(index) {
            read.basis = basis;
            read.around = around;
        }
    }
    found
}

/// Returns what a conclusion, or a sentence that cites nothing, may rest on: its paragraph, else its section, else the whole text.
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

/// Returns the other sentences that cite in the paragraph of one that cites too.
fn around(index: usize, found: &[Read], sites: &[Site]) -> Vec<usize> {
    let block = |index: usize| sites.get(index).map(|site| site.block);
    let others =
        citing(found).filter(|other| *other != index && block(*other) == block(index)).collect();
    if citing(found).any(|one| one == index) { others } else { vec![] }
}

/// Returns the sentences that cite and are no conclusions.
fn citing(found: &[Read]) -> impl Iterator<Item = usize> {
    let cites = |(_, read): &(usize, &Read)| !read.cites.is_empty() && !read.is_conclusion;
    found.iter().enumerate().filter(cites).map(|(index, _)| index)
}

/// What a footnote or an entry of a list of references says.
struct Definition {
    /// The bytes of its lines.
    span: Range<usize>,
    cited: Vec<Cited>,
}

/// Finds `[^1]: …` and `[1] …` at the beginning of a line, with the lines that go on with them.
fn definitions(text: &str) -> BTreeMap<String, Definition> {
    let mut found: BTreeMap<String, Definition> = BTreeMap::new();
    let mut open: Option<(String, Range<usize>, String)> = None;
    let mut close = |open: &mut Option<(String, Range<usize>, String)>| {
        if let Some((label, span, said)) = open.take() {
            let cited = cited(&said);
            // Of two under one label the first counts, as Markdown has it.
            found.entry(label).or_insert(Definition { span, cited });
        }
    };
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let end = start + line.trim_end().len().max(1).min(line.len());
        match label(line) {
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
    found
}

/// Reads the label of a definition, and what stands behind it.
fn label(line: &str) -> Option<(String, &str)> {
    let line = line.trim();
    let inner = line.strip_prefix('[')?;
    let (label, rest) = inner.split_once(']')?;
    let said = match (label.starts_with('^'), rest.strip_prefix(':')) {
        (true, Some(said)) => said,
        // A reference of a list: `[1] Smith …` or `[1]: …`.
        (false, said) if label.bytes().all(|byte| byte.is_ascii_digit()) && !label.is_empty() => {
            said.unwrap_or(rest)
        }
        _ => return None,
    };
    let name = label.trim_start_matches('^').to_owned();
    (!said.trim().is_empty() && !name.is_empty()).then_some((name, said.trim()))
}

/// Reads what a footnote cites: words in quotation marks, and the document that the rest of it names.
fn cited(said: &str) -> Vec<Cited> {
    const FEWEST_WORDS: usize = 3;
    let mut quotes: Vec<String> = Vec::new();
    let mut rest = said.to_owned();
    for (open, close) in [('“', '”'), ('„', '“'), ('«', '»'), ('"', '"'), ('「', '」')]
    {
        // From the first mark to the last: a quote may hold quotation marks of its own.
        let (Some(from), Some(to)) = (rest.find(open), rest.rfind(close)) else { continue };
        let inner = rest.get(from + open.len_utf8()..to).unwrap_or_default().trim().to_owned();
        let is_long = run::analysis::words(&inner).nth(FEWEST_WORDS - 1).is_some()
            || inner.chars().filter(|c| run::analysis::is_unspaced(*c)).count() > 5;
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

/// Returns the citations of a text and what each of them is of: `[^1]`, and `[1]` where there is such a reference.
fn references(
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
    found
}

/// Returns the links of a text: where each stands, and where it leads.
fn links(body: &str) -> Vec<(Range<usize>, String)> {
    let mut found = Vec::new();
    for (at, _) in body.match_indices("](") {
        let Some(rest) = body.get(at + 2..) else { continue };
        let Some(length) = rest.find([')', '\n']).filter(|length| rest[*length..].starts_with(')'))
        else {
            continue;
        };
        let url =
            rest.get(..length).unwrap_or_default().split_whitespace().next().unwrap_or_default();
        if !url.is_empty() && !url.starts_with('#') && !url.starts_with("mailto:") {
            found.push((at..at + 3 + length, url.to_owned()));
        }
    }
    found
}

/// Writes blanks over a stretch, line breaks apart.
fn blank(text: &mut String, span: &Range<usize>) {
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
        let found = read(text);
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
            "See [the tides](https://a.example/t \"x\"), which [rise](#up).",
            &[("See the tides, which rise.", &[("https://a.example/t", "")])],
        );
    }

    // proves: C19
    #[test]
    fn conclusions_rest_on_what_cites_around_them() {
        let read =
            read("A is so.[^1] → Do B.\n\n## C\n\nD is so.[^1] It is.\n\nSo wait.\n\n[^1]: d.md");
        let basis: Vec<Vec<usize>> = read.iter().map(|read| read.basis.clone()).collect();
        assert_eq!(basis, [vec![], vec![0], vec![], vec![2], vec![2]]);
        let pair =
            self::read("There are two.[^1] A is one.[^1] B is one.[^1] → Do A.\n\n[^1]: d.md");
        let around: Vec<Vec<usize>> = pair.iter().map(|read| read.around.clone()).collect();
        assert_eq!(around, [vec![1, 2], vec![0, 2], vec![0, 1], vec![]]);
        assert!(read[1].is_conclusion && !read[3].is_conclusion);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn any_text_can_be_read(text in "(?s)(.|\\[\\^1\\]|\\[1\\]|\\]\\(|: |\"|“|”|\n|[a-c. ]){0,60}") {
            for read in read(&text) {
                prop_assert!(!read.claim.is_empty());
                if let Some((start, end)) = read.span {
                    prop_assert!(start <= end);
                }
            }
        }
    }
}
