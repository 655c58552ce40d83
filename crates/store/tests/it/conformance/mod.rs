//! What every log and every library must do, whatever it is built on.
//!
//! Each function takes the port, empty, and the name under which a living process holds runs in it.

pub(crate) mod library;
pub(crate) mod log;
pub(crate) mod runs;
pub(crate) mod vectors;
