//! What each command and environment shows.

use super::accents::{accented, symbol};
use super::arguments::{defines, sets_keys};
use super::labels::is_reference;
use super::reader::Reader;
use super::registers::sets;
use super::silent::SILENT;
use super::titles::prints_title;
use super::{Item, List, Page};
use crate::superscript;
use crate::writer::tidy;

impl Page {
    /// Writes what a command shows.
    pub(super) fn command(&mut self, name: &str, reader: &mut Reader) {
        if self.has_slides {
            reader.skip_overlay();
        }
        if self.expand(name, reader) || self.define(name, reader) {
            return;
        }
        if let Some(sign) = symbol(name) {
            self.open.push_str(sign);
            reader.skip("{}");
            return;
        }
        if accented(name, "a").is_some() {
            let letter = reader.argument();
            let letter = letter.trim().trim_start_matches('\\').to_owned();
            match accented(name, &letter) {
                Some(letter) => self.open.push_str(&letter),
                None => self.open.push_str(&letter),
            }
            return;
        }
        if self.set_register(name, reader) || self.choose(name, reader) || self.gloss(name, reader)
        {
            return;
        }
        match name {
            "begin" => {
                let environment = reader.argument();
                self.begin(environment.trim(), reader);
            }
            "end" => {
                let environment = reader.argument();
                self.end(environment.trim());
            }
            "part" | "chapter" | "section" | "subsection" | "subsubsection" | "paragraph"
            | "subparagraph" | "minisec" | "frametitle" => {
                reader.optional();
                // Some classes call a question of an exam so, without a title.
                if !matches!(reader.peek(), Some('{' | '\\')) {
                    return self.close();
                }
                let title = reader.argument();
                let level = match name {
                    "part" | "chapter" => 1,
                    "section" => 2 - self.top,
                    "subsection" | "frametitle" => 3 - self.top,
                    "subsubsection" => 4 - self.top,
                    _ => 5 - self.top,
                };
                let number = reader.label_ahead().and_then(|label| self.shown_number(label));
                let number = number.unwrap_or_default().to_owned();
                self.heading(level, &title, &number);
            }
            "item" => self.item(reader),
            "bibitem" => {
                let label = reader.optional();
                let key = reader.argument();
                self.close();
                let depth = self.lists.len().saturating_sub(1);
                let label =
                    label.map(|label| self.unmarked(&label)).filter(|label| !label.is_empty());
                self.quoted = Some(Item {
                    list: List::Works,
                    depth,
                    mark: format!("[{}]", label.unwrap_or(key)),
                });
            }
            name if is_note(name) => {
                reader.optional();
                let note = reader.argument();
                let words = self.unmarked(&note);
                if !words.is_empty() {
                    self.notes.push(words);
                }
            }
            "caption" | "captionof" => {
                reader.optional();
                let mut caption = reader.argument();
                if name == "captionof" {
                    caption = reader.argument();
                }
                self.close();
                let within =
                    caption.split_once("\\label{").and_then(|(_, rest)| rest.split_once('}'));
                let label = within.map(|(label, _)| label.trim()).or_else(|| reader.label_ahead());
                let target = label.and_then(|label| self.labels.get(label));
                let target = target.filter(|target| target.is_used);
                let label = target.map(|target| format!("{} {}: ", target.kind, target.number));
                let words = self.unmarked(&caption);
                self.text.paragraph(&format!("{}{words}", label.unwrap_or_default()));
            }
            "href" => {
                reader.argument();
                let words = reader.argument();
                let words = self.unmarked(&words);
                self.open.push_str(&words);
            }
            "url" | "path" | "nolinkurl" => {
                let address = reader.argument();
                self.open.push_str(&address.replace('\\', ""));
            }
            "verb" | "lstinline" | "mintinline" => {
                if name == "lstinline" && reader.peek() == Some('[') {
                    reader.optional();
                }
                if name == "mintinline" {
                    reader.argument();
                }
                if let Some(mark) = reader.next() {
                    let end = if mark == '{' { "}".to_owned() } else { mark.to_string() };
                    let code = reader.until(&end);
                    self.open.push_str(&code);
                }
            }
            "(" => {
                let math = reader.until("\\)");
                let math = self.math(&math);
                self.open.push_str(&math);
            }
            "[" => {
                let math = reader.until("\\]");
                self.display(&math);
            }
            "\\" | "newline" | "linebreak" | "cr" | "tabularnewline" => {
                reader.skip("*");
                if reader.peek() == Some('[') {
                    reader.optional();
                }
                self.open.push(' ');
            }
            "par" | "bigskip" | "medskip" | "smallskip" | "newpage" | "clearpage" | "pstart"
            | "pend" => self.close(),
            name if prints_title(name) => {
                let set = reader.optional();
                self.titles.left = self.titles.left.saturating_sub(1);
                self.write_title_block();
                if let Some(set) = set.filter(|set| set.contains('=')) {
                    self.open = self.unmarked(&format!("\\@part{{{set}}}"));
                    self.close();
                }
            }
            // A letter begins with where it is from.
            "opening" => self.write_title_block(),
            "@title" | "inserttitle" | "thetitle" => {
                self.open.push_str(self.title.as_deref().unwrap_or_default());
            }
            "@author" | "insertauthor" | "theauthor" | "@date" | "insertdate" | "thedate" => {
                let key = if name.ends_with("date") { "date" } else { "author" };
                self.open.push_str(self.metadata.get(key).map_or("", String::as_str));
            }
            "IEEEauthorblockN" | "IEEEauthorblockA" => self.open.push(' '),
            "twocolumn" => {
                if let Some(words) = reader.optional() {
                    self.insert(&words, reader);
                }
            }
            "xspace" => {
                // The blank after the macro was read with its name.
                if reader.peek().is_some_and(|c| c.is_alphanumeric() || "($\\".contains(c)) {
                    self.open.push(' ');
                }
            }
            "edtext" | "critext" => {
                let (words, notes) = (reader.argument(), reader.argument());
                self.unmarked(&notes);
                self.insert(&words, reader);
            }
            "tableofcontents" | "listoffigures" | "listoftables" | "printbibliography"
            | "printindex" => {
                self.close();
                if reader.peek() == Some('[') {
                    reader.optional();
                }
            }
            "input" | "include" | "subfile" | "lstinputlisting" | "verbatiminput" => {
                reader.optional();
                let file = reader.argument();
                self.close();
                self.text.paragraph(&format!("(includes {})", tidy(&file)));
            }
            "textcolor" | "colorbox" | "foreignlanguage" | "hyperlink" | "hyperref"
            | "texorpdfstring" | "raisebox" | "parbox" | "resizebox" | "scalebox"
            | "hypertarget" | "makebox" | "framebox" | "adjustbox" => {
                // The first argument is no text; with `hyperref` it stands in brackets.
                if matches!(name, "texorpdfstring") {
                    let words = reader.argument();
                    reader.argument();
                    reader.push(&words);
                    return;
                }
                reader.optional();
                reader.optional();
                if !matches!(name, "hyperref" | "makebox" | "framebox") {
                    reader.argument();
                }
                if name == "resizebox" {
                    reader.argument();
                }
            }
            "multicolumn" | "multirow" => {
                reader.argument();
                reader.argument();
            }
            "cmidrule" => {
                reader.optional();
                if reader.peek() == Some('(') {
                    reader.until(")");
                }
                reader.braced();
            }
            "ensuremath" => {
                let math = reader.argument();
                let math = self.math(&math);
                self.open.push_str(&math);
            }
            "enquote" | "textquote" | "blockquote" => {
                reader.optional();
                let words = reader.argument();
                let words = self.unmarked(&words);
                self.open.push_str(&format!("“{words}”"));
            }
            "textsuperscript" | "inst" => {
                let raised = reader.argument();
                let raised = self.unmarked(&raised);
                self.open.push_str(&superscript(&raised));
            }
            "SI" | "qty" => {
                reader.optional();
                let (number, unit) = (reader.argument(), reader.argument());
                self.open.push_str(&format!("{number} {}", unit.replace('\\', " ").trim()));
            }
            "si" => {
                reader.optional();
                let unit = reader.argument();
                self.open.push_str(unit.replace('\\', " ").trim());
            }
            "unit" => {
                // The package `units` has the number in brackets.
                let number = reader.optional().map_or(String::new(), |number| number + " ");
                let unit = reader.argument();
                self.open.push_str(&format!("{number}{}", unit.replace('\\', " ").trim()));
            }
            "char" | "symbol" => self.open.extend(reader.character()),
            "csname" => drop(reader.until("\\endcsname")),
            "tikz" => {
                reader.optional();
                if reader.braced().is_none() {
                    reader.until(";");
                }
            }
            "expandafter" | "relax" | "begingroup" | "endgroup" => {}
            "subfigure" | "subfloat" | "subcaptionbox" if reader.peek() == Some('[') => {
                let (listed, shown) = (reader.optional(), reader.optional());
                let caption = self.unmarked(&shown.or(listed).unwrap_or_default());
                self.open.push_str(&format!(" {caption} "));
            }
            "DescribeMacro" | "cs" | "cmd" => {
                let command = reader.argument();
                let command = command.trim().trim_start_matches('\\');
                self.open.push_str(&format!("\\{command} "));
            }
            name if is_reference(name) && reader.peek() != Some('{') => {}
            name if is_reference(name) => {
                let labels = reader.argument();
                let shown = self.reference(name, &labels);
                self.open.push_str(&shown);
            }
            name if is_citation(name) => {
                let (before, after) = (reader.optional(), reader.optional());
                let keys = reader.argument();
                let keys: Vec<&str> = keys.split(',').map(str::trim).collect();
                let note = after
                    .or(before)
                    .map(|note| self.unmarked(&note))
                    .filter(|note| !note.is_empty());
                let note = note.map_or(String::new(), |note| format!(", {note}"));
                self.open.push_str(&format!("[{}{note}]", keys.join(", ")));
            }
            name => self.other(name, reader),
        }
    }

    /// Handles a command without a meaning of its own here: its arguments in braces are read as text.
    fn other(&mut self, name: &str, reader: &mut Reader) {
        let silent = SILENT.iter().find(|(known, _)| *known == name).map(|(_, count)| *count);
        if let Some(count) = silent {
            for _ in 0..2 {
                if reader.peek() == Some('[') {
                    reader.optional();
                }
            }
            for _ in 0..count {
                if reader.braced().is_none() {
                    break;
                }
                if reader.peek() == Some('[') {
                    reader.optional();
                }
            }
            return;
        }
        if sets(reader) {
            return reader.skip_value();
        }
        if reader.peek() == Some('[') && !reader.ahead().starts_with("[ ") {
            reader.optional();
        }
        if sets_keys(name, reader) {
            reader.argument();
            return;
        }
        if defines(name) {
            return self.skip_definition(reader);
        }
        self.expect_arguments(name, reader);
    }
}

/// Returns whether a command sets its argument as a note, as those of critical editions do: `\footnoteA`, `\Bendnote`.
fn is_note(name: &str) -> bool {
    let series = name.strip_prefix("footnote").or_else(|| name.strip_suffix("footnote"));
    let series = series.or_else(|| name.strip_suffix("endnote"));
    series.is_some_and(|it| it.is_empty() || matches!(it, "A" | "B" | "C" | "D" | "E" | "Z"))
        || matches!(
            name,
            "footnotetext"
                | "thanks"
                | "marginpar"
                | "marginnote"
                | "sidenote"
                | "pagenote"
                | "tablefootnote"
                | "ledsidenote"
                | "ledleftnote"
                | "ledrightnote"
                | "ledinnernote"
                | "ledouternote"
        )
}

fn is_citation(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name.contains("cite") && !name.starts_with("no") && name.len() <= 14
}
