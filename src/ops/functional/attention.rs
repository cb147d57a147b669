//! Attention.

use super::function;
use super::usual::attention;

rows![
    function("nn.functional.scaled_dot_product_attention(Tensor query, Tensor key, Tensor value, Tensor? attn_mask=None, float dropout_p=0.0, bool is_causal=False, float? scale=None, bool enable_gqa=False) -> Tensor",
        "For each query the mean of the values, weighed by how well their keys fit.", "torch.nn.functional.scaled_dot_product_attention(torch.zeros(1, 2), torch.zeros(2, 2), torch.tensor([[1.], [3.]]))  # tensor([[2.]])",
        "if is_causal and attn_mask is not None:
    raise RuntimeError('_scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True')
if enable_gqa:
    key = key.repeat_interleave(query.size(-3) // key.size(-3), -3)
    value = value.repeat_interleave(query.size(-3) // value.size(-3), -3)
name = torch.nn.functional._c_name
if not query.dtype == key.dtype == value.dtype:
    raise RuntimeError(f'Expected query, key, and value to have the same dtype, but got query.dtype: {name(query)} key.dtype: {name(key)} and value.dtype: {name(value)} instead.')
if min(query.dim(), key.dim(), value.dim()) < 2:
    raise RuntimeError(f'Expected query, key, and value to all be  at least 2 dimensional, but got query.dim: {query.dim()} key.dim: {key.dim()} and value.dim: {value.dim()} instead.')
if attn_mask is not None and attn_mask.dtype not in (torch.bool, torch.float32, query.dtype):
    raise RuntimeError(f'Expected attn_mask dtype to be bool or float or to match query dtype, but got attn_mask.dtype: {name(attn_mask)} and  query.dtype: {name(query)} instead.')
batches = query.size(0), key.size(0)
if query.dim() == key.dim() == 3 and batches[0] != batches[1] and 1 not in batches:
    raise RuntimeError(f'The size of tensor a ({batches[0]}) must match the size of tensor b ({batches[1]}) at non-singleton dimension 1')
scale = 1 / math.sqrt(max(query.size(-1), 1)) if scale is None else scale
# Examples of one kind are divided by the sum of their weights at the end, others before the values are weighed.
alike = query.shape[:-2] == key.shape[:-2] == value.shape[:-2] and query.size(-1) == key.size(-1) == value.size(-1)
late = alike and query.dim() in (3, 4) and dropout_p == 0 and query.numel() > 0 and key.numel() > 0
factor = math.sqrt(abs(scale))
wide = lambda t: t.float() if t.dtype in (torch.float16, torch.bfloat16) else t
fit = wide(query) @ wide(key).transpose(-2, -1) * scale if late else (wide(query) * math.copysign(factor, scale)) @ (wide(key).transpose(-2, -1) * factor)
mask = torch.ones(query.size(-2), key.size(-2), dtype=torch.bool).tril() if is_causal else attn_mask
if mask is not None:
    fit = fit.masked_fill(mask.logical_not(), -math.inf) if mask.dtype == torch.bool else fit + mask
if late:
    most = fit.amax(-1, keepdim=True)
    weights = (fit - torch.where(most == -math.inf, 0., most)).exp()
    total = weights.sum(-1, keepdim=True)
    result = wide(weights.to(query.dtype)) @ wide(value) * (1 / torch.where(total == 0, 1., total))
else:
    weights = fit.softmax(-1)
    if mask is not None and mask.dtype == torch.bool:
        weights = torch.where((fit == -math.inf).all(-1, keepdim=True), torch.zeros_like(weights), weights)
    weights = torch.dropout(weights, dropout_p, True) if dropout_p > 0 else weights
    result = weights @ wide(value)
result.to(query.dtype)").usually(attention::attention),
    function("nn.functional.multi_head_attention_forward(Tensor query, Tensor key, Tensor value, int embed_dim_to_check, int num_heads, Tensor? in_proj_weight, Tensor? in_proj_bias, \
        Tensor? bias_k, Tensor? bias_v, bool add_zero_attn, float dropout_p, Tensor out_proj_weight, Tensor? out_proj_bias, bool training=True, Tensor? key_padding_mask=None, \
        bool need_weights=True, Tensor? attn_mask=None, bool use_separate_proj_weight=False, Tensor? q_proj_weight=None, Tensor? k_proj_weight=None, Tensor? v_proj_weight=None, \
        Tensor? static_k=None, Tensor? static_v=None, bool average_attn_weights=True, bool is_causal=False) -> Any",
        "Attention by several heads, each on its part of the features.", "",
        "linear = torch.nn.functional.linear
batched = query.dim() == 3
if not batched:
    query, key, value = query.unsqueeze(1), key.unsqueeze(1), value.unsqueeze(1)
    key_padding_mask = None if key_padding_mask is None else key_padding_mask.unsqueeze(0)
length, batch, wide = query.shape
if wide != embed_dim_to_check:
    raise AssertionError(f'was expecting embedding dimension of {embed_dim_to_check}, but got {wide}')
if wide % num_heads:
    raise AssertionError(f'embed_dim {wide} not divisible by num_heads {num_heads}')
head = wide // num_heads
w = (q_proj_weight, k_proj_weight, v_proj_weight) if use_separate_proj_weight else in_proj_weight.chunk(3)
b = (None, None, None) if in_proj_bias is None else in_proj_bias.chunk(3)
q, k, v = linear(query, w[0], b[0]), linear(key, w[1], b[1]), linear(value, w[2], b[2])
additive = lambda m: None if m is None else torch.zeros(m.shape, dtype=q.dtype).masked_fill(m, -math.inf) if m.dtype == torch.bool else m
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
fit = (q * math.sqrt(1.0 / head)) @ k.transpose(-2, -1)
if mask is not None:
    fit = fit + (mask.unsqueeze(0) if mask.dim() == 2 else mask)
if absent is not None:
    fit = fit + absent.view(batch, 1, 1, -1).expand(batch, num_heads, 1, k.size(1)).reshape(batch * num_heads, 1, -1)
weights = fit.softmax(-1)
weights = torch.nn.functional.dropout(weights, dropout_p) if training and dropout_p > 0 else weights
y = (weights @ v).transpose(0, 1).contiguous().view(length * batch, wide)
y = linear(y, out_proj_weight, out_proj_bias).view(length, batch, -1)
weights = weights.view(batch, num_heads, length, -1)
weights = weights.mean(1) if average_attn_weights else weights
y, weights = (y, weights) if batched else (y.squeeze(1), weights.squeeze(0))
(y, weights if need_weights else None)").stepwise(),
];
