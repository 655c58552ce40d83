//! Removes the furniture of a page: what stands around and between its text and is no part of it.
//!
//! Share bars, cookie banners, newsletter forms, breadcrumbs, tag lists, teasers of other pages, boxes about the author and threads of
//! comments are known by the [`names`] that sites give them. A name alone is never enough: each kind also has a shape (short, or mostly
//! links, or with a form), and what holds the main heading or most of the text of a page stays, whatever its name. On a page that is a
//! discussion, the comments are the text.

mod names;

use std::collections::HashMap;

use dom_query::{Document, NodeId, NodeRef};
use formats::html::{holds_data, is_unreadable};

use self::names::Kind;
use super::main_part::leads_elsewhere;

/// The share (0 to 1) of the words outside links that must remain; furniture that is more is the text of its page.
const REMAINING: f64 = 0.6;
/// The least text outside links that must remain, in bytes.
const LEAST: usize = 200;
/// The least text of a page outside its comments, in bytes, for the comments to be no part of it.
const ARTICLE: usize = 600;
/// The most text outside links of a share bar, a list of tags or an advertisement, in bytes.
const LITTLE: usize = 160;
/// The most text of a box about the author, a form for a newsletter or a banner, in bytes.
const BOX: usize = 1500;
/// The most separate threads of comments below one text; more are answers to several.
const THREADS: usize = 3;
/// Marks of pages with an article.
const ARTICLES: &str = r#"meta[property="og:type"][content="article"], article, .hentry, .h-entry, .entry-content,
    .post-content, .post-body, .article-body, [itemprop="articleBody"]"#;
/// Marks of pages on which people talk to each other.
const DISCUSSION: &str =
    r#"[itemtype$="/QAPage"], [itemtype$="/Question"], [itemtype$="/DiscussionForumPosting"]"#;
/// The same in linked data.
const DISCUSSES: &[&str] = &["QAPage", "DiscussionForumPosting"];
/// Elements that are never furniture, and hold what is not.
const CONTENT: &str = r#"main, [role=main], [itemprop="articleBody"]"#;

/// Whether boxes about the author are removed too; they may hold the byline.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) enum Authors {
    #[default]
    Keep,
    Remove,
}

/// Removes the furniture from `document`.
pub(super) fn clear(document: &Document, authors: Authors) {
    let root = document.root();
    let mut page = Page { authors, ..Page::default() };
    page.measure(&root, false);
    for content in document.select(CONTENT).nodes() {
        page.holds_content(content);
    }
    if let Some(heading) = document.select("h1").nodes().first() {
        page.holds_content(heading);
    }
    page.find(&root);
    let whole = page.size(&root);
    let (comments, mut furniture): (Vec<_>, Vec<_>) =
        page.found.iter().partition(|(_, kind)| *kind == Kind::Comments);
    let sum = |found: &[&(NodeRef, Kind)]| -> usize {
        found.iter().map(|(node, _)| page.size(node).unlinked()).sum()
    };
    let of_comments = sum(&comments);
    let besides = whole.unlinked().saturating_sub(of_comments);
    let remaining = besides.saturating_sub(sum(&furniture));
    if remaining < LEAST || (remaining as f64) < REMAINING * besides as f64 {
        furniture.clear();
    }
    // A page that is no article may be a discussion with a long question.
    let least = if document.select(ARTICLES).exists() { of_comments / 4 } else { of_comments };
    let article = remaining >= ARTICLE.max(least);
    if article && comments.len() <= THREADS && !is_discussion(document) {
        furniture.extend(comments);
    }
    for (node, _) in furniture {
        node.remove_from_parent();
    }
}

fn is_discussion(document: &Document) -> bool {
    let linked = || {
        let scripts = document.select(r#"script[type="application/ld+json"]"#);
        scripts.iter().any(|script| {
            let text = script.text();
            DISCUSSES.iter().any(|kind| text.contains(kind))
        })
    };
    document.select(DISCUSSION).exists() || linked()
}

/// The text below a node.
#[derive(Debug, Clone, Copy, Default)]
struct Size {
    /// Bytes without white space.
    text: usize,
    /// How many of them are in links to other pages.
    linked: usize,
    links: usize,
    /// Fields and buttons.
    controls: usize,
    /// Whether it holds what is no furniture.
    content: bool,
}

impl Size {
    fn unlinked(self) -> usize {
        self.text - self.linked
    }

    fn mostly_links(self) -> bool {
        self.links > 0 && self.linked * 2 > self.text
    }

    /// Returns whether this is a list of teasers: a link to another page, and a few words on it, again and again.
    fn teases(self) -> bool {
        self.mostly_links() || self.links > 1 && self.linked * 6 > self.text
    }
}

#[derive(Default)]
struct Page<'a> {
    sizes: HashMap<NodeId, Size>,
    found: Vec<(NodeRef<'a>, Kind)>,
    authors: Authors,
}

impl<'a> Page<'a> {
    /// Measures `node` and all below it.
    fn measure(&mut self, node: &NodeRef<'a>, in_link: bool) -> Size {
        let mut size = Size::default();
        for child in node.children_it(false) {
            if child.is_text() {
                let length = child.text().split_whitespace().map(str::len).sum::<usize>();
                size.text += length;
                size.linked += if in_link { length } else { 0 };
                continue;
            }
            let name = child.node_name();
            let name = name.as_deref().unwrap_or_default();
            if !child.is_element() || is_unreadable(&child, name) {
                continue;
            }
            let leads = name == "a" && leads_elsewhere(&child);
            let below = self.measure(&child, in_link || leads);
            size.text += below.text;
            size.linked += below.linked;
            size.links += below.links + usize::from(leads);
            let control = matches!(name, "button" | "input" | "textarea" | "form" | "select");
            size.controls += below.controls + usize::from(control);
        }
        self.sizes.insert(node.id, size);
        size
    }

    fn size(&self, node: &NodeRef) -> Size {
        self.sizes.get(&node.id).copied().unwrap_or_default()
    }

    /// Notes that `node` and what it stands in hold content.
    fn holds_content(&mut self, node: &NodeRef<'a>) {
        let mut open = Some(*node);
        while let Some(node) = open {
            match self.sizes.get_mut(&node.id) {
                Some(size) if !size.content => size.content = true,
                _ => break,
            }
            open = node.parent();
        }
    }

    /// Finds the outermost furniture below `node`.
    fn find(&mut self, node: &NodeRef<'a>) {
        let mut before: Option<NodeRef<'a>> = None;
        for child in node.children_it(false).filter(NodeRef::is_element) {
            let name = child.node_name();
            let name = name.as_deref().unwrap_or_default();
            if let Some(kind) = self.judge(&child, name) {
                self.found.push((child, kind));
            } else if let Some(heading) = before.filter(|_| self.is_list_of_teasers(&child, name)) {
                self.found.push((heading, Kind::Teasers));
                self.found.push((child, Kind::Teasers));
            } else {
                self.find(&child);
            }
            before = (is_heading(name) && names::heads_teasers(&child.text())).then_some(child);
        }
    }

    fn is_list_of_teasers(&self, node: &NodeRef, name: &str) -> bool {
        let size = self.size(node);
        matches!(name, "ul" | "ol" | "div" | "section") && size.teases() && !size.content
    }

    /// Returns the kind of furniture that `node` is.
    fn judge(&self, node: &NodeRef<'a>, name: &str) -> Option<Kind> {
        let size = self.size(node);
        if size.content || size.text == 0 || !names::may_be_furniture(name) {
            return None;
        }
        if name == "table" && holds_data(node) {
            return None;
        }
        let kind = names::kind(node).or_else(|| self.by_text(node, name, size))?;
        let shaped = match kind {
            Kind::Share | Kind::Advertisement => size.unlinked() <= LITTLE,
            Kind::Breadcrumbs => size.unlinked() <= LITTLE && size.text <= 2 * LITTLE,
            Kind::Tags => size.unlinked() <= LITTLE && size.mostly_links(),
            Kind::Skip => size.text <= LITTLE,
            Kind::Consent => size.text <= 2 * BOX,
            Kind::Newsletter => size.text <= BOX && size.controls > 0,
            Kind::Author => size.text <= BOX && self.authors == Authors::Remove,
            Kind::Teasers => size.teases(),
            Kind::Footer => size.links > 0 && (size.text <= 2 * BOX || size.mostly_links()),
            Kind::Comments => true,
        };
        shaped.then_some(kind)
    }

    /// Returns the kind of a block that says what it is: "Advertisement", "Read also: …", "Related articles …".
    fn by_text(&self, node: &NodeRef<'a>, name: &str, size: Size) -> Option<Kind> {
        if size.text <= 40 && names::is_advertisement(&node.text()) {
            return Some(Kind::Advertisement);
        }
        if matches!(name, "p" | "div" | "li") && size.links == 1 && size.text <= 2 * LITTLE {
            let text = node.text();
            return (size.mostly_links() && names::points_elsewhere(&text))
                .then_some(Kind::Teasers);
        }
        let first = node.children_it(false).find(|child| self.size(child).text > 0)?;
        let heading = first.node_name().filter(|name| is_heading(name)).is_some();
        let rest = size.text.saturating_sub(self.size(&first).text);
        (heading && rest > 0 && names::heads_teasers(&first.text())).then_some(Kind::Teasers)
    }
}

fn is_heading(name: &str) -> bool {
    matches!(name, "h2" | "h3" | "h4" | "h5" | "h6")
}

#[cfg(test)]
mod tests {
    use super::*;
    use formats::html::{markdown, parse};

    const PROSE: &str = "Most of them drink tea, many drink coffee, and some drink neither of the two, whatever the hour. ";

    fn cleared(html: &str) -> String {
        let document = parse(html).unwrap();
        clear(&document, Authors::Remove);
        markdown(&document.root())
    }

    fn article(furniture: &str) -> String {
        let prose = PROSE.repeat(4);
        format!("<body><div><h1>Tea</h1><p>{prose}</p>{furniture}<p>{prose}</p></div>")
    }

    fn write_links(count: usize) -> String {
        (0..count)
            .map(|n| format!("<li><a href='/news/{n}'>Other piece of news {n}</a></li>"))
            .collect()
    }

    // proves: A6
    #[test]
    fn what_stands_between_the_paragraphs_is_removed() {
        let plain = cleared(&article(""));
        let links = write_links(5);
        let thread = format!("<ol class='comment-list'><li class='comment'>{PROSE}</li></ol>");
        for furniture in [
            format!("<div class='related-posts'><h3>What else</h3><ul>{links}</ul></div>"),
            format!("<section><h2>You may also like:</h2><ul>{links}</ul></section>"),
            format!("<h3>Lesen Sie auch</h3><ul>{links}</ul>"),
            "<p>Read more: <a href='/news/1'>How tea came to the table</a></p>".to_owned(),
            "<div class='share-bar'><span>Share</span><a href='https://x.com/s'>On X</a></div>".to_owned(),
            "<div aria-label='Cookie banner'><p>We and our partners store cookies.</p><button>Agree</button></div>".to_owned(),
            "<div role='dialog'><p>We and our partners store cookies.</p></div>".to_owned(),
            "<div id='newsletterSignup'><p>The best stories of the week.</p><form><input></form></div>".to_owned(),
            "<div class='author-bio'><p>Ann Leaf has written on tea for years.</p></div>".to_owned(),
            "<ol class='breadcrumb'><li><a href='/'>Start</a><li>Tea</ol>".to_owned(),
            "<div class='post-tags'>Filed under: <a href='/t/1'>tea tables</a> <a href='/t/2'>morning drinks</a></div>".to_owned(),
            "<div>Advertisement</div>".to_owned(),
            format!("<div id='comments'><h2>Two thoughts</h2>{thread}</div>"),
            format!("<div class='acme-comment-list acme-has-3'><p>{PROSE}</p></div>"),
        ] {
            assert_eq!(cleared(&article(&furniture)), plain, "{furniture}");
        }
    }

    // proves: A6
    #[test]
    fn what_only_has_the_name_of_furniture_stays() {
        let heading = "<h2>Related</h2>";
        for kept in [
            // What the page is about.
            format!("<section class='cookies-explained'><p>{PROSE}</p></section>"),
            format!("<div class='share-prices'><p>{PROSE}{PROSE}</p></div>"),
            format!("<section class='related-work'>{heading}<p>{PROSE}</p></section>"),
            format!("<div class='post tag-comments category-newsletter has-comments'><p>{PROSE}</p></div>"),
            "<table class='tags'><tr><th>Tag<th>Meaning<tr><td>b<td>bold<tr><td>i<td>italic</table>".to_owned(),
            // A list of the pages of the same manual.
            "<div class='related'><a href='x.html'>The kettle</a> <a href='y.html'>The cup</a></div>".to_owned(),
            "<p>Read more: it is said that nobody knew.</p>".to_owned(),
            "<dl class='share'><dt>share(a, b)</dt><dd>Divides what is in the pot among all who sit at the table, and in the end \
             returns what is left of it, which may be nothing at all, since they are thirsty people.</dd></dl>"
                .to_owned(),
        ] {
            let with = cleared(&article(&kept));
            let words = markdown(&parse(&kept).unwrap().root());
            assert!(with.contains(words.lines().last().unwrap()), "{kept}: {with}");
        }
    }

    // proves: A6
    #[test]
    fn comments_are_the_text_of_a_discussion() {
        let comment = |n: usize| format!("<li class='comment'><p>Answer {n}. {PROSE}</p></li>");
        let answers = |count: usize| (0..count).map(comment).collect::<String>();
        let thread = |count: usize| format!("<ol class='comment-list'>{}</ol>", answers(count));
        let question = PROSE.repeat(9);
        for discussion in [
            // A short question with a long thread.
            format!("<body><h1>Tea?</h1><p>What do you drink?</p>{}", thread(9)),
            format!("<body><article><h1>Tea?</h1><p>What do you drink?</p>{}</article>", thread(9)),
            // A long one, on a page that is no article.
            format!("<body><h1>Tea?</h1><p>{question}</p>{}", thread(20)),
            // Answers with threads of their own.
            format!(
                "<body><h1>Tea?</h1>{}",
                format!("<div class='answer'><p>{question}</p>{}</div>", thread(2)).repeat(5)
            ),
            format!(
                "<body itemscope itemtype='https://schema.org/QAPage'><h1>Tea?</h1><p>{question}</p>{}",
                thread(2)
            ),
            format!(
                "<script type='application/ld+json'>{{\"@type\": \"DiscussionForumPosting\"}}</script><h1>Tea?</h1><p>{question}</p>{}",
                thread(2)
            ),
        ] {
            assert!(cleared(&discussion).contains("Answer 1."), "{discussion}");
        }
        let post = format!("<body><article><h1>Tea</h1><p>{question}</p></article>{}", thread(20));
        assert!(!cleared(&post).contains("Answer"));
    }

    // proves: A6
    #[test]
    fn a_page_of_teasers_is_about_them() {
        let page = format!(
            "<body><h1>News</h1><div class='related-posts'><ul>{}</ul></div>",
            write_links(20)
        );
        let teasers: String = (0..9).map(|n| format!("<div class='more-news'><a href='/{n}'>Piece {n}</a> <a href='/{n}#c'>2</a> {}</div>", &PROSE[..40])).collect();
        assert!(cleared(&format!("<body><h1>News</h1>{teasers}")).contains("Piece 8"));
        assert!(cleared(&page).contains("piece of news 19"), "{}", cleared(&page));
    }
}
