//! The program's own commands in the process of a test, with methods of the test's own.

use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use quaestio::{Exit, Face, Sink};
use run::Methods;

#[derive(Clone, Default)]
struct Page(Arc<Mutex<Vec<u8>>>);

impl Write for Page {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Page {
    fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

/// Runs a command; returns how it ended, its standard output and its standard error.
pub(crate) fn run_command(methods: Methods, args: &[&str]) -> (Exit, String, String) {
    let (out, err) = (Page::default(), Page::default());
    let face = Face { out: Sink::new(out.clone()), err: Sink::new(err.clone()), terminal: false };
    let exit = quaestio::main([&["quaestio"], args].concat(), methods, &face);
    (exit, out.text(), err.text())
}
