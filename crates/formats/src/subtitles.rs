//! Subtitles (SRT and WebVTT) become paragraphs under headings with their times, one for about every minute, or up to a long pause.
//!
//! Cues break sentences, so the text of successive cues is joined. A paragraph ends where the speaker changes or is silent for a while.
//! Captions that roll, each cue with the lines of the one before, are written once.

use std::collections::BTreeMap;

use crate::{Bounds, Fault, Parsed, Writer, tidy};

/// A section ends at the first sentence that ends after this time.
const SECTION_MS: u64 = 60_000;
/// A section ends after this time, within a sentence if need be.
const LONGEST_SECTION_MS: u64 = 90_000;
/// A silence that ends a paragraph.
const SILENCE_MS: u64 = 3_000;
/// A silence that ends a section.
const PAUSE_MS: u64 = 30_000;
/// Cues less apart than this may be a caption that rolls.
const GAP_MS: u64 = 120;
/// The most bytes of a tag.
const LONGEST_TAG: usize = 400;
/// The most lines of a caption that rolls.
const MOST_ROLLING: usize = 8;

/// A line of a cue, with who says it if the file tells.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Line {
    speaker: Option<String>,
    words: String,
    /// Whether a dash or `>>` marks it as said by another speaker.
    is_reply: bool,
}

struct Cue {
    start: u64,
    end: u64,
    lines: Vec<Line>,
}

/// Returns whether the text is WebVTT or SRT: by its first line, or a number above a line of two times.
pub(crate) fn recognize(text: &str) -> bool {
    let text = text.trim_start_matches('\u{feff}');
    if let Some(rest) = text.strip_prefix("WEBVTT") {
        return rest.is_empty() || rest.starts_with([' ', '\t', '\n', '\r']);
    }
    let mut lines = text.trim_start().lines();
    let is_number = |line: &str| !line.is_empty() && line.bytes().all(|it| it.is_ascii_digit());
    lines.next().is_some_and(|line| is_number(line.trim()))
        && lines.next().is_some_and(|line| line.contains(',') && times(line).is_some())
}

/// Returns what the subtitles say.
pub(crate) fn parse(text: &str, bounds: &Bounds) -> Result<Parsed, Fault> {
    let text = text.trim_start_matches('\u{feff}');
    let mut metadata = BTreeMap::new();
    let mut title = None;
    if let Some(first) = text.lines().next().and_then(|line| line.strip_prefix("WEBVTT")) {
        let words = tidy(first.trim_start_matches([' ', '\t', '-']));
        title = Some(words).filter(|words| !words.is_empty());
        let header = text.lines().skip(1).take_while(|line| !line.trim().is_empty());
        let language = header.filter_map(|line| line.strip_prefix("Language:")).next();
        metadata.extend(language.map(|code| ("lang".to_owned(), code.trim().to_owned())));
    }
    let mut cues = read_cues(text);
    if cues.is_empty() && !text.starts_with("WEBVTT") && !text.trim().is_empty() {
        return Err(Fault::Damaged { format: "file of subtitles".to_owned() });
    }
    unroll(&mut cues);
    // A cue without duration is never shown.
    cues.retain(|cue| !cue.lines.is_empty() && cue.start != cue.end);
    let mut page = Writer::new(bounds.text_bytes);
    let mut from = 0;
    while from < cues.len() && !page.is_full() {
        let to = section_end(&cues, from);
        let section = &cues[from..to];
        let end = section.iter().map(|cue| cue.end).max().unwrap_or_default();
        page.heading(2, &format!("{}–{}", clock(section[0].start), clock(end)));
        write(section, &mut page);
        from = to;
    }
    Ok(Parsed { title, text: page.finish(), metadata, ..Parsed::default() })
}

/// Returns the index after the last cue of the section that begins at `from`.
fn section_end(cues: &[Cue], from: usize) -> usize {
    let start = cues[from].start;
    for (index, cue) in cues.iter().enumerate().skip(from) {
        let silent_since = if index > from { cues[index - 1].end } else { cue.start };
        if cue.start.saturating_sub(silent_since) >= PAUSE_MS {
            return index;
        }
        let is_past = |limit| cue.end.saturating_sub(start) >= limit;
        let last = cue.lines.last().map_or("", |line| &line.words);
        let ends_sentence =
            last.ends_with(['.', '!', '?', '…', '"', '”', ')', ']', '♪', '。', '！', '？']);
        if is_past(LONGEST_SECTION_MS) || is_past(SECTION_MS) && ends_sentence {
            return index + 1;
        }
    }
    cues.len()
}

fn write(section: &[Cue], page: &mut Writer) {
    let mut words = String::new();
    let mut speaker: Option<&str> = None;
    let mut end = section[0].start;
    for cue in section {
        for (index, line) in cue.lines.iter().enumerate() {
            let is_silence = index == 0 && cue.start.saturating_sub(end) > SILENCE_MS;
            let says = line.speaker.as_deref();
            let is_other = says.is_some() && says != speaker;
            if is_silence || is_other || line.is_reply {
                page.paragraph(&words);
                words.clear();
                if let Some(name) = says.filter(|_| is_other || is_silence) {
                    words.push_str(name);
                    words.push_str(": ");
                }
                speaker = says;
            }
            if !words.is_empty() && !words.ends_with(' ') {
                words.push(' ');
            }
            words.push_str(&line.words);
        }
        end = cue.end;
    }
    page.paragraph(&words);
}

/// Returns the time as hours, minutes and seconds.
fn clock(ms: u64) -> String {
    let seconds = ms / 1000;
    format!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

/// Returns the cues in the order of the file.
fn read_cues(text: &str) -> Vec<Cue> {
    let is_vtt = text.starts_with("WEBVTT");
    let mut found: Vec<Cue> = Vec::new();
    let mut lines = text.lines().peekable();
    // Whether the lines belong to a cue, or in WebVTT to a note or a style, until the next blank line.
    let mut in_cue = false;
    while let Some(line) = lines.next() {
        if let Some((start, end)) = times(line) {
            found.push(Cue { start, end, lines: Vec::new() });
            in_cue = true;
        } else if line.trim().is_empty() {
            in_cue &= !is_vtt;
        } else if in_cue {
            // The number of the next cue.
            let is_number = line.trim().bytes().all(|byte| byte.is_ascii_digit());
            let is_next = lines.peek().is_some_and(|next| times(next).is_some());
            if !(is_next && is_number && !is_vtt)
                && let Some(cue) = found.last_mut()
            {
                add_line(line, cue);
            }
        }
    }
    found
}

fn add_line(line: &str, cue: &mut Cue) {
    let (plain, speakers) = without_tags(line);
    let mut from = 0;
    let mut speaker = cue.lines.last().and_then(|line| line.speaker.clone());
    let ends = speakers.iter().map(|(at, _)| *at).chain([plain.len()]);
    for (index, to) in ends.enumerate() {
        let words = tidy(plain.get(from..to).unwrap_or_default());
        let stripped = words.trim_start_matches(['-', '–', '—', '>', '\u{200e}']).trim_start();
        let mark = words.len() - stripped.len();
        let is_reply = mark > 0 && !words.starts_with("--") && !stripped.is_empty();
        let words = if is_reply { stripped.to_owned() } else { words };
        if words.chars().any(|c| c.is_alphanumeric() || c == '♪' || c == '…') {
            cue.lines.push(Line { speaker: speaker.clone(), words, is_reply });
        }
        from = to;
        speaker = speakers.get(index).map(|(_, name)| name.clone());
    }
}

/// Returns a line without tags, positions and entities, and where in it each `<v Name>` stood.
fn without_tags(line: &str) -> (String, Vec<(usize, String)>) {
    let mut plain = String::with_capacity(line.len());
    let mut speakers = Vec::new();
    let mut rest = line;
    while let Some(at) = rest.find(['<', '{', '&']) {
        plain.push_str(&rest[..at]);
        rest = &rest[at..];
        // Looking further would take a time that grows with the square of the line.
        let near = &rest[..rest.floor_char_boundary(LONGEST_TAG)];
        let close = match rest.as_bytes()[0] {
            b'<' if is_tag(&near[1..]) => near.find('>'),
            b'{' if near.starts_with("{\\") => near.find('}'),
            _ => None,
        };
        if let Some(close) = close {
            let tag = &rest[1..close];
            if let Some((kind, name)) = tag.split_once([' ', '\t'])
                && (kind == "v" || kind.starts_with("v."))
            {
                speakers.push((plain.len(), tidy(&htmlize::unescape(name))));
            }
            rest = &rest[close + 1..];
        } else {
            // An entity ends within a few letters.
            let length = near.find(';').filter(|end| *end < 12 && near.starts_with('&'));
            let (part, after) = rest.split_at(length.map_or(1, |end| end + 1));
            plain.push_str(&htmlize::unescape(part));
            rest = after;
        }
    }
    plain.push_str(rest);
    // Marks of the direction of writing are not seen.
    plain.retain(|c| {
        !matches!(c, '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{feff}')
    });
    speakers.retain(|(at, _)| plain.is_char_boundary(*at));
    (plain, speakers)
}

/// Returns whether what follows a `<` is a tag of subtitles, and not a word such as `<3`.
fn is_tag(rest: &str) -> bool {
    let name = rest.trim_start_matches('/');
    let letters = name.chars().take_while(char::is_ascii_alphabetic).count();
    let known = matches!(
        name[..letters].to_ascii_lowercase().as_str(),
        "b" | "i"
            | "u"
            | "s"
            | "c"
            | "v"
            | "lang"
            | "ruby"
            | "rt"
            | "font"
            | "em"
            | "strong"
            | "span"
            | "br"
            | "p"
    );
    let time = name.starts_with(|c: char| c.is_ascii_digit()) && name.contains(':');
    known || time || name.starts_with('>')
}

/// Drops the lines of a cue that were already shown in the one before.
fn unroll(cues: &mut [Cue]) {
    // The lines of the cue before as it was shown.
    let mut shown: Vec<Line> = Vec::new();
    let mut end = 0_u64;
    for cue in cues {
        let all = cue.lines.clone();
        if cue.start <= end.saturating_add(GAP_MS) && cue.start.saturating_add(SECTION_MS) > end {
            let most = all.len().min(shown.len()).min(MOST_ROLLING);
            let repeated = (1..=most).rev().find(|count| shown.ends_with(&all[..*count]));
            match repeated {
                Some(count) => {
                    cue.lines.drain(..count);
                }
                // One line to which words are added.
                None => {
                    if let (Some(before), [line]) = (shown.last(), cue.lines.as_mut_slice())
                        && before.words.len() > 12
                        && let Some(more) = line.words.strip_prefix(&*before.words)
                        && more.starts_with(' ')
                    {
                        line.words = more.trim_start().to_owned();
                    }
                }
            }
        }
        end = cue.end;
        shown = all;
    }
}

/// Returns the two times of a line such as `00:01:02,500 --> 00:01:04,000 align:start`, in milliseconds.
///
/// Times before the start of the film become 0; a cue that is shown for a while keeps a duration.
fn times(line: &str) -> Option<(u64, u64)> {
    let (start, rest) = line.split_once("-->")?;
    let rest = rest.trim_start();
    let end = rest.find(|c: char| !c.is_ascii_digit() && !"-:,.".contains(c)).unwrap_or(rest.len());
    let (start, end) = (start.trim(), rest.get(..end)?);
    let since_zero = |text: &str| match text.strip_prefix('-') {
        Some(before) => time(before).map(|_| 0),
        None => time(text),
    };
    let (from, to) = (since_zero(start)?, since_zero(end)?);
    Some((from, if from == to && start != end { to.saturating_add(1) } else { to }))
}

fn time(text: &str) -> Option<u64> {
    // The milliseconds stand after a comma or a point, or by mistake after a third colon.
    let colons = text.matches(':').count();
    let (clock, fraction) = match text.rsplit_once([',', '.']) {
        Some(parts) => parts,
        None if colons == 3 => text.rsplit_once(':')?,
        None => (text, "0"),
    };
    let mut seconds: u64 = 0;
    let mut parts = 0;
    for part in clock.split(':') {
        let part: u64 = part.trim().parse().ok()?;
        seconds = seconds.checked_mul(60)?.checked_add(part)?;
        parts += 1;
    }
    let digits = fraction.trim();
    if !(2..=3).contains(&parts)
        || digits.is_empty()
        || !digits.bytes().all(|it| it.is_ascii_digit())
    {
        return None;
    }
    let ms: u64 = format!("{digits:0<3}").get(..3)?.parse().ok()?;
    seconds.checked_mul(1000)?.checked_add(ms)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(text: &str, expected: &str) {
        assert!(recognize(text));
        assert_eq!(parse(text, &Bounds::default()).unwrap().text, expected);
    }

    // proves: A6
    #[test]
    fn cues_before_the_start_keep_their_words() {
        check(
            "1\n-00:00:06,843 --> -00:00:02,850\nLong ago\n\n2\n-00:00:01,471 --> 00:00:00,946\nit rained.\n\n3\n-00:00:01,000 --> -00:00:01,000\nhidden\n",
            "## 00:00:00–00:00:00\n\nLong ago it rained.",
        );
    }

    // proves: A6
    #[test]
    fn cues_are_joined_to_sentences_under_their_times() {
        check(
            "1\n00:00:01,000 --> 00:00:03,500\n<i>The tide comes</i>\ntwice a day,\n\n2\n00:00:03,600 --> 00:00:05:000\n{\\an8}and follows the moon.\n\n3\n00:00:20,000 --> 00:00:22,000\n- Why?\n- I <3 it &amp; you.\n\n4\n00:01:10,000 --> 00:01:12,000\nANN: Last.\n\n5\n00:01:13,000 --> 00:01:14,000\n1984\n\n6\n00:01:15,000 --> 00:01:15,000\nhidden\n",
            "## 00:00:01–00:00:22\n\nThe tide comes twice a day, and follows the moon.\n\nWhy?\n\nI <3 it & you.\n\n## 00:01:10–00:01:14\n\nANN: Last. 1984",
        );
    }

    // proves: A6
    #[test]
    fn speakers_are_named_and_what_is_not_shown_is_left_out() {
        let text = "WEBVTT - Tides\nLanguage: en\n\nSTYLE\n::cue { color: red }\n\nNOTE hidden\nnote\n\nintro\n00:01.000 --> 00:04.000 align:start position:0%\n<v.loud Ann Lee>Hello <c.x>there</c>.\n\n00:04.000 --> 00:06.000\n<v Bob>Hi.</v>\n\n00:06.000 --> 00:07.000\n<v Bob>Bye<00:06.500><c> now</c>.\n";
        check(text, "## 00:00:01–00:00:07\n\nAnn Lee: Hello there.\n\nBob: Hi. Bye now.");
        let parsed = parse(text, &Bounds::default()).unwrap();
        assert_eq!(parsed.title.as_deref(), Some("Tides"));
        assert_eq!(parsed.metadata["lang"], "en");
    }

    // proves: A6
    #[test]
    fn captions_that_roll_are_written_once() {
        check(
            "WEBVTT\n\n00:00.000 --> 00:02.000\nso today we\n\n00:02.000 --> 00:02.010\nso today we\n\n00:02.010 --> 00:04.000\nso today we\nlook at tides\n00:04.000 --> 00:06.000\nlook at tides\nand the moon\n",
            "## 00:00:00–00:00:06\n\nso today we look at tides and the moon",
        );
        let hostile =
            format!("WEBVTT\n\n00:00.000 --> 00:02.000\n{}", "{\\a&<b <1".repeat(100_000));
        assert!(parse(&hostile, &Bounds::default()).is_ok());
        assert!(parse("; templates of an editor", &Bounds::default()).is_err());
        assert!(!recognize("WEBVTTs are files"));
        assert!(!recognize("1\nThe arrow --> points, so.\n"));
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        // proves: A6
        #[test]
        fn any_text_is_read(text in "(WEBVTT\n)?(\n|[0-9]{1,2}\n|00:0[0-9][.,]000 --> 00:[0-9]{2}[.,]9|<v [A-Zé]>|</v>|<|\\{\\\\a|&amp;|é|- |[a-z ]{1,5}|(?s).){0,60}") {
            let _ = recognize(&text);
            let _ = parse(&text, &Bounds::default());
        }
    }
}
