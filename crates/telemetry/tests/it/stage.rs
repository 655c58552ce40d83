//! A log in a folder of its own, an exporter that watches it, and a collector.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use fakes::{FakeCollector, Received};
use jiff::Timestamp;
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::trace::v1::Span;
use prost::Message;
use run::budget::{Spend, Usage};
use run::entry::{Asking, Entry, Event, Fault, Hash, Head, Origin, Outcome};
use run::log::{Append, Fence, Log, NewRun, Sealed, Status, Wait};
use run::settings::Settings;
use run::views::spans::Texts;
use serde_json::json;
use store::Store;
use telemetry::{Collector, Endpoint, Headers, Protocol, Resource, TraceExporter, TraceSettings};
use tempfile::TempDir;

pub(crate) const USER: &str = "local";
pub(crate) const QUESTION: &str = "Why did the harbour freeze?";

pub(crate) struct Stage {
    _folder: TempDir,
    pub(crate) plain: Arc<dyn Log>,
    /// The log that is watched.
    pub(crate) log: Arc<dyn Log>,
    pub(crate) exporter: Arc<TraceExporter>,
    pub(crate) said: Arc<Mutex<Vec<String>>>,
}

pub(crate) struct Wanted {
    pub(crate) endpoint: String,
    pub(crate) protocol: Protocol,
    pub(crate) headers: &'static str,
    pub(crate) timeout: Duration,
    pub(crate) texts: Texts<'static>,
}

impl Wanted {
    pub(crate) fn at(endpoint: &str) -> Wanted {
        Wanted {
            endpoint: endpoint.to_owned(),
            protocol: Protocol::HttpProtobuf,
            headers: "",
            timeout: Duration::from_secs(30),
            texts: Texts::Withheld { scopes: &["answer"] },
        }
    }
}

/// A place for lines, and what writes there.
pub(crate) fn listener() -> (Arc<Mutex<Vec<String>>>, impl Fn(&str) + Send + Sync + 'static) {
    let said: Arc<Mutex<Vec<String>>> = Arc::default();
    let heard = Arc::clone(&said);
    (said, move |line: &str| heard.lock().unwrap().push(line.to_owned()))
}

impl Stage {
    pub(crate) fn new(wanted: &Wanted) -> Stage {
        let folder = tempfile::tempdir().unwrap();
        let plain: Arc<dyn Log> = Arc::new(Store::open(folder.path()).unwrap());
        let (said, say) = listener();
        let headers: Headers = wanted.headers.parse().unwrap();
        let collector = Collector::new(wanted.protocol, headers, wanted.timeout, say);
        let settings = TraceSettings {
            endpoint: Endpoint::of_base(&wanted.endpoint, "v1/traces").unwrap(),
            resource: Resource::of("", vec![("team".into(), "research".into())]),
            texts: wanted.texts,
        };
        let exporter = TraceExporter::start(Arc::clone(&plain), collector, settings).unwrap();
        Stage { _folder: folder, plain, log: exporter.watch(), exporter, said }
    }

    /// Appends a whole run.
    pub(crate) async fn append(&self, run: &str, events: Vec<Event>, status: Status) {
        let entries = sealed(&events);
        let sealed = entries.iter().map(|(entry, body)| Sealed {
            seq: entry.seq,
            hash: entry.hash,
            body: body.clone(),
        });
        let new = NewRun {
            method: "ask".into(),
            question: QUESTION.into(),
            owner: None,
            key: None,
            at_most: None,
        };
        let append = Append {
            user: USER.into(),
            run: run.into(),
            entries: sealed.collect(),
            at: Timestamp::now(),
            status,
            spent: Spend::default(),
            fence: Fence::New(new),
            wait: Wait::Durable,
        };
        self.log.append(append).await.unwrap();
    }

    pub(crate) async fn entries(&self, run: &str) -> Vec<Entry> {
        self.plain.entries(USER, run, 0).await.unwrap()
    }

    pub(crate) async fn settle(&self) {
        self.exporter.settle(Duration::from_secs(60)).await;
    }

    pub(crate) fn said(&self) -> Vec<String> {
        self.said.lock().unwrap().clone()
    }
}

fn sealed(events: &[Event]) -> Vec<(Entry, Vec<u8>)> {
    let mut head = Head::default();
    let seal = |(second, event): (i64, &Event)| {
        let at = Timestamp::from_second(second).unwrap();
        let (entry, body) = Entry::seal(&head, at, event.clone());
        head = Head { seq: entry.seq, hash: entry.hash };
        (entry, body)
    };
    (1_800_000_000..).zip(events).map(seal).collect()
}

pub(crate) fn started() -> Event {
    Event::Started {
        method: "ask".into(),
        version: 8,
        question: QUESTION.into(),
        settings: Settings::default(),
        user: USER.into(),
    }
}

pub(crate) fn called(step: &str) -> Event {
    let asking = Asking {
        model: "gemini/flash-2".into(),
        prompt: "ask/writer".into(),
        prompt_version: 1,
        prompt_hash: Hash::default(),
    };
    Event::Called {
        step: step.into(),
        input: Hash::default(),
        asking: Some(asking),
        reserved: Spend::default(),
        within: None,
    }
}

pub(crate) fn failed(step: &str) -> Event {
    Event::Failed {
        step: step.into(),
        attempt: 1,
        fault: Fault::Malformed,
        error: format!("the reply to '{QUESTION}' is no JSON"),
        reply: Some("ice".into()),
        usage: Usage::default(),
        cost_usd_micros: 0,
    }
}

pub(crate) fn returned(step: &str) -> Event {
    Event::Returned {
        step: step.into(),
        origin: Origin::Model,
        value: json!("because of the ice"),
        usage: Usage { input_tokens: 100, cached_tokens: 40, output_tokens: 20 },
        cost_usd_micros: 1_250,
    }
}

pub(crate) fn finished() -> Event {
    Event::Finished {
        outcome: Outcome::Answered,
        deliverable: json!({ "answer": "because of the ice" }),
        ledger: vec![],
        warnings: vec![],
    }
}

/// A run with a step that came right at the second try.
pub(crate) fn story() -> Vec<Event> {
    let step = "answer/writer #1";
    vec![started(), called(step), failed(step), called(step), returned(step), finished()]
}

pub(crate) fn decode(received: &Received) -> ExportTraceServiceRequest {
    match received.header("content-type") {
        Some("application/x-protobuf") => {
            ExportTraceServiceRequest::decode(received.body.as_slice()).unwrap()
        }
        Some("application/json") => serde_json::from_slice(&received.body).unwrap(),
        other => panic!("{other:?} is not what a collector takes"),
    }
}

/// Returns all spans that a collector got.
pub(crate) fn spans(collector: &FakeCollector) -> Vec<Span> {
    let requests = collector.received();
    let resources = requests.iter().flat_map(|request| decode(request).resource_spans);
    resources.flat_map(|resource| resource.scope_spans).flat_map(|scope| scope.spans).collect()
}
