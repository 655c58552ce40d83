//! Pages that only stand in for the one asked for: robot checks, consent forms, programs that draw themselves.
//!
//! A wrong guess costs a real page, so the evidence must be strong: hardly any words, and wording typical of such pages.

use dom_query::Document;

/// The most words in a page for one sign to be enough.
const FEW: usize = 60;
/// The most words in a page for two signs to be enough.
const SOME: usize = 250;
/// The most words in a page that a program has not drawn yet.
const NEXT_TO_NONE: usize = 12;
/// Characters per word, in scripts without spaces.
const CHARACTERS: usize = 8;

const ROBOTS: &str = "a robot check";
const DENIED: &str = "an access-denied notice";
const CONSENT: &str = "a consent form";
const PROGRAM: &str = "a page that needs JavaScript";

/// Whole titles of such pages, in lower case.
const TITLES: &[(&str, &str)] = &[
    ("just a moment...", ROBOTS),
    ("just a moment…", ROBOTS),
    ("one moment, please...", ROBOTS),
    ("attention required! | cloudflare", ROBOTS),
    ("are you a robot?", ROBOTS),
    ("robot or human?", ROBOTS),
    ("pardon our interruption", ROBOTS),
    ("human verification", ROBOTS),
    ("bot verification", ROBOTS),
    ("robot challenge screen", ROBOTS),
    ("client challenge", ROBOTS),
    ("ddos-guard", ROBOTS),
    ("vercel security checkpoint", ROBOTS),
    ("making sure you're not a bot!", ROBOTS),
    ("checking your browser - recaptcha", ROBOTS),
    ("access to this page has been denied", DENIED),
    ("access to this page has been denied.", DENIED),
    ("access denied", DENIED),
    ("before you continue to google search", CONSENT),
    ("before you continue to youtube", CONSENT),
    ("javascript is not available.", PROGRAM),
];

/// Phrases of such pages, in lower case.
const PHRASES: &[(&str, &str)] = &[
    ("checking your browser before accessing", ROBOTS),
    ("checking if the site connection is secure", ROBOTS),
    ("enable javascript and cookies to continue", ROBOTS),
    ("verify you are human by completing the action below", ROBOTS),
    ("verifying you are human", ROBOTS),
    ("needs to review the security of your connection before proceeding", ROBOTS),
    ("please enable js and disable any ad blocker", ROBOTS),
    ("press & hold to confirm you are a human", ROBOTS),
    ("incapsula incident id", ROBOTS),
    ("unusual traffic from your computer network", ROBOTS),
    ("unusual activity from your computer network", ROBOTS),
    ("we just need to make sure you're not a robot", ROBOTS),
    ("complete the captcha", ROBOTS),
    ("solve the captcha", ROBOTS),
    ("we're verifying your browser", ROBOTS),
    ("something about your browser made us think you were a bot", ROBOTS),
    ("i'm not a robot", ROBOTS),
    ("you don't have permission to access", DENIED),
    ("why have i been blocked?", DENIED),
    ("before you continue to google", CONSENT),
    ("before you continue to youtube", CONSENT),
    ("you need to enable javascript to run this app", PROGRAM),
    ("doesn't work properly without javascript enabled", PROGRAM),
    ("we've detected that javascript is disabled in this browser", PROGRAM),
    ("please enable javascript to continue", PROGRAM),
    ("please enable javascript to view", PROGRAM),
    ("this site requires javascript", PROGRAM),
    ("this page requires javascript", PROGRAM),
    ("javascript is required", PROGRAM),
];

/// Text in the source of such pages. Some of it also occurs in real ones, so it only confirms.
#[rustfmt::skip]
const SOURCES: &[&str] = &[
    "_cf_chl_opt", "cf-challenge", "challenge-form", "captcha-delivery.com", "px-captcha",
    "_incapsula_resource", "g-recaptcha", "h-captcha", "cf-turnstile", "awswafintegration",
    "consent.google.", "consent.youtube.",
];

/// Elements that programs draw themselves into.
const ROOTS: &str = "#root, #app, #__next, #__nuxt, #app-root, #svelte, app-root";

/// Returns what stands in for the page, if that is certain.
pub(super) fn barrier(document: &Document, html: &str) -> Option<&'static str> {
    let read = |selector: &str| folded(&document.select(selector).text());
    let instead = read("noscript");
    for unread in document.select("script, style, template, noscript").nodes() {
        unread.remove_from_parent();
    }
    let body = read("body");
    let words = count_words(&body);
    if words > SOME {
        return None;
    }
    let script = has_script(html);
    let speaks = instead.contains("javascript")
        && (instead.contains("enable") || instead.contains("without"));
    let empty_root = || {
        let roots = document.select(ROOTS);
        roots.exists() && roots.iter().all(|root| self::count_words(&root.text()) <= 2)
    };
    if words <= NEXT_TO_NONE && script && (speaks || empty_root()) {
        return Some(PROGRAM);
    }
    let title = read("title");
    let titled = TITLES.iter().find(|(known, _)| *known == title).map(|(_, what)| *what);
    let said = PHRASES.iter().find(|(known, _)| body.contains(known)).map(|(_, what)| *what);
    let source = html.to_ascii_lowercase();
    let confirmed = SOURCES.iter().any(|known| source.contains(known));
    let signs = [titled.is_some(), said.is_some(), confirmed].iter().filter(|sign| **sign).count();
    let sure = words <= FEW || signs >= 2;
    titled.or(said).filter(|_| sure)
}

fn has_script(html: &str) -> bool {
    html.as_bytes().windows(7).any(|window| window.eq_ignore_ascii_case(b"<script"))
}

/// Returns `text` in lower case, with single spaces and plain apostrophes.
fn folded(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").to_lowercase().replace('’', "'")
}

fn count_words(text: &str) -> usize {
    text.split_whitespace().count().max(text.chars().count() / CHARACTERS)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(html: &str) -> Option<&'static str> {
        barrier(&formats::html::parse(html).unwrap(), html)
    }

    // proves: A2
    #[test]
    fn a_page_in_the_way_is_known_for_what_it_is() {
        for (html, what) in [
            (
                "<title>Just a moment...</title><body><h1>a.org</h1><p>Verifying you are human. This may take a few seconds.",
                ROBOTS,
            ),
            (
                "<title>a.org</title><body><p>Please enable JS and disable any ad blocker</p><script src='https://ct.captcha-delivery.com/c.js'></script>",
                ROBOTS,
            ),
            (
                "<title>Robot Check</title><body><h4>Enter the characters you see below</h4><p>Sorry, we just need to make sure you’re not a robot.",
                ROBOTS,
            ),
            (
                "<title>Access Denied</title><body><h1>Access Denied</h1>You don't have permission to access \"http://a.org/\" on this server.<p>Reference #18.2",
                DENIED,
            ),
            (
                "<title>Before you continue to YouTube</title><body>Before you continue to YouTube<p>We use cookies and data to<ul><li>Deliver and maintain services</ul><form action='https://consent.youtube.com/save'><button>Accept all</button></form>",
                CONSENT,
            ),
            (
                "<title>App</title><body><noscript>You need to enable JavaScript to run this app.</noscript><div id='root'></div><script src='/main.js'></script>",
                PROGRAM,
            ),
            (
                "<title>App</title><body><div id='__next'><p>Loading…</div><script src='/main.js'></script>",
                PROGRAM,
            ),
        ] {
            assert_eq!(found(html), Some(what), "{html}");
        }
    }

    // proves: A2
    #[test]
    fn a_page_that_only_speaks_of_such_things_is_a_page() {
        let prose = "People drink tea in the morning, and some of them at night. ".repeat(8);
        for html in [
            // It warns visitors without JavaScript, but has text.
            format!("<title>Tea</title><body><noscript>Please enable JavaScript to continue.</noscript><div id='root'><p>{prose}</div><script src='x'></script>"),
            // It is about such pages.
            format!("<title>How sites keep robots out</title><body><p>{prose}A visitor may read: checking your browser before accessing the site.</p>"),
            // It has such a title, but is about a moment.
            format!("<title>Just a moment...</title><body><p>{prose}</p>"),
            // It is short, but says something else.
            "<title>Tea</title><body><p>It works!</p>".to_owned(),
            "<title>Tea</title><body><p>Green tea: 2 minutes at 80 °C.</p><script src='x'></script>".to_owned(),
            // Scripts without spaces have few words if only spaces are counted.
            format!("<title>茶</title><body><noscript>Please enable JavaScript.</noscript><p>{}</p><script src='x'></script>", "お茶を飲みます。".repeat(40)),
            String::new(),
        ] {
            assert_eq!(found(&html), None, "{html}");
        }
    }
}
