//! Documents in several languages, asked without a model.

use crate::stand::Stand;

const GERMAN: &str = "# Mietvertrag\n\nDie Miete ist spätestens am 3. Werktag eines Monats fällig. Die Kündigungsfrist der Wohnung \
beträgt drei Monate. Das Büro liegt in der Hauptstr. 5 und ist am Vormittag geöffnet.\n";
const ENGLISH: &str = "---\ntags: [rent, office]\n---\n# Lease\n\nThe rent is due on the third working day of each month. The notice period of \
the flat is three months, and the office is open in the morning. The key `retry.backoff_seconds` is 30.\n";

// proves: A6
#[test]
fn each_document_is_read_in_its_own_language() {
    let stand = Stand::new();
    stand.file("both/vertrag.md", GERMAN);
    stand.file("both/lease.md", ENGLISH);
    let folder = stand.path("both");
    let read = stand.run(&["ingest", folder.to_str().unwrap(), "--collection", "both"]);
    assert_eq!(read.code, 0, "{read:?}");
    let documents = stand.run(&["documents", "list", "--collection", "both", "--json"]).json();
    let languages: Vec<&str> = documents
        .as_array()
        .unwrap()
        .iter()
        .map(|document| document["metadata"]["lang"].as_str().unwrap())
        .collect();
    assert_eq!(languages, ["en", "de"]);
    let shown = stand.run(&["collections", "show", "both"]).out;
    assert!(shown.contains("languages: English, German"), "{shown}");
    let ask = |question: &str, more: &[&str]| {
        let mut all =
            vec!["ask", question, "--collection", "both", "--no-model", "--format", "json"];
        all.extend(more);
        stand.run(&all).json()
    };
    // The statement is whole, though there is a full stop within.
    let answer = ask("Wann ist die Miete fällig?", &[]);
    let quotes = answer["citations"].to_string();
    assert!(quotes.contains("spätestens am 3. Werktag eines Monats fällig."), "{answer}");
    // One of the tags is enough, and what there is is told where none fits.
    let tagged = ask("When is the rent due?", &["--where", "tags=office"]);
    assert!(tagged["citations"].to_string().contains("third working day"), "{tagged}");
    let none = ask("When is the rent due?", &["--where", "tags=garden"]);
    assert!(
        none["deliverable"]["gaps"]
            .to_string()
            .contains("There are these values of `tags`: office; rent."),
        "{none}"
    );
    // A key is found by a part of it.
    let key = ask("What is the backoff?", &[]);
    assert!(key.to_string().contains("retry.backoff_seconds"), "{key}");
}

// proves: A6
#[test]
fn a_question_in_another_language_than_the_documents_says_so() {
    let stand = Stand::new();
    let file = stand.file("vertrag.md", GERMAN);
    stand.run(&["ingest", file.to_str().unwrap(), "--collection", "german"]);
    let asked = stand.run(&[
        "ask",
        "What is the notice period of the apartment?",
        "--collection",
        "german",
        "--no-model",
        "--format",
        "json",
    ]);
    assert_eq!(asked.code, 3, "{asked:?}");
    let warnings = asked.json()["warnings"].to_string();
    assert!(
        warnings.contains("the documents are in German, and the question is in English")
            && warnings.contains("embedder"),
        "{warnings}"
    );
}
