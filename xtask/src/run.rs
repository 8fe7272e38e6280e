//! Running other programs, and saying what runs.

use std::io::Write;
use std::path::PathBuf;
use std::process::Command;
use std::time::Instant;

/// The folder of the repository: as `cargo run` says, since clones that share a target folder share this program too.
pub(crate) fn repository() -> PathBuf {
    let manifest = std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    let manifest = PathBuf::from(manifest);
    manifest.parent().map(PathBuf::from).unwrap_or(manifest)
}

/// Cargo, in the repository.
///
/// `cargo run` tells this program about its own package in variables. Handed on, they would differ from those of a
/// cargo that a person starts, and build scripts that look at them (ring's does) would have half the dependencies
/// compiled again at each change from one to the other.
pub(crate) fn cargo(arguments: &[&str]) -> Command {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    for (name, _) in std::env::vars_os() {
        let of_this_package = name.to_str().is_some_and(|name| {
            ["CARGO_MANIFEST_", "CARGO_PKG_", "CARGO_BIN_", "CARGO_CRATE_"]
                .iter()
                .any(|prefix| name.starts_with(prefix))
        });
        if of_this_package {
            command.env_remove(name);
        }
    }
    command.args(arguments).current_dir(repository());
    command
}

/// Runs a command that shows its own progress, and says how long it took.
pub(crate) fn step(what: &str, command: &mut Command) -> Result<(), String> {
    eprintln!("xtask: {what}");
    let start = Instant::now();
    let status = command.status().map_err(|error| format!("{what}: {error}"))?;
    if !status.success() {
        return Err(format!("{what}: failed ({status})"));
    }
    let seconds = start.elapsed().as_secs_f64();
    if seconds >= 2.0 {
        eprintln!("xtask: {what}: {seconds:.0} s");
    }
    Ok(())
}

/// What a command prints, if it succeeds.
pub(crate) fn output(command: &mut Command) -> Option<String> {
    let output = command.output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}

/// A program that this workspace has built.
pub(crate) fn program(profile: &str, name: &str) -> Result<PathBuf, String> {
    Ok(target_folder()?.join(profile).join(name))
}

/// Cargo's target folder.
pub(crate) fn target_folder() -> Result<PathBuf, String> {
    if let Some(folder) = std::env::var_os("CARGO_TARGET_DIR") {
        return Ok(repository().join(folder));
    }
    Ok(repository().join("target"))
}

/// Becomes that program, so that a signal to this process reaches it.
pub(crate) fn replace_with(command: &mut Command) -> Result<(), String> {
    use std::os::unix::process::CommandExt;
    let _ = std::io::stderr().flush();
    let error = command.exec();
    Err(format!("{}: {error}", command.get_program().display()))
}
