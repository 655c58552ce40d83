//! `deploy/`: what the files there say is what the program does.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Stdio};

use serde_yaml::Value;

use crate::stand::Stand;

/// The port that the program gets in place of each that a file names.
const ANY_PORT: &str = "127.0.0.1:0";
/// What a person fills in.
const FILLED_IN: [(&str, &str); 3] = [
    ("POSTGRES_PASSWORD", "a-password-0123456789"),
    ("QUAESTIO_TOKENS", "alice:a-token-0123456789"),
    ("QUAESTIO_METRICS_TOKEN", METRICS_TOKEN),
];
const METRICS_TOKEN: &str = "metrics-token-0123456789";

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../deploy").canonicalize().unwrap()
}

fn read_text(name: &str) -> String {
    fs::read_to_string(folder().join(name)).unwrap()
}

/// Reads all documents of a file.
fn read(name: &str) -> Vec<Value> {
    let text = read_text(name);
    let documents = serde_yaml::Deserializer::from_str(&text);
    let read = documents.map(|document| {
        let mut value: Value = serde::Deserialize::deserialize(document).unwrap();
        value.apply_merge().unwrap();
        value
    });
    read.collect()
}

/// Reads every manifest for Kubernetes.
fn read_manifests() -> Vec<Value> {
    let files = fs::read_dir(folder().join("kubernetes")).unwrap();
    let files = files.map(|file| format!("kubernetes/{}", file.unwrap().file_name().display()));
    files.flat_map(|file| read(&file)).collect()
}

fn find<'a>(manifests: &'a [Value], kind: &str, name: &str) -> &'a Value {
    let found = manifests.iter().find(|one| one["kind"] == kind && one["metadata"]["name"] == name);
    found.unwrap_or_else(|| panic!("there is no {kind} {name}"))
}

fn list(value: &Value) -> Vec<Value> {
    value.as_sequence().cloned().unwrap_or_default()
}

fn string(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("{value:?} is not a string")).to_owned()
}

fn strings(value: &Value) -> Vec<String> {
    list(value).iter().map(string).collect()
}

/// Returns the fields of a table of strings.
fn read_table(value: &Value) -> BTreeMap<String, String> {
    let fields = value.as_mapping().cloned().unwrap_or_default();
    fields.iter().map(|(name, value)| (string(name), string(value))).collect()
}

/// A process of the program as a file has it started.
#[derive(Debug)]
struct Process {
    name: String,
    args: Vec<String>,
    environment: BTreeMap<String, String>,
}

/// Puts in what a person fills in, and defaults: `${NAME:?what to do}`, `${NAME:-default}`.
fn fill_in(value: &str) -> String {
    let Some(variable) = value.strip_prefix("${").and_then(|rest| rest.strip_suffix('}')) else {
        return value.to_owned();
    };
    let (name, rest) = variable.split_once(':').unwrap();
    let known = FILLED_IN.iter().find(|(known, _)| *known == name);
    match (known, rest.strip_prefix('-')) {
        (Some((_, value)), _) => (*value).to_owned(),
        (None, Some(default)) => default.to_owned(),
        (None, None) => panic!("{name} must be filled in, and nobody does"),
    }
}

fn composed() -> Vec<Process> {
    let compose = &read("compose.yaml")[0];
    let process = |name: &str| {
        let service = &compose["services"][name];
        assert_eq!(service["image"], "quaestio");
        let environment = read_table(&service["environment"]);
        let filled_in = environment.into_iter().map(|(name, value)| (name, fill_in(&value)));
        Process {
            name: format!("compose: {name}"),
            args: strings(&service["command"]),
            environment: filled_in.collect(),
        }
    };
    vec![process("server"), process("worker")]
}

/// Returns the pod of a Deployment or a StatefulSet, and its one container.
fn find_pod(manifest: &Value) -> (Value, Value) {
    let pod = manifest["spec"]["template"]["spec"].clone();
    let containers = list(&pod["containers"]);
    assert_eq!(containers.len(), 1);
    (pod, containers[0].clone())
}

fn deployed(manifests: &[Value]) -> Vec<Process> {
    let secret = read_table(&find(manifests, "Secret", "quaestio")["stringData"]);
    let process = |name: &str| {
        let (_, container) = find_pod(find(manifests, "Deployment", name));
        let mut environment = read_table(&find(manifests, "ConfigMap", "quaestio")["data"]);
        for variable in list(&container["env"]) {
            let value = match &variable["valueFrom"]["secretKeyRef"] {
                Value::Null => string(&variable["value"]),
                reference => {
                    assert_eq!(reference["name"], "quaestio");
                    let known = secret.get(&string(&reference["key"]));
                    known.unwrap_or_else(|| panic!("{reference:?} is not in the secret")).clone()
                }
            };
            environment.insert(string(&variable["name"]), value);
        }
        let name = format!("Kubernetes: {name}");
        Process { name, args: strings(&container["args"]), environment }
    };
    vec![process("server"), process("worker")]
}

/// A process that was started, ended when it is dropped.
struct Started {
    child: Child,
    /// Where it listens, by what its lines begin with.
    addresses: BTreeMap<&'static str, String>,
}

impl Drop for Started {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Started {
    /// Starts a process over a folder of its own, at other ports than the file names.
    fn start(stand: &Stand, process: &Process) -> Started {
        let elsewhere = |text: &str| match text.starts_with("0.0.0.0:") {
            true => ANY_PORT.to_owned(),
            false => text.to_owned(),
        };
        let args: Vec<String> = process.args.iter().map(|arg| elsewhere(arg)).collect();
        let mut command = stand.command(&args.iter().map(String::as_str).collect::<Vec<_>>());
        for (name, value) in &process.environment {
            command.env(name, elsewhere(value));
        }
        command.env("QUAESTIO_DATABASE", "");
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut addresses = BTreeMap::new();
        let wanted =
            if process.args[0] == "serve" { "listening at " } else { "working on runs as " };
        for line in BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok) {
            for said in [wanted, "metrics at "] {
                if let Some(rest) = line.strip_prefix(said) {
                    let address = rest.split('/').nth(2).unwrap_or_default();
                    addresses.insert(said, address.to_owned());
                }
            }
            if addresses.len() == 2 {
                break;
            }
        }
        assert_eq!(addresses.len(), 2, "{process:?} does not start");
        Started { child, addresses }
    }

    /// Returns the status of an answer of the address for monitors.
    fn status(&self, path: &str, token: Option<&str>) -> u16 {
        let address = &self.addresses["metrics at "];
        let mut stream = TcpStream::connect(address).unwrap();
        let token = token.map(|token| format!("authorization: Bearer {token}\r\n"));
        let token = token.unwrap_or_default();
        let head =
            format!("GET {path} HTTP/1.1\r\nhost: {address}\r\n{token}connection: close\r\n\r\n");
        stream.write_all(head.as_bytes()).unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        text.split(' ').nth(1).unwrap().parse().unwrap()
    }
}

// proves: F10, S2, C8
#[test]
fn every_process_starts_as_the_files_have_it_and_answers_its_probes() {
    for process in composed().into_iter().chain(deployed(&read_manifests())) {
        let stand = Stand::new();
        let name = &process.name;
        // The names of variables are known only by what they do: a wrong one would be passed over in silence.
        let shown = {
            let mut command = stand.command(&["config", "show", "--json"]);
            command.envs(&process.environment).env("QUAESTIO_DATABASE", "");
            let told = crate::stand::read_output(&command.output().unwrap());
            assert_eq!(told.code, 0, "{name}: {told:?}");
            told.json()
        };
        for (variable, value) in &process.environment {
            let Some(key) = variable.strip_prefix("QUAESTIO_") else { continue };
            let is_secret = FILLED_IN.iter().any(|(known, _)| known == variable);
            let is_elsewhere = variable == "QUAESTIO_DATABASE" || value.is_empty();
            if is_secret || is_elsewhere {
                continue;
            }
            let key = key.to_lowercase().replace("__", ".");
            let lines = shown.as_array().unwrap();
            let set = lines.iter().any(|line| {
                line["key"] == key.as_str() && line["origin"] == format!("environment {variable}")
            });
            assert!(set, "{name}: {variable} sets nothing");
        }
        let database = url::Url::parse(&process.environment["QUAESTIO_DATABASE"]).unwrap();
        assert_eq!((database.scheme(), database.host_str()), ("postgres", Some("database")));

        let started = Started::start(&stand, &process);
        for path in ["/health/live", "/health/ready"] {
            assert_eq!(started.status(path, None), 200, "{name}: {path}");
        }
        assert_eq!(ask_health(&stand, &started.addresses["metrics at "]), 0, "{name}");
        let token = &process.environment["QUAESTIO_METRICS_TOKEN"];
        assert_eq!(started.status("/metrics", None), 401, "{name}");
        assert_eq!(started.status("/metrics", Some(token)), 200, "{name}");
    }
}

/// Asks as a container that has no other client does, and returns the exit code.
fn ask_health(stand: &Stand, address: &str) -> i32 {
    let compose = &read("compose.yaml")[0];
    let test = |name: &str| strings(&compose["services"][name]["healthcheck"]["test"]);
    assert_eq!(test("server"), test("worker"));
    assert_eq!(test("server"), ["CMD", "quaestio", "health", "127.0.0.1:9400"]);
    let told = stand.command(&["health", address]).output().unwrap();
    crate::stand::read_output(&told).code
}

// proves: F10
#[test]
fn health_fails_where_nothing_is_ready() {
    let stand = Stand::new();
    let listener = std::net::TcpListener::bind(ANY_PORT).unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let other = std::thread::spawn(move || {
        for answer in ["HTTP/1.1 503 Service Unavailable\r\n\r\n", "HTTP/1.1 2000 x\r\n\r\n", ""] {
            let (mut stream, _) = listener.accept().unwrap();
            let _ = stream.read(&mut [0; 1024]).unwrap();
            stream.write_all(answer.as_bytes()).unwrap();
        }
    });
    for _ in 0..3 {
        assert_eq!(ask_health(&stand, &address), 1);
    }
    other.join().unwrap();
    // Nobody listens there any more.
    assert_eq!(ask_health(&stand, &address), 1);
}

/// Returns the port of an address that a process listens at, by the flag or variable that names it.
fn listens_at(process: &Process, flag: &str, variable: &str) -> Option<u64> {
    let after_flag = process.args.iter().skip_while(|arg| *arg != flag).nth(1);
    let address = after_flag.or_else(|| process.environment.get(variable))?;
    address.strip_prefix("0.0.0.0:")?.parse().ok()
}

// proves: F10, S2
#[test]
fn ports_probes_and_time_to_stop_fit_the_program() {
    let manifests = read_manifests();
    for process in deployed(&manifests) {
        let name = process.name.rsplit(' ').next().unwrap();
        let (pod, container) = find_pod(find(&manifests, "Deployment", name));
        let named = list(&container["ports"]).into_iter();
        let ports: BTreeMap<String, u64> = named
            .map(|port| (string(&port["name"]), port["containerPort"].as_u64().unwrap()))
            .collect();
        let metrics = listens_at(&process, "--metrics", "QUAESTIO_SERVER__METRICS_LISTEN");
        assert_eq!(ports.get("metrics").copied(), metrics, "{name}");
        assert_eq!(ports.get("http").copied(), listens_at(&process, "--listen", ""), "{name}");
        for (probe, path) in [
            ("startupProbe", "/health/live"),
            ("livenessProbe", "/health/live"),
            ("readinessProbe", "/health/ready"),
        ] {
            let request = &container[probe]["httpGet"];
            assert_eq!(
                (string(&request["path"]).as_str(), string(&request["port"]).as_str()),
                (path, "metrics")
            );
        }
        let drain: u64 = process.environment["QUAESTIO_SERVER__DRAIN_SECONDS"].parse().unwrap();
        let pause = container["lifecycle"]["preStop"]["sleep"]["seconds"].as_u64().unwrap_or(0);
        let grace = pod["terminationGracePeriodSeconds"].as_u64().unwrap();
        // Open requests have 5 s after the calls under way.
        assert!(grace >= pause + drain + 10, "{name}: {grace} s to stop");
        find(&manifests, "PodDisruptionBudget", name);
    }
    assert_eq!(find(&manifests, "Deployment", "worker")["spec"]["replicas"], 2);
    assert_eq!(read("compose.yaml")[0]["services"]["worker"]["deploy"]["replicas"], 2);
    let service = find(&manifests, "Service", "server");
    assert_eq!(service["spec"]["ports"][0]["targetPort"], "http");
    let grace = string(&read("compose.yaml")[0]["services"]["worker"]["stop_grace_period"]);
    let drain = &composed()[1].environment["QUAESTIO_SERVER__DRAIN_SECONDS"];
    let seconds = |text: &str| text.trim_end_matches('s').parse::<u64>().unwrap();
    assert!(seconds(&grace) >= seconds(drain) + 10);
}

// proves: F10
#[test]
fn no_container_is_root_or_writes_elsewhere_than_in_its_volumes() {
    let manifests = read_manifests();
    for (kind, name) in
        [("Deployment", "server"), ("Deployment", "worker"), ("StatefulSet", "database")]
    {
        let manifest = find(&manifests, kind, name);
        let (pod, container) = find_pod(manifest);
        assert_eq!(pod["securityContext"]["runAsNonRoot"], true, "{name}");
        let security = &container["securityContext"];
        assert_eq!(security["readOnlyRootFilesystem"], true, "{name}");
        assert_eq!(security["allowPrivilegeEscalation"], false, "{name}");
        assert_eq!(strings(&security["capabilities"]["drop"]), ["ALL"], "{name}");
        assert!(container["resources"]["requests"]["memory"].is_string(), "{name}");
        let claims = list(&manifest["spec"]["volumeClaimTemplates"]);
        let claims = claims.iter().map(|claim| string(&claim["metadata"]["name"]));
        let volumes: BTreeSet<String> = list(&pod["volumes"])
            .iter()
            .map(|volume| string(&volume["name"]))
            .chain(claims)
            .collect();
        let mounts = list(&container["volumeMounts"]);
        let mounted: BTreeSet<String> = mounts.iter().map(|mount| string(&mount["name"])).collect();
        assert_eq!(mounted, volumes, "{name}");
        if kind == "Deployment" {
            let paths: Vec<String> =
                mounts.iter().map(|mount| string(&mount["mountPath"])).collect();
            assert_eq!(paths, ["/data", "/tmp"]);
        }
    }
    let compose = &read("compose.yaml")[0];
    for name in ["server", "worker"] {
        assert_eq!(compose["services"][name]["read_only"], true, "{name}");
    }
}

// proves: F10
#[test]
fn the_image_is_built_from_what_there_is_with_the_version_that_the_workspace_asks_for() {
    let dockerfile = read_text("Dockerfile");
    let root = folder().join("..");
    let workspace = fs::read_to_string(root.join("Cargo.toml")).unwrap();
    let version = workspace.lines().find_map(|line| line.strip_prefix("rust-version = "));
    let version = version.unwrap().trim_matches('"');
    assert!(dockerfile.contains(&format!("FROM rust:{version}-")), "{version}");
    for line in dockerfile.lines().filter_map(|line| line.strip_prefix("COPY ")) {
        let copied: Vec<&str> = line.split(' ').filter(|word| !word.starts_with("--")).collect();
        let (_, sources) = copied.split_last().unwrap();
        for source in sources.iter().filter(|source| !source.starts_with('/')) {
            assert!(root.join(source).exists(), "{source}");
            assert!(
                read_text("Dockerfile.dockerignore").contains(&format!("!{source}\n")),
                "{source}"
            );
        }
    }
    assert!(dockerfile.contains("\nUSER 10001\n"));
    assert!(dockerfile.contains("\nENTRYPOINT [\"quaestio\"]\n"));
    // What a person fills in is asked for in the example.
    let example = read_text("env.example");
    let compose = read_text("compose.yaml");
    for variable in compose.split("${").skip(1).filter_map(|rest| rest.split(':').next()) {
        assert!(example.contains(&format!("\n{variable}=")), "{variable}");
    }
    // Every file that is applied is there, and the secret is not one of them.
    let applied = strings(&read("kubernetes/kustomization.yaml")[0]["resources"]);
    for file in &applied {
        assert!(folder().join("kubernetes").join(file).exists(), "{file}");
    }
    assert!(!applied.iter().any(|file| file.starts_with("secret")));
}
