//! A PDF, read back.

use std::io::Write as _;
use std::process::{Command, Stdio};

use lopdf::{Dictionary, Document as File, Object};
use render::{Document, Line, Link, Note, NotedSource};
use typeset::{Date, Pdf, Settings};

pub(crate) fn settings() -> Settings {
    let date = Some(Date { year: 2026, month: 3, day: 9 });
    Settings { title: "What ended the outbreak?".into(), date, ..Settings::default() }
}

pub(crate) fn write(document: &Document) -> Pdf {
    typeset::write(document, &settings()).unwrap()
}

/// Returns a note as a report has it: its section, its quote, its place.
pub(crate) fn note(number: u32) -> NotedSource {
    let lines = vec![
        Line::new().mark(number).text(format!(" Section {number}")),
        format!("\"The quote of number {number}.\"").into(),
        format!("https://example.org/{number}, bytes 1..20 (quoted)").into(),
    ];
    let link = Link::read(&format!("https://example.org/{number}"));
    Note { number, lines, listed: vec![], link }.into()
}

/// Returns the text of a PDF as a reader copies it, a form feed behind each page. What stands above and below the text is left out.
pub(crate) fn copy_text(pdf: &[u8]) -> String {
    // The text of an A4 page begins 71 and ends 774 points below its upper edge; a turned page is less high and broader.
    pdftotext(pdf, &["-x", "0", "-y", "66", "-W", "900", "-H", "712"])
}

pub(crate) fn pdftotext(pdf: &[u8], args: &[&str]) -> String {
    let mut child = Command::new("pdftotext")
        .args(args)
        .args(["-", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("pdftotext is missing; install poppler-utils");
    let mut input = child.stdin.take().unwrap();
    let pdf = pdf.to_owned();
    let writer = std::thread::spawn(move || input.write_all(&pdf));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    String::from_utf8(output.stdout).unwrap()
}

/// A PDF as its objects.
pub(crate) struct Parsed(File);

/// Where a link of a page leads.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Leads {
    To(String),
    /// To a page, counted from 1.
    Within(u32),
}

impl Parsed {
    pub(crate) fn of(pdf: &Pdf) -> Parsed {
        Parsed(File::load_mem(&pdf.bytes).unwrap())
    }

    fn get<'a>(&'a self, of: &'a Dictionary, key: &[u8]) -> Option<&'a Object> {
        let (_, object) = self.0.dereference(of.get(key).ok()?).unwrap();
        Some(object)
    }

    fn text(&self, of: &Dictionary, key: &[u8]) -> String {
        lopdf::decode_text_string(self.get(of, key).unwrap()).unwrap()
    }

    pub(crate) fn catalog(&self) -> &Dictionary {
        self.0.catalog().unwrap()
    }

    pub(crate) fn language(&self) -> String {
        self.text(self.catalog(), b"Lang")
    }

    pub(crate) fn is_tagged(&self) -> bool {
        let marked = self.get(self.catalog(), b"MarkInfo").and_then(|info| info.as_dict().ok());
        marked.is_some_and(|info| info.get(b"Marked").is_ok_and(|is| is.as_bool().unwrap()))
    }

    /// Returns the size of the first page in points.
    pub(crate) fn size(&self) -> (i64, i64) {
        let page = self.0.get_dictionary(self.0.get_pages()[&1]).unwrap();
        let corners = self.get(page, b"MediaBox").unwrap().as_array().unwrap();
        let corner = |index: usize| corners[index].as_float().unwrap().round() as i64;
        (corner(2), corner(3))
    }

    /// Returns what the file says of itself as XML.
    pub(crate) fn metadata(&self) -> String {
        let stream = self.get(self.catalog(), b"Metadata").unwrap().as_stream().unwrap();
        let content = stream.decompressed_content().unwrap_or_else(|_| stream.content.clone());
        String::from_utf8(content).unwrap()
    }

    /// Returns the titles of the outline, each with its depth.
    pub(crate) fn outline(&self) -> Vec<(usize, String)> {
        let mut titles = Vec::new();
        if let Some(outlines) = self.get(self.catalog(), b"Outlines") {
            self.collect_titles(outlines.as_dict().unwrap(), 1, &mut titles);
        }
        titles
    }

    fn collect_titles(&self, of: &Dictionary, depth: usize, titles: &mut Vec<(usize, String)>) {
        let mut next = self.get(of, b"First");
        while let Some(item) = next {
            let item = item.as_dict().unwrap();
            titles.push((depth, self.text(item, b"Title")));
            self.collect_titles(item, depth + 1, titles);
            next = self.get(item, b"Next");
        }
    }

    /// Returns where the links lead, page by page.
    pub(crate) fn links(&self) -> Vec<Vec<Leads>> {
        let pages = self.0.get_pages();
        let number = |page: &Object| {
            let id = page.as_reference().unwrap();
            *pages.iter().find(|(_, page)| **page == id).unwrap().0
        };
        let of_page = |id: &(u32, u16)| {
            let annotations = self.0.get_page_annotations(*id).unwrap();
            let lead = |annotation: &&Dictionary| {
                if let Some(action) = self.get(annotation, b"A") {
                    let action = action.as_dict().unwrap();
                    if action.get(b"URI").is_ok() {
                        return Leads::To(self.text(action, b"URI"));
                    }
                    let place = self.get(action, b"D").unwrap().as_array().unwrap();
                    return Leads::Within(number(&place[0]));
                }
                let place = self.get(annotation, b"Dest").unwrap().as_array().unwrap();
                Leads::Within(number(&place[0]))
            };
            annotations.iter().map(lead).collect()
        };
        pages.values().map(of_page).collect()
    }

    /// Returns how often a kind of tag stands in the structure, such as `Note`.
    pub(crate) fn count_tags(&self, kind: &str) -> usize {
        let is_kind = |object: &Object| {
            let name = object.as_dict().ok().and_then(|object| object.get(b"S").ok());
            name.is_some_and(|name| name.as_name().is_ok_and(|name| name == kind.as_bytes()))
        };
        self.0.objects.values().filter(|object| is_kind(object)).count()
    }

    /// Returns the alternative texts of pictures.
    pub(crate) fn alternative_texts(&self) -> Vec<String> {
        let figures = self.0.objects.values().filter_map(|object| object.as_dict().ok());
        let figures = figures.filter(|object| object.get(b"Alt").is_ok());
        figures.map(|object| self.text(object, b"Alt")).collect()
    }
}
