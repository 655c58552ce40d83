//! The place where everything happens: a database, a proxy before it, a model server, folders, and the users' documents.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use conformance::proxy::Proxy;
use conformance::server::{Server, connect};
use fakes::FakeModel;
use tempfile::TempDir;
use tokio::runtime::Builder;

use super::model::{self, Calls};
use super::orders::{self, USERS};
use crate::Failure;

pub(super) struct Site {
    pub(super) server: Server,
    pub(super) proxy: Proxy,
    pub(super) calls: Calls,
    /// The address of the database, past the proxy.
    pub(super) database: String,
    model: FakeModel,
    program: PathBuf,
    folder: TempDir,
}

/// The name of the database.
const DATABASE: &str = "quaestio";

impl Site {
    /// Starts the servers and gives every user documents and a survey.
    pub(super) fn build(program: &Path, seed: u64, keep: bool) -> Result<Site, Failure> {
        // As it is run, but for what the file system does on its own.
        let server = Server::start(&[("fsync", "on"), ("synchronous_commit", "on")]);
        let runtime = Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(async {
            let client = connect(&server.url("postgres")).await;
            let statement =
                format!("CREATE DATABASE {DATABASE} ENCODING 'UTF8' TEMPLATE template0");
            client.batch_execute(&statement).await
        })?;
        let database = server.url(DATABASE);
        let proxy = Proxy::start(&database);
        let (model, calls) = model::start(seed);
        let mut folder = tempfile::tempdir()?;
        folder.disable_cleanup(keep);
        let program = program.canonicalize()?;
        let site = Site { server, proxy, calls, database, model, program, folder };
        for (user, _) in USERS {
            site.fill(user)?;
        }
        Ok(site)
    }

    fn fill(&self, user: &str) -> Result<(), Failure> {
        let examples =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").canonicalize()?;
        let path = |name: &str| examples.join(name).display().to_string();
        let (cholera, market, survey) = (path("cholera"), path("market"), path("survey"));
        for args in [
            ["ingest", &cholera, "--collection", orders::CHOLERA],
            ["ingest", &market, "--collection", orders::MARKET],
            ["survey", "add", orders::SURVEY, &survey],
        ] {
            let mut command = self.command(&args, "commands");
            command.env("QUAESTIO_USER", user);
            let output = command.output()?;
            if !output.status.success() {
                let told = String::from_utf8_lossy(&output.stderr);
                return Err(format!("{args:?} failed: {told}").into());
            }
        }
        Ok(())
    }

    /// Returns a command of the program on the database, through the proxy, with a data folder of this name.
    pub(super) fn command(&self, args: &[&str], name: &str) -> Command {
        let mut command = Command::new(&self.program);
        command
            .args(args)
            .current_dir(self.folder.path())
            .env_clear()
            .env("HOME", self.folder.path())
            .env("QUAESTIO_DATA_DIR", self.folder.path().join(name))
            .env("QUAESTIO_DATABASE", &self.proxy.url)
            .env("QUAESTIO_MODEL", "fake/model")
            .env("QUAESTIO_BASE_URL", self.model.base_url())
            .env("QUAESTIO_MODELS__STREAM", "false")
            .env("QUAESTIO_LOG__FORMAT", "json")
            .stdin(Stdio::null());
        command
    }

    /// Returns the path of a file of the site.
    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
}
