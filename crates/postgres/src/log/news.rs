//! What other processes did: told by `NOTIFY`, and heard over a connection of its own.
//!
//! News is sent after the commit, not with it, so that commits do not wait for each other. It may be late, told twice or lost with a
//! connection; whoever hears it looks into the log, and does so now and then without any.

use std::collections::BTreeMap;
use std::future::poll_fn;
use std::pin::pin;
use std::time::Duration;

use deadpool_postgres::Pool;
use futures::StreamExt;
use futures::stream::{self, BoxStream};
use run::log::{News, Status};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::{sleep, timeout};
use tokio_postgres::AsyncMessage;

use super::rows::read_status;
use crate::connection::Address;
use crate::fault::Fault;

const CHANNEL: &str = "quaestio_news";
/// How long news is gathered, so that many changes of a run are told as one.
const GATHER: Duration = Duration::from_millis(10);
/// The maximum length of a message in bytes; the server takes less than 8,000.
const LONGEST: usize = 7_000;
/// How long sending may take. Nobody waits for it.
const SEND: Duration = Duration::from_secs(10);
/// How long to wait before listening again over a new connection.
const AGAIN: Duration = Duration::from_secs(1);

/// A run and its user.
type Key = (String, String);

/// Tells other processes what this one did.
#[derive(Clone)]
pub(super) struct Herald(UnboundedSender<(Key, Status)>);

impl Herald {
    /// Starts to tell, on the current runtime. It ends with the last clone.
    pub(super) fn start(pool: Pool) -> Herald {
        let (sender, receiver) = unbounded_channel();
        tokio::spawn(tell(pool, receiver));
        Herald(sender)
    }

    /// Tells that a run has changed. Does not wait.
    pub(super) fn tell(&self, user: &str, run: &str, status: Status) {
        // If nobody tells it any more, others find out by themselves.
        let _ = self.0.send(((user.to_owned(), run.to_owned()), status));
    }
}

async fn tell(pool: Pool, mut changes: UnboundedReceiver<(Key, Status)>) {
    while let Some((key, status)) = changes.recv().await {
        let mut gathered = BTreeMap::from([(key, status)]);
        sleep(GATHER).await;
        while let Ok((key, status)) = changes.try_recv() {
            gathered.insert(key, status);
        }
        let _ = timeout(SEND, send(&pool, &gathered)).await;
    }
}

async fn send(pool: &Pool, gathered: &BTreeMap<Key, Status>) -> Result<(), Fault> {
    let client = pool.get().await?;
    let notify = client.prepare_cached("SELECT pg_notify($1, $2)").await?;
    for message in write_messages(gathered) {
        client.execute(&notify, &[&CHANNEL, &message]).await?;
    }
    Ok(())
}

/// Returns messages about all of these runs, each of them JSON lines. A run whose names are too long for a message is left out.
fn write_messages(gathered: &BTreeMap<Key, Status>) -> Vec<String> {
    let mut messages: Vec<String> = Vec::new();
    for ((user, run), status) in gathered {
        // JSON has no NUL and no line break.
        let Ok(line) = serde_json::to_string(&(user, run, status.name())) else { continue };
        if line.len() > LONGEST {
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

fn read_message(message: &str) -> Vec<News> {
    let read = |line: &str| {
        let (user, run, status): (String, String, String) = serde_json::from_str(line).ok()?;
        Some(News { user, run, status: read_status(&status).ok()? })
    };
    message.lines().filter_map(read).collect()
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

    // proves: S2
    #[test]
    fn what_is_told_is_heard_and_no_message_is_too_long() {
        let names = ["ada", "nul\0", "line\nbreak", &"x".repeat(3_000), "ä\"\\"];
        let gathered: BTreeMap<Key, Status> = (0..50)
            .flat_map(|number| {
                names.map(|user| ((user.to_owned(), format!("r{number}")), Status::Queued))
            })
            .collect();
        let messages = write_messages(&gathered);
        assert!(messages.len() > 1 && messages.iter().all(|message| message.len() <= LONGEST));
        assert!(messages.iter().all(|message| !message.contains('\0')));
        let heard: BTreeMap<Key, Status> = messages
            .iter()
            .flat_map(|message| read_message(message))
            .map(|News { user, run, status }| ((user, run), status))
            .collect();
        assert_eq!(heard, gathered);
        let too_long = BTreeMap::from([(("x".repeat(LONGEST), "r".into()), Status::Queued)]);
        assert_eq!(write_messages(&too_long), Vec::<String>::new());
        assert_eq!(read_message("no JSON\n[1]\n[\"a\",\"b\",\"no status\"]"), []);
    }
}
