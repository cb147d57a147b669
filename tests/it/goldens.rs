//! What PyTorch printed, recorded: `tests/goldens/printing.jsonl`.

use serde_json::Value as Json;
use std::any::Any;
use std::rc::Rc;
use tsr::device::DeviceId;
use tsr::diag::Source;
use tsr::dtype::{DType, Number};
use tsr::lang::transcript;
use tsr::layout::Layout;
use tsr::settings::PrintOptions;
use tsr::show;
use tsr::tensor::{Form, Grad, MadeBy, Recorded, Sparse, SparseKind, Storage, Tensor};
use tsr::value::StorageView;

/// The records of a file of JSON lines, without its header.
pub fn records(text: &str) -> Vec<Json> {
    text.lines().skip(1).map(|line| serde_json::from_str(line).expect("a record is one JSON object")).collect()
}

pub fn dtype_of(json: &Json) -> DType {
    json.as_str().and_then(DType::from_name).expect("a dtype")
}

pub fn integers(json: &Json) -> Vec<i64> {
    json.as_array().expect("a list").iter().map(|n| n.as_i64().expect("an integer")).collect()
}

/// Elements as bytes: the record has them in hexadecimal, big-endian, complex parts one after the other.
pub fn bytes_of(dtype: DType, hex: &str) -> Vec<u8> {
    let bytes: Vec<u8> =
        (0..hex.len()).step_by(2).map(|i| u8::from_str_radix(&hex[i..i + 2], 16).expect("hexadecimal")).collect();
    bytes.chunks(dtype.to_real().size()).flat_map(|part| part.iter().rev().copied()).collect()
}

fn storage_of(device: DeviceId, bytes: &[u8]) -> Storage {
    let storage = Storage::new(device, bytes.len(), false).expect("memory");
    storage.write(|to| to.copy_from_slice(bytes)).expect("host memory");
    storage
}

/// An operation that nothing but its name is known of.
#[derive(Debug)]
struct Named(String);

impl Recorded for Named {
    fn name(&self) -> &str {
        &self.0
    }

    fn into_any(self: Rc<Self>) -> Rc<dyn Any> {
        self
    }
}

fn tensor_of(json: &Json) -> Tensor {
    let (dtype, sizes) = (dtype_of(&json["dtype"]), integers(&json["shape"]));
    let tensor = match (json["layout"].as_str(), json["device"].as_str()) {
        (Some(layout), _) => sparse_of(dtype, sizes, layout, &json["parts"]),
        (None, Some("meta")) => {
            let layout = Layout::contiguous(&sizes);
            let bytes = layout.numel() as usize * dtype.size();
            Tensor::new(Storage::new(DeviceId::Meta, bytes, false).expect("meta"), dtype, layout).expect("fits")
        }
        _ => {
            let bytes = bytes_of(dtype, json["bits"].as_str().expect("bits"));
            Tensor::new(storage_of(DeviceId::Cpu, &bytes), dtype, Layout::contiguous(&sizes)).expect("fits")
        }
    };
    let grad_fn = json["grad_fn"].as_str().map(str::to_string);
    tensor.set_grad(Grad {
        requires_grad: grad_fn.is_some() || json["requires_grad"] == true,
        made_by: grad_fn.map(|name| MadeBy { node: Rc::new(Named(name)), output: 0 }),
        parameter: json["parameter"] == true,
        ..Grad::default()
    });
    tensor
}

fn sparse_of(dtype: DType, sizes: Vec<i64>, layout: &str, parts: &Json) -> Tensor {
    let (kind, names): (_, &[&str]) = match layout {
        "sparse_coo" => (SparseKind::Coo, &["indices"]),
        "sparse_csr" => (SparseKind::Csr, &["crow_indices", "col_indices"]),
        "sparse_csc" => (SparseKind::Csc, &["ccol_indices", "row_indices"]),
        other => panic!("no such layout: {other}"),
    };
    let indices = names.iter().map(|name| tensor_of(&parts[name])).collect();
    let sparse = Sparse { kind, sizes, indices, values: tensor_of(&parts["values"]), coalesced: false };
    Tensor::from_form(dtype, Form::Sparse(Rc::new(sparse)))
}

fn options_of(json: &Json) -> PrintOptions {
    let mut options = PrintOptions::default();
    match json["profile"].as_str() {
        Some("short") => (options.precision, options.edgeitems) = (2, 2),
        Some("full") => options.threshold = f64::INFINITY,
        _ => {}
    }
    let set = |name: &str, slot: &mut i64| *slot = json[name].as_i64().unwrap_or(*slot);
    set("precision", &mut options.precision);
    set("edgeitems", &mut options.edgeitems);
    set("linewidth", &mut options.linewidth);
    options.threshold = match &json["threshold"] {
        Json::String(_) => f64::INFINITY,
        other => other.as_f64().unwrap_or(options.threshold),
    };
    options.sci_mode = json["sci_mode"].as_bool();
    options
}

/// Every recorded tensor and storage, built from its bits, prints as it did.
#[test]
fn tensors_and_storages_print_as_recorded() {
    let mut counts = [0, 0];
    for record in records(include_str!("../goldens/printing.jsonl")) {
        let text = match record["kind"].as_str() {
            Some("tensor") => {
                counts[0] += 1;
                let tensor = tensor_of(&record["tensor"]);
                show::tensor::repr(&tensor, &options_of(&record["opts"]), dtype_of(&record["default_dtype"]))
            }
            Some("storage") => {
                counts[1] += 1;
                let tensor = tensor_of(&record["tensor"]);
                let storage = tensor.storage().expect("strided");
                show::storage::repr(&StorageView { storage, dtype: Some(tensor.dtype()) })
            }
            _ => continue,
        };
        assert_eq!(Some(text.expect("it prints").as_str()), record["repr"].as_str(), "{record}");
    }
    assert_eq!(counts, [2314, 60]);
}

/// Every recorded array prints as numpy printed it; those without dimensions also as scalars.
#[test]
fn arrays_print_as_recorded() {
    let records = records(include_str!("../goldens/numpy.jsonl"));
    assert_eq!(records.len(), 500);
    for record in records {
        let array = tensor_of(&record["tensor"]);
        assert_eq!(show::numpy::repr(&array).ok().as_deref(), record["repr"].as_str(), "{record}");
        assert_eq!(show::numpy::str(&array).ok().as_deref(), record["str"].as_str(), "{record}");
        if let Some(scalar) = record["scalar"].as_str() {
            let number = array.storage().and_then(|s| s.read(|bytes| Number::read(array.dtype(), bytes))).expect("one element");
            assert_eq!(show::numpy::scalar_repr(array.dtype(), number), scalar, "{record}");
        }
    }
}

/// What every recorded expression may name.
const NAMES: &str =
    "from torch import tensor, arange, zeros, ones, empty, eye, sparse_coo_tensor, nn\ninf = float('inf')\nnan = float('nan')\n";

/// `torch.set_printoptions(…)` for the options of a record.
fn set_options(json: &Json) -> String {
    let python = |value: &Json| match value {
        Json::String(text) if text == "inf" => "float('inf')".to_string(),
        Json::String(text) => format!("'{text}'"),
        Json::Bool(true) => "True".to_string(),
        Json::Bool(false) => "False".to_string(),
        Json::Null => "None".to_string(),
        other => other.to_string(),
    };
    let options: Vec<String> =
        json.as_object().into_iter().flatten().map(|(name, value)| format!("{name}={}", python(value))).collect();
    format!("torch.set_printoptions({})\n", options.join(", "))
}

/// Every recorded expression shows what it showed, or raises what it raised.
#[test]
fn expressions_show_as_recorded() {
    let mut count = 0;
    for record in records(include_str!("../goldens/printing.jsonl")) {
        let Some(code) = record["code"].as_str() else { continue };
        let program = format!("{NAMES}torch.set_printoptions(profile='default')\n{}{code}\n", set_options(&record["opts"]));
        let steps = transcript(&Source::new("record", program));
        let last = steps.last().expect("the expression");
        match record["error"].as_str() {
            Some(class) => assert_eq!(last.error.as_ref().map(|e| e.class.name()), Some(class), "{code}"),
            None => {
                assert!(last.error.is_none(), "{code}: {:?}", last.error.as_ref().map(|e| e.headline()));
                assert_eq!(Some(last.output.trim_end_matches('\n')), record["repr"].as_str(), "{code}");
            }
        }
        count += 1;
    }
    assert_eq!(count, 204);
}

/// Every operator between every pair of dtypes, as tensors, 0-d tensors and numbers: `tests/goldens/operators.tsr` prints in
/// tsr what it printed under CPython with PyTorch.
#[test]
fn operators_give_the_dtypes_and_values_of_pytorch() {
    let answer = tsr::lang::run_text("operators.tsr", include_str!("../goldens/operators.tsr"));
    let expected = include_str!("../goldens/operators.txt");
    let differences: Vec<String> = answer
        .output
        .lines()
        .zip(expected.lines())
        .filter(|(got, expected)| got != expected)
        .map(|(got, expected)| format!("{got}\n  PyTorch: {expected}"))
        .collect();
    assert!(differences.is_empty(), "{}", differences.join("\n"));
    assert_eq!(answer.output.lines().count(), expected.lines().count());
}
