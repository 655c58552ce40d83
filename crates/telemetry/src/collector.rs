//! Where traces and metrics are sent, and who is told if they do not arrive.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use crate::settings::{Headers, Protocol};

/// Between two lines about a collector that cannot be reached.
const QUIET: Duration = Duration::from_hours(1);

/// A collector: how it is spoken to, and what is told of it. Clones tell of it together.
#[derive(Clone)]
pub struct Collector {
    pub(crate) protocol: Protocol,
    pub(crate) headers: Headers,
    /// For one export, its retries included.
    pub(crate) timeout: Duration,
    teller: Arc<Teller>,
}

struct Teller {
    say: Box<dyn Fn(&str) + Send + Sync>,
    told_at: Mutex<Option<Instant>>,
}

impl fmt::Debug for Collector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Collector").field("protocol", &self.protocol).finish_non_exhaustive()
    }
}

impl Collector {
    /// Describes a collector. `say` hears a line if something does not arrive; at most one an hour, whatever and how much it is.
    pub fn new(
        protocol: Protocol,
        headers: Headers,
        timeout: Duration,
        say: impl Fn(&str) + Send + Sync + 'static,
    ) -> Collector {
        let teller = Arc::new(Teller { say: Box::new(say), told_at: Mutex::default() });
        Collector { protocol, headers, timeout, teller }
    }

    /// Returns the same collector, spoken to with these headers.
    #[must_use]
    pub fn with_headers(self, headers: Headers) -> Collector {
        Collector { headers, ..self }
    }

    /// Says that something did not arrive, unless it was said within the hour.
    pub(crate) fn tell(&self, what: &str) {
        let mut told_at = self.teller.told_at.lock().unwrap_or_else(PoisonError::into_inner);
        if told_at.is_some_and(|told_at| told_at.elapsed() < QUIET) {
            return;
        }
        *told_at = Some(Instant::now());
        drop(told_at);
        let mut line = format!("warning: {what}");
        for secret in &self.headers.secrets {
            if !secret.reveal().is_empty() {
                line = line.replace(secret.reveal(), "***");
            }
        }
        (self.teller.say)(&line);
    }
}

/// Who sends: the attributes of the resource.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resource(pub(crate) Vec<(String, String)>);

impl Resource {
    /// Describes this program, under the name of a service and with further attributes. A name among the attributes counts if
    /// `service` is empty; without any, the service is called `quaestio`.
    pub fn of(service: &str, attributes: Vec<(String, String)>) -> Resource {
        const NAME: &str = "service.name";
        let mut all: Vec<(String, String)> = Vec::new();
        let named =
            attributes.iter().find(|(name, _)| name == NAME).map(|(_, value)| value.clone());
        let service =
            if service.is_empty() { named.unwrap_or_default() } else { service.to_owned() };
        let service = if service.is_empty() { "quaestio".to_owned() } else { service };
        all.push((NAME.to_owned(), service));
        all.push(("service.version".to_owned(), env!("CARGO_PKG_VERSION").to_owned()));
        for (name, value) in attributes {
            match all.iter_mut().find(|(known, _)| *known == name) {
                Some(known) if name != NAME => known.1 = value,
                Some(_) => {}
                None => all.push((name, value)),
            }
        }
        Resource(all)
    }

    /// Adds the name of this process, which distinguishes it from others of the service.
    #[must_use]
    pub fn of_process(mut self, instance: &str) -> Resource {
        const INSTANCE: &str = "service.instance.id";
        if !self.0.iter().any(|(name, _)| name == INSTANCE) {
            self.0.push((INSTANCE.to_owned(), instance.to_owned()));
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // proves: F7
    #[test]
    fn a_service_is_named_by_its_own_setting_else_by_its_attributes() {
        let attributes = || vec![("service.name".to_owned(), "theirs".to_owned())];
        let name = |service, attributes| Resource::of(service, attributes).0.remove(0).1;
        assert_eq!(name("ours", attributes()), "ours");
        assert_eq!(name("", attributes()), "theirs");
        assert_eq!(name("", vec![]), "quaestio");
    }

    // proves: F7
    #[tokio::test(start_paused = true)]
    async fn one_line_is_said_of_many_failures_and_no_secret_is_in_it() {
        let said: Arc<Mutex<Vec<String>>> = Arc::default();
        let heard = Arc::clone(&said);
        let headers: Headers = "key=canary".parse().unwrap();
        let timeout = Duration::from_secs(1);
        let collector = Collector::new(Protocol::HttpJson, headers, timeout, move |line| {
            heard.lock().unwrap().push(line.to_owned());
        });
        for _ in 0..100 {
            collector.clone().tell("it does not like canary");
        }
        assert_eq!(*said.lock().unwrap(), ["warning: it does not like ***"]);
        tokio::time::advance(QUIET).await;
        collector.tell("still not");
        assert_eq!(said.lock().unwrap().len(), 2);
    }
}
