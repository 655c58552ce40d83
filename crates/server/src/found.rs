//! The texts by which runs are found: what a run came to, as its report says it, without its markup.
//!
//! A text is stored when a run ends here. What ended elsewhere, on the command line or before texts were stored, gets its text in the
//! background.

use std::time::Duration;

use ::app::Backend;
use run::entry::Entry;
use run::history::TEXT_CHARS;

use crate::state::{App, Shared};

/// How often the server looks for runs without a text.
const LOOK: Duration = Duration::from_secs(300);
/// The number of runs that get their text between two looks at what there is to do.
const LOT: u32 = 20;
/// Elements whose content is no text of the report.
const SKIPPED: [&str; 3] = ["svg", "style", "script"];

/// Returns the text by which a run is found.
pub(crate) fn text_of(backend: &dyn Backend, run: &str, entries: &[Entry]) -> String {
    let text = strip_markup(&backend.report(run, entries).html);
    match text.char_indices().nth(TEXT_CHARS) {
        Some((end, _)) => text[..end].to_owned(),
        None => text,
    }
}

/// Stores the texts of runs that have none while the server runs.
pub(crate) async fn serve(app: Shared) {
    let mut look = tokio::time::interval(LOOK);
    loop {
        look.tick().await;
        // What fails is tried again at the next look.
        while let Ok(LOT) = store_lot(&app).await {}
    }
}

/// Stores the texts of a few runs; returns of how many.
async fn store_lot(app: &App) -> Result<u32, run::log::LogError> {
    let mut stored = 0;
    for (user, run) in app.history.without_text(LOT).await? {
        // One whose log cannot be read is found by its question, and is not looked at over and over.
        let text = match app.log.entries(&user, &run, 0).await {
            Ok(entries) => {
                let (backend, id) = (std::sync::Arc::clone(&app.backend), run.clone());
                let text = tokio::task::spawn_blocking(move || text_of(&*backend, &id, &entries));
                text.await.unwrap_or_default()
            }
            Err(run::log::LogError::Unreadable { .. }) => String::new(),
            Err(run::log::LogError::NoSuchRun { .. }) => continue,
            Err(error) => return Err(error),
        };
        app.history.keep_text(&user, &run, &text).await?;
        stored += 1;
    }
    Ok(stored)
}

/// Returns what a reader sees of HTML that the program's own writer made. Marks and their signs are left out: they would stand within what
/// is looked for.
fn strip_markup(html: &str) -> String {
    let mut text = String::with_capacity(html.len() / 2);
    let mut skipped: Option<String> = None;
    let mut rest = html;
    while let Some((before, after)) = rest.split_once('<') {
        if skipped.is_none() {
            push_text(&mut text, before);
        }
        let (tag, after) = after.split_once('>').unwrap_or((after, ""));
        rest = after;
        let is_end = tag.starts_with('/');
        let name = tag.trim_start_matches('/').split([' ', '/', '\n']).next().unwrap_or_default();
        let is_mark = tag.contains("class=\"cite\"") || tag.contains("class=\"kind\"");
        match &skipped {
            Some(outer) if is_end && outer == name => skipped = None,
            None if !is_end && (is_mark || SKIPPED.contains(&name)) => {
                skipped = Some(name.to_owned());
            }
            None if !matches!(
                name,
                "a" | "b" | "strong" | "em" | "i" | "code" | "span" | "sup" | "sub"
            ) =>
            {
                text.push('\n');
            }
            _ => {}
        }
    }
    if skipped.is_none() {
        push_text(&mut text, rest);
    }
    let lines = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
    lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}

/// Adds a text of HTML, its references resolved.
fn push_text(text: &mut String, html: &str) {
    let plain = html.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"");
    text.push_str(&plain.replace("&#39;", "'").replace("&amp;", "&"));
}

#[cfg(test)]
mod tests {
    use super::*;

    // proves: F3
    #[test]
    fn a_report_is_found_by_what_a_reader_sees_of_it() {
        let html = "<h2 id=\"a\">Gulls &amp; terns</h2><p>They <em>feed</em> \
                    <a class=\"cite\" data-number=\"1\">[1]</a><span class=\"kind\" title=\"quoted\">”</span>, at sea.</p>\
                    <svg><text>no</text></svg><ul><li>x &lt; y</li><li>two";
        assert_eq!(strip_markup(html), "Gulls & terns\nThey feed , at sea.\nx < y\ntwo");
        assert_eq!(strip_markup("<"), "");
        assert_eq!(strip_markup("a<b"), "a");
        assert_eq!(strip_markup("<svg>never closed"), "");
    }
}
