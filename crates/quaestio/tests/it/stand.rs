//! A data folder of a test's own, and the program run on it.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use conformance::server::Database;
use fakes::{Judgement, Say, Seen, Statement, is_reader, readings, statements};
use serde_json::{Value, json};
use tempfile::TempDir;

/// A question that the example documents answer.
pub(crate) const QUESTION: &str = "When was the handle of the Broad Street pump removed?";

/// What a command said.
#[derive(Debug)]
pub(crate) struct Told {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Told {
    /// Reads what it said; a result of a run holds together, whatever the test is about.
    pub(crate) fn json(&self) -> Value {
        let said: Value =
            serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {self:?}"));
        if said.get("run_id").is_some() && said.get("grounding").is_some() {
            let findings = methods::validation::validate(&methods::all(), &said);
            assert!(findings.is_empty(), "{findings:?}: {said:#}");
        }
        said
    }

    /// Checks that it is one clear error with this code that says `what`, and no panic.
    pub(crate) fn fails(&self, code: i32, what: &str) {
        assert_eq!(self.code, code, "{self:?}");
        assert!(self.err.contains(what), "'{what}' is not in {self:?}");
        assert!(!self.err.contains("panicked"), "{self:?}");
    }
}

/// Set where every stand has a PostgreSQL database in the place of the one in its folder.
const OVER_POSTGRES: &str = "QUAESTIO_TEST_OVER_POSTGRES";

pub(crate) struct Stand {
    folder: TempDir,
    variables: Vec<(String, String)>,
    database: Option<Database>,
}

impl Stand {
    pub(crate) fn new() -> Stand {
        let database = std::env::var_os(OVER_POSTGRES).map(|_| make_database());
        Stand { folder: tempfile::tempdir().unwrap(), variables: Vec::new(), database }
    }

    /// A stand whose program speaks with the model at `base_url`, without waiting long between attempts.
    pub(crate) fn with_model(base_url: &str) -> Stand {
        Stand::new()
            .variable("QUAESTIO_MODEL", "fake/model")
            .variable("QUAESTIO_BASE_URL", base_url)
            .variable("QUAESTIO_MODELS__RETRY_DELAY_MS", "1")
    }

    pub(crate) fn variable(mut self, name: &str, value: &str) -> Stand {
        self.variables.push((name.into(), value.into()));
        self
    }

    /// The same, with nobody where the scholarly services would be asked.
    pub(crate) fn without_services(self) -> Stand {
        let services = ["ARXIV", "CROSSREF", "OPENALEX", "SEMANTIC_SCHOLAR"];
        services.into_iter().fold(self, |stand, service| {
            let name = format!("QUAESTIO_SOURCES__BASE_URLS__{service}");
            stand.variable(&name, "http://127.0.0.1:9/")
        })
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.path("data")
    }

    /// Writes a file below the stand's folder.
    pub(crate) fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, content).unwrap();
        path
    }

    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_quaestio"));
        command
            .args(args)
            .current_dir(self.folder.path())
            .env_clear()
            .env("HOME", self.folder.path())
            .env("QUAESTIO_DATA_DIR", self.data())
            .stdin(Stdio::null());
        if let Some(database) = &self.database {
            command.env("QUAESTIO_DATABASE", &database.url);
        }
        for (name, value) in &self.variables {
            command.env(name, value);
        }
        command
    }

    pub(crate) fn run(&self, args: &[&str]) -> Told {
        read_output(&self.command(args).output().unwrap())
    }

    /// Asks over the example documents.
    pub(crate) fn ask(&self, question: &str, more: &[&str]) -> Told {
        let docs = examples();
        let mut args = vec!["ask", question, "--docs", docs.to_str().unwrap()];
        args.extend(more);
        self.run(&args)
    }

    /// The rows of a query over the stand's database.
    pub(crate) fn rows(&self, query: &str) -> Vec<String> {
        let database = rusqlite::Connection::open(self.data().join("quaestio.db")).unwrap();
        let mut query = database.prepare(query).unwrap();
        let rows = query.query_map([], |row| row.get::<_, rusqlite::types::Value>(0)).unwrap();
        rows.map(|value| format!("{:?}", value.unwrap())).collect()
    }
}

/// Makes a database on another thread: a test may be within a runtime.
pub(crate) fn make_database() -> Database {
    let made = std::thread::spawn(|| {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(Database::make())
    });
    made.join().unwrap()
}

pub(crate) fn read_output(output: &Output) -> Told {
    Told {
        code: output.status.code().unwrap_or(-1),
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

pub(crate) fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/cholera").canonicalize().unwrap()
}

/// A model that does as it is told: it states a sentence of each of the first two passages, and says of all that others wrote that it holds.
pub(crate) fn honest(seen: &Seen) -> Say {
    if is_reader(seen) {
        return Say::json(&readings(seen, |_| Judgement::Supported));
    }
    let mut prose = String::new();
    for said in sentences(&seen.prompt()).iter().take(2) {
        prose.push_str(&format!("{} [{}]\n", said.text, said.address));
    }
    Say::text(prose + "\nOpen: The documents do not say who removed it.\n")
}

/// Returns the first sentence of each passage of a prompt.
pub(crate) fn sentences(prompt: &str) -> Vec<Statement> {
    let mut found: Vec<Statement> = statements(prompt);
    found.retain(|statement| statement.text.ends_with('.'));
    found.dedup_by_key(|statement| statement.passage().to_owned());
    found
}

/// A claim with its quote, as a model writes it that knows JSON alone.
pub(crate) fn claim(text: &str, evidence: u32, quote: &str) -> Value {
    json!({"text": text, "citations": [{"evidence": evidence, "quote": quote}]})
}
