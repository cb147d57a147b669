//! Gradients that rows of several families have.

/// 0 for every element, as of functions that go in steps.
pub const FLAT: &str = "self.new_zeros(self.shape)";
