//! A closed loop of keep-alive connections, and one slice of it.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::http::Connection;
use crate::machine::CpuTime;

/// Requests that are under way at any time.
pub(crate) const CONNECTIONS: usize = 16;

/// In a request's bytes these digits stand for a number that no two requests share.
pub(crate) const NUMBER: &str = "00000000000";

/// Open connections to one proxy, with what is sent over them.
#[derive(Debug)]
pub(crate) struct Load {
    clients: Vec<Client>,
    proxy: u32,
    service: Option<u32>,
}

#[derive(Debug)]
struct Client {
    connection: Connection,
    request: Vec<u8>,
    number_at: Option<usize>,
    numbers: Arc<AtomicU64>,
}

/// What one slice came to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slice {
    /// Requests answered.
    pub(crate) requests: u64,
    /// Bytes of their bodies.
    pub(crate) bytes: u64,
    /// How long it took.
    pub(crate) seconds: f64,
    /// The proxy's CPU time.
    pub(crate) proxy: CpuTime,
    /// The service's CPU time.
    pub(crate) service: CpuTime,
}

impl Load {
    /// Connects to a proxy.
    pub(crate) fn open(address: &str, request: &[u8], proxy: u32, service: Option<u32>) -> Result<Self, String> {
        let number_at = request
            .windows(NUMBER.len())
            .position(|window| window == NUMBER.as_bytes());
        // Each load starts elsewhere, so that none repeats another's numbers.
        static LOADS: AtomicU64 = AtomicU64::new(0);
        let start = LOADS.fetch_add(1, Ordering::Relaxed).wrapping_mul(100_000_000);
        let numbers = Arc::new(AtomicU64::new(start));
        let clients = (0..CONNECTIONS)
            .map(|_| {
                Ok(Client {
                    connection: Connection::open(address)?,
                    request: request.to_vec(),
                    number_at,
                    numbers: Arc::clone(&numbers),
                })
            })
            .collect::<io::Result<_>>()
            .map_err(|error| format!("{address}: {error}"))?;
        Ok(Self {
            clients,
            proxy,
            service,
        })
    }

    /// Keeps every connection busy for so long.
    pub(crate) fn slice(&mut self, length: Duration) -> Result<Slice, String> {
        let proxy = CpuTime::of(self.proxy)?;
        let service = self.service_time()?;
        let start = Instant::now();
        let end = start + length;
        let done = std::thread::scope(|scope| {
            let running: Vec<_> = self
                .clients
                .iter_mut()
                .map(|client| scope.spawn(move || client.run(end)))
                .collect();
            running
                .into_iter()
                .map(|client| {
                    client
                        .join()
                        .unwrap_or_else(|_| Err(io::Error::other("a client thread ended")))
                })
                .collect::<io::Result<Vec<(u64, u64)>>>()
        });
        let done = done.map_err(|error| format!("under load: {error}"))?;
        let seconds = start.elapsed().as_secs_f64();
        Ok(Slice {
            requests: done.iter().map(|(requests, _)| requests).sum(),
            bytes: done.iter().map(|(_, bytes)| bytes).sum(),
            seconds,
            proxy: CpuTime::of(self.proxy)?.since(proxy),
            service: self.service_time()?.since(service),
        })
    }

    fn service_time(&self) -> Result<CpuTime, String> {
        self.service.map_or(Ok(CpuTime::default()), CpuTime::of)
    }
}

impl Client {
    fn run(&mut self, end: Instant) -> io::Result<(u64, u64)> {
        let (mut requests, mut bytes) = (0, 0);
        while Instant::now() < end {
            self.count_up();
            bytes += self.connection.exchange(&self.request)?;
            requests += 1;
        }
        Ok((requests, bytes))
    }

    fn count_up(&mut self) {
        let Some(at) = self.number_at else {
            return;
        };
        let mut number = self.numbers.fetch_add(1, Ordering::Relaxed);
        let digits = self.request.iter_mut().skip(at).take(NUMBER.len());
        for digit in digits.rev() {
            *digit = b'0' + u8::try_from(number % 10).unwrap_or(0);
            number /= 10;
        }
    }
}

impl Slice {
    /// Requests a second.
    pub(crate) fn rate(&self) -> f64 {
        as_f64(self.requests) / self.seconds
    }

    /// Megabytes of bodies a second.
    pub(crate) fn megabytes(&self) -> f64 {
        as_f64(self.bytes) / self.seconds / 1e6
    }

    /// The proxy's CPU time a request, in microseconds.
    pub(crate) fn proxy_us(&self) -> f64 {
        as_f64(self.proxy.run_ns) / 1e3 / as_f64(self.requests)
    }

    /// The service's CPU time a request, in microseconds.
    pub(crate) fn service_us(&self) -> f64 {
        as_f64(self.service.run_ns) / 1e3 / as_f64(self.requests)
    }

    /// The share of the time in which the proxy ran.
    pub(crate) fn busy(&self) -> f64 {
        as_f64(self.proxy.run_ns) / 1e9 / self.seconds
    }

    /// The share of the time in which the proxy was kept from running by other processes.
    pub(crate) fn disturbed(&self) -> f64 {
        as_f64(self.proxy.wait_ns) / 1e9 / self.seconds
    }
}

/// Counts and nanoseconds of a run are far below 2^53.
fn as_f64(number: u64) -> f64 {
    number as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::Request;
    use crate::stub::Stub;

    #[test]
    fn a_slice_counts_what_was_answered() {
        let stub = Stub::start().unwrap();
        let request = Request::get("/v1/info").to_bytes();
        let mut load = Load::open(&stub.address, &request, std::process::id(), None).unwrap();
        let slice = load.slice(Duration::from_millis(50)).unwrap();
        assert!(0 < slice.requests && slice.requests < slice.bytes);
        assert!(0.05 <= slice.seconds);
    }

    #[test]
    fn no_two_requests_share_a_number() {
        let stub = Stub::start().unwrap();
        let request = Request::post("/v1/statement", format!("SELECT 'C-1{NUMBER}'")).to_bytes();
        let mut load = Load::open(&stub.address, &request, std::process::id(), None).unwrap();
        let client = load.clients.first_mut().unwrap();
        let mut sent = std::collections::BTreeSet::new();
        for _ in 0..100 {
            client.count_up();
            assert_eq!(client.request.len(), request.len());
            sent.insert(client.request.clone());
        }
        assert_eq!(sent.len(), 100);
    }
}
