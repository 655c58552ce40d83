//! A chart as the table of its values.

use std::collections::BTreeMap;

use crate::Writer;
use crate::sheet::counted;
use crate::writer::tidy;
use crate::xml::Element;

/// The most rows and series that are written.
const ROWS: usize = 2000;
const SERIES: usize = 64;

/// The values at their places on an axis.
type Values = BTreeMap<usize, String>;

/// Writes the chart in a chart part: its title, then its categories and the values of each series.
pub(crate) fn write(part: &Element, text: &mut Writer) {
    let Some(chart) = part.child("chart") else { return };
    if let Some(title) = chart.child("title") {
        text.paragraph(&words(title));
    }
    let Some(plot) = chart.child("plotArea") else { return };
    let axis = |names: &[&str]| {
        let axis = plot.elements().find(|it| names.contains(&&*it.name));
        axis.and_then(|axis| axis.child("title")).map(|title| tidy(&words(title)))
    };
    let mut labels = Values::new();
    let mut series = Vec::new();
    for one in plot.all("ser").into_iter().take(SERIES) {
        for name in ["cat", "xVal"] {
            for (place, label) in one.child(name).map(values).unwrap_or_default() {
                labels.entry(place).or_insert(label);
            }
        }
        let name = one.child("tx").map(|it| tidy(&points(it))).unwrap_or_default();
        let own = ["val", "yVal"].iter().find_map(|name| one.child(name)).map(values);
        series.push((name, own.unwrap_or_default()));
    }
    if let ([(name, _)], Some(unit)) = (series.as_mut_slice(), axis(&["valAx"]))
        && name.is_empty()
    {
        *name = unit;
    }
    let mut rows = vec![Vec::with_capacity(series.len() + 1)];
    rows[0].push(axis(&["catAx", "dateAx"]).unwrap_or_default());
    rows[0].extend(series.iter().map(|(name, _)| name.clone()));
    let mut places: Vec<usize> = labels.keys().copied().collect();
    places.extend(series.iter().flat_map(|(_, values)| values.keys().copied()));
    places.sort_unstable();
    places.dedup();
    let cut = places.len().saturating_sub(ROWS);
    for place in places.into_iter().take(ROWS) {
        let mut row = vec![labels.get(&place).cloned().unwrap_or_default()];
        row.extend(
            series.iter().map(|(_, values)| values.get(&place).cloned().unwrap_or_default()),
        );
        rows.push(row);
    }
    text.table(&rows);
    if cut > 0 {
        text.paragraph(&format!("{cut} more rows of this chart are left out."));
        text.leave_out(format!("{} of a chart", counted(cut, "row")));
    }
}

/// Returns the words of rich text, paragraphs apart.
fn words(rich: &Element) -> String {
    let paragraphs = rich.all("p");
    if paragraphs.is_empty() {
        return points(rich);
    }
    let lines: Vec<String> = paragraphs
        .into_iter()
        .map(|paragraph| paragraph.all("t").into_iter().map(Element::text).collect())
        .collect();
    lines.join(" ")
}

/// Returns the cached values within, apart.
fn points(parent: &Element) -> String {
    let found: Vec<String> = parent.all("v").into_iter().map(Element::text).collect();
    found.join(" ")
}

/// Returns the cached values of an axis; the levels of one with several are joined at each place.
fn values(axis: &Element) -> Values {
    let mut found = Values::new();
    let levels = axis.all("lvl");
    let levels = if levels.is_empty() { vec![axis] } else { levels };
    for level in levels.into_iter().rev() {
        let percent = level.all("formatCode").first().and_then(|it| decimals(&it.text()));
        for point in level.all("pt") {
            let place = point.attribute("idx").and_then(|place| place.parse().ok());
            let value = point.child("v").map(|it| shown(&tidy(&it.text()), percent));
            let (Some(place), Some(value)) = (place, value) else { continue };
            let cell: &mut String = found.entry(place).or_default();
            if !cell.is_empty() {
                cell.push(' ');
            }
            cell.push_str(&value);
        }
    }
    found
}

/// Returns how many decimals a number format for percentages shows; `None` for other formats.
fn decimals(format: &str) -> Option<usize> {
    let whole = format.split(';').next()?.strip_suffix('%')?;
    let decimals = whole.split_once('.').map_or("", |(_, decimals)| decimals);
    Some(decimals.bytes().filter(|byte| *byte == b'0').count().min(6))
}

/// Returns a value as its chart shows it: 0.077 as 7.7%.
fn shown(value: &str, percent: Option<usize>) -> String {
    match (value.parse::<f64>(), percent) {
        (Ok(number), Some(decimals)) if number.is_finite() && number.abs() < 1e6 => {
            format!("{:.decimals$}%", number * 100.0)
        }
        _ => short(value),
    }
}

/// Returns a number without the noise of its binary form: 0.1 for 0.10000000000000001.
fn short(value: &str) -> String {
    let long = value.len() > 15 && value.contains('.');
    match value.parse::<f64>() {
        Ok(number) if long && number.is_finite() => {
            let magnitude = number.abs();
            if (1e-4..1e12).contains(&magnitude) {
                let fixed = format!("{number:.10}");
                fixed.trim_end_matches('0').trim_end_matches('.').to_owned()
            } else {
                number.to_string()
            }
        }
        _ => value.to_owned(),
    }
}
