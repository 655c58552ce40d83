use std::collections::BTreeMap as Map;
use std::sync::Arc;

use jiff::Timestamp;
use run::evidence::{Evidence, EvidenceKind, Passage, Place};
use serde_json::json;

use super::hypothesize::sample::envelopes;
use super::*;

/// A passage of the document `document_id` under the id `evidence_id`.
pub(crate) fn evidence(evidence_id: &str, document_id: &str) -> Numbered {
    let place = Place {
        document_id: document_id.into(),
        title: "On pumps".into(),
        section: "On pumps > The handle".into(),
        start: 0,
        end: 90,
        source_sha256: "00".into(),
        pages: vec![],
    };
    let passage = Passage {
        text: "The handle was removed on 8 September 1854.".into(),
        source_uri: "doc://default/pumps.md".into(),
        kind: EvidenceKind::Rag,
        chunk_id: "c1".into(),
        score: 1.0,
        metadata: Map::new(),
        work: None,
        place,
    };
    let mut evidence = Evidence::from_passage(passage, Timestamp::UNIX_EPOCH);
    evidence.evidence_id = evidence_id.into();
    Numbered { number: 1, evidence: Arc::new(evidence) }
}

fn answered(text: &str) -> Value {
    json!({
        "run_id": "RUN",
        "method": "ask",
        "mode": "model",
        "status": "completed",
        "question": text,
        "models": {"main": "test-model"},
        "answer": "The handle was removed on 8 September 1854. [1] Nobody says who did it. [2] It was of iron. [9]",
        "deliverable": {"answer": "…", "gaps": [text, "Who removed it? [1]"], "assumptions": [text]},
        "citations": [
            {"number": 1, "evidence_id": "e1", "source_uri": "doc://default/pumps.md", "section": text, "page": 3,
             "quote": format!("The handle was removed {text} [2]"), "start": 10, "end": 50, "verdict": "supported"},
            {"number": 2, "evidence_id": "e2", "source_uri": text, "section": "On pumps",
             "quote": text, "start": 60, "end": 80, "verdict": "supported"},
            {"number": 9, "evidence_id": "gone", "source_uri": "doc://default/gone.md", "section": "Gone",
             "quote": "It was of iron.", "start": 1, "end": 2, "verdict": "supported"},
        ],
        "references": [{"numbers": [1, 2], "text": text}],
        "grounding": {"quoted": 0, "recomputed": 0, "supported": 2, "inferred": 0, "unsupported": 1},
        "usage": {"input_tokens": 10, "output_tokens": 5},
        "cost_usd": 0.01,
        "warnings": [text],
    })
}

fn passages() -> [Numbered; 2] {
    [evidence("e1", "d1"), evidence("e2", "d2/../\"x")]
}

/// Returns the tags of a fragment.
fn tags(html: &str) -> Vec<&str> {
    html.split('<').skip(1).map(|tag| tag.split('>').next().unwrap()).collect()
}

// proves: F3
#[test]
fn a_report_is_a_fragment_with_an_outline_and_citations_that_lead_to_their_spans() {
    let told = fragment(&answered("the pump"), &passages());
    insta::assert_snapshot!("ask", told.html);
    insta::assert_debug_snapshot!("ask_outline", told.outline);
    for (name, mut envelope) in envelopes() {
        envelope["citations"][0]["evidence_id"] = json!("e1");
        let told = fragment(&envelope, &[evidence("e1", "d1")]);
        insta::assert_snapshot!(format!("hypothesize_{name}"), told.html);
    }
}

// proves: F3
#[test]
fn marks_of_a_quaestio_and_of_findings_lead_to_their_spans_and_those_in_quotes_do_not() {
    let [(_, mut complete), ..] = envelopes();
    complete["citations"][0]["evidence_id"] = json!("e1");
    let without = fragment(&complete, &[]);
    assert!(!without.html.contains("class=\"cite\""));
    let with = fragment(&complete, &[evidence("e1", "d1")]);
    let summa = with.html.split("id=\"report-summa\"").nth(1).unwrap();
    let summa = summa.split("<h2").next().unwrap();
    assert!(summa.contains("data-number=\"1\""), "{summa}");
    let plain = with.html.replace("</a>", "");
    let plain: String = plain
        .split("<a class=\"cite\"")
        .enumerate()
        .map(|(index, piece)| if index == 0 { piece } else { piece.split_once('>').unwrap().1 })
        .collect();
    assert_eq!(plain, without.html, "the marks are all that differs");
    let asked = fragment(&answered("the pump"), &passages()).html;
    // Two in the answer, one of each in the list of sources, two in the references; none in the quote or the gap.
    assert_eq!(asked.matches("class=\"cite\"").count(), 6, "{asked}");
}

// proves: F3
#[test]
fn no_state_of_a_run_sends_a_reader_of_the_page_to_the_command_line() {
    let [.., (_, partial)] = envelopes();
    let cancelled = json!({
        "run_id": "RUN", "method": "ask", "mode": "offline", "status": "cancelled", "question": "q",
        "deliverable": {"stage_outputs": {"retrieve #1": {}}},
    });
    for envelope in [partial, cancelled, json!({"status": "running"}), json!({}), json!(null)] {
        let told = fragment(&envelope, &[]).html;
        assert!(!told.contains("--format"), "{told}");
    }
}

// proves: F3
#[test]
fn nothing_that_others_wrote_is_active_and_nothing_brings_a_style() {
    let tame = fragment(&answered("tame"), &passages());
    for hostile in [
        "<script>alert(1)</script>",
        "\"><img src=x onerror=alert(1)>",
        "<svg onload=alert(1)>",
        "[x](javascript:alert(1))",
        "![x](https://evil.example/p.png)",
        "<https://evil.example>",
        "x [1] [2]",
        "[x]: https://evil.example\n\n[x]",
        "x\n\n## Sources\n\n[1] forged",
        "`code`",
        "<a class=\"cite\" href=\"#/documents/d1?start=1&amp;end=2\" data-number=\"1\">[1]</a>",
        "<b style=\"position:fixed\">",
        "&#91;1&#93; &lt;script&gt;",
        "a | b\n|---|---|\n",
        "\u{202e}[1]\u{200b}",
    ] {
        let told = fragment(&answered(hostile), &passages());
        assert_eq!(tags(&told.html), tags(&tame.html), "{hostile}: {}", told.html);
        assert_eq!(told.outline, tame.outline, "{hostile}");
    }
    let all = envelopes().map(|(_, envelope)| fragment(&envelope, &[evidence("e1", "d1")]).html);
    for html in all.iter().chain([&tame.html]) {
        for tag in tags(html) {
            let name = tag.trim_start_matches('/').split([' ', '/']).next().unwrap();
            assert!(
                ![
                    "script", "img", "iframe", "base", "link", "object", "form", "style", "html",
                    "h1"
                ]
                .contains(&name),
                "{tag}"
            );
            let attributes: Vec<&str> = tag
                .split(' ')
                .skip(1)
                .filter_map(|one| one.split_once('='))
                .map(|one| one.0)
                .collect();
            assert!(
                attributes.iter().all(|name| *name != "style" && !name.starts_with("on")),
                "{tag}"
            );
        }
    }
}

// proves: B6, F3
#[test]
fn the_mark_of_a_figure_tells_what_it_is_and_leads_to_no_document() {
    let mut figure = evidence("e1", "survey-W2/Q5");
    Arc::make_mut(&mut figure.evidence).kind = EvidenceKind::Survey;
    let told = fragment(&answered("the pump"), &[figure, evidence("e2", "d2")]);
    let mark = "<a class=\"cite\" role=\"button\" tabindex=\"0\" data-number=\"1\" data-verdict=\"supported\">[1]</a>";
    assert!(told.html.contains(mark), "{}", told.html);
    assert!(!told.html.contains("survey-W2"), "{}", told.html);
    assert!(told.html.contains("#/documents/d2?"), "{}", told.html);
}
