//! What other processes did: told by `NOTIFY`, and heard over a connection of its own.
//!
//! News of a change is sent after the commit, not with it, so that commits do not wait for each other. It may be late, told twice or lost with a
//! connection; whoever hears it looks into the log, and does so now and then without any.

use std::future::poll_fn;
use std::pin::pin;
use std::time::Duration;

use deadpool_postgres::Pool;
use futures::StreamExt;
use futures::stream::{self, BoxStream};
use run::log::Status;
use run::news::{DraftWords, News, NewsEvent};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::{Instant, sleep, timeout, timeout_at};
use tokio_postgres::AsyncMessage;

use crate::connection::Address;
use crate::fault::Fault;

const CHANNEL: &str = "quaestio_news";
/// How long news is gathered, so that many changes of a run are told as one.
const GATHER: Duration = Duration::from_millis(10);
/// The same while it is words of drafts alone.
const GATHER_WORDS: Duration = Duration::from_millis(100);
/// The maximum length of a message in bytes; the server takes less than 8,000.
const LONGEST: usize = 7_000;
/// Words of fewer bytes are not halved to make a message fit.
const FEWEST: usize = 512;
/// How long sending may take. Nobody waits for it.
const SEND: Duration = Duration::from_secs(10);
/// How long to wait before listening again over a new connection.
const AGAIN: Duration = Duration::from_secs(1);

/// Tells other processes what this one did.
#[derive(Clone)]
pub(super) struct Herald(UnboundedSender<News>);

impl Herald {
    /// Starts to tell, on the current runtime. It ends with the last clone.
    pub(super) fn start(pool: Pool) -> Herald {
        let (sender, receiver) = unbounded_channel();
        tokio::spawn(tell(pool, receiver));
        Herald(sender)
    }

    /// Tells that a run has changed. Does not wait.
    pub(super) fn changed(&self, user: &str, run: &str, status: Status) {
        let event = NewsEvent::Changed(status);
        self.tell(News { user: user.to_owned(), run: run.to_owned(), event });
    }

    /// Tells others. Does not wait.
    pub(super) fn tell(&self, news: News) {
        // If nobody tells it any more, others find out by themselves.
        let _ = self.0.send(news);
    }
}

async fn tell(pool: Pool, mut queue: UnboundedReceiver<News>) {
    while let Some(first) = queue.recv().await {
        let gathered = gather(first, &mut queue).await;
        let _ = timeout(SEND, send(&pool, &gathered)).await;
    }
}

/// Gathers what is told within a moment.
async fn gather(first: News, queue: &mut UnboundedReceiver<News>) -> Vec<News> {
    let mut gathered = Vec::new();
    let mut until = Instant::now() + GATHER_WORDS;
    let mut next = Some(first);
    while let Some(news) = next {
        if !matches!(news.event, NewsEvent::Drafted(_)) {
            until = until.min(Instant::now() + GATHER);
        }
        add(&mut gathered, news);
        next = timeout_at(until, queue.recv()).await.ok().flatten();
    }
    gathered
}

/// Adds news to what is told together: words to the words before them, a change in the place of an earlier one.
fn add(gathered: &mut Vec<News>, news: News) {
    let of_the_run = |one: &&mut News| one.user == news.user && one.run == news.run;
    let earlier = gathered.iter_mut().rev().filter(of_the_run).find_map(|one| {
        match (&mut one.event, &news.event) {
            (NewsEvent::Drafted(said), NewsEvent::Drafted(more)) if continues(said, more) => {
                said.text.push_str(&more.text);
                Some(())
            }
            (NewsEvent::Changed(status), NewsEvent::Changed(later)) => {
                *status = *later;
                Some(())
            }
            _ => None,
        }
    });
    if earlier.is_none() {
        gathered.push(news);
    }
}

fn continues(said: &DraftWords, more: &DraftWords) -> bool {
    said.step == more.step
        && said.after == more.after
        && said.offset + said.text.len() == more.offset
}

async fn send(pool: &Pool, gathered: &[News]) -> Result<(), Fault> {
    let client = pool.get().await?;
    let notify = client.prepare_cached("SELECT pg_notify($1, $2)").await?;
    for message in write_messages(gathered) {
        client.execute(&notify, &[&CHANNEL, &message]).await?;
    }
    Ok(())
}

/// Returns messages of JSON lines. News whose names are too long for a message is left out; words are told in pieces.
fn write_messages(gathered: &[News]) -> Vec<String> {
    let mut messages: Vec<String> = Vec::new();
    let mut waiting: Vec<News> = gathered.iter().rev().cloned().collect();
    while let Some(news) = waiting.pop() {
        // JSON has no NUL and no line break.
        let Ok(line) = serde_json::to_string(&news) else { continue };
        if line.len() > LONGEST {
            if let Some((first, rest)) = halve(&news) {
                waiting.extend([rest, first]);
            }
            continue;
        }
        match messages.last_mut() {
            Some(last) if last.len() + line.len() < LONGEST => {
                last.push('\n');
                last.push_str(&line);
            }
            _ => messages.push(line),
        }
    }
    messages
}

/// Halves the words of a draft; `None` if there are none, or too few for their names to be of use.
fn halve(news: &News) -> Option<(News, News)> {
    let NewsEvent::Drafted(words) = &news.event else { return None };
    if words.text.len() < FEWEST {
        return None;
    }
    let (first, rest) = words.text.split_at(words.text.floor_char_boundary(words.text.len() / 2));
    let piece = |offset, text: &str| News {
        event: NewsEvent::Drafted(DraftWords { offset, text: text.to_owned(), ..words.clone() }),
        ..news.clone()
    };
    Some((piece(words.offset, first), piece(words.offset + first.len(), rest)))
}

fn read_message(message: &str) -> Vec<News> {
    message.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

/// Listens for as long as the stream is polled, over a new connection whenever one breaks.
pub(super) fn listen(address: Address) -> BoxStream<'static, News> {
    let (sender, receiver) = unbounded_channel();
    let listening = async move {
        while !sender.is_closed() {
            // What is missed meanwhile is found by those who look into the log now and then.
            let _ = listen_once(&address, &sender).await;
            sleep(AGAIN).await;
        }
    };
    // It ends within a moment after the stream was dropped: the next message, or the end of the connection, finds no receiver.
    let task = Listening(tokio::spawn(listening));
    stream::unfold((receiver, task), |(mut receiver, task)| async move {
        receiver.recv().await.map(|news| (news, (receiver, task)))
    })
    .boxed()
}

/// A task that ends with this.
struct Listening(tokio::task::JoinHandle<()>);

impl Drop for Listening {
    fn drop(&mut self) {
        self.0.abort();
    }
}

async fn listen_once(address: &Address, sender: &UnboundedSender<News>) -> Result<(), Fault> {
    let (client, mut connection) = address.connect().await?;
    let messages = poll_fn(|context| connection.poll_message(context));
    let mut messages = pin!(stream::unfold(messages, |mut messages| async {
        (&mut messages).await.map(|message| (message, messages))
    }));
    let mut begun = pin!(client.batch_execute("LISTEN quaestio_news"));
    let mut is_begun = false;
    loop {
        tokio::select! {
            done = &mut begun, if !is_begun => {
                done?;
                is_begun = true;
            }
            message = messages.next() => match message {
                Some(Ok(AsyncMessage::Notification(told))) if told.channel() == CHANNEL => {
                    for news in read_message(told.payload()) {
                        // The stream was dropped.
                        if sender.send(news).is_err() {
                            return Ok(());
                        }
                    }
                }
                Some(Ok(_)) => {}
                Some(Err(error)) => return Err(error.into()),
                None => return Ok(()),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn news(user: &str, run: &str, event: NewsEvent) -> News {
        News { user: user.to_owned(), run: run.to_owned(), event }
    }

    fn drafted(step: &str, after: u64, offset: usize, text: &str) -> NewsEvent {
        let (step, text) = (step.to_owned(), text.to_owned());
        NewsEvent::Drafted(DraftWords { step, after, offset, text })
    }

    fn tell(all: impl IntoIterator<Item = News>) -> Vec<String> {
        let mut gathered = Vec::new();
        all.into_iter().for_each(|news| add(&mut gathered, news));
        let messages = write_messages(&gathered);
        assert!(messages.iter().all(|message| message.len() <= LONGEST));
        assert!(messages.iter().all(|message| !message.contains('\0')));
        messages
    }

    fn hear(messages: &[String]) -> Vec<News> {
        messages.iter().flat_map(|message| read_message(message)).collect()
    }

    // proves: S2
    #[test]
    fn what_is_told_is_heard_and_no_message_is_too_long() {
        let names = ["ada", "nul\0", "line\nbreak", &"x".repeat(3_000), "ä\"\\"];
        let told: Vec<News> = (0..50)
            .flat_map(|number| {
                names.map(|user| {
                    news(user, &format!("r{number}"), NewsEvent::Changed(Status::Queued))
                })
            })
            .collect();
        let messages = tell(told.clone());
        assert!(messages.len() > 1);
        assert_eq!(hear(&messages), told);
        let too_long = news(&"x".repeat(LONGEST), "r", NewsEvent::Changed(Status::Queued));
        assert_eq!(tell([too_long]), Vec::<String>::new());
        assert_eq!(read_message("no JSON\n[1]\n{\"user\":\"a\",\"run\":\"b\"}"), []);
    }

    // proves: S2, F2
    #[test]
    fn words_are_told_together_in_pieces_that_fit_and_changes_once() {
        let text = "Ein Wörtchen\0 \"so\" ".repeat(2_000);
        let (first, rest) = text.split_at(9);
        let messages = tell([
            news("ada", "r", NewsEvent::Changed(Status::Queued)),
            news("ada", "r", drafted("write#1", 7, 0, first)),
            news("ada", "other", drafted("write#1", 7, 0, "elsewhere")),
            news("ada", "r", NewsEvent::Changed(Status::Running)),
            news("ada", "r", drafted("write#1", 7, first.len(), rest)),
            news("ada", "r", drafted("write#1", 9, 0, "again")),
            news("ada", "r", NewsEvent::Followed { lacks: true }),
        ]);
        assert!(messages.len() > 2);
        let mut heard = hear(&messages);
        assert_eq!(heard.remove(0), news("ada", "r", NewsEvent::Changed(Status::Running)));
        assert_eq!(heard.pop(), Some(news("ada", "r", NewsEvent::Followed { lacks: true })));
        assert_eq!(heard.pop(), Some(news("ada", "r", drafted("write#1", 9, 0, "again"))));
        assert_eq!(heard.pop(), Some(news("ada", "other", drafted("write#1", 7, 0, "elsewhere"))));
        let mut whole = String::new();
        for one in heard {
            let NewsEvent::Drafted(words) = one.event else { panic!("{one:?}") };
            assert_eq!((words.after, words.offset), (7, whole.len()));
            whole.push_str(&words.text);
        }
        assert_eq!(whole, text);
    }
}
