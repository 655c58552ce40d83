//! `quaestio validate` and `quaestio render`: results that are files, real ones and ones that somebody changed.

use std::io::Write as _;
use std::process::Stdio;
use std::sync::LazyLock;

use fakes::{FakeModel, Judgement, Say, readings};
use methods::validation::validate;
use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::{Value, json};

use crate::papers::Papers;
use crate::stand::{QUESTION, Stand, Told, examples, honest, read_output};
use fakes::scholar::scholar;

/// Where an example lies.
fn example(name: &str) -> String {
    examples().join("..").join(name).canonicalize().unwrap().display().to_string()
}

/// The orders of all methods, without a model.
pub(crate) fn every_order() -> Vec<Vec<String>> {
    let (cholera, market, survey) = (example("cholera"), example("market"), example("survey"));
    let several = format!("{QUESTION} How many deaths does John Snow's table add up to?");
    let text = format!("{cholera}/history/broad-street-outbreak-1854.md");
    let orders: [&[&str]; 7] = [
        &["ask", QUESTION, "--docs", &cholera],
        &["deep", &several, "--docs", &cholera, "--own-documents"],
        &["hypothesize", "Why did cholera spread?", "--docs", &cholera, "--own-documents"],
        &[
            "market",
            "The market for contract review software",
            "--docs",
            &market,
            "--own-documents",
            "--no-clarify",
            "--yes",
        ],
        &["debate", QUESTION, "--docs", &cholera, "--own-documents", "--max-turns", "1"],
        &["brief", "How satisfied are passengers?", "--data", &survey],
        &["check", &text, "--docs", &cholera],
    ];
    orders.iter().map(|order| order.iter().map(|&word| word.to_owned()).collect()).collect()
}

/// A result of every method.
static RESULTS: LazyLock<Vec<Value>> = LazyLock::new(|| {
    let stand = Stand::new();
    let orders = every_order().into_iter();
    let result = |order: Vec<String>| {
        let args: Vec<&str> =
            order.iter().map(String::as_str).chain(["--format", "json"]).collect();
        stand.run(&args).json()
    };
    orders.map(result).collect()
});

fn of(method: &str) -> Value {
    RESULTS.iter().find(|result| result["method"] == method).unwrap().clone()
}

fn with_file(stand: &Stand, content: impl AsRef<[u8]>, args: &[&str]) -> Told {
    let file = stand.file("result.json", content);
    let [command, options @ ..] = args else { panic!("a command is missing") };
    stand.run(&[&[command, file.to_str().unwrap()], options].concat())
}

// proves: F9
#[test]
fn a_file_is_rendered_to_the_bytes_that_its_run_printed() {
    for order in every_order() {
        let stand = Stand::new();
        let printed = |args: &[&str]| {
            let order = order.iter().map(String::as_str);
            let args: Vec<&str> = order.chain(args.iter().copied()).collect();
            stand.run(&args).out
        };
        let json = printed(&["--format", "json"]);
        let told = with_file(&stand, &json, &["validate"]);
        assert_eq!(told.code, 0, "{order:?}: {told:?}");
        assert!(told.out.starts_with("valid result of "), "{told:?}");
        // In a folder without any run: the file is all that there is.
        let elsewhere = Stand::new();
        for format in ["md", "html", "text", "json"] {
            let exported = match format {
                "text" => None,
                format => Some(stand.run(&["runs", "export", "last", "--format", format]).out),
            };
            let replayed = stand.run(&["runs", "replay", "last", "--format", format]).out;
            let rendered = with_file(&elsewhere, &json, &["render", "--format", format]);
            assert_eq!((rendered.code, rendered.err.as_str()), (0, ""), "{order:?}: {format}");
            assert_eq!(rendered.out, replayed, "{order:?}: {format}");
            assert_eq!(exported.unwrap_or(replayed), rendered.out, "{order:?}: {format}");
        }
        assert!(!elsewhere.data().exists(), "nothing is kept");
    }
}

// proves: F9
#[test]
fn works_that_are_cited_and_sentences_that_were_checked_are_printed_as_by_the_run() {
    let papers = Papers::start();
    let model = FakeModel::start(scholar);
    let stand = papers.at(Stand::with_model(&model.base_url()));
    let question = crate::papers::QUESTION;
    let json = stand.run(&["hypothesize", question, "--format", "json"]).out;
    let validated = with_file(&stand, &json, &["validate"]);
    assert_eq!(validated.code, 0, "{validated:?}");
    for format in ["bibtex", "ris", "csl-json", "md", "html", "json"] {
        let exported = stand.run(&["runs", "export", "last", "--format", format]).out;
        let rendered = with_file(&stand, &json, &["render", "--format", format]);
        assert_eq!((rendered.code, &rendered.out), (0, &exported), "{format}");
    }
    with_file(&stand, &json, &["render", "--format", "jsonl"])
        .fails(2, "only for results of `check`");
    let checked = of("check");
    let lines = with_file(&stand, checked.to_string(), &["render", "--format", "jsonl"]).out;
    assert_eq!(
        lines.lines().count(),
        checked["deliverable"]["sentences"].as_array().unwrap().len()
    );
}

// proves: F9
#[test]
fn a_result_with_a_model_and_one_that_waits_are_valid() {
    let model = FakeModel::start(honest);
    let stand = Stand::with_model(&model.base_url());
    let asked = stand.ask(QUESTION, &["--format", "json"]);
    let told = with_file(&stand, &asked.out, &["validate"]);
    assert_eq!(told.code, 0, "{told:?}");
    let market = example("market");
    let waiting = stand.run(&[
        "market",
        "Contract review",
        "--docs",
        &market,
        "--own-documents",
        "--no-model",
    ]);
    assert_eq!(waiting.code, 5, "{waiting:?}");
    let exported = stand.run(&["runs", "export", "last"]).out;
    assert_eq!(with_file(&stand, &exported, &["validate"]).code, 0);
    let said = with_file(&stand, &exported, &["render"]);
    assert!(said.out.contains("The run is waiting for you."), "{said:?}");
    // Of an order that failed at its writer, what there is.
    let broken = FakeModel::start(|seen| match fakes::is_reader(seen) {
        true => Say::json(&readings(seen, |_| Judgement::Supported)),
        false => Say::error(400, "no"),
    });
    let stand = Stand::with_model(&broken.base_url());
    let failed = stand.ask(QUESTION, &["--format", "json"]);
    assert_eq!(failed.code, 4, "{failed:?}");
    let told = with_file(&stand, &failed.out, &["validate"]);
    assert_eq!((told.code, told.out.contains("partial")), (0, true), "{told:?}");
}

// proves: F9
#[test]
fn each_finding_is_a_line_with_its_place() {
    let stand = Stand::new();
    let ask = of("ask");
    let changed = |pointer: &str, value: Value| {
        let mut changed = ask.clone();
        *changed.pointer_mut(pointer).unwrap_or_else(|| panic!("{pointer} in {ask:#}")) = value;
        changed
    };
    let claim = "/deliverable/claims/0";
    let at = |below: &str| format!("{claim}{below}");
    let answer = ask["answer"].as_str().unwrap();
    let other = format!("No one knows. [9] {answer}");
    let cases = [
        ("/citations/0/number".into(), json!(9), "/citations/1/number: [2] follows [9]"),
        (
            "/citations".into(),
            json!([]),
            "/citations: the report shows [1], but there is no such citation",
        ),
        ("/citations/0/start".into(), json!(0), "/citations/0: its span has "),
        ("/citations/0/end".into(), json!(0), "/citations/0: its span ends at 0, before it begins"),
        (
            "/citations/0/quote".into(),
            json!("x"),
            "/deliverable/claims/0/citations/0/number: it differs from [1] in /citations",
        ),
        ("/citations/0/verdict".into(), json!("true"), "/citations/0/verdict: "),
        (
            "/grounding/quoted".into(),
            json!(77),
            "/grounding/quoted: it counts 77 claims as quoted, but the claims have ",
        ),
        ("/usage/calls".into(), json!(3), "/usage: the mode is offline, but a model was asked"),
        ("/answer".into(), json!(other), "/answer: it differs from /deliverable/answer"),
        ("/status".into(), json!("partial"), "/error: a partial result must have an error"),
        (
            at("/text"),
            json!("The pump had no handle at all."),
            "/deliverable/claims/0/verdict: it is marked as quoted, but",
        ),
        (
            at("/text"),
            json!("The pump had no handle at all."),
            "/deliverable/claims/0/shown: the answer has different text",
        ),
        (
            at("/shown/start"),
            json!(40),
            "/deliverable/claims/0/shown: the answer has different text",
        ),
        (
            at("/shown/end"),
            json!(1_000_000),
            "/deliverable/claims/0/shown: bytes 0–1000000 are not a span",
        ),
        (at("/verdict"), json!("supported"), "/grounding/quoted: "),
        (
            at("/citations"),
            json!([]),
            "/deliverable/claims/0/verdict: it is quoted, but cites nothing",
        ),
    ];
    for (pointer, value, line) in cases {
        let told = with_file(&stand, changed(&pointer, value).to_string(), &["validate"]);
        assert_eq!((told.code, told.err.as_str()), (3, ""), "{pointer}: {told:?}");
        let found = told.out.lines().any(|found| found.starts_with(line));
        assert!(found, "{pointer} does not give '{line}': {}", told.out);
    }
    let mut conclusion = ask.clone();
    conclusion["deliverable"]["claims"][0]["rests_on"] = json!([1, 70]);
    let told = with_file(&stand, conclusion.to_string(), &["validate", "--json"]);
    let findings = told.json();
    assert_eq!(told.code, 3);
    assert_eq!(
        findings[0],
        json!({"at": "/deliverable/claims/0/rests_on", "what": "it rests on itself"})
    );
    assert_eq!(findings[1]["what"], "there is no claim 70; they count from 1");
    let rendered = with_file(&stand, conclusion.to_string(), &["render"]);
    let faults = findings.as_array().unwrap().len();
    assert!(rendered.err.starts_with(&format!("warning: this result has {faults} faults; ")));
    assert_eq!(with_file(&stand, conclusion.to_string(), &["render", "--quiet"]).err, "");
}

// proves: F9
#[test]
fn what_a_method_promises_and_what_evidence_says_are_checked_too() {
    let methods = methods::all();
    let wrong = |method: &str, pointer: &str, value: Value, what: &str| {
        // The report of the strategy deep is the last result of `ask`.
        let found = RESULTS.iter().rfind(|result| result["method"] == method);
        let mut result = found.unwrap().clone();
        *result.pointer_mut(pointer).unwrap_or_else(|| panic!("{pointer}")) = value;
        let findings: Vec<String> =
            validate(&methods, &result).iter().map(ToString::to_string).collect();
        assert!(findings.iter().any(|one| one.contains(what)), "{method} {pointer}: {findings:?}");
    };
    wrong("market", "/deliverable/sizing/top_down/result/value", json!(7), "/deliverable: ");
    wrong("market", "/deliverable/title", json!(7), "/deliverable/title: 7 is not of type");
    wrong("hypothesize", "/deliverable/hypotheses/0/rank", json!(4), "is at rank 1 but gives");
    wrong("debate", "/deliverable/ending", json!("viable"), "it ends as viable without a review");
    wrong("brief", "/deliverable/overview", json!("All is well."), "not that of its statements");
    wrong(
        "ask",
        "/deliverable/blackboard/evidence/0/text",
        json!("Else."),
        "the quote is not at that place in its passage",
    );
    wrong("ask", "/deliverable/claims", Value::Null, "the run is completed, but has no claims");
    wrong("brief", "/deliverable/cited/0/figures/0/value", json!(0.95), "0.95 is not shown as ");
    wrong("brief", "/deliverable/cited/0/figures/0/shown", json!("95.1 %"), "shown as \"95.1 %\"");
    wrong(
        "brief",
        "/deliverable/cited/0/text",
        json!("All are happy."),
        "it differs from its citation",
    );
}

// proves: F9
#[test]
fn a_statement_of_a_market_has_the_marks_of_its_claim() {
    let mut market = of("market");
    let mut all = Vec::new();
    pointers(&market["deliverable"], "/deliverable", &mut all);
    let is_quoted = |at: &&String| {
        let one = market.pointer(at).unwrap();
        one.get("id").is_some() && one.get("verdict") == Some(&json!("quoted"))
    };
    let at = format!("{}/text", all.iter().find(is_quoted).unwrap());
    let text = format!("{} [1] [2] [3]", market.pointer(&at).unwrap().as_str().unwrap());
    *market.pointer_mut(&at).unwrap() = json!(text);
    let found = validate(&methods::all(), &market);
    let what = "has other marks than its claim has citations";
    assert!(found.iter().any(|one| one.what.contains(what)), "{at}: {found:?}");
}

// proves: F9
#[test]
fn single_false_edits_of_a_quoted_answer_are_found() {
    let ask = of("ask");
    let answer = ask["answer"].as_str().unwrap().to_owned();
    let said = |answer: String| {
        let mut changed = ask.clone();
        changed["answer"] = json!(answer);
        changed["deliverable"]["answer"] = json!(answer);
        changed
    };
    let claimed = |edit: fn(&str) -> String| {
        let mut changed = ask.clone();
        let text = &mut changed["deliverable"]["claims"][0]["text"];
        *text = json!(edit(text.as_str().unwrap()));
        changed
    };
    let mut excused = ask.clone();
    excused["grounding"]["verified"] = json!(0);
    let mut unnamed = ask.clone();
    unnamed["citations"][0]["title"] = json!("The Lancet, 1854");
    for (changed, what) in [
        (said(format!("{answer} Snow was hanged.")), "it contains a sentence that is not a claim"),
        (said(format!("{answer} Snow was hanged. [1]")), "it shows [1] where there is no claim"),
        (said(answer.replace("[1]", "[2]")), "the answer does not show [1] there"),
        (claimed(|text| format!("It is a lie that: {text}")), "its quotes have different text"),
        (
            claimed(|text| text.split_once(' ').unwrap().1.to_owned()),
            "its quotes have different text",
        ),
        (excused, "only former versions counted it"),
        (unnamed, "its title differs from that of [1] in the claims"),
    ] {
        let found = validate(&methods::all(), &changed);
        assert!(found.iter().any(|one| one.what.contains(what)), "{what}: {found:?}");
    }
}

// proves: F9
#[test]
fn a_file_that_is_no_result_is_one_clear_error() {
    let stand = Stand::new();
    let deep = "[".repeat(100_000);
    let cases: [(&[u8], &str); 11] = [
        (b"", "it is not JSON: EOF"),
        (b"\xff\xfe{}", "it is not JSON: "),
        (b"[]", "it is not a JSON object"),
        (b"null", "it is not a JSON object"),
        (deep.as_bytes(), "it is not JSON: recursion limit exceeded"),
        (b"{\"cost_usd\": 1e999}", "it is not JSON: number out of range"),
        (b"{\"run_id\": \"a\\ud800\"}", "it is not JSON: "),
        (b"{\"a\": 1, \"a\": 1}", "an object has the field \"a\" twice"),
        (b"{\"b\": [{\"a\": 1, \"\\u0061\": 2}]}", "an object has the field \"a\" twice"),
        (b"{}", "\"run_id\" is a required property"),
        (b"{\"run_id\": {}}", "it is not a result of Quaestio: "),
    ];
    for (content, what) in cases {
        let rendered = with_file(&stand, content, &["render"]);
        rendered.fails(2, what);
        assert_eq!(rendered.out, "");
        let validated = with_file(&stand, content, &["validate"]);
        let is_object =
            content.starts_with(b"{\"run") && !content.ends_with(b"d800\"}") || content == b"{}";
        assert_eq!(validated.code, if is_object { 3 } else { 2 }, "{validated:?}");
        assert!(!validated.err.contains("panicked"), "{validated:?}");
    }
    stand.run(&["validate", "nowhere.json"]).fails(2, "could not read nowhere.json");
    stand.run(&["render", "."]).fails(2, "could not read .:");
    let mut piped = stand.command(&["render", "-"]);
    let mut child =
        piped.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(of("ask").to_string().as_bytes()).unwrap();
    let told = read_output(&child.wait_with_output().unwrap());
    assert!(told.code == 0 && told.out.contains("## Sources"), "{told:?}");
}

/// What somebody does to a result.
#[derive(Debug, Clone)]
enum Change {
    Remove,
    Put(Value),
    /// Makes a number this much greater, or a text this much longer or shorter.
    Shift(i64),
    /// Puts there what stands elsewhere.
    Move(Index),
    /// Repeats the items of a list.
    Double,
}

fn any_value() -> impl Strategy<Value = Value> {
    let deep = (0..100).fold(json!(1), |inner, _| json!([inner]));
    let fields = (0..100).fold(json!(1), |inner, _| json!({"text": inner, "citations": []}));
    prop_oneof![
        Just(Value::Null),
        Just(json!(true)),
        Just(json!(u64::MAX)),
        Just(json!(i64::MIN)),
        Just(json!(-1)),
        Just(json!(0.1)),
        Just(json!(1e300)),
        Just(json!([])),
        Just(json!({})),
        Just(json!([[]])),
        Just(json!("")),
        Just(json!("[1] [2, 3] [99999999999] → ” ≈ | `x` **y** <b>\u{202e}\u{0}😀")),
        Just(json!("# ".repeat(500))),
        Just(json!("> ".repeat(500))),
        Just(json!("x".repeat(20_000))),
        Just(deep),
        Just(fields),
        any::<u64>().prop_map(|number| json!(number)),
        any::<f64>().prop_map(|number| json!(number)),
        ".{0,20}".prop_map(|text| json!(text)),
    ]
}

fn any_change() -> impl Strategy<Value = Change> {
    prop_oneof![
        2 => Just(Change::Remove),
        4 => any_value().prop_map(Change::Put),
        2 => (-3_i64..4).prop_map(Change::Shift),
        2 => any::<Index>().prop_map(Change::Move),
        1 => Just(Change::Double),
    ]
}

/// The pointers of everything in a value.
fn pointers(value: &Value, at: &str, found: &mut Vec<String>) {
    found.push(at.to_owned());
    match value {
        Value::Object(fields) => {
            for (key, field) in fields {
                let key = key.replace('~', "~0").replace('/', "~1");
                pointers(field, &format!("{at}/{key}"), found);
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                pointers(item, &format!("{at}/{index}"), found);
            }
        }
        _ => {}
    }
}

fn change(result: &mut Value, place: Index, change: &Change) {
    let mut all = Vec::new();
    pointers(result, "", &mut all);
    let pointer = place.get(&all).clone();
    if let Change::Remove = change {
        let Some((parent, key)) = pointer.rsplit_once('/') else { return };
        match result.pointer_mut(parent) {
            Some(Value::Object(fields)) => {
                fields.remove(&key.replace("~1", "/").replace("~0", "~"));
            }
            Some(Value::Array(items)) => {
                items.remove(key.parse().unwrap());
            }
            _ => {}
        }
        return;
    }
    let moved = match change {
        Change::Move(from) => result.pointer(from.get(&all).as_str()).cloned(),
        _ => None,
    };
    let Some(here) = result.pointer_mut(&pointer) else { return };
    match change {
        Change::Put(value) => *here = value.clone(),
        Change::Move(_) => *here = moved.unwrap_or_default(),
        Change::Shift(by) => match here {
            Value::Number(number) => {
                let shifted = number.as_i64().map(|number| json!(number.saturating_add(*by)));
                *here = shifted.unwrap_or_default();
            }
            Value::String(text) if *by < 0 => {
                text.pop();
            }
            Value::String(text) => text.insert(0, 'ä'),
            _ => {}
        },
        Change::Double => {
            if let Value::Array(items) = here {
                items.extend(items.clone());
            }
        }
        Change::Remove => {}
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    // proves: F9
    #[test]
    fn whatever_is_changed_in_a_result_it_is_checked_and_rendered_without_a_panic(
        which in any::<Index>(),
        changes in prop::collection::vec((any::<Index>(), any_change()), 1..4),
    ) {
        let methods = methods::all();
        let mut result = which.get(&RESULTS).clone();
        for (place, one) in &changes {
            change(&mut result, *place, one);
        }
        let findings = validate(&methods, &result);
        // What is reported can be looked up.
        for finding in &findings {
            let parent = finding.at.rsplit_once('/').map_or("", |(parent, _)| parent);
            let is_there = [finding.at.as_str(), parent].iter().any(|at| result.pointer(at).is_some());
            prop_assert!(is_there, "{finding}");
        }
        methods::report::markdown(&methods, &result);
        methods::report::plain_text(&methods, &result, 80);
        methods::report::page(&methods, &result);
    }
}
