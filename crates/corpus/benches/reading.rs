//! From bytes to chunks: `cargo bench -p corpus`.

use std::fmt::Write as _;
use std::path::Path;

use corpus::{ChunkSize, Limits, chunk, read};
use divan::{Bencher, black_box};

fn main() {
    divan::main();
}

fn markdown() -> String {
    (0..100).fold(String::new(), |mut text, number| {
        let _ = writeln!(text, "## Part {number}\n\nPeople drink tea in the morning, and some of them at night. We asked {number} of them why, and few could say.\n");
        text
    })
}

/// About 15 kB of Markdown.
#[divan::bench]
fn read_markdown(bencher: Bencher) {
    let text = markdown();
    bencher.bench(|| read(Path::new("tea.md"), black_box(text.as_bytes()), &Limits::default()));
}

/// The same as a page.
#[divan::bench]
fn read_html(bencher: Bencher) {
    let paragraphs = markdown().replace("## ", "<h2>").replace("\n\n", "</h2><p>");
    let page = format!("<!doctype html><html><body><article>{paragraphs}</article></body></html>");
    bencher.bench(|| read(Path::new("tea.html"), black_box(page.as_bytes()), &Limits::default()));
}

/// A document into chunks of the default size.
#[divan::bench]
fn cut_into_chunks(bencher: Bencher) {
    let text = markdown().repeat(4);
    if let Ok(document) = read(Path::new("tea.md"), text.as_bytes(), &Limits::default()) {
        bencher.bench(|| chunk(black_box(&document), &ChunkSize::default()));
    }
}
