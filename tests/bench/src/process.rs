//! A child process on cores of its own, which never outlives the bench.
//!
//! Dropping it kills it. Should the bench itself be killed, the kernel kills the child: `setpriv --pdeathsig` asks for
//! that, for the death of the thread that started it. So children are started on the main thread only.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use crate::say;

/// A running program. Killed on drop.
#[derive(Debug)]
pub(crate) struct Process {
    child: Child,
    log: PathBuf,
}

/// How long a program gets to be ready: an Envoy on one busy core compiles its module for seconds.
const START_DEADLINE: Duration = Duration::from_secs(60);
/// Waiting longer than this is worth a word.
const WORTH_A_WORD: Duration = Duration::from_secs(2);

impl Process {
    /// Starts a program that writes its output to a log.
    pub(crate) fn start(program: &Path, arguments: &[&str], cores: &str, log: &Path) -> Result<Self, String> {
        let file = log_file(log)?;
        let output = file
            .try_clone()
            .map_err(|error| format!("{}: {error}", log.display()))?;
        let mut command = command(program, arguments, cores);
        let child = spawn(command.stdout(output).stderr(file), program)?;
        Ok(Self {
            child,
            log: log.to_owned(),
        })
    }

    /// Starts a server that says `listening on URL` on standard output; gives that URL.
    pub(crate) fn start_server(
        program: &Path,
        arguments: &[&str],
        cores: &str,
        log: &Path,
    ) -> Result<(Self, String), String> {
        let mut command = command(program, arguments, cores);
        let mut child = spawn(command.stdout(Stdio::piped()).stderr(log_file(log)?), program)?;
        let output = child.stdout.take();
        let process = Self {
            child,
            log: log.to_owned(),
        };
        let (sender, receiver) = mpsc::channel();
        // Ends with the child, whose output closes then.
        std::thread::spawn(move || {
            for line in BufReader::new(output?).lines().map_while(Result::ok) {
                if let Some(url) = line.trim().strip_prefix("listening on ") {
                    let _ = sender.send(url.to_owned());
                }
            }
            Some(())
        });
        match receiver.recv_timeout(START_DEADLINE) {
            Ok(url) => Ok((process, url)),
            Err(_) => Err(process.failed("did not start")),
        }
    }

    /// Its process id.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Waits until the condition gives something, as long as this process runs.
    pub(crate) fn wait_for<T>(&mut self, what: &str, mut condition: impl FnMut() -> Option<T>) -> Result<T, String> {
        let start = Instant::now();
        let mut said = false;
        loop {
            if let Some(value) = condition() {
                return Ok(value);
            }
            if !matches!(self.child.try_wait(), Ok(None)) {
                return Err(self.failed(&format!("ended before {what}")));
            }
            if START_DEADLINE < start.elapsed() {
                return Err(self.failed(&format!("{} s without: {what}", START_DEADLINE.as_secs())));
            }
            if !said && WORTH_A_WORD < start.elapsed() {
                said = true;
                say(&format!("waiting for: {what}"));
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// An error text with the end of the log.
    pub(crate) fn failed(&self, what: &str) -> String {
        let log = std::fs::read(&self.log).unwrap_or_default();
        let text = String::from_utf8_lossy(&log);
        let lines: Vec<&str> = text.lines().collect();
        let end = lines
            .get(lines.len().saturating_sub(15)..)
            .unwrap_or_default()
            .join("\n");
        format!("{what}; the end of its log:\n{end}")
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn command(program: &Path, arguments: &[&str], cores: &str) -> Command {
    let mut command = Command::new("setpriv");
    // Both become the program in turn, so the child's id is the program's.
    command.args(["--pdeathsig", "KILL", "taskset", "--cpu-list", cores]);
    command.arg(program).args(arguments).stdin(Stdio::null());
    command
}

fn spawn(command: &mut Command, program: &Path) -> Result<Child, String> {
    let failed = |error| format!("{} by way of setpriv (util-linux): {error}", program.display());
    command.spawn().map_err(failed)
}

fn log_file(log: &Path) -> Result<File, String> {
    File::create(log).map_err(|error| format!("{}: {error}", log.display()))
}
