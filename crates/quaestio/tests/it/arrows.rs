//! The arrows between crates point one way.

use std::collections::BTreeSet;
use std::process::Command;

use serde_json::Value;

#[test]
fn no_crate_knows_its_sibling_and_nothing_points_up() {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    let ours: BTreeSet<&str> =
        packages.iter().map(|package| package["name"].as_str().unwrap()).collect();
    let mut arrows = BTreeSet::new();
    for package in packages {
        for dependency in package["dependencies"].as_array().unwrap() {
            let name = dependency["name"].as_str().unwrap();
            if ours.contains(name) && dependency["kind"].is_null() {
                arrows.insert(format!("{} -> {name}", package["name"].as_str().unwrap()));
            }
        }
    }
    let allowed = [
        "app -> methods",
        "app -> run",
        "bench -> conformance",
        "bench -> corpus",
        "bench -> eval",
        "bench -> extract",
        "bench -> fakes",
        "bench -> index",
        "bench -> methods",
        "bench -> models",
        "bench -> postgres",
        "bench -> run",
        "bench -> store",
        "bench -> text",
        "bundle -> grounding",
        "bundle -> methods",
        "bundle -> papers",
        "bundle -> run",
        "bundle -> survey",
        "conformance -> papers",
        "conformance -> run",
        "conformance -> text",
        "corpus -> formats",
        "corpus -> papers",
        "corpus -> run",
        "corpus -> text",
        "docx -> fonts",
        "docx -> render",
        "eval -> run",
        "eval -> text",
        "eval -> transport",
        "extract -> grounding",
        "extract -> text",
        "fakes -> grounding",
        "formats -> text",
        "grounding -> text",
        "index -> text",
        "methods -> extract",
        "methods -> grounding",
        "methods -> papers",
        "methods -> render",
        "methods -> run",
        "methods -> survey",
        "methods -> text",
        "models -> run",
        "models -> text",
        "models -> transport",
        "postgres -> index",
        "postgres -> papers",
        "postgres -> run",
        "postgres -> text",
        "quaestio -> app",
        "quaestio -> bundle",
        "quaestio -> corpus",
        "quaestio -> docx",
        "quaestio -> eval",
        "quaestio -> methods",
        "quaestio -> models",
        "quaestio -> papers",
        "quaestio -> postgres",
        "quaestio -> render",
        "quaestio -> run",
        "quaestio -> sandbox",
        "quaestio -> server",
        "quaestio -> sources",
        "quaestio -> store",
        "quaestio -> survey",
        "quaestio -> telemetry",
        "quaestio -> text",
        "quaestio -> transport",
        "quaestio -> typeset",
        "quaestio -> zotero",
        "render -> grounding",
        "run -> grounding",
        "run -> papers",
        "run -> render",
        "run -> text",
        "sandbox -> run",
        "server -> app",
        "server -> methods",
        "server -> render",
        "server -> run",
        "server -> text",
        "sources -> papers",
        "sources -> run",
        "sources -> text",
        "sources -> transport",
        "store -> index",
        "store -> papers",
        "store -> run",
        "store -> text",
        "telemetry -> run",
        "telemetry -> transport",
        "transport -> run",
        "typeset -> fonts",
        "typeset -> render",
        "verifier -> bundle",
        "verifier -> methods",
        "zotero -> papers",
    ];
    assert_eq!(arrows, allowed.map(str::to_owned).into());
}
