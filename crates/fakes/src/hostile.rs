//! Texts that want to be more than texts, and a look at whether a report lets them.

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

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

/// A report in every form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    pub page: String,
    pub fragment: String,
    pub markdown: String,
}

/// What a report is made of beside its words.
#[derive(Debug, PartialEq, Eq)]
struct Form {
    page: Vec<String>,
    fragment: Vec<String>,
    markdown: Vec<String>,
}

impl Form {
    fn of(written: &Written) -> Form {
        Form {
            page: without_ids(&written.page),
            fragment: without_ids(&written.fragment),
            markdown: parse_structure(&written.markdown),
        }
    }
}

/// Sees that a report has the same form whatever text stands everywhere in it.
pub fn keeps_its_form(write: impl Fn(&str) -> Written) {
    let texts = HOSTILE.iter().map(|text| (*text).to_owned());
    keeps_its_form_under(write, texts.chain(odd_texts(300)));
}

/// The same for the texts given.
pub fn keeps_its_form_under(
    write: impl Fn(&str) -> Written,
    texts: impl IntoIterator<Item = String>,
) {
    let tame = write("tame");
    let wanted = Form::of(&tame);
    assert!(wanted.page.len() > 100 && wanted.markdown.len() > 100);
    for tag in extract_tags(&tame.page) {
        let name = tag.trim_start_matches('/').split([' ', '/']).next().unwrap_or_default();
        assert!(
            !["script", "img", "a", "iframe", "base", "link", "object", "form"].contains(&name),
            "{tag}"
        );
        assert!(!tag.contains("://"), "{tag}");
    }
    for hostile in texts {
        let written = write(&hostile);
        let Form { page, fragment, markdown } = Form::of(&written);
        assert_same(&page, &wanted.page, &hostile, "on the page");
        assert_same(&fragment, &wanted.fragment, &hostile, "in the fragment");
        let within = format!("in Markdown\n{}", written.markdown);
        assert_same(&markdown, &wanted.markdown, &hostile, &within);
    }
}

fn assert_same(found: &[String], wanted: &[String], hostile: &str, within: &str) {
    let other = found.iter().zip(wanted).find(|(one, other)| one != other);
    assert_eq!((other, found.len()), (None, wanted.len()), "{hostile:?} {within}");
}

/// Returns the tags of HTML, headings without the ids and regions without the labels that are made of their texts.
fn without_ids(html: &str) -> Vec<String> {
    let name = |tag: &str| {
        if let Some((name, id)) = tag.split_once(" id=\"report-") {
            let is_plain = |c: char| c.is_alphanumeric() || c == '-';
            assert!(id.trim_end_matches('"').chars().all(is_plain), "{id}");
            return name.to_owned();
        }
        match tag.split_once(" aria-label=\"") {
            Some((before, label)) => {
                let (_, behind) = label.split_once('"').unwrap_or_default();
                format!("{before}{behind}")
            }
            None => tag.to_owned(),
        }
    };
    extract_tags(html).into_iter().map(name).collect()
}

/// Returns the tags of HTML, each as it stands between its brackets.
pub fn extract_tags(html: &str) -> Vec<&str> {
    html.split('<').skip(1).map(|tag| tag.split('>').next().unwrap_or_default()).collect()
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
