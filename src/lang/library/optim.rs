//! `torch.optim`: what changes parameters by their gradients.

use super::construct::{self, Settings, Unless};
use super::written::{Member, Written, attribute, method};
use crate::value::Value;

const ROOT: &str = "torch.optim";

const PARAMS: (&str, Unless) = ("params", Unless::Required);

/// The settings that no computation here looks at, as the last of every optimizer.
const MODES: [(&str, Unless); 4] = [
    ("foreach", Unless::None),
    ("maximize", Unless::Bool(false)),
    ("capturable", Unless::Bool(false)),
    ("differentiable", Unless::Bool(false)),
];

/// The groups of parameters, each with the settings that it does not set itself. The text before says which in `defaults`.
macro_rules! groups {
    ($checks:literal, $defaults:literal) => {
        concat!(
            $checks,
            "\ndefaults = ",
            $defaults,
            "
if isinstance(params, torch.Tensor):
    raise TypeError('params argument given to the optimizer should be an iterable of Tensors or dicts, but got ' + params.type())
groups = list(params)
if not groups:
    raise ValueError('optimizer got an empty parameter list')
if not isinstance(groups[0], dict):
    groups = [{'params': groups}]
for group in groups:
    own = group['params']
    own = [own] if isinstance(own, torch.Tensor) else [p[1] if isinstance(p, tuple) else p for p in own]
    for p in own:
        if not isinstance(p, torch.Tensor):
            raise TypeError('optimizer can only optimize Tensors, but one of the params is ' + type(p).__name__)
        if not p.is_leaf:
            raise ValueError(\"can't optimize a non-leaf Tensor\")
    group['params'] = own
    for name, value in defaults.items():
        group.setdefault(name, value)
[groups, {}, defaults]"
        )
    };
}

/// Runs a text for every parameter `p` that has a gradient `g`, with its own `s` and the settings of its `group`.
macro_rules! step {
    ($text:literal) => {
        concat!(
            "loss = None
if closure is not None:
    with torch.enable_grad():
        loss = closure()
with torch.no_grad():
    for group in param_groups:
        lr, decay = group['lr'], group['weight_decay']
        for p in group['params']:
            if p.grad is None:
                continue
            g = -p.grad if group['maximize'] else p.grad
            s = state.setdefault(p, {})
",
            $text,
            "\nloss"
        )
    };
}

const CLOSURE: Settings = &[("closure", Unless::None)];

const HOLDS: &[&str] = &["param_groups", "state", "defaults"];

static OPTIMIZER: Written = Written {
    name: "Optimizer",
    module: "torch.optim.optimizer",
    base: None,
    settings: &[PARAMS, ("defaults", Unless::Required)],
    holds: HOLDS,
    make: "[list(params), {}, defaults]",
    members: &[
        method("zero_grad", &[("set_to_none", Unless::Bool(true))], ZERO_GRAD),
        method("add_param_group", &[("param_group", Unless::Required)], ADD_GROUP),
        method("state_dict", &[], STATE_DICT),
        method("load_state_dict", &[("state_dict", Unless::Required)], LOAD_STATE_DICT),
        method("__repr__", &[], SHOWN),
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

const ADD_GROUP: &str = "\
own = param_group['params']
param_group['params'] = [own] if isinstance(own, torch.Tensor) else list(own)
for name, value in defaults.items():
    param_group.setdefault(name, value)
param_groups.append(param_group)
None";

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
saved = state_dict['param_groups']
if len(saved) != len(param_groups):
    raise ValueError('loaded state dict has a different number of parameter groups')
own = {}
for group, given in zip(param_groups, saved):
    if len(group['params']) != len(given['params']):
        raise ValueError(\"loaded state dict contains a parameter group that doesn't match the size of optimizer's group\")
    for p, number in zip(group['params'], given['params']):
        own[number] = p
    for name, value in given.items():
        if name != 'params':
            group[name] = value
state.clear()
for number, held in state_dict['state'].items():
    state[own[number]] = {name: value.clone() if isinstance(value, torch.Tensor) else value for name, value in held.items()}
None";

const SHOWN: &str = "\
text = type(self).__name__ + ' ('
for number, group in enumerate(param_groups):
    text += f'\\nParameter Group {number}\\n'
    for name in sorted(group):
        if name != 'params':
            text += f'    {name}: {group[name]}\\n'
text + ')'";

const SGD_STEP: &str = step!(
    "            if decay:
                g = g.add(p, alpha=decay)
            if group['momentum']:
                held = s.get('momentum_buffer')
                if held is None:
                    s['momentum_buffer'] = held = g.clone()
                else:
                    held.mul_(group['momentum']).add_(g, alpha=1 - group['dampening'])
                g = g.add(held, alpha=group['momentum']) if group['nesterov'] else held
            p.add_(g, alpha=-lr)"
);

const ADAM_STEP: &str = step!(
    "            if not s:
                s['step'] = torch.tensor(0.)
                s['exp_avg'] = torch.zeros_like(p)
                s['exp_avg_sq'] = torch.zeros_like(p)
                if group['amsgrad']:
                    s['max_exp_avg_sq'] = torch.zeros_like(p)
            s['step'] += 1
            if decay and group['decoupled_weight_decay']:
                p.mul_(1 - lr * decay)
            elif decay:
                g = g.add(p, alpha=decay)
            one, two = group['betas']
            s['exp_avg'].lerp_(g, 1 - one)
            s['exp_avg_sq'].mul_(two).addcmul_(g, g, value=1 - two)
            count = s['step'].item()
            size = s['exp_avg_sq']
            if group['amsgrad']:
                torch.maximum(s['max_exp_avg_sq'], size, out=s['max_exp_avg_sq'])
                size = s['max_exp_avg_sq']
            spread = (size.sqrt() / (1 - two ** count) ** 0.5).add_(group['eps'])
            p.addcdiv_(s['exp_avg'], spread, value=-(lr / (1 - one ** count)))"
);

const RMSPROP_STEP: &str = step!(
    "            if not s:
                s['step'] = torch.tensor(0.)
                s['square_avg'] = torch.zeros_like(p)
                if group['momentum'] > 0:
                    s['momentum_buffer'] = torch.zeros_like(p)
                if group['centered']:
                    s['grad_avg'] = torch.zeros_like(p)
            s['step'] += 1
            if decay:
                g = g.add(p, alpha=decay)
            s['square_avg'].mul_(group['alpha']).addcmul_(g, g, value=1 - group['alpha'])
            if group['centered']:
                s['grad_avg'].lerp_(g, 1 - group['alpha'])
                spread = s['square_avg'].addcmul(s['grad_avg'], s['grad_avg'], value=-1).sqrt_()
            else:
                spread = s['square_avg'].sqrt()
            spread = spread.add_(group['eps'])
            if group['momentum'] > 0:
                s['momentum_buffer'].mul_(group['momentum']).addcdiv_(g, spread)
                p.add_(s['momentum_buffer'], alpha=-lr)
            else:
                p.addcdiv_(g, spread, value=-lr)"
);

const ADAGRAD_STEP: &str = step!(
    "            if not s:
                s['step'] = torch.tensor(0.)
                s['sum'] = torch.full_like(p, group['initial_accumulator_value'])
            s['step'] += 1
            if decay:
                g = g.add(p, alpha=decay)
            s['sum'].addcmul_(g, g, value=1)
            spread = s['sum'].sqrt().add_(group['eps'])
            p.addcdiv_(g, spread, value=-(lr / (1 + (s['step'].item() - 1) * group['lr_decay'])))"
);

const fn stepped(run: &'static str) -> [Member; 1] {
    [method("step", CLOSURE, run)]
}

/// Adam or AdamW: they differ in the decay of weights, in whether it is part of the gradient, and in the order of two settings.
macro_rules! adam {
    ($name:literal, $module:literal, $decay:expr, [$first:expr, $second:expr], $is_decoupled:literal) => {
        &Written {
            name: $name,
            module: $module,
            base: Some(&OPTIMIZER),
            settings: &[
                PARAMS,
                ("lr", Unless::Float(0.001)),
                ("betas", Unless::None),
                ("eps", Unless::Float(1e-8)),
                ("weight_decay", $decay),
                ("amsgrad", Unless::Bool(false)),
                $first,
                $second,
                MODES[2],
                MODES[3],
                ("fused", Unless::None),
                ("decoupled_weight_decay", Unless::Bool($is_decoupled)),
            ],
            holds: HOLDS,
            make: ADAM,
            members: &stepped(ADAM_STEP),
        }
    };
}

/// The optimizers, and what changes their learning rate.
static KINDS: &[&Written] = &[
    &OPTIMIZER,
    &Written {
        name: "SGD",
        module: "torch.optim.sgd",
        base: Some(&OPTIMIZER),
        settings: &[
            PARAMS,
            ("lr", Unless::Float(0.001)),
            ("momentum", Unless::Int(0)),
            ("dampening", Unless::Int(0)),
            ("weight_decay", Unless::Int(0)),
            ("nesterov", Unless::Bool(false)),
            MODES[1],
            MODES[0],
            MODES[3],
            ("fused", Unless::None),
        ],
        holds: HOLDS,
        make: groups!(
            "\
if lr < 0:
    raise ValueError(f'Invalid learning rate: {lr}')
if momentum < 0:
    raise ValueError(f'Invalid momentum value: {momentum}')
if weight_decay < 0:
    raise ValueError(f'Invalid weight_decay value: {weight_decay}')
if nesterov and (momentum <= 0 or dampening != 0):
    raise ValueError('Nesterov momentum requires a momentum and zero dampening')",
            "dict(lr=lr, momentum=momentum, dampening=dampening, weight_decay=weight_decay, nesterov=nesterov, maximize=maximize, foreach=foreach, differentiable=differentiable, fused=fused)"
        ),
        members: &stepped(SGD_STEP),
    },
    adam!("Adam", "torch.optim.adam", Unless::Int(0), [MODES[0], MODES[1]], false),
    adam!("AdamW", "torch.optim.adamw", Unless::Float(0.01), [MODES[1], MODES[0]], true),
    &Written {
        name: "RMSprop",
        module: "torch.optim.rmsprop",
        base: Some(&OPTIMIZER),
        settings: &[
            PARAMS,
            ("lr", Unless::Float(0.01)),
            ("alpha", Unless::Float(0.99)),
            ("eps", Unless::Float(1e-8)),
            ("weight_decay", Unless::Int(0)),
            ("momentum", Unless::Int(0)),
            ("centered", Unless::Bool(false)),
            MODES[2],
            MODES[0],
            MODES[1],
            MODES[3],
        ],
        holds: HOLDS,
        make: groups!(
            "if lr < 0:\n    raise ValueError(f'Invalid learning rate: {lr}')",
            "dict(lr=lr, momentum=momentum, alpha=alpha, eps=eps, centered=centered, weight_decay=weight_decay, capturable=capturable, foreach=foreach, maximize=maximize, differentiable=differentiable)"
        ),
        members: &stepped(RMSPROP_STEP),
    },
    &Written {
        name: "Adagrad",
        module: "torch.optim.adagrad",
        base: Some(&OPTIMIZER),
        settings: &[
            PARAMS,
            ("lr", Unless::Float(0.01)),
            ("lr_decay", Unless::Int(0)),
            ("weight_decay", Unless::Int(0)),
            ("initial_accumulator_value", Unless::Int(0)),
            ("eps", Unless::Float(1e-10)),
            MODES[0],
            MODES[1],
            MODES[3],
            ("fused", Unless::None),
        ],
        holds: HOLDS,
        make: groups!(
            "if lr < 0:\n    raise ValueError(f'Invalid learning rate: {lr}')",
            "dict(lr=lr, lr_decay=lr_decay, eps=eps, weight_decay=weight_decay, initial_accumulator_value=initial_accumulator_value, foreach=foreach, maximize=maximize, differentiable=differentiable, fused=fused)"
        ),
        members: &stepped(ADAGRAD_STEP),
    },
];

const ADAM: &str = groups!(
    "\
betas = (0.9, 0.999) if betas is None else betas
if lr < 0:
    raise ValueError(f'Invalid learning rate: {lr}')
if eps < 0:
    raise ValueError(f'Invalid epsilon value: {eps}')
for number, beta in enumerate(betas):
    if not 0 <= beta < 1:
        raise ValueError(f'Invalid beta parameter at index {number}: {beta}')
if weight_decay < 0:
    raise ValueError(f'Invalid weight_decay value: {weight_decay}')",
    "dict(lr=lr, betas=betas, eps=eps, weight_decay=weight_decay, amsgrad=amsgrad, maximize=maximize, foreach=foreach, capturable=capturable, differentiable=differentiable, fused=fused, decoupled_weight_decay=decoupled_weight_decay)"
);

const OF: (&str, Unless) = ("optimizer", Unless::Required);
const LAST: (&str, Unless) = ("last_epoch", Unless::Int(-1));

/// The learning rates that an optimizer began with; they are noted in its groups.
const BEGIN: &str = "\
for group in optimizer.param_groups:
    group.setdefault('initial_lr', group['lr'])
held = {'epoch': 0, 'base': [group['initial_lr'] for group in optimizer.param_groups]}
[optimizer, held]";

/// A scheduler: `$rate` is the rate after `epoch` steps, from the one that the group began with, `base`, and the one it has, `lr`.
macro_rules! scheduler {
    ($name:literal, [$($setting:expr),*], $rate:literal) => {
        &Written {
            name: $name,
            module: "torch.optim.lr_scheduler",
            base: None,
            settings: &[OF, $($setting,)* LAST],
            holds: &["optimizer", "_held"],
            make: BEGIN,
            members: &[
                method(
                    "step",
                    &[("epoch", Unless::None)],
                    concat!(
                        "_held['epoch'] += 1\nepoch = _held['epoch']\nfor place, (group, base) in enumerate(zip(optimizer.param_groups, _held['base'])):\n    lr = group['lr']\n    group['lr'] = ",
                        $rate
                    ),
                ),
                method("get_last_lr", &[], "[group['lr'] for group in optimizer.param_groups]"),
                attribute("last_epoch", "_held['epoch']"),
                attribute("base_lrs", "_held['base']"),
            ],
        }
    };
}

static SCHEDULERS: &[&Written] = &[
    scheduler!(
        "StepLR",
        [("step_size", Unless::Required), ("gamma", Unless::Float(0.1))],
        "lr * gamma if epoch % step_size == 0 else lr"
    ),
    scheduler!(
        "MultiStepLR",
        [("milestones", Unless::Required), ("gamma", Unless::Float(0.1))],
        "lr * gamma ** list(milestones).count(epoch)"
    ),
    scheduler!("ExponentialLR", [("gamma", Unless::Required)], "lr * gamma"),
    scheduler!(
        "CosineAnnealingLR",
        [("T_max", Unless::Required), ("eta_min", Unless::Float(0.0))],
        "(1 + math.cos(math.pi * epoch / T_max)) / (1 + math.cos(math.pi * (epoch - 1) / T_max)) * (lr - eta_min) + eta_min if (epoch - 1 - T_max) % (2 * T_max) else lr + (base - eta_min) * (1 - math.cos(math.pi / T_max)) / 2"
    ),
];

/// What is in a module by its dotted name; none for modules that are not of optimizers.
pub fn members(module: &str) -> Option<Vec<(&'static str, Value)>> {
    let kinds: Vec<&&Written> = match module {
        ROOT => KINDS.iter().collect(),
        "torch.optim.lr_scheduler" => SCHEDULERS.iter().collect(),
        _ => KINDS.iter().filter(|kind| kind.module == module).collect(),
    };
    (!kinds.is_empty()).then(|| kinds.into_iter().map(|kind| (kind.name, construct::class(*kind))).collect())
}
