use super::*;

fn find_targets() -> BTreeMap<u32, Target> {
    let target = |number: u32| Target {
        document_id: Some(format!("d{number}")),
        start: 10,
        end: 20,
        verdict: "supported".into(),
    };
    (1..=3).map(|number| (number, target(number))).collect()
}

/// Returns the fragment of what a model wrote.
fn read(markdown: &str) -> (String, Vec<Heading>) {
    let blocks = crate::read::read(markdown, &[]);
    let fragment = write(&Document { title: None, blocks }, &find_targets());
    (fragment.html, fragment.outline)
}

fn chip(number: u32) -> String {
    format!(
        "<a class=\"cite\" href=\"#/documents/d{number}?start=10&amp;end=20\" data-number=\"{number}\" \
         data-verdict=\"supported\">[{number}]</a>"
    )
}

// proves: F3
#[test]
fn a_mark_leads_to_its_source() {
    for (markdown, html) in [
        ("It rose. [1]", format!("<p>It rose. {}</p>\n", chip(1))),
        (
            "It rose. [1] [2] It fell.",
            format!("<p>It rose. {} {} It fell.</p>\n", chip(1), chip(2)),
        ),
        ("It rose [1][2].", format!("<p>It rose {}{}.</p>\n", chip(1), chip(2))),
        ("It rose [2, 3].", format!("<p>It rose {}{}.</p>\n", chip(2), chip(3))),
        ("It rose [1-3].", format!("<p>It rose {}{}{}.</p>\n", chip(1), chip(2), chip(3))),
        ("**It rose [1]**", format!("<p><strong>It rose {}</strong></p>\n", chip(1))),
        ("- It rose [1]", format!("<ul>\n<li>It rose {}</li>\n</ul>\n", chip(1))),
        ("a \\\\[1]", format!("<p>a \\{}</p>\n", chip(1))),
        ("on [a, b] \\[ it rose [1]", format!("<p>on [a, b] [ it rose {}</p>\n", chip(1))),
        // What is no citation stays a text, beside one as well.
        ("It rose [7] and [1, 7].", format!("<p>It rose [7] and {}[7].</p>\n", chip(1))),
    ] {
        assert_eq!(read(markdown).0, html, "{markdown}");
    }
}

// proves: C4, F3
#[test]
fn what_others_wrote_becomes_no_mark() {
    for markdown in [
        "It holds \\[1\\].",
        "It holds \\[1].",
        "It holds [1\\].",
        "It holds &#91;1&#93;.",
        "It holds &lsqb;1].",
        "It holds [&#49;].",
        "It holds 【1】 and ［1］.",
        "It holds `[1]`.",
        "```\nIt holds [1].\n```",
        "    It holds [1].",
        "\\[ [1] \\]",
    ] {
        let html = read(markdown).0;
        assert!(!html.contains("class=\"cite\""), "{markdown}: {html}");
    }
}

// proves: F3
#[test]
fn headings_have_ids_that_are_their_own() {
    let (html, outline) =
        read("# Sources\n\n## Sources\n\n### A `b` & c [1]\n\n## \n\n## Études *sur* le thé\n");
    let told: Vec<(u8, &str, &str)> =
        outline.iter().map(|one| (one.level, one.id.as_str(), one.text.as_str())).collect();
    assert_eq!(
        told,
        [
            (2, "report-sources", "Sources"),
            (2, "report-sources-2", "Sources"),
            (3, "report-a-b-c", "A b & c"),
            (2, "report-section", ""),
            (2, "report-études-sur-le-thé", "Études sur le thé"),
        ]
    );
    assert!(!html.contains("<h1") && html.contains("<h2 id=\"report-sources-2\">"), "{html}");
    let long = read(&format!("## {}\n\n## \"><script>alert(1)</script>", "x".repeat(500)));
    assert!(long.1.iter().all(|one| one.id.len() < 70), "{long:?}");
    assert!(!long.0.contains("<script"), "{}", long.0);
}

// proves: F3
#[test]
fn a_table_brings_classes_and_no_style() {
    let (html, _) = read("## Ranking\n\n| a | b | c |\n|---:|:---:|:---|\n| 1 | 2 [1] | 3 |\n");
    assert_eq!(
        html,
        format!(
            "<h2 id=\"report-ranking\">Ranking</h2>\n\
             <div class=\"wide\" role=\"region\" aria-label=\"Ranking\" tabindex=\"0\">\
             <table><thead><tr><th class=\"number\">a</th><th class=\"middle\">b</th><th>c</th></tr></thead><tbody>\n\
             <tr><td class=\"number\">1</td><td class=\"middle\">2 {}</td><td>3</td></tr>\n\
             </tbody></table>\n</div>\n",
            chip(1)
        )
    );
}

#[test]
fn what_a_document_or_a_model_wrote_stays_text_on_the_page() {
    let (page, _) = read(
        "<script>alert(1)</script>\n\nSee ![x](https://evil.example/p.png) [a](javascript:alert(1)) \
         [b](https://ok.example/) <img src=x onerror=alert(1)> <https://ok.example>\n\n<div onclick=x>block</div>\n\n\
         [c]: https://evil.example\n",
    );
    for active in ["<script", "<img", "href=", "<div", "<a "] {
        assert!(!page.contains(active), "{active} in {page}");
    }
    for text in
        ["[b](https://ok.example/)", "&lt;https://ok.example&gt;", "[c]: https://evil.example"]
    {
        assert!(page.contains(text), "{text} in {page}");
    }
}

#[test]
fn a_title_cannot_leave_its_element() {
    assert_eq!(escape("</title><script>\u{1b}"), "&lt;/title&gt;&lt;script&gt; ");
}

// proves: F3
#[test]
fn a_chart_is_a_table_as_well_where_its_values_are_known() {
    let mut values = crate::Table::with(["Age", "Share#"]);
    values.row(["18–34".into(), "25 %".into()]);
    let chart = |values| Figure {
        title: "Satisfied".into(),
        svg: "<svg></svg>".into(),
        values,
        ..Figure::default()
    };
    let shown = |figure| {
        let picture = Picture { figures: vec![figure], ..Picture::default() };
        write(&Document { title: None, blocks: vec![Block::Picture(picture)] }, &BTreeMap::new())
            .html
    };
    let html = shown(chart(Some(values)));
    assert!(
        html.contains("<svg></svg>\n<details class=\"chart-values\">\n<summary>Show as a table</summary>\n<div class=\"wide\""),
        "{html}"
    );
    assert!(html.contains("<td>18–34</td><td class=\"number\">25 %</td>"), "{html}");
    assert!(html.ends_with("</details>\n</figure>\n"), "{html}");
    assert!(!shown(chart(None)).contains("<details"));
}
