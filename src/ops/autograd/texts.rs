//! Gradients that rows of several families have.

/// 0 for every element, as of functions that go in steps.
pub const FLAT: &str = "self.new_zeros(self.shape)";

/// A text for what was picked along a dimension, at the places of the second result.
pub const PICKED: &str = "places = results[1]
along = grad
if places.ndim < self.ndim:
    places = places.unsqueeze(dim)
    along = grad.unsqueeze(dim)
self.new_zeros(self.shape).scatter_add(dim, places, along)";

/// What has no gradient in PyTorch, which says so when it goes back.
macro_rules! none {
    ($name:literal) => {
        concat!("raise RuntimeError('derivative for aten::", $name, " is not implemented')")
    };
}

/// The same of what PyTorch knows the gradient of in part, and says so in other words.
macro_rules! unknown {
    ($name:literal) => {
        concat!("raise NotImplementedError('the derivative for \\'", $name, "\\' is not implemented.')")
    };
}

/// A text that sees `dims`, the dimensions that were reduced, `kept`, the gradient with them as 1, and `r`, the result so.
macro_rules! reduced {
    ($text:literal) => {
        concat!(
            "dims = list(range(self.ndim)) if dim is None or dim == () or dim == [] else [d % max(self.ndim, 1) for d in ([dim] if isinstance(dim, int) else dim)]\n",
            "ones = [1 if k in dims else n for k, n in enumerate(self.shape)]\n",
            "kept = grad.reshape(ones)\n",
            $text
        )
    };
}

/// As `reduced`, of all dimensions.
macro_rules! whole {
    ($text:literal) => {
        concat!("dims = list(range(self.ndim))\nones = [1] * self.ndim\nkept = grad.reshape(ones)\n", $text)
    };
}

/// A rule that computes the result again, in steps that have rules, and goes back through these. `$before` is run first.
macro_rules! again {
    ($param:literal, $text:literal, $before:expr) => {
        concat!(
            "recorded = torch.is_grad_enabled()\n",
            $before,
            "with torch.enable_grad():\n    ",
            $param,
            " = ",
            $param,
            ".clone() if recorded else ",
            $param,
            ".detach().requires_grad_()\n    again = ",
            $text,
            "\n",
            "torch.autograd.grad(again, ",
            $param,
            ", grad, retain_graph=True, create_graph=recorded)[0]"
        )
    };
}

/// As `again`, for a list of tensors.
macro_rules! again_list {
    ($param:literal, $text:literal) => {
        concat!(
            "recorded = torch.is_grad_enabled()\n",
            "with torch.enable_grad():\n    ",
            $param,
            " = [t.clone() if recorded and t.requires_grad else t.detach().requires_grad_(t.dtype.is_floating_point or t.dtype.is_complex) for t in ",
            $param,
            "]\n    again = ",
            $text,
            "\n",
            "own = [t for t in ",
            $param,
            " if t.requires_grad]\nfound = list(torch.autograd.grad(again, own, grads, retain_graph=True, create_graph=recorded, allow_unused=True))\n",
            "[found.pop(0) if t.requires_grad else None for t in ",
            $param,
            "]"
        )
    };
}

pub(in crate::ops) use {again, again_list, none, reduced, unknown, whole};
