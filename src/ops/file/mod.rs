//! `torch.save` and `torch.load`: files that PyTorch reads and writes.

mod archive;
mod objects;
mod place;
mod read;
mod write;

use super::Form::Hosted;
use super::{Args, op};
use crate::value::{CallArgs, Machine, Value};
use anyhow::Result;
use std::rc::Rc;

rows![
    op(
        "save(Any obj, Any f, Any pickle_module=None, int pickle_protocol=2, bool _use_new_zipfile_serialization=True) -> ()",
        "Writes a tensor, or lists, tuples and dicts with tensors in them, to a file that PyTorch can read.",
        "",
        Hosted(save),
    )
    .marked()
    .sparse()
    .function_only()
    .no_out()
    .no_grad(),
    op(
        "load(Any f, Any map_location=None, Any pickle_module=None, *, Any weights_only=None, Any mmap=None, Any encoding=None) -> Any",
        "Reads what `save` wrote, here or in PyTorch.",
        "",
        Hosted(load),
    )
    .function_only()
    .no_out()
    .no_grad(),
    op(
        "serialization.add_safe_globals(Any safe_globals) -> ()",
        "Classes and functions that `load` takes from files from now on without being asked to trust them.",
        "",
        Hosted(|_, args| {
            let mut all = objects::harmless();
            all.extend(args.value(0).items().unwrap_or_default());
            objects::set_harmless(all);
            Ok(Value::None)
        }),
    )
    .function_only()
    .no_out()
    .no_grad(),
    op(
        "serialization.clear_safe_globals() -> ()",
        "Forgets what `add_safe_globals` was told.",
        "",
        Hosted(|_, _| {
            objects::set_harmless(vec![]);
            Ok(Value::None)
        }),
    )
    .function_only()
    .no_out()
    .no_grad(),
    op(
        "serialization.get_safe_globals() -> Any",
        "What `add_safe_globals` was told.",
        "torch.serialization.get_safe_globals()  # []",
        Hosted(|_, _| Ok(Value::list(objects::harmless()))),
    )
    .function_only()
    .no_out()
    .no_grad(),
];

/// The file's path; none for a file that is open.
fn path(value: &Value) -> Option<String> {
    match value {
        Value::Str(path) => Some(path.to_string()),
        Value::Object(object) => object.path(),
        _ => None,
    }
}

/// What is said of a file without what it should hold.
const CORRUPTED: &str = "This is an internal miniz error. If you are seeing this error, there is a high likelihood that your checkpoint file is corrupted. This can happen if the checkpoint was not saved properly, was transferred incorrectly, or the file was modified after saving.";

/// A method of an open file.
fn file_method(machine: &mut dyn Machine, file: &Value, name: &str) -> Result<Value> {
    match machine.attr(file, name) {
        Ok(found) => Ok(found),
        Err(_) if name == "write" => {
            fault!(AttributeError, "expected 'f' to be string, path, or a file-like object with a 'write' attribute")
        }
        Err(_) => fault!(
            AttributeError,
            "'{}' object has no attribute 'seek'. You can only torch.load from a file that is seekable. Please pre-load the data into a buffer like io.BytesIO and try to load from it instead.",
            file.type_name()
        ),
    }
}

fn failed(error: std::io::Error, path: &str) -> anyhow::Error {
    match error.kind() {
        std::io::ErrorKind::NotFound => err!(FileNotFoundError, "[Errno 2] No such file or directory: '{path}'"),
        std::io::ErrorKind::PermissionDenied => err!(PermissionError, "[Errno 13] Permission denied: '{path}'"),
        _ => err!(OSError, "{error}: '{path}'"),
    }
}

/// The file of a value. With `apart`, views do not share their storages in it.
pub(crate) fn packed(machine: &mut dyn Machine, value: &Value, apart: bool) -> Result<Vec<u8>> {
    let mut writer = write::Writer::new(apart, machine);
    writer.text.extend(b"\x80\x02");
    writer.put(value, 0)?;
    writer.text.push(b'.');
    let mut files = vec![("archive/data.pkl".to_string(), writer.text), ("archive/byteorder".to_string(), b"little".to_vec())];
    for (number, storage) in writer.storages.iter().enumerate() {
        files.push((format!("archive/data/{number}"), storage.read(<[u8]>::to_vec)?));
    }
    files.push(("archive/version".to_string(), b"3\n".to_vec()));
    archive::pack(&files)
}

fn save(machine: &mut dyn Machine, args: &Args) -> Result<Value> {
    let path = path(args.value(1));
    if let Some(parent) = path.as_ref().and_then(|path| std::path::Path::new(path).parent())
        && !parent.as_os_str().is_empty()
        && !parent.exists()
    {
        fault!(RuntimeError, "Parent directory {} does not exist.", parent.display());
    }
    let write = match path {
        Some(_) => Value::None,
        None => file_method(machine, args.value(1), "write")?,
    };
    let packed = match packed(machine, args.value(0), false) {
        Ok(packed) => packed,
        Err(error) => {
            // A new file is there, without what could not be written; one that was there stays.
            if let Some(path) = path.filter(|path| !std::path::Path::new(path).exists()) {
                drop(archive::pack(&[("archive/version".to_string(), b"3\n".to_vec())]).map(|empty| std::fs::write(path, empty)));
            }
            return Err(error);
        }
    };
    match path {
        Some(path) => std::fs::write(&path, packed).map_err(|error| failed(error, &path))?,
        None => drop(machine.call(&write, CallArgs::positional(vec![Value::Bytes(Rc::new(packed))]))?),
    }
    Ok(Value::None)
}

fn load(machine: &mut dyn Machine, args: &Args) -> Result<Value> {
    let truth = |name: &str, unless: bool| match args.named(name) {
        Value::None => unless,
        Value::Bool(is_set) => *is_set,
        Value::Int(number) => *number != 0,
        _ => true,
    };
    let (bytes, path) = match path(args.value(0)) {
        Some(path) => (std::fs::read(&path).map_err(|error| failed(error, &path))?, Some(path)),
        None => {
            let read = file_method(machine, args.value(0), "read")?;
            match machine.call(&read, CallArgs::default())? {
                Value::Bytes(bytes) => (bytes.to_vec(), None),
                other => fault!(AssertionError, "Expected bytes, got {}", other.type_name()),
            }
        }
    };
    if bytes.is_empty() {
        fault!(EOFError, "");
    }
    let is_mapped = truth("mmap", false);
    let Some(files) = archive::unpack(&bytes) else {
        let name = path.as_deref().unwrap_or("the file");
        if is_mapped {
            let name = path.map_or(String::new(), |path| format!("{path}, "));
            fault!(
                RuntimeError,
                "mmap can only be used with files saved with `torch.save({name}_use_new_zipfile_serialization=True), please torch.save your checkpoint with this option in order to use mmap."
            );
        }
        fault!(RuntimeError, "PytorchStreamReader failed reading zip archive: {name} is no archive that torch.save writes");
    };
    if is_mapped && path.is_none() {
        fault!(ValueError, "f must be a file path in order to use the mmap argument");
    }
    let file = |name: &str| files.iter().find(|(n, _)| n == name).map(|(_, data)| data.as_slice());
    let Some(text) = file("data.pkl") else {
        fault!(RuntimeError, "PytorchStreamReader failed locating file data.pkl: file not found. {CORRUPTED}")
    };
    let storage = |number: &str| file(&format!("data/{number}")).map(<[u8]>::to_vec);
    let weights_only = truth("weights_only", matches!(args.named("pickle_module"), Value::None));
    let how = read::Reading { machine: Some(machine), storage: &storage, to: args.named("map_location"), weights_only };
    Ok(read::read(text, how)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::exec;

    #[test]
    fn what_is_written_is_read_back() {
        let tensor = Value::Tensor(exec::from_vec(&[1.0f32, 2.0, 3.0], &[3]).unwrap());
        let value = Value::list(vec![
            tensor.clone(),
            Value::tuple(vec![tensor, Value::Int(-1 << 40)]),
            Value::from("text"),
            Value::Float(0.5),
        ]);
        let mut writer = write::Writer::default();
        writer.put(&value, 0).unwrap();
        writer.text.push(b'.');
        assert_eq!(writer.storages.len(), 1, "one storage is written once");
        let packed = archive::pack(&[("archive/data.pkl".into(), writer.text)]).unwrap();
        let files = archive::unpack(&packed).unwrap();
        let bytes = |_: &str| writer.storages[0].read(<[u8]>::to_vec).ok();
        let how = read::Reading { machine: None, storage: &bytes, to: &Value::None, weights_only: true };
        let Ok(back) = read::read(&files[0].1, how) else { panic!("it is read") };
        let items = back.items().unwrap();
        let (Value::Tensor(first), Some(pair)) = (&items[0], items[1].sequence()) else { panic!("a tensor and a tuple") };
        let Value::Tensor(second) = &pair[0] else { panic!("a tensor") };
        assert!(first.storage().unwrap().same(&second.storage().unwrap()));
        assert_eq!(exec::read_vec::<f32>(second).unwrap(), [1.0, 2.0, 3.0]);
        assert!(matches!(pair[1], Value::Int(n) if n == -1 << 40) && items.len() == 4);
    }

    #[test]
    fn damaged_files_are_refused() {
        assert!(archive::unpack(b"no archive").is_none());
        for text in [&b"\x80\x02"[..], b"cos\nsystem\n(X\x01\0\0\0ltR.", b"K", b"Q.", b"t.", b"R.", b"u.", b"h\x05."] {
            let how = read::Reading { machine: None, storage: &|_| None, to: &Value::None, weights_only: true };
            assert!(read::read(text, how).is_err());
        }
    }
}
