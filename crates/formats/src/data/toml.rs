//! TOML becomes Markdown, its tables as sections in the order of the file.

use toml_edit::{Array, Document, Item, TableLike};

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
    let value = table(document.as_table(), 0, &mut Nodes::default())?;
    Ok(super::parsed(&[value], "Entry", bounds))
}

fn table(table: &dyn TableLike, depth: usize, nodes: &mut Nodes) -> Result<Value, Fault> {
    let mut entries = Vec::new();
    for (key, item) in table.iter() {
        entries.push((key.to_owned(), self::item(item, depth + 1, nodes)?));
    }
    Ok(Value::Map(entries))
}

fn item(item: &Item, depth: usize, nodes: &mut Nodes) -> Result<Value, Fault> {
    match item {
        Item::None => Ok(Value::Null),
        Item::Value(value) => self::value(value, depth, nodes),
        Item::Table(inner) => table(inner, depth, nodes),
        Item::ArrayOfTables(tables) => {
            let tables = tables.iter().map(|inner| table(inner, depth + 1, nodes));
            Ok(Value::List(tables.collect::<Result<_, _>>()?))
        }
    }
}

fn value(value: &toml_edit::Value, depth: usize, nodes: &mut Nodes) -> Result<Value, Fault> {
    if depth > DEPTH {
        return Err(Fault::TooComplex { what: format!("values nested more than {DEPTH} deep") });
    }
    nodes.take(1)?;
    Ok(match value {
        toml_edit::Value::String(text) => Value::Text(text.value().as_str().into()),
        toml_edit::Value::Integer(number) => Value::Text(number.value().to_string().into()),
        toml_edit::Value::Float(number) => Value::Text(format!("{:?}", number.value()).into()),
        toml_edit::Value::Boolean(flag) => Value::Text(flag.value().to_string().into()),
        toml_edit::Value::Datetime(date) => Value::Text(date.value().to_string().into()),
        toml_edit::Value::Array(elements) => array(elements, depth, nodes)?,
        toml_edit::Value::InlineTable(inner) => table(inner, depth, nodes)?,
    })
}

fn array(elements: &Array, depth: usize, nodes: &mut Nodes) -> Result<Value, Fault> {
    let elements = elements.iter().map(|element| value(element, depth + 1, nodes));
    Ok(Value::List(elements.collect::<Result<_, _>>()?))
}
