//! The page of the results' schemas.

use run::Methods;
use serde_json::Value;

use super::markdown::{plain, slug};
use super::shapes::describe;

/// Returns each published schema: the name of its file, its title, and itself.
fn published(methods: &Methods) -> Vec<(String, String, Value)> {
    let of_all = ("result".to_owned(), "Every result".to_owned(), methods::validation::schema());
    let own = methods.iter().filter_map(|method| {
        let schema = methods::validation::schema_of_method(method.name)?;
        Some((method.name.to_owned(), method.name.to_owned(), schema))
    });
    [of_all].into_iter().chain(own).collect()
}

/// Returns the schemas as files beside the page.
pub(super) fn files(methods: &Methods) -> Vec<(String, String)> {
    let file = |(name, _, schema): (String, String, Value)| {
        (format!("schemas/{name}.json"), format!("{schema:#}\n"))
    };
    published(methods).into_iter().map(file).collect()
}

pub(super) fn page(methods: &Methods) -> String {
    let mut out = String::from(
        "# Schemas of results\n\n`--format json` prints a result as one JSON object. The fields of the first section are those of every \
         method. What a method delivers stands in `deliverable`, and the methods below publish a schema for it. `quaestio validate \
         FILE` checks a result against both.\n\n",
    );
    for (name, title, schema) in published(methods) {
        let place = |of: &str| format!("#{name}-{}", slug(of));
        out.push_str(&format!("## {title} {{#{name}}}\n\n[JSON Schema](schemas/{name}.json)\n\n"));
        out.push_str(&describe(&schema, &place));
        let parts = schema.get("$defs").and_then(Value::as_object);
        for (part, schema) in parts.into_iter().flatten() {
            let id = place(part);
            out.push_str(&format!("### {} {{{id}}}\n\n", plain(part)));
            out.push_str(&describe(schema, &place));
        }
    }
    out
}
