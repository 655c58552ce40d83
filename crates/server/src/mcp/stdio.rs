//! The protocol over stdio: a message a line.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use rmcp::ErrorData;
use rmcp::RoleServer;
use rmcp::model::{ClientJsonRpcMessage, ClientRequest, GetMeta, ServerJsonRpcMessage};
use rmcp::service::ServiceExt;
use rmcp::transport::Transport;
use serde::Serialize;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::{Mutex, Notify};

use super::wire::{self, MESSAGE_BYTES};
use super::{Face, Who};
use crate::state::Shared;

/// The two ends of a connection with one client.
pub struct Pipes {
    pub reader: Box<dyn AsyncRead + Send + Unpin>,
    pub writer: Box<dyn AsyncWrite + Send + Unpin>,
}

/// Serves the client at the other ends of the pipes, as the configured user, until it is gone.
pub(crate) async fn serve(app: Shared, pipes: Pipes) {
    let face = Face::new(Shared::clone(&app), Who::One(app.config.user.clone()));
    let (lines, gone) = Lines::new(pipes);
    let attending = async {
        // A connection that does not open has ended.
        if let Ok(service) = face.serve(lines).await {
            let _ = service.waiting().await;
        }
    };
    let abandoned = async {
        gone.notified().await;
        tokio::time::sleep(GRACE).await;
    };
    tokio::select! {
        () = attending => {}
        () = abandoned => {}
    }
}

/// How long answers may take to be written once the client has closed its end: it may not read them.
const GRACE: Duration = Duration::from_secs(1);

/// The answers that may wait to be written. While there are more, nothing is read: the client does not read either.
const UNREAD: usize = 64;

type Writer = Box<dyn AsyncWrite + Send + Unpin>;

/// A transport that answers what it cannot read, and keeps the connection.
struct Lines {
    reader: BufReader<Box<dyn AsyncRead + Send + Unpin>>,
    /// What was read of the next line.
    line: Vec<u8>,
    /// Whether the line is too long, and is read to its end and dropped.
    is_oversized: bool,
    writer: Arc<Mutex<Writer>>,
    /// The answers that wait to be written.
    unwritten: Arc<Unwritten>,
    /// Notified when the client has closed its end.
    gone: Arc<Notify>,
    /// Whether a request has opened the connection. Before, only requests may come, and the SDK ends the connection over anything else.
    is_open: bool,
}

impl Lines {
    /// Returns a transport, and what is notified when the client has closed its end.
    fn new(Pipes { reader, writer }: Pipes) -> (Lines, Arc<Notify>) {
        let gone = Arc::<Notify>::default();
        let lines = Lines {
            reader: BufReader::new(reader),
            line: Vec::new(),
            is_oversized: false,
            writer: Arc::new(Mutex::new(writer)),
            unwritten: Arc::default(),
            gone: Arc::clone(&gone),
            is_open: false,
        };
        (lines, gone)
    }

    /// Reads up to the end of a line; returns whether there is one. May be dropped at any time: what was read is kept.
    async fn read_line(&mut self) -> bool {
        loop {
            let Ok(read) = self.reader.fill_buf().await else { return false };
            if read.is_empty() {
                return false;
            }
            let end = read.iter().position(|byte| *byte == b'\n');
            let taken = end.map_or(read.len(), |end| end + 1);
            let new = read.get(..taken).unwrap_or_default();
            if self.is_oversized || self.line.len() + new.len() > MESSAGE_BYTES {
                self.is_oversized = true;
                self.line.clear();
            } else {
                self.line.extend_from_slice(new);
            }
            self.reader.consume(taken);
            if end.is_some() {
                return true;
            }
        }
    }

    /// Returns the message in the line that was read, or the error to answer with; neither for an empty line.
    fn take_message(&mut self) -> Option<Result<ClientJsonRpcMessage, Value>> {
        if std::mem::take(&mut self.is_oversized) {
            let what = format!("a message must have at most {MESSAGE_BYTES} bytes");
            let error = ErrorData::invalid_request(what, None);
            return Some(Err(wire::refuse(&error, &Value::Null)));
        }
        let line = std::mem::take(&mut self.line);
        let line = line.trim_ascii();
        (!line.is_empty()).then(|| wire::read(line))
    }

    fn write<M: Serialize + Send + 'static>(
        &self,
        message: M,
    ) -> impl Future<Output = Result<(), std::io::Error>> + Send + use<M> + 'static {
        let (writer, waiting) = (Arc::clone(&self.writer), self.unwritten.add());
        async move {
            let _waiting = waiting;
            let mut line = serde_json::to_vec(&message)?;
            line.push(b'\n');
            let mut writer = writer.lock().await;
            writer.write_all(&line).await?;
            writer.flush().await
        }
    }

    fn opens(&mut self, message: &ClientJsonRpcMessage) -> bool {
        let ClientJsonRpcMessage::Request(request) = message else { return self.is_open };
        let request = &request.request;
        self.is_open |= matches!(request, ClientRequest::InitializeRequest(_))
            || request.get_meta().protocol_version().is_some();
        true
    }
}

impl Transport<RoleServer> for Lines {
    type Error = std::io::Error;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = Result<(), std::io::Error>> + Send + 'static {
        self.write(message)
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            self.unwritten.wait().await;
            if !self.read_line().await {
                self.gone.notify_one();
                return None;
            }
            match self.take_message() {
                Some(Ok(message)) if self.opens(&message) => return Some(message),
                // In a task of its own: this future may be dropped, and half an answer would spoil the next.
                Some(Err(answer)) => drop(tokio::spawn(self.write(answer))),
                Some(Ok(_)) | None => {}
            }
        }
    }

    async fn close(&mut self) -> Result<(), std::io::Error> {
        self.writer.lock().await.flush().await
    }
}

/// Counts the answers that wait to be written.
#[derive(Default)]
struct Unwritten {
    count: AtomicUsize,
    written: Notify,
}

/// An answer that waits to be written.
struct Waiting(Arc<Unwritten>);

impl Unwritten {
    fn add(self: &Arc<Unwritten>) -> Waiting {
        self.count.fetch_add(1, Ordering::Relaxed);
        Waiting(Arc::clone(self))
    }

    /// Waits until there is room for another answer.
    async fn wait(&self) {
        while self.count.load(Ordering::Relaxed) >= UNREAD {
            self.written.notified().await;
        }
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.count.fetch_sub(1, Ordering::Relaxed);
        // Kept for who is about to wait.
        self.0.written.notify_one();
    }
}
