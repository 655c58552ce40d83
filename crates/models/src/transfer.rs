//! The events of a stream as they arrive, with a limit on the bytes held.

use std::collections::VecDeque;
use std::mem;
use std::time::Duration;

use reqwest::Response;
use tokio::task::yield_now;
use tokio::time::timeout;

use run::error::PortError;
use transport::{Service, TOO_LONG};

/// The events of a stream.
pub(crate) struct Events {
    response: Response,
    idle: Duration,
    lines: Lines,
    limit: usize,
    ended: bool,
}

impl Events {
    /// Returns the events of `response`. Silence for `idle`, or an event longer than `limit` bytes, is an error.
    pub(crate) fn of(response: Response, idle: Duration, limit: usize) -> Events {
        Events { response, idle, lines: Lines::default(), limit, ended: false }
    }

    pub(crate) async fn next(
        &mut self,
        service: Service<'_>,
    ) -> Result<Option<Vec<u8>>, PortError> {
        loop {
            if let Some(event) = self.lines.events.pop_front() {
                return Ok(Some(event));
            }
            if self.ended {
                return Ok(None);
            }
            let bytes = timeout(self.idle, self.response.chunk())
                .await
                .map_err(|_| silent(service, self.idle))?
                .map_err(|error| service.network(&error))?;
            match bytes {
                Some(bytes) => self.lines.take(&bytes),
                None => {
                    self.lines.end();
                    self.ended = true;
                }
            }
            if self.lines.waiting() > self.limit {
                return Err(service.malformed(TOO_LONG));
            }
            yield_now().await;
        }
    }
}

/// Returns the error for a service that was silent for `idle`.
pub(crate) fn silent(service: Service<'_>, idle: Duration) -> PortError {
    PortError::Malformed {
        service: service.name.to_owned(),
        what: format!(
            "silence for {} s; raise `models.idle_timeout_seconds` to wait longer",
            idle.as_secs()
        ),
    }
}

/// Parses server-sent events from bytes split anywhere. Only the field `data` matters here.
#[derive(Default)]
struct Lines {
    line: Vec<u8>,
    data: Vec<u8>,
    /// Whether the last byte was a carriage return, so that a line feed belongs to it.
    returned: bool,
    events: VecDeque<Vec<u8>>,
}

impl Lines {
    fn take(&mut self, bytes: &[u8]) {
        for byte in bytes {
            let returned = mem::replace(&mut self.returned, *byte == b'\r');
            match byte {
                b'\n' if returned => {}
                b'\n' | b'\r' => self.end_line(),
                _ => self.line.push(*byte),
            }
        }
    }

    fn end_line(&mut self) {
        let line = mem::take(&mut self.line);
        if line.is_empty() {
            let data = mem::take(&mut self.data);
            if !data.is_empty() {
                self.events.push_back(data);
            }
        } else if let Some(data) = line.strip_prefix(b"data:") {
            if !self.data.is_empty() {
                self.data.push(b'\n');
            }
            self.data.extend_from_slice(data.trim_ascii());
        }
    }

    /// Ends the last event at the end of the bytes.
    fn end(&mut self) {
        self.end_line();
        self.end_line();
    }

    /// Returns the number of bytes of the unfinished event.
    fn waiting(&self) -> usize {
        self.line.len() + self.data.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_the_same_wherever_the_bytes_are_cut() {
        let stream =
            ": hi\n\ndata: a\r\ndata:b\r\n\r\nevent: x\rdata: é\r\rid: 1\n\n\ndata: [DONE]";
        for size in 1..stream.len() {
            let mut lines = Lines::default();
            stream.as_bytes().chunks(size).for_each(|bytes| lines.take(bytes));
            lines.end();
            let events: Vec<_> =
                lines.events.iter().map(|event| String::from_utf8_lossy(event)).collect();
            assert_eq!(events, ["a\nb", "é", "[DONE]"], "in pieces of {size}");
        }
    }
}
