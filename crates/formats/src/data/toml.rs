//! TOML becomes Markdown, its tables as sections in the order of the file.

use toml_edit::{Array, Decor, Document, Item, RawString, TableLike};

use super::comments::{COMMENT, words};
use super::tree::DEPTH;
use super::{Nodes, Value};
use crate::{Bounds, Fault, Parsed};

/// The most bytes of a file: its tree takes several hundred times as many for short dotted keys.
const MOST_BYTES: usize = 2 << 20;

/// Returns what TOML says.
pub(crate) fn parse(bytes: &[u8], bounds: &Bounds) -> Result<Parsed, Fault> {
    if bytes.len() > MOST_BYTES {
        return Err(Fault::TooLarge { bytes: bytes.len() as u64, limit: MOST_BYTES as u64 });
    }
    let text = String::from_utf8_lossy(bytes);
    let text = text.trim_start_matches('\u{feff}');
    let document = Document::parse(text);
    let document = document.map_err(|_| Fault::Damaged { format: "TOML".to_owned() })?;
    let value = table(document.as_table(), text, 0, &mut Nodes::default())?;
    Ok(super::parsed(&[value], "Entry", bounds))
}

fn table(
    table: &dyn TableLike,
    source: &str,
    depth: usize,
    nodes: &mut Nodes,
) -> Result<Value<'static>, Fault> {
    let mut entries = Vec::new();
    for (key, item) in table.iter() {
        let above = match item {
            Item::Table(inner) => inner.decor().prefix(),
            _ => table.key(key).and_then(|key| key.leaf_decor().prefix()),
        };
        let beside = item.as_value().map(toml_edit::Value::decor).and_then(Decor::suffix);
        for comment in [above, beside].into_iter().flatten() {
            let comment = words(raw(comment, source));
            if !comment.is_empty() {
                nodes.take(1 + comment.len() / 32)?;
                entries.push((COMMENT.to_owned(), Value::Text(comment.into())));
            }
        }
        entries.push((key.to_owned(), self::item(item, source, depth + 1, nodes)?));
    }
    Ok(Value::Map(entries))
}

/// Returns what stands in the file between its values.
fn raw<'a>(space: &'a RawString, source: &'a str) -> &'a str {
    let said = space.span().and_then(|span| source.get(span));
    said.or_else(|| space.as_str()).unwrap_or_default()
}

fn item(
    item: &Item,
    source: &str,
    depth: usize,
    nodes: &mut Nodes,
) -> Result<Value<'static>, Fault> {
    match item {
        Item::None => Ok(Value::Null),
        Item::Value(value) => self::value(value, source, depth, nodes),
        Item::Table(inner) => table(inner, source, depth, nodes),
        Item::ArrayOfTables(tables) => {
            let tables = tables.iter().map(|inner| table(inner, source, depth + 1, nodes));
            Ok(Value::List(tables.collect::<Result<_, _>>()?))
        }
    }
}

fn value(
    value: &toml_edit::Value,
    source: &str,
    depth: usize,
    nodes: &mut Nodes,
) -> Result<Value<'static>, Fault> {
    if depth > DEPTH {
        return Err(Fault::TooComplex { what: format!("values nested more than {DEPTH} deep") });
    }
    nodes.take(1)?;
    Ok(match value {
        toml_edit::Value::String(text) => Value::Text(text.value().clone().into()),
        toml_edit::Value::Integer(number) => Value::Text(number.value().to_string().into()),
        toml_edit::Value::Float(number) => Value::Text(format!("{:?}", number.value()).into()),
        toml_edit::Value::Boolean(flag) => Value::Text(flag.value().to_string().into()),
        toml_edit::Value::Datetime(date) => Value::Text(date.value().to_string().into()),
        toml_edit::Value::Array(elements) => array(elements, source, depth, nodes)?,
        toml_edit::Value::InlineTable(inner) => table(inner, source, depth, nodes)?,
    })
}

fn array(
    elements: &Array,
    source: &str,
    depth: usize,
    nodes: &mut Nodes,
) -> Result<Value<'static>, Fault> {
    let elements = elements.iter().map(|element| value(element, source, depth + 1, nodes));
    Ok(Value::List(elements.collect::<Result<_, _>>()?))
}
