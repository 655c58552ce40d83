//! Attempts to take more than was given.

use std::path::Path;

use run::sandbox::{End, Left, Limits};

use super::{Case, Rung};

fn small() -> Limits {
    Limits { seconds: 10, output_kib: 64, ..Limits::default() }
}

fn brief() -> Limits {
    Limits { seconds: 1, ..Limits::default() }
}

// proves: D4
pub(crate) fn cases(rung: &Rung) -> Vec<Case<'_>> {
    let case = |name: &str, case: fn(&Rung)| -> Case<'_> {
        (name.to_owned(), Box::new(move || case(rung)))
    };
    vec![
        case("an_allocation_of_64_gb_is_an_error_of_the_code", much_memory),
        case("threads_that_are_too_many_are_refused", many_threads),
        case("endless_output_is_cut", endless_output),
        case("endless_errors_are_cut", endless_errors),
        case("an_endless_loop_ends", endless_loop),
        case("an_endless_sleep_ends", endless_sleep),
        case("processor_time_counts_for_all_threads", much_processor),
        case("too_many_files_are_refused", many_files),
        case("too_large_a_file_is_refused", large_file),
        case("a_large_file_of_nothing_is_refused", sparse_file),
        case("many_large_files_of_nothing_are_not_all_read", sparse_files),
        case("files_without_a_name_count", unnamed_files),
        case("files_in_folders_that_let_nobody_in_count", hidden_files),
        case("folders_that_are_nested_too_deep_end_it", deep_folders),
        case("odd_files_are_named_and_not_opened", odd_files),
        case("odd_names_are_shown_plainly", odd_names),
        case("folders_that_let_nobody_in_are_removed", closed_folders),
        case("plain_files_have_their_digest", plain_files),
    ]
}

fn much_memory(rung: &Rung) {
    let Some(it) = rung.run("held = bytearray(64 << 30)") else { return };
    assert_eq!(it.end, End::Exited { code: 1 });
    assert!(it.stderr.contains("MemoryError"), "{it:?}");
}

fn many_threads(rung: &Rung) {
    let source = "import threading\nstop = threading.Event()\nthreading.stack_size(1 << 16)\ncount = 0\ntry:\n    for _ in range(5000):\n        threading.Thread(target=stop.wait, daemon=True).start()\n        count += 1\nexcept RuntimeError:\n    pass\nimport time\nif count > 200:\n    time.sleep(5)\nprint(count)\nstop.set()";
    let Some(it) = rung.run(source) else { return };
    match it.end {
        End::Exited { code: 0 } => {
            let count: u32 = it.stdout.trim().parse().unwrap();
            assert!(
                (1..=64).contains(&count) || (!rung.has_namespaces() && count <= 200),
                "{it:?}"
            );
        }
        // Where the kernel does not count them, they are looked for.
        End::Killed { signal: 9 } => assert!(!rung.has_namespaces(), "{it:?}"),
        _ => panic!("{it:?}"),
    }
}

fn endless_output(rung: &Rung) {
    let source = "while True:\n    print('x' * 1000)";
    let Some(it) = rung.run_within(source, small()) else { return };
    assert_eq!((it.end, it.stdout.len(), it.stderr.len()), (End::TooMuchOutput, 64 << 10, 0));
}

fn endless_errors(rung: &Rung) {
    let source = "import os\nwhile True:\n    os.write(2, b'\\xff' * 1000)";
    let Some(it) = rung.run_within(source, small()) else { return };
    assert_eq!((it.end, it.stdout.len()), (End::TooMuchOutput, 0));
    assert_eq!(it.stderr.chars().count(), 64 << 10);
}

fn endless_loop(rung: &Rung) {
    let source = "x = 1\nassert x\nprint('began', flush=True)\nwhile True:\n    pass";
    let Some(it) = rung.run_within(source, brief()) else { return };
    assert_eq!((it.end, it.stdout.as_str(), it.checks.held), (End::TimedOut, "began\n", 1));
}

fn endless_sleep(rung: &Rung) {
    let source = "import signal, time\nfor one in range(1, 32):\n    try:\n        signal.signal(one, signal.SIG_IGN)\n    except OSError:\n        pass\ntime.sleep(3600)";
    let Some(it) = rung.run_within(source, brief()) else { return };
    assert_eq!(it.end, End::TimedOut);
}

fn much_processor(rung: &Rung) {
    // Hashing lets go of the interpreter's lock.
    let source = "import hashlib, threading\ndef work():\n    while True:\n        hashlib.sha256(bytes(1 << 22)).digest()\nfor _ in range(8):\n    threading.Thread(target=work).start()";
    let limits = Limits { seconds: 2, ..Limits::default() };
    let Some(it) = rung.run_within(source, limits) else { return };
    assert_eq!(it.end, End::TimedOut, "{it:?}");
}

fn many_files(rung: &Rung) {
    let source = "import time\nfor number in range(10000):\n    open('f%d' % number, 'w').close()\ntime.sleep(5)";
    let Some(it) = rung.run(source) else { return };
    if rung.has_namespaces() {
        assert_eq!(it.end, End::Exited { code: 1 });
        assert!(it.stderr.contains("No space left"), "{it:?}");
    } else {
        assert_eq!(it.end, End::TooMuchStored);
    }
    assert_eq!(it.files.len(), 256);
}

fn large_file(rung: &Rung) {
    let source = "part = bytes(1 << 20)\nwith open('large', 'wb', buffering=0) as file:\n    for _ in range(1024):\n        if file.write(part) < len(part):\n            raise OSError('cut')";
    let Some(it) = rung.run(source) else { return };
    assert!(it.end == End::Exited { code: 1 } || it.end == End::TooMuchStored, "{it:?}");
    assert!(it.files[0].bytes <= 16 << 20, "{it:?}");
}

fn sparse_file(rung: &Rung) {
    let source =
        "import os\nwith open('sparse', 'wb') as file:\n    os.ftruncate(file.fileno(), 1 << 40)";
    let Some(it) = rung.run(source) else { return };
    assert_eq!(it.end, End::Exited { code: 1 });
    assert!(it.stderr.contains("File too large") && it.files[0].bytes == 0, "{it:?}");
}

fn sparse_files(rung: &Rung) {
    let source = "import os\nfor number in range(100):\n    with open('f%03d' % number, 'wb') as file:\n        os.ftruncate(file.fileno(), 12 << 20)";
    let Some(it) = rung.run(source) else { return };
    let read = it.files.iter().filter(|file| file.bytes > 0 && !file.sha256.is_empty());
    let read = read.count();
    assert!(!it.files.is_empty() && read <= 1, "{it:?}");
}

fn unnamed_files(rung: &Rung) {
    let source = "import os, time\nkept = []\nfor number in range(8):\n    file = open('f', 'wb')\n    os.unlink('f')\n    file.write(bytes(8 << 20))\n    file.flush()\n    kept.append(file)\ntime.sleep(5)";
    let Some(it) = rung.run(source) else { return };
    let expected = if rung.has_namespaces() { End::Exited { code: 1 } } else { End::TooMuchStored };
    assert_eq!(it.end, expected, "{it:?}");
}

fn hidden_files(rung: &Rung) {
    let source = "import os, time\nos.mkdir('d', 0o300)\nfor number in range(8):\n    with open('d/f%d' % number, 'wb') as file:\n        file.write(bytes(8 << 20))\ntime.sleep(5)";
    let Some(it) = rung.run(source) else { return };
    let expected = if rung.has_namespaces() { End::Exited { code: 1 } } else { End::TooMuchStored };
    assert_eq!(it.end, expected, "{it:?}");
}

fn deep_folders(rung: &Rung) {
    // Deeper than a path can say.
    let source = "import os, time\nprint(os.getcwd(), flush=True)\nfor _ in range(64):\n    os.mkdir('d' * 200, 0o300)\n    os.chdir('d' * 200)\nopen('f', 'wb').write(bytes(8 << 20))\nif os.getppid():\n    time.sleep(5)";
    let Some(it) = rung.run(source) else { return };
    let expected = if rung.has_namespaces() { End::Exited { code: 0 } } else { End::TooMuchStored };
    assert_eq!(it.end, expected, "{it:?}");
    assert!(!Path::new(it.stdout.trim()).exists(), "{it:?}");
}

fn odd_files(rung: &Rung) {
    let source = "import os\nos.mkfifo('pipe')\nos.symlink('/etc/shadow', 'link')\nos.symlink('/', 'root')\nopen('one', 'w').write('x')\nos.link('one', 'two')\nos.mkdir('folder')\nos.symlink('..', 'folder/up')";
    let Some(it) = rung.run(source) else { return };
    assert_eq!(it.end, End::Exited { code: 0 }, "{it:?}");
    let paths: Vec<&str> = it.files.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(paths, ["folder/up", "link", "one", "pipe", "root", "two"]);
    assert!(it.files.iter().all(|file| file.sha256.is_empty() && file.bytes <= 1), "{it:?}");
}

fn odd_names(rung: &Rung) {
    let source = "import os\nopen(b'a\\nb\\x1b[2J', 'w').close()\nopen(b'\\xff\\xfe', 'w').close()\nopen('x' * 255, 'w').close()";
    let Some(it) = rung.run(source) else { return };
    assert_eq!((it.end, it.files.len()), (End::Exited { code: 0 }, 3), "{it:?}");
    for file in &it.files {
        assert!(file.path.chars().count() <= 200 && !file.path.contains(char::is_control));
        assert_eq!(file.sha256.len(), 64);
    }
}

fn closed_folders(rung: &Rung) {
    let source = "import os\nwhere = os.getcwd()\nos.makedirs('a/b')\nopen('a/b/c', 'w').write('c')\nos.mkdir('none', 0)\nos.umask(0o777)\nos.mkdir('a/none')\nprint(where)";
    let Some(it) = rung.run(source) else { return };
    // Where somebody looks who must not, that is the end of it.
    let seen = it.end == End::TooMuchStored && !rung.has_namespaces();
    assert!(it.end == End::Exited { code: 0 } || seen, "{it:?}");
    assert_eq!(it.files.len(), 1, "{it:?}");
    assert!(!Path::new(it.stdout.trim()).exists(), "{it:?}");
}

fn plain_files(rung: &Rung) {
    let source = "import os\nos.mkdir('out')\nopen('out/a.txt', 'w').write('abc')";
    let Some(it) = rung.run(source) else { return };
    let sha256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad".to_owned();
    assert_eq!(it.files, [Left { path: "out/a.txt".to_owned(), bytes: 3, sha256 }]);
}
