//! What the filter's module exports: what Envoy has a use for, and nothing else.
//!
//! The SDK exports every callback that there is. Envoy calls each that it finds, for every response and every chunk of
//! it, and each call costs a switch into the VM and back. One that is not exported is not called.

use crate::wasm::{PREAMBLE, Reader, put_number, sections};

/// Memory and its allocation, the ABI's version, the life of a context, and the callbacks that the filter has.
const KEPT: [&str; 14] = [
    "memory",
    "_initialize",
    "malloc",
    "proxy_abi_version_0_2_1",
    "proxy_on_vm_start",
    "proxy_on_configure",
    "proxy_on_context_create",
    "proxy_on_done",
    "proxy_on_delete",
    "proxy_on_tick",
    "proxy_on_request_headers",
    "proxy_on_request_body",
    "proxy_on_request_trailers",
    "proxy_on_http_call_response",
];

/// The module without the other exports. An error if one of [`KEPT`] is missing.
pub(crate) fn trimmed(module: &[u8]) -> Result<Vec<u8>, String> {
    const EXPORT_SECTION: u8 = 7;
    let no_module = || "the module is not well-formed wasm".to_owned();
    let mut out = PREAMBLE.to_vec();
    for (number, body) in sections(module).ok_or_else(no_module)? {
        let body = if number == EXPORT_SECTION {
            kept_exports(body).ok_or_else(no_module)??
        } else {
            body.to_vec()
        };
        out.push(number);
        put_number(&mut out, body.len());
        out.extend(body);
    }
    Ok(out)
}

fn kept_exports(body: &[u8]) -> Option<Result<Vec<u8>, String>> {
    let mut reader = Reader(body);
    let mut missing = KEPT.to_vec();
    let mut entries = Vec::new();
    let count = reader.number()?;
    for _ in 0..count {
        let name = reader.name()?;
        let kind = reader.byte()?;
        let index = reader.number()?;
        if let Some(at) = missing.iter().position(|kept| *kept == name) {
            missing.swap_remove(at);
            put_number(&mut entries, name.len());
            entries.extend(name.bytes());
            entries.push(kind);
            put_number(&mut entries, index);
        }
    }
    if !missing.is_empty() {
        return Some(Err(format!("the filter does not export {}", missing.join(", "))));
    }
    let mut kept = Vec::new();
    put_number(&mut kept, KEPT.len());
    kept.extend(entries);
    Some(Ok(kept))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wasm::body_of;

    /// A module that exports these, each as the function of its place.
    fn module(names: &[&str]) -> Vec<u8> {
        let mut body = Vec::new();
        put_number(&mut body, names.len());
        for (index, name) in names.iter().enumerate() {
            put_number(&mut body, name.len());
            body.extend(name.bytes());
            body.push(0);
            put_number(&mut body, index + 300);
        }
        let mut module = PREAMBLE.to_vec();
        for (number, body) in [(1, vec![0]), (7, body), (10, vec![0])] {
            module.push(number);
            put_number(&mut module, body.len());
            module.extend(body);
        }
        module
    }

    #[test]
    fn only_what_envoy_needs_stays_and_the_rest_of_the_module_with_it() {
        let mut names = KEPT.to_vec();
        names.insert(3, "proxy_on_response_body");
        names.push("__heap_base");
        let trimmed = trimmed(&module(&names)).unwrap();
        let mut reader = Reader(body_of(&trimmed, 7).unwrap().unwrap());
        assert_eq!(reader.number(), Some(KEPT.len()));
        let mut left = Vec::new();
        while !reader.0.is_empty() {
            left.push((reader.name().unwrap(), reader.byte().unwrap(), reader.number().unwrap()));
        }
        let expected: Vec<_> = names
            .iter()
            .enumerate()
            .filter(|(_, name)| KEPT.contains(name))
            .map(|(index, name)| ((*name).to_owned(), 0, index + 300))
            .collect();
        assert_eq!(left, expected);
        let numbers: Vec<u8> = sections(&trimmed).unwrap().iter().map(|(number, _)| *number).collect();
        assert_eq!(numbers, [1, 7, 10]);
    }

    #[test]
    fn a_module_without_a_callback_or_no_module_is_refused() {
        let error = trimmed(&module(&KEPT[1..])).unwrap_err();
        assert_eq!(error, "the filter does not export memory");
        assert!(trimmed(b"not wasm").is_err());
        assert!(trimmed(&module(&KEPT)[..40]).is_err());
    }
}
