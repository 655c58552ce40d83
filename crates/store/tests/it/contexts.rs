//! Startup contexts in the database and as files: what every keeper must do, and what belongs to files.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use run::contexts::{ContextError, Contexts, Existing, StartupContext};
use store::{ContextFiles, Store};

use crate::child::Process;
use conformance::contexts::{are_as_the_model, context, deeds, edit_many, holds, second};

async fn open_database() -> (Store, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    (Store::open(folder.path()).unwrap(), folder)
}

async fn open_files() -> (ContextFiles, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    (ContextFiles::new(folder.path().join("contexts")), folder)
}

// proves: W5
mod database {
    conformance::context_tests!(super::open_database);
}

// proves: W5
mod files {
    conformance::context_tests!(super::open_files);
}

fn waiting<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(work)
}

/// Every file below a folder with its bytes, and every folder with none.
fn tree(folder: &Path) -> BTreeMap<PathBuf, Option<Vec<u8>>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            let is_folder = path.symlink_metadata().unwrap().is_dir();
            found.insert(path.clone(), (!is_folder).then(|| std::fs::read(&path).unwrap()));
            folders.extend(is_folder.then_some(path));
        }
    }
    found
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 40, ..ProptestConfig::default() })]

    // proves: W5
    #[test]
    fn whatever_is_done_the_database_is_as_the_model(deeds in deeds()) {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).unwrap();
        waiting(are_as_the_model(&store, deeds));
    }

    // proves: W5
    #[test]
    fn whatever_is_done_the_files_are_as_the_model_and_nothing_else_is_touched(deeds in deeds()) {
        let folder = tempfile::tempdir().unwrap();
        for bait in ["outside", "outside.json", "ada/a.json", "in/a.json", "in/bob/same.json", "etc/passwd"] {
            let bait = folder.path().join(bait);
            std::fs::create_dir_all(bait.parent().unwrap()).unwrap();
            std::fs::write(bait, "bait").unwrap();
        }
        let root = folder.path().join("in/contexts");
        let outside = || {
            let mut all = tree(folder.path());
            all.retain(|path, _| !path.starts_with(&root));
            all
        };
        let before = outside();
        let model = waiting(are_as_the_model(&ContextFiles::new(&root), deeds));
        prop_assert_eq!(outside(), before);
        if !root.exists() {
            prop_assert!(model.users.is_empty());
            return Ok(());
        }
        // Within, each user has a folder, no two of which a file system without capitals takes for one.
        let mut folders = BTreeSet::new();
        for (path, bytes) in tree(&root) {
            let parts: Vec<&str> = path.strip_prefix(&root).unwrap().iter().map(|part| part.to_str().unwrap()).collect();
            match parts.as_slice() {
                [user] => prop_assert!(bytes.is_none() && folders.insert(user.to_lowercase())),
                [_, ".lock"] => {}
                [user, file] => {
                    let kept: StartupContext = serde_json::from_slice(&bytes.unwrap()).unwrap();
                    prop_assert_eq!(file.strip_suffix(".json"), Some(kept.id.as_str()));
                    prop_assert!(*user == kept.user_id || user.contains('='));
                }
                other => prop_assert!(false, "{:?}", other),
            }
        }
        prop_assert_eq!(folders.len(), model.users.len());
    }
}

/// Adds the same contexts as others do at the same time, and returns those that were not there before; or edits the one that
/// others edit too, and returns what was acknowledged.
pub(crate) async fn compete(store: &Store, folder: &Path, part: &str) -> Vec<String> {
    let (deed, part) = part.split_once(' ').unwrap();
    let (kind, name) = part.split_once(' ').unwrap();
    let files = ContextFiles::new(folder.join("contexts"));
    let contexts: &dyn Contexts = if kind == "files" { &files } else { store };
    if deed == "edit" {
        return edit_many(contexts, name, 40).await;
    }
    let mut won = Vec::new();
    for number in 0..60 {
        let new = StartupContext { name: name.into(), ..context("ada", &format!("c{number}")) };
        match contexts.add(&new).await {
            Ok(()) => won.push(new.id),
            lost => assert_eq!(lost, Err(ContextError::Taken { id: new.id })),
        }
        // Others read meanwhile, and see whole contexts.
        for seen in contexts.list("ada").await.unwrap() {
            assert!(seen.name == "one" || seen.name == "two");
        }
    }
    won
}

// proves: W5
#[tokio::test(flavor = "multi_thread")]
async fn of_two_processes_that_add_one_id_one_wins() {
    for kind in ["rows", "files"] {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).unwrap();
        let names = ["one", "two"];
        let play = |name: &&str| Process::play(&format!("keep add {kind} {name}"), folder.path());
        let mut processes: Vec<Process> = names.iter().map(play).collect();
        let mut winners = BTreeMap::new();
        for (name, process) in names.iter().zip(&mut processes) {
            while let Some(id) = process.hear() {
                assert_eq!(winners.insert(id, *name), None, "{kind}: two have won");
            }
        }
        assert!(processes.into_iter().all(Process::ends_well));
        let files = ContextFiles::new(folder.path().join("contexts"));
        let contexts: &dyn Contexts = if kind == "files" { &files } else { &store };
        let kept = contexts.list("ada").await.unwrap();
        let kept: BTreeMap<String, &str> =
            kept.iter().map(|context| (context.id.clone(), context.name.as_str())).collect();
        assert_eq!(kept, winners);
        assert_eq!(kept.len(), 60);
    }
}

// proves: W5
#[tokio::test(flavor = "multi_thread")]
async fn of_two_processes_that_edit_one_context_none_loses_anything() {
    for kind in ["rows", "files"] {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).unwrap();
        let files = ContextFiles::new(folder.path().join("contexts"));
        let contexts: &dyn Contexts = if kind == "files" { &files } else { &store };
        contexts.add(&context("ada", "legal")).await.unwrap();
        let play = |name| Process::play(&format!("keep edit {kind} {name}"), folder.path());
        let mut processes = ["one", "two"].map(play);
        let mut acknowledged = Vec::new();
        for process in &mut processes {
            while let Some(key) = process.hear() {
                acknowledged.push(key);
            }
        }
        assert!(processes.into_iter().all(Process::ends_well), "{kind}");
        assert_eq!(acknowledged.len(), 80, "{kind}");
        holds(contexts, acknowledged).await;
    }
}

/// A folder of contexts with two of ada's.
async fn two() -> (tempfile::TempDir, ContextFiles, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("contexts");
    let files = ContextFiles::new(&root);
    for id in ["a", "b"] {
        files.add(&context("ada", id)).await.unwrap();
    }
    (folder, files, root.join("ada"))
}

// proves: W5
#[tokio::test]
async fn the_files_lie_where_the_document_says_and_can_be_written_by_hand() {
    let (_folder, files, ada) = two().await;
    let text = std::fs::read_to_string(ada.join("a.json")).unwrap();
    assert!(text.starts_with("{\n  \"id\": \"a\",\n  \"user_id\": \"ada\",\n"), "{text}");
    let by_hand = r#"{"id": "c", "user_id": "ada", "name": "By hand",
        "created_at": "2026-01-02T03:04:05Z", "last_accessed": "2027-06-01T00:00:00+02:00"}"#;
    std::fs::write(ada.join("c.json"), by_hand).unwrap();
    std::fs::write(ada.join("notes.txt"), "no context").unwrap();
    std::fs::write(ada.join("a.json~"), "an editor's copy").unwrap();
    let listed = files.list("ada").await.unwrap();
    let names: Vec<&str> = listed.iter().map(|context| context.name.as_str()).collect();
    assert_eq!(names, ["By hand", "The startup a", "The startup b"]);
    let left: Vec<_> = tree(&ada).into_keys().collect();
    assert!(!left.iter().any(|path| path.to_string_lossy().contains(".next")), "{left:?}");
}

// proves: W5
#[tokio::test]
async fn a_broken_file_is_named_and_holds_up_nothing_else_and_can_be_removed() {
    let whole = serde_json::to_string(&context("ada", "a")).unwrap();
    for (bytes, said) in [
        (&b""[..], "EOF"),
        (b"{\"id\": \"a\"", "EOF"),
        (b"\xff\xfe{", "expected value"),
        (b"{\"id\": \"a\", \"user_id\": \"ada\"}", "missing field"),
        (whole.replace("law", &"x".repeat(5_000)).as_bytes(), "5000 characters"),
        (whole.replace("\"a\"", "\"b\"").as_bytes(), "its id is 'b'"),
        (whole.replace("\"ada\"", "\"bob\"").as_bytes(), "its user_id is 'bob'"),
        ("{\"metadata\": ".repeat(100_000).as_bytes(), "recursion limit"),
        (" ".repeat(9 << 20).as_bytes(), "too large"),
    ] {
        let (_folder, files, ada) = two().await;
        let path = ada.join("a.json");
        std::fs::write(&path, bytes).unwrap();
        let before = tree(&ada);
        let a = context("ada", "a");
        let refused = [
            files.get("ada", "a").await.map(|_| ()),
            files.list("ada").await.map(|_| ()),
            files.add(&a).await,
            files.replace(&a).await,
            files.exchange(&a, &a).await.map(|_| ()),
            files.keep(&[a.clone(), context("ada", "c")], Existing::Replaced).await,
            files.touch("ada", "a", second(9)).await,
        ];
        for refused in refused {
            let error = refused.unwrap_err().to_string();
            assert!(error.contains(path.to_str().unwrap()) && error.contains(said), "{error}");
        }
        assert_eq!(tree(&ada), before, "{said}");
        // Others are read, kept, changed and removed as ever.
        let (b, d) = (context("ada", "b"), context("ada", "d"));
        assert_eq!(files.get("ada", "b").await, Ok(Some(b.clone())));
        assert_eq!(files.add(&d).await, Ok(()));
        assert_eq!(files.exchange(&d, &d).await, Ok(d));
        assert_eq!(files.touch("ada", "d", second(9)).await, Ok(()));
        assert_eq!(files.remove("ada", "d").await, Ok(()));
        assert_eq!(tree(&ada), before, "{said}");
        // Whoever wants it gone needs not read it.
        assert_eq!(files.remove("ada", "a").await, Ok(()));
        assert_eq!(files.remove("ada", "a").await, Err(ContextError::no_such("a")));
        assert_eq!(files.list("ada").await, Ok(vec![b]));
    }
}

// proves: W5
#[tokio::test]
async fn a_file_whose_name_is_no_id_is_named() {
    for name in ["Copy of a.json", "A.json", "con.json", "é.json"] {
        let (_folder, files, ada) = two().await;
        std::fs::write(ada.join(name), "{}").unwrap();
        let error = files.list("ada").await.unwrap_err().to_string();
        assert!(error.contains(name) && error.contains("its name is not a valid id"), "{error}");
        assert_eq!(files.get("ada", "a").await, Ok(Some(context("ada", "a"))));
    }
}

// proves: W5
#[cfg(unix)]
#[tokio::test]
async fn a_link_is_refused_and_never_followed() {
    use std::os::unix::fs::symlink;
    let (folder, files, ada) = two().await;
    // A context file that leads outside, to one that is there and to one that is not.
    let (there, not_there) = (folder.path().join("there.json"), folder.path().join("not-there"));
    let secret = serde_json::to_vec(&context("ada", "c")).unwrap();
    std::fs::write(&there, &secret).unwrap();
    for (id, target) in [("c", &there), ("d", &not_there)] {
        let link = ada.join(format!("{id}.json"));
        symlink(target, &link).unwrap();
        let new = context("ada", id);
        let refused = [
            files.get("ada", id).await.map(|_| ()),
            files.list("ada").await.map(|_| ()),
            files.add(&new).await,
            files.replace(&new).await,
            files.keep(std::slice::from_ref(&new), Existing::Replaced).await,
            files.touch("ada", id, second(9)).await,
            files.remove("ada", id).await,
        ];
        for refused in refused {
            let error = refused.unwrap_err().to_string();
            assert!(error.contains(link.to_str().unwrap()) && error.contains("link"), "{error}");
        }
        std::fs::remove_file(&link).unwrap();
    }
    assert_eq!(std::fs::read(&there).unwrap(), secret);
    assert!(!not_there.exists());
    // What is written first cannot be led astray either.
    let next = ada.join(".next-c.json");
    symlink(&not_there, &next).unwrap();
    assert_eq!(files.add(&context("ada", "c")).await, Ok(()));
    assert!(!not_there.exists() && ada.join("c.json").symlink_metadata().unwrap().is_file());
    // A user's folder that leads to another's.
    let bob = ada.with_file_name("bob");
    symlink(&ada, &bob).unwrap();
    let before = tree(&ada);
    for refused in [
        files.list("bob").await.map(|_| ()),
        files.get("bob", "a").await.map(|_| ()),
        files.add(&context("bob", "z")).await,
        files.remove("bob", "a").await,
    ] {
        let error = refused.unwrap_err().to_string();
        assert!(error.contains(bob.to_str().unwrap()) && error.contains("link"), "{error}");
    }
    assert_eq!(tree(&ada), before);
}

// proves: W5
#[cfg(unix)]
#[tokio::test]
async fn a_pipe_or_a_folder_in_the_place_of_a_context_holds_nobody_up() {
    let (_folder, files, ada) = two().await;
    let pipe = ada.join("p.json");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    std::fs::create_dir(ada.join("f.json")).unwrap();
    for id in ["p", "f"] {
        let error = files.get("ada", id).await.unwrap_err().to_string();
        assert!(error.contains("it is not a file"), "{error}");
    }
}

// proves: W5
#[tokio::test]
async fn what_a_dead_process_left_is_there_as_a_whole_or_not_at_all() {
    // A process that died before all of it was on disk.
    let (_folder, files, ada) = two().await;
    let next = |id: &str| {
        let path = ada.join(format!(".next-{id}.json"));
        let changed = StartupContext { name: "Changed".into(), ..context("ada", id) };
        std::fs::write(path, serde_json::to_vec(&changed).unwrap()).unwrap();
    };
    let names = async || -> Vec<String> {
        let listed = files.list("ada").await.unwrap();
        listed.into_iter().map(|context| format!("{}: {}", context.id, context.name)).collect()
    };
    let before = names().await;
    next("b");
    next("c");
    std::fs::write(ada.join(".next-d.json"), "{\"id\": \"d").unwrap();
    assert_eq!(names().await, before);
    files.add(&context("ada", "e")).await.unwrap();
    files.remove("ada", "e").await.unwrap();
    assert_eq!(names().await, before, "and it never comes back");
    // A process that died when all of it was on disk: whoever looks next sees all.
    type Look = fn(&ContextFiles) -> futures::future::BoxFuture<'_, ()>;
    let looks: [Look; 3] = [
        |files| Box::pin(async { drop(files.list("ada").await.unwrap()) }),
        |files| Box::pin(async { assert!(files.get("ada", "c").await.unwrap().is_some()) }),
        |files| Box::pin(async { files.touch("ada", "c", second(0)).await.unwrap() }),
    ];
    for look in looks {
        let (_folder, files, ada) = two().await;
        for id in ["b", "c"] {
            let changed = StartupContext { name: "Changed".into(), ..context("ada", id) };
            let path = ada.join(format!(".next-{id}.json"));
            std::fs::write(path, serde_json::to_vec(&changed).unwrap()).unwrap();
        }
        std::fs::write(ada.join(".commit"), "").unwrap();
        // It had come as far as the first.
        std::fs::rename(ada.join(".next-b.json"), ada.join("b.json")).unwrap();
        look(&files).await;
        let listed = files.list("ada").await.unwrap();
        let changed: Vec<&str> = listed.iter().map(|context| context.name.as_str()).collect();
        assert_eq!(changed, ["The startup a", "Changed", "Changed"]);
        let left: Vec<_> = tree(&ada).into_keys().collect();
        assert_eq!(left.len(), 4, "three contexts and the lock: {left:?}");
    }
}

// proves: W5
#[tokio::test]
async fn a_row_that_holds_another_s_context_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    store.add(&context("ada", "a")).await.unwrap();
    let file = rusqlite::Connection::open(store.database()).unwrap();
    file.execute("UPDATE contexts SET user_id = 'bob'", []).unwrap();
    let error = store.get("bob", "a").await.unwrap_err().to_string();
    assert!(error.contains("contains a different context"), "{error}");
    assert_eq!(store.add(&context("bob", "b")).await, Ok(()));
    assert_eq!(store.remove("bob", "a").await, Ok(()), "whoever wants it gone needs not read it");
    assert_eq!(store.list("bob").await, Ok(vec![context("bob", "b")]));
}
