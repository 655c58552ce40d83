//! A chat model: a call in any protocol, its retries, and what the server has refused.

use std::pin::pin;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

use async_trait::async_trait;
use reqwest::header::{CONTENT_TYPE, HeaderMap};
use reqwest::{Client, Response, Url};

use run::budget::{Price, Usage};
use run::error::PortError;
use run::model::{ChatReply, ChatRequest, Model, Words};
use text::tolerant;
use tokio::time::timeout;
use transport::{Attempts, Service, TOO_LONG, body};

use crate::answer::{Answer, Stop};
use crate::protocol::{Asked, Form, Object, Protocol, Thinking};
use crate::transfer::{self, Events};
use crate::{ConnectError, Connection, http};

/// The maximum bytes of a reply per requested token, and in addition to these: room for thinking and escapes.
const BYTES_PER_TOKEN: usize = 64;
const ROOM: usize = 2 * 1024 * 1024;

/// A chat model behind the port.
pub struct ChatModel {
    connection: Connection,
    client: Client,
    headers: HeaderMap,
    /// The URLs for a whole reply and for a stream.
    urls: [Url; 2],
    manner: Manner,
    /// Whether the latest reply requested as a stream came as one.
    streams: AtomicBool,
}

/// The best request options that the server has not refused.
struct Manner {
    /// The index of the form of structured output.
    form: AtomicU8,
    thinking: AtomicU8,
    temperature: AtomicBool,
}

/// The request options at the time of a request.
#[derive(Clone, Copy)]
struct Way {
    form: u8,
    thinking: Thinking,
    temperature: bool,
}

impl Manner {
    fn way(&self) -> Way {
        let thinking = match self.thinking.load(Ordering::Relaxed) {
            0 => Thinking::Off,
            1 => Thinking::Least,
            _ => Thinking::Unsaid,
        };
        let form = self.form.load(Ordering::Relaxed);
        Way { form, thinking, temperature: self.temperature.load(Ordering::Relaxed) }
    }

    /// Returns whether `error` is about the request options and not the request itself; if so, the next request uses others.
    ///
    /// A concurrent request may have changed them already.
    fn yields(&self, way: Way, form: Option<Form>, error: &PortError) -> bool {
        let reason = match error {
            PortError::Refused { status: 400 | 404 | 415 | 422 | 501, reason, .. } => {
                reason.to_lowercase()
            }
            PortError::Failed { status: 501, .. }
                if form.is_some_and(|form| form != Form::Prompt) =>
            {
                self.form.fetch_max(way.form + 1, Ordering::Relaxed);
                return true;
            }
            _ => return false,
        };
        let names = |words: &[&str]| words.iter().any(|word| reason.contains(word));
        if way.temperature && names(&["temperature"]) {
            self.temperature.store(false, Ordering::Relaxed);
        } else if form == Some(Form::Tool) && names(&["tool_choice"]) {
            // The refusal may also mention thinking, which cannot be combined with the tool.
            self.form.fetch_max(way.form + 1, Ordering::Relaxed);
        } else if way.thinking != Thinking::Unsaid && names(&["think", "effort", "budget 0"]) {
            self.thinking.fetch_max(way.thinking as u8 + 1, Ordering::Relaxed);
        } else if form.is_some_and(|form| names(form.words())) {
            self.form.fetch_max(way.form + 1, Ordering::Relaxed);
        } else {
            return false;
        }
        true
    }
}

impl ChatModel {
    pub fn new(connection: Connection) -> Result<ChatModel, ConnectError> {
        let (protocol, name) = (connection.protocol, connection.name());
        let (thinking, temperature) = protocol.habits(name);
        let manner = Manner {
            form: AtomicU8::new(protocol.first_form(connection.structured)),
            thinking: AtomicU8::new(thinking as u8),
            temperature: AtomicBool::new(temperature),
        };
        let url = |streamed| protocol.url(&connection, name, streamed);
        Ok(ChatModel {
            client: http::client(&connection)?,
            headers: http::headers(&connection)?,
            urls: [url(false)?, url(true)?],
            manner,
            streams: AtomicBool::new(false),
            connection,
        })
    }

    pub fn protocol(&self) -> Protocol {
        self.connection.protocol
    }

    /// Returns the form of structured output that the next request asks for: the best one not refused so far.
    pub fn form(&self) -> Form {
        self.form_of(self.manner.way())
    }

    /// Returns whether the latest reply requested as a stream came as one.
    pub fn streams(&self) -> bool {
        self.streams.load(Ordering::Relaxed)
    }

    fn form_of(&self, way: Way) -> Form {
        let forms = self.connection.protocol.forms();
        forms.get(usize::from(way.form)).copied().unwrap_or(Form::Prompt)
    }

    async fn once(
        &self,
        request: &ChatRequest,
        way: Way,
        words: &dyn Words,
    ) -> Result<ChatReply, PortError> {
        let service = self.service();
        let protocol = self.connection.protocol;
        let asked = Asked {
            name: self.connection.name(),
            request,
            object: request
                .schema
                .as_deref()
                .map(|schema| Object { form: self.form_of(way), schema }),
            temperature: way.temperature.then_some(request.temperature),
            thinking: way.thinking,
        };
        let body = protocol.body(&asked).map_err(|error| PortError::Invalid {
            what: format!("could not write the request: {error}"),
        })?;
        let [whole, stream] = &self.urls;
        let url = if request.streamed { stream } else { whole };
        let posted = pin!(http::post(&self.client, url, &self.headers, body, service));
        let mut response = if request.streamed {
            let longest = self.connection.idle_timeout.saturating_mul(THINKING);
            timeout(longest, posted).await.map_err(|_| transfer::silent(service, longest))??
        } else {
            posted.await?
        };
        let content_type = response.headers().get(CONTENT_TYPE);
        let content_type = content_type.and_then(|value| value.to_str().ok()).unwrap_or_default();
        // Some servers answer a stream request with a whole reply or an HTML page.
        let streams = !content_type.contains("json") && !content_type.contains("html");
        if request.streamed {
            self.streams.store(streams, Ordering::Relaxed);
        }
        let answer = if request.streamed && streams {
            self.streamed(request, response, words).await?
        } else {
            let content_type = content_type.to_owned();
            let limit = compute_limit(request);
            let body = body::whole(&mut response, service, limit).await?;
            let mut answer = Answer::default();
            let text = protocol.take_whole(&mut answer, service, &body, &content_type)?;
            words.hear(&text);
            answer
        };
        self.reply(request, answer)
    }

    async fn streamed(
        &self,
        request: &ChatRequest,
        mut response: Response,
        words: &dyn Words,
    ) -> Result<Answer, PortError> {
        let service = self.service();
        let limit = compute_limit(request);
        // The headers keep the buffer they were read into alive for as long as the model generates.
        response.headers_mut().clear();
        let mut events = Events::of(response, self.connection.idle_timeout, limit);
        let mut answer = Answer::default();
        while let Some(event) = events.next(service).await? {
            let piece = self.connection.protocol.take_piece(&mut answer, service, &event)?;
            if !piece.is_empty() {
                words.hear(&piece);
            }
            if answer.text.len() > limit {
                return Err(service.malformed(TOO_LONG));
            }
            if answer.done {
                break;
            }
        }
        Ok(answer)
    }

    /// Returns the reply with its token counts. If the server reports none, they are estimated at four characters per token.
    ///
    /// A reply without an end marker counts as complete if it is a whole object and some servers of its protocol forget the
    /// marker.
    fn reply(&self, request: &ChatRequest, answer: Answer) -> Result<ChatReply, PortError> {
        let service = self.service();
        let Answer { text, refusal, stop, usage, .. } = answer;
        if let Some(Stop::Withheld) = stop {
            return Err(service.withheld("the provider's filter withheld the reply"));
        }
        if text.trim().is_empty() && !refusal.is_empty() {
            return Err(service.withheld(&refusal));
        }
        let cut_off = stop == Some(Stop::CutOff);
        // An empty reply that reached its token limit was paid for, and a retry would cost the same again.
        if text.trim().is_empty() && !cut_off {
            return Err(service.malformed("an empty reply"));
        }
        let broke_off = match stop {
            None => self.connection.protocol.always_ends() || !is_whole(&text),
            Some(Stop::Unknown) => !is_whole(&text),
            Some(_) => false,
        };
        if broke_off {
            return Err(service.malformed("a reply that stopped before its end"));
        }
        let read = || {
            let turns: usize =
                request.turns.iter().map(|turn| text::count_tokens(&turn.text)).sum();
            (turns + text::count_tokens(&request.system)) as u64
        };
        let usage = Usage {
            input_tokens: usage.input().unwrap_or_else(read),
            cached_tokens: usage.cached.unwrap_or_default(),
            output_tokens: usage.output.unwrap_or_else(|| text::count_tokens(&text) as u64),
        };
        Ok(ChatReply { text, usage, cut_off })
    }

    fn service(&self) -> Service<'_> {
        Service { name: &self.connection.id, key: self.connection.key.as_ref() }
    }
}

/// How many times longer than within a stream a model may be silent before it: it reads its prompt, and may think.
const THINKING: u32 = 10;

/// Returns the size in bytes from which a reply is far too long.
fn compute_limit(request: &ChatRequest) -> usize {
    BYTES_PER_TOKEN * request.max_tokens as usize + ROOM
}

fn is_whole(text: &str) -> bool {
    tolerant::read(text).is_ok_and(|read| !read.repaired && !read.truncated)
}

#[async_trait]
impl Model for ChatModel {
    fn id(&self) -> &str {
        &self.connection.id
    }

    fn price(&self) -> Option<Price> {
        self.connection.price
    }

    async fn chat(&self, request: &ChatRequest, words: &dyn Words) -> Result<ChatReply, PortError> {
        let mut attempts =
            Attempts::new(&self.connection.id, request.deadline, self.connection.retry_delay)
                .set_by("models.timeout_seconds");
        loop {
            let way = self.manner.way();
            // Pinned here: passed by value, the future would be copied, and space reserved for it, at each level.
            let once = pin!(self.once(request, way, words));
            let error = match attempts.make(once).await {
                Ok(reply) => return Ok(reply),
                Err(error) => error,
            };
            let form = request.schema.as_ref().map(|_| self.form_of(way));
            if !self.manner.yields(way, form, &error) {
                attempts.after(error).await?;
            }
        }
    }
}
