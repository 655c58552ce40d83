//! A model server for tests: the OpenAI chat-completions protocol, to the byte where a test wants it wrong.
//!
//! ```
//! use fakes::{FakeModel, Say};
//!
//! let server = FakeModel::start(|_| Say::text(r#"{"text": "Hello."}"#));
//! assert!(server.base_url().starts_with("http://127.0.0.1:"));
//! assert!(server.seen().is_empty());
//! ```

mod passages;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

pub use passages::{Shown, passages};

/// A request as the server saw it.
#[derive(Debug, Clone)]
pub struct Seen {
    /// Counts the chat requests from 1.
    pub number: usize,
    pub path: String,
    /// The raw header lines.
    pub headers: String,
    pub body: Value,
}

impl Seen {
    /// Returns the text of everything the model is shown.
    pub fn prompt(&self) -> String {
        let messages = self.body["messages"].as_array().cloned().unwrap_or_default();
        let texts: Vec<&str> =
            messages.iter().filter_map(|message| message["content"].as_str()).collect();
        texts.join("\n")
    }

    pub fn streamed(&self) -> bool {
        self.body["stream"] == true
    }

    /// Returns the type of the wanted response format, or nothing.
    pub fn response_format(&self) -> &str {
        self.body["response_format"]["type"].as_str().unwrap_or_default()
    }
}

/// What the server does with a request.
#[derive(Debug, Clone)]
pub enum Say {
    /// A whole reply, streamed if that was asked for.
    Text { text: String, finish: &'static str },
    /// A reply without any count of tokens.
    Uncounted(String),
    /// A status with a body of its own.
    Status {
        status: u16,
        headers: Vec<(&'static str, String)>,
        content_type: &'static str,
        body: String,
    },
    /// A stream of this text that ends without its end mark.
    Unended(String),
    /// A stream whose connection breaks after this much of the text.
    Broken(String),
    /// These bytes, headers and all, and then the end of the connection.
    Raw(String),
    /// These bytes, and then this piece again and again for as long as the client reads.
    Flood { head: String, piece: String },
    /// Nothing at all, for as long as the client waits.
    Silence,
    /// Nothing, for as long as the client waits; with the beginning of a stream where one was asked for.
    Hang,
    /// The same, later.
    After(Duration, Box<Say>),
}

impl Say {
    pub fn text(text: impl Into<String>) -> Say {
        Say::Text { text: text.into(), finish: "stop" }
    }

    pub fn json(value: &Value) -> Say {
        Say::text(value.to_string())
    }

    /// An error in the provider's own form.
    pub fn error(status: u16, message: &str) -> Say {
        let body = json!({"error": {"message": message, "type": "error"}}).to_string();
        Say::Status { status, headers: vec![], content_type: "application/json", body }
    }

    /// Too many requests, to be tried again after so many seconds.
    pub fn limited(retry_after: &str) -> Say {
        let body = json!({"error": {"message": "rate limit", "type": "error"}}).to_string();
        let headers = vec![("retry-after", retry_after.to_owned())];
        Say::Status { status: 429, headers, content_type: "application/json", body }
    }
}

/// The tokens that every counted reply reports: 100 in, 40 of them cached, 20 out.
pub const USAGE: (u64, u64, u64) = (100, 40, 20);

#[derive(Default)]
struct Book {
    seen: Vec<Seen>,
    /// Connections that the client closed while the server hung or flooded it.
    dropped: usize,
}

type Script = dyn Fn(&Seen) -> Say + Send + Sync;

/// A model server on a port of its own. It stops taking connections when the test process ends.
#[derive(Clone)]
pub struct FakeModel {
    address: SocketAddr,
    book: Arc<Mutex<Book>>,
}

impl FakeModel {
    /// Starts a server that answers as `script` says.
    pub fn start(script: impl Fn(&Seen) -> Say + Send + Sync + 'static) -> FakeModel {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a loopback port is free");
        let address = listener.local_addr().expect("a bound listener has an address");
        let book = Arc::new(Mutex::new(Book::default()));
        let server = FakeModel { address, book: Arc::clone(&book) };
        let script: Arc<Script> = Arc::new(script);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (book, script) = (Arc::clone(&book), Arc::clone(&script));
                thread::spawn(move || {
                    // A client that goes away mid-way is what some tests are about.
                    let _ = serve(stream, &book, &*script);
                });
            }
        });
        server
    }

    pub fn base_url(&self) -> String {
        format!("http://{}/v1/", self.address)
    }

    pub fn seen(&self) -> Vec<Seen> {
        self.book().seen.clone()
    }

    pub fn dropped(&self) -> usize {
        self.book().dropped
    }

    /// Waits until `enough`, for ten seconds at most; tells whether it came.
    pub fn wait(&self, enough: impl Fn(&FakeModel) -> bool) -> bool {
        for _ in 0..1_000 {
            if enough(self) {
                return true;
            }
            thread::sleep(Duration::from_millis(10));
        }
        false
    }

    fn book(&self) -> std::sync::MutexGuard<'_, Book> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn serve(stream: TcpStream, book: &Mutex<Book>, script: &Script) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut writer = stream;
    loop {
        let mut first = String::new();
        if reader.read_line(&mut first)? == 0 {
            return Ok(());
        }
        let path = first.split_whitespace().nth(1).unwrap_or_default().to_owned();
        let (mut headers, mut length) = (String::new(), 0);
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line)? == 0 || line.trim().is_empty() {
                break;
            }
            if let Some((name, value)) = line.split_once(':')
                && name.eq_ignore_ascii_case("content-length")
            {
                length = value.trim().parse().unwrap_or(0);
            }
            headers.push_str(&line);
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body)?;
        let body = serde_json::from_slice(&body).unwrap_or(Value::Null);
        let seen = {
            let mut book = book.lock().unwrap_or_else(PoisonError::into_inner);
            let seen = Seen { number: book.seen.len() + 1, path, headers, body };
            book.seen.push(seen.clone());
            seen
        };
        let mut say = script(&seen);
        while let Say::After(delay, then) = say {
            thread::sleep(delay);
            say = *then;
        }
        if !answer(&mut writer, &mut reader, &seen, say, book)? {
            return Ok(());
        }
    }
}

/// Writes the answer; tells whether the connection goes on.
fn answer(
    writer: &mut TcpStream,
    reader: &mut BufReader<TcpStream>,
    seen: &Seen,
    say: Say,
    book: &Mutex<Book>,
) -> std::io::Result<bool> {
    match say {
        Say::Text { text, finish } if seen.streamed() => {
            head(writer)?;
            pieces(writer, &text)?;
            chunk(writer, &event(&json!({}), Some(finish), &usage()))?;
            chunk(writer, "data: [DONE]\n\n")?;
            writer.write_all(b"0\r\n\r\n")?;
            Ok(true)
        }
        Say::Uncounted(text) if seen.streamed() => {
            head(writer)?;
            pieces(writer, &text)?;
            chunk(writer, &event(&json!({}), Some("stop"), &Value::Null))?;
            chunk(writer, "data: [DONE]\n\n")?;
            writer.write_all(b"0\r\n\r\n")?;
            Ok(true)
        }
        Say::Text { text, finish } => {
            whole(writer, 200, &[], "application/json", &completion(&text, finish, &usage()))?;
            Ok(true)
        }
        Say::Uncounted(text) => {
            whole(writer, 200, &[], "application/json", &completion(&text, "stop", &Value::Null))?;
            Ok(true)
        }
        Say::Status { status, headers, content_type, body } => {
            whole(writer, status, &headers, content_type, &body)?;
            Ok(true)
        }
        Say::Unended(text) => {
            head(writer)?;
            pieces(writer, &text)?;
            writer.write_all(b"0\r\n\r\n")?;
            Ok(true)
        }
        Say::Broken(text) => {
            if seen.streamed() {
                head(writer)?;
                pieces(writer, &text)?;
            } else {
                writer.write_all(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 100000\r\n\r\n")?;
                writer.write_all(text.as_bytes())?;
            }
            writer.flush()?;
            Ok(false)
        }
        Say::Hang | Say::After(..) => {
            if seen.streamed() {
                head(writer)?;
                chunk(writer, &event(&json!({"content": "{\"cla"}), None, &Value::Null))?;
            }
            wait_until_gone(reader, book);
            Ok(false)
        }
        Say::Silence => {
            wait_until_gone(reader, book);
            Ok(false)
        }
        Say::Raw(bytes) => {
            writer.write_all(bytes.as_bytes())?;
            writer.flush()?;
            Ok(false)
        }
        Say::Flood { head, piece } => {
            let mut written = writer.write_all(head.as_bytes());
            while written.is_ok() {
                written = writer.write_all(piece.as_bytes());
            }
            book.lock().unwrap_or_else(PoisonError::into_inner).dropped += 1;
            Ok(false)
        }
    }
}

/// Waits for the client to close the connection, and counts it.
fn wait_until_gone(reader: &mut BufReader<TcpStream>, book: &Mutex<Book>) {
    if reader.read(&mut [0; 1]).map_or(true, |read| read == 0) {
        book.lock().unwrap_or_else(PoisonError::into_inner).dropped += 1;
    }
}

fn usage() -> Value {
    let (input, cached, output) = USAGE;
    json!({"prompt_tokens": input, "completion_tokens": output, "total_tokens": input + output,
           "prompt_tokens_details": {"cached_tokens": cached}})
}

fn completion(text: &str, finish: &str, usage: &Value) -> String {
    json!({"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "fake",
           "choices": [{"index": 0, "message": {"role": "assistant", "content": text, "refusal": null},
                        "finish_reason": finish, "logprobs": null}], "usage": usage})
    .to_string()
}

fn event(delta: &Value, finish: Option<&str>, usage: &Value) -> String {
    let body = json!({"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "fake",
                      "choices": [{"index": 0, "delta": delta, "finish_reason": finish}], "usage": usage});
    format!("data: {body}\n\n")
}

fn head(writer: &mut TcpStream) -> std::io::Result<()> {
    writer.write_all(
        b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n",
    )?;
    chunk(writer, &event(&json!({"role": "assistant", "content": ""}), None, &Value::Null))
}

/// Streams the text in pieces of seven characters, so that escapes and words are cut anywhere.
fn pieces(writer: &mut TcpStream, text: &str) -> std::io::Result<()> {
    let characters: Vec<char> = text.chars().collect();
    for piece in characters.chunks(7) {
        let piece: String = piece.iter().collect();
        chunk(writer, &event(&json!({"content": piece}), None, &Value::Null))?;
    }
    Ok(())
}

fn chunk(writer: &mut TcpStream, data: &str) -> std::io::Result<()> {
    write!(writer, "{:x}\r\n{data}\r\n", data.len())?;
    writer.flush()
}

fn whole(
    writer: &mut TcpStream,
    status: u16,
    headers: &[(&str, String)],
    content_type: &str,
    body: &str,
) -> std::io::Result<()> {
    let more: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    write!(
        writer,
        "HTTP/1.1 {status} Status\r\ncontent-type: {content_type}\r\ncontent-length: {}\r\n{more}\r\n{body}",
        body.len()
    )?;
    writer.flush()
}
