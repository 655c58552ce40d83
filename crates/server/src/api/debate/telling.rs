//! A debate as text, streamed to a subscriber or whole.

use std::convert::Infallible;

use bytes::Bytes;
use futures::stream::{self, Stream};
use methods::debate::TextStream;
use run::entry::Entry;
use run::log::Status;

use crate::feed::{Follower, Piece};
use crate::state::Shared;

/// A subscriber to the text of a debate.
struct Told {
    app: Shared,
    user: String,
    run: String,
    follower: Follower,
    text_stream: TextStream,
    status: Status,
}

/// Streams a debate from its beginning until it ends or the server stops.
pub(super) fn follow(
    app: &Shared,
    user: &str,
    run: &str,
) -> impl Stream<Item = Result<Bytes, Infallible>> + use<> {
    let told = Told {
        app: Shared::clone(app),
        user: user.to_owned(),
        run: run.to_owned(),
        follower: app.feeds.follower(user, run, 0),
        text_stream: TextStream::default(),
        status: Status::Queued,
    };
    stream::unfold(told, async |mut told| {
        let text = told.next().await?;
        Some((Ok(Bytes::from(text)), told))
    })
}

impl Told {
    /// Returns the next piece of the text, or `None` at its end.
    async fn next(&mut self) -> Option<String> {
        loop {
            if self.text_stream.has_ended() {
                return None;
            }
            let text = match self.follower.next().await? {
                Piece::Entry(told) => self.text_stream.entry(&told.entry()?),
                Piece::Words(words) => self.text_stream.words(&words.step, &words.text),
                Piece::Alive => self.text_stream.aside(&self.standing()),
                Piece::State(summary) => {
                    self.status = summary.status;
                    continue;
                }
                Piece::End(_) => continue,
            };
            if !text.is_empty() {
                return Some(text);
            }
        }
    }

    /// Returns the status line of a debate in which nothing happens.
    fn standing(&self) -> String {
        match self.app.queue.hindrance(&self.user, &self.run) {
            Some(why) => format!("this server cannot continue the debate: {why}"),
            None if self.status == Status::Waiting => "waiting for a person".to_owned(),
            None => "still running".to_owned(),
        }
    }
}

/// Returns a whole debate without its status lines.
pub(super) fn whole(entries: &[Entry]) -> String {
    let mut text_stream = TextStream::default();
    let told: String = entries.iter().map(|entry| text_stream.entry(entry)).collect();
    told.split_inclusive('\n').filter(|line| TextStream::status(line).is_none()).collect()
}
