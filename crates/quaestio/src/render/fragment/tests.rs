use super::*;

fn read(markdown: &str) -> (String, Vec<Heading>) {
    let target = |number: u32| Target {
        document_id: Some(format!("d{number}")),
        start: 10,
        end: 20,
        verdict: "supported".into(),
    };
    let targets: BTreeMap<u32, Target> = (1..=3).map(|number| (number, target(number))).collect();
    let mut fragment = Fragment::new(&targets);
    fragment.markdown(markdown);
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
        "[see [1]](https://example.org)",
        "[see [1]](javascript:alert(1))",
        "![a [1]](https://example.org/p.png)",
        "x <b title=\"[1]\">y</b>",
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

// proves: F3
#[test]
fn links_lead_to_the_web_alone_and_take_nothing_along() {
    let (html, _) = read(
        "[a](https://ok.example/?x=\"y\") [b](javascript:alert(1)) [c](mailto:x@y.example) [d](//evil.example) \
         [e](#/documents/d1) <https://ok.example>",
    );
    assert_eq!(html.matches("<a ").count(), 2, "{html}");
    assert_eq!(html.matches("rel=\"noopener noreferrer nofollow\" target=\"_blank\"").count(), 2);
    assert!(html.contains("href=\"https://ok.example/?x=&quot;y&quot;\""), "{html}");
}
