//! Elements of the last dimensions at places of each, in one pass over memory.

use super::piecewise::part;
use crate::device::DeviceId;
use crate::for_element;
use crate::kernel::element::Element;
use crate::kernel::places::take;
use crate::layout::Dims;
use crate::ops::{Args, Form, exec};
use crate::tensor::Tensor;
use crate::value::Value;
use anyhow::Result;

rows![part(
    "nn.functional._places(Tensor input, Tensor[] places) -> Tensor",
    "The elements at each combination of places in the last dimensions, of which `places` holds a vector of indices each. The result is contiguous.",
    "torch.nn.functional._places(torch.tensor([[1, 2], [3, 4]]), [torch.tensor([1, 0]), torch.tensor([0, 0, 1])])\n# tensor([[3, 3, 4],\n#         [1, 1, 2]])",
    Form::Native(places)
)
        .grads(&[("input", "places = torch.arange(input.numel()).reshape(input.shape)[(...,) + torch.meshgrid(*places, indexing='ij')]\ninput.new_zeros(input.numel()).index_add(0, places.reshape(-1), grad.reshape(-1)).reshape(input.shape)")])
    .complex()
    .piecewise()];

fn places(args: &Args) -> Result<Value> {
    let (x, places): (Tensor, Vec<Tensor>) = args.take()?;
    let sizes = x.sizes();
    let lists = places.iter().map(exec::read_vec::<i64>).collect::<Result<Vec<_>>>()?;
    let inner = sizes.len().saturating_sub(lists.len());
    let lie = lists.iter().zip(&sizes[inner..]).all(|(list, size)| list.iter().all(|at| (0..*size).contains(at)));
    let (Some((columns, outer)), true, true) = (lists.split_last(), lie, lists.len() <= sizes.len()) else {
        fault!(RuntimeError, "_places(): expected indices into the last dimensions of {:?}, but got {lists:?}", sizes.as_slice());
    };
    let shape: Dims = sizes[..inner].iter().copied().chain(lists.iter().map(|list| list.len() as i64)).collect();
    if x.device() == DeviceId::Meta || shape.contains(&0) {
        return Ok(exec::empty(&shape, x.dtype(), x.device())?.into());
    }
    // Where the lines of the result begin in a block of the input.
    let mut rows = vec![0];
    for (list, size) in outer.iter().zip(&sizes[inner..]) {
        rows = rows.iter().flat_map(|row| list.iter().map(move |at| row * *size as usize + *at as usize)).collect();
    }
    let wide = sizes[sizes.len() - 1] as usize;
    rows.iter_mut().for_each(|row| *row *= wide);
    let lines = sizes[inner..sizes.len() - 1].iter().product::<i64>() as usize;
    let columns: Vec<usize> = columns.iter().map(|at| *at as usize).collect();
    Ok(for_element!(x.dtype(), E => taken::<E>(&x, [lines, wide], &rows, &columns, &shape))?.into())
}

fn taken<E: Element>(x: &Tensor, block: [usize; 2], rows: &[usize], columns: &[usize], shape: &[i64]) -> Result<Tensor> {
    exec::read::<E, _>(x, |from| exec::made::<E>(shape, |to| take(from, block, rows, columns, to)))?
}
