//! What users use in a day, on PostgreSQL: what every store of it must do.

// proves: C6, S2, F8
conformance::usage_tests!(crate::open_own);
