//! Bytes as tables keep them: zstd where that is smaller, else as they are. Packing is done by whoever has the bytes,
//! never by the writing thread.

use std::cell::RefCell;

use zstd::bulk::Compressor;

use crate::error::{Code, Error, Result};

/// Compression level; higher ones cost more time than they save room here.
const LEVEL: i32 = 3;

/// Bytes with the word for how they are written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packed {
    /// `plain` or `zstd`.
    pub coding: &'static str,
    /// The bytes under that coding.
    pub bytes: Vec<u8>,
}

thread_local! {
    /// Setting one up costs more than a small body.
    static COMPRESSOR: RefCell<Option<Compressor<'static>>> = RefCell::new(Compressor::new(LEVEL).ok());
}

/// Packs `bytes`, whichever way is smaller.
#[must_use]
pub fn pack(bytes: &[u8]) -> Packed {
    match zstd(bytes) {
        Some(small) if small.len() < bytes.len() => Packed { coding: "zstd", bytes: small },
        _ => Packed { coding: "plain", bytes: bytes.to_vec() },
    }
}

fn zstd(bytes: &[u8]) -> Option<Vec<u8>> {
    COMPRESSOR.with_borrow_mut(|compressor| compressor.as_mut()?.compress(bytes).ok())
}

/// The bytes as they were.
///
/// # Errors
/// `Storage` if they are damaged.
pub fn unpack(coding: &str, bytes: Vec<u8>) -> Result<Vec<u8>> {
    match coding {
        "zstd" => zstd::decode_all(bytes.as_slice()).map_err(|cause| {
            Error::caused(Code::Storage, "Stored bytes cannot be unpacked; the log is damaged.", cause)
        }),
        _ => Ok(bytes),
    }
}

/// Bytes of a column without a coding beside it, as they were: packed ones are told by zstd's first four bytes, which
/// no JSON text begins with.
///
/// # Errors
/// `Storage` if they are damaged.
pub fn unpack_json(bytes: Vec<u8>) -> Result<Vec<u8>> {
    unpack(if bytes.starts_with(&ZSTD_MAGIC) { "zstd" } else { "plain" }, bytes)
}

const ZSTD_MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_bytes_come_back() {
        for bytes in [b"".to_vec(), b"short".to_vec(), vec![7; 5_000]] {
            let packed = pack(&bytes);
            assert!(packed.bytes.len() <= bytes.len());
            assert_eq!(unpack(packed.coding, packed.bytes).unwrap(), bytes);
        }
        assert_eq!(pack(&[7; 5_000]).coding, "zstd");
        let json = format!("[{}]", "1,".repeat(500));
        for text in ["[]", &json] {
            assert_eq!(unpack_json(pack(text.as_bytes()).bytes).unwrap(), text.as_bytes());
        }
        assert!(unpack("zstd", vec![1, 2, 3]).is_err());
    }
}
