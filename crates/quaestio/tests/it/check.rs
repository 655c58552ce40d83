//! `quaestio check`: any text, held against documents.

use std::io::Write as _;
use std::process::Stdio;

use fakes::{FakeModel, Judgement, Say, is_reader, readings};
use serde_json::Value;

use crate::stand::{Stand, Told, examples, read_output};

/// A report as a chatbot writes one: a footnote, a link, a conclusion, a false number, an invented place, and a sentence without a source.
const REPORT: &str = "# The pump\n\n\
    The handle was removed on 8 September 1854.[^1] Snow's table adds up to 661 deaths ([history](broad-street-outbreak-1854.md)).\n\n\
    - John Snow was born in Paris.\n\n\
    → The handle came off too late to end the outbreak.\n\n\
    [^1]: broad-street-outbreak-1854.md: \"The handle of the Broad Street pump was removed on the following day, 8 September 1854.\"\n";

fn check(stand: &Stand, report: &str, more: &[&str]) -> Told {
    let file = stand.file("report.md", report);
    let docs = examples();
    let mut args = vec!["check", file.to_str().unwrap(), "--docs", docs.to_str().unwrap()];
    args.extend(more);
    stand.run(&args)
}

fn lines(told: &Told) -> Vec<Value> {
    told.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn verdicts(lines: &[Value]) -> Vec<&str> {
    lines.iter().map(|line| line["verdict"].as_str().unwrap()).collect()
}

/// A server that reads, and says yes to all.
fn reader() -> FakeModel {
    FakeModel::start(|seen| {
        assert!(is_reader(seen), "nobody but the reader is asked: {}", seen.prompt());
        Say::json(&readings(seen, |_| Judgement::Supported))
    })
}

// proves: C19, C20
#[test]
fn a_report_is_checked_without_a_model_and_what_fails_is_named() {
    let stand = Stand::new();
    let told = check(&stand, REPORT, &["--format", "jsonl"]);
    assert_eq!(told.code, 3, "{told:?}");
    let found = lines(&told);
    assert_eq!(verdicts(&found), ["unread", "unsupported", "unsupported", "unread"]);
    for (line, fault, what) in [(1, "number_absent", "661"), (2, "name_absent", "Paris")] {
        assert_eq!(found[line]["faults"][0]["fault"], fault);
        assert!(found[line]["faults"][0]["says"].as_str().unwrap().contains(what));
    }
    // The statement that the footnote quotes, as it stands in the file's bytes.
    let statement = &found[0]["statements"][0];
    let text =
        std::fs::read_to_string(examples().join("history/broad-street-outbreak-1854.md")).unwrap();
    let at = |key: &str| usize::try_from(statement[key].as_u64().unwrap()).unwrap();
    assert_eq!(&text[at("start")..at("end")], statement["quote"].as_str().unwrap());
    // The same as Markdown, what fails first.
    let told = check(&stand, REPORT, &[]);
    let (failing, others) = told.out.split_once("## The other sentences").unwrap();
    assert!(failing.contains("2 of 4 sentences are unsupported."), "{failing}");
    assert!(
        failing.contains("does not say \"661\"") && failing.contains("does not name \"Paris\"")
    );
    assert!(others.contains("no second reader checked it"), "{others}");
    // And as a page, in which the report's own words are text.
    let told = check(&stand, &REPORT.replace("Paris", "<b>Paris</b>"), &["--format", "html"]);
    assert!(told.out.contains("<!doctype html>") && !told.out.contains("<b>Paris"), "{}", told.out);
}

// proves: C19, C20
#[test]
fn with_a_reader_what_holds_is_supported_or_inferred_and_the_exit_code_says_so() {
    let server = reader();
    let stand = Stand::with_model(&server.base_url());
    let good = REPORT.replace("661", "616").replace("- John Snow was born in Paris.\n\n", "");
    let told = check(&stand, &good, &["--format", "jsonl"]);
    assert_eq!(told.code, 0, "{told:?}");
    assert_eq!(verdicts(&lines(&told)), ["supported", "supported", "inferred"]);
    // A reader that says yes to all lets nobody be born in a city that is named nowhere.
    let told = check(&stand, REPORT, &["--format", "jsonl"]);
    assert_eq!(told.code, 3);
    let found = lines(&told);
    assert_eq!(found[2]["verdict"], "unsupported", "{found:?}");
    // What it says word for word needs no reader.
    let before = server.seen().len();
    let quote = "Snow's table of the outbreak adds up to 616 deaths.";
    let told = check(&stand, quote, &["--format", "jsonl"]);
    assert_eq!((told.code, verdicts(&lines(&told))), (0, vec!["quoted"]));
    assert_eq!(server.seen().len(), before);
}

// proves: C19
#[test]
fn json_lines_keep_their_ids_and_what_they_rest_on_and_standard_input_is_read() {
    let stand = Stand::new();
    let claims = "\u{feff}{\"id\": \"a\", \"claim\": \"The handle was removed on 8 September 1854.\", \"cites\": [\"broad-street-outbreak-1854.md\"]}\n\n\
        {\"id\": \"b\", \"claim\": \"It was quick.\", \"rests_on\": [\"a\"]}\n\
        {\"id\": \"c\", \"claim\": \"It rained.\", \"quotes\": [{\"document\": \"nowhere.md\", \"quote\": \"it rained all day\"}]}\n";
    let docs = examples();
    let mut child = stand
        .command(&["check", "-", "--docs", docs.to_str().unwrap(), "--format", "jsonl"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(claims.as_bytes()).unwrap();
    let told = read_output(&child.wait_with_output().unwrap());
    assert_eq!(told.code, 3, "{told:?}");
    let found = lines(&told);
    let ids: Vec<&str> = found.iter().map(|line| line["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["a", "b", "c"]);
    assert_eq!(verdicts(&found), ["unread", "unread", "unsupported"]);
    assert_eq!(found[1]["rests_on"], serde_json::json!(["a"]));
    assert_eq!(found[2]["faults"][0]["fault"], "quote_absent");
}

// proves: C6, C16
#[test]
fn a_cap_that_holds_one_reading_at_a_time_leaves_nothing_unread() {
    let server = FakeModel::start(|seen| {
        let reading = Say::json(&readings(seen, |_| Judgement::Supported));
        Say::After(std::time::Duration::from_millis(20), Box::new(reading))
    });
    let stand = Stand::with_model(&server.base_url());
    let sentences: String = (0..40)
        .map(|number| {
            format!("Variant {number}: the handle was taken off on 8 September 1854.\n\n")
        })
        .collect();
    let sentences = sentences.replace("Variant", "variant");
    let told = check(&stand, &sentences, &["--format", "json", "--max-tokens", "45000"]);
    let grounding = told.json()["grounding"].clone();
    assert_eq!(grounding["unread"].as_u64().unwrap_or_default(), 0, "{grounding} {}", told.err);
    assert!(server.seen().len() >= 3, "{}", server.seen().len());
}

// proves: C19
#[test]
fn what_cannot_be_checked_is_one_clear_error() {
    let stand = Stand::new();
    for (text, what) in [
        ("", "no sentence to check"),
        ("# Only a heading\n", "no sentence to check"),
        ("{\"id\": \"a\"}\n", "line 1 is not"),
        ("{\"id\": \"a\", \"claim\": \"x\"\n", "line 1 is not"),
        (
            "{\"id\": \"a\", \"claim\": \"x\"}\n{\"id\": \"a\", \"claim\": \"y\"}\n",
            "line 2 repeats the id",
        ),
        ("{\"id\": \"a\", \"claim\": \"x\", \"rests_on\": [\"z\"]}\n", "rests on \"z\""),
    ] {
        check(&stand, text, &[]).fails(2, what);
    }
    stand.run(&["check", "nowhere.md"]).fails(2, "could not read nowhere.md");
    let file = stand.file("binary.md", [0xff, 0xfe, 0x00]);
    stand.run(&["check", file.to_str().unwrap()]).fails(2, "not UTF-8 text");
    let file = stand.file("a.md", "It is.");
    stand.run(&["check", file.to_str().unwrap()]).fails(2, "there is no collection 'default'");
    assert_eq!(stand.run(&["runs", "list", "--json"]).out.trim(), "[]");
}
