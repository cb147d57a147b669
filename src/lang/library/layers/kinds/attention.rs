//! Attention, and the layers of transformers that are made of it.

use super::{Kind, named, nothing};
use crate::lang::library::construct::Settings;
use crate::lang::library::construct::Unless::{self, Bool, Float, Int, Required, Str};

const ATTENTION: Settings = &[
    ("embed_dim", Required),
    ("num_heads", Required),
    ("dropout", Float(0.0)),
    ("bias", Bool(true)),
    ("add_bias_kv", Bool(false)),
    ("add_zero_attn", Bool(false)),
    ("kdim", Unless::None),
    ("vdim", Unless::None),
    ("batch_first", Bool(false)),
];

const ATTENTION_MAKE: &str = "\
if embed_dim <= 0 or num_heads <= 0:
    raise ValueError(f'embed_dim and num_heads must be greater than 0, got embed_dim={embed_dim} and num_heads={num_heads} instead')
if embed_dim % num_heads:
    raise AssertionError('embed_dim must be divisible by num_heads')
empty = lambda *size: torch.nn.Parameter(torch.empty(size))
widths = [embed_dim if width is None else width for width in (kdim, vdim)]
alike = widths == [embed_dim, embed_dim]
parts = [None] * 3 if alike else [empty(embed_dim, width) for width in (embed_dim, *widths)]
whole = empty(3 * embed_dim, embed_dim) if alike else None
offset = torch.nn.Parameter(torch.zeros(3 * embed_dim)) if bias else None
out = torch.nn.NonDynamicallyQuantizableLinear(embed_dim, embed_dim, bias)
for weight in [whole] if alike else parts:
    torch.nn.init.xavier_uniform_(weight)
if bias:
    torch.nn.init.zeros_(out.bias)
more = [torch.nn.init.xavier_normal_(empty(1, 1, embed_dim)) for _ in range(2)] if add_bias_kv else [None, None]
names = ['q_proj_weight', 'k_proj_weight', 'v_proj_weight', 'in_proj_weight', 'in_proj_bias', 'bias_k', 'bias_v', 'out_proj']
{**dict(zip(names, [*parts, whole, offset, *more, out])), 'head_dim': embed_dim // num_heads, 'kdim': widths[0], 'vdim': widths[1], '_qkv_same_embed_dim': alike}";

const ATTENTION_RUN: &str = "\
query.dim()
query.is_nested or key.is_nested or value.is_nested
if is_causal and attn_mask is None:
    raise RuntimeError('Need attn_mask if specifying the is_causal hint. You may use the Transformer module method `generate_square_subsequent_mask` to create this mask.')
held = [self.in_proj_weight, self.in_proj_bias, self.out_proj.weight, self.out_proj.bias]
def attend(x):
    # Without gradients: the offsets come after the products, and the queries are scaled with theirs.
    apart = lambda t: t.unflatten(-1, (num_heads, self.head_dim)).transpose(1, 2).flatten(0, 1)
    q, k, v = [apart(t) for t in (torch.nn.functional.linear(x, held[0]) + held[1]).chunk(3, -1)]
    weights = (q * (1.0 / self.head_dim ** 0.5) @ k.transpose(1, 2)).softmax(-1)
    y = (weights @ v).unflatten(0, (x.size(0), num_heads)).transpose(1, 2).flatten(2)
    weights = weights.unflatten(0, (x.size(0), num_heads)) if need_weights else None
    return torch.nn.functional.linear(y, held[2], held[3]), weights.mean(1) if need_weights and average_attn_weights else weights
plain = not training and batch_first and query is key and key is value and attn_mask is None and key_padding_mask is None
plain = plain and query.dim() == 3 and query.size(-1) == embed_dim and query.numel() > 0 and num_heads % 2 == 0 and not add_zero_attn
plain = plain and None not in held and self.bias_k is None and query.device.type == 'cpu' and not torch.is_autocast_enabled('cpu') and query.dtype in (torch.float32, torch.float64)
plain = plain and query.dtype == held[0].dtype and not (torch.is_grad_enabled() and any(t.requires_grad for t in [query] + held))
turned = batch_first and query.dim() == 3 and not plain
if turned:
    # What is the same stays the same.
    turn = lambda t: t.transpose(1, 0)
    kept = key is value, query is key
    query, value = turn(query), turn(value)
    key = value if kept[0] else turn(key)
    query = key if kept == (True, True) else query
out, weights = attend(query) if plain else torch.nn.functional.multi_head_attention_forward(
    query, key, value, embed_dim, num_heads, self.in_proj_weight, self.in_proj_bias, self.bias_k, self.bias_v, add_zero_attn, dropout,
    self.out_proj.weight, self.out_proj.bias, training, key_padding_mask, need_weights, attn_mask, self.in_proj_weight is None,
    self.q_proj_weight, self.k_proj_weight, self.v_proj_weight, average_attn_weights=average_attn_weights, is_causal=is_causal)
(out.transpose(1, 0) if turned else out, weights)";

const LAYER: Settings = &[
    ("d_model", Required),
    ("nhead", Required),
    ("dim_feedforward", Int(2048)),
    ("dropout", Float(0.1)),
    ("activation", Str("relu")),
    ("layer_norm_eps", Float(1e-5)),
    ("batch_first", Bool(false)),
    ("norm_first", Bool(false)),
    ("bias", Bool(true)),
];

/// What a layer of an encoder or a decoder makes; a decoder's looks at the memory, too.
macro_rules! layer_make {
    ($decodes:literal) => {
        concat!(
            "decodes = ",
            $decodes,
            "
attention = lambda: torch.nn.MultiheadAttention(d_model, nhead, dropout, bias, batch_first=batch_first)
norm = lambda: torch.nn.LayerNorm(d_model, layer_norm_eps, bias=bias)
held = {'self_attn': attention(), **({'multihead_attn': attention()} if decodes else {})}
held['linear1'] = torch.nn.Linear(d_model, dim_feedforward, bias)
rate, held['dropout'] = dropout, torch.nn.Dropout(dropout)
held['linear2'] = torch.nn.Linear(dim_feedforward, d_model, bias)
places = (1, 2, 3) if decodes else (1, 2)
held.update({f'norm{place}': norm() for place in places})
held.update({f'dropout{place}': torch.nn.Dropout(rate) for place in places})
if isinstance(activation, str) and activation not in ('relu', 'gelu'):
    raise RuntimeError(f'activation should be relu/gelu, not {activation}')
function = getattr(torch.nn.functional, activation) if isinstance(activation, str) else activation
{**held, 'activation': function}"
        )
    };
}

const ENCODER_RUN: &str = "\
def attend(x):
    return self.dropout1(self.self_attn(x, x, x, attn_mask=src_mask, key_padding_mask=src_key_padding_mask, need_weights=False, is_causal=is_causal)[0])
def feed(x):
    return self.dropout2(self.linear2(self.dropout(self.activation(self.linear1(x)))))
x = src
for norm, part in ((self.norm1, attend), (self.norm2, feed)):
    x = x + part(norm(x)) if norm_first else norm(x + part(x))
x";

const DECODER_RUN: &str = "\
def attend(x):
    return self.dropout1(self.self_attn(x, x, x, attn_mask=tgt_mask, key_padding_mask=tgt_key_padding_mask, need_weights=False, is_causal=tgt_is_causal)[0])
def look(x):
    return self.dropout2(self.multihead_attn(x, memory, memory, attn_mask=memory_mask, key_padding_mask=memory_key_padding_mask, need_weights=False, is_causal=memory_is_causal)[0])
def feed(x):
    return self.dropout3(self.linear2(self.dropout(self.activation(self.linear1(x)))))
x = tgt
for norm, part in ((self.norm1, attend), (self.norm2, look), (self.norm3, feed)):
    x = x + part(norm(x)) if norm_first else norm(x + part(x))
x";

/// What layers in a row make, copies of `layer`.
macro_rules! stack_make {
    ($layer:literal) => {
        concat!(
            "import copy\n{'layers': torch.nn.ModuleList([copy.deepcopy(",
            $layer,
            ") for _ in range(num_layers)]), 'norm': norm}"
        )
    };
}

/// Says why sequences that are padded cannot lie one behind the other.
macro_rules! nested {
    () => {
        "\
own = getattr(encoder_layer, 'self_attn', None)
why = ''
if not isinstance(encoder_layer, torch.nn.TransformerEncoderLayer):
    why = 'encoder_layer was not TransformerEncoderLayer'
elif encoder_layer.norm_first:
    why = 'encoder_layer.norm_first was True'
elif not own.batch_first:
    why = 'encoder_layer.self_attn.batch_first was not True(use batch_first for better inference performance)'
elif own.in_proj_bias is None:
    why = 'encoder_layer.self_attn was passed bias=False'
elif not (encoder_layer.activation in ('relu', 'gelu', torch.nn.functional.relu, torch.nn.functional.gelu) or isinstance(encoder_layer.activation, (torch.nn.ReLU, torch.nn.GELU))):
    why = 'encoder_layer.activation_relu_or_gelu was not True'
elif encoder_layer.norm1.eps != encoder_layer.norm2.eps:
    why = 'encoder_layer.norm1.eps was not equal to encoder_layer.norm2.eps'
elif own.num_heads % 2 == 1:
    why = 'encoder_layer.self_attn.num_heads is odd'
if enable_nested_tensor and why:
    torch._warn(f'enable_nested_tensor is True, but self.use_nested_tensor is False because {why}')
"
    };
}

const ENCODE: Settings =
    &[("src", Required), ("mask", Unless::None), ("src_key_padding_mask", Unless::None), ("is_causal", Unless::None)];
const DECODE: Settings = &[
    ("tgt", Required),
    ("memory", Required),
    ("tgt_mask", Unless::None),
    ("memory_mask", Unless::None),
    ("tgt_key_padding_mask", Unless::None),
    ("memory_key_padding_mask", Unless::None),
    ("tgt_is_causal", Bool(false)),
    ("memory_is_causal", Bool(false)),
];

/// Layers that hold layers.
const fn made(name: &'static str, settings: Settings, takes: Settings, make: &'static str, run: &'static str) -> Kind {
    let module = "transformer";
    Kind { name, module, settings, takes, holds: &[], buffers: &[], make, run, shows: nothing }
}

/// The rows.
pub(super) static KINDS: &[Kind] = &[
    Kind {
        module: "linear",
        settings: &[("in_features", Required), ("out_features", Required), ("bias", Bool(true))],
        takes: super::INPUT,
        holds: &["weight", "bias"],
        shows: |s| named(s, &["in_features", "out_features", "bias"]),
        ..made(
            "NonDynamicallyQuantizableLinear",
            &[],
            &[],
            "inner = torch.nn.Linear(in_features, out_features, bias)\n[inner.weight, inner.bias]",
            "torch.nn.functional.linear(input, weight, bias)",
        )
    },
    Kind {
        module: "activation",
        ..made(
            "MultiheadAttention",
            ATTENTION,
            &[
                ("query", Required),
                ("key", Required),
                ("value", Required),
                ("key_padding_mask", Unless::None),
                ("need_weights", Bool(true)),
                ("attn_mask", Unless::None),
                ("average_attn_weights", Bool(true)),
                ("is_causal", Bool(false)),
            ],
            ATTENTION_MAKE,
            ATTENTION_RUN,
        )
    },
    made(
        "TransformerEncoderLayer",
        LAYER,
        &[("src", Required), ("src_mask", Unless::None), ("src_key_padding_mask", Unless::None), ("is_causal", Bool(false))],
        layer_make!("False"),
        ENCODER_RUN,
    ),
    made("TransformerDecoderLayer", LAYER, DECODE, layer_make!("True"), DECODER_RUN),
    made(
        "TransformerEncoder",
        &[
            ("encoder_layer", Required),
            ("num_layers", Required),
            ("norm", Unless::None),
            ("enable_nested_tensor", Bool(true)),
            ("mask_check", Bool(true)),
        ],
        ENCODE,
        concat!(nested!(), stack_make!("encoder_layer"), " | {'use_nested_tensor': enable_nested_tensor and not why}"),
        "\
x = src
for part in self.layers:
    x = part(x, src_mask=mask, src_key_padding_mask=src_key_padding_mask, is_causal=bool(is_causal))
x if self.norm is None else self.norm(x)",
    ),
    made(
        "TransformerDecoder",
        &[("decoder_layer", Required), ("num_layers", Required), ("norm", Unless::None)],
        DECODE,
        stack_make!("decoder_layer"),
        "\
x = tgt
for part in self.layers:
    x = part(x, memory, tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask, bool(tgt_is_causal), bool(memory_is_causal))
x if self.norm is None else self.norm(x)",
    ),
    made(
        "Transformer",
        &[
            ("d_model", Int(512)),
            ("nhead", Int(8)),
            ("num_encoder_layers", Int(6)),
            ("num_decoder_layers", Int(6)),
            ("dim_feedforward", Int(2048)),
            ("dropout", Float(0.1)),
            ("activation", Str("relu")),
            ("custom_encoder", Unless::None),
            ("custom_decoder", Unless::None),
            ("layer_norm_eps", Float(1e-5)),
            ("batch_first", Bool(false)),
            ("norm_first", Bool(false)),
            ("bias", Bool(true)),
        ],
        &[
            ("src", Required),
            ("tgt", Required),
            ("src_mask", Unless::None),
            ("tgt_mask", Unless::None),
            ("memory_mask", Unless::None),
            ("src_key_padding_mask", Unless::None),
            ("tgt_key_padding_mask", Unless::None),
            ("memory_key_padding_mask", Unless::None),
            ("src_is_causal", Unless::None),
            ("tgt_is_causal", Unless::None),
            ("memory_is_causal", Bool(false)),
        ],
        "\
options = (d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first, bias)
norm = lambda: torch.nn.LayerNorm(d_model, layer_norm_eps, bias=bias)
encoder, decoder = custom_encoder, custom_decoder
if encoder is None:
    layer = torch.nn.TransformerEncoderLayer(*options)
    encoder = torch.nn.TransformerEncoder(layer, num_encoder_layers, norm())
if decoder is None:
    layer = torch.nn.TransformerDecoderLayer(*options)
    decoder = torch.nn.TransformerDecoder(layer, num_decoder_layers, norm())
for part in (encoder, decoder):
    for weight in part.parameters():
        if weight.dim() > 1:
            torch.nn.init.xavier_uniform_(weight)
{'encoder': encoder, 'decoder': decoder}",
        "\
batch = 0 if batch_first else 1
if src.dim() == 3 and src.size(batch) != tgt.size(batch):
    raise RuntimeError('the batch number of src and tgt must be equal')
if src.size(-1) != d_model or tgt.size(-1) != d_model:
    raise RuntimeError('the feature number of src and tgt must be equal to d_model')
memory = self.encoder(src, src_mask, src_key_padding_mask, src_is_causal)
self.decoder(tgt, memory, tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask, tgt_is_causal, memory_is_causal)",
    ),
];
