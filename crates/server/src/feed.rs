//! Feeds for the subscribers of a run: each gets every entry once and in order, and the words of a draft as they come, while memory does
//! not grow with the number or the slowness of subscribers.
//!
//! A followed run has one feed, however many its subscribers. The feed reads the run's log, which is the only truth: an entry is sent once
//! it is on disk, never before, and is read the same way whichever process works on the run. The feed keeps the last entries in their sent
//! form, up to a bound, and all subscribers share them; one who is further behind reads the log separately. Drafts are kept once for all,
//! and a late or slow subscriber gets the missing words in one piece.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::convert::Infallible;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use bytes::Bytes;
use futures::stream::{self, Stream};
use run::budget::dollars;
use run::entry::{Entry, Event};
use run::listener::{Listener, Signal};
use run::log::{Log, LogError, RunSummary, Status};
use serde_json::json;
use tokio::sync::{Notify, watch};

/// The most bytes of entries that a feed keeps.
const KEPT_BYTES: usize = 2 << 20;
/// The most entries read from the log at a time.
const PAGE: u32 = 32;
/// The page size of a subscriber that is further behind than the feed reaches: each holds its own entries.
const OWN_PAGE: u32 = 4;
/// The most bytes of a draft that are kept.
const DRAFT_BYTES: usize = 256 << 10;
/// How often a feed polls the log without notification.
const LOOK: Duration = Duration::from_millis(400);
/// The first wait for an announced entry, which may not be on disk yet.
const SOON: Duration = Duration::from_millis(3);
/// The interval of keep-alive messages on a silent stream.
const HEARTBEAT: Duration = Duration::from_secs(15);
/// How long a browser waits before it reconnects, in milliseconds.
const RETRY_MS: u32 = 1_000;

type Key = (String, String);

/// The feeds of all runs that are worked on here or followed.
pub(crate) struct Feeds {
    log: Arc<dyn Log>,
    open: Mutex<HashMap<Key, Weak<Feed>>>,
    /// Turns true when the server stops.
    closing: watch::Receiver<bool>,
}

/// The state that the subscribers of one run share.
pub(crate) struct Feed {
    user: String,
    run: String,
    log: Arc<dyn Log>,
    state: Mutex<State>,
    /// Counts the changes, so that no waiting task misses one.
    changed: watch::Sender<u64>,
    /// Notified when the log may have a new entry.
    told: Notify,
}

#[derive(Default)]
struct State {
    followers: usize,
    /// Whether a task reads the log for the subscribers.
    is_read: bool,
    entries: VecDeque<Frame>,
    bytes: usize,
    /// The number of the last entry that was read.
    last: u64,
    summary: Option<RunSummary>,
    /// Counts the changes of the summary.
    version: u64,
    drafts: BTreeMap<String, Draft>,
    /// Counts the drafts.
    begun: u64,
    /// The number of the last announced entry, which may not be on disk yet.
    heard: u64,
}

/// An entry in its sent form.
struct Frame {
    seq: u64,
    bytes: Bytes,
    /// The offset of the entry's JSON in the bytes.
    json_at: usize,
}

struct Draft {
    /// Its number among all drafts.
    number: u64,
    /// The entry after which it began; its words are sent only after that entry.
    after: u64,
    text: String,
    /// Whether words that did not fit were dropped; all later ones are too.
    is_full: bool,
}

impl Feeds {
    pub(crate) fn new(log: Arc<dyn Log>, closing: watch::Receiver<bool>) -> Feeds {
        Feeds { log, open: Mutex::default(), closing }
    }

    /// Returns the feed of a run.
    pub(crate) fn of(&self, user: &str, run: &str) -> Arc<Feed> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (user.to_owned(), run.to_owned());
        if let Some(feed) = open.get(&key).and_then(Weak::upgrade) {
            return feed;
        }
        open.retain(|_, feed| feed.strong_count() > 0);
        let feed = Arc::new(Feed {
            user: user.to_owned(),
            run: run.to_owned(),
            log: Arc::clone(&self.log),
            state: Mutex::default(),
            changed: watch::Sender::new(0),
            told: Notify::new(),
        });
        open.insert(key, Arc::downgrade(&feed));
        feed
    }

    /// Announces a new entry in the log of a run, which may have no worker.
    pub(crate) fn tell(&self, user: &str, run: &str) {
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let feed = open.get(&(user.to_owned(), run.to_owned())).and_then(Weak::upgrade);
        if let Some(feed) = feed {
            feed.told.notify_one();
        }
    }

    /// Waits until a run with at least `from` entries waits for a person or has ended, or until the server stops.
    pub(crate) async fn at_rest(&self, user: &str, run: &str, from: u64) {
        let rests = |summary: &RunSummary| {
            summary.entries >= from
                && (summary.status == Status::Waiting || summary.status.is_final())
        };
        self.until(user, run, rests).await;
    }

    /// Waits until a run has ended; returns false if the server stops first.
    pub(crate) async fn at_end(&self, user: &str, run: &str) -> bool {
        self.until(user, run, |summary| summary.status.is_final()).await
    }

    /// Waits until the run's summary is as `wanted`; returns false if the server stops first.
    async fn until(&self, user: &str, run: &str, wanted: impl Fn(&RunSummary) -> bool) -> bool {
        let feed = self.of(user, run);
        feed.joined();
        let waiting = Joined(feed);
        let mut changed = waiting.0.changed.subscribe();
        let mut closing = self.closing.clone();
        loop {
            let is_so = waiting.0.state().summary.as_ref().is_some_and(&wanted);
            if is_so {
                return true;
            }
            tokio::select! {
                _ = changed.changed() => {}
                _ = closing.wait_for(|closing| *closing) => return false,
            }
        }
    }

    /// Returns the stream of a run as server-sent events, from the entry after number `after`, until the run has ended.
    pub(crate) fn follow(
        &self,
        user: &str,
        run: &str,
        after: u64,
    ) -> impl Stream<Item = Result<Bytes, Infallible>> + use<> {
        let greeting = Bytes::from(format!("retry: {RETRY_MS}\n\n"));
        let follower = (Some(greeting), self.follower(user, run, after));
        stream::unfold(follower, async |(greeting, mut follower)| {
            let frame = match greeting {
                Some(greeting) => greeting,
                None => follower.next().await?.event(),
            };
            Some((Ok(frame), (None, follower)))
        })
    }

    /// Returns a subscriber of a run from the entry after number `after`, until the run has ended or the server stops.
    pub(crate) fn follower(&self, user: &str, run: &str, after: u64) -> Follower {
        let feed = self.of(user, run);
        feed.joined();
        let changed = feed.changed.subscribe();
        Follower {
            feed,
            changed,
            closing: self.closing.clone(),
            seq: after,
            own: VecDeque::new(),
            version: 0,
            drafts: HashMap::new(),
            ended: false,
        }
    }
}

/// A subscriber that waits at a feed and reads no entries.
struct Joined(Arc<Feed>);

impl Drop for Joined {
    fn drop(&mut self) {
        self.0.left();
    }
}

impl Feed {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self) {
        self.changed.send_modify(|count| *count = count.wrapping_add(1));
    }

    /// Counts a subscriber, and starts the reader of the log if there is none.
    fn joined(self: &Arc<Feed>) {
        let mut state = self.state();
        state.followers += 1;
        if !std::mem::replace(&mut state.is_read, true) {
            tokio::spawn(read(Arc::clone(self)));
        }
    }

    fn left(&self) {
        let mut state = self.state();
        state.followers = state.followers.saturating_sub(1);
        drop(state);
        self.told.notify_one();
    }

    /// Adds words to the draft of a step.
    fn write(&self, step: &str, text: &str) {
        let mut state = self.state();
        let State { drafts, begun, heard, .. } = &mut *state;
        let draft = drafts.entry(step.to_owned()).or_insert_with(|| {
            *begun += 1;
            Draft { number: *begun, after: *heard, text: String::new(), is_full: false }
        });
        draft.is_full |= draft.text.len() + text.len() > DRAFT_BYTES;
        if draft.is_full {
            return;
        }
        draft.text.push_str(text);
        drop(state);
        self.change();
    }

    /// Takes note of an entry from a worker in this process.
    fn hear(&self, entry: &Entry) {
        let mut state = self.state();
        state.heard = entry.seq;
        state.settle(entry);
        drop(state);
        self.told.notify_one();
    }

    /// Stores what was read from the log.
    fn take(&self, entries: &[Entry], summary: RunSummary) {
        let mut state = self.state();
        for entry in entries {
            state.settle(entry);
            let frame = Frame::of(entry);
            state.bytes += frame.bytes.len();
            state.last = frame.seq;
            state.entries.push_back(frame);
        }
        while state.bytes > KEPT_BYTES
            && let Some(oldest) = state.entries.pop_front()
        {
            state.bytes -= oldest.bytes.len();
        }
        if state.summary.as_ref() != Some(&summary) {
            state.summary = Some(summary);
            state.version += 1;
        }
        drop(state);
        self.change();
    }

    /// Ends the reading without subscribers; returns whether it continues.
    fn goes_on(&self) -> bool {
        let mut state = self.state();
        if state.followers == 0 {
            let State { begun, heard, .. } = *state;
            let drafts = std::mem::take(&mut state.drafts);
            *state = State { begun, heard, drafts, ..State::default() };
        }
        state.is_read
    }
}

impl State {
    /// Drops the drafts that an entry settles: their text is in the log now, or unusable.
    fn settle(&mut self, entry: &Entry) {
        match &entry.event {
            Event::Returned { step, .. } | Event::Failed { step, .. } => {
                // A draft begun after a failure is a new one.
                self.drafts.retain(|of, draft| of != step || draft.after >= entry.seq);
            }
            Event::Finished { .. } | Event::Stopped { .. } | Event::Cancelled { .. } => {
                self.drafts.clear();
            }
            _ => {}
        }
    }
}

/// Reads the log of a run while it has subscribers.
async fn read(feed: Arc<Feed>) {
    let mut wait = Duration::ZERO;
    let mut known: Option<RunSummary> = None;
    while feed.goes_on() {
        let after = feed.state().last;
        let mut is_new = false;
        // The summary comes first: entries written in between are read with the next one.
        if let Ok(summary) = feed.log.summary(&feed.user, &feed.run).await {
            let entries = match summary.entries > after {
                true => feed.log.page(&feed.user, &feed.run, after, PAGE).await,
                false => Ok(vec![]),
            };
            if let Ok(entries) = entries {
                let is_all = entries.last().map_or(after, |last| last.seq) >= summary.entries;
                is_new = !entries.is_empty();
                // The new state is reported only after all entries that led to it.
                let summary = match known.take() {
                    Some(before) if !is_all => before,
                    _ => summary,
                };
                known = Some(summary.clone());
                if is_new || feed.state().summary.as_ref() != Some(&summary) {
                    feed.take(&entries, summary);
                }
                if !is_all {
                    continue;
                }
            }
        }
        wait = match (is_new, wait < LOOK) {
            (true, _) | (false, false) => LOOK,
            (false, true) => (wait * 2).clamp(SOON, LOOK),
        };
        tokio::select! {
            () = feed.told.notified() => {
                wait = SOON;
                tokio::time::sleep(SOON).await;
            }
            () = tokio::time::sleep(wait) => {}
        }
    }
}

/// Passes the signals of a run in this process to its feed.
pub(crate) struct FeedListener(pub(crate) Arc<Feed>);

impl Listener for FeedListener {
    fn hear(&self, _: &str, signal: Signal<'_>) {
        match signal {
            Signal::Entry(entry) => self.0.hear(entry),
            Signal::Words { step, text } => self.0.write(step, text),
        }
    }
}

/// A message to a subscriber.
pub(crate) enum Piece {
    Entry(Told),
    /// New words of a draft.
    Words(Drafted),
    State(RunSummary),
    End(Status),
    /// A keep-alive after a silence.
    Alive,
}

/// An entry in its sent form.
pub(crate) struct Told {
    bytes: Bytes,
    json_at: usize,
}

impl Told {
    /// Returns the entry, or `None` if it does not parse, which no log entry causes.
    pub(crate) fn entry(&self) -> Option<Entry> {
        serde_json::from_slice(self.bytes.get(self.json_at..)?).ok()
    }
}

/// Words of a draft.
pub(crate) struct Drafted {
    pub(crate) step: String,
    /// The number of UTF-16 units of the draft before these words.
    offset: usize,
    pub(crate) text: String,
}

impl Piece {
    /// Returns the piece as a server-sent event.
    fn event(self) -> Bytes {
        match self {
            Piece::Entry(told) => told.bytes,
            Piece::Words(Drafted { step, offset, text }) => {
                frame("draft", &json!({ "step": step, "offset": offset, "text": text }))
            }
            Piece::State(summary) => state_frame(&summary),
            Piece::End(status) => frame("end", &json!({ "status": status })),
            Piece::Alive => Bytes::from_static(b": still here\n\n"),
        }
    }
}

/// A subscriber of a run's stream.
pub(crate) struct Follower {
    feed: Arc<Feed>,
    changed: watch::Receiver<u64>,
    closing: watch::Receiver<bool>,
    /// The number of the last entry that was sent.
    seq: u64,
    /// Entries that the feed no longer has.
    own: VecDeque<Frame>,
    version: u64,
    /// How much of each draft was sent: its number, bytes, UTF-16 units.
    drafts: HashMap<String, (u64, usize, usize)>,
    ended: bool,
}

/// The next thing for a subscriber.
enum Next {
    Piece(Piece),
    /// Entries that the feed no longer has.
    Behind,
    Nothing,
}

impl Follower {
    /// Returns the next piece, or `None` after the end.
    pub(crate) async fn next(&mut self) -> Option<Piece> {
        if self.ended {
            return None;
        }
        loop {
            if *self.closing.borrow() {
                return None;
            }
            if let Some(frame) = self.own.pop_front() {
                self.seq = frame.seq;
                return Some(frame.told());
            }
            self.changed.mark_unchanged();
            match self.look() {
                Next::Piece(piece) => {
                    self.ended = matches!(piece, Piece::End(_));
                    return Some(piece);
                }
                // A log that cannot be read ends the stream; the client reconnects.
                Next::Behind => self.catch_up().await.ok()?,
                Next::Nothing => {
                    tokio::select! {
                        _ = self.changed.changed() => {}
                        _ = self.closing.wait_for(|closing| *closing) => return None,
                        () = tokio::time::sleep(HEARTBEAT) => return Some(Piece::Alive),
                    }
                }
            }
        }
    }

    fn look(&mut self) -> Next {
        let feed = Arc::clone(&self.feed);
        let state = feed.state();
        let Some(summary) = &state.summary else { return Next::Nothing };
        if self.seq < state.last {
            let first = state.entries.front().map_or(u64::MAX, |frame| frame.seq);
            if self.seq + 1 < first {
                return Next::Behind;
            }
            let index = usize::try_from(self.seq + 1 - first).unwrap_or(usize::MAX);
            let Some(frame) = state.entries.get(index) else { return Next::Nothing };
            self.seq = frame.seq;
            return Next::Piece(frame.told());
        }
        if let Some(words) = take_words(&state.drafts, &mut self.drafts, self.seq) {
            return Next::Piece(Piece::Words(words));
        }
        if self.version != state.version {
            self.version = state.version;
            return Next::Piece(Piece::State(summary.clone()));
        }
        if summary.status.is_final() && state.last >= summary.entries {
            return Next::Piece(Piece::End(summary.status));
        }
        Next::Nothing
    }

    async fn catch_up(&mut self) -> Result<(), LogError> {
        let Feed { log, user, run, .. } = &*self.feed;
        let entries = log.page(user, run, self.seq, OWN_PAGE).await?;
        self.own = entries.iter().map(Frame::of).collect();
        Ok(())
    }
}

impl Drop for Follower {
    fn drop(&mut self) {
        self.feed.left();
    }
}

/// Returns the words of a draft that were not yet sent to a subscriber with the entries up to `seq`.
fn take_words(
    drafts: &BTreeMap<String, Draft>,
    sent: &mut HashMap<String, (u64, usize, usize)>,
    seq: u64,
) -> Option<Drafted> {
    sent.retain(|step, _| drafts.contains_key(step));
    for (step, draft) in drafts.iter().filter(|(_, draft)| draft.after <= seq) {
        let at = sent.get(step).filter(|(number, ..)| *number == draft.number);
        let (bytes, units) = at.map_or((0, 0), |&(_, bytes, units)| (bytes, units));
        let Some(text) = draft.text.get(bytes..).filter(|text| !text.is_empty()) else { continue };
        let words = Drafted { step: step.clone(), offset: units, text: text.to_owned() };
        let units = units + text.encode_utf16().count();
        sent.insert(step.clone(), (draft.number, draft.text.len(), units));
        return Some(words);
    }
    None
}

impl Frame {
    fn of(entry: &Entry) -> Frame {
        let json = serde_json::to_string(entry).unwrap_or_default();
        let head = format!("id: {}\nevent: entry\ndata: ", entry.seq);
        let json_at = head.len();
        Frame { seq: entry.seq, bytes: Bytes::from(head + &json + "\n\n"), json_at }
    }

    fn told(&self) -> Piece {
        Piece::Entry(Told { bytes: self.bytes.clone(), json_at: self.json_at })
    }
}

fn state_frame(summary: &RunSummary) -> Bytes {
    let RunSummary { status, tokens, cost_usd_micros, entries, stopping, .. } = summary;
    frame(
        "state",
        &json!({
            "status": status, "tokens": tokens, "cost_usd": dollars(*cost_usd_micros), "entries": entries,
            "stopping": stopping,
        }),
    )
}

fn frame(event: &str, data: &serde_json::Value) -> Bytes {
    Bytes::from(format!("event: {event}\ndata: {data}\n\n"))
}
