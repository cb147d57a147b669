//! The tables of layers: what each is made with, what it holds, what it computes, and how it is shown.

mod attention;
mod losses;
mod plain;
mod recurrent;
mod unpool;
mod weighted;

use crate::lang::library::construct::Settings;
use crate::lang::library::construct::Unless::Required;
use crate::lang::types::repr;
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
        const COMMON: [(&str, &[&str]); 9] = [
            ("RNNBase", &["RNN", "LSTM", "GRU"]),
            ("_AdaptiveAvgPoolNd", &["AdaptiveAvgPool1d", "AdaptiveAvgPool2d", "AdaptiveAvgPool3d"]),
            ("_AdaptiveMaxPoolNd", &["AdaptiveMaxPool1d", "AdaptiveMaxPool2d", "AdaptiveMaxPool3d"]),
            ("_BatchNorm", &["BatchNorm1d", "BatchNorm2d", "BatchNorm3d"]),
            ("_DropoutNd", &["AlphaDropout", "Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "FeatureAlphaDropout"]),
            ("_InstanceNorm", &["InstanceNorm1d", "InstanceNorm2d", "InstanceNorm3d"]),
            ("_LPPoolNd", &["LPPool1d", "LPPool2d", "LPPool3d"]),
            ("_Loss", &["L1Loss", "MSELoss", "MultiLabelMarginLoss", "SoftMarginLoss"]),
            ("_MaxPoolNd", &["MaxPool1d", "MaxPool2d", "MaxPool3d"]),
        ];
        COMMON.iter().find(|(_, kinds)| kinds.contains(&self.name)).map_or(self.name, |(common, _)| common)
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
    repr::str(setting(settings, name)).unwrap_or_default()
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

/// A setting of a convolution, the same along each dimension unless several are given.
fn along(value: &Value, dims: usize) -> String {
    match value {
        Value::Int(n) if dims == 1 => format!("({n},)"),
        Value::Int(n) => format!("({})", vec![n.to_string(); dims].join(", ")),
        Value::List(items) => repr::repr(&Value::tuple(items.borrow().clone())).unwrap_or_default(),
        other => repr::str(other).unwrap_or_default(),
    }
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
}
