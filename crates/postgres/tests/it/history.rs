//! What users make of their runs, on PostgreSQL: what every store of it must do.

// proves: F3, S2, F8
conformance::history_tests!(crate::open_own);
