//! Files that are broken somewhere.

use super::*;

fn two_pages() -> Vec<u8> {
    drawn(&[lines(50, 700, &FIRST), lines(50, 700, &FIRST)], "")
}

/// Replaces `old` by `new`, which may be longer or shorter.
fn changed(file: &[u8], old: &str, new: &str) -> Vec<u8> {
    let text = String::from_utf8(file.to_vec()).unwrap();
    assert!(text.contains(old), "{old}");
    text.replacen(old, new, 1).into_bytes()
}

fn words_kept(file: &[u8]) -> usize {
    opened(file).map_or(0, |document| document.text.matches("We asked 1,204 adults").count())
}

// proves: A6
#[test]
fn what_is_lost_of_a_files_lists_is_found_again() {
    let whole = two_pages();
    let end = whole.len();
    let start = whole.windows(5).rposition(|five| five == b"xref\n").unwrap();
    let repaired = opened(&whole[..start]).unwrap();
    assert_eq!((repaired.pages.len(), words_kept(&whole[..start])), (2, 2));
    assert_eq!(repaired.metadata["repaired"], "true");
    assert!(!opened(&whole).unwrap().metadata.contains_key("repaired"));
    assert_eq!(words_kept(&whole[..end - 60]), 2);
    let lists = [
        ("/Type /Catalog", "/Type /Cxtalog"),
        ("/Kids [4 0 R 6 0 R]", "/Kxds [4 0 R 6 0 R]"),
        ("/Pages 2 0 R", "/Pages 9 0 R"),
        ("2 0 obj", "2 0 xbj"),
        ("%PDF-1.4\n", "%PDF-1.4\nxx"),
    ];
    for (old, new) in lists {
        assert_eq!(words_kept(&changed(&whole[..start], old, new)), 2, "{old}");
        assert_eq!(words_kept(&changed(&whole, old, new)), 2, "{old}, with its table");
    }
}

// proves: A6
#[test]
fn one_bad_page_does_not_cost_the_others() {
    let whole = two_pages();
    let bad = [
        ("5 0 obj", "5 0 xbj"),
        ("4 0 obj", "4 0 xbj"),
        ("(We asked", "(We asked) Tj 1 Td ("),
        ("/Font <<", "/Fxnt <<"),
    ];
    for (old, new) in bad {
        let file = changed(&whole, old, new);
        assert!(words_kept(&file) >= 1, "{old}");
    }
}

// proves: A6
#[test]
fn a_stream_with_a_wrong_length_is_measured() {
    let whole = two_pages();
    let text = String::from_utf8(whole.clone()).unwrap();
    let at = text.find("/Length ").unwrap() + 8;
    let length: String = text[at..].chars().take_while(char::is_ascii_digit).collect();
    for wrong in ["7", "99999", "77 0 R", "x"] {
        let file = changed(&whole, &format!("/Length {length}"), &format!("/Length {wrong}"));
        assert_eq!(words_kept(&file), 2, "{wrong}");
    }
}

// proves: A6
#[test]
fn a_file_that_ends_early_gives_the_pages_it_holds() {
    let whole = two_pages();
    let second = whole.windows(7).position(|seven| seven == b"7 0 obj").unwrap();
    let document = opened(&whole[..second]).unwrap();
    assert_eq!(document.text.matches("We asked").count(), 1);
    assert_eq!(document.metadata["repaired"], "true");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    // proves: A6
    #[test]
    fn anything_is_put_together_or_refused(
        parts in prop::collection::vec(prop::sample::select(vec![
            "1 0 obj", "2 0 obj\n", "endobj", "<<", ">>", "stream\n", "endstream", "/Type /Pages", "/Type/Page ",
            "/Type /Catalog", "/Kids [1 0 R 2 0 R]", "/Pages 1 0 R", "/Pages 2 0 R", "/Length 5", "/Length", "/Count 99999999999",
            "/ObjStm", "/First 3", "/N 1", "trailer", "/Root 1 0 R", "xref", "/Parent 1 0 R", " ", "0 0 ", "R",
        ]), 0..60),
    ) {
        let file = parts.concat();
        if let Some(rebuilt) = repair::rebuild(file.as_bytes()) {
            prop_assert!(rebuilt.bytes.starts_with(b"%PDF-1.7"));
        }
    }
}

// proves: A6
#[test]
fn pages_that_were_lost_with_the_end_of_the_file_are_made_of_what_they_show() {
    let content = lines(50, 700, &FIRST);
    let stream = format!("<< /Length {} >>\nstream\n{content}\nendstream", content.len());
    let file = format!("%PDF-1.4\n3 0 obj\n{stream}\nendobj\n5 0 obj\n{stream}\nendobj\n9 0 ob");
    let document = opened(file.as_bytes()).unwrap();
    assert_eq!(document.text.matches("We asked 1,204 adults").count(), 2, "{}", document.text);
    assert_eq!(document.metadata["repaired"], "true");
}

// proves: A6
#[test]
fn an_earlier_state_of_a_page_is_no_page_of_its_own() {
    let whole = two_pages();
    let file = changed(&whole, "/Kids [4 0 R 6 0 R] /Count 2", "/Kids [4 0 R] /Count 1     ");
    let start = file.windows(5).rposition(|five| five == b"xref\n").unwrap();
    assert_eq!(opened(&file[..start]).unwrap().pages.len(), 1);
}
