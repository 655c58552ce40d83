//! `quaestio worker`: runs that a server takes in and leaves to other processes.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
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
    stand.run(&["worker", "--metrics", "0.0.0.0:0"]).fails(2, "the metrics have no token");
    stand.run(&["worker", "--runs", "0"]).fails(2, "--runs");
}
