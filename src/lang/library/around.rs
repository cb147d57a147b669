//! What courses call around networks and that computes nothing of its own here: compilers, recomputation, other libraries' memory, and
//! whether there are machines to share work with.

use super::construct::{self, Settings, Unless};
use super::mixed;
use crate::lang::types::call::{Builtin, Call, Table, Takes, row};
use crate::value::{CallArgs, Outcome, Value};

const NEED: Unless = Unless::Required;
const NONE: Unless = Unless::None;

/// A function: its name, what it takes, and its text.
macro_rules! texts {
    ($($name:literal $takes:expr, $text:expr;)*) => {
        Table { owner: "", rows: Table::sorted(&[$(row($name, Takes::Any, |c| run(c, $name, $takes, $text))),*]) }
    };
}

const MATRICES: Settings = &[("input", NEED), ("mat2", NEED)];
const PAIR: Settings = &[("a", NEED), ("b", NEED)];
const COMPILED: Settings = &[("model", NONE), ("more", Unless::More)];
const SAME: &str = "model if model is not None else lambda function: function";

static OUTERMOST: Table = texts! {
    "_is_device_backend_autoload_enabled" &[], "True";
    "compile" COMPILED, SAME;
    "compiled_with_cxx11_abi" &[], "True";
    "dsmm" MATRICES, "torch.mm(input, mat2)";
    "from_dlpack" &[("ext_tensor", NEED), ("more", Unless::More)], "ext_tensor.detach() if isinstance(ext_tensor, torch.Tensor) else torch.as_tensor(ext_tensor)";
    "get_autocast_cpu_dtype" &[], "torch.get_autocast_dtype('cpu')";
    "get_autocast_dtype" &[("device_type", NEED)], "(torch._C._get_autocast() or torch.bfloat16) if device_type == 'cpu' else torch.float16";
    "get_autocast_gpu_dtype" &[], "torch.get_autocast_dtype('cuda')";
    "get_autocast_xla_dtype" &[], "torch.bfloat16";
    "get_num_interop_threads" &[], "1";
    "is_autocast_cache_enabled" &[], "True";
    "is_autocast_cpu_enabled" &[], "torch._C._get_autocast() is not None";
    "is_autocast_enabled" &[("device_type", NONE)], "device_type == 'cpu' and torch._C._get_autocast() is not None";
    "is_deterministic_algorithms_warn_only_enabled" &[], "False";
    "is_vulkan_available" &[], "False";
    "set_num_interop_threads" &[("num", NEED)], "None";
    "spmm" MATRICES, "torch.mm(input, mat2)";
    "sym_float" &[("a", NEED)], "float(a)";
    "sym_int" &[("a", NEED)], "int(a)";
    "sym_ite" &[("b", NEED), ("t", NEED), ("f", NEED)], "t if b else f";
    "sym_max" PAIR, "max(float(a), float(b)) if isinstance(a, float) or isinstance(b, float) else max(a, b)";
    "sym_min" PAIR, "min(float(a), float(b)) if isinstance(a, float) or isinstance(b, float) else min(a, b)";
    "sym_not" &[("a", NEED)], "not a";
    "sym_sqrt" &[("a", NEED)], "math.sqrt(a)";
    "sym_sum" &[("args", NEED)], "sum(args)";
};

static JIT: Table = texts! {
    "ignore" &[("fn", NEED)], "fn";
    "is_scripting" &[], "False";
    "is_tracing" &[], "False";
    "script" &[("obj", NEED), ("more", Unless::More)], "obj";
    "trace" &[("func", NEED), ("example_inputs", NONE), ("more", Unless::More)], "func";
    "unused" &[("fn", NEED)], "fn";
};

static FUNC: Table = texts! {
    "functional_call" &[("module", NEED), ("given", NEED), ("args", NONE), ("kwargs", NONE), ("more", Unless::More)], FUNCTIONAL_CALL;
    "functionalize" &[("func", NEED), ("remove", Unless::Str("mutations"))], FUNCTIONALIZE;
    "rearrange" &[("tensor", NEED), ("pattern", NEED), ("axes_lengths", Unless::More)], REARRANGE;
    "stack_module_state" &[("models", NEED)], STACK_STATE;
};

static CHECKPOINT: Table = texts! {
    "checkpoint" &[("function", NONE), ("args", Unless::Rest), ("more", Unless::More)], "\
ways = ('use_reentrant', 'preserve_rng_state', 'context_fn', 'determinism_check', 'debug', 'early_stop')
# Without a function it makes one of a function.
if function is None:
    result = lambda function: lambda *args, **names: function(*args, **names)
else:
    result = function(*args, **{name: value for name, value in more.items() if name not in ways})
result";
    "checkpoint_sequential" &[("functions", NEED), ("segments", NEED), ("input", NEED), ("more", Unless::More)], "\
for function in (functions.children() if isinstance(functions, torch.nn.Sequential) else functions):
    input = function(input)
input";
};

static DLPACK: Table = texts! {
    "from_dlpack" &[("ext_tensor", NEED)], "torch.from_dlpack(ext_tensor)";
    "to_dlpack" &[("tensor", NEED)], "tensor.detach()";
};

static NOTES: Table = texts! {
    "record_function" &[("name", NEED), ("args", NONE)], "import contextlib\ncontextlib.nullcontext()";
};

static DISTRIBUTED: Table = texts! {
    "is_available" &[], "True";
    "is_initialized" &[], "False";
};

static THERE: Table = texts! {
    "is_available" &[], "True";
};

static BUILT: Table = texts! {
    "is_built" &[], "True";
};

static CPU: Table = texts! {
    "current_device" &[], "'cpu'";
    "device_count" &[], "1";
    "is_available" &[], "True";
    "is_initialized" &[], "True";
    "synchronize" &[("device", NONE)], "None";
};

// Without a GPU there is nothing to ask, and no memory in use.
static GPU: Table = texts! {
    "can_device_access_peer" &[("device", NEED), ("peer_device", NEED)], NO_GPU;
    "current_stream" &[("device", NONE)], NO_GPU;
    "get_device_capability" &[("device", NONE)], NO_GPU;
    "get_device_name" &[("device", NONE)], NO_GPU;
    "get_device_properties" &[("device", NONE)], NO_GPU;
    "get_rng_state" &[("device", Unless::Str("cuda"))], NO_GPU;
    "get_rng_state_all" &[], "[]";
    "init" &[], NO_GPU;
    "initial_seed" &[], NO_GPU;
    "ipc_collect" &[], NO_GPU;
    "is_bf16_supported" &[("including_emulation", Unless::Bool(true))], "False";
    "is_initialized" &[], "False";
    "max_memory_allocated" &[("device", NONE)], "0";
    "max_memory_reserved" &[("device", NONE)], "0";
    "mem_get_info" &[("device", NONE)], NO_GPU;
    "memory_allocated" &[("device", NONE)], "0";
    "memory_reserved" &[("device", NONE)], "0";
    "reset_max_memory_allocated" &[("device", NONE)], RESET;
    "reset_peak_memory_stats" &[("device", NONE)], RESET;
    "seed" &[], "None";
    "seed_all" &[], "None";
    "set_per_process_memory_fraction" &[("fraction", NEED), ("device", NONE)], NO_GPU;
};

const NO_GPU: &str = "torch.cuda.current_device()";
const RESET: &str = "raise RuntimeError('invalid argument to reset_peak_memory_stats')";

static NOT_THERE: Table = texts! {
    "device_count" &[], "0";
    "is_available" &[], "False";
};

static TESTING: Table = texts! {
    "assert_allclose" &[("actual", NEED), ("expected", NEED), ("rtol", NONE), ("atol", NONE), ("equal_nan", Unless::Bool(true)), ("msg", Unless::Str(""))], "\
actual = actual if isinstance(actual, torch.Tensor) else torch.tensor(actual)
expected = expected if isinstance(expected, torch.Tensor) else torch.tensor(expected, dtype=actual.dtype)
wide = {torch.float16: (1e-3, 1e-3), torch.float32: (1e-4, 1e-5), torch.float64: (1e-5, 1e-8)}
if rtol is None and atol is None:
    rtol, atol = [max(pair) for pair in zip(*[wide.get(each.dtype, (0.0, 0.0)) for each in (actual, expected)])]
torch.testing.assert_close(actual, expected, rtol=rtol, atol=atol, equal_nan=equal_nan, check_device=True, check_dtype=False, check_stride=False, msg=msg or None)";
};

/// Has the weights of some layers lie in another order.
macro_rules! in_order {
    ($layers:literal) => {
        concat!(
            "\
for part in module.modules():
    if isinstance(part, (",
            $layers,
            ")):
        part.weight.data = part.weight.detach().clone().contiguous(memory_format=memory_format)
module"
        )
    };
}

/// Tells the leaves of nested lists, tuples and dicts.
macro_rules! tree {
    () => {
        "\
def leaves(tree):
    if isinstance(tree, dict):
        return [leaf for value in tree.values() for leaf in leaves(value)]
    if isinstance(tree, (list, tuple)):
        return [leaf for value in tree for leaf in leaves(value)]
    return [tree]
"
    };
}
static AUTOGRAD: Table = texts! {
    "enforce_grad_layout_policy" &[("enforce", Unless::Bool(true))], "import contextlib\ncontextlib.nullcontext()";
};

static NN_UTILS: Table = texts! {
    "convert_conv2d_weight_memory_format" &[("module", NEED), ("memory_format", NEED)], in_order!("torch.nn.Conv2d, torch.nn.ConvTranspose2d");
    "convert_conv3d_weight_memory_format" &[("module", NEED), ("memory_format", NEED)], in_order!("torch.nn.Conv3d, torch.nn.ConvTranspose3d");
};

static RANDOM: Table = texts! {
    "thread_safe_generator" &[], "None";
};

static TREES: Table = texts! {
    "tree_flatten" &[("tree", NEED)], concat!(tree!(), "(leaves(tree), None)");
    "tree_leaves" &[("tree", NEED)], concat!(tree!(), "leaves(tree)");
    "tree_map" &[("func", NEED), ("tree", NEED)], "\
def changed(tree):
    if isinstance(tree, dict):
        return {key: changed(value) for key, value in tree.items()}
    if isinstance(tree, (list, tuple)) and not isinstance(tree, torch.Size):
        return type(tree)([changed(value) for value in tree])
    return func(tree)
changed(tree)";
};

// What a module has by these names stands aside while it is called.
const FUNCTIONAL_CALL: &str = "\
wanted = {}
if not isinstance(given, (dict, list, tuple)):
    raise ValueError(f'Expected parameter_and_buffer_dicts to be a dict, or a list/tuple of dicts, but got {type(given)}')
for one in given if isinstance(given, (list, tuple)) else [given]:
    wanted.update(one)
known = dict(module.named_parameters(remove_duplicate=False)) | dict(module.named_buffers(remove_duplicate=False))
wrong = [('Unexpected', sorted(wanted.keys() - known)), ('Missing', sorted(known.keys() - wanted))]
told = [f'\\n\\t{title} key(s): ' + ', '.join(repr(name) for name in names) + '.' for title, names in wrong if names]
if more.get('strict') and told:
    raise RuntimeError(f'Error(s) in reparametrizing for {module._get_name()}:' + ''.join(told))
wanted = {name: value for name, value in wanted.items() if name in known}
def exchange(names):
    before = {}
    for name, value in names.items():
        where, _, own = name.rpartition('.')
        before[name] = module.get_submodule(where)._exchange(own, value)
    return before
args = () if args is None else args if isinstance(args, tuple) else (args,)
before = exchange(wanted)
try:
    found = module(*args, **(kwargs or {}))
finally:
    exchange(before)
found";

// What a function writes where is no matter of its results.
const FUNCTIONALIZE: &str = "\
if remove not in ('mutations', 'mutations_and_views'):
    raise RuntimeError(f\"functionalize(f, remove='mutations'): received invalid argument for remove={remove}. Valid options are:\\n     remove='mutations': all inplace and out= operators will be removed from the program, and replaced with their out-of-place equivalents.\\n     remove='mutations_and_views': In addition to the above, all aliasing operators {{view}} will be replaced with their non-aliasing counterparts, {{view}}_copy.\")
lambda *args, **kwargs: func(*args, **kwargs)";

// Each side is a list of groups of names: those of one dimension.
const REARRANGE: &str = "\
def parsed(side):
    groups, group = [], None
    for word in side.replace('(', ' ( ').replace(')', ' ) ').replace('...', ' ... ').split():
        if word == '(' and group is None:
            group = []
        elif word == ')' and group is not None:
            groups, group = groups + [group], None
        elif word in '()':
            raise ValueError(f'Imbalanced parentheses in expression: {side!r}')
        elif word == '1':
            groups += [[]] if group is None else []
        else:
            if word != '...' and (word.startswith('_') or word.endswith('_')):
                raise ValueError(f'Invalid axis identifier: {word}\\naxis name should should not start or end with underscore')
            if word != '...' and not word.isidentifier():
                raise ValueError(f'Invalid axis identifier: {word}\\nnot a valid python identifier')
            if word in [name for each in groups + [group or []] for name in each]:
                raise ValueError(f'Indexing expression contains duplicate dimension {word!r}')
            if group is None:
                groups += [[word]]
            else:
                group += [word]
    if group is not None:
        raise ValueError(f'Imbalanced parentheses in expression: {side!r}')
    return groups
x = tensor if isinstance(tensor, torch.Tensor) else torch.stack(tuple(tensor))
if pattern.count('->') != 1:
    raise ValueError(\"Pattern must contain a single '->' separator\")
left, right = [parsed(side) for side in pattern.split('->')]
names = [[name for group in side for name in group] for side in (left, right)]
alone = set(names[0]) ^ set(names[1])
if alone:
    raise ValueError(f'Identifiers only on one side of rearrange expression (should be on both): {alone}')
unknown = set(axes_lengths) - set(names[0])
if unknown:
    raise ValueError(f'Identifiers not found in rearrange expression: {unknown}')
more = x.dim() - len(left) + 1 if ['...'] in left else 0
if len(left) - (['...'] in left) + more != x.dim() or more < 0:
    raise ValueError(f'Number of dimensions in pattern ({len(left)}) must be equal to the number of dimensions in the tensor ({x.dim()})')
sizes, d = {}, 0
for group in left:
    if group == ['...']:
        sizes['...'], d = list(x.shape[d:d + more]), d + more
        continue
    known = math.prod(axes_lengths.get(name, 1) for name in group)
    free = [name for name in group if name not in axes_lengths] if group != [] else []
    if len(free) > 1:
        raise RuntimeError('cannot infer the sizes of two dimensions at once ' + ' and '.join(free))
    if x.size(d) % known or not free and group and known != x.size(d):
        raise RuntimeError(f'inferred dimension does not evenly fit into larger dimension: {x.size(d)} vs {tuple(axes_lengths.get(name, chr(63)) for name in group)}')
    sizes |= {name: [axes_lengths.get(name, x.size(d) // known)] for name in group}
    x, d = (x, d + 1) if group else (x.select(d, 0), d)
order, k = {}, 0
for name in names[0]:
    order[name], k = list(range(k, k + len(sizes[name]))), k + len(sizes[name])
x = x.reshape([size for name in names[0] for size in sizes[name]]).permute([k for name in names[1] for k in order[name]])
shape = []
for group in right:
    parts = [size for name in group for size in sizes[name]]
    shape += parts if group == ['...'] and '(...)' not in pattern.split('->')[1].replace(' ', '') else [math.prod(parts)]
x.reshape(shape)";

const STACK_STATE: &str = "\
if len(models) == 0:
    raise RuntimeError('stack_module_state: Expected at least one model, got 0.')
def stacked(states):
    return {name: torch.stack([state[name] for state in states]).detach() for name in states[0]}
parameters = stacked([dict(model.named_parameters()) for model in models])
for value in parameters.values():
    value.requires_grad_()
(parameters, stacked([dict(model.named_buffers()) for model in models]))";

/// The tables of the modules.
const MODULES: &[(&str, &Table)] = &[
    ("torch", &OUTERMOST),
    ("torch.autograd", &AUTOGRAD),
    ("torch.autograd.profiler", &NOTES),
    ("torch.backends.cuda", &BUILT),
    ("torch.backends.cudnn", &THERE),
    ("torch.backends.mkl", &THERE),
    ("torch.backends.mkldnn", &THERE),
    ("torch.backends.openmp", &THERE),
    ("torch.cpu", &CPU),
    ("torch.cuda", &GPU),
    ("torch.distributed", &DISTRIBUTED),
    ("torch.func", &FUNC),
    ("torch.jit", &JIT),
    ("torch.mps", &NOT_THERE),
    ("torch.mtia", &NOT_THERE),
    ("torch.nn.utils", &NN_UTILS),
    ("torch.profiler", &NOTES),
    ("torch.random", &RANDOM),
    ("torch.testing", &TESTING),
    ("torch.utils._pytree", &TREES),
    ("torch.utils.checkpoint", &CHECKPOINT),
    ("torch.utils.dlpack", &DLPACK),
];

/// What is in the module; none for another one.
pub fn members(module: &str) -> Option<Vec<(&'static str, Value)>> {
    let mut found = mixed::members(module);
    if let Some((_, table)) = MODULES.iter().find(|(name, _)| *name == module) {
        found.extend(table.rows.iter().map(|row| (row.name, Builtin::function(table, row))));
    }
    Some(found).filter(|found| !found.is_empty())
}

fn run(c: &mut Call<'_>, name: &str, takes: Settings, text: &'static str) -> Outcome {
    let args = CallArgs { positional: c.args(), keyword: std::mem::take(&mut c.keyword) };
    let names = construct::bind(&format!("{name}()"), takes, args)?;
    c.machine.eval_code(text, &names)
}
