//! Days and times as spreadsheets count them: in days since the beginning of 1900, or of 1904.

/// The last day that a spreadsheet knows, 31 December 9999.
const LAST_DAY: f64 = 2_958_466.0;

/// Returns a date, time or duration in ISO 8601, as far as the format shows it, or `None` if there is no such day.
///
/// `parts` are the letters of the format with the lengths of their runs, those of elapsed time in upper case; `decimals` is how many
/// decimals its seconds have.
pub(super) fn date(
    value: f64,
    parts: &[(char, usize)],
    decimals: usize,
    from_1904: bool,
) -> Option<String> {
    let has = |letter: char| parts.iter().any(|(other, _)| *other == letter);
    if parts.iter().any(|(letter, _)| letter.is_ascii_uppercase()) {
        return Some(elapsed(value, parts, decimals));
    }
    if !(0.0..LAST_DAY).contains(&value) {
        return None;
    }
    let mut day = value.floor();
    let mut seconds = rounded((value - day) * 86_400.0, decimals);
    if seconds >= 86_400.0 {
        day += 1.0;
        seconds = 0.0;
    }
    let has_time = has('h') || has('s');
    // An `m` beside hours or seconds means minutes.
    let months = parts.iter().enumerate().any(|(index, (letter, _))| {
        let beside = |at: Option<usize>, of: char| {
            at.and_then(|at| parts.get(at)).is_some_and(|(letter, _)| *letter == of)
        };
        *letter == 'm' && !beside(index.checked_sub(1), 'h') && !beside(Some(index + 1), 's')
    });
    let has_days = has('d');
    let has_date = has('y') || has_days || months && !has_time;
    let mut text = String::new();
    if has_date || !has_time {
        let epoch = if from_1904 { 24_107.0 } else { 25_569.0 };
        // The calendar of 1900 has a 29 February that never was.
        let shift = if !from_1904 && day < 60.0 { 1.0 } else { 0.0 };
        let (year, month, date) = civil(day + shift - epoch);
        text = match (has_days, months) {
            (false, false) if has('y') => format!("{year:04}"),
            (false, true) if has('y') => format!("{year:04}-{month:02}"),
            _ => format!("{year:04}-{month:02}-{date:02}"),
        };
    }
    if has_time {
        if !text.is_empty() {
            text.push(' ');
        }
        let (hour, minute) = ((seconds / 3600.0).floor(), (seconds % 3600.0 / 60.0).floor());
        // Minutes and seconds alone are a duration.
        if has('h') || has_date {
            text.push_str(&format!("{hour:02.0}:"));
        }
        text.push_str(&format!("{minute:02.0}"));
        if has('s') {
            text.push_str(&format!(":{}", second(seconds % 60.0, decimals)));
        }
    }
    Some(text)
}

/// Returns a time that goes beyond a day or an hour, as its format shows it.
fn elapsed(value: f64, parts: &[(char, usize)], decimals: usize) -> String {
    let seconds = rounded(value.abs() * 86_400.0, decimals);
    let said = parts.iter().filter_map(|(letter, _)| {
        Some(match letter {
            'H' => format!("{:.0}", (seconds / 3600.0).floor()),
            'M' => format!("{:.0}", (seconds / 60.0).floor()),
            'S' => format!("{seconds:.decimals$}"),
            'm' => format!("{:02.0}", (seconds % 3600.0 / 60.0).floor()),
            's' => second(seconds % 60.0, decimals),
            _ => return None,
        })
    });
    let said = said.collect::<Vec<_>>().join(":");
    if value < 0.0 { format!("-{said}") } else { said }
}

fn rounded(seconds: f64, decimals: usize) -> f64 {
    let parts = [1.0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6].get(decimals).copied().unwrap_or(1.0);
    (seconds * parts).round() / parts
}

/// Returns a second of a minute with two digits: `05`, `05.25`.
fn second(second: f64, decimals: usize) -> String {
    let width = if decimals == 0 { 2 } else { decimals + 3 };
    format!("{second:0width$.decimals$}")
}

/// Returns the year, month and day of a count of days since 1 January 1970.
fn civil(days: f64) -> (i64, i64, i64) {
    #[expect(clippy::cast_possible_truncation, reason = "a day that a spreadsheet knows fits")]
    let days = days as i64 + 719_468;
    let era = days.div_euclid(146_097);
    let of_era = days.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month, day)
}
