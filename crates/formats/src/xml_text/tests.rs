use proptest::prelude::*;

use super::*;

fn read(xml: &str) -> Parsed {
    parse(xml.as_bytes(), &Bounds::default()).unwrap()
}

const DOCBOOK: &str = r#"<?xml version="1.0"?>
<!DOCTYPE article PUBLIC "-//OASIS//DTD DocBook XML V4.5//EN" "docbookx.dtd" [<!ENTITY tea "black tea">]>
<article lang="en"><articleinfo><title>Tea &mdash; a study</title>
<author><firstname>Ada</firstname><surname>Byron</surname></author></articleinfo>
<section><title>Results</title>
<para>We drank &tea;<footnote><para>From Assam.</para></footnote> &amp; <emphasis>waited</emphasis>, see
<citerefentry><refentrytitle>tea</refentrytitle><manvolnum>1</manvolnum></citerefentry>.</para>
<orderedlist><listitem><para>First.</para></listitem><listitem><para>Then:</para>
<itemizedlist><listitem><para>inner</para></listitem></itemizedlist></listitem></orderedlist>
<variablelist><varlistentry><term>Cup</term><listitem><para>What holds it.</para></listitem></varlistentry></variablelist>
<table><title>Cups</title><tgroup cols="2"><colspec colname="a"/><colspec colname="b"/>
<thead><row><entry>Day</entry><entry>Cups</entry></row></thead>
<tbody><row><entry morerows="1">Monday</entry><entry>3</entry></row><row><entry>4</entry></row></tbody></tgroup></table>
<programlisting language="sh">brew --hot
pour</programlisting>
<figure><title>A pot</title><mediaobject><imageobject/><textobject><phrase>A pot of tea</phrase></textobject></mediaobject></figure>
</section></article>"#;

// proves: A6
#[test]
fn prose_reads_as_prose_with_headings_lists_tables_and_notes() {
    let parsed = read(DOCBOOK);
    assert_eq!(parsed.title.as_deref(), Some("Tea — a study"));
    assert_eq!(parsed.metadata["author"], "Ada Byron");
    assert_eq!(
        parsed.text,
        "# Tea — a study\n\nAda Byron\n\n## Results\n\nWe drank black tea & waited, see tea(1).\n\nFrom Assam.\n\n\
         1. First.\n2. Then:\n  - inner\n- Cup: What holds it.\n\nCups\n\n| Day | Cups |\n| --- | --- |\n| Monday | 3 |\n| Monday | 4 |\n\n\
         ```sh\nbrew --hot\npour\n```\n\n### A pot\n\nA pot of tea"
    );
}

// proves: A6
#[test]
fn a_scholarly_article_and_an_edition_read_as_prose() {
    let jats = r#"<article><front><article-meta><title-group><article-title>On tides</article-title></title-group>
<contrib-group><contrib><name><surname>Byron</surname><given-names>Ada</given-names></name></contrib></contrib-group>
<abstract><p>They come twice.</p></abstract></article-meta></front><body><sec><title>Methods</title>
<p>We measured <italic>daily</italic> at Brest.</p></sec></body></article>"#;
    let parsed = read(jats);
    assert_eq!(parsed.title.as_deref(), Some("On tides"));
    assert!(
        parsed.text.contains("They come twice.")
            && parsed.text.contains("## Methods\n\nWe measured daily at Brest."),
        "{}",
        parsed.text
    );
    let tei = r#"<TEI><teiHeader><fileDesc><titleStmt><title>Letters</title></titleStmt></fileDesc></teiHeader>
<text><body><div><head>To Ada</head><p>Dear friend, the tide<lb/>came late today.</p></div></body></text></TEI>"#;
    let parsed = read(tei);
    assert_eq!(parsed.text, "# Letters\n\n## To Ada\n\nDear friend, the tide came late today.");
}

// proves: A6
#[test]
fn an_empty_element_among_words_is_its_name() {
    let xml = r#"<article><title>Shares</title><para>The <smbconfoption name="ldap admin dn"/> requires <gui label="OK then"/>,
<anchor name="x"/><ref target="page 9"/><emphasis><opt name="b"/></emphasis> see.</para><para><opt name="c"/></para></article>"#;
    assert_eq!(read(xml).text, "# Shares\n\nThe ldap admin dn requires OK then, see.");
}

// proves: A6
#[test]
fn a_feed_is_its_entries_with_date_text_and_link() {
    let rss = r#"<rss version="2.0"><channel><title>Tides</title><language>en</language><item><title>High &amp; low</title>
<pubDate>Mon, 06 Sep 2021 00:01:00 +0000</pubDate><description>&lt;p&gt;It &lt;b&gt;rose&lt;/b&gt;.&lt;/p&gt;&lt;p&gt;It fell.&lt;/p&gt;</description>
<category>Sea</category><link>https://example.org/1</link></item></channel></rss>"#;
    let parsed = read(rss);
    assert_eq!(
        parsed.text,
        "# Tides\n\n## High & low\n\n2021-09-06\n\nIt rose.\n\nIt fell.\n\nSubjects: Sea\n\nhttps://example.org/1"
    );
    assert_eq!(parsed.metadata["lang"], "en");
}

// proves: A6
#[test]
fn records_are_tables_and_other_data_are_named() {
    let xml = "<a><c>tide</c><c lang='fr'>marée</c><c lang='de'>Gezeit</c></a>";
    assert_eq!(
        read(xml).text,
        "| c | lang |\n| --- | --- |\n| tide |  |\n| marée | fr |\n| Gezeit | de |"
    );
    let xml = r#"<catalog owner="Ada"><book id="b1"><title>Tides</title><price>12.5</price></book>
<book id="b2"><title>Moons</title><price>9</price></book><shop><city>Brest</city></shop></catalog>"#;
    assert_eq!(
        read(xml).text,
        "- owner: Ada\n- shop.city: Brest\n\n# book\n\n| id | title | price |\n| --- | --- | --- |\n| b1 | Tides | 12.5 |\n| b2 | Moons | 9 |"
    );
}

// proves: A6
#[test]
fn drawings_outlines_and_property_lists_give_their_words() {
    let svg = "<svg><title>Plan</title><style>p{}</style><g><text x='1'>Gate <tspan>A</tspan></text></g></svg>";
    assert_eq!(read(svg).text, "# Plan\n\nGate A");
    let opml = "<opml><head><title>Feeds</title></head><body><outline text='Sea'><outline text='Tides' xmlUrl='https://x.org'/></outline></body></opml>";
    assert_eq!(read(opml).text, "# Feeds\n\n- Sea\n  - Tides: https://x.org");
    let plist =
        "<plist><dict><key>Name</key><string>Tides</string><key>On</key><true/></dict></plist>";
    assert_eq!(read(plist).text, "- Name: Tides\n- On: true");
}

// proves: A6
#[test]
fn only_xml_is_recognized_and_never_html() {
    assert!(recognize("<?xml version=\"1.0\"?>\n<!-- a -->\n<a><b/></a>\n"));
    assert!(recognize("<!DOCTYPE book PUBLIC \"x\" \"y\" [<!ENTITY a \"b>\">]>\n<book></book>"));
    assert!(recognize("<feed xmlns=\"http://www.w3.org/2005/Atom\"></feed>"));
    assert!(!recognize("<?xml version=\"1.0\"?><!DOCTYPE html><html></html>"));
    assert!(!recognize("<html xmlns=\"http://www.w3.org/1999/xhtml\"></html>"));
    assert!(!recognize("<?xml version=\"1.0\"?> is how every XML file begins."));
    assert!(!recognize("<!-- a part of a page -->\n<div><p>x</p></div>"));
    assert!(!recognize("<b>bold</b> words in a text"));
    assert!(!recognize("# Title\n\n<?xml version=\"1.0\"?><a/>"));
}

// proves: A6
#[test]
fn declared_texts_do_not_expand() {
    let mut xml = String::from("<!DOCTYPE a [<!ENTITY a0 \"lol\">");
    for level in 1..30 {
        let before = level - 1;
        xml.push_str(&format!("<!ENTITY a{level} \"&a{before};&a{before};\">"));
    }
    xml.push_str("]><a><p>some words here &a29; &a0;</p></a>");
    assert!(read(&xml).text.len() < 100);
    let many = format!(
        "<!DOCTYPE a [<!ENTITY x \"{}\">]><a>{}</a>",
        "y".repeat(900),
        "&x;".repeat(50_000)
    );
    let bounds = Bounds { text_bytes: 100_000, ..Bounds::default() };
    if let Ok(parsed) = parse(many.as_bytes(), &bounds) {
        assert!(parsed.text.len() < 1_000_000);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn damaged_files_are_read_or_refused(cuts in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0..4_u8), 1..12)) {
        let mut bytes = DOCBOOK.as_bytes().to_vec();
        for (at, byte, what) in cuts {
            let at = at.index(bytes.len());
            match what {
                0 => bytes[at] = byte,
                1 => bytes.insert(at, byte),
                2 => drop(bytes.remove(at)),
                _ => { let part = bytes[at..(at + 40).min(bytes.len())].to_vec(); bytes.splice(at..at, part); }
            }
        }
        let _ = parse(&bytes, &Bounds::default());
        recognize(&String::from_utf8_lossy(&bytes));
    }
}
