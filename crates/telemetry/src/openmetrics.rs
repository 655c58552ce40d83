//! Reads a page of metrics in the text format of OpenMetrics.
//!
//! <https://prometheus.io/docs/specs/om/open_metrics_spec/>

/// What a metric counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Counter,
    Gauge,
    Histogram,
    Info,
}

/// A metric with all its series.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Family {
    /// Without `_total`, with the unit.
    pub(crate) name: String,
    pub(crate) kind: Kind,
    pub(crate) help: String,
    /// Empty if it has none.
    pub(crate) unit: String,
    pub(crate) samples: Vec<Sample>,
}

/// A line of a metric.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Sample {
    /// What follows the name of the metric: `_total`, `_bucket`, `_sum`, `_count`, `_info` or nothing.
    pub(crate) suffix: String,
    pub(crate) labels: Vec<(String, String)>,
    /// As it is written.
    pub(crate) value: String,
}

/// Reads a page. Lines and metrics of other kinds are left out.
pub(crate) fn read(page: &str) -> Vec<Family> {
    let mut families: Vec<Family> = Vec::new();
    let (mut help, mut unit): ((String, String), (String, String)) = Default::default();
    for line in page.lines() {
        if let Some(rest) = line.strip_prefix("# HELP ") {
            help = named(rest);
        } else if let Some(rest) = line.strip_prefix("# UNIT ") {
            unit = named(rest);
            if let Some(last) = families.last_mut().filter(|last| last.name == unit.0) {
                last.unit.clone_from(&unit.1);
            }
        } else if let Some(rest) = line.strip_prefix("# TYPE ") {
            let (name, kind) = named(rest);
            let kind = match kind.as_str() {
                "counter" => Kind::Counter,
                "gauge" => Kind::Gauge,
                "histogram" => Kind::Histogram,
                "info" => Kind::Info,
                _ => continue,
            };
            let of = |(whose, what): &(String, String)| {
                if *whose == name { what.clone() } else { String::new() }
            };
            let (help, unit) = (unescape(&of(&help)), of(&unit));
            families.push(Family { name, kind, help, unit, samples: vec![] });
        } else if !line.starts_with('#')
            && let Some(last) = families.last_mut()
            && let Some(sample) = read_sample(line, &last.name)
        {
            last.samples.push(sample);
        }
    }
    families
}

fn named(rest: &str) -> (String, String) {
    let (name, what) = rest.split_once(' ').unwrap_or((rest, ""));
    (name.to_owned(), what.to_owned())
}

/// Reads a line of the metric `family`.
fn read_sample(line: &str, family: &str) -> Option<Sample> {
    let rest = line.strip_prefix(family)?;
    let end = rest.find(['{', ' '])?;
    let (suffix, rest) = rest.split_at_checked(end)?;
    let (labels, rest) = match rest.strip_prefix('{') {
        Some(rest) => labels(rest)?,
        None => (vec![], rest),
    };
    let value = rest.split_whitespace().next()?.to_owned();
    Some(Sample { suffix: suffix.to_owned(), labels, value })
}

/// Reads labels up to their closing brace; returns them and what follows.
fn labels(text: &str) -> Option<(Vec<(String, String)>, &str)> {
    let mut labels = Vec::new();
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches(',');
        if let Some(rest) = rest.strip_prefix('}') {
            return Some((labels, rest));
        }
        let (name, tail) = rest.split_once("=\"")?;
        let mut is_escaped = false;
        let end = tail.char_indices().find(|(_, c)| {
            let ends = *c == '"' && !is_escaped;
            is_escaped = *c == '\\' && !is_escaped;
            ends
        });
        let (end, _) = end?;
        labels.push((name.to_owned(), unescape(tail.get(..end)?)));
        rest = tail.get(end + 1..)?;
    }
}

fn unescape(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match (c, chars.clone().next()) {
            ('\\', Some('n')) => plain.push('\n'),
            ('\\', Some(escaped @ ('\\' | '"'))) => plain.push(escaped),
            _ => {
                plain.push(c);
                continue;
            }
        }
        chars.next();
    }
    plain
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    // proves: F7
    #[test]
    fn a_page_is_read_with_its_labels_and_units() {
        let page = concat!(
            "# HELP quaestio_queue_wait_seconds How long a \\\"run\\\" stood.\n",
            "# TYPE quaestio_queue_wait_seconds histogram\n",
            "# UNIT quaestio_queue_wait_seconds seconds\n",
            "quaestio_queue_wait_seconds_sum 0.5\n",
            "quaestio_queue_wait_seconds_bucket{le=\"0.01\"} 0\n",
            "# TYPE quaestio_retries counter\n",
            "quaestio_retries_total{service=\"a \\\"b\\\\,}\\n\",x=\"\"} 7\n",
            "# EOF\n",
        );
        let families = read(page);
        let [waits, retries] = families.as_slice() else { panic!("{families:?}") };
        assert_eq!((waits.unit.as_str(), waits.kind), ("seconds", Kind::Histogram));
        assert_eq!(waits.help, "How long a \"run\" stood.");
        assert_eq!(waits.samples[1].labels, [("le".to_owned(), "0.01".to_owned())]);
        assert_eq!(retries.samples[0].labels[0].1, "a \"b\\,}\n");
        assert_eq!(
            (retries.samples[0].suffix.as_str(), &*retries.samples[0].value),
            ("_total", "7")
        );
    }

    proptest! {
        // proves: F7
        #[test]
        fn any_text_is_read_without_panic(text in "(# TYPE [a-c_]{1,3} (counter|gauge)\n|[a-c_]{1,3}|\\{|\\}|=|\"|\\\\|,| |\n|é|1){0,40}") {
            read(&text);
        }
    }
}
