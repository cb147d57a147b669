//! The mean and spread of each row, or column, added up as PyTorch's norms do.

use crate::dtype::DType;
use crate::kernel::element::Element;
use crate::kernel::norms;
use crate::kernel::norms_back::{self, Back, Slopes};
use crate::kernel::rowwise::{self, Spread};
use crate::ops::Form::Native;
use crate::ops::{Args, exec, op};
use crate::settings;
use crate::tensor::Tensor;
use crate::value::Value;
use anyhow::Result;

rows![
    op(
        "nn.functional._rowwise(Tensor rows) -> (Tensor mean, Tensor var)",
        "The mean and the variance of each row of a matrix.",
        "torch.nn.functional._rowwise(torch.tensor([[1., 3.]])).var  # tensor([1.])",
        Native(rowwise),
    )
    .function_only()
    .no_out()
    .grads(&[(
        "rows",
        "n = rows.shape[-1]\n(grads[0].unsqueeze(-1) + 2 * grads[1].unsqueeze(-1) * (rows - rows.mean(-1, True))) / n"
    )]),
    op(
        "nn.functional._columnwise(Tensor rows) -> (Tensor mean, Tensor total)",
        "The mean of each column of a matrix, and the sum of the squares of the distances from it.",
        "torch.nn.functional._columnwise(torch.tensor([[1.], [3.]])).total  # tensor([2.])",
        Native(columnwise),
    )
    .function_only()
    .no_out()
    .grads(&[("rows", "grads[0] / rows.shape[0] + 2 * grads[1] * (rows - rows.mean(0, True))")]),
    op(
        "nn.functional._layer_norm_back(Tensor grad_output, Tensor input, Tensor? weight, int length, float eps) -> (Tensor input, Tensor weight, Tensor bias)",
        "The way back through `layer_norm`.",
        "torch.nn.functional._layer_norm_back(torch.ones(1, 2), torch.tensor([[1., 3.]]), None, 2, 1e-5).bias  # tensor([1., 1.])",
        Native(|args| {
            let (length, eps): (i64, f64) = (args.get(3)?, args.get(4)?);
            Ways::new(args)?.back(|ways, to| ways.layers(length as usize, eps, to), |ways, to| ways.layers(length as usize, eps, to))
        }),
    )
    .function_only()
    .no_out()
    .no_grad(),
    op(
        "nn.functional._group_norm_back(Tensor grad_output, Tensor input, Tensor? weight, int groups, float eps) -> (Tensor input, Tensor weight, Tensor bias)",
        "The way back through `group_norm`.",
        "torch.nn.functional._group_norm_back(torch.ones(1, 2), torch.tensor([[1., 3.]]), None, 1, 1e-5).bias  # tensor([1., 1.])",
        Native(|args| {
            let (groups, eps): (i64, f64) = (args.get(3)?, args.get(4)?);
            Ways::new(args)?.back(|ways, to| ways.groups(groups as usize, eps, to), |ways, to| ways.groups(groups as usize, eps, to))
        }),
    )
    .function_only()
    .no_out()
    .no_grad(),
    op(
        "nn.functional._batch_norm_back(Tensor grad_output, Tensor input, Tensor? weight, Tensor? mean, Tensor? var, float eps, Tensor? sums=None) -> (Tensor input, Tensor weight, Tensor bias)",
        "The way back through `batch_norm`, by the mean and variance that are given or else by those of the channels. The sums of the gradient are given where that does not lie in order.",
        "torch.nn.functional._batch_norm_back(torch.ones(2, 1), torch.tensor([[1.], [3.]]), None, None, None, 1e-5).bias  # tensor([2.])",
        Native(|args| {
            let given = Given { mean: args.get(3)?, var: args.get(4)?, sums: args.get(6)? };
            let eps: f64 = args.get(5)?;
            Ways::new(args)?.back(|ways, to| ways.channels(&given, eps, to), |ways, to| ways.channels(&given, eps, to))
        }),
    )
    .function_only()
    .no_out()
    .no_grad(),
];

/// What is known of channels: their means and variances, and the sums of their gradients.
struct Given {
    mean: Option<Tensor>,
    var: Option<Tensor>,
    sums: Option<Tensor>,
}

/// What goes back through a norm.
struct Ways {
    grad: Tensor,
    input: Tensor,
    weight: Option<Tensor>,
}

impl Ways {
    fn new(args: &Args) -> Result<Ways> {
        let (grad, input, weight): (Tensor, Tensor, Option<Tensor>) = args.take()?;
        Ok(Ways { grad, input, weight })
    }

    /// By the dtype of the input.
    fn back(
        &self,
        single: impl FnOnce(&Way<f32>, &mut [f32]) -> Result<Slopes<f32>>,
        double: impl FnOnce(&Way<f64>, &mut [f64]) -> Result<Slopes<f64>>,
    ) -> Result<Value> {
        Ok(match self.input.dtype() {
            DType::F64 => self.of(double)?,
            _ => self.of(single)?,
        }
        .into())
    }

    fn of<T: Element + Spread>(&self, f: impl FnOnce(&Way<T>, &mut [T]) -> Result<Slopes<T>>) -> Result<Vec<Tensor>> {
        let weight = self.weight.as_ref().map(exec::read_vec::<T>).transpose()?;
        let sizes = self.input.sizes();
        let (input, slopes) = exec::read::<T, _>(&self.grad, |grad| {
            exec::read::<T, _>(&self.input, |input| {
                let way = Way { back: Back { grad, input, weight: weight.as_deref() }, sizes: &sizes };
                let mut slopes = None;
                let made = exec::made::<T>(&sizes, |to| slopes = Some(f(&way, to)))?;
                Ok::<_, anyhow::Error>((made, slopes))
            })
        })???;
        let Some(slopes) = slopes.transpose()? else { return Ok(vec![]) };
        let count = [slopes.weight.len() as i64];
        Ok(vec![input, exec::from_vec(&slopes.weight, &count)?, exec::from_vec(&slopes.bias, &count)?])
    }
}

/// The same in elements.
struct Way<'a, T> {
    back: Back<'a, T>,
    sizes: &'a [i64],
}

impl<T: Element + Spread> Way<'_, T> {
    /// Channels, and elements of a line of one; and the parts in which rows are added up.
    fn shape(&self) -> [usize; 3] {
        let channels = self.sizes.get(1).map_or(1, |n| *n as usize);
        [channels, self.sizes.iter().skip(2).product::<i64>() as usize, settings::threads()]
    }

    fn layers(&self, length: usize, eps: f64, to: &mut [T]) -> Result<Slopes<T>> {
        Ok(norms_back::layers(self.back, length.max(1), eps, settings::threads(), to))
    }

    fn groups(&self, groups: usize, eps: f64, to: &mut [T]) -> Result<Slopes<T>> {
        let [channels, length, _] = self.shape();
        Ok(norms_back::groups(self.back, [groups, channels / groups.max(1), length], eps, to))
    }

    fn channels(&self, given: &Given, eps: f64, to: &mut [T]) -> Result<Slopes<T>> {
        let elements = |t: &Option<Tensor>| t.as_ref().map(exec::read_vec::<T>).transpose();
        let (mean, var, sums) = (elements(&given.mean)?, elements(&given.var)?, elements(&given.sums)?);
        let known = mean.as_deref().zip(var.as_deref());
        Ok(match sums {
            Some(sums) => norms_back::channels_with_gaps(self.back, known, &sums, self.shape(), eps, to),
            None => norms_back::channels(self.back, known, self.shape(), eps, to),
        })
    }
}

/// The rows and the columns of a matrix.
fn matrix(rows: &Tensor) -> Result<[i64; 2]> {
    match rows.sizes().as_slice() {
        [count, length] => Ok([*count, *length]),
        sizes => fault!(RuntimeError, "expected a matrix, but got {} dimensions", sizes.len()),
    }
}

fn columnwise(args: &Args) -> Result<Value> {
    let (rows,): (Tensor,) = args.take()?;
    Ok(match rows.dtype() {
        DType::F64 => of_columns::<f64>(&rows)?,
        _ => of_columns::<f32>(&rows)?,
    }
    .into())
}

fn of_columns<T: Element + Spread>(rows: &Tensor) -> Result<Vec<Tensor>> {
    let [_, count] = matrix(rows)?;
    let (means, totals) = exec::read::<T, _>(rows, |from| norms::channels(from, [count as usize, 1], settings::threads()))?;
    Ok(vec![exec::from_vec(&means, &[count])?, exec::from_vec(&totals, &[count])?])
}

fn rowwise(args: &Args) -> Result<Value> {
    let (rows,): (Tensor,) = args.take()?;
    Ok(match rows.dtype() {
        DType::F64 => of::<f64>(&rows)?,
        _ => of::<f32>(&rows)?,
    }
    .into())
}

fn of<T: Element + Spread>(rows: &Tensor) -> Result<Vec<Tensor>> {
    let [count, length] = matrix(rows)?;
    let length = length as usize;
    if length == 0 {
        let nan = exec::from_vec(&vec![T::nan(); count as usize], &[count])?;
        return Ok(vec![exec::zeros(&[count], rows.dtype(), rows.device())?, nan]);
    }
    let (means, variances) = exec::read::<T, _>(rows, |rows| rowwise::rowwise(rows, length))?;
    Ok(vec![exec::from_vec(&means, &[count])?, exec::from_vec(&variances, &[count])?])
}
