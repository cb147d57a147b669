//! The step of `LBFGS`: it looks for the least of a function along directions that past gradients tell.

/// The text of a step.
pub(super) const STEP: &str = "\
self._opt_called = True
group, own = param_groups[0], param_groups[0]['params']
sign = -1 if group['maximize'] else 1
def ask():
    with torch.enable_grad():
        return closure()
def gather():
    parts = [p.new_zeros(p.numel()) if p.grad is None else p.grad.view(-1) for p in own]
    flat = torch.cat(parts, 0)
    return flat.neg_() if group['maximize'] else flat
def go(length, along):
    start = 0
    for p in own:
        p.add_(along[start:start + p.numel()].view_as(p), alpha=length)
        start += p.numel()
def cubic(x1, f1, g1, x2, f2, g2, bounds=None):
    low, high = bounds or ((x1, x2) if x1 <= x2 else (x2, x1))
    d1 = g1 + g2 - 3 * (f1 - f2) / (x1 - x2)
    square = d1 ** 2 - g1 * g2
    if square < 0:
        return (low + high) / 2.0
    d2 = square.sqrt()
    if x1 <= x2:
        least = x2 - (x2 - x1) * ((g2 + d2 - d1) / (g2 - g1 + 2 * d2))
    else:
        least = x1 - (x1 - x2) * ((g1 + d2 - d1) / (g1 - g2 + 2 * d2))
    return min(max(least, low), high)
def search(start, t, d, f, g, slope, most):
    def look(t):
        go(t, d)
        loss, flat = sign * float(ask()), gather()
        for p, before in zip(own, start):
            p.copy_(before)
        return t, loss, flat, flat.dot(d)
    is_flat = lambda found: abs(found[3]) <= -0.9 * slope
    is_above = lambda found, other: found[1] > f + 1e-4 * found[0] * slope or found[1] >= other
    before, now = (0, f, g.clone(), slope), look(t)
    evals, turns, done = 1, 0, False
    bracket = [before, now]
    while turns < most:
        if is_above(now, before[1] if turns > 1 else math.inf) or now[3] >= 0 and not is_flat(now):
            bracket = [before, now]
            break
        if is_flat(now):
            bracket, done = [now], True
            break
        bounds = now[0] + 0.01 * (now[0] - before[0]), now[0] * 10
        t = cubic(before[0], before[1], before[3], now[0], now[1], now[3], bounds)
        before, now = now, look(t)
        evals, turns = evals + 1, turns + 1
    if turns == most:
        bracket = [(0, f, g, slope), now]
    stuck = False
    low, high = (0, 1) if bracket[0][1] <= bracket[-1][1] else (1, 0)
    width = d.abs().max()
    while not done and turns < most:
        (t1, f1, _, g1), (t2, f2, _, g2) = bracket
        if abs(t2 - t1) * width < group['tolerance_change']:
            break
        t, least, largest = cubic(t1, f1, g1, t2, f2, g2), min(t1, t2), max(t1, t2)
        edge = 0.1 * (largest - least)
        if min(largest - t, t - least) >= edge:
            stuck = False
        elif stuck or t >= largest or t <= least:
            t, stuck = largest - edge if abs(t - largest) < abs(t - least) else least + edge, False
        else:
            stuck = True
        now = look(t)
        evals, turns = evals + 1, turns + 1
        if is_above(now, bracket[low][1]):
            bracket[high] = now
            low, high = (0, 1) if bracket[0][1] <= bracket[1][1] else (1, 0)
        else:
            if is_flat(now):
                done = True
            elif now[3] * (bracket[high][0] - bracket[low][0]) >= 0:
                bracket[high] = bracket[low]
            bracket[low] = now
    t, loss, flat, _ = bracket[low]
    return loss, flat, t, evals
def step():
    s = state[own[0]]
    s.setdefault('func_evals', 0)
    s.setdefault('n_iter', 0)
    first = ask()
    loss, evals, flat = sign * float(first), 1, gather()
    s['func_evals'] += 1
    is_least = lambda: flat.abs().max() <= group['tolerance_grad']
    if is_least():
        return first
    d, t, before, before_loss = s.get('d'), s.get('t'), s.get('prev_flat_grad'), s.get('prev_loss')
    ys, ss, ro, scale = s.get('old_dirs'), s.get('old_stps'), s.get('ro'), s.get('H_diag')
    for turn in range(1, group['max_iter'] + 1):
        s['n_iter'] += 1
        if s['n_iter'] == 1:
            d, ys, ss, ro, scale = flat.neg(), [], [], [], 1
        else:
            y, way = flat.sub(before), d.mul(t)
            bend = y.dot(way)
            if bend > 1e-10:
                if len(ys) == group['history_size']:
                    for held in (ys, ss, ro):
                        held.pop(0)
                ys.append(y)
                ss.append(way)
                ro.append(1.0 / bend)
                scale = bend / y.dot(y)
            al = s.setdefault('al', [None] * group['history_size'])
            q = flat.neg()
            for i in reversed(range(len(ys))):
                al[i] = ss[i].dot(q) * ro[i]
                q.add_(ys[i], alpha=-al[i])
            d = torch.mul(q, scale)
            for i in range(len(ys)):
                d.add_(ss[i], alpha=al[i] - ys[i].dot(d) * ro[i])
        before = flat.clone() if before is None else before.copy_(flat)
        before_loss = loss
        t = min(1.0, 1.0 / flat.abs().sum()) * group['lr'] if s['n_iter'] == 1 else group['lr']
        slope = flat.dot(d)
        if slope > -group['tolerance_change']:
            break
        more = 0
        if group['line_search_fn'] is not None:
            if group['line_search_fn'] != 'strong_wolfe':
                raise RuntimeError(\"only 'strong_wolfe' is supported\")
            start = [p.clone() for p in own]
            loss, flat, t, more = search(start, t, d, loss, flat, slope, group['max_eval'] - evals)
            go(t, d)
        else:
            go(t, d)
            if turn != group['max_iter']:
                loss, more = sign * float(ask()), 1
                flat = gather()
        evals += more
        s['func_evals'] += more
        if turn == group['max_iter'] or evals >= group['max_eval'] or is_least():
            break
        if d.mul(t).abs().max() <= group['tolerance_change'] or abs(loss - before_loss) < group['tolerance_change']:
            break
    s.update({'d': d, 't': t, 'old_dirs': ys, 'old_stps': ss, 'ro': ro, 'H_diag': scale, 'prev_flat_grad': before, 'prev_loss': before_loss})
    return first
with torch.no_grad():
    result = step()
result";
