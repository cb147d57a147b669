//! The optimizers: what each is made with, and what a step does.

use super::{HOLDS, OPTIMIZER, PARAMS, groups};
use crate::lang::library::construct::{Settings, Unless};
use crate::lang::library::written::{Written, attribute, method};

/// The settings that no computation here looks at, as the last of every optimizer.
const MODES: [(&str, Unless); 4] = [
    ("foreach", Unless::None),
    ("maximize", Unless::Bool(false)),
    ("capturable", Unless::Bool(false)),
    ("differentiable", Unless::Bool(false)),
];

pub(super) const CLOSURE: Settings = &[("closure", Unless::None)];

/// Runs a text for every parameter `p` that has a gradient `g`, with its own `s`, from a `state` of every one unless it is said, and the
/// settings of its `group`.
macro_rules! step {
    ($text:expr) => {
        $crate::lang::library::optim::kinds::step!("state[p]", $text)
    };
    ($state:expr, $text:expr) => {
        concat!(
            crate::lang::library::optim::begins!(),
            "if closure is not None:
    with torch.enable_grad():
        loss = closure()
with torch.no_grad():
    for group in param_groups:
        lr, decay = group['lr'], group.get('weight_decay', 0)
        for p in group['params']:
            if p.grad is None:
                continue
            g = -p.grad if group.get('maximize') else p.grad
            s = ",
            $state,
            "\n",
            $text,
            crate::lang::library::optim::ends!()
        )
    };
}

pub(super) use step;

/// The start of a step: the decay of weights, as a part of the gradient or of its own.
macro_rules! decayed {
    () => {
        "            s['step'] += 1
            count = s['step'].item()
            if decay and group.get('decoupled_weight_decay'):
                p.mul_(1 - lr * decay)
            elif decay:
                g = g.add(p, alpha=decay)
"
    };
}

/// The means of the gradients and of their squares, as Adam and its kin keep them.
macro_rules! means {
    () => {
        "            one, two = group['betas']
            s['exp_avg'].lerp_(g, 1 - one)
            s['exp_avg_sq'].mul_(two).addcmul_(g, g, value=1 - two)
            size = s['exp_avg_sq']
"
    };
}

const SGD_STEP: &str = step!(
    "state[p] if group['momentum'] else {}",
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

const ADAM_STEP: &str = step!(concat!(
    "            if g.is_sparse:
                raise RuntimeError('Adam does not support sparse gradients, please consider SparseAdam instead')
            if not s:
                s['step'] = torch.tensor(0.)
                s['exp_avg'] = torch.zeros_like(p)
                s['exp_avg_sq'] = torch.zeros_like(p)
                if group['amsgrad']:
                    s['max_exp_avg_sq'] = torch.zeros_like(p)
",
    decayed!(),
    means!(),
    "            if group['amsgrad']:
                torch.maximum(s['max_exp_avg_sq'], size, out=s['max_exp_avg_sq'])
                size = s['max_exp_avg_sq']
            spread = (size.sqrt() / (1 - two ** count) ** 0.5).add_(group['eps'])
            p.addcdiv_(s['exp_avg'], spread, value=-(lr / (1 - one ** count)))"
));

/// As Adam, of the rows that a sparse gradient has; the others stay.
const SPARSE_ADAM_STEP: &str = step!(
    "            if not g.is_sparse:
                raise RuntimeError('SparseAdam does not support dense gradients, please consider Adam instead')
            if not s:
                s['step'] = 0
                s['exp_avg'] = torch.zeros_like(p)
                s['exp_avg_sq'] = torch.zeros_like(p)
            s['step'] += 1
            g = g.coalesce()
            at, values, (one, two) = tuple(g.indices()), g.values(), group['betas']
            if values.numel() == 0:
                continue
            mean, size = s['exp_avg'][at], s['exp_avg_sq'][at]
            toward, widen = values.sub(mean).mul_(1 - one), values.pow(2).sub_(size).mul_(1 - two)
            s['exp_avg'].index_put_(at, toward, accumulate=True)
            s['exp_avg_sq'].index_put_(at, widen, accumulate=True)
            spread = widen.add_(size).sqrt_().add_(group['eps'])
            length = lr * (1 - two ** s['step']) ** 0.5 / (1 - one ** s['step'])
            p.index_put_(at, -length * toward.add_(mean).div_(spread), accumulate=True)"
);

const NADAM_STEP: &str = step!(concat!(
    "            if not s:
                s['step'] = torch.tensor(0.)
                s['mu_product'] = torch.tensor(1.)
                s['exp_avg'] = torch.zeros_like(p)
                s['exp_avg_sq'] = torch.zeros_like(p)
",
    decayed!(),
    means!(),
    "            mu, after = [one * (1 - 0.5 * 0.96 ** (n * group['momentum_decay'])) for n in (count, count + 1)]
            s['mu_product'] *= mu
            held = s['mu_product'].item()
            spread = size.div(1 - two ** count).sqrt().add_(group['eps'])
            p.addcdiv_(g, spread, value=-lr * (1 - mu) / (1 - held))
            p.addcdiv_(s['exp_avg'], spread, value=-lr * after / (1 - held * after))"
));

const RADAM_STEP: &str = step!(concat!(
    "            if not s:
                s['step'] = torch.tensor(0.)
                s['exp_avg'] = torch.zeros_like(p)
                s['exp_avg_sq'] = torch.zeros_like(p)
",
    decayed!(),
    means!(),
    "            far = 2 / (1 - two) - 1
            near = far - 2 * count * two ** count / (1 - two ** count)
            move = s['exp_avg'] / (1 - one ** count) * lr
            if near > 5:
                move = move * ((1 - two ** count) ** 0.5 / size.sqrt().add_(group['eps']))
                move = move * ((near - 4) * (near - 2) * far / ((far - 4) * (far - 2) * near)) ** 0.5
            p.add_(move, alpha=-1)"
));

const ADAMAX_STEP: &str = step!(concat!(
    "            if not s:
                s['step'] = torch.tensor(0.)
                s['exp_avg'] = torch.zeros_like(p)
                s['exp_inf'] = torch.zeros_like(p)
",
    decayed!(),
    "            one, two = group['betas']
            s['exp_avg'].lerp_(g, 1 - one)
            torch.maximum(s['exp_inf'].mul_(two), g.abs().add_(group['eps']), out=s['exp_inf'])
            p.addcdiv_(s['exp_avg'], s['exp_inf'], value=-(lr / (1 - one ** count)))"
));

const ADADELTA_STEP: &str = step!(concat!(
    "            if not s:
                s['step'] = torch.tensor(0.)
                s['square_avg'] = torch.zeros_like(p)
                s['acc_delta'] = torch.zeros_like(p)
",
    decayed!(),
    "            rho, eps = group['rho'], group['eps']
            s['square_avg'].mul_(rho).addcmul_(g, g, value=1 - rho)
            spread = s['square_avg'].add(eps).sqrt_()
            move = s['acc_delta'].add(eps).sqrt_().div_(spread).mul_(g)
            s['acc_delta'].mul_(rho).addcmul_(move, move, value=1 - rho)
            p.add_(move, alpha=-lr)"
));

const RPROP_STEP: &str = step!(
    "            if not s:
                s['step'] = torch.tensor(0.)
                s['prev'] = torch.zeros_like(p)
                s['step_size'] = torch.full_like(g, lr)
            s['step'] += 1
            less, more = group['etas']
            turn = g.mul(s['prev']).sign()
            factor = torch.where(turn > 0, more, torch.where(turn < 0, less, 1.)).to(g.dtype)
            s['step_size'].mul_(factor).clamp_(*group['step_sizes'])
            g = torch.where(turn < 0, 0., g)
            p.addcmul_(g.sign(), s['step_size'], value=-1)
            s['prev'].copy_(g)"
);

const RMSPROP_STEP: &str = step!(concat!(
    "            if not s:
                s['step'] = torch.tensor(0.)
                s['square_avg'] = torch.zeros_like(p)
                if group['momentum'] > 0:
                    s['momentum_buffer'] = torch.zeros_like(p)
                if group['centered']:
                    s['grad_avg'] = torch.zeros_like(p)
",
    decayed!(),
    "            s['square_avg'].mul_(group['alpha']).addcmul_(g, g, value=1 - group['alpha'])
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
));

const ASGD_STEP: &str = step!(
    "            if not s:
                s['step'], s['eta'], s['mu'] = torch.tensor(0.), torch.tensor(float(lr)), torch.tensor(1.)
                s['ax'] = torch.zeros_like(p)
            s['step'] += 1
            if decay:
                g = g.add(p, alpha=decay)
            fall, eta, count = group['lambd'], s['eta'].item(), s['step'].item()
            p.mul_(1 - fall * eta).add_(g, alpha=-eta)
            if s['mu'].item() != 1:
                s['ax'].add_(p.sub(s['ax']).mul_(s['mu']))
            else:
                s['ax'].copy_(p)
            s['eta'].copy_(torch.tensor(lr / (1 + fall * lr * count) ** group['alpha']))
            s['mu'].copy_(torch.tensor(1 / max(1, count - group['t0'])))"
);

const ADAGRAD_STEP: &str = step!(concat!(
    "            if not s:
                s['step'] = torch.tensor(0.)
                s['sum'] = torch.full_like(p, group['initial_accumulator_value'])
",
    decayed!(),
    "            s['sum'].addcmul_(g, g, value=1)
            spread = s['sum'].sqrt().add_(group['eps'])
            p.addcdiv_(g, spread, value=-(lr / (1 + (count - 1) * group['lr_decay'])))"
));

/// Refuses a setting that is less than zero; its name as the message has it.
macro_rules! least {
    ($setting:literal, $title:literal) => {
        concat!("if not 0.0 <= ", $setting, ":\n    raise ValueError(f'Invalid ", $title, ": {", $setting, "}')\n")
    };
    // As a few optimizers ask it, from the other side.
    (below $setting:literal, $title:literal) => {
        concat!("if ", $setting, " < 0.0:\n    raise ValueError(f'Invalid ", $title, ": {", $setting, "}')\n")
    };
    (lr) => {
        concat!(
            "if isinstance(lr, torch.Tensor) and lr.numel() != 1:\n    raise ValueError('Tensor lr must be 1-element')\n",
            least!("lr", "learning rate")
        )
    };
    (eps) => {
        least!("eps", "epsilon value")
    };
    (weight_decay) => {
        least!("weight_decay", "weight_decay value")
    };
    (betas) => {
        "\
for number in (0, 1):
    if not 0 <= betas[number] < 1:
        raise ValueError(f'Invalid beta parameter at index {number}: {betas[number]}')
"
    };
}

/// The betas that are not given, and what Adam and its kin refuse.
macro_rules! usual {
    () => {
        concat!(
            "betas = (0.9, 0.999) if betas is None else betas
if isinstance(lr, torch.Tensor):
    if foreach and not capturable:
        raise ValueError('lr as a Tensor is not supported for capturable=False and foreach=True')
",
            least!(lr),
            least!(eps),
            least!(betas),
            least!(weight_decay)
        )
    };
}

/// An optimizer: its settings, the text that checks them, those that a group has, in their order, and the text of a step.
macro_rules! optimizer {
    ($name:literal, $module:literal, [$($setting:expr),*], $checks:expr, [$($kept:ident),*], $step:expr) => {
        &Written {
            name: $name,
            module: concat!("torch.optim.", $module),
            base: Some(&OPTIMIZER),
            settings: &[PARAMS, $($setting),*],
            holds: HOLDS,
            make: groups!($checks, concat!("dict(", $(stringify!($kept), "=", stringify!($kept), ", ",)* ")")),
            members: &[method("step", CLOSURE, $step)],
        }
    };
}

/// Adam or AdamW: they differ in the decay of weights, in whether it is part of the gradient, and in the order of two settings.
macro_rules! adam {
    ($name:literal, $module:literal, $decay:expr, [$first:expr, $second:expr], $is_decoupled:literal) => {
        optimizer!(
            $name,
            $module,
            [
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
                ("decoupled_weight_decay", Unless::Bool($is_decoupled))
            ],
            usual!(),
            [lr, betas, eps, weight_decay, amsgrad, maximize, foreach, capturable, differentiable, fused, decoupled_weight_decay],
            ADAM_STEP
        )
    };
}

/// The rows.
pub(super) static KINDS: &[&Written] = &[
    optimizer!(
        "SGD",
        "sgd",
        [
            ("lr", Unless::Float(0.001)),
            ("momentum", Unless::Int(0)),
            ("dampening", Unless::Int(0)),
            ("weight_decay", Unless::Int(0)),
            ("nesterov", Unless::Bool(false)),
            MODES[1],
            MODES[0],
            MODES[3],
            ("fused", Unless::None)
        ],
        concat!(
            "if isinstance(lr, torch.Tensor) and lr.numel() != 1:\n    raise ValueError('Tensor lr must be 1-element')\n",
            least!(below "lr", "learning rate"),
            least!(below "momentum", "momentum value"),
            least!(below "weight_decay", "weight_decay value"),
            "if nesterov and (momentum <= 0 or dampening != 0):
    raise ValueError('Nesterov momentum requires a momentum and zero dampening')"
        ),
        [lr, momentum, dampening, weight_decay, nesterov, maximize, foreach, differentiable, fused],
        SGD_STEP
    ),
    adam!("Adam", "adam", Unless::Int(0), [MODES[0], MODES[1]], false),
    adam!("AdamW", "adamw", Unless::Float(0.01), [MODES[1], MODES[0]], true),
    optimizer!(
        "NAdam",
        "nadam",
        [
            ("lr", Unless::Float(0.002)),
            ("betas", Unless::None),
            ("eps", Unless::Float(1e-8)),
            ("weight_decay", Unless::Int(0)),
            ("momentum_decay", Unless::Float(0.004)),
            ("decoupled_weight_decay", Unless::Bool(false)),
            MODES[0],
            MODES[1],
            MODES[2],
            MODES[3]
        ],
        concat!(usual!(), least!("momentum_decay", "momentum_decay value")),
        [lr, betas, eps, weight_decay, momentum_decay, decoupled_weight_decay, maximize, foreach, capturable, differentiable],
        NADAM_STEP
    ),
    optimizer!(
        "RAdam",
        "radam",
        [
            ("lr", Unless::Float(0.001)),
            ("betas", Unless::None),
            ("eps", Unless::Float(1e-8)),
            ("weight_decay", Unless::Int(0)),
            ("decoupled_weight_decay", Unless::Bool(false)),
            MODES[0],
            MODES[1],
            MODES[2],
            MODES[3]
        ],
        usual!(),
        [lr, betas, eps, weight_decay, maximize, foreach, capturable, decoupled_weight_decay, differentiable],
        RADAM_STEP
    ),
    optimizer!(
        "Adamax",
        "adamax",
        [
            ("lr", Unless::Float(0.002)),
            ("betas", Unless::None),
            ("eps", Unless::Float(1e-8)),
            ("weight_decay", Unless::Int(0)),
            MODES[0],
            MODES[1],
            MODES[3],
            MODES[2]
        ],
        usual!(),
        [lr, betas, eps, weight_decay, foreach, maximize, differentiable, capturable],
        ADAMAX_STEP
    ),
    optimizer!(
        "SparseAdam",
        "sparse_adam",
        [("lr", Unless::Float(0.001)), ("betas", Unless::None), ("eps", Unless::Float(1e-8)), MODES[1]],
        concat!("betas = (0.9, 0.999) if betas is None else betas\n", least!(lr), least!(eps), least!(betas)),
        [lr, betas, eps, maximize],
        SPARSE_ADAM_STEP
    ),
    optimizer!(
        "Adadelta",
        "adadelta",
        [
            ("lr", Unless::Float(1.0)),
            ("rho", Unless::Float(0.9)),
            ("eps", Unless::Float(1e-6)),
            ("weight_decay", Unless::Int(0)),
            MODES[0],
            MODES[2],
            MODES[1],
            MODES[3]
        ],
        concat!(
            least!(lr),
            "if not 0.0 <= rho <= 1.0:
    raise ValueError(f'Invalid rho value: {rho}')\n",
            least!(eps),
            least!(weight_decay)
        ),
        [lr, rho, eps, weight_decay, maximize, capturable, foreach, differentiable],
        ADADELTA_STEP
    ),
    optimizer!(
        "Rprop",
        "rprop",
        [
            ("lr", Unless::Float(0.01)),
            ("etas", Unless::None),
            ("step_sizes", Unless::None),
            MODES[2],
            MODES[0],
            MODES[1],
            MODES[3]
        ],
        concat!(
            "etas, step_sizes = etas or (0.5, 1.2), step_sizes or (1e-06, 50)\n",
            least!(lr),
            "if not 0.0 < etas[0] < 1.0 < etas[1]:
    raise ValueError(f'Invalid eta values: {etas[0]}, {etas[1]}')"
        ),
        [lr, etas, step_sizes, foreach, maximize, differentiable, capturable],
        RPROP_STEP
    ),
    optimizer!(
        "RMSprop",
        "rmsprop",
        [
            ("lr", Unless::Float(0.01)),
            ("alpha", Unless::Float(0.99)),
            ("eps", Unless::Float(1e-8)),
            ("weight_decay", Unless::Int(0)),
            ("momentum", Unless::Int(0)),
            ("centered", Unless::Bool(false)),
            MODES[2],
            MODES[0],
            MODES[1],
            MODES[3]
        ],
        concat!(
            least!(lr),
            least!(eps),
            least!("momentum", "momentum value"),
            least!(weight_decay),
            least!("alpha", "alpha value")
        ),
        [lr, momentum, alpha, eps, centered, weight_decay, capturable, foreach, maximize, differentiable],
        RMSPROP_STEP
    ),
    optimizer!(
        "ASGD",
        "asgd",
        [
            ("lr", Unless::Float(0.01)),
            ("lambd", Unless::Float(1e-4)),
            ("alpha", Unless::Float(0.75)),
            ("t0", Unless::Float(1e6)),
            ("weight_decay", Unless::Int(0)),
            MODES[0],
            MODES[1],
            MODES[3],
            MODES[2]
        ],
        concat!(least!(lr), least!("lambd", "lambd value"), least!("alpha", "alpha value"), least!(weight_decay)),
        [lr, lambd, alpha, t0, weight_decay, foreach, maximize, differentiable, capturable],
        ASGD_STEP
    ),
    &Written {
        name: "LBFGS",
        module: "torch.optim.lbfgs",
        base: Some(&OPTIMIZER),
        settings: &[
            PARAMS,
            ("lr", Unless::Int(1)),
            ("max_iter", Unless::Int(20)),
            ("max_eval", Unless::None),
            ("tolerance_grad", Unless::Float(1e-7)),
            ("tolerance_change", Unless::Float(1e-9)),
            ("history_size", Unless::Int(100)),
            ("line_search_fn", Unless::None),
            MODES[1],
        ],
        holds: HOLDS,
        make: concat!(groups!(
            concat!(least!(lr), "max_eval = max_iter * 5 // 4 if max_eval is None else max_eval\n"),
            "dict(lr=lr, max_iter=max_iter, max_eval=max_eval, tolerance_grad=tolerance_grad, tolerance_change=tolerance_change, history_size=history_size, line_search_fn=line_search_fn, maximize=maximize)"
        ),),
        members: &[
            attribute(
                "_check",
                "if len(param_groups) != 1:\n    raise ValueError(\"LBFGS doesn't support per-parameter options (parameter groups)\")",
            ),
            method("step", &[("closure", Unless::Required)], super::lbfgs::STEP),
        ],
    },
    optimizer!(
        "Adagrad",
        "adagrad",
        [
            ("lr", Unless::Float(0.01)),
            ("lr_decay", Unless::Int(0)),
            ("weight_decay", Unless::Int(0)),
            ("initial_accumulator_value", Unless::Int(0)),
            ("eps", Unless::Float(1e-10)),
            MODES[0],
            MODES[1],
            MODES[3],
            ("fused", Unless::None)
        ],
        concat!(
            least!(lr),
            least!("lr_decay", "lr_decay value"),
            least!(weight_decay),
            least!("initial_accumulator_value", "initial_accumulator_value value"),
            least!(eps)
        ),
        [lr, lr_decay, eps, weight_decay, initial_accumulator_value, foreach, maximize, differentiable, fused],
        ADAGRAD_STEP
    ),
    &super::matrices::ADAFACTOR,
    &super::matrices::MUON,
];
