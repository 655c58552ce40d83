//! The first method, end to end.

use std::fs;

use fakes::{FakeModel, Judgement, Say, Seen, USAGE, is_reader, readings, statements};
use serde_json::{Value, json};

use crate::outside::Outside;
use crate::stand::{QUESTION, Stand, examples, honest, sentences};

/// Checks that each citation has this verdict, and resolves to a file, a section and an exact quote that stands there.
fn resolves(stand: &Stand, result: &Value, verdict: &str) {
    let citations = result["citations"].as_array().unwrap();
    assert!(!citations.is_empty(), "{result:#}");
    for (index, citation) in citations.iter().enumerate() {
        assert_eq!(citation["number"], index + 1);
        assert_eq!(citation["verdict"], verdict);
        assert!(result["answer"].as_str().unwrap().contains(&format!("[{}]", index + 1)));
        let quote = citation["quote"].as_str().unwrap();
        let uri = citation["source_uri"].as_str().unwrap();
        let (collection, path) = uri.strip_prefix("doc://").unwrap().split_once('/').unwrap();
        let file = fs::read_to_string(examples().join(path)).unwrap();
        assert!(file.contains(quote), "'{quote}' does not stand in {path}");
        let section = citation["section"].as_str().unwrap();
        let heading = section.rsplit(" > ").next().unwrap();
        assert!(file.contains(heading), "no heading '{heading}' in {path}");

        let documents =
            stand.run(&["documents", "list", "--collection", collection, "--json"]).json();
        let document =
            documents.as_array().unwrap().iter().find(|document| document["path"] == path).unwrap();
        assert_eq!(document["text_sha256"], citation["source_sha256"]);
        let id = document["document_id"].as_str().unwrap();
        let text = stand.run(&["documents", "show", id, "--text"]).out;
        let (start, end) = (citation["start"].as_u64().unwrap(), citation["end"].as_u64().unwrap());
        assert_eq!(&text[start as usize..end as usize], quote);
        let span = format!("{start}..{end}");
        assert_eq!(
            stand.run(&["documents", "show", id, "--span", &span]).out.trim_end(),
            quote.trim_end()
        );
    }
}

// proves: A3, A6, C4, C10, C13
#[test]
fn the_first_command_answers_from_the_examples_with_citations_that_resolve() {
    let stand = Stand::new();
    let told = stand.ask(QUESTION, &["--format", "json"]);
    assert_eq!(told.code, 0, "{told:?}");
    let result = told.json();
    assert_eq!((&result["mode"], &result["status"]), (&json!("offline"), &json!("completed")));
    assert!(result["answer"].as_str().unwrap().contains("8 September 1854"));
    resolves(&stand, &result, "quoted");
}

// proves: A1, A3, A5, C10
#[test]
fn the_result_has_one_face() {
    let stand = Stand::new();
    let result = stand.ask(QUESTION, &["--format", "json"]).json();
    let keys: Vec<&String> = result.as_object().unwrap().keys().collect();
    let expected = [
        "answer",
        "assumptions",
        "citations",
        "cost_usd",
        "deliverable",
        "grounding",
        "method",
        "mode",
        "question",
        "run_id",
        "status",
        "strategy",
        "usage",
        "warnings",
    ];
    assert_eq!(keys, expected);
    let citation: Vec<&String> = result["citations"][0].as_object().unwrap().keys().collect();
    let expected = [
        "address",
        "end",
        "evidence_id",
        "label",
        "number",
        "quote",
        "section",
        "source_sha256",
        "source_uri",
        "start",
        "title",
        "verdict",
    ];
    assert_eq!(citation, expected);
    let grounding: Vec<&String> = result["grounding"].as_object().unwrap().keys().collect();
    assert_eq!(grounding, ["inferred", "quoted", "recomputed", "supported", "unsupported"]);
}

// proves: A3, C10
#[test]
fn the_answer_reads_well_in_the_terminal_and_as_a_page() {
    let stand = Stand::new();
    let docs = examples();
    stand.run(&["ingest", docs.to_str().unwrap(), "--collection", "cholera"]);
    for format in ["md", "html"] {
        let told = stand.run(&["ask", QUESTION, "--collection", "cholera", "--format", format]);
        let run =
            stand.run(&["runs", "list", "--json"]).json()[0]["run_id"].as_str().unwrap().to_owned();
        insta::assert_snapshot!(format!("answer_{format}"), told.out.replace(&run, "RUN"));
    }
}

/// A model that says in other words what a sentence of the evidence says.
fn reworded(seen: &Seen) -> Say {
    if is_reader(seen) {
        return honest(seen);
    }
    let said = &sentences(&seen.prompt())[0];
    Say::text(format!("As it is told, {} [{}]", said.text, said.address))
}

// proves: C3, C5, C16
#[test]
fn a_model_gives_the_same_structure_streamed_or_not_and_however_it_takes_schemas() {
    let offline = Stand::new().ask(QUESTION, &["--format", "json"]).json();
    for stream in ["true", "false"] {
        // Who reads is asked for an object, who writes is not.
        for refused in [&[][..], &["json_schema"][..], &["json_schema", "json_object"][..]] {
            let server = FakeModel::start(move |seen| {
                let format = seen.response_format();
                if refused.contains(&format) {
                    return Say::error(400, &format!("response_format {format} is not supported"));
                }
                assert!(is_reader(seen) || format.is_empty(), "{format}");
                reworded(seen)
            });
            let stand = Stand::with_model(&server.base_url())
                .variable("QUAESTIO_MODELS__STREAM", stream)
                .variable(
                    "QUAESTIO_PRICES__FAKE__MODEL",
                    "{input=2.0,cached_input=1.0,output=10.0}",
                );
            let told = stand.ask(QUESTION, &["--format", "json"]);
            assert_eq!(told.code, 0, "{told:?}");
            let result = told.json();
            assert_eq!(result["mode"], "model");
            resolves(&stand, &result, "supported");
            let mut keys: Vec<&String> = result.as_object().unwrap().keys().collect();
            keys.retain(|key| *key != "models" && *key != "reader");
            assert_eq!(keys, offline.as_object().unwrap().keys().collect::<Vec<_>>());
            let (input, cached, output) = (USAGE.0 * 2, USAGE.1 * 2, USAGE.2 * 2);
            assert_eq!(result["usage"]["input_tokens"], input);
            assert_eq!(result["usage"]["cached_tokens"], cached);
            assert_eq!(result["usage"]["output_tokens"], output);
            let micros = (input - cached) * 2 + cached + output * 10;
            assert_eq!(result["cost_usd"], micros as f64 / 1e6);
            let writer = server.seen().remove(0);
            assert_eq!(writer.streamed(), stream == "true");
            assert_eq!(
                server.seen().len(),
                refused.len() + 2,
                "a writer, and a reader as often as needed"
            );
        }
    }
}

// proves: C3, C9, C17
#[test]
fn the_prompt_is_what_the_snapshot_shows() {
    let server = FakeModel::start(honest);
    let stand = Stand::with_model(&server.base_url());
    let file = stand.file(
        "docs/kb/pump.md",
        "# The pump\n\n## Handle\n\nThe handle was removed on 8 September 1854.\n",
    );
    stand.run(&["ingest", file.to_str().unwrap(), "--collection", "kb"]);
    let told = stand.run(&["ask", "When was the handle removed?", "--collection", "kb"]);
    assert_eq!(told.code, 0, "{told:?}");
    let seen = server.seen().pop().unwrap();
    insta::assert_snapshot!("prompt_ask_writer", seen.prompt());
    assert_eq!(seen.body.get("response_format"), None, "prose is asked for");
}

// proves: C3, C17, C19
#[test]
fn what_the_second_reader_is_shown_is_what_the_snapshot_shows() {
    let server = FakeModel::start(|seen| match is_reader(seen) {
        true => Say::json(&readings(seen, |_| Judgement::Supported)),
        false => Say::text(
            "# The handle\n\nOn 8 September 1854 they took the handle off. [1.4]\n\n\
             | What | When |\n|---|---|\n| The removal of the handle | 8 September 1854 [1.4] |\n\n\
             → Nobody could pump after that. [1.4]\n\n\
             Two deaths a day were counted for 3 days [1.6], 6 in all [1.6].\n",
        ),
    });
    let stand = Stand::with_model(&server.base_url());
    let file = stand.file(
        "docs/kb/pump.md",
        "# The pump\n\n## Handle\n\nThe parish met. The handle was removed on 8 September 1854.\n\n\
         | Day | Deaths |\n|---|---|\n| Friday | 2 |\n\nThere were 2 deaths a day, for 3 days.\n",
    );
    stand.run(&["ingest", file.to_str().unwrap(), "--collection", "kb"]);
    let told = stand.run(&["ask", "When was the handle removed?", "--collection", "kb"]);
    assert_eq!(told.code, 0, "{told:?}");
    let asked: Vec<_> = server.seen().into_iter().filter(is_reader).collect();
    assert!(!asked.is_empty());
    let prompts: Vec<String> = asked.iter().map(fakes::Seen::prompt).collect();
    insta::assert_snapshot!("prompt_ledger_reader", prompts.join("\n\n"));
    insta::assert_snapshot!(
        "schema_ledger_reader",
        serde_json::to_string_pretty(&asked[0].body["response_format"]).unwrap()
    );
}

// proves: C9
#[test]
fn the_same_question_over_the_same_documents_is_asked_in_the_same_bytes() {
    let server = FakeModel::start(reworded);
    let stand = Stand::with_model(&server.base_url());
    let asked = || {
        let before = server.seen().len();
        assert_eq!(stand.ask(QUESTION, &[]).code, 0);
        let bodies = server.seen().into_iter().skip(before).map(|seen| seen.body.to_string());
        bodies.collect::<std::collections::BTreeSet<_>>()
    };
    let (first, second) = (asked(), asked());
    assert!(first.len() > 1 && first.iter().any(|body| body.contains("doc://documents/")));
    assert_eq!(first, second, "a provider's cache knows what it was asked before");
}

// proves: A1
#[test]
fn a_direct_answer_is_marked_as_ungrounded() {
    let server = FakeModel::start(|_| Say::text(r#"{"text": "In 1854.", "assumptions": []}"#));
    let stand = Stand::with_model(&server.base_url());
    let told = stand.run(&["ask", QUESTION, "--strategy", "direct", "--format", "json"]);
    assert_eq!(told.code, 0, "{told:?}");
    let result = told.json();
    assert_eq!((&result["answer"], &result["strategy"]), (&json!("In 1854."), &json!("direct")));
    assert_eq!(result["citations"], json!([]));
    assert!(result["warnings"][0].as_str().unwrap().contains("ungrounded"));
}

// proves: A1, A3
#[test]
fn a_strategy_has_a_name_and_a_number() {
    let stand = Stand::new();
    let result = stand.ask(QUESTION, &["--strategy", "v003", "--format", "json"]).json();
    assert_eq!(result["strategy"], "rag");
    let told = stand.run(&["ask", QUESTION, "--strategy", "v001", "--format", "json"]);
    assert_eq!((told.code, &told.json()["strategy"]), (3, &json!("direct")));
    let told = stand.run(&["ask", QUESTION, "--strategy", "v005"]);
    told.fails(2, "possible values: direct");
}

// proves: A1, C10
#[test]
fn a_direct_question_without_a_model_is_not_answered_by_a_guess() {
    let stand = Stand::new();
    let told = stand.run(&["ask", QUESTION]);
    assert_eq!(told.code, 3, "{told:?}");
}

// proves: A3
#[test]
fn nothing_relevant_has_its_own_exit_code_and_no_model_is_asked() {
    let server = FakeModel::start(honest);
    let stand = Stand::with_model(&server.base_url());
    let told = stand.ask("What is the boiling point of tungsten?", &["--format", "json"]);
    assert_eq!(told.code, 3, "{told:?}");
    assert_eq!(told.json()["deliverable"]["grounded"], false);
    assert!(server.seen().is_empty(), "the guess would have cost money too");
}

// proves: A3, C10
#[test]
fn the_example_questions_come_out_as_their_kind_says() {
    let stand = Stand::new();
    let docs = examples();
    stand.run(&["ingest", docs.to_str().unwrap(), "--collection", "cholera"]);
    let questions = fs::read_to_string(docs.join("../cholera-questions.jsonl")).unwrap();
    let (mut answered, mut right, mut refused, mut unanswerable) = (0, 0, 0, 0);
    for line in questions.lines() {
        let question: Value = serde_json::from_str(line).unwrap();
        let told = stand.run(&[
            "ask",
            question["question"].as_str().unwrap(),
            "--collection",
            "cholera",
            "--format",
            "json",
        ]);
        let result = told.json();
        match question["kind"].as_str().unwrap() {
            "answered" => {
                answered += 1;
                let answer = result["answer"].as_str().unwrap();
                let expected = question["expects"].as_array().unwrap();
                right +=
                    u32::from(expected.iter().all(|part| answer.contains(part.as_str().unwrap())));
            }
            "unanswered" => {
                unanswerable += 1;
                refused += u32::from(told.code == 3);
            }
            _ => assert!([0, 3].contains(&told.code), "{told:?}"),
        }
    }
    // One whose halves stand in sentences of their own has half of its answer since a sentence must cover half of what is asked.
    assert!(right * 10 >= answered * 7, "{right} of {answered} answered");
    assert!(refused * 10 >= unanswerable * 8, "{refused} of {unanswerable} refused");
}

// proves: A3
#[test]
fn metadata_filters_decide_which_documents_may_answer() {
    let stand = Stand::new();
    stand.file(
        "docs/acme/report.md",
        "# Report\n\n## Sales\n\nSales of the blue widget rose to 40 units in May.\n",
    );
    stand.file("docs/globex/report.md", "---\nregion: Süd\n---\n# Report\n\n## Sales\n\nSales of the blue widget fell to 7 units in May.\n");
    let docs = stand.path("docs");
    assert_eq!(stand.run(&["ingest", docs.to_str().unwrap(), "--collection", "kb"]).code, 0);
    let ask = |more: &[&str]| {
        let mut args = vec![
            "ask",
            "How many units of the blue widget were sold in May?",
            "--collection",
            "kb",
            "--format",
            "json",
        ];
        args.extend(more);
        stand.run(&args)
    };
    let from = |result: &Value| {
        let citations = result["citations"].as_array().unwrap();
        citations
            .iter()
            .map(|citation| citation["source_uri"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(from(&ask(&["--company", "acme"]).json()), ["doc://kb/acme/report.md"]);
    stand
        .run(&["ask", "Anything?", "--strategy", "direct", "--where", "a=b"])
        .fails(2, "cannot be used with --strategy direct");
    assert_eq!(from(&ask(&["--where", "region=süd"]).json()), ["doc://kb/globex/report.md"]);
    assert_eq!(ask(&["--company", "initech"]).code, 3);
    let both = ask(&["--company", "acme", "--where", "Company=acme"]);
    assert_eq!(from(&both.json()), ["doc://kb/acme/report.md"]);
    assert_eq!(both.json()["deliverable"]["company"], "acme");
    ask(&["--company", "acme", "--where", "company=globex"]).fails(2, "where filters documents");
    ask(&["--company", "\u{200b} "]).fails(2, "the company name is empty");
    ask(&["--company", &"x".repeat(201)]).fails(2, "longer than 200 characters");
}

// proves: A4
#[test]
fn deep_is_a_command_and_a_strategy() {
    let stand = Stand::new();
    let docs = examples();
    let docs = docs.to_str().unwrap();
    let args = ["deep", QUESTION, "--docs", docs, "--own-documents", "--format", "json"];
    let told = stand.run(&args);
    assert_eq!(told.code, 0, "{told:?}");
    let result = told.json();
    assert_eq!((&result["method"], &result["strategy"]), (&json!("ask"), &json!("deep")));
    assert!(result["answer"].as_str().unwrap().contains("8 September 1854"), "{result:#}");
    resolves(&stand, &result, "quoted");
    assert_eq!(result["deliverable"]["budgets"], json!({"max_steps": 20, "max_questions": 3}));
    let more = ["--max-questions", "0", "--set", "ask.deep.max_steps=7"];
    let told = stand.run(&[&args[..], &more].concat());
    let budgets = &told.json()["deliverable"]["budgets"];
    assert_eq!(budgets, &json!({"max_steps": 7, "max_questions": 0}), "{told:?}");
    stand.run(&["runs", "replay", "last"]);

    // Whoever names documents of one company alone reads no others.
    stand.file(
        "docs/acme/report.md",
        "# Report\n\n## Sales\n\nSales of the blue widget rose to 40 units in May.\n",
    );
    stand.file(
        "docs/globex/report.md",
        "# Report\n\n## Sales\n\nSales of the blue widget fell to 7 units in May.\n",
    );
    let kb = stand.path("docs");
    let question = "How many units of the blue widget were sold in May?";
    let told = stand.run(&[
        "deep",
        question,
        "--docs",
        kb.to_str().unwrap(),
        "--company",
        "acme",
        "--own-documents",
        "--format",
        "json",
    ]);
    assert_eq!(told.code, 0, "{told:?}");
    let result = told.json();
    assert_eq!(result["deliverable"]["company"], "acme");
    let shown = result.to_string();
    assert!(shown.contains("40 units") && !shown.contains("7 units"), "{result:#}");
    // No source is reached: all that there is to ask is off.
    let told = stand.run(&["deep", question, "--own-documents"]);
    told.fails(2, "there is nothing to search");
    stand.run(&["ask", question, "--max-questions", "1"]).fails(2, "--max-questions");
    stand.run(&["deep", question, "--max-questions", "11"]).fails(2, "11 is not in 0..=10");
    stand.run(&["deep", question, "--collection", "none"]).fails(2, "no collection 'none'");
}

// proves: A4, C16
#[test]
fn what_a_planned_answer_would_cost_is_told_before_it_runs() {
    let server = FakeModel::start(honest);
    let stand = Stand::with_model(&server.base_url())
        .variable("QUAESTIO_PRICES__FAKE__MODEL", "{input=1.0,output=4.0}");
    let estimate = |args: &[&str]| {
        let told = stand.run(&[args, &["--estimate", "--format", "json"]].concat());
        assert_eq!(told.code, 0, "{told:?}");
        told.json()["expected"]["tokens"].as_u64().unwrap()
    };
    let direct = estimate(&["ask", QUESTION, "--strategy", "direct"]);
    let deep = estimate(&["deep", QUESTION]);
    let silent = estimate(&["deep", QUESTION, "--max-questions", "0"]);
    assert!(direct < silent && silent < deep, "{direct}, {silent}, {deep}");
    assert!(server.seen().is_empty());
}

// proves: A1
#[test]
fn a_model_that_answers_alone_is_told_the_company() {
    let server = FakeModel::start(|_| Say::text(r#"{"text": "Ada.", "assumptions": []}"#));
    let stand = Stand::with_model(&server.base_url());
    let ask = |more: &[&str]| {
        let args = ["ask", "Who leads it?", "--strategy", "direct", "--format", "json"];
        let told = stand.run(&[&args[..], more].concat());
        assert_eq!(told.code, 0, "{told:?}");
        (told.json(), server.seen().pop().unwrap().prompt())
    };
    let (result, prompt) = ask(&["--company", "Acme\nLtd"]);
    assert!(prompt.contains("## Company that the question is about\nAcme Ltd\n"), "{prompt}");
    assert_eq!(result["deliverable"]["company"], "Acme Ltd");
    let (result, prompt) = ask(&[]);
    assert!(!prompt.contains("Company"), "{prompt}");
    assert_eq!(result["deliverable"].get("company"), None);
}

// proves: A2
#[test]
fn who_searches_outside_is_told_the_company_and_what_is_fetched_needs_none() {
    let outside = Outside::start();
    let stand = outside.stand();
    let question = crate::outside::QUESTION;
    let ask = |company: &str| {
        let args = ["ask", question, "--strategy", "search", "--company", company];
        let told = stand.run(&[&args[..], &["--format", "json"]].concat());
        assert_eq!(told.code, 0, "{told:?}");
        told.json()["deliverable"]["searched"]["queries"].clone()
    };
    assert_eq!(ask("Harbour News"), json!([format!("Harbour News {question}")]));
    assert_eq!(ask("brightwater"), json!([question]), "the question has it");
    let server = FakeModel::start(|seen| match seen.prompt().contains("Queries wanted") {
        true => Say::json(&json!({"queries": ["brightwater surge"]})),
        false => honest(seen),
    });
    let stand = stand
        .variable("QUAESTIO_MODEL", "fake/model")
        .variable("QUAESTIO_BASE_URL", &server.base_url());
    let told = stand.run(&["ask", question, "--strategy", "search", "--company", "Harbour News"]);
    assert_eq!(told.code, 0, "{told:?}");
    for seen in server.seen() {
        let prompt = seen.prompt();
        assert!(prompt.contains("question is about\nHarbour News\n"), "{prompt}");
    }
    assert!(server.seen().len() > 1, "the searcher and the writer");
}

// proves: C4, C13
#[test]
fn claims_that_do_not_hold_go_back_once_and_are_then_cut() {
    let server = FakeModel::start(|seen| {
        if is_reader(seen) {
            return honest(seen);
        }
        let good = &sentences(&seen.prompt())[0];
        let (text, address) = (&good.text, &good.address);
        match seen.number {
            1 => Say::text(format!("{text} [{address}] Snow died in 1958. [{address}]")),
            _ => Say::text(format!("1. Queen Victoria removed the handle. [{address}]")),
        }
    });
    let stand = Stand::with_model(&server.base_url());
    let told = stand.ask(QUESTION, &["--format", "json"]);
    assert_eq!(told.code, 0, "{told:?}");
    let result = told.json();
    let seen = server.seen();
    let writer: Vec<&Seen> = seen.iter().filter(|seen| !is_reader(seen)).collect();
    assert_eq!(writer.len(), 2, "one return to the writer and no more");
    let returned = writer[1].prompt();
    assert!(returned.contains("1958"), "the writer is told what did not hold: {returned}");
    let counts =
        json!({"quoted": 1, "recomputed": 0, "supported": 0, "inferred": 0, "unsupported": 1});
    assert_eq!(result["grounding"], counts, "{result:#}");
    assert!(!result["answer"].as_str().unwrap().contains("Victoria"));
    assert!(result["warnings"][0].as_str().unwrap().contains("cut"), "{result:#}");
    assert_eq!(result["deliverable"]["claims"][1]["verdict"], "unsupported");
    resolves(&stand, &result, "quoted");
}

// proves: A9
#[test]
fn every_run_leaves_a_folder_of_plain_files() {
    let stand = Stand::new();
    let result = stand.ask(QUESTION, &["--format", "json"]).json();
    let folder = stand.data().join("artifacts/runs").join(result["run_id"].as_str().unwrap());
    for name in [
        "answer.md",
        "contexts.json",
        "judgments.json",
        "events.jsonl",
        "manifest.json",
        "result.json",
    ] {
        assert!(folder.join(name).metadata().unwrap().len() > 2, "{name}");
    }
    let saved: Value =
        serde_json::from_str(&fs::read_to_string(folder.join("result.json")).unwrap()).unwrap();
    assert_eq!(saved, result);
}

// proves: C16
#[test]
fn an_estimate_costs_nothing_and_runs_nothing() {
    let server = FakeModel::start(honest);
    let stand = Stand::with_model(&server.base_url())
        .variable("QUAESTIO_PRICES__FAKE__MODEL", "{input=1.0,output=4.0}");
    let told = stand.ask(QUESTION, &["--estimate", "--format", "json"]);
    assert_eq!(told.code, 0, "{told:?}");
    let estimate = told.json();
    let usd = |key: &str| estimate[key]["cost_usd"].as_f64().unwrap();
    assert!(0.0 < usd("expected") && usd("expected") < usd("worst_case"), "{estimate}");
    assert!(server.seen().is_empty());
    assert_eq!(stand.run(&["runs", "list", "--json"]).json(), json!([]));
}

// proves: C4, A10
#[test]
fn a_sentence_that_is_mended_keeps_its_code_and_emphasis() {
    let model = FakeModel::start(|seen| {
        if is_reader(seen) {
            return Say::json(&readings(seen, |exhibit| match exhibit.claim.contains("9100") {
                true => Judgement::Partly("9100".into()),
                false => Judgement::Supported,
            }));
        }
        let prompt = seen.prompt();
        let told = statements(&prompt);
        let at = &told.iter().find(|one| one.text.contains("6700")).unwrap().address;
        if prompt.contains("Sentences of your answer that do not hold") {
            return Say::text(format!("1. By default `gc.auto` is **6700** objects. [{at}]"));
        }
        Say::text(format!("By default `gc.auto` is **9100** objects. [{at}]"))
    });
    let stand = Stand::with_model(&model.base_url());
    stand.file(
        "docs/gc.md",
        "# Settings\n\nThe setting `gc.auto` has a default of 6700 loose objects.\n",
    );
    let docs = stand.path("docs").display().to_string();
    let told = stand.run(&["ask", "What is the default of gc.auto?", "--docs", &docs]);
    assert_eq!(told.code, 0, "{told:?}");
    assert!(told.out.starts_with("By default `gc.auto` is **6700** objects. [1]"), "{told:?}");
    let writers: Vec<String> =
        model.seen().iter().filter(|seen| !is_reader(seen)).map(Seen::prompt).collect();
    let (first, again) = (&writers[0], &writers[1]);
    assert!(again.contains("1. By default `gc.auto` is **9100** objects."), "{again}");
    // What a provider keeps of the first prompt is not paid for twice.
    assert!(again.starts_with(first.trim_end()), "{again}");
}

// proves: A10, A3
#[test]
fn a_passage_is_read_on_through_its_section_as_far_as_the_model_has_room() {
    let server = FakeModel::start(honest);
    let stand = Stand::with_model(&server.base_url());
    // One section of several chunks: what was found is the first of them.
    let filler = "Sluices are closed at dusk and opened at dawn by the keeper on duty. ".repeat(12);
    let text = format!(
        "# Ostmark\n\nThe Ostmark weir was raised in 1931. {filler}\n\nLater that year {filler}\n\n\
         The mason was called Hedda Brandt.\n\n# Other\n\nNothing of it.\n"
    );
    stand.file("weir.md", &text);
    assert_eq!(stand.run(&["ingest", "weir.md", "--collection", "weir"]).code, 0);
    let shown = |settings: &[&str]| {
        let before = server.seen().len();
        let ask = ["ask", "When was the Ostmark weir raised?", "--collection", "weir"];
        let told = stand.run(&[&ask[..], &["--set", "ask.top_k=1"], settings].concat());
        assert_eq!(told.code, 0, "{told:?}");
        server.seen()[before].prompt()
    };
    let small = shown(&["--set", "ask.context_tokens=300"]);
    assert!(small.contains("raised in 1931") && !small.contains("Hedda Brandt"), "{small}");
    let wide = shown(&["--set", "models.window=128000"]);
    assert!(wide.contains("Hedda Brandt") && !wide.contains("Nothing of it"), "{wide}");
}
