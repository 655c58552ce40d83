//! A database that can be moved: what every one must do.

// proves: S2, C1, A6
conformance::moving_tests!(crate::open_own);
