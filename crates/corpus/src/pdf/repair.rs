//! A damaged PDF is put together anew from the objects that are still in it.
//!
//! The table that says where each object stands is the part that breaks first, and nothing can be read without it. So the whole file is
//! searched for objects, object streams are unpacked, the length of each stream is measured, pages that no list names any more are added
//! to the list, and all is written as a new file.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::io::Read;

use flate2::read::ZlibDecoder;

/// The most bytes that one object stream may unpack to.
const UNPACKED: usize = 32 << 20;
/// The most bytes of a new file for each byte of the old one.
const GROWTH: usize = 8;
/// The most objects in a file.
const OBJECTS: usize = 2_000_000;
/// How much of a trailer is looked at, in bytes.
const TRAILER: usize = 4096;
/// How many levels of lists of pages may stand in each other.
const LEVELS: usize = 64;

/// A PDF put together anew.
pub(super) struct Rebuilt {
    pub(super) bytes: Vec<u8>,
    /// How many pages the file says it has and does not hold.
    pub(super) pages_missing: usize,
}

/// An object as it stands in the file: its text, and its data if it is a stream.
#[derive(Clone)]
struct Found<'a> {
    text: Vec<u8>,
    data: Option<&'a [u8]>,
    /// The order in the file.
    at: (usize, usize),
}

/// Returns the file put together anew, or `None` if it is encrypted or holds no page.
pub(super) fn rebuild(bytes: &[u8]) -> Option<Rebuilt> {
    if find(bytes, b"/Encrypt").is_some() {
        return None;
    }
    let mut objects: BTreeMap<u32, Found> = BTreeMap::new();
    let mut trailers: Vec<Vec<u8>> = Vec::new();
    let mut unpacked = 0_usize;
    let most_number = bytes.len().saturating_add(1_000);
    let most = bytes.len().saturating_mul(GROWTH).saturating_add(1 << 20);
    for object in Search::of(bytes) {
        if objects.len() >= OBJECTS || unpacked > most {
            break;
        }
        let Object { number, start, text, data } = object;
        // The engines make room for all numbers up to the highest.
        if number as usize > most_number {
            continue;
        }
        match data {
            Some(data) if is_a(text, b"ObjStm") => {
                let parts = unpack(text, data);
                unpacked += parts.iter().map(|(_, text)| text.len()).sum::<usize>();
                let parts = parts.into_iter().filter(|(number, _)| *number as usize <= most_number);
                for (index, (number, text)) in parts.enumerate() {
                    objects.insert(number, Found { text, data: None, at: (start, index) });
                }
            }
            Some(_) if is_a(text, b"XRef") => trailers.push(text.to_vec()),
            data => {
                objects.insert(number, Found { text: text.to_vec(), data, at: (start, 0) });
            }
        }
    }
    trailers.extend(
        after_each(bytes, b"trailer").map(|rest| rest.get(..TRAILER).unwrap_or(rest).to_vec()),
    );
    let mut pages = list_pages(&objects, &trailers);
    if pages.is_empty() {
        pages = make_pages(&mut objects);
    }
    if pages.is_empty() {
        return None;
    }
    let counts = objects.values().filter(|object| is_a(&object.text, b"Pages"));
    let count = counts.filter_map(|object| number_of(key(&object.text, b"Count")?)).max();
    let pages_missing = count.map_or(0, |count| (count as usize).saturating_sub(pages.len()));
    // A damaged number is no number of pages.
    let pages_missing = if pages_missing > 10_000 { 0 } else { pages_missing };
    Some(Rebuilt { bytes: written(&objects, &trailers, &pages), pages_missing })
}

/// An object's place in the file.
struct Object<'a> {
    number: u32,
    start: usize,
    text: &'a [u8],
    data: Option<&'a [u8]>,
}

/// A search for objects from the start of a file to its end.
struct Search<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Where the next of these words stand.
    endobj: Ahead,
    stream: Ahead,
    endstream: Ahead,
}

/// Where a word stands next; kept, so that a file without it is searched once.
struct Ahead {
    word: &'static [u8],
    place: Option<usize>,
}

impl Ahead {
    fn of(word: &'static [u8]) -> Self {
        Self { word, place: Some(0) }
    }

    /// Returns where the word stands at or after `from`, which never falls.
    fn from(&mut self, bytes: &[u8], from: usize) -> Option<usize> {
        if self.place.is_some_and(|place| place < from) {
            let rest = bytes.get(from..).unwrap_or_default();
            self.place = find(rest, self.word).map(|at| from + at);
        }
        self.place
    }
}

impl<'a> Search<'a> {
    fn of(bytes: &'a [u8]) -> Self {
        let [endobj, stream, endstream] =
            [b"endobj".as_slice(), b"stream", b"endstream"].map(Ahead::of);
        Self { bytes, at: 0, endobj, stream, endstream }
    }
}

impl<'a> Iterator for Search<'a> {
    type Item = Object<'a>;

    fn next(&mut self) -> Option<Object<'a>> {
        let bytes = self.bytes;
        let from = self.at;
        let mut at = from;
        let (number, start) = loop {
            let word = at + find(bytes.get(at..)?, b"obj")?;
            at = word + 3;
            if let Some((number, start)) = opening(&bytes[from..word]) {
                break (number, from + start);
            }
        };
        let end = self.endobj.from(bytes, at).unwrap_or(bytes.len());
        let stream = self
            .stream
            .from(bytes, at)
            .filter(|stream| *stream < end && bytes[at..*stream].trim_ascii_end().ends_with(b">>"));
        // The end may be lost, so that the next object begins within.
        let stop = stream.unwrap_or(end);
        if let Some(next) = find_opening(&bytes[at..stop]) {
            self.at = at + next;
            let text = bytes[at..at + next].trim_ascii();
            return Some(Object { number, start, text, data: None });
        }
        let text = bytes[at..stop].trim_ascii();
        let Some(stream) = stream else {
            self.at = end;
            return Some(Object { number, start, text, data: None });
        };
        let mut data = stream + 6;
        data += usize::from(bytes.get(data) == Some(&b'\r'));
        data += usize::from(bytes.get(data) == Some(&b'\n'));
        let rest = bytes.get(data..).unwrap_or_default();
        let length = key(text, b"Length").and_then(number_of).map(|length| length as usize);
        let length = length.filter(|length| {
            let after = rest.get(*length..).map(<[u8]>::trim_ascii_start);
            after.is_some_and(|after| after.starts_with(b"endstream"))
        });
        let length = length.unwrap_or_else(|| {
            let end = self.endstream.from(bytes, data);
            let end = end.or_else(|| self.endobj.from(bytes, data));
            end.map_or(rest.len(), |end| end - data)
        });
        self.at = data + length;
        Some(Object { number, start, text, data: Some(&rest[..length]) })
    }
}

/// Returns the number and the start of an object whose word `obj` follows directly.
fn opening(before: &[u8]) -> Option<(u32, usize)> {
    let generation_end = before.trim_ascii_end().len();
    let generation = digits_before(before, generation_end)?;
    if generation_end - generation > 5 || generation == 0 {
        return None;
    }
    let number_end = before[..generation].trim_ascii_end().len();
    if number_end == generation {
        return None;
    }
    let number = digits_before(before, number_end)?;
    let value = number_of(&before[number..number_end])?;
    (number_end - number <= 8).then_some((value, number))
}

fn digits_before(text: &[u8], end: usize) -> Option<usize> {
    let digits = text[..end].iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    (digits > 0).then(|| end - digits)
}

/// Returns where another object begins in `text`, if one does.
fn find_opening(text: &[u8]) -> Option<usize> {
    let mut at = 0;
    while let Some(word) = text.get(at..).and_then(|rest| find(rest, b"obj")) {
        let word = at + word;
        if let Some((_, start)) = opening(&text[..word])
            && text.get(word + 3).is_some_and(|byte| byte.is_ascii_whitespace() || *byte == b'<')
        {
            return Some(start);
        }
        at = word + 3;
    }
    None
}

/// Returns what a packed stream holds, up to the first damage.
fn inflate(data: &[u8], most: usize) -> Vec<u8> {
    let mut plain = Vec::new();
    let mut from = ZlibDecoder::new(data);
    // What one step unpacks is lost with the damage in it, so the steps are small.
    let mut step = [0; 256];
    while plain.len() < most {
        match from.read(&mut step) {
            Ok(0) | Err(_) => break,
            Ok(count) => plain.extend_from_slice(&step[..count]),
        }
    }
    plain
}

/// Returns the objects in an object stream, as far as it can be unpacked.
fn unpack(text: &[u8], data: &[u8]) -> Vec<(u32, Vec<u8>)> {
    let packed = key(text, b"Filter").is_some();
    let plain = if packed { inflate(data, UNPACKED) } else { data.to_vec() };
    let Some(first) = key(text, b"First").and_then(number_of).map(|first| first as usize) else {
        return Vec::new();
    };
    let Some((head, body)) = plain.split_at_checked(first) else { return Vec::new() };
    let numbers: Vec<usize> = head
        .split(u8::is_ascii_whitespace)
        .filter(|part| !part.is_empty())
        .map_while(|part| number_of(part).map(|number| number as usize))
        .collect();
    let mut places: Vec<(usize, u32)> = numbers
        .chunks_exact(2)
        .filter_map(|pair| Some((pair[1], u32::try_from(pair[0]).ok()?)))
        .collect();
    places.sort_unstable();
    let ends = places.iter().skip(1).map(|(start, _)| *start).chain([body.len()]);
    places
        .iter()
        .zip(ends)
        .filter_map(|((start, number), end)| Some((*number, body.get(*start..end)?.to_vec())))
        .filter(|(_, text)| !text.trim_ascii().is_empty())
        .collect()
}

/// Returns the pages in the order of the file's lists, then of the file.
fn list_pages(objects: &BTreeMap<u32, Found>, trailers: &[Vec<u8>]) -> Vec<u32> {
    let root = find_root(objects, trailers)
        .and_then(|root| reference(key(&objects[&root].text, b"Pages")?));
    let mut listed: Vec<u32> = Vec::new();
    let mut seen: HashSet<u32> = HashSet::new();
    let mut open: Vec<(u32, usize)> = root.map(|root| (root, 0)).into_iter().collect();
    let mut broken = root.is_none();
    while let Some((number, level)) = open.pop() {
        let Some(object) = objects.get(&number) else {
            broken = true;
            continue;
        };
        if !seen.insert(number) {
            continue;
        }
        if let Some(kids) = key(&object.text, b"Kids").filter(|_| level < LEVELS) {
            open.extend(references(kids).into_iter().rev().map(|kid| (kid, level + 1)));
        } else if !is_a(&object.text, b"Pages") {
            listed.push(number);
        }
    }
    // A page that a whole list does not name is an earlier state of the file.
    let count = root.and_then(|root| number_of(key(&objects.get(&root)?.text, b"Count")?));
    if !broken && count.is_some_and(|count| count as usize == listed.len()) {
        return listed;
    }
    let lost = objects
        .iter()
        .filter(|(number, object)| is_a(&object.text, b"Page") && !seen.contains(number));
    let lost: Vec<u32> = lost.map(|(number, _)| *number).collect();
    if lost.is_empty() {
        return listed;
    }
    let place = |number: &u32| objects.get(number).map(|object| object.at);
    let in_order = listed.is_sorted_by_key(place);
    listed.extend(lost);
    if in_order {
        listed.sort_by_key(place);
    }
    listed
}

/// Makes a page of each stream that writes text, for a file that lost its pages with its end.
///
/// Their fonts are lost too. Most codes are those of the letters all the same, and a page for which they are not is found out later.
fn make_pages(objects: &mut BTreeMap<u32, Found>) -> Vec<u32> {
    let mut unpacked = 0_usize;
    let mut contents: Vec<(u32, (usize, usize), BTreeSet<String>)> = Vec::new();
    for (number, object) in objects.iter() {
        let Some(data) = object.data.filter(|_| key(&object.text, b"Type").is_none()) else {
            continue;
        };
        let other = [b"Subtype".as_slice(), b"Length1", b"Length2", b"FunctionType"];
        if other.iter().any(|name| key(&object.text, name).is_some()) || unpacked > UNPACKED {
            continue;
        }
        let packed = key(&object.text, b"Filter").is_some();
        let plain = if packed { inflate(data, 1 << 20) } else { data.to_vec() };
        unpacked += plain.len();
        let fonts = fonts_used(&plain);
        if !fonts.is_empty() && find(&plain, b"BT").is_some() {
            contents.push((*number, object.at, fonts));
        }
    }
    contents.sort_by_key(|(_, at, _)| *at);
    let mut next = objects.last_key_value().map_or(1, |(last, _)| last.saturating_add(1));
    let mut pages = Vec::new();
    for (number, at, fonts) in contents {
        let font =
            "<< /Type /Font /Subtype /Type1 /BaseFont /Times-Roman /Encoding /WinAnsiEncoding >>";
        let fonts: String = fonts.iter().map(|name| format!("/{name} {font} ")).collect();
        let text = format!(
            "<< /Type /Page /MediaBox [0 0 612 792] /Resources << /Font << {fonts} >> >> /Contents {number} 0 R >>"
        );
        objects.insert(next, Found { text: text.into_bytes(), data: None, at });
        pages.push(next);
        next = next.saturating_add(1);
    }
    pages
}

/// Returns the names of the fonts in instructions such as `/F8 10 Tf`.
fn fonts_used(content: &[u8]) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut before: [&[u8]; 2] = [b"", b""];
    for word in content.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()) {
        if word == b"Tf"
            && let Some(name) = before[0].rsplit(|byte| *byte == b'/').next()
            && before[0].contains(&b'/')
            && !name.is_empty()
            && name.iter().all(u8::is_ascii_alphanumeric)
            && found.len() < 100
        {
            found.insert(String::from_utf8_lossy(name).into_owned());
        }
        before = [before[1], word];
    }
    found
}

/// Returns the number of the catalog.
fn find_root(objects: &BTreeMap<u32, Found>, trailers: &[Vec<u8>]) -> Option<u32> {
    let mut named = trailers.iter().filter_map(|trailer| reference(key(trailer, b"Root")?));
    let there = |number: &u32| {
        objects.get(number).is_some_and(|object| key(&object.text, b"Pages").is_some())
    };
    let catalogs = objects.iter().filter(|(_, object)| is_a(&object.text, b"Catalog"));
    named.rfind(there).or_else(|| catalogs.map(|(number, _)| *number).rfind(there))
}

fn written(objects: &BTreeMap<u32, Found>, trailers: &[Vec<u8>], pages: &[u32]) -> Vec<u8> {
    let mut file = b"%PDF-1.7\n".to_vec();
    let mut places: Vec<(u32, usize)> = Vec::with_capacity(objects.len() + 2);
    let wanted: HashSet<u32> = pages.iter().copied().collect();
    for (number, object) in objects {
        places.push((*number, file.len()));
        file.extend_from_slice(format!("{number} 0 obj\n").as_bytes());
        let mut text = object.text.clone();
        if let Some(data) = object.data {
            set_length(&mut text, data.len());
        }
        let parent = key(&text, b"Parent").and_then(reference);
        let orphan = parent.is_none_or(|parent| !objects.contains_key(&parent));
        if wanted.contains(number) && orphan && key(&text, b"MediaBox").is_none() {
            insert(&mut text, b" /MediaBox [0 0 612 792] ");
        }
        file.extend_from_slice(&text);
        if let Some(data) = object.data {
            file.extend_from_slice(b"\nstream\n");
            file.extend_from_slice(data);
            file.extend_from_slice(b"\nendstream");
        }
        file.extend_from_slice(b"\nendobj\n");
    }
    let next = objects.last_key_value().map_or(1, |(last, _)| last.saturating_add(1));
    let form = find_root(objects, trailers).and_then(|root| key(&objects[&root].text, b"AcroForm"));
    let form = form.and_then(reference).map(|form| format!("/AcroForm {form} 0 R"));
    let kids: Vec<String> = pages.iter().map(|page| format!("{page} 0 R")).collect();
    let catalog =
        format!("<< /Type /Catalog /Pages {} 0 R {} >>", next + 1, form.unwrap_or_default());
    let list = format!("<< /Type /Pages /Count {} /Kids [{}] >>", pages.len(), kids.join(" "));
    for (number, text) in [(next, catalog), (next + 1, list)] {
        places.push((number, file.len()));
        file.extend_from_slice(format!("{number} 0 obj\n{text}\nendobj\n").as_bytes());
    }
    let start = file.len();
    file.extend_from_slice(b"xref\n0 1\n0000000000 65535 f \n");
    for (number, place) in places {
        file.extend_from_slice(format!("{number} 1\n{place:010} 00000 n \n").as_bytes());
    }
    let info = trailers.iter().filter_map(|trailer| reference(key(trailer, b"Info")?)).next_back();
    let info = info.map(|info| format!("/Info {info} 0 R")).unwrap_or_default();
    file.extend_from_slice(
        format!(
            "trailer\n<< /Size {} /Root {next} 0 R {info} >>\nstartxref\n{start}\n%%EOF\n",
            next + 2
        )
        .as_bytes(),
    );
    file
}

/// Writes the length of a stream into its dictionary.
fn set_length(text: &mut Vec<u8>, length: usize) {
    if let Some(value) = key(text, b"Length") {
        let start = value.as_ptr().addr() - text.as_ptr().addr();
        let rest = &text[start..];
        let blank = rest.len() - rest.trim_ascii_start().len();
        let digits = |rest: &[u8]| rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let ends = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'/' | b'>' | b'<');
        let mut end = blank + rest[blank..].iter().take_while(|byte| !ends(byte)).count();
        // `7 0 R`
        if let Some(after) = rest.get(end..).map(<[u8]>::trim_ascii_start) {
            let second = digits(after);
            let tail = after.get(second..).unwrap_or_default().trim_ascii_start();
            if second > 0 && tail.starts_with(b"R") {
                end = rest.len() - tail.len() + 1;
            }
        }
        text.splice(start..start + end, format!(" {length} ").into_bytes());
    } else {
        insert(text, format!(" /Length {length} ").as_bytes());
    }
}

/// Writes an entry at the start of a dictionary.
fn insert(text: &mut Vec<u8>, entry: &[u8]) {
    if let Some(at) = find(text, b"<<") {
        text.splice(at + 2..at + 2, entry.iter().copied());
    }
}

/// Returns what follows the first entry of this name.
fn key<'a>(text: &'a [u8], name: &[u8]) -> Option<&'a [u8]> {
    let mut at = 0;
    while let Some(slash) = text.get(at..).and_then(|rest| find(rest, b"/")) {
        let rest = &text[at + slash + 1..];
        if let Some(value) = rest.strip_prefix(name)
            && value.first().is_some_and(|byte| !byte.is_ascii_alphanumeric())
        {
            return Some(value);
        }
        at += slash + 1;
    }
    None
}

/// Returns whether a dictionary says that it is of this type.
fn is_a(text: &[u8], kind: &[u8]) -> bool {
    let mut rest = text;
    while let Some(value) = key(rest, b"Type") {
        let named = value.trim_ascii_start().strip_prefix(b"/");
        if named
            .and_then(|named| named.strip_prefix(kind))
            .is_some_and(|after| after.first().is_none_or(|byte| !byte.is_ascii_alphanumeric()))
        {
            return true;
        }
        rest = value;
    }
    false
}

fn number_of(text: &[u8]) -> Option<u32> {
    let text = text.trim_ascii_start();
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    std::str::from_utf8(&text[..digits]).ok()?.parse().ok()
}

/// Returns the number of the object that `7 0 R` refers to.
fn reference(text: &[u8]) -> Option<u32> {
    references(text.get(..40).unwrap_or(text)).first().copied()
}

/// Returns the objects that a list refers to, up to its end.
fn references(text: &[u8]) -> Vec<u32> {
    let list = text.split(|byte| *byte == b']').next().unwrap_or_default();
    let parts: Vec<&[u8]> = list
        .split(|byte| byte.is_ascii_whitespace() || *byte == b'[' || *byte == b'/' || *byte == b'>')
        .filter(|part| !part.is_empty())
        .collect();
    let threes = parts.windows(3).filter(|three| three[2].starts_with(b"R"));
    threes.filter_map(|three| number_of(three[0])).collect()
}

fn after_each<'a>(bytes: &'a [u8], word: &'a [u8]) -> impl Iterator<Item = &'a [u8]> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = bytes.get(at..)?;
        at += find(rest, word)? + word.len();
        bytes.get(at..)
    })
}

/// Returns where `word` first stands.
fn find(text: &[u8], word: &[u8]) -> Option<usize> {
    memchr::memmem::find(text, word)
}
