//! A child process that ends with its owner and keeps its log.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, mpsc};
use std::time::{Duration, Instant};

/// A running program. Killed on drop.
#[derive(Debug)]
pub struct Process {
    child: Child,
    log: PathBuf,
}

/// The process ids of everything that runs, for [`stop_all_on_signal`].
static RUNNING: Mutex<Vec<u32>> = Mutex::new(Vec::new());

/// Makes SIGINT, SIGTERM and SIGHUP end every child before this process ends.
///
/// A terminal's Ctrl-C reaches the children by itself; a signal sent to this process alone does not.
pub fn stop_all_on_signal() {
    use tokio::signal::unix::{SignalKind, signal};
    std::thread::spawn(|| {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .expect("runtime");
        runtime.block_on(async {
            let mut interrupt = signal(SignalKind::interrupt()).expect("SIGINT");
            let mut terminate = signal(SignalKind::terminate()).expect("SIGTERM");
            let mut hang_up = signal(SignalKind::hangup()).expect("SIGHUP");
            tokio::select! {
                _ = interrupt.recv() => {}
                _ = terminate.recv() => {}
                _ = hang_up.recv() => {}
            }
        });
        let ids: Vec<String> = RUNNING
            .lock()
            .map(|running| running.iter().map(u32::to_string).collect())
            .unwrap_or_default();
        if !ids.is_empty() {
            let _ = Command::new("kill").arg("-KILL").args(ids).status();
        }
        std::process::exit(130);
    });
}

fn remember(child: &Child) {
    if let Ok(mut running) = RUNNING.lock() {
        running.push(child.id());
    }
}

fn forget(child: &Child) {
    if let Ok(mut running) = RUNNING.lock() {
        running.retain(|id| *id != child.id());
    }
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
        remember(&child);
        Self {
            child,
            log: log.to_owned(),
        }
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
        remember(&child);
        let process = Self {
            child,
            log: log.to_owned(),
        };
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
        forget(&self.child);
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
