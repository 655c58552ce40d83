//! Tolerant parsing of JSON replies: an unreadable item costs only that item, a field of the wrong type only that field.
//!
//! A reply is first split into its members, and these into items; only then is each item parsed.

use std::borrow::Cow;
use std::fmt;

use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderValue};
use reqwest::{StatusCode, Url};
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

use run::error::PortError;
use transport::Service;

use crate::markup;
use crate::service::Reply;

/// The most items read from one reply; no service here sends more.
const ITEMS: usize = 1_000;
/// The longest item, in bytes: a work with three thousand authors and their institutions has five million.
const ITEM_BYTES: usize = 8 << 20;
/// The most elements read from a list within an item; the longest author lists have five thousand.
const LISTED: usize = 10_000;

/// The text of a reply, which [`Parts`] borrows from.
pub(crate) struct Body<'a> {
    service: Service<'a>,
    media_type: &'a str,
    text: Cow<'a, str>,
}

impl<'a> Body<'a> {
    /// Takes the body of a success; any other status becomes its error.
    ///
    /// Invalid UTF-8 is replaced.
    pub(crate) fn of(service: Service<'a>, reply: &'a Reply) -> Result<Body<'a>, PortError> {
        let text = String::from_utf8_lossy(&reply.body);
        match reply.status {
            200..300 => Ok(Body { service, media_type: &reply.media_type, text }),
            _ => Err(refused(service, reply, &text)),
        }
    }

    /// Returns the body as one item.
    pub(crate) fn whole(&self) -> Result<&RawValue, PortError> {
        let text = self.text.trim_start_matches('\u{feff}');
        serde_json::from_str(text)
            .map_err(|cause| self.service.not_json(text.as_bytes(), self.media_type, &cause))
    }

    /// Splits the body into its members; of an object, those in `names`, in order.
    pub(crate) fn parts<const N: usize>(
        &self,
        names: [&'static str; N],
    ) -> Result<Parts<'_, N>, PortError> {
        let text = self.text.trim_start_matches('\u{feff}');
        let mut reader = serde_json::Deserializer::from_str(text);
        let parts = Names(names).deserialize(&mut reader);
        parts
            .and_then(|parts| reader.end().map(|()| parts))
            .map_err(|cause| self.service.not_json(text.as_bytes(), self.media_type, &cause))
    }
}

/// Returns the error for an unsuccessful status, with the reply's message.
pub(crate) fn refused(service: Service<'_>, reply: &Reply, said: &str) -> PortError {
    let headers = HeaderValue::from_str(&reply.media_type)
        .map(|media_type| HeaderMap::from_iter([(CONTENT_TYPE, media_type)]));
    match StatusCode::from_u16(reply.status) {
        Ok(status) => service.refused(status, &headers.unwrap_or_default(), said),
        Err(_) => service.malformed(&format!("the status {}", reply.status)),
    }
}

/// The parts of a reply.
#[derive(Debug)]
pub(crate) enum Parts<'a, const N: usize> {
    Object([Option<&'a RawValue>; N]),
    List(Vec<&'a RawValue>),
}

struct Names<const N: usize>([&'static str; N]);

impl<'de, const N: usize> DeserializeSeed<'de> for Names<N> {
    type Value = Parts<'de, N>;

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<Self::Value, D::Error> {
        reader.deserialize_any(self)
    }
}

impl<'de, const N: usize> Visitor<'de> for Names<N> {
    type Value = Parts<'de, N>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object or a list")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut members = [None; N];
        while let Some(name) = map.next_key::<Cow<'de, str>>()? {
            match self.0.iter().position(|wanted| *wanted == name) {
                Some(place) => members[place] = Some(map.next_value()?),
                None => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(Parts::Object(members))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut items = Vec::new();
        while items.len() < ITEMS {
            match seq.next_element()? {
                Some(item) => items.push(item),
                None => return Ok(Parts::List(items)),
            }
        }
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Parts::List(items))
    }
}

/// Returns the items of a list, or `None` if it is not a list.
pub(crate) fn items(raw: &RawValue) -> Option<Vec<&RawValue>> {
    let parts = Names([]).deserialize(&mut serde_json::Deserializer::from_str(raw.get()));
    match parts {
        Ok(Parts::List(items)) => Some(items),
        _ => None,
    }
}

/// Returns members of an object; each is `None` for any other value.
pub(crate) fn members<'a, const N: usize>(
    raw: &'a RawValue,
    names: [&'static str; N],
) -> [Option<&'a RawValue>; N] {
    let parts = Names(names).deserialize(&mut serde_json::Deserializer::from_str(raw.get()));
    match parts {
        Ok(Parts::Object(members)) => members,
        _ => [None; N],
    }
}

/// Reads one item; returns `None` if it cannot be read.
pub(crate) fn item(raw: &RawValue) -> Option<Value> {
    (raw.get().len() <= ITEM_BYTES).then(|| serde_json::from_str(raw.get()).ok())?
}

/// Reads the readable items. Fails only if there are items and none is usable, which differs from finding nothing. A null counts as no
/// item.
pub(crate) fn read<T>(
    service: Service<'_>,
    items: &[&RawValue],
    read: impl Fn(&Value) -> Option<T>,
) -> Result<Vec<T>, PortError> {
    let mut there = items.iter().filter(|item| item.get() != "null").peekable();
    let some = there.peek().is_some();
    let found: Vec<T> = there.filter_map(|raw| read(&item(raw)?)).collect();
    match (some, found.is_empty()) {
        (true, true) => Err(service.malformed("items, none of them readable")),
        _ => Ok(found),
    }
}

/// Fails if a service counts results but sends none on the first page, which also differs from finding nothing.
pub(crate) fn not_withheld(
    service: Service<'_>,
    items: &[&RawValue],
    total: Option<&RawValue>,
) -> Result<(), PortError> {
    let none = items.iter().all(|item| item.get() == "null");
    match total.and_then(item).and_then(|total| number(&total, "")) {
        Some(total @ 1..) if none => {
            Err(service.malformed(&format!("a count of {total} results, but none of them")))
        }
        _ => Ok(()),
    }
}

/// Returns the text or number at a JSON pointer such as `/journal/name`, as plain text.
pub(crate) fn text(value: &Value, pointer: &str) -> Option<String> {
    let text = match value.pointer(pointer)? {
        Value::String(text) => markup::plain(text),
        Value::Number(number) => number.to_string(),
        _ => return None,
    };
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}

/// Returns the text at a pointer, on one line.
pub(crate) fn line(value: &Value, pointer: &str) -> Option<String> {
    Some(text(value, pointer)?.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// Returns the distinct lines of a list.
pub(crate) fn lines(value: &Value, pointer: &str) -> Vec<String> {
    markup::distinct(list(value, pointer).iter().filter_map(|one| line(one, "")))
}

/// Returns up to [`LISTED`] elements of a list; empty if there is none.
pub(crate) fn list<'a>(value: &'a Value, pointer: &str) -> &'a [Value] {
    let all = value.pointer(pointer).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    all.get(..LISTED).unwrap_or(all)
}

/// Returns a whole number, even if it is written as text.
pub(crate) fn number(value: &Value, pointer: &str) -> Option<u64> {
    match value.pointer(pointer)? {
        Value::Number(number) => number.as_u64(),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    }
}

pub(crate) fn flag(value: &Value, pointer: &str) -> Option<bool> {
    value.pointer(pointer)?.as_bool()
}

/// Returns the URL at a pointer, if it is a web address.
pub(crate) fn link(value: &Value, pointer: &str) -> Option<Url> {
    let url = Url::parse(value.pointer(pointer)?.as_str()?.trim()).ok()?;
    (matches!(url.scheme(), "http" | "https") && url.has_host()).then_some(url)
}

/// Returns `base` with further segments, each percent-encoded.
pub(crate) fn under<'s>(base: &Url, segments: impl IntoIterator<Item = &'s str>) -> Url {
    let mut url = base.clone();
    if let Ok(mut path) = url.path_segments_mut() {
        path.pop_if_empty().extend(segments);
    }
    url
}

/// Returns at most `most` characters of a text, cut between words if possible.
pub(crate) fn cut(text: &str, most: usize) -> &str {
    let text = text.trim();
    let Some((end, _)) = text.char_indices().nth(most) else { return text };
    let head = &text[..end];
    if text[end..].starts_with(char::is_whitespace) {
        return head.trim_end();
    }
    match head.rsplit_once(char::is_whitespace) {
        Some((words, _)) if !words.trim().is_empty() => words.trim_end(),
        _ => head,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    const SERVICE: Service<'static> = Service { name: "Test", key: None };

    fn reply(body: &str) -> Reply {
        Reply { status: 200, media_type: "application/json".into(), body: body.into() }
    }

    fn titles(body: &[u8]) -> Result<Vec<String>, PortError> {
        let reply =
            Reply { status: 200, media_type: "application/json".into(), body: body.to_vec() };
        let body = Body::of(SERVICE, &reply)?;
        let items = match body.parts(["data"])? {
            Parts::Object([data]) => data.and_then(items).unwrap_or_default(),
            Parts::List(items) => items,
        };
        read(SERVICE, &items, |value| text(value, "/title"))
    }

    #[test]
    fn an_unreadable_item_costs_itself_alone() {
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        for bad in
            ["1e999", r#"{"title":"\ud800"}"#, "7", "[]", "null", r#"{"title":[]}"#, deep.as_str()]
        {
            let body = format!(r#"{{"x":{{}},"data":[{{"title":"a"}},{bad},{{"title":"b"}}]}}"#);
            assert_eq!(titles(body.as_bytes()).unwrap(), ["a", "b"], "{bad:.40}");
        }
        assert_eq!(titles(b"[{\"title\":\"a\xff\"}]").unwrap(), ["a\u{fffd}"]);
        assert_eq!(titles("\u{feff}[]".as_bytes()).unwrap(), [] as [&str; 0]);
    }

    #[test]
    fn items_of_which_none_can_be_read_are_not_nothing() {
        assert_eq!(titles(b"[null, null]").unwrap(), [] as [&str; 0]);
        let error = titles(b"[null, 7]").unwrap_err();
        assert_eq!(error.to_string(), "Test sent an unusable answer: items, none of them readable");
    }

    #[test]
    fn a_count_of_which_none_is_sent_is_not_nothing() {
        let of = |items: &str, total: &str| {
            let (items, total): (Box<RawValue>, Box<RawValue>) =
                (serde_json::from_str(items).unwrap(), serde_json::from_str(total).unwrap());
            not_withheld(SERVICE, &super::items(&items).unwrap(), Some(&*total))
        };
        for (items, total) in [("[]", "0"), ("[{}]", "900"), ("[]", "null"), ("[]", "-1")] {
            assert_eq!(of(items, total), Ok(()), "{items} of {total}");
        }
        for items in ["[]", "[null]"] {
            let error = of(items, "900").unwrap_err().to_string();
            assert_eq!(
                error,
                "Test sent an unusable answer: a count of 900 results, but none of them"
            );
        }
    }

    #[test]
    fn what_is_no_json_is_said() {
        for (body, says) in [
            (r#"{"data":[{"title":"a"},{"ti"#, "broken JSON"),
            ("[] []", "broken JSON"),
            ("\"text\"", "broken JSON"),
            ("", "nothing"),
        ] {
            let error = titles(body.as_bytes()).unwrap_err().to_string();
            assert!(error.contains(says), "{body}: {error}");
        }
        let page = Reply { media_type: "text/html".into(), ..reply("<title>Login</title>") };
        let error =
            Body::of(SERVICE, &page).and_then(|body| body.parts(["data"]).map(|_| ())).unwrap_err();
        assert_eq!(error.to_string(), "Test sent an unusable answer: an HTML page titled 'Login'");
    }

    #[test]
    fn a_list_is_read_up_to_a_bound() {
        let body = format!("[{}{{}}]", "{\"title\":\"a\"},".repeat(ITEMS + 5));
        assert_eq!(titles(body.as_bytes()).unwrap().len(), ITEMS);
    }

    #[test]
    fn only_addresses_of_the_web_are_links() {
        let links = json!(["https://a.example/b c", " http://a.example ", "javascript:alert(1)"]);
        assert_eq!(link(&links, "/0").map(String::from), Some("https://a.example/b%20c".into()));
        assert_eq!(link(&links, "/1").map(String::from), Some("http://a.example/".into()));
        assert_eq!(link(&links, "/2"), None);
        assert_eq!(link(&json!("ftp://a.example/"), ""), None);
    }

    #[test]
    fn a_base_address_may_have_a_path() {
        for (base, whole) in [
            ("http://h/", "http://h/a/b%2Fc%3Fd"),
            ("http://h/p", "http://h/p/a/b%2Fc%3Fd"),
            ("http://h/p/", "http://h/p/a/b%2Fc%3Fd"),
        ] {
            assert_eq!(under(&Url::parse(base).unwrap(), ["a", "b/c?d"]).as_str(), whole);
        }
    }

    proptest! {
        #[test]
        fn a_text_is_cut_between_words(text in r"\PC{0,60}", most in 1_usize..50) {
            let short = cut(&text, most);
            prop_assert!(short.chars().count() <= most);
            prop_assert!(text.contains(short));
            prop_assert!(!short.is_empty() || text.trim().is_empty());
        }
    }
}
