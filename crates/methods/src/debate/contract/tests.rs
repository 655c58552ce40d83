use std::path::Path;

use super::*;

// proves: D1
#[test]
fn the_published_schema_is_the_one_of_the_types() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schemas/debate_schema.json");
    let made = format!("{:#}\n", schema());
    if std::env::var_os("UPDATE_SCHEMAS").is_some() {
        std::fs::write(&path, &made).unwrap();
    }
    let published = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(
        published, made,
        "schemas/debate_schema.json is not the schema of the types; UPDATE_SCHEMAS=1 writes it anew"
    );
}
