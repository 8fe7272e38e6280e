//! The core's work in V8: a Node process that runs the module that `cargo xtask bench` has built for it.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

/// What the process runs.
const SCRIPT: &str = include_str!("v8.js");

/// A Node process with policy and statements loaded.
#[derive(Debug)]
pub(crate) struct V8 {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl V8 {
    /// Starts it.
    pub(crate) fn start(module: &Path, policy: &str, statements: &[&str]) -> Result<Self, String> {
        let mut child = Command::new("node")
            .args(["--input-type=commonjs", "--eval", SCRIPT])
            .arg(module)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("node: {error}"))?;
        let input = child.stdin.take();
        let output = child.stdout.take().ok_or("node: no output")?;
        let mut v8 = Self {
            child,
            input,
            output: BufReader::new(output),
        };
        v8.tell(&json!({ "policy": policy }))?;
        for statement in statements {
            v8.tell(&json!({ "statement": statement }))?;
        }
        Ok(v8)
    }

    /// Nanoseconds a call of every statement, from one batch each.
    pub(crate) fn round(&mut self, batch: Duration) -> Result<Vec<f64>, String> {
        self.tell(&json!({ "round": batch.as_secs_f64() * 1e3 }))?;
        let mut line = String::new();
        self.output
            .read_line(&mut line)
            .map_err(|error| format!("node: {error}"))?;
        serde_json::from_str(&line).map_err(|_| "node ended early; what it said is above".into())
    }

    fn tell(&mut self, what: &Value) -> Result<(), String> {
        let input = self.input.as_mut().ok_or("node: no input")?;
        writeln!(input, "{what}").map_err(|error| format!("node: {error}"))
    }
}

impl Drop for V8 {
    /// At the end of its input the process ends.
    fn drop(&mut self) {
        self.input = None;
        let _ = self.child.wait();
    }
}
