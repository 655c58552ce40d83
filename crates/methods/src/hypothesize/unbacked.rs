//! Sentences that name a source which no citation stands for.
