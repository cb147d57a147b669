//! New tensors of random numbers.

use super::fill::{fill_tensor, room};
use super::generator::with_generator;
use crate::device::DeviceId;
use crate::dtype::{DType, Number};
use crate::kernel::rng::{self, Dist};
use crate::layout::Dims;
use crate::ops::create::like::empty_like;
use crate::ops::create::options::{Options, factory, made};
use crate::ops::{Args, Form, Op, exec, op};
use crate::tensor::Tensor;
use crate::value::Value;
use anyhow::Result;

/// A function that makes a tensor.
const fn maker(schema: &'static str, doc: &'static str, example: &'static str, run: fn(&Args) -> Result<Value>) -> Op {
    op(schema, doc, example, Form::Native(run)).function_only().no_grad()
}

const UNIT: Dist = Dist::Uniform { from: 0.0, to: 1.0 };
const NORMAL: Dist = Dist::Normal { mean: 0.0, std: 1.0 };

rows![
    maker(
        factory!("rand(SymInt[] size, *, Generator? generator=None"),
        "Numbers between 0 and 1, all equally likely.",
        "g = torch.manual_seed(0)\ntorch.rand(2)\n# tensor([0.4963, 0.7682])",
        |a| drawn(a, UNIT, 0, None),
    ),
    maker(
        factory!("randn(SymInt[] size, *, Generator? generator=None"),
        "Normally distributed numbers with mean 0 and standard deviation 1.",
        "g = torch.manual_seed(0)\ntorch.randn(2)\n# tensor([ 1.5410, -0.2934])",
        |a| drawn(a, NORMAL, 0, None),
    ),
    maker(
        factory!("randint(SymInt high, SymInt[] size, *, Generator? generator=None"),
        "Whole numbers from `low` (0 unless given) up to `high`, which is left out, all equally likely.",
        "g = torch.manual_seed(0)\ntorch.randint(10, (3,))\n# tensor([4, 9, 3])",
        |a| drawn(a, Dist::Between { from: 0, to: Some(a.get(0)?) }, 1, Some(DType::I64)),
    ),
    maker(factory!("randint(SymInt low, SymInt high, SymInt[] size, *, Generator? generator=None"), "", "", |a| {
        drawn(a, Dist::Between { from: a.get(0)?, to: Some(a.get(1)?) }, 2, Some(DType::I64))
    }),
    maker(
        factory!("rand_like(Tensor self, *, Generator? generator=None", ", MemoryFormat? memory_format=None"),
        "Numbers between 0 and 1 in a tensor like another one.",
        "g = torch.manual_seed(0)\ntorch.rand_like(torch.zeros(2))\n# tensor([0.4963, 0.7682])",
        |a| drawn_like(a, UNIT, 1),
    )
    .no_out()
    .marked(),
    maker(
        factory!("randn_like(Tensor self, *, Generator? generator=None", ", MemoryFormat? memory_format=None"),
        "Normally distributed numbers in a tensor like another one.",
        "g = torch.manual_seed(0)\ntorch.randn_like(torch.zeros(2))\n# tensor([ 1.5410, -0.2934])",
        |a| drawn_like(a, NORMAL, 1),
    )
    .no_out()
    .marked(),
    maker(
        factory!("randint_like(Tensor self, SymInt high, *, Generator? generator=None", ", MemoryFormat? memory_format=None"),
        "Whole numbers from `low` (0 unless given) up to `high`, which is left out, in a tensor like another one.",
        "g = torch.manual_seed(0)\ntorch.randint_like(torch.zeros(2), 10)\n# tensor([4., 9.])",
        |a| drawn_like(a, Dist::Between { from: 0, to: Some(a.get(1)?) }, 2),
    )
    .no_out()
    .marked(),
    maker(
        factory!(
            "randint_like(Tensor self, SymInt low, SymInt high, *, Generator? generator=None",
            ", MemoryFormat? memory_format=None"
        ),
        "",
        "",
        |a| drawn_like(a, Dist::Between { from: a.get(1)?, to: Some(a.get(2)?) }, 3),
    )
    .no_out()
    .marked(),
    maker(
        factory!("randint_like(Tensor self, Tensor high, *, Generator? generator=None", ", MemoryFormat? memory_format=None"),
        "",
        "",
        |a| {
            let high: Tensor = a.get(1)?;
            if high.ndim() > 0 {
                fault!(RuntimeError, "high must be a scalar tensor and on CPU");
            }
            let high = exec::item(&high)?;
            if high.to_complex().im != 0.0 {
                fault!(RuntimeError, "value cannot be converted to type int64_t without overflow");
            }
            drawn_like(a, Dist::Between { from: 0, to: Some(high.to_i64()) }, 2)
        },
    )
    .no_out()
    .marked(),
    maker(
        factory!("randperm(SymInt n, *, Generator? generator=None"),
        "The numbers from 0 to `n` - 1 in random order.",
        "g = torch.manual_seed(0)\ntorch.randperm(4)\n# tensor([0, 1, 3, 2])",
        permutation,
    ),
];

/// A contiguous tensor of drawn numbers. The size is at place `size`, followed by the generator and the options.
fn drawn(args: &Args, dist: Dist, size: usize, default: Option<DType>) -> Result<Value> {
    let (sizes, options): (Dims, _) = (args.get(size)?, Options::read(args, size + 2)?);
    options.require_strided(args.op.name())?;
    let dtype = options.dtype.or(default).unwrap_or(options.float_dtype());
    exec::require_sizes(&sizes)?;
    dist.check(dtype, sizes.contains(&0))?;
    if args.target().is_some_and(|out| !out.layout().is_contiguous()) {
        let x = room(args, &sizes, dtype, options.device)?;
        fill_tensor(&x, &dist, args.value(size + 1))?;
        return Ok(x.into());
    }
    let draw = |out: &mut [u8]| with_generator(args.value(size + 1), |g| rng::fill(g, &dist, dtype, true, out));
    options.finish(made(&sizes, dtype, host_or_meta(options.device)?, draw)?)
}

/// GPUs draw other numbers than the CPU; until they do, asking for them is an error.
fn host_or_meta(device: DeviceId) -> Result<DeviceId> {
    match device {
        DeviceId::Cuda(_) | DeviceId::Absent(_) => {
            crate::device::get(device)?;
            fault!(NotImplementedError, "random numbers are drawn on the CPU only: draw there and call .cuda()")
        }
        other => Ok(other),
    }
}

/// A tensor like the first argument, filled in the order of its memory. The generator is at place `generator`.
fn drawn_like(args: &Args, dist: Dist, generator: usize) -> Result<Value> {
    let (options, tensor) = empty_like(args, generator + 1)?;
    fill_tensor(&tensor, &dist, args.value(generator))?;
    options.finish(tensor)
}

fn permutation(args: &Args) -> Result<Value> {
    let (n, options): (i64, _) = (args.get(0)?, Options::read(args, 2)?);
    let dtype = options.dtype.unwrap_or(DType::I64);
    if n < 0 && args.target().is_some() {
        fault!(RuntimeError, "n must be non-negative, got{n}");
    }
    check_permutation(n, dtype)?;
    options.finish(made(&[n], dtype, host_or_meta(options.device)?, |out| {
        let items = with_generator(args.value(1), |g| rng::permutation(g, n))?;
        match dtype {
            DType::I64 => out.as_chunks_mut().0.iter_mut().zip(items).for_each(|(place, item)| *place = item.to_le_bytes()),
            _ => out.chunks_exact_mut(dtype.size()).zip(items).for_each(|(place, item)| Number::Int(item).write(dtype, place)),
        }
        Ok(())
    })?)
}

fn check_permutation(n: i64, dtype: DType) -> Result<()> {
    if n < 0 {
        fault!(RuntimeError, "Trying to create tensor with negative dimension {n}: [{n}]");
    }
    let integer = dtype == DType::U8 || dtype.int_limits().is_some_and(|l| l.min < 0);
    let wide_float = dtype.is_float() && dtype.size() > 1;
    if !(integer || wide_float) {
        fault!(NotImplementedError, "\"randperm\" not implemented for '{}'", dtype.title());
    }
    match dtype {
        DType::F16 if n > 2049 => fault!(RuntimeError, "n cannot be greater than 2049 for Half type."),
        _ if dtype.int_limits().is_some_and(|l| n as i128 - 1 > l.max) => {
            fault!(RuntimeError, "value cannot be converted to type {}_t without overflow", dtype.name())
        }
        _ => Ok(()),
    }
}
