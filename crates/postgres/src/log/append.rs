//! What an append becomes: one statement, which stores all of it or writes nothing.

use std::borrow::Cow;
use std::sync::LazyLock;

use deadpool_postgres::ClientWrapper;
use run::entry::Hash;
use run::log::{Append, Fence, LogError, NewRun};
use tokio_postgres::{Error, Row, Statement};

use crate::fault::Fault;
use crate::plain::{restored, stored};

/// The locks under which runs are counted, in ascending order.
const LOCK: &str = "SELECT pg_advisory_xact_lock(key) FROM unnest($1::bigint[]) AS key";

/// Returns the statement that moves a run on.
fn advance(fence: &str) -> String {
    format!(
        "WITH changed AS (
             UPDATE runs SET status = $6::text, last_seq = coalesce($7::bigint, last_seq), tokens = $8, cost_usd_micros = $9,
                    updated_at = $10::timestamptz, ended_at = {ENDED_AT},
                    owner = CASE $6::text WHEN 'running' THEN owner END
              WHERE user_id = $1::text AND id = $2::text AND last_seq = coalesce($11::bigint, last_seq) AND {fence}
             RETURNING 1
         ), {STORED}
         SELECT count(*) = 1 FROM changed"
    )
}

const ENDED_AT: &str =
    "CASE WHEN $6::text IN ('completed', 'partial', 'cancelled') THEN $10::timestamptz END";
// A run is found by its key. So no other condition is one that an index answers: once the statistics say that no run is at work, or that
// few have a status, the planner would look through all runs that have an owner or that status now.
const ATTEMPT: &str = "attempt = $12::bigint AND num_nonnulls(owner) = 1";
const IDLE: &str = "status IS NOT DISTINCT FROM $12::text AND num_nonnulls(owner) = 0";

/// Stores the entries of a run that was changed.
const STORED: &str = "stored AS (
        INSERT INTO entries (user_id, run_id, seq, hash, body)
        SELECT $1::text, $2::text, entry.*
          FROM changed, unnest($3::bigint[], $4::bytea[], $5::text[]) AS entry (seq, hash, body)
    )";

/// Returns the statement that creates a run, unless its id or its key is taken or too many are at work. It returns whether it did, and
/// all that may have been in the way.
fn create() -> String {
    format!(
        "WITH at_work AS MATERIALIZED (
             SELECT id, number FROM runs LEFT JOIN owners ON owners.name = runs.owner
              WHERE $18::bigint IS NOT NULL AND user_id = $1::text AND method = $11::text AND id <> $2::text
                AND status IN ('queued', 'running')
                AND (status = 'queued' OR lease_until > clock_timestamp())
         ), changed AS (
             INSERT INTO runs (user_id, id, status, last_seq, tokens, cost_usd_micros, created_at, updated_at, ended_at,
                               method, question, folded, owner, attempt, request_key, request_hash)
             SELECT $1::text, $2::text, $6::text, coalesce($7::bigint, 0), $8::bigint, $9::bigint, $10::timestamptz,
                    $10::timestamptz, {ENDED_AT}, $11::text, $12::text, $13::text,
                    CASE $6::text WHEN 'running' THEN $14::text END, $15::integer, $16::text, $17::bytea
              WHERE $18::bigint IS NULL OR (SELECT count(*) FROM at_work) < $18::bigint
             ON CONFLICT DO NOTHING
             RETURNING 1
         ), {STORED}
         SELECT (SELECT count(*) = 1 FROM changed),
                (SELECT id FROM runs WHERE user_id = $1::text AND request_key = $16::text),
                EXISTS (SELECT FROM runs WHERE user_id = $1::text AND id = $2::text),
                CASE WHEN (SELECT count(*) FROM at_work) >= $18::bigint
                     THEN (SELECT id FROM at_work ORDER BY number LIMIT 1) END"
    )
}

/// Tells whether an append was stored: its last entry is there, or the run's row says what an append without entries said.
const IS_STORED: &str = "
    SELECT CASE WHEN $3::bigint IS NULL
        THEN EXISTS (SELECT FROM runs WHERE user_id = $1::text AND id = $2::text AND status = $5::text AND tokens = $6
                                        AND cost_usd_micros = $7 AND updated_at = $8::timestamptz)
        ELSE EXISTS (SELECT FROM entries WHERE user_id = $1::text AND run_id = $2::text AND seq = $3::bigint AND hash = $4::bytea)
    END";

// Written once: every batch looks its statements up by their texts.
static CREATE: LazyLock<String> = LazyLock::new(create);
static ADVANCE_ATTEMPT: LazyLock<String> = LazyLock::new(|| advance(ATTEMPT));
static ADVANCE_IDLE: LazyLock<String> = LazyLock::new(|| advance(IDLE));

/// The statements that appends need, prepared.
pub(super) struct Statements {
    lock: Statement,
    create: Statement,
    attempt: Statement,
    idle: Statement,
    is_stored: Statement,
}

impl Statements {
    pub(super) async fn prepare(client: &ClientWrapper) -> Result<Statements, Error> {
        Ok(Statements {
            lock: client.prepare_cached(LOCK).await?,
            create: client.prepare_cached(&CREATE).await?,
            attempt: client.prepare_cached(&ADVANCE_ATTEMPT).await?,
            idle: client.prepare_cached(&ADVANCE_IDLE).await?,
            is_stored: client.prepare_cached(IS_STORED).await?,
        })
    }

    /// Takes the locks under which runs are counted, so that a limit holds for all processes.
    pub(super) async fn lock(&self, client: &ClientWrapper, keys: &[i64]) -> Result<(), Fault> {
        client.query(&self.lock, &[&keys]).await?;
        Ok(())
    }
}

/// The values of an append, as the database takes them.
pub(super) struct Values<'a> {
    append: &'a Append,
    pub(super) user: Cow<'a, str>,
    run: Cow<'a, str>,
    /// The last entry that must be stored already.
    before: Option<i64>,
    last: Option<i64>,
    seqs: Vec<i64>,
    hashes: Vec<&'a [u8]>,
    bodies: Vec<&'a str>,
    tokens: i64,
    cost_usd_micros: i64,
}

/// What the database did with an append.
pub(super) enum Answer {
    Stored,
    Refused(LogError),
    /// Something that was stored meanwhile has its id or this key.
    Taken(String),
}

impl Values<'_> {
    /// Returns the values of an append, or why no log could take it.
    pub(super) fn of(append: &Append) -> Result<Values<'_>, LogError> {
        let fenced = || LogError::Fenced { run: append.run.clone() };
        let mut seqs = Vec::with_capacity(append.entries.len());
        for entry in &append.entries {
            let seq = i64::try_from(entry.seq).map_err(|_| fenced())?;
            if seqs.last().is_some_and(|before| before + 1 != seq) {
                return Err(fenced());
            }
            seqs.push(seq);
        }
        let before = seqs.first().map(|first| first - 1);
        if matches!(append.fence, Fence::New(_)) && before.is_some_and(|before| before != 0) {
            return Err(fenced());
        }
        Ok(Values {
            append,
            user: stored(&append.user),
            run: stored(&append.run),
            before,
            last: seqs.last().copied(),
            seqs,
            hashes: append.entries.iter().map(|entry| entry.hash.0.as_slice()).collect(),
            bodies: append
                .entries
                .iter()
                .map(|entry| body_text(&entry.body))
                .collect::<Result<_, _>>()?,
            tokens: i64::try_from(append.spent.tokens).unwrap_or(i64::MAX),
            cost_usd_micros: i64::try_from(append.spent.cost_usd_micros).unwrap_or(i64::MAX),
        })
    }

    /// Returns the key of the lock under which runs must be counted; `None` if there is no limit.
    pub(super) fn lock_key(&self) -> Option<i64> {
        match &self.append.fence {
            Fence::New(NewRun { method, at_most: Some(_), .. }) => {
                let parts = [self.append.user.as_bytes(), method.as_bytes()];
                Hash::of_parts(&parts).0.first_chunk().map(|bytes| i64::from_be_bytes(*bytes))
            }
            _ => None,
        }
    }

    /// Stores the append inside a transaction.
    pub(super) async fn store(
        &self,
        client: &ClientWrapper,
        statements: &Statements,
    ) -> Result<Answer, Fault> {
        match &self.append.fence {
            Fence::New(new) => self.create(client, statements, new).await,
            Fence::Attempt(attempt) => {
                let attempt = i64::from(*attempt);
                self.advance(client, &statements.attempt, &attempt).await
            }
            Fence::Idle(status) => self.advance(client, &statements.idle, &status.name()).await,
        }
    }

    async fn advance(
        &self,
        client: &ClientWrapper,
        statement: &Statement,
        fence: &(dyn tokio_postgres::types::ToSql + Sync),
    ) -> Result<Answer, Fault> {
        let Values { user, run, seqs, hashes, bodies, last, .. } = self;
        let Append { status, at, .. } = self.append;
        let row = client
            .query_one(
                statement,
                &[
                    user,
                    run,
                    seqs,
                    hashes,
                    bodies,
                    &status.name(),
                    last,
                    &self.tokens,
                    &self.cost_usd_micros,
                    at,
                    &self.before,
                    fence,
                ],
            )
            .await?;
        Ok(if row.try_get(0)? { Answer::Stored } else { Answer::Refused(self.fenced()) })
    }

    async fn create(
        &self,
        client: &ClientWrapper,
        statements: &Statements,
        new: &NewRun,
    ) -> Result<Answer, Fault> {
        let Values { user, run, seqs, hashes, bodies, last, .. } = self;
        let Append { status, at, .. } = self.append;
        let key = new.key.as_ref().map(|key| stored(&key.key));
        let request = new.key.as_ref().map(|key| key.request.0.as_slice());
        let limit = new.at_most.map(|limit| limit.max(1));
        let row = client
            .query_one(
                &statements.create,
                &[
                    user,
                    run,
                    seqs,
                    hashes,
                    bodies,
                    &status.name(),
                    last,
                    &self.tokens,
                    &self.cost_usd_micros,
                    at,
                    &stored(&new.method),
                    &stored(&new.question),
                    &stored(&text::fold_case(&new.question)),
                    &new.owner.as_deref().map(stored),
                    &i32::from(new.owner.is_some()),
                    &key,
                    &request,
                    &limit.map(i64::from),
                ],
            )
            .await?;
        self.read_created(new, &row)
    }

    /// Reads what came of creating a run. A key that is taken counts before an id that is, and both before a limit.
    fn read_created(&self, new: &NewRun, row: &Row) -> Result<Answer, Fault> {
        if row.try_get(0)? {
            return Ok(Answer::Stored);
        }
        let key = new.key.as_ref().map(|key| key.key.clone());
        let keyed: Option<String> = row.try_get(1)?;
        if let (Some(key), Some(run)) = (&key, keyed) {
            let refused = LogError::KeyTaken { key: key.clone(), run: restored(run) };
            return Ok(Answer::Refused(refused));
        }
        let is_there: bool = row.try_get(2)?;
        let at_work: Option<String> = row.try_get(3)?;
        Ok(match (is_there, at_work, key) {
            (false, Some(run), _) => Answer::Refused(LogError::TooMany {
                method: new.method.clone(),
                run: restored(run),
                limit: new.at_most.unwrap_or_default().max(1),
            }),
            (false, None, Some(key)) => Answer::Taken(key),
            _ => Answer::Refused(self.fenced()),
        })
    }

    /// Returns whether the append is stored.
    pub(super) async fn is_stored(
        &self,
        client: &ClientWrapper,
        statements: &Statements,
    ) -> Result<bool, Fault> {
        let Values { user, run, last, .. } = self;
        let Append { status, at, .. } = self.append;
        let (tokens, cost, hash) = (&self.tokens, &self.cost_usd_micros, self.hashes.last());
        let row = client
            .query_one(
                &statements.is_stored,
                &[user, run, last, &hash, &status.name(), tokens, cost, at],
            )
            .await?;
        Ok(row.try_get(0)?)
    }

    pub(super) fn fenced(&self) -> LogError {
        LogError::Fenced { run: self.append.run.clone() }
    }
}

/// Returns the body of an entry as the text that it must be.
pub(crate) fn body_text(body: &[u8]) -> Result<&str, LogError> {
    let unfit = |reason: String| LogError::Store { action: "be written".into(), reason };
    let text = std::str::from_utf8(body).map_err(|reason| unfit(reason.to_string()))?;
    match text.contains('\0') {
        true => Err(unfit("an entry is not valid JSON: it contains the character NUL".into())),
        false => Ok(text),
    }
}
