//! Real pages and documents, read from the folder named by `QUAESTIO_TEST_DATA`, which must be there.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use corpus::{ChunkSize, Document, Format, Limits, ReadError, chunk, load, read, walk};

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

fn words(text: &str) -> HashMap<String, usize> {
    let mut found = HashMap::new();
    for word in text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        *found.entry(word.to_lowercase()).or_default() += 1;
    }
    found
}

/// The words of an HTML file by the crudest means: what stands between tags.
fn crude(html: &str) -> String {
    let parts = html.split('<').map(|part| part.split_once('>').map_or(part, |(_, text)| text));
    let text = parts.collect::<Vec<_>>().join(" ");
    let entities = [
        ("&nbsp;", " "),
        ("&quot;", " "),
        ("&apos;", "'"),
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&amp;", "&"),
    ];
    entities.iter().fold(text, |text, (entity, plain)| text.replace(entity, plain))
}

/// The harmonic mean of the shares of words that two texts have of each other, 0 to 1.
fn f1(left: &str, right: &str) -> f64 {
    let (left, right) = (words(left), words(right));
    let common: usize =
        left.iter().map(|(word, count)| (*count).min(right.get(word).copied().unwrap_or(0))).sum();
    let total = left.values().sum::<usize>() + right.values().sum::<usize>();
    2.0 * common as f64 / total as f64
}

// proves: A6
#[test]
fn pages_give_the_words_of_their_article() {
    let folder = data("html");
    let mut pages = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let page = entry.unwrap().path();
        if !page.is_dir() {
            continue;
        }
        let document = open(&page.join("source.html")).unwrap();
        let expected = std::fs::read_to_string(page.join("expected.html")).unwrap();
        let score = f1(&document.text, &crude(&expected));
        let chunks = chunk(&document, &ChunkSize::default());
        let small = chunks.iter().filter(|chunk| chunk.tokens < 40).count();
        println!(
            "{} F1 {score:.4}, {} sections, {} chunks of which {small} small; {:?}; {:?}",
            page.file_name().unwrap().to_string_lossy(),
            document.sections.len(),
            chunks.len(),
            document.title,
            document.metadata,
        );
        assert!(score > 0.95, "{}: {score}", page.display());
        assert_eq!(document.format, Format::Html);
        pages += 1;
    }
    assert!(pages >= 7, "{pages} pages");
}

// proves: A6
#[test]
fn what_is_not_read_yet_says_so() {
    let walked = walk(&data("documents")).unwrap();
    assert!(walked.files.len() >= 25, "{} documents", walked.files.len());
    for found in &walked.files {
        let said = open(&found.path);
        println!("{}: {said:?}", found.name);
        match Path::new(&found.name).extension().and_then(|end| end.to_str()).unwrap_or_default() {
            "md" => assert!(said.is_ok()),
            "docx" => assert_eq!(said, Err(ReadError::NotReadYet { format: "DOCX".into() })),
            "epub" => assert_eq!(said, Err(ReadError::NotReadYet { format: "EPUB".into() })),
            _ if found.name.contains("enc_") => {
                assert_eq!(said, Err(ReadError::Encrypted { format: "PDF".into() }));
            }
            _ if found.name.ends_with("broken_empty.pdf") => {
                assert_eq!(said, Err(ReadError::Empty));
            }
            _ if found.name.ends_with("broken_text.pdf") => {
                assert!(matches!(said, Err(ReadError::Failed { .. })));
            }
            _ => assert_eq!(said, Err(ReadError::NotReadYet { format: "PDF".into() })),
        }
    }
}

// proves: A6
#[test]
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
