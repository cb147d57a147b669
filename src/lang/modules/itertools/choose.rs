//! Products, permutations and combinations, in lexicographic order of places.

use crate::lang::types::call::Call;
use crate::lang::types::iter::Walk;
use crate::lang::types::{convert, iter, limits};
use crate::value::{Outcome, Value};

fn pool(c: &mut Call<'_>, place: usize) -> Outcome<Vec<Value>> {
    let items = c.arg(place).clone();
    iter::collect(c.machine, &items)
}

fn chosen(pool: &[Value], places: &[usize]) -> Value {
    Value::tuple(places.iter().filter_map(|i| pool.get(*i).cloned()).collect())
}

/// `product(*iterables, repeat=1)`: the last place runs fastest.
pub fn product(c: &mut Call<'_>) -> Outcome {
    let repeat = c.take_keyword("repeat").map_or(Ok(1), |v| convert::to_i64(&v))?;
    c.no_more_keywords("product")?;
    let Ok(repeat) = usize::try_from(repeat) else { fault!(ValueError, "repeat argument cannot be negative") };
    let args = c.args();
    limits::check_items(args.len().saturating_mul(repeat))?;
    let once = args.iter().map(|v| iter::collect(c.machine, v)).collect::<Outcome<Vec<_>>>()?;
    let pools: Vec<Vec<Value>> = (0..repeat).flat_map(|_| once.clone()).collect();
    let mut places = if pools.iter().any(Vec::is_empty) { None } else { Some(vec![0; pools.len()]) };
    Ok(Walk::value("itertools.product", move |_| {
        let Some(current) = &mut places else { return Ok(None) };
        let row = pools.iter().zip(current.iter()).filter_map(|(pool, i)| pool.get(*i).cloned()).collect();
        let step = (0..current.len()).rev().find(|k| current[*k] + 1 < pools[*k].len());
        match step {
            Some(k) => {
                current[k] += 1;
                current[k + 1..].fill(0);
            }
            None => places = None,
        }
        Ok(Some(Value::tuple(row)))
    }))
}

fn count_argument(c: &Call<'_>, default: usize) -> Outcome<usize> {
    let Some(value) = c.some(1) else { return Ok(default) };
    if !matches!(value, Value::Int(_) | Value::Bool(_) | Value::BigInt(_)) {
        fault!(TypeError, "Expected int as r");
    }
    match usize::try_from(convert::to_i64(value)?) {
        Ok(count) => Ok(count),
        Err(_) => fault!(ValueError, "r must be non-negative"),
    }
}

/// `permutations(iterable, r=None)`.
pub fn permutations(c: &mut Call<'_>) -> Outcome {
    let pool = pool(c, 0)?;
    let (n, r) = (pool.len(), count_argument(c, pool.len())?);
    let mut places: Option<Vec<usize>> = (r <= n).then(|| (0..n).collect());
    // How often each place can still be turned before it comes round.
    let mut turns: Vec<usize> = (0..r.min(n)).map(|i| n - i).collect();
    Ok(Walk::value("itertools.permutations", move |_| {
        let Some(current) = &mut places else { return Ok(None) };
        let row = chosen(&pool, &current[..r]);
        let mut more = false;
        for i in (0..r).rev() {
            turns[i] -= 1;
            if turns[i] == 0 {
                current[i..].rotate_left(1);
                turns[i] = n - i;
            } else {
                let j = n - turns[i];
                current.swap(i, j);
                more = true;
                break;
            }
        }
        if !more {
            places = None;
        }
        Ok(Some(row))
    }))
}

/// `combinations(iterable, r)`, with or without repetition.
pub fn combinations(c: &mut Call<'_>, repeats: bool) -> Outcome {
    let pool = pool(c, 0)?;
    let (n, r) = (pool.len(), count_argument(c, 0)?);
    let possible = if repeats { n > 0 || r == 0 } else { r <= n };
    if possible {
        limits::check_items(r)?;
    }
    let first = |i: usize| if repeats { 0 } else { i };
    let mut places: Option<Vec<usize>> = possible.then(|| (0..r).map(first).collect());
    let name = if repeats { "itertools.combinations_with_replacement" } else { "itertools.combinations" };
    Ok(Walk::value(name, move |_| {
        let Some(current) = &mut places else { return Ok(None) };
        let row = chosen(&pool, current);
        let last = |i: usize| if repeats { n - 1 } else { i + n - r };
        match (0..r).rev().find(|i| current[*i] < last(*i)) {
            Some(i) => {
                let value = current[i] + 1;
                for (j, place) in current.iter_mut().enumerate().skip(i) {
                    *place = if repeats { value } else { value + j - i };
                }
            }
            None => places = None,
        }
        Ok(Some(row))
    }))
}
