//! Traces and metrics as a collector gets them, decoded with OpenTelemetry's own types.

#![expect(clippy::unwrap_used, reason = "a test ends at what it does not expect")]

mod faults;
mod sent;
mod stage;
