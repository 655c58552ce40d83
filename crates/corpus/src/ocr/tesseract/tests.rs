//! A script that speaks as `tesseract` does stands in for it.

use std::os::unix::fs::PermissionsExt;

use super::*;

/// Writes a script that answers as `tesseract` does, and runs `page` for a page.
pub(crate) fn script(folder: &Path, page: &str) -> OcrSettings {
    let path = folder.join("fake-tesseract");
    let text = format!(
        "#!/bin/sh\nPATH=/usr/bin:/bin\ncase \"$1\" in\n--version) echo 'tesseract v5.9.1'; echo ' leptonica-1.82.0';;\n--list-langs) echo 'List of available languages (3):'; echo eng; echo osd; echo deu;;\n*) {page};;\nesac\n"
    );
    std::fs::write(&path, text).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    let languages = ["eng", "deu"].map(str::to_owned).to_vec();
    OcrSettings { program: path.to_string_lossy().into_owned(), languages }
}

fn picture() -> Picture {
    Picture { number: 1, width: 4, height: 2, dpi: 300, blank: false, grey: b"12345678".to_vec() }
}

fn read(page: &str, seconds: f64) -> Result<String, PageError> {
    let folder = tempfile::tempdir().unwrap();
    let program = Tesseract::find(&script(folder.path(), page)).unwrap();
    program.read(&picture(), Lies::Upright, Duration::from_secs_f64(seconds), 1 << 30)
}

// proves: A6
#[test]
fn it_says_what_it_is_and_what_it_can_read() {
    let folder = tempfile::tempdir().unwrap();
    let mut settings = script(folder.path(), "");
    let found = Tesseract::find(&settings).unwrap();
    assert_eq!((&*found.version, &*found.languages), ("5.9.1", "eng+deu"));
    assert!(found.knows_orientation());
    settings.languages = vec!["eng".to_owned(), "chi_sim".to_owned()];
    let said = Tesseract::find(&settings).unwrap_err().to_string();
    assert!(said.contains("lacks the language chi_sim"), "{said}");
    assert!(said.contains("apt install tesseract-ocr-chi-sim"), "{said}");
    assert!(said.ends_with("It has eng, deu"), "{said}");
    for none in [vec![], vec![" ".to_owned()]] {
        settings.languages = none;
        assert_eq!(Tesseract::find(&settings), Err(OcrError::NoLanguage));
    }
}

// proves: A6
#[test]
fn what_is_missing_or_another_program_is_told() {
    for program in ["no-such-program-at-all", "/no/such/tesseract", ""] {
        let settings = OcrSettings { program: program.to_owned(), ..OcrSettings::default() };
        let said = Tesseract::find(&settings).unwrap_err();
        assert_eq!(said, OcrError::Missing { program: program.to_owned() });
        assert!(said.to_string().contains("apt install tesseract-ocr"));
    }
    for program in ["true", "false"] {
        let settings = OcrSettings { program: program.to_owned(), ..OcrSettings::default() };
        assert!(matches!(Tesseract::find(&settings), Err(OcrError::Broken { .. })), "{program}");
    }
}

// proves: A6
#[test]
fn it_gets_the_picture_and_nothing_else() {
    let said = read(
        "cat; echo; echo \"$@\"; env | grep -v '^_=\\|^PWD=\\|^SHLVL=\\|^OLDPWD=' | sort; pwd",
        20.0,
    );
    let said = said.unwrap();
    let lines: Vec<&str> = said.lines().filter(|line| !line.starts_with(FOLDER_VARIABLE)).collect();
    assert_eq!(
        lines,
        [
            "P5",
            "4 2",
            "255",
            "12345678",
            "stdin stdout -l eng+deu --dpi 300 --psm 3 -c tessedit_create_tsv=1",
            "OMP_THREAD_LIMIT=1",
            "/"
        ]
    );
}

// proves: A6
#[test]
fn its_failures_are_told_in_its_words() {
    let failed = |reason: &str| Err(PageError::Failed { reason: reason.to_owned() });
    assert_eq!(
        read("cat >/dev/null; echo 'Image too large' >&2; exit 1", 20.0),
        failed("Image too large")
    );
    assert_eq!(read("exit 1", 20.0), failed("it ended early and said nothing"));
    assert_eq!(read("kill -9 $$", 20.0), failed("it ended early and said nothing"));
    assert_eq!(read("cat >/dev/null; yes x | head -c 17000000", 60.0), failed("it wrote too much"));
}

// proves: A6
#[test]
fn it_is_killed_with_what_it_started_when_its_time_is_up() {
    let folder = tempfile::tempdir().unwrap();
    let note = folder.path().join("child");
    let began = Instant::now();
    let page = format!("sleep 600 & echo $! > {}; wait", note.display());
    assert_eq!(read(&page, 1.0), Err(PageError::TookTooLong { seconds: 1 }));
    assert!(began.elapsed() < Duration::from_secs(30));
    let child = std::fs::read_to_string(note).unwrap();
    let look =
        || std::fs::read_to_string(format!("/proc/{}/stat", child.trim())).unwrap_or_default();
    // Gone, or dead and not yet collected by the system; on a busy machine it takes a moment to die.
    let is_dead = |stat: &str| stat.is_empty() || stat.contains(") Z ");
    while !is_dead(&look()) && began.elapsed() < Duration::from_secs(30) {
        std::thread::sleep(Duration::from_millis(20));
    }
    let stat = look();
    assert!(is_dead(&stat), "{stat}");
}
