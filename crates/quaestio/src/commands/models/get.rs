//! `quaestio models get`: an embedding model, downloaded after a yes and checked byte for byte.
//!
//! A file that does not have its digest is refused and removed. A download that breaks off is resumed by the same command. The model
//! appears in the data folder only once all of its files are there.

mod file;

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use ::models::{KnownFile, KnownModel, known_models};
use run::grounding::clean;
use sha2::{Digest as _, Sha256};

use self::file::{Fetch, hex};
use super::super::gates::read_line;
use crate::cli::GetArgs;
use crate::config::{Config, Network};
use crate::failure::{Exit, Failure};
use crate::{Face, doctor, saving, wire};

/// The most bytes of a file whose size is not known.
const LARGEST: u64 = 8 << 30;

/// The files that every model has.
const NEEDED: [&str; 3] = ["config.json", "tokenizer.json", "model.safetensors"];

pub(super) async fn get(
    config: &Config,
    args: &GetArgs,
    quiet: bool,
    face: &Face,
) -> Result<Exit, Failure> {
    let models = wire::models_folder(config)?;
    let Some(name) = &args.name else {
        list(&models, face);
        return Ok(Exit::Done);
    };
    let model = plan(name, args)?;
    let home = models.join(wire::folder_of_model(&model.name));
    let revision = name_files(&model);
    let folder = home.join("snapshots").join(&revision);
    if !is_complete(&folder, &model) {
        agree(&model, &home, args.yes, face).await?;
        if config.sources.network == Network::Cached {
            return Err(Failure::usage(
                "the network is off, so nothing can be downloaded",
                "leave out --no-network, or change sources.network",
            ));
        }
        fetch(config, &model, &home, &folder, quiet, face).await?;
    } else if !quiet {
        face.err.line(&clean(&format!("{} is downloaded already.", model.name)));
    }
    let refs = home.join("refs");
    std::fs::create_dir_all(&refs)
        .and_then(|()| saving::save(&refs.join("main"), revision.as_bytes()))
        .map_err(|error| not_written(&refs, &error))?;
    try_out(config, &model, face).await
}

fn list(models: &Path, face: &Face) {
    for model in known_models() {
        let is_here = wire::has_model(models, &model.name);
        let state = if is_here { "downloaded" } else { "not downloaded" };
        face.out.line(&format!(
            "{}  {}, {}, {state}\n  {}",
            model.name,
            megabytes(model.size()),
            model.licence,
            model.about
        ));
    }
}

/// Returns the model to download: a known one, or one whose digests were given.
fn plan(name: &str, args: &GetArgs) -> Result<KnownModel, Failure> {
    if !is_name(name) {
        return Err(Failure::usage(
            format!("'{}' is not the name of a model", clean(name)),
            "write it as on the hub, for example sentence-transformers/all-MiniLM-L6-v2",
        ));
    }
    let known = known_models().into_iter().find(|model| model.name == name);
    let mut model = match (known, args.digests.as_slice()) {
        (Some(known), []) => known,
        (None, []) => {
            let known: Vec<String> = known_models().into_iter().map(|model| model.name).collect();
            return Err(Failure::usage(
                format!("the digests of {name} are not known, so a download cannot be checked"),
                format!(
                    "known are: {}. For another model give the digest of each file yourself: {}",
                    known.join(", "),
                    NEEDED.map(|file| format!("--sha256 {file}=…")).join(" ")
                ),
            ));
        }
        (_, digests) => KnownModel {
            name: name.to_owned(),
            licence: "see its page".into(),
            about: String::new(),
            address: format!("https://huggingface.co/{name}/resolve/main/"),
            files: digests.iter().map(|text| pinned(text)).collect::<Result<_, _>>()?,
        },
    };
    if let Some(lacking) =
        NEEDED.iter().find(|needed| model.files.iter().all(|file| file.path != **needed))
    {
        return Err(Failure::usage(
            format!("a model needs {lacking}, and no digest is given for it"),
            format!("add --sha256 {lacking}=DIGEST"),
        ));
    }
    if let Some(address) = &args.from {
        let wrong = |why: String| {
            Failure::usage(
                format!("the address of --from cannot be used: {why}"),
                "write for example --from https://models.example.org/all-MiniLM-L6-v2/",
            )
        };
        let url = transport::base_url(address).map_err(|error| wrong(error.to_string()))?;
        model.address = url.into();
    }
    Ok(model)
}

/// Returns whether a name can be one on the hub. It becomes the name of a folder.
fn is_name(name: &str) -> bool {
    let plain = |part: &str| {
        !part.is_empty()
            && !part.starts_with('.')
            && !part.contains("--")
            && part.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'))
    };
    name.len() <= 200 && name.split('/').count() <= 2 && name.split('/').all(plain)
}

/// Reads `FILE=DIGEST`.
fn pinned(text: &str) -> Result<KnownFile, Failure> {
    let wrong = |why: &str| {
        Failure::usage(
            format!("--sha256 {}: {why}", clean(text)),
            "write FILE=DIGEST, for example --sha256 config.json=953f…; `sha256sum FILE` prints a digest",
        )
    };
    let (path, digest) = text.split_once('=').ok_or_else(|| wrong("it has no `=`"))?;
    let is_below = !path.is_empty()
        && !path.contains(['\\', ':', '?', '#', '%'])
        && !path.contains(char::is_control)
        && Path::new(path).components().all(|part| matches!(part, Component::Normal(_)));
    if !is_below {
        return Err(wrong("the file must be a path below the model's folder"));
    }
    let sha256 = digest.trim().to_ascii_lowercase();
    if sha256.len() != 64 || !sha256.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Err(wrong("a SHA-256 has 64 hexadecimal digits"));
    }
    Ok(KnownFile { path: path.to_owned(), size: 0, sha256 })
}

/// Returns the name of the folder for exactly these files.
fn name_files(model: &KnownModel) -> String {
    let mut digest = Sha256::new();
    let mut files: Vec<_> = model.files.iter().map(|file| (&file.path, &file.sha256)).collect();
    files.sort();
    for (path, sha256) in files {
        digest.update(format!("{sha256}  {path}\n"));
    }
    hex(&digest.finalize())
}

/// Returns whether every file is in the folder. They were checked before they came there.
fn is_complete(folder: &Path, model: &KnownModel) -> bool {
    model.files.iter().all(|file| {
        let about = std::fs::metadata(folder.join(&file.path));
        about.is_ok_and(|about| about.is_file() && (file.size == 0 || about.len() == file.size))
    })
}

/// Says what would be downloaded, and asks.
async fn agree(
    model: &KnownModel,
    home: &Path,
    is_agreed: bool,
    face: &Face,
) -> Result<(), Failure> {
    let size = match model.size() {
        0 => "size not known".to_owned(),
        size => megabytes(size),
    };
    face.err.line(&clean(&format!(
        "{}\n  from     {}\n  files    {}, {size}\n  licence  {}\n  into     {}",
        model.name,
        model.address,
        model.files.len(),
        model.licence,
        home.display()
    )));
    if is_agreed {
        return Ok(());
    }
    if !face.terminal {
        return Err(Failure::usage(
            "nothing was downloaded: it needs a yes, and there is no terminal to ask at",
            "add --yes",
        ));
    }
    face.err.put("Type y to download it. Enter stops.\n> ");
    let answer = read_line().await.unwrap_or_default().trim().to_lowercase();
    if matches!(answer.as_str(), "y" | "yes") {
        return Ok(());
    }
    Err(Failure { exit: Exit::Cancelled, ..Failure::new("nothing was downloaded", "") })
}

/// Downloads the files into a folder beside the wanted one, which then gets its name.
async fn fetch(
    config: &Config,
    model: &KnownModel,
    home: &Path,
    folder: &Path,
    quiet: bool,
    face: &Face,
) -> Result<(), Failure> {
    let part = home.join("part").join(folder.file_name().unwrap_or_default());
    std::fs::create_dir_all(&part).map_err(|error| not_written(&part, &error))?;
    let memory = wire::open_memory(config).await?;
    let outside = wire::sources(config, Arc::clone(&memory)).await?;
    for file in &model.files {
        let fetch = Fetch {
            url: format!("{}{}", model.address, file.path),
            path: part.join(&file.path),
            file,
            most: if file.size == 0 { LARGEST } else { file.size },
        };
        let download = fetch.run(&outside, quiet, face);
        tokio::select! {
            done = download => done?,
            Ok(()) = tokio::signal::ctrl_c() => {
                return Err(Failure {
                    exit: Exit::Cancelled,
                    ..Failure::new(
                        "the download was stopped",
                        "run the same command again: it resumes the download",
                    )
                });
            }
        }
    }
    let parent = folder.parent().unwrap_or(home);
    let move_there = || {
        std::fs::create_dir_all(parent)?;
        // An earlier folder lacks a file.
        if folder.exists() {
            std::fs::remove_dir_all(folder)?;
        }
        std::fs::rename(&part, folder)?;
        // It may hold the part of another version.
        let _ = std::fs::remove_dir(home.join("part"));
        Ok(())
    };
    move_there().map_err(|error: std::io::Error| not_written(folder, &error))
}

fn not_written(path: &Path, error: &std::io::Error) -> Failure {
    Failure::new(
        format!("could not write {}: {error}", path.display()),
        "check the folder's permissions and free space",
    )
}

/// Opens the model, and says how to use it.
async fn try_out(config: &Config, model: &KnownModel, face: &Face) -> Result<Exit, Failure> {
    let mut config = config.clone();
    config.embedder.model.clone_from(&model.name);
    config.embedder.base_url.clear();
    let Some(embedders) = wire::embedder(&config) else { return Ok(Exit::Failed) };
    let found = doctor::try_embedder(&*embedders).await.map_err(|error| {
        Failure::new(
            format!("{} was downloaded, and cannot be used: {error}", model.name),
            "choose another model; BERT, RoBERTa and XLM-R can be used",
        )
    })?;
    face.out.line(&clean(&format!("ok    {found}")));
    face.out.line(&clean(&format!(
        "Use it with --embedder {name}, or set embedder.model = \"{name}\".",
        name = model.name
    )));
    Ok(Exit::Done)
}

fn megabytes(bytes: u64) -> String {
    format!("{:.0} MB", (bytes as f64 / 1e6).max(1.0))
}

/// Where a file and its unfinished part lie.
fn unfinished(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".part");
    PathBuf::from(name)
}
