use std::path::{Path, PathBuf};

use rusqlite::Connection;
use tempfile::TempDir;

use super::*;

const LIBRARY: &str = include_str!("../tests/library.sql");

fn write_library() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let database = folder.path().join(DATABASE);
    Connection::open(&database).unwrap().execute_batch(LIBRARY).unwrap();
    (folder, database)
}

// proves: A6
#[test]
fn works_come_with_their_notes_marks_and_files() {
    let (folder, database) = write_library();
    let library = read(&database, &Linked::default()).unwrap();
    let keys: Vec<&str> = library.references.iter().map(|one| one.key.as_str()).collect();
    assert_eq!(keys, ["WORKAAAA", "NOTEBBBB", "WORKGRUP", "LONEFILE"]);
    assert_eq!(library.name, "zotero:Ab12Cd34");
    let work = &library.references[0];
    assert_eq!(work.full_name(), "Smith & Northern Lights Board 2021: Lamps of the northern coast");
    assert_eq!(work.citation_key.as_deref(), Some("smith2021"));
    assert_eq!(work.paper.venue.as_deref(), Some("Journal of Lights"));
    assert_eq!(work.paper.volume.as_deref(), Some("12"));
    assert_eq!(work.paper.ids.doi.as_deref(), Some("10.1000/lamps"));
    assert_eq!(work.paper.published.map(|date| date.to_string()).as_deref(), Some("2021-03"));
    assert_eq!(work.paper.editors.len(), 1);
    assert_eq!(work.tags, ["lamps", "to read"]);
    assert_eq!(work.collections, ["Thesis/Chapter 2"]);
    assert!(work.notes[0].contains("colza oil"));
    let marks: Vec<_> = work.highlights.iter().map(|it| (&*it.page, &*it.text)).collect();
    assert_eq!(marks, [("3", "Forty lamps were counted."), ("4", "Each lamp had twelve wicks.")]);
    assert_eq!(work.highlights[0].file, "Full text");
    let file = folder.path().join("storage/FILEAAAA/Smith - 2021 - Lamps.html");
    assert_eq!((&work.files[0].path, &work.files[0].problem), (&file, &None));
    assert_eq!(work.files[1].path, Path::new("table.csv"));
    assert!(work.files[1].problem.as_ref().unwrap().contains("--linked-files"));
    let thesis = &library.references[2];
    assert_eq!(thesis.group.as_deref(), Some("Lights of the North"));
    assert_eq!(thesis.paper.publisher.as_deref(), Some("University of Fog"));
    let alone = [&library.references[1], &library.references[3]];
    assert_eq!(alone.map(|one| one.paper.title.as_str()), ["Noss", "lone.txt"]);
    let linked = Linked { folder: Some(Path::new("/linked")), anywhere: false };
    let library = read(&database, &linked).unwrap();
    assert_eq!(library.references[0].files[1].path, Path::new("/linked/lamps/table.csv"));
    assert_eq!(library.references[0].files[1].problem, None);
}

// proves: A6
#[test]
fn a_library_is_read_while_zotero_holds_it_and_nothing_of_it_changes() {
    let (folder, database) = write_library();
    let listed = || {
        let mut names: Vec<_> = std::fs::read_dir(folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        names.sort();
        names
    };
    for mode in ["delete", "wal"] {
        let zotero = Connection::open(&database).unwrap();
        let hold = format!(
            "PRAGMA locking_mode = exclusive; PRAGMA journal_mode = {mode}; PRAGMA wal_autocheckpoint = 0;"
        );
        zotero.execute_batch(&hold).unwrap();
        let rename = format!("UPDATE itemDataValues SET value = 'Fog, {mode}' WHERE valueID = 9");
        zotero.execute_batch(&rename).unwrap();
        let (before, bytes) = (listed(), std::fs::read(&database).unwrap());
        let library = read(&database, &Linked::default()).unwrap();
        assert_eq!(library.references[2].paper.title, format!("Fog, {mode}"));
        assert_eq!(listed(), before);
        assert_eq!(std::fs::read(&database).unwrap(), bytes);
        // What is being written is not there yet.
        zotero.execute_batch("BEGIN; DELETE FROM items WHERE itemID = 10;").unwrap();
        assert_eq!(read(&database, &Linked::default()).unwrap().references.len(), 4, "{mode}");
        zotero.execute_batch("ROLLBACK").unwrap();
    }
}

// proves: A6
#[test]
fn a_library_is_known_by_its_content() {
    let (folder, database) = write_library();
    assert_eq!(find(folder.path()).unwrap(), Some(database.clone()));
    let other = folder.path().join("renamed.bin");
    std::fs::copy(&database, &other).unwrap();
    assert_eq!(find(&other).unwrap(), Some(other.clone()));
    std::fs::write(&other, "SQLite format 3\0 is how it begins").unwrap();
    assert!(matches!(find(&other), Err(ReadError::Unreadable { .. })));
    std::fs::write(&database, "damaged").unwrap();
    assert!(find(folder.path()).is_err() && find(&database).is_err());
    assert!(
        read(&other, &Linked::default())
            .unwrap_err()
            .to_string()
            .starts_with("could not read the Zotero")
    );
    std::fs::remove_file(&other).unwrap();
    Connection::open(&other).unwrap().execute_batch("CREATE TABLE items (a)").unwrap();
    assert_eq!(find(&other).unwrap(), None);
    std::fs::write(&other, "text").unwrap();
    assert_eq!(find(&other).unwrap(), None);
    std::fs::remove_file(&other).unwrap();
    Connection::open(&other).unwrap().execute_batch("CREATE TABLE items (a)").unwrap();
    assert!(
        matches!(read(&other, &Linked::default()), Err(ReadError::NotZotero { table, .. }) if table == "itemTypes")
    );
}

// proves: A6
#[test]
fn a_damaged_library_is_refused_or_read_and_never_panics() {
    let (folder, database) = write_library();
    let bytes = std::fs::read(&database).unwrap();
    let damaged = folder.path().join("damaged.sqlite");
    let mut random = 1_u64;
    for _ in 0..200 {
        let mut bytes = bytes.clone();
        for _ in 0..40 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let at = (random >> 33) as usize % bytes.len();
            bytes[at] = (random >> 20) as u8;
        }
        std::fs::write(&damaged, &bytes).unwrap();
        let _ = read(&damaged, &Linked::default());
    }
}

// proves: A6
#[test]
fn the_keys_of_better_bibtex_are_known() {
    let (folder, database) = write_library();
    let keys = "CREATE TABLE citationkey (itemID INT, itemKey TEXT, libraryID INT, citationKey TEXT, pinned INT);
        INSERT INTO citationkey VALUES (10, 'WORKGRUP', 2, 'dayFog1999', 0), (1, 'WORKAAAA', 1, 'other', 0);";
    Connection::open(folder.path().join("better-bibtex.sqlite"))
        .unwrap()
        .execute_batch(keys)
        .unwrap();
    let library = read(&database, &Linked::default()).unwrap();
    assert_eq!(library.references[0].citation_key.as_deref(), Some("smith2021"));
    assert_eq!(library.references[2].citation_key.as_deref(), Some("dayFog1999"));
}

// proves: A6
#[test]
fn marks_in_a_file_that_cannot_be_found_are_kept() {
    let (_folder, database) = write_library();
    let change = "UPDATE itemAttachments SET path = 'C:\\a\\lamps.html' WHERE itemID = 2; DELETE FROM itemData WHERE itemID = 2;
        UPDATE itemAttachments SET path = NULL WHERE itemID = 12;
        INSERT INTO items (itemID, itemTypeID, libraryID, key) VALUES (20, 1, 1, 'MARKCCCC');
        INSERT INTO itemAnnotations VALUES (20, 12, 1, '', 'The boat was lost.', '', '', '1', '1', '{}', 0);";
    Connection::open(&database).unwrap().execute_batch(change).unwrap();
    let library = read(&database, &Linked::default()).unwrap();
    let work = &library.references[0];
    assert_eq!((work.highlights.len(), &*work.highlights[0].file), (2, "lamps.html"));
    assert!(work.files[0].problem.as_ref().unwrap().contains("another machine"));
    let alone = &library.references[3];
    assert_eq!((&*alone.key, &*alone.highlights[0].text), ("LONEFILE", "The boat was lost."));
}

// proves: A6
#[test]
fn a_view_of_citation_keys_is_not_asked() {
    let (folder, database) = write_library();
    let endless = "CREATE VIEW citationkey AS WITH RECURSIVE n(libraryID) AS (SELECT 1 UNION ALL SELECT libraryID + 1 FROM n)
        SELECT libraryID, 'a' AS itemKey, 'b' AS citationKey FROM n;";
    let beside = Connection::open(folder.path().join("better-bibtex.sqlite")).unwrap();
    beside.execute_batch(endless).unwrap();
    assert_eq!(read(&database, &Linked::default()).unwrap().references.len(), 4);
}
