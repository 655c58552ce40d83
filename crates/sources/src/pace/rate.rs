//! The rate that a service names in the headers of its replies.

use std::time::Duration;

use jiff::Timestamp;
use reqwest::header::HeaderMap;

/// A number from which seconds count since 1970, not from now.
const IS_A_DATE: f64 = 1e9;

/// The longest spacing that is believed.
const LONGEST_SPACING: Duration = Duration::from_mins(10);

/// The rate in the headers.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Rate {
    /// The time between requests at this rate.
    pub(crate) spacing: Option<Duration>,
    pub(crate) at_once: Option<usize>,
    /// How long nothing will be left, if the limit is used up.
    pub(crate) used_up_for: Option<Duration>,
}

impl Rate {
    /// Reads Crossref's limit, interval and concurrency, in both of its spellings, and the remaining requests and reset time of OpenAlex
    /// and Brave. Brave lists several windows, separated by commas.
    pub(crate) fn read(headers: &HeaderMap) -> Rate {
        let text = |name: &str| headers.get(name)?.to_str().ok();
        let either = |name: &str| {
            text(&format!("x-rate-limit-{name}")).or_else(|| text(&format!("x-ratelimit-{name}")))
        };
        let spacing = || {
            let limit: u32 = either("limit")?.trim().parse().ok()?;
            let interval = parse_interval(either("interval")?)?;
            Some(interval.checked_div(limit)?.min(LONGEST_SPACING))
        };
        let used_up = || {
            let (remaining, reset) = (either("remaining")?.split(','), either("reset")?.split(','));
            let waits = remaining.zip(reset).filter_map(|(remaining, reset)| {
                (remaining.trim().parse::<f64>().ok()? <= 0.0).then(|| until(reset)).flatten()
            });
            waits.max()
        };
        let at_once = text("x-concurrency-limit").and_then(|limit| limit.trim().parse().ok());
        Rate {
            spacing: spacing(),
            at_once: at_once.filter(|limit| *limit > 0),
            used_up_for: used_up(),
        }
    }
}

/// Reads `1s`, `2m`, `1h`, `500ms` or seconds.
fn parse_interval(text: &str) -> Option<Duration> {
    let text = text.trim();
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = match text.strip_prefix(digits)? {
        "" | "s" => 1.0,
        "ms" => 1e-3,
        "m" => 60.0,
        "h" => 3_600.0,
        _ => return None,
    };
    Duration::try_from_secs_f64(digits.trim().parse::<f64>().ok()? * unit).ok()
}

/// Reads the end of a limit: seconds from now, or seconds since 1970.
fn until(text: &str) -> Option<Duration> {
    let seconds: f64 = text.trim().parse().ok()?;
    let now = Timestamp::now().as_second() as f64;
    let seconds = if seconds >= IS_A_DATE { (seconds - now).max(0.0) } else { seconds };
    Duration::try_from_secs_f64(seconds).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(headers: &[(&str, &str)]) -> Rate {
        let header = |(name, value): &(&str, &str)| {
            (name.parse::<reqwest::header::HeaderName>().unwrap(), value.parse().unwrap())
        };
        Rate::read(&headers.iter().map(header).collect())
    }

    #[test]
    fn the_rates_of_crossref_openalex_and_brave_are_read() {
        let polite = [
            ("x-rate-limit-limit", "10"),
            ("x-rate-limit-interval", "1s"),
            ("x-concurrency-limit", "3"),
        ];
        let rate = read(&polite);
        assert_eq!(rate.spacing, Some(Duration::from_millis(100)));
        assert_eq!(rate.at_once, Some(3));
        let older = [("X-RateLimit-Limit", "50"), ("X-RateLimit-Interval", "1s")];
        assert_eq!(read(&older).spacing, Some(Duration::from_millis(20)));
        // A daily limit says nothing about the next second.
        let openalex = [
            ("x-ratelimit-limit", "10000"),
            ("x-ratelimit-remaining", "0"),
            ("x-ratelimit-reset", "3600"),
        ];
        let used_up_for = Some(Duration::from_hours(1));
        assert_eq!(read(&openalex), Rate { used_up_for, ..Rate::default() });
        let left = [("x-ratelimit-remaining", "1"), ("x-ratelimit-reset", "3600")];
        assert_eq!(read(&left), Rate::default());
        let brave = [("x-ratelimit-remaining", "0, 1995"), ("x-ratelimit-reset", "1, 1419704")];
        assert_eq!(read(&brave).used_up_for, Some(Duration::from_secs(1)));
        let past = [("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", "1500000000")];
        assert_eq!(read(&past).used_up_for, Some(Duration::ZERO));
    }

    #[test]
    fn a_rate_that_makes_no_sense_is_none() {
        for (limit, interval) in [
            ("0", "1s"),
            ("-1", "1s"),
            ("many", "1s"),
            ("10", ""),
            ("10", "-1s"),
            ("10", "1 year"),
            ("10", "NaN"),
            ("10", "inf"),
        ] {
            let headers = [("x-rate-limit-limit", limit), ("x-rate-limit-interval", interval)];
            assert_eq!(read(&headers), Rate::default(), "{limit} per {interval}");
        }
        assert_eq!(read(&[("x-concurrency-limit", "0")]), Rate::default());
        let slow = [("x-rate-limit-limit", "1"), ("x-rate-limit-interval", "99999h")];
        assert_eq!(read(&slow).spacing, Some(LONGEST_SPACING));
    }

    proptest::proptest! {
        #[test]
        fn any_header_is_read_without_a_panic(text in "[ -~]{0,24}", number in proptest::num::f64::ANY) {
            for value in [text, number.to_string(), format!("{number}s")] {
                let names = ["x-rate-limit-limit", "x-rate-limit-interval", "x-concurrency-limit", "x-ratelimit-remaining", "x-ratelimit-reset"];
                let headers: Vec<_> = names.iter().map(|name| (*name, value.as_str())).collect();
                let _ = read(&headers);
            }
        }
    }
}
