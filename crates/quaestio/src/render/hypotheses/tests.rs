//! Reports of runs that came through, had no model, or broke off; and of texts that want to be more than texts.

use methods::hypothesize::payload::{
    ByDimension, Citation, ClosePair, Complete, Finding, FoundPaper, Interval, Leader, Measure,
    MissingPair, Objection, PairCoverage, Partial, PositionBias, Reply, Scores,
};
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use run::ledger::Verdict;
use serde_json::json;

use super::*;
use crate::cli::Format;
use crate::render::{disarmed, render};

const QUESTION: &str = "Why do neap tides come late?";

fn hypothesis(id: &str, title: &str, rank: u32, overall: f64) -> Hypothesis {
    let objections = (1..=3).map(|number| Objection {
        number,
        text: format!("The lag is too short for what {id} says, by {number} hours."),
        citations: if number == 1 { vec![2] } else { vec![] },
        origin: if number == 3 { Origin::Fallback } else { Origin::Model },
    });
    let replies = (1..=3).map(|number| Reply {
        objection_number: number,
        text: format!("The lag was measured in a harbour. [{number}]"),
        origin: if number == 3 { Origin::Fallback } else { Origin::Model },
    });
    Hypothesis {
        id: id.into(),
        title: title.into(),
        statement: format!("{title} delays the neap tide."),
        mechanism: "Friction on the sea floor takes energy from the wave. [1]".into(),
        novelty_rationale: "Nobody has compared harbours.".into(),
        plausibility_rationale: "Friction is known to delay waves. [1]".into(),
        testability_rationale: "Gauges stand in every harbour.".into(),
        impact_rationale: "Ships wait for the tide.".into(),
        falsifiable_predictions: vec![
            "The lag grows with the length of the bay.".into(),
            "In deep water there is none.".into(),
        ],
        minimal_experiments: vec!["Compare 20 gauges over a year.".into()],
        objections: objections.collect(),
        replies: replies.collect(),
        citations: vec![cited(rank)],
        supporting_citations: 1,
        origin: Origin::Model,
        fallbacks: vec![],
        rank: Some(rank),
        scores: Some(Scores {
            novelty: 3.0,
            plausibility: 4.25,
            testability: overall,
            impact: 2.5,
            grounding: 3.75,
            overall,
        }),
        interval: Some(Interval { low: overall - 0.8, high: overall + 0.7 }),
        strength: Some(0.1),
        pairwise_record: None,
    }
}

fn cited(number: u32) -> Citation {
    Citation {
        paper_id: format!("doi:10.1000/{number}"),
        doi: Some(format!("10.1000/{number}")),
        title: "On the age of the tide".into(),
        authors: vec!["Ada Doe".into(), "Ben Roe".into(), "Cy Poe".into()],
        year: Some(2019),
        number: Some(number),
        claim: "Friction delays the neap tide.".into(),
        quote: "Friction delays the neap tide by about a day.".into(),
        verdict: Verdict::Verified,
        origin: Origin::Model,
    }
}

fn complete() -> Complete {
    let mut third = hypothesis("H3", "A resonance of the bay", 3, 2.1);
    third.citations = vec![Citation {
        number: None,
        claim: String::new(),
        quote: String::new(),
        authors: vec!["Dee Foe".into()],
        year: None,
        verdict: Verdict::Unsupported,
        origin: Origin::Fallback,
        ..cited(9)
    }];
    third.supporting_citations = 0;
    third.fallbacks = vec!["mechanism".into(), "impact_rationale".into()];
    let paper = |number: u32| FoundPaper {
        paper_id: format!("doi:10.1000/{number}"),
        doi: None,
        title: "On the age of the tide".into(),
        authors: vec![],
        year: None,
        has_abstract: number < 4,
        read: number < 4,
    };
    Complete {
        question: QUESTION.into(),
        domain: "Physical oceanography".into(),
        objective: "Cheap tests".into(),
        hypotheses: vec![
            third,
            hypothesis("H2", "Friction in shallow bays", 1, 3.4),
            hypothesis("H1", "An ocean-wide | age of the tide", 2, 3.1),
        ],
        ranked_hypothesis_ids: ["H2", "H1", "H3"].map(String::from).into(),
        ranking: Ranking {
            weights: ByDimension {
                novelty: 0.2,
                plausibility: 0.25,
                testability: 0.25,
                impact: 0.1,
                grounding: 0.2,
            },
            rounds: 1,
            pair_coverage: PairCoverage {
                expected: 6,
                judged: 5,
                missing: vec![MissingPair {
                    hypothesis_a_id: "H1".into(),
                    hypothesis_b_id: "H3".into(),
                    round: 1,
                }],
                unreadable_winners: 2,
                doubled: 1,
                foreign: 0,
                self_paired: 1,
            },
            position_bias: PositionBias { compared: 10, reversed: 3, first_won: 0.583 },
            alpha: 0.05,
            resamples: 2000,
            critical_difference: 0.82,
            leader: Leader { hypothesis_id: "H2".into(), p_value: 0.312, significant: false },
            groups: vec![["H2", "H1"].map(String::from).into(), vec!["H3".into()]],
        },
        diversity: vec![
            Diversity {
                stage: "hypothesis_generator".into(),
                measure: Measure::Shingles,
                threshold: 0.6,
                highest: 0.71,
                too_close: vec![ClosePair {
                    hypothesis_a_id: "H1".into(),
                    hypothesis_b_id: "H3".into(),
                    similarity: 0.71,
                }],
                retried: true,
            },
            Diversity {
                stage: "critic".into(),
                measure: Measure::Embeddings,
                threshold: 0.9,
                highest: 0.44,
                too_close: vec![],
                retried: false,
            },
        ],
        literature: Literature {
            findings: vec![Finding {
                text: "Friction delays the neap tide by about a day.".into(),
                citations: vec![1, 2],
            }],
            gaps: vec!["Nobody says why harbours differ.".into()],
        },
        retrieval: Retrieval {
            queries: vec![QUESTION.into(), "age of the tide friction".into()],
            answers: vec![],
            papers: (1..=5).map(paper).collect(),
            without_abstract: 2,
            complete: true,
        },
        summa_rendering: "Question: Whether friction delays the neap tide?\n\nObjections:\n\
            1. It seems that it does not, the lag being too short. [2]\n\n\
            On the contrary, friction delays the neap tide by about a day. [1]\n\n\
            I answer that friction takes energy from the wave.\n\nReplies to objections:\n\
            Reply to Objection 1. The lag was measured.\n\n---\n\nQuestion: Whether the bay resounds?\n"
            .into(),
        summa_origin: Origin::Model,
        top: 1,
        stage_outputs: [("problem_framer".to_owned(), json!({"refined_query": "tides"}))].into(),
    }
}

fn offline() -> Complete {
    let mut all = complete();
    for one in &mut all.hypotheses {
        one.origin = Origin::Extractive;
        one.objections.iter_mut().for_each(|objection| objection.origin = Origin::Extractive);
    }
    all.summa_origin = Origin::Extractive;
    all.ranking.pair_coverage = PairCoverage { expected: 6, judged: 6, ..PairCoverage::default() };
    all.ranking.position_bias = PositionBias { compared: 15, reversed: 0, first_won: 0.5 };
    all.retrieval.without_abstract = 5;
    all.literature = Literature::default();
    all
}

fn partial() -> Partial {
    let Complete { mut hypotheses, literature, retrieval, .. } = complete();
    for one in &mut hypotheses {
        (one.rank, one.scores, one.interval) = (None, None, None);
    }
    Partial {
        question: QUESTION.into(),
        domain: "Physical oceanography".into(),
        objective: String::new(),
        hypotheses,
        ranked_hypothesis_ids: vec![],
        ranking: None,
        diversity: vec![],
        literature: Some(literature),
        retrieval: Some(retrieval),
        summa_rendering: None,
        summa_origin: None,
        stage_outputs: ["problem_framer", "retrieval"]
            .map(|stage| (stage.to_owned(), json!({})))
            .into(),
        error: Failed {
            stage: "ranker".into(),
            message: "the reply is no JSON object: expected value at line 1".into(),
            retry_attempted: true,
        },
    }
}

/// Returns what is printed of a deliverable, as the log keeps it.
fn envelope(mode: &str, status: &str, payload: Payload) -> Value {
    let Value::String(question) = serde_json::to_value(&payload).unwrap()["question"].clone()
    else {
        unreachable!("every payload has a question")
    };
    let page = json!({
        "run_id": "RUN",
        "method": "hypothesize",
        "mode": mode,
        "status": status,
        "question": question,
        "models": {"main": "test-model"},
        "citations": [{
            "number": 1,
            "section": "On the age of the tide > Abstract",
            "source_uri": "doi:10.1000/1",
            "quote": "Friction delays the neap tide by about a day.",
            "start": 10,
            "end": 55,
            "verdict": "verified",
        }],
        "references": [{"numbers": [1], "text": "Doe, A. (2019). On the age of the tide."}],
        "grounding": {"verified": 1, "recomputed": 0, "unsupported": 0},
        "usage": {"input_tokens": 10, "output_tokens": 5},
        "cost_usd": 0.01,
        "warnings": ["One citation was put beside a hypothesis by the program."],
        "deliverable": payload,
    });
    serde_json::from_slice(&run::canonical::canonical(&page)).unwrap()
}

fn envelopes() -> [(&'static str, Value); 3] {
    [
        ("complete", envelope("model", "completed", Payload::Complete(Box::new(complete())))),
        ("offline", envelope("offline", "completed", Payload::Complete(Box::new(offline())))),
        ("partial", envelope("model", "partial", Payload::Partial(Box::new(partial())))),
    ]
}

// proves: H3, H8
#[test]
fn a_report_holds_all_there_is_in_markdown_and_html() {
    for (name, envelope) in envelopes() {
        insta::assert_snapshot!(format!("{name}_md"), render(&envelope, Format::Md));
        let page = render(&envelope, Format::Html);
        assert_eq!(page.matches("<h1>").count(), 1);
        insta::assert_snapshot!(format!("{name}_html"), page);
    }
}

// proves: H8
#[test]
fn no_heading_stands_over_nothing() {
    let mut nothing = partial();
    nothing.hypotheses.clear();
    (nothing.literature, nothing.retrieval) = (None, None);
    nothing.stage_outputs.clear();
    let mut envelope = envelope("model", "partial", Payload::Partial(Box::new(nothing)));
    envelope["citations"] = json!([]);
    envelope["references"] = json!([]);
    let report = render(&envelope, Format::Md);
    let headings: Vec<&str> = report.lines().filter(|line| line.starts_with('#')).collect();
    assert_eq!(headings, [&*format!("# {QUESTION}"), "## What went wrong"], "{report}");
    assert!(!render(&envelope, Format::Html).contains("<svg"));
}

// proves: H8
#[test]
fn what_is_no_deliverable_of_the_method_is_shown_as_ever() {
    let cancelled = json!({
        "run_id": "RUN", "method": "hypothesize", "mode": "model", "status": "cancelled", "question": QUESTION,
        "deliverable": {"stage_outputs": {"problem_framer #1": {}}},
    });
    assert!(render(&cancelled, Format::Md).starts_with("The run is cancelled."));
    let (_, mut other) = envelopes().into_iter().next().unwrap();
    other["method"] = json!("ask");
    assert!(!render(&other, Format::Md).contains("## Ranking"));
}

// proves: H5, H8
#[test]
fn the_words_under_the_table_follow_the_figures() {
    let told = |change: &dyn Fn(&mut Complete)| {
        let mut all = complete();
        change(&mut all);
        render(&envelope("model", "completed", Payload::Complete(Box::new(all))), Format::Md)
    };
    let settled = told(&|all| {
        all.ranking.leader.p_value = 0.0005;
        all.ranking.leader.significant = true;
        all.ranking.groups = vec![vec!["H2".into()], vec!["H1".into()], vec!["H3".into()]];
    });
    assert!(
        settled.contains("fewer than 1 of 1,000 tries: the first rank is settled"),
        "{settled}"
    );
    assert!(settled.contains("Every rank can be told from every other"), "{settled}");
    let nothing = told(&|all| {
        all.retrieval.papers.clear();
        all.retrieval.without_abstract = 0;
        all.retrieval.complete = false;
        all.literature.findings.clear();
    });
    assert!(nothing.contains("0 works were found. Not every source answered"), "{nothing}");
    assert!(nothing.contains("No grounded citations found."), "{nothing}");
    let alone = told(&|all| all.hypotheses.truncate(1));
    assert!(alone.contains("nothing was compared") && !alone.contains("tosses"), "{alone}");
}

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
    let mut envelope = envelope("model", "completed", Payload::Complete(Box::new(all)));
    for key in ["section", "source_uri", "quote"] {
        envelope["citations"][0][key] = text.into();
    }
    envelope["references"][0]["text"] = text.into();
    envelope["warnings"][0] = text.into();
    envelope
}

/// Returns the tags of a page, every attribute with its value where the page is not to choose it.
fn tags(html: &str) -> Vec<&str> {
    html.split('<').skip(1).map(|tag| tag.split('>').next().unwrap()).collect()
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
fn structure(markdown: &str) -> Vec<String> {
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
    let tame = filled("tame");
    let (page, report) = (render(&tame, Format::Html), render(&tame, Format::Md));
    // Where a score stands in the picture does not depend on words.
    let (tags_wanted, structure_wanted) = (tags(&page), structure(&report));
    assert!(tags_wanted.len() > 150 && structure_wanted.len() > 150);
    for tag in &tags_wanted {
        let name = tag.trim_start_matches('/').split([' ', '/']).next().unwrap();
        assert!(
            !["script", "img", "a", "iframe", "base", "link", "object", "form"].contains(&name),
            "{tag}"
        );
        assert!(!tag.contains("://"), "{tag}");
    }
    for hostile in HOSTILE.iter().map(|text| (*text).to_owned()).chain(odd_texts(300)) {
        check(&hostile, &tags_wanted, &structure_wanted);
    }
}

fn check(hostile: &str, tags_wanted: &[&str], structure_wanted: &[String]) {
    let envelope = filled(hostile);
    let page = render(&envelope, Format::Html);
    let tags = tags(&page);
    let other = tags.iter().zip(tags_wanted).find(|(one, other)| one != other);
    assert_eq!(other, None, "{hostile:?} on the page");
    assert_eq!(tags.len(), tags_wanted.len(), "{hostile:?}");
    let report = render(&envelope, Format::Md);
    let structure = structure(&report);
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

// proves: H8
#[test]
fn a_bar_in_a_title_ends_no_cell() {
    for title in ["a | b", "a|b", "a \\| b", "| a |", "x `|` y", "a \\"] {
        let mut all = complete();
        all.hypotheses[1].title = title.into();
        let envelope = envelope("model", "completed", Payload::Complete(Box::new(all)));
        let page = render(&envelope, Format::Html);
        let report = safe_html(&render(&envelope, Format::Md));
        for html in [page, report] {
            let row = html.lines().find(|line| line.contains("<td>H2</td>")).unwrap();
            let cells: Vec<&str> = row.split("<td").skip(1).collect();
            assert_eq!(cells.len(), 10, "{row}");
            assert_eq!(cells[2], format!(">{title}</td>"), "{row}");
            assert_eq!(cells[3], ">3.4 (2.6–4.1)</td>", "{row}");
        }
    }
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
    let (tags_wanted, structure_wanted) = (tags(&page), structure(&report));
    for attack in String::from_utf8_lossy(&attacks).lines().filter(|line| !line.trim().is_empty()) {
        check(attack, &tags_wanted, &structure_wanted);
    }
}

#[test]
fn a_mark_is_seen_in_both_forms() {
    for plain in [disarmed, unmarked] {
        let page = safe_html(&block("It holds [3], and [4].", plain));
        assert_eq!(page, "<p>It holds [3], and [4].</p>\n");
    }
}
