//! Files made to break a reader, and what the engine gives up at.

use super::*;

/// Returns a PDF of one page with these instructions, fonts and other resources; object 3 is the font `/F`, further objects begin at 6.
fn page(content: &str, resources: &str, more: &[String]) -> Vec<u8> {
    let widths = vec!["500"; 224].join(" ");
    let mut objects = vec![
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [4 0 R] /Count 1 >>".to_owned(),
        format!(
            "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding /FirstChar 32 /LastChar 255 /Widths [{widths}] >>"
        ),
        format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Resources << {resources} >> /Contents 5 0 R >>"
        ),
        stream("", content),
    ];
    objects.extend_from_slice(more);
    assembled(&objects)
}

const FONT: &str = "/Font << /F 3 0 R >>";

fn stream(entries: &str, content: &str) -> String {
    format!("<< {entries} /Length {} >>\nstream\n{content}\nendstream", content.len())
}

fn form(resources: &str, content: &str) -> String {
    stream(
        &format!("/Type /XObject /Subtype /Form /BBox [0 0 600 800] /Resources << {resources} >>"),
        content,
    )
}

// proves: A6
#[test]
fn forms_that_draw_themselves_or_without_end_are_left() {
    let own = "/Font << /F 3 0 R >> /XObject << /X 6 0 R >>";
    let inner = write(10, 50, 600, "Inside the form there is a sentence.") + "/X Do\n";
    let content = lines(50, 700, &FIRST) + "/X Do\n" + &write(10, 50, 500, "After the form.");
    let text = opened(&page(&content, own, &[form(own, &inner)])).unwrap().text;
    assert_eq!(text.matches("Inside the form").count(), 1, "{text}");
    assert!(text.contains("mayor drinks only") && text.ends_with("After the form."), "{text}");

    // Each form draws the next one four times.
    let forms: Vec<String> = (0..14)
        .map(|index| form(&format!("/XObject << /X {} 0 R >>", 7 + index), &"/X Do\n".repeat(4)))
        .chain([form(FONT, &write(10, 50, 600, "x"))])
        .collect();
    let text = opened(&page(&content, own, &forms)).unwrap().text;
    assert!(text.contains("mayor drinks only"), "{text}");
}

// proves: A6
#[test]
fn a_form_stands_where_it_is_drawn_and_has_its_own_fonts() {
    let shifted = "/Font << /F 7 0 R >>";
    let font = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding << /Type /Encoding /Differences [65 /B /C] >> >>";
    let content = lines(50, 700, &FIRST[..1])
        + "q 1 0 0 1 0 -14 cm /X Do Q\n"
        + &lines(50, 672, &["and it goes on after that with the same font as before A."]);
    let inner = "BT /F 10 Tf 50 700 Td (AB) Tj ET\n";
    let resources = "/Font << /F 3 0 R >> /XObject << /X 6 0 R >>";
    let text =
        opened(&page(&content, resources, &[form(shifted, inner), font.to_owned()])).unwrap().text;
    assert_eq!(
        text,
        "We asked 1,204 adults all over the country what they like to BC and it goes on after that with the same font as before A."
    );
}

// proves: A6
#[test]
fn a_text_far_outside_its_page_takes_no_memory() {
    for far in [
        "BT /F 10 Tf 50 900000000000 Td (far) Tj ET\n",
        "BT /F 900000000000 Tf 50 700 Td (large) Tj ET\n",
        "BT /F 10 Tf 9000000 0 0 9000000 50 9000000 Tm (large) Tj ET\n",
    ] {
        let content = lines(50, 700, &FIRST) + far;
        let text = opened(&page(&content, FONT, &[])).unwrap().text;
        assert!(text.contains("mayor drinks only"), "{far}: {text}");
    }
}

// proves: A6
#[test]
fn what_the_engine_does_not_know_does_not_cost_the_page() {
    let odd = [
        "/Nothing cs 1 2 3 scn\n",
        "/Nothing gs /Nothing Do /Nothing sh\n",
        "1 0 0 cm q 1 2 Tm Q Q Q\n",
        "] >> } ) <</a [ Tj\n",
        "BT (no font yet) Tj ET\n",
        "/P /Nothing BDC EMC EMC\n",
        "BI /W 2 /H 2 /BPC 8 /CS /Pattern ID \u{1}(\u{2}(EI\u{3} EI\n",
        "BT /Nothing 10 Tf ET\n",
        "1e5 --7 .. 1.2.3 99999999999999999999 w\n",
    ];
    for odd in odd {
        let content = lines(50, 700, &FIRST[..2]) + odd + &lines(50, 672, &FIRST[2..]);
        let document = opened(&page(&content, FONT, &[])).unwrap();
        assert!(document.text.ends_with("known brands of tea."), "{odd}: {}", document.text);
        assert_eq!(document.metadata["engine"], "pdf-extract", "{odd}");
    }
}

// proves: A6
#[test]
fn all_ways_to_show_text_are_known() {
    let content = "BT /F 10 Tf 14 TL 50 700 Td (We asked adults) Tj (what they drink,) ' 0 0 (and they said tea.) \" ET\n";
    let text = opened(&page(content, FONT, &[])).unwrap().text;
    assert_eq!(text, "We asked adults what they drink, and they said tea.");
}

// proves: A6
#[test]
fn a_table_of_characters_may_be_damaged_or_without_end() {
    let font = |table: &str| {
        let font = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding /ToUnicode 7 0 R >>";
        let content = lines(50, 700, &FIRST);
        opened(&page(&content, "/Font << /F 6 0 R >>", &[font.to_owned(), stream("", table)]))
            .unwrap()
    };
    let tables = [
        "1 beginbfrange <00> <FFFFFFFF> <0000> endbfrange",
        "1 beginbfrange <00> <FFFF> <D800DC> endbfrange",
        "2 beginbfrange <20> <7E> <0020> <00> <0",
        "9 beginbfchar <41> <0041> <42> <D800> endbfchar",
        "1 beginbfrange <20> <7E> [<0020>] endbfrange",
        &"[".repeat(200_000),
        &"<<".repeat(200_000),
    ];
    for table in tables {
        let document = font(table);
        assert!(document.text.contains("the mayor drinks only"), "{table:.40}");
    }
    let shifted =
        font("1 beginbfrange <61> <64> <0077> endbfrange 1 beginbfchar <65> <00660066> endbfchar");
    assert!(
        shifted.text.contains("wskffz 1,204 wzults") || shifted.text.contains("wskffz"),
        "{}",
        shifted.text
    );
}

// proves: A6
#[test]
fn lists_of_pages_may_lead_back_to_themselves() {
    let whole = drawn(&[lines(50, 700, &FIRST)], "");
    let text = String::from_utf8(whole).unwrap();
    let looped = text.replace("/Type /Pages /Kids", "/Type /Pages /Parent 2 0 R /Kids");
    let looped =
        looped.replace("/MediaBox [0 0 600 800]", "").replace("/Resources <<", "/Resxurces <<");
    assert!(opened(looped.as_bytes()).unwrap().text.contains("mayor drinks"));
}

// proves: A6
#[test]
fn a_page_that_unpacks_to_gigabytes_is_cut() {
    let mut packed = Vec::new();
    let zeros = vec![b' '; 1 << 20];
    let mut packer = flate2::write::ZlibEncoder::new(&mut packed, flate2::Compression::best());
    std::io::Write::write_all(&mut packer, lines(50, 700, &FIRST).as_bytes()).unwrap();
    for _ in 0..64 {
        std::io::Write::write_all(&mut packer, &zeros).unwrap();
    }
    packer.finish().unwrap();
    let hex: String = packed.iter().map(|byte| format!("{byte:02x}")).collect();
    assert!(hex.len() < 1 << 20);
    let file = page("PLACE", FONT, &[]);
    let text = String::from_utf8(file).unwrap();
    let at = text.find("<<  /Length 5 >>\nstream\nPLACE").unwrap();
    let mut file = text.as_bytes()[..at].to_vec();
    file.extend(format!("<< /Filter /FlateDecode /Length {} >>\nstream\n", packed.len()).bytes());
    file.extend(&packed);
    file.extend(b"\nendstream\nendobj\n");
    let document = opened(&file).unwrap();
    assert!(document.text.contains("the mayor drinks only"), "{}", document.text);
}

// proves: A6
#[test]
fn the_codes_of_a_font_that_cannot_be_read_are_no_letters() {
    let fonts = [
        "<< /Type /Font /Subtype /Type0 /BaseFont /HYGothic /Encoding /Unknown-H /DescendantFonts [7 0 R] >>",
        "<< /Type /Font /Subtype /CIDFontType0 /BaseFont /HYGothic /CIDSystemInfo << /Registry (Adobe) /Ordering (Korea1) /Supplement 2 >> >>",
    ];
    let content = lines(50, 700, &FIRST) + "BT /K 10 Tf 50 600 Td <ACACACACACAC> Tj ET\n";
    let resources = "/Font << /F 3 0 R /K 6 0 R >>";
    let text = opened(&page(&content, resources, &fonts.map(str::to_owned))).unwrap().text;
    assert!(text.contains("mayor drinks only") && !text.contains('¬'), "{text}");
}
