//! Optimizers that look at a gradient as a matrix: what its rows and columns have in common, or the rotation in it.

use super::kinds::{CLOSURE, step};
use super::{HOLDS, OPTIMIZER, PARAMS, groups};
use crate::lang::library::construct::Unless;
use crate::lang::library::written::{Written, attribute, method};

pub(super) static ADAFACTOR: Written = Written {
    name: "Adafactor",
    module: "torch.optim._adafactor",
    base: Some(&OPTIMIZER),
    settings: &[
        PARAMS,
        ("lr", Unless::Float(0.01)),
        ("beta2_decay", Unless::Float(-0.8)),
        ("eps", Unless::None),
        ("d", Unless::Float(1.0)),
        ("weight_decay", Unless::Float(0.0)),
        ("foreach", Unless::None),
        ("maximize", Unless::Bool(false)),
    ],
    holds: HOLDS,
    make: groups!(
        "\
eps = (None, 0.001) if eps is None else eps
if isinstance(lr, torch.Tensor) and lr.numel() != 1:
    raise ValueError('Tensor lr must be 1-element')
if not 0.0 <= lr:
    raise ValueError(f'Learning rate should be >= 0 but is: {lr}')
if not 0.0 >= beta2_decay:
    raise ValueError(f'beta2_decay should be <= 0 but is: {beta2_decay}')
if eps[0] is not None and not 0.0 <= eps[0]:
    raise ValueError(f'epsilon1 should be >= 0 but is: {eps[0]}')
if not 0.0 <= eps[1]:
    raise ValueError(f'epsilon2 should be >= 0 but is: {eps[1]}')
if not 1.0 <= d:
    raise ValueError(f'Clipping threshold d should be >= 1 but is: {d}')
if not 0.0 <= weight_decay:
    raise ValueError(f'weight_decay should be >= 0 but is: {weight_decay}')",
        "dict(lr=lr, beta2_decay=beta2_decay, eps=eps, d=d, weight_decay=weight_decay, foreach=foreach, maximize=maximize)"
    ),
    members: &[method("step", CLOSURE, ADAFACTOR_STEP)],
};

/// The squares of a matrix are told by those of its rows and of its columns.
const ADAFACTOR_STEP: &str = step!(
    "            low, least = group['eps']
            low = torch.finfo(p.dtype).eps if low is None else low
            if not s:
                s['step'] = torch.tensor(0.)
                if g.dim() > 1:
                    s['row_var'] = g.new_zeros(list(g.shape[:-1]) + [1])
                    s['col_var'] = g.new_zeros(list(g.shape[:-2]) + [1, g.shape[-1]])
                else:
                    s['variance'] = torch.zeros_like(g)
            s['step'] += 1
            count, rate = s['step'].item(), float(lr)
            share = count ** group['beta2_decay']
            length = max(least, p.norm(2).item() / p.numel() ** 0.5) * min(rate, 1 / count ** 0.5)
            if decay:
                p.mul_(1 - rate * decay)
            if g.dim() > 1:
                for name, d in (('row_var', -1), ('col_var', -2)):
                    s[name].lerp_(torch.linalg.vector_norm(g, dim=d, keepdim=True).square_().div_(g.size(d)), share)
                spread = (s['row_var'] @ s['col_var']).div_(s['row_var'].mean(dim=-2, keepdim=True).clamp_(min=low))
            else:
                s['variance'].lerp_(g * g, share)
                spread = s['variance'].clone()
            move = spread.clamp_(min=low * low).rsqrt_().mul_(g)
            p.add_(move, alpha=-length / max(1.0, move.norm(2).item() / (move.numel() ** 0.5 * group['d'])))"
);

pub(super) static MUON: Written = Written {
    name: "Muon",
    module: "torch.optim._muon",
    base: Some(&OPTIMIZER),
    settings: &[
        PARAMS,
        ("lr", Unless::Float(0.001)),
        ("weight_decay", Unless::Float(0.1)),
        ("momentum", Unless::Float(0.95)),
        ("nesterov", Unless::Bool(true)),
        ("ns_coefficients", Unless::None),
        ("eps", Unless::Float(1e-7)),
        ("ns_steps", Unless::Int(5)),
        ("adjust_lr_fn", Unless::None),
    ],
    holds: HOLDS,
    make: groups!(
        "\
ns_coefficients = (3.4445, -4.775, 2.0315) if ns_coefficients is None else ns_coefficients
if isinstance(lr, torch.Tensor) and lr.numel() != 1:
    raise ValueError('Tensor lr must be 1-element')
if not 0.0 <= lr:
    raise ValueError(f'Learning rate should be >= 0 but is: {lr}')
if not 0.0 <= momentum:
    raise ValueError(f'momentum should be >= 0 but is: {momentum}')
if not 0.0 <= weight_decay:
    raise ValueError(f'weight decay should be >= 0 but is: {weight_decay}')
if adjust_lr_fn not in (None, 'original', 'match_rms_adamw', 'spectral_unclamped'):
    raise ValueError(f'Adjust learning rate function {adjust_lr_fn} is not supported')",
        "dict(lr=lr, weight_decay=weight_decay, momentum=momentum, nesterov=nesterov, ns_coefficients=ns_coefficients, eps=eps, ns_steps=ns_steps, adjust_lr_fn=adjust_lr_fn)"
    ),
    members: &[
        attribute(
            "_check",
            "\
for group in param_groups:
    for p in group['params']:
        if p.ndim != 2:
            raise ValueError(f'Muon only supports 2D parameters whereas we found a parameter with size: {p.size()}')",
        ),
        method("step", CLOSURE, MUON_STEP),
    ],
};

/// Steps along the nearest matrix with orthonormal rows, which a polynomial of few bits goes toward.
const MUON_STEP: &str = step!(
    "            if group['ns_steps'] >= 100:
                raise ValueError('Number of steps must be less than 100 for computational efficiency')
            held = s.setdefault('momentum_buffer', torch.zeros_like(g))
            held.lerp_(g, 1 - group['momentum'])
            move = g.lerp(held, group['momentum']) if group['nesterov'] else held
            rows, columns = p.shape
            one, three, five = group['ns_coefficients']
            x = move.to(dtype=torch.bfloat16, copy=True)
            x = x.T if rows > columns else x
            x.div_(x.norm().clamp(min=group['eps']))
            for _ in range(group['ns_steps']):
                square = x @ x.T
                x = torch.addmm(x, torch.addmm(square, square, square, beta=three, alpha=five), x, beta=one)
            x = x.T if rows > columns else x
            way, rate = group['adjust_lr_fn'] or 'original', float(lr)
            ratio = 0.2 * math.sqrt(max(rows, columns)) if way == 'match_rms_adamw' else math.sqrt(max(1, rows / columns) if way == 'original' else rows / columns)
            p.mul_(1 - rate * decay)
            p.add_(x, alpha=-rate * ratio)"
);
