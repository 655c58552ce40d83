//! The reports of every method in every form.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod brief;
mod debate;
mod fragment;
mod hypothesize;
mod labels;
mod market;
mod printed;
mod word;

use fakes::hostile::{Written, keeps_its_form};
use render::html::Fragment;
use run::evidence::Numbered;
use serde_json::Value;

fn markdown(envelope: &Value) -> String {
    methods::report::markdown(&methods::all(), envelope)
}

fn page(envelope: &Value) -> String {
    methods::report::page(&methods::all(), envelope)
}

fn plain_text(envelope: &Value) -> String {
    methods::report::plain_text(&methods::all(), envelope, 80)
}

fn fragment(envelope: &Value, evidence: &[Numbered]) -> Fragment {
    methods::report::fragment(&methods::all(), envelope, evidence)
}

fn written(envelope: &Value) -> Written {
    Written {
        page: page(envelope),
        fragment: fragment(envelope, &[]).html,
        markdown: markdown(envelope),
    }
}

/// Sees that a report has the same form whatever text stands everywhere in it.
fn stays_text(filled: fn(&str) -> Value) {
    keeps_its_form(|text| written(&filled(text)));
}
