"""Records the strides PyTorch gives to results of elementwise operations: python record_layouts.py SEED COUNT

A line is: the sizes of the result, its strides, then sizes and strides of each operand."""
import random, sys
import torch
random.seed(int(sys.argv[1]))
def shuffled(shape):
    order = list(range(len(shape)))
    random.shuffle(order)
    back = [order.index(i) for i in range(len(order))]
    return torch.zeros([shape[i] for i in order]).permute(back)
def sliced(shape):
    t = torch.zeros([2 * s + 1 for s in shape])
    for d, s in enumerate(shape):
        t = t.narrow(d, random.randrange(s + 1), s) if random.random() < .5 else t[(slice(None),) * d + (slice(0, 2 * s, 2),)]
    return t
def expanded(shape):
    return torch.zeros([1 if random.random() < .5 else s for s in shape]).expand(shape)
def last(shape):
    return torch.zeros(shape).to(memory_format=torch.channels_last) if len(shape) == 4 else torch.zeros(shape)
def text(numbers):
    return "x".join(map(str, numbers)) or "-"
seen = set()
while len(seen) < int(sys.argv[2]):
    sizes = [random.choice([1, 1, 2, 3, 4, 0 if random.random() < .1 else 2]) for _ in range(random.randrange(1, 6))]
    operands = []
    for j in range(random.choice([1, 2, 2, 3])):
        shape = list(sizes)
        if j and random.random() < .5:
            shape = [1 if random.random() < .4 else s for s in shape]
            shape = shape[random.randrange(len(shape) + 1):]
        operands.append(random.choice([torch.zeros, shuffled, shuffled, sliced, expanded, last])(shape))
    if all(o.is_contiguous() for o in operands) and random.random() < .9: continue
    if len(operands) == 1: result = operands[0].neg()
    elif len(operands) == 2: result = operands[0] + operands[1]
    else: result = torch.addcmul(*operands)
    seen.add(" ".join([text(result.shape), text(result.stride())] + [text(o.shape) + " " + text(o.stride()) for o in operands]))
print("\n".join(sorted(seen)))
