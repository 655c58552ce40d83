//! The layout of the database.

use postgres::{OpenError, Postgres};

use conformance::server::{Database, connect};

// proves: S2
#[tokio::test(flavor = "multi_thread")]
async fn many_processes_that_open_an_empty_database_at_once_make_its_tables_once() {
    let database = Database::make().await;
    let opened = futures::future::join_all((0..8).map(|_| Postgres::open(&database.url))).await;
    for opened in opened {
        opened.unwrap();
    }
    let client = connect(&database.url).await;
    let steps = client.query("SELECT number FROM quaestio_layout", &[]).await.unwrap();
    assert_eq!(steps.iter().map(|row| row.get::<_, i32>(0)).collect::<Vec<_>>(), [1, 2, 3]);
}

// proves: S2
#[tokio::test(flavor = "multi_thread")]
async fn a_newer_layout_is_refused_and_left_as_it_is() {
    let database = Database::make().await;
    drop(Postgres::open(&database.url).await.unwrap());
    let client = connect(&database.url).await;
    client.execute("INSERT INTO quaestio_layout (number) VALUES (99)", &[]).await.unwrap();
    let refused = Postgres::open(&database.url).await.err().unwrap();
    assert!(matches!(refused, OpenError::Newer { found: 99, .. }), "{refused}");
    assert!(refused.to_string().contains("layout 99"), "{refused}");
    assert!(refused.to_string().contains("Update quaestio"), "{refused}");
}

// proves: S2
#[tokio::test(flavor = "multi_thread")]
async fn an_address_that_leads_nowhere_is_one_error_that_keeps_the_password() {
    for (url, expected) in [
        ("postgres://ada:secret@127.0.0.1:1/none?connect_timeout=2", "none at 127.0.0.1:1"),
        ("postgres://ada:secret@127.0.0.1:1/none?colour=red", "invalid address of the database"),
        ("mysql://ada:secret@127.0.0.1/none", "invalid address of the database"),
    ] {
        let refused = Postgres::open(url).await.err().unwrap().to_string();
        assert!(refused.contains(expected), "{refused}");
        assert!(!refused.contains("secret"), "{refused}");
    }
}
