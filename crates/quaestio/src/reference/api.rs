//! The page of the HTTP API, from the OpenAPI document that a server publishes.

use serde_json::Value;

use super::markdown::{code, plain, slug, table};
use super::shapes::{describe, kind};

/// What the results of methods are named in the document; another page has them.
const RESULTS: [(&str, &str); 4] = [
    ("BriefResult", "brief"),
    ("DebateResult", "debate"),
    ("HypothesisResult", "hypothesize"),
    ("MarketResult", "market"),
];

pub(super) fn page(document: &Value) -> String {
    let mut out = String::from(
        "# HTTP API\n\n`quaestio serve` answers at `http://127.0.0.1:8400`. Bodies are JSON unless a table says otherwise. A server \
         with tokens needs `Authorization: Bearer TOKEN` on every request. An error is a [problem document](#object-problemdocument) \
         (RFC 9457). The running server publishes this description at `/openapi.json`; [here is a copy](openapi.json). \
         [Serving](../serving.md) shows how to start.\n\n",
    );
    let tags = document["tags"].as_array().cloned().unwrap_or_default();
    for tag in &tags {
        let name = tag["name"].as_str().unwrap_or_default();
        let about = tag["description"].as_str().unwrap_or_default();
        out.push_str(&format!(
            "## {} {{#{}}}\n\n{}\n\n",
            capitalized(name),
            slug(name),
            plain(about)
        ));
        for (path, operations) in document["paths"].as_object().into_iter().flatten() {
            for (method, operation) in operations.as_object().into_iter().flatten() {
                let first = operation["tags"].get(0).and_then(Value::as_str);
                let is_last = first.is_none_or(|first| tags.iter().all(|tag| tag["name"] != first));
                if first == Some(name) || (is_last && name == "operation") {
                    describe_operation(&mut out, &method.to_uppercase(), path, operation);
                }
            }
        }
    }
    out.push_str("## Objects\n\n");
    for (name, schema) in document["components"]["schemas"].as_object().into_iter().flatten() {
        if result(name).is_none() {
            out.push_str(&format!("### {} {{{}}}\n\n", plain(name), place(name)));
            out.push_str(&describe(schema, &place));
        }
    }
    out
}

fn capitalized(name: &str) -> String {
    let mut chars = name.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

/// Returns the method whose result a schema is, or is a part of.
fn result(name: &str) -> Option<&'static str> {
    let whole = name.split('.').next().unwrap_or_default();
    RESULTS.iter().find(|(known, _)| *known == whole).map(|(_, method)| *method)
}

fn place(name: &str) -> String {
    match (result(name), name.split_once('.')) {
        (Some(method), Some((_, part))) => format!("schemas.md#{method}-{}", slug(part)),
        (Some(method), None) => format!("schemas.md#{method}"),
        (None, _) => format!("#object-{}", slug(name)),
    }
}

fn describe_operation(out: &mut String, method: &str, path: &str, operation: &Value) {
    let id = operation["operationId"].as_str().unwrap_or_default();
    out.push_str(&format!("### {method} {path} {{#{id}}}\n\n"));
    for key in ["summary", "description"] {
        if let Some(text) = operation[key].as_str() {
            for paragraph in text.split("\n\n") {
                out.push_str(&format!("{}\n\n", plain(paragraph)));
            }
        }
    }
    let about = |value: &Value| value["description"].as_str().map(plain).unwrap_or_default();
    let parameters = operation["parameters"].as_array().cloned().unwrap_or_default();
    let rows: Vec<[String; 4]> = parameters
        .iter()
        .map(|parameter| {
            let optional = if parameter["required"] == true { "" } else { " (optional)" };
            let name = parameter["name"].as_str().unwrap_or_default();
            [
                format!("{}{optional}", code(name)),
                parameter["in"].as_str().unwrap_or_default().to_owned(),
                kind(&parameter["schema"], &place),
                about(parameter),
            ]
        })
        .collect();
    out.push_str(&table(["Parameter", "In", "Type", "Meaning"], &rows));
    let body = content(&operation["requestBody"]);
    if !body.is_empty() {
        out.push_str(&format!("Body: {body}\n\n"));
    }
    let responses = operation["responses"].as_object();
    let rows: Vec<[String; 3]> = responses
        .into_iter()
        .flatten()
        // What the head of the page says of all.
        .filter(|(status, _)| *status != "default")
        .map(|(status, response)| [status.clone(), content(response), about(response)])
        .collect();
    out.push_str(&table(["Status", "Body", "Meaning"], &rows));
}

/// Returns the types of a body with its media types.
fn content(body: &Value) -> String {
    let types = body["content"].as_object();
    let one = |(media, content): (&String, &Value)| match &content["schema"] {
        Value::Null => code(media),
        schema if media == "application/json" || media == "application/problem+json" => {
            kind(schema, &place)
        }
        schema => format!("{} ({})", code(media), kind(schema, &place)),
    };
    types.into_iter().flatten().map(one).collect::<Vec<_>>().join(" or ")
}
