//! A real PostgreSQL server: the one at `QUAESTIO_TEST_POSTGRES`, or one that this process starts in a folder of its own, from the programs
//! in `QUAESTIO_TEST_POSTGRES_BIN` or else those that are installed. Each test has a database of its own.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use tokio_postgres::{Client, NoTls};

/// Where a server is whose user may make databases, such as `postgres://postgres@localhost/postgres`.
const GIVEN: &str = "QUAESTIO_TEST_POSTGRES";
/// The folder of a server's programs, such as those of one with extensions.
const PROGRAMS: &str = "QUAESTIO_TEST_POSTGRES_BIN";
/// Who runs the server where the tests run as root, which PostgreSQL refuses to.
const NOBODY: u32 = 65_534;

/// A database that is removed when the test ends.
pub struct Database {
    name: String,
    pub url: String,
}

impl Database {
    /// Makes an empty database.
    pub async fn make() -> Database {
        let name = format!("quaestio_test_{}", uuid::Uuid::new_v4().simple());
        execute(&format!("CREATE DATABASE {name} ENCODING 'UTF8' TEMPLATE template0")).await;
        let url = address(&name);
        Database { name, url }
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        let statement = format!("DROP DATABASE IF EXISTS {} WITH (FORCE)", self.name);
        let dropped = std::thread::spawn(move || {
            let runtime =
                tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(execute(&statement));
        });
        // A test that fails says why; that its database stays is no further reason.
        let _ = dropped.join();
    }
}

/// Returns a connection to a database, to look at it from outside.
pub async fn connect(url: &str) -> Client {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await.unwrap();
    tokio::spawn(connection);
    client
}

async fn execute(statement: &str) {
    connect(&address("postgres")).await.batch_execute(statement).await.unwrap();
}

/// Returns the address of a database on the server of this process.
fn address(name: &str) -> String {
    static SERVER: OnceLock<String> = OnceLock::new();
    let shared = SERVER.get_or_init(|| match std::env::var(GIVEN) {
        Ok(given) => given,
        Err(_) => {
            let started = Server::start(&[("fsync", "off")]);
            let url = started.url("postgres");
            // It ends with this process.
            std::mem::forget(started);
            url
        }
    });
    let (before, _) = shared.rsplit_once('/').unwrap();
    format!("{before}/{name}")
}

/// A server of its own, which ends when this is dropped, or with this process: it hears that its input ends.
pub struct Server {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    folder: PathBuf,
    port: u16,
}

/// Starts the server, and again for each line of input; ends it with its input.
const SCRIPT: &str = r#"
    programs=$0 folder=$1; shift
    "$programs/initdb" -D "$folder/data" -U postgres -A trust -E UTF8 --locale=C --no-sync >"$folder/initdb.log" 2>&1 \
        || { cat "$folder/initdb.log"; exit 1; }
    start() {
        : >"$folder/server.log"
        "$programs/postgres" -D "$folder/data" -k "$folder" "$@" >"$folder/server.log" 2>&1 &
        echo started
    }
    start "$@"
    while read -r _; do
        kill -INT $!; wait $!
        start "$@"
    done
    kill -QUIT $!; wait $!; rm -rf "$folder"
"#;

impl Server {
    /// Starts a server with these settings.
    pub fn start(settings: &[(&str, &str)]) -> Server {
        let programs = find_programs();
        let folder = tempfile::tempdir().unwrap().keep();
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut shell = Command::new("sh");
        shell.args(["-c", SCRIPT]).arg(&programs).arg(&folder).args(["-p", &port.to_string()]);
        let usual = [("listen_addresses", "127.0.0.1"), ("max_connections", "600")];
        for (name, value) in usual.iter().chain(settings) {
            shell.args(["-c", &format!("{name}={value}")]);
        }
        shell.stdin(Stdio::piped()).stdout(Stdio::piped()).current_dir("/");
        run_as_somebody(&mut shell, &folder);
        let mut child = shell.spawn().unwrap();
        let (input, output) = (child.stdin.take(), child.stdout.take().unwrap());
        let mut server = Server { child, input, output: BufReader::new(output), folder, port };
        server.await_start();
        server
    }

    /// Stops the server, which ends every connection, and starts it again.
    pub fn restart(&mut self) {
        self.input.as_mut().unwrap().write_all(b"again\n").unwrap();
        self.await_start();
    }

    /// Returns the address of a database.
    pub fn url(&self, database: &str) -> String {
        format!("postgres://postgres@127.0.0.1:{}/{database}", self.port)
    }

    /// Returns the port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Waits until the server answers: it listens before it does.
    fn await_start(&mut self) {
        let mut said = String::new();
        self.output.read_line(&mut said).unwrap();
        assert_eq!(said, "started\n", "PostgreSQL does not start");
        let log = self.folder.join("server.log");
        let began = Instant::now();
        let is_ready = || {
            let log = std::fs::read_to_string(&log).unwrap_or_default();
            log.contains("ready to accept connections")
        };
        while !is_ready() {
            assert!(began.elapsed() < Duration::from_secs(60), "PostgreSQL does not start");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.input.take());
        let _ = self.child.wait();
    }
}

/// Returns the folder of the server that is given, or of the newest one that is installed.
fn find_programs() -> PathBuf {
    if let Some(given) = std::env::var_os(PROGRAMS) {
        return given.into();
    }
    let on_path = std::env::var_os("PATH").unwrap_or_default();
    let debian = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut debian: Vec<PathBuf> = debian.map(|version| version.path().join("bin")).collect();
    debian.sort();
    let mut folders = std::env::split_paths(&on_path).chain(debian.into_iter().rev());
    folders.find(|folder| folder.join("initdb").exists() && folder.join("postgres").exists()).unwrap_or_else(
        || panic!("there is no PostgreSQL here: install postgresql, or set {GIVEN} to the address of a server"),
    )
}

/// Lets somebody else than root run a command that writes to `folder`.
fn run_as_somebody(command: &mut Command, folder: &Path) {
    use std::os::unix::process::CommandExt;
    if rustix::process::getuid().is_root() {
        std::os::unix::fs::chown(folder, Some(NOBODY), Some(NOBODY)).unwrap();
        command.uid(NOBODY).gid(NOBODY);
    }
}
