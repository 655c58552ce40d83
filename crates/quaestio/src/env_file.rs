//! `--env-file FILE`: variables for one command, from lines of `NAME=value`.
//!
//! The variables must be there before anything reads one, also in the programs that this one starts. So the program replaces itself
//! once, with them in its environment. What the environment has already wins. Nothing is expanded: a `$` in a key is a `$`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::cli::settings_last;
use crate::failure::Failure;
use crate::{Exit, Face};

const FLAG: &str = "--env-file";

/// The largest file that is read, in bytes.
const LARGEST: u64 = 1 << 20;

/// Starts this program again with the variables of the files. Returns only if that fails, or on a system where the first process waits.
pub(crate) fn restart(args: &[OsString], quiet: bool, face: &Face) -> Result<Exit, Failure> {
    if settings_last(std::env::args_os().collect()) != args {
        return Err(Failure::usage(
            "--env-file needs a command line of its own",
            "set the variables in the environment of the program that runs this command",
        ));
    }
    let (args, files) = take(args);
    let mut variables = Vec::new();
    for path in &files {
        let read = read_file(path)?;
        if !quiet && let Some(warning) = warn_of(path, &read) {
            face.err.line(&run::grounding::clean(&warning));
        }
        variables.extend(read);
    }
    let program = std::env::current_exe().map_err(|error| not_started(&error))?;
    let mut command = Command::new(program);
    command.args(args.iter().skip(1));
    for (name, value) in variables {
        if std::env::var_os(&name).is_none() {
            command.env(name, value);
        }
    }
    replace(command)
}

fn not_started(error: &std::io::Error) -> Failure {
    Failure::new(
        format!("could not start again with the variables of --env-file: {error}"),
        "set them in the environment instead",
    )
}

#[cfg(unix)]
fn replace(mut command: Command) -> Result<Exit, Failure> {
    use std::os::unix::process::CommandExt as _;
    Err(not_started(&command.exec()))
}

#[cfg(not(unix))]
fn replace(mut command: Command) -> Result<Exit, Failure> {
    let status = command.status().map_err(|error| not_started(&error))?;
    std::process::exit(status.code().unwrap_or(1));
}

/// Takes the flag with its files out of the arguments.
fn take(args: &[OsString]) -> (Vec<OsString>, Vec<PathBuf>) {
    let (mut rest, mut files) = (Vec::with_capacity(args.len()), Vec::new());
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        let joined = arg.to_str().and_then(|arg| arg.strip_prefix(FLAG)?.strip_prefix('='));
        if arg == "--" {
            rest.push(arg.clone());
            rest.extend(args.by_ref().cloned());
        } else if arg == FLAG {
            files.extend(args.next().map(PathBuf::from));
        } else if let Some(file) = joined {
            files.push(PathBuf::from(file));
        } else {
            rest.push(arg.clone());
        }
    }
    (rest, files)
}

fn read_file(path: &Path) -> Result<Vec<(String, String)>, Failure> {
    let shown = path.display();
    let unreadable = |why: &str| {
        Failure::usage(format!("could not read {shown}: {why}"), "check the path of --env-file")
    };
    let about = std::fs::metadata(path).map_err(|error| unreadable(&error.to_string()))?;
    if about.len() > LARGEST {
        return Err(unreadable("it is larger than 1 MiB"));
    }
    let bytes = std::fs::read(path).map_err(|error| unreadable(&error.to_string()))?;
    let text = String::from_utf8(bytes).map_err(|_| unreadable("it is not UTF-8 text"))?;
    parse(&text).map_err(|(line, why)| {
        Failure::usage(
            format!("{shown}, line {line}: {why}"),
            "write one NAME=value a line, for example OPENAI_API_KEY=sk-…",
        )
    })
}

/// Reads the variables of a file, or returns the number of the first wrong line and why. A line may hold a key, so none is repeated.
fn parse(text: &str) -> Result<Vec<(String, String)>, (usize, &'static str)> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut variables = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let variable = read_line(line).map_err(|why| (index + 1, why))?;
        variables.retain(|(name, _)| *name != variable.0);
        variables.push(variable);
    }
    Ok(variables)
}

fn read_line(line: &str) -> Result<(String, String), &'static str> {
    let line = match line.strip_prefix("export") {
        Some(rest) if rest.starts_with(char::is_whitespace) => rest.trim_start(),
        _ => line,
    };
    let (name, value) = line.split_once('=').ok_or("it has no `=`")?;
    let name = name.trim_end();
    let is_name = !name.is_empty()
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if !is_name {
        return Err("what stands before `=` is not the name of a variable");
    }
    let value = value.trim_start();
    let value = match value.chars().next() {
        Some(quote @ ('\'' | '"')) => quoted(value.get(1..).unwrap_or_default(), quote)?,
        _ => {
            // A `#` within a value belongs to it.
            let mut before = ' ';
            let end = value.char_indices().find_map(|(at, c)| {
                let is_comment = c == '#' && before.is_whitespace();
                before = c;
                is_comment.then_some(at)
            });
            value.get(..end.unwrap_or(value.len())).unwrap_or_default().trim_end().to_owned()
        }
    };
    if value.contains('\0') {
        return Err("a value cannot hold a null character");
    }
    Ok((name.to_owned(), value))
}

/// Reads a value up to its closing quote. Between double quotes `\n`, `\r`, `\t`, `\"`, `\\` and `\$` mean what they do in a shell.
fn quoted(text: &str, quote: char) -> Result<String, &'static str> {
    let mut value = String::new();
    let mut chars = text.chars();
    loop {
        match chars.next() {
            None => return Err("its quote is not closed on the same line"),
            Some(c) if c == quote => break,
            Some('\\') if quote == '"' => match chars.next() {
                Some('n') => value.push('\n'),
                Some('r') => value.push('\r'),
                Some('t') => value.push('\t'),
                Some(c @ ('"' | '\\' | '$')) => value.push(c),
                Some(other) => value.extend(['\\', other]),
                None => return Err("its quote is not closed on the same line"),
            },
            Some(c) => value.push(c),
        }
    }
    let rest = chars.as_str().trim_start();
    if rest.is_empty() || rest.starts_with('#') {
        Ok(value)
    } else {
        Err("something follows the closing quote")
    }
}

/// Returns a warning if others can read a file with keys.
fn warn_of(path: &Path, variables: &[(String, String)]) -> Option<String> {
    const WORDS: [&str; 4] = ["KEY", "TOKEN", "SECRET", "PASSWORD"];
    let mut secrets = variables.iter().filter(|(name, value)| {
        !value.is_empty() && WORDS.iter().any(|word| name.to_uppercase().contains(word))
    });
    let (name, _) = secrets.next()?;
    let shown = path.display();
    is_open(path).then(|| {
        format!(
            "warning: other users can read {shown}, which has a key ({name}). Run `chmod 600 {shown}`."
        )
    })
}

/// Returns whether other users can read a file.
#[cfg(unix)]
fn is_open(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::metadata(path).is_ok_and(|about| about.permissions().mode() & 0o044 != 0)
}

#[cfg(not(unix))]
fn is_open(_: &Path) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    // proves: F1
    #[test]
    fn a_file_of_variables_is_read_as_it_is_written() {
        let text = "\u{feff}# keys\r\nexport A=1\r\n B = two words # a comment\nC='a $B \\n'\nD=\"x\\ty\\\"\\$\" # c\nE=\nF=a#b$A`id`\nexported=7\nA=9\n";
        let expected = [
            ("B", "two words"),
            ("C", "a $B \\n"),
            ("D", "x\ty\"$"),
            ("E", ""),
            ("F", "a#b$A`id`"),
            ("exported", "7"),
            ("A", "9"),
        ];
        let expected = expected.map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert_eq!(parse(text), Ok(expected.to_vec()));
        assert_eq!(parse("A=# all of it\n"), Ok(vec![("A".into(), String::new())]));
    }

    // proves: F1
    #[test]
    fn a_wrong_line_is_told_by_its_number_and_never_repeated() {
        for (text, line, why) in [
            ("A=1\n\nsk-canary\n", 3, "it has no `=`"),
            ("1A=x", 1, "not the name"),
            ("=x", 1, "not the name"),
            ("A B=x", 1, "not the name"),
            ("A='x", 1, "not closed"),
            ("A=\"x\\", 1, "not closed"),
            ("A='x' y", 1, "follows the closing quote"),
            ("A=x\0y", 1, "null character"),
        ] {
            let (told, said) = parse(text).unwrap_err();
            assert_eq!(told, line, "{text:?}");
            assert!(said.contains(why), "{said}");
        }
    }

    // proves: F1
    #[test]
    fn the_flag_is_taken_out_wherever_it_stands() {
        let args = |text: &str| text.split(' ').map(OsString::from).collect::<Vec<_>>();
        let (rest, files) =
            take(&args("q --env-file a ask x --env-file=b --quiet -- --env-file c"));
        assert_eq!(rest, args("q ask x --quiet -- --env-file c"));
        assert_eq!(files, [PathBuf::from("a"), PathBuf::from("b")]);
    }
}
