//! `torch.nn.utils`: parameters of layers that are computed of others, norms of weights, and layers joined to one.

use super::construct::{self, Settings, Unless};
use super::layers;
use crate::lang::types::call::{Builtin, Call, Table, Takes, row};
use crate::ops;
use crate::value::{CallArgs, Outcome, Value};

const NEED: Unless = Unless::Required;
const NONE: Unless = Unless::None;
const NO: Unless = Unless::Bool(false);
const YES: Unless = Unless::Bool(true);
const WEIGHT: (&str, Unless) = ("name", Unless::Str("weight"));

/// Functions: their names, what they take, and their texts.
macro_rules! texts {
    ($($name:literal $takes:expr, $text:expr;)*) => {
        Table { owner: "", rows: Table::sorted(&[$(row($name, Takes::Any, |c| run(c, $name, $takes, $text))),*]) }
    };
}

static OUTERMOST: Table = texts! {
    "_weight_norm" &[("v", NEED), ("g", NEED), ("dim", Unless::Int(0))], "torch.nn.utils._named(v * (g / torch.norm_except_dim(v, 2, dim)), 'WeightNormInterfaceBackward0')";
    "norm_except_dim" &[("v", NEED), ("pow", Unless::Int(2)), ("dim", Unless::Int(0))], "\
if dim == -1:
    found = v.norm(pow)
elif dim == 0:
    found = v.contiguous().view(v.size(0), -1).norm(pow, 1).view([v.size(0)] + [1] * (v.dim() - 1))
elif dim == v.dim() - 1:
    found = v.contiguous().view(-1, v.size(dim)).norm(pow, 0).view([1] * (v.dim() - 1) + [v.size(dim)])
else:
    found = torch.norm_except_dim(v.transpose(0, dim), pow, 0).transpose(0, dim)
found";
};

/// A weight as a matrix, whose rows are along a dimension.
macro_rules! as_matrix {
    () => {
        "\
def matrix_of(weight, dim):
    if dim != 0:
        weight = weight.permute(dim, *[d for d in range(weight.dim()) if d != dim])
    return weight.reshape(weight.size(0), -1)
"
    };
}

static UTILS: Table = texts! {
    "fuse_conv_bn_eval" &[("conv", NEED), ("bn", NEED), ("transpose", NO)], "\
if conv.training or bn.training:
    raise AssertionError('Fusion only for eval!')
import copy
fused = copy.deepcopy(conv)
fused.weight, fused.bias = torch.nn.utils.fuse_conv_bn_weights(fused.weight, fused.bias, bn.running_mean, bn.running_var, bn.eps, bn.weight, bn.bias, transpose)
fused";
    "fuse_conv_bn_weights" &[("conv_w", NEED), ("conv_b", NEED), ("bn_rm", NEED), ("bn_rv", NEED), ("bn_eps", NEED), ("bn_w", NEED), ("bn_b", NEED), ("transpose", NO)], "\
conv_b = torch.zeros_like(bn_rm) if conv_b is None else conv_b
bn_w = torch.ones_like(bn_rm) if bn_w is None else bn_w
bn_b = torch.zeros_like(bn_rm) if bn_b is None else bn_b
rate = torch.rsqrt(bn_rv + bn_eps)
shape = [1, -1] + [1] * (conv_w.dim() - 2) if transpose else [-1, 1] + [1] * (conv_w.dim() - 2)
weight = conv_w * (bn_w * rate).reshape(shape)
bias = (conv_b - bn_rm) * rate * bn_w + bn_b
(torch.nn.Parameter(weight.detach(), conv_w.requires_grad), torch.nn.Parameter(bias.detach(), conv_b.requires_grad))";
    "fuse_linear_bn_eval" &[("linear", NEED), ("bn", NEED)], "\
if linear.training or bn.training:
    raise AssertionError('Fusion only for eval!')
import copy
fused = copy.deepcopy(linear)
rate = bn.weight * torch.rsqrt(bn.running_var + bn.eps)
offset = torch.zeros_like(bn.running_mean) if linear.bias is None else linear.bias
fused.weight = torch.nn.Parameter((linear.weight * rate.unsqueeze(-1)).detach(), linear.weight.requires_grad)
fused.bias = torch.nn.Parameter(((offset - bn.running_mean) * rate + bn.bias).detach())
fused";
    "remove_spectral_norm" &[("module", NEED), WEIGHT], "\
hook = module.__dict__.get(f'_spectral_norm_{name}') if hasattr(module, '__dict__') else getattr(module, f'_spectral_norm_{name}', None)
if hook is None:
    raise ValueError(f\"spectral_norm of '{name}' not found in {module}\")
with torch.no_grad():
    weight = getattr(module, name).clone()
for held in (name, name + '_u', name + '_orig', f'_spectral_norm_{name}'):
    delattr(module, held)
module.register_parameter(name, torch.nn.Parameter(weight.detach()))
hook.remove()
module";
    "remove_weight_norm" &[("module", NEED), WEIGHT], "\
hook = getattr(module, f'_weight_norm_{name}', None)
if hook is None:
    raise ValueError(f\"weight_norm of '{name}' not found in {module}\")
dim = getattr(module, f'_weight_norm_dim_{name}')
weight = torch._weight_norm(getattr(module, name + '_v'), getattr(module, name + '_g'), dim)
for held in (name, name + '_g', name + '_v', f'_weight_norm_{name}', f'_weight_norm_dim_{name}'):
    delattr(module, held)
setattr(module, name, torch.nn.Parameter(weight.detach()))
hook.remove()
module";
    "skip_init" &[("module_cls", NEED), ("args", Unless::Rest), ("kwargs", Unless::More)], "\
state = torch.get_rng_state()
made = module_cls(*args, **kwargs)
torch.set_rng_state(state)
made";
    "spectral_norm" &[("module", NEED), WEIGHT, ("n_power_iterations", Unless::Int(1)), ("eps", Unless::Float(1e-12)), ("dim", NONE)], concat!(as_matrix!(), "\
if dim is None:
    dim = 1 if type(module).__name__ in ('ConvTranspose1d', 'ConvTranspose2d', 'ConvTranspose3d') else 0
if hasattr(module, f'_spectral_norm_{name}'):
    raise RuntimeError(f'Cannot register two spectral_norm hooks on the same parameter {name}')
if n_power_iterations <= 0:
    raise ValueError(f'Expected n_power_iterations to be positive, but got n_power_iterations={n_power_iterations}')
normal = lambda x: torch.nn.functional.normalize(x, dim=0, eps=eps)
weight = getattr(module, name)
with torch.no_grad():
    whole = matrix_of(weight, dim)
    u = normal(weight.new_empty(whole.size(0)).normal_(0, 1))
    v = normal(weight.new_empty(whole.size(1)).normal_(0, 1))
delattr(module, name)
module.register_parameter(name + '_orig', weight)
setattr(module, name, weight.data)
module.register_buffer(name + '_u', u)
module.register_buffer(name + '_v', v)
def computed(module, inputs):
    weight, u, v = getattr(module, name + '_orig'), getattr(module, name + '_u'), getattr(module, name + '_v')
    whole = matrix_of(weight, dim)
    if module.training:
        with torch.no_grad():
            for _ in range(n_power_iterations):
                v.copy_(normal(torch.mv(whole.t(), u)))
                u.copy_(normal(torch.mv(whole, v)))
        u, v = u.clone(), v.clone()
    setattr(module, name, weight / torch.dot(u, torch.mv(whole, v)))
setattr(module, f'_spectral_norm_{name}', module.register_forward_pre_hook(computed))
module");
    "weight_norm" &[("module", NEED), WEIGHT, ("dim", Unless::Int(0))], "\
torch._warn('`torch.nn.utils.weight_norm` is deprecated in favor of `torch.nn.utils.parametrizations.weight_norm`.', True)
if hasattr(module, f'_weight_norm_{name}'):
    raise RuntimeError(f'Cannot register two weight_norm hooks on the same parameter {name}')
dim = -1 if dim is None else dim
weight = getattr(module, name)
delattr(module, name)
module.register_parameter(name + '_g', torch.nn.Parameter(torch.norm_except_dim(weight, 2, dim).data))
module.register_parameter(name + '_v', torch.nn.Parameter(weight.data))
def computed(module, inputs):
    setattr(module, name, torch._weight_norm(getattr(module, name + '_v'), getattr(module, name + '_g'), dim))
computed(module, ())
setattr(module, f'_weight_norm_{name}', module.register_forward_pre_hook(computed))
setattr(module, f'_weight_norm_dim_{name}', dim)
module";
};

static PARAMETRIZE: Table = texts! {
    "_assign" &[("list", NEED), ("value", NEED)], "\
originals = [x for held in (list._parameters, list._buffers) for x in held.values()]
with torch.no_grad():
    for part in reversed(tuple(list)):
        if not hasattr(part, 'right_inverse'):
            raise RuntimeError(f'parametrization {type(part).__name__} does not implement right_inverse.')
        value = part.right_inverse(value)
    if hasattr(list, 'original'):
        if not isinstance(value, torch.Tensor):
            raise ValueError(f'`right_inverse` should return a tensor. Got {type(value).__name__}')
        if value.dtype != list.original.dtype:
            raise ValueError(f'The tensor returned by `right_inverse` has dtype {value.dtype} while `original` has dtype {list.original.dtype}')
        value = [value]
    elif not isinstance(value, (tuple, type(originals))):
        raise ValueError(f\"'right_inverse' must return a sequence of tensors. Got {type(value).__name__}.\")
    elif len(value) != len(originals):
        raise ValueError(f\"'right_inverse' must return a sequence of tensors of length {len(originals)}. Got a sequence of length {len(value)}.\")
    for place, (own, to) in enumerate(zip(originals, value)):
        if own.dtype != to.dtype:
            raise ValueError(f'Tensor {place} returned by `right_inverse` has dtype {to.dtype} while `original{place}` has dtype {own.dtype}')
        own.set_(to)
None";
    "cached" &[], "import contextlib\ncontextlib.nullcontext()";
    "is_parametrized" &[("module", NEED), ("tensor_name", NONE)], "\
held = module._modules.get('parametrizations')
held is not None and (len(held) > 0 if tensor_name is None else tensor_name in held)";
    "register_parametrization" &[("module", NEED), ("tensor_name", NEED), ("parametrization", NEED), ("unsafe", NO), ("_originals", NONE)], "\
parametrize = torch.nn.utils.parametrize
parametrization.train(module.training)
if parametrize.is_parametrized(module, tensor_name):
    if not unsafe:
        value = getattr(module, tensor_name)
        found = parametrization(value)
        own, given = f'module.{tensor_name}', f'parametrization(module.{tensor_name})'
        if not isinstance(found, torch.Tensor):
            raise ValueError(f'A parametrization must return a tensor. Got {type(found).__name__}.')
        for what in ('dtype', 'shape'):
            if getattr(found, what) != getattr(value, what):
                raise ValueError(f'Registering a parametrization may not change the {what} of the tensor, unless the `unsafe` flag is enabled.\\n{own}.{what}: {getattr(value, what)}\\n{given}.{what}: {getattr(found, what)}')
        back = found
        if hasattr(parametrization, 'right_inverse'):
            try:
                back = parametrization.right_inverse(found)
            except NotImplementedError:
                pass
        if not isinstance(back, torch.Tensor):
            raise ValueError(f'parametrization.right_inverse must return a tensor. Got: {type(back).__name__}')
        for what in ('dtype', 'shape'):
            if getattr(back, what) != getattr(value, what):
                raise ValueError(f'The tensor returned by parametrization.right_inverse must have the same {what} as {own}, unless the `unsafe` flag is enabled.\\n{own}.{what}: {getattr(value, what)}\\nreturned {what}: {getattr(back, what)}')
    module.parametrizations[tensor_name].append(parametrization)
elif tensor_name in module._parameters or tensor_name in module._buffers:
    original = getattr(module, tensor_name)
    held = parametrize.ParametrizationList([parametrization])
    if _originals is None and hasattr(parametrization, 'right_inverse'):
        with torch.no_grad():
            try:
                _originals = parametrization.right_inverse(original)
            except NotImplementedError:
                pass
        if _originals is not None and not isinstance(_originals, (torch.Tensor, list, tuple)):
            raise ValueError(f\"'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). Got {type(_originals).__name__}\")
    if isinstance(_originals, torch.Tensor):
        if _originals.dtype != original.dtype:
            raise ValueError(f'When `right_inverse` outputs one tensor, it may not change the dtype.\\noriginal.dtype: {original.dtype}\\nright_inverse(original).dtype: {_originals.dtype}')
        with torch.no_grad():
            original.set_(_originals)
        _originals = None
    if not unsafe:
        found = parametrization(*([original] if _originals is None else _originals))
        if not isinstance(found, torch.Tensor):
            raise ValueError(f'A parametrization must return a tensor. Got {type(found).__name__}.')
        if found.dtype != original.dtype:
            raise ValueError(f'Registering a parametrization may not change the dtype of the tensor, unless `unsafe` flag is enabled.\\nunparametrized dtype: {original.dtype}\\nparametrized dtype: {found.dtype}')
        if found.shape != original.shape:
            raise ValueError(f'Registering a parametrization may not change the shape of the tensor, unless `unsafe` flag is enabled.\\nunparametrized shape: {original.shape}\\nparametrized shape: {found.shape}')
    delattr(module, tensor_name)
    if _originals is not None:
        for place, each in enumerate(_originals):
            held.register_parameter(f'original{place}', torch.nn.Parameter(each.detach(), original.requires_grad))
    elif isinstance(original, torch.nn.Parameter):
        held.register_parameter('original', original)
    else:
        held.register_buffer('original', original)
    if 'parametrizations' not in module._modules:
        module.add_module('parametrizations', torch.nn.ModuleDict())
    module.parametrizations[tensor_name] = held
else:
    raise ValueError(f\"Module '{module}' does not have a parameter, a buffer, or a parametrized element with name '{tensor_name}'\")
module";
    "remove_parametrizations" &[("module", NEED), ("tensor_name", NEED), ("leave_parametrized", YES)], "\
if not torch.nn.utils.parametrize.is_parametrized(module, tensor_name):
    raise ValueError(f'Module {module} does not have a parametrization on {tensor_name}')
held = module.parametrizations[tensor_name]
originals = list(held._parameters.values()) + list(held._buffers.values())
if not leave_parametrized and len(originals) > 1:
    raise ValueError('Cannot leave unparametrized (`leave_parametrized=False`) a tensor that is parametrized in terms of a sequence of tensors.')
with torch.no_grad():
    value = getattr(module, tensor_name)
    if leave_parametrized and len(originals) == 1:
        originals[0].data = value.clone()
        value = originals[0]
    elif not leave_parametrized:
        value = originals[0]
del module.parametrizations[tensor_name]
if len(module.parametrizations) == 0:
    delattr(module, 'parametrizations')
if isinstance(value, torch.nn.Parameter):
    module.register_parameter(tensor_name, value)
elif originals[0].requires_grad:
    module.register_parameter(tensor_name, torch.nn.Parameter(value.detach()))
else:
    module.register_buffer(tensor_name, value)
module";
};

static PARAMETRIZATIONS: Table = texts! {
    "spectral_norm" &[("module", NEED), WEIGHT, ("n_power_iterations", Unless::Int(1)), ("eps", Unless::Float(1e-12)), ("dim", NONE)], "\
weight = getattr(module, name, None)
if not isinstance(weight, torch.Tensor):
    raise ValueError(f\"Module '{module}' has no parameter or buffer with name '{name}'\")
if dim is None:
    dim = 1 if type(module).__name__ in ('ConvTranspose1d', 'ConvTranspose2d', 'ConvTranspose3d') else 0
if n_power_iterations <= 0:
    raise ValueError(f'Expected n_power_iterations to be positive, but got n_power_iterations={n_power_iterations}')
made = torch.nn.utils.parametrizations._SpectralNorm(weight.data, n_power_iterations, dim, eps)
torch.nn.utils.parametrize.register_parametrization(module, name, made)";
    "weight_norm" &[("module", NEED), WEIGHT, ("dim", Unless::Int(0))], "\
dim = -1 if dim is None else dim
made = torch.nn.utils.parametrizations._WeightNorm(dim)
weight = getattr(module, name)
with torch.no_grad():
    originals = (torch.norm_except_dim(weight, 2, dim), weight)
torch.nn.utils.parametrize.register_parametrization(module, name, made, unsafe=True, _originals=originals)";
};

static STATELESS: Table = texts! {
    "functional_call" &[("module", NEED), ("parameters_and_buffers", NEED), ("args", NONE), ("kwargs", NONE), ("more", Unless::More)], "\
torch.func.functional_call(module, parameters_and_buffers, args, kwargs, **more)";
};

/// What texts here call.
static INNER: Table = Table {
    owner: "",
    rows: Table::sorted(&[row("_named", Takes::Between(2, 2), |c| match (c.arg(0), c.arg(1)) {
        (Value::Tensor(x), Value::Str(name)) if x.requires_grad() => Ok(Value::Tensor(ops::renamed(x, name.as_str()))),
        (other, _) => Ok(other.clone()),
    })]),
};

/// What is in the module; none for another one.
pub fn members(module: &str) -> Option<Vec<(&'static str, Value)>> {
    let table = match module {
        "torch" => &OUTERMOST,
        "torch.nn.utils" => &UTILS,
        "torch.nn.utils.parametrizations" => &PARAMETRIZATIONS,
        "torch.nn.utils.parametrize" => &PARAMETRIZE,
        "torch.nn.utils.stateless" => &STATELESS,
        _ => return None,
    };
    let functions = table.rows.iter().map(|row| (row.name, Builtin::function(table, row)));
    let inner = INNER.rows.iter().filter(|_| module == "torch.nn.utils").map(|row| (row.name, Builtin::function(&INNER, row)));
    Some(functions.chain(inner).chain(layers::members(module).unwrap_or_default()).collect())
}

fn run(c: &mut Call<'_>, name: &str, takes: Settings, text: &'static str) -> Outcome {
    let args = CallArgs { positional: c.args(), keyword: std::mem::take(&mut c.keyword) };
    let names = construct::bind(&format!("{name}()"), takes, args)?;
    c.machine.eval_code(text, &names)
}
