//! Moves everything that is kept from one database to another, and checks that what a database holds fits together.
//!
//! A copy can be repeated: what is there already and is the same is passed over, and what is missing is added. Nothing that is there is
//! changed or removed, except that a run that went on since it was copied goes on in the copy as well. What is there and differs is
//! refused and named, and the rest is copied all the same.

mod check;
mod documents;
mod files;
mod log;
mod runs;

use std::collections::BTreeSet;
use std::sync::Arc;

use run::contexts::{ContextError, Contexts};
use run::error::PortError;
use run::library::Library;
use run::moving::{Movable, MovableFiles};

pub use check::{Checked, Problem, check};

/// The number of rows of a list that are read at once.
const LOT: u32 = 200;

/// A database as an operator sees it.
#[derive(Clone)]
pub struct Place {
    pub movable: Arc<dyn Movable>,
    pub library: Arc<dyn Library>,
    pub contexts: Arc<dyn Contexts>,
    pub files: Arc<dyn MovableFiles>,
}

/// Why a copy or a check broke off.
#[derive(Debug)]
pub enum MoveError {
    Port(PortError),
    Contexts(ContextError),
}

impl From<PortError> for MoveError {
    fn from(error: PortError) -> MoveError {
        MoveError::Port(error)
    }
}

impl From<ContextError> for MoveError {
    fn from(error: ContextError) -> MoveError {
        MoveError::Contexts(error)
    }
}

/// What a copy reports on the way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Report {
    /// It comes to something of a user.
    At { user: String, what: String },
    /// Something was not copied.
    Refused { user: String, what: String, reason: String },
}

/// The number of things of a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Count {
    pub copied: u64,
    /// Those that were there already and are the same.
    pub there: u64,
}

/// What a copy did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Copied {
    pub runs: Count,
    pub entries: Count,
    pub collections: Count,
    pub documents: Count,
    pub contexts: Count,
    pub files: Count,
    pub surveys: Count,
    /// What was not copied, because something else is there or because it is damaged.
    pub refused: u64,
}

/// Copies everything `from` one database `to` another; calls `hear` on the way. Both may be in use.
///
/// Documents come before the runs that cite them, so that a run that is taken up at once finds them.
///
/// # Errors
///
/// If one of the databases fails. What was copied by then stays, and another copy goes on from there.
pub async fn copy(
    from: &Place,
    to: &Place,
    hear: &mut (dyn FnMut(Report) + Send),
) -> Result<Copied, MoveError> {
    let last_id = from.movable.last_collection_id().await?;
    to.movable.pass_collection_ids(last_id).await?;
    let mut copying = Copying { from, to, copied: Copied::default(), user: String::new(), hear };
    let mut users: BTreeSet<String> = from.files.users_of_files().await?.into_iter().collect();
    users.extend(from.movable.users().await?);
    for user in users {
        copying.user = user;
        copying.copy_collections().await?;
        copying.copy_contexts().await?;
        copying.copy_files().await?;
        copying.copy_runs().await?;
    }
    Ok(copying.copied)
}

/// A copy under way.
struct Copying<'a> {
    from: &'a Place,
    to: &'a Place,
    copied: Copied,
    /// Whose things are being copied.
    user: String,
    hear: &'a mut (dyn FnMut(Report) + Send),
}

/// What became of one thing, or why it was refused.
type Outcome = Result<Done, String>;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Done {
    Copied,
    Already,
}

impl Copying<'_> {
    fn come_to(&mut self, what: String) {
        (self.hear)(Report::At { user: self.user.clone(), what });
    }

    fn refuse(&mut self, what: String, reason: String) {
        self.copied.refused += 1;
        (self.hear)(Report::Refused { user: self.user.clone(), what, reason });
    }

    /// Counts what became of one thing, or says why it was refused. A value that cannot be read is a refusal; any other error ends the
    /// copy.
    fn settle(
        &mut self,
        what: impl FnOnce() -> String,
        kind: fn(&mut Copied) -> &mut Count,
        outcome: Result<Outcome, PortError>,
    ) -> Result<(), MoveError> {
        let count = kind(&mut self.copied);
        match outcome {
            Ok(Ok(Done::Copied)) => count.copied += 1,
            Ok(Ok(Done::Already)) => count.there += 1,
            Ok(Err(reason)) | Err(PortError::Invalid { what: reason }) => {
                self.refuse(what(), reason);
            }
            Err(error) => return Err(error.into()),
        }
        Ok(())
    }
}
