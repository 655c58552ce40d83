//! Users' files on PostgreSQL, and what is remembered of outside services.

// proves: B9, S2
mod kept {
    conformance::file_tests!(crate::open_own);
}

// proves: A2, S2
mod remembered {
    conformance::memory_tests!(crate::open_own);
}

// proves: S2
#[tokio::test(flavor = "multi_thread")]
async fn a_service_that_wants_rest_is_left_alone_by_every_process() {
    use run::services::{Change, LONGEST_REST, Memory, Step};
    let (one, database) = crate::open_own().await;
    let two = postgres::Postgres::open(&database.url).await.unwrap();
    one.pace("arxiv", Change::Rest { wait: LONGEST_REST }).await;
    let step = two.pace("arxiv", Change::Take { spacing: LONGEST_REST }).await;
    assert!(matches!(step, Some(Step::Rest(_))), "{step:?}");
}
