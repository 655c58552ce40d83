//! `quaestio prompts`: what agents are told, and replacing it.

use crate::stand::Stand;

// proves: C9
#[test]
fn prompts_are_listed_shown_exported_and_replaced() {
    let stand = Stand::new();
    let listed = stand.run(&["prompts", "list", "--format", "json"]).json();
    let of = |listed: &serde_json::Value, name: &str| {
        let all = listed.as_array().unwrap();
        all.iter().find(|one| one["name"] == name).unwrap().clone()
    };
    let writer = of(&listed, "ask/writer");
    assert_eq!(writer["from"], "shipped");
    assert_eq!(of(&listed, "eval/judge")["from"], "shipped");
    let told = stand.run(&["prompts", "list"]);
    let digest = writer["sha256"].as_str().unwrap();
    let row = told.out.lines().find(|line| line.starts_with("ask/writer ")).unwrap();
    assert!(row.contains(&digest[..12]) && row.ends_with("shipped"), "{told:?}");

    let told = stand.run(&["prompts", "show", "ask/writer"]);
    assert!(told.out.starts_with("---\nversion:") && told.err.contains(digest), "{told:?}");
    stand.run(&["prompts", "show", "ask/poet"]).fails(2, "there is no prompt 'ask/poet'");

    let told = stand.run(&["prompts", "export", "mine", "ask/writer"]);
    assert!(told.code == 0 && told.out.contains("1 prompt written to mine"), "{told:?}");
    let path = stand.path("mine/ask/writer.md");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text + "\nWrite like a gull.\n").unwrap();
    stand.file("mine/ask/poet.md", "---\nversion: 1\nmax_tokens: 5\n---\nx\n");
    stand.run(&["prompts", "export", "mine"]).fails(2, "writer.md exists; nothing was written");
    assert!(!stand.path("mine/ask/answerer.md").exists());
    let set = ["--set", "prompts.folder=mine"];
    let told = stand.run(&[&["prompts", "list"], &set[..]].concat());
    let row = told.out.lines().find(|line| line.starts_with("ask/writer ")).unwrap();
    assert!(row.ends_with("yours") && !row.contains(&digest[..12]), "{told:?}");
    assert!(told.err.contains("ask/poet.md in the prompts folder replaces nothing"), "{told:?}");
    let told = stand.run(&[&["prompts", "show", "ask/writer"], &set[..]].concat());
    assert!(told.out.contains("like a gull"), "{told:?}");
    let told = stand.run(&[&["prompts", "show", "ask/writer", "--shipped"], &set[..]].concat());
    assert!(!told.out.contains("like a gull"), "{told:?}");
    let told = stand.run(&["prompts", "export", "all"]);
    assert!(told.code == 0 && stand.path("all/eval/judge.md").is_file(), "{told:?}");
}
