//! A service that misbehaves: slow, silent, talking nonsense. What the filter makes of it is the test's business.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// What it does with each request.
#[derive(Clone, Debug)]
pub enum Behaviour {
    /// Answers 200 with this body, after this time.
    Answer(String, Duration),
    /// Answers this status with an empty body.
    Status(u16),
    /// Closes the connection without an answer.
    HangUp,
}

/// The service. Its threads end with the process.
#[derive(Debug)]
pub struct FakeService {
    /// `http://127.0.0.1:PORT`
    pub url: String,
    facts_requests: Arc<AtomicUsize>,
}

impl FakeService {
    /// Starts it on a free port.
    #[must_use]
    pub fn start(behaviour: Behaviour) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let url = format!("http://{}", listener.local_addr().expect("bound"));
        let facts_requests = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&facts_requests);
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let behaviour = behaviour.clone();
                let counter = Arc::clone(&counter);
                std::thread::spawn(move || serve(stream, &behaviour, &counter));
            }
        });
        Self { url, facts_requests }
    }

    /// How many times facts were asked for.
    #[must_use]
    pub fn facts_requests(&self) -> usize {
        self.facts_requests.load(Ordering::SeqCst)
    }
}

fn serve(mut stream: TcpStream, behaviour: &Behaviour, facts_requests: &AtomicUsize) {
    let mut seen = Vec::new();
    let mut buffer = [0; 16 * 1024];
    while let Ok(read) = stream.read(&mut buffer) {
        if read == 0 {
            return;
        }
        seen.extend_from_slice(&buffer[..read]);
        let Some(length) = request_length(&seen) else {
            continue;
        };
        if seen.len() < length {
            continue;
        }
        if seen.starts_with(b"POST /v1/facts") {
            facts_requests.fetch_add(1, Ordering::SeqCst);
        }
        seen.drain(..length);
        let answer = match behaviour {
            Behaviour::Answer(body, after) => {
                std::thread::sleep(*after);
                format!(
                    "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
                    body.len()
                )
            }
            Behaviour::Status(status) => format!("HTTP/1.1 {status} Status\r\ncontent-length: 0\r\n\r\n"),
            Behaviour::HangUp => return,
        };
        if stream.write_all(answer.as_bytes()).is_err() {
            return;
        }
    }
}

/// Head and body of the first request in the buffer, if its head is complete.
fn request_length(seen: &[u8]) -> Option<usize> {
    let head = seen.windows(4).position(|window| window == b"\r\n\r\n")? + 4;
    let text = String::from_utf8_lossy(&seen[..head]).to_ascii_lowercase();
    let body = text
        .lines()
        .find_map(|line| line.strip_prefix("content-length:"))
        .and_then(|length| length.trim().parse::<usize>().ok())
        .unwrap_or(0);
    Some(head + body)
}
