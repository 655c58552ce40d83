//! Feeds for the subscribers of a run: each gets every entry once and in order, and the words of a draft as they come, while memory does
//! not grow with the number or the slowness of subscribers.
//!
//! A followed run has one feed, however many its subscribers. The feed reads the run's log, which is the only truth: an entry is sent once
//! it is on disk, never before, and is read the same way whichever process works on the run. The feed keeps the last entries in their sent
//! form, up to a bound, and all subscribers share them; one who is further behind reads the log separately. Drafts are kept once for all,
//! and a late or slow subscriber gets the missing words in one piece.
//!
//! Where another process works on the run, its feed there tells the words of its drafts as long as somebody follows the run elsewhere
//! ([`NewsEvent::Followed`]). Words may be lost on the way; a feed that lacks some asks for the whole drafts.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::convert::Infallible;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use bytes::Bytes;
use futures::stream::{self, Stream};
use run::budget::dollars;
use run::entry::{Entry, Event};
use run::listener::{Listener, Signal};
use run::log::{Log, LogError, RunSummary, Status};
use run::news::{DraftWords, News, NewsEvent};
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
/// How often a feed tells the worker elsewhere that the run is followed.
const ANNOUNCE: Duration = Duration::from_secs(5);
/// How soon it may ask for missing words again.
const ASK_AGAIN: Duration = Duration::from_millis(500);
/// How long a worker tells the words of its drafts after it heard that the run is followed.
const SHARED: Duration = Duration::from_secs(15);
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
    /// How many listeners hear the run work in this process.
    workers: usize,
    /// Until when other processes are told the words of drafts.
    shared_until: Option<Instant>,
    /// By step, the last entry that settled drafts of it: words of earlier ones come too late.
    settled: BTreeMap<String, u64>,
    /// The entry with which the latest worker began: words of earlier workers come too late.
    resumed: u64,
    /// Whether words of a draft elsewhere were missed.
    lacks: bool,
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
    /// Whether it is written in this process.
    is_own: bool,
}

impl Draft {
    /// Adds words; returns false if they do not fit.
    fn push(&mut self, text: &str) -> bool {
        self.is_full |= self.text.len() + text.len() > DRAFT_BYTES;
        if !self.is_full {
            self.text.push_str(text);
        }
        !self.is_full
    }
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
        if let Some(feed) = self.find(user, run) {
            feed.told.notify_one();
        }
    }

    /// Takes note of what this or another process tells.
    pub(crate) fn hear(&self, news: News) {
        let Some(feed) = self.find(&news.user, &news.run) else { return };
        match news.event {
            NewsEvent::Changed(_) => feed.told.notify_one(),
            NewsEvent::Followed { lacks } => feed.share(lacks),
            NewsEvent::Drafted(words) => feed.overhear(&words),
        }
    }

    /// Returns the feed of a run that is worked on here or followed.
    fn find(&self, user: &str, run: &str) -> Option<Arc<Feed>> {
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.get(&(user.to_owned(), run.to_owned())).and_then(Weak::upgrade)
    }

    /// Waits until a run with at least `from` entries waits for a person or has ended, or until the server stops.
    pub(crate) async fn at_rest(&self, user: &str, run: &str, from: u64) {
        let rests = |summary: &RunSummary| {
            summary.entries >= from
                && (summary.status == Status::Waiting || summary.status.is_final())
        };
        self.until(user, run, rests).await;
    }

    /// Returns whether the server stops.
    pub(crate) fn is_closing(&self) -> bool {
        *self.closing.borrow()
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

    /// Adds words to the draft of a step, and tells other processes if somebody follows the run there.
    fn write(&self, step: &str, text: &str) {
        let mut state = self.state();
        if state.drafts.get(step).is_some_and(|draft| !draft.is_own) {
            // It broke off elsewhere.
            state.drafts.remove(step);
        }
        let is_shared = state.is_shared();
        let after = state.heard;
        let draft = state.draft(step, after);
        draft.is_own = true;
        let offset = draft.text.len();
        if !draft.push(text) {
            return;
        }
        let after = draft.after;
        if is_shared {
            let (step, text) = (step.to_owned(), text.to_owned());
            self.tell(NewsEvent::Drafted(DraftWords { step, after, offset, text }));
        }
        drop(state);
        self.change();
    }

    /// Tells other processes the words of drafts from now on for some time; those drafted so far too if they `lack` some of them, or
    /// were told none yet.
    fn share(&self, lacks: bool) {
        let mut state = self.state();
        if state.workers == 0 {
            return;
        }
        let is_shared = state.is_shared();
        state.shared_until = Some(Instant::now() + SHARED);
        if is_shared && !lacks {
            return;
        }
        for (step, draft) in state.drafts.iter().filter(|(_, draft)| draft.is_own) {
            let Draft { after, text, .. } = draft;
            let (step, text) = (step.clone(), text.clone());
            self.tell(NewsEvent::Drafted(DraftWords { step, after: *after, offset: 0, text }));
        }
    }

    /// Adds words that a worker in another process tells to the draft of a step: once, however often they are told.
    fn overhear(&self, words: &DraftWords) {
        let DraftWords { step, after, offset, text } = words;
        let mut state = self.state();
        let is_late = state.resumed > *after
            || state.settled.get(step).is_some_and(|settled| *settled > *after)
            || state.drafts.get(step).is_some_and(|draft| draft.after > *after);
        if state.workers > 0 || state.followers == 0 || is_late {
            return;
        }
        if state.drafts.get(step).is_some_and(|draft| draft.after < *after) {
            state.drafts.remove(step);
        }
        let draft = state.draft(step, *after);
        let Some(known) = draft.text.len().checked_sub(*offset) else {
            state.lacks = true;
            drop(state);
            self.told.notify_one();
            return;
        };
        let Some(new) = text.get(known..).filter(|new| !new.is_empty()) else { return };
        if draft.push(new) {
            drop(state);
            self.change();
        }
    }

    /// Tells the worker of the run, where it is in another process, that the run is followed; `told_at` is when it was told last.
    fn announce(&self, told_at: &mut Option<Instant>) {
        let mut state = self.state();
        let is_running =
            state.summary.as_ref().is_some_and(|summary| summary.status == Status::Running);
        if !is_running || state.workers > 0 {
            return;
        }
        let interval = if state.lacks { ASK_AGAIN } else { ANNOUNCE };
        if told_at.is_some_and(|told_at| told_at.elapsed() < interval) {
            return;
        }
        let lacks = std::mem::take(&mut state.lacks) || told_at.is_none();
        *told_at = Some(Instant::now());
        self.tell(NewsEvent::Followed { lacks });
    }

    fn tell(&self, event: NewsEvent) {
        self.log.tell(News { user: self.user.clone(), run: self.run.clone(), event });
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
            let State { begun, heard, workers, shared_until, .. } = *state;
            let mut drafts = std::mem::take(&mut state.drafts);
            drafts.retain(|_, draft| draft.is_own);
            *state = State { begun, heard, workers, shared_until, drafts, ..State::default() };
        }
        state.is_read
    }
}

impl State {
    fn is_shared(&self) -> bool {
        self.shared_until.is_some_and(|until| Instant::now() < until)
    }

    /// Returns the draft of a step; a new one begins after entry `after`.
    fn draft(&mut self, step: &str, after: u64) -> &mut Draft {
        let State { drafts, begun, .. } = self;
        drafts.entry(step.to_owned()).or_insert_with(|| {
            *begun += 1;
            let text = String::new();
            Draft { number: *begun, after, text, is_full: false, is_own: false }
        })
    }

    /// Drops the drafts that an entry settles: their text is in the log now, or unusable.
    fn settle(&mut self, entry: &Entry) {
        match &entry.event {
            Event::Returned { step, .. } | Event::Failed { step, .. } => {
                // A draft begun after a failure is a new one.
                self.drafts.retain(|of, draft| of != step || draft.after >= entry.seq);
                self.settled.insert(step.clone(), entry.seq);
            }
            Event::Resumed { .. } => {
                self.drafts.retain(|_, draft| draft.after >= entry.seq);
                self.resumed = entry.seq;
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
    let mut told_at: Option<Instant> = None;
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
        feed.announce(&mut told_at);
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
pub(crate) struct FeedListener(Arc<Feed>);

impl FeedListener {
    pub(crate) fn of(feed: Arc<Feed>) -> FeedListener {
        feed.state().workers += 1;
        FeedListener(feed)
    }
}

impl Drop for FeedListener {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.workers = state.workers.saturating_sub(1);
    }
}

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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A feed with a follower, whose log has nobody to tell.
    fn follow() -> (tempfile::TempDir, Feed) {
        let folder = tempfile::tempdir().unwrap();
        let log: Arc<dyn Log> = Arc::new(store::Store::open(folder.path()).unwrap());
        let state = Mutex::new(State { followers: 1, ..State::default() });
        let (user, run) = ("ada".to_owned(), "r".to_owned());
        let (changed, told) = (watch::Sender::new(0), Notify::new());
        (folder, Feed { user, run, log, state, changed, told })
    }

    const DRAFTS: [(u64, &str); 3] =
        [(2, "Ein Anfang, der abbrach"), (5, "Zwölf 🦊"), (9, "Und Schluß.")];

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        // proves: S2, C5
        #[test]
        fn whatever_is_lost_doubled_or_late_a_draft_is_how_its_latest_begins(
            told in prop::collection::vec((0..3_usize, 0..30_usize, 1..30_usize), 0..60),
            settled in prop::option::of((0..60_usize, any::<bool>())),
        ) {
            let (_folder, feed) = follow();
            let mut floor = 0;
            for (index, (which, from, many)) in told.into_iter().enumerate() {
                if let Some((_, anew)) = settled.filter(|(at, _)| *at == index) {
                    let event = match anew {
                        true => Event::Resumed { attempt: 2 },
                        false => Event::Failed {
                            step: "s".into(),
                            attempt: 1,
                            fault: run::entry::Fault::Malformed,
                            error: String::new(),
                            reply: None,
                            usage: run::budget::Usage::default(),
                            cost_usd_micros: 0,
                        },
                    };
                    let head = run::entry::Head { seq: 5, ..Default::default() };
                    let (entry, _) = Entry::seal(&head, jiff::Timestamp::UNIX_EPOCH, event);
                    feed.state().settle(&entry);
                    floor = floor.max(entry.seq);
                }
                let (after, text) = DRAFTS[which];
                let offset = text.floor_char_boundary(from.min(text.len()));
                let end = text.floor_char_boundary((offset + many).min(text.len()));
                let text = text[offset..end].to_owned();
                feed.overhear(&DraftWords { step: "s".into(), after, offset, text });
                floor = floor.max(after);
                let state = feed.state();
                if let Some(draft) = state.drafts.get("s") {
                    let (_, whole) = DRAFTS.iter().find(|(after, _)| *after == draft.after).unwrap();
                    prop_assert!(whole.starts_with(&draft.text), "{:?}", draft.text);
                    prop_assert!(draft.after >= floor);
                }
            }
        }
    }
}
