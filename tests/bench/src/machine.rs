//! Which core runs what, and how much CPU time a process has had.
//!
//! The proxies share one core and everything else is kept off it, so that what limits a closed loop is the proxy.

use std::fs;
use std::process::Command;

/// Who runs where, as lists that `taskset` understands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Cores {
    /// The proxies' core.
    pub(crate) proxy: String,
    /// Load generator, engine and service.
    pub(crate) others: String,
}

impl Cores {
    /// The first core that this process may use is the proxies'.
    pub(crate) fn pick() -> Result<Self, String> {
        let status = fs::read_to_string("/proc/self/status").map_err(|error| format!("/proc/self/status: {error}"))?;
        let allowed = status
            .lines()
            .find_map(|line| line.strip_prefix("Cpus_allowed_list:"))
            .ok_or("/proc/self/status names no cores")?;
        Self::of(&listed(allowed.trim())).ok_or_else(|| "two cores are needed, one of them for the proxy alone".into())
    }

    fn of(allowed: &[usize]) -> Option<Self> {
        let (proxy, others) = allowed.split_first()?;
        let others: Vec<String> = others.iter().map(usize::to_string).collect();
        (!others.is_empty()).then(|| Self {
            proxy: proxy.to_string(),
            others: others.join(","),
        })
    }

    /// Keeps this process, and each thread that it starts from now on, off the proxies' core.
    pub(crate) fn leave_proxy_core(&self) -> Result<(), String> {
        let id = std::process::id().to_string();
        let output = Command::new("taskset")
            .args(["--all-tasks", "--pid", "--cpu-list", &self.others, &id])
            .output()
            .map_err(|error| format!("taskset (util-linux): {error}"))?;
        if output.status.success() {
            Ok(())
        } else {
            Err(format!("taskset: {}", String::from_utf8_lossy(&output.stderr).trim()))
        }
    }
}

/// The numbers of a list like `0-2,5`.
fn listed(text: &str) -> Vec<usize> {
    text.split(',')
        .filter_map(|part| {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            Some(first.parse().ok()?..=last.parse().ok()?)
        })
        .flatten()
        .collect()
}

/// CPU time of all threads of a process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct CpuTime {
    /// Nanoseconds on a core.
    pub(crate) run_ns: u64,
    /// Nanoseconds in which a thread could have run and another process had the core.
    pub(crate) wait_ns: u64,
}

impl CpuTime {
    /// What that process has had so far.
    pub(crate) fn of(process: u32) -> Result<Self, String> {
        let folder = format!("/proc/{process}/task");
        let tasks = fs::read_dir(&folder).map_err(|error| format!("{folder}: {error}"))?;
        let mut sum = Self::default();
        for task in tasks.flatten() {
            // A thread may have ended since.
            let text = fs::read_to_string(task.path().join("schedstat")).unwrap_or_default();
            let mut numbers = text.split_whitespace().map(|number| number.parse().unwrap_or(0));
            sum.run_ns += numbers.next().unwrap_or(0);
            sum.wait_ns += numbers.next().unwrap_or(0);
        }
        if sum.run_ns == 0 {
            return Err(format!("{folder}: no CPU times (schedstat) there"));
        }
        Ok(sum)
    }

    /// What came since.
    pub(crate) fn since(self, earlier: Self) -> Self {
        Self {
            run_ns: self.run_ns.saturating_sub(earlier.run_ns),
            wait_ns: self.wait_ns.saturating_sub(earlier.wait_ns),
        }
    }
}

/// Processes that wanted to run in the last minute, as `/proc/loadavg` has it.
pub(crate) fn load_average() -> f64 {
    let text = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split(' ').next().and_then(|word| word.parse().ok()).unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_proxies_get_the_first_core_and_the_rest_is_for_others() {
        assert_eq!(listed("0-2,5"), [0, 1, 2, 5]);
        let cores = Cores::of(&listed("1-3")).unwrap();
        assert_eq!((cores.proxy.as_str(), cores.others.as_str()), ("1", "2,3"));
        assert_eq!(Cores::of(&listed("0")), None);
    }

    /// Of this process the time of ended test threads is missing, so a child's is read.
    #[test]
    fn cpu_time_grows_with_work() {
        let mut child = std::process::Command::new("sh")
            .args(["-c", "while :; do :; done"])
            .spawn()
            .unwrap();
        let before = CpuTime::of(child.id()).unwrap();
        let start = std::time::Instant::now();
        let mut grown = 0;
        while grown == 0 && start.elapsed().as_secs() < 20 {
            std::thread::sleep(std::time::Duration::from_millis(5));
            grown = CpuTime::of(child.id()).unwrap().since(before).run_ns;
        }
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(0 < grown);
    }
}
