//! A mailbox (mbox) becomes one section for each message, in the order of the file.
//!
//! A large mailbox is cut into parts, each a mailbox within the file: a document of thousands of messages would be too long to open at
//! a place in it, and one list of words would stand for all of them.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::mail;
use crate::members::Members;
use crate::{Bounds, Fault, Parsed, Writer};

/// The most messages of a mailbox that is one document.
const MESSAGES: usize = 200;
/// The most messages that are looked at.
const MOST: usize = 200_000;

/// Returns whether the bytes are a mailbox: a line that separates messages, and then a header.
pub(crate) fn recognize(bytes: &[u8]) -> bool {
    separates(bytes, 0) && bytes.get(..5) == Some(b"From ")
}

/// Returns what the messages say, or the parts of a large mailbox.
pub(crate) fn parse(bytes: &[u8], bounds: &Bounds) -> Result<Parsed, Fault> {
    let messages = split_messages(bytes);
    if messages.is_empty() && mail::header_name(bytes).is_some() {
        // One message without the line before it.
        return mail::parse(bytes, bounds);
    }
    if messages.is_empty() {
        return Err(Fault::Damaged { format: "mailbox".to_owned() });
    }
    if messages.len() > MESSAGES || bytes.len() as u64 > bounds.inner_bytes {
        return Ok(parts(&messages, bounds));
    }
    let mut page = Writer::new(bounds.text_bytes);
    let mut members = Members::new(bounds);
    let mut threads: Vec<String> = Vec::new();
    let (mut first, mut last) = (String::new(), String::new());
    let mut unread = 0;
    let mut left_out = 0;
    for (index, raw) in messages.iter().enumerate() {
        if page.is_full() {
            left_out = messages.len() - index;
            break;
        }
        let raw = unescaped(raw);
        let Ok(message) = mail::read(&raw) else {
            unread += 1;
            continue;
        };
        let date = mail::date(&message).map(|date| date.to_rfc3339()).unwrap_or_default();
        let day = date.get(..10).unwrap_or_default();
        let by = [&mail::senders(&message), day]
            .into_iter()
            .filter(|it| !it.is_empty())
            .collect::<Vec<_>>()
            .join(", ");
        let byline = if by.is_empty() { String::new() } else { format!("({by})") };
        let mut own = Members::new(bounds);
        mail::write(&message, 2, &byline, &mut page, &mut own);
        for file in own.finish() {
            members.read(&format!("{:04}-{}", index + 1, file.name), &*file.bytes);
        }
        let thread = mail::thread(&message);
        if !thread.is_empty() && !threads.contains(&thread) {
            threads.push(thread);
        }
        if !date.is_empty() {
            if first.is_empty() || date < first {
                first.clone_from(&date);
            }
            last = last.max(date);
        }
    }
    let mut text = page.finish();
    let mut note = Writer::new(bounds.text_bytes);
    if left_out > 0 {
        // The message that filled the text is cut.
        text.truncate(text.floor_char_boundary(
            usize::try_from(bounds.text_bytes).unwrap_or(usize::MAX).saturating_sub(1_000),
        ));
        note.paragraph(&format!("Left out, because the text is longer than the limit: the last {left_out} of {} messages.", messages.len()));
        note.leave_out(format!("the last {left_out} of {} messages", messages.len()));
    }
    if unread > 0 {
        note.paragraph(&format!("Left out, because they cannot be read: {unread} messages."));
        note.leave_out(format!("{unread} messages that cannot be read"));
    }
    members.tell(&mut note);
    let lost = note.left_out();
    if !note.is_empty() {
        text = format!("{text}\n\n{}", note.finish());
    }
    let title = match threads.as_slice() {
        [] => None,
        [thread] => Some(thread.clone()),
        [thread, rest @ ..] if rest.len() == 1 => {
            Some(format!("{thread} and another conversation"))
        }
        [thread, rest @ ..] => Some(format!("{thread} and {} other conversations", rest.len())),
    };
    let mut metadata = BTreeMap::from([("messages".to_owned(), messages.len().to_string())]);
    metadata.extend(lost);
    if let Some(thread) = threads.first().filter(|_| threads.len() == 1) {
        metadata.insert("thread".to_owned(), thread.clone());
    }
    metadata.extend(Some(first).filter(|it| !it.is_empty()).map(|date| ("date".to_owned(), date)));
    metadata
        .extend(Some(last).filter(|it| !it.is_empty()).map(|date| ("last-date".to_owned(), date)));
    Ok(Parsed { title, text, metadata, inner: members.finish(), ..Parsed::default() })
}

/// Returns mailboxes of at most [`MESSAGES`] messages each, within the limit of a file within a file.
fn parts(messages: &[&[u8]], bounds: &Bounds) -> Parsed {
    let mut members = Members::new(bounds);
    let mut from = 0;
    while from < messages.len() {
        let mut bytes = Vec::new();
        let mut to = from;
        while let Some(message) = messages.get(to).filter(|_| to - from < MESSAGES) {
            if to > from && (bytes.len() + message.len()) as u64 > bounds.inner_bytes {
                break;
            }
            bytes.extend_from_slice(message);
            to += 1;
        }
        members.read(&format!("messages-{:05}-{:05}.mbox", from + 1, to), &*bytes);
        from = to;
    }
    let mut page = Writer::new(bounds.text_bytes);
    page.paragraph(&format!(
        "The {} messages of this mailbox are read in parts of up to {MESSAGES}.",
        messages.len()
    ));
    members.tell(&mut page);
    let mut metadata = BTreeMap::from([("messages".to_owned(), messages.len().to_string())]);
    metadata.extend(page.left_out());
    Parsed { text: page.finish(), metadata, inner: members.finish(), ..Parsed::default() }
}

/// Returns the messages, each with the line that separates it from the one before.
fn split_messages(bytes: &[u8]) -> Vec<&[u8]> {
    let mut starts = Vec::new();
    let mut at = 0;
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        if line.starts_with(b"From ") && separates(bytes, at) && starts.len() < MOST {
            starts.push(at);
        }
        at += line.len();
    }
    let ends: Vec<usize> = starts.iter().skip(1).copied().chain([bytes.len()]).collect();
    starts.into_iter().zip(ends).filter_map(|(start, end)| bytes.get(start..end)).collect()
}

/// Returns whether the line at `at` separates messages: it stands after a blank line or has a time, and a header follows it; or all of
/// that but the header.
fn separates(bytes: &[u8], at: usize) -> bool {
    let before = &bytes[..at];
    let is_apart = at == 0 || before.ends_with(b"\n\n") || before.ends_with(b"\n\r\n");
    let mut lines = bytes[at..].split(|byte| *byte == b'\n');
    let line = lines.next().unwrap_or_default();
    let line = &line[..line.len().min(300)];
    let next = lines.next().unwrap_or_default();
    let next = next
        .strip_prefix(b">")
        .filter(|it| it.starts_with(b"From "))
        .map_or(next, |_| lines.next().unwrap_or_default());
    let has_time = line.windows(5).any(|five| {
        five[2] == b':' && [0, 1, 3, 4].iter().all(|index| five[*index].is_ascii_digit())
    });
    let year = line.trim_ascii_end().rsplit(|byte| *byte == b' ').next().unwrap_or_default();
    let has_year = year.len() == 4 && year.iter().all(u8::is_ascii_digit);
    if mail::header_name(next).is_some() {
        has_time || is_apart || line.trim_ascii_end() == b"From -"
    } else {
        has_time && has_year && is_apart
    }
}

/// Returns a message without the line that separates it, and without the `>` that protects lines which begin with `From `.
fn unescaped(raw: &[u8]) -> Cow<'_, [u8]> {
    let start = raw.iter().position(|byte| *byte == b'\n').map_or(raw.len(), |end| end + 1);
    let raw = &raw[start..];
    let is_escaped = |line: &[u8]| {
        let marks = line.iter().take_while(|byte| **byte == b'>').count();
        marks > 0 && line[marks..].starts_with(b"From ")
    };
    if !raw.windows(6).any(|six| six == b">From ") {
        return Cow::Borrowed(raw);
    }
    let lines = raw.split_inclusive(|byte| *byte == b'\n');
    let lines = lines.map(|line| if is_escaped(line) { &line[1..] } else { line });
    Cow::Owned(lines.flatten().copied().collect())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const TWO: &str = "From ann@example.org Thu May  3 10:00:00 2001\nFrom: Ann Lee <ann@example.org>\nTo: list@example.org\nSubject: Tea\nDate: Thu, 3 May 2001 10:00:00 +0200\nMessage-ID: <1@x>\n\nFrom here the tide comes in.\n>From there it goes.\n\nFrom bob@example.org Fri May  4 09:00:00 2001\nFrom: Bob <bob@example.org>\nSubject: Re: Tea\nDate: Fri, 4 May 2001 09:00:00 +0200\nIn-Reply-To: <1@x>\n\n> From here the tide comes in.\nYes.\n\n";

    // proves: A6
    #[test]
    fn each_message_is_a_section_with_its_sender_and_date() {
        assert!(recognize(TWO.as_bytes()));
        assert!(!recognize(b"From here we go at 10:00.\n\nNote: it is late."));
        let parsed = parse(TWO.as_bytes(), &Bounds::default()).unwrap();
        assert_eq!(
            parsed.text,
            "## Tea (Ann Lee, 2001-05-03)\n\n- From: Ann Lee <ann@example.org>\n- To: list@example.org\n- Date: 2001-05-03 10:00 +02:00\n\nFrom here the tide comes in.\nFrom there it goes.\n\n## Re: Tea (Bob, 2001-05-04)\n\n- From: Bob <bob@example.org>\n- Date: 2001-05-04 09:00 +02:00\n\n> From here the tide comes in.\n\nYes."
        );
        assert_eq!(parsed.title.as_deref(), Some("Tea"));
        assert_eq!(parsed.metadata["thread"], "Tea");
        assert_eq!(parsed.metadata["messages"], "2");
    }

    // proves: A6
    #[test]
    fn a_large_mailbox_comes_in_parts() {
        let bytes = TWO.repeat(250);
        let parsed = parse(bytes.as_bytes(), &Bounds::default()).unwrap();
        let names: Vec<&str> = parsed.inner.iter().map(|part| &*part.name).collect();
        assert_eq!(
            names,
            ["messages-00001-00200.mbox", "messages-00201-00400.mbox", "messages-00401-00500.mbox"]
        );
        let part = parse(&parsed.inner[2].bytes, &Bounds::default()).unwrap();
        assert_eq!(part.metadata["messages"], "100");
        let bounds = Bounds { text_bytes: 5_000, ..Bounds::default() };
        let cut = parse(TWO.repeat(50).as_bytes(), &bounds).unwrap();
        assert!(cut.text.len() < 5_000 && cut.text.ends_with("of 100 messages."), "{}", cut.text);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        // proves: A6
        #[test]
        fn a_damaged_mailbox_is_read_or_refused(
            flips in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..8),
            cut in any::<prop::sample::Index>(),
        ) {
            let mut bytes = TWO.as_bytes().to_vec();
            for (at, byte) in flips {
                let at = at.index(bytes.len());
                bytes[at] = byte;
            }
            bytes.truncate(cut.index(bytes.len() * 2).max(1));
            let _ = parse(&bytes, &Bounds::default());
        }
    }
}
