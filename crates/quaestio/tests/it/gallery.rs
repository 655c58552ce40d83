//! The gallery of finished results, which people open before they run anything.

use std::fs;
use std::path::PathBuf;

use crate::stand::{Stand, examples};

fn list_results() -> Vec<PathBuf> {
    let gallery = examples().with_file_name("gallery");
    let folders = fs::read_dir(gallery).unwrap().map(|entry| entry.unwrap().path());
    folders.filter(|folder| folder.join("result.json").exists()).collect()
}

// proves: F10, C13
#[test]
fn every_result_of_the_gallery_holds_and_its_reports_are_what_is_printed_of_it() {
    let stand = Stand::new();
    let results = list_results();
    assert_eq!(results.len(), 5);
    for folder in results {
        let result = folder.join("result.json");
        let path = result.to_str().unwrap();
        let validated = stand.run(&["validate", path]);
        assert_eq!(validated.code, 0, "{path}: {validated:?}");
        for (format, report) in [("md", "report.md"), ("html", "report.html")] {
            let printed = stand.run(&["render", path, "--format", format]);
            let kept = fs::read_to_string(folder.join(report)).unwrap();
            assert!(printed.out == kept, "{path}: run examples/gallery/make");
        }
    }
}
