//! Converts the citations of a report by another program to those that this program writes: `[1]` in the text, and a list of what they
//! cite.
//!
//! Numbered marks, footnotes, chat marks, links and bare addresses are citations. The list of sources, wherever it stands, and the
//! definitions of footnotes are not part of the text.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::Range;

use grounding::marks::marks;
use run::consult::Cited;
use run::ledger::one_line;

use super::citations::{self, Definition};

/// A text and what it cites.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Marked {
    /// Markdown with the marks `[1]`, `[2]` and so on, each of which stands for a source.
    pub text: String,
    /// Each source once, in the order in which the text cites them: its address if one is given, else its entry in the list of sources.
    pub sources: Vec<String>,
}

/// Reads a text with its citations.
///
/// A mark that no list of sources explains is left out, as is an entry of the list that the text does not cite. Citations by author and
/// year count as ordinary words.
pub fn marked(text: &str) -> Marked {
    let mut body = text.trim_start_matches('\u{feff}').replace("\r\n", "\n");
    let hidden = citations::unread(&body);
    for span in &hidden {
        citations::blank(&mut body, span);
    }
    let lists = find_lists(&body);
    let mut definitions = citations::find_definitions(&body);
    for list in &lists {
        for (label, said) in entries(body.get(list.clone()).unwrap_or_default()) {
            // The list is removed as a whole.
            let definition = Definition { span: 0..0, said, cited: vec![] };
            definitions.entry(label).or_insert(definition);
        }
    }
    for definition in definitions.values_mut() {
        definition.cited = vec![whole(&definition.said)];
    }
    let listed = lists.into_iter().chain(definitions.values().map(|one| one.span.clone()));
    for span in listed {
        citations::blank(&mut body, &span);
    }
    let mut edits = find_edits(&body, &definitions);
    edits.extend(hidden.into_iter().map(|span| Edit { span, cites: Cites::Nothing }));
    edited(&body, edits)
}

fn whole(said: &str) -> Cited {
    Cited { document: said.to_owned(), quote: String::new() }
}

/// A span of a text to replace.
struct Edit {
    span: Range<usize>,
    cites: Cites,
}

enum Cites {
    /// The span is removed.
    Nothing,
    Sources(Vec<String>),
}

/// Returns an edit for everything in a text that is a citation, or part of one.
fn find_edits(body: &str, definitions: &BTreeMap<String, Definition>) -> Vec<Edit> {
    let links = citations::find_links(body);
    let mut found = citations::references(body, definitions);
    found.extend(citations::numbered_links(body, &links));
    let sources =
        |cited: Vec<Cited>| Cites::Sources(cited.into_iter().map(|one| one.document).collect());
    let mut edits: Vec<Edit> =
        found.into_iter().map(|(span, cited)| Edit { span, cites: sources(cited) }).collect();
    for (span, url) in links {
        // The words of a link stay; its brackets go.
        let open = body.get(..span.start).and_then(|before| before.rfind(['[', '\n']));
        if let Some(open) = open.filter(|open| body[*open..].starts_with('[')) {
            edits.push(Edit { span: open..open + 1, cites: Cites::Nothing });
        }
        edits.push(Edit { span, cites: Cites::Sources(vec![url]) });
    }
    edits.extend(addresses(body));
    let of_chats = citations::raised(body).into_iter().map(|(span, _)| span);
    let of_chats = of_chats.filter(|span| body[span.clone()].starts_with('【'));
    let unexplained = marks(body).into_iter().map(|mark| mark.span).chain(footnotes(body));
    let unexplained = unexplained.chain(of_chats);
    edits.extend(unexplained.map(|span| Edit { span, cites: Cites::Nothing }));
    edits
}

/// Returns the spans of footnote marks, explained or not.
fn footnotes(body: &str) -> impl Iterator<Item = Range<usize>> {
    body.match_indices("[^").filter_map(|(start, _)| {
        let inner = body.get(start..)?;
        let end = inner.find([']', '\n']).filter(|end| inner[*end..].starts_with(']'))?;
        Some(start..start + end + 1)
    })
}

/// Returns edits for the bare addresses in a text, with the angle brackets around them.
fn addresses(body: &str) -> impl Iterator<Item = Edit> {
    let starts = body.match_indices("http").filter(|(at, _)| {
        body[*at..].starts_with("https://") || body[*at..].starts_with("http://")
    });
    starts.filter_map(|(start, _)| {
        let rest = body.get(start..)?;
        let url = address(rest);
        let (before, behind) = (body.get(..start)?, rest.get(url.len()..)?);
        let is_bracketed = before.ends_with('<') && behind.starts_with('>');
        let wider = usize::from(is_bracketed);
        let span = start - wider..start + url.len() + wider;
        Some(Edit { span, cites: Cites::Sources(vec![url.to_owned()]) })
    })
}

/// Returns the address that a text begins with, without trailing punctuation.
fn address(text: &str) -> &str {
    let mut depth = 0_i32;
    let end = text.find(|c: char| {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        depth < 0 || c.is_whitespace() || "<>[]\"`|”“".contains(c)
    });
    text.get(..end.unwrap_or(text.len()))
        .unwrap_or_default()
        .trim_end_matches(['.', ',', ';', ':', '!', '?', '*', '_', '\''])
}

/// Applies the edits, the longer of two that begin at the same place, and numbers the sources.
fn edited(body: &str, mut edits: Vec<Edit>) -> Marked {
    // An edit that cites goes before one that only removes the same mark.
    let is_nothing = |edit: &Edit| matches!(edit.cites, Cites::Nothing);
    edits.sort_by_key(|edit| (edit.span.start, Reverse(edit.span.end), is_nothing(edit)));
    let mut sources: Vec<String> = Vec::new();
    let (mut text, mut from) = (String::with_capacity(body.len()), 0);
    for Edit { span, cites } in edits {
        if span.start < from {
            continue;
        }
        text.push_str(body.get(from..span.start).unwrap_or_default());
        from = span.end;
        let behind = body.get(from..).unwrap_or_default();
        match cites {
            Cites::Nothing if behind.starts_with(['.', ',', ';', ':', '!', '?']) => {
                text.truncate(text.trim_end_matches(' ').len());
            }
            Cites::Nothing => {}
            Cites::Sources(cited) => {
                // The mark has brackets of its own.
                if text.ends_with('(') && behind.starts_with(')') {
                    text.pop();
                    from += 1;
                }
                let numbers = cited.iter().map(|one| number(&mut sources, one).to_string());
                let numbers: Vec<String> = numbers.collect();
                let gap = if text.ends_with(char::is_whitespace) { "" } else { " " };
                text.push_str(&format!("{gap}[{}]", numbers.join(", ")));
            }
        }
    }
    text.push_str(body.get(from..).unwrap_or_default());
    Marked { text: tidy(&text), sources }
}

/// Returns the number of a source, from 1; appends a new one.
fn number(sources: &mut Vec<String>, said: &str) -> usize {
    let name = identify_source(said);
    let at = sources.iter().position(|known| *known == name);
    at.map_or_else(
        || {
            sources.push(name.clone());
            sources.len()
        },
        |at| at + 1,
    )
}

/// Returns the identity of a source: its address without a fragment, else its words.
fn identify_source(said: &str) -> String {
    let url = ["https://", "http://"].iter().filter_map(|scheme| said.find(scheme)).min();
    match url.and_then(|at| said.get(at..)) {
        Some(rest) => {
            let url = address(rest);
            url.split('#').next().unwrap_or(url).trim_end_matches('/').to_owned()
        }
        None => one_line(said),
    }
}

/// Removes the white space that removed spans leave behind.
fn tidy(text: &str) -> String {
    let mut lines: Vec<&str> = Vec::new();
    for line in text.lines().map(str::trim_end) {
        if !(line.is_empty() && lines.last().is_none_or(|last| last.is_empty())) {
            lines.push(line);
        }
    }
    lines.join("\n").trim_end().to_owned()
}

/// Returns the spans of the lists of sources, with their headings: each up to the next heading that is not below its own.
fn find_lists(body: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut open: Option<(usize, usize)> = None;
    let mut start = 0;
    for line in body.split_inclusive('\n') {
        if let Some((level, name)) = heading(line) {
            if let Some((_, from)) = open.take_if(|(own, _)| level <= *own) {
                found.push(from..start);
            }
            if open.is_none() && is_list_of_sources(name) {
                open = Some((level, start));
            }
        }
        start += line.len();
    }
    found.extend(open.map(|(_, from)| from..body.len()));
    found
}

/// Reads a heading and its level: `## Sources`, `**Sources**`, or the name of such a list alone on its line.
fn heading(line: &str) -> Option<(usize, &str)> {
    const LOWEST: usize = 7;
    let line = line.trim();
    let level = line.bytes().take_while(|byte| *byte == b'#').count();
    let rest = line.get(level..)?;
    if (1..LOWEST).contains(&level) && rest.starts_with([' ', '\t']) {
        return Some((level, rest.trim().trim_end_matches('#')));
    }
    let bare = line.trim_end_matches(':');
    let bold = bare.strip_prefix("**").and_then(|inner| inner.strip_suffix("**"));
    let name = bold.unwrap_or(bare);
    is_list_of_sources(name).then_some((LOWEST, name))
}

/// Returns whether a heading is that of a list of sources: `Sources`, `7. References`, `Works cited (12)`, `Notes and references`.
fn is_list_of_sources(heading: &str) -> bool {
    const NAMES: [&str; 27] = [
        "sources",
        "references",
        "bibliography",
        "literature",
        "works cited",
        "sources cited",
        "literature cited",
        "citations",
        "footnotes",
        "endnotes",
        "reference list",
        "list of references",
        "list of sources",
        "quellen",
        "quellenverzeichnis",
        "literatur",
        "literaturverzeichnis",
        "einzelnachweise",
        "références",
        "bibliographie",
        "fuentes",
        "referencias",
        "bibliografía",
        "参考文献",
        "参考资料",
        "来源",
        "出典",
    ];
    let plain = heading.split(['(', '（']).next().unwrap_or_default().to_lowercase();
    let is_mark = |c: char| c.is_whitespace() || c.is_ascii_digit() || ".:*_".contains(c);
    let mut parts = plain.split(" and ").flat_map(|part| part.split(" & "));
    let named = |part: &str| NAMES.contains(&part.trim_matches(is_mark));
    // "Notes" alone may be notes on anything.
    let mut any = false;
    parts.all(|part| {
        any |= named(part);
        named(part) || part.trim_matches(is_mark) == "notes"
    }) && any
}

/// Reads the entries of a list of sources, each with its label: the number before it, or its position if no entry has a number.
fn entries(list: &str) -> Vec<(String, String)> {
    let mut found: Vec<(Option<String>, String)> = Vec::new();
    let mut is_new = true;
    for line in list.lines().skip(1) {
        let bare = line.trim().trim_start_matches(['-', '*', '+', '•']).trim();
        if !bare.contains(char::is_alphanumeric) {
            is_new |= bare.is_empty();
            continue;
        }
        let numbered = citations::label(line).or_else(|| citations::numbered(line));
        let is_item = bare.len() < line.trim().len();
        match (numbered, found.last_mut()) {
            (Some((label, said)), _) => found.push((Some(label), said.to_owned())),
            (None, Some((_, said))) if !is_item && (!is_new || line.starts_with([' ', '\t'])) => {
                said.push(' ');
                said.push_str(bare);
            }
            _ => found.push((None, bare.to_owned())),
        }
        is_new = false;
    }
    let are_numbered = found.iter().any(|(label, _)| label.is_some());
    let labelled = found.into_iter().enumerate().filter_map(|(place, (label, said))| {
        let by_place = (!are_numbered).then(|| (place + 1).to_string());
        Some((label.or(by_place)?, said))
    });
    labelled.collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(text: &str, expected: &str, sources: &[&str]) {
        let Marked { text: found, sources: cited } = marked(text);
        assert_eq!(
            (found.as_str(), cited),
            (expected, sources.iter().map(|one| (*one).to_owned()).collect()),
            "{text}"
        );
    }

    // proves: A8
    #[test]
    fn marks_of_all_kinds_lead_to_the_sources_of_the_list() {
        let (a, b) = ("https://a.example/tides", "Smith, *Moon*, 2020");
        let text = "# Tides\n\nIt rose [1]. It fell [2].";
        for cites in [
            "It rose [1]. It fell [2].\n\n## References\n\n1. Tides. https://a.example/tides\n2. Smith, *Moon*, 2020\n",
            "It rose [7]. It fell [3].\n\n## 4. Works cited\n\n[3] Smith, *Moon*,\n    2020\n[7]: Tides. https://a.example/tides\n[8] Not cited\n",
            "It rose [1]. It fell [2].\n\n**Sources:**\n- [Tides](https://a.example/tides)\n- Smith, *Moon*, 2020\n",
            "It rose[^t]. It fell [^m].\n\n[^t]: Tides, <https://a.example/tides#top>\n[^m]: Smith, *Moon*, 2020\n",
            "It rose 【1†source】. It fell 【2†source】.\n\nSources\n\n1. https://a.example/tides/\n2. Smith, *Moon*, 2020",
            "It rose [1]. It fell [2] [9].\n\n## Notes and references\n\n1. https://a.example/tides.\n2. Smith, *Moon*, 2020",
        ] {
            let Marked { text: found, sources } = marked(&format!("# Tides\n\n{cites}"));
            assert_eq!(
                (found.as_str(), sources),
                (text, vec![a.to_owned(), b.to_owned()]),
                "{cites}"
            );
        }
    }

    // proves: A8
    #[test]
    fn links_and_addresses_are_citations_and_their_words_stay() {
        check(
            "---\ntitle: T\n---\n\nSee [the tides](https://a.example/t_(sea) \"x\"), and [up](#up). It rose ([1](https://b.example)). Again: https://a.example/t_(sea)/.\n",
            "See the tides [1], and [up](#up). It rose [2]. Again: [1].",
            &["https://a.example/t_(sea)", "https://b.example"],
        );
    }

    // proves: A8
    #[test]
    fn what_is_no_list_of_sources_stays_and_what_stands_behind_one_too() {
        check(
            "Steps [1]:\n\n1. Wait.\n2. Go on.\n\n## Sources\n\n1. a.md\n\n### Web\n\n2. b.md\n\n## Appendix\n\nSources of light are many [2].\n\n## Sources of light\n\nThe sun.\n",
            "Steps [1]:\n\n1. Wait.\n2. Go on.\n\n## Appendix\n\nSources of light are many [2].\n\n## Sources of light\n\nThe sun.",
            &["a.md", "b.md"],
        );
        check("Nothing is cited [1], [2020].", "Nothing is cited,.", &[]);
        check("", "", &[]);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        // proves: A8
        #[test]
        fn any_text_can_be_read(
            text in "(?s)(.|\\[\\^1\\]|\\[1\\]|\\]\\(|: |## Sources\n|\n- |https://a|<|\\(|¹|\n|[a-c. ]){0,60}",
        ) {
            let Marked { text, sources } = marked(&text);
            let each: std::collections::BTreeSet<&String> = sources.iter().collect();
            prop_assert_eq!(each.len(), sources.len());
            prop_assert!(sources.is_empty() || !marks(&text).is_empty(), "{:?}", text);
        }
    }
}
