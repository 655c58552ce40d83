//! Queries on the rows of runs.

use deadpool_postgres::ClientWrapper;
use jiff::Timestamp;
use run::database::Tally;
use run::entry::Hash;
use run::log::{Listing, RunSummary, Status};
use text::fold_case;
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;

use crate::Postgres;
use crate::fault::Fault;
use crate::plain::{restored, stored};
use crate::query::text;

const COLUMNS: &str =
    "id, method, question, status, tokens, cost_usd_micros, created_at, updated_at, last_seq,
     status = 'running' AND cancel_by IS NOT NULL, title, pinned";
/// The column of a list after those: the text of a run in which what was looked for was found.
const FOUND_IN: usize = 12;
/// In texts of results at least so many characters are looked for.
const LOOKED_UP: usize = 3;

impl Postgres {
    /// Returns the row of a run.
    pub(super) async fn row_of(&self, user: &str, run: &str) -> Result<Option<RunSummary>, Fault> {
        let query = format!("SELECT {COLUMNS} FROM runs WHERE user_id = $1 AND id = $2");
        let rows = self.select(&query, &[&stored(user), &stored(run)]).await?;
        rows.first().map(read_summary).transpose()
    }

    /// Returns whether there is a run.
    pub(super) async fn has(&self, user: &str, run: &str) -> Result<bool, Fault> {
        let query = "SELECT FROM runs WHERE user_id = $1 AND id = $2";
        Ok(!self.select(query, &[&stored(user), &stored(run)]).await?.is_empty())
    }

    /// Returns the rows of a list; `None` if the run to continue from does not exist.
    ///
    /// Without a text it reads about as much as it returns: every index of a list ends with the number of a run.
    pub(super) async fn rows_of(
        &self,
        user: &str,
        listing: &Listing,
    ) -> Result<Option<Vec<RunSummary>>, Fault> {
        let user = stored(user);
        let before = match &listing.before {
            None => None,
            Some(before) => match self.number(&user, before).await? {
                None => return Ok(None),
                number => number,
            },
        };
        let status = listing.status.map(Status::name);
        let method = listing.method.as_deref().map(stored);
        let wanted = listing.text.as_deref().map(fold_case).filter(|text| !text.is_empty());
        let text = wanted.as_deref().map(stored);
        let (limit, offset) = (i64::from(listing.limit), i64::from(listing.offset));

        let is_short = wanted.as_deref().is_some_and(|text| text.chars().count() < LOOKED_UP);
        let mut found_in = "NULL".to_owned();

        let mut values: Vec<&(dyn ToSql + Sync)> = vec![&user, &limit, &offset];
        let mut narrowed = String::new();
        let mut narrow = |condition: fn(usize) -> String, value| {
            values.push(value);
            narrowed.push_str(&condition(values.len()));
        };
        if let Some(before) = &before {
            narrow(|place| format!(" AND number < ${place}"), before);
        }
        if let Some(status) = &status {
            narrow(|place| format!(" AND status = ${place}"), status);
        }
        if let Some(method) = &method {
            narrow(|place| format!(" AND method = ${place}"), method);
        }
        match listing.pinned {
            Some(true) => narrowed.push_str(" AND pinned"),
            Some(false) => narrowed.push_str(" AND NOT pinned"),
            None => {}
        }
        if let Some(text) = &text {
            values.push(text);
            let place = values.len();
            let at_head = format!("position(${place} in runs.folded) > 0");
            let text = "FROM run_texts AS kept WHERE kept.user_id = runs.user_id AND kept.run_id = runs.id";
            narrowed.push_str(&match is_short {
                true => format!(" AND {at_head}"),
                false => format!(
                    " AND ({at_head} OR EXISTS (SELECT {text} AND position(${place} in kept.folded) > 0))"
                ),
            });
            if !is_short {
                found_in = format!("CASE WHEN NOT {at_head} THEN (SELECT kept.text {text}) END");
            }
        }
        let query = format!(
            "SELECT {COLUMNS}, {found_in}::text FROM runs WHERE user_id = $1{narrowed} ORDER BY number DESC LIMIT $2 OFFSET $3"
        );
        let rows = self.select(&query, &values).await?;
        let read = |row: &Row| {
            let run = read_summary(row)?;
            let text: Option<String> = row.try_get(FOUND_IN)?;
            let text = text.map(restored).zip(wanted.as_deref());
            let snippet = text.and_then(|(text, wanted)| run::history::snippet(&text, wanted));
            Ok(RunSummary { snippet, ..run })
        };
        rows.iter().map(read).collect::<Result<_, _>>().map(Some)
    }

    /// Returns the number of a run; `None` if there is no such run.
    async fn number(&self, user: &str, run: &str) -> Result<Option<i64>, Fault> {
        let query = "SELECT number FROM runs WHERE user_id = $1 AND id = $2";
        let rows = self.select(query, &[&user, &stored(run)]).await?;
        Ok(rows.first().map(|row| row.try_get(0)).transpose()?)
    }

    /// Returns up to ten ids of runs that begin with `prefix`.
    pub(super) async fn ids_after(&self, user: &str, prefix: &str) -> Result<Vec<String>, Fault> {
        let first = stored(prefix);
        // No stored id with this prefix sorts after this one: the greatest character never stands twice in a row.
        let last = format!("{first}{}{}", char::MAX, char::MAX);
        let query =
            "SELECT id FROM runs WHERE user_id = $1 AND id BETWEEN $2 AND $3 ORDER BY id LIMIT 10";
        let rows = self.select(query, &[&stored(user), &first, &last]).await?;
        rows.iter().map(|row| text(row, 0)).collect()
    }

    /// Returns the runs of all users that may be taken up: each user's oldest first, and the users in turn, so that no one waits behind
    /// all runs of another user. After an outage of the database these are the queued ones alone.
    pub(super) async fn rows_unfinished(&self, limit: u32) -> Result<Vec<(String, String)>, Fault> {
        let query = "
            SELECT user_id, id
              FROM (SELECT user_id, id, created_at, status = 'queued' AS is_queued,
                           status = 'running' AND lease_until > clock_timestamp() AS is_held,
                           row_number() OVER (PARTITION BY user_id ORDER BY number) AS turn
                      FROM runs LEFT JOIN owners ON owners.name = runs.owner
                     WHERE status IN ('queued', 'running')) AS unfinished
             WHERE is_held IS NOT TRUE AND (is_queued OR NOT $2)
             ORDER BY turn, created_at, user_id LIMIT $1";
        loop {
            // Those who hold the others may live: after an outage they need time to renew their leases.
            let queued_alone = self.shared.absence.is_recent();
            let rows = self.select(query, &[&i64::from(limit), &queued_alone]).await?;
            // It may have waited for the database meanwhile.
            if queued_alone || !self.shared.absence.is_recent() {
                return read_pairs(&rows);
            }
        }
    }

    /// Returns runs that ended before an instant, the earliest first.
    pub(super) async fn rows_ended(
        &self,
        user: Option<&str>,
        before: Timestamp,
        limit: u32,
    ) -> Result<Vec<(String, String)>, Fault> {
        let query = "
            SELECT user_id, id FROM runs
             WHERE ended_at < $1::timestamptz AND ($2::text IS NULL OR user_id = $2) ORDER BY ended_at LIMIT $3";
        let user = user.map(stored);
        read_pairs(&self.select(query, &[&before, &user, &i64::from(limit)]).await?)
    }

    /// Counts the runs that have not ended.
    pub(super) async fn tally_rows(&self) -> Result<Tally, Fault> {
        let query = "
            SELECT status, count(*), min(updated_at) FROM runs WHERE status IN ('queued', 'running') GROUP BY status
            UNION ALL
            SELECT 'waiting', count(*), NULL FROM runs WHERE status = 'waiting'";
        let mut tally = Tally::default();
        for row in self.select(query, &[]).await? {
            let count = row.try_get::<_, i64>(1)?.unsigned_abs();
            match row.try_get(0)? {
                "queued" => {
                    tally.queued = count;
                    tally.oldest_queued_at = row.try_get(2)?;
                }
                "running" => tally.running = count,
                _ => tally.waiting = count,
            }
        }
        Ok(tally)
    }

    /// Returns the run with this key, and the digest of its request.
    pub(super) async fn row_keyed(
        &self,
        user: &str,
        key: &str,
    ) -> Result<Option<(String, Hash)>, Fault> {
        let rows = self.select(KEYED, &[&stored(user), &stored(key)]).await?;
        rows.first().map(read_keyed).transpose()
    }
}

const KEYED: &str = "SELECT id, request_hash FROM runs WHERE user_id = $1 AND request_key = $2";

/// Returns the run of a user, by the stored name, with this key, and the digest of its request.
pub(super) async fn keyed(
    client: &ClientWrapper,
    user: &str,
    key: &str,
) -> Result<Option<(String, Hash)>, Fault> {
    let row = client.query_opt(KEYED, &[&user, &stored(key)]).await?;
    row.as_ref().map(read_keyed).transpose()
}

fn read_keyed(row: &Row) -> Result<(String, Hash), Fault> {
    Ok((text(row, 0)?, read_hash(row.try_get(1)?).map_err(Fault::unreadable)?))
}

/// Reads a stored hash; says what is wrong if it is none.
pub(crate) fn read_hash(bytes: &[u8]) -> Result<Hash, &'static str> {
    bytes.try_into().map(Hash).map_err(|_| "its hash is not 32 bytes")
}

fn read_pairs(rows: &[Row]) -> Result<Vec<(String, String)>, Fault> {
    let pair = |row: &Row| Ok((text(row, 0)?, text(row, 1)?));
    rows.iter().map(pair).collect()
}

fn read_summary(row: &Row) -> Result<RunSummary, Fault> {
    let number = |index: usize| Ok::<_, Fault>(row.try_get::<_, i64>(index)?.unsigned_abs());
    Ok(RunSummary {
        run_id: text(row, 0)?,
        method: text(row, 1)?,
        question: text(row, 2)?,
        status: read_status(row.try_get(3)?)?,
        tokens: number(4)?,
        cost_usd_micros: number(5)?,
        created_at: row.try_get(6)?,
        updated_at: row.try_get(7)?,
        entries: number(8)?,
        stopping: row.try_get(9)?,
        title: row.try_get::<_, Option<String>>(10)?.map(restored),
        pinned: row.try_get(11)?,
        snippet: None,
    })
}

pub(crate) fn read_status(name: &str) -> Result<Status, Fault> {
    Status::named(name).ok_or_else(|| Fault::unreadable(format!("unknown status '{name}'")))
}
