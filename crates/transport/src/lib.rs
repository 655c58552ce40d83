//! How the adapters call services over HTTP: attempts within a deadline, errors in the run's terms, bodies within limits, secret keys.
//!
//! ```
//! use transport::Secret;
//!
//! let key = Secret::from("sk-canary".to_owned());
//! assert_eq!(format!("{key:?}"), "***");
//! ```

mod address;
mod attempts;
pub mod body;
mod client;
mod faults;
mod secret;

pub use address::{NoBaseUrl, base_url};
pub use attempts::{Attempts, retries};
pub use client::client;
pub use faults::{Service, TOO_LONG, may_pass, retry_after};
pub use secret::{Secret, without_userinfo};
