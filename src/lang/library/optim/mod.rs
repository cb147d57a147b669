//! `torch.optim`: what changes parameters by their gradients ([`kinds`]), and what changes how fast ([`schedules`]).

mod cycles;
mod kinds;
mod lbfgs;
mod matrices;
mod schedules;

use super::construct;
use super::written::{Written, method, shown};
use crate::lang::types::format_spec::format_value;
use crate::value::{Key, Value};
use construct::Unless;

const ROOT: &str = "torch.optim";
const PARAMS: (&str, Unless) = ("params", Unless::Required);
const HOLDS: &[&str] = &["param_groups", "state", "defaults", "_opt_called", "_before", "_behind"];

const HOOK: construct::Settings = &[("hook", Unless::Required)];

/// Says that a step begins: `given` are its arguments.
macro_rules! begins {
    () => {
        "\
given = (self,) if closure is None else (self, closure)
for hook in list(_before):
    hook(self, given, {})
self._opt_called = True
loss = None
"
    };
}
use begins;

/// Says that a step ends.
macro_rules! ends {
    () => {
        "
for hook in list(_behind):
    hook(self, given, {})
loss"
    };
}
use ends;

/// Says how a group joins the others: `join`.
macro_rules! join {
    () => {
        "\
def join(group):
    if not isinstance(group, dict):
        raise TypeError(f'param_group must be a dict, but got {type(group)}')
    own = group['params']
    if isinstance(own, set):
        raise TypeError('optimizer parameters need to be organized in ordered collections, but the ordering of tensors in sets will change between runs. Please use a list instead.')
    own = [own] if isinstance(own, torch.Tensor) else list(own)
    names = [p[0] for p in own if isinstance(p, tuple)]
    group['params'] = own = [p[1] if isinstance(p, tuple) else p for p in own]
    if names and len(names) != len(own):
        raise ValueError('all optimizer params should be with/without names. Some param names are missing')
    if names:
        group['param_names'] = names
    for p in own:
        if not isinstance(p, torch.Tensor):
            raise TypeError('optimizer can only optimize Tensors, but one of the params is ' + torch.typename(p))
        if not (p.is_leaf or p.retains_grad):
            raise ValueError(\"can't optimize a non-leaf Tensor\")
    for name, value in defaults.items():
        group.setdefault(name, value)
    taken = {id(p) for other in param_groups for p in other['params']}
    if any(id(p) in taken for p in own):
        raise ValueError('some parameters appear in more than one parameter group')
    param_groups.append(group)
"
    };
}

/// What an optimizer makes: the groups of parameters, each with the settings that it does not set itself, from `defaults`.
macro_rules! groups {
    ($checks:expr, $defaults:expr) => {
        concat!(
            $checks,
            "\ndefaults = ",
            $defaults,
            "\n",
            crate::lang::library::optim::join!(),
            "\
if isinstance(params, torch.Tensor):
    raise TypeError('params argument given to the optimizer should be an iterable of Tensors or dicts, but got ' + params.type())
param_groups = []
given = list(params)
if not given:
    raise ValueError('optimizer got an empty parameter list')
for group in given if isinstance(given[0], dict) else [{'params': given}]:
    join(group)
import collections
[param_groups, collections.defaultdict(dict), defaults, False, [], []]"
        )
    };
}
use {groups, join};

static OPTIMIZER: Written = Written {
    name: "Optimizer",
    module: "torch.optim.optimizer",
    base: None,
    settings: &[PARAMS, ("defaults", Unless::Required)],
    holds: HOLDS,
    make: groups!("", "defaults"),
    members: &[
        method("step", &[("closure", Unless::None)], "raise NotImplementedError"),
        method("zero_grad", &[("set_to_none", Unless::Bool(true))], ZERO_GRAD),
        method("add_param_group", &[("param_group", Unless::Required)], concat!(join!(), "join(param_group)")),
        method("state_dict", &[], STATE_DICT),
        method("load_state_dict", &[("state_dict", Unless::Required)], LOAD_STATE_DICT),
        method("register_step_pre_hook", HOOK, "torch.utils.hooks.RemovableHandle(_before, hook)"),
        method("register_step_post_hook", HOOK, "torch.utils.hooks.RemovableHandle(_behind, hook)"),
        shown(text),
    ],
};

const ZERO_GRAD: &str = "\
for group in param_groups:
    for p in group['params']:
        if p.grad is not None:
            if set_to_none:
                p.grad = None
            else:
                p.grad = torch.zeros_like(p.grad)";

const STATE_DICT: &str = "\
numbers = {}
for group in param_groups:
    for p in group['params']:
        numbers.setdefault(id(p), len(numbers))
groups = []
for group in param_groups:
    packed = {name: value for name, value in group.items() if name != 'params'}
    packed['params'] = [numbers[id(p)] for p in group['params']]
    groups.append(packed)
{'state': {numbers[id(p)]: own for p, own in state.items()}, 'param_groups': groups}";

const LOAD_STATE_DICT: &str = "\
state_dict = state_dict.copy()
saved = state_dict['param_groups']
if len(saved) != len(param_groups):
    raise ValueError('loaded state dict has a different number of parameter groups')
own = {}
for group, given in zip(param_groups, saved):
    if len(group['params']) != len(given['params']):
        raise ValueError(\"loaded state dict contains a parameter group that doesn't match the size of optimizer's group\")
    for p, number in zip(group['params'], given['params']):
        own[number] = p
    own_params = group['params']
    group.clear()
    group.update({name: value for name, value in given.items() if name != 'params'}, params=own_params)
state.clear()
for number, held in state_dict['state'].items():
    state[own[number]] = {name: value.clone() if isinstance(value, torch.Tensor) else value for name, value in held.items()}
None";

/// Its name and the settings of each group by name, as they are now.
fn text(name: &str, held: &[(&'static str, Value)]) -> String {
    let groups = held.first().and_then(|(_, groups)| groups.items()).unwrap_or_default();
    let of = |(number, group): (usize, &Value)| {
        let entries = crate::lang::types::dict::entries_of(group).map(|entries| entries.borrow().clone()).unwrap_or_default();
        let line = |(name, value): (&Key, &Value)| match name.value() {
            Value::Str(name) if name.as_str() != "params" => {
                Some(format!("    {}: {}\n", name.as_str(), format_value(value, "").unwrap_or_default()))
            }
            _ => None,
        };
        let mut lines: Vec<String> = entries.iter().filter_map(line).collect();
        lines.sort();
        format!("\nParameter Group {number}\n{}", lines.concat())
    };
    format!("{name} ({})", groups.iter().enumerate().map(of).collect::<String>())
}

/// What is in a module by its dotted name; none for modules that are not of optimizers.
pub fn members(module: &str) -> Option<Vec<(&'static str, Value)>> {
    let kinds: Vec<&Written> = match module {
        ROOT => std::iter::once(&OPTIMIZER).chain(kinds::KINDS.iter().copied()).collect(),
        schedules::MODULE => schedules::KINDS.to_vec(),
        _ => std::iter::once(&OPTIMIZER).chain(kinds::KINDS.iter().copied()).filter(|kind| kind.module == module).collect(),
    };
    let old_name = (module == schedules::MODULE).then(|| ("_LRScheduler", construct::class(schedules::KINDS[0])));
    (!kinds.is_empty()).then(|| kinds.into_iter().map(|kind| (kind.name, construct::class(kind))).chain(old_name).collect())
}
