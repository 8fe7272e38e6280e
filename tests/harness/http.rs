//! A plain HTTP/1.1 client: one request a connection, every byte of it under the test's control.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::Value;

/// A request.
#[derive(Clone, Debug)]
pub struct Request {
    method: String,
    address: String,
    path: String,
    headers: Vec<(String, Vec<u8>)>,
    body: Option<Vec<u8>>,
}

/// A response.
#[derive(Clone, Debug)]
pub struct Response {
    /// Status code.
    pub status: u16,
    /// Headers in order, names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body, unchunked.
    pub body: Vec<u8>,
}

impl Request {
    /// A request to `http://HOST:PORT/path`.
    #[must_use]
    pub fn new(method: &str, url: &str) -> Self {
        let rest = url
            .strip_prefix("http://")
            .unwrap_or_else(|| panic!("not an http URL: {url}"));
        let (address, path) = match rest.find('/') {
            Some(at) => rest.split_at(at),
            None => (rest, "/"),
        };
        Self {
            method: method.into(),
            address: address.into(),
            path: path.into(),
            headers: Vec::new(),
            body: None,
        }
    }

    /// Adds a header.
    #[must_use]
    pub fn header(mut self, name: &str, value: impl AsRef<[u8]>) -> Self {
        self.headers.push((name.into(), value.as_ref().to_vec()));
        self
    }

    /// Sets the body.
    #[must_use]
    pub fn body(mut self, body: impl AsRef<[u8]>) -> Self {
        self.body = Some(body.as_ref().to_vec());
        self
    }

    /// Sends it; panics if there is no answer.
    #[must_use]
    pub fn send(self) -> Response {
        let what = format!("{} http://{}{}", self.method, self.address, self.path);
        self.try_send().unwrap_or_else(|error| panic!("{what}: {error}"))
    }

    /// Sends it.
    ///
    /// # Errors
    /// If there is no connection or no well-formed answer.
    pub fn try_send(self) -> std::io::Result<Response> {
        let mut stream = TcpStream::connect(&self.address)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(Duration::from_secs(60)))?;
        let mut head = format!(
            "{} {} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\n",
            self.method, self.path, self.address
        )
        .into_bytes();
        for (name, value) in &self.headers {
            head.extend(name.as_bytes());
            head.extend(b": ");
            head.extend(value);
            head.extend(b"\r\n");
        }
        if let Some(body) = &self.body {
            head.extend(format!("content-length: {}\r\n", body.len()).as_bytes());
        }
        head.extend(b"\r\n");
        stream.write_all(&head)?;
        if let Some(body) = &self.body {
            // An answer may come before the body has gone out; reading it matters more than the rest of the body.
            let _ = stream.write_all(body);
        }
        let mut bytes = Vec::new();
        // A reset after a complete answer is the peer's way of not reading the body.
        if let Err(error) = stream.read_to_end(&mut bytes)
            && bytes.is_empty()
        {
            return Err(error);
        }
        Response::parse(&bytes).ok_or_else(|| {
            let text = String::from_utf8_lossy(&bytes).into_owned();
            std::io::Error::other(format!("malformed answer: {text:.300}"))
        })
    }
}

impl Response {
    fn parse(bytes: &[u8]) -> Option<Self> {
        let end = bytes.windows(4).position(|window| window == b"\r\n\r\n")?;
        let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
        let mut lines = head.split("\r\n");
        let status = lines.next()?.split(' ').nth(1)?.parse().ok()?;
        let headers: Vec<(String, String)> = lines
            .filter_map(|line| line.split_once(':'))
            .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
            .collect();
        let raw = &bytes[end + 4..];
        if status == 100 {
            return Self::parse(raw);
        }
        let chunked = headers
            .iter()
            .any(|(name, value)| name == "transfer-encoding" && value == "chunked");
        let body = if chunked { unchunk(raw)? } else { raw.to_vec() };
        Some(Self { status, headers, body })
    }

    /// The first header of that name.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(candidate, _)| candidate == name)
            .map(|(_, value)| value.as_str())
    }

    /// The body as text.
    #[must_use]
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The body as JSON; panics if it is none.
    #[must_use]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|error| panic!("status {}, not JSON ({error}): {}", self.status, self.text()))
    }
}

fn unchunk(mut raw: &[u8]) -> Option<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let end = raw.windows(2).position(|window| window == b"\r\n")?;
        let size = std::str::from_utf8(&raw[..end]).ok()?;
        let size = usize::from_str_radix(size.split(';').next()?.trim(), 16).ok()?;
        raw = raw.get(end + 2..)?;
        if size == 0 {
            return Some(body);
        }
        body.extend(raw.get(..size)?);
        raw = raw.get(size + 2..)?;
    }
}
