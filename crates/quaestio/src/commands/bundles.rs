//! `quaestio verify`, `quaestio replay` and `quaestio attach`: a bundle that somebody has as a file.

use std::path::Path;

use bundle::{PackError, ReplayError};
use run::Methods;
use serde_json::json;

use super::results::read_bytes;
use crate::cli::{AttachArgs, ReplayArgs, VerifyArgs, VerifyFormat};
use crate::failure::{Exit, Failure};
use crate::{Face, bundles, output, saving};

/// The largest file that is read.
const MOST_BYTES: u64 = 1 << 30;

/// Verifies a bundle, and prints what that came to.
pub(super) async fn verify(
    args: &VerifyArgs,
    methods: &Methods,
    face: &Face,
) -> Result<Exit, Failure> {
    let key = args.key.as_deref().map(find_key).transpose()?;
    let bytes = read(&args.file)?;
    let verification = bundle::verify(&bytes, methods, key.as_deref()).await;
    match args.format {
        VerifyFormat::Json => face.out.line(&output::json(&verification)),
        VerifyFormat::Text => face.out.put(&verification.to_string()),
    }
    Ok(if verification.holds { Exit::Done } else { Exit::Failed })
}

/// Performs the method of a bundle's run once more, and prints the result.
pub(super) async fn replay(
    args: &ReplayArgs,
    methods: &Methods,
    face: &Face,
    is_quiet: bool,
) -> Result<Exit, Failure> {
    let bytes = read(&args.file)?;
    let replayed = bundle::replay(&bytes, methods).await.map_err(|error| match error {
        ReplayError::Bundle(error) => no_bundle(&args.file, &error),
        ReplayError::NoMethod { .. } => {
            Failure::new(error.to_string(), "use the version of Quaestio that started the run")
        }
        ReplayError::Stopped(stop) => stop.into(),
    })?;
    face.out.put(&output::render(methods, &replayed.result, args.format));
    if let (Some(version), false) = (replayed.recorded_by, replayed.same) {
        face.err.line(&format!(
            "version {version} of the method wrote this run, and this version would not write the same; above is the result as it was \
             recorded"
        ));
        return Ok(Exit::Done);
    }
    if !replayed.same {
        return Err(Failure::new(
            format!("the replay of run {} differs from the recorded result", replayed.run),
            "check the rest of the bundle with `quaestio verify`",
        ));
    }
    if !is_quiet {
        face.err.line("the replay matches the recorded result, byte for byte");
    }
    Ok(Exit::Done)
}

/// Attaches a signature, a time stamp, or both to a bundle.
pub(super) async fn attach(
    args: &AttachArgs,
    methods: &Methods,
    face: &Face,
    is_quiet: bool,
) -> Result<Exit, Failure> {
    let mut bundle = read(&args.file)?;
    let failed = |error: PackError| no_bundle(&args.file, &error);
    let manifest = bundle::read_manifest(&bundle).map_err(failed)?;
    if let Some(key) = &args.sign {
        if !bundle::verify(&bundle, methods, None).await.holds {
            let shown = run::grounding::clean(&args.file.display().to_string());
            return Err(Failure::new(
                format!("{shown} is not signed, because it fails verification"),
                "see what is wrong with `quaestio verify`",
            ));
        }
        let signature = bundles::sign(&manifest, key)?;
        bundle = bundle::attach(&bundle, bundle::name::SIGNATURE, signature).map_err(failed)?;
    }
    if let Some(token) = &args.time_stamp {
        let token = read(token)?;
        bundle = bundle::attach(&bundle, bundle::name::TIME_STAMP, token).map_err(failed)?;
    }
    saving::save(&args.file, &bundle).map_err(|error| {
        let shown = run::grounding::clean(&args.file.display().to_string());
        Failure::new(
            format!("could not write {shown}: {error}"),
            "check the folder's permissions and free space",
        )
    })?;
    let digest = run::entry::Hash::of(&manifest);
    if args.json.is_wanted() {
        let file = run::grounding::clean(&args.file.display().to_string());
        let page =
            json!({ "file": file, "manifest_sha256": digest.to_string(), "state": "attached" });
        face.out.line(&output::json_line(&page));
    } else if !is_quiet {
        face.err.line(&format!("attached; the SHA-256 of the manifest is {digest}"));
    }
    Ok(Exit::Done)
}

fn no_bundle(file: &Path, error: &PackError) -> Failure {
    let shown = file.display();
    Failure::usage(
        run::grounding::clean(&format!("cannot use {shown}: {error}")),
        "give a bundle made by `quaestio runs export RUN --format bundle`",
    )
}

/// Returns a public key: the text itself if it is one, else what the file of that name holds.
fn find_key(told: &str) -> Result<String, Failure> {
    if bundle::is_key(told).is_ok() {
        return Ok(told.to_owned());
    }
    let hint = "give a minisign public key, or a file with one";
    let shown = run::grounding::clean(told);
    let text = std::fs::read_to_string(told).map_err(|error| {
        Failure::usage(
            format!("{shown} is neither a public key nor a readable file: {error}"),
            hint,
        )
    })?;
    match bundle::is_key(&text) {
        Ok(()) => Ok(text),
        Err(error) => Err(Failure::usage(format!("{shown}: {error}"), hint)),
    }
}

/// Reads a file; `-` is standard input.
fn read(file: &Path) -> Result<Vec<u8>, Failure> {
    read_bytes(file, MOST_BYTES).map_err(|why| {
        let shown = file.display();
        Failure::usage(
            run::grounding::clean(&format!("could not read {shown}: {why}")),
            "check the path and its permissions",
        )
    })
}
