//! Ingestion and collections.

use serde_json::json;

use crate::stand::{Stand, examples};

// proves: A6
#[test]
fn ingestion_skips_what_is_unchanged_replaces_what_is_not_and_prunes_on_request() {
    let stand = Stand::new();
    let one = stand
        .file("docs/one.md", "# One\n\nThe first document speaks of apples and their harvest.\n");
    stand.file("docs/two.txt", "The second document speaks of pears and their harvest.\n");
    let docs = stand.path("docs");
    let ingest = |more: &[&str]| {
        let mut args = vec!["ingest", docs.to_str().unwrap(), "--collection", "fruit"];
        args.extend(more);
        stand.run(&args).out
    };
    assert!(ingest(&[]).contains("2 added, 0 replaced, 0 unchanged, 0 removed"));
    assert!(ingest(&[]).contains("0 added, 0 replaced, 2 unchanged"));
    std::fs::write(&one, "# One\n\nThe first document speaks of quinces now.\n").unwrap();
    assert!(ingest(&[]).contains("0 added, 1 replaced, 1 unchanged"));
    let ask = |question: &str| stand.run(&["ask", question, "--collection", "fruit"]).code;
    assert_eq!(ask("Which document speaks of quinces?"), 0);
    assert_eq!(ask("Who harvests the apples?"), 3, "the old words are gone from the index");
    std::fs::remove_file(&one).unwrap();
    assert!(ingest(&[]).contains("0 removed"), "nothing is pruned unasked");
    assert!(ingest(&["--prune"]).contains("1 removed"));
    assert!(ingest(&["--meta", "season=autumn"]).contains("1 replaced"));
    let shown = stand.run(&["collections", "show", "fruit", "--json"]).json();
    assert_eq!(shown["documents"][0]["metadata"]["season"], "autumn");
}

// proves: A7
#[test]
fn a_collection_has_a_manifest_and_refuses_to_be_mixed() {
    let stand = Stand::new();
    let docs = examples();
    let docs = docs.to_str().unwrap();
    assert_eq!(stand.run(&["ingest", docs, "--collection", "cholera"]).code, 0);
    let shown = stand.run(&["collections", "show", "cholera", "--json"]).json();
    let manifest = &shown["collection"]["manifest"];
    assert_eq!(manifest["embedder"], json!(null));
    assert_eq!(manifest["chunk_tokens"], 220);
    assert_eq!(shown["collection"]["documents"], 8);
    assert!(
        shown["collection"]["created_at"].is_string()
            && shown["collection"]["updated_at"].is_string()
    );
    stand
        .run(&["ingest", docs, "--collection", "cholera", "--set", "corpus.chunk_tokens=99"])
        .fails(1, "99");
    assert!(
        stand
            .run(&["collections", "list"])
            .out
            .lines()
            .any(|line| line.split_whitespace().take(2).eq(["cholera", "8"]))
    );
    let unsure = stand.run(&["collections", "remove", "cholera"]);
    unsure.fails(2, "deletes its 8 documents");
    assert!(unsure.err.contains("quaestio collections remove cholera --yes"), "{unsure:?}");
    assert_eq!(stand.run(&["collections", "remove", "cholera", "--yes"]).code, 0);
    stand.run(&["collections", "remove", "cholera", "--yes"]).fails(1, "no collection 'cholera'");
    stand
        .run(&["ask", "Who was John Snow?", "--collection", "cholera"])
        .fails(2, "no collection 'cholera'");
}

// proves: A6
#[test]
fn a_bad_file_is_named_at_the_end_and_stops_nothing() {
    let stand = Stand::new();
    stand.file("docs/good.md", "# Good\n\nThe good document speaks of apples and their harvest.\n");
    stand.file("docs/empty.md", "");
    stand.file("docs/picture.md", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR");
    stand.file("docs/paper.txt", b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n");
    stand.file("docs/binary.txt", [0_u8; 300]);
    stand.file("docs/table.xyz", "a,b\n1,2\n");
    let huge = std::fs::File::create(stand.path("docs/huge.txt")).unwrap();
    huge.set_len(1 << 30).unwrap();
    stand.file("secret.md", "# Secret\n\nThe secret document must not be read.\n");
    #[cfg(unix)]
    std::os::unix::fs::symlink("../secret.md", stand.path("docs/link.md")).unwrap();
    let docs = stand.path("docs");
    let told = stand.run(&["ingest", docs.to_str().unwrap(), "--collection", "mixed"]);
    assert_eq!(told.code, 4, "{told:?}");
    assert!(told.out.contains("1 added"), "{told:?}");
    for (file, reason) in [
        ("empty.md", "empty"),
        ("picture.md", "PNG"),
        ("paper.txt", "PDF"),
        ("binary.txt", ""),
        ("table.xyz", "xyz"),
        ("huge.txt", "1073741824"),
        ("link.md", "outside"),
    ] {
        let line = told
            .err
            .lines()
            .find(|line| line.contains(file))
            .unwrap_or_else(|| panic!("{file}: {told:?}"));
        assert!(line.contains(reason), "{line}");
    }
    assert_eq!(
        stand.run(&["ask", "Which document speaks of apples?", "--collection", "mixed"]).code,
        0
    );
    let secret =
        stand.rows("SELECT count(*) FROM documents WHERE CAST(text AS TEXT) LIKE '%secret%'");
    assert_eq!(secret, ["Integer(0)"]);
}
