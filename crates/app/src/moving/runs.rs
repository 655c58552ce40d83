//! Copies runs with their logs.

use run::error::PortError;
use run::log::{Sealed, Status};
use run::moving::{Expected, RunRow, same_moment};

use super::log::{Parts, verify};
use super::{Copying, Done, LOT, MoveError, Outcome};

impl Copying<'_> {
    /// Copies the runs of a user, the oldest first, so that they keep their order.
    pub(super) async fn copy_runs(&mut self) -> Result<(), MoveError> {
        let mut after = 0;
        loop {
            let rows = self.from.movable.run_rows(&self.user, after, LOT).await?;
            let Some(last) = rows.last() else { return Ok(()) };
            after = last.number;
            for row in rows {
                let run = row.run.clone();
                self.come_to(format!("run {run}"));
                let outcome = self.copy_run(row.at_rest()).await;
                self.settle(|| format!("run {run}"), |copied| &mut copied.runs, outcome)?;
            }
        }
    }

    async fn copy_run(&mut self, row: RunRow) -> Result<Outcome, PortError> {
        let there = self.to.movable.run_row(&row.user, &row.run).await?;
        let expected = match &there {
            None => Expected::Absent,
            Some(there) => match self.compare(&row, there).await? {
                Err(reason) => return Ok(Err(reason)),
                Ok(Missing::Nothing) => {
                    self.copied.entries.there += row.last_seq;
                    return Ok(Ok(Done::Already));
                }
                Ok(Missing::After(seq)) => Expected::At(seq),
            },
        };
        let verified = verify(&*self.from.movable, &row.user, &row.run, row.last_seq).await?;
        let head = match verified {
            Ok(end) => end.head,
            Err(wrong) => return Ok(Err(format!("its log is damaged: {wrong}"))),
        };
        if let Err(reason) = self.put(&row, expected).await? {
            return Ok(Err(reason));
        }
        let arrived = verify(&*self.to.movable, &row.user, &row.run, row.last_seq).await?;
        match arrived {
            Ok(end) if end.head == head => {}
            Ok(_) => return Ok(Err("its log arrived changed".to_owned())),
            Err(wrong) => return Ok(Err(format!("its log arrived changed: {wrong}"))),
        }
        let before = match expected {
            Expected::Absent => 0,
            Expected::At(seq) => seq,
        };
        self.copied.entries.there += before;
        self.copied.entries.copied += row.last_seq - before;
        Ok(Ok(Done::Copied))
    }

    /// Returns what the copy lacks of a run, or why it is another run.
    async fn compare(
        &self,
        row: &RunRow,
        there: &RunRow,
    ) -> Result<Result<Missing, String>, PortError> {
        if !row.is_same_run(there) {
            return Ok(Err("the target has another run with its id".to_owned()));
        }
        let common = row.last_seq.min(there.last_seq);
        if let Err(reason) = self.compare_logs(row, common).await? {
            return Ok(Err(reason));
        }
        let missing = if row.says_same(there) && row.is_labelled_beyond(there) {
            // What its user made of it since is added to the same log.
            Missing::After(there.last_seq)
        } else if row.says_same(there) || there.last_seq > row.last_seq {
            Missing::Nothing
        } else if there.last_seq < row.last_seq {
            Missing::After(there.last_seq)
        } else if same_moment(there.updated_at, row.updated_at) {
            return Ok(Err(
                "the target has it already with the same log, but its row differs".to_owned()
            ));
        } else if there.updated_at < row.updated_at {
            Missing::After(there.last_seq)
        } else {
            Missing::Nothing
        };
        Ok(Ok(missing))
    }

    /// Compares the entries of both logs up to entry `last`, byte by byte.
    async fn compare_logs(&self, row: &RunRow, last: u64) -> Result<Result<(), String>, PortError> {
        let (user, run) = (&row.user, &row.run);
        let mut here = Parts::of(&*self.from.movable, user, run, 0, last);
        let mut there = Parts::of(&*self.to.movable, user, run, 0, last);
        // Both come in parts of their own size.
        let (mut left, mut right) = (Vec::new(), Vec::new());
        loop {
            for (rest, parts, where_it_is) in
                [(&mut left, &mut here, ""), (&mut right, &mut there, " there")]
            {
                if rest.is_empty() {
                    match parts.next().await? {
                        Ok(part) => *rest = part,
                        Err(wrong) => {
                            return Ok(Err(format!("its log{where_it_is} is damaged: {wrong}")));
                        }
                    }
                }
            }
            let both = left.len().min(right.len());
            if both == 0 {
                return Ok(Ok(()));
            }
            let is_same = |(one, other): &(Sealed, Sealed)| {
                (one.seq, one.hash, &one.body) == (other.seq, other.hash, &other.body)
            };
            let differing = left
                .drain(..both)
                .zip(right.drain(..both))
                .find(|pair| !is_same(pair))
                .map(|(one, _)| one.seq);
            if let Some(seq) = differing {
                return Ok(Err(format!(
                    "the target has it already, and it differs from entry {seq} on"
                )));
            }
        }
    }

    /// Writes what is missing of a run. A long log comes in parts; until the last one the run waits, so that nobody takes it up.
    async fn put(
        &self,
        row: &RunRow,
        mut expected: Expected,
    ) -> Result<Result<(), String>, PortError> {
        let after = match expected {
            Expected::Absent => 0,
            Expected::At(seq) => seq,
        };
        let mut parts = Parts::of(&*self.from.movable, &row.user, &row.run, after, row.last_seq);
        loop {
            let part = match parts.next().await? {
                Ok(part) => part,
                Err(wrong) => return Ok(Err(format!("its log is damaged: {wrong}"))),
            };
            let last_seq = part.last().map_or(row.last_seq, |last| last.seq);
            let is_last = last_seq == row.last_seq;
            let status = if is_last { row.status } else { Status::Waiting };
            let next = RunRow { status, last_seq, ..row.clone() };
            // After a broken connection a write is repeated, and then the run stands further on than expected.
            if !self.to.movable.put_run(&next, expected, &part).await? {
                let there = self.to.movable.run_row(&row.user, &row.run).await?;
                if !there.is_some_and(|there| there.says_same(&next)) {
                    return Ok(Err(
                        "at the target it is being worked on, or another run has its key"
                            .to_owned(),
                    ));
                }
            }
            if is_last {
                return Ok(Ok(()));
            }
            expected = Expected::At(last_seq);
        }
    }
}

/// What a copy lacks of a run that is there.
enum Missing {
    Nothing,
    /// The entries after this one, or if there are none, what the row says.
    After(u64),
}
