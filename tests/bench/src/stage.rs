//! The Envoy suite: starts everything, plays one case after the other, reports.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::cases::{self, Case, Counted, Player};
use crate::envoy::{self, Envoy, Ports};
use crate::figures::rounded;
use crate::load::{CONNECTIONS, Load, Slice};
use crate::machine::{Cores, load_average};
use crate::options::Options;
use crate::ours::{self, AccessLog, Service};
use crate::pairs::{self, Measured, Plan};
use crate::report::Report;
use crate::stub::Stub;
use crate::{bare, say};

/// The length of a slice: long against a request, short against the machine's drift.
const SLICE: Duration = Duration::from_millis(400);

/// Below this share of its core the proxy was not what limited the load.
const BUSY_ENOUGH: f64 = 0.9;

/// Runs the suite.
pub(crate) fn run(options: &Options, report: &mut Report) -> Result<(), String> {
    let cases = chosen(&options.cases)?;
    let plan = Plan {
        pairs: if options.quick { 5 } else { 21 },
        slice: SLICE,
        warm_up: Duration::from_millis(if options.quick { 300 } else { 1000 }),
    };
    let cores = Cores::pick()?;
    cores.leave_proxy_core()?;
    let folder = RunFolder::make()?;
    let stub = Stub::start()?;
    let mut stage = Stage {
        cores,
        stub,
        service: None,
        folder,
    };

    report.number("pairs", plan.pairs as f64);
    report.number("slice_ms", SLICE.as_secs_f64() * 1e3);
    report.number("connections", CONNECTIONS as f64);
    report.text("envoy_version", &envoy::version()?);
    if let Ok(module) = ours::module() {
        let size = std::fs::metadata(&module).map_err(|error| format!("{}: {error}", module.display()))?;
        report.number("module_bytes", size.len() as f64);
    }
    report.line(&format!(
        "Envoy {}, one worker on core {}; load, engine and service on {}; {CONNECTIONS} connections; medians of {} pairs",
        envoy::version()?,
        stage.cores.proxy,
        stage.cores.others,
        plan.pairs
    ));
    report.line(&header());

    let reference = stage.bare("bare")?;
    // Those that are up stay up: an idle one costs the others next to nothing.
    let mut players: Vec<(Player, Envoy)> = Vec::new();
    for case in &cases {
        if !players.iter().any(|(player, _)| *player == case.player) {
            players.push((case.player, stage.player(case.player)?));
        }
        let Some((_, player)) = players.iter().find(|(player, _)| *player == case.player) else {
            continue;
        };
        let start = Instant::now();
        say(&format!(
            "{}: {} pairs (load of the machine {:.1})",
            case.name,
            plan.pairs,
            load_average()
        ));
        let (measured, counted) = stage.play(case, &reference, player, plan)?;
        tell(case, &measured, &counted, report);
        say(&format!("{}: {:.0} s", case.name, start.elapsed().as_secs_f64()));
    }
    Ok(())
}

fn chosen(names: &[String]) -> Result<Vec<Case>, String> {
    let all = cases::all();
    if let Some(unknown) = names
        .iter()
        .find(|name| all.iter().all(|case| case.name != name.as_str()))
    {
        let known: Vec<&str> = all.iter().map(|case| case.name).collect();
        return Err(format!("unknown case `{unknown}`; there are {}", known.join(", ")));
    }
    let wanted = |case: &Case| names.is_empty() || names.iter().any(|name| name == case.name);
    Ok(all.into_iter().filter(wanted).collect())
}

/// What every case needs.
struct Stage {
    cores: Cores,
    stub: Stub,
    service: Option<Service>,
    folder: RunFolder,
}

impl Stage {
    fn bare(&self, name: &str) -> Result<Envoy, String> {
        let ports = Ports::free()?;
        let bootstrap = bare::bootstrap(&ports, &self.stub.address)?;
        Envoy::start(name, &bootstrap, &ports, &self.cores.proxy, &self.folder.0)
    }

    fn player(&mut self, player: Player) -> Result<Envoy, String> {
        let (name, log) = match player {
            Player::Bare => return self.bare("bare-again"),
            Player::Ours => ("lakegate", AccessLog::Discarded),
            Player::OursWithoutLog => ("lakegate-without-log", AccessLog::Absent),
        };
        if self.service.is_none() {
            self.service = Some(Service::start(&self.stub.address, &self.cores, &self.folder.0)?);
        }
        let service = self.service.as_ref().ok_or("there is no service")?;
        ours::envoy(name, &self.stub.address, service, log, &self.cores, &self.folder.0)
    }

    /// Checks that the request takes its way, measures, and checks that every request took it.
    fn play(&self, case: &Case, bare: &Envoy, player: &Envoy, plan: Plan) -> Result<(Measured, Counted), String> {
        case.check(player).map_err(|error| self.explained(&error, player))?;
        let request = case.request.to_bytes();
        let service = self.service.as_ref().map(Service::id);
        let mut bare = Load::open(&bare.address, &request, bare.id(), None)?;
        let mut ours = Load::open(&player.address, &request, player.id(), service)?;
        let before = Counted::of(player)?;
        let failed = |error: String| self.explained(&format!("{}: {error}", case.name), player);
        let measured = pairs::measure(&mut bare, &mut ours, plan).map_err(failed)?;
        let counted = Counted::of(player)?.since(before);
        case.check_counters(&counted, measured.requests)?;
        Ok((measured, counted))
    }

    /// An error with what proxy and service had to say.
    fn explained(&self, error: &str, player: &Envoy) -> String {
        let proxy = player.failed("the proxy");
        let service = self.service.as_ref().map(|service| service.failed("the service"));
        format!("{error}\n{proxy}\n{}", service.unwrap_or_default())
    }
}

fn header() -> String {
    format!(
        "\n{:<32}{:>8}{:>8}{:>8}{:>10}{:>10}{:>9}{:>9}{:>9}  {}",
        "", "x bare", "IQR", "x cpu", "us", "bare us", "per s", "bare/s", "redone", "notes"
    )
}

fn tell(case: &Case, measured: &Measured, counted: &Counted, report: &mut Report) {
    let name = case.name;
    let ratio = measured.ratio();
    let cpu = (measured.ours(Slice::proxy_us), measured.bare(Slice::proxy_us));
    let rate = (measured.ours(Slice::rate), measured.bare(Slice::rate));
    report.number(&format!("{name}_ratio"), rounded(ratio.median, 3));
    report.number(&format!("{name}_iqr"), rounded(ratio.range(), 3));
    report.number(&format!("{name}_cpu_ratio"), rounded(measured.cpu_ratio().median, 3));
    report.number(&format!("{name}_cpu_us"), rounded(cpu.0, 1));
    report.number(&format!("{name}_bare_cpu_us"), rounded(cpu.1, 1));
    report.number(&format!("{name}_rps"), rounded(rate.0, 0));
    report.number(&format!("{name}_bare_rps"), rounded(rate.1, 0));
    report.number(&format!("{name}_left_out_pairs"), measured.left_out as f64);

    let mut notes = Vec::new();
    if case.name == "result_page" {
        let megabytes = (measured.ours(Slice::megabytes), measured.bare(Slice::megabytes));
        report.number(&format!("{name}_mb_s"), rounded(megabytes.0, 0));
        report.number(&format!("{name}_bare_mb_s"), rounded(megabytes.1, 0));
        notes.push(format!("{:.0} MB/s, bare {:.0}", megabytes.0, megabytes.1));
    }
    let requests = measured.requests as f64;
    if case.asks() {
        let service_us = measured.ours(Slice::service_us);
        report.number(&format!("{name}_service_cpu_us"), rounded(service_us, 1));
        report.number(
            &format!("{name}_asked_share"),
            rounded(counted.asked as f64 / requests, 4),
        );
        notes.push(format!("service {service_us:.0} us"));
    }
    if 0 < counted.kept {
        report.number(
            &format!("{name}_kept_share"),
            rounded(counted.kept as f64 / requests, 4),
        );
        notes.push(format!(
            "{:.1} % from the cache",
            100.0 * counted.kept as f64 / requests
        ));
    }
    let busy = measured.ours(Slice::busy).min(measured.bare(Slice::busy));
    if busy < BUSY_ENOUGH {
        notes.push(format!("proxy's core only {:.0} % busy", 100.0 * busy));
    }
    if measured.is_disturbed() {
        notes.push(format!(
            "proxy waited {:.0} % for its core",
            100.0 * measured.disturbed()
        ));
    }
    report.line(&format!(
        "{name:<32}{:>8.3}{:>8.3}{:>8.3}{:>10.1}{:>10.1}{:>9.0}{:>9.0}{:>9}  {}",
        ratio.median,
        ratio.range(),
        measured.cpu_ratio().median,
        cpu.0,
        cpu.1,
        rate.0,
        rate.1,
        measured.left_out,
        notes.join("; ")
    ));
}

/// Configuration and logs of one run. Removed on drop; what killed runs have left is removed by the next one.
struct RunFolder(PathBuf);

impl RunFolder {
    fn make() -> Result<Self, String> {
        const NAME: &str = "lakegate-bench-";
        let all = std::env::temp_dir();
        for left in std::fs::read_dir(&all).into_iter().flatten().flatten() {
            let name = left.file_name().to_string_lossy().into_owned();
            let owner = name.strip_prefix(NAME).and_then(|id| id.parse::<u32>().ok());
            if owner.is_some_and(|id| !Path::new(&format!("/proc/{id}")).exists()) {
                let _ = std::fs::remove_dir_all(left.path());
            }
        }
        let folder = all.join(format!("{NAME}{}", std::process::id()));
        std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        Ok(Self(folder))
    }
}

impl Drop for RunFolder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
