//! Layers that learn the size of their input from the first one, and are ordinary ones from then on.

use super::{INPUT, Kind, weighted};
use crate::lang::library::construct::Settings;
use crate::lang::library::construct::Unless::{Bool, Float, Required};
use crate::value::Value;

/// The settings of a layer without the size that it learns.
const fn learned(settings: Settings) -> Settings {
    match settings {
        [_, rest @ ..] => rest,
        [] => settings,
    }
}

const CONV: Settings = learned(weighted::CONV);
const TURNED: Settings = learned(weighted::TURNED);
const NORM: Settings = &[
    ("eps", Float(1e-5)),
    ("momentum", Float(0.1)),
    ("affine", Bool(true)),
    ("track_running_stats", Bool(true)),
    ("bias", Bool(true)),
];
const INSTANCE_NORM: Settings = &[
    ("eps", Float(1e-5)),
    ("momentum", Float(0.1)),
    ("affine", Bool(false)),
    ("track_running_stats", Bool(false)),
    ("bias", Bool(true)),
];

/// What waits for its size.
const WEIGHTS: &str = "[torch.nn.Parameter(torch.empty(0)), torch.nn.Parameter(torch.empty(0)) if bias else None]";
const STATS: &str = "\
weights = [torch.nn.Parameter(torch.empty(0)), torch.nn.Parameter(torch.empty(0)) if bias else None] if affine else [None] * 2
stats = [torch.empty(0), torch.empty(0), torch.tensor(0)] if track_running_stats else [None] * 3
[*weights, *stats]";

/// How many channels an input of a convolution over so many dimensions has.
macro_rules! channels {
    ($name:literal, $dims:literal) => {
        concat!(
            "n = ",
            $dims,
            "
if input.dim() not in (n + 1, n + 2):
    raise RuntimeError(f'Expected {n + 1}D (unbatched) or {n + 2}D (batched) input to ",
            $name,
            ", but got input of size: {input.shape}')
count = input.shape[1] if input.dim() == n + 2 else input.shape[0]
if count % groups != 0:
    raise ValueError('in_channels must be divisible by groups')
count"
        )
    };
}

/// One of a name with the settings that are given; `run` is how large its input is.
const fn lazy(name: &'static str, module: &'static str, settings: Settings, make: &'static str, run: &'static str) -> Kind {
    let buffers: &[&str] = if matches!(module.as_bytes(), b"conv" | b"linear") { &[] } else { weighted::NORM_BUFFERS };
    Kind { name, module, settings, takes: INPUT, holds: weighted::WEIGHTS, buffers, make, run, shows: |_| String::new() }
}

/// The rows.
pub(super) static KINDS: &[Kind] = &[
    lazy("LazyBatchNorm1d", "batchnorm", NORM, STATS, "input.shape[1]"),
    lazy("LazyBatchNorm2d", "batchnorm", NORM, STATS, "input.shape[1]"),
    lazy("LazyBatchNorm3d", "batchnorm", NORM, STATS, "input.shape[1]"),
    lazy("LazyConv1d", "conv", CONV, WEIGHTS, channels!("LazyConv1d", 1)),
    lazy("LazyConv2d", "conv", CONV, WEIGHTS, channels!("LazyConv2d", 2)),
    lazy("LazyConv3d", "conv", CONV, WEIGHTS, channels!("LazyConv3d", 3)),
    lazy("LazyConvTranspose1d", "conv", TURNED, WEIGHTS, channels!("LazyConvTranspose1d", 1)),
    lazy("LazyConvTranspose2d", "conv", TURNED, WEIGHTS, channels!("LazyConvTranspose2d", 2)),
    lazy("LazyConvTranspose3d", "conv", TURNED, WEIGHTS, channels!("LazyConvTranspose3d", 3)),
    lazy("LazyInstanceNorm1d", "instancenorm", INSTANCE_NORM, STATS, "input.shape[1]"),
    lazy("LazyInstanceNorm2d", "instancenorm", INSTANCE_NORM, STATS, "input.shape[1]"),
    lazy("LazyInstanceNorm3d", "instancenorm", INSTANCE_NORM, STATS, "input.shape[1]"),
    lazy("LazyLinear", "linear", &[("out_features", Required), ("bias", Bool(true))], WEIGHTS, "input.shape[-1]"),
];

impl Kind {
    /// What a lazy one becomes; none for one that is not lazy.
    pub fn becomes(&self) -> Option<&'static Kind> {
        let name = self.name.strip_prefix("Lazy")?;
        super::every().find(|kind| kind.name == name)
    }

    /// The name of what it is, or becomes.
    pub fn stem(&self) -> &'static str {
        self.name.strip_prefix("Lazy").unwrap_or(self.name)
    }

    /// As text, of its settings.
    pub fn shown(&self, settings: &[(&'static str, Value)]) -> String {
        (self.becomes().map_or(self.shows, |kind| kind.shows))(settings)
    }
}
