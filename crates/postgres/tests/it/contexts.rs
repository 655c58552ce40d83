//! Startup contexts on PostgreSQL: what every store of them must do, and what belongs to a server that several processes share.

use conformance::contexts::{are_as_the_model, context, deeds, edit_many, holds};
use postgres::Postgres;
use proptest::prelude::*;
use run::contexts::{ContextError, Contexts};

use conformance::server::{Database, connect};

// proves: W5, S2
conformance::context_tests!(crate::open_own);

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 12, ..ProptestConfig::default() })]

    // proves: W5, S2
    #[test]
    fn whatever_is_done_the_database_is_as_the_model(deeds in deeds()) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let (postgres, _database) = crate::open_own().await;
            are_as_the_model(&postgres, deeds).await;
        });
    }
}

// proves: W5, S2
#[tokio::test(flavor = "multi_thread")]
async fn of_two_processes_that_edit_one_context_none_loses_anything() {
    let database = Database::make().await;
    let one = Postgres::open(&database.url).await.unwrap();
    let two = Postgres::open(&database.url).await.unwrap();
    one.add(&context("ada", "legal")).await.unwrap();
    let (mut acknowledged, others) =
        futures::future::join(edit_many(&one, "one", 20), edit_many(&two, "two", 20)).await;
    acknowledged.extend(others);
    assert_eq!(acknowledged.len(), 40);
    holds(&one, acknowledged).await;
}

// proves: W5, S2
#[tokio::test(flavor = "multi_thread")]
async fn a_row_that_holds_another_s_context_is_an_error() {
    let (postgres, database) = crate::open_own().await;
    postgres.add(&context("ada", "a")).await.unwrap();
    let client = connect(&database.url).await;
    client.execute("UPDATE contexts SET user_id = 'bob'", &[]).await.unwrap();
    let error = postgres.get("bob", "a").await.unwrap_err().to_string();
    assert!(error.contains("contains a different context"), "{error}");
    assert_eq!(postgres.add(&context("bob", "b")).await, Ok(()));
    assert_eq!(
        postgres.remove("bob", "a").await,
        Ok(()),
        "whoever wants it gone needs not read it"
    );
    assert_eq!(postgres.remove("bob", "a").await, Err(ContextError::no_such("a")));
    assert_eq!(postgres.list("bob").await, Ok(vec![context("bob", "b")]));
}
