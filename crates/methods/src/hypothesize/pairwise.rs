//! From the judgements of pairs to scores and ranks.
