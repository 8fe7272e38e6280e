//! Envoy, as far as the filter can tell: the `proxy_*` functions that the SDK imports, and the callbacks driven in the
//! order in which Envoy drives them.
//!
//! The statuses are Envoy's: an edit of headers that have gone on is a bad argument, as is a look at an answer that has
//! none. On such a status the SDK panics, which ends the test program, as it would end the VM. One fake a thread, as
//! the SDK has one dispatcher a thread.
#![allow(
    unsafe_code,
    reason = "the host functions are exported by name and hand memory over, as the ABI has it"
)]

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, Ordering};

// The filter itself: nothing in it is called by its path, and without a mention it would not be linked.
use lakegate_filter as _;
use proxy_wasm::types::{Action, BufferType, LogLevel, MapType, MetricType, Status};

/// Names and values.
pub(crate) type Headers = Vec<(String, Vec<u8>)>;

/// A call that the filter made to a cluster.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) cluster: String,
    pub(crate) headers: Headers,
    pub(crate) body: Vec<u8>,
    pub(crate) timeout_ms: u32,
    pub(crate) token: u32,
}

impl Call {
    /// A header's value.
    pub(crate) fn header(&self, name: &str) -> String {
        value_of(&self.headers, name).unwrap_or_default()
    }
}

/// A reply that the filter made itself.
#[derive(Clone, Debug)]
pub(crate) struct Reply {
    pub(crate) status: u32,
    pub(crate) headers: Headers,
    pub(crate) body: Vec<u8>,
}

impl Reply {
    /// A header's value.
    pub(crate) fn header(&self, name: &str) -> String {
        value_of(&self.headers, name).unwrap_or_default()
    }
}

/// What the service does with a call.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Answer<'a> {
    /// A status and a body.
    Status(u32, &'a [u8]),
    /// The connection was reset: no headers at all.
    Reset,
}

/// One request as Envoy sees it.
#[derive(Default)]
struct Stream {
    headers: Headers,
    /// The headers can be read and edited: from the first callback until the request goes on.
    held: bool,
    /// The body can be read: in body and trailers callbacks.
    body_open: bool,
    body: Vec<u8>,
    /// The buffer is withheld, whatever was said of its size.
    body_lost: bool,
    resumed: u32,
    replies: Vec<Reply>,
    properties: BTreeMap<String, Vec<u8>>,
}

#[derive(Default)]
struct Host {
    now_ns: u64,
    configuration: Vec<u8>,
    tick_ms: u32,
    effective: u32,
    streams: BTreeMap<u32, Stream>,
    /// The answer whose callback runs: its headers, none if it has none, and its body.
    answer: Option<(Option<Headers>, Vec<u8>)>,
    calls: Vec<Call>,
    next_token: u32,
    refuse_calls: Option<Status>,
    shared: BTreeMap<String, (Vec<u8>, u32)>,
    next_number: u32,
    counters: BTreeMap<u32, u64>,
    logs: Vec<(LogLevel, String)>,
    host_calls: BTreeMap<&'static str, u32>,
}

thread_local! {
    static HOST: RefCell<Host> = RefCell::new(Host::default());
    /// Counter names by id - 1. Outlives the host, since the filter remembers ids as long as the VM.
    static COUNTERS: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

static NEXT_CONTEXT: AtomicU32 = AtomicU32::new(1);

fn host<T>(act: impl FnOnce(&mut Host) -> T) -> T {
    HOST.with_borrow_mut(act)
}

fn value_of(headers: &Headers, name: &str) -> Option<String> {
    let (_, value) = headers.iter().find(|(known, _)| known == name)?;
    Some(String::from_utf8_lossy(value).into_owned())
}

/// One worker's Envoy with the filter in it.
pub(crate) struct Envoy {
    root: u32,
}

impl Envoy {
    /// Starts the filter with that configuration, which it must accept.
    pub(crate) fn start(configuration: &str) -> Self {
        host(|host| {
            *host = Host {
                now_ns: 1_700_000_000_000_000_000,
                ..Host::default()
            }
        });
        _initialize();
        let (envoy, accepted) = Self::configure(configuration);
        assert!(accepted, "{:?}", envoy.logs());
        envoy
    }

    /// Another worker that shares data, and nothing else, with those that are there.
    pub(crate) fn another_worker(configuration: &str) -> Self {
        let (envoy, accepted) = Self::configure(configuration);
        assert!(accepted, "{:?}", envoy.logs());
        envoy
    }

    /// Starts the filter and says whether it accepts that configuration.
    pub(crate) fn try_start(configuration: &str) -> (Self, bool) {
        host(|host| *host = Host::default());
        _initialize();
        Self::configure(configuration)
    }

    fn configure(configuration: &str) -> (Self, bool) {
        let root = NEXT_CONTEXT.fetch_add(1, Ordering::Relaxed);
        host(|host| host.configuration = configuration.as_bytes().to_vec());
        proxy_on_context_create(root, 0);
        assert!(proxy_on_vm_start(root, 0));
        let accepted = proxy_on_configure(root, configuration.len());
        (Self { root }, accepted)
    }

    /// The time goes on.
    pub(crate) fn advance_ms(&self, ms: u64) {
        host(|host| host.now_ns += ms * 1_000_000);
    }

    /// The root's timer goes off.
    pub(crate) fn tick(&self) {
        host(|host| host.effective = self.root);
        proxy_on_tick(self.root);
    }

    /// A new request. Header names as Envoy hands them over, in lower case.
    pub(crate) fn request(&self, headers: &[(&str, &[u8])]) -> Request {
        let id = NEXT_CONTEXT.fetch_add(1, Ordering::Relaxed);
        let headers = headers
            .iter()
            .map(|(name, value)| ((*name).to_owned(), value.to_vec()))
            .collect();
        host(|host| {
            let stream = Stream {
                headers,
                held: true,
                ..Stream::default()
            };
            host.streams.insert(id, stream);
        });
        proxy_on_context_create(id, self.root);
        Request { id }
    }

    /// The calls that were made since this was last asked.
    pub(crate) fn take_calls(&self) -> Vec<Call> {
        host(|host| std::mem::take(&mut host.calls))
    }

    /// Has each call refused with that status, or taken again.
    pub(crate) fn refuse_calls(&self, status: Option<Status>) {
        host(|host| host.refuse_calls = status);
    }

    /// Answers a call.
    pub(crate) fn answer(&self, call: &Call, answer: Answer<'_>) {
        let (headers, body) = match answer {
            Answer::Reset => (None, Vec::new()),
            Answer::Status(status, body) => (
                Some(vec![
                    (":status".to_owned(), status.to_string().into_bytes()),
                    ("content-type".to_owned(), b"application/json".to_vec()),
                ]),
                body.to_vec(),
            ),
        };
        let (count, size) = (headers.as_ref().map_or(0, Vec::len), body.len());
        host(|host| host.answer = Some((headers, body)));
        proxy_on_http_call_response(self.root, call.token, count, size, 0);
        host(|host| host.answer = None);
    }

    /// A counter's value; 0 if it was never defined.
    pub(crate) fn counter(&self, name: &str) -> u64 {
        let id = COUNTERS.with_borrow(|names| names.iter().position(|known| known == name));
        let id = id.and_then(|position| u32::try_from(position + 1).ok());
        host(|host| id.and_then(|id| host.counters.get(&id).copied()).unwrap_or(0))
    }

    /// Every counter that is not 0, with its value.
    pub(crate) fn counters(&self) -> BTreeMap<String, u64> {
        let names = COUNTERS.with_borrow(Clone::clone);
        names
            .into_iter()
            .map(|name| (name.clone(), self.counter(&name)))
            .filter(|(_, value)| *value != 0)
            .collect()
    }

    /// How often each name was defined as a counter.
    pub(crate) fn definitions(&self) -> BTreeMap<String, usize> {
        let mut times = BTreeMap::new();
        COUNTERS.with_borrow(|names| {
            for name in names {
                *times.entry(name.clone()).or_default() += 1;
            }
        });
        times
    }

    /// What was logged.
    pub(crate) fn logs(&self) -> Vec<String> {
        host(|host| {
            host.logs
                .iter()
                .map(|(level, line)| format!("{level:?} {line}"))
                .collect()
        })
    }

    /// The keys of the shared data.
    pub(crate) fn shared_keys(&self) -> Vec<String> {
        host(|host| host.shared.keys().cloned().collect())
    }

    /// The tick period that was asked for, in milliseconds.
    pub(crate) fn tick_ms(&self) -> u32 {
        host(|host| host.tick_ms)
    }

    /// The host calls since this was last asked, by name.
    pub(crate) fn take_host_calls(&self) -> BTreeMap<&'static str, u32> {
        host(|host| std::mem::take(&mut host.host_calls))
    }
}

/// One request on its way through the filter.
pub(crate) struct Request {
    id: u32,
}

impl Request {
    /// The headers have come.
    pub(crate) fn headers(&self, end_of_stream: bool) -> Action {
        let count = self.with(|stream| stream.headers.len());
        self.callback(|id| proxy_on_request_headers(id, count, end_of_stream))
    }

    /// More of the body has come. Envoy tells the size so far, as long as the filter pauses.
    pub(crate) fn body(&self, chunk: &[u8], end_of_stream: bool) -> Action {
        let size = self.with(|stream| {
            stream.body.extend_from_slice(chunk);
            stream.body_open = true;
            stream.body.len()
        });
        self.callback(|id| proxy_on_request_body(id, size, end_of_stream))
    }

    /// Trailers have come, and with them the end.
    pub(crate) fn trailers(&self) -> Action {
        self.with(|stream| stream.body_open = true);
        self.callback(|id| proxy_on_request_trailers(id, 1))
    }

    /// From now on the host does not hand the body out.
    pub(crate) fn lose_body(&self) {
        self.with(|stream| stream.body_lost = true);
    }

    /// The client is gone.
    pub(crate) fn gone(&self) {
        host(|host| host.effective = self.id);
        assert!(proxy_on_done(self.id));
        proxy_on_log(self.id);
        proxy_on_delete(self.id);
        host(|host| host.streams.remove(&self.id));
    }

    /// Whether the request has gone on.
    pub(crate) fn went_on(&self) -> bool {
        self.with(|stream| !stream.held && stream.replies.is_empty())
    }

    /// How often it was resumed.
    pub(crate) fn resumed(&self) -> u32 {
        self.with(|stream| stream.resumed)
    }

    /// A request header as it stands.
    pub(crate) fn header(&self, name: &str) -> Option<String> {
        self.with(|stream| value_of(&stream.headers, name))
    }

    /// The names of the request headers as they stand.
    pub(crate) fn header_names(&self) -> Vec<String> {
        self.with(|stream| stream.headers.iter().map(|(name, _)| name.clone()).collect())
    }

    /// The filter's own reply; more than one is a fault.
    pub(crate) fn reply(&self) -> Option<Reply> {
        self.with(|stream| {
            assert!(stream.replies.len() <= 1);
            stream.replies.first().cloned()
        })
    }

    /// A value of the filter state.
    pub(crate) fn filter_state(&self, name: &str) -> Option<String> {
        self.with(|stream| {
            let value = stream.properties.get(name)?;
            Some(String::from_utf8_lossy(value).into_owned())
        })
    }

    /// Edits a header as the filter would, and gives the status.
    pub(crate) fn edit_header(&self) -> Status {
        host(|host| host.effective = self.id);
        replace_header(MapType::HttpRequestHeaders, "x-late", b"1")
    }

    fn callback(&self, call: impl FnOnce(u32) -> Action) -> Action {
        host(|host| host.effective = self.id);
        let action = call(self.id);
        self.with(|stream| {
            stream.body_open = false;
            if action == Action::Continue {
                stream.held = false;
            }
        });
        action
    }

    fn with<T>(&self, act: impl FnOnce(&mut Stream) -> T) -> T {
        host(|host| act(host.streams.get_mut(&self.id).unwrap()))
    }
}

// The callbacks that the SDK exports.
unsafe extern "C" {
    safe fn _initialize();
    safe fn proxy_on_context_create(context: u32, root: u32);
    safe fn proxy_on_vm_start(context: u32, size: usize) -> bool;
    safe fn proxy_on_configure(context: u32, size: usize) -> bool;
    safe fn proxy_on_tick(context: u32);
    safe fn proxy_on_request_headers(context: u32, count: usize, end_of_stream: bool) -> Action;
    safe fn proxy_on_request_body(context: u32, size: usize, end_of_stream: bool) -> Action;
    safe fn proxy_on_request_trailers(context: u32, count: usize) -> Action;
    safe fn proxy_on_http_call_response(context: u32, token: u32, headers: usize, size: usize, trailers: usize);
    safe fn proxy_on_done(context: u32) -> bool;
    safe fn proxy_on_log(context: u32);
    safe fn proxy_on_delete(context: u32);
}

// The functions that the filter uses.

#[unsafe(no_mangle)]
extern "C" fn proxy_log(level: LogLevel, text: *const u8, size: usize) -> Status {
    let text = string(text, size);
    // Not through the host: a panic's text may come while it is borrowed.
    if level == LogLevel::Critical {
        eprintln!("{text}");
        return Status::Ok;
    }
    host(|host| host.logs.push((level, text)));
    Status::Ok
}

#[unsafe(no_mangle)]
extern "C" fn proxy_get_current_time_nanoseconds(now: *mut u64) -> Status {
    write(now, host(|host| host.count("time").now_ns));
    Status::Ok
}

#[unsafe(no_mangle)]
extern "C" fn proxy_set_tick_period_milliseconds(period: u32) -> Status {
    host(|host| host.tick_ms = period);
    Status::Ok
}

#[unsafe(no_mangle)]
extern "C" fn proxy_get_buffer_bytes(
    buffer: BufferType,
    start: usize,
    most: usize,
    data: *mut *mut u8,
    size: *mut usize,
) -> Status {
    let bytes = host(|host| {
        let host = host.count("get_buffer");
        match buffer {
            BufferType::PluginConfiguration => Some(host.configuration.clone()),
            BufferType::HttpRequestBody => {
                let stream = host.streams.get(&host.effective)?;
                (stream.body_open && !stream.body_lost).then(|| stream.body.clone())
            }
            BufferType::HttpCallResponseBody => host.answer.as_ref().map(|(_, body)| body.clone()),
            _ => None,
        }
    });
    let Some(bytes) = bytes else {
        return Status::NotFound;
    };
    let part: Vec<u8> = bytes.into_iter().skip(start).take(most).collect();
    hand_over(part, data, size);
    Status::Ok
}

#[unsafe(no_mangle)]
extern "C" fn proxy_get_header_map_pairs(map: MapType, data: *mut *mut u8, size: *mut usize) -> Status {
    let headers = host(|host| host.count("get_map").map(map).map(|headers| headers.clone()));
    let Some(headers) = headers else {
        return Status::BadArgument;
    };
    let length = |n: usize| u32::try_from(n).unwrap().to_le_bytes();
    let mut bytes = length(headers.len()).to_vec();
    for (name, value) in &headers {
        bytes.extend(length(name.len()));
        bytes.extend(length(value.len()));
    }
    for (name, value) in &headers {
        bytes.extend(name.as_bytes());
        bytes.push(0);
        bytes.extend(value);
        bytes.push(0);
    }
    hand_over(bytes, data, size);
    Status::Ok
}

#[unsafe(no_mangle)]
extern "C" fn proxy_get_header_map_value(
    map: MapType,
    name: *const u8,
    name_size: usize,
    data: *mut *mut u8,
    size: *mut usize,
) -> Status {
    let name = string(name, name_size);
    let found = host(|host| {
        let headers = host.count("get_header").map(map)?;
        Some(
            headers
                .iter()
                .find(|(known, _)| *known == name)
                .map(|(_, value)| value.clone()),
        )
    });
    match found {
        None => Status::BadArgument,
        Some(None) => Status::NotFound,
        Some(Some(value)) => {
            hand_over(value, data, size);
            Status::Ok
        }
    }
}

#[unsafe(no_mangle)]
extern "C" fn proxy_replace_header_map_value(
    map: MapType,
    name: *const u8,
    name_size: usize,
    value: *const u8,
    value_size: usize,
) -> Status {
    replace_header(map, &string(name, name_size), &bytes(value, value_size))
}

fn replace_header(map: MapType, name: &str, value: &[u8]) -> Status {
    host(|host| match host.count("set_header").map(map) {
        None => Status::BadArgument,
        Some(headers) => {
            headers.retain(|(known, _)| known != name);
            headers.push((name.to_owned(), value.to_vec()));
            Status::Ok
        }
    })
}

#[unsafe(no_mangle)]
extern "C" fn proxy_remove_header_map_value(map: MapType, name: *const u8, name_size: usize) -> Status {
    let name = string(name, name_size);
    host(|host| match host.count("remove_header").map(map) {
        None => Status::BadArgument,
        Some(headers) => {
            headers.retain(|(known, _)| *known != name);
            Status::Ok
        }
    })
}

#[unsafe(no_mangle)]
extern "C" fn proxy_set_property(path: *const u8, path_size: usize, value: *const u8, value_size: usize) -> Status {
    let (path, value) = (string(path, path_size), bytes(value, value_size));
    assert!(!path.contains('\0'), "a path of several parts cannot be read back");
    host(|host| {
        let effective = host.count("set_property").effective;
        match host.streams.get_mut(&effective) {
            None => Status::NotFound,
            Some(stream) => {
                stream.properties.insert(path, value);
                Status::Ok
            }
        }
    })
}

#[unsafe(no_mangle)]
extern "C" fn proxy_get_shared_data(
    key: *const u8,
    key_size: usize,
    data: *mut *mut u8,
    size: *mut usize,
    number: *mut u32,
) -> Status {
    let key = string(key, key_size);
    match host(|host| host.count("get_shared").shared.get(&key).cloned()) {
        None => Status::NotFound,
        Some((value, cas)) => {
            hand_over(value, data, size);
            write(number, cas);
            Status::Ok
        }
    }
}

#[unsafe(no_mangle)]
extern "C" fn proxy_set_shared_data(
    key: *const u8,
    key_size: usize,
    value: *const u8,
    value_size: usize,
    number: u32,
) -> Status {
    let (key, value) = (string(key, key_size), bytes(value, value_size));
    host(|host| {
        let known = host.shared.get(&key).map(|(_, known)| *known);
        // A key that is not there takes any number.
        if number != 0 && known.is_some_and(|known| known != number) {
            return Status::CasMismatch;
        }
        host.next_number += 1;
        host.shared.insert(key, (value, host.next_number));
        Status::Ok
    })
}

#[unsafe(no_mangle)]
extern "C" fn proxy_continue_stream(_stream: u32) -> Status {
    host(|host| {
        let effective = host.count("resume").effective;
        match host.streams.get_mut(&effective) {
            None => Status::BadArgument,
            Some(stream) => {
                stream.resumed += 1;
                stream.held = false;
                Status::Ok
            }
        }
    })
}

#[unsafe(no_mangle)]
extern "C" fn proxy_send_local_response(
    status: u32,
    _details: *const u8,
    _details_size: usize,
    body: *const u8,
    body_size: usize,
    headers: *const u8,
    headers_size: usize,
    _grpc_status: i32,
) -> Status {
    let reply = Reply {
        status,
        headers: pairs(&bytes(headers, headers_size)),
        body: bytes(body, body_size),
    };
    host(|host| {
        let effective = host.effective;
        match host.streams.get_mut(&effective) {
            None => Status::BadArgument,
            Some(stream) => {
                stream.replies.push(reply);
                stream.held = false;
                Status::Ok
            }
        }
    })
}

#[unsafe(no_mangle)]
extern "C" fn proxy_http_call(
    cluster: *const u8,
    cluster_size: usize,
    headers: *const u8,
    headers_size: usize,
    body: *const u8,
    body_size: usize,
    _trailers: *const u8,
    _trailers_size: usize,
    timeout_ms: u32,
    token: *mut u32,
) -> Status {
    let headers = pairs(&bytes(headers, headers_size));
    let complete = [":method", ":path", ":authority"]
        .iter()
        .all(|name| value_of(&headers, name).is_some());
    if !complete {
        return Status::BadArgument;
    }
    let (cluster, body) = (string(cluster, cluster_size), bytes(body, body_size));
    host(|host| {
        if let Some(status) = host.refuse_calls {
            return status;
        }
        host.next_token += 1;
        write(token, host.next_token);
        host.calls.push(Call {
            cluster,
            headers,
            body,
            timeout_ms,
            token: host.next_token,
        });
        Status::Ok
    })
}

#[unsafe(no_mangle)]
extern "C" fn proxy_set_effective_context(context: u32) -> Status {
    host(|host| host.effective = context);
    Status::Ok
}

#[unsafe(no_mangle)]
extern "C" fn proxy_define_metric(_kind: MetricType, name: *const u8, name_size: usize, id: *mut u32) -> Status {
    let name = string(name, name_size);
    let count = COUNTERS.with_borrow_mut(|names| {
        names.push(name);
        names.len()
    });
    write(id, u32::try_from(count).unwrap());
    Status::Ok
}

#[unsafe(no_mangle)]
extern "C" fn proxy_increment_metric(id: u32, offset: i64) -> Status {
    if offset < 1 {
        return Status::BadArgument;
    }
    host(|host| *host.count("increment").counters.entry(id).or_default() += offset.unsigned_abs());
    Status::Ok
}

// The functions that the SDK refers to and the filter does not use.
macro_rules! unused {
    ($($name:ident),+ $(,)?) => {$(
        #[unsafe(no_mangle)]
        extern "C" fn $name() -> Status {
            panic!(concat!(stringify!($name), " is not for this filter"));
        }
    )+};
}

unused!(
    proxy_add_header_map_value,
    proxy_call_foreign_function,
    proxy_close_stream,
    proxy_dequeue_shared_queue,
    proxy_done,
    proxy_enqueue_shared_queue,
    proxy_get_log_level,
    proxy_get_metric,
    proxy_get_property,
    proxy_get_status,
    proxy_grpc_call,
    proxy_grpc_cancel,
    proxy_grpc_close,
    proxy_grpc_send,
    proxy_grpc_stream,
    proxy_record_metric,
    proxy_register_shared_queue,
    proxy_resolve_shared_queue,
    proxy_set_buffer_bytes,
    proxy_set_header_map_pairs,
);

impl Host {
    fn count(&mut self, name: &'static str) -> &mut Self {
        *self.host_calls.entry(name).or_default() += 1;
        self
    }

    /// The header map, if this is a phase that has it.
    fn map(&mut self, map: MapType) -> Option<&mut Headers> {
        match map {
            MapType::HttpRequestHeaders => {
                let stream = self.streams.get_mut(&self.effective)?;
                stream.held.then_some(&mut stream.headers)
            }
            MapType::HttpCallResponseHeaders => self.answer.as_mut()?.0.as_mut(),
            _ => None,
        }
    }
}

fn bytes(data: *const u8, size: usize) -> Vec<u8> {
    if data.is_null() || size == 0 {
        return Vec::new();
    }
    // SAFETY: the SDK passes a slice's pointer and length.
    unsafe { std::slice::from_raw_parts(data, size) }.to_vec()
}

fn string(data: *const u8, size: usize) -> String {
    String::from_utf8(bytes(data, size)).unwrap()
}

fn pairs(bytes: &[u8]) -> Headers {
    let number = |at: usize| {
        let bytes: [u8; 4] = bytes[at..at + 4].try_into().unwrap();
        usize::try_from(u32::from_le_bytes(bytes)).unwrap()
    };
    let count = number(0);
    let mut at = 4 + count * 8;
    let mut next = |size: usize| {
        let part = bytes[at..at + size].to_vec();
        at += size + 1;
        part
    };
    (0..count)
        .map(|pair| {
            let name = next(number(4 + pair * 8));
            let value = next(number(8 + pair * 8));
            (String::from_utf8(name).unwrap(), value)
        })
        .collect()
}

/// Gives memory away as Envoy does: the SDK makes a `Vec` of it. Nothing at all is a null pointer.
fn hand_over(bytes: Vec<u8>, data: *mut *mut u8, size: *mut usize) {
    write(size, bytes.len());
    if bytes.is_empty() {
        write(data, std::ptr::null_mut());
    } else {
        write(data, Box::into_raw(bytes.into_boxed_slice()).cast());
    }
}

fn write<T>(to: *mut T, value: T) {
    // SAFETY: the SDK passes pointers to its own variables.
    unsafe { to.write(value) }
}
