//! What lies between a node and what made its arguments, as `next_functions` shows it, where PyTorch takes steps and tsr takes others.
//!
//! A tree is text: `Mm(View(0), T(1))` is a product of a view of the first argument and of the second one transposed. Names are those of
//! nodes without `Backward0`. `-` is what asks for no gradient, `0*` each item of a list, which `+Mm` takes together and others one by one,
//! and `2?` an argument that may be left out. `View~` is a view of what lies in order and else an alias, and `Complex` a copy of what is
//! real.

use super::graph::{Input, Node, Saved, Target};
use crate::tensor::Tensor;
use crate::value::Value;
use std::iter::Peekable;
use std::str::Chars;

/// A row, the node that it leaves, how many dimensions its first tensors have (`3` for more, `>` before those of the result, nothing for
/// any), and the trees of the node's arguments. The first line that fits holds, if all arguments in it are given.
#[rustfmt::skip] // one tree a line
const TREES: &[(&str, &str, &str, &str)] = &[
    ("batch_norm", "NativeBatchNormBackward0", "", "0, 1?, 2?"),
    ("chain_matmul", "ViewBackward0", "", "+Mm(0*)"),
    ("column_stack", "CatBackward0", "1", "View(0*)"),
    ("dstack", "CatBackward0", "2", "Unsqueeze(0*)"),
    ("einsum", "MulBackward0", "", "Permute(Unsqueeze(1*))"),
    ("einsum", "PermuteBackward0", "", "1*"),
    ("einsum", "SumBackward1", "", "Permute(1*)"),
    ("einsum", "ViewBackward0", "", "Permute(View(+Bmm(View~(Permute(Permute(Unsqueeze(1*))))))"),
    ("expand_as", "ExpandBackward0", "", "0"),
    ("fft.fft2", "FftC2CBackward0", "", "Complex(0)"),
    ("fft.fftn", "FftC2CBackward0", "", "Complex(0)"),
    ("fft.hfft", "FftC2RBackward0", "", "Conj(Complex(0))"),
    ("fft.ifft", "ConjBackward0", "", "FftR2C(0)"),
    ("fft.ifft2", "FftC2CBackward0", "", "Complex(0)"),
    ("fft.ifftn", "FftC2CBackward0", "", "Complex(0)"),
    ("fft.ihfft", "ConjBackward0", "", "FftR2C(0)"),
    ("fft.irfft", "FftC2RBackward0", "", "Complex(0)"),
    ("fft.irfft2", "FftC2RBackward0", "", "Complex(0)"),
    ("fft.irfftn", "FftC2RBackward0", "", "Complex(0)"),
    ("flatten", "UnsafeViewBackward0", "", "Clone(0)"),
    ("imag", "SelectBackward0", "", "ViewAsReal(0)"),
    ("inner", "ViewBackward0", "11", "Dot(Permute(0), Permute(1))"),
    ("inner", "ViewBackward0", "", "Mm(View~(Permute(0)), View~(Permute(1)))"),
    ("kron", "UnsafeViewBackward0", "", "Mul(UnsafeView(0), UnsafeView(1))"),
    ("linalg.cond", "SqueezeBackward1", "", "Div(Slice(LinalgSvd(0)), Slice(LinalgSvd(0)))"),
    ("linalg.multi_dot", "ViewBackward0", "", "+Mm(0*)"),
    ("linalg.tensorinv", "ReshapeAliasBackward0", "", "LinalgInvEx(View(0))"),
    ("linalg.tensorsolve", "ViewBackward0", "", "LinalgSolveEx(View(0), 1)"),
    ("linalg.vander", "CatBackward0", "", "-, Cumprod(Expand(Unsqueeze(0)))"),
    ("logdet", "WhereBackward0", "", "-, LinalgSlogdet(0)"),
    ("lu_solve", "LinalgLuSolveBackward0", "", "1, 0"),
    ("matmul", "CloneBackward0", "", "Transpose(UnsafeView(Mm(UnsafeView(Clone(Transpose(1))), T(0))))"),
    ("matmul", "SqueezeBackward4", "12", "Mm(Unsqueeze(0), 1)"),
    ("matmul", "TransposeBackward0", "", "UnsafeView(Mm(View~(Transpose(1)), T(0)))"),
    ("matmul", "UnsafeViewBackward0", "31", "Mv(View(0), 1)"),
    ("matmul", "UnsafeViewBackward0", "32", "Mm(View(0), 1)"),
    ("matmul", "UnsafeViewBackward0", "33", "Bmm(View~(Expand(0)), View~(Expand(1)))"),
    ("nanmean", "DivBackward0", "", "Nansum(0), -"),
    ("nn.functional.adaptive_avg_pool1d", "SqueezeBackward1", "", "AdaptiveAvgPool2D(Unsqueeze(0))"),
    ("nn.functional.affine_grid", "AffineGridGeneratorBackward0", "", "0"),
    ("nn.functional.avg_pool1d", "SqueezeBackward1", "", "AvgPool2D(Unsqueeze(0))"),
    ("nn.functional.batch_norm", "NativeBatchNormBackward0", "", "0, 3?, 4?"),
    ("nn.functional.bilinear", "AddBackward0", "", "View(Trilinear(View(0), 2, View(1))), 3"),
    ("nn.functional.bilinear", "ViewBackward0", "", "Trilinear(View(0), 2, View(1))"),
    ("nn.functional.conv1d", "ConvolutionBackward0", "", "0, 1, 2?"),
    ("nn.functional.conv1d", "SqueezeBackward1", "", "Convolution(Unsqueeze(0), 1, 2?)"),
    ("nn.functional.conv2d", "ConvolutionBackward0", "", "0, 1, 2?"),
    ("nn.functional.conv2d", "SqueezeBackward1", "", "Convolution(Unsqueeze(0), 1, 2?)"),
    ("nn.functional.conv3d", "ConvolutionBackward0", "", "0, 1, 2?"),
    ("nn.functional.conv3d", "SqueezeBackward1", "", "Convolution(Unsqueeze(0), 1, 2?)"),
    ("nn.functional.conv_transpose1d", "ConvolutionBackward0", "", "0, 1, 2?"),
    ("nn.functional.conv_transpose1d", "SqueezeBackward1", "", "Convolution(Unsqueeze(0), 1, 2?)"),
    ("nn.functional.conv_transpose2d", "ConvolutionBackward0", "", "0, 1, 2?"),
    ("nn.functional.conv_transpose2d", "SqueezeBackward1", "", "Convolution(Unsqueeze(0), 1, 2?)"),
    ("nn.functional.conv_transpose3d", "ConvolutionBackward0", "", "0, 1, 2?"),
    ("nn.functional.conv_transpose3d", "SqueezeBackward1", "", "Convolution(Unsqueeze(0), 1, 2?)"),
    ("nn.functional.cross_entropy", "AddBackward0", "", "MulBackward1(NllLoss(LogSoftmax(0))), MulBackward1(Div(Sum(MaskedFill(Neg(SumBackward1(LogSoftmax(0))))), -))"),
    ("nn.functional.cross_entropy", "DivBackward1", "", "Neg(Sum(Mul(LogSoftmax(0), 1)))"),
    ("nn.functional.cross_entropy", "NegBackward0", ">0", "Sum(Mul(LogSoftmax(0), 1))"),
    ("nn.functional.cross_entropy", "NegBackward0", "", "SumBackward1(Mul(LogSoftmax(0), 1))"),
    ("nn.functional.cross_entropy", "NllLoss2DBackward0", "3>0", "LogSoftmax(0)"),
    ("nn.functional.cross_entropy", "NllLoss2DBackward0", "", "LogSoftmax(0)"),
    ("nn.functional.cross_entropy", "NllLossBackward0", "", "LogSoftmax(0)"),
    ("nn.functional.embedding_bag", "EmbeddingBagBackward0", "", "1, -"),
    ("nn.functional.fold", "Col2ImBackward0", "", "0"),
    ("nn.functional.grid_sample", "GridSampler2DBackward0", "", "0, 1"),
    ("nn.functional.grid_sample", "GridSampler3DBackward0", "", "0, 1"),
    ("nn.functional.group_norm", "NativeGroupNormBackward0", "", "0, 2?, 3?"),
    ("nn.functional.instance_norm", "ViewBackward0", "", "NativeBatchNorm(View(0), Repeat(3?), Repeat(4?))"),
    ("nn.functional.interpolate", "SqueezeBackward1", "", "AdaptiveAvgPool2D(Unsqueeze(0))"),
    ("nn.functional.interpolate", "", "", "0"),
    ("nn.functional.linear", "AddBackward0", "", "UnsafeView(Mm(UnsafeView(Clone(0)), T(1))), 2"),
    ("nn.functional.linear", "AddmmBackward0", "", "2, 0, T(1)"),
    ("nn.functional.linear", "MmBackward0", "", "0, T(1)"),
    ("nn.functional.linear", "SqueezeBackward4", "", "Mm(Unsqueeze(0), T(1))"),
    ("nn.functional.linear", "UnsafeViewBackward0", "", "Addmm(2, View(0), T(1))"),
    ("nn.functional.linear", "UnsafeViewBackward0", "", "Mm(View(0), T(1))"),
    ("nn.functional.max_pool1d", "SqueezeBackward1", "", "MaxPool2DWithIndices(Unsqueeze(0))"),
    ("nn.functional.max_pool2d", "MaxPool2DWithIndicesBackward0", "", "0"),
    ("nn.functional.max_pool3d", "MaxPool3DWithIndicesBackward0", "", "0"),
    ("nn.functional.max_unpool1d", "SqueezeBackward1", "", "MaxUnpool2D(Unsqueeze(0))"),
    ("nn.functional.mse_loss", "MseLossBackward0", "", "0, 1"),
    ("nn.functional.pad", "ConstantPadNdBackward0", "", "0"),
    ("nn.functional.pad", "ReflectionPad1DBackward0", "", "0"),
    ("nn.functional.pad", "ReflectionPad2DBackward0", "", "0"),
    ("nn.functional.pad", "ReflectionPad3DBackward0", "", "0"),
    ("nn.functional.pad", "ReplicationPad1DBackward0", "", "0"),
    ("nn.functional.pad", "ReplicationPad2DBackward0", "", "0"),
    ("nn.functional.pad", "ReplicationPad3DBackward0", "", "0"),
    ("nn.functional.prelu", "PreluKernelBackward0", "", "0, View(1)"),
    ("nn.functional.scaled_dot_product_attention", "ScaledDotProductFlashAttentionForCpuBackward0", "", "0, 1, 2"),
    ("nn.functional.scaled_dot_product_attention", "SqueezeBackward1", "", "ScaledDotProductFlashAttentionForCpu(Unsqueeze(0), Unsqueeze(1), Unsqueeze(2))"),
    ("nn.functional.soft_margin_loss", "SoftMarginLossBackward0", "", "0"),
    ("nn.functional.unfold", "Im2ColBackward0", "", "0"),
    ("outer", "MulBackward0", "", "View(0), 1"),
    ("prelu", "PreluKernelBackward0", "", "0, View(1)"),
    ("quantile", "SqueezeBackward4", "", "LerpBackward1(Gather(View(View(0))), Gather(View(View(0))), -)"),
    ("real", "SelectBackward0", "", "ViewAsReal(0)"),
    ("repeat_interleave", "ViewBackward0", "", "Clone(Expand(Unsqueeze(0)))"),
    ("reshape", "UnsafeViewBackward0", "", "Clone(0)"),
    ("reshape_as", "", "", "0"),
    ("take_along_dim", "GatherBackward0", "2>1", "View(0)"),
    ("take_along_dim", "GatherBackward0", "3>1", "View(0)"),
    ("take_along_dim", "GatherBackward0", "", "Expand(0)"),
    ("tensordot", "ViewBackward0", "11>0", "Dot(Permute(0), Permute(1))"),
    ("tensordot", "ViewBackward0", ">0", "Dot(View(Permute(0)), View(Permute(1)))"),
    ("tensordot", "ViewBackward0", "", "Mm(View(Permute(0)), View(Permute(1)))"),
    ("view_as", "ViewBackward0", "", "0"),
    ("vstack", "CatBackward0", "1", "Unsqueeze(0*)"),
];

/// True where the node of an operation has trees.
pub fn has(row: &str, node: &str) -> bool {
    trees(row, node).next().is_some()
}

/// The dimensions and the text of each tree of a node.
fn trees<'a>(row: &'a str, node: &'a str) -> impl Iterator<Item = (&'static str, &'static str)> + 'a {
    let first = TREES.partition_point(|(known, ..)| *known < row);
    let own = TREES[first..].iter().take_while(move |(known, ..)| *known == row);
    own.filter(move |(_, name, ..)| name.is_empty() || *name == node).map(|(_, _, dims, text)| (*dims, *text))
}

/// Where the gradients of a node's arguments go first; none where that is where they go.
pub fn before(row: &str, node: &Node, inputs: &[Input], values: &[Value]) -> Option<Vec<Option<Target>>> {
    if let Some(text) = of_call(row, inputs, values) {
        return Some(grown(&text, inputs));
    }
    let dims = shown_dims(node, inputs);
    let is_given = |text: &str| asked(text).all(|param| inputs.iter().any(|input| input.param == param));
    let (_, text) = trees(row, &node.name).find(|(pattern, text)| fits(pattern, &dims) && is_given(text))?;
    Some(grown(text, inputs))
}

/// The tree of a call that depends on more than the dimensions of its arguments.
fn of_call(row: &str, inputs: &[Input], values: &[Value]) -> Option<String> {
    match (row, values.get(1)) {
        ("linalg.matrix_power" | "matrix_power", Some(Value::Int(n))) => power(*n, inputs.first()?.like.ndim()),
        _ => None,
    }
}

/// What a view that takes several steps leads to: the last of them before its own.
pub fn between(steps: &[&str], to: Option<Target>) -> Option<Target> {
    steps.iter().fold(to, |to, step| node(step, vec![Place { to, like: None }]).to)
}

/// The factors of a power: squares of squares, of which those are multiplied that the binary digits name.
fn power(n: i64, ndim: usize) -> Option<String> {
    let base = if n < 0 { "LinalgInvEx(0)" } else { "0" };
    let mut left = n.unsigned_abs();
    if left == 3 && ndim <= 2 {
        return Some(format!("Mm({base}, {base}), {base}"));
    }
    if left < 2 || ndim > 2 {
        return (left == 0).then(|| "Clone(0), -".to_string());
    }
    let (mut square, mut product) = (base.to_string(), None::<String>);
    let mut last = String::new();
    while left > 0 {
        if left & 1 == 1 {
            last = product.as_ref().map_or(last, |before| format!("{before}, {square}"));
            product = Some(product.map_or(square.clone(), |before| format!("Mm({before}, {square})")));
        }
        left >>= 1;
        if left > 0 {
            last = if product.is_none() { format!("{square}, {square}") } else { last };
            square = format!("Mm({square}, {square})");
        }
    }
    Some(last)
}

/// The parameters that must be given.
fn asked(text: &str) -> impl Iterator<Item = usize> {
    text.split([',', '(', ')', ' ']).filter_map(|word| word.trim_end_matches('*').parse().ok())
}

/// `32>3` for a product of a batch and a matrix.
fn shown_dims(node: &Node, inputs: &[Input]) -> String {
    let digit = |ndim: usize| char::from(b'0' + ndim.min(3) as u8);
    let given = inputs.iter().take(2).map(|input| digit(input.like.ndim()));
    let made = node.results.first().map(|result| digit(result.ndim()));
    given.chain(['>']).chain(made).collect()
}

fn fits(pattern: &str, dims: &str) -> bool {
    let (given, made) = pattern.split_once('>').unwrap_or((pattern, ""));
    let (has, makes) = dims.split_once('>').unwrap_or((dims, ""));
    has.starts_with(given) && makes.starts_with(made)
}

/// A place of a tree, and a tensor that lies as the one there does.
#[derive(Clone)]
struct Place {
    to: Option<Target>,
    like: Option<Tensor>,
}

/// A tree as text becomes nodes.
fn grown(text: &str, inputs: &[Input]) -> Vec<Option<Target>> {
    let mut letters = text.chars().peekable();
    places(&mut letters, inputs).into_iter().map(|place| place.to).collect()
}

/// What stands between brackets or to the end of the text.
fn places(letters: &mut Peekable<Chars>, inputs: &[Input]) -> Vec<Place> {
    let mut found = vec![];
    let mut word = String::new();
    while let Some(letter) = letters.next() {
        match letter {
            '(' => {
                let inner = places(letters, inputs);
                found.extend(nodes(&std::mem::take(&mut word), inner));
            }
            ')' | ',' => {
                found.extend(given(&std::mem::take(&mut word), inputs));
                if letter == ')' {
                    return found;
                }
            }
            ' ' => {}
            letter => word.push(letter),
        }
    }
    found.extend(given(&word, inputs));
    found
}

/// The arguments that a word stands for.
fn given(word: &str, inputs: &[Input]) -> Vec<Place> {
    let nothing = Place { to: None, like: None };
    let place = |input: &Input| Place { to: input.to.clone(), like: Some(input.like.clone()) };
    match word.trim_end_matches(['*', '?']).parse::<usize>() {
        Ok(param) => {
            let found: Vec<Place> = inputs.iter().filter(|input| input.param == param).map(place).collect();
            if found.is_empty() { vec![nothing] } else { found }
        }
        Err(_) if word.is_empty() => vec![],
        Err(_) => vec![nothing],
    }
}

/// The nodes of a name: one of all that is inside, or one of each item of a list.
fn nodes(name: &str, inner: Vec<Place>) -> Vec<Place> {
    const ALONE: [&str; 6] = ["View", "View~", "Permute", "Unsqueeze", "Complex", "Clone"];
    match ALONE.contains(&name) {
        true => inner.into_iter().map(|place| node(name, vec![place])).collect(),
        false => vec![node(name.trim_start_matches('+'), inner)],
    }
}

fn node(name: &str, inner: Vec<Place>) -> Place {
    let like = inner.iter().find_map(|place| place.like.clone());
    let of = |test: fn(&Tensor) -> bool| like.as_ref().is_some_and(test);
    if inner.iter().all(|place| place.to.is_none()) {
        return Place { to: None, like };
    }
    let name = match name {
        "Complex" if of(|x| x.dtype().is_complex()) => return inner.into_iter().next().unwrap_or(Place { to: None, like }),
        "Complex" => "ToCopy",
        "View~" if of(|x| x.layout().is_contiguous()) => "View",
        "View~" => "ReshapeAlias",
        name => name,
    };
    let full = if name.contains("Backward") { name.to_string() } else { format!("{name}Backward0") };
    let shown = inner.into_iter().map(|place| place.to).collect();
    Place { to: Some(Target::Node(Node::new(&full, false, vec![], Saved::Shown(shown), vec![]), 0)), like }
}

#[cfg(test)]
mod tests {
    use super::TREES;

    #[test]
    fn the_table_is_in_order() {
        assert!(TREES.is_sorted_by_key(|(row, ..)| *row));
    }
}
