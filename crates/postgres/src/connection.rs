//! Connections: opening them, and transactions that outlive a broken one.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use deadpool_postgres::{
    Client, Hook, HookError, Manager, ManagerConfig, Pool, RecyclingMethod, Runtime, Transaction,
};
use futures::future::BoxFuture;
use rustls_platform_verifier::BuilderVerifierExt;
use tokio::runtime::Handle;
use tokio::time::{Instant, sleep};
use tokio_postgres::config::{Config, Host, SslMode};
use tokio_postgres::tls::MakeTlsConnect;
use tokio_postgres::{IsolationLevel, Row, Socket};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::fault::{Fault, explain};
use crate::query::Values;
use crate::snapshot::Snapshot;
use crate::{LEASE, PATIENCE, Postgres};

/// The maximum number of connections of a process, besides the one that writes.
const MOST: usize = 16;
/// How long a connection may take to be made.
const CONNECT: Duration = Duration::from_secs(10);
/// How long to wait before the first repetition; each further wait is twice as long, up to [`LONGEST_REST`].
const REST: Duration = Duration::from_millis(20);
const LONGEST_REST: Duration = Duration::from_secs(1);
/// After how long a silent server is asked whether it is still there.
const SILENCE: Duration = Duration::from_secs(10);
/// How often a transaction is repeated that others were in the way of.
const MOST_CONFLICTS: u32 = 20;

/// Why a database cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error("invalid address of the database: {reason}")]
    Address { reason: String },
    #[error("could not load the certificates to check the server with: {reason}")]
    Certificates { reason: String },
    #[error("could not use the database {location}: {reason}")]
    Database { location: String, reason: String },
    #[error(
        "the database {location} has the encoding {encoding}. Create one with the encoding UTF8"
    )]
    Encoding { location: String, encoding: String },
    #[error(
        "the database {location} was written by a newer version of quaestio (layout {found}; this version reads up to \
         {known}). Update quaestio, or choose another `--database`"
    )]
    Newer { location: String, found: i32, known: i32 },
}

/// Where the database is, and how to connect to it.
#[derive(Clone)]
pub(crate) struct Address {
    config: Config,
    tls: MakeRustlsConnect,
    /// For a person, without user and password.
    pub(crate) location: String,
}

impl Address {
    /// Opens a connection besides those of the pool. Its caller polls the second part.
    pub(crate) async fn connect(&self) -> Result<(tokio_postgres::Client, RawConnection), Fault> {
        Ok(self.config.connect(self.tls.clone()).await?)
    }
}

type RawConnection =
    tokio_postgres::Connection<Socket, <MakeRustlsConnect as MakeTlsConnect<Socket>>::Stream>;

/// Makes a pool of connections, tries one, and returns the pool and where the database is.
pub(crate) async fn open(url: &str, password: Option<&str>) -> Result<(Pool, Address), OpenError> {
    let mut config: Config =
        url.parse().map_err(|error| OpenError::Address { reason: explain(&error) })?;
    if let (None, Some(password)) = (config.get_password(), password) {
        config.password(password);
    }
    if config.get_application_name().is_none() {
        config.application_name("quaestio");
    }
    if config.get_connect_timeout().is_none() {
        config.connect_timeout(CONNECT);
    }
    notice_a_lost_server(&mut config);
    let location = locate(&config);
    let certificates = |error: rustls::Error| OpenError::Certificates { reason: error.to_string() };
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let tls = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(certificates)?
        .with_platform_verifier()
        .map_err(certificates)?
        .with_no_client_auth();
    let recycling = ManagerConfig { recycling_method: RecyclingMethod::Fast };
    let tls = MakeRustlsConnect::new(tls);
    let manager = Manager::from_config(config.clone(), tls.clone(), recycling);
    let pool = Pool::builder(manager)
        .max_size(MOST)
        .runtime(Runtime::Tokio1)
        .post_create(Hook::async_fn(|client, _| {
            Box::pin(
                async move { client.batch_execute(&session()).await.map_err(HookError::Backend) },
            )
        }))
        .wait_timeout(Some(PATIENCE))
        .build()
        .map_err(|error| OpenError::Address { reason: explain(&error) })?;
    let encoding = find_encoding(&pool).await.map_err(|fault| OpenError::Database {
        location: location.clone(),
        reason: fault.reason().to_owned(),
    })?;
    if encoding != "UTF8" {
        return Err(OpenError::Encoding { location, encoding });
    }
    Ok((pool, Address { config, tls, location }))
}

/// Lets the system end a connection whose other side is gone without a word; otherwise a query may wait for hours.
fn notice_a_lost_server(config: &mut Config) {
    if config.get_keepalives_interval().is_none() {
        config.keepalives_idle(SILENCE).keepalives_interval(SILENCE / 2).keepalives_retries(3);
    }
    if config.get_tcp_user_timeout().is_none() {
        config.tcp_user_timeout(SILENCE * 2);
    }
}

/// Returns the statements that every connection begins with.
///
/// A process that is stopped in the middle of a transaction holds its rows no longer than a lease. Queries rely on this isolation level.
/// What is committed is on the server's disk, even where the server's default is not to wait for it.
fn session() -> String {
    format!(
        "SET idle_in_transaction_session_timeout = {};
         SET default_transaction_isolation = 'read committed';
         SELECT set_config('synchronous_commit', 'on', false)
          WHERE current_setting('synchronous_commit') = 'off'",
        LEASE.as_millis()
    )
}

async fn find_encoding(pool: &Pool) -> Result<String, Fault> {
    Ok(pool.get().await?.query_one("SHOW server_encoding", &[]).await?.try_get(0)?)
}

/// Returns where a database is, without user and password.
fn locate(config: &Config) -> String {
    let host = match config.get_hosts().first() {
        Some(Host::Tcp(host)) => host.clone(),
        #[cfg(unix)]
        Some(Host::Unix(folder)) => folder.display().to_string(),
        None => "localhost".to_owned(),
    };
    let port = config.get_ports().first().copied().unwrap_or(5432);
    let name = config.get_dbname().or(config.get_user()).unwrap_or_default();
    let tls = if config.get_ssl_mode() == SslMode::Require { ", encrypted" } else { "" };
    format!("{name} at {host}:{port}{tls}")
}

/// What to do with a write whose commit was under way when the connection broke.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unsure {
    /// The write is an error, [`Fault::Unknown`]: done twice it would not be the same.
    Fail,
    /// It is done again: done twice it is the same.
    Repeat,
}

/// What a transaction does with what it is given, which it may borrow. It may be called again, in another transaction.
pub(crate) trait Work<G, T>:
    for<'a> Fn(&'a Transaction<'a>, &'a G) -> BoxFuture<'a, Result<T, Fault>> + Send + Sync
{
}

impl<G, T, W> Work<G, T> for W where
    W: for<'a> Fn(&'a Transaction<'a>, &'a G) -> BoxFuture<'a, Result<T, Fault>> + Send + Sync
{
}

impl Postgres {
    /// Runs one query, in a transaction of its own.
    pub(crate) async fn select(&self, query: &str, values: &Values<'_>) -> Result<Vec<Row>, Fault> {
        let mut patience = Patience::new(&self.shared.absence);
        loop {
            match self.select_once(query, values).await {
                Err(fault) => patience.wait(fault, Unsure::Repeat).await?,
                done => return done,
            }
        }
    }

    /// Runs one query without values that always finds a row.
    pub(crate) async fn select_one(&self, query: &str) -> Result<Row, Fault> {
        let row = self.select(query, &[]).await?.into_iter().next();
        row.ok_or_else(|| Fault::Other("a query that always finds something found nothing".into()))
    }

    /// Runs one statement that writes, in a transaction of its own; returns the number of rows that it changed.
    ///
    /// It is repeated if the connection breaks, so it must be one that may be done twice.
    pub(crate) async fn execute(&self, statement: &str, values: &Values<'_>) -> Result<u64, Fault> {
        let mut patience = Patience::new(&self.shared.absence);
        loop {
            match self.execute_once(statement, values).await {
                Err(fault) => patience.wait(fault, Unsure::Repeat).await?,
                done => return done,
            }
        }
    }

    async fn select_once(&self, query: &str, values: &Values<'_>) -> Result<Vec<Row>, Fault> {
        let client = self.shared.pool.get().await?;
        let prepared = client.prepare_cached(query).await?;
        Ok(client.query(&prepared, values).await?)
    }

    async fn execute_once(&self, statement: &str, values: &Values<'_>) -> Result<u64, Fault> {
        let client = self.shared.pool.get().await?;
        let prepared = client.prepare_cached(statement).await?;
        Ok(client.execute(&prepared, values).await?)
    }

    /// Runs queries about what is given; they see one snapshot of the database.
    pub(crate) async fn read_with<G: Sync, T>(
        &self,
        given: G,
        query: impl Work<G, T>,
    ) -> Result<T, Fault> {
        let mut patience = Patience::new(&self.shared.absence);
        loop {
            match self.read_once(&given, &query).await {
                Err(fault) => patience.wait(fault, Unsure::Repeat).await?,
                done => return done,
            }
        }
    }

    /// Runs queries on a thread that may compute and wait between them; they see one snapshot of the database.
    pub(crate) async fn compute<T: Send + 'static>(
        &self,
        query: impl Fn(&Snapshot<'_>) -> Result<T, Fault> + Send + Sync + 'static,
    ) -> Result<T, Fault> {
        let query = Arc::new(query);
        let mut patience = Patience::new(&self.shared.absence);
        loop {
            match self.compute_once(Arc::clone(&query)).await {
                Err(fault) => patience.wait(fault, Unsure::Repeat).await?,
                done => return done,
            }
        }
    }

    /// Runs a transaction that writes what is given, and commits it. A refusal, the inner error, is rolled back.
    pub(crate) async fn write_with<G: Sync, T, R>(
        &self,
        unsure: Unsure,
        given: G,
        work: impl Work<G, Result<T, R>>,
    ) -> Result<Result<T, R>, Fault> {
        let mut patience = Patience::new(&self.shared.absence);
        loop {
            match self.write_once(&given, &work).await {
                Err(fault) => patience.wait(fault, unsure).await?,
                done => return done,
            }
        }
    }

    async fn read_once<G: Sync, T>(&self, given: &G, query: &impl Work<G, T>) -> Result<T, Fault> {
        let mut client = self.shared.pool.get().await?;
        let transaction = begin_to_read(&mut client).await?;
        let answer = query(&transaction, given).await?;
        transaction.rollback().await?;
        Ok(answer)
    }

    async fn compute_once<T: Send + 'static>(
        &self,
        query: Arc<impl Fn(&Snapshot<'_>) -> Result<T, Fault> + Send + Sync + 'static>,
    ) -> Result<T, Fault> {
        let mut client = self.shared.pool.get().await?;
        let runtime = Handle::current();
        let work = move || {
            let transaction = runtime.block_on(begin_to_read(&mut client))?;
            let answer = query(&Snapshot::new(&runtime, &transaction))?;
            runtime.block_on(transaction.rollback())?;
            Ok(answer)
        };
        let broken_off = |_| Err(Fault::Other("the work was interrupted".into()));
        tokio::task::spawn_blocking(work).await.unwrap_or_else(broken_off)
    }

    async fn write_once<G: Sync, T, R>(
        &self,
        given: &G,
        work: &impl Work<G, Result<T, R>>,
    ) -> Result<Result<T, R>, Fault> {
        let mut client = self.shared.pool.get().await?;
        let transaction = client.transaction().await?;
        let done = match work(&transaction, given).await? {
            Ok(done) => done,
            Err(refused) => {
                transaction.rollback().await?;
                return Ok(Err(refused));
            }
        };
        transaction.commit().await.map_err(|error| match Fault::from(error) {
            Fault::Gone(reason) => Fault::Unknown(reason),
            other => other,
        })?;
        Ok(Ok(done))
    }
}

async fn begin_to_read(client: &mut Client) -> Result<Transaction<'_>, Fault> {
    let transaction = client
        .build_transaction()
        .isolation_level(IsolationLevel::RepeatableRead)
        .read_only(true)
        .start()
        .await?;
    // What reads may compute for a while in between, and holds nothing that others wait for.
    transaction.batch_execute("SET LOCAL idle_in_transaction_session_timeout = 0").await?;
    Ok(transaction)
}

/// When this process was without the database last.
#[derive(Clone, Default)]
pub(crate) struct Absence(Arc<Mutex<Option<Instant>>>);

impl Absence {
    fn note(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    }

    /// Returns whether it was so recently that the leases of living processes may have expired, since they could not renew them either.
    pub(crate) fn is_recent(&self) -> bool {
        let last = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        last.is_some_and(|last| last.elapsed() < LEASE)
    }
}

/// When to try again.
pub(crate) struct Patience {
    until: Instant,
    rest: Duration,
    conflicts: u32,
    absence: Absence,
}

impl Patience {
    pub(crate) fn new(absence: &Absence) -> Patience {
        let (until, absence) = (Instant::now() + PATIENCE, absence.clone());
        Patience { until, rest: REST, conflicts: 0, absence }
    }

    /// Waits until it is time to try again; returns the fault if trying again is no use.
    pub(crate) async fn wait(&mut self, fault: Fault, unsure: Unsure) -> Result<(), Fault> {
        if matches!(fault, Fault::Gone(_) | Fault::Unknown(_)) {
            self.absence.note();
        }
        match (&fault, unsure) {
            (Fault::Conflict(_), _) if self.conflicts < MOST_CONFLICTS => {
                self.conflicts += 1;
                return Ok(());
            }
            (Fault::Gone(_), _) | (Fault::Unknown(_), Unsure::Repeat)
                if Instant::now() + self.rest < self.until => {}
            _ => return Err(fault),
        }
        sleep(self.rest).await;
        self.rest = (self.rest * 2).min(LONGEST_REST);
        Ok(())
    }
}
