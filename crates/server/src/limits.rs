//! Rate limits.

use std::collections::HashMap;
use std::net::IpAddr;
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, PoisonError};

use governor::clock::{Clock, DefaultClock};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};

use crate::problem::Problem;

/// How many wrong tokens an address may send in a row, and how many a minute after that.
const GUESSES: NonZeroU32 = NonZeroU32::new(20).expect("is not 0");
/// How many files a user may send per second, and how many at once. More than any network carries in files: a script that adds a folder
/// file by file is not stopped, a flood of empty ones is.
const UPLOADS: (NonZeroU32, NonZeroU32) =
    (NonZeroU32::new(200).expect("is not 0"), NonZeroU32::new(2000).expect("is not 0"));
/// The number of keys above which idle ones are dropped.
const MANY: usize = 10_000;

pub(crate) struct Limiter {
    changes: DefaultKeyedRateLimiter<String>,
    uploads: DefaultKeyedRateLimiter<String>,
    guesses: DefaultKeyedRateLimiter<IpAddr>,
}

impl Limiter {
    /// Allows each user this many changing requests per second, and bursts of twice as many.
    pub(crate) fn new(changes_per_second: NonZeroU32) -> Limiter {
        let burst = changes_per_second.saturating_mul(NonZeroU32::MIN.saturating_add(1));
        Limiter {
            changes: RateLimiter::keyed(Quota::per_second(changes_per_second).allow_burst(burst)),
            uploads: RateLimiter::keyed(Quota::per_second(UPLOADS.0).allow_burst(UPLOADS.1)),
            guesses: RateLimiter::keyed(Quota::per_minute(GUESSES)),
        }
    }

    /// Counts a request that changes something.
    pub(crate) fn changes(&self, user: &str) -> Result<(), Problem> {
        allowed(&self.changes, &user.to_owned(), "too many changes at once")
    }

    /// Counts a file that is sent. Its bytes are counted elsewhere.
    pub(crate) fn uploads(&self, user: &str) -> Result<(), Problem> {
        allowed(&self.uploads, &user.to_owned(), "too many files at once")
    }

    /// Counts a wrong token. Addresses of one 64-bit IPv6 network, which one customer gets, count as one.
    pub(crate) fn guesses(&self, address: IpAddr) -> Result<(), Problem> {
        let network = match address.to_canonical() {
            IpAddr::V6(address) => IpAddr::V6((address.to_bits() >> 64 << 64).into()),
            address => address,
        };
        allowed(&self.guesses, &network, "too many wrong tokens")
    }
}

fn allowed<K: std::hash::Hash + Eq + Clone>(
    limiter: &DefaultKeyedRateLimiter<K>,
    key: &K,
    what: &str,
) -> Result<(), Problem> {
    if limiter.len() > MANY {
        limiter.retain_recent();
    }
    limiter.check_key(key).map_err(|until| {
        let wait = until.wait_time_from(DefaultClock::default().now());
        Problem::limited(what, wait.as_secs() + 1)
    })
}

/// The open streams, limited so that connections remain for other requests and other users.
pub(crate) struct Streams {
    open: Mutex<HashMap<String, usize>>,
    most: usize,
    /// The most streams of one user.
    share: usize,
}

/// A place for a stream, released on drop.
pub(crate) struct Place {
    streams: Arc<Streams>,
    user: String,
}

impl Streams {
    /// Leaves a quarter of the connections to other requests; with `several` users, each gets at most an eighth.
    pub(crate) fn among(connections: usize, several: bool) -> Streams {
        let most = (connections - connections / 4).max(1);
        let share = if several { (connections / 8).max(1) } else { most };
        Streams { open: Mutex::default(), most, share }
    }

    /// Takes a place for a stream of that user.
    pub(crate) fn take(self: &Arc<Streams>, user: &str) -> Result<Place, Problem> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let all: usize = open.values().sum();
        let own = open.entry(user.to_owned()).or_default();
        if all >= self.most || *own >= self.share {
            return Err(Problem::limited("too many open streams", 5));
        }
        *own += 1;
        Ok(Place { streams: Arc::clone(self), user: user.to_owned() })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut open = self.streams.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(own) = open.get_mut(&self.user) {
            *own -= 1;
            if *own == 0 {
                open.remove(&self.user);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // proves: F8
    #[test]
    fn who_asks_too_often_is_told_when_to_come_back_and_others_are_not_held_up() {
        let limiter = Limiter::new(NonZeroU32::MIN);
        assert!(limiter.changes("alice").is_ok());
        assert!(limiter.changes("alice").is_ok());
        let refused = limiter.changes("alice").unwrap_err();
        assert!(format!("{refused:?}").contains("retry_after: Some("));
        assert!(limiter.changes("bob").is_ok());
        assert!((0..1000).all(|_| limiter.uploads("alice").is_ok()), "a folder, file by file");
        assert!((0..2000).any(|_| limiter.uploads("alice").is_err()), "a flood");
        let guess = |address: &str| limiter.guesses(address.parse().unwrap());
        for last in 1..=GUESSES.get() {
            assert!(guess(&format!("2001:db8::{last:x}")).is_ok());
        }
        assert!(guess("2001:db8::ffff").is_err());
        assert!(guess("2001:db8:0:1::1").is_ok());
    }

    // proves: F8
    #[test]
    fn nobody_takes_all_the_places_for_streams() {
        let streams = Arc::new(Streams::among(32, true));
        let alices: Vec<Place> = (0..4).map(|_| streams.take("alice").unwrap()).collect();
        assert!(streams.take("alice").is_err());
        assert!(streams.take("bob").is_ok());
        drop(alices);
        assert!(streams.take("alice").is_ok());
        let alone = Arc::new(Streams::among(32, false));
        let all: Vec<Place> = (0..24).map(|_| alone.take("local").unwrap()).collect();
        assert!(alone.take("local").is_err(), "a quarter is left for everything else");
        drop(all);
    }
}
