//! A message becomes Markdown: its subject, who wrote it to whom and when, and its text; attachments are files within it.
//!
//! Of a message in plain text and HTML the plain text is read, unless it only says that there is HTML. Quoted messages become block
//! quotes. Pictures within the text and electronic signatures have no words and are left out.

mod boundary;
mod plain;

use std::collections::BTreeMap;

use mail_parser::{
    Address, DateTime, Encoding, HeaderValue, Message, MessageParser, MessagePart, MimeHeaders,
    PartType,
};
use plain::Flow;

use crate::html::{Preformatted, Settings, Unseen};
use crate::members::{Members, clean};
use crate::{Bounds, Fault, Parsed, Writer, tidy};

/// The most parts of a message that hold others; a message of people has a few.
const NESTED_PARTS: usize = 300;
/// The most people that are named in a line.
const NAMED: usize = 50;

/// Returns whether the bytes are a message: lines of a header with a sender, and what only mail programs write.
pub(crate) fn recognize(bytes: &[u8]) -> bool {
    let (mut is_from, mut is_mail, mut any) = (false, false, false);
    for line in bytes.split(|byte| *byte == b'\n').take(200) {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.is_empty() {
            break;
        }
        if any && matches!(line.first(), Some(b' ' | b'\t')) {
            continue;
        }
        let Some(name) = header_name(line) else { return false };
        any = true;
        is_from |= matches!(name.as_str(), "from" | "return-path" | "received" | "sender");
        is_mail |= matches!(
            name.as_str(),
            "message-id"
                | "received"
                | "mime-version"
                | "return-path"
                | "delivered-to"
                | "x-mailer"
        );
    }
    is_from && is_mail
}

/// Returns the name of a header in lower case, if the line begins with one.
pub(crate) fn header_name(line: &[u8]) -> Option<String> {
    let end = line.iter().take(80).position(|byte| *byte == b':')?;
    let name = line.get(..end)?;
    let is_name = !name.is_empty()
        && name.iter().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(byte));
    is_name.then(|| String::from_utf8_lossy(name).to_ascii_lowercase())
}

/// Returns what a message says.
pub(crate) fn parse(bytes: &[u8], bounds: &Bounds) -> Result<Parsed, Fault> {
    let message = read(bytes)?;
    let mut page = Writer::new(bounds.text_bytes);
    let mut members = Members::new(bounds);
    write(&message, 1, "", &mut page, &mut members);
    members.tell(&mut page);
    let mut metadata = list_metadata(&message);
    metadata.extend(page.left_out());
    let title = metadata.get("subject").cloned();
    Ok(Parsed {
        title,
        text: page.finish(),
        metadata,
        inner: members.finish(),
        ..Parsed::default()
    })
}

/// Returns the message in `bytes`, which it refuses if its parts are nested without end.
pub(crate) fn read(bytes: &[u8]) -> Result<Message<'_>, Fault> {
    if nested_parts(bytes) > NESTED_PARTS {
        return Err(Fault::TooComplex {
            what: format!("a message of more than {NESTED_PARTS} messages or groups of parts"),
        });
    }
    // A line before the header that separates messages in a mailbox.
    let bytes = match bytes.iter().position(|byte| *byte == b'\n') {
        Some(end) if bytes.starts_with(b"From ") || bytes.starts_with(b">From ") => {
            &bytes[end + 1..]
        }
        _ => bytes,
    };
    let damaged = || Fault::Damaged { format: "e-mail".to_owned() };
    let message = MessageParser::default().parse(bytes).ok_or_else(damaged)?;
    match boundary::mended(&message) {
        Some(bytes) => {
            let message = MessageParser::default().parse(&bytes).ok_or_else(damaged)?;
            Ok(message.into_owned())
        }
        None => Ok(message),
    }
}

/// Returns how many lines give a content type of parts within parts.
fn nested_parts(bytes: &[u8]) -> usize {
    let is_nested = |rest: &[u8]| {
        let rest = rest.trim_ascii_start();
        let starts =
            |kind: &[u8]| rest.get(..kind.len()).is_some_and(|it| it.eq_ignore_ascii_case(kind));
        starts(b"multipart/") || starts(b"message/")
    };
    let name = b"content-type:";
    let mut count = 0;
    let mut from = 0;
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        let trimmed = line.trim_ascii_start();
        if trimmed.get(..name.len()).is_some_and(|it| it.eq_ignore_ascii_case(name)) {
            let start = from + (line.len() - trimmed.len()) + name.len();
            let end = (start + 200).min(bytes.len());
            count += usize::from(is_nested(&bytes[start.min(end)..end]));
        }
        from += line.len();
    }
    count
}

/// Returns what the header says.
pub(crate) fn list_metadata(message: &Message) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut add = |name: &str, value: String| {
        if !value.is_empty() {
            found.insert(name.to_owned(), value);
        }
    };
    add("subject", read_subject(message));
    add("from", people(message.from()));
    add("to", people(message.to()));
    add("date", date(message).map(DateTime::to_rfc3339).unwrap_or_default());
    add("message-id", message.message_id().map(tidy).unwrap_or_default());
    add("in-reply-to", first(message.in_reply_to()));
    add("thread", thread(message));
    found
}

/// Returns the subject without what replies and forwarded messages put before it.
pub(crate) fn thread(message: &Message) -> String {
    let subject = read_subject(message);
    tidy(mail_parser::parsers::fields::thread::thread_name(&subject))
}

pub(crate) fn read_subject(message: &Message) -> String {
    tidy(message.subject().unwrap_or_default())
}

/// Returns when the message was sent, if its header gives a time that there is.
pub(crate) fn date<'a>(message: &'a Message) -> Option<&'a DateTime> {
    message.date().filter(|date| date.is_valid() && date.year > 0)
}

/// Returns the names of senders, or their addresses if they have none.
pub(crate) fn senders(message: &Message) -> String {
    let named = message.from().into_iter().flat_map(|all| all.iter());
    let name = |one: &mail_parser::Addr| tidy(one.name().or(one.address()).unwrap_or_default());
    named.take(3).map(name).collect::<Vec<_>>().join(", ")
}

/// Writes a message with its subject as a heading of `level`, to which `byline` is added.
pub(crate) fn write(
    message: &Message,
    level: usize,
    byline: &str,
    page: &mut Writer,
    members: &mut Members,
) {
    page.heading(level, &format!("{} {byline}", read_subject(message)));
    for (label, value) in [
        ("From", people(message.from())),
        ("To", people(message.to())),
        ("Cc", people(message.cc())),
        ("Date", date(message).map(shown_date).unwrap_or_default()),
        ("Attachments", attachments(message)),
    ] {
        if !value.is_empty() {
            page.item(0, "-", &format!("{label}: {value}"));
        }
    }
    body(message, level, page);
    for part in attached(message) {
        attach(message, part, members);
    }
}

/// Writes the text of a message.
fn body(message: &Message, level: usize, page: &mut Writer) {
    let mut bodies: Vec<&MessagePart> = message.text_bodies().collect();
    let count = |parts: &[&MessagePart]| -> usize {
        let texts = parts.iter().filter_map(|part| part.text_contents());
        texts.map(|text| text.split_whitespace().count()).sum()
    };
    // A plain part of a few words that stands for HTML of many only says that it is there.
    let html: Vec<&MessagePart> = message.html_bodies().collect();
    let words = count(&bodies);
    if words < 40 && html.iter().any(|part| part.is_text_html()) && count(&html) > words * 8 {
        bodies = html;
    }
    if bodies.is_empty() {
        bodies = cut_off(message);
    }
    for part in bodies {
        match &part.body {
            PartType::Text(text) => plain::write(text, flow(part), level, page),
            PartType::Html(html) => {
                let settings = Settings {
                    level,
                    unseen: Unseen::LeftOut,
                    preformatted: Preformatted::Mail,
                    most_rows: None,
                };
                crate::html::write(html, settings, page);
            }
            _ => {}
        }
    }
    if is_encrypted(message) {
        page.paragraph("The text of this message is encrypted.");
    }
}

/// Writes a message's text that stands in HTML as it is, below a heading of `level`.
pub(crate) fn write_plain(text: &str, level: usize, page: &mut Writer) {
    plain::write(text, Flow::default(), level, page);
}

fn is_encrypted(message: &Message) -> bool {
    let root = message.root_part().content_type();
    root.is_some_and(|kind| kind.subtype() == Some("encrypted"))
}

/// Returns the texts of a message that was cut off, or whose parts are not where it says: they look like attachments then.
fn cut_off<'a, 'x>(message: &'a Message<'x>) -> Vec<&'a MessagePart<'x>> {
    if message.text_bodies().next().is_some() {
        return Vec::new();
    }
    let parts = message.attachments.iter().filter_map(|index| message.part(*index));
    let is_text = |part: &&MessagePart| {
        let is_attached =
            part.content_disposition().is_some_and(mail_parser::ContentType::is_attachment);
        matches!(part.body, PartType::Text(_) | PartType::Html(_))
            && !is_attached
            && part.attachment_name().is_none()
    };
    parts.filter(is_text).collect()
}

/// Returns the parts that are attachments with words of their own.
fn attached<'a, 'x>(message: &'a Message<'x>) -> Vec<&'a MessagePart<'x>> {
    if is_encrypted(message) {
        return Vec::new();
    }
    let bodies = cut_off(message);
    let parts = message.attachments.iter().filter_map(|index| message.part(*index));
    let is_body = |part: &MessagePart| bodies.iter().any(|body| std::ptr::eq(*body, part));
    parts.filter(|part| is_shown(part) && !is_body(part)).collect()
}

fn flow(part: &MessagePart) -> Flow {
    let says = |name: &str, value: &str| {
        let kind = part.content_type().and_then(|kind| kind.attribute(name));
        kind.is_some_and(|it| it.eq_ignore_ascii_case(value))
    };
    Flow { flowed: says("format", "flowed"), drop_space: says("delsp", "yes") }
}

/// Returns whether a part has words of its own.
fn is_shown(part: &MessagePart) -> bool {
    let kind = part.content_type().map(|kind| (kind.ctype(), kind.subtype().unwrap_or_default()));
    let is_attached =
        part.content_disposition().is_some_and(mail_parser::ContentType::is_attachment);
    match kind {
        Some(("image" | "audio" | "video", _)) => is_attached && part.content_id().is_none(),
        Some((
            "application",
            "pgp-signature" | "pkcs7-signature" | "x-pkcs7-signature" | "pgp-encrypted",
        )) => false,
        // What a server says of a delivery is in the text before it.
        Some(("message", "delivery-status" | "disposition-notification")) => false,
        Some(("text", "rfc822-headers")) => false,
        _ => true,
    }
}

fn attachments(message: &Message) -> String {
    attached(message).into_iter().map(name_part).collect::<Vec<_>>().join(", ")
}

/// Returns the name of an attachment, made from its type if the message gives none.
fn name_part(part: &MessagePart) -> String {
    // Where the name cannot be read, its description often repeats it.
    let is_name = |words: &&str| {
        words.rsplit_once('.').is_some_and(|(_, end)| {
            (2..=5).contains(&end.len()) && end.bytes().all(|it| it.is_ascii_alphanumeric())
        })
    };
    let given = part.attachment_name().or_else(|| part.content_description().filter(is_name));
    let given = given.map(|name| name.rsplit(['/', '\\']).next().unwrap_or_default());
    let given = given.map(|name| tidy(name.trim_start_matches('.'))).and_then(|name| clean(&name));
    let subject = part.message().map(read_subject).filter(|it| !it.is_empty());
    let is_message = part.is_message();
    if let Some(name) = given {
        let has_end = !is_message || name.to_lowercase().ends_with(".eml");
        return if has_end { name } else { format!("{name}.eml") };
    }
    if is_message {
        let subject = subject.and_then(|subject| clean(&subject.replace(['/', '\\', ':'], " ")));
        return format!("{}.eml", subject.as_deref().unwrap_or("message"));
    }
    let kind = part.content_type().map(|kind| (kind.ctype(), kind.subtype().unwrap_or_default()));
    match kind {
        Some(("text", "html")) => "attachment.html".to_owned(),
        Some(("text", "calendar")) => "invitation.ics".to_owned(),
        Some(("text", "csv")) => "attachment.csv".to_owned(),
        Some(("text", "markdown")) => "attachment.md".to_owned(),
        None | Some(("text", _)) => "attachment.txt".to_owned(),
        Some(("application", "pdf")) => "attachment.pdf".to_owned(),
        Some(("application", "ms-tnef")) => "winmail.dat".to_owned(),
        Some(_) => "attachment".to_owned(),
    }
}

fn attach(message: &Message, part: &MessagePart, members: &mut Members) {
    let name = name_part(part);
    match &part.body {
        PartType::Text(text) | PartType::Html(text) => members.read(&name, text.as_bytes()),
        PartType::Binary(bytes) | PartType::InlineBinary(bytes) => members.read(&name, &**bytes),
        PartType::Message(inner) if part.encoding != Encoding::None => {
            members.read(&name, &*inner.raw_message);
        }
        PartType::Message(_) => {
            let (start, end) = (part.offset_body as usize, part.offset_end as usize);
            members.read(&name, message.raw_message.get(start..end).unwrap_or_default());
        }
        PartType::Multipart(_) => {}
    }
}

/// Returns names and addresses as `Ann Lee <ann@example.org>`.
fn people(all: Option<&Address>) -> String {
    let Some(all) = all else { return String::new() };
    let mut shown: Vec<String> = Vec::new();
    for one in all.iter() {
        let name = tidy(one.name().unwrap_or_default());
        let address = tidy(one.address().unwrap_or_default());
        let one = match (name.as_str(), address.as_str()) {
            ("", address) => address.to_owned(),
            (name, "") => name.to_owned(),
            (name, address) if name == address => name.to_owned(),
            (name, address) => format!("{name} <{address}>"),
        };
        if shown.len() == NAMED {
            let rest = all.iter().count() - NAMED;
            shown.push(format!("and {rest} more"));
            break;
        }
        if !one.is_empty() {
            shown.push(one);
        }
    }
    shown.join(", ")
}

fn first(value: &HeaderValue) -> String {
    let all = value.as_text_list().and_then(|all| all.first()).map(|id| tidy(id));
    all.or_else(|| value.as_text().map(tidy)).unwrap_or_default()
}

fn shown_date(date: &DateTime) -> String {
    let DateTime { year, month, day, hour, minute, .. } = date;
    let sign = if date.tz_before_gmt { '-' } else { '+' };
    let (zone_hour, zone_minute) = (date.tz_hour, date.tz_minute);
    format!(
        "{year:04}-{month:02}-{day:02} {hour:02}:{minute:02} {sign}{zone_hour:02}:{zone_minute:02}"
    )
}

#[cfg(test)]
mod tests;
