//! How sources are quoted without a model: so that a quote means for its reader what it means where it stands.

use std::fs;

use serde_json::Value;

use crate::stand::{Stand, Told};

/// Asks about documents, each with its name and its text.
fn ask(documents: &[(&str, &str)], question: &str) -> (Stand, Told) {
    let stand = Stand::new();
    for (name, text) in documents {
        stand.file(&format!("docs/{name}"), text);
    }
    let docs = stand.path("docs");
    let told = stand.run(&["ask", question, "--docs", docs.to_str().unwrap(), "--format", "json"]);
    (stand, told)
}

/// Checks that the answer has this line, that each citation stands in its file where it says, and that the result is valid.
fn check(documents: &[(&str, &str)], question: &str, line: &str) -> Value {
    let (stand, told) = ask(documents, question);
    assert_eq!(told.code, 0, "{question}: {told:?}");
    let result = told.json();
    let answer = result["answer"].as_str().unwrap();
    assert!(answer.contains(line), "{question}: {answer:?} lacks {line:?}");
    for citation in result["citations"].as_array().unwrap() {
        let path = citation["source_uri"].as_str().unwrap().rsplit('/').next().unwrap();
        let text = fs::read_to_string(stand.path(&format!("docs/{path}"))).unwrap();
        let at = |key: &str| usize::try_from(citation[key].as_u64().unwrap()).unwrap();
        assert_eq!(&text[at("start")..at("end")], citation["quote"].as_str().unwrap());
    }
    let file = stand.file("result.json", &told.out);
    let valid = stand.run(&["validate", file.to_str().unwrap()]);
    assert_eq!(valid.code, 0, "{valid:?}");
    result
}

// proves: C10, C13
#[test]
fn an_item_of_a_list_is_quoted_and_cited_with_what_leads_into_it() {
    let rules =
        "# House rules\n\nGuests may not:\n\n- light fires\n- keep dogs\n\nBreakfast is at 8.\n";
    let result = check(&[("rules.md", rules)], "May guests keep dogs?", "Guests may not:");
    let quote = result["citations"][0]["quote"].as_str().unwrap();
    assert!(quote.starts_with("Guests may not:") && quote.contains("keep dogs"), "{quote:?}");
    let numbered = "# Library\n\nThe following are not lent\n\n1. Maps older than 1900\n2. Globes\n   - celestial globes\n";
    check(&[("lent.md", numbered)], "Are maps older than 1900 lent?", "The following are not lent");
    let heading = "# Pool\n\n## Not allowed\n\n- Running beside the pool after the bell has been rung twice\n\n## Allowed\n\n- Swimming\n";
    check(&[("pool.md", heading)], "Is running beside the pool allowed?", "Not allowed: Running");
}

// proves: C10, B9
#[test]
fn a_list_of_several_passages_keeps_what_leads_into_it() {
    let mut list = "# Garden\n\n## Plants\n\nNever plant beside the pond:\n\n".to_owned();
    for index in 1..60 {
        list.push_str(&format!("- Plant number {index} of the old garden catalogue of the town\n"));
    }
    list.push_str("- Bamboo of the running kind from the northern nursery\n\nThe pond is deep.\n");
    let line = "Never plant beside the pond: Bamboo of the running kind";
    check(&[("garden.md", &list)], "May I plant bamboo beside the pond?", line);
}

// proves: C10
#[test]
fn headings_that_turn_a_sentence_are_shown_with_it() {
    let town = "# Town council\n\n## Rejected proposals\n\nThe bridge over the river Alm will be built in 2030 from steel and glass.\n\n\
                ## Accepted proposals\n\nThe school gets a new roof before the winter of 2026 begins.\n";
    check(&[("town.md", town)], "When will the bridge be built?", "Rejected proposals: The bridge");
}

// proves: C10
#[test]
fn what_a_mail_quotes_is_shown_as_quoted_and_gives_way_to_its_own_words() {
    let mail = "# Meeting\n\nAnn wrote:\n\n> The meeting of the garden club is on Monday.\n\nThe meeting of the garden club is on Tuesday.\n";
    let result = check(&[("mail.md", mail)], "When is the meeting of the garden club?", "Tuesday");
    let answer = result["answer"].as_str().unwrap();
    let places = ["Tuesday", "Monday"].map(|day| answer.find(day).unwrap_or(usize::MAX));
    assert!(places[0] < places[1], "{answer}");
    let quoted = "# Meeting\n\nI am not sure.\n\n> The meeting of the garden club is on Monday.\n";
    check(
        &[("mail.md", quoted)],
        "When is the meeting of the garden club?",
        "(quoted) The meeting",
    );
}

// proves: C4, C10
#[test]
fn references_of_a_source_are_no_citations_of_the_answer() {
    let gulls = "# Gulls\n\nHerring gulls eat fish and crabs from the harbour of Hull.[1] They were counted in 1954 [12, 13].\n";
    let result = check(&[("gulls.md", gulls)], "What do herring gulls eat?", "of Hull.‹1›");
    let quote = result["citations"][0]["quote"].as_str().unwrap();
    assert!(quote.ends_with("Hull.[1]"), "{quote:?}");
}
