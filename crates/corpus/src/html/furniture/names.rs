//! The names by which the furniture of pages is known: the words of its classes and ids, its roles, its headings.

use dom_query::NodeRef;

/// What a piece of furniture is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Share,
    Advertisement,
    Breadcrumbs,
    Tags,
    /// A link past the navigation.
    Skip,
    /// What asks to agree to cookies.
    Consent,
    Newsletter,
    /// What tells who the author is.
    Author,
    /// Links to other pages, with or without words on them.
    Teasers,
    Comments,
    /// What stands at the foot of every page of a site.
    Footer,
}

/// Words of a name: one of the first list, alone or beside one of the second if that is not empty.
type Names = (Kind, &'static [&'static str], &'static [&'static str]);

#[rustfmt::skip]
const NAMES: &[Names] = &[
    (Kind::Breadcrumbs, &["breadcrumb", "breadcrumbs", "breadcrumblist"], &[]),
    (Kind::Consent, &["onetrust", "cookiebot", "cookieconsent", "cookiebanner", "cookienotice",
        "cookielaw", "didomi", "usercentrics", "truste", "cybotcookiebotdialog", "cookiebar"], &[]),
    (Kind::Consent, &["cookie", "cookies", "gdpr", "consent", "privacy"],
        &["banner", "notice", "bar", "popup", "popin", "modal", "overlay", "dialog", "message",
          "notification", "alert", "disclaimer", "warning"]),
    (Kind::Share, &["share", "sharing", "sharebar", "sharedaddy", "sharethis", "addthis",
        "addtoany", "socialshare", "sharebuttons", "sharelinks", "sharetools", "socialmedia"], &[]),
    (Kind::Share, &["social"], &["links", "icons", "buttons", "media", "bar", "tools", "list",
        "follow", "nav", "networks", "bookmarks", "bookmark"]),
    (Kind::Share, &["follow"], &["us", "links", "buttons"]),
    (Kind::Skip, &["skiplink", "skiplinks"], &[]),
    (Kind::Skip, &["skip"], &["link", "links", "content", "main", "nav", "navigation"]),
    (Kind::Newsletter, &["newsletter", "newsletters", "subscribe", "signup", "mailinglist",
        "mailchimp", "emailsignup", "optin", "subscription"], &[]),
    (Kind::Newsletter, &["mc"], &["embed", "signup"]),
    (Kind::Tags, &["tags", "taglist", "tagcloud", "tagslist", "posttags", "entrytags", "taglinks",
        "catlinks"], &[]),
    (Kind::Tags, &["tag", "topic", "category", "categories", "cat"], &["links", "list", "cloud"]),
    (Kind::Teasers, &["related", "relatedposts", "relatedarticles", "relatedstories",
        "relatedlinks", "relatedcontent", "recommended", "recommendations", "recommendation",
        "recirc", "recirculation", "outbrain", "taboola", "zergnet", "revcontent", "readmore",
        "readnext", "upnext", "morestories", "morenews", "mostread", "mostpopular", "trending",
        "teasers", "jprelatedposts", "promoted", "sponsored"], &[]),
    (Kind::Teasers, &["more"], &["read", "stories", "news", "articles", "posts", "from", "on"]),
    (Kind::Teasers, &["popular", "recent", "latest", "similar", "suggested", "other"],
        &["posts", "articles", "stories", "news", "entries", "products", "reads"]),
    (Kind::Teasers, &["also"], &["like", "read", "see"]),
    (Kind::Advertisement, &["advert", "adverts", "advertisement", "advertising", "adsense",
        "adsbygoogle", "adslot", "adunit", "adcontainer", "adwrapper", "adbox"], &[]),
    (Kind::Advertisement, &["ad", "ads"], &["slot", "unit", "container", "wrapper", "box",
        "banner", "label", "block", "placeholder"]),
];

/// Names of threads of comments: one of the first list, with no other words than those of the second. `has-comments` is a page.
const COMMENTS: &[&str] = &[
    "comment",
    "comments",
    "commentlist",
    "commentslist",
    "commentsection",
    "commentarea",
    "commentthread",
    "commentform",
    "disqus",
    "livefyre",
    "respond",
];
#[rustfmt::skip]
const OF_COMMENTS: &[&str] = &[
    "list", "section", "area", "thread", "threads", "form", "wrapper", "wrap", "container", "block",
    "box", "the", "post", "article", "entry", "user", "reader", "readers", "js", "wp", "title",
    "holder", "module", "embed", "widget", "region", "content", "all",
];
/// Names of boxes about the author, likewise, and beside one of the last list; an `author` alone is the byline.
const AUTHORS: &[&str] = &["author", "authors", "writer", "authorbox", "authorbio", "authorinfo"];
#[rustfmt::skip]
const OF_AUTHORS: &[&str] = &[
    "box", "bio", "card", "about", "profile", "description", "details", "block", "biography", "the",
    "article", "post", "entry", "wrapper", "container", "section", "area", "wp", "info", "content",
    "text", "widget", "archive", "footer", "meta", "p", "c", "m",
];
const BOXES: &[&str] = &[
    "authorbox",
    "authorbio",
    "box",
    "bio",
    "card",
    "about",
    "profile",
    "description",
    "biography",
];
/// Names of the foot of a page, likewise: an `entry-footer` is another thing.
const FOOT: &[&str] = &["footer", "colophon", "copyright"];
#[rustfmt::skip]
const OF_FOOT: &[&str] = &[
    "site", "page", "main", "global", "bottom", "wrapper", "wrap", "container", "inner", "the",
    "region", "ft", "web", "links", "nav", "text", "notice", "info",
];
/// What begins a class that says what a text is about.
const ABOUT: &[&str] = &["tag", "category", "topic", "label", "term", "has", "with", "no"];

/// Roles of furniture; a dialog opens over the page.
const ROLES: &[(&str, Kind)] = &[("dialog", Kind::Consent), ("alertdialog", Kind::Consent)];

/// Elements that may be furniture.
#[rustfmt::skip]
const ELEMENTS: &[&str] = &[
    "aside", "div", "footer", "form", "header", "li", "nav", "ol", "p", "section", "span",
    "table", "td", "tr", "ul",
];

/// What stands above links to other pages, in lower case.
#[rustfmt::skip]
const TEASE: &[&str] = &[
    "related", "related articles", "related stories", "related posts", "related news",
    "related content", "related topics", "related links", "related coverage", "related reading",
    "you may also like", "you might also like", "you may be interested in",
    "you might also be interested in", "recommended", "recommended for you",
    "recommended articles", "recommended stories", "recommended reading", "recommendations",
    "read more", "read next", "up next", "more stories", "more news", "more articles",
    "more like this", "more on this", "more on this story", "more on this topic", "more posts",
    "most read", "most popular", "most viewed", "popular posts", "popular articles",
    "popular stories", "popular now", "trending", "trending now", "top stories", "latest news",
    "latest stories", "latest posts", "latest articles", "recent posts", "recent articles",
    "similar articles", "similar posts", "other articles", "other stories", "don't miss",
    "editors' picks", "editor's picks", "sponsored content", "sponsored links",
    "promoted stories", "from the web", "around the web", "share this", "share this article",
    "share this story", "mehr zum thema", "auch interessant", "das könnte sie auch interessieren",
    "verwandte artikel", "meistgelesen", "ähnliche artikel", "weitere artikel", "lesen sie auch",
    "à lire aussi", "lire aussi", "articles similaires", "sur le même sujet", "les plus lus",
    "lea también", "artículos relacionados", "noticias relacionadas", "lo más leído",
    "te puede interesar", "leia também", "veja também", "mais lidas", "notícias relacionadas",
    "leggi anche", "articoli correlati", "potrebbe interessarti", "i più letti", "lees ook",
    "meest gelezen", "gerelateerd", "czytaj też", "czytaj także", "zobacz też", "polecane",
    "читайте также", "похожие статьи", "相关阅读", "相关新闻", "相关文章", "推荐阅读", "热门文章",
    "猜你喜欢", "延伸阅读", "関連記事", "おすすめ記事", "人気記事", "관련기사", "관련 기사", "많이 본 뉴스",
    "مواضيع ذات صلة", "اقرأ أيضا", "اقرأ أيضاً",
];
/// What stands before a single link to another page, in lower case.
#[rustfmt::skip]
const POINTS: &[&str] = &[
    "read more", "read also", "also read", "read next", "see more", "more:", "related:",
    "recommended:", "don't miss", "lire aussi", "à lire aussi", "lesen sie auch", "lesen sie hier",
    "mehr dazu", "auch interessant", "lea también", "lee también", "leia também", "leia mais",
    "leggi anche", "lees ook", "czytaj też", "czytaj także", "zobacz też", "читайте также",
    "相关阅读", "関連記事", "اقرأ أيضا",
];
const ADVERTISEMENTS: &[&str] = &[
    "advertisement",
    "advertisment",
    "advertisements",
    "advertising",
    "ad",
    "ads",
    "sponsored",
    "anzeige",
    "werbung",
    "publicité",
    "publicidad",
    "publicidade",
    "pubblicità",
    "advertentie",
    "reklama",
    "реклама",
    "广告",
    "広告",
    "advertisement - continue reading below",
    "article continues below advertisement",
    "story continues below advertisement",
    "continue reading below",
    "article continues after advertisement",
    "story continues below",
];
/// The longest names and headings that are examined, in bytes.
const LONGEST: usize = 400;

/// Returns whether an element of this name may be furniture.
pub(super) fn may_be_furniture(name: &str) -> bool {
    ELEMENTS.contains(&name)
}

/// Returns the kind of furniture by the classes, the id, the label and the role of `node`.
pub(super) fn kind(node: &NodeRef) -> Option<Kind> {
    let role = node.attr("role");
    if let Some((_, kind)) = role.and_then(|role| ROLES.iter().find(|(known, _)| *known == &*role))
    {
        return Some(*kind);
    }
    let of_label = node.attr("aria-label").and_then(|label| known(&words(shortened(&label))));
    let of_names = || {
        let given = ["class", "id", "itemtype"].into_iter().filter_map(|name| node.attr(name));
        given.into_iter().find_map(|given| {
            shortened(&given).split_whitespace().find_map(|name| known(&words(name)))
        })
    };
    of_label.or_else(of_names)
}

fn shortened(name: &str) -> &str {
    &name[..name.floor_char_boundary(LONGEST)]
}

fn known(words: &[String]) -> Option<Kind> {
    let about = words.len() > 1 && ABOUT.contains(&&*words[0]);
    let only = |one: &[&str], others: &[&str]| {
        words.iter().any(|word| one.contains(&&**word))
            && words.iter().all(|word| one.contains(&&**word) || others.contains(&&**word))
    };
    // A "comment" alone is one of many. Names of comments often begin with the name of who made the program.
    let is_thread = |words: &[String]| {
        let known = |word: &String| COMMENTS.contains(&&**word) || OF_COMMENTS.contains(&&**word);
        words.iter().any(|word| COMMENTS.contains(&&**word)) && words.iter().all(known)
    };
    let of_maker = words.len() > 2 && !about && is_thread(&words[1..]) && words[1..] != ["comment"];
    if words != ["comment"] && (is_thread(words) || of_maker) {
        return Some(Kind::Comments);
    }
    if only(FOOT, OF_FOOT) {
        return Some(Kind::Footer);
    }
    if only(AUTHORS, OF_AUTHORS) && words.iter().any(|word| BOXES.contains(&&**word)) {
        return Some(Kind::Author);
    }
    let has = |list: &[&str]| words.iter().any(|word| list.contains(&&**word));
    let is = |(_, one, other): &&Names| has(one) && (other.is_empty() || has(other));
    let kind = NAMES.iter().find(is).map(|(kind, ..)| *kind);
    kind.filter(|kind| !about || *kind == Kind::Tags)
}

/// Returns the words of a name in lower case: `related-posts`, `related_posts` and `relatedPosts` are "related" and "posts".
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut small = false;
    for c in name.chars() {
        let new = !c.is_alphanumeric() || small && c.is_uppercase();
        small = c.is_lowercase();
        if new {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| c.is_alphanumeric()) {
            word.extend(c.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Returns whether a heading announces links to other pages.
pub(super) fn heads_teasers(heading: &str) -> bool {
    folded(heading)
        .is_some_and(|heading| TEASE.contains(&heading.trim_end_matches([':', '…', '.'])))
}

/// Returns whether a line with one link only sends its reader elsewhere.
pub(super) fn points_elsewhere(line: &str) -> bool {
    folded(line).is_some_and(|line| POINTS.iter().any(|opening| line.starts_with(opening)))
}

/// Returns whether a text only announces an advertisement.
pub(super) fn is_advertisement(text: &str) -> bool {
    folded(text).is_some_and(|text| ADVERTISEMENTS.contains(&&*text))
}

/// Returns a short text in lower case, with single spaces and plain apostrophes; `None` if it is long.
fn folded(text: &str) -> Option<String> {
    let text = text.trim();
    (text.len() <= LONGEST).then(|| {
        let words: Vec<&str> = text.split_whitespace().collect();
        words.join(" ").to_lowercase().replace('’', "'")
    })
}
