//! What the OpenAPI document promises: the answers of these tests are held against it.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex};

use jsonschema::Validator;
use reqwest::Method;
use reqwest::header::HeaderMap;
use serde_json::{Value, json};

use crate::patience::PATIENCE;
use crate::stage::Stage;

/// An operation of the document.
#[derive(Debug, Clone)]
pub(crate) struct Operation {
    pub(crate) method: Method,
    /// With its parameters in braces.
    pub(crate) path: String,
    pub(crate) id: String,
    pub(crate) described: Value,
}

/// What the server answered.
#[derive(Debug, Clone)]
pub(crate) struct Told {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) bytes: Vec<u8>,
    /// Null where the body is no JSON.
    pub(crate) body: Value,
}

impl Told {
    pub(crate) async fn by(request: reqwest::RequestBuilder) -> Told {
        let response = request.timeout(PATIENCE).send().await.unwrap();
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let bytes = response.bytes().await.unwrap().to_vec();
        let body = serde_json::from_slice(&bytes).unwrap_or(Value::Null);
        Told { status, headers, bytes, body }
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    /// Returns the kind of the problem.
    pub(crate) fn kind(&self) -> &str {
        self.body["type"].as_str().unwrap_or_default().trim_start_matches("urn:quaestio:problem:")
    }

    /// Returns a text of the body.
    pub(crate) fn text(&self, pointer: &str) -> String {
        let text = self.body.pointer(pointer).and_then(Value::as_str);
        text.unwrap_or_else(|| panic!("no {pointer} in {}", self.body)).to_owned()
    }
}

/// The document, and which of its operations were used.
pub(crate) struct Contract {
    pub(crate) document: Value,
    validators: Mutex<HashMap<String, Arc<Validator>>>,
    used: Mutex<BTreeSet<String>>,
}

impl Contract {
    pub(crate) async fn of(stage: &Stage) -> Contract {
        let (status, document) = stage.get("/openapi.json").await;
        assert_eq!(status, 200);
        Contract { document, validators: Mutex::default(), used: Mutex::default() }
    }

    pub(crate) fn operations(&self) -> Vec<Operation> {
        let mut operations = Vec::new();
        for (path, item) in self.document["paths"].as_object().unwrap() {
            for (method, described) in item.as_object().unwrap() {
                operations.push(Operation {
                    method: method.to_uppercase().parse().unwrap(),
                    path: path.clone(),
                    id: described["operationId"].as_str().unwrap().to_owned(),
                    described: described.clone(),
                });
            }
        }
        operations
    }

    /// Returns the operations that were used so far.
    pub(crate) fn used(&self) -> BTreeSet<String> {
        self.used.lock().unwrap().clone()
    }

    /// Sends a request with a JSON body or none, and holds the answer against the document.
    pub(crate) async fn call(
        &self,
        stage: &Stage,
        method: Method,
        target: &str,
        body: Option<Value>,
    ) -> Told {
        let mut request = stage.client.request(method.clone(), stage.url(target));
        if let Some(body) = body {
            request = request.json(&body);
        }
        self.send(method, target, request).await
    }

    /// Sends a request and holds the answer against the document.
    pub(crate) async fn send(
        &self,
        method: Method,
        target: &str,
        request: reqwest::RequestBuilder,
    ) -> Told {
        let told = Told::by(request).await;
        self.check(&method, target, &told);
        told
    }

    /// Holds an answer against the document.
    pub(crate) fn check(&self, method: &Method, target: &str, told: &Told) {
        let shown = String::from_utf8_lossy(&told.bytes);
        let what = format!("{method} {target} -> {}: {shown}", told.status);
        let operation = self.find(method, target).unwrap_or_else(|| panic!("unknown: {what}"));
        if told.status < 400 {
            self.used.lock().unwrap().insert(operation.id.clone());
        }
        let responses = &operation.described["responses"];
        let status = told.status.to_string();
        let key = if responses[&status].is_object() { status.as_str() } else { "default" };
        assert!(key != "default" || told.status >= 400, "not described: {what}");
        let Some(content) = responses[key]["content"].as_object() else {
            assert!(told.bytes.is_empty(), "a body that is not described: {what}");
            return;
        };
        let media_type = told.header("content-type").split(';').next().unwrap().to_owned();
        let described = content.get(&media_type);
        let described =
            described.unwrap_or_else(|| panic!("{media_type} is not described: {what}"));
        if !media_type.ends_with("json") {
            return;
        }
        let validator =
            self.validator(&format!("{} {key} {media_type}", operation.id), &described["schema"]);
        let body: Value = serde_json::from_slice(&told.bytes).unwrap_or_else(|_| panic!("{what}"));
        if let Some(error) = validator.iter_errors(&body).next() {
            panic!("{error} at {}: {what}", error.instance_path());
        }
        if key == "default" {
            assert_eq!(body["status"], told.status, "{what}");
        }
    }

    fn validator(&self, key: &str, schema: &Value) -> Arc<Validator> {
        let mut validators = self.validators.lock().unwrap();
        let made = validators.entry(key.to_owned()).or_insert_with(|| {
            let mut schema = schema.clone();
            schema["components"] = self.document["components"].clone();
            schema["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
            Arc::new(jsonschema::validator_for(&schema).unwrap())
        });
        Arc::clone(made)
    }

    fn find(&self, method: &Method, target: &str) -> Option<Operation> {
        let path = target.split('?').next().unwrap();
        let fits = |operation: &Operation| {
            let (wanted, given) = (operation.path.split('/'), path.split('/'));
            wanted.clone().count() == given.clone().count()
                && wanted
                    .zip(given)
                    .all(|(wanted, given)| wanted.starts_with('{') || wanted == given)
        };
        let mut operations = self.operations();
        operations.retain(|operation| operation.method == *method && fits(operation));
        operations.pop()
    }
}

pub(crate) const GET: Method = Method::GET;
pub(crate) const POST: Method = Method::POST;
pub(crate) const PUT: Method = Method::PUT;
pub(crate) const PATCH: Method = Method::PATCH;
pub(crate) const DELETE: Method = Method::DELETE;

pub(crate) fn build_order(method: &str, question: &str) -> Value {
    json!({ "method": method, "question": question })
}

/// A stage and its document.
pub(crate) struct Set {
    pub(crate) stage: Stage,
    pub(crate) contract: Contract,
}

impl Set {
    pub(crate) async fn up() -> Set {
        let stage = Stage::open().await;
        let contract = Contract::of(&stage).await;
        Set { stage, contract }
    }

    pub(crate) async fn call(&self, method: Method, target: &str, body: Option<Value>) -> Told {
        self.contract.call(&self.stage, method, target, body).await
    }

    pub(crate) async fn get(&self, target: &str) -> Value {
        let told = self.call(GET, target, None).await;
        assert_eq!(told.status, 200, "{target}: {}", told.body);
        told.body
    }

    /// Sends a JSON body that may be none.
    pub(crate) async fn send(
        &self,
        method: Method,
        target: &str,
        body: impl Into<reqwest::Body>,
    ) -> Told {
        let request = self.stage.client.request(method.clone(), self.stage.url(target));
        let request = request.header("content-type", "application/json").body(body);
        self.contract.send(method, target, request).await
    }

    pub(crate) async fn upload(&self, collection: &str, name: &str, text: &str) -> Told {
        let target = format!("/api/collections/{collection}/documents");
        let request = self.stage.client.post(self.stage.url(&target)).query(&[("name", name)]);
        let request = request.header("content-type", "application/octet-stream");
        self.contract.send(POST, &target, request.body(text.to_owned())).await
    }

    pub(crate) async fn start(&self, method: &str, question: &str) -> String {
        let told = self.call(POST, "/api/runs", Some(build_order(method, question))).await;
        assert_eq!(told.status, 201, "{}", told.body);
        told.text("/run_id")
    }
}
