//! Images of another size, by straight lines between elements.

use super::piecewise::part;
use crate::dtype::DType;
use crate::kernel::corners::{Side, Start, means};
use crate::kernel::element::Element;
use crate::layout::Dims;
use crate::ops::{Args, Form, exec};
use crate::tensor::Tensor;
use crate::value::Value;
use anyhow::Result;
use num_traits::Float;

rows![part(
    "nn.functional._corners(Tensor input, Tensor rows, Tensor columns, Tensor row_weights, Tensor column_weights, bool first=False) -> Tensor",
    "Images whose elements are means of four: of the two rows and the two columns that `rows` and `columns`, two lines of indices each, \
     name for them, weighed by the products of their weights. `first` says that the first product, not the second, is rounded.",
    "torch.nn.functional._corners(torch.tensor([[1., 3.]]), torch.tensor([[0], [0]]), torch.tensor([[0], [1]]), torch.tensor([[1.], [0.]]), torch.tensor([[0.5], [0.5]]))\n# tensor([[2.]])",
    Form::Native(corners)
)
    .grads(&[(
        "input",
        "part = lambda lines, weights, size: grad.new_zeros(lines.shape[1], size).scatter_add(1, lines.t(), weights.t().to(grad.dtype))
part(rows, row_weights, input.shape[-2]).t() @ grad @ part(columns, column_weights, input.shape[-1])"
    )])];

fn corners(args: &Args) -> Result<Value> {
    let x: Tensor = args.get(0)?;
    match x.dtype() {
        DType::F64 => of::<f64>(&x, args),
        _ => of::<f32>(&x, args),
    }
}

fn of<T: Element + Float>(x: &Tensor, args: &Args) -> Result<Value> {
    let sizes = x.sizes();
    let Some((images, &[high, wide])) = sizes.split_last_chunk::<2>() else {
        fault!(RuntimeError, "_corners(): expected an image of at least 2 dimensions, but got {:?}", sizes.as_slice())
    };
    let (rows, columns) = (side::<T>(&args.get(1)?, &args.get(3)?, high)?, side::<T>(&args.get(2)?, &args.get(4)?, wide)?);
    let start = if args.get(5)? { Start::First } else { Start::Second };
    let made = [&rows, &columns].map(|side| side.lines[0].len() as i64);
    let shape: Dims = images.iter().chain(&made).copied().collect();
    let out = exec::read::<T, _>(x, |from| {
        exec::made::<T>(&shape, |to| means(from, [high as usize, wide as usize], &rows, &columns, start, to))
    })??;
    Ok(out.into())
}

/// The lines and weights of one side; fails unless both are two lines of as many numbers, and each line lies in `0..size`.
fn side<T: Element>(lines: &Tensor, weights: &Tensor, size: i64) -> Result<Side<T>> {
    let places = exec::read_vec::<i64>(lines)?;
    if lines.sizes().len() != 2
        || lines.sizes()[0] != 2
        || lines.sizes() != weights.sizes()
        || places.iter().any(|at| !(0..size).contains(at))
    {
        fault!(
            RuntimeError,
            "_corners(): expected two lines of indices below {size} and as many weights, but got {:?} and {:?}",
            lines.sizes().as_slice(),
            weights.sizes().as_slice()
        );
    }
    let (places, weights) = (places.iter().map(|at| *at as usize).collect::<Vec<_>>(), exec::read_vec::<T>(weights)?);
    let count = places.len() / 2;
    Ok(Side {
        lines: [0, 1].map(|k| places[k * count..][..count].to_vec()),
        weights: [0, 1].map(|k| weights[k * count..][..count].to_vec()),
    })
}
