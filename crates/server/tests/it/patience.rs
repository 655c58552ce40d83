//! Nothing is waited for without an end: what never comes fails the test, with what was seen last.

use std::fmt::Debug;
use std::time::Duration;

/// How long anything may take before a test gives it up.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);
/// How long to wait before the next look.
const BETWEEN_LOOKS: Duration = Duration::from_millis(5);

/// Looks again and again until there is what is waited for; an error is what was seen instead.
pub(crate) async fn until<T, S: Debug>(
    what: &str,
    mut look: impl AsyncFnMut() -> Result<T, S>,
) -> T {
    let mut seen = None;
    let looking = async {
        loop {
            match look().await {
                Ok(found) => return found,
                Err(other) => seen = Some(other),
            }
            tokio::time::sleep(BETWEEN_LOOKS).await;
        }
    };
    let found = tokio::time::timeout(PATIENCE, looking).await;
    found.unwrap_or_else(|_| given_up(what, &seen))
}

/// Waits for something that ends by itself.
pub(crate) async fn within<T>(what: &str, work: impl Future<Output = T>) -> T {
    let done = tokio::time::timeout(PATIENCE, work).await;
    done.unwrap_or_else(|_| given_up(what, &"nothing"))
}

pub(crate) fn given_up(what: &str, seen: &dyn Debug) -> ! {
    panic!("waited {} seconds until {what}; seen last: {seen:?}", PATIENCE.as_secs())
}
