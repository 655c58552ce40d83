//! What every log, every library and every keeper of startup contexts must do, whatever it is built on.
//!
//! Each function takes the port, empty, and, for logs, the name under which a living process holds runs in it.

pub(crate) mod contexts;
pub(crate) mod library;
pub(crate) mod log;
pub(crate) mod runs;
pub(crate) mod vectors;
