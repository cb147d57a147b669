//! What changes the learning rate of an optimizer from step to step.

use crate::lang::library::construct::Unless;
use crate::lang::library::written::{Written, method};

/// The module that they are in.
pub(super) const MODULE: &str = "torch.optim.lr_scheduler";

const OF: (&str, Unless) = ("optimizer", Unless::Required);
const LAST: (&str, Unless) = ("last_epoch", Unless::Int(-1));

/// Refuses what is no optimizer.
macro_rules! check {
    () => {
        "if not isinstance(optimizer, torch.optim.Optimizer):
    raise TypeError(f'{type(optimizer).__name__} is not an Optimizer')
"
    };
}

/// Gives every group its rate: `$rate` is the one after `epoch` steps, from the one that the group began with, `base`, and the one it
/// has, `lr`.
macro_rules! rates {
    ($rate:literal) => {
        concat!(
            "for place, (group, base) in enumerate(zip(optimizer.param_groups, base_lrs)):
    lr = group['lr']
    group['lr'] = ",
            $rate,
            "\n"
        )
    };
}

/// All that it holds but the optimizer.
const STATE_DICT: &str = "{name: value for name, value in zip(self._names, self._held) if name != 'optimizer'}";
const LOAD_STATE_DICT: &str = "for name, value in state_dict.items():\n    setattr(self, name, value)";
const STATE: (&str, Unless) = ("state_dict", Unless::Required);

/// A scheduler. The text before the rate checks the settings.
macro_rules! scheduler {
    ($name:literal, [$(($setting:literal, $unless:expr)),*], $checks:literal, $rate:literal) => {
        &Written {
            name: $name,
            module: MODULE,
            base: None,
            settings: &[OF, $(($setting, $unless),)* LAST],
            holds: &[
                $($setting,)* "base_lrs", "last_epoch", "_step_count", "_is_initial", "_get_lr_called_within_step", "_last_lr",
                "optimizer",
            ],
            make: concat!(
                $checks,
                check!(),
                "for group in optimizer.param_groups:
    group.setdefault('initial_lr', group['lr'])
base_lrs = [group['initial_lr'] for group in optimizer.param_groups]
epoch = last_epoch + 1
",
                rates!($rate),
                "[", $($setting, ", ",)* "base_lrs, epoch, 1, False, False, [group['lr'] for group in optimizer.param_groups], optimizer]"
            ),
            members: &[
                method(
                    "step",
                    &[("epoch", Unless::None)],
                    concat!(
                        "epoch = last_epoch + 1\nself.last_epoch, self._step_count = epoch, _step_count + 1\n",
                        rates!($rate),
                        "self._last_lr = [group['lr'] for group in optimizer.param_groups]\nNone"
                    ),
                ),
                method("get_last_lr", &[], "_last_lr"),
                method("state_dict", &[], STATE_DICT),
                method("load_state_dict", &[STATE], LOAD_STATE_DICT),
            ],
        }
    };
}

const PLATEAU_STEP: &str = "\
now = float(metrics)
epoch = last_epoch + 1
sign = -1 if mode == 'min' else 1
mark = best * (1 + sign * threshold) if threshold_mode == 'rel' else best + sign * threshold
if now < mark if mode == 'min' else now > mark:
    best, num_bad_epochs = now, 0
else:
    num_bad_epochs += 1
if cooldown_counter > 0:
    cooldown_counter, num_bad_epochs = cooldown_counter - 1, 0
if num_bad_epochs > patience:
    for group, least in zip(optimizer.param_groups, min_lrs):
        rate = max(group['lr'] * factor, least)
        if group['lr'] - rate > eps:
            group['lr'] = rate
    cooldown_counter, num_bad_epochs = cooldown, 0
self.best, self.num_bad_epochs, self.cooldown_counter, self.last_epoch = best, num_bad_epochs, cooldown_counter, epoch
self._last_lr = [group['lr'] for group in optimizer.param_groups]
None";

/// The rows.
pub(super) static KINDS: &[&Written] = &[
    scheduler!(
        "StepLR",
        [("step_size", Unless::Required), ("gamma", Unless::Float(0.1))],
        "",
        "lr * gamma if epoch and epoch % step_size == 0 else lr"
    ),
    scheduler!(
        "MultiStepLR",
        [("milestones", Unless::Required), ("gamma", Unless::Float(0.1))],
        "",
        "lr * gamma ** list(milestones).count(epoch)"
    ),
    scheduler!("ExponentialLR", [("gamma", Unless::Required)], "", "lr * gamma if epoch else lr"),
    scheduler!(
        "CosineAnnealingLR",
        [("T_max", Unless::Required), ("eta_min", Unless::Float(0.0))],
        "",
        "lr if not epoch else (1 + math.cos(math.pi * epoch / T_max)) / (1 + math.cos(math.pi * (epoch - 1) / T_max)) * (lr - eta_min) + eta_min if (epoch - 1 - T_max) % (2 * T_max) else lr + (base - eta_min) * (1 - math.cos(math.pi / T_max)) / 2"
    ),
    scheduler!(
        "LambdaLR",
        [("lr_lambda", Unless::Required)],
        "",
        "base * (lr_lambda[place] if isinstance(lr_lambda, (list, tuple)) else lr_lambda)(epoch)"
    ),
    scheduler!(
        "MultiplicativeLR",
        [("lr_lambda", Unless::Required)],
        "",
        "lr * (lr_lambda[place] if isinstance(lr_lambda, (list, tuple)) else lr_lambda)(epoch) if epoch else lr"
    ),
    scheduler!(
        "ConstantLR",
        [("factor", Unless::Float(1.0 / 3.0)), ("total_iters", Unless::Int(5))],
        "if factor > 1 or factor < 0:
    raise ValueError('Constant multiplicative factor expected to be between 0 and 1.')
",
        "lr * factor if epoch == 0 else lr * (1 / factor) if epoch == total_iters else lr"
    ),
    scheduler!(
        "LinearLR",
        [("start_factor", Unless::Float(1.0 / 3.0)), ("end_factor", Unless::Float(1.0)), ("total_iters", Unless::Int(5))],
        "if start_factor > 1 or start_factor <= 0:
    raise ValueError('Starting multiplicative factor expected to be greater than 0 and less or equal to 1.')
if end_factor > 1 or end_factor < 0:
    raise ValueError('Ending multiplicative factor expected to be between 0 and 1.')
",
        "lr * start_factor if epoch == 0 else lr if epoch > total_iters else lr * (1 + (end_factor - start_factor) / (total_iters * start_factor + (epoch - 1) * (end_factor - start_factor)))"
    ),
    scheduler!(
        "PolynomialLR",
        [("total_iters", Unless::Int(5)), ("power", Unless::Float(1.0))],
        "",
        "lr if epoch == 0 or epoch > total_iters else lr * ((1 - epoch / total_iters) / (1 - (epoch - 1) / total_iters)) ** power"
    ),
    &Written {
        name: "ReduceLROnPlateau",
        module: MODULE,
        base: None,
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
            method("get_last_lr", &[], "_last_lr"),
            method("state_dict", &[], STATE_DICT),
            method("load_state_dict", &[STATE], LOAD_STATE_DICT),
        ],
    },
];
