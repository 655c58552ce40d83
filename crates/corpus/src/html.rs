//! A page becomes its main content as Markdown.
//!
//! Readability finds the content and [`formats::html`] writes it and keeps the tree within limits. Readability is
//! made for articles and drops much of a manual: its tables, its lists of options. So its result is compared with the [`main_part`] of
//! the page, which is kept whole unless Readability kept nearly all of what must be kept. Of pages from the web, the [`furniture`] is
//! removed from both. [`about`] reads what the page says about itself,
//! and [`barrier`] recognises pages that only stand in for the one that was asked for.

mod barrier;
mod furniture;
mod main_part;
mod narrow;

use std::collections::BTreeMap;

use dom_query::{Document, NodeRef};
use dom_smoothie::{Article, Config, Readability};
use formats::html::Parts;
use papers::Paper;

use self::furniture::Authors;
use self::main_part::{MainPart, Source, remove};
use crate::about;
use crate::document::one_line;
use crate::read::ReadError;

/// The content of a page.
#[derive(Debug)]
pub(crate) struct Page {
    pub(crate) title: Option<String>,
    pub(crate) markdown: String,
    pub(crate) metadata: BTreeMap<String, String>,
    /// The work that the page says it is, without its address.
    pub(crate) work: Paper,
    /// What stands in for the page, if that is certain.
    pub(crate) barrier: Option<&'static str>,
}

/// `<meta>` names that address browsers and robots and say nothing about the page.
const MACHINERY: &[&str] = &[
    "viewport",
    "robots",
    "googlebot",
    "generator",
    "referrer",
    "theme-color",
    "color-scheme",
    "charset",
    "format-detection",
    "csrf-token",
    "csrf-param",
];
/// The most `<meta>` elements kept.
const KEPT_AT_MOST: usize = 64;
/// The edit link that MediaWiki puts into headings: `[edit]`, in any language.
const EDITING: &str = ".mw-editsection";
/// The longest text that is checked for a barrier, in bytes.
const SHORT: usize = 4000;
/// Marks of a page published as an article; documentation is called a `TechArticle`.
const PUBLISHED: &str = r#"meta[property="og:type"][content="article"], [itemtype$="/Article"], [itemtype$="NewsArticle"], [itemtype$="BlogPosting"]"#;
/// Elements that give the time of publication; the first that are there are used.
const TIMES: &[&str] = &[
    r#"time[pubdate], [itemprop="datePublished"]"#,
    "time.published, time.dt-published, time.entry-date, abbr.published",
    r#"article time[datetime]:not(.updated, .dt-updated, [itemprop="dateModified"]),
        header time[datetime]:not(.updated, .dt-updated, [itemprop="dateModified"]),
        main time[datetime]:not(.updated, .dt-updated, [itemprop="dateModified"])"#,
];
/// The share (0 to 1) of the words that must be kept below which Readability's result is not used.
const NEARLY_ALL: f64 = 0.95;
/// The parser's stack, in bytes: enough for any tree that [`formats::html::parse`] accepts.
const STACK: usize = 64 << 20;

/// Returns the main content of `html`, or the whole body if nothing stands out.
///
/// That is what Readability finds, if it finds nearly all of this: a user's file without its navigation; the words of the main part of a
/// `fetched` page, or its passages if it marks no main part; the tables, definition lists and code of either, if it was published as an article. Otherwise it is the whole main
/// part. A page that was fetched or published as an article is read without its furniture. The metadata entry `words_kept` is the share of the main part's words that were kept.
pub(crate) fn main_content(html: &str, fetched: bool) -> Result<Page, ReadError> {
    apart(|| extract(html, fetched))
}

/// Returns all text of the body of `html`; empty if there is none.
pub(crate) fn whole(html: &str) -> Result<String, ReadError> {
    apart(|| Ok(formats::html::markdown(&tree(html)?.root())))
}

/// Runs the work on a thread of its own: if the parser panics, that is an error of this page alone.
fn apart<T: Send>(work: impl FnOnce() -> Result<T, ReadError> + Send) -> Result<T, ReadError> {
    let failed = |what: &str| ReadError::Failed { what: what.to_owned() };
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("page".to_owned()).stack_size(STACK);
        let thread = thread.spawn_scoped(scope, work).map_err(|error| {
            failed(&format!("could not start a thread to read the page: {error}"))
        })?;
        let broke = |_| Err(failed("the page could not be parsed; save it as plain text"));
        thread.join().unwrap_or_else(broke)
    })
}

fn tree(html: &str) -> Result<Document, ReadError> {
    let document = formats::html::parse(html)?;
    remove(&document, EDITING);
    Ok(document)
}

/// Removes the ids of headings, as Readability drops some headings because of them: "Community" has that id, and Readability takes an
/// element of that id for a list of comments. Classes stay, as they do not come from the heading's words.
fn without_names(document: &Document) {
    for heading in ["h1", "h2", "h3", "h4", "h5", "h6"] {
        for named in document.select(&format!("{heading}[id], {heading} [id]")).nodes() {
            named.remove_attr("id");
        }
    }
}

fn extract(html: &str, fetched: bool) -> Result<Page, ReadError> {
    let mut parts = Parts::of(html);
    let document = parts.next().transpose()?.unwrap_or_default();
    remove(&document, EDITING);
    let published = document.select(PUBLISHED).exists();
    without_names(&document);
    let mut metadata = declared(&document);
    let tags = about::Tags::of(&document);
    let scripts = document.select(r#"script[type="application/ld+json"]"#);
    let linked = about::parse_linked_data(scripts.iter().map(|script| script.text().to_string()));
    let whole_title = Some(one_line(&document.select_single("title").text()));
    let source = match (published || linked.news, fetched) {
        (true, _) => Source::Published,
        (false, true) => Source::Web,
        (false, false) => Source::Own,
    };
    if source != Source::Own {
        furniture::clear(&document, Authors::Keep);
    }
    let time = find_publication_time(&document);
    let (mut seen, markdown) = if !parts.is_at_end() {
        (about::Seen::default(), long_content(document, parts, source)?)
    } else {
        let main = find_main_content(document, html, source)?;
        metadata.insert("words_kept".to_owned(), format!("{:.2}", main.words_kept));
        (main.seen, main.markdown)
    };
    // A page with much text is not a barrier. A page with little is examined again, whole.
    let barrier = if markdown.len() > SHORT { None } else { barrier::barrier(&tree(html)?, html) };
    if markdown.is_empty() {
        return Err(match barrier {
            Some(by) => ReadError::Barred { by: by.to_owned() },
            None => ReadError::Empty,
        });
    }
    seen.time = time;
    let title = seen.title.clone().or(whole_title).filter(|title| !title.is_empty());
    let found = [
        ("author", seen.byline.clone()),
        ("published", seen.published.clone()),
        ("site", seen.site.clone()),
        ("lang", seen.language.clone()),
    ];
    metadata.extend(found.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))));
    seen.title.clone_from(&title);
    seen.language = metadata.get("lang").cloned();
    let work = about::page(&tags, &linked, &seen);
    let authors: Vec<String> = work.authors.iter().map(ToString::to_string).collect();
    let published = work.published.map(|date| date.to_string());
    for (name, value) in [("author", Some(authors.join(", "))), ("published", published)] {
        if let Some(value) = value.filter(|value| !value.is_empty()) {
            metadata.entry(name.to_owned()).or_insert_with(|| one_line(&value));
        }
    }
    Ok(Page { title, markdown, metadata, work, barrier })
}

/// The main content of a page.
struct MainContent {
    markdown: String,
    /// What Readability found about the page.
    seen: about::Seen,
    /// The share of the main part's words that it has, 0 to 1.
    words_kept: f64,
}

fn find_main_content(
    document: Document,
    html: &str,
    source: Source,
) -> Result<MainContent, ReadError> {
    // The names of what was kept tell what of it is furniture.
    let named = Config { keep_classes: true, ..Config::default() };
    let article = Readability::with_document(document, None, Some(named));
    let mut article = article.and_then(|mut it| it.parse()).ok();
    let mut markdown = match &mut article {
        Some(article) => {
            // Of a long page, each copy that is not needed any more is given up.
            article.text_content = Default::default();
            let content = tree(&std::mem::take(&mut article.content))?;
            if source != Source::Own {
                furniture::clear(&content, Authors::Remove);
            }
            formats::html::markdown(&content.root())
        }
        None => String::new(),
    };
    let mut main_part = MainPart::of(&tree(html)?, source);
    if main_part.needed_in(&markdown) < NEARLY_ALL {
        markdown = std::mem::take(&mut main_part.markdown);
    }
    let words_kept = main_part.share_in(&markdown);
    if markdown.is_empty() {
        markdown = formats::html::markdown(&tree(html)?.root());
    }
    Ok(MainContent { markdown, seen: article.map(seen).unwrap_or_default(), words_kept })
}

/// Returns a page that is too long for one tree, without its navigation; one that was fetched or published also without its furniture.
fn long_content(first: Document, rest: Parts, source: Source) -> Result<String, ReadError> {
    let mut content = String::new();
    for part in std::iter::once(Ok(first)).chain(rest) {
        let part = part?;
        remove(&part, EDITING);
        main_part::remove_navigation(&part);
        if source != Source::Own {
            furniture::clear(&part, Authors::Remove);
        }
        let markdown = formats::html::markdown(&part.root());
        if !content.is_empty() && !markdown.is_empty() {
            content.push_str("\n\n");
        }
        content.push_str(&markdown);
    }
    Ok(content)
}

/// Returns what the readability engine found in a page, each value on one line.
fn seen(article: Article) -> about::Seen {
    let line = |value: Option<String>| {
        value.map(|value| one_line(&value)).filter(|value| !value.is_empty())
    };
    about::Seen {
        title: line(Some(article.title)),
        byline: line(article.byline),
        published: line(article.published_time),
        site: line(article.site_name),
        language: line(article.lang),
        time: None,
    }
}

/// Returns the publication time given by an element of the page's article; `None` if there may be several articles.
fn find_publication_time(document: &Document) -> Option<String> {
    let given = |selector: &str| -> Vec<String> {
        let times = document.select(selector);
        let value = |time: &NodeRef| {
            let attributes = ["datetime", "content", "title"];
            let said = attributes.iter().map(|name| one_line(&time.attr_or(name, "")));
            said.chain([one_line(&time.text())]).find(|said| !said.is_empty())
        };
        let mut given: Vec<String> = times.nodes().iter().filter_map(value).collect();
        given.dedup();
        given
    };
    let times = TIMES.iter().map(|selector| given(selector)).find(|times| !times.is_empty());
    times.filter(|times| times.len() == 1).and_then(|times| times.into_iter().next())
}

/// Returns the contents of the page's `<meta>` elements, and its language.
fn declared(document: &Document) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for meta in document.select("meta[name][content]").iter() {
        let name = meta.attr_or("name", "").trim().to_lowercase();
        let value = one_line(&meta.attr_or("content", ""));
        let simple = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-');
        let kept = !name.is_empty()
            && name.len() <= 60
            && name.chars().all(simple)
            && !MACHINERY.contains(&name.as_str())
            && !name.contains("verification");
        if kept && !value.is_empty() && found.len() < KEPT_AT_MOST {
            found.entry(name).or_insert(value);
        }
    }
    let language = document.select_single("html").attr("lang");
    let language = language.map(|language| one_line(&language)).filter(|it| !it.is_empty());
    found.extend(language.map(|language| ("lang".to_owned(), language)));
    found
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    const STUDY: &str = r#"<!doctype html><html lang="en"><head><title>The tea study - Acme</title>
        <meta name="Company" content="Acme"><meta name="author" content="A. Leaf"><style>p { color: red }</style></head>
        <body><nav><a href="/">Home</a></nav><article><h1>The tea study</h1>
        <p>We asked <a href="https://example.org/panel">1,204 adults</a>, <b>all over</b> the country, what they drink in the morning, and why.</p>
        <script>alert("no")</script><h2>Results</h2>
        <p>Most of them drink tea, many drink coffee, and some drink neither of the two, which surprised nobody in the room.</p>
        <table><tr><th>Drink</th><th>Share</th></tr><tr><td>Tea</td><td>54 %</td></tr></table></article></body></html>"#;

    // proves: A6
    #[test]
    fn a_page_gives_its_main_content_as_it_reads() {
        let page = main_content(STUDY, true).unwrap();
        assert!(page.title.is_some_and(|title| title.starts_with("The tea study")));
        assert!(page.markdown.contains("We asked 1,204 adults, all over the country, what"));
        assert!(page.markdown.contains("## Results"));
        assert!(page.markdown.contains("| Tea "));
        assert!(!page.markdown.contains("alert") && !page.markdown.contains("color"));
        assert_eq!(page.metadata["company"], "Acme");
        assert_eq!(page.metadata["author"], "A. Leaf");
        assert_eq!(page.metadata["lang"], "en");
    }

    // proves: A6
    #[test]
    fn a_heading_is_what_the_author_wrote_and_is_not_lost_for_its_name() {
        let edit = "<span class='mw-editsection'><span>[</span><a href='?edit'>edit</a><span>]</span></span>";
        let drinks =
            "<p>Most of them drink tea, many drink coffee, and some drink neither of the two.</p>"
                .repeat(4);
        let section = |heading: String| format!("{heading}{drinks}");
        for heading in [
            format!("<h2><span class='mw-headline' id='Community'>Community</span>{edit}</h2>"),
            format!("<div class='mw-heading'><h2 id='Community'>Community</h2>{edit}</div>"),
            "<h2 id='community'>Community</h2>".to_owned(),
        ] {
            let article =
                section(heading) + &section("<h3 id='Related_work'>Related work</h3>".to_owned());
            let page = main_content(&STUDY.replace("<h2>Results</h2>", &article), true).unwrap();
            let headings: Vec<&str> =
                page.markdown.lines().filter(|line| line.starts_with("##")).collect();
            assert_eq!(headings, ["## Community", "### Related work"], "{article}");
            assert!(!page.markdown.contains("edit"), "{}", page.markdown);
        }
        // A heading that its class marks as no part of the article is still dropped.
        let comments =
            section("<h2 class='comments-title' id='said'>Three comments</h2>".to_owned());
        let page = main_content(&STUDY.replace("<h2>Results</h2>", &comments), true).unwrap();
        assert!(!page.markdown.contains("Three comments"), "{}", page.markdown);
        // A page in which nothing stands out is also read without the edit links.
        let short = main_content(&format!("<body><h2>Tea{edit}</h2><ul><li>Green</ul>"), true);
        assert_eq!(short.unwrap().markdown, "## Tea\n\n- Green");
        assert_eq!(whole(&format!("<h2>Tea{edit}</h2>")).unwrap(), "## Tea");
    }

    // proves: A2
    #[test]
    fn a_page_says_when_it_was_published_if_only_once() {
        let published = |times: &str| {
            let article = format!("<article>{times}<h1>Tea</h1>");
            let page = main_content(&STUDY.replace("<article>", &article), true).unwrap();
            assert_eq!(
                page.metadata.get("published").cloned(),
                page.work.published.map(|date| date.to_string())
            );
            page.metadata.get("published").cloned()
        };
        let time = |at: &str| format!("<time datetime='{at}'>then</time>");
        assert_eq!(published(&time("2024-05-08T12:00Z")).as_deref(), Some("2024-05-08"));
        assert_eq!(published(&[time("2024-05-08"), time("2024-05-09")].concat()), None);
        let said = "<time itemprop='datePublished' datetime='2023-01-02'></time>";
        assert_eq!(published(&[&time("2024-05-08"), said].concat()).as_deref(), Some("2023-01-02"));
        let marked = "<abbr class='published' title='2022-03-04'>in spring</abbr>";
        assert_eq!(published(marked).as_deref(), Some("2022-03-04"));
        let twice = "<time class='published' datetime='2021-05-06'></time><time class='updated' datetime='2021-07-08'></time>";
        assert_eq!(published(twice).as_deref(), Some("2021-05-06"));
        assert_eq!(published(""), None);
    }

    // proves: A6
    #[test]
    fn a_page_without_an_article_gives_its_body_and_one_without_text_is_empty() {
        let body = main_content("<body><ul><li>Tea<li>Coffee</ul><script>x()</script>", true);
        assert_eq!(body.unwrap().markdown, "- Tea\n- Coffee");
        let empty = main_content("<html><title></title><script>x()</script>", true);
        assert_eq!(empty.unwrap_err(), ReadError::Empty);
    }

    // proves: A6
    #[test]
    fn a_manual_page_of_the_users_keeps_all_but_its_navigation() {
        let about = "<p>It moves data files, which takes minutes, and asks that both servers are stopped while it runs, whatever their size.</p>";
        let options: String = (0..20)
            .map(|n| format!("<dt><code>--option-{n}</code></dt><dd><p>set value {n}</p></dd>"))
            .collect();
        let manual = format!(
            "<title>move</title><body><div class='navheader'><a>Prev</a><a>Up</a></div><div class='refentry'>\
             <h1>move</h1>{about}<div class='refsect'><h2>Options</h2><dl class='variablelist'>{options}</dl></div></div>\
             <div class='navfooter'><a>Next</a></div>"
        );
        let own = main_content(&manual, false).unwrap().markdown;
        for kept in ["## Options", "--option-0", "--option-19", "set value 19", "takes minutes"] {
            assert!(own.contains(kept), "{kept}: {own}");
        }
        assert!(!own.contains("Prev") && !own.contains("Next"), "{own}");
        // A part marked as the main part is read whole, and an article is read as before.
        let main = manual.replace("class='refentry'", "role='main'").replace("navheader", "top");
        let main = main_content(&main, false).unwrap().markdown;
        assert!(main.contains("set value 19") && !main.contains("Prev"), "{main}");
        let page = |fetched| main_content(STUDY, fetched).unwrap().markdown;
        assert_eq!(page(false), page(true));
        // The same page from the web, and as written by a site that puts every page into an article.
        for of_a_site in [
            manual.clone(),
            manual.replace("<body>", "<body><main><article>"),
            manual.replace("<title>", "<meta property='og:type' content='article'><title>"),
        ] {
            let page = main_content(&of_a_site, true).unwrap();
            assert_eq!(page.markdown, own);
            assert!(page.metadata["words_kept"].parse::<f64>().unwrap() > 0.95);
        }
    }

    // proves: A6
    #[test]
    fn a_page_from_the_web_gives_its_article_without_what_stands_around_it() {
        let prose: String = (0..25)
            .map(|n| format!("<p>Of the {n} guests at the table, most drink tea, many drink coffee, and some neither of the two.</p>"))
            .collect();
        let links: String = (0..30)
            .map(|n| format!("<li><a href='/news/{n}'>Another piece of news, number {n}</a></li>"))
            .collect();
        let unseen = "<p>Nobody sees a word of this sentence, which stands in no article.</p>";
        let page = format!(
            "<title>Tea</title><body><div class='story'><h1>Tea and its drinkers</h1>{prose}</div><div class='more'><ul>{links}</ul></div>\
             <aside><p>Write to us, we like to be written to.</p></aside><div style='display: none'>{unseen}</div>"
        );
        let page = main_content(&page, true).unwrap();
        assert!(page.markdown.contains("drink coffee"), "{}", page.markdown);
        for beside in ["Another piece", "Write to us", "Nobody sees"] {
            assert!(!page.markdown.contains(beside), "{beside}: {}", page.markdown);
        }
        // Addresses that are written out are its references.
        let sources: String = (0..12)
            .map(|n| {
                format!(
                    "<li><a href='https://example.org/tea/{n}'>https://example.org/tea/{n}</a></li>"
                )
            })
            .collect();
        let cited = format!(
            "<title>Tea</title><body><div id='content'><h1>Tea</h1>{prose}<div class='links'><p>It was collected from</p><ul>{sources}</ul></div></div>"
        );
        let cited = main_content(&cited, true).unwrap().markdown;
        assert!(cited.contains("https://example.org/tea/11"), "{cited}");
        // Its footnotes stand in an aside, yet belong to the text.
        let note = "<aside role='note'><p>Counted in May, when the fair is on, by two people who agreed.</p></aside>";
        let notes = format!("<aside class='notes'>{}</aside>", note.repeat(8));
        let noted = format!(
            "<title>Tea</title><body><div role='main'><h1>Tea</h1>{prose}{notes}</div><div class='more'><ul>{links}</ul></div>"
        );
        let noted = main_content(&noted, true).unwrap().markdown;
        assert!(noted.contains("two people who agreed"), "{noted}");
        // Text may be hidden until a program shows it.
        let later = format!(
            "<title>Tea</title><body><p>Wait.</p><div style='display: none'><h1>Tea</h1>{prose}</div>"
        );
        assert!(main_content(&later, true).unwrap().markdown.contains("drink coffee"));
        // So does the opening statement of a manual.
        let opening = "<aside class='topic'><p>Abstract</p><p>What people drink at tables, told by those who served them.</p></aside>";
        let opened = format!(
            "<title>Tea</title><body><div role='main'><h1>Tea</h1>{}{prose}</div><div class='more'><ul>{links}</ul></div>",
            opening.repeat(8)
        );
        let opened = main_content(&opened, true).unwrap().markdown;
        assert!(opened.contains("those who served them"), "{opened}");
        // The share shows how little of the page was kept.
        let share: f64 = page.metadata["words_kept"].parse().unwrap();
        assert!((0.5..0.9).contains(&share), "{share}");
    }

    // proves: A6
    #[test]
    fn menus_do_not_outweigh_an_article_in_any_script() {
        let menu: String = (0..60)
            .map(|n| format!("<div>Label {n}</div><div><a href='/{n}'>Shelf {n}</a></div>"))
            .collect();
        for sentence in [
            "Of the guests at the table, most drink tea, many drink coffee, and some neither of the two.",
            "桌旁的客人大多喝茶，许多人喝咖啡，有些人两样都不喝，因为他们说早上只喝水就够了，而晚上什么也不想喝。",
        ] {
            let prose = format!("<p>{sentence}</p>").repeat(12);
            let page = format!(
                "<title>Tea</title><body><div class='top'>{menu}</div><div class='story'><h1>Tea</h1>{prose}</div>"
            );
            let page = main_content(&page, true).unwrap().markdown;
            assert!(page.contains(sentence) && !page.contains("Label 7"), "{page}");
        }
    }

    // proves: A6
    #[test]
    fn a_hostile_page_is_refused_in_good_time() {
        let many = |part: fn(usize) -> String, count| (0..count).map(part).collect::<String>();
        let open = |count| many(|_| "<div>".to_owned(), count);
        let unclosed = many(|n| format!("<p><b x={n}>"), 20_000);
        let attributes = many(|n| format!(" a{n}"), 60_000);
        let quoted = many(|n| format!("a{n}='<'"), 30_000);
        let hidden = many(|n| format!("<x{n}><div></x{n}></div>"), 30_000);
        let linked = |text: &str| {
            format!("<script type='application/ld+json'>{}</script><p>Tea.", text.repeat(50_000))
        };
        let template = many(|_| "<template><i>".to_owned(), 30_000);
        let pages = [
            (open(100_000), "nested"),
            (unclosed, "nested"),
            (format!("<a{attributes}>x</a>"), "attributes"),
            (format!("<a {quoted}>x</a>"), "attributes"),
            (format!("<title>x</{}", &attributes), ""),
            (hidden, "nested"),
            (template, "nested"),
            (linked("["), ""),
            (linked("{\"@graph\":"), ""),
            (linked("{\"@type\":\"Article\",\"author\":["), ""),
        ];
        for (html, what) in pages {
            let started = Instant::now();
            let said = match main_content(&html, true) {
                Ok(_) => String::new(),
                Err(error) => error.to_string(),
            };
            assert!(said.contains(what), "{}: {said}", &html[..40]);
            assert!(started.elapsed() < Duration::from_secs(20), "{}", &html[..40]);
        }
    }
}
