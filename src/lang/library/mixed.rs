//! `torch.amp`: networks in two widths of floats, and losses that are scaled so that small gradients stay numbers.

use super::construct::{self, Unless};
use super::written::{Written, attribute, method};
use crate::value::Value;

const NEED: Unless = Unless::Required;
const NONE: Unless = Unless::None;
const YES: Unless = Unless::Bool(true);
const OPTIMIZER: construct::Settings = &[("optimizer", NEED)];

static AUTOCAST: Written = Written {
    name: "autocast",
    module: "torch.amp.autocast_mode",
    base: None,
    settings: &[("device_type", NEED), ("dtype", NONE), ("enabled", YES), ("cache_enabled", NONE)],
    holds: &["device", "fast_dtype", "_enabled", "_before"],
    make: "\
if not isinstance(device_type, str):
    raise ValueError(f'Expected `device_type` of type `str`, got: `{type(device_type)}`')
torch.device(device_type)
fast = dtype if dtype is not None else torch.bfloat16 if device_type == 'cpu' else torch.float16
[device_type, fast, enabled and device_type == 'cpu' and fast in (torch.bfloat16, torch.float16), []]",
    members: &[
        method("__enter__", &[], "_before.append(torch._C._set_autocast(fast_dtype if _enabled else None))\nself"),
        method("__exit__", &[("told", Unless::Rest)], "torch._C._set_autocast(_before.pop())\nFalse"),
        method(
            "__call__",
            &[("func", NEED)],
            "\
def inside(*args, **kwargs):
    with self:
        return func(*args, **kwargs)
inside",
        ),
    ],
};

static SCALER: Written = Written {
    name: "GradScaler",
    module: "torch.amp.grad_scaler",
    base: None,
    settings: &[
        ("device", Unless::Str("cuda")),
        ("init_scale", Unless::Float(65536.0)),
        ("growth_factor", Unless::Float(2.0)),
        ("backoff_factor", Unless::Float(0.5)),
        ("growth_interval", Unless::Int(2000)),
        ("enabled", YES),
    ],
    holds: &["_enabled", "_scale", "_grown", "_found", "_unscaled", "_stepped", "_checked", "_used"],
    make: "[enabled and device == 'cpu', init_scale, 0, False, [], [], [], False]",
    members: &[
        attribute("__repr__", "f'<torch.amp.grad_scaler.GradScaler object at {id(self):#x}>'"),
        method("is_enabled", &[], "_enabled"),
        method("get_scale", &[], "_scale if _enabled else 1.0"),
        method("get_growth_factor", &[], "growth_factor"),
        method("get_backoff_factor", &[], "backoff_factor"),
        method("get_growth_interval", &[], "growth_interval"),
        method(
            "scale",
            &[("outputs", NEED)],
            "\
if not _enabled:
    found = outputs
elif isinstance(outputs, torch.Tensor):
    self._used = True
    found = outputs * torch.full((1,), _scale).squeeze()
else:
    found = type(outputs)([self.scale(each) for each in outputs])
found",
        ),
        method(
            "_require_scale",
            &[("way", NEED)],
            "\
if not _used:
    raise AssertionError(f'Attempted {way} but _scale is None.  This may indicate your script did not use scaler.scale(loss or outputs) earlier in the iteration.')",
        ),
        method(
            "unscale_",
            OPTIMIZER,
            "\
if _enabled:
    self._require_scale('unscale_')
    if id(optimizer) in _stepped:
        raise RuntimeError('unscale_() is being called after step().')
    if id(optimizer) in _unscaled:
        raise RuntimeError('unscale_() has already been called on this optimizer since the last update().')
    _unscaled.append(id(optimizer))
    for group in optimizer.param_groups:
        for p in group['params']:
            if p.grad is not None:
                _checked.append(id(optimizer))
                if not bool(p.grad.isfinite().all()):
                    self._found = True
                p.grad.mul_(1.0 / _scale)",
        ),
        method(
            "step",
            &[("optimizer", NEED), ("args", Unless::Rest), ("more", Unless::More)],
            "\
if _enabled:
    if 'closure' in more:
        raise RuntimeError('Closure use is not currently supported if GradScaler is enabled.')
    self._require_scale('step')
    if id(optimizer) in _stepped:
        raise RuntimeError('step() has already been called since the last update().')
    if id(optimizer) not in _unscaled:
        self.unscale_(optimizer)
    if id(optimizer) not in _checked:
        raise AssertionError('No inf checks were recorded for this optimizer.')
    _stepped.append(id(optimizer))
optimizer.step(*args, **more) if not (_enabled and self._found) else None",
        ),
        method(
            "update",
            &[("new_scale", NONE)],
            "\
if _enabled:
    self._require_scale('update')
    if new_scale is None and not _checked:
        raise AssertionError('No inf checks were recorded prior to update.')
    grown = 0 if _found else _grown + 1
    scale = _scale * backoff_factor if _found else _scale
    if grown == growth_interval:
        grown, scale = 0, scale * growth_factor
    self._scale, self._grown, self._found = (scale if new_scale is None else new_scale), grown, False
    for done in (_unscaled, _stepped, _checked):
        done.clear()",
        ),
        method(
            "state_dict",
            &[],
            "\
{'scale': self.get_scale(), 'growth_factor': growth_factor, 'backoff_factor': backoff_factor, 'growth_interval': growth_interval, '_growth_tracker': _grown} if _enabled else {}",
        ),
        method(
            "load_state_dict",
            &[("state_dict", NEED)],
            "\
if _enabled and not state_dict:
    raise RuntimeError('The source state dict is empty, possibly because it was saved from a disabled instance of GradScaler.')
if _enabled:
    self._scale, self._grown = state_dict['scale'], state_dict['_growth_tracker']",
        ),
    ],
};

/// The classes in a module.
pub fn members(module: &str) -> Vec<(&'static str, Value)> {
    let class = |row: &'static Written| (row.name, construct::class(row));
    match module {
        "torch" => vec![class(&AUTOCAST)],
        "torch.amp" | "torch.amp.autocast_mode" | "torch.amp.grad_scaler" => vec![class(&AUTOCAST), class(&SCALER)],
        _ => vec![],
    }
}
