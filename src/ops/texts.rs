//! What texts of the language, of which operations are made, have in common.

/// The lines of a text of the language that refuse an `input` of other numbers than floats in the name of PyTorch's kernel.
macro_rules! only_floats {
    ($kernel:literal) => {
        concat!(
            "if not input.is_floating_point():\n    raise NotImplementedError(f'\"",
            $kernel,
            "\" not implemented for \\'{input.type()[6:-6]}\\'')\n"
        )
    };
}
