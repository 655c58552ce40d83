//! Libraries of Zotero, and bibliographies exported with their files.

use rusqlite::Connection;
use serde_json::Value;

use crate::stand::{Stand, Told};

const LIBRARY: &str = include_str!("../../../zotero/tests/library.sql");
const LAMPS: &str = "<html><body><main><h1>Lamps</h1><p>The lamp of Skerryvore burned 150 gallons of oil in the winter of 1844.</p></main></body></html>";

fn ingest(stand: &Stand, targets: &[&str]) -> Told {
    let args = [&["ingest"], targets, &["--collection", "refs", "--no-model"]].concat();
    stand.run(&args)
}

fn list(stand: &Stand) -> Vec<Value> {
    let told = stand.run(&["documents", "list", "--collection", "refs", "--json"]);
    told.json().as_array().unwrap().clone()
}

fn paths(stand: &Stand) -> Vec<String> {
    let listed = list(stand);
    listed.iter().map(|document| document["path"].as_str().unwrap().to_owned()).collect()
}

fn ask(stand: &Stand, more: &[&str]) -> Value {
    let question = "How many gallons of oil did the lamp of Skerryvore burn in 1844?";
    let args = ["ask", question, "--collection", "refs", "--no-model", "--format", "json"];
    stand.run(&[&args[..], more].concat()).json()
}

// proves: A6, B9
#[test]
fn a_zotero_library_is_read_and_its_files_are_cited_as_their_works() {
    let stand = Stand::new();
    stand.file("Zotero/storage/FILEAAAA/Smith - 2021 - Lamps.html", LAMPS);
    stand.file("Zotero/storage/LONEFILE/lone.txt", "The boat Pharos was wrecked in 1850.");
    stand.file("linked/lamps/table.csv", "lamp,oil\nNoss,12\n");
    let zotero = Connection::open(stand.path("Zotero/zotero.sqlite")).unwrap();
    zotero.execute_batch(LIBRARY).unwrap();
    // Zotero is running.
    zotero.execute_batch("PRAGMA locking_mode = exclusive; UPDATE tags SET name = name").unwrap();
    let told = ingest(&stand, &["Zotero"]);
    assert_eq!(told.code, 4, "{told:?}");
    assert!(told.out.starts_with("refs: 5 added"), "{told:?}");
    assert!(told.err.contains("Lamps of the northern coast: it is linked as"), "{told:?}");
    let told = ingest(&stand, &["zotero:Zotero", "--linked-files", "linked"]);
    assert_eq!(told.code, 0, "{told:?}");
    assert!(told.out.starts_with("refs: 1 added, 0 replaced, 5 unchanged, 0 removed"), "{told:?}");
    let work = "Smith & Northern Lights Board 2021 (WORKAAAA)";
    let all = [
        "Lights of the North/Day 1999 (WORKGRUP).md",
        "Noss (NOTEBBBB).md",
        &format!("{work}.md"),
        &format!("{work}/Smith - 2021 - Lamps.html"),
        &format!("{work}/table.csv"),
        "lone.txt (LONEFILE)/lone.txt",
    ];
    assert_eq!(paths(&stand), all);
    let result = ask(&stand, &["--where", "citation_key=smith2021"]);
    let cited = &result["citations"][0];
    assert!(
        cited["title"].as_str().unwrap().starts_with("Smith & Northern Lights Board 2021: Lamps")
    );
    assert!(cited["source_uri"].as_str().unwrap().ends_with("/Smith - 2021 - Lamps.html"));
    let reference = result["references"][0]["text"].as_str().unwrap();
    assert!(reference.starts_with("Smith, A., & Northern Lights Board. (2021)."), "{reference}");
    assert!(ask(&stand, &["--where", "year=1999"])["citations"].as_array().unwrap().is_empty());

    // What cannot be found without its folder stays.
    let told = ingest(&stand, &["Zotero"]);
    assert!(told.out.starts_with("refs: 0 added, 0 replaced, 5 unchanged, 0 removed"), "{told:?}");
    assert_eq!(paths(&stand), all);
    // A library that cannot be read is no folder of files, and nothing is removed for it.
    stand.file("broken/zotero.sqlite", "no database");
    for target in ["broken", "zotero:broken"] {
        ingest(&stand, &[target, "--prune"]).fails(1, "it is not a database");
    }
    assert_eq!(paths(&stand), all);

    // What changes in Zotero changes here, and nothing else does.
    let change = "INSERT INTO deletedItems (itemID) VALUES (10), (12); DELETE FROM itemTags WHERE itemID = 1;
        UPDATE itemDataValues SET value = '2022-00-00 2022' WHERE valueID = 3;";
    zotero.execute_batch(change).unwrap();
    let told = ingest(&stand, &["Zotero", "--linked-files", "linked"]);
    assert!(told.out.starts_with("refs: 3 added, 0 replaced, 1 unchanged, 5 removed"), "{told:?}");
    assert!(
        paths(&stand).iter().all(|path| path.contains("2022 (WORKAAAA)") || path.contains("Noss"))
    );
    assert!(list(&stand).iter().all(|document| document["metadata"].get("tags").is_none()));

    // Other documents of the collection are left alone, and a file that is away keeps its document.
    stand.file("notes/a.md", "Two birds sat there.");
    ingest(&stand, &["notes"]);
    std::fs::remove_file(stand.path("Zotero/storage/FILEAAAA/Smith - 2021 - Lamps.html")).unwrap();
    let told = ingest(&stand, &["Zotero", "--linked-files", "linked"]);
    assert_eq!(told.code, 4, "{told:?}");
    assert!(told.out.starts_with("refs: 0 added, 0 replaced, 3 unchanged, 0 removed"), "{told:?}");
    assert!(told.err.contains("is not there; fetch it in the program"), "{told:?}");
    assert_eq!(paths(&stand).len(), 5);
    ingest(&stand, &["zotero:notes"]).fails(2, "there is no Zotero library in notes");
}

// proves: A6, B9
#[test]
fn a_bibliography_with_its_files_becomes_its_works() {
    let bibtex = "@article{smith2021,\n title = {Lamps of the coast},\n author = {Smith, Ann and Day, Bo},\n year = {2021},\n doi = {10.1000/lamps},\n keywords = {oil, coast},\n abstract = {We counted.},\n file = {Full text:files/1/Smith\\_lamps.html:text/html;Lost:files/2/lost.pdf:application/pdf},\n}\n\n@book{day1999,\n title = {Fog},\n author = {Day, Bo},\n date = {1999},\n}\n";
    let ris = "TY  - JOUR\nID  - smith2021\nAU  - Smith, Ann\nAU  - Day, Bo\nTI  - Lamps of the coast\nPY  - 2021\nDO  - 10.1000/lamps\nKW  - oil\nL1  - files/1/Smith_lamps.html\nL4  - files/2/lost.pdf\nER  - \nTY  - BOOK\nID  - day1999\nAU  - Day, Bo\nTI  - Fog\nPY  - 1999\nER  - \n";
    let csl = r#"[{"id": "smith2021", "type": "article-journal", "title": "Lamps of the coast", "author": [{"family": "Smith", "given": "Ann"}, {"family": "Day", "given": "Bo"}], "issued": {"date-parts": [[2021]]}, "DOI": "10.1000/lamps", "keyword": "oil", "attachments": [{"path": "files/1/Smith_lamps.html"}, {"path": "files/2/lost.pdf"}]},
        {"id": "day1999", "type": "book", "title": "Fog", "author": [{"family": "Day", "given": "Bo"}], "issued": {"date-parts": [[1999]]}}]"#;
    for (name, text) in [("refs.bib", bibtex), ("refs.ris", ris), ("refs.json", csl)] {
        let stand = Stand::new();
        stand.file("export/files/1/Smith_lamps.html", LAMPS);
        stand.file(&format!("export/{name}"), text);
        let told = ingest(&stand, &["export"]);
        assert_eq!(told.code, 4, "{name}: {told:?}");
        assert!(told.out.starts_with("refs: 3 added"), "{name}: {told:?}");
        assert!(told.err.contains("Smith & Day 2021: Lamps of the coast: its file"), "{told:?}");
        assert!(told.err.contains("lost.pdf is not there"), "{told:?}");
        let day = format!("{name}/day1999.md");
        let smith = format!("{name}/smith2021.md");
        assert_eq!(paths(&stand), ["files/1/Smith_lamps.html", &day, &smith]);
        let result = ask(&stand, &["--where", "doi=10.1000/lamps"]);
        assert_eq!(result["citations"][0]["title"], "Smith & Day 2021: Lamps of the coast");
        let reference = result["references"][0]["text"].as_str().unwrap();
        assert!(reference.starts_with("Smith, A., & Day, B. (2021)."), "{name}: {reference}");
        let told = ingest(&stand, &["export", "--prune"]);
        assert!(
            told.out.starts_with("refs: 0 added, 0 replaced, 3 unchanged, 0 removed"),
            "{told:?}"
        );
        // What was made of it stays while its files are away.
        std::fs::remove_dir_all(stand.path("export/files")).unwrap();
        let told = ingest(&stand, &["export"]);
        assert!(
            told.out.starts_with("refs: 0 added, 0 replaced, 2 unchanged, 0 removed"),
            "{told:?}"
        );
        assert_eq!((told.code, paths(&stand).len()), (4, 3), "{told:?}");
    }
}

// proves: A6
#[test]
fn a_bibliography_in_a_folder_brings_no_file_from_outside_of_it() {
    let stand = Stand::new();
    stand.file("secret/plan.md", "The plan is secret.");
    stand.file("export/a.md", "A note.");
    let secret = stand.path("secret/plan.md");
    let bibtex = format!(
        "@article{{a1, title = {{Plans}}, author = {{Lee, Ann}}, file = {{{};a.md}}}}\n",
        secret.display()
    );
    stand.file("export/refs.bib", &bibtex);
    let told = ingest(&stand, &["export"]);
    assert!(told.err.contains("lies outside of the folder; name refs.bib itself"), "{told:?}");
    assert_eq!(paths(&stand), ["a.md", "refs.bib/a1.md"]);
    let told = ingest(&stand, &["export/refs.bib"]);
    assert_eq!(told.code, 0, "{told:?}");
    assert_eq!(paths(&stand).iter().filter(|path| path.ends_with("plan.md")).count(), 1);
}
