//! The first page: what it links to, and how it names it.

/// The prefix of addresses of the page's files.
const PREFIX: &str = "/page/";

/// What the first page links to, as paths below the folder of the page.
#[derive(Debug, Default)]
pub(crate) struct Markup {
    /// Stylesheets, in their order.
    pub(crate) styles: Vec<String>,
    /// The module that everything begins with.
    pub(crate) module: Option<String>,
    /// Scripts that are no modules.
    pub(crate) scripts: Vec<String>,
}

/// Reads a page whose links and scripts stand on a line each.
pub(crate) fn read(text: &str) -> Markup {
    let mut markup = Markup::default();
    for line in text.lines() {
        if let Some(path) = stylesheet(line) {
            markup.styles.push(path.to_owned());
        } else if let Some(path) = attribute(line, "<script", "src") {
            if line.contains("type=\"module\"") {
                markup.module = Some(path.to_owned());
            } else {
                markup.scripts.push(path.to_owned());
            }
        }
    }
    markup
}

/// Returns the page with one stylesheet instead of many, and the version in every address.
pub(crate) fn rewrite(text: &str, version: &str, style: &str) -> String {
    let mut rewritten = String::with_capacity(text.len());
    let mut is_styled = false;
    for line in text.split_inclusive('\n') {
        let line = match stylesheet(line) {
            Some(_) if is_styled => continue,
            Some(path) => {
                is_styled = true;
                line.replace(path, style)
            }
            None => line.to_owned(),
        };
        rewritten.push_str(&line.replace(&format!("\"{PREFIX}"), &format!("\"{PREFIX}{version}/")));
    }
    rewritten
}

fn stylesheet(line: &str) -> Option<&str> {
    line.contains("rel=\"stylesheet\"").then(|| attribute(line, "<link", "href")).flatten()
}

/// Returns the path that an attribute of an element names, if it names one of the page's files.
fn attribute<'a>(line: &'a str, element: &str, name: &str) -> Option<&'a str> {
    let (_, rest) = line.split_once(element)?;
    let (_, rest) = rest.split_once(&format!(" {name}=\"{PREFIX}"))?;
    Some(rest.split_once('"')?.0)
}
