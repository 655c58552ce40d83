//! The orders: runs of every method that needs nothing from outside, ordered over HTTP, each until its receipt has come.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::site::Site;
use crate::Failure;

pub(super) const CHOLERA: &str = "cholera";
pub(super) const MARKET: &str = "market";
pub(super) const SURVEY: &str = "bus";

/// Who orders, and their tokens.
pub(super) const USERS: [(&str, &str); 3] = [
    ("ada", "token-of-ada-0123456789"),
    ("ben", "token-of-ben-0123456789"),
    ("cleo", "token-of-cleo-0123456789"),
];

/// The most orders: each has a model of its own name, which the server must know.
const MOST_ORDERS: usize = 5_000;
/// Runs that are to be queued or at work for each worker, at least.
const RUNS_PER_WORKER: usize = 4;
/// The shortest time between two orders.
const REST: Duration = Duration::from_millis(200);
/// How long to repeat an order without a receipt.
const PATIENCE: Duration = Duration::from_mins(3);
/// How long a receipt may take.
const SILENCE: Duration = Duration::from_secs(90);

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Direct,
    Documents,
    Deep,
    Brief,
    Market,
    Hypothesize,
    Debate,
    Check,
}

pub(super) const KINDS: [Kind; 8] = [
    Kind::Direct,
    Kind::Documents,
    Kind::Deep,
    Kind::Brief,
    Kind::Market,
    Kind::Hypothesize,
    Kind::Debate,
    Kind::Check,
];

/// Returns the kind of an order.
pub(super) fn kind_of(order: usize) -> Kind {
    KINDS[order % KINDS.len()]
}

/// An order whose receipt has come.
#[derive(Debug, Clone)]
pub(super) struct Ordered {
    pub(super) number: usize,
    pub(super) user: &'static str,
    pub(super) run: String,
}

impl Ordered {
    pub(super) fn kind(&self) -> Kind {
        kind_of(self.number)
    }
}

/// How fast orders come.
pub(super) struct Pace {
    runs: usize,
    backlog: usize,
    /// Runs that had ended before.
    before: usize,
    ended: AtomicUsize,
    are_faults_over: AtomicBool,
}

impl Pace {
    pub(super) fn new(runs: usize, workers: usize, before: usize) -> Pace {
        Pace {
            runs,
            backlog: workers * RUNS_PER_WORKER,
            before,
            ended: AtomicUsize::new(before),
            are_faults_over: AtomicBool::new(false),
        }
    }

    pub(super) fn tell(&self, ended: usize, are_faults_over: bool) {
        self.ended.store(ended, Ordering::SeqCst);
        self.are_faults_over.store(are_faults_over, Ordering::SeqCst);
    }

    fn is_over(&self, ordered: usize) -> bool {
        ordered + self.before >= MOST_ORDERS
            || ordered >= self.runs && self.are_faults_over.load(Ordering::SeqCst)
    }

    fn has_room(&self, ordered: usize) -> bool {
        ordered + self.before < self.ended.load(Ordering::SeqCst) + self.backlog
    }
}

/// The server that takes orders, and the next order.
pub(super) struct Counter {
    child: Child,
    address: String,
    next: usize,
    /// Orders that were sent again because no receipt came.
    repeated: usize,
}

impl Counter {
    pub(super) fn open(site: &Site) -> Result<Counter, Failure> {
        let tokens: Vec<String> =
            USERS.iter().map(|(user, token)| format!("{user}:{token}")).collect();
        let models: Vec<String> = (0..MOST_ORDERS).map(|number| format!("fake/{number}")).collect();
        let mut command = site.command(&["serve", "--quiet", "--listen", "127.0.0.1:0"], "serve");
        for setting in [
            "server.max_running=0",
            "workflow.enable_workflow_approval=false",
            "debate.concurrent=0",
            // A lost call counts as spent; here no run is to end for that.
            "budget.max_tokens=0",
            "budget.max_steps=0",
            "budget.max_wall_seconds=0",
            &format!("server.models={}", models.join(",")),
        ] {
            command.args(["--set", setting]);
        }
        command.env("QUAESTIO_TOKENS", tokens.join(","));
        command.stdout(Stdio::piped()).stderr(File::create(site.path("serve.log"))?);
        let mut child = command.spawn()?;
        let output = child.stdout.take().ok_or("the server says nothing")?;
        let mut line = String::new();
        BufReader::new(output).read_line(&mut line)?;
        let address = line.trim().strip_prefix("listening at http://");
        let address = address.ok_or_else(|| format!("the server said: {line}"))?.to_owned();
        Ok(Counter { child, address, next: 0, repeated: 0 })
    }

    /// Orders at a pace until it is over; returns the orders with the counter.
    pub(super) fn order_at(mut self, pace: &Pace) -> Result<(Vec<Ordered>, Counter), Failure> {
        let mut all = Vec::new();
        while !pace.is_over(all.len()) {
            if pace.has_room(all.len()) {
                all.push(self.order()?);
            }
            thread::sleep(REST);
        }
        Ok((all, self))
    }

    /// Orders the next run, again and again until its receipt has come.
    pub(super) fn order(&mut self) -> Result<Ordered, Failure> {
        let number = self.next;
        self.next += 1;
        let (user, token) = USERS[number % USERS.len()];
        let order = compose(number);
        let began = Instant::now();
        loop {
            match self.send(token, &format!("order-{number}"), &order) {
                Ok((200 | 201, run)) => {
                    let run = run["run_id"].as_str().ok_or("a receipt names no run")?.to_owned();
                    return Ok(Ordered { number, user, run });
                }
                Ok((status @ (429 | 500..), told)) if began.elapsed() > PATIENCE => {
                    return Err(format!("order {number}: {status} {told}").into());
                }
                Err(error) if began.elapsed() > PATIENCE => return Err(error),
                Ok((429 | 500.., _)) | Err(_) => {
                    self.repeated += 1;
                    thread::sleep(REST);
                }
                Ok((status, told)) => {
                    return Err(format!("order {number}: {status} {told}").into());
                }
            }
        }
    }

    fn send(&self, token: &str, key: &str, order: &Value) -> Result<(u16, Value), Failure> {
        let mut stream = TcpStream::connect(&self.address)?;
        stream.set_read_timeout(Some(SILENCE))?;
        let (body, host) = (order.to_string(), &self.address);
        let length = body.len();
        write!(
            stream,
            "POST /api/runs HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\nauthorization: Bearer {token}\r\n\
             idempotency-key: {key}\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}"
        )?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        let (head, body) = answer.split_once("\r\n\r\n").ok_or("an answer has no body")?;
        let status = head.split(' ').nth(1).ok_or("an answer has no status")?.parse()?;
        Ok((status, serde_json::from_str(body).unwrap_or_else(|_| Value::from(body))))
    }

    /// Ends the server; returns how many orders were repeated.
    pub(super) fn close(mut self) -> usize {
        std::mem::take(&mut self.repeated)
    }
}

impl Drop for Counter {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Writes the order with this number. Nobody is asked anything, inside or outside.
fn compose(number: usize) -> Value {
    const PUMP: &str = "When was the handle of the Broad Street pump removed?";
    let mut order = match kind_of(number) {
        Kind::Direct => json!({"method": "ask", "question": PUMP, "strategy": "direct"}),
        Kind::Documents => {
            json!({"method": "ask", "question": PUMP, "strategy": "rag", "collection": CHOLERA})
        }
        Kind::Deep => json!({"method": "ask", "question": PUMP, "strategy": "deep",
            "collection": CHOLERA, "sources": [], "max_questions": 0}),
        Kind::Brief => json!({"method": "brief", "question": "How satisfied are passengers?",
            "survey": SURVEY, "loop": "pipeline"}),
        Kind::Market => {
            json!({"method": "market", "collection": MARKET, "sources": [], "startup": "",
            "question": "I want to explore the market for contract review software in Texas"})
        }
        Kind::Hypothesize => json!({"method": "hypothesize", "collection": CHOLERA, "sources": [],
            "question": "Why did cholera kill more people in some houses than in others?", "top": 2}),
        Kind::Debate => json!({"method": "debate", "collection": CHOLERA, "sources": [],
            "question": "Did the pump in Broad Street spread cholera?", "max_turns": 2}),
        Kind::Check => json!({"method": "check", "question": "The pump", "collection": CHOLERA,
            "text": "The handle of the pump was removed on 8 September 1854.\n\nJohn Snow was a physician.\n"}),
    };
    order["model"] = format!("fake/{number}").into();
    order["clarify"] = false.into();
    order["plan"] = false.into();
    order
}
