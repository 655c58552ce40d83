//! A Jupyter notebook becomes Markdown: its Markdown cells as they are, its code cells as code, and what they printed.
//!
//! Versions 3 and 4. Long output is cut, and the text says how much is missing; pictures are left out.

mod tags;

use std::collections::BTreeMap;

use serde_json::Value;

use crate::html::{self, Settings};
use crate::markup::iso_date;
use crate::sheet::counted;
use crate::writer::tidy;
use crate::{Bounds, Fault, Parsed, Writer};

const NOTEBOOK: &str = "Jupyter notebook";
/// The most lines of one output.
const MOST_LINES: usize = 40;
/// The most letters of one line of output.
const LONGEST_LINE: usize = 400;
/// The most rows of one table of output.
const MOST_ROWS: usize = 100;

/// Returns whether a JSON text is a notebook.
pub(crate) fn recognize(text: &str) -> bool {
    text.trim_start_matches('\u{feff}').trim_start().starts_with('{')
        && text.contains("\"nbformat\"")
        && (text.contains("\"cells\"") || text.contains("\"worksheets\""))
        && serde_json::from_str::<Value>(text.trim_start_matches('\u{feff}'))
            .is_ok_and(|book| book.get("nbformat").is_some_and(Value::is_number))
}

/// Returns what a notebook says.
pub(crate) fn parse(bytes: &[u8], bounds: &Bounds) -> Result<Parsed, Fault> {
    let damaged = || Fault::Damaged { format: NOTEBOOK.to_owned() };
    let text = String::from_utf8_lossy(bytes);
    let book: Value =
        serde_json::from_str(text.trim_start_matches('\u{feff}')).map_err(|_| damaged())?;
    let top = book.get("cells").and_then(Value::as_array).into_iter().flatten();
    let sheets = book.get("worksheets").and_then(Value::as_array).into_iter().flatten();
    let within = sheets.filter_map(|sheet| sheet.get("cells")?.as_array()).flatten();
    if !book.is_object() || book.get("nbformat").is_none() {
        return Err(damaged());
    }
    let mut page = Writer::new(bounds.text_bytes);
    let (title, mut metadata) = described(&book);
    let language = metadata.get("language").map_or("", String::as_str);
    for cell in top.chain(within) {
        write_cell(&mut page, cell, language);
    }
    metadata.extend(page.left_out());
    Ok(Parsed { title, text: page.finish(), metadata, ..Parsed::default() })
}

/// Returns the title of a notebook, and what else its metadata says.
fn described(book: &Value) -> (Option<String>, BTreeMap<String, String>) {
    let said = |path: &str| {
        let words = book.pointer(path)?.as_str().map(tidy)?;
        (!words.is_empty()).then_some(words)
    };
    let mut metadata = BTreeMap::new();
    let language = said("/metadata/language_info/name")
        .or_else(|| said("/metadata/kernelspec/language"))
        .or_else(|| {
            said("/metadata/kernelspec/name")
                .filter(|name| name.starts_with("python"))
                .map(|_| "python".to_owned())
        });
    metadata.extend(language.map(|name| ("language".to_owned(), name.to_lowercase())));
    metadata
        .extend(said("/metadata/kernelspec/display_name").map(|name| ("kernel".to_owned(), name)));
    metadata.extend(said("/metadata/date").map(|date| ("date".to_owned(), iso_date(&date))));
    let authors = book.pointer("/metadata/authors").and_then(Value::as_array).into_iter().flatten();
    let authors: Vec<String> = authors
        .filter_map(|author| author.get("name").unwrap_or(author).as_str().map(tidy))
        .filter(|name| !name.is_empty())
        .collect();
    if !authors.is_empty() {
        metadata.insert("author".to_owned(), authors.join(", "));
    }
    (said("/metadata/title").or_else(|| said("/metadata/name")), metadata)
}

fn write_cell(page: &mut Writer, cell: &Value, language: &str) {
    let source = joined(cell.get("source").or_else(|| cell.get("input")));
    match cell.get("cell_type").and_then(Value::as_str) {
        Some("markdown") => write_markdown(page, &source),
        Some("heading") => {
            let level = cell.get("level").and_then(Value::as_u64).unwrap_or(1);
            page.heading(usize::try_from(level).unwrap_or(1), &source);
        }
        Some("code") => {
            let own = cell
                .pointer("/metadata/vscode/languageId")
                .or_else(|| cell.get("language"))
                .and_then(Value::as_str);
            let first = source.lines().next().unwrap_or_default();
            let magic = first.strip_prefix("%%").and_then(|rest| rest.split_whitespace().next());
            let magic = magic.filter(|name| {
                matches!(
                    *name,
                    "bash"
                        | "sh"
                        | "html"
                        | "javascript"
                        | "js"
                        | "latex"
                        | "ruby"
                        | "perl"
                        | "sql"
                        | "R"
                        | "svg"
                        | "cython"
                )
            });
            page.code(magic.or(own).unwrap_or(language), &source);
            let outputs = cell.get("outputs").and_then(Value::as_array).into_iter().flatten();
            write_outputs(page, outputs);
        }
        Some("raw") => {
            let kind = cell
                .pointer("/metadata/raw_mimetype")
                .or_else(|| cell.pointer("/metadata/format"))
                .and_then(Value::as_str)
                .unwrap_or_default();
            match kind {
                "text/html" => {
                    write_html(page, &source);
                }
                "text/markdown" => write_markdown(page, &source),
                "text/latex" | "text/x-python" => page.code("", &source),
                _ => source.split("\n\n").for_each(|words| page.paragraph(words)),
            }
        }
        _ => {}
    }
}

/// Writes Markdown without tags of HTML and the data of images.
fn write_markdown(page: &mut Writer, markdown: &str) {
    let words = tags::without(&without_data(markdown), page.left());
    page.block(&closed(words.trim()));
}

/// Writes the outputs of a cell; streams that follow each other are one.
fn write_outputs<'a>(page: &mut Writer, outputs: impl Iterator<Item = &'a Value>) {
    let mut printed = String::new();
    for output in outputs {
        let kind = output.get("output_type").and_then(Value::as_str).unwrap_or_default();
        if kind == "stream" {
            printed.push_str(&joined(output.get("text")));
            continue;
        }
        write_printed(page, &std::mem::take(&mut printed));
        if matches!(kind, "error" | "pyerr") {
            let said =
                |key: &str| plain(output.get(key).and_then(Value::as_str).unwrap_or_default());
            let (name, message) = (said("ename"), said("evalue"));
            let colon = if message.trim().is_empty() { "" } else { ": " };
            page.paragraph(&format!("{name}{colon}{message}"));
        } else {
            write_result(page, output);
        }
    }
    write_printed(page, &printed);
}

/// Writes the result of a cell in the form that reads best.
fn write_result(page: &mut Writer, output: &Value) {
    // Version 3 has the forms beside the other keys, under short names.
    let forms = output.get("data").unwrap_or(output);
    let form = |name: &str, short: &str| {
        let form = forms.get(name).or_else(|| forms.get(short))?;
        Some(joined(Some(form))).filter(|form| !form.trim().is_empty())
    };
    let html = form("text/html", "html");
    let plain_text = form("text/plain", "text").filter(|text| !is_object(text));
    if let Some(markdown) = form("text/markdown", "markdown") {
        return write_markdown(page, &markdown);
    }
    if let Some(html) = &html
        && html.contains("<table")
    {
        let mut written = Writer::new(page.left() as u64);
        if write_html(&mut written, html) > 0 {
            return page.block(&written.finish());
        }
    }
    match (plain_text, html) {
        (Some(text), _) => write_printed(page, &text),
        (None, Some(html)) => {
            write_html(page, &html);
        }
        (None, None) => {
            let latex = form("text/latex", "latex").unwrap_or_default();
            page.paragraph(&tidy(latex.trim_matches(['$', ' ', '\n'])));
        }
    }
}

/// Returns whether a text only names an object: `<Figure size 640x480 with 1 Axes>`.
fn is_object(text: &str) -> bool {
    let text = text.trim();
    text.starts_with('<') && text.ends_with('>') && !text.contains('\n')
        || text.starts_with("[<matplotlib") && text.ends_with(">]")
}

/// Writes what HTML says, and returns how many tables it has.
fn write_html(page: &mut Writer, html: &str) -> usize {
    html::write(html, Settings { most_rows: Some(MOST_ROWS), ..Settings::default() }, page)
}

fn write_printed(page: &mut Writer, text: &str) {
    let text = plain(text);
    let lines: Vec<&str> = text.trim_matches('\n').lines().collect();
    let kept = lines.iter().take(MOST_LINES);
    let mut letters = 0;
    let kept: Vec<String> = kept.map(|line| cut(line, &mut letters)).collect();
    page.code("text", &kept.join("\n"));
    if letters > 0 {
        page.leave_out(format!("{} of long lines of the output", counted(letters, "letter")));
    }
    write_missing(page, lines.len().saturating_sub(MOST_LINES), "line", "the output");
}

/// Says how much of something is left out.
pub(crate) fn write_missing(page: &mut Writer, count: usize, one: &str, whole: &str) {
    if count > 0 {
        page.leave_out(format!("{} of {whole}", counted(count, one)));
    }
    match count {
        0 => {}
        1 => page.paragraph(&format!("(1 more {one} of {whole} is left out.)")),
        count => page.paragraph(&format!("({count} more {one}s of {whole} are left out.)")),
    }
}

/// Returns the start of a line, and says so if that is not all of it; adds the letters that are missing to `cut_off`.
fn cut(line: &str, cut_off: &mut usize) -> String {
    match line.char_indices().nth(LONGEST_LINE) {
        Some((end, _)) => {
            let more = line[end..].chars().count();
            *cut_off += more;
            format!("{} … ({more} more letters)", &line[..end])
        }
        None => line.to_owned(),
    }
}

/// Returns a text as a terminal shows it: without colours, and of a line that was written over only its last state.
fn plain(text: &str) -> String {
    let mut found = String::with_capacity(text.len());
    for (index, line) in text.split('\n').enumerate() {
        if index > 0 {
            found.push('\n');
        }
        let last = line.trim_end_matches('\r').rsplit('\r').next().unwrap_or_default();
        let mut parts = last.split("\u{1b}[");
        found.push_str(parts.next().unwrap_or_default());
        for part in parts {
            let end = part.find(|c: char| c.is_ascii_alphabetic());
            found.push_str(end.map_or("", |end| &part[end + 1..]));
        }
    }
    found
}

/// Returns a string, or the lines of a list of strings.
fn joined(value: Option<&Value>) -> String {
    match value {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(lines)) => lines.iter().filter_map(Value::as_str).collect(),
        _ => String::new(),
    }
}

/// Returns Markdown with images that hold their own data replaced by their alt texts.
fn without_data(markdown: &str) -> String {
    let mut found = String::with_capacity(markdown.len().min(1 << 16));
    let mut rest = markdown;
    let starts = ["](data:", "](attachment:"];
    while let Some(at) = starts.iter().filter_map(|start| rest.find(start)).min() {
        let before = &rest[..at];
        let end = rest[at..].find(')').map_or(rest.len(), |end| at + end + 1);
        match before.rfind("![") {
            Some(image) => {
                found.push_str(&before[..image]);
                found.push_str(&before[image + 2..]);
            }
            None => found.push_str(before),
        }
        rest = &rest[end..];
    }
    found.push_str(rest);
    while let Some(start) = found.find("src=\"data:") {
        let end = found[start + 5..].find('"').map_or(found.len(), |end| start + 6 + end);
        found.replace_range(start..end, "");
    }
    found
}

/// Returns a cell with a code block that it leaves open closed, so that it does not take in the cells below.
fn closed(markdown: &str) -> String {
    let mut open: Option<&str> = None;
    for line in markdown.lines().map(str::trim_start) {
        for fence in ["```", "~~~"] {
            if line.starts_with(fence) {
                open = if open.is_some() { None } else { Some(fence) };
            }
        }
    }
    match open {
        Some(fence) => format!("{markdown}\n{fence}"),
        None => markdown.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text_of(json: &str) -> String {
        parse(json.as_bytes(), &Bounds::default()).unwrap().text
    }

    // proves: A6
    #[test]
    fn a_notebook_is_its_prose_code_and_results() {
        let json = r##"{"nbformat": 4, "nbformat_minor": 5,
            "metadata": {"title": "Tides", "kernelspec": {"display_name": "Python 3", "language": "python"}, "authors": [{"name": "A. Lee"}]},
            "cells": [
                {"cell_type": "markdown", "source": ["# Tides\n", "\n", "They come ![moon](data:image/png;base64,AAAA) twice."]},
                {"cell_type": "code", "source": "df", "outputs": [
                    {"output_type": "stream", "name": "stdout", "text": ["0%\r100%\n", "\u001b[31mdone\u001b[0m\n"]},
                    {"output_type": "execute_result", "data": {"text/plain": "   x\n0  1", "text/html": "<table><tr><th></th><th>x</th></tr><tr><th>0</th><td>1</td></tr></table>"}},
                    {"output_type": "display_data", "data": {"image/png": "AAAA", "text/plain": "<Figure size 640x480 with 1 Axes>"}},
                    {"output_type": "error", "ename": "ValueError", "evalue": "no moon", "traceback": ["long"]}]},
                {"cell_type": "raw", "source": "As it is."}]}"##;
        let parsed = parse(json.as_bytes(), &Bounds::default()).unwrap();
        assert_eq!(parsed.title.as_deref(), Some("Tides"));
        let metadata: Vec<String> =
            parsed.metadata.iter().map(|(key, value)| format!("{key}={value}")).collect();
        assert_eq!(metadata, ["author=A. Lee", "kernel=Python 3", "language=python"]);
        assert_eq!(
            parsed.text,
            "# Tides\n\nThey come moon twice.\n\n```python\ndf\n```\n\n```text\n100%\ndone\n```\n\n|  | x |\n| --- | --- |\n| 0 | 1 |\n\nValueError: no moon\n\nAs it is."
        );
        assert!(recognize(json));
    }

    // proves: A6
    #[test]
    fn version_3_has_sheets_and_headings() {
        let json = r#"{"nbformat": 3, "worksheets": [{"cells": [
            {"cell_type": "heading", "level": 2, "source": "Sea"},
            {"cell_type": "code", "language": "python", "input": "1+1", "outputs": [{"output_type": "pyout", "text": "2"}]}]}]}"#;
        assert_eq!(text_of(json), "## Sea\n\n```python\n1+1\n```\n\n```text\n2\n```");
    }

    // proves: A6
    #[test]
    fn long_output_is_cut_and_an_open_fence_ends_with_its_cell() {
        let lines: String = (0..50).map(|n| format!("{n}\\n")).collect();
        let json = format!(
            r#"{{"nbformat": 4, "cells": [{{"cell_type": "code", "source": "x", "outputs": [{{"output_type": "stream", "text": "{lines}"}}]}},
            {{"cell_type": "markdown", "source": "```\nopen"}}, {{"cell_type": "markdown", "source": "After."}}]}}"#
        );
        let text = text_of(&json);
        assert!(text.contains("39\n```\n\n(10 more lines of the output are left out.)"), "{text}");
        assert!(text.ends_with("```\nopen\n```\n\nAfter."), "{text}");
        let metadata = parse(json.as_bytes(), &Bounds::default()).unwrap().metadata;
        assert_eq!(metadata["left_out"], "10 lines of the output");
    }

    #[test]
    fn other_json_is_not_a_notebook() {
        assert!(!recognize(r#"{"text": "an \"nbformat\" and \"cells\""}"#));
        assert!(parse(b"{}", &Bounds::default()).is_err());
        assert!(parse(b"[", &Bounds::default()).is_err());
    }
}
