//! What changes the learning rate of an optimizer from step to step.
//!
//! A scheduler's row says what it holds and, as `get_lr`, which rates follow; the first step is made as it is made.

use super::cycles::{
    CYCLE_RATES, LOAD_STATES, ONE_CYCLE_RATES, PLATEAU_STEP, RESTARTS_STEP, SEQUENCE_CHECK, SEQUENCE_STEP, SET_MOMENTA, STATES,
    cycle, momenta, one_cycle, restarts, together,
};
use crate::lang::library::construct::{Settings, Unless};
use crate::lang::library::written::{Written, attribute, method};

/// The module that they are in.
pub(super) const MODULE: &str = "torch.optim.lr_scheduler";

const OF: (&str, Unless) = ("optimizer", Unless::Required);
const LAST: (&str, Unless) = ("last_epoch", Unless::Int(-1));
const EPOCH: Settings = &[("epoch", Unless::None)];
const STATE: (&str, Unless) = ("state_dict", Unless::Required);

/// Refuses what is no optimizer.
macro_rules! check {
    () => {
        "if not isinstance(optimizer, torch.optim.Optimizer):
    raise TypeError(f'{type(optimizer).__name__} is not an Optimizer')
"
    };
}

/// The rates that the groups begin with: `base_lrs`.
macro_rules! begin {
    () => {
        concat!(
            check!(),
            "kept = lambda value: value.clone() if isinstance(value, torch.Tensor) else value
for place, group in enumerate(optimizer.param_groups):
    if last_epoch == -1:
        group.setdefault('initial_lr', kept(group['lr']))
    elif 'initial_lr' not in group:
        raise KeyError(f\"param 'initial_lr' is not specified in param_groups[{place}] when resuming scheduler with last_epoch >= 0.\\nThis typically happens when:\\n1. You're trying to resume training from a checkpoint but haven't properly loaded the optimizer state\\n2. You're using last_epoch >= 0 for a fresh training run (not recommended)\")
base_lrs = [kept(group['initial_lr']) for group in optimizer.param_groups]
"
        )
    };
}

/// A rate for every group, from the one that the group began with, `base`, and the one it has, `lr`; `place` is the group's.
macro_rules! rates {
    ($rate:expr) => {
        concat!(
            "[",
            $rate,
            " for place, (group, base) in enumerate(zip(optimizer.param_groups, base_lrs)) for lr in (group['lr'],)]"
        )
    };
}

/// As [`rates`], where what matters is the rate that a group has: one that was added later is like the others.
macro_rules! rates_of_groups {
    ($rate:expr) => {
        concat!(
            "begun = lambda place: base_lrs[place] if place < len(base_lrs) else math.nan
[",
            $rate,
            " for place, group in enumerate(optimizer.param_groups) for lr, base in ((group['lr'], begun(place)),)]"
        )
    };
}

/// Rates that the user asks for are others than those that were set.
macro_rules! asked {
    ($rates:expr) => {
        concat!(
            "if not _get_lr_called_within_step:
    torch._warn('To get the last learning rate computed by the scheduler, please use `get_last_lr()`.')
",
            $rates
        )
    };
}

/// All that it holds but the optimizer and the names between.
macro_rules! state {
    ($($but:literal),*) => {
        concat!(
            "{name: value for name, value in zip(self._names, [value for value in self._held if value is not None]) if name not in ('optimizer', ",
            $("'", $but, "', ",)*
            ")}"
        )
    };
}
pub(super) use state;

/// What every scheduler does.
static LR_SCHEDULER: Written = Written {
    name: "LRScheduler",
    module: MODULE,
    base: None,
    settings: &[OF, LAST],
    holds: &["base_lrs", "last_epoch", "_step_count", "_is_initial", "_get_lr_called_within_step", "_last_lr", "optimizer"],
    make: concat!(begin!(), "[base_lrs, last_epoch, 0, False, False, [], optimizer]"),
    members: &[
        attribute("_check", "self._initial_step()"),
        method("_initial_step", &[], "self._step_count, self._is_initial = 0, True\nself.step()\nself._is_initial = False"),
        method("step", EPOCH, STEP),
        method(
            "_update_lr",
            EPOCH,
            "\
self.last_epoch = last_epoch + 1 if epoch is None else epoch
closed = None if epoch is None else getattr(self, '_get_closed_form_lr', None)
self._get_lr_called_within_step = True
try:
    rates = self.get_lr() if closed is None else closed()
finally:
    self._get_lr_called_within_step = False
self._set(rates)",
        ),
        method("_set", &[("rates", Unless::Required)], SET),
        method("get_lr", &[], "raise NotImplementedError"),
        method("get_last_lr", &[], "_last_lr"),
        method("state_dict", &[], state!()),
        method("load_state_dict", &[STATE], "for name, value in state_dict.items():\n    setattr(self, name, value)"),
    ],
};

/// A step of the user's; what is done before the optimizer's first is lost.
const STEP: &str = "\
if _step_count == 1 and not getattr(optimizer, '_opt_called', False):
    torch._warn('Detected call of `lr_scheduler.step()` before `optimizer.step()`. In PyTorch 1.1.0 and later, you should call them in the opposite order: `optimizer.step()` before `lr_scheduler.step()`.  Failure to do this will result in PyTorch skipping the first value of the learning rate schedule. See more details at https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate')
self._step_count = _step_count + 1
if epoch is not None:
    torch._warn('The epoch parameter in `scheduler.step()` was not necessary and is being deprecated where possible. Please use `scheduler.step()` to step the scheduler. During the deprecation, if epoch is different from None, the closed form is used instead of the new chainable form, where available. Please open an issue if you are unable to replicate your use case: https://github.com/pytorch/pytorch/issues/new/choose.')
self._update_lr(epoch)";

/// A rate that is a tensor stays this tensor.
const SET: &str = "\
for group, rate in zip(optimizer.param_groups, rates, strict=True):
    if isinstance(group['lr'], torch.Tensor):
        group['lr'].fill_(rate)
    else:
        group['lr'] = rate
self._last_lr = [lr.clone() if isinstance(lr, torch.Tensor) else lr for lr in [group['lr'] for group in optimizer.param_groups]]
None";

/// A scheduler: its settings, what it holds of its own, the text that settles that, and what it does.
macro_rules! scheduler {
    ($name:literal, [$($setting:expr),*], [$($own:ident),*], $settle:expr, $members:expr) => {
        &Written {
            name: $name,
            module: MODULE,
            base: Some(&LR_SCHEDULER),
            settings: &[OF, $($setting,)* LAST],
            holds: &[
                $(stringify!($own),)* "base_lrs", "last_epoch", "_step_count", "_is_initial", "_get_lr_called_within_step",
                "_last_lr", "optimizer",
            ],
            make: concat!(
                $settle,
                begin!(),
                "[", $(stringify!($own), ", ",)* "base_lrs, last_epoch, 0, False, False, [], optimizer]"
            ),
            members: $members,
        }
    };
}

/// The rates after a step, and what they are at a step whatever was before.
macro_rules! both {
    ($rate:literal, $closed:literal) => {
        &[method("get_lr", &[], asked!(rates_of_groups!($rate))), method("_get_closed_form_lr", &[], rates!($closed))]
    };
}

/// A scheduler whose rates a function of the user's tells. Functions are no part of the state.
macro_rules! by_function {
    ($name:literal, $check:literal, $rate:literal) => {
        scheduler!(
            $name,
            [("lr_lambda", Unless::Required)],
            [lr_lambdas],
            concat!(
                "count = len(optimizer.param_groups)
lr_lambdas = list(lr_lambda) if isinstance(lr_lambda, (list, tuple)) else [lr_lambda] * count
if len(lr_lambdas) != count:
    raise ValueError(f'Expected {count} lr_lambdas, but got {len(lr_lambdas)}')
",
                $check
            ),
            &[
                method("get_lr", &[], asked!(rates!($rate))),
                method("state_dict", &[], concat!("{**", state!("lr_lambdas"), ", 'lr_lambdas': [None] * len(lr_lambdas)}")),
                method(
                    "load_state_dict",
                    &[STATE],
                    "for name, value in state_dict.items():\n    if name != 'lr_lambdas':\n        setattr(self, name, value)"
                ),
            ]
        )
    };
}

/// The rows.
pub(super) static KINDS: &[&Written] = &[
    &LR_SCHEDULER,
    scheduler!(
        "StepLR",
        [("step_size", Unless::Required), ("gamma", Unless::Float(0.1))],
        [step_size, gamma],
        "",
        both!(
            "lr * gamma if last_epoch and last_epoch % step_size == 0 else lr",
            "base * gamma ** (last_epoch // step_size)"
        )
    ),
    scheduler!(
        "MultiStepLR",
        [("milestones", Unless::Required), ("gamma", Unless::Float(0.1))],
        [milestones, gamma],
        "import collections\nmilestones = collections.Counter(milestones)\n",
        both!(
            "lr * gamma ** milestones[last_epoch] if last_epoch in milestones else lr",
            "base * gamma ** sum(count for end, count in milestones.items() if end <= last_epoch)"
        )
    ),
    scheduler!(
        "ExponentialLR",
        [("gamma", Unless::Required)],
        [gamma],
        "",
        both!("lr if _is_initial else lr * gamma", "base * gamma ** last_epoch")
    ),
    scheduler!(
        "CosineAnnealingLR",
        [("T_max", Unless::Required), ("eta_min", Unless::Float(0.0))],
        [T_max, eta_min],
        "",
        both!(
            "lr if _is_initial else eta_min + (base - eta_min) * (1 + math.cos(last_epoch * math.pi / T_max)) / 2 if _step_count == 1 and last_epoch > 0 else (1 + math.cos(math.pi * last_epoch / T_max)) / (1 + math.cos(math.pi * (last_epoch - 1) / T_max)) * (lr - eta_min) + eta_min if (last_epoch - 1 - T_max) % (2 * T_max) else lr + (base - eta_min) * (1 - math.cos(math.pi / T_max)) / 2",
            "eta_min + (base - eta_min) * (1 + math.cos(math.pi * last_epoch / T_max)) / 2"
        )
    ),
    by_function!("LambdaLR", "", "base * lr_lambdas[place](last_epoch)"),
    by_function!(
        "MultiplicativeLR",
        "for each in lr_lambdas:
    if not callable(each):
        raise TypeError(f'lr_lambda should be a function, but got {type(each).__name__}')
",
        "lr if _is_initial else lr * lr_lambdas[place](last_epoch)"
    ),
    scheduler!(
        "ConstantLR",
        [("factor", Unless::Float(1.0 / 3.0)), ("total_iters", Unless::Int(5))],
        [factor, total_iters],
        "if factor > 1 or factor < 0:
    raise ValueError('Constant multiplicative factor expected to be between 0 and 1.')
",
        both!(
            "lr * factor if last_epoch == 0 else lr * (1 / factor) if last_epoch == total_iters else lr",
            "base * (factor + (last_epoch >= total_iters) * (1 - factor))"
        )
    ),
    scheduler!(
        "LinearLR",
        [("start_factor", Unless::Float(1.0 / 3.0)), ("end_factor", Unless::Float(1.0)), ("total_iters", Unless::Int(5))],
        [start_factor, end_factor, total_iters],
        "if start_factor > 1 or start_factor <= 0:
    raise ValueError('Starting multiplicative factor expected to be greater than 0 and less or equal to 1.')
if end_factor > 1 or end_factor < 0:
    raise ValueError('Ending multiplicative factor expected to be between 0 and 1.')
",
        both!(
            "lr * start_factor if last_epoch == 0 else lr if _is_initial or last_epoch > total_iters else lr * (1 + (end_factor - start_factor) / (total_iters * start_factor + (last_epoch - 1) * (end_factor - start_factor)))",
            "base * (start_factor + (end_factor - start_factor) * min(total_iters, last_epoch) / total_iters)"
        )
    ),
    scheduler!(
        "PolynomialLR",
        [("total_iters", Unless::Int(5)), ("power", Unless::Float(1.0))],
        [total_iters, power],
        "",
        both!(
            "lr if _is_initial or last_epoch > total_iters else lr * ((1 - last_epoch / total_iters) / (1 - (last_epoch - 1) / total_iters)) ** power",
            "base * (1 - min(total_iters, last_epoch) / total_iters) ** power"
        )
    ),
    scheduler!(
        "CosineAnnealingWarmRestarts",
        [("T_0", Unless::Required), ("T_mult", Unless::Int(1)), ("eta_min", Unless::Float(0.0))],
        [T_0, T_i, T_mult, eta_min, T_cur],
        restarts!(),
        &[
            method("step", EPOCH, RESTARTS_STEP),
            method("get_lr", &[], asked!(rates!("eta_min + (base - eta_min) * (1 + math.cos(math.pi * T_cur / T_i)) / 2"))),
        ]
    ),
    scheduler!(
        "CyclicLR",
        [
            ("base_lr", Unless::Required),
            ("max_lr", Unless::Required),
            ("step_size_up", Unless::Int(2000)),
            ("step_size_down", Unless::None),
            ("mode", Unless::Str("triangular")),
            ("gamma", Unless::Float(1.0)),
            ("scale_fn", Unless::None),
            ("scale_mode", Unless::Str("cycle")),
            ("cycle_momentum", Unless::Bool(true)),
            ("base_momentum", Unless::Float(0.8)),
            ("max_momentum", Unless::Float(0.9))
        ],
        [max_lrs, total_size, step_ratio, mode, gamma, scale_mode, cycle_momentum, use_beta1, base_momentums, max_momentums],
        cycle!(),
        &[
            method("get_lr", &[], CYCLE_RATES),
            method("_set_momenta", &[("momenta", Unless::Required)], SET_MOMENTA),
            method(
                "scale_fn",
                &[("x", Unless::Required)],
                "scale_fn(x) if scale_fn is not None else 1.0 if mode == 'triangular' else 1 / 2.0 ** (x - 1) if mode == 'triangular2' else gamma ** x"
            ),
            method("state_dict", &[], concat!("{**", state!(), ", '_scale_fn_custom': None}")),
            method(
                "load_state_dict",
                &[STATE],
                "state_dict.pop('_scale_fn_custom')\nfor name, value in state_dict.items():\n    setattr(self, name, value)",
            ),
        ]
    ),
    scheduler!(
        "OneCycleLR",
        [
            ("max_lr", Unless::Required),
            ("total_steps", Unless::None),
            ("epochs", Unless::None),
            ("steps_per_epoch", Unless::None),
            ("pct_start", Unless::Float(0.3)),
            ("anneal_strategy", Unless::Str("cos")),
            ("cycle_momentum", Unless::Bool(true)),
            ("base_momentum", Unless::Float(0.85)),
            ("max_momentum", Unless::Float(0.95)),
            ("div_factor", Unless::Float(25.0)),
            ("final_div_factor", Unless::Float(1e4)),
            ("three_phase", Unless::Bool(false))
        ],
        [total_steps, _schedule_phases, _anneal_func_type, cycle_momentum, use_beta1],
        one_cycle!(),
        &[
            method("get_lr", &[], ONE_CYCLE_RATES),
            method("_set_momenta", &[("momenta", Unless::Required)], SET_MOMENTA),
        ]
    ),
    &Written {
        name: "SequentialLR",
        module: MODULE,
        base: Some(&LR_SCHEDULER),
        settings: &[OF, ("schedulers", Unless::Required), ("milestones", Unless::Required), LAST],
        holds: &["_schedulers", "_milestones", "last_epoch", "_last_lr", "optimizer"],
        make: concat!(
            together!("SequentialLR", ""),
            "if len(milestones) != len(schedulers) - 1:
    raise ValueError(f'Sequential Schedulers expects number of schedulers provided to be one more than the number of milestone points, but got number of schedulers {len(schedulers)} and the number of milestones to be equal to {len(milestones)}')
[schedulers, milestones, last_epoch + 1, [], optimizer]"
        ),
        members: &[
            attribute("_check", SEQUENCE_CHECK),
            method("step", &[], SEQUENCE_STEP),
            method("state_dict", &[], STATES),
            method("load_state_dict", &[STATE], LOAD_STATES),
        ],
    },
    &Written {
        name: "ChainedScheduler",
        module: MODULE,
        base: Some(&LR_SCHEDULER),
        settings: &[("schedulers", Unless::Required), ("optimizer", Unless::None)],
        holds: &["_schedulers", "_last_lr", "optimizer"],
        make: concat!(
            together!("ChainedScheduler", " to be chained"),
            "[schedulers, [group['lr'] for group in optimizer.param_groups], optimizer]"
        ),
        members: &[
            attribute("_check", "None"),
            method(
                "step",
                &[],
                "for each in _schedulers:\n    each.step()\nself._last_lr = [group['lr'] for group in optimizer.param_groups]\nNone",
            ),
            method("state_dict", &[], STATES),
            method("load_state_dict", &[STATE], LOAD_STATES),
        ],
    },
    &Written {
        name: "ReduceLROnPlateau",
        module: MODULE,
        base: Some(&LR_SCHEDULER),
        settings: &[
            OF,
            ("mode", Unless::Str("min")),
            ("factor", Unless::Float(0.1)),
            ("patience", Unless::Int(10)),
            ("threshold", Unless::Float(1e-4)),
            ("threshold_mode", Unless::Str("rel")),
            ("cooldown", Unless::Int(0)),
            ("min_lr", Unless::Int(0)),
            ("eps", Unless::Float(1e-8)),
        ],
        holds: &[
            "factor", "min_lrs", "patience", "cooldown", "eps", "last_epoch", "_last_lr", "best", "cooldown_counter",
            "num_bad_epochs", "mode", "threshold", "threshold_mode", "optimizer",
        ],
        make: concat!(
            "if factor >= 1:
    raise ValueError('Factor should be < 1.0.')
",
            check!(),
            "if mode not in ('min', 'max'):
    raise ValueError('mode ' + mode + ' is unknown!')
if threshold_mode not in ('rel', 'abs'):
    raise ValueError('threshold mode ' + threshold_mode + ' is unknown!')
groups = optimizer.param_groups
min_lrs = list(min_lr) if isinstance(min_lr, (list, tuple)) else [min_lr] * len(groups)
if len(min_lrs) != len(groups):
    raise ValueError(f'expected {len(groups)} min_lrs, got {len(min_lrs)}')
best = math.inf if mode == 'min' else -math.inf
[factor, min_lrs, patience, cooldown, eps, 0, [group['lr'] for group in groups], best, 0, 0, mode, threshold, threshold_mode, optimizer]"
        ),
        members: &[
            method("step", &[("metrics", Unless::Required), ("epoch", Unless::None)], PLATEAU_STEP),
            attribute("_check", "None"),
        ],
    },
];
