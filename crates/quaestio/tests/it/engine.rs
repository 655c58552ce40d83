//! The engine as a library, as another program uses it.

use quaestio::{Engine, Event, Exit, Order, Outcome, Status};
use serde_json::{Value, json};

use crate::stand::{QUESTION, examples};

const MARKET: &str = "I want to explore the market for contract review software";

async fn open(folder: &tempfile::TempDir) -> Engine {
    // Under the harness nothing is started that would need it: the documents are plain text.
    assert!(quaestio::serve_helper().is_none());
    let settings = [("data_dir", json!(folder.path())), ("models.main", Value::from(""))];
    Engine::open(settings).await.unwrap()
}

// proves: F9
#[tokio::test(flavor = "multi_thread")]
async fn research_is_ordered_followed_and_read_typed() {
    let folder = tempfile::tempdir().unwrap();
    let engine = open(&folder).await;
    let taken = engine.ingest("cholera", &[examples()]).await.unwrap();
    assert!(taken.stored() > 0);
    let collection = Some("cholera".to_owned());
    let order =
        Order { method: "ask".into(), question: QUESTION.into(), collection, ..Order::default() };
    let mut research = engine.start(&order).await.unwrap();
    let run = research.id().to_owned();
    let mut events = vec![];
    while let Some(heard) = research.next().await {
        events.extend(heard.event().cloned());
    }
    assert!(matches!(events.first(), Some(Event::Started { .. })));
    assert!(matches!(events.last(), Some(Event::Finished { .. })));
    assert_eq!(research.rest().await.unwrap(), Status::Completed);
    let report = engine.report(&run).await.unwrap();
    assert_eq!((report.status, report.outcome), (Status::Completed, Some(Outcome::Answered)));
    assert!(report.markdown.contains("8 September 1854"), "{}", report.markdown);
    assert_eq!(report.envelope["run_id"], run);
    let marks: Vec<_> = report.citations.iter().map(|citation| citation.number).collect();
    assert!(marks.starts_with(&[Some(1)]), "{marks:?}");

    let wrong = Order { survey: Some("bus".into()), ..order.clone() };
    let refused = engine.start(&wrong).await.err().unwrap();
    assert_eq!(refused.exit, Exit::Usage);
    assert!(refused.what.contains("survey"), "{refused}");
    assert!(engine.report("no-such-run").await.is_err());
    assert!(engine.resume("no-such-run").await.is_err());
}

// proves: F9, C11
#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_asks_is_answered_and_goes_on_in_another_engine() {
    let folder = tempfile::tempdir().unwrap();
    let engine = open(&folder).await;
    let documents = examples().join("../market");
    engine.ingest("market", &[documents]).await.unwrap();
    let (method, question, collection) = ("market".into(), MARKET.into(), Some("market".into()));
    let order = Order { method, question, collection, sources: Some(vec![]), ..Order::default() };
    let research = engine.start(&order).await.unwrap();
    let run = research.id().to_owned();
    assert_eq!(research.rest().await.unwrap(), Status::Waiting);
    drop(engine);

    let engine = open(&folder).await;
    let gate = loop {
        let report = engine.report(&run).await.unwrap();
        assert_eq!(report.status, Status::Waiting);
        if let Some(gate) = report.gates.iter().find(|gate| gate.plan.is_some()) {
            break gate.clone();
        }
        for gate in &report.gates {
            engine.answer(&run, Some(&gate.name), "small law firms in the US").await.unwrap();
        }
        engine.resume(&run).await.unwrap().rest().await.unwrap();
    };
    assert!(!gate.plan.as_ref().unwrap().plan.steps.is_empty());
    engine.approve(&run, &gate).await.unwrap();
    assert!(engine.approve(&run, &gate).await.is_err(), "it is approved once");
    assert_eq!(engine.resume(&run).await.unwrap().rest().await.unwrap(), Status::Completed);
    assert!(!engine.report(&run).await.unwrap().citations.is_empty());

    let research = engine.start(&order).await.unwrap();
    let run = research.id().to_owned();
    research.rest().await.unwrap();
    engine.cancel(&run).await.unwrap();
    assert_eq!(engine.report(&run).await.unwrap().status, Status::Cancelled);
}
