//! Other processes: this test binary, run once more in a part named by the environment.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

use run::log::{Log, Wait};
use store::Store;

use conformance::story::Story;

const PART: &str = "QUAESTIO_STORE_PART";
const FOLDER: &str = "QUAESTIO_STORE_FOLDER";
/// Marks what a child says, among what the test harness says.
const MARK: &str = "says ";

/// A process that is killed when the test ends, however it ends.
pub(crate) struct Process {
    child: Child,
    said: BufReader<ChildStdout>,
}

impl Process {
    /// Starts a process that plays `part` over the store in `folder`.
    pub(crate) fn play(part: &str, folder: &Path) -> Process {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "child::a_process_plays_its_part", "--nocapture"])
            .env(PART, part)
            .env(FOLDER, folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let said = BufReader::new(child.stdout.take().unwrap());
        Process { child, said }
    }

    /// Lets the process go on that waits for a word.
    pub(crate) fn go_on(&mut self) {
        use std::io::Write;
        self.child.stdin.as_mut().unwrap().write_all(b"\n").unwrap();
    }

    /// Returns the next thing that the process says, or nothing if it is gone.
    pub(crate) fn hear(&mut self) -> Option<String> {
        loop {
            let mut line = String::new();
            if self.said.read_line(&mut line).unwrap() == 0 {
                return None;
            }
            // The harness may have begun the line.
            if let Some((_, said)) = line.trim_end().split_once(MARK) {
                return Some(said.to_owned());
            }
        }
    }

    /// Kills the process as `kill -9` does; returns what it had said and nobody heard yet.
    pub(crate) fn kill(mut self) -> Vec<String> {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        let mut rest = String::new();
        self.said.read_to_string(&mut rest).unwrap();
        let whole = rest.split_inclusive('\n').filter_map(|line| line.strip_suffix('\n'));
        whole.filter_map(|line| Some(line.split_once(MARK)?.1.to_owned())).collect()
    }

    /// Waits for the end; returns whether it was a good one.
    pub(crate) fn ends_well(mut self) -> bool {
        let mut rest = String::new();
        self.said.read_to_string(&mut rest).unwrap();
        self.child.wait().unwrap().success()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may be gone already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[tokio::test]
async fn a_process_plays_its_part() {
    let (Ok(part), Ok(folder)) = (std::env::var(PART), std::env::var(FOLDER)) else { return };
    let store = Store::open(Path::new(&folder)).unwrap();
    let (part, run) = part.split_once(' ').unwrap();
    match part {
        "hold" => {
            let mut story = Story::new(run);
            store.append(story.create(Some(store.owner()))).await.unwrap();
            println!("{MARK}{}", store.owner());
            std::future::pending::<()>().await;
        }
        "append" => {
            let mut story = Story::new(run);
            store.append(story.create(Some(store.owner()))).await.unwrap();
            loop {
                // As a run does: steps that nobody waits for, then one that somebody does.
                for _ in 0..story.head.seq % 4 {
                    drop(store.append(story.say("soon", Wait::Soon)));
                }
                store.append(story.say("durable", Wait::Durable)).await.unwrap();
                println!("{MARK}{}", story.head.seq);
            }
        }
        "debate" => {
            // Nobody begins before all are there.
            println!("{MARK}ready");
            std::io::stdin().read_line(&mut String::new()).unwrap();
            let won = conformance::runs::at_once(&store, conformance::story::USER, run, 3).await;
            for run in won {
                println!("{MARK}{run}");
            }
            println!("{MARK}that is all");
            // What it started stays at work until everybody has tried.
            std::io::stdin().read_line(&mut String::new()).unwrap();
        }
        "write" => crate::crowd::write(&store, run).await,
        "keep" => {
            for won in crate::contexts::compete(&store, Path::new(&folder), run).await {
                println!("{MARK}{won}");
            }
        }
        other => panic!("there is no part '{other}'"),
    }
}
