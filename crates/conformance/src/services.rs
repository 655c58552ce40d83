//! What every memory of services must do.

use std::time::Duration;

use futures::future::join_all;
use run::services::{Change, LONGEST_REST, Memory, Step};

const KEY: &str = "0a1b2c";

pub async fn an_answer_is_found_again_until_another_takes_its_place(memory: &dyn Memory) {
    assert_eq!(memory.answer(KEY, 1_000).await, None);
    for answer in [&b"a\nb\0\xff"[..], b"", b"again"] {
        memory.keep_answer(KEY, answer.to_vec()).await;
        assert_eq!(memory.answer(KEY, 1_000).await.unwrap(), answer);
    }
    assert_eq!(memory.answer("0a1b2d", 1_000).await, None);
}

pub async fn an_answer_beyond_the_limit_is_none(memory: &dyn Memory) {
    let large = vec![b'x'; 200_000];
    memory.keep_answer(KEY, large.clone()).await;
    assert_eq!(memory.answer(KEY, 200_000).await, Some(large));
    assert_eq!(memory.answer(KEY, 199_999).await, None);
}

pub async fn of_many_who_would_begin_at_once_one_does(memory: &dyn Memory) {
    let take = Change::Take { spacing: Duration::from_mins(30) };
    let steps = join_all((0..20).map(|_| memory.pace("arxiv-example-org", take))).await;
    let began = steps.iter().filter(|step| **step == Some(Step::Begin)).count();
    assert_eq!(began, 1, "{steps:?}");
    let waits = |step: &Option<Step>| matches!(step, Some(Step::Begin | Step::Wait(_)));
    assert!(steps.iter().all(waits), "{steps:?}");
    // Another service is another matter.
    assert_eq!(memory.pace("crossref-example-org", take).await, Some(Step::Begin));
}

pub async fn a_service_is_left_alone_as_long_as_it_wants_and_no_longer_than_is_sound(
    memory: &dyn Memory,
) {
    let take = Change::Take { spacing: Duration::ZERO };
    assert_eq!(memory.pace("a", Change::Shut { wait: LONGEST_REST / 2 }).await, Some(Step::Begin));
    let left = match memory.pace("a", take).await {
        Some(Step::Shut(left)) => left,
        other => panic!("{other:?}"),
    };
    assert!(left <= LONGEST_REST / 2 && left > LONGEST_REST / 4, "{left:?}");
    memory.pace("a", Change::Rest { wait: LONGEST_REST * 20 }).await;
    let left = match memory.pace("a", take).await {
        Some(Step::Rest(left)) => left,
        other => panic!("{other:?}"),
    };
    assert!(left <= LONGEST_REST && left > LONGEST_REST / 2, "{left:?}");
}
