//! `torch.save` and `torch.load`: files that PyTorch reads and writes.

mod archive;
mod pickle;

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
    .function_only()
    .no_out()
    .no_grad(),
    op(
        "load(Any f, Any map_location=None, Any pickle_module=None, *, bool? weights_only=None, bool? mmap=None, Any encoding=None) -> Any",
        "Reads what `save` wrote, here or in PyTorch.",
        "",
        Hosted(load),
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
pub(crate) fn packed(value: &Value, apart: bool) -> Result<Vec<u8>> {
    let mut writer = pickle::Writer::new(apart);
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
    let packed = packed(args.value(0), false)?;
    let Some(path) = path(args.value(1)) else {
        let write = file_method(machine, args.value(1), "write")?;
        machine.call(&write, CallArgs::positional(vec![Value::Bytes(Rc::new(packed))]))?;
        return Ok(Value::None);
    };
    match std::fs::write(&path, packed) {
        Ok(()) => Ok(Value::None),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            let parent = std::path::Path::new(&path).parent().map_or(String::new(), |parent| parent.display().to_string());
            fault!(RuntimeError, "Parent directory {parent} does not exist.")
        }
        Err(error) => Err(failed(error, &path)),
    }
}

fn load(machine: &mut dyn Machine, args: &Args) -> Result<Value> {
    let (bytes, path) = match path(args.value(0)) {
        Some(path) => (std::fs::read(&path).map_err(|error| failed(error, &path))?, path),
        None => {
            let read = file_method(machine, args.value(0), "read")?;
            match machine.call(&read, CallArgs::default())? {
                Value::Bytes(bytes) => (bytes.to_vec(), "the file".to_string()),
                other => fault!(AssertionError, "Expected bytes, got {}", other.type_name()),
            }
        }
    };
    if bytes.is_empty() {
        fault!(EOFError, "");
    }
    let Some(files) = archive::unpack(&bytes) else {
        fault!(RuntimeError, "PytorchStreamReader failed reading zip archive: {path} is no archive that torch.save writes");
    };
    let file = |name: &str| files.iter().find(|(n, _)| n == name).map(|(_, data)| data.as_slice());
    let Some(text) = file("data.pkl") else {
        fault!(RuntimeError, "PytorchStreamReader failed locating file data.pkl: file not found")
    };
    let storage = |number: &str| file(&format!("data/{number}")).map(<[u8]>::to_vec);
    Ok(pickle::read(text, &storage, &mut || machine.eval_code("from collections import OrderedDict\nOrderedDict()", &[]))?)
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
        let mut writer = pickle::Writer::default();
        writer.put(&value, 0).unwrap();
        writer.text.push(b'.');
        assert_eq!(writer.storages.len(), 1, "one storage is written once");
        let packed = archive::pack(&[("archive/data.pkl".into(), writer.text)]).unwrap();
        let files = archive::unpack(&packed).unwrap();
        let bytes = |_: &str| writer.storages[0].read(<[u8]>::to_vec).ok();
        let mut plain = || Ok(Value::dict(Default::default()));
        let Ok(back) = pickle::read(&files[0].1, &bytes, &mut plain) else { panic!("it is read") };
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
            assert!(pickle::read(text, &|_| None, &mut || Ok(Value::dict(Default::default()))).is_err());
        }
    }
}
