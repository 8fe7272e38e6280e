//! Just enough HTTP/1.1: requests as bytes, connections that stay open, answers that are read whole.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use crate::load::NUMBER;

/// No answer takes this long, however busy the machine.
const PATIENCE: Duration = Duration::from_secs(20);

/// A request.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    method: &'static str,
    path: String,
    headers: Vec<(&'static str, &'static str)>,
    body: Option<String>,
}

impl Request {
    /// A GET.
    pub(crate) fn get(path: &str) -> Self {
        Self {
            method: "GET",
            path: path.to_owned(),
            headers: Vec::new(),
            body: None,
        }
    }

    /// A POST.
    pub(crate) fn post(path: &str, body: String) -> Self {
        Self {
            method: "POST",
            body: Some(body),
            ..Self::get(path)
        }
    }

    /// The same with more headers.
    pub(crate) fn headers(mut self, headers: &[(&'static str, &'static str)]) -> Self {
        self.headers.extend_from_slice(headers);
        self
    }

    /// The same with a number in place of [`NUMBER`], if the body has one.
    pub(crate) fn numbered(&self, number: u64) -> Self {
        let digits = format!("{number:0width$}", width = NUMBER.len());
        Self {
            body: self.body.as_ref().map(|body| body.replace(NUMBER, &digits)),
            ..self.clone()
        }
    }

    /// What goes over the wire. The host is a fixed one: both proxies get the very same bytes.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let mut text = format!("{} {} HTTP/1.1\r\nhost: bench.example.com\r\n", self.method, self.path);
        for (name, value) in &self.headers {
            text.push_str(&format!("{name}: {value}\r\n"));
        }
        if let Some(body) = &self.body {
            text.push_str(&format!("content-length: {}\r\n", body.len()));
        }
        text.push_str("\r\n");
        text.push_str(self.body.as_deref().unwrap_or_default());
        text.into_bytes()
    }
}

/// An answer.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    /// Status code.
    pub(crate) status: u16,
    /// Headers, names in lower case.
    headers: Vec<(String, String)>,
    /// The body.
    pub(crate) body: Vec<u8>,
}

impl Answer {
    /// The first header of that name.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }

    fn parse(bytes: &[u8]) -> Option<Self> {
        let (head, body) = bytes.split_at_checked(head_length(bytes)?)?;
        let head = String::from_utf8_lossy(head);
        let mut lines = head.lines();
        let status = lines.next()?.split(' ').nth(1)?.parse().ok()?;
        let headers: Vec<(String, String)> = lines
            .filter_map(|line| line.split_once(':'))
            .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
            .collect();
        let answer = Self {
            status,
            headers,
            body: Vec::new(),
        };
        let body = match answer.header("transfer-encoding") {
            Some("chunked") => unchunk(body)?,
            _ => body.to_vec(),
        };
        Some(Self { body, ..answer })
    }
}

/// Asks once, over a connection of its own.
pub(crate) fn ask(address: &str, request: &Request) -> Result<Answer, String> {
    let request = request.clone().headers(&[("connection", "close")]);
    let failed = |error: io::Error| format!("{} {address}{}: {error}", request.method, request.path);
    let mut stream = connect(address).map_err(failed)?;
    stream.write_all(&request.to_bytes()).map_err(failed)?;
    let mut bytes = Vec::new();
    let mut buffer = vec![0; 64 * 1024];
    // An answer of unknown length ends with its connection.
    while !is_whole(&bytes) {
        let read = stream.read(&mut buffer).map_err(failed)?;
        if read == 0 {
            break;
        }
        bytes.extend_from_slice(buffer.get(..read).unwrap_or_default());
    }
    Answer::parse(&bytes).ok_or_else(|| failed(io::Error::other("malformed answer")))
}

/// True if the answer says how long it is, and all of that is there.
fn is_whole(bytes: &[u8]) -> bool {
    let whole = || {
        let head = head_length(bytes)?;
        Some(head + content_length(bytes.get(..head)?)? <= bytes.len())
    };
    whole() == Some(true)
}

fn connect(address: &str) -> io::Result<TcpStream> {
    let stream = TcpStream::connect(address)?;
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    Ok(stream)
}

/// A connection that is asked again and again.
#[derive(Debug)]
pub(crate) struct Connection {
    stream: TcpStream,
    buffer: Box<[u8]>,
}

impl Connection {
    /// Connects.
    pub(crate) fn open(address: &str) -> io::Result<Self> {
        Ok(Self {
            stream: connect(address)?,
            buffer: vec![0; 256 * 1024].into_boxed_slice(),
        })
    }

    /// Sends a request and reads its answer to the end; gives the length of its body. Any status but 200 is an error.
    pub(crate) fn exchange(&mut self, request: &[u8]) -> io::Result<u64> {
        self.stream.write_all(request)?;
        let mut filled = 0;
        let head = loop {
            let read = self.stream.read(self.buffer.get_mut(filled..).unwrap_or_default())?;
            if read == 0 {
                return Err(io::Error::other("the connection was closed before an answer"));
            }
            filled += read;
            if let Some(head) = self.buffer.get(..filled).and_then(head_length) {
                break head;
            }
        };
        let bytes = self.buffer.get(..head).unwrap_or_default();
        if !bytes.starts_with(b"HTTP/1.1 200 ") {
            let text = String::from_utf8_lossy(bytes);
            return Err(io::Error::other(format!(
                "answered {}",
                text.lines().next().unwrap_or_default()
            )));
        }
        let length = content_length(bytes).ok_or_else(|| io::Error::other("an answer without content-length"))?;
        let mut rest = length.saturating_sub(filled - head);
        while 0 < rest {
            let read = self.stream.read(&mut self.buffer)?;
            if read == 0 {
                return Err(io::Error::other("the connection was closed within an answer"));
            }
            rest = rest.saturating_sub(read);
        }
        Ok(u64::try_from(length).unwrap_or(u64::MAX))
    }
}

/// The length of the head with its blank line, if it is all there.
pub(crate) fn head_length(bytes: &[u8]) -> Option<usize> {
    let end = bytes.windows(4).position(|window| window == b"\r\n\r\n")?;
    Some(end + 4)
}

/// The length of the body that a head announces.
pub(crate) fn content_length(head: &[u8]) -> Option<usize> {
    const NAME: &[u8] = b"content-length:";
    head.split(|byte| *byte == b'\n').find_map(|line| {
        let (name, value) = line.split_at_checked(NAME.len())?;
        if !name.eq_ignore_ascii_case(NAME) {
            return None;
        }
        std::str::from_utf8(value).ok()?.trim().parse().ok()
    })
}

fn unchunk(mut raw: &[u8]) -> Option<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let end = raw.windows(2).position(|window| window == b"\r\n")?;
        let size = usize::from_str_radix(std::str::from_utf8(raw.get(..end)?).ok()?.trim(), 16).ok()?;
        raw = raw.get(end + 2..)?;
        if size == 0 {
            return Some(body);
        }
        body.extend_from_slice(raw.get(..size)?);
        raw = raw.get(size + 2..)?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_says_how_long_its_body_is() {
        let request = Request::post("/v1/statement", "SELECT 1".into()).headers(&[("x-trino-user", "ann")]);
        let text = String::from_utf8(request.to_bytes()).unwrap();
        assert!(text.starts_with("POST /v1/statement HTTP/1.1\r\nhost: "));
        assert!(text.ends_with("x-trino-user: ann\r\ncontent-length: 8\r\n\r\nSELECT 1"));
    }

    #[test]
    fn answers_are_read_with_either_framing() {
        let plain = Answer::parse(b"HTTP/1.1 200 OK\r\nX-A: b\r\ncontent-length: 2\r\n\r\nhi").unwrap();
        assert_eq!(
            (plain.status, plain.header("x-a"), plain.body.as_slice()),
            (200, Some("b"), &b"hi"[..])
        );
        let chunked = b"HTTP/1.1 404 No\r\ntransfer-encoding: chunked\r\n\r\n2\r\nhi\r\n1\r\n!\r\n0\r\n\r\n";
        let chunked = Answer::parse(chunked).unwrap();
        assert_eq!((chunked.status, chunked.body.as_slice()), (404, &b"hi!"[..]));
    }

    #[test]
    fn a_head_announces_its_body() {
        let head = b"HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\n";
        assert_eq!(head_length(head), Some(head.len()));
        assert_eq!(content_length(head), Some(12));
        assert_eq!(head_length(b"HTTP/1.1 200 OK\r\n"), None);
        assert_eq!(content_length(b"GET / HTTP/1.1\r\n\r\n"), None);
    }
}
