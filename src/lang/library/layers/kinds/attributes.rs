//! What can be read of a layer besides what it holds, which of its settings cannot, and which are given by place.

use super::{Kind, setting};
use crate::lang::library::construct::Unless;
use crate::value::Value;

/// Settings that are no attributes of what was made with them.
#[rustfmt::skip] // one layer a line
const NOT_KEPT: &[(&str, &[&str])] = &[
    ("Embedding", &["_freeze", "_weight"]),
    ("EmbeddingBag", &["_weight"]),
    ("MultiheadAttention", &["add_bias_kv", "bias"]),
    ("PairwiseDistance", &["p"]),
    ("Transformer", &["num_encoder_layers", "num_decoder_layers", "dim_feedforward", "dropout", "activation", "custom_encoder", "custom_decoder", "layer_norm_eps", "norm_first", "bias"]),
    ("TransformerDecoder", &["decoder_layer"]),
    ("TransformerDecoderLayer", &["d_model", "nhead", "dim_feedforward", "layer_norm_eps", "batch_first", "bias"]),
    ("TransformerEncoder", &["encoder_layer"]),
    ("TransformerEncoderLayer", &["d_model", "nhead", "dim_feedforward", "layer_norm_eps", "batch_first", "bias"]),
];

/// How names begin whose last settings are given by name alone, and how many those are.
const BY_NAME: &[(&str, usize)] = &[
    ("BatchNorm", 1),
    ("GaussianNLLLoss", 3),
    ("GroupNorm", 1),
    ("InstanceNorm", 1),
    ("SyncBatchNorm", 1),
    ("TripletMarginWithDistanceLoss", 4),
];

impl Kind {
    /// True for a setting that is an attribute of the layer.
    pub fn keeps(&self, setting: &str) -> bool {
        let of_old = self.module == "loss" && matches!(setting, "size_average" | "reduce");
        let is_dropped = || NOT_KEPT.iter().any(|(name, settings)| *name == self.name && settings.contains(&setting));
        !of_old && !matches!(setting, "device" | "dtype") && !is_dropped()
    }

    /// What such a layer is made with, and how many of it are given by place: where and of what dtype stands behind the settings.
    pub fn takes_when_made(&self) -> (Vec<(&'static str, Unless)>, usize) {
        let (_, by_name) = BY_NAME.iter().find(|(start, _)| self.stem().starts_with(start)).unwrap_or(&("", 0));
        let mut takes = self.settings.to_vec();
        let places = takes.len() - by_name;
        let owns = |name: &str| self.settings.iter().any(|(own, _)| *own == name);
        if self.has_place() && !owns("device") {
            takes.splice(places..places, [("device", Unless::None), ("dtype", Unless::None)]);
            return (takes, places + 2);
        }
        (takes, places)
    }

    /// An attribute that every layer of the kind has, or that follows from a setting.
    pub fn constant(&self, name: &str, settings: &[(&'static str, Value)]) -> Option<Value> {
        let is_convolution = self.stem().starts_with("Conv");
        Some(match (self.name, name) {
            (_, "call_super_init" | "dump_patches") => Value::Bool(false),
            (_, "transposed") if is_convolution => Value::Bool(self.stem().starts_with("ConvTranspose")),
            (_, "output_padding") if is_convolution => {
                let sizes = setting(settings, "stride").items()?.len();
                Value::tuple(vec![Value::Int(0); sizes])
            }
            ("PairwiseDistance", "norm") => setting(settings, "p").clone(),
            ("ReLU6", "min_val") => Value::Float(0.0),
            ("ReLU6", "max_val") => Value::Float(6.0),
            ("SyncBatchNorm", "process_group") | ("UpsamplingNearest2d", "align_corners") => Value::None,
            ("UpsamplingBilinear2d" | "UpsamplingNearest2d", "recompute_scale_factor") => Value::None,
            ("UpsamplingBilinear2d", "align_corners") => Value::Bool(true),
            ("UpsamplingBilinear2d", "mode") => Value::from("bilinear"),
            ("UpsamplingNearest2d", "mode") => Value::from("nearest"),
            (own, "name") if self.module == "upsampling" => Value::from(own),
            ("ZeroPad1d" | "ZeroPad2d" | "ZeroPad3d", "value") => Value::Float(0.0),
            _ => return None,
        })
    }
}
