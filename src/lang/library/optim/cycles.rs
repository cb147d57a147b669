//! Texts of schedules that move in cycles, begin again, or are put together of others.

use super::schedules::state;

/// Says how one number for each group is had, where one may stand for all, and how momenta begin: `spread` and `begin`.
macro_rules! momenta {
    () => {
        "def spread(name, given):
    count = len(optimizer.param_groups)
    if isinstance(given, (list, tuple)) and len(given) != count:
        raise ValueError(f'{name} must have the same length as optimizer.param_groups. {name} has {len(given)} values, param_groups has {count}.')
    return list(given) if isinstance(given, (list, tuple)) else [given] * count
def begin():
    if 'momentum' not in optimizer.defaults and 'betas' not in optimizer.defaults:
        raise ValueError('optimizer must support momentum or beta1 with `cycle_momentum` option enabled')
    use_beta1 = 'betas' in optimizer.defaults
    most, least = spread('max_momentum', max_momentum), spread('base_momentum', base_momentum)
    for high, low, group in zip(most, least, optimizer.param_groups):
        if last_epoch == -1:
            group.update({'betas': (high, *group['betas'][1:])} if use_beta1 else {'momentum': high})
            group['max_momentum'], group['base_momentum'] = high, low
    return use_beta1, least, most
"
    };
}

/// Gives every group the momentum of `momenta`, one for each.
pub(super) const SET_MOMENTA: &str = "\
for group, momentum in zip(optimizer.param_groups, momenta):
    if use_beta1:
        group['betas'] = (momentum, *group['betas'][1:])
    else:
        group['momentum'] = momentum";

/// What a cyclic schedule settles.
macro_rules! cycle {
    () => {
        concat!(
            check!(),
            momenta!(),
            "\
base_lrs, max_lrs = spread('base_lr', base_lr), spread('max_lr', max_lr)
if last_epoch == -1:
    for rate, group in zip(base_lrs, optimizer.param_groups):
        group['lr'] = rate
up = float(step_size_up)
total_size = up + (up if step_size_down is None else float(step_size_down))
step_ratio = up / total_size
if mode not in ('triangular', 'triangular2', 'exp_range') and scale_fn is None:
    raise ValueError('mode is invalid and scale_fn is None')
if scale_fn is None:
    scale_mode = 'iterations' if mode == 'exp_range' else 'cycle'
use_beta1, base_momentums, max_momentums = begin() if cycle_momentum else (None, None, None)
"
        )
    };
}

pub(super) const CYCLE_RATES: &str = "\
cycle = math.floor(1 + last_epoch / total_size)
x = 1.0 + last_epoch / total_size - cycle
factor = x / step_ratio if x <= step_ratio else (x - 1) / (step_ratio - 1)
scale = self.scale_fn(cycle if scale_mode == 'cycle' else last_epoch)
if cycle_momentum:
    self._set_momenta([high - (high - low) * factor * scale for low, high in zip(base_momentums, max_momentums)])
[low + (high - low) * factor * scale for low, high in zip(base_lrs, max_lrs)]";

/// What a single cycle settles.
macro_rules! one_cycle {
    () => {
        concat!(
    check!(),
    momenta!(),
    "\
def positive(name, number):
    if not isinstance(number, int) or number <= 0:
        raise ValueError(f'Expected positive integer {name}, but got {number}')
    return number
if total_steps is not None:
    total_steps = positive('total_steps', total_steps)
elif epochs is not None and steps_per_epoch is not None:
    total_steps = positive('epochs', epochs) * positive('steps_per_epoch', steps_per_epoch)
else:
    raise ValueError('You must define either total_steps OR (epochs AND steps_per_epoch)')
def phase(end, start_lr, end_lr, start_momentum, end_momentum):
    return {'end_step': end, 'start_lr': start_lr, 'end_lr': end_lr, 'start_momentum': start_momentum, 'end_momentum': end_momentum}
_schedule_phases = [phase(float(pct_start * total_steps) - 1, 'initial_lr', 'max_lr', 'max_momentum', 'base_momentum')]
if three_phase:
    _schedule_phases.append(phase(float(2 * pct_start * total_steps) - 2, 'max_lr', 'initial_lr', 'base_momentum', 'max_momentum'))
    _schedule_phases.append(phase(total_steps - 1, 'initial_lr', 'min_lr', 'max_momentum', 'max_momentum'))
else:
    _schedule_phases.append(phase(total_steps - 1, 'max_lr', 'min_lr', 'base_momentum', 'max_momentum'))
if pct_start < 0 or pct_start > 1 or not isinstance(pct_start, float):
    raise ValueError(f'Expected float between 0 and 1 pct_start, but got {pct_start}')
if anneal_strategy not in ('cos', 'linear'):
    raise ValueError(f\"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}\")
_anneal_func_type = anneal_strategy
for group, most in zip(optimizer.param_groups, spread('max_lr', max_lr)):
    if last_epoch == -1:
        group['initial_lr'], group['max_lr'] = most / div_factor, most
        group['min_lr'] = group['initial_lr'] / final_div_factor
use_beta1 = begin()[0] if cycle_momentum else None
"
)
    };
}

pub(super) const ONE_CYCLE_RATES: &str = "\
if last_epoch > total_steps:
    raise ValueError(f'Tried to step {last_epoch} times. The specified number of total steps is {total_steps}')
def between(start, end, share):
    if _anneal_func_type == 'linear':
        return (end - start) * share + start
    return end + (start - end) / 2.0 * (math.cos(math.pi * share) + 1)
ends = [phase['end_step'] for phase in _schedule_phases]
place = len([end for end in ends[:-1] if last_epoch > end])
start, phase = ends[place - 1] if place else 0.0, _schedule_phases[place]
share = (last_epoch - start) / (ends[place] - start)
if cycle_momentum:
    self._set_momenta([between(group[phase['start_momentum']], group[phase['end_momentum']], share) for group in optimizer.param_groups])
[between(group[phase['start_lr']], group[phase['end_lr']], share) for group in optimizer.param_groups]";

/// What a schedule with restarts settles.
macro_rules! restarts {
    () => {
        "\
if T_0 <= 0 or not isinstance(T_0, int):
    raise ValueError(f'Expected positive integer T_0, but got {T_0}')
if T_mult < 1 or not isinstance(T_mult, int):
    raise ValueError(f'Expected integer T_mult >= 1, but got {T_mult}')
if not isinstance(eta_min, (float, int)):
    raise ValueError(f'Expected float or int eta_min, but got {eta_min} of type {type(eta_min)}')
T_i, T_cur = T_0, last_epoch
"
    };
}

pub(super) const RESTARTS_STEP: &str = "\
if epoch is None and last_epoch >= 0:
    epoch, T_cur = last_epoch + 1, T_cur + 1
    if T_cur >= T_i:
        T_cur, T_i = T_cur % T_i, T_i * T_mult
else:
    epoch = 0 if epoch is None else epoch
    if epoch < 0:
        raise ValueError(f'Expected non-negative epoch, but got {epoch}')
    if epoch < T_0:
        T_i, T_cur = T_0, epoch
    elif T_mult == 1:
        T_cur = epoch % T_0
    else:
        n = int(math.log(epoch / T_0 * (T_mult - 1) + 1, T_mult))
        T_cur, T_i = epoch - T_0 * (T_mult ** n - 1) / (T_mult - 1), T_0 * T_mult ** n
self.T_cur, self.T_i, self.last_epoch = T_cur, T_i, math.floor(epoch)
self._get_lr_called_within_step = True
try:
    rates = self.get_lr()
finally:
    self._get_lr_called_within_step = False
self._set(rates)";

/// Refuses schedulers that cannot be put together; `$one` says of what there must be one.
macro_rules! together {
    ($name:literal, $one:literal) => {
        concat!(
            "if len(schedulers) < 1:
    raise ValueError('", $name, " expects at least one scheduler", $one, ", but got no scheduler.')
",
            "for place, each in enumerate(schedulers):
    if not hasattr(each, 'optimizer'):
        raise TypeError(f'", $name, " at index {place} should have `optimizer` as its attribute.')
    optimizer = each.optimizer if optimizer is None else optimizer
    if isinstance(each, torch.optim.lr_scheduler.ReduceLROnPlateau):
        raise ValueError(f'", $name, " does not support `ReduceLROnPlateau` scheduler as it requires additional kwargs to be specified when calling `step`, but got one at index {place} in the given schedulers sequence.')
    if optimizer != each.optimizer:
        raise ValueError(f'", $name, " expects all schedulers to belong to the same optimizer, but got scheduler {type(each).__name__} at index {place} has {each.optimizer}, which is different from {type(optimizer).__name__}.')
"
        )
    };
}

/// Begins again with the first of several: all of them made a step when they were made.
pub(super) const SEQUENCE_CHECK: &str = "\
for group in optimizer.param_groups:
    group['lr'] = group['initial_lr']
def undo(each):
    if hasattr(each, '_schedulers'):
        for inner in each._schedulers:
            undo(inner)
    elif hasattr(each, 'last_epoch'):
        each.last_epoch -= 1
for each in _schedulers:
    undo(each)
first = _schedulers[len([end for end in _milestones if end <= 0])]
first._initial_step()
self._last_lr = first.get_last_lr()";

pub(super) const SEQUENCE_STEP: &str = "\
self.last_epoch = epoch = last_epoch + 1
place = len([end for end in _milestones if end <= epoch])
each = _schedulers[place]
if place > 0 and _milestones[place - 1] == epoch:
    each._update_lr(0)
else:
    each.step()
self._last_lr = each.get_last_lr()
None";

/// What schedulers of schedulers keep.
pub(super) const STATES: &str =
    concat!("{**", state!("_schedulers"), ", '_schedulers': [each.state_dict() for each in _schedulers]}");
pub(super) const LOAD_STATES: &str = "\
for name, value in state_dict.items():
    if name != '_schedulers':
        setattr(self, name, value)
for each, own in zip(_schedulers, state_dict['_schedulers']):
    each.load_state_dict(own)";

pub(super) const PLATEAU_STEP: &str = "\
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

pub(super) use {cycle, momenta, one_cycle, restarts, together};
