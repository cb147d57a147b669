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
