//! `quaestio worker`: runs that a server takes in and leaves to other processes.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use fakes::FakeModel;

use crate::serve::Served;
use crate::stand::{QUESTION, Stand, honest};

/// A worker, killed when it is dropped.
struct Working {
    child: Child,
    /// Where it answers monitors.
    metrics: Option<String>,
}

impl Working {
    fn on(stand: &Stand, args: &[&str]) -> Working {
        let all = [&["worker", "--quiet"], args].concat();
        let mut child = stand.command(&all).stdout(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
        let first = lines.next().unwrap();
        assert!(first.starts_with("working on runs as "), "{first}");
        let metrics = args.contains(&"--metrics").then(|| lines.next().unwrap());
        let metrics = metrics.map(|line| line.split('/').nth(2).map(str::to_owned).unwrap());
        Working { child, metrics }
    }

    fn get(&self, path: &str) -> String {
        let address = self.metrics.as_deref().unwrap();
        let mut stream = TcpStream::connect(address).unwrap();
        let head = format!("GET {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n");
        stream.write_all(head.as_bytes()).unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        text
    }

    /// Asks it to end in order, and waits until it has.
    #[cfg(unix)]
    fn ends_in_order(mut self) {
        let id = self.child.id().to_string();
        assert!(
            std::process::Command::new("kill").args(["-TERM", &id]).status().unwrap().success()
        );
        let began = Instant::now();
        while self.child.try_wait().unwrap().is_none() {
            assert!(began.elapsed() < Duration::from_secs(60), "it does not end");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Working {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

// proves: S2, F2, C1
#[cfg(unix)]
#[test]
fn a_server_leaves_its_runs_to_workers_and_what_one_drops_another_takes_up() {
    let model = FakeModel::start(honest);
    let stand = Stand::with_model(&model.base_url());
    let served = Served::on(&stand, &["--quiet", "--set", "server.max_running=0"]);
    served.upload("history/broad-street-outbreak-1854.md");
    let ask = |number: usize| served.ask(&format!("{QUESTION}{}", "?".repeat(number)));
    let first: Vec<String> = (0..6).map(ask).collect();
    std::thread::sleep(Duration::from_millis(1_500));
    let queued = served.get("/api/runs?status=queued&limit=100");
    assert_eq!(queued["runs"].as_array().unwrap().len(), 6, "the server works on none");

    let one = Working::on(&stand, &["--runs", "2"]);
    first.iter().for_each(|run| served.follow(run));
    let second: Vec<String> = (6..12).map(ask).collect();
    // It gives up what it has begun, and another one goes on with it at once.
    one.ends_in_order();
    let _two = Working::on(&stand, &["--runs", "2"]);
    let _three = Working::on(&stand, &["--runs", "2"]);
    second.iter().for_each(|run| served.follow(run));
    let listed = served.get("/api/runs?status=completed&limit=100");
    assert_eq!(listed["runs"].as_array().unwrap().len(), 12, "each once");
}

// proves: S2, F7
#[test]
fn a_worker_tells_monitors_what_it_does_and_the_page_for_operators_explains_every_metric() {
    let model = FakeModel::start(honest);
    let stand = Stand::with_model(&model.base_url());
    let served = Served::on(&stand, &["--quiet", "--set", "server.max_running=0"]);
    served.upload("history/broad-street-outbreak-1854.md");
    let worker = Working::on(&stand, &["--metrics", "127.0.0.1:0"]);
    served.follow(&served.ask(QUESTION));
    let read = |name: &str| {
        let metrics = worker.get("/metrics");
        let value = metrics.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        value.map(|value| value.parse::<f64>().unwrap())
    };
    // The end of the run is told before it is counted.
    let ended = "quaestio_runs_ended_total{method=\"ask\",status=\"completed\"}";
    let began = Instant::now();
    while read(ended) != Some(1.0) {
        assert!(began.elapsed() < Duration::from_secs(60), "{}", worker.get("/metrics"));
    }
    for (name, wanted) in [
        ("quaestio_queue_wait_seconds_count", 1.0),
        ("quaestio_leases_lost_total", 0.0),
        ("quaestio_runs{status=\"queued\"}", 0.0),
        ("quaestio_runs{status=\"waiting\"}", 0.0),
    ] {
        assert_eq!(read(name), Some(wanted), "{name}");
    }
    let calls =
        "quaestio_model_calls_total{provider=\"fake\",model=\"fake/model\",outcome=\"answered\"}";
    let durations =
        "quaestio_model_call_duration_seconds_count{provider=\"fake\",model=\"fake/model\"}";
    assert!(read(calls).is_some_and(|calls| calls >= 1.0), "{}", worker.get("/metrics"));
    assert_eq!(read(calls), read(durations));
    assert!(read("quaestio_append_duration_seconds_count").is_some_and(|appends| appends >= 2.0));
    assert!(read("quaestio_append_duration_seconds_sum").is_some_and(|seconds| seconds > 0.0));

    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/manual/operating.md");
    let docs = std::fs::read_to_string(docs).unwrap();
    let of_server = served.text("GET /metrics", "text/plain", b"").1;
    for page in [worker.get("/metrics"), of_server] {
        let families = page.lines().filter_map(|line| line.strip_prefix("# TYPE "));
        let names: Vec<&str> = families.filter_map(|line| line.split(' ').next()).collect();
        assert!(names.len() > 15, "{page}");
        for name in names {
            assert!(
                docs.contains(&format!("`{name}")),
                "docs/manual/operating.md does not explain {name}"
            );
        }
    }
}

// proves: S2, C8
#[test]
fn a_worker_answers_monitors_and_nobody_else() {
    let stand = Stand::new();
    let worker = Working::on(&stand, &["--metrics", "127.0.0.1:0"]);
    let metrics = worker.get("/metrics");
    assert!(metrics.starts_with("HTTP/1.1 200"), "{metrics}");
    assert!(metrics.contains("quaestio_runs"), "{metrics}");
    for path in ["/health/live", "/health/ready"] {
        assert!(worker.get(path).starts_with("HTTP/1.1 200"), "{path}");
    }
    for path in ["/", "/api/runs", "/openapi.json", "/api/settings"] {
        assert!(worker.get(path).starts_with("HTTP/1.1 404"), "{path}");
    }
    stand.run(&["worker", "--metrics", "0.0.0.0:0"]).fails(2, "no metrics token is configured");
    stand.run(&["worker", "--runs", "0"]).fails(2, "--runs");
}
