//! Zip archives without compression, as PyTorch writes them.

use anyhow::Result;
use std::io::{Cursor, Read, Write};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

/// PyTorch lays the bytes of a storage on multiples of this, so that a file can be mapped into memory.
const ALIGN: u16 = 64;

/// An archive with these files.
pub fn pack(files: &[(String, Vec<u8>)]) -> Result<Vec<u8>> {
    let mut archive = ZipWriter::new(Cursor::new(vec![]));
    for (name, data) in files {
        let is_large = data.len() >= u32::MAX as usize;
        let stored = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
        archive.start_file(name.as_str(), stored.with_alignment(ALIGN).large_file(is_large))?;
        archive.write_all(data)?;
    }
    Ok(archive.finish()?.into_inner())
}

/// The files of an archive, their names without the outermost folder. None when it is none, or compressed.
pub fn unpack(bytes: &[u8]) -> Option<Vec<(String, Vec<u8>)>> {
    let mut archive = ZipArchive::new(Cursor::new(bytes)).ok()?;
    (0..archive.len())
        .map(|k| {
            let mut file = archive.by_index(k).ok()?;
            let path = file.name().ok()?.to_string();
            let name = path.split_once('/').map_or(path.as_str(), |(_, rest)| rest).to_string();
            let mut data = vec![];
            file.read_to_end(&mut data).ok()?;
            Some((name, data))
        })
        .collect()
}
