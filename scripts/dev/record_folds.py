"""Records what PyTorch's reductions give, bit by bit: python record_folds.py > folds.txt

Every case reads one storage whose element i is a fixed pseudo-random number, through some layout. A line is
    operation dtype sizes strides offset dims hash
where hash is FNV-1a over the bytes of the result(s)."""
import random, sys
import torch
torch.set_num_threads(1)
random.seed(int(sys.argv[1]) if len(sys.argv) > 1 else 0)
COUNT = 200000
bits = torch.tensor([(i * 2654435761 + 12345) % 2**32 for i in range(COUNT)], dtype=torch.float64)
def storage(dtype):
    if dtype.is_floating_point: return (bits / 2**32 * 3 - 1).to(torch.float32).to(dtype)
    if dtype.is_complex:
        f = (bits / 2**32 * 3 - 1).to(torch.float32)
        return torch.complex(f, f.roll(-1)).to(dtype)
    if dtype == torch.bool: return (bits % 7 > 0)
    return (bits.long() // 65536 % 23 - (0 if dtype == torch.uint8 else 11)).to(dtype)
STORES = {}
def fnv(*ts):
    h = 0xcbf29ce484222325
    for t in ts:
        t = t.contiguous()
        for b in (t.view(torch.uint8) if t.dim() else t.reshape(1).view(torch.uint8)).flatten().tolist():
            h = (h ^ b) * 0x100000001b3 % 2**64
    return h
def layout():
    kind = random.random()
    if kind < .45: return [random.choice([1,2,3,7,8,9,15,16,17,31,32,33,63,64,65,100,255,257,1000,1023,1025,4095,4097,5000,20000,100000])], None, 0
    n = random.choice([2,2,2,3,3,4])
    sizes = [random.choice([1,2,3,5,8,9,16,17,33,40,70,130]) if n < 4 else random.choice([1,2,3,5,9,17]) for _ in range(n)]
    return sizes, None, 0
def case():
    sizes, _, _ = layout()
    n = len(sizes)
    strides=[1]*n
    perm=list(range(n))
    if random.random()<.5: random.shuffle(perm)
    step=random.choice([1,1,1,2])
    acc=step
    for k in reversed(perm):
        strides[k]=acc; acc*=sizes[k]
    if random.random()<.1:
        strides[random.randrange(n)]=0
    offset=random.choice([0,0,1,5])
    reach=offset+sum((s-1)*t for s,t in zip(sizes,strides))
    if reach>=COUNT: return None
    dims=sorted(random.sample(range(n),random.randrange(1,n+1)))
    return sizes,strides,offset,dims
OPS={
 'sum':lambda x,d:[x.sum(d)],
 'mean':lambda x,d:[x.mean(d)],
 'prod':lambda x,d:[x.prod(d[0])],
 'amax':lambda x,d:[x.amax(d)],
 'amin':lambda x,d:[x.amin(d)],
 'max':lambda x,d:list(x.max(d[0])),
 'min':lambda x,d:list(x.min(d[0])),
 'var':lambda x,d:[x.var(d)],
 'std':lambda x,d:[x.std(d)],
 'cumsum':lambda x,d:[x.cumsum(d[0])],
 'cumprod':lambda x,d:[x.cumprod(d[0])],
 'cummax':lambda x,d:list(x.cummax(d[0])),
 'cummin':lambda x,d:list(x.cummin(d[0])),
 'any':lambda x,d:[x.any(d[0])],
 'all':lambda x,d:[x.all(d[0])],
}
FLOATS=[torch.float32,torch.float32,torch.float64,torch.float16,torch.bfloat16]
import warnings; warnings.simplefilter('ignore')
# Left out, because PyTorch's vector code rounds them in ways that tsr does not follow: products of half and complex numbers,
# norms, and variances of everything at once (those are tested as operations).
want=int(sys.argv[2]) if len(sys.argv)>2 else 400
seen=set()
while want:
    c=case()
    if c is None: continue
    sizes,strides,offset,dims=c
    op=random.choice(list(OPS)+['sum']*6+['mean']*2)
    dtype=random.choice(FLOATS+([torch.int32,torch.int64,torch.uint8] if op not in('mean','var','std','norm') else [])+([torch.complex64,torch.complex128] if op in ('sum','mean','prod') else [])+([torch.bool] if op in('any','all','sum') else []))
    if dtype not in STORES: STORES[dtype]=storage(dtype)
    if op in ('prod','max','min','any','all') or op.startswith('cum'): dims=dims[:1]
    x=STORES[dtype].as_strided(sizes,strides,offset)
    if op in('var','std'):
        if torch.tensor(sizes)[dims].prod()<2: continue
    if 'prod' in op and (dtype.is_complex or dtype in (torch.float16,torch.bfloat16) or sizes[dims[0]]>100): continue
    if op.startswith('cum') and torch.Size(sizes).numel()>20000: continue
    if op in('var','std') and all(k in dims or s==1 for k,s in enumerate(sizes)): continue
    r=OPS[op](x,dims)
    if op.startswith('cum') and not all(v.is_contiguous() for v in r): sys.stderr.write(f'{op} {sizes} {strides} {[v.stride() for v in r]}\n')
    f=lambda v:'x'.join(map(str,v))
    line=f"{op} {str(dtype)[6:]} {f(sizes)} {f(strides)} {offset} {f(dims)}"
    if line in seen: continue
    seen.add(line); want-=1
    print(line, f"{fnv(*r):016x}")
