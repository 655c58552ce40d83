//! Documents in several languages in one collection.

use std::collections::BTreeMap;

use run::library::{Found, Library, Manifest, NewDocument, Retrieval, Search};
use text::{Language, terms};

use crate::library::{document, manifest};

const USER: &str = "ada";
const KB: &str = "kb";

/// A document that is analysed in the language of its code.
fn written(path: &str, code: &str, text: &str) -> NewDocument {
    let mut new = document(path, text);
    let language = Language::of_code(code);
    for chunk in &mut new.chunks {
        let part = text.get(chunk.start as usize..chunk.end as usize).unwrap_or_default();
        chunk.terms = terms(part, language).join(" ");
    }
    new.metadata = BTreeMap::from([("lang".to_owned(), code.to_owned())]);
    new
}

fn contracts() -> Vec<NewDocument> {
    vec![
        written(
            "de.md",
            "de",
            "Die Kündigungsfristen der Verträge betragen drei Monate.\n\nAnlagen werden gesondert versichert.",
        ),
        written(
            "en.md",
            "en",
            "The contracts have notice periods of three months.\n\nInstallations are insured separately.",
        ),
        written(
            "fr.md",
            "fr",
            "Les délais de préavis des contrats sont de trois mois.\n\nLes installations sont assurées à part.",
        ),
        written("ja.md", "ja", "契約の解約通知期間は三か月です。\n\n設備は別に保険をかけます。"),
        written(
            "pl.md",
            "pl",
            "Okresy wypowiedzenia umów wynoszą trzy miesiące.\n\nInstalacje są ubezpieczone osobno.",
        ),
    ]
}

async fn ask(library: &dyn Library, question: &str) -> Found {
    let search = Search {
        collection: KB.into(),
        question: question.into(),
        filter: BTreeMap::new(),
        top_k: 3,
        retrieval: Retrieval::Lexical,
    };
    library.search(USER, &search, None).await.unwrap()
}

fn first(found: &Found) -> &str {
    found.passages.first().map_or("", |passage| passage.source_uri.as_str())
}

pub async fn each_document_is_found_in_its_own_language(library: &dyn Library) {
    library.open(USER, KB, &manifest()).await.unwrap();
    library.put(USER, KB, contracts()).await.unwrap();
    for (question, path, language) in [
        ("Wie ist die Anlage versichert?", "doc://kb/de.md", Language::German),
        ("How is the installation insured?", "doc://kb/en.md", Language::English),
        ("Comment sont les installations assurées à part ?", "doc://kb/fr.md", Language::French),
        ("解約通知期間はどれくらいですか", "doc://kb/ja.md", Language::Japanese),
        ("Jak są ubezpieczone instalacje?", "doc://kb/pl.md", Language::Polish),
    ] {
        let found = ask(library, question).await;
        assert_eq!((first(&found), found.language), (path, language), "{question}");
        assert_eq!((found.languages.len(), found.foreign), (5, None), "{question}");
    }
    let made = library.manifest(USER, KB).await.unwrap();
    assert_eq!(made.languages.map(|languages| languages.len()), Some(5));
}

pub async fn a_word_under_several_stemmers_is_one_term(library: &dyn Library) {
    library.open(USER, KB, &manifest()).await.unwrap();
    library.put(USER, KB, contracts()).await.unwrap();
    let found = ask(library, "Which installations are insured?").await;
    let installation: Vec<_> =
        found.terms.iter().filter(|(term, _)| term.starts_with("instal")).collect();
    // It stands in the English and the French document, under one stem or two.
    assert_eq!(installation.len(), 1, "{:?}", found.terms);
    assert_eq!(installation[0].1, 2);
    let mut reader = found.reader();
    for passage in found.passages.iter().filter(|one| one.text.contains("nstallations")) {
        assert!(reader.terms(passage, &passage.text).contains(&installation[0].0));
    }
}

pub async fn a_question_in_another_language_than_all_documents_is_told_so(library: &dyn Library) {
    library.open(USER, KB, &manifest()).await.unwrap();
    let german = vec![contracts().swap_remove(0)];
    library.put(USER, KB, german).await.unwrap();
    let found = ask(library, "What is the notice period of the contracts?").await;
    assert_eq!((found.foreign, found.language), (Some(Language::English), Language::German));
    let warning = found.language_warning().unwrap();
    assert!(warning.contains("in German, and the question is in English"), "{warning}");
    assert!(warning.contains("embedder"), "{warning}");
    let own = ask(library, "Welche Kündigungsfristen haben die Verträge?").await;
    assert_eq!((first(&own), own.language_warning()), ("doc://kb/de.md", None));
}

pub async fn a_collection_of_an_earlier_version_goes_on_as_it_was_made(library: &dyn Library) {
    let earlier = Manifest { languages: None, ..manifest() };
    library.open(USER, KB, &earlier).await.unwrap();
    library
        .put(USER, KB, vec![document("old.md", "The contracts have notice periods.")])
        .await
        .unwrap();
    // The present version opens it, and adds to it, as it is.
    library.open(USER, KB, &manifest()).await.unwrap();
    let made = library.manifest(USER, KB).await.unwrap();
    assert_eq!(made, earlier);
    let new = NewDocument {
        metadata: BTreeMap::from([("lang".to_owned(), "de".to_owned())]),
        ..document("new.md", "Die Verträge haben Kündigungsfristen.")
    };
    assert_eq!(made.language_of(&new.metadata), Language::English);
    library.put(USER, KB, vec![new]).await.unwrap();
    assert_eq!(library.manifest(USER, KB).await.unwrap(), earlier);
    let found = ask(library, "notice periods of contracts").await;
    assert_eq!((first(&found), found.language), ("doc://kb/old.md", Language::English));
    assert_eq!((found.languages, found.foreign), (vec![], None));
}

pub async fn a_filter_takes_one_of_a_list_and_says_what_values_there_are(library: &dyn Library) {
    library.open(USER, KB, &manifest()).await.unwrap();
    let tagged = |path: &str, tags: &str| NewDocument {
        metadata: BTreeMap::from([
            ("tags".to_owned(), tags.to_owned()),
            ("company".to_owned(), "Acme, Inc.".to_owned()),
        ]),
        ..document(path, "Gulls nest here.")
    };
    let documents = vec![tagged("a.md", "birds, Cliffs"), tagged("b.md", "birds")];
    library.put(USER, KB, documents).await.unwrap();
    let search = |key: &str, value: &str| Search {
        collection: KB.into(),
        question: "gulls".into(),
        filter: BTreeMap::from([(key.to_owned(), value.to_owned())]),
        top_k: 3,
        retrieval: Retrieval::Lexical,
    };
    for (tags, count) in [("birds", 2), ("cliffs", 1), ("birds, cliffs", 1), ("cliff", 0)] {
        let found = library.search(USER, &search("tags", tags), None).await.unwrap();
        assert_eq!(found.passages.len(), count, "{tags}");
        let values = if count > 0 { vec![] } else { vec!["Cliffs", "birds"] };
        assert_eq!(found.values.get("tags").cloned().unwrap_or_default(), values, "{tags}");
    }
    // The value of another key is no list.
    for (company, count) in [("acme, inc.", 2), ("inc.", 0)] {
        let found = library.search(USER, &search("company", company), None).await.unwrap();
        assert_eq!(found.passages.len(), count, "{company}");
    }
}

pub async fn what_a_subject_is_comes_before_what_is_said_of_it(library: &dyn Library) {
    library.open(USER, KB, &manifest()).await.unwrap();
    let mut documents: Vec<NewDocument> = (0..6)
        .map(|number| {
            let text = format!(
                "Section {number} mentions a checkpoint in passing, among the tides, the gulls, the tea and the weather of the coast."
            );
            document(&format!("{number}.md"), &text)
        })
        .collect();
    documents.push(document(
        "z-definition.md",
        "A checkpoint is a point in the sequence of transactions at which all data files have been brought up to date and written to the disk of the server.",
    ));
    library.put(USER, KB, documents).await.unwrap();
    assert_eq!(first(&ask(library, "What is a checkpoint?").await), "doc://kb/z-definition.md");
    // A question that says more ranks as ever.
    let more = ask(library, "Which section mentions a checkpoint in passing?").await;
    assert_ne!(first(&more), "doc://kb/z-definition.md");
    assert_eq!(more.passages.len(), 3);
}
