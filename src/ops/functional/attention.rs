//! Attention.

use super::function;
use super::usual::attention;
use crate::ops::{Args, Form, op};
use crate::tensor::Tensor;
use crate::value::Value;

/// The last step of attention: one kernel takes queries, keys and values that are alike, what it does not take goes in steps.
pub fn last_step(args: &Args) -> Option<&'static str> {
    let tensor = |place: usize| if let Value::Tensor(x) = args.value(place) { Some(x) } else { None };
    let parts = [tensor(0)?, tensor(1)?, tensor(2)?];
    let all_have = |dims: usize| parts.iter().all(|x| x.ndim() == dims);
    Some(match parts[0].dtype().size() {
        _ if all_have(3) => "SqueezeBackward1",
        _ if all_have(4) && is_one_kernel(args, parts) => "ScaledDotProductFlashAttentionForCpuBackward0",
        2 => "ToCopyBackward0",
        _ if all_have(2) => "MmBackward0",
        _ => "UnsafeViewBackward0",
    })
}

/// True for four dimensions that agree, rows without gaps, no dropout, and a mask that fits and asks for no gradient.
fn is_one_kernel(args: &Args, [query, key, value]: [&Tensor; 3]) -> bool {
    let (q, k, v) = (query.sizes(), key.sizes(), value.sizes());
    let shared = matches!(args.value(7), Value::Bool(true));
    let agree = (k[0], v[0]) == (q[0], q[0]) && (k[3], v[3]) == (q[3], q[3]) && k[1] == v[1] && (k[1] == q[1] || shared);
    let fits = match args.value(3) {
        Value::Tensor(mask) => {
            let sizes = mask.sizes();
            let wanted = if sizes.len() == 2 { &[q[2], k[2]][..] } else { &[q[0], q[1], q[2], k[2]] };
            let of_size = |(size, full): (&i64, &i64)| *size == 1 || size == full;
            !mask.requires_grad() && sizes.len() == wanted.len() && sizes.iter().zip(wanted).all(of_size)
        }
        _ => true,
    };
    let keeps_all = args.value(4).as_number().is_none_or(|share| share.to_f64() == 0.0);
    let gapless = |x: &&Tensor| x.layout().strides[3] == 1;
    agree && fits && keeps_all && q[2] > 0 && k[2] > 0 && [query, key, value].iter().all(gapless)
}

/// Where the gradient has a history, weights are made of what has one. The library takes the scale to one factor or to the product.
const ATTEND_BACK: &str = "product = torch.nn.functional._products
flat = lambda t: t.reshape(-1, t.size(-2), t.size(-1))
q, k, v, g = flat(query), flat(key), flat(value), flat(grad_output)
def scaled(a, b, turned):
    if a.size(-2) >= 4 and b.size(-1) > 10:
        return product(a, b * scale)
    return product(a, b) * scale if turned else product(a * scale, b)
fit = scaled(q, k.transpose(1, 2), True).reshape(*query.shape[:-1], key.size(-2))
if is_causal:
    fit = fit.masked_fill(torch.ones(query.size(-2), key.size(-2), dtype=torch.bool, device=query.device).tril().logical_not(), -math.inf)
elif mask is not None:
    fit = fit + mask
if torch.is_grad_enabled():
    share = flat(fit.softmax(-1))
    sums = (g * product(share, v)).sum(-1, True)
else:
    share = flat(torch.nn.functional._vector_exp(fit - torch.nn.functional._attend_sums(query, key, value, mask, is_causal, scale)))
    sums = torch.nn.functional._row_products(g, flat(output))
change = share * (product(g, v.transpose(1, 2)) - sums)
found = scaled(change, k, False), scaled(change.transpose(1, 2), q, False), product(share.transpose(1, 2), g)
[part.reshape(like.shape) for part, like in zip(found, (query, key, value))]";

rows![
    function("nn.functional.scaled_dot_product_attention(Tensor query, Tensor key, Tensor value, Tensor? attn_mask=None, float dropout_p=0.0, bool is_causal=False, float? scale=None, bool enable_gqa=False) -> Tensor",
        "For each query the mean of the values, weighed by how well their keys fit.", "torch.nn.functional.scaled_dot_product_attention(torch.zeros(1, 2), torch.zeros(2, 2), torch.tensor([[1.], [3.]]))  # tensor([[2.]])",
        "name = torch.nn.functional._c_name
if not query.dtype == key.dtype == value.dtype:
    raise RuntimeError(f'Expected query, key, and value to have the same dtype, but got query.dtype: {name(query)} key.dtype: {name(key)} and value.dtype: {name(value)} instead.')
if min(query.dim(), key.dim(), value.dim()) < 2:
    raise RuntimeError(f'Expected query, key, and value to all be  at least 2 dimensional, but got query.dim: {query.dim()} key.dim: {key.dim()} and value.dim: {value.dim()} instead.')
if is_causal and attn_mask is not None:
    raise RuntimeError('_scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True')
if attn_mask is not None and attn_mask.dtype not in (torch.bool, torch.float32, query.dtype):
    raise RuntimeError(f'Expected attn_mask dtype to be bool or float or to match query dtype, but got attn_mask.dtype: {name(attn_mask)} and  query.dtype: {name(query)} instead.')
if enable_gqa:
    if any(query.size(-3) % t.size(-3) for t in (key, value)):
        raise RuntimeError('Number of heads in key and value must divide the number of heads in query')
    key = key.repeat_interleave(query.size(-3) // key.size(-3), -3)
    value = value.repeat_interleave(query.size(-3) // value.size(-3), -3)
batches = query.size(0), key.size(0)
if query.dim() == key.dim() == 3 and batches[0] != batches[1] and 1 not in batches:
    raise RuntimeError(f'The size of tensor a ({batches[0]}) must match the size of tensor b ({batches[1]}) at non-singleton dimension 1')
scale = 1 / math.sqrt(max(query.size(-1), 1)) if scale is None else scale
# Examples of one kind are divided by the sum of their weights at the end, others before the values are weighed.
alike = query.shape[:-2] == key.shape[:-2] == value.shape[:-2] and query.size(-1) == key.size(-1) == value.size(-1)
late = alike and all(t.stride(-1) == 1 for t in (query, key, value)) and query.is_floating_point() and query.dim() in (3, 4) and dropout_p == 0 and query.numel() > 0 and key.numel() > 0
factor = math.sqrt(abs(scale))
wide = lambda t: t.float() if t.dtype in (torch.float16, torch.bfloat16) else t
fit = wide(query) @ wide(key).transpose(-2, -1) * scale if late else (wide(query) * math.copysign(factor, scale)) @ (wide(key).transpose(-2, -1) * factor)
mask = torch.ones(query.size(-2), key.size(-2), dtype=torch.bool).tril() if is_causal else attn_mask
if is_causal and late:
    fit = fit.masked_fill(mask.logical_not(), -math.inf)
elif mask is not None:
    # What is no number stays none.
    fit = fit + (torch.zeros(mask.shape, dtype=fit.dtype, device=fit.device).masked_fill(mask.logical_not(), -math.inf) if mask.dtype == torch.bool else mask)
if late and query.dtype in (torch.float32, torch.float64) and query.device.type == 'cpu' and not torch.is_autocast_enabled('cpu') and (mask is None or not mask.requires_grad and mask.dtype in (torch.bool, query.dtype)):
    if mask is not None and not is_causal:
        mask = torch.zeros(mask.shape, dtype=fit.dtype).masked_fill(mask.logical_not(), -math.inf) if mask.dtype == torch.bool else mask
    result = torch.nn.functional._attend(query, key, value, None if is_causal else mask, is_causal, scale)
elif late:
    fit = torch.nn.functional._silenced(fit) if mask is None or is_causal else fit
    most = fit.amax(-1, keepdim=True)
    weights = (fit - torch.where(most == -math.inf, 0., most)).exp()
    total = weights.sum(-1, keepdim=True)
    result = wide(weights.to(query.dtype)) @ wide(value) * (1 / torch.where(total == 0, 1., total))
else:
    weights = fit.softmax(-1)
    mute = (fit == -math.inf).all(-1, keepdim=True)
    if mask is not None and mask.dtype == torch.bool or fit.device.type == 'cpu' and mute.any():
        weights = torch.where(mute, torch.zeros_like(weights), weights)
    weights = torch.dropout(weights, dropout_p, True) if dropout_p > 0 else weights
    result = weights @ wide(value)
result.to(query.dtype)").usually(attention::attention),
    op(
        "nn.functional._attend(Tensor query, Tensor key, Tensor value, Tensor? mask, bool is_causal, float scale) -> Tensor",
        "`scaled_dot_product_attention` of floats that are alike, with a mask that is added.",
        "torch.nn.functional._attend(torch.zeros(1, 1, 2), torch.zeros(1, 2, 2), torch.tensor([[[1., 1.], [3., 3.]]]), None, False, 1.)  # tensor([[[2., 2.]]])",
        Form::Native(attention::attended),
    )
    .function_only()
    .no_out()
    .grads(&[
        ("query", "torch.nn.functional._attend_back(grad, query, key, value, mask, is_causal, scale, result)[0]"),
        ("key", "torch.nn.functional._attend_back(grad, query, key, value, mask, is_causal, scale, result)[1]"),
        ("value", "torch.nn.functional._attend_back(grad, query, key, value, mask, is_causal, scale, result)[2]"),
    ]),
    op(
        "nn.functional._attend_sums(Tensor query, Tensor key, Tensor value, Tensor? mask, bool is_causal, float scale) -> Tensor",
        "The logarithms of the sums that `_attend` divides by.",
        "torch.nn.functional._attend_sums(torch.zeros(1, 1, 2), torch.zeros(1, 2, 2), torch.zeros(1, 2, 2), None, False, 1.)  # tensor([[[0.6931]]])",
        Form::Native(attention::sums),
    )
    .function_only()
    .no_out()
    .no_grad(),
    op(
        "nn.functional._silenced(Tensor fit) -> Tensor",
        "Without keys that fit where a query fits nothing but what is no number.",
        "torch.nn.functional._silenced(torch.tensor([[float('nan'), float('nan')], [1., 2.]]))  # tensor([[-inf, -inf],\n#         [1., 2.]])",
        Form::Native(attention::silenced),
    )
    .function_only()
    .no_out()
    .no_grad(),
    op(
        "nn.functional._products(Tensor left, Tensor right) -> Tensor",
        "Products of the matrices of two batches, each by itself.",
        "torch.nn.functional._products(torch.ones(1, 1, 2), torch.ones(1, 2, 1))  # tensor([[[2.]]])",
        Form::Native(attention::products),
    )
    .function_only()
    .no_out()
    .grads(&[
        ("left", "torch.nn.functional._products(grad, right.transpose(-2, -1))"),
        ("right", "torch.nn.functional._products(left.transpose(-2, -1), grad)"),
    ]),
    op(
        "nn.functional._row_products(Tensor left, Tensor right) -> Tensor",
        "For each row of two tensors of one form the sum of the products of their elements.",
        "torch.nn.functional._row_products(torch.ones(1, 2), torch.ones(1, 2))  # tensor([[2.]])",
        Form::Native(attention::row_products),
    )
    .function_only()
    .no_out()
    .no_grad(),
    function("nn.functional._attend_back(Tensor grad_output, Tensor query, Tensor key, Tensor value, Tensor? mask, bool is_causal, float scale, Tensor output) -> Any",
        "The way back through `_attend`.", "", ATTEND_BACK),
    function("nn.functional.multi_head_attention_forward(Tensor query, Tensor key, Tensor value, int embed_dim_to_check, int num_heads, Tensor? in_proj_weight, Tensor? in_proj_bias, \
        Tensor? bias_k, Tensor? bias_v, bool add_zero_attn, float dropout_p, Tensor out_proj_weight, Tensor? out_proj_bias, bool training=True, Tensor? key_padding_mask=None, \
        Any need_weights=True, Tensor? attn_mask=None, bool use_separate_proj_weight=False, Tensor? q_proj_weight=None, Tensor? k_proj_weight=None, Tensor? v_proj_weight=None, \
        Tensor? static_k=None, Tensor? static_v=None, bool average_attn_weights=True, bool is_causal=False) -> Any",
        "Attention by several heads, each on its part of the features.", "",
        "linear = torch.nn.functional.linear
sides, title = query.dim(), 'batched (3-D)' if query.dim() == 3 else 'unbatched (2-D)'
if sides not in (2, 3):
    raise AssertionError(f'query should be unbatched 2D or batched 3D tensor but received {sides}-D query tensor')
if not key.dim() == value.dim() == sides:
    raise AssertionError(f'For {title} `query`, expected `key` and `value` to be {sides}-D but found {key.dim()}-D and {value.dim()}-D tensors respectively')
if key_padding_mask is not None and key_padding_mask.dim() != sides - 1:
    raise AssertionError(f'For {title} `query`, expected `key_padding_mask` to be `None` or {sides - 1}-D but found {key_padding_mask.dim()}-D tensor instead')
if attn_mask is not None and attn_mask.dim() not in (2, 3):
    raise AssertionError(f'For {title} `query`, expected `attn_mask` to be `None`, 2-D or 3-D but found {attn_mask.dim()}-D tensor instead')
for mask, name in ((key_padding_mask, 'key_padding_mask'), (attn_mask, 'attn_mask')):
    if mask is not None and mask.dtype != torch.bool and not mask.is_floating_point():
        raise AssertionError(f'only bool and floating types of {name} are supported')
if key_padding_mask is not None and attn_mask is not None and key_padding_mask.dtype != attn_mask.dtype:
    torch._warn('Support for mismatched key_padding_mask and attn_mask is deprecated. Use same type for both instead.')
batched = sides == 3
if not batched:
    query, key, value = query.unsqueeze(1), key.unsqueeze(1), value.unsqueeze(1)
    key_padding_mask = None if key_padding_mask is None else key_padding_mask.unsqueeze(0)
length, batch, wide = query.shape
if is_causal and attn_mask is None:
    raise RuntimeError('Need attn_mask if specifying the is_causal hint. You may use the Transformer module method `generate_square_subsequent_mask` to create this mask.')
if wide != embed_dim_to_check:
    raise AssertionError(f'was expecting embedding dimension of {embed_dim_to_check}, but got {wide}')
if wide // num_heads * num_heads != wide:
    raise AssertionError(f'embed_dim {wide} not divisible by num_heads {num_heads}')
if use_separate_proj_weight and key.shape[:2] != value.shape[:2]:
    raise AssertionError(f\"key's sequence and batch dims {key.shape[:2]} do not match value's {value.shape[:2]}\")
if not use_separate_proj_weight and key.shape != value.shape:
    raise AssertionError(f'key shape {key.shape} does not match value shape {value.shape}')
weights = ('q_proj_weight', q_proj_weight), ('k_proj_weight', k_proj_weight), ('v_proj_weight', v_proj_weight)
for name, given in weights if use_separate_proj_weight else (('in_proj_weight', in_proj_weight),):
    if given is None:
        raise AssertionError(f'use_separate_proj_weight is {use_separate_proj_weight} but {name} is None')
head = wide // num_heads
w = (q_proj_weight, k_proj_weight, v_proj_weight) if use_separate_proj_weight else in_proj_weight.chunk(3)
if use_separate_proj_weight:
    for name, given, weight in zip(('query', 'key', 'value'), (query, key, value), w):
        if weight.shape != (wide, given.size(-1)):
            raise AssertionError(f'expecting {name} weights shape of {(wide, given.size(-1))}, but got {weight.shape}')
b = (None, None, None) if in_proj_bias is None else in_proj_bias.chunk(3)
parts = lambda t, n: t.unflatten(-1, (n, wide)).unsqueeze(0).transpose(0, -2).squeeze(-2).contiguous()
# What is the same is weighed by all of its weights at once.
if not use_separate_proj_weight and query is key and key is value:
    q, k, v = parts(linear(query, in_proj_weight, in_proj_bias), 3)
elif not use_separate_proj_weight and key is value:
    of_query, of_both = in_proj_weight.split([wide, wide * 2])
    b_query, b_both = (None, None) if in_proj_bias is None else in_proj_bias.split([wide, wide * 2])
    q, (k, v) = linear(query, of_query, b_query), parts(linear(key, of_both, b_both), 2)
else:
    q, k, v = linear(query, w[0], b[0]), linear(key, w[1], b[1]), linear(value, w[2], b[2])
additive = lambda m: None if m is None else torch.zeros(m.shape, dtype=q.dtype).masked_fill(m, -math.inf) if m.dtype == torch.bool else m
if attn_mask is not None:
    fitting = (length, key.size(0)) if attn_mask.dim() == 2 else (batch * num_heads, length, key.size(0))
    if attn_mask.shape != fitting:
        raise RuntimeError(f'The shape of the {attn_mask.dim()}D attn_mask is {attn_mask.shape}, but should be {fitting}.')
if key_padding_mask is not None and key_padding_mask.shape != (batch, key.size(0)):
    place = 0 if key_padding_mask.size(0) != batch else 1
    raise AssertionError(f'Expected key_padded_mask.shape[{place}] to be {(batch, key.size(0))[place]}, but got {key_padding_mask.size(place)}')
mask, absent = additive(attn_mask), additive(key_padding_mask)
grow = lambda m: None if m is None else torch.nn.functional.pad(m, (0, 1))
if bias_k is not None and bias_v is not None:
    k, v = torch.cat([k, bias_k.repeat(1, batch, 1)]), torch.cat([v, bias_v.repeat(1, batch, 1)])
    mask, absent = grow(mask), grow(absent)
split = lambda t: t.contiguous().view(t.size(0), batch * num_heads, head).transpose(0, 1)
q = split(q)
k = split(k) if static_k is None else static_k
v = split(v) if static_v is None else static_v
if add_zero_attn:
    zeros = k.new_zeros(batch * num_heads, 1, head)
    k, v = torch.cat([k, zeros], 1), torch.cat([v, zeros], 1)
    mask, absent = grow(mask), grow(absent)
if not need_weights:
    whole = is_causal and absent is None
    if whole:
        mask = None
    if absent is not None:
        absent = absent.view(batch, 1, 1, k.size(1)).expand(batch, num_heads, 1, k.size(1)).reshape(batch * num_heads, 1, k.size(1))
        mask = absent if mask is None else mask + absent
    if mask is not None:
        mask = mask.view(1, 1, length, k.size(1)) if mask.dim() == 2 else mask.view(batch, num_heads, -1, k.size(1))
    q, k, v = [t.view(batch, num_heads, t.size(1), head) for t in (q, k, v)]
    y = torch.nn.functional.scaled_dot_product_attention(q, k, v, mask, dropout_p if training else 0.0, whole)
    y, weights = y.permute(2, 0, 1, 3).contiguous().view(length * batch, wide), None
else:
    fit = (q * math.sqrt(1.0 / head)) @ k.transpose(-2, -1)
    if mask is not None:
        fit = fit + (mask.unsqueeze(0) if mask.dim() == 2 else mask)
    if absent is not None:
        fit = fit + absent.view(batch, 1, 1, k.size(1)).expand(batch, num_heads, 1, k.size(1)).reshape(batch * num_heads, 1, k.size(1))
    weights = fit.softmax(-1)
    weights = torch.nn.functional.dropout(weights, dropout_p) if training and dropout_p > 0 else weights
    y = (weights @ v).transpose(0, 1).contiguous().view(length * batch, wide)
    weights = weights.view(batch, num_heads, length, k.size(1))
    weights = weights.mean(1) if average_attn_weights else weights
    weights = weights if batched else weights.squeeze(0)
y = linear(y, out_proj_weight, out_proj_bias).view(length, batch, out_proj_weight.size(0))
(y if batched else y.squeeze(1), weights)").stepwise(),
];
