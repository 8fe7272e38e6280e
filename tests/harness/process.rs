//! A child process that ends with its owner and keeps its log.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// A running program. Killed on drop.
#[derive(Debug)]
pub struct Process {
    child: Child,
    log: PathBuf,
}

/// How long a program gets to say that it is ready.
const START_DEADLINE: Duration = Duration::from_secs(60);

impl Process {
    /// Starts a program whose standard output and error go to `log`.
    #[must_use]
    pub fn start(command: &mut Command, log: &Path) -> Self {
        let file = File::create(log).expect("log file");
        let child = command
            .stdin(Stdio::null())
            .stdout(file.try_clone().expect("log file"))
            .stderr(file)
            .spawn()
            .unwrap_or_else(|error| panic!("{command:?}: {error}"));
        Self { child, log: log.to_owned() }
    }

    /// Starts a server that prints `listening on http://HOST:PORT` on standard output; gives its URL.
    #[must_use]
    pub fn start_server(command: &mut Command, log: &Path) -> (Self, String) {
        let file = File::create(log).expect("log file");
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(file)
            .spawn()
            .unwrap_or_else(|error| panic!("{command:?}: {error}"));
        let output = child.stdout.take().expect("piped");
        let (sender, receiver) = mpsc::channel();
        // The thread ends with the child: its output closes.
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if let Some(url) = line.trim().strip_prefix("listening on ") {
                    let _ = sender.send(url.to_owned());
                }
            }
        });
        let process = Self { child, log: log.to_owned() };
        let url = receiver
            .recv_timeout(START_DEADLINE)
            .unwrap_or_else(|_| panic!("{command:?} did not start:\n{}", process.log_text()));
        (process, url)
    }

    /// Everything that it has logged.
    #[must_use]
    pub fn log_text(&self) -> String {
        std::fs::read(&self.log).map_or_else(|_| String::new(), |bytes| String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Its process id.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// True while it has not ended.
    pub fn is_running(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    /// Ends it now.
    pub fn stop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.stop();
    }
}

/// A port that was free a moment ago.
#[must_use]
pub fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    listener.local_addr().expect("bound").port()
}

/// Waits until the condition gives something, looking every 10 ms; panics with `what` after the deadline.
pub fn eventually<T>(what: &str, deadline: Duration, mut condition: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(value) = condition() {
            return value;
        }
        assert!(start.elapsed() < deadline, "waited {deadline:?} for: {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}
