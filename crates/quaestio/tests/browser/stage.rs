//! What the scenes act upon: servers and model servers, by name.

use std::collections::HashMap;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};

use fakes::{FakeModel, Say, Seen, passages};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::program::HOLD;

/// With this variable set, the test is the program itself.
pub(crate) const PROGRAM: &str = "BROWSER_PROGRAM";

/// What a model says that begins to write and does not come to an end.
const BEGINNING: &str = r#"{"claims": [{"text": "The handle of the pump was removed on"#;

/// The same of a scientist in a debate.
const FALTERING: &str = r#"{"sentences": [{"text": "I would put it to the test that"#;

/// The servers of all scenes.
#[derive(Default)]
pub(crate) struct Stage {
    servers: HashMap<String, Server>,
    models: HashMap<String, Model>,
}

/// A server with a folder of its own, which outlives its process.
struct Server {
    folder: TempDir,
    variables: Vec<(String, String)>,
    address: String,
    process: Option<Child>,
}

/// A model server that does what it was told last.
struct Model {
    server: FakeModel,
    manner: Arc<Mutex<String>>,
}

impl Stage {
    /// Does what a scene asks for; the answer has `error` where that cannot be.
    pub(crate) fn act(&mut self, asked: &Value) -> Value {
        let name = asked["name"].as_str().unwrap_or("server").to_owned();
        let done = match asked["do"].as_str().unwrap_or_default() {
            "serve" => self.serve(&name, asked),
            "restart" => self.of(&name).map(|server| {
                server.start();
                json!({})
            }),
            // The system's request to end, as `systemctl stop` sends it.
            "stop" => self.of(&name).map(|server| server.end("-TERM")),
            "kill" => self.of(&name).map(|server| server.end("-KILL")),
            "model" => Ok(self.model(&name)),
            "manner" => self.manner(&name, asked["manner"].as_str().unwrap_or_default()),
            "model_waits" => self.model_waits(&name, asked),
            other => Err(format!("the stage knows nothing of '{other}'")),
        };
        done.unwrap_or_else(|error| json!({ "error": error }))
    }

    fn of(&mut self, name: &str) -> Result<&mut Server, String> {
        self.servers.get_mut(name).ok_or_else(|| format!("there is no server '{name}'"))
    }

    fn serve(&mut self, name: &str, asked: &Value) -> Result<Value, String> {
        let mut variables = Vec::new();
        for (key, value) in asked["variables"].as_object().into_iter().flatten() {
            variables.push((key.clone(), value.as_str().unwrap_or_default().to_owned()));
        }
        let mut server = Server {
            folder: tempfile::tempdir().unwrap(),
            variables,
            address: "127.0.0.1:0".to_owned(),
            process: None,
        };
        server.start();
        let told = json!({
            "url": format!("http://{}", server.address),
            "hold": server.hold(),
            "folder": server.folder.path(),
        });
        self.servers.insert(name.to_owned(), server);
        Ok(told)
    }

    fn model(&mut self, name: &str) -> Value {
        let manner = Arc::new(Mutex::new("honest".to_owned()));
        let told = Arc::clone(&manner);
        let server = FakeModel::start(move |seen| {
            let manner = told.lock().unwrap().clone();
            match manner.as_str() {
                "begins" => Say::Begun(BEGINNING.to_owned()),
                "crew" => fakes::crew(seen),
                "falters" => Say::Begun(FALTERING.to_owned()),
                manner if manner.starts_with("speaks ") => {
                    Say::json(&json!({"sentences": [{"text": &manner["speaks ".len()..]}]}))
                }
                _ => honest(seen),
            }
        });
        let url = server.base_url();
        self.models.insert(name.to_owned(), Model { server, manner });
        json!({ "base_url": url })
    }

    fn manner(&mut self, name: &str, manner: &str) -> Result<Value, String> {
        let model = self.models.get(name).ok_or_else(|| format!("there is no model '{name}'"))?;
        *model.manner.lock().unwrap() = manner.to_owned();
        Ok(json!({}))
    }

    /// Waits until the model has seen so many requests and so many clients that went away.
    fn model_waits(&mut self, name: &str, asked: &Value) -> Result<Value, String> {
        let model = self.models.get(name).ok_or_else(|| format!("there is no model '{name}'"))?;
        let wanted = |key: &str| asked[key].as_u64().unwrap_or(0) as usize;
        let (seen, dropped) = (wanted("seen"), wanted("dropped"));
        let came =
            model.server.wait(|server| server.seen().len() >= seen && server.dropped() >= dropped);
        let (seen, dropped) = (model.server.seen().len(), model.server.dropped());
        Ok(json!({ "came": came, "seen": seen, "dropped": dropped }))
    }
}

impl Server {
    fn hold(&self) -> std::path::PathBuf {
        self.folder.path().join("hold")
    }

    fn start(&mut self) {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command
            .args(["serve", "--listen", &self.address, "--quiet", "--data-dir"])
            .arg(self.folder.path().join("data"))
            .current_dir(self.folder.path())
            .env_clear()
            .env("HOME", self.folder.path())
            .env(PROGRAM, "1")
            .env(HOLD, self.hold())
            .envs(self.variables.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null())
            .stdout(Stdio::piped());
        let mut process = command.spawn().unwrap();
        let mut out = BufReader::new(process.stdout.take().unwrap());
        let mut line = String::new();
        out.read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("listening at http://");
        address.unwrap_or_else(|| panic!("the server said: {line}")).clone_into(&mut self.address);
        self.process = Some(process);
    }

    fn end(&mut self, signal: &str) -> Value {
        if let Some(mut process) = self.process.take() {
            let id = process.id().to_string();
            let sent = Command::new("kill").args([signal, &id]).status().unwrap();
            assert!(sent.success());
            process.wait().unwrap();
        }
        json!({})
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.end("-KILL");
    }
}

/// A model that does as it is told: it states the first sentence of the first two passages and quotes it.
fn honest(seen: &Seen) -> Say {
    let claims: Vec<Value> = passages(&seen.prompt())
        .iter()
        .take(2)
        .map(|passage| {
            let sentence = passage.first_sentence();
            json!({"text": sentence, "citations": [{"evidence": passage.number, "quote": sentence}]})
        })
        .collect();
    Say::json(&json!({"claims": claims, "gaps": [], "assumptions": []}))
}
