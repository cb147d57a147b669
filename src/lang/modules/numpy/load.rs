//! `numpy.loadtxt`: numbers from a text file.

use super::array;
use crate::dtype::DType;
use crate::lang::types::call::Call;
use crate::lang::types::convert;
use crate::layout::Dims;
use crate::ops::exec;
use crate::value::{Outcome, Value};

/// How a file is read.
struct Options {
    delimiter: Option<String>,
    comments: String,
    skiprows: usize,
    usecols: Option<Vec<i64>>,
    dtype: DType,
}

/// Reads rows of numbers: 2-d, or 1-d for a single row or column.
///
/// Fails with a `FileNotFoundError` when there is no such file, and with a `ValueError` that names the row when a cell is not a
/// number or a row is shorter than the first.
pub(super) fn loadtxt(c: &mut Call<'_>) -> Outcome {
    let Some(Value::Str(path)) = c.get(0).cloned() else {
        fault!(TypeError, "loadtxt(): the file must be a path, not {}", c.arg(0).type_name());
    };
    let options = options(c)?;
    let text = match std::fs::read_to_string(path.as_str()) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => fault!(FileNotFoundError, "{path} not found."),
        Err(error) => fault!(OSError, "{path}: {error}"),
    };
    let rows = rows(&text, &options)?;
    let columns = rows.first().map_or(0, Vec::len) as i64;
    let sizes: Dims = match (rows.len() as i64, columns) {
        (1, n) | (n, 1) => Dims::from_slice(&[n]),
        (rows, columns) => Dims::from_slice(&[rows, columns]),
    };
    let numbers = exec::from_vec(&rows.concat(), &sizes)?;
    array::wrap(Value::Tensor(exec::cast(&numbers, options.dtype)?))
}

fn options(c: &Call<'_>) -> Outcome<Options> {
    let mut options = Options { delimiter: None, comments: "#".to_string(), skiprows: 0, usecols: None, dtype: DType::F64 };
    if let Some(dtype) = c.get(1) {
        options.dtype = array::dtype_of(dtype)?.unwrap_or(DType::F64);
    }
    for (name, value) in c.keyword.iter() {
        match (&**name, value) {
            ("delimiter", Value::Str(text)) => options.delimiter = Some(text.to_string()),
            ("delimiter", Value::None) => {}
            ("comments", Value::Str(text)) => options.comments = text.to_string(),
            ("skiprows", value) => options.skiprows = convert::to_count(value)?,
            ("usecols", Value::Int(column)) => options.usecols = Some(vec![*column]),
            ("usecols", value) => {
                options.usecols = Some(value.items().unwrap_or_default().iter().map(convert::to_i64).collect::<Outcome<_>>()?);
            }
            ("dtype", value) => options.dtype = array::dtype_of(value)?.unwrap_or(DType::F64),
            (other, _) => fault!(TypeError, "loadtxt() got an unexpected keyword argument '{other}'"),
        }
    }
    Ok(options)
}

fn rows(text: &str, options: &Options) -> Outcome<Vec<Vec<f64>>> {
    let mut rows: Vec<Vec<f64>> = vec![];
    for line in text.lines().skip(options.skiprows) {
        let line = line.split(options.comments.as_str()).next().unwrap_or_default().trim();
        if line.is_empty() {
            continue;
        }
        let cells: Vec<&str> = match &options.delimiter {
            Some(delimiter) => line.split(delimiter.as_str()).map(str::trim).collect(),
            None => line.split_whitespace().collect(),
        };
        let row = row(&cells, options, rows.len())?;
        if let Some(first) = rows.first()
            && first.len() != row.len()
        {
            fault!(
                ValueError,
                "the number of columns changed from {} to {} at row {}; use `usecols` to select a subset and avoid this error",
                first.len(),
                row.len(),
                rows.len() + 1
            );
        }
        rows.push(row);
    }
    Ok(rows)
}

fn row(cells: &[&str], options: &Options, number: usize) -> Outcome<Vec<f64>> {
    let places: Vec<usize> = match &options.usecols {
        None => (0..cells.len()).collect(),
        Some(columns) => columns
            .iter()
            .map(|c| usize::try_from(if *c < 0 { c + cells.len() as i64 } else { *c }).unwrap_or(usize::MAX))
            .collect(),
    };
    places
        .into_iter()
        .map(|place| match cells.get(place).map(|cell| (cell, cell.parse::<f64>())) {
            Some((_, Ok(number))) => Ok(number),
            Some((cell, Err(_))) => {
                fault!(ValueError, "could not convert string '{cell}' to float64 at row {number}, column {}.", place + 1)
            }
            None => fault!(ValueError, "invalid column index at row {} with {} columns", number + 1, cells.len()),
        })
        .collect()
}
