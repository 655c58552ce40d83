//! A model that misbehaves never becomes a wrong answer.

use std::time::{Duration, Instant};

use fakes::{FakeModel, Say, Seen};
use serde_json::json;

use crate::stand::{QUESTION, Stand, claim, honest};

/// Claims with quotes, as JSON: what is asked of no writer, and what many a model returns.
fn whole(seen: &Seen) -> String {
    let first = fakes::passages(&seen.prompt())[0].clone();
    json!({"claims": [claim(first.first_sentence(), 1, first.first_sentence())], "gaps": [], "assumptions": []}).to_string()
}

type Script = fn(&Seen) -> Say;

// proves: C2, C3
#[test]
fn what_is_no_answer_ends_as_a_partial_failure_that_says_why() {
    let cases: &[(&str, Script, &str)] = &[
        ("nothing", |_| Say::text(""), "empty"),
        (
            "an HTML page",
            |_| Say::Status {
                status: 200,
                headers: vec![],
                content_type: "text/html",
                body: "<!doctype html><title>Welcome</title>".into(),
            },
            "",
        ),
        ("too many requests", |_| Say::limited("0"), "is limiting requests"),
        ("a server error", |_| Say::error(500, "boom"), "500"),
        ("a refusal", |_| Say::error(401, "Incorrect API key"), "401"),
        ("a broken stream", |seen| Say::Broken(whole(seen)[..30].to_owned()), ""),
        ("a stream without end", |seen| Say::Unended(whole(seen)[..30].to_owned()), ""),
    ];
    for (name, script, says) in cases {
        for stream in ["true", "false"] {
            if stream == "false" && name.contains("stream without end") {
                continue;
            }
            let server = FakeModel::start(*script);
            let stand =
                Stand::with_model(&server.base_url()).variable("QUAESTIO_MODELS__STREAM", stream);
            let told = stand.ask(QUESTION, &["--format", "json"]);
            assert_eq!(told.code, 4, "{name}: {told:?}");
            let result = told.json();
            let message = result["error"]["message"].as_str().unwrap();
            assert!(message.contains(says), "{name}: {message}");
            assert!(told.err.contains("error:") && told.err.contains("help:"), "{name}: {told:?}");
            assert!(!told.err.contains("panicked"), "{name}: {told:?}");
            assert!(result["deliverable"]["stage_outputs"].is_object(), "{name}: nothing is lost");
        }
    }
}

// proves: C3, C4, C13
#[test]
fn what_is_no_prose_with_addresses_still_ends_in_something_true() {
    /// What the answer then says, and whether its reader is told that it was not the model who said it.
    struct Ends {
        with: &'static str,
        of_the_program: bool,
    }
    let quoted = Ends { with: "8 September 1854", of_the_program: true };
    let replaced = Ends { with: "8 September 1854", of_the_program: false };
    let stated = Ends { with: "7 September 1854", of_the_program: false };
    let cases: &[(&str, Script, &Ends)] = &[
        ("a refusal", |_| Say::text("I am sorry, I cannot do that."), &quoted),
        ("half an object", |seen| Say::text(&whole(seen)[..40]), &quoted),
        ("cut by the limit", |seen| Say::Text { text: whole(seen), finish: "length" }, &stated),
        ("another object", |_| Say::text(r#"{"verdict": "fine"}"#), &quoted),
        (
            "two objects",
            |seen| Say::text(format!("{} or {}", whole(seen), r#"{"claims": []}"#)),
            &quoted,
        ),
        (
            "no addresses",
            |_| {
                Say::text(
                    "On 7 September 1854 the inspector met the Board of Guardians of St James's parish.",
                )
            },
            &stated,
        ),
        (
            "addresses that do not exist",
            |_| {
                Say::text(
                    "Snow met the Board of Guardians of St James's parish on the evening of Thursday 7 September 1854. [9.99] [F7] [C12]",
                )
            },
            &quoted,
        ),
        (
            "another passage, and wrong numbers",
            |_| {
                Say::text(
                    "The handle was removed on 9 October 1865. [1.1] Snow counted 99 deaths. [2.1]",
                )
            },
            &quoted,
        ),
        (
            "marks of its own",
            |_| Say::text("The handle was removed in 1954 [1]. See [2] and (3)."),
            &replaced,
        ),
    ];
    for (name, script, ends) in cases {
        let script = *script;
        let server = FakeModel::start(move |seen| match fakes::is_reader(seen) {
            true => Say::json(&fakes::readings(seen, by_words)),
            false => script(seen),
        });
        let told = Stand::with_model(&server.base_url()).ask(QUESTION, &["--format", "json"]);
        assert_eq!(told.code, 0, "{name}: {told:?}");
        let result = told.json();
        let answer = result["answer"].as_str().unwrap();
        assert!(answer.contains(ends.with), "{name}: {result:#}");
        let told_so =
            result["warnings"].to_string().contains("the answer quotes the sources instead");
        assert_eq!(told_so, ends.of_the_program, "{name}: {result:#}");
        for wrong in ["1954", "1865", "99 deaths", "sorry", "claims", "9.99"] {
            assert!(!answer.contains(wrong), "{name}: {answer}");
        }
    }
}

/// Judges a claim by its words alone: most of them stand in what it cites.
fn by_words(exhibit: &fakes::Exhibit) -> fakes::Judgement {
    let cited = exhibit.statements.join(" ").to_lowercase();
    let words: Vec<String> = exhibit.claim.split_whitespace().map(str::to_lowercase).collect();
    let found = words.iter().filter(|word| cited.contains(&***word)).count();
    match found * 2 > words.len() {
        true => fakes::Judgement::Supported,
        false => fakes::Judgement::Unrelated,
    }
}

// proves: C3
#[test]
fn untidy_json_is_read_and_a_second_try_repairs_the_rest() {
    let cases: &[Script] = &[
        |seen| {
            Say::text(format!(
                "<think>hm</think>Sure!\n```json\n{}\n```\nHope it helps.",
                whole(seen)
            ))
        },
        |seen| Say::text(format!("{},}}", whole(seen).trim_end_matches('}'))),
        |seen| if seen.number == 1 { Say::text("Let me think.") } else { Say::text(whole(seen)) },
        |seen| if seen.number <= 2 { Say::error(503, "busy") } else { Say::text(whole(seen)) },
        |seen| if seen.number == 1 { Say::limited("0.01") } else { Say::text(whole(seen)) },
        |seen| Say::Uncounted(whole(seen)),
        |seen| if seen.streamed() { Say::Unended(whole(seen)) } else { Say::text(whole(seen)) },
    ];
    for (index, script) in cases.iter().enumerate() {
        let server = FakeModel::start(*script);
        let told = Stand::with_model(&server.base_url()).ask(QUESTION, &["--format", "json"]);
        assert_eq!(told.code, 0, "case {index}: {told:?}");
        assert_eq!(told.json()["grounding"]["quoted"], 1, "case {index} {told:?}");
    }
}

// proves: C3, C7
#[test]
fn a_stalled_stream_and_a_silent_server_end_in_time() {
    for stream in ["true", "false"] {
        let server =
            FakeModel::start(|seen| if seen.number <= 8 { Say::Hang } else { honest(seen) });
        let stand = Stand::with_model(&server.base_url())
            .variable("QUAESTIO_MODELS__STREAM", stream)
            .variable("QUAESTIO_MODELS__IDLE_TIMEOUT_SECONDS", "1")
            .variable("QUAESTIO_MODELS__TIMEOUT_SECONDS", "2");
        let began = Instant::now();
        let told = stand.ask(QUESTION, &["--format", "json"]);
        assert_eq!(told.code, 4, "{told:?}");
        assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
    }
}

#[test]
fn a_server_that_is_not_there_is_named() {
    let stand = Stand::with_model("http://127.0.0.1:9/v1");
    let told = stand.ask(QUESTION, &[]);
    told.fails(4, "could not reach fake/model");
}
