//! Files of every format, asked without a model.

use std::io::{Cursor, Write};

use fakes::FakeModel;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use crate::outside::say;
use crate::stand::Stand;

/// A file of some format: its name, its bytes, and a light that it tells of, with the year in which it was lit.
struct Sample {
    name: &'static str,
    bytes: Vec<u8>,
    light: &'static str,
    year: &'static str,
}

fn text(name: &'static str, light: &'static str, year: &'static str, text: &str) -> Sample {
    let text = text.replace("LIGHT", light).replace("YEAR", year);
    Sample { name, bytes: text.into_bytes(), light, year }
}

/// An archive of these parts, in which LIGHT and YEAR stand for the light and its year.
fn packed(
    name: &'static str,
    light: &'static str,
    year: &'static str,
    parts: &[(&str, &str)],
) -> Sample {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (part, content) in parts {
        let is_stored = *part == "mimetype";
        let method =
            if is_stored { CompressionMethod::Stored } else { CompressionMethod::Deflated };
        zip.start_file(*part, SimpleFileOptions::default().compression_method(method)).unwrap();
        zip.write_all(content.replace("LIGHT", light).replace("YEAR", year).as_bytes()).unwrap();
    }
    Sample { name, bytes: zip.finish().unwrap().into_inner(), light, year }
}

/// A TAR archive with one file.
fn tar(member: &str, content: &str) -> Vec<u8> {
    let mut header = [0_u8; 512];
    let mut put =
        |at: usize, value: &str| header[at..at + value.len()].copy_from_slice(value.as_bytes());
    put(0, member);
    put(100, "0000644\0");
    put(108, "0000000\0");
    put(116, "0000000\0");
    put(124, &format!("{:011o}\0", content.len()));
    put(136, "00000000000\0");
    put(148, "        ");
    put(156, "0");
    put(257, "ustar\x0000");
    let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
    header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    let mut bytes = header.to_vec();
    bytes.extend(content.as_bytes());
    bytes.resize(bytes.len().next_multiple_of(512) + 1024, 0);
    bytes
}

/// A PDF of one page with one line.
fn pdf(line: &str) -> Vec<u8> {
    let content = format!("BT /F 12 Tf 72 700 Td ({line}) Tj ET");
    let objects = [
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F 5 0 R >> >> >>".to_owned(),
        format!("<< /Length {} >>\nstream\n{content}\nendstream", content.len()),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>".to_owned(),
    ];
    let mut file = "%PDF-1.4\n".to_owned();
    let mut places = Vec::new();
    for (index, object) in objects.iter().enumerate() {
        places.push(file.len());
        file.push_str(&format!("{} 0 obj\n{object}\nendobj\n", index + 1));
    }
    let start = file.len();
    file.push_str(&format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1));
    for place in places {
        file.push_str(&format!("{place:010} 00000 n \n"));
    }
    file.push_str(&format!(
        "trailer << /Size {} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF",
        objects.len() + 1
    ));
    file.into_bytes()
}

const RELATIONS: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const PROSE: &str = "The LIGHT lighthouse was lit in YEAR.";

fn write_office() -> Vec<Sample> {
    let top = |target: &str| {
        format!(
            r#"<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="{RELATIONS}/officeDocument" Target="{target}"/></Relationships>"#
        )
    };
    let part = |kind: &str, target: &str| {
        format!(
            r#"<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="{RELATIONS}/{kind}" Target="{target}"/></Relationships>"#
        )
    };
    let types = |parts: &[(&str, &str)]| {
        let parts: String = parts
            .iter()
            .map(|(name, kind)| format!(r#"<Override PartName="{name}" ContentType="application/vnd.openxmlformats-officedocument.{kind}+xml"/>"#))
            .collect();
        format!(
            r#"<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>{parts}</Types>"#
        )
    };
    let main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
    let cell =
        |at: &str, value: &str| format!(r#"<c r="{at}" t="inlineStr"><is><t>{value}</t></is></c>"#);
    let sheet = format!(
        r#"<worksheet xmlns="{main}"><sheetData><row r="1">{}{}</row><row r="2">{}<c r="B2"><v>YEAR</v></c></row><row r="3">{}<c r="B3"><v>1700</v></c></row></sheetData></worksheet>"#,
        cell("A1", "Lighthouse"),
        cell("B1", "Year lit"),
        cell("A2", "LIGHT"),
        cell("A3", "Other")
    );
    let drawing = "http://schemas.openxmlformats.org/drawingml/2006/main";
    let presentation = "http://schemas.openxmlformats.org/presentationml/2006/main";
    let slide = format!(
        r#"<p:sld xmlns:p="{presentation}" xmlns:a="{drawing}"><p:cSld><p:spTree><p:sp><p:nvSpPr><p:cNvPr id="2" name="Title"/><p:cNvSpPr/><p:nvPr><p:ph type="title"/></p:nvPr></p:nvSpPr><p:txBody><a:p><a:r><a:t>Lights</a:t></a:r></a:p></p:txBody></p:sp><p:sp><p:nvSpPr><p:cNvPr id="3" name="Body"/><p:cNvSpPr/><p:nvPr/></p:nvSpPr><p:txBody><a:p><a:r><a:t>{PROSE}</a:t></a:r></a:p></p:txBody></p:sp></p:spTree></p:cSld></p:sld>"#
    );
    let open = |kind: &str, body: &str| {
        format!(
            r#"<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" office:version="1.3"><office:body><office:{kind}>{body}</office:{kind}></office:body></office:document-content>"#
        )
    };
    let manifest = |kind: &str| {
        format!(
            r#"<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"><manifest:file-entry manifest:full-path="/" manifest:media-type="application/vnd.oasis.opendocument.{kind}"/></manifest:manifest>"#
        )
    };
    let open_cell = |kind: &str, value: &str| {
        let given =
            if kind == "float" { format!(r#" office:value="{value}""#) } else { String::new() };
        format!(
            r#"<table:table-cell office:value-type="{kind}"{given}><text:p>{value}</text:p></table:table-cell>"#
        )
    };
    let row = |cells: [String; 2]| format!("<table:table-row>{}</table:table-row>", cells.concat());
    let rows = row([open_cell("string", "Lighthouse"), open_cell("string", "Year lit")])
        + &row([open_cell("string", "LIGHT"), open_cell("float", "YEAR")])
        + &row([open_cell("string", "Other"), open_cell("float", "1700")]);
    vec![
        packed(
            "a.docx",
            "Aldern",
            "1801",
            &[
                (
                    "[Content_Types].xml",
                    &types(&[("/word/document.xml", "wordprocessingml.document.main")]),
                ),
                ("_rels/.rels", &top("word/document.xml")),
                (
                    "word/document.xml",
                    &format!(
                        r#"<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:p><w:r><w:t>{PROSE}</w:t></w:r></w:p></w:body></w:document>"#
                    ),
                ),
            ],
        ),
        packed(
            "b.pptx",
            "Brevik",
            "1802",
            &[
                (
                    "[Content_Types].xml",
                    &types(&[
                        ("/ppt/presentation.xml", "presentationml.presentation.main"),
                        ("/ppt/slides/slide1.xml", "presentationml.slide"),
                    ]),
                ),
                ("_rels/.rels", &top("ppt/presentation.xml")),
                (
                    "ppt/presentation.xml",
                    &format!(
                        r#"<p:presentation xmlns:p="{presentation}" xmlns:r="{RELATIONS}"><p:sldIdLst><p:sldId id="256" r:id="r1"/></p:sldIdLst></p:presentation>"#
                    ),
                ),
                ("ppt/_rels/presentation.xml.rels", &part("slide", "slides/slide1.xml")),
                ("ppt/slides/slide1.xml", &slide),
            ],
        ),
        packed(
            "c.xlsx",
            "Cotter",
            "1803",
            &[
                (
                    "[Content_Types].xml",
                    &types(&[
                        ("/xl/workbook.xml", "spreadsheetml.sheet.main"),
                        ("/xl/worksheets/sheet1.xml", "spreadsheetml.worksheet"),
                    ]),
                ),
                ("_rels/.rels", &top("xl/workbook.xml")),
                (
                    "xl/workbook.xml",
                    &format!(
                        r#"<workbook xmlns="{main}" xmlns:r="{RELATIONS}"><sheets><sheet name="Lights" sheetId="1" r:id="r1"/></sheets></workbook>"#
                    ),
                ),
                ("xl/_rels/workbook.xml.rels", &part("worksheet", "worksheets/sheet1.xml")),
                ("xl/worksheets/sheet1.xml", &sheet),
            ],
        ),
        packed(
            "d.odt",
            "Dunmore",
            "1804",
            &[
                ("mimetype", "application/vnd.oasis.opendocument.text"),
                ("META-INF/manifest.xml", &manifest("text")),
                ("content.xml", &open("text", &format!("<text:p>{PROSE}</text:p>"))),
            ],
        ),
        packed(
            "e.ods",
            "Eyrie",
            "1805",
            &[
                ("mimetype", "application/vnd.oasis.opendocument.spreadsheet"),
                ("META-INF/manifest.xml", &manifest("spreadsheet")),
                (
                    "content.xml",
                    &open(
                        "spreadsheet",
                        &format!(r#"<table:table table:name="Lights">{rows}</table:table>"#),
                    ),
                ),
            ],
        ),
        packed(
            "f.epub",
            "Farnby",
            "1806",
            &[
                ("mimetype", "application/epub+zip"),
                (
                    "META-INF/container.xml",
                    r#"<container><rootfiles><rootfile full-path="book.opf"/></rootfiles></container>"#,
                ),
                (
                    "book.opf",
                    r#"<package><metadata><title>Lights</title></metadata><manifest><item id="one" href="one.xhtml" media-type="application/xhtml+xml"/></manifest><spine><itemref idref="one"/></spine></package>"#,
                ),
                ("one.xhtml", &format!("<html><body><h1>Lights</h1><p>{PROSE}</p></body></html>")),
            ],
        ),
        packed(
            "g.zip",
            "Gannet",
            "1807",
            &[("notes/lights.md", &format!("# Lights\n\n{PROSE}\n")), (".hidden", "x")],
        ),
    ]
}

fn write_samples() -> Vec<Sample> {
    let mut all = write_office();
    let notebook = r##"{"cells": [{"cell_type": "markdown", "metadata": {}, "source": ["# Lights\n", "\n", "The LIGHT lighthouse was lit in YEAR."]}, {"cell_type": "code", "execution_count": 1, "metadata": {}, "outputs": [], "source": ["print(1)"]}], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}"##;
    all.extend([
        text("h.adoc", "Hythe", "1808", "= Lights\n\n== Coast\n\nThe *LIGHT* lighthouse was lit in YEAR.\n"),
        text("i.bib", "Iona", "1809", "@book{lights,\n  author = {Ann Keeper},\n  title = {The {LIGHT} lighthouse},\n  year = {1999},\n  abstract = {The LIGHT lighthouse was lit in YEAR.}\n}\n"),
        text("j.py", "Jarrow", "1810", "\"\"\"Lamps.\n\nThe LIGHT lighthouse was lit in YEAR.\n\"\"\"\n\n\ndef lit(name):\n    return name\n"),
        text("k.csv", "Kettle", "1811", "Lighthouse,Year lit\nLIGHT,YEAR\nOther,1700\n"),
        text("l.tsv", "Lorne", "1812", "Lighthouse\tYear lit\nLIGHT\tYEAR\nOther\t1700\n"),
        text("m.html", "Mersey", "1813", "<html><body><h1>Lights</h1><p>The <b>LIGHT</b> lighthouse was lit in YEAR.</p></body></html>"),
        text("n.json", "Nairn", "1814", r#"{"lighthouses": [{"lighthouse": "LIGHT", "year lit": YEAR}, {"lighthouse": "Other", "year lit": 1700}]}"#),
        text("o.jsonl", "Orford", "1815", "{\"lighthouse\": \"LIGHT\", \"year lit\": YEAR}\n{\"lighthouse\": \"Other\", \"year lit\": 1700}\n"),
        text("p.tex", "Penmon", "1816", "\\documentclass{article}\n\\begin{document}\n\\section{Lights}\nThe \\emph{LIGHT} lighthouse was lit in~YEAR.\n\\end{document}\n"),
        text("q.eml", "Quern", "1817", "From: Ann <ann@example.org>\nTo: Bob <bob@example.org>\nSubject: Lights\nDate: Mon, 2 Nov 2026 10:00:00 +0000\nMIME-Version: 1.0\nContent-Type: text/plain; charset=utf-8\n\nDear Bob,\n\nThe LIGHT lighthouse was lit in YEAR.\n\nAnn\n"),
        text("r.mbox", "Rathlin", "1818", "From ann@example.org Mon Nov  2 10:00:00 2026\nFrom: Ann <ann@example.org>\nTo: Bob <bob@example.org>\nSubject: Lights\nDate: Mon, 2 Nov 2026 10:00:00 +0000\n\nThe LIGHT lighthouse was lit in YEAR.\n\n"),
        text("s.md", "Spurn", "1819", "# Lights\n\nThe LIGHT lighthouse was lit in YEAR.\n"),
        text("t.ipynb", "Thurso", "1820", notebook),
        text("u.org", "Ulva", "1821", "#+TITLE: Lights\n\n* Coast\n\nThe *LIGHT* lighthouse was lit in YEAR.\n"),
        text("v.ris", "Vatersay", "1822", "TY  - BOOK\nTI  - The LIGHT lighthouse\nAU  - Keeper, Ann\nPY  - 1999\nAB  - The LIGHT lighthouse was lit in YEAR.\nER  - \n"),
        text("w.rst", "Whitby", "1823", "Lights\n======\n\nThe *LIGHT* lighthouse was lit in YEAR.\n"),
        text("x.rtf", "Xanten", "1824", r"{\rtf1\ansi{\fonttbl{\f0 Arial;}}\f0 The {\b LIGHT} lighthouse was lit in YEAR.\par}"),
        text("y.srt", "Yarrow", "1825", "1\n00:00:01,000 --> 00:00:03,000\nThe LIGHT lighthouse\n\n2\n00:00:03,000 --> 00:00:05,000\nwas lit in YEAR.\n"),
        text("z.vtt", "Zennor", "1826", "WEBVTT\n\n00:01.000 --> 00:03.000\nThe LIGHT lighthouse\n\n00:03.000 --> 00:05.000\nwas lit in YEAR.\n"),
        text("aa.txt", "Ardnamurchan", "1827", "The LIGHT lighthouse was lit in YEAR.\n"),
        text("bb.toml", "Bressay", "1828", "[LIGHT]\nnote = \"The LIGHT lighthouse was lit in YEAR.\"\n"),
        text("cc.xml", "Copinsay", "1829", "<?xml version=\"1.0\"?>\n<article><title>Lights</title><para>The LIGHT lighthouse was lit in YEAR.</para></article>\n"),
        text("dd.yaml", "Duncansby", "1830", "lights:\n  note: The LIGHT lighthouse was lit in YEAR.\n"),
    ]);
    let said = PROSE.replace("LIGHT", "Eilean").replace("YEAR", "1831");
    all.push(Sample {
        name: "ee.tar",
        bytes: tar("lights.txt", &said),
        light: "Eilean",
        year: "1831",
    });
    let said = PROSE.replace("LIGHT", "Fidra").replace("YEAR", "1832");
    all.push(Sample { name: "ff.pdf", bytes: pdf(&said), light: "Fidra", year: "1832" });
    all
}

// proves: A6, B9
#[test]
fn a_folder_with_every_format_answers_a_question_from_each() {
    let stand = Stand::new();
    let samples = write_samples();
    for sample in &samples {
        stand.file(&format!("lights/{}", sample.name), &sample.bytes);
    }
    let told = stand.run(&["ingest", "lights", "--collection", "lights", "--no-model"]);
    assert_eq!(told.code, 0, "{told:?}");
    assert!(told.out.starts_with(&format!("lights: {} added", samples.len())), "{told:?}");
    for Sample { name, light, year, .. } in &samples {
        let question = format!("In which year was the {light} lighthouse lit?");
        let told = stand.run(&[
            "ask",
            &question,
            "--collection",
            "lights",
            "--no-model",
            "--format",
            "json",
        ]);
        let result = told.json();
        let cited = result["citations"].as_array().unwrap();
        let cited = cited.iter().find(|cited| {
            let quote = cited["quote"].as_str().unwrap();
            quote.contains(light) && quote.contains(year)
        });
        let cited = cited.unwrap_or_else(|| panic!("{name}: {result:#}"));
        let uri = cited["source_uri"].as_str().unwrap();
        assert!(uri.starts_with(&format!("doc://lights/{name}")), "{name}: {uri}");
        // The citation opens at its place.
        let listed = stand.run(&["documents", "list", "--collection", "lights", "--json"]).json();
        let path = uri.trim_start_matches("doc://lights/");
        let document = listed.as_array().unwrap().iter().find(|one| one["path"] == path).unwrap();
        let (start, end) = (&cited["start"], &cited["end"]);
        let id = document["document_id"].as_str().unwrap();
        let shown = stand.run(&["documents", "show", id, "--span", &format!("{start}..{end}")]);
        assert_eq!(shown.out.trim_end(), cited["quote"].as_str().unwrap(), "{name}");
    }
}

// proves: A6
#[test]
fn what_is_in_an_archive_comes_and_goes_with_it() {
    let stand = Stand::new();
    let two = packed(
        "a.zip",
        "Aldern",
        "1801",
        &[("one.md", PROSE), ("two/b.md", "Two birds sat there."), ("c.exe", "MZ\0\0")],
    );
    stand.file("in/a.zip", &two.bytes);
    let ingest = |more: &[&str]| {
        let mut args = vec!["ingest", "in", "--collection", "in", "--no-model"];
        args.extend(more);
        stand.run(&args)
    };
    let told = ingest(&[]);
    assert!(told.out.starts_with("in: 2 added"), "{told:?}");
    assert!(told.err.contains("a.zip/c.exe: it looks like"), "{told:?}");
    let listed = || {
        let told = stand.run(&["documents", "list", "--collection", "in", "--json"]).json();
        let paths =
            told.as_array().unwrap().iter().map(|one| one["path"].as_str().unwrap().to_owned());
        paths.collect::<Vec<_>>()
    };
    assert_eq!(listed(), ["a.zip/one.md", "a.zip/two/b.md"]);
    assert!(
        ingest(&["--prune"]).out.starts_with("in: 0 added, 0 replaced, 2 unchanged, 0 removed")
    );
    let one = packed("a.zip", "Aldern", "1801", &[("one.md", PROSE)]);
    stand.file("in/a.zip", &one.bytes);
    // What is no longer in it goes with the next reading, unasked.
    assert!(ingest(&[]).out.starts_with("in: 0 added, 0 replaced, 1 unchanged, 1 removed"));
    // A file that cannot be opened this time keeps what was in it.
    stand.file("in/a.zip", b"PK\x03\x04 damaged");
    stand.file("in/b.md", "Two birds.");
    assert!(
        ingest(&["--prune"]).out.starts_with("in: 1 added, 0 replaced, 0 unchanged, 0 removed")
    );
    assert_eq!(listed(), ["a.zip/one.md", "b.md"]);
}

// proves: A6
#[test]
fn one_bad_target_of_many_is_named_and_the_rest_is_read() {
    let stand = Stand::new();
    stand.file("a.md", "Two birds sat there.");
    let told = stand.run(&[
        "ingest",
        "a.md",
        "missing.md",
        "arxiv:nothing",
        "--collection",
        "in",
        "--no-model",
    ]);
    assert_eq!(told.code, 4, "{told:?}");
    assert!(told.out.starts_with("in: 1 added"), "{told:?}");
    assert!(
        told.err.contains("missing.md: there is no file") && told.err.contains("arxiv:nothing: "),
        "{told:?}"
    );
    stand
        .run(&["ingest", "missing.md", "--collection", "in", "--no-model"])
        .fails(2, "there is no file");
}

// proves: A6
#[test]
fn a_watched_folder_is_read_again_when_it_changes() {
    let stand = Stand::new();
    stand.file("in/a.md", "Two birds sat there.");
    let mut child = stand
        .command(&["ingest", "in", "--collection", "in", "--no-model", "--watch", "--prune"])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = std::io::BufRead::lines(std::io::BufReader::new(child.stdout.take().unwrap()));
    let mut next = || lines.next().unwrap().unwrap();
    assert!(next().starts_with("in: 1 added"));
    stand.file("in/b.md", "Three birds sat there.");
    assert!(next().starts_with("in: 1 added, 0 replaced, 1 unchanged"));
    std::fs::remove_file(stand.path("in/a.md")).unwrap();
    assert!(next().contains("1 removed"));
    let id = child.id().to_string();
    assert!(std::process::Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    let ended = child.wait_with_output().unwrap();
    let told = String::from_utf8(ended.stderr).unwrap();
    assert_eq!(ended.status.code(), Some(0), "{told}");
    assert!(told.trim_end().ends_with("stopped; 2 documents taken"), "{told}");
}

// proves: A6
#[test]
fn a_sitemap_brings_its_pages_and_leaves_alone_what_the_site_closes() {
    let server = FakeModel::start(|seen| {
        let host = seen.header("host").unwrap_or_default();
        let place = |path: &str| {
            let changed = if path == "/one" { "<lastmod>2001-02-03</lastmod>" } else { "" };
            format!("<url><loc>http://{host}{path}</loc>{changed}</url>")
        };
        match seen.path.as_str() {
            "/robots.txt" => say(200, "text/plain", "User-agent: *\nDisallow: /private/\n"),
            "/sitemap.xml" => say(
                200,
                "application/xml",
                &format!(
                    "<sitemapindex><sitemap><loc>http://{host}/pages.xml</loc></sitemap></sitemapindex>"
                ),
            ),
            "/pages.xml" => {
                let all = ["/one", "/private/two", "/three", "/four"].map(place).concat();
                let elsewhere = "<url><loc>http://example.org/five</loc></url>";
                say(200, "application/xml", &format!("<urlset>{all}{elsewhere}</urlset>"))
            }
            "/one" | "/three" => {
                let words = format!("The light at {} was lit in 1801. ", seen.path);
                let page = format!(
                    "<html><body><main><h1>Lights</h1><p>{}</p></main></body></html>",
                    words.repeat(8)
                );
                say(200, "text/html; charset=utf-8", &page)
            }
            _ => say(404, "text/plain", "not here"),
        }
    });
    let base = server.base_url();
    let host = base.trim_start_matches("http://").trim_end_matches("/v1/").to_owned();
    let stand = Stand::new().variable("QUAESTIO_SOURCES__PRIVATE_HOSTS", &format!("[\"{host}\"]"));
    let sitemap = format!("http://{host}/sitemap.xml");
    let ingest = |more: &[&str]| {
        let args = ["ingest", "--sitemap", &sitemap, "--collection", "site", "--no-model"];
        stand.run(&[&args[..], more].concat())
    };
    let told = ingest(&["--most-pages", "2"]);
    assert_eq!(told.code, 0, "{told:?}");
    assert!(told.out.starts_with("site: 2 added"), "{told:?}");
    for left_out in [
        "2 pages; 1 left out, beyond --most-pages",
        "1 left out, closed by robots.txt",
        "1 left out, on other hosts",
    ] {
        assert!(told.err.contains(left_out), "{left_out}: {told:?}");
    }
    assert!(!server.seen().iter().any(|seen| seen.path.starts_with("/private")));
    let told = ingest(&[]);
    assert_eq!(told.code, 4, "{told:?}");
    assert!(
        told.out.starts_with("site: 0 added, 0 replaced, 2 unchanged")
            && told.err.contains("/four: "),
        "{told:?}"
    );
    // What has not changed since it was read is not fetched again.
    assert!(told.err.contains("1 unchanged since they were read"), "{told:?}");
    assert_eq!(server.seen().iter().filter(|seen| seen.path == "/one").count(), 1);
    let none = format!("http://{host}/one");
    stand
        .run(&["ingest", "--sitemap", &none, "--collection", "site", "--no-model"])
        .fails(1, "is neither a sitemap nor a feed");
}

// proves: A6
#[test]
fn a_repository_is_read_as_of_a_commit_and_nothing_of_it_runs() {
    let stand = Stand::new();
    let git = |args: &[&str]| {
        let told = std::process::Command::new("git")
            .current_dir(stand.path("repo"))
            .args(["-c", "user.name=Ann", "-c", "user.email=ann@example.org"])
            .args(args)
            .env("HOME", stand.path(""))
            .output()
            .unwrap();
        assert!(told.status.success(), "{told:?}");
        String::from_utf8(told.stdout).unwrap().trim().to_owned()
    };
    stand.file("repo/docs/a.md", "Two birds sat there.");
    stand.file("repo/.gitattributes", "*.md filter=evil\n");
    git(&["init", "-q"]);
    git(&["add", "."]);
    git(&["commit", "-qm", "one"]);
    let first = git(&["rev-parse", "HEAD"]);
    stand.file("repo/docs/a.md", "Three birds sat there.");
    stand.file("repo/docs/b.md", "Four birds sat there.");
    git(&["add", "."]);
    git(&["commit", "-qm", "two"]);
    let ran = stand.path("ran");
    git(&["config", "filter.evil.smudge", &format!("touch {}; cat", ran.display())]);
    let target = format!("git:repo@{}", &first[..8]);
    let told = stand.run(&["ingest", &target, "--collection", "git", "--no-model"]);
    assert_eq!(told.code, 0, "{told:?}");
    assert!(told.out.starts_with("git: 1 added"), "{told:?}");
    let listed = stand.run(&["documents", "list", "--collection", "git", "--json"]).json();
    assert_eq!(listed[0]["path"], "docs/a.md");
    assert_eq!(listed[0]["metadata"]["commit"], *first);
    let told = stand.run(&["ingest", "git:repo", "--collection", "git", "--no-model"]);
    assert!(told.out.starts_with("git: 1 added, 1 replaced"), "{told:?}");
    assert!(!ran.exists(), "a filter of the repository ran");
    let none = ["ingest", "git:repo@nowhere", "--collection", "git", "--no-model"];
    stand.run(&none).fails(2, "has no revision 'nowhere'");
    stand
        .run(&["ingest", "git:missing", "--collection", "git"])
        .fails(2, "could not read the Git repository");
}
