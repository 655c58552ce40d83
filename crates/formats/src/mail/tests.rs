use proptest::prelude::*;

use super::*;

const MIXED: &str = "From: =?UTF-8?Q?Ann_L=C3=A9e?= <ann@example.org>\r\nTo: Bob <bob@example.org>, list@example.org\r\nCc: =?ISO-8859-1?Q?J=FCrgen?= <j@example.org>\r\nSubject: Re: =?UTF-8?B?VGVhIGFuZCBzbGVlcA==?=\r\nDate: Thu, 3 May 2001 10:00:00 +0200\r\nMessage-ID: <2@x>\r\nIn-Reply-To: <1@x>\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=\"m\"\r\n\r\n--m\r\nContent-Type: multipart/alternative; boundary=\"a\"\r\n\r\n--a\r\nContent-Type: text/plain; charset=iso-8859-1; format=flowed\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\nThe tide comes =\r\ntwice a day at =\r\nK=F6ln.=20\r\nIt follows the moon.\r\n\r\n> Why=3F\r\n--a\r\nContent-Type: text/html\r\n\r\n<p>HTML</p>\r\n--a--\r\n--m\r\nContent-Type: application/pdf\r\nContent-Disposition: attachment; filename=\"../re port.pdf\"\r\nContent-Transfer-Encoding: base64\r\n\r\nJVBERg==\r\n--m\r\nContent-Type: message/rfc822\r\n\r\nSubject: Inner one\r\nFrom: c@example.org\r\n\r\nInside.\r\n--m\r\nContent-Type: image/png\r\nContent-ID: <i>\r\nContent-Disposition: inline\r\nContent-Transfer-Encoding: base64\r\n\r\niVBORw0=\r\n--m--\r\n";

// proves: A6
#[test]
fn parts_are_found_between_other_lines_than_the_header_says() {
    let mail = "From: a@example.org\nMIME-Version: 1.0\nSubject: Tea\nContent-Type: multipart/alternative; boundary=\"x\"\n\n----=_one\nContent-Type: text/html\nContent-Transfer-Encoding: base64\n\nPHA+VGhlIDxiPnRpZGU8L2I+IGNvbWVzLjwvcD4=\0\n\n----=_two--\n";
    let parsed = parse(mail.as_bytes(), &Bounds::default()).unwrap();
    assert_eq!(parsed.text, "# Tea\n\n- From: a@example.org\n\nThe tide comes.");
}

// proves: A6
#[test]
fn a_message_has_its_header_its_text_and_its_attachments() {
    assert!(recognize(MIXED.as_bytes()));
    let parsed = parse(MIXED.as_bytes(), &Bounds::default()).unwrap();
    assert_eq!(
        parsed.text,
        "# Re: Tea and sleep\n\n- From: Ann Lée <ann@example.org>\n- To: Bob <bob@example.org>, list@example.org\n- Cc: Jürgen <j@example.org>\n- Date: 2001-05-03 10:00 +02:00\n- Attachments: re port.pdf, Inner one.eml\n\nThe tide comes twice a day at Köln. It follows the moon.\n\n> Why?"
    );
    let said: Vec<(&str, &str)> =
        parsed.metadata.iter().map(|(name, value)| (&**name, &**value)).collect();
    assert_eq!(
        said,
        [
            ("date", "2001-05-03T10:00:00+02:00"),
            ("from", "Ann Lée <ann@example.org>"),
            ("in-reply-to", "1@x"),
            ("message-id", "2@x"),
            ("subject", "Re: Tea and sleep"),
            ("thread", "Tea and sleep"),
            ("to", "Bob <bob@example.org>, list@example.org"),
        ]
    );
    let files: Vec<(&str, &[u8])> =
        parsed.inner.iter().map(|file| (&*file.name, &*file.bytes)).collect();
    assert_eq!(files[0], ("re port.pdf", &b"%PDF"[..]));
    assert_eq!(files.len(), 2);
    let inner = parse(files[1].1, &Bounds::default()).unwrap();
    assert_eq!(inner.text, "# Inner one\n\n- From: c@example.org\n\nInside.");
}

// proves: A6
#[test]
fn html_is_read_where_it_is_the_message() {
    let html = format!("<p>{}</p>", "The tide comes twice a day. ".repeat(10));
    let only = format!("From: a@x.org\nSubject: s\nContent-Type: text/html\n\n{html}");
    assert!(
        parse(only.as_bytes(), &Bounds::default())
            .unwrap()
            .text
            .contains("\n\nThe tide comes twice a day. The")
    );
    let both = format!(
        "From: a@x.org\nSubject: s\nContent-Type: multipart/alternative; boundary=b\n\n--b\nContent-Type: text/plain\n\nPlease use HTML.\n--b\nContent-Type: text/html\n\n{html}\n--b--\n"
    );
    let text = parse(both.as_bytes(), &Bounds::default()).unwrap().text;
    assert!(text.contains("The tide") && !text.contains("Please"), "{text}");
}

// proves: A6
#[test]
fn the_text_of_a_message_that_was_cut_off_is_read() {
    let cut = "From: a@x.org\nSubject: s\nContent-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/plain\n\nThe tide comes";
    let parsed = parse(cut.as_bytes(), &Bounds::default()).unwrap();
    assert_eq!(parsed.text, "# s\n\n- From: a@x.org\n\nThe tide comes");
    assert!(parsed.inner.is_empty());
}

// proves: A6
#[test]
fn parts_nested_without_end_are_refused() {
    let deep = "Content-Type: message/rfc822\n\n".repeat(100_000);
    assert!(matches!(parse(deep.as_bytes(), &Bounds::default()), Err(Fault::TooComplex { .. })));
    let wide = "Content-Type: multipart/mixed;\n boundary=x\n\n--x\n".repeat(NESTED_PARTS);
    let _ = parse(wide.as_bytes(), &Bounds::default());
    let deep = "Content-Type: message/rfc822\n\n".repeat(NESTED_PARTS);
    let _ = parse(deep.as_bytes(), &Bounds::default());
}

#[test]
fn a_memo_is_not_a_message() {
    assert!(!recognize(b"From: Ann\nTo: Bob\n\nThe mail had Message-ID: x.\n"));
    assert!(!recognize(b"# Notes\n\nReceived: a letter"));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    // proves: A6
    #[test]
    fn a_damaged_message_is_read_or_refused(
        flips in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..8),
        cut in any::<prop::sample::Index>(),
        again in any::<prop::sample::Index>(),
    ) {
        let mut bytes = MIXED.as_bytes().to_vec();
        for (at, byte) in flips {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        let part = bytes[again.index(bytes.len())..].to_vec();
        bytes.truncate(cut.index(bytes.len() * 2).max(1));
        bytes.extend(part);
        let _ = recognize(&bytes);
        let _ = parse(&bytes, &Bounds::default());
    }
}
