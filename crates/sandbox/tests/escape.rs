//! Code wants out. This program is also the warden: its first argument says so.

use std::process::ExitCode;

use run::sandbox::{Limits, Program, Sandbox};
use sandbox::{Confined, Settings, State, Wall};

fn main() -> ExitCode {
    if std::env::args_os().nth(1).is_some_and(|first| first == sandbox::COMMAND) {
        return sandbox::serve();
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    for without in [vec![], vec![Wall::Namespaces], vec![Wall::Landlock]] {
        let confined = Confined::new(Settings { without, ..Settings::default() });
        let state = runtime.block_on(confined.state()).unwrap();
        println!("sandbox: {state}");
        let source = "x = 1\nassert x + x == 2\n".to_owned();
        let program = Program { source, limits: Limits::default() };
        let trial = runtime.block_on(confined.execute(&program)).unwrap();
        assert_eq!(trial.passed(), matches!(state, State::Ready { .. }), "{trial:?}");
    }
    ExitCode::SUCCESS
}
