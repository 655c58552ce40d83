//! Signatures of manifests, in the format of minisign.

use minisign_verify::{PublicKey, Signature};
use thiserror::Error;

/// Why a text is no public key.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("it is not a minisign public key: {reason}")]
pub struct KeyError {
    pub reason: String,
}

/// Checks that a text is a public key: the file that minisign writes, or its last line.
///
/// # Errors
///
/// If it is none.
pub fn is_key(text: &str) -> Result<(), KeyError> {
    read_key(text).map(|_| ())
}

fn read_key(text: &str) -> Result<PublicKey, KeyError> {
    let text = text.trim();
    let read = if text.lines().count() > 1 {
        PublicKey::decode(text)
    } else {
        PublicKey::from_base64(text)
    };
    read.map_err(|error| KeyError { reason: error.to_string() })
}

/// Checks that bytes are a signature and nothing else.
pub(crate) fn check_form(signature: &[u8]) -> Result<(), String> {
    const LONGEST: usize = 2_048;
    let text = std::str::from_utf8(signature).map_err(|_| "it is not text".to_owned())?;
    if signature.len() > LONGEST || text.trim_end().lines().count() != 4 {
        return Err("it is not a minisign signature of four lines".to_owned());
    }
    Signature::decode(text).map(drop).map_err(|error| format!("it is not readable: {error}"))
}

/// Checks the signature of a manifest; returns the comment that it covers.
pub(crate) fn check(manifest: &[u8], signature: &[u8], key: &str) -> Result<String, String> {
    let key = read_key(key).map_err(|error| error.to_string())?;
    check_form(signature)?;
    let text =
        std::str::from_utf8(signature).map_err(|_| "the signature is not text".to_owned())?;
    let signature = Signature::decode(text)
        .map_err(|error| format!("the signature is not readable: {error}"))?;
    // Signatures of the former kind are over the bytes themselves and not refused by minisign either.
    key.verify(manifest, &signature, true).map_err(|error| match error {
        minisign_verify::Error::UnexpectedKeyId => "it was made with a different key".to_owned(),
        other => format!("it does not match this manifest and this key: {other}"),
    })?;
    Ok(run::ledger::one_line(&run::grounding::clean(signature.trusted_comment())))
}
