//! What a wasm module imports. Envoy gives `env.proxy_*`; anything else means that a clock, a random source or a
//! file system crept in with a dependency, and the module would not start.

use crate::wasm::{Reader, body_of};

/// Says how many functions the module imports, or names the first that is not Envoy's.
pub(crate) fn check(module: &[u8]) -> Result<String, String> {
    let imports = imports(module).ok_or("the module is not well-formed wasm")?;
    for (from, name) in &imports {
        if from != "env" || !name.starts_with("proxy_") {
            return Err(format!(
                "the filter imports `{from}.{name}`; only `env.proxy_*` exists in Envoy"
            ));
        }
    }
    Ok(format!("{} imports, all env.proxy_*", imports.len()))
}

/// Module and name of each import.
fn imports(module: &[u8]) -> Option<Vec<(String, String)>> {
    const IMPORT_SECTION: u8 = 2;
    let Some(body) = body_of(module, IMPORT_SECTION)? else {
        return Some(Vec::new());
    };
    let mut body = Reader(body);
    let count = body.number()?;
    let mut imports = Vec::new();
    for _ in 0..count {
        let from = body.name()?;
        let name = body.name()?;
        match body.byte()? {
            0x00 => drop(body.number()?),
            0x01 => {
                body.byte()?;
                body.limits()?;
            }
            0x02 => body.limits()?,
            0x03 => drop(body.bytes(2)?),
            _ => return None,
        }
        imports.push((from, name));
    }
    Some(imports)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A module with one import section.
    fn module(from: &str, name: &str) -> Vec<u8> {
        let mut body = vec![1, from.len() as u8];
        body.extend(from.as_bytes());
        body.push(name.len() as u8);
        body.extend(name.as_bytes());
        body.extend([0x00, 0x05]);
        let mut module = b"\0asm\x01\0\0\0".to_vec();
        module.extend([1, 1, 0, 2, body.len() as u8]);
        module.extend(body);
        module
    }

    #[test]
    fn only_envoys_functions_may_be_imported() {
        assert_eq!(
            check(&module("env", "proxy_log")).as_deref(),
            Ok("1 imports, all env.proxy_*")
        );
        let error = check(&module("wasi_snapshot_preview1", "clock_time_get")).unwrap_err();
        assert!(error.contains("wasi_snapshot_preview1.clock_time_get"), "{error}");
        assert!(check(b"not wasm").is_err());
    }
}
