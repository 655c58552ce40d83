//! The tree of a page becomes Markdown that reads as the page does.
//!
//! A paragraph is one line, so that it can be quoted. Link and image addresses, emphasis and table padding are left out. The work and the
//! result grow only with the page.

use dom_query::{Document, NodeRef};
use formats::means_more;

/// Elements with nothing to read in them.
#[rustfmt::skip]
const UNREADABLE: &[&str] = &[
    "annotation", "annotation-xml", "head", "iframe", "noscript", "object", "script", "style",
    "template", "title",
];

/// Elements that start a new line.
#[rustfmt::skip]
const BLOCKS: &[&str] = &[
    "address", "article", "aside", "blockquote", "body", "caption", "center", "dd", "details",
    "dialog", "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "header",
    "hr", "html", "legend", "main", "menu", "nav", "optgroup", "option", "p", "search", "section",
    "select", "summary", "table", "tbody", "td", "textarea", "tfoot", "th", "thead", "tr",
];

/// The marker of a definition.
const DEFINES: &str = ": ";

/// How deep lists are indented; deeper ones stay at the same column.
const DEEPEST_LIST: usize = 8;

/// Returns the readable part of `document` as Markdown, without white space at its ends.
pub(crate) fn markdown(document: &Document) -> String {
    part(&document.root())
}

/// Returns the readable part of `node`'s content, as [`markdown`] does.
pub(crate) fn part(node: &NodeRef) -> String {
    let mut page = Page::default();
    page.children(node);
    page.end_block();
    page.text.truncate(page.text.trim_end().len());
    page.text
}

#[derive(Default)]
struct Page {
    text: String,
    /// The block being written.
    line: String,
    /// The marker of the list item that the next block begins.
    mark: Option<String>,
    /// For each enclosing list, the number of its next item, if it is numbered.
    lists: Vec<Option<u64>>,
    /// The terms of the next definition.
    terms: Vec<String>,
    /// The number of enclosing definitions.
    definitions: usize,
    quotes: usize,
    /// Whether this is within a heading or cell, where only a space separates blocks.
    on_one_line: bool,
    /// Whether the last block was a list item.
    after_item: bool,
}

impl Page {
    fn children(&mut self, node: &NodeRef) {
        for child in node.children_it(false) {
            if child.is_text() {
                self.write(&child.text());
            } else if child.is_element() {
                let name = child.node_name();
                self.element(&child, name.as_deref().unwrap_or_default());
            }
        }
    }

    fn element(&mut self, node: &NodeRef, name: &str) {
        let level = match name {
            "h1" => 1,
            "h2" => 2,
            "h3" => 3,
            "h4" => 4,
            "h5" => 5,
            "h6" => 6,
            _ => 0,
        };
        match name {
            _ if is_unreadable(node, name) => {}
            "img" => self.write(&node.attr_or("alt", "")),
            "svg" => self.labels(node),
            "br" if self.on_one_line => self.write(" "),
            "br" => {
                self.line.truncate(self.line.trim_end_matches(' ').len());
                self.line.push('\n');
            }
            _ if self.on_one_line => {
                let block = BLOCKS.contains(&name) || level > 0 || matches!(name, "li" | "pre");
                self.write(if block { " " } else { "" });
                self.children(node);
                self.write(if block { " " } else { "" });
            }
            _ if level > 0 => {
                self.end_block();
                let heading = self.title(node);
                if !heading.is_empty() {
                    self.block(&format!("{} {heading}", "#".repeat(level)), false);
                }
            }
            "pre" => self.code(node),
            "ul" | "ol" => {
                self.end_block();
                let first = node.attr_or("start", "1").parse().unwrap_or(1);
                self.lists.push((name == "ol").then_some(first));
                self.children(node);
                self.end_block();
                self.mark = None;
                self.lists.pop();
            }
            "li" => {
                self.end_block();
                self.mark = Some(match self.lists.last_mut() {
                    Some(Some(number)) => {
                        *number = number.saturating_add(1);
                        format!("{}. ", *number - 1)
                    }
                    _ => "- ".to_owned(),
                });
                self.children(node);
                self.end_block();
            }
            "blockquote" => {
                self.end_block();
                self.quotes += 1;
                self.children(node);
                self.end_block();
                self.quotes -= 1;
            }
            "dt" => {
                self.end_block();
                let term = self.title(node);
                self.terms.extend((!term.is_empty()).then_some(term));
            }
            "dd" => {
                self.end_block();
                if self.end_terms() {
                    self.mark = Some(DEFINES.to_owned());
                }
                self.definitions += 1;
                self.children(node);
                self.end_block();
                self.definitions -= 1;
                self.mark = None;
            }
            "dl" => {
                self.end_block();
                let around = std::mem::take(&mut self.terms);
                self.children(node);
                self.end_block();
                self.end_terms();
                self.terms = around;
            }
            "table" if holds_data(node) => self.table(node),
            _ if BLOCKS.contains(&name) => {
                self.end_block();
                self.children(node);
                self.end_block();
            }
            _ => self.children(node),
        }
    }

    /// Appends `text` to the open block, with each run of white space as one space.
    fn write(&mut self, text: &str) {
        for c in text.chars() {
            if !c.is_whitespace() {
                self.line.push(c);
            } else if !self.line.is_empty() && !self.line.ends_with([' ', '\n']) {
                self.line.push(' ');
            }
        }
    }

    /// Writes the terms of the next definition on a line. Returns whether there are any.
    fn end_terms(&mut self) -> bool {
        let terms = std::mem::take(&mut self.terms).join(", ");
        let is_any = !terms.is_empty();
        self.line.push_str(&terms);
        self.end_block();
        is_any
    }

    fn end_block(&mut self) {
        let line = std::mem::take(&mut self.line);
        let words = line.trim();
        if words.is_empty() {
            return;
        }
        let mut block = String::with_capacity(words.len());
        let item = self.mark.is_some();
        let defines = self.mark.as_deref() == Some(DEFINES);
        if self.quotes > 0 {
            block.push_str("> ");
        }
        let around = self.lists.len() + self.definitions;
        let inward = around.saturating_sub(usize::from(item)).min(DEEPEST_LIST);
        block.push_str(&"  ".repeat(inward));
        block.push_str(&self.mark.take().unwrap_or_default());
        for (index, line) in words.lines().map(str::trim).enumerate() {
            if index > 0 {
                block.push('\n');
            }
            if means_more(line) {
                block.push('\\');
            }
            block.push_str(line);
        }
        // A definition follows its term without a blank line, and an item the item before it.
        self.after_item |= defines;
        self.block(&block, item);
        self.after_item = item && !defines;
    }

    fn block(&mut self, block: &str, item: bool) {
        if !self.text.is_empty() {
            self.text.push_str(if item && self.after_item { "\n" } else { "\n\n" });
        }
        self.text.push_str(block);
        self.after_item = item;
    }

    /// Writes the text in a drawing: the labels of a chart, the words of a diagram. Most drawings are icons without text.
    fn labels(&mut self, drawing: &NodeRef) {
        let texts = drawing
            .descendants_it()
            .filter(|node| node.has_name("text") || node.has_name("foreignObject"));
        let labels: Vec<String> = texts.map(|text| text.text().trim().to_owned()).collect();
        let labels = labels.join(" ");
        if labels.trim().is_empty() {
            return;
        }
        if self.on_one_line {
            self.write(&format!(" {labels} "));
        } else {
            self.end_block();
            self.write(&labels);
            self.end_block();
        }
    }

    fn code(&mut self, node: &NodeRef) {
        self.end_block();
        let code = node.text();
        let code = code.trim_matches(['\n', '\r']).trim_end();
        if !code.is_empty() {
            let runs = code.split(|c| c != '`').map(str::len);
            let fence = "`".repeat(runs.max().unwrap_or(0).max(2) + 1);
            let inward = "  ".repeat(self.definitions.min(DEEPEST_LIST));
            self.block(&format!("{inward}{fence}\n{code}\n{fence}"), false);
        }
    }

    /// Returns the words of a heading or term, without the symbol by which manuals link to it.
    fn title(&mut self, node: &NodeRef) -> String {
        self.one_line(node).trim_end_matches(['¶', ' ']).to_owned()
    }

    fn one_line(&mut self, node: &NodeRef) -> String {
        let open = std::mem::take(&mut self.line);
        let before = std::mem::replace(&mut self.on_one_line, true);
        self.children(node);
        self.on_one_line = before;
        std::mem::replace(&mut self.line, open).trim().to_owned()
    }

    fn table(&mut self, table: &NodeRef) {
        self.end_block();
        let mut rows = String::new();
        for row in table.descendants_it().filter(NodeRef::is_element) {
            if row.has_name("caption") {
                let caption = self.one_line(&row);
                self.write(&caption);
                self.end_block();
            }
            if !row.has_name("tr") {
                continue;
            }
            let first = rows.is_empty();
            let mut cells = 0;
            let before = rows.len();
            for cell in
                row.children_it(false).filter(|cell| cell.has_name("td") || cell.has_name("th"))
            {
                let text = self.one_line(&cell);
                rows.push_str(if cells == 0 { "| " } else { " " });
                rows.push_str(&text.replace('|', "\\|"));
                rows.push_str(" |");
                cells += 1;
            }
            if rows.len() == before {
                continue;
            }
            rows.push('\n');
            if first {
                rows.push('|');
                rows.push_str(&" --- |".repeat(cells));
                rows.push('\n');
            }
        }
        if !rows.is_empty() {
            let inward = "  ".repeat(self.definitions.min(DEEPEST_LIST));
            let rows: Vec<String> = rows.lines().map(|row| format!("{inward}{row}")).collect();
            self.block(&rows.join("\n"), false);
        }
    }
}

/// Returns whether an element of this name starts a new line.
pub(crate) fn is_block(name: &str) -> bool {
    BLOCKS.contains(&name)
        || matches!(
            name,
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "li" | "ul" | "ol" | "pre" | "br"
        )
}

/// Returns whether there is nothing to read in an element with this name.
pub(crate) fn is_unreadable(node: &NodeRef, name: &str) -> bool {
    UNREADABLE.contains(&name) || node.has_attr("hidden")
}

/// Returns whether a table holds data and is not for layout: it has header cells or rows of short cells, and no table within.
pub(crate) fn holds_data(table: &NodeRef) -> bool {
    let mut headers = false;
    let mut blocks = false;
    let (mut rows, mut cells) = (0, 0);
    for node in table.descendants_it().filter(NodeRef::is_element) {
        let name = node.node_name();
        match name.as_deref().unwrap_or_default() {
            "table" => return false,
            "th" => {
                headers = true;
                cells += 1;
            }
            "thead" => headers = true,
            "tr" => rows += 1,
            "td" => cells += 1,
            "p" | "div" | "ul" | "ol" | "h1" | "h2" | "h3" | "h4" | "pre" | "blockquote" => {
                blocks = true;
            }
            _ => {}
        }
    }
    cells > rows && (headers || !blocks && rows > 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dom;

    fn rendered(html: &str) -> String {
        markdown(&dom::build(html).unwrap())
    }

    // proves: A6
    #[test]
    fn a_paragraph_reads_as_on_the_page() {
        let html = "<p>We asked <a href='x'>1,204\n adults</a>,&nbsp;<b>all</b> over.<br>Twice.</p>Then <img src=x alt='a chart'>.";
        assert_eq!(rendered(html), "We asked 1,204 adults, all over.\nTwice.\n\nThen a chart.");
    }

    #[test]
    fn lists_quotes_code_and_headings_keep_their_shape() {
        let html = "<h2>Two <i>words</i></h2><ul><li>a<li>b<ol start=3><li>c<li>d</ol></ul><blockquote><p>q</blockquote><pre>x = 1\n\ny</pre>";
        assert_eq!(
            rendered(html),
            "## Two words\n\n- a\n- b\n  3. c\n  4. d\n\n> q\n\n```\nx = 1\n\ny\n```"
        );
    }

    // proves: A6
    #[test]
    fn definitions_stay_with_their_terms() {
        let html = "<dl><dt>gc.auto<dd><p>Packs.<p>Zero: never.<ul><li>a</ul><dt>-f<dt>--force<dd>Insists.<dd>Again.</dl><p>After.<dl><dt>alone</dl>";
        assert_eq!(
            rendered(html),
            "gc.auto\n: Packs.\n\n  Zero: never.\n\n  - a\n\n-f, --force\n: Insists.\n\n  Again.\n\nAfter.\n\nalone"
        );
        let held = "<dl><dt>a<dd><pre>x</pre><table><tr><th>h<th>i<tr><td>1<td>2</table></dl>";
        assert_eq!(
            rendered(held),
            "a\n\n  ```\nx\n```\n\n  | h | i |\n  | --- | --- |\n  | 1 | 2 |"
        );
        let nested = "<dl><dt>a<dd>b<dl><dt>c<dd>d</dl></dl>";
        assert_eq!(rendered(nested), "a\n: b\n\n  c\n  : d");
    }

    // proves: A6
    #[test]
    fn tables_of_data_are_tables_and_layout_is_not() {
        let html = "<table><tr><th>Drink<th>Share<tr><td>Tea | milk<td><p>54 %</table>";
        assert_eq!(rendered(html), "| Drink | Share |\n| --- | --- |\n| Tea \\| milk | 54 % |");
        let html = "<table><tr><td><p>Menu<td><p>Words</table>";
        assert_eq!(rendered(html), "Menu\n\nWords");
    }

    // proves: A6
    #[test]
    fn a_drawing_gives_its_labels_and_an_icon_nothing() {
        let chart = "<svg><title>Chart</title><style>p{}</style><text>Tea</text><g><text>54 <tspan>%</tspan></text></g></svg>";
        assert_eq!(
            rendered(&format!("<p>Shares:{chart}So it is.")),
            "Shares:\n\nTea 54 %\n\nSo it is."
        );
        let icon = "<svg><title>Share</title><path d='M0 0'/></svg>";
        assert_eq!(rendered(&format!("<p>Tea {icon} is drunk.")), "Tea is drunk.");
    }

    #[test]
    fn text_that_looks_like_markdown_stays_text() {
        assert_eq!(
            rendered("<p># no heading<br>---<p>&lt;!-- no comment"),
            "\\# no heading\n\\---\n\n\\<!-- no comment"
        );
    }
}
