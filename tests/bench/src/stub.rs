//! The engine behind both proxies: answers at once, always the same, so that what is measured is the proxy.
//!
//! One thread a connection; an answer is one write of bytes that were ready before.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;

use crate::http::{content_length, head_length};

/// The size of a large result page.
pub(crate) const PAGE_BYTES: usize = 1024 * 1024;

/// The path below which pages are large ones.
pub(crate) const LARGE_PAGES: &str = "/v1/statement/executing/big";

/// The engine. Its threads end with the process.
#[derive(Debug)]
pub(crate) struct Stub {
    /// `HOST:PORT`
    pub(crate) address: String,
}

impl Stub {
    /// Starts it on a free port.
    pub(crate) fn start() -> Result<Self, String> {
        let failed = |error: std::io::Error| format!("the stub engine: {error}");
        let listener = TcpListener::bind("127.0.0.1:0").map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?.to_string();
        let answers = Arc::new(Answers::new(&address));
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let answers = Arc::clone(&answers);
                std::thread::spawn(move || serve(stream, &answers));
            }
        });
        Ok(Self { address })
    }
}

/// Whole answers, heads included.
struct Answers {
    submitted: Vec<u8>,
    small_page: Vec<u8>,
    large_page: Vec<u8>,
    info: Vec<u8>,
    idle: Vec<u8>,
}

impl Answers {
    fn new(address: &str) -> Self {
        let submitted = format!(
            r#"{{"id":"20261130_101112_00042_bench","infoUri":"http://{address}/ui/query.html?20261130_101112_00042_bench","nextUri":"http://{address}/v1/statement/queued/20261130_101112_00042_bench/y0d7620a6941e78d3950798a1085383234258a566/1","stats":{{"state":"QUEUED","queued":true,"scheduled":false,"nodes":0,"totalSplits":0,"queuedSplits":0,"runningSplits":0,"completedSplits":0}},"warnings":[]}}"#
        );
        let small_page = format!(
            r#"{{"id":"20261130_101112_00042_bench","nextUri":"http://{address}/v1/statement/executing/20261130_101112_00042_bench/y0d7620a6941e78d3950798a1085383234258a566/2","columns":[{{"name":"n","type":"bigint"}}],"data":[[1],[2],[3]],"stats":{{"state":"RUNNING"}},"warnings":[]}}"#
        );
        let info = r#"{"nodeId":"bench","state":"ACTIVE","nodeVersion":{"version":"476"},"environment":"bench","coordinator":true,"coordinatorId":"bench","starting":false,"uptime":"1.00m"}"#;
        let idle = r#"{"id":["global"],"state":"CAN_RUN","schedulingPolicy":"FAIR","schedulingWeight":1,"softMemoryLimit":"1GB","softConcurrencyLimit":100,"hardConcurrencyLimit":100,"maxQueuedQueries":1000,"memoryUsage":"0B","cpuUsage":"0.00s","numQueuedQueries":0,"numRunningQueries":0,"numEligibleSubGroups":0,"subGroups":[]}"#;
        Self {
            submitted: with_head(submitted.as_bytes()),
            small_page: with_head(small_page.as_bytes()),
            large_page: with_head(&large_page()),
            info: with_head(info.as_bytes()),
            idle: with_head(idle.as_bytes()),
        }
    }

    /// The answer to a request that starts so. Paths may have a prefix in front: the bare proxy leaves it there.
    fn to(&self, request: &[u8]) -> &[u8] {
        let line = request.split(|byte| *byte == b'\r').next().unwrap_or_default();
        let has = |path: &[u8]| line.windows(path.len()).any(|window| window == path);
        if line.starts_with(b"POST") {
            &self.submitted
        } else if has(LARGE_PAGES.as_bytes()) {
            &self.large_page
        } else if has(b"/v1/statement/") {
            &self.small_page
        } else if has(b"/v1/resourceGroupState/") {
            &self.idle
        } else {
            &self.info
        }
    }
}

/// A page of rows, as JSON of exactly [`PAGE_BYTES`].
fn large_page() -> Vec<u8> {
    const END: &[u8] = br#""]]}"#;
    let mut page =
        br#"{"id":"20261130_101112_00042_bench","columns":[{"name":"s","type":"varchar"}],"data":[[""#.to_vec();
    while page.len() + END.len() < PAGE_BYTES {
        page.push(b'a' + u8::try_from(page.len() % 26).unwrap_or(0));
    }
    page.extend_from_slice(END);
    page
}

fn with_head(body: &[u8]) -> Vec<u8> {
    let mut answer = format!(
        "HTTP/1.1 200 OK\r\nDate: Mon, 30 Nov 2026 10:11:12 GMT\r\nContent-Type: application/json\r\n\
         X-Content-Type-Options: nosniff\r\nContent-Length: {}\r\n\r\n",
        body.len()
    )
    .into_bytes();
    answer.extend_from_slice(body);
    answer
}

fn serve(mut stream: TcpStream, answers: &Answers) {
    let _ = stream.set_nodelay(true);
    let mut buffer = vec![0; 64 * 1024];
    let mut filled = 0;
    while let Ok(read) = stream.read(buffer.get_mut(filled..).unwrap_or_default()) {
        if read == 0 {
            return;
        }
        filled += read;
        let request = buffer.get(..filled).unwrap_or_default();
        let Some(head) = head_length(request) else {
            continue;
        };
        let body = content_length(request.get(..head).unwrap_or_default()).unwrap_or(0);
        if filled < head + body {
            continue;
        }
        if stream.write_all(answers.to(request)).is_err() {
            return;
        }
        filled = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::{Connection, Request, ask};

    #[test]
    fn each_path_has_its_answer_and_connections_stay_open() {
        let stub = Stub::start().unwrap();
        let submitted = ask(&stub.address, &Request::post("/v1/statement", "SELECT 1".into())).unwrap();
        assert!(String::from_utf8(submitted.body).unwrap().contains("nextUri"));
        let mut connection = Connection::open(&stub.address).unwrap();
        let large = Request::get(&format!("/_at/x{LARGE_PAGES}/1/y/1")).to_bytes();
        let expected = u64::try_from(PAGE_BYTES).unwrap();
        assert_eq!(connection.exchange(&large).unwrap(), expected);
        assert_eq!(connection.exchange(&large).unwrap(), expected);
        let state = ask(&stub.address, &Request::get("/v1/resourceGroupState/global")).unwrap();
        assert!(String::from_utf8(state.body).unwrap().contains("numQueuedQueries"));
    }
}
