//! What every store of users' files must do.

use futures::future::join_all;
use run::entry::Hash;
use run::error::PortError;
use run::files::{FileRef, FileSet, StoredFiles};
use run::moving::MovableFiles;

const USER: &str = "ada";

async fn put(files: &dyn StoredFiles, name: &str, bytes: &[u8]) -> FileRef {
    files.put(USER, name, bytes.to_vec()).await.unwrap()
}

async fn names(files: &dyn StoredFiles, user: &str) -> Vec<String> {
    files.sets(user).await.unwrap().into_iter().map(|set| set.name).collect()
}

pub async fn a_file_is_read_as_it_was_kept_and_by_its_user_alone(files: &dyn StoredFiles) {
    let every_byte: Vec<u8> = (0..=255).cycle().take(100_000).collect();
    for (name, bytes) in [("wave1.csv", &b"id,Q1\n1,2\n"[..]), ("empty", b""), ("all", &every_byte)]
    {
        let file = put(files, name, bytes).await;
        let sha256 = Hash::of(bytes).to_string();
        assert_eq!(file, FileRef { name: name.into(), sha256, bytes: bytes.len() as u64 });
        assert_eq!(put(files, name, bytes).await, file, "it may be added again");
        assert_eq!(files.read(USER, &file).await.unwrap(), bytes);
        for other in ["Ada", "bob"] {
            let refused = files.read(other, &file).await.unwrap_err().to_string();
            assert!(
                refused.contains("is missing from the data folder") && refused.contains(name),
                "{refused}"
            );
        }
        // The same bytes under another name are the same file.
        let renamed = FileRef { name: "other.csv".into(), ..file };
        assert_eq!(files.read(USER, &renamed).await.unwrap(), bytes);
    }
}

pub async fn a_file_of_another_length_or_digest_is_not_read(files: &dyn StoredFiles) {
    let file = put(files, "wave1.csv", b"1,2,3").await;
    for wrong in [
        FileRef { bytes: 4, ..file.clone() },
        FileRef { bytes: u64::MAX, ..file.clone() },
        FileRef { sha256: Hash::of(b"other").to_string(), ..file.clone() },
        FileRef { sha256: "no digest".into(), ..file.clone() },
        FileRef { sha256: "../../secret".into(), ..file },
    ] {
        assert!(files.read(USER, &wrong).await.is_err(), "{wrong:?}");
    }
}

pub async fn a_set_is_made_replaced_and_forgotten(files: &dyn StoredFiles) {
    assert_eq!(files.sets(USER).await.unwrap(), []);
    assert_eq!(files.set(USER, "buses").await.unwrap(), None);
    let (one, two) = (put(files, "a.csv", b"1").await, put(files, "b.csv", b"2").await);
    let first = [one.clone()];
    let both = [one, two.clone()];
    assert!(files.exchange(USER, "buses", None, &first).await.unwrap());
    assert!(files.exchange(USER, "Buses", None, std::slice::from_ref(&two)).await.unwrap());
    assert!(files.exchange(USER, "buses", Some(&first), &both).await.unwrap());
    assert_eq!(files.set(USER, "buses").await.unwrap().unwrap(), both);
    assert_eq!(files.set(USER, "Buses").await.unwrap().unwrap(), [two]);
    assert_eq!(names(files, USER).await, ["Buses", "buses"]);
    let all = files.sets(USER).await.unwrap();
    assert_eq!(all.last(), Some(&FileSet { name: "buses".into(), files: both.to_vec() }));
    // Another user has none of them.
    assert_eq!(files.sets("bob").await.unwrap(), []);
    assert_eq!(files.set("bob", "buses").await.unwrap(), None);
    assert!(!files.forget("bob", "buses").await.unwrap());
    assert!(files.forget(USER, "buses").await.unwrap());
    assert!(!files.forget(USER, "buses").await.unwrap());
    assert_eq!(names(files, USER).await, ["Buses"]);
    assert_eq!(files.read(USER, &both[0]).await.unwrap(), b"1", "its files stay");
}

pub async fn a_set_is_exchanged_only_for_what_was_read(files: &dyn StoredFiles) {
    let file = put(files, "a.csv", b"1").await;
    let (none, one): (&[FileRef], &[FileRef]) = (&[], std::slice::from_ref(&file));
    assert!(!files.exchange(USER, "buses", Some(none), one).await.unwrap(), "there is none yet");
    assert!(files.exchange(USER, "buses", None, none).await.unwrap());
    assert!(!files.exchange(USER, "buses", None, one).await.unwrap(), "there is one");
    assert!(!files.exchange(USER, "buses", Some(one), one).await.unwrap(), "another was read");
    assert_eq!(files.set(USER, "buses").await.unwrap().unwrap(), none);
    assert!(files.exchange(USER, "buses", Some(none), one).await.unwrap());
    assert_eq!(files.set(USER, "buses").await.unwrap().unwrap(), one);
}

pub async fn of_many_who_add_to_a_set_at_once_none_is_lost(files: &dyn StoredFiles) {
    let add = async |number: usize| {
        let file = put(files, &format!("{number:02}.csv"), number.to_string().as_bytes()).await;
        loop {
            let read = files.set(USER, "buses").await.unwrap();
            let mut all = read.clone().unwrap_or_default();
            all.push(file.clone());
            if files.exchange(USER, "buses", read.as_deref(), &all).await.unwrap() {
                return;
            }
        }
    };
    join_all((0..20).map(add)).await;
    let mut kept = files.set(USER, "buses").await.unwrap().unwrap();
    kept.sort_by(|one, other| one.name.cmp(&other.name));
    let expected: Vec<String> = (0..20).map(|number| format!("{number:02}.csv")).collect();
    assert_eq!(kept.into_iter().map(|file| file.name).collect::<Vec<_>>(), expected);
}

pub async fn what_is_no_name_names_nothing(files: &dyn StoredFiles) {
    let file = put(files, "a.csv", b"1").await;
    for name in ["", ".", "..", "../ada", "a/b", "a b", ".next", "ä", "a\0", &"x".repeat(65)] {
        let refusals = [
            files.put(name, "a.csv", vec![1]).await.err(),
            files.read(name, &file).await.err(),
            files.set(USER, name).await.err(),
            files.set(name, "buses").await.err(),
            files.sets(name).await.err(),
            files.exchange(USER, name, None, &[]).await.err(),
            files.exchange(name, "buses", None, &[]).await.err(),
            files.forget(USER, name).await.err(),
            files.forget(name, "buses").await.err(),
        ];
        for refusal in refusals {
            assert!(matches!(refusal, Some(PortError::Invalid { .. })), "{name:?}: {refusal:?}");
        }
    }
}

pub async fn files_of_all_users_are_listed_in_parts(files: &dyn MovableFiles) {
    assert_eq!(files.users_of_files().await.unwrap(), Vec::<String>::new());
    let mut digests = Vec::new();
    for number in 0..5_u8 {
        let file = files.put("Ada", "numbers", vec![number; 10]).await.unwrap();
        digests.push(file.sha256);
    }
    digests.sort();
    assert!(files.exchange("bob", "buses", None, &[]).await.unwrap());
    assert_eq!(files.users_of_files().await.unwrap(), ["Ada", "bob"]);
    assert_eq!(files.files_part("bob", None, 10).await.unwrap(), []);
    let mut found: Vec<FileRef> = Vec::new();
    loop {
        let after = found.last().map(|last| last.sha256.clone());
        let part = files.files_part("Ada", after.as_deref(), 2).await.unwrap();
        if part.is_empty() {
            break;
        }
        assert!(part.len() <= 2);
        found.extend(part);
    }
    let names: Vec<&String> = found.iter().map(|file| &file.sha256).collect();
    assert_eq!(names, digests.iter().collect::<Vec<_>>());
    for file in &found {
        assert_eq!(files.read("Ada", file).await.unwrap().len(), 10);
    }
}
