//! Every command of the README and the manual, run as it is written: see `conformance::pages` for how a block is marked.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;

use conformance::pages::{Block, Kind, SERVER, blocks, is_shown, pages};
use fakes::{FakeModel, Say, Seen};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::serve::Served;
use crate::stand::{Stand, honest};

/// A line that no command prints, before what the next one prints.
const NEXT: &str = "~~~ next command";

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

fn copy(from: &Path, to: &Path) {
    if from.is_dir() {
        fs::create_dir_all(to).unwrap();
        for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
            copy(&entry.path(), &to.join(entry.file_name()));
        }
    } else {
        fs::copy(from, to).unwrap();
    }
}

/// A reader of the manual: a home with notes, a folder with the examples, and the program on the path.
struct Newcomer {
    folder: TempDir,
}

impl Newcomer {
    fn new() -> Newcomer {
        let folder = tempfile::tempdir().unwrap();
        let place = |name: &str| folder.path().join(name);
        copy(&repository().join("examples"), &place("work/examples"));
        copy(&repository().join("examples/answers/documents/notes"), &place("home/notes"));
        fs::create_dir(place("bin")).unwrap();
        let program = env!("CARGO_BIN_EXE_quaestio");
        std::os::unix::fs::symlink(program, place("bin/quaestio")).unwrap();
        Newcomer { folder }
    }

    fn place(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Runs a script in the folder and returns its exit code and all that it printed.
    fn run(&self, script: &str, variables: &[(&str, String)]) -> (i32, String) {
        let printed = self.place("printed");
        let out = fs::File::create(&printed).unwrap();
        let path = format!("{}:/usr/local/bin:/usr/bin:/bin", self.place("bin").display());
        let status = Command::new("bash")
            .args(["-euo", "pipefail", "-c", script])
            .current_dir(self.place("work"))
            .env_clear()
            .env("HOME", self.place("home"))
            .env("PATH", path)
            .env("QUAESTIO_SOURCES__NETWORK", "cached")
            .env("QUAESTIO_MODELS__RETRY_DELAY_MS", "1")
            .envs(variables.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null())
            .stderr(out.try_clone().unwrap())
            .stdout(out)
            .status()
            .unwrap();
        (
            status.code().unwrap_or(-1),
            String::from_utf8_lossy(&fs::read(printed).unwrap()).into_owned(),
        )
    }
}

/// Blocks that share a folder, and what went wrong in them.
fn follow(chain: &[Block]) -> Vec<String> {
    let newcomer = Newcomer::new();
    let mut faults = Vec::new();
    for block in chain {
        faults.extend(perform(&newcomer, block).err().map(|fault| {
            format!("{}:{}: {fault}\n--- the block\n{}", block.page, block.line, block.text)
        }));
    }
    faults
}

fn perform(newcomer: &Newcomer, block: &Block) -> Result<(), String> {
    let mut variables = Vec::new();
    let model = block.needs("model").then(|| FakeModel::start(speak));
    if let Some(model) = &model {
        // One whose price is known.
        variables.push(("QUAESTIO_MODEL", "openai/gpt-4.1-mini".to_owned()));
        variables.push(("QUAESTIO_BASE_URL", model.base_url()));
        variables.push(("QUAESTIO_API_KEY", "key".to_owned()));
    }
    // A server works over the same data as the commands beside it.
    let data = newcomer.place("home/.local/share/quaestio");
    let stand = Stand::new().variable("QUAESTIO_DATA_DIR", data.to_str().unwrap());
    let server = block.needs("server").then(|| Served::on(&stand, &["--quiet"]));
    let commands = block.commands();
    let state = newcomer.place("variables");
    let mut script = format!("[ ! -e {0} ] || . {0}\n", state.display());
    if !block.continues {
        script.clear();
    }
    for (command, _) in &commands {
        script.push_str(&format!("echo '{NEXT}'\n{command}\n"));
    }
    script.push_str(&format!("export -p >{}", state.display()));
    // What is left to the reader may be anything.
    let script = script.replace("KEY=…", "KEY=placeholder");
    let script = match &server {
        Some(server) => script.replace(SERVER, server.address()),
        None => script,
    };
    let (code, printed) = newcomer.run(&script, &variables);
    if printed.contains("panicked") || code != block.exits {
        return Err(format!("exit code {code}, not {}\n--- printed\n{printed}", block.exits));
    }
    if block.kind == Kind::Script {
        return Ok(());
    }
    let next = format!("{NEXT}\n");
    let parts = printed.split(&next).skip(1).chain(std::iter::repeat(""));
    for ((command, shown), part) in commands.into_iter().zip(parts) {
        let lines: Vec<&str> = part.lines().collect();
        // A command without output of its own shows nothing of it.
        if !shown.is_empty() && !is_shown(&shown, &lines) {
            return Err(format!("`{command}` prints something else:\n{part}"));
        }
    }
    Ok(())
}

/// The forms of a model that answers alone, and of a judge.
const SHORT: [&str; 3] = ["Said", "Scores", "Choice"];

/// A model that answers every method: with what its documents say where it is asked for prose, as a crew where that knows what to say.
/// Whoever asks it for anything else goes on by rule.
fn speak(seen: &Seen) -> Say {
    let schema = seen.schema();
    let form = seen.body["response_format"]["json_schema"]["name"].as_str().unwrap_or_default();
    match () {
        () if schema.is_null() => honest(seen),
        () if SHORT.contains(&form) => Say::json(&shortest(schema, schema)),
        () => fakes::crew(seen),
    }
}

/// Returns the shortest value that a schema allows, as far as replies of models need it.
fn shortest(schema: &Value, whole: &Value) -> Value {
    let inner = |schema: &Value| shortest(schema, whole);
    if let Some(reference) = schema["$ref"].as_str() {
        return whole.pointer(reference.trim_start_matches('#')).map_or(Value::Null, inner);
    }
    for key in ["anyOf", "oneOf", "allOf", "enum"] {
        if let Some(first) = schema[key].get(0) {
            return if key == "enum" { first.clone() } else { inner(first) };
        }
    }
    let kind = schema["type"].as_str().or_else(|| schema["type"][0].as_str());
    match kind.unwrap_or_default() {
        "object" => {
            let fields = schema["properties"].as_object().into_iter().flatten();
            fields.map(|(name, field)| (name.clone(), inner(field))).collect()
        }
        "array" => {
            let count = schema["minItems"].as_u64().unwrap_or(0);
            (0..count).map(|_| inner(&schema["items"])).collect()
        }
        "string" => json!("The documents do not say."),
        "integer" | "number" => schema.get("minimum").cloned().unwrap_or(json!(1)),
        "boolean" => json!(false),
        _ => schema["const"].clone(),
    }
}

// proves: F1, F10
#[test]
fn every_command_of_the_readme_and_the_manual_does_what_the_page_says() {
    let root = repository();
    // A block that continues another one is run with it.
    let mut chains: Vec<Vec<Block>> = Vec::new();
    let mut count: BTreeMap<&str, usize> = BTreeMap::new();
    for path in pages(&root).unwrap() {
        let page = path.strip_prefix(&root).unwrap().to_string_lossy().into_owned();
        let text = fs::read_to_string(&path).unwrap();
        let first = chains.len();
        for block in blocks(&page, &text).unwrap() {
            if !block.can_run() {
                *count.entry("read").or_default() += 1;
                continue;
            }
            *count.entry("run").or_default() += 1;
            match chains[first..].last_mut().filter(|_| block.continues) {
                Some(chain) => chain.push(block),
                None if block.continues => panic!("{page}:{}: nothing runs before it", block.line),
                None => chains.push(vec![block]),
            }
        }
    }
    println!("{count:?}");
    assert!(count.get("run").is_some_and(|run| *run > 0));
    // `QUAESTIO_TEST_PAGE=documents` runs the blocks of one page.
    let only = std::env::var("QUAESTIO_TEST_PAGE").unwrap_or_default();
    chains.retain(|chain| chain[0].page.contains(&only));
    let queue = Mutex::new(chains.into_iter());
    let faults = Mutex::new(Vec::new());
    let workers = std::thread::available_parallelism().map_or(2, usize::from).max(3);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                loop {
                    let Some(chain) = queue.lock().unwrap().next() else { return };
                    let found = follow(&chain);
                    faults.lock().unwrap().extend(found);
                }
            });
        }
    });
    let faults = faults.into_inner().unwrap();
    assert!(faults.is_empty(), "{} blocks fail:\n\n{}", faults.len(), faults.join("\n\n"));
}
