//! A model server for tests, whose errors can be scripted to the byte.
//!
//! It speaks the protocols of OpenAI, Anthropic and Gemini, depending on the request, makes vectors and lists models. Its replies and
//! refusals follow the providers' documentation; none was recorded from a real service.
//!
//! ```
//! use fakes::{FakeModel, Say};
//!
//! let server = FakeModel::start(|_| Say::text(r#"{"text": "Hello."}"#));
//! assert!(server.base_url().starts_with("http://127.0.0.1:"));
//! assert!(server.seen().is_empty());
//! ```

mod analyst;
mod collector;
mod crew;
pub mod hostile;
pub mod mcp;
mod passages;
mod reader;
pub mod scholar;
mod speech;
mod strict;
mod vectors;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use serde_json::Value;

pub use analyst::{Labelled, address_of, analyst, labelled};
pub use collector::{Answer, FakeCollector, Received};
pub use crew::crew;
pub use passages::{Shown, Statement, addressed, passages, statements};
pub use reader::{Exhibit, Judgement, exhibits, is_reader, knowing, readings, readings_of};
pub use speech::Speech;
pub use vectors::vector;

use speech::Reply;

/// The kind of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asks {
    Chat,
    /// A list of the available models.
    Models,
    /// The vectors of some texts.
    Vectors,
}

/// A request as the server saw it.
#[derive(Debug, Clone)]
pub struct Seen {
    /// The number of the request, from 1.
    pub number: usize,
    pub path: String,
    /// The raw header lines.
    pub headers: String,
    pub body: Value,
}

impl Seen {
    /// Returns the protocol of the request.
    pub fn speech(&self) -> Speech {
        speech::of(self).0
    }

    pub fn asks(&self) -> Asks {
        speech::of(self).1
    }

    /// Returns the value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.lines().find_map(|line| {
            let (found, value) = line.split_once(':')?;
            found.eq_ignore_ascii_case(name).then_some(value.trim())
        })
    }

    /// Returns all text shown to the model.
    pub fn prompt(&self) -> String {
        let mut texts = Vec::new();
        match self.speech() {
            Speech::OpenAi => texts.extend(self.texts("messages", "/content")),
            Speech::Anthropic => {
                texts.extend(self.body["system"].as_str());
                texts.extend(self.texts("messages", "/content"));
            }
            Speech::Gemini => {
                texts.extend(self.body["systemInstruction"]["parts"][0]["text"].as_str());
                texts.extend(self.texts("contents", "/parts/0/text"));
            }
        }
        texts.join("\n")
    }

    fn texts(&self, turns: &str, pointer: &str) -> impl Iterator<Item = &str> {
        let turns = self.body[turns].as_array().into_iter().flatten();
        turns.filter_map(move |turn| turn.pointer(pointer)?.as_str())
    }

    /// Returns the name of the requested model.
    pub fn model(&self) -> String {
        if self.speech() != Speech::Gemini {
            return self.body["model"].as_str().unwrap_or_default().to_owned();
        }
        let name = self.path.split_once("models/").map_or("", |(_, rest)| rest);
        name.rsplit_once(':').map_or(name, |(name, _)| name).to_owned()
    }

    /// Returns the token limit of the reply.
    pub fn max_tokens(&self) -> Option<u64> {
        let body = &self.body;
        [
            &body["max_tokens"],
            &body["max_completion_tokens"],
            &body["generationConfig"]["maxOutputTokens"],
        ]
        .into_iter()
        .find_map(Value::as_u64)
    }

    pub fn streamed(&self) -> bool {
        match self.speech() {
            Speech::Gemini => self.path.contains(":streamGenerateContent"),
            _ => self.body["stream"] == true,
        }
    }

    /// Returns the requested form of structured output, in the protocol's own term, or an empty string.
    pub fn form(&self) -> &str {
        match self.speech() {
            Speech::OpenAi => self.body["response_format"]["type"].as_str().unwrap_or_default(),
            Speech::Anthropic if self.body["output_config"]["format"].is_object() => {
                "output_config"
            }
            Speech::Anthropic if self.body["tool_choice"].is_object() => "tool",
            Speech::Anthropic => "",
            Speech::Gemini => ["responseJsonSchema", "responseSchema", "responseMimeType"]
                .into_iter()
                .find(|key| !self.body["generationConfig"][key].is_null())
                .unwrap_or_default(),
        }
    }

    /// Returns the response format type of an OpenAI request, or an empty string.
    pub fn response_format(&self) -> &str {
        self.body["response_format"]["type"].as_str().unwrap_or_default()
    }

    /// Returns the schema of the structured output, if it is not in the prompt.
    pub fn schema(&self) -> &Value {
        let body = &self.body;
        match self.form() {
            "json_schema" => &body["response_format"]["json_schema"]["schema"],
            "output_config" => &body["output_config"]["format"]["schema"],
            "tool" => &body["tools"][0]["input_schema"],
            form => &body["generationConfig"][form],
        }
    }
}

/// The server's reaction to a request.
#[derive(Debug, Clone)]
pub enum Say {
    /// A complete reply, streamed if requested.
    Text { text: String, finish: &'static str },
    /// A reply without token counts.
    Uncounted(String),
    /// An error in the provider's own form.
    Error { status: u16, message: String, headers: Vec<(&'static str, String)> },
    /// The models of this server, in reply to a request for a list.
    Models(Vec<String>),
    /// Vectors of the texts, in reply to an embedding request. See [`vector`].
    Vectors { dimensions: usize },
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
    /// These bytes, headers included, and then the end of the connection.
    Raw(String),
    /// These bytes, and then this piece repeatedly while the client reads.
    Flood { head: String, piece: String },
    /// A stream that begins with this text and then stalls while the client waits.
    Begun(String),
    /// Nothing at all while the client waits.
    NoopListener,
    /// Nothing while the client waits, after the beginning of a stream if one was requested.
    Hang,
    /// Another reaction after a delay.
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
        Say::Error { status, message: message.to_owned(), headers: vec![] }
    }

    /// Too many requests, with the given `retry-after` in seconds.
    pub fn limited(retry_after: &str) -> Say {
        let headers = vec![("retry-after", retry_after.to_owned())];
        Say::Error { status: 429, message: "rate limit".into(), headers }
    }
}

/// The tokens that every counted reply reports: 100 in, 40 of them cached, 20 out.
pub const USAGE: (u64, u64, u64) = (100, 40, 20);

#[derive(Default)]
struct Book {
    seen: Vec<Seen>,
    /// The number of connections that the client closed while the server hung or flooded it.
    dropped: usize,
}

type Script = dyn Fn(&Seen) -> Say + Send + Sync;

/// A model server on its own port. It stops accepting connections when the test process ends.
#[derive(Clone)]
pub struct FakeModel {
    address: SocketAddr,
    book: Arc<Mutex<Book>>,
}

impl FakeModel {
    /// Starts a server that answers by `script`.
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
                    // Some tests are about clients that disconnect midway.
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

    /// Waits until `enough`, for at most ten seconds; returns whether it held.
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
        let mut say = match strict::refusal(&seen) {
            Some((status, message)) => Say::error(status, &message),
            None => script(&seen),
        };
        while let Say::After(delay, then) = say {
            thread::sleep(delay);
            say = *then;
        }
        if !answer(&mut writer, &mut reader, &seen, say, book)? {
            return Ok(());
        }
    }
}

/// Writes the answer; returns whether to keep the connection.
fn answer(
    writer: &mut TcpStream,
    reader: &mut BufReader<TcpStream>,
    seen: &Seen,
    say: Say,
    book: &Mutex<Book>,
) -> std::io::Result<bool> {
    let json = "application/json";
    let (finish, counted) = match &say {
        Say::Text { finish, .. } => (*finish, true),
        _ => ("stop", false),
    };
    let reply = Reply { seen, finish, counted };
    match say {
        Say::Text { text, .. } | Say::Uncounted(text) if seen.streamed() => {
            head(writer, &reply)?;
            pieces(writer, &reply, &text)?;
            chunk(writer, &reply.end())?;
            writer.write_all(b"0\r\n\r\n")?;
            Ok(true)
        }
        Say::Text { text, .. } | Say::Uncounted(text) => {
            whole(writer, 200, &[], json, &reply.whole(&text))?;
            Ok(true)
        }
        Say::Error { status, message, headers } => {
            let body = speech::error(seen.speech(), status, &message);
            whole(writer, status, &headers, json, &body)?;
            Ok(true)
        }
        Say::Models(names) => {
            whole(writer, 200, &[], json, &speech::models(seen, &names))?;
            Ok(true)
        }
        Say::Vectors { dimensions } => {
            whole(writer, 200, &[], json, &speech::vectors(seen, dimensions))?;
            Ok(true)
        }
        Say::Status { status, headers, content_type, body } => {
            whole(writer, status, &headers, content_type, &body)?;
            Ok(true)
        }
        Say::Unended(text) => {
            head(writer, &reply)?;
            pieces(writer, &reply, &text)?;
            writer.write_all(b"0\r\n\r\n")?;
            Ok(true)
        }
        Say::Broken(text) => {
            if seen.streamed() {
                head(writer, &reply)?;
                pieces(writer, &reply, &text)?;
            } else {
                writer.write_all(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 100000\r\n\r\n")?;
                writer.write_all(text.as_bytes())?;
            }
            writer.flush()?;
            Ok(false)
        }
        Say::Hang | Say::After(..) => {
            if seen.streamed() {
                // A client that has already gone is counted below.
                let _ = head(writer, &reply).and_then(|()| chunk(writer, &reply.piece("{\"cla")));
            }
            wait_until_gone(reader, book);
            Ok(false)
        }
        Say::Begun(text) => {
            // A client that has already gone is counted below.
            let _ = head(writer, &reply).and_then(|()| pieces(writer, &reply, &text));
            wait_until_gone(reader, book);
            Ok(false)
        }
        Say::NoopListener => {
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

fn head(writer: &mut TcpStream, reply: &Reply<'_>) -> std::io::Result<()> {
    writer.write_all(
        b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n",
    )?;
    chunk(writer, &reply.head())
}

/// Streams the text in pieces of seven characters, so that words and escapes are split anywhere.
fn pieces(writer: &mut TcpStream, reply: &Reply<'_>, text: &str) -> std::io::Result<()> {
    let characters: Vec<char> = text.chars().collect();
    for piece in characters.chunks(7) {
        let piece: String = piece.iter().collect();
        chunk(writer, &reply.piece(&piece))?;
    }
    Ok(())
}

fn chunk(writer: &mut TcpStream, data: &str) -> std::io::Result<()> {
    // An empty chunk would end the reply.
    if data.is_empty() {
        return writer.flush();
    }
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
