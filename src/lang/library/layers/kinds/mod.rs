//! The tables of layers: what each is made with, what it holds, what it computes, and how it is shown.

mod adaptive;
mod attention;
mod attributes;
mod checks;
mod lazy;
mod losses;
pub(super) mod parametrized;
mod plain;
mod recurrent;
mod unpool;
mod weighted;

use crate::lang::library::construct::Settings;
use crate::lang::library::construct::Unless::Required;
use crate::lang::types::format_spec::format_value;
use crate::ops::number_of_numpy;
use crate::value::Value;

type Shows = fn(&[(&'static str, Value)]) -> String;

/// A kind of layer.
pub struct Kind {
    /// Its name.
    pub name: &'static str,
    /// The module of `torch.nn.modules` it is from.
    pub module: &'static str,
    /// What it is made with, in order.
    pub settings: Settings,
    /// What it is called with.
    pub takes: Settings,
    /// The names of its parameters.
    pub holds: &'static [&'static str],
    /// The names of its buffers.
    pub buffers: &'static [&'static str],
    /// A text whose value is a list of parameters and buffers, from the settings; or a dict of all it holds where that has no fixed
    /// names.
    pub make: &'static str,
    /// A text whose value is the result, from the input, what it holds, its settings and `training`; and `self`, where what it holds
    /// has no fixed names.
    pub run: &'static str,
    /// What it shows of its settings.
    pub shows: Shows,
}

impl Kind {
    /// Who takes the settings there, as messages about them say: for some kinds it is what they have in common with others.
    pub fn maker(&self) -> &'static str {
        if self.name.starts_with("Lazy") && self.name.contains("Norm") {
            return "_LazyNormBase";
        }
        const COMMON: [(&str, &[&str]); 10] = [
            ("RNNBase", &["RNN", "LSTM", "GRU"]),
            ("_AdaptiveAvgPoolNd", &["AdaptiveAvgPool1d", "AdaptiveAvgPool2d", "AdaptiveAvgPool3d"]),
            ("_AdaptiveMaxPoolNd", &["AdaptiveMaxPool1d", "AdaptiveMaxPool2d", "AdaptiveMaxPool3d"]),
            ("_BatchNorm", &["BatchNorm1d", "BatchNorm2d", "BatchNorm3d"]),
            ("_DropoutNd", &["AlphaDropout", "Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "FeatureAlphaDropout"]),
            ("_InstanceNorm", &["InstanceNorm1d", "InstanceNorm2d", "InstanceNorm3d"]),
            ("_LPPoolNd", &["LPPool1d", "LPPool2d", "LPPool3d"]),
            ("_Loss", &["L1Loss", "MSELoss", "MultiLabelMarginLoss", "SoftMarginLoss"]),
            ("_MaxPoolNd", &["MaxPool1d", "MaxPool2d", "MaxPool3d"]),
            ("_WeightedLoss", &["BCELoss", "MultiLabelSoftMarginLoss"]),
        ];
        COMMON.iter().find(|(_, kinds)| kinds.contains(&self.name)).map_or(self.name, |(common, _)| common)
    }

    /// Who takes what a layer is called with, as messages say it.
    pub fn caller(&self) -> &'static str {
        /// How names begin that have their call in common.
        const COMMON: [(&str, &str); 8] = [
            ("BatchNorm", "_BatchNorm"),
            ("CircularPad", "_CircularPadNd"),
            ("ConstantPad", "_ConstantPadNd"),
            ("InstanceNorm", "_InstanceNorm"),
            ("ReflectionPad", "_ReflectionPadNd"),
            ("ReplicationPad", "_ReplicationPadNd"),
            ("Upsampling", "Upsample"),
            ("ZeroPad", "_ConstantPadNd"),
        ];
        COMMON.iter().find(|(start, _)| self.name.starts_with(start)).map_or(self.name, |(_, common)| common)
    }

    /// What it computes of sequences that lie packed; none where it does not take them.
    pub fn run_packed(&self) -> Option<&'static str> {
        recurrent::PACKED.iter().find(|(name, _)| *name == self.name).map(|(_, run)| *run)
    }

    /// The kind with buffers, and a text that makes what it holds.
    const fn with_buffers(mut self, buffers: &'static [&'static str], make: &'static str) -> Kind {
        (self.buffers, self.make) = (buffers, make);
        self
    }

    /// True where it is said on which device, and of what dtype, what it holds is made.
    pub fn has_place(&self) -> bool {
        !self.make.is_empty() && self.module != "loss" && !["TransformerEncoder", "TransformerDecoder"].contains(&self.name)
    }

    /// Makes a tuple with a number for each dimension of settings that may be one number for all. A pool's stride is its size unless
    /// given, and the place of padding is counted from the first row.
    pub fn spread(&self, settings: &mut [(&'static str, Value)]) {
        const WINDOW: &[&str] = &["kernel_size", "stride", "padding", "output_padding", "dilation"];
        /// How names begin, the settings, and how many numbers there are for a dimension.
        const SPREAD: [(&str, &[&str], usize); 11] = [
            ("AvgPool1d", WINDOW, 1),
            ("CircularPad", &["padding"], 2),
            ("ConstantPad", &["padding"], 2),
            ("Conv", WINDOW, 1),
            ("FractionalMaxPool", &["kernel_size", "output_size"], 1),
            ("LayerNorm", &["normalized_shape"], 1),
            ("MaxUnpool", WINDOW, 1),
            ("RMSNorm", &["normalized_shape"], 1),
            ("ReflectionPad", &["padding"], 2),
            ("ReplicationPad", &["padding"], 2),
            ("ZeroPad", &["padding"], 2),
        ];
        if ["AvgPool", "MaxPool", "MaxUnpool"].iter().any(|pool| self.name.starts_with(pool)) {
            let size = setting(settings, "kernel_size").clone();
            settings
                .iter_mut()
                .filter(|(name, value)| *name == "stride" && value.is(&Value::None))
                .for_each(|(_, value)| *value = size.clone());
        }
        if self.name.starts_with("Embedding")
            && let (Value::Int(count), Value::Int(place)) =
                (setting(settings, "num_embeddings"), setting(settings, "padding_idx"))
            && *count > 0
            && (-count..0).contains(place)
        {
            let place = Value::Int(count + place);
            settings.iter_mut().filter(|(name, _)| *name == "padding_idx").for_each(|(_, value)| *value = place.clone());
        }
        if self.module == "upsampling" {
            settings.iter_mut().filter(|(name, _)| *name == "scale_factor").for_each(|(_, factor)| *factor = in_float(factor));
        }
        let Some((_, names, each)) = SPREAD.iter().find(|(start, ..)| self.stem().starts_with(start)) else { return };
        let dims = self.name.bytes().find(u8::is_ascii_digit).map_or(1, |digit| (digit - b'0') as usize);
        for (_, value) in settings.iter_mut().filter(|(name, _)| names.contains(name)) {
            *value = match &*value {
                Value::Int(_) => Value::tuple(vec![value.clone(); dims * each]),
                Value::Object(_) if number_of_numpy(value).is_some() => Value::tuple(vec![value.clone(); dims * each]),
                Value::None if self.name.starts_with("Fractional") => Value::None,
                Value::Float(_) | Value::Bool(_) | Value::None if !self.name.ends_with("Norm") => {
                    Value::tuple(vec![value.clone(); dims * each])
                }
                Value::List(items) => Value::tuple(items.borrow().clone()),
                other => other.clone(),
            };
        }
    }
}

/// A factor, or a tuple of several, as floats.
fn in_float(factor: &Value) -> Value {
    let float = |value: &Value| match value {
        Value::Int(number) => Value::Float(*number as f64),
        other => number_of_numpy(other).and_then(|number| number.as_number()).map_or(other.clone(), |n| Value::Float(n.to_f64())),
    };
    match factor {
        Value::Int(0) => Value::None,
        Value::Tuple(items) => Value::tuple(items.iter().map(float).collect()),
        other => float(other),
    }
}

const INPUT: Settings = &[("input", Required)];
const TARGET: Settings = &[("input", Required), ("target", Required)];
const PAIR: Settings = &[("input1", Required), ("input2", Required)];
const RANKED: Settings = &[("input1", Required), ("input2", Required), ("target", Required)];
const TRIPLET: Settings = &[("anchor", Required), ("positive", Required), ("negative", Required)];

fn setting<'s>(settings: &'s [(&'static str, Value)], name: &str) -> &'s Value {
    settings.iter().find(|(own, _)| *own == name).map_or(&Value::None, |(_, value)| value)
}

fn text(settings: &[(&'static str, Value)], name: &str) -> String {
    format_value(setting(settings, name), "").unwrap_or_default()
}

/// `name=value` of these settings.
fn named(settings: &[(&'static str, Value)], names: &[&str]) -> String {
    names.iter().map(|name| format!("{name}={}", text(settings, name))).collect::<Vec<_>>().join(", ")
}

fn nothing(_: &[(&'static str, Value)]) -> String {
    String::new()
}

/// `inplace=True` behind the rest, when it is so.
fn inplace(settings: &[(&'static str, Value)], rest: String) -> String {
    match setting(settings, "inplace") {
        Value::Bool(true) if rest.is_empty() => "inplace=True".into(),
        Value::Bool(true) => format!("{rest}, inplace=True"),
        _ => rest,
    }
}

/// A layer without parameters.
const fn bare(name: &'static str, module: &'static str, settings: Settings, run: &'static str, shows: Shows) -> Kind {
    called(name, module, settings, INPUT, run, shows)
}

/// One that is called with something else.
const fn called(
    name: &'static str,
    module: &'static str,
    settings: Settings,
    takes: Settings,
    run: &'static str,
    shows: Shows,
) -> Kind {
    Kind { name, module, settings, takes, holds: &[], buffers: &[], make: "", run, shows }
}

/// A container of layers.
pub const fn container(name: &'static str, takes: Settings) -> Kind {
    called(name, "container", &[], takes, "", nothing)
}

/// Every kind but the containers.
pub fn every() -> impl Iterator<Item = &'static Kind> {
    weighted::KINDS
        .iter()
        .chain(plain::KINDS)
        .chain(unpool::KINDS)
        .chain(recurrent::KINDS)
        .chain(attention::KINDS)
        .chain(losses::KINDS)
        .chain(adaptive::KINDS)
        .chain(lazy::KINDS)
}
