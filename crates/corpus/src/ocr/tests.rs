//! Scans as files, and a script or the real program as the reader of their pages.

use std::path::{Path, PathBuf};

use super::tesseract::tests::script;
use super::*;
use crate::read;

/// Returns a PDF whose pages show a picture each, or are blank, or have this text.
fn pdf(pages: &[PdfPage<'_>]) -> Vec<u8> {
    let kids: Vec<String> =
        (0..pages.len()).map(|index| format!("{} 0 R", 4 + 3 * index)).collect();
    let mut objects: Vec<Vec<u8>> = vec![
        b"<< /Type /Catalog /Pages 2 0 R >>".to_vec(),
        format!("<< /Type /Pages /Kids [{}] /Count {} >>", kids.join(" "), pages.len()).into(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>".to_vec(),
    ];
    for (page, index) in pages.iter().zip(0..) {
        let (width, content, picture) = match page {
            PdfPage::Blank => (400, String::new(), None),
            PdfPage::Text(text) => (400, format!("BT /F 12 Tf 20 700 Td ({text}) Tj ET"), None),
            PdfPage::Seen { width, picture } => {
                (*width, format!("q {width} 0 0 800 0 0 cm /P Do Q"), Some(picture))
            }
        };
        let (own, next) = (5 + 3 * index, 6 + 3 * index);
        objects.push(format!("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {width} 800] /Resources << /Font << /F 3 0 R >> /XObject << /P {next} 0 R >> >> /Contents {own} 0 R >>").into());
        objects.push(stream("", content.as_bytes()));
        objects.push(match picture {
            Some((width, height, grey)) => stream(
                &format!("/Type /XObject /Subtype /Image /Width {width} /Height {height} /ColorSpace /DeviceGray /BitsPerComponent 8"),
                grey,
            ),
            None => b"null".to_vec(),
        });
    }
    let mut file = b"%PDF-1.4\n".to_vec();
    let mut table = "0000000000 65535 f \n".to_owned();
    for (object, number) in objects.iter().zip(1..) {
        table.push_str(&format!("{:010} 00000 n \n", file.len()));
        file.extend(format!("{number} 0 obj\n").bytes());
        file.extend(object);
        file.extend(b"\nendobj\n");
    }
    let (start, count) = (file.len(), objects.len() + 1);
    file.extend(format!("xref\n0 {count}\n{table}trailer\n<< /Size {count} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n").bytes());
    file
}

fn stream(entries: &str, content: &[u8]) -> Vec<u8> {
    let head = format!("<< {entries} /Length {} >>\nstream\n", content.len());
    [head.as_bytes(), content, b"\nendstream"].concat()
}

/// The text of a page that is no scan.
const LONG: &str = "This page was written with a program. It says enough for four pages to be no scan, as one of them has no text, and one has but a word on it.";

enum PdfPage<'a> {
    Blank,
    Text(&'a str),
    Seen { width: u32, picture: (u32, u32, &'a [u8]) },
}

/// A picture with black and white stripes.
fn stripes() -> Vec<u8> {
    (0..64 * 64).map(|at| if at / 256 % 2 == 0 { 0 } else { 255 }).collect()
}

fn seen(width: u32, grey: &[u8]) -> PdfPage<'_> {
    PdfPage::Seen { width, picture: (64, 64, grey) }
}

/// A page for the script: what it says of a picture of some width in points.
fn says(width: u32, confidence: u32, words: &str) -> String {
    let row = |(number, word): (usize, &str)| {
        format!(
            "printf '5\\t1\\t1\\t1\\t1\\t{number}\\t9\\t9\\t90\\t30\\t{confidence}\\t{word}\\n'; "
        )
    };
    let rows: String = words.split(' ').enumerate().map(row).collect();
    format!("{}) {rows};;\n", width * 300 / 72).replace("; ;;", ";;")
}

/// Returns an OCR whose program knows these pages by their widths.
fn build_ocr(folder: &Path, pages: &[String]) -> Ocr {
    let pages = pages.concat();
    Ocr::new(script(
        folder,
        &format!(
            "read -r kind; read -r width height; cat >/dev/null; case $width in {pages} *) exit 3;; esac"
        ),
    ))
}

fn label() -> Label {
    Label::File { name: PathBuf::from("old letters.pdf") }
}

fn limits() -> Limits {
    Limits::default()
}

fn scanned(ocr: &Ocr, bytes: &[u8]) -> Result<Document, ReadError> {
    ocr.scan(Scan::Pdf, &label(), &limits(), &mut |numbers| picture::draw(bytes, numbers))
}

fn completed(ocr: &Ocr, bytes: &[u8]) -> Document {
    let document = read(Path::new("a.pdf"), bytes, &limits()).unwrap();
    ocr.complete(document, &label(), &limits(), &mut |numbers| picture::draw(bytes, numbers))
        .unwrap()
}

// proves: A6
#[test]
fn a_scan_becomes_pages_with_what_is_known_of_their_reading() {
    let folder = tempfile::tempdir().unwrap();
    let grey = stripes();
    let file = pdf(&[
        seen(600, &grey),
        PdfPage::Blank,
        seen(612, &grey),
        seen(624, &grey),
        seen(636, &grey),
    ]);
    assert_eq!(read(Path::new("a.pdf"), &file, &limits()), Err(ReadError::Scanned));
    let ocr = build_ocr(
        folder.path(),
        &[
            says(600, 96, "Dear Ann, the tea came."),
            says(612, 40, "Yours ever"),
            "2600) ;;\n".to_owned(),
        ],
    );
    let document = scanned(&ocr, &file).unwrap();
    assert_eq!(document.text, "Dear Ann, the tea came.\n\nYours ever");
    assert_eq!((&*document.title, document.format), ("old letters", Format::Pdf));
    let starts: Vec<(u32, usize)> = document.pages.iter().map(|it| (it.number, it.start)).collect();
    assert_eq!(starts, [(1, 0), (2, 25), (3, 25), (4, 35), (5, 35)]);
    let notes: Vec<String> =
        document.metadata.iter().map(|(key, value)| format!("{key}={value}")).collect();
    assert_eq!(
        notes,
        [
            "ocr=tesseract 5.9.1",
            "ocr_confidence=78",
            "ocr_doubtful_pages=3",
            "ocr_failed_pages=5",
            "ocr_failure=the program for OCR failed: it ended early and said nothing",
            "ocr_languages=eng+deu",
            "ocr_page_confidence=1: 96, 3: 40",
            "ocr_pages=1, 3",
            "pages_without_text=3",
        ]
    );
}

// proves: A6
#[test]
fn a_page_that_has_text_keeps_it() {
    let folder = tempfile::tempdir().unwrap();
    let grey = stripes();
    let text = LONG;
    let file =
        pdf(&[PdfPage::Text(text), seen(600, &grey), PdfPage::Text("Plate"), PdfPage::Blank]);
    // The page with one word shows nothing more.
    let ocr =
        build_ocr(folder.path(), &[says(600, 91, "Seen by machine"), says(400, 91, "Plate I")]);
    let document = completed(&ocr, &file);
    assert_eq!(document.text, format!("{text}\n\nSeen by machine\n\nPlate"));
    assert_eq!(document.metadata["ocr_pages"], "2");
    assert_eq!(document.metadata["pages_without_text"], "1");
    assert_eq!(document.metadata["engine"], "pdf-extract");
}

// proves: A6
#[test]
fn without_a_program_a_scan_says_what_to_install_and_other_files_stay() {
    let missing = OcrSettings { program: "no-such-program".to_owned(), ..OcrSettings::default() };
    let ocr = Ocr::new(missing);
    let grey = stripes();
    let said = scanned(&ocr, &pdf(&[seen(600, &grey)])).unwrap_err().to_string();
    assert_eq!(
        said,
        "the PDF contains scanned pages without text; there is no program 'no-such-program' to read it; install tesseract (Debian and Ubuntu: apt install tesseract-ocr) or name it with corpus.ocr_program"
    );
    let text = LONG;
    let file = pdf(&[PdfPage::Text(text), seen(600, &grey)]);
    assert_eq!(completed(&ocr, &file).metadata["pages_without_text"], "1");
    let said = Scan::Picture("a PNG image").needs(&OcrError::Off).to_string();
    assert_eq!(said, "it is a PNG image; OCR is off; set corpus.ocr = \"auto\" to read it");
}

// proves: A6
#[test]
fn pages_that_all_fail_are_given_up_after_a_few() {
    let folder = tempfile::tempdir().unwrap();
    let grey = stripes();
    let pages: Vec<PdfPage<'_>> = (0..20).map(|_| seen(600, &grey)).collect();
    let file = pdf(&pages);
    let log = folder.path().join("calls");
    let page = format!("cat >/dev/null; echo x >> {}; echo 'no memory' >&2; exit 1", log.display());
    let ocr = Ocr::new(script(folder.path(), &page));
    let said = scanned(&ocr, &file).unwrap_err().to_string();
    assert_eq!(said, "its pages could not be read by OCR: the program for OCR failed: no memory");
    let calls = std::fs::read_to_string(log).unwrap().lines().count();
    assert_eq!(calls, PAGES_AT_ONCE as usize);
}

// proves: A6
#[test]
fn a_page_that_breaks_the_drawing_is_the_only_one_lost() {
    let folder = tempfile::tempdir().unwrap();
    let grey = stripes();
    let file = pdf(&[seen(600, &grey), seen(612, &grey), seen(600, &grey)]);
    let ocr = build_ocr(folder.path(), &[says(600, 90, "Some words")]);
    let mut draw = |numbers: &[u32]| match numbers {
        [1] | [3] => picture::draw(&file, numbers),
        _ => Err(ReadError::BrokeReader { mebibytes: 1 }),
    };
    let document = ocr.scan(Scan::Pdf, &label(), &limits(), &mut draw).unwrap();
    assert_eq!(document.text, "Some words\n\nSome words");
    assert_eq!(document.metadata["ocr_failed_pages"], "2");
}

// proves: A6
#[test]
fn a_picture_of_a_page_is_a_document_and_one_without_words_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let photo = |side: u32, format| {
        let image = image::GrayImage::from_fn(side, side, |x, _| {
            image::Luma([if x % 8 < 4 { 0 } else { 255 }])
        });
        let mut file = std::io::Cursor::new(Vec::new());
        image.write_to(&mut file, format).unwrap();
        file.into_inner()
    };
    let read = |page: &str, file: &[u8]| {
        let ocr = Ocr::new(script(folder.path(), &format!("cat >/dev/null; {page}")));
        let kind = picture::kind(file).expect("it is a picture");
        let draw = &mut |numbers: &[u32]| picture::draw(file, numbers);
        ocr.scan(Scan::Picture(kind), &label(), &limits(), draw)
    };
    let words = "printf '5\\t1\\t1\\t1\\t1\\t1\\t9\\t9\\t90\\t30\\t88\\tTea\\n'";
    for format in [image::ImageFormat::Png, image::ImageFormat::Jpeg, image::ImageFormat::Tiff] {
        let document = read(words, &photo(400, format)).unwrap();
        assert_eq!((document.format, &*document.text), (Format::Image, "Tea"), "{format:?}");
        assert_eq!(document.pages.len(), 1);
    }
    let png = photo(400, image::ImageFormat::Png);
    let said = read("true", &png).unwrap_err().to_string();
    assert_eq!(said, "it is a PNG image without readable text");
    let doubtful = read(&words.replace("88", "30"), &png).unwrap_err().to_string();
    assert_eq!(doubtful, said);
    let said = read(words, &photo(40, image::ImageFormat::Png)).unwrap_err().to_string();
    assert_eq!(said, "it is a picture of 40 × 40 pixels, too small for a page of text");
    let said = read(words, &png[..60]).unwrap_err();
    assert_eq!(said, ReadError::Damaged { format: "image".to_owned() });
}

/// Returns a TIFF of this order of bytes, whose pages are striped pictures with these widths.
fn tiff(little: bool, widths: &[u32]) -> Vec<u8> {
    let two = |number: u16| if little { number.to_le_bytes() } else { number.to_be_bytes() };
    let four = |number: u32| if little { number.to_le_bytes() } else { number.to_be_bytes() };
    let mut file = if little { b"II*\0".to_vec() } else { b"MM\0*".to_vec() };
    file.extend(four(8));
    for (width, number) in widths.iter().zip(1..) {
        let height = 120;
        let entries = [
            (256, *width),
            (257, height),
            (258, 8),
            (259, 1),
            (262, 1),
            (273, 0),
            (277, 1),
            (278, height),
            (279, width * height),
        ];
        let pixels = file.len() as u32 + 2 + 12 * entries.len() as u32 + 4;
        file.extend(two(entries.len() as u16));
        for (tag, value) in entries {
            let is_short = matches!(tag, 258 | 259 | 262 | 277);
            file.extend(two(tag));
            file.extend(two(if is_short { 3 } else { 4 }));
            file.extend(four(1));
            match tag {
                273 => file.extend(four(pixels)),
                _ if is_short => file.extend([two(value as u16), [0, 0]].concat()),
                _ => file.extend(four(value)),
            }
        }
        let next = pixels + width * height;
        file.extend(four(if number == widths.len() { 0 } else { next }));
        file.extend((0..width * height).map(|at| if at % 8 < 4 { 0 } else { 255 }));
    }
    file
}

// proves: A6
#[test]
fn all_pages_of_a_tiff_are_read() {
    for little in [true, false] {
        let file = tiff(little, &[200, 240, 280]);
        let drawn = picture::draw(&file, &[1, 2, 3, 4]).unwrap();
        assert_eq!(drawn.pages, 3);
        // Coarse pictures are enlarged.
        let widths: Vec<u32> = drawn.pictures.iter().map(|it| it.width).collect();
        assert_eq!(widths, [400, 480, 560]);
        // Pages that name each other in a circle end.
        let mut circle = tiff(little, &[200]);
        let at = 8 + 2 + 12 * 9;
        circle[at..at + 4].copy_from_slice(&if little {
            8_u32.to_le_bytes()
        } else {
            8_u32.to_be_bytes()
        });
        let damaged = ReadError::Damaged { format: "image".to_owned() };
        assert_eq!(picture::draw(&circle, &[1]), Err(damaged));
    }
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(64))]
    // proves: A6
    #[test]
    fn damaged_scans_are_errors(at in 0_usize..3000, with: u8, cut in 0_usize..3000, kind in 0_u8..2) {
        let grey = stripes();
        let mut file = match kind {
            0 => tiff(true, &[110, 110]),
            _ => pdf(&[PdfPage::Seen { width: 60, picture: (64, 8, &grey) }, PdfPage::Blank]),
        };
        file.truncate(file.len().saturating_sub(cut / 3));
        if let Some(byte) = file.get_mut(at) {
            *byte = with;
        }
        // A panic would be caught in the process that draws.
        let drawn = std::panic::catch_unwind(|| picture::draw(&file, &[1, 2]));
        if let Ok(Ok(drawn)) = drawn {
            for picture in drawn.pictures {
                proptest::prop_assert_eq!(picture.grey.len() as u32, picture.width * picture.height);
                proptest::prop_assert!(picture.grey.len() as u32 <= picture::PIXELS);
            }
        }
    }
}

/// Where it is installed, the real program reads a page of a real document that was made a picture.
// proves: A6
#[test]
fn the_real_program_reads_a_page() {
    if let Err(why) = Tesseract::find(&OcrSettings::default()) {
        eprintln!("not tried with the real program: {why}");
        return;
    }
    let path = "../../examples/cholera-more/cholera-outside-london.pdf";
    let written = std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap();
    let own = read(Path::new(path), &written, &limits()).unwrap();
    let mut drawn = picture::draw(&written, &[1]).unwrap().pictures.remove(0);
    let grey = std::mem::take(&mut drawn.grey);
    let picture = (drawn.width, drawn.height, &*grey);
    let file = pdf(&[PdfPage::Seen { width: 595, picture }]);
    let document = scanned(&Ocr::new(OcrSettings::default()), &file).unwrap();
    let end = own.pages.get(1).map_or(own.text.len(), |page| page.start);
    let words = |text: &str| -> Vec<String> {
        text.split(|c: char| !c.is_alphanumeric())
            .filter(|it| !it.is_empty())
            .map(str::to_lowercase)
            .collect()
    };
    let (wanted, found) = (words(&own.text[..end]), words(&document.text));
    let there = wanted.iter().filter(|word| found.contains(word)).count();
    assert!(there * 100 >= wanted.len() * 95, "{there} of {}: {}", wanted.len(), document.text);
    let sure: f64 = document.metadata["ocr_confidence"].parse().unwrap();
    assert!(sure > 80.0, "{sure}");
}
