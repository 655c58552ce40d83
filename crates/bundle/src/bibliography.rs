//! References as they were written, for who has no styles to write them with.

use papers::Paper;
use run::sources::Bibliography;
use serde_json::Value;

/// The references of a result, in their order.
pub(crate) struct Written(Vec<String>);

impl Written {
    pub(crate) fn of(result: &Value) -> Written {
        let references = result.get("references").and_then(Value::as_array);
        let text = |reference: &Value| {
            reference.get("text").and_then(Value::as_str).unwrap_or_default().to_owned()
        };
        Written(references.into_iter().flatten().map(text).collect())
    }
}

impl Bibliography for Written {
    fn references(&self, works: &[&Paper]) -> Vec<String> {
        let mut texts = self.0.clone();
        texts.resize(works.len(), String::new());
        texts
    }
}
