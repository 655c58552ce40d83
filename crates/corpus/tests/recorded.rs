//! Real pages and documents, read from the folder named by `QUAESTIO_TEST_DATA`, which must be there.
//!
//! This program is its own worker: started with `serve`, it reads what its parent sends. `pdftotext`, of poppler-utils, must be installed: it
//! is what the text of PDFs is compared with.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a test without the usual harness")]

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use corpus::{
    ChunkSize, Document, Format, Label, Limits, ReadError, Worker, chunk, load, read, read_as, walk,
};
use unicode_normalization::UnicodeNormalization;

fn main() {
    if std::env::args().nth(1).as_deref() == Some("serve") {
        return corpus::worker::serve(&Limits::default()).expect("the parent speaks as it should");
    }
    let wanted = std::env::args().skip(1).find(|argument| !argument.starts_with('-'));
    let tests: [(&str, fn()); 7] = [
        ("pages_give_the_words_of_their_article", pages_give_the_words_of_their_article),
        ("manuals_keep_their_words", manuals_keep_their_words),
        (
            "pages_say_of_themselves_what_the_recorded_reader_found",
            pages_say_of_themselves_what_the_recorded_reader_found,
        ),
        ("papers_give_the_words_that_pdftotext_finds", papers_give_the_words_that_pdftotext_finds),
        (
            "documents_are_read_or_named_for_what_they_are",
            documents_are_read_or_named_for_what_they_are,
        ),
        (
            "damaged_pdfs_are_read_or_named_for_what_they_are",
            damaged_pdfs_are_read_or_named_for_what_they_are,
        ),
        ("hostile_files_give_a_document_or_an_error", hostile_files_give_a_document_or_an_error),
    ];
    for (name, test) in tests {
        if wanted.as_ref().is_none_or(|wanted| name.contains(wanted.as_str())) {
            println!("test {name}");
            test();
        }
    }
}

fn start_worker() -> Worker {
    let program = std::env::current_exe().expect("this program has a path");
    Worker::new(program, ["serve".to_owned()])
}

fn data(below: &str) -> PathBuf {
    let root = std::env::var_os("QUAESTIO_TEST_DATA").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"),
        PathBuf::from,
    );
    let path = root.join(below);
    assert!(path.exists(), "{} is missing; set QUAESTIO_TEST_DATA", path.display());
    path
}

fn open(path: &Path) -> Result<Document, ReadError> {
    read(path, &load(path, &Limits::default())?, &Limits::default())
}

/// Returns the label of a page that was fetched under this name.
fn at(name: &str) -> Label {
    Label::Fetched {
        url: format!("https://example.org/{name}"),
        media_type: "text/html".to_owned(),
        charset: Some("utf-8".to_owned()),
    }
}

fn words(text: &str) -> HashMap<String, usize> {
    let mut found = HashMap::new();
    for word in text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        *found.entry(word.to_lowercase()).or_default() += 1;
    }
    found
}

/// The words of an HTML file by the crudest means: what stands between tags, and what images stand for.
fn crude(html: &str) -> String {
    let alternative = |tag: &str| {
        let (_, after) = tag.strip_prefix("img ")?.split_once("alt=\"")?;
        after.split_once('"').map(|(text, _)| text.to_owned())
    };
    let parts = html.split('<').map(|part| {
        let (tag, text) = part.split_once('>').unwrap_or(("", part));
        format!("{} {text}", alternative(tag).unwrap_or_default())
    });
    let text = parts.collect::<Vec<_>>().join(" ");
    let entities = [
        ("&nbsp;", " "),
        ("&quot;", " "),
        ("&apos;", "'"),
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&amp;", "&"),
    ];
    let text = entities.iter().fold(text, |text, (entity, plain)| text.replace(entity, plain));
    let mut parts = text.split("&#");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (number, after) = part.split_once(';').unwrap_or((part, ""));
        let code = number.strip_prefix(['x', 'X']);
        let code =
            code.map_or_else(|| number.parse().ok(), |hex| u32::from_str_radix(hex, 16).ok());
        plain.extend(code.and_then(char::from_u32));
        plain.push_str(after);
    }
    plain
}

/// The harmonic mean of the shares of words that two texts have of each other, 0 to 1.
fn f1(left: &str, right: &str) -> f64 {
    let (left, right) = (words(left), words(right));
    let common: usize =
        left.iter().map(|(word, count)| (*count).min(right.get(word).copied().unwrap_or(0))).sum();
    let total = left.values().sum::<usize>() + right.values().sum::<usize>();
    2.0 * common as f64 / total as f64
}

fn recorded_pages() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(data("html")).unwrap().map(|entry| entry.unwrap().path());
    let mut pages: Vec<PathBuf> = entries.filter(|page| page.is_dir()).collect();
    pages.sort();
    pages
}

/// Where more is found than the recorded reader found: the page, what it is, what we say, and where it stands.
const FOUND_BESIDES: &[(&str, &str, &str)] = &[
    // A <time> in its article's header.
    ("001", "published", "2013-09-29"),
    // DC.date.issued, which the recorded reader does not know.
    ("cnn", "published", "2016-02-01"),
    // An element that is marked as the date of publication.
    ("links-in-tables", "published", "2016-12-06"),
    // An element of the class "post-author", in the footer of its post, which the recorded reader passes over.
    ("links-in-tables", "author", "Posted by Android Developers"),
];

// proves: A2
fn pages_say_of_themselves_what_the_recorded_reader_found() {
    for page in recorded_pages() {
        let name = page.file_name().unwrap().to_string_lossy().into_owned();
        let bytes = load(&page.join("source.html"), &Limits::default()).unwrap();
        let document = read_as(&at(&name), &bytes, &Limits::default()).unwrap();
        let expected = std::fs::read(page.join("expected-metadata.json")).unwrap();
        let expected: serde_json::Value = serde_json::from_slice(&expected).unwrap();
        assert_eq!(Some(document.title.as_str()), expected["title"].as_str(), "{name}");
        for (ours, theirs) in [
            ("author", "byline"),
            ("site", "siteName"),
            ("published", "publishedTime"),
            ("lang", "lang"),
        ] {
            let besides = FOUND_BESIDES.iter().find(|(page, key, _)| *page == name && *key == ours);
            let expected = besides.map(|(.., value)| *value).or(expected[theirs].as_str());
            assert_eq!(document.metadata.get(ours).map(String::as_str), expected, "{name}: {ours}");
        }
        let work = document.work.unwrap();
        let authors: Vec<String> = work.authors.iter().map(ToString::to_string).collect();
        println!("{name}: {authors:?}, {:?}, {:?}", work.published, work.venue);
        assert_eq!(work.title, document.title);
        assert_eq!(work.published.is_some(), document.metadata.contains_key("published"), "{name}");
        assert_eq!(work.authors.is_empty(), !document.metadata.contains_key("author"), "{name}");
        assert_eq!(work.venue.as_ref(), document.metadata.get("site"), "{name}");
    }
}

/// Links to other pages between the paragraphs, which the recorded reader kept and we leave out.
const LEFT_OUT: &[&str] = &[
    "Related: Rich are paying more in taxes but not as much as they used to",
    "Related: Chicago is America's most segregated city",
];

// proves: A6
fn pages_give_the_words_of_their_article() {
    let mut below = Vec::new();
    let pages = recorded_pages();
    for page in &pages {
        let name = page.file_name().unwrap().to_string_lossy().into_owned();
        let source = page.join("source.html");
        let bytes = load(&source, &Limits::default()).unwrap();
        let fetched = read_as(&at(&name), &bytes, &Limits::default());
        let expected = crude(&std::fs::read_to_string(page.join("expected.html")).unwrap());
        let expected = LEFT_OUT.iter().fold(expected, |text, line| text.replace(line, ""));
        for (how, document) in [("own", open(&source)), ("fetched", fetched)] {
            let document = document.unwrap_or_else(|error| panic!("{name}, {how}: {error}"));
            let score = f1(&document.text, &expected);
            let chunks = chunk(&document, &ChunkSize::default());
            let small = chunks.iter().filter(|chunk| chunk.tokens < 40).count();
            println!(
                "{name} {how} F1 {score:.4}, {} sections, {} chunks of which {small} small; {:?}; {:?}",
                document.sections.len(),
                chunks.len(),
                document.title,
                document.metadata,
            );
            assert_eq!(document.format, Format::Html);
            if score < 0.98 {
                below.push((name.clone(), how, score));
            }
        }
    }
    assert!(pages.len() >= 7, "{} pages", pages.len());
    assert_eq!(below, []);
}

/// Of so many pages of a manual one is read; every one where `QUAESTIO_ALL_PAGES` is set.
const PAGES: usize = 8;

/// The share of a page's words that must be kept, and the words of a page that is too short to have shares.
const ENOUGH: f64 = 0.95;
const FEW_WORDS: usize = 50;

/// A manual as Debian packages it, and what stands before and after the words of each of its pages.
struct Manual {
    folder: &'static str,
    opens: &'static [&'static str],
    closes: &'static str,
    /// Whether its pages show some of their words only when they are clicked at; of a page from the web these are no part.
    hides: bool,
}

const MANUALS: &[Manual] = &[
    Manual {
        folder: "postgresql-doc-15/html",
        opens: &["class=\"navheader\"", "<hr"],
        closes: "<div class=\"navfooter\"",
        hides: false,
    },
    Manual {
        folder: "python3.11/html",
        opens: &["role=\"main\""],
        closes: "<div class=\"sphinxsidebar\"",
        hides: false,
    },
    Manual {
        folder: "debian-policy/policy.html",
        opens: &["role=\"main\""],
        closes: "<div class=\"sphinxsidebar\"",
        hides: false,
    },
    Manual {
        folder: "sqlite3",
        opens: &["antiRobotDefense();\n</script>"],
        closes: "</body>",
        hides: true,
    },
    Manual { folder: "git-doc", opens: &["<body"], closes: "</body>", hides: false },
];

/// Returns what stands in a page of a manual, without what its scripts and styles say and without its navigation.
fn inner(html: &str, manual: &Manual) -> String {
    let body = html.find("<body").map_or(html, |at| &html[at..]);
    let mut rest = manual
        .opens
        .iter()
        .fold(body, |rest, mark| rest.find(mark).map_or(rest, |at| &rest[at + mark.len()..]));
    rest = rest.rfind(manual.closes).map_or(rest, |at| &rest[..at]);
    let mut text = rest.split_once('>').map_or(rest, |(_, after)| after).to_owned();
    for (open, close) in
        [("<script", "</script>"), ("<style", "</style>"), ("<nav", "</nav>"), ("<!--", "-->")]
    {
        while let Some(at) = text.find(open) {
            let end = text[at..].find(close).map_or(text.len(), |end| at + end + close.len());
            text.replace_range(at..end, " ");
        }
    }
    text
}

// proves: A6
fn manuals_keep_their_words() {
    let folder = std::env::var_os("QUAESTIO_TEST_MANUAL").map(PathBuf::from);
    let folder = folder.expect(
        "QUAESTIO_TEST_MANUAL names no folder: unpack postgresql-doc-15 (`apt-get download`, `dpkg-deb -x`) and name its folder html",
    );
    // The others are read where they were unpacked beside it.
    let root = folder.join("../..");
    let there = MANUALS.iter().filter(|manual| root.join(manual.folder).is_dir());
    let every = if std::env::var_os("QUAESTIO_ALL_PAGES").is_some() { 1 } else { PAGES };
    let mut below = Vec::new();
    for manual in there {
        let mut shares: Vec<(f64, f64, String)> = Vec::new();
        let mut files = walk(&root.join(manual.folder)).unwrap().files;
        files.retain(|found| found.name.ends_with(".html"));
        for found in files.into_iter().step_by(every) {
            let bytes = load(&found.path, &Limits::default()).unwrap();
            let page = String::from_utf8_lossy(&bytes);
            let needed = words(&crude(&inner(&page, manual)));
            let all: usize = needed.values().sum();
            let own = read(&found.path, &bytes, &Limits::default());
            let [own, fetched] =
                [own, read_as(&at(&found.name), &bytes, &Limits::default())].map(|document| {
                    let Ok(document) = document else { return 0.0 };
                    let kept = words(&format!("{} {}", document.title, document.text));
                    let has = |(word, count): (&String, &usize)| {
                        kept.get(word).copied().unwrap_or(0).min(*count)
                    };
                    let kept: usize = needed.iter().map(has).sum();
                    if all == 0 { 1.0 } else { kept as f64 / all as f64 }
                });
            if all >= FEW_WORDS {
                shares.push((own, fetched, format!("{} ({all} words)", found.name)));
            }
        }
        let so_many_below = |share: f64| {
            let own = shares.iter().filter(|(own, ..)| *own < share).count();
            let fetched = shares.iter().filter(|(_, fetched, _)| *fetched < share).count();
            format!("{own} own and {fetched} fetched below {share}")
        };
        println!(
            "{}: {} pages, {}, {}, {}",
            manual.folder,
            shares.len(),
            so_many_below(0.5),
            so_many_below(0.8),
            so_many_below(0.95)
        );
        shares.sort_by(|one, two| one.0.min(one.1).total_cmp(&two.0.min(two.1)));
        for (own, fetched, name) in shares.iter().take(15) {
            println!("  {own:.3} own, {fetched:.3} fetched: {name}");
        }
        assert!(shares.len() >= 3, "{} pages", shares.len());
        let lost = |(own, fetched, _): &&(f64, f64, String)| {
            *own < ENOUGH || *fetched < ENOUGH && !manual.hides
        };
        below.extend(shares.iter().filter(lost).cloned());
    }
    assert_eq!(below, []);
}

/// Returns what `pdftotext` finds in a file, none where it fails.
fn pdftotext(path: &Path) -> Option<String> {
    let output = Command::new("pdftotext").arg(path).arg("-").output();
    let output = output.expect("pdftotext is missing; install poppler-utils");
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Ligatures as letters and raised digits as digits, on both sides: the other program knows neither.
fn letters(text: &str) -> String {
    text.nfkc().collect()
}

/// Papers that no comparison of words can judge: Arabic, whose letters the two programs put in different orders and forms.
const RIGHT_TO_LEFT: &str = "rtl_habibi.pdf";

// proves: A6
fn papers_give_the_words_that_pdftotext_finds() {
    let mut worker = start_worker();
    let mut compared = 0;
    for found in walk(&data("documents/pdf")).unwrap().files {
        let bytes = load(&found.path, &Limits::default()).unwrap();
        let started = Instant::now();
        let said = worker.read(&found.path, &bytes, &Limits::default());
        let ours = started.elapsed();
        let Ok(document) = said else { continue };
        let started = Instant::now();
        let expected = pdftotext(&found.path).expect("what we read, pdftotext reads");
        let theirs = started.elapsed();
        let score = f1(&letters(&document.text), &letters(&expected));
        println!(
            "{}: F1 {score:.4}, {} pages, {} sections, engine {}, {:.0} times the {} ms of pdftotext; {:?}",
            found.name,
            document.pages.len(),
            document.sections.len(),
            document.metadata["engine"],
            ours.as_secs_f64() / theirs.as_secs_f64(),
            theirs.as_millis(),
            document.title,
        );
        if let Some(folder) = std::env::var_os("QUAESTIO_KEEP_TEXTS") {
            let folder = PathBuf::from(folder);
            std::fs::write(folder.join(format!("{}.md", found.name)), &document.text).unwrap();
            std::fs::write(folder.join(format!("{}.txt", found.name)), &expected).unwrap();
        }
        pages_hold_the_words_of_theirs(&document, &expected);
        if found.name == RIGHT_TO_LEFT {
            continue;
        }
        assert!(score >= 0.98, "{}: {score}", found.name);
        compared += 1;
    }
    assert!(compared >= 6, "{compared} papers");
}

/// Checks that each page of `document` has most words of the same page of `pdftotext`, which puts a form feed after each.
fn pages_hold_the_words_of_theirs(document: &Document, theirs: &str) {
    let theirs: Vec<&str> = theirs.split_terminator('\u{c}').collect();
    assert_eq!(document.pages.len(), theirs.len());
    let ends = document.pages.iter().skip(1).map(|page| page.start).chain([document.text.len()]);
    for ((page, end), theirs) in document.pages.iter().zip(ends).zip(theirs) {
        let score = f1(&letters(&document.text[page.start..end]), &letters(theirs));
        let long = theirs.split_whitespace().count() >= 100;
        assert!(!long || score > 0.8, "page {}: {score}", page.number);
        let first =
            document.pages_of(page.start..end.max(page.start + 1)).first().map(|it| it.number);
        assert!(page.start == end || first == Some(page.number), "page {}", page.number);
    }
}

// proves: A6
fn documents_are_read_or_named_for_what_they_are() {
    let mut worker = start_worker();
    let walked = walk(&data("documents")).unwrap();
    assert!(walked.files.len() >= 25, "{} documents", walked.files.len());
    for found in &walked.files {
        let bytes = load(&found.path, &Limits::default()).unwrap();
        let said = worker.read(&found.path, &bytes, &Limits::default());
        match &said {
            Ok(document) => println!(
                "{}: {} bytes, {} sections, {:?} {:?}",
                found.name,
                document.text.len(),
                document.sections.len(),
                document.title,
                document.metadata
            ),
            Err(error) => println!("{}: {error}", found.name),
        }
        let name = found.name.as_str();
        let ends = |end: &str| name.ends_with(end);
        match name {
            _ if name.contains("enc_") => {
                assert_eq!(said, Err(ReadError::Encrypted { format: "PDF".into() }));
            }
            _ if name.starts_with("pdf_scan/") => assert_eq!(said, Err(ReadError::Scanned)),
            _ if ends("broken_empty.pdf") || ends("mm_empty.docx") => {
                assert_eq!(said, Err(ReadError::Empty));
            }
            // Both hold a picture and no word.
            _ if name.contains("mm_tiny-picture") => assert_eq!(said, Err(ReadError::Empty)),
            _ if ends("broken_text.pdf") => assert!(matches!(said, Err(ReadError::Failed { .. }))),
            // Its first part, of which pages are there without the end of the file.
            _ if ends("broken_truncated.pdf") => match said {
                Ok(document) => assert_eq!(document.metadata["repaired"], "true"),
                Err(error) => assert_eq!(error, ReadError::Damaged { format: "PDF".into() }),
            },
            _ => {
                let document = said.unwrap_or_else(|error| panic!("{name}: {error}"));
                assert!(!chunk(&document, &ChunkSize::default()).is_empty(), "{name}");
            }
        }
    }
}

// proves: A6
fn damaged_pdfs_are_read_or_named_for_what_they_are() {
    let mut worker = start_worker();
    let walked = walk(&data("security/pdf_damaged")).unwrap();
    assert!(walked.files.len() >= 25, "{} files", walked.files.len());
    let mut first = None;
    for found in &walked.files {
        let bytes = load(&found.path, &Limits::default()).unwrap();
        let said = worker.read(&found.path, &bytes, &Limits::default());
        let short =
            said.as_ref().map(|document| document.text.chars().take(40).collect::<String>());
        println!("{}: {short:?}", found.name);
        assert_eq!(worker.process(), *first.get_or_insert(worker.process()), "one process for all");
        let theirs = pdftotext(&found.path).filter(|text| !text.trim().is_empty());
        match said {
            // What is read is what stands there.
            Ok(document) => {
                // Each of the files that pdftotext gives up on holds one of these words.
                let Some(theirs) = theirs else {
                    let known = document.text.contains("Potato") || document.text.contains("Salad");
                    assert!(known, "{}: {}", found.name, document.text);
                    continue;
                };
                assert!(f1(&document.text, &theirs) > 0.9, "{}: {}", found.name, document.text);
            }
            Err(ReadError::Encrypted { .. }) => assert!(theirs.is_none(), "{}", found.name),
            Err(
                ReadError::Damaged { .. }
                | ReadError::Empty
                | ReadError::Scanned
                | ReadError::Binary { .. }
                | ReadError::Failed { .. },
            ) => {}
            Err(error) => panic!("{}: {error}", found.name),
        }
    }
}

// proves: A6
fn hostile_files_give_a_document_or_an_error() {
    let walked = walk(&data("security")).unwrap();
    assert!(walked.files.len() >= 100, "{} files", walked.files.len());
    for found in &walked.files {
        let bytes = load(&found.path, &Limits::default()).unwrap();
        let said = read(&found.path, &bytes, &Limits::default()).map(|document| document.format);
        println!("{}: {said:?}", found.name);
        for name in ["a.md", "a.txt", "a.html"] {
            if let Ok(document) = read(Path::new(name), &bytes, &Limits::default()) {
                let chunks = chunk(&document, &ChunkSize::default());
                assert!(!chunks.is_empty(), "{} as {name}", found.name);
            }
        }
    }
}
