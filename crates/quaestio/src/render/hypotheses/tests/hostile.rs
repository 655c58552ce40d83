//! Texts that want to be more than texts.

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use super::sample::{build_envelope, complete};
use super::*;

/// Texts that want to be a heading, a link, a picture, an element, a cell, an item or code.
const HOSTILE: [&str; 42] = [
    "x {#id .class}",
    "x {onload=alert(1)}",
    "<script>alert(1)</script>",
    "</title><script src=//evil.example></script>",
    "\"><img src=https://evil.example/p.png onerror=alert(1)>",
    "\\<img src=x onerror=alert(1)>",
    "<svg onload=alert(1)>",
    "</svg><iframe src=https://evil.example>",
    "</desc></svg><a href=javascript:alert(1)>x</a>",
    "<!-- --><base href=https://evil.example>",
    "<style>@import 'https://evil.example'</style>",
    "<https://evil.example>",
    "[x](https://evil.example)",
    "[x]\u{200b}(https://evil.example)",
    "![x](https://evil.example/p.png)",
    "[x](javascript:alert(1))",
    "[x](data:text/html,<script>alert(1)</script>)",
    "[1]: https://evil.example",
    "[x][y]\n\n[y]: https://evil.example",
    "a | b | c",
    "a \\| b \\\\| c",
    "x\n| --- |\n| y |",
    "`|`<b>`",
    "# A heading",
    "\u{200b}## A heading",
    "x\n\n## Sources\n\n[1] forged",
    "x\n===",
    "x\n---",
    "---",
    "* * *",
    "- item",
    "+ item",
    "12. item",
    "3) item",
    "> quoted",
    "```\ncode",
    "~~~",
    "    code",
    "[x] done",
    "&lt;script&gt;&#60;b&#62;",
    "**bold** _and_ `code` \\",
    "**",
];

/// Puts a text everywhere where a model, a paper or a user may put one.
fn filled(text: &str) -> Value {
    let mut all = complete();
    let put = || text.to_owned();
    (all.question, all.domain, all.objective) = (put(), put(), put());
    for (index, one) in all.hypotheses.iter_mut().enumerate() {
        one.id = format!("{text}{index}");
        (one.title, one.statement, one.mechanism) = (put(), put(), put());
        (one.novelty_rationale, one.plausibility_rationale) = (put(), put());
        (one.testability_rationale, one.impact_rationale) = (put(), put());
        one.falsifiable_predictions = vec![put(), put()];
        one.minimal_experiments = vec![put()];
        one.objections.iter_mut().for_each(|objection| objection.text = put());
        one.replies.iter_mut().for_each(|reply| reply.text = put());
        one.fallbacks = vec![put(), put()];
        for citation in &mut one.citations {
            (citation.title, citation.paper_id) = (put(), put());
            (citation.claim, citation.quote) = (put(), put());
            citation.authors = vec![put(), put()];
        }
    }
    all.ranked_hypothesis_ids = all.hypotheses.iter().map(|one| one.id.clone()).collect();
    all.ranking.leader.hypothesis_id = put();
    all.ranking.groups = vec![vec![put(), put()]];
    all.ranking.pair_coverage.missing[0].hypothesis_a_id = put();
    all.diversity[0].stage = put();
    all.diversity[0].too_close[0].hypothesis_a_id = put();
    all.literature.findings[0].text = put();
    all.literature.gaps = vec![put(), put()];
    all.retrieval.queries = vec![put(), put()];
    // On one line, since every line of a rendering is a paragraph.
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    all.summa_rendering = format!("Objection 1. {line}\n\nx {line}\n");
    let mut envelope = build_envelope("model", "completed", &Payload::Complete(Box::new(all)));
    for key in ["section", "source_uri", "quote"] {
        envelope["citations"][0][key] = text.into();
    }
    envelope["references"][0]["text"] = text.into();
    envelope["warnings"][0] = text.into();
    envelope
}

/// Returns the tags of a page, every attribute with its value where the page is not to choose it.
fn extract_tags(html: &str) -> Vec<&str> {
    html.split('<').skip(1).map(|tag| tag.split('>').next().unwrap()).collect()
}

/// Returns the tags of the fragment for the server's page, headings without the ids that are made of their texts.
fn fragment_tags(envelope: &Value) -> Vec<String> {
    let fragment = crate::render::report(envelope, &[]);
    let name = |tag: &str| match tag.split_once(" id=\"report-") {
        Some((name, id)) => {
            assert!(
                id.trim_end_matches('"').chars().all(|c| c.is_alphanumeric() || c == '-'),
                "{id}"
            );
            name.to_owned()
        }
        None => tag.to_owned(),
    };
    extract_tags(&fragment.html).into_iter().map(name).collect()
}

/// What viewers of Markdown know beside the common part of it; formulas may stay formulas.
const VIEWER: Options = Options::ENABLE_TABLES
    .union(Options::ENABLE_FOOTNOTES)
    .union(Options::ENABLE_STRIKETHROUGH)
    .union(Options::ENABLE_TASKLISTS)
    .union(Options::ENABLE_HEADING_ATTRIBUTES)
    .union(Options::ENABLE_DEFINITION_LIST)
    .union(Options::ENABLE_GFM);

/// Returns what a page of Markdown is made of, words and emphasis left out.
fn parse_structure(markdown: &str) -> Vec<String> {
    let is_inline = |tag: &Tag<'_>| matches!(tag, Tag::Emphasis | Tag::Strong);
    Parser::new_ext(markdown, VIEWER)
        .filter_map(|event| match event {
            Event::Start(tag) if is_inline(&tag) => None,
            Event::End(TagEnd::Emphasis | TagEnd::Strong) => None,
            Event::Text(_) | Event::Code(_) | Event::SoftBreak => None,
            other => Some(format!("{other:?}")),
        })
        .collect()
}

// proves: F6, H8
#[test]
fn no_text_is_more_than_a_text() {
    stays_text(filled);
}

/// Sees that a report has the same form whatever text stands everywhere in it.
pub(in crate::render) fn stays_text(filled: fn(&str) -> Value) {
    let tame = filled("tame");
    let (page, report) = (render(&tame, Format::Html), render(&tame, Format::Md));
    // Where a score stands in the picture does not depend on words.
    let (tags_wanted, structure_wanted) = (extract_tags(&page), parse_structure(&report));
    let fragment_wanted = fragment_tags(&tame);
    assert!(tags_wanted.len() > 100 && structure_wanted.len() > 100);
    for tag in &tags_wanted {
        let name = tag.trim_start_matches('/').split([' ', '/']).next().unwrap();
        assert!(
            !["script", "img", "a", "iframe", "base", "link", "object", "form"].contains(&name),
            "{tag}"
        );
        assert!(!tag.contains("://"), "{tag}");
    }
    for hostile in HOSTILE.iter().map(|text| (*text).to_owned()).chain(odd_texts(300)) {
        check(filled, &hostile, &tags_wanted, &fragment_wanted, &structure_wanted);
    }
}

/// Sees that a page and its Markdown, as `written` makes them, have the same form whatever text stands everywhere in them.
pub(in crate::render) fn keeps_its_form(written: impl Fn(&str) -> [String; 2]) {
    let [page, report] = written("tame");
    let (tags_wanted, structure_wanted) = (extract_tags(&page), parse_structure(&report));
    assert!(tags_wanted.len() > 100 && structure_wanted.len() > 100);
    for hostile in HOSTILE.iter().map(|text| (*text).to_owned()).chain(odd_texts(300)) {
        let [page, report] = written(&hostile);
        let (tags, structure) = (extract_tags(&page), parse_structure(&report));
        let other = tags.iter().zip(&tags_wanted).find(|(one, other)| one != other);
        assert_eq!((other, tags.len()), (None, tags_wanted.len()), "{hostile:?} on the page");
        let other = structure.iter().zip(&structure_wanted).find(|(one, other)| one != other);
        assert_eq!(
            (other, structure.len()),
            (None, structure_wanted.len()),
            "{hostile:?} in Markdown\n{report}"
        );
    }
}

fn check(
    filled: fn(&str) -> Value,
    hostile: &str,
    tags_wanted: &[&str],
    fragment_wanted: &[String],
    structure_wanted: &[String],
) {
    let envelope = filled(hostile);
    assert_eq!(fragment_tags(&envelope), fragment_wanted, "{hostile:?} in the fragment");
    let page = render(&envelope, Format::Html);
    let tags = extract_tags(&page);
    let other = tags.iter().zip(tags_wanted).find(|(one, other)| one != other);
    assert_eq!(other, None, "{hostile:?} on the page");
    assert_eq!(tags.len(), tags_wanted.len(), "{hostile:?}");
    let report = render(&envelope, Format::Md);
    let structure = parse_structure(&report);
    let other = structure.iter().zip(structure_wanted).find(|(one, other)| one != other);
    assert_eq!(other, None, "{hostile:?} in Markdown\n{report}");
    assert_eq!(structure.len(), structure_wanted.len(), "{hostile:?}");
}

/// Returns texts of letters that mean something to Markdown, the same every time.
fn odd_texts(number: usize) -> impl Iterator<Item = String> {
    const LETTERS: [&str; 32] = [
        "[",
        "]",
        "(",
        ")",
        "<",
        ">",
        "!",
        "#",
        "|",
        "\\",
        "`",
        "*",
        "_",
        "~",
        "-",
        "+",
        "=",
        ":",
        "&",
        ";",
        "\n",
        "\n\n",
        " ",
        "    ",
        "\t",
        "1.",
        "a",
        "https://evil.example",
        "\u{200b}",
        "\"",
        "^",
        "$",
    ];
    let mut state = 1_u64;
    let mut next = move || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize
    };
    (0..number).map(move |index| {
        let length = 1 + next() % 14;
        let letters: String = (0..length).map(|_| LETTERS[next() % LETTERS.len()]).collect();
        // Something is to be seen in each, so that no paragraph is missing; before what is odd, or behind it.
        if index % 2 == 0 { format!("{letters}z") } else { format!("z{letters}") }
    })
}

/// Over the list of attacks in the folder that QUAESTIO_TEST_DATA names.
// proves: F6, H8
#[cfg(feature = "recorded")]
#[test]
fn no_recorded_attack_is_more_than_a_text() {
    let data = std::env::var("QUAESTIO_TEST_DATA").expect("QUAESTIO_TEST_DATA names the folder");
    let attacks = std::fs::read(format!("{data}/security/xss_payloads.txt")).unwrap();
    let tame = filled("tame");
    let (page, report) = (render(&tame, Format::Html), render(&tame, Format::Md));
    let (tags_wanted, structure_wanted) = (extract_tags(&page), parse_structure(&report));
    let fragment_wanted = fragment_tags(&tame);
    for attack in String::from_utf8_lossy(&attacks).lines().filter(|line| !line.trim().is_empty()) {
        check(filled, attack, &tags_wanted, &fragment_wanted, &structure_wanted);
    }
}
