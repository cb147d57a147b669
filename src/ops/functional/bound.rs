//! The arguments of a function inside of another, as PyTorch's binding layer takes them.

use super::function_of_calls;
use crate::ops::{Args, bound as bind_to};
use crate::value::Value;
use anyhow::Result;

rows![function_of_calls(
    "nn.functional._bound(str name, str takes, Any given) -> Any",
    "The values of a list as the parameters of `takes` have them. What does not fit is refused in the name of the function.",
    "torch.nn.functional._bound('f', '(int[2] size, bool flag)', [3, True])  # (torch.Size([3, 3]), True)",
    bound
)];

fn bound(args: &Args) -> Result<Value> {
    let (name, takes): (String, String) = (args.get(0)?, args.get(1)?);
    let given = args.value(2).items().unwrap_or_default();
    Ok(Value::tuple(bind_to(&name, &takes, given.to_vec())?))
}
