//! What every keeper of startup contexts must do.

mod model;

use jiff::Timestamp;
use run::contexts::{ContextError, Contexts, Existing, StartupContext, edit, is_id};
use run::library::is_name;
use serde_json::json;

pub use model::{are_as_the_model, deeds};

const USER: &str = "ada";

pub fn second(number: i64) -> Timestamp {
    Timestamp::from_second(1_800_000_000 + number).unwrap()
}

pub fn context(user: &str, id: &str) -> StartupContext {
    StartupContext {
        id: id.into(),
        user_id: user.into(),
        name: format!("The startup {id}"),
        description: "Contracts, read by a machine.\n\u{202e}\0 \"quoted\" \\ 契約".into(),
        industry: "law".into(),
        search_terms: vec!["legaltech".into(), "e\u{301}".into(), "é".into()],
        geographical_scope: "Texas".into(),
        created_at: Timestamp::from_nanosecond(1_800_000_000_123_456_789).unwrap(),
        last_accessed: second(0),
        metadata: [
            ("stage".to_owned(), json!("seed")),
            ("nested".to_owned(), json!({"share": 0.1, "rounds": [1, -2, null, true]})),
        ]
        .into_iter()
        .collect(),
    }
}

fn ids(contexts: &[StartupContext]) -> Vec<&str> {
    contexts.iter().map(|context| context.id.as_str()).collect()
}

fn no_such(id: &str) -> Result<(), ContextError> {
    Err(ContextError::no_such(id))
}

fn taken(id: &str) -> Result<(), ContextError> {
    Err(ContextError::Taken { id: id.into() })
}

pub async fn a_context_comes_back_as_it_was_kept(contexts: &dyn Contexts) {
    assert_eq!(contexts.list(USER).await, Ok(vec![]));
    assert_eq!(contexts.get(USER, "legal").await, Ok(None));
    let kept = context(USER, "legal");
    assert_eq!(contexts.add(&kept).await, Ok(()));
    assert_eq!(contexts.get(USER, "legal").await, Ok(Some(kept.clone())));
    assert_eq!(contexts.list(USER).await, Ok(vec![kept]));
}

pub async fn the_largest_context_is_kept_and_read_again(contexts: &dyn Contexts) {
    let longest = "\u{1}".repeat(run::contexts::MOST_CHARACTERS);
    let mut deep = json!("x");
    for _ in 0..run::contexts::DEEPEST_METADATA {
        deep = json!([deep]);
    }
    let largest = StartupContext {
        name: "n".repeat(run::contexts::MOST_CHARACTERS),
        description: longest.clone(),
        industry: longest.clone(),
        search_terms: vec![longest.clone(); run::contexts::MOST_TERMS],
        geographical_scope: longest,
        metadata: [("deep".to_owned(), deep), ("wide".to_owned(), json!(vec![0; 8_000]))]
            .into_iter()
            .collect(),
        ..context(USER, &"x".repeat(run::contexts::LONGEST_ID))
    };
    assert_eq!(contexts.add(&largest).await, Ok(()));
    assert_eq!(contexts.list(USER).await, Ok(vec![largest]));
}

pub async fn an_id_is_taken_once_and_nothing_is_written_over(contexts: &dyn Contexts) {
    let first = context(USER, "legal");
    contexts.add(&first).await.unwrap();
    let second = StartupContext { name: "Another".into(), ..first.clone() };
    assert_eq!(contexts.add(&second).await, taken("legal"));
    assert_eq!(contexts.get(USER, "legal").await, Ok(Some(first)));
    assert_eq!(contexts.replace(&second).await, Ok(()));
    assert_eq!(contexts.list(USER).await, Ok(vec![second]));
}

pub async fn what_is_not_there_is_neither_replaced_nor_touched_nor_removed(
    contexts: &dyn Contexts,
) {
    for _ in 0..2 {
        assert_eq!(contexts.replace(&context(USER, "legal")).await, no_such("legal"));
        assert_eq!(contexts.touch(USER, "legal", second(1)).await, no_such("legal"));
        assert_eq!(contexts.remove(USER, "legal").await, no_such("legal"));
        assert_eq!(contexts.list(USER).await, Ok(vec![]));
        // The same where the user has others.
        let other = context(USER, "other");
        contexts.add(&other).await.unwrap();
        assert_eq!(contexts.remove(USER, "legal").await, no_such("legal"));
        assert_eq!(contexts.list(USER).await, Ok(vec![other]));
        contexts.remove(USER, "other").await.unwrap();
    }
}

pub async fn the_last_accessed_is_listed_first(contexts: &dyn Contexts) {
    for (id, at) in [("b", 5), ("c", 9), ("a", 5), ("d", 1)] {
        let new = StartupContext { last_accessed: second(at), ..context(USER, id) };
        contexts.add(&new).await.unwrap();
    }
    assert_eq!(ids(&contexts.list(USER).await.unwrap()), ["c", "a", "b", "d"]);
    contexts.touch(USER, "d", second(10)).await.unwrap();
    assert_eq!(ids(&contexts.list(USER).await.unwrap()), ["d", "c", "a", "b"]);
}

pub async fn a_touch_never_goes_back(contexts: &dyn Contexts) {
    contexts.add(&context(USER, "legal")).await.unwrap();
    for (at, expected) in [(5, 5), (3, 5), (5, 5), (6, 6), (-9, 6)] {
        assert_eq!(contexts.touch(USER, "legal", second(at)).await, Ok(()));
        let touched = StartupContext { last_accessed: second(expected), ..context(USER, "legal") };
        assert_eq!(contexts.get(USER, "legal").await, Ok(Some(touched)), "and nothing else");
    }
}

pub async fn one_user_s_contexts_are_not_there_for_another(contexts: &dyn Contexts) {
    let users = ["ada", "Ada", "ADA", "bob", "con", "Con"];
    for user in users {
        for other in users {
            assert_eq!(contexts.get(other, &format!("of-{}", user.len())).await, Ok(None));
        }
        contexts.add(&context(user, "same")).await.unwrap();
    }
    for user in users {
        assert_eq!(contexts.list(user).await, Ok(vec![context(user, "same")]));
    }
    contexts.remove("Ada", "same").await.unwrap();
    assert_eq!(contexts.remove("Ada", "same").await, no_such("same"));
    for user in ["ada", "ADA", "bob", "con", "Con"] {
        assert_eq!(contexts.get(user, "same").await, Ok(Some(context(user, "same"))));
    }
}

pub async fn a_wrong_context_is_refused_and_said_to_be(contexts: &dyn Contexts) {
    let good = context(USER, "legal");
    contexts.add(&good).await.unwrap();
    for (wrong, said) in [
        (StartupContext { id: "../legal".into(), ..good.clone() }, "invalid id '../legal'"),
        (StartupContext { user_id: "../ada".into(), ..good.clone() }, "is not a valid user name"),
        (StartupContext { name: "\n".into(), ..good.clone() }, "has no name"),
        (StartupContext { industry: "x".repeat(4_001), ..good.clone() }, "4001 characters"),
    ] {
        for refused in [
            contexts.add(&wrong).await,
            contexts.replace(&wrong).await,
            contexts.keep(&[context(USER, "b"), wrong.clone()], Existing::Replaced).await,
        ] {
            match refused {
                Err(ContextError::Wrong { what }) => assert!(what.contains(said), "{what}"),
                other => panic!("{said}: {other:?}"),
            }
        }
    }
    assert_eq!(contexts.list(USER).await, Ok(vec![good]));
}

pub async fn several_are_kept_together_or_not_at_all(contexts: &dyn Contexts) {
    let several =
        |ids: &[&str]| -> Vec<StartupContext> { ids.iter().map(|id| context(USER, id)).collect() };
    assert_eq!(contexts.keep(&[], Existing::Stays).await, Ok(()));
    assert_eq!(contexts.keep(&several(&["a", "b", "c"]), Existing::Stays).await, Ok(()));
    let before = contexts.list(USER).await.unwrap();
    assert_eq!(ids(&before), ["a", "b", "c"]);
    assert_eq!(contexts.keep(&several(&["d", "e", "b"]), Existing::Stays).await, taken("b"));
    let twice = contexts.keep(&several(&["d", "d"]), Existing::Replaced).await;
    assert!(matches!(twice, Err(ContextError::Wrong { .. })), "{twice:?}");
    let mut mixed = several(&["d", "e"]);
    mixed[1].user_id = "bob".into();
    let mixed = contexts.keep(&mixed, Existing::Stays).await;
    assert!(matches!(mixed, Err(ContextError::Wrong { .. })), "{mixed:?}");
    assert_eq!(contexts.list(USER).await, Ok(before));
    assert_eq!(contexts.list("bob").await, Ok(vec![]));
    let mut changed = several(&["b", "d"]);
    changed[0].name = "Changed".into();
    assert_eq!(contexts.keep(&changed, Existing::Replaced).await, Ok(()));
    assert_eq!(ids(&contexts.list(USER).await.unwrap()), ["a", "b", "c", "d"]);
    assert_eq!(contexts.get(USER, "b").await.unwrap().unwrap().name, "Changed");
}

pub async fn of_many_who_add_one_id_at_once_one_wins(contexts: &dyn Contexts) {
    let adds = (0..40).map(|number| async move {
        let new = StartupContext { name: format!("number {number}"), ..context(USER, "legal") };
        (number, contexts.add(&new).await)
    });
    let mut winner = None;
    for (number, added) in futures::future::join_all(adds).await {
        match added {
            Ok(()) => assert_eq!(winner.replace(number), None, "two have won"),
            lost => assert_eq!(lost, taken("legal")),
        }
    }
    let kept = contexts.get(USER, "legal").await.unwrap().unwrap();
    assert_eq!(kept.name, format!("number {}", winner.unwrap()));
}

pub async fn only_what_was_read_is_exchanged(contexts: &dyn Contexts) {
    let first = context(USER, "legal");
    let named = |name: &str| StartupContext { name: name.into(), ..context(USER, "legal") };
    let changed = || Err(ContextError::Changed { id: "legal".into() });
    let gone = || Err(ContextError::no_such("legal"));
    assert_eq!(contexts.exchange(&first, &named("a")).await, gone());
    contexts.add(&context(USER, "other")).await.unwrap();
    assert_eq!(contexts.exchange(&first, &named("a")).await, gone());
    contexts.add(&first).await.unwrap();
    let bob_s = context("bob", "legal");
    contexts.add(&bob_s).await.unwrap();
    // That it was used is no change, and the later time stays.
    contexts.touch(USER, "legal", second(5)).await.unwrap();
    let touched = StartupContext { last_accessed: second(5), ..named("a") };
    assert_eq!(contexts.exchange(&first, &named("a")).await, Ok(touched.clone()));
    assert_eq!(contexts.get(USER, "legal").await, Ok(Some(touched.clone())));
    let later = StartupContext { last_accessed: second(9), ..named("b") };
    assert_eq!(contexts.exchange(&touched, &later).await, Ok(later.clone()));
    // Whoever read what is no longer there changes nothing.
    for read in [&first, &touched, &bob_s, &context(USER, "other")] {
        assert_eq!(contexts.exchange(read, &named("c")).await, changed());
    }
    let wrong = contexts.exchange(&later, &named("")).await;
    assert!(matches!(wrong, Err(ContextError::Wrong { .. })), "{wrong:?}");
    assert_eq!(contexts.get(USER, "legal").await, Ok(Some(later.clone())));
    // One that was made anew is another.
    contexts.remove(USER, "legal").await.unwrap();
    assert_eq!(contexts.exchange(&later, &named("c")).await, gone());
    let anew = StartupContext { created_at: second(7), ..later.clone() };
    contexts.add(&anew).await.unwrap();
    assert_eq!(contexts.exchange(&later, &named("c")).await, changed());
    assert_eq!(contexts.get(USER, "legal").await, Ok(Some(anew)));
    assert_eq!(contexts.list("bob").await, Ok(vec![bob_s]));
}

/// Adds a key of its own with each edit; returns those that were acknowledged.
pub async fn edit_many(contexts: &dyn Contexts, name: &str, edits: usize) -> Vec<String> {
    let mut kept = Vec::new();
    for number in 0..edits {
        let key = format!("{name}-{number}");
        let done = edit(contexts, USER, "legal", |mut context| {
            context.metadata.insert(key.clone(), json!("kept"));
            Ok::<_, ContextError>(context)
        });
        assert_eq!(done.await.unwrap().metadata.get(&key), Some(&json!("kept")));
        kept.push(key);
    }
    kept
}

/// Checks that a context holds what was acknowledged, and nothing else besides what it began with.
pub async fn holds(contexts: &dyn Contexts, acknowledged: Vec<String>) {
    let mut expected = context(USER, "legal").metadata;
    expected.extend(acknowledged.into_iter().map(|key| (key, json!("kept"))));
    let kept = contexts.get(USER, "legal").await.unwrap().unwrap();
    assert_eq!(kept.metadata, expected);
}

pub async fn of_many_threads_that_edit_at_once_none_loses_anything(contexts: &dyn Contexts) {
    let here = tokio::runtime::Handle::current();
    contexts.add(&context(USER, "legal")).await.unwrap();
    let acknowledged = tokio::task::block_in_place(|| {
        std::thread::scope(|scope| {
            let touches = scope.spawn(|| {
                for at in 1..=40 {
                    here.block_on(contexts.touch(USER, "legal", second(at))).unwrap();
                }
            });
            let edits: Vec<_> = (0..6)
                .map(|thread| {
                    let here = &here;
                    let name = format!("thread-{thread}");
                    scope.spawn(move || here.block_on(edit_many(contexts, &name, 6)))
                })
                .collect();
            touches.join().unwrap();
            edits.into_iter().flat_map(|edits| edits.join().unwrap()).collect::<Vec<_>>()
        })
    });
    assert_eq!(acknowledged.len(), 36);
    holds(contexts, acknowledged).await;
    let kept = contexts.get(USER, "legal").await.unwrap().unwrap();
    assert_eq!(kept.last_accessed, second(40), "no touch was lost");
}

/// Texts that are no ids and no names of users, or that a careless keeper takes for another's.
pub fn hostile() -> Vec<String> {
    let mut texts: Vec<String> = [
        "",
        ".",
        "..",
        "../ada",
        "../../outside",
        "../bob/same",
        "/etc/passwd",
        "/",
        "a/b",
        "a/../b",
        "a\\b",
        "..\\..\\outside",
        "C:\\outside",
        "c:outside",
        "\\\\host\\share",
        "\0",
        "a\0b",
        "a\0.json",
        "con",
        "CON",
        "Con",
        "nul",
        "aux.json",
        "com1",
        "COM1",
        "lpt9",
        "com\u{b9}",
        "a.json",
        ".lock",
        ".commit",
        ".next-a",
        "a.",
        "a ",
        " a",
        "-a",
        "_a",
        "=a",
        "==con",
        "=con",
        "A",
        "LEGAL",
        "Legal",
        "legal\u{301}",
        "légal",
        "le\u{301}gal",
        "ｌｅｇａｌ",
        "ſ",
        "s\u{17f}",
        "ß",
        "ẞ",
        "İ",
        "ı",
        "K",
        "\u{202e}legal",
        "legal\u{200b}",
        "\u{feff}legal",
        "%2e%2e%2f",
        "a%00b",
        "~",
        "~root",
        "$HOME",
        "`id`",
        "a\nb",
        "a:b",
        "a:$DATA",
        "*",
        "?",
        "😀",
    ]
    .map(str::to_owned)
    .into();
    texts.push("x".repeat(10_000));
    texts.push("é".repeat(10_000));
    texts.push("../".repeat(3_334));
    texts.push("x".repeat(65));
    texts
}

// proves: W5
pub async fn hostile_ids_name_nothing_and_make_nothing(contexts: &dyn Contexts) {
    for (user, id) in [("ada", "legal"), ("bob", "same"), ("bob", "a")] {
        contexts.add(&context(user, id)).await.unwrap();
    }
    let everything =
        async || (contexts.list("ada").await.unwrap(), contexts.list("bob").await.unwrap());
    let before = everything().await;
    for id in hostile().iter().filter(|id| !is_id(id)) {
        let shown: String = id.chars().take(40).collect();
        assert_eq!(contexts.get(USER, id).await, Ok(None), "{shown:?}");
        assert_eq!(contexts.touch(USER, id, second(1)).await, no_such(id), "{shown:?}");
        assert_eq!(contexts.remove(USER, id).await, no_such(id), "{shown:?}");
        for refused in [
            contexts.add(&context(USER, id)).await,
            contexts.replace(&context(USER, id)).await,
            contexts.keep(&[context(USER, "b"), context(USER, id)], Existing::Replaced).await,
        ] {
            assert!(matches!(refused, Err(ContextError::Wrong { .. })), "{shown:?}: {refused:?}");
            assert!(refused.unwrap_err().to_string().len() < 400);
        }
    }
    for user in hostile().iter().filter(|user| !is_name(user)) {
        let shown: String = user.chars().take(40).collect();
        assert_eq!(contexts.list(user).await, Ok(vec![]), "{shown:?}");
        assert_eq!(contexts.get(user, "legal").await, Ok(None), "{shown:?}");
        assert_eq!(contexts.touch(user, "legal", second(1)).await, no_such("legal"));
        assert_eq!(contexts.remove(user, "legal").await, no_such("legal"));
        let refused = contexts.add(&context(user, "legal")).await;
        assert!(matches!(refused, Err(ContextError::Wrong { .. })), "{shown:?}: {refused:?}");
    }
    assert_eq!(everything().await, before);
}
