//! A chat model over the OpenAI protocol.

use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use backon::{BackoffBuilder, ExponentialBuilder};
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderValue};
use reqwest::{Response, Url};
use tokio::time::{Instant, sleep, timeout};

use run::budget::{Price, Usage};
use run::ports::{ChatReply, ChatRequest, Model, PortError, Words};
use run::{analysis, tolerant};

use crate::faults::{self, Service};
use crate::protocol::{self, Answer, Stop};
use crate::transfer::{self, Events};
use crate::{ConnectError, Connection, Structured};

/// Attempts after the first.
const RETRIES: usize = 3;

/// The bytes that a reply may have for each token asked for, and beyond these: room for thoughts and escapes.
const BYTES_PER_TOKEN: usize = 64;
const ROOM: usize = 2 * 1024 * 1024;

/// A chat model behind the port.
pub struct ChatModel {
    connection: Connection,
    client: reqwest::Client,
    url: Url,
    authorization: Option<HeaderValue>,
    /// The best form of structured output that the server has not refused, as [`level`] counts them.
    structured: AtomicU8,
}

impl ChatModel {
    pub fn new(connection: Connection) -> Result<ChatModel, ConnectError> {
        let mut http = reqwest::Client::builder()
            .user_agent(concat!("quaestio/", env!("CARGO_PKG_VERSION")))
            // A redirect would carry the key to another host.
            .redirect(reqwest::redirect::Policy::none())
            .connect_timeout(connection.idle_timeout)
            .tcp_nodelay(true)
            // A small compressed reply can be gigabytes of text.
            .no_gzip()
            .no_brotli()
            .no_zstd()
            .no_deflate()
            .no_proxy();
        if connection.base_url.starts_with("http://") {
            // Without TLS there is no need to read the system's certificates.
            http = http.tls_certs_only([]);
        }
        let client = http
            .build()
            .map_err(|error| ConnectError::Client { reason: error.without_url().to_string() })?;
        let url = Url::parse(&connection.base_url).and_then(|base| {
            let mut url = base.join("chat/completions")?;
            url.set_query(base.query());
            Ok(url)
        });
        let url = url.map_err(|error| ConnectError::BaseUrl {
            url: connection.base_url.clone(),
            reason: error.to_string(),
        })?;
        let authorization = connection.key.as_ref().map(|key| {
            let mut header = HeaderValue::try_from(format!("Bearer {}", key.reveal()))?;
            header.set_sensitive(true);
            Ok(header)
        });
        let authorization =
            authorization.transpose().map_err(|_: reqwest::header::InvalidHeaderValue| {
                ConnectError::Client {
                    reason: "the key holds a character that no header may, perhaps a line break"
                        .into(),
                }
            })?;
        let structured = AtomicU8::new(level(connection.structured));
        Ok(ChatModel { connection, client, url, authorization, structured })
    }

    async fn once(
        &self,
        request: &ChatRequest,
        structured: Structured,
        words: &dyn Words,
    ) -> Result<ChatReply, PortError> {
        let service = self.service();
        let (_, name) = self.connection.id.split_once('/').unwrap_or_default();
        let body = protocol::body(name, request, structured).map_err(|error| {
            PortError::Invalid { what: format!("the request cannot be written: {error}") }
        })?;
        let mut post = self.client.post(self.url.clone());
        post = post.header(CONTENT_TYPE, "application/json").body(body);
        if let Some(authorization) = &self.authorization {
            post = post.header(AUTHORIZATION, authorization.clone());
        }
        let mut response = post.send().await.map_err(|error| service.network(&error))?;
        if !response.status().is_success() {
            let body = transfer::beginning(&mut response).await;
            return Err(service.refused(response.status(), response.headers(), &body));
        }
        let content_type = response.headers().get(CONTENT_TYPE);
        let content_type = content_type.and_then(|value| value.to_str().ok()).unwrap_or_default();
        // Some servers answer with a whole reply, or a page, where a stream was asked for.
        let streams = !content_type.contains("json") && !content_type.contains("html");
        let answer = if request.streamed && streams {
            self.streamed(request, response, words).await?
        } else {
            let content_type = content_type.to_owned();
            let limit = limit(request);
            let body = transfer::whole(&mut response, service, limit).await?;
            let mut answer = Answer::default();
            let text = answer.take_whole(service, &body, &content_type)?;
            words.hear(&text);
            answer
        };
        self.reply(request, answer)
    }

    async fn streamed(
        &self,
        request: &ChatRequest,
        response: Response,
        words: &dyn Words,
    ) -> Result<Answer, PortError> {
        let service = self.service();
        let limit = limit(request);
        let mut events = Events::of(response, self.connection.idle_timeout, limit);
        let mut answer = Answer::default();
        while let Some(event) = events.next(service).await? {
            if event == b"[DONE]" {
                break;
            }
            let piece = answer.take_piece(service, &event)?;
            if !piece.is_empty() {
                words.hear(&piece);
            }
            if answer.text.len() > limit {
                return Err(service.malformed(faults::TOO_LONG));
            }
        }
        Ok(answer)
    }

    /// Returns the reply with what was counted; a server that counts nothing is estimated at four characters a token.
    ///
    /// A reply that does not say that it ended is complete where it is a whole object all the same.
    fn reply(&self, request: &ChatRequest, answer: Answer) -> Result<ChatReply, PortError> {
        let service = self.service();
        let Answer { text, refusal, stop, usage } = answer;
        if let Some(Stop::Withheld) = stop {
            return Err(service.withheld("the provider's filter withheld the reply"));
        }
        if text.trim().is_empty() && !refusal.is_empty() {
            return Err(service.withheld(&refusal));
        }
        let cut_off = stop == Some(Stop::CutOff);
        // One that spent its tokens before the first word was paid for, and would be so again.
        if text.trim().is_empty() && !cut_off {
            return Err(service.malformed("an empty reply"));
        }
        if matches!(stop, None | Some(Stop::Unknown)) && !is_whole(&text) {
            return Err(service.malformed("a reply that broke off before its end"));
        }
        let read = || {
            let turns: usize = request.turns.iter().map(|turn| analysis::tokens(&turn.text)).sum();
            (turns + analysis::tokens(&request.system)) as u64
        };
        let usage = Usage {
            input_tokens: usage.input.unwrap_or_else(read),
            cached_tokens: usage.cached.unwrap_or_default(),
            output_tokens: usage.output.unwrap_or_else(|| analysis::tokens(&text) as u64),
        };
        Ok(ChatReply { text, usage, cut_off })
    }

    fn service(&self) -> Service<'_> {
        Service { name: &self.connection.id, key: self.connection.key.as_ref() }
    }

    fn structured(&self) -> Structured {
        match self.structured.load(Ordering::Relaxed) {
            0 => Structured::Schema,
            1 => Structured::Json,
            _ => Structured::Prompt,
        }
    }
}

/// Returns the bytes at which a reply is far too long.
fn limit(request: &ChatRequest) -> usize {
    BYTES_PER_TOKEN * request.max_tokens as usize + ROOM
}

fn is_whole(text: &str) -> bool {
    tolerant::read(text).is_ok_and(|read| !read.repaired && !read.truncated)
}

fn level(structured: Structured) -> u8 {
    match structured {
        Structured::Schema => 0,
        Structured::Json => 1,
        Structured::Prompt => 2,
    }
}

/// Tells whether the server refused the form of structured output rather than the request.
fn is_about_format(error: &PortError) -> bool {
    const WORDS: [&str; 6] =
        ["response_format", "json_schema", "json_object", "structured output", "guided", "grammar"];
    match error {
        PortError::Refused { status: 400 | 404 | 415 | 422 | 501, reason, .. } => {
            let reason = reason.to_lowercase();
            WORDS.iter().any(|word| reason.contains(word))
        }
        PortError::Failed { status: 501, .. } => true,
        _ => false,
    }
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
        let until = Instant::now() + request.deadline;
        let late = || PortError::TimedOut {
            service: self.connection.id.clone(),
            seconds: request.deadline.as_secs(),
        };
        let back_off = ExponentialBuilder::default()
            .with_min_delay(self.connection.retry_delay)
            .with_max_delay(Duration::from_secs(20))
            .with_jitter()
            .with_max_times(RETRIES);
        let mut delays = back_off.build();
        loop {
            let structured = self.structured();
            let left = until.saturating_duration_since(Instant::now());
            let answered =
                timeout(left, self.once(request, structured, words)).await.map_err(|_| late())?;
            let error = match answered {
                Ok(reply) => return Ok(reply),
                Err(error) => error,
            };
            if structured != Structured::Prompt && is_about_format(&error) {
                // Whoever came first has lowered it already.
                self.structured.fetch_max(level(structured) + 1, Ordering::Relaxed);
                continue;
            }
            let Some(delay) = delays.next().filter(|_| faults::may_pass(&error)) else {
                return Err(error);
            };
            let delay = match &error {
                PortError::Limited { retry_after: Some(asked), .. } => *asked,
                _ => delay,
            };
            if delay >= until.saturating_duration_since(Instant::now()) {
                return Err(error);
            }
            sleep(delay).await;
        }
    }
}
