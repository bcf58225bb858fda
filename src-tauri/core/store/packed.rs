//! Bytes as tables keep them: zstd where that is smaller, else as they are. Bodies and headers are packed by the
//! receiver's handler, never by the writing thread.
//!
//! What is packed is short and much alike, so zstd is given a dictionary of it, which takes another quarter off a body and
//! half off headers. `tests/dictionary` makes one, from the build of messages and never from a text. Packed bytes name theirs by its number, or none where they
//! were packed before there was one.

use std::cell::RefCell;

use zstd::{
    bulk::{Compressor, Decompressor},
    zstd_safe,
};

use crate::error::{Code, Error, Result};

/// Compression level; higher ones cost more time than they save room here.
const LEVEL: i32 = 3;

/// The dictionary that is packed with. It stands in the numbered bytes of every log, so it never changes and never goes.
const DICTIONARY: &[u8] = include_bytes!("dictionaries/1");

/// Bytes with the word for how they are written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packed {
    /// `plain` or `zstd`.
    pub coding: &'static str,
    /// The bytes under that coding.
    pub bytes: Vec<u8>,
}

// Setting one up costs more than a small body.
thread_local! {
    static COMPRESSOR: RefCell<Option<Compressor<'static>>> =
        RefCell::new(Compressor::with_dictionary(LEVEL, DICTIONARY).ok());
    static DECOMPRESSOR: RefCell<Option<Decompressor<'static>>> =
        RefCell::new(Decompressor::with_dictionary(DICTIONARY).ok());
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
        "zstd" => unzstd(&bytes)
            .ok_or_else(|| Error::new(Code::Storage, "Stored bytes cannot be unpacked; the log is damaged.")),
        _ => Ok(bytes),
    }
}

fn unzstd(packed: &[u8]) -> Option<Vec<u8>> {
    let length = usize::try_from(zstd_safe::get_frame_content_size(packed).ok()??).ok()?;
    let mut bytes = Vec::new();
    // Damaged bytes may tell of any length.
    bytes.try_reserve_exact(length).ok()?;
    DECOMPRESSOR
        .with_borrow_mut(|decompressor| decompressor.as_mut()?.decompress_to_buffer(packed, &mut bytes).ok())?;
    Some(bytes)
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
        for bytes in [b"".to_vec(), b"short".to_vec(), vec![7; 5_000], vec![7; 3 << 20]] {
            let packed = pack(&bytes);
            assert!(packed.bytes.len() <= bytes.len());
            assert_eq!(unpack(packed.coding, packed.bytes).unwrap(), bytes);
        }
        assert_eq!(pack(&[7; 5_000]).coding, "zstd");
        let json = format!("[{}]", "1,".repeat(500));
        for text in ["[]", &json] {
            assert_eq!(unpack_json(pack(text.as_bytes()).bytes).unwrap(), text.as_bytes());
        }
    }

    #[test]
    fn damaged_bytes_are_told() {
        let packed = pack(MESSAGE).bytes;
        assert!(unpack("zstd", vec![1, 2, 3]).is_err());
        for end in 0..packed.len() {
            assert!(unpack("zstd", packed[..end].to_vec()).is_err(), "cut off at {end}");
        }
        // A frame of one segment that says it holds as much as can be said.
        let endless = [&ZSTD_MAGIC[..], &[0xe0], &[0xff; 8], &[1, 0, 0]].concat();
        assert!(unpack("zstd", endless).is_err());
    }

    #[test]
    fn messages_are_packed_with_the_dictionary_and_earlier_ones_without_are_read() {
        let without = zstd::bulk::compress(MESSAGE, LEVEL).unwrap();
        let with = pack(MESSAGE);
        assert_eq!(zstd_safe::get_dict_id_from_frame(&with.bytes).map(u32::from), Some(1));
        assert!(with.bytes.len() * 4 < without.len() * 3, "{} of {}", with.bytes.len(), without.len());
        for packed in [with.bytes, without] {
            assert_eq!(unpack("zstd", packed).unwrap(), MESSAGE);
        }
    }

    /// Rows of every log rest on these bytes: with others they could not be read any more.
    #[test]
    fn the_dictionary_stays_as_it_is() {
        use sha2::{Digest as _, Sha256};
        let sum: String = Sha256::digest(DICTIONARY).iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(sum, "4977c4ac2534e06d2108ec203e1f1810669ef6a413f1dce654460707b7527a90");
    }

    const MESSAGE: &[u8] = br#"{"id":"0c5d1b0e-7f3a-4e21-9c55-d2b1a86f0e42","event":"post.platform.published","timestamp":"2026-11-05T09:00:12.900Z","post":{"id":"69004a0c27b5da13b7be88f3","content":"Stall 12 opens at ten.","status":"publishing","platforms":[{"platform":"linkedin","status":"published","accountId":"82aee252b4c91fcfe49e9abb"}]}}"#;
}
