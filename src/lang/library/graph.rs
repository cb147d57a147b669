//! `torch.autograd.graph` and `torch.autograd.forward_ad`: what nodes keep and who is told of it, and derivatives that go forward.

use super::construct::{self, Settings, Unless};
use super::written::{Written, attribute, method};
use crate::lang::types::call::{Builtin, Call, Table, Takes, row};
use crate::lang::types::class_object::ClassObject;
use crate::ops::{self, FromValue};
use crate::tensor::Tensor;
use crate::value::{CallArgs, Machine, Outcome, Value};
use std::cell::RefCell;
use std::rc::Rc;

const NEED: Unless = Unless::Required;
const MODULE: &str = "torch.autograd.graph";
const FORWARD: &str = "torch.autograd.forward_ad";
const HOOKS: &str = "torch.utils.hooks";

/// Whatever a context is left with.
const LEFT: Settings = &[("told", Unless::Rest)];

/// What takes a function off that was hung somewhere.
static HANDLE: Written = Written {
    name: "RemovableHandle",
    module: HOOKS,
    base: None,
    settings: &[("hooks", NEED), ("hook", Unless::None)],
    holds: &["_hooks", "_hook"],
    make: "\
if hook is not None:
    hooks.append(hook)
[hooks, hook]",
    members: &[
        // A list of functions, or of what takes each of several off.
        method(
            "remove",
            &[],
            "\
if _hook is None:
    for each in _hooks:
        each.remove()
elif any(each is _hook for each in _hooks):
    _hooks.remove(_hook)
None",
        ),
        method("__enter__", &[], "self"),
        method("__exit__", LEFT, "self.remove()\nNone"),
    ],
};

/// The same of functions that hang on several.
static MULTI_HANDLE: Written = Written {
    name: "_MultiHandle",
    module: MODULE,
    base: Some(&HANDLE),
    settings: &[("hooks", NEED)],
    holds: &["_hooks", "_hook"],
    make: "[hooks, None]",
    members: &[],
};

static SAVED: Written = Written {
    name: "saved_tensors_hooks",
    module: MODULE,
    base: None,
    settings: &[("pack_hook", NEED), ("unpack_hook", NEED)],
    holds: &["pack_hook", "unpack_hook"],
    make: "[pack_hook, unpack_hook]",
    members: &[
        method(
            "__enter__",
            &[],
            "\
refusals = torch.autograd.graph._refusals()
if refusals:
    raise RuntimeError(refusals[-1])
torch.autograd.graph._begin_packing(pack_hook, unpack_hook)",
        ),
        method("__exit__", LEFT, "torch.autograd.graph._end_packing()"),
    ],
};

static ON_CPU: Written = Written {
    name: "save_on_cpu",
    module: MODULE,
    base: Some(&SAVED),
    settings: &[("pin_memory", Unless::Bool(false)), ("device_type", Unless::Str("cuda"))],
    holds: &["pack_hook", "unpack_hook"],
    make: "[lambda x: x.detach().cpu().clone(), lambda x: x]",
    members: &[],
};

/// What nodes keep are copies, so that it may be changed in place.
static MUTATION: Written = Written {
    name: "allow_mutation_on_saved_tensors",
    module: MODULE,
    base: Some(&SAVED),
    settings: &[],
    holds: &["pack_hook", "unpack_hook"],
    make: "[lambda x: x.detach().clone(), lambda x: x]",
    members: &[],
};

/// A context in which no such functions may be set.
static DISABLED: Written = Written {
    name: "disable_saved_tensors_hooks",
    module: MODULE,
    base: None,
    settings: &[("error_message", NEED)],
    holds: &["_message"],
    make: "[error_message]",
    members: &[
        method("__enter__", &[], "torch.autograd.graph._refusals().append(_message)"),
        method("__exit__", LEFT, "torch.autograd.graph._refusals().pop()\nNone"),
    ],
};

static LEVEL: Written = Written {
    name: "dual_level",
    module: FORWARD,
    base: None,
    settings: &[],
    holds: &[],
    make: "[]",
    members: &[
        method("__enter__", &[], "torch.autograd.forward_ad.enter_dual_level()"),
        method("__exit__", LEFT, "torch.autograd.forward_ad.exit_dual_level()"),
    ],
};

/// A tensor and its tangent.
static UNPACKED: Written = Written {
    name: "UnpackedDualTensor",
    module: FORWARD,
    base: None,
    settings: &[("primal", NEED), ("tangent", NEED)],
    holds: &["primal", "tangent", "_length"],
    make: "[primal, tangent, 2]",
    members: &[
        attribute("__repr__", "f'UnpackedDualTensor(primal={primal!r}, tangent={tangent!r})'"),
        method("__iter__", &[], "[primal, tangent]"),
        method("__getitem__", &[("index", NEED)], "(primal, tangent)[index]"),
    ],
};

/// Functions: their names, what they take, and their texts.
macro_rules! texts {
    ($($name:literal $takes:expr, $text:expr;)*) => {
        Table { owner: "", rows: Table::sorted(&[$(row($name, Takes::Any, |c| run(c, $name, $takes, $text))),*]) }
    };
}

static GRAPH: Table = texts! {
    "increment_version" &[("tensor", NEED)], "\
with torch.no_grad():
    for each in [tensor] if isinstance(tensor, torch.Tensor) else tensor:
        each.copy_(each.clone())
None";
    "register_multi_grad_hook" &[("tensors", NEED), ("fn", NEED), ("mode", Unless::Str("all"))], "\
if mode not in ('all', 'any'):
    raise ValueError(f\"Expects mode to be one of ('all', 'any') but got {mode}\")
if mode == 'all' and not all(x.requires_grad for x in tensors):
    raise AssertionError('Expected gradient function to be set')
# What came in each run that is under way, by its number.
came = {}
def come(place, grad):
    run, comes = torch.autograd.graph._awaited(tensors)
    found = came.setdefault(run, [None] * len(tensors))
    first = all(each is None for each in found)
    found[place] = grad
    if mode == 'any' and first:
        fn(grad)
    elif mode == 'all' and sum(each is not None for each in found) == sum(comes):
        fn(came.pop(run))
hung = [x.register_hook(lambda grad, place=place: come(place, grad)) for place, x in enumerate(tensors) if x.requires_grad]
torch.autograd.graph._MultiHandle(hung)";
};

/// A tensor with a tangent is a leaf of its own; what is computed of it has the tangent that two ways back give.
static DUAL: Table = texts! {
    "enter_dual_level" &[], "\
duals = torch.autograd.forward_ad._duals()
if duals and duals[-1] is not None:
    raise RuntimeError('Nested forward mode AD is not supported at the moment')
duals.append([])
len(duals) - 1";
    "exit_dual_level" &[("level", Unless::None)], "\
duals = torch.autograd.forward_ad._duals()
if not duals:
    raise RuntimeError('Trying to exit a forward AD level that was not the last one that was created. This is not supported.')
duals.pop()
None";
    "make_dual" &[("tensor", NEED), ("tangent", NEED), ("level", Unless::None)], "\
duals = torch.autograd.forward_ad._duals()
if not duals:
    raise RuntimeError('Trying to create a dual Tensor for forward AD but no level exists, make sure to enter_dual_level() first.')
if not (tensor.is_floating_point() or tensor.is_complex()):
    raise ValueError(f'Expected primal to be floating point or complex, but got: {tensor.dtype}')
if not (tangent.is_floating_point() or tangent.is_complex()):
    raise ValueError(f'Expected tangent to be floating point or complex, but got: {tangent.dtype}')
if tensor.shape != tangent.shape:
    raise RuntimeError(f'Expected this tensor and its tangent to have the same size, but got {list(tensor.shape)} and {list(tangent.shape)}')
dual = tensor.view_as(tensor) if tensor.requires_grad else tensor.detach().requires_grad_()
duals[-1].append((dual, tensor, tangent))
dual";
    "unpack_dual" &[("tensor", NEED), ("level", Unless::None)], "\
duals = torch.autograd.forward_ad._duals()
known = duals[-1] if duals else []
own = [(primal, tangent) for dual, primal, tangent in known if dual is tensor]
if own:
    primal, tangent = own[0]
elif not known or not tensor.requires_grad:
    primal, tangent = tensor, None
else:
    primal, tangent = tensor.detach(), None
    with torch.enable_grad():
        weights = torch.zeros_like(tensor, requires_grad=True)
        slopes = torch.autograd.grad(tensor, [dual for dual, _, _ in known], weights, create_graph=True, allow_unused=True)
        for (_, _, along), slope in zip(known, slopes):
            if slope is None or not slope.requires_grad:
                continue
            part, = torch.autograd.grad(slope, weights, along, retain_graph=True, allow_unused=True)
            if part is not None:
                tangent = part.detach() if tangent is None else tangent + part.detach()
torch.autograd.forward_ad.UnpackedDualTensor(primal, tangent)";
};

thread_local! {
    /// The tensors with a tangent of each level.
    static DUALS: RefCell<Option<Value>> = const { RefCell::new(None) };
    /// Why functions for what nodes keep may not be set, the last reason last.
    static REFUSALS: RefCell<Option<Value>> = const { RefCell::new(None) };
}

static INNER: Table = Table {
    owner: "",
    rows: Table::sorted(&[
        row("_awaited", Takes::Between(1, 1), |c| {
            let tensors: Vec<Tensor> = c.arg(0).items().unwrap_or_default().iter().filter_map(Tensor::from_value).collect();
            let Some((run, comes)) = ops::awaited(&tensors)? else { return Ok(Value::None) };
            Ok(Value::tuple(vec![Value::Int(run), Value::list(comes.into_iter().map(Value::Bool).collect())]))
        }),
        row("_begin_packing", Takes::Between(2, 2), |c| {
            let (pack, unpack) = (c.arg(0).clone(), c.arg(1).clone());
            ops::begin_packing(pack, unpack);
            Ok(Value::None)
        }),
        row("_end_packing", Takes::Nothing, |_| {
            ops::end_packing();
            Ok(Value::None)
        }),
        row("_refusals", Takes::Nothing, |_| {
            Ok(REFUSALS.with_borrow_mut(|texts| texts.get_or_insert_with(|| Value::list(vec![])).clone()))
        }),
    ]),
};

static LEVELS: Table = Table {
    owner: "",
    rows: Table::sorted(&[row("_duals", Takes::Nothing, |_| {
        Ok(DUALS.with_borrow_mut(|duals| duals.get_or_insert_with(|| Value::list(vec![])).clone()))
    })]),
};

/// `torch.autograd.graph.Node`: what every recorded operation is.
struct NodeClass;

impl ClassObject for NodeClass {
    fn full_name(&self) -> String {
        format!("{MODULE}.Node")
    }
    fn make(self: Rc<Self>, _machine: &mut dyn Machine, _args: CallArgs) -> Outcome {
        fault!(
            TypeError,
            "Can't instantiate abstract class Node with abstract methods metadata, name, next_functions, register_hook, register_prehook"
        )
    }
    fn has(&self, value: &Value) -> bool {
        ops::is_node(value)
    }
}

/// What is in the module; none for another one.
pub fn members(module: &str) -> Option<Vec<(&'static str, Value)>> {
    let (classes, tables): (&[&'static Written], &[&'static Table]) = match module {
        MODULE => (&[&SAVED, &ON_CPU, &MUTATION, &DISABLED, &MULTI_HANDLE], &[&GRAPH, &INNER]),
        FORWARD => (&[&LEVEL, &UNPACKED], &[&DUAL, &LEVELS]),
        HOOKS => (&[&HANDLE], &[]),
        _ => return None,
    };
    let classes = classes.iter().map(|class| (class.name, construct::class(*class)));
    let functions = tables.iter().flat_map(|table| table.rows.iter().map(|row| (row.name, Builtin::function(table, row))));
    let node = (module == MODULE).then(|| ("Node", Value::object(NodeClass)));
    Some(classes.chain(functions).chain(node).collect())
}

fn run(c: &mut Call<'_>, name: &str, takes: Settings, text: &'static str) -> Outcome {
    let args = CallArgs { positional: c.args(), keyword: std::mem::take(&mut c.keyword) };
    let names = construct::bind(&format!("{name}()"), takes, args)?;
    c.machine.eval_code(text, &names)
}
