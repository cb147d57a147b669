//! Zip archives without compression, as PyTorch writes them.

use anyhow::Result;

const LOCAL: &[u8] = b"PK\x03\x04";
const CENTRAL: &[u8] = b"PK\x01\x02";
const END: &[u8] = b"PK\x05\x06";

fn checksum(data: &[u8]) -> u32 {
    !data
        .iter()
        .fold(!0u32, |crc, byte| (0..8).fold(crc ^ *byte as u32, |c, _| (c >> 1) ^ (0xedb8_8320 & (c & 1).wrapping_neg())))
}

/// An archive with these files.
pub fn pack(files: &[(String, Vec<u8>)]) -> Result<Vec<u8>> {
    let (mut out, mut directory) = (vec![], vec![]);
    for (name, data) in files {
        let (Ok(size), Ok(offset)) = (u32::try_from(data.len()), u32::try_from(out.len())) else {
            fault!(RuntimeError, "save: files of 4 GiB and more are not written");
        };
        let mut facts = vec![0u8; 8];
        facts[4..8].copy_from_slice(&[0, 0, 0x21, 0]);
        facts.extend(checksum(data).to_le_bytes());
        facts.extend(size.to_le_bytes());
        facts.extend(size.to_le_bytes());
        facts.extend((name.len() as u16).to_le_bytes());
        facts.extend([0, 0]);
        out.extend([LOCAL, &[20, 0], &facts[..], name.as_bytes(), data].concat());
        directory.extend([CENTRAL, &[20, 0, 20, 0], &facts[..], &[0; 10], &offset.to_le_bytes(), name.as_bytes()].concat());
    }
    let Ok(start) = u32::try_from(out.len()) else { fault!(RuntimeError, "save: files of 4 GiB and more are not written") };
    let count = (files.len() as u16).to_le_bytes();
    out.extend(&directory);
    let size = (directory.len() as u32).to_le_bytes();
    out.extend([END, &[0; 4], &count, &count, &size, &start.to_le_bytes(), &[0, 0]].concat());
    Ok(out)
}

/// The files of an archive, their names without the outermost folder. None when it is none, or compressed.
pub fn unpack(archive: &[u8]) -> Option<Vec<(String, &[u8])>> {
    let end = archive.windows(4).rposition(|w| w == END)?;
    let mut at = number(archive, end + 16, 4)?;
    let mut files = vec![];
    for _ in 0..number(archive, end + 10, 2)? {
        let method = number(archive, at + 10, 2)?;
        let size = number(archive, at + 24, 4)?;
        let [name, extra, comment] = [28, 30, 32].map(|place| number(archive, at + place, 2));
        let (name, extra, comment) = (name?, extra?, comment?);
        let local = number(archive, at + 42, 4)?;
        let path = std::str::from_utf8(archive.get(at + 46..at + 46 + name)?).ok()?;
        let start = local + 30 + number(archive, local + 26, 2)? + number(archive, local + 28, 2)?;
        if method != 0 {
            return None;
        }
        files.push((path.split_once('/')?.1.to_string(), archive.get(start..start.checked_add(size)?)?));
        at += 46 + name + extra + comment;
    }
    Some(files)
}

fn number(bytes: &[u8], at: usize, length: usize) -> Option<usize> {
    Some(bytes.get(at..at.checked_add(length)?)?.iter().rev().fold(0, |n, b| n << 8 | *b as usize))
}
