//! Where the built programs, Envoy and the caches are.
//!
//! `cargo xtask` builds and installs them; run through it, or set the variables named here.

use std::path::{Path, PathBuf};

/// The folder of the repository.
#[must_use]
pub fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("tests/ has a parent")
        .to_owned()
}

/// What set-up keeps between runs: `LAKEGATE_CACHE`, else `~/.cache/lakegate`.
#[must_use]
pub fn cache() -> PathBuf {
    if let Some(folder) = std::env::var_os("LAKEGATE_CACHE") {
        return folder.into();
    }
    let home = std::env::var_os("HOME").expect("HOME is set");
    Path::new(&home).join(".cache/lakegate")
}

/// A program of this workspace, beside the running one.
#[must_use]
pub fn program(name: &str) -> PathBuf {
    let running = std::env::current_exe().expect("the running program has a path");
    let mut folder = running.parent().expect("a program is in a folder");
    if folder.ends_with("deps") {
        folder = folder.parent().expect("deps is in a folder");
    }
    let program = folder.join(name);
    assert!(
        program.exists(),
        "{} is not built: run `cargo xtask test` (or demo, bench), which builds it",
        program.display()
    );
    program
}

/// The filter's module: `LAKEGATE_WASM`, set by `cargo xtask`.
#[must_use]
pub fn wasm() -> PathBuf {
    let path = std::env::var_os("LAKEGATE_WASM").map(PathBuf::from);
    path.filter(|path| path.exists())
        .expect("LAKEGATE_WASM names no file: run through `cargo xtask`, which builds the module")
}

/// Envoy: `ENVOY_BIN`, set by `cargo xtask` if it is not set already.
#[must_use]
pub fn envoy() -> PathBuf {
    let path = std::env::var_os("ENVOY_BIN").map(PathBuf::from);
    path.filter(|path| path.exists())
        .expect("ENVOY_BIN names no file: run through `cargo xtask`, which installs Envoy")
}

/// The Python that has the Trino client and PyIceberg.
#[must_use]
pub fn python() -> PathBuf {
    cache().join("venv/bin/python")
}
