//! The binary format of WebAssembly modules, as far as imports and exports go.
//!
//! Source: WebAssembly core specification, chapter "Binary Format".

/// What every module begins with.
pub(crate) const PREAMBLE: &[u8] = b"\0asm\x01\0\0\0";

/// The sections: number and body. `None` if this is no module.
pub(crate) fn sections(module: &[u8]) -> Option<Vec<(u8, &[u8])>> {
    let mut reader = Reader(module.strip_prefix(PREAMBLE)?);
    let mut sections = Vec::new();
    while !reader.0.is_empty() {
        let number = reader.byte()?;
        let length = reader.number()?;
        sections.push((number, reader.bytes(length)?));
    }
    Some(sections)
}

/// The body of one section, if the module has it.
pub(crate) fn body_of(module: &[u8], wanted: u8) -> Option<Option<&[u8]>> {
    let found = sections(module)?.into_iter().find(|(number, _)| *number == wanted);
    Some(found.map(|(_, body)| body))
}

/// Appends an unsigned LEB128.
pub(crate) fn put_number(out: &mut Vec<u8>, mut value: usize) {
    while value >= 0x80 {
        out.push((value & 0x7f) as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Reads a module's bytes from the front; `None` where they are not well-formed.
pub(crate) struct Reader<'a>(pub(crate) &'a [u8]);

impl<'a> Reader<'a> {
    pub(crate) fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    pub(crate) fn bytes(&mut self, length: usize) -> Option<&'a [u8]> {
        let (bytes, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(bytes)
    }

    /// Unsigned LEB128.
    pub(crate) fn number(&mut self) -> Option<usize> {
        let mut value = 0usize;
        for shift in (0..35).step_by(7) {
            let byte = self.byte()?;
            value |= usize::from(byte & 0x7f).checked_shl(shift)?;
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    }

    pub(crate) fn name(&mut self) -> Option<String> {
        let length = self.number()?;
        String::from_utf8(self.bytes(length)?.to_vec()).ok()
    }

    pub(crate) fn limits(&mut self) -> Option<()> {
        let flags = self.byte()?;
        self.number()?;
        if flags & 1 == 1 {
            self.number()?;
        }
        Some(())
    }
}
