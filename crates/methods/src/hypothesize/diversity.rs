//! How alike the hypotheses are.
