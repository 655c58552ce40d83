//! A terminal with somebody at it: the program sees a pseudo-terminal, the test types and reads.

use std::fs::{File, OpenOptions};
use std::io::{Read as _, Write as _};
use std::process::{Child, Command, ExitStatus};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

/// How long a program may take to say something.
const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) struct Terminal {
    child: Child,
    keyboard: File,
    heard: Receiver<String>,
    /// Everything that was on the screen.
    pub(crate) screen: String,
    /// Up to where it was read.
    read: usize,
}

impl Terminal {
    /// Runs a command at a terminal of its own; standard output goes there as well.
    pub(crate) fn run(command: Command) -> Terminal {
        Terminal::run_in(command, 80)
    }

    /// The same at a terminal of so many columns.
    pub(crate) fn run_in(mut command: Command, columns: u16) -> Terminal {
        let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&ours).unwrap();
        unlockpt(&ours).unwrap();
        let size = Winsize { ws_row: 50, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(&ours, size).unwrap();
        let name = ptsname(&ours, Vec::new()).unwrap();
        let theirs =
            || OpenOptions::new().read(true).write(true).open(name.to_str().unwrap()).unwrap();
        command.stdin(theirs()).stdout(theirs()).stderr(theirs());
        let child = command.spawn().unwrap();
        // The terminal ends when nobody holds its other side.
        drop(command);
        let mut screen = File::from(ours);
        let keyboard = screen.try_clone().unwrap();
        let (tell, heard) = channel();
        std::thread::spawn(move || {
            let mut piece = [0_u8; 4096];
            while let Ok(read @ 1..) = screen.read(&mut piece) {
                if tell.send(String::from_utf8_lossy(&piece[..read]).into_owned()).is_err() {
                    break;
                }
            }
        });
        Terminal { child, keyboard, heard, screen: String::new(), read: 0 }
    }

    /// Waits until the program says this, after what was waited for before.
    pub(crate) fn wait_for(&mut self, what: &str) {
        loop {
            if let Some(at) = self.screen[self.read..].find(what) {
                self.read += at + what.len();
                return;
            }
            match self.heard.recv_timeout(PATIENCE) {
                Ok(piece) => self.screen.push_str(&piece),
                Err(_) => panic!("'{what}' did not come: {}", self.screen),
            }
        }
    }

    pub(crate) fn type_line(&mut self, line: &str) {
        self.keyboard.write_all(format!("{line}\n").as_bytes()).unwrap();
    }

    /// Ends the input, as Ctrl-D does on an empty line.
    pub(crate) fn end_input(&mut self) {
        self.keyboard.write_all(b"\x04").unwrap();
    }

    /// Kills the program as nothing can be caught.
    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Waits for the end of the program; the screen then holds everything.
    pub(crate) fn end(&mut self) -> ExitStatus {
        while let Ok(piece) = self.heard.recv_timeout(PATIENCE) {
            self.screen.push_str(&piece);
        }
        self.child.wait().unwrap()
    }
}
