//! The records of an SPSS file before its data, walked once before anything else reads them.
//!
//! The walk checks that every record lies inside the file and that packed data unpacks in bounded memory. It finds what
//! `ambers` would change: the formats of dates, because it returns them as whole days and drops dates outside the years
//! 1 to 9999; and a second record of multiple-response sets, because the last one hides the first.

use crate::read::ReadError;
use crate::read::error::cells_allowed;

/// What the walk finds.
#[derive(Debug, Default)]
pub(super) struct Dictionary {
    /// The eight-byte slots of each respondent.
    pub(super) slots: usize,
    /// Declared respondents; `None` if the file does not know.
    pub(super) cases: Option<usize>,
    /// Dates and times, in the order of the file.
    pub(super) moments: Vec<Moment>,
    /// The positions of the subtypes of multiple-response set records.
    pub(super) sets: Vec<usize>,
}

/// A variable that is shown as a date or time.
#[derive(Debug)]
pub(super) struct Moment {
    /// The position of its print format.
    pub(super) at: usize,
    /// As SPSS writes it, such as `TIME11.2`.
    pub(super) format: String,
}

/// The length of the fixed header.
const HEADER: usize = 176;
/// The most bytes that a block of a .zsav file may expand to; SPSS writes 4 MB.
const BLOCK: i64 = 64 << 20;

/// Formats that `ambers` turns into dates and times.
const MOMENTS: [(u8, &str); 13] = [
    (20, "DATE"),
    (21, "TIME"),
    (22, "DATETIME"),
    (23, "ADATE"),
    (24, "JDATE"),
    (25, "DTIME"),
    (28, "MOYR"),
    (29, "QYR"),
    (30, "WKYR"),
    (38, "EDATE"),
    (39, "SDATE"),
    (40, "MTIME"),
    (41, "YMDHMS"),
];

struct Walk<'a> {
    file: &'a str,
    bytes: &'a [u8],
    at: usize,
}

impl Walk<'_> {
    fn cut(&self) -> ReadError {
        ReadError::damaged(
            self.file,
            format!("its dictionary ends inside a record at byte {}", self.at),
        )
    }

    fn take<const N: usize>(&mut self) -> Result<[u8; N], ReadError> {
        let end = self.at.checked_add(N).ok_or_else(|| self.cut())?;
        let bytes = self.bytes.get(self.at..end).and_then(|bytes| bytes.try_into().ok());
        let bytes = bytes.ok_or_else(|| self.cut())?;
        self.at = end;
        Ok(bytes)
    }

    fn whole(&mut self) -> Result<i32, ReadError> {
        self.take().map(i32::from_le_bytes)
    }

    fn long(&mut self) -> Result<i64, ReadError> {
        self.take().map(i64::from_le_bytes)
    }

    /// Returns a count of items of `size` bytes that must all lie inside the file.
    fn count(&mut self, size: usize) -> Result<usize, ReadError> {
        let count = usize::try_from(self.whole()?).map_err(|_| self.cut())?;
        let left = self.bytes.len().saturating_sub(self.at);
        if count.checked_mul(size).is_none_or(|all| all > left) {
            return Err(self.cut());
        }
        Ok(count)
    }

    fn skip(&mut self, bytes: usize) -> Result<(), ReadError> {
        let end = self.at.checked_add(bytes).filter(|end| *end <= self.bytes.len());
        self.at = end.ok_or_else(|| self.cut())?;
        Ok(())
    }
}

/// Walks the records of a file.
pub(super) fn walk(file: &str, bytes: &[u8]) -> Result<Dictionary, ReadError> {
    let mut walk = Walk { file, bytes, at: 64 };
    let layout = walk.whole()?;
    if !matches!(layout, 2 | 3) {
        if matches!(layout.swap_bytes(), 2 | 3) {
            return Err(ReadError::Unsupported {
                file: file.to_owned(),
                problem: "it was written by a big-endian machine".to_owned(),
                remedy: "open it in SPSS or PSPP and save it again",
            });
        }
        return Err(ReadError::damaged(file, "its header does not say how numbers are stored"));
    }
    walk.skip(4)?;
    let packing = walk.whole()?;
    walk.skip(4)?;
    let mut found =
        Dictionary { cases: usize::try_from(walk.whole()?).ok(), ..Dictionary::default() };
    walk.at = HEADER;
    loop {
        match walk.whole()? {
            2 => variable(&mut walk, &mut found)?,
            3 => labels(&mut walk)?,
            6 => {
                let lines = walk.count(80)?;
                walk.skip(lines * 80)?;
            }
            7 => {
                let at = walk.at;
                if matches!(walk.whole()?, 7 | 19) {
                    found.sets.push(at);
                }
                let size = walk.count(1)?;
                let count = walk.count(size)?;
                walk.skip(size * count)?;
            }
            999 => break,
            other => {
                let problem =
                    format!("its dictionary has a record of type {other} at byte {}", walk.at - 4);
                return Err(ReadError::damaged(file, problem));
            }
        }
    }
    walk.skip(4)?;
    if packing == 2 {
        blocks(&mut walk)?;
    }
    Ok(found)
}

fn variable(walk: &mut Walk<'_>, found: &mut Dictionary) -> Result<(), ReadError> {
    let kind = walk.whole()?;
    let labelled = walk.whole()?;
    let missing = walk.whole()?;
    let at = walk.at;
    let print = walk.whole()?;
    walk.skip(4 + 8)?;
    if labelled == 1 {
        let length = walk.count(1)?;
        walk.skip(length.next_multiple_of(4))?;
    }
    if !(-3..=3).contains(&missing) {
        return Err(ReadError::damaged(
            walk.file,
            format!("a variable has {missing} missing values; the limit is three"),
        ));
    }
    walk.skip(8 * missing.unsigned_abs() as usize)?;
    found.slots += 1;
    let [decimals, width, code, _] = print.to_le_bytes();
    let name = MOMENTS.iter().find(|(known, _)| *known == code).map(|(_, name)| name);
    if let (0, Some(name)) = (kind, name) {
        let decimals = if decimals == 0 { String::new() } else { format!(".{decimals}") };
        found.moments.push(Moment { at, format: format!("{name}{width}{decimals}") });
    }
    Ok(())
}

fn labels(walk: &mut Walk<'_>) -> Result<(), ReadError> {
    let count = walk.count(16)?;
    for _ in 0..count {
        walk.skip(8)?;
        let [length] = walk.take()?;
        walk.skip((usize::from(length) + 1).next_multiple_of(8) - 1)?;
    }
    if walk.whole()? != 4 {
        return Err(ReadError::damaged(
            walk.file,
            "labels are followed by no list of their variables",
        ));
    }
    let variables = walk.count(4)?;
    walk.skip(variables * 4)
}

/// Checks that the blocks of a .zsav file lie inside it, and expand to no more than such a file can hold.
fn blocks(walk: &mut Walk<'_>) -> Result<(), ReadError> {
    let damaged = |problem: &str| ReadError::damaged(walk.file, problem);
    let outside = || damaged("a block of its data lies outside the file");
    let length = i64::try_from(walk.bytes.len()).unwrap_or(i64::MAX);
    let mut walk = Walk { ..*walk };
    walk.long()?;
    let trailer = walk.long()?;
    walk.at = usize::try_from(trailer).ok().filter(|_| trailer < length).ok_or_else(outside)?;
    walk.skip(8 + 8 + 4)?;
    let blocks = walk.count(24)?;
    let mut all = 0_u64;
    for _ in 0..blocks {
        walk.long()?;
        let start = walk.long()?;
        let (unfolded, folded) = (i64::from(walk.whole()?), i64::from(walk.whole()?));
        let inside =
            start >= 0 && folded >= 0 && start.checked_add(folded).is_some_and(|end| end <= length);
        if !inside {
            return Err(outside());
        }
        // Deflate expands one byte to at most 1,032.
        if !(0..=BLOCK).contains(&unfolded) || unfolded > folded * 1032 + 1024 {
            return Err(damaged("a block of its data claims to be larger than it can be"));
        }
        all += unfolded.unsigned_abs();
    }
    let limit = cells_allowed(walk.bytes.len()) * 8;
    if all > limit {
        return Err(ReadError::TooLarge {
            file: walk.file.to_owned(),
            what: "bytes",
            limit,
            bytes: walk.bytes.len() as u64,
        });
    }
    Ok(())
}
