//! A real tracking server for the length of a test.

use std::fs::File;
use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use reqwest::Method;
use serde_json::Value;
use tempfile::TempDir;

/// How long it may take until it answers; importing it takes most of that.
const START: Duration = Duration::from_mins(3);

pub(crate) struct Server {
    process: Child,
    address: SocketAddr,
    folder: TempDir,
    http: reqwest::Client,
}

impl Server {
    /// Starts one with an empty store, from the Python in the environment variable `QUAESTIO_MLFLOW_PYTHON`.
    pub(crate) async fn start() -> Server {
        let python = std::env::var_os("QUAESTIO_MLFLOW_PYTHON")
            .expect("QUAESTIO_MLFLOW_PYTHON names a Python that has mlflow");
        let folder = tempfile::tempdir().unwrap();
        // Free now; the server takes a number, not a socket.
        let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let log = File::create(folder.path().join("log")).unwrap();
        let mut command = Command::new(python);
        command
            .args(["-m", "mlflow", "server", "--host", "127.0.0.1", "--workers", "1"])
            .args(["--port", &address.port().to_string()])
            .args(["--backend-store-uri", &store(folder.path())])
            .arg("--artifacts-destination")
            .arg(folder.path().join("artifacts"))
            .env("MLFLOW_DISABLE_TELEMETRY", "true")
            .env("MLFLOW_SERVER_ENABLE_JOB_EXECUTION", "false")
            .current_dir(folder.path())
            .stdin(Stdio::null())
            .stdout(log.try_clone().unwrap())
            .stderr(log);
        // It starts workers; what is in its group ends with it.
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let process = command.spawn().unwrap();
        let http = reqwest::Client::builder().no_proxy().tls_certs_only([]).build().unwrap();
        let mut server = Server { process, address, folder, http };
        server.wait().await;
        server
    }

    pub(crate) fn base_url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Waits until it says that it is well, or fails with what it wrote.
    async fn wait(&mut self) {
        let begun = Instant::now();
        let health = format!("{}/health", self.base_url());
        loop {
            if self.http.get(&health).send().await.is_ok_and(|said| said.status().is_success()) {
                return;
            }
            let ended = self.process.try_wait().unwrap();
            if ended.is_some() || begun.elapsed() > START {
                let log = std::fs::read_to_string(self.folder.path().join("log")).unwrap();
                panic!("the server does not answer ({ended:?}):\n{log}");
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }

    /// Asks its own API, which must answer.
    pub(crate) async fn get(&self, path: &str) -> Value {
        serde_json::from_slice(&self.bytes(path).await).unwrap()
    }

    pub(crate) async fn bytes(&self, path: &str) -> Vec<u8> {
        let said = self.http.get(format!("{}/{path}", self.base_url())).send().await.unwrap();
        let (status, bytes) = (said.status(), said.bytes().await.unwrap());
        assert!(status.is_success(), "{path}: {status} {}", String::from_utf8_lossy(&bytes));
        bytes.to_vec()
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> Value {
        let url = format!("{}/{path}", self.base_url());
        let asked = self.http.request(Method::POST, url);
        let asked = asked.header("content-type", "application/json").body(body.to_string());
        let said = asked.send().await.unwrap();
        let (status, bytes) = (said.status(), said.bytes().await.unwrap());
        assert!(status.is_success(), "{path}: {status} {}", String::from_utf8_lossy(&bytes));
        serde_json::from_slice(&bytes).unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let group = format!("-{}", self.process.id());
        // The workers are the server's own, and go with it.
        let _ = Command::new("kill").args(["-TERM", "--", &group]).status();
        let _ = self.process.wait();
    }
}

fn store(folder: &Path) -> String {
    format!("sqlite:///{}", folder.join("mlflow.db").display())
}
