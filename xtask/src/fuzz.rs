//! `cargo xtask fuzz`: builds the fuzz targets with coverage counters, feeds them our own corpus, and runs them.
//!
//! Needs neither cargo-fuzz nor a nightly compiler: what cargo-fuzz does for a project without unsafe code is these
//! compiler flags. There is no address sanitizer, since core forbids unsafe code; panics, overflows of numbers and of
//! the stack, long runs and much memory are found without one.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::run;

/// The targets, in the order in which they run.
const TARGETS: [&str; 5] = ["scan", "parse", "statement", "headers", "policy"];

/// Seconds for each target unless told otherwise.
const SECONDS: u64 = 60;

/// The stack in KiB: what an optimised parser needs is less. The service gives more, for builds without optimisation.
const STACK_KIB: u32 = 2048;

/// Coverage counters in every block, and comparisons that libFuzzer learns from.
const FLAGS: [&str; 6] = [
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
    "--cfg=fuzzing",
];

/// Runs one target or all of them.
pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    let (targets, seconds) = parse(arguments)?;
    let folder = run::target_folder()?.join("fuzz");
    let host = host()?;
    let mut build = run::cargo(&[
        "build",
        "--release",
        "--manifest-path",
        "fuzz/Cargo.toml",
        "--target",
        &host,
    ]);
    // With --target, build scripts and macros are built without the flags.
    build.arg("--target-dir").arg(&folder).env("RUSTFLAGS", FLAGS.join(" "));
    run::step("building fuzz targets", &mut build)?;
    let mut failed = Vec::new();
    for target in targets {
        let corpus = made(folder.join("corpus").join(target))?;
        let seeds = made(folder.join("seeds").join(target))?;
        let findings = made(folder.join("findings").join(target))?;
        write_seeds(target, &seeds)?;
        let program = folder.join(&host).join("release").join(target);
        // A shell, since the limit must be in force before the program starts.
        let mut command = Command::new("sh");
        command
            .args(["-c", &format!("ulimit -s {STACK_KIB}; exec \"$0\" \"$@\"")])
            .arg(program)
            .arg(format!("-max_total_time={seconds}"))
            .args([
                "-timeout=10",
                "-rss_limit_mb=2048",
                "-max_len=8192",
                "-print_final_stats=1",
            ])
            .arg(format!("-artifact_prefix={}/", findings.display()))
            .arg(&corpus)
            .arg(&seeds)
            .current_dir(run::repository());
        if let Err(message) = run::step(&format!("fuzzing {target} for {seconds} s"), &mut command) {
            eprintln!("xtask: {message}; the input is in {}", findings.display());
            failed.push(target);
        }
    }
    if failed.is_empty() {
        Ok(())
    } else {
        Err(format!("found something: {}", failed.join(", ")))
    }
}

fn parse(arguments: &[String]) -> Result<(Vec<&'static str>, u64), String> {
    let mut targets = Vec::new();
    let mut seconds = SECONDS;
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        if argument == "--seconds" {
            let value = rest.next().and_then(|value| value.parse().ok());
            seconds = value.ok_or("--seconds needs a number")?;
        } else if let Some(target) = TARGETS.iter().find(|target| *target == argument) {
            targets.push(*target);
        } else {
            return Err(format!("no target `{argument}`; there are {}", TARGETS.join(", ")));
        }
    }
    if targets.is_empty() {
        targets.extend(TARGETS);
    }
    Ok((targets, seconds))
}

fn host() -> Result<String, String> {
    let about = run::output(Command::new("rustc").arg("-vV").current_dir(run::repository()));
    about
        .as_deref()
        .and_then(|about| about.lines().find_map(|line| line.strip_prefix("host: ")))
        .map(str::to_owned)
        .ok_or_else(|| "rustc does not tell its host".to_owned())
}

fn made(folder: PathBuf) -> Result<PathBuf, String> {
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    Ok(folder)
}

/// Statements of the golden corpus, policies, and headers, each in a file of its own.
fn write_seeds(target: &str, folder: &Path) -> Result<(), String> {
    let seeds = match target {
        "policy" => files(&["envoy/demo-policy.yaml", "tests/fixtures/reference-policy.yaml"])?,
        "headers" => vec![
            "x-trino-user: ann\nx-trino-client-tags: batch,a=b\nx-trino-prepared-statement: p=SELECT+1,q=SELECT%202"
                .to_owned(),
        ],
        "statement" => return write_all(folder, (0..64).map(noise)),
        _ => golden_statements()?,
    };
    write_all(folder, seeds.into_iter().map(String::into_bytes))
}

fn write_all(folder: &Path, seeds: impl Iterator<Item = Vec<u8>>) -> Result<(), String> {
    for (number, seed) in seeds.enumerate() {
        let path = folder.join(number.to_string());
        fs::write(&path, seed).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(())
}

/// Bytes to grow a statement from, the same ones every time; from short to long, so that libFuzzer starts with both.
fn noise(number: u64) -> Vec<u8> {
    let mut state = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let byte = || {
        // xorshift
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_be_bytes()[0]
    };
    let length = 32 + usize::try_from(number).unwrap_or(0) * 48;
    std::iter::repeat_with(byte).take(length).collect()
}

fn files(names: &[&str]) -> Result<Vec<String>, String> {
    let read =
        |name: &&str| fs::read_to_string(run::repository().join(name)).map_err(|error| format!("{name}: {error}"));
    names.iter().map(read).collect()
}

/// The golden corpus' statements, a letter for the dialect before each. `core/tests/golden/format.rs` has the format.
fn golden_statements() -> Result<Vec<String>, String> {
    let folder = run::repository().join("core/tests/golden");
    let listing = fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut paths: Vec<PathBuf> = listing.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    let mut statements = Vec::new();
    for path in paths
        .iter()
        .filter(|path| path.extension().is_some_and(|extension| extension == "txt"))
    {
        let text = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let mut letter = "t";
        let mut statement = String::new();
        for line in text.lines() {
            if line.starts_with("=>") {
                statements.push(format!("{letter}{statement}"));
                statement.clear();
            } else if let Some(rules) = line.strip_prefix("rules: ") {
                letter = rules.get(..1).unwrap_or("t");
            } else if !["->", "#", "prepared "].iter().any(|start| line.starts_with(start)) {
                statement.push_str(line);
                statement.push('\n');
            }
        }
    }
    Ok(statements)
}
