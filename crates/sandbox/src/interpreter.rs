//! Finds the interpreter and the folders that it needs.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::process::Command;

/// How long an interpreter may take to describe itself.
const PATIENCE: Duration = Duration::from_secs(20);
const OLDEST: (u32, u32) = (3, 8);
const ABOUT: &str = include_str!("about.py");
/// The folders where every program finds its libraries.
const LIBRARIES: [&str; 4] = ["/lib", "/lib64", "/usr/lib", "/usr/lib64"];

/// An interpreter and the parts of the file system that it needs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Interpreter {
    pub(crate) executable: PathBuf,
    /// Such as `Python 3.13.1`.
    pub(crate) title: String,
    /// Folders that it reads; none of them contains another.
    pub(crate) folders: Vec<PathBuf>,
    /// The dynamic loader: files that it reads and that, apart from the executable, are the only ones it may execute.
    pub(crate) loaders: Vec<PathBuf>,
    /// The folders of its own modules.
    pub(crate) standard: Vec<PathBuf>,
    /// The folders of installed packages.
    pub(crate) packages: Vec<PathBuf>,
    /// The folder of its own shared libraries.
    pub(crate) libraries: Option<PathBuf>,
}

#[derive(Debug, Deserialize)]
struct About {
    executable: PathBuf,
    version: String,
    numbers: (u32, u32),
    prefix: PathBuf,
    standard: Vec<PathBuf>,
    packages: Vec<PathBuf>,
    mapped: Vec<PathBuf>,
}

/// Why no interpreter was found.
#[derive(Debug)]
pub(crate) enum Missing {
    Never(String),
    /// It did not answer within this many seconds; it may another time.
    Slow(u64),
}

/// Asks the interpreter with this name or path about itself.
///
/// Uses this program's own environment, since the name may be that of a script that finds the interpreter.
pub(crate) async fn find(name: &str) -> Result<Interpreter, Missing> {
    let install = "install Python 3.8 or later (on Debian: `apt-get install python3`), or set `sandbox.interpreter` to its \
        path";
    let mut command = Command::new(name);
    command.args(["-I", "-B", "-X", "utf8", "-c", ABOUT]);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).kill_on_drop(true);
    let output = match tokio::time::timeout(PATIENCE, command.output()).await {
        Err(_) => return Err(Missing::Slow(PATIENCE.as_secs())),
        Ok(Err(error)) => {
            let reason = format!("could not start Python `{name}` ({error}); {install}");
            return Err(Missing::Never(reason));
        }
        Ok(Ok(output)) => output,
    };
    // A shim may write output before the interpreter does.
    let last = output.stdout.split(|byte| *byte == b'\n').rfind(|line| !line.is_empty());
    let about: About = last
        .and_then(|line| serde_json::from_slice(line).ok())
        .ok_or_else(|| format!("`{name}` is not a usable Python; {install}"))
        .map_err(Missing::Never)?;
    if about.numbers < OLDEST {
        return Err(Missing::Never(format!("`{name}` is Python {}; {install}", about.version)));
    }
    Ok(needs(about, std::env::var_os("HOME").map(PathBuf::from).as_deref()))
}

fn needs(about: About, home: Option<&Path>) -> Interpreter {
    let own = about.prefix.join("lib");
    // Under a prefix that holds more than Python, `lib` is not Python's alone.
    let shared = home
        .is_some_and(|home| home.starts_with(&about.prefix) || about.prefix == home.join(".local"))
        || about.prefix == Path::new("/");
    let libraries = (!shared && own.is_dir()).then_some(own);
    let mut folders: Vec<PathBuf> = LIBRARIES.iter().map(PathBuf::from).collect();
    folders.extend(libraries.clone());
    folders.extend(about.standard.iter().cloned());
    folders.extend(about.packages.iter().cloned());
    let is_loader = |path: &&PathBuf| {
        path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("ld"))
    };
    let loaders = about.mapped.iter().filter(is_loader).cloned().collect();
    // Libraries elsewhere are needed together with the other files in their folders.
    let elsewhere = about.mapped.iter().filter(|path| **path != about.executable);
    folders.extend(elsewhere.filter_map(|path| path.parent().map(Path::to_owned)));
    folders.retain(|folder| {
        folder.parent().is_some() && Some(folder.as_path()) != home && folder.exists()
    });
    Interpreter {
        executable: about.executable,
        title: format!("Python {}", about.version),
        folders: outermost(folders),
        loaders,
        standard: about.standard,
        packages: about.packages,
        libraries,
    }
}

/// Removes folders that are inside another one.
fn outermost(mut folders: Vec<PathBuf>) -> Vec<PathBuf> {
    folders.sort();
    folders.dedup();
    let mut kept: Vec<PathBuf> = Vec::new();
    for folder in folders {
        if !kept.iter().any(|outer| folder.starts_with(outer)) {
            kept.push(folder);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_in_another_is_not_named_twice() {
        let folders = ["/usr/lib/python3", "/opt/lib", "/usr/lib", "/usr/lib64", "/usr/lib"];
        let kept = outermost(folders.map(PathBuf::from).into());
        assert_eq!(kept, ["/opt/lib", "/usr/lib", "/usr/lib64"].map(PathBuf::from));
    }

    // proves: D4
    #[test]
    fn a_home_folder_is_never_among_what_an_interpreter_needs() {
        let about = |prefix: &str| About {
            executable: "/home/ada/.local/bin/python3.12".into(),
            version: "3.12.1".into(),
            numbers: (3, 12),
            prefix: prefix.into(),
            standard: vec!["/usr/lib".into()],
            packages: Vec::new(),
            mapped: vec!["/home/ada/libodd.so".into()],
        };
        for prefix in ["/home/ada", "/home/ada/.local", "/home", "/"] {
            let needed = needs(about(prefix), Some(Path::new("/home/ada")));
            assert!(needed.folders.iter().all(|one| !one.starts_with("/home")), "{needed:?}");
            assert_eq!(needed.libraries, None);
        }
    }
}
