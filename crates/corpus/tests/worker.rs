//! Files are read in another process. This program is that process too: its first argument says how it behaves.

use std::io::{Read, Write};
use std::path::Path;
use std::time::Duration;

use corpus::worker::serve;
use corpus::{Format, Label, Limits, ReadError, Reader, Worker, Workers};

fn main() {
    let behaviour = std::env::args().nth(1).unwrap_or_default();
    match behaviour.as_str() {
        "serve" => serve(&Limits::default()).expect("the parent speaks as it should"),
        "alone" => {
            assert_eq!(std::env::var_os(SECRET), None);
            let folder = std::env::current_dir().expect("there is a folder");
            assert_eq!(folder.parent(), None, "{} says where the parent works", folder.display());
            serve(&Limits::default()).expect("the parent speaks as it should");
        }
        "with-a-secret" => {
            assert!(std::env::var_os(SECRET).is_some());
            let program = std::env::current_exe().expect("this program has a path");
            let name = Path::new(".").join(program.file_name().expect("it has a name"));
            let mut worker = Worker::new(name, ["alone".to_owned()]);
            assert_eq!(ask(&mut worker, &Limits::default()), Ok("Tea".to_owned()));
        }
        "hang" => loop {
            std::thread::sleep(Duration::from_secs(3600));
        },
        "overflow" => {
            let mut request = [0; 8];
            std::io::stdin().read_exact(&mut request).expect("the parent asks for something");
            std::process::exit(i32::try_from(deeper(0)).unwrap_or(0));
        }
        "chatter" => std::io::stdout().write_all(b"x").expect("the parent listens"),
        _ => {
            one_process_reads_all_files();
            what_was_fetched_is_read_as_its_server_says();
            a_process_knows_neither_the_variables_nor_the_folder_of_its_parent();
            a_process_that_hangs_is_killed_and_replaced();
            a_process_that_breaks_is_that_files_error();
            a_pdf_that_draws_itself_for_ever_shows_nothing();
            #[cfg(all(unix, feature = "ocr"))]
            a_scan_is_drawn_by_the_process_and_read_by_the_program_for_ocr();
            memory_is_limited();
            a_good_pdf_is_never_called_damaged_for_want_of_memory();
            a_process_that_is_killed_from_outside_is_replaced();
            too_large_a_file_is_not_sent();
            nothing_is_left_behind();
        }
    }
}

/// A variable that only the parent is to see.
const SECRET: &str = "QUAESTIO_TEST_SECRET";

/// Overflows the stack.
#[expect(unconditional_recursion, reason = "that is what it is for")]
fn deeper(depth: u64) -> u64 {
    let held = std::hint::black_box([depth; 64]);
    deeper(depth + 1) + held[63]
}

fn build_worker(behaviour: &str) -> Worker {
    let program = std::env::current_exe().expect("this program has a path");
    Worker::new(program, [behaviour.to_owned()])
}

fn ask(worker: &mut Worker, limits: &Limits) -> Result<String, ReadError> {
    worker.read(Path::new("tea.md"), b"# Tea\n\nPeople drink tea.", limits).map(|it| it.title)
}

// proves: A6
fn one_process_reads_all_files() {
    let mut worker = build_worker("serve");
    assert_eq!(worker.process(), None);
    let mut processes = Vec::new();
    for _ in 0..3 {
        assert_eq!(ask(&mut worker, &Limits::default()), Ok("Tea".to_owned()));
        processes.push(worker.process().expect("it runs on"));
    }
    let bad = worker.read(Path::new("a.pdf"), b"%PDF-1.7 nothing", &Limits::default());
    assert_eq!(bad, Err(ReadError::Damaged { format: "PDF".to_owned() }));
    processes.push(worker.process().expect("it runs on"));
    assert!(processes.iter().all(|process| *process == processes[0]), "{processes:?}");
    for _ in 0..100 {
        assert!(ask(&mut worker, &Limits::default()).is_ok());
    }
    assert_ne!(worker.process(), Some(processes[0]), "replaced after many files");
}

// proves: A2
fn what_was_fetched_is_read_as_its_server_says() {
    let label = Label::Fetched {
        url: "https://example.org/tea".to_owned(),
        media_type: "text/html".to_owned(),
        charset: Some("windows-1251".to_owned()),
    };
    let page = b"<title>x</title><p>\xcf\xf0\xe8\xe2\xe5\xf2, \xec\xe8\xf0";
    let mut worker = build_worker("serve");
    let document = worker.read_as(&label, page, &Limits::default()).expect("it is a page");
    assert_eq!(document.text, "Привет, мир");
    let work = document.work.expect("what was fetched is a work");
    assert_eq!(work.url.as_deref(), Some("https://example.org/tea"));

    // What has to be unpacked goes to the process, label and all.
    let program = std::env::current_exe().expect("this program has a path");
    let workers = Workers::new(program, ["serve".to_owned()]);
    let path = "../../examples/cholera-more/cholera-outside-london.pdf";
    let pdf = std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).expect("it is there");
    let document = workers.read(&label, &pdf, &Limits::default()).expect("it is a PDF");
    assert_eq!((document.format, &*document.metadata["served_as"]), (Format::Pdf, "text/html"));
    let work = document.work.expect("what was fetched is a work");
    assert_eq!(work.title, "Cholera outside London");
    assert_eq!(work.url.as_deref(), Some("https://example.org/tea"));
}

// proves: A6
fn a_process_knows_neither_the_variables_nor_the_folder_of_its_parent() {
    let program = std::env::current_exe().expect("this program has a path");
    let folder = program.parent().expect("it lies in a folder");
    let mut parent = std::process::Command::new(&program);
    let ended = parent.arg("with-a-secret").env(SECRET, "key").current_dir(folder).status();
    assert!(ended.expect("it starts").success());
}

// proves: A6
fn a_process_that_hangs_is_killed_and_replaced() {
    let mut worker = build_worker("hang");
    let limits = Limits { time_seconds: 1, ..Limits::default() };
    for _ in 0..2 {
        assert_eq!(ask(&mut worker, &limits), Err(ReadError::TookTooLong { seconds: 1 }));
        assert_eq!(worker.process(), None);
    }
}

// proves: A6
fn a_process_that_breaks_is_that_files_error() {
    for behaviour in ["overflow", "chatter"] {
        let said = ask(&mut build_worker(behaviour), &Limits::default());
        let broke = matches!(said, Err(ReadError::BrokeReader { .. } | ReadError::Failed { .. }));
        assert!(broke, "{behaviour}: {said:?}");
    }
    let missing =
        Worker::new("/no/such/program", []).read(Path::new("a"), b"a", &Limits::default());
    assert!(matches!(missing, Err(ReadError::Failed { .. })));
}

/// Returns a PDF of these objects; the first is its catalogue.
fn pdf(objects: &[&str]) -> Vec<u8> {
    let mut file = "%PDF-1.4\n".to_owned();
    let mut table = "0000000000 65535 f \n".to_owned();
    for (object, number) in objects.iter().zip(1..) {
        table.push_str(&format!("{:010} 00000 n \n", file.len()));
        file.push_str(&format!("{number} 0 obj\n{object}\nendobj\n"));
    }
    let (start, count) = (file.len(), objects.len() + 1);
    file.push_str(&format!(
        "xref\n0 {count}\n{table}trailer\n<< /Size {count} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n"
    ));
    file.into_bytes()
}

/// Returns a PDF whose only page shows a form that shows itself.
fn endless() -> Vec<u8> {
    pdf(&[
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Resources << /XObject << /X 5 0 R >> >> /Contents 4 0 R >>",
        "<< /Length 5 >>\nstream\n/X Do\nendstream",
        "<< /Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X 5 0 R >> >> /Length 5 >>\nstream\n/X Do\nendstream",
    ])
}

/// Returns a PDF whose only page is a picture.
#[cfg(all(unix, feature = "ocr"))]
fn scan() -> Vec<u8> {
    pdf(&[
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 72 72] /Resources << /XObject << /X 5 0 R >> >> /Contents 4 0 R >>",
        "<< /Length 26 >>\nstream\nq 72 0 0 72 0 0 cm /X Do Q\nendstream",
        "<< /Type /XObject /Subtype /Image /Width 2 /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8 /Filter /ASCIIHexDecode /Length 5 >>\nstream\n00ff>\nendstream",
    ])
}

// proves: A6
#[cfg(all(unix, feature = "ocr"))]
fn a_scan_is_drawn_by_the_process_and_read_by_the_program_for_ocr() {
    use std::os::unix::fs::PermissionsExt;

    use corpus::OcrSettings;

    let folder = tempfile::tempdir().expect("there is room");
    let path = folder.path().join("tesseract");
    // It tells what it was given: the kind, the size, and the bytes of the picture.
    let script = "#!/bin/sh\nPATH=/usr/bin:/bin\ncase \"$1\" in\n--version) echo 'tesseract 5.3.0';;\n--list-langs) echo 'List:'; echo eng;;\n*) read -r kind; read -r width height; read -r most; bytes=$(wc -c); printf '5\\t1\\t1\\t1\\t1\\t1\\t9\\t9\\t9\\t9\\t90\\t%s\\n' \"$kind,$width,$height,$most,$bytes\";;\nesac\n";
    std::fs::write(&path, script).expect("there is room");
    let executable = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(&path, executable).expect("it is ours");
    let program = std::env::current_exe().expect("this program has a path");
    let label = Label::File { name: "letter.pdf".into() };
    let workers = || Workers::new(&program, ["serve".to_owned()]);
    let read = |workers: Workers| workers.read(&label, &scan(), &Limits::default());
    let settings = OcrSettings { program: path.display().to_string(), ..OcrSettings::default() };
    let document = read(workers().with_ocr(settings)).expect("its page is read");
    assert_eq!(document.text, "P5,300,300,255,90000");
    assert_eq!(document.metadata["ocr_pages"], "1");
    let error = read(workers()).expect_err("nothing reads scans");
    assert!(error.to_string().contains("corpus.ocr"), "{error}");
}

// proves: A6
fn a_pdf_that_draws_itself_for_ever_shows_nothing() {
    let mut worker = build_worker("serve");
    let said = worker.read(Path::new("a.pdf"), &endless(), &Limits::default());
    assert_eq!(said, Err(ReadError::Empty));
    assert_eq!(ask(&mut worker, &Limits::default()), Ok("Tea".to_owned()));
}

// proves: A6
fn memory_is_limited() {
    let mut worker = build_worker("serve");
    let text = "People drink tea.\n\n".repeat(500_000);
    let limits = Limits { memory_bytes: 8 << 20, ..Limits::default() };
    let said = worker.read(Path::new("tea.md"), text.as_bytes(), &limits).map(|it| it.title);
    assert_eq!(said, Err(ReadError::BrokeReader { mebibytes: 8 }));
    assert_eq!(ask(&mut worker, &Limits::default()), Ok("Tea".to_owned()));
}

// proves: A6
fn a_good_pdf_is_never_called_damaged_for_want_of_memory() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/cholera-more");
    let path = folder.join("cholera-outside-london.pdf");
    let bytes = std::fs::read(&path).expect("the example is there");
    let mut worker = build_worker("serve");
    for mebibytes in [1, 8, 32, 64, 66, 68, 72, 80, 96, 128, 160, 1024] {
        let limits = Limits { memory_bytes: mebibytes << 20, ..Limits::default() };
        let said = worker.read(&path, &bytes, &limits).map(|it| it.title);
        match said {
            Ok(title) if mebibytes > 64 => assert_eq!(title, "Cholera outside London"),
            said => assert_eq!(said, Err(ReadError::BrokeReader { mebibytes })),
        }
    }
    assert!(worker.read(&path, &bytes, &Limits::default()).is_ok());
}

fn a_process_that_is_killed_from_outside_is_replaced() {
    let mut worker = build_worker("serve");
    assert!(ask(&mut worker, &Limits::default()).is_ok());
    let process = worker.process().expect("it runs on");
    let killed = std::process::Command::new("kill").args(["-9", &process.to_string()]).status();
    assert!(killed.expect("kill is there").success());
    // It may be gone before the next file is sent, or on receiving it; the one after it is read in any case.
    let _ = ask(&mut worker, &Limits::default());
    assert_eq!(ask(&mut worker, &Limits::default()), Ok("Tea".to_owned()));
    assert_ne!(worker.process(), Some(process));
}

fn too_large_a_file_is_not_sent() {
    let mut worker = build_worker("hang");
    let limits = Limits { file_bytes: 3, ..Limits::default() };
    assert!(matches!(ask(&mut worker, &limits), Err(ReadError::TooLarge { limit: 3, .. })));
    assert_eq!(worker.process(), None);
}

/// No process of ours is left, dead or alive.
fn nothing_is_left_behind() {
    let mut worker = build_worker("serve");
    assert!(ask(&mut worker, &Limits::default()).is_ok());
    drop(worker);
    let own = std::process::id().to_string();
    for entry in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
        let Ok(state) = std::fs::read_to_string(entry.path().join("stat")) else { continue };
        let parent = state.rsplit(')').next().and_then(|rest| rest.split_whitespace().nth(1));
        assert_ne!(parent, Some(own.as_str()), "{state}");
    }
}
