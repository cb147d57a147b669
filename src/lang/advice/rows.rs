//! The table of ways out. The first row whose sentence fits counts.

use super::Way::{Change, Find, Mend, Say};
use super::{Row, sizes};

pub(super) static ROWS: &[Row] = &[
    // Sizes that do not fit.
    ("The size of tensor a ({}) must match the size of tensor b ({}) at non-singleton dimension {}", Mend(sizes::broadcast)),
    ("shape '[{}]' is invalid for input of size {}", Find(sizes::view)),
    (
        "view size is not compatible with input tensor's size and stride",
        Change(
            "%explain shows the cell that no stride reaches; .reshape(...) copies when it must, .contiguous().view(...) always",
            ["view", "reshape"],
        ),
    ),
    ("shapes cannot be multiplied ({}x{} and {}x{})", Mend(sizes::matmul)),
    ("inconsistent tensor size, expected tensor", Say("a product of two vectors needs as many elements in both")),
    ("must be a matrix, got", Say("@ (torch.matmul) takes vectors too; .unsqueeze(1) makes a vector a column")),
    ("size mismatch, got input ({}), mat ({}x{}), vec ({})", Say("a matrix with {2} columns takes a vector of {2} elements")),
    ("D tensors expected, but got", Say("torch.dot takes two vectors: use @ for matrices, or (x * y).sum() for any sizes")),
    (
        "Expected size {} but got size {} for tensor number",
        Say("cat joins along one dim, the others must be equal: another dim=, or .T of one"),
    ),
    (
        "Sizes of tensors must match except in dimension {}.",
        Say("cat joins along dim {0} only: try another dim=, or .T of one tensor"),
    ),
    (
        "Tensors must have same number of dimensions: got {} and {}",
        Say("cat joins tensors of as many dims: .unsqueeze(0) gives one a dim more, torch.stack makes a new dim"),
    ),
    ("stack expects each tensor to be equal size", Say("torch.cat joins tensors of different length along a dim they have")),
    (
        "must match the existing size ({}) at",
        Say("expand repeats dims of size 1 only; .repeat(...) copies, .unsqueeze(dim) makes such a dim"),
    ),
    (
        "the number of sizes provided ({}) must be greater or equal",
        Say("give a size for every dim; -1 keeps the one that is there"),
    ),
    ("Number of dimensions of repeat dims can not be smaller", Say("give a count for every dim, 1 for those that stay")),
    ("split_sizes to sum exactly to {} (", Say("the pieces must add up to {0}; .split(n) makes pieces of n and a rest")),
    ("to be greater than 0, got", Say("ask for 1 piece or more")),
    ("maximum size for tensor at dimension {} is {} but size is {}", Say("a window of dim {0} has at most {1} elements")),
    ("requiring a storage size of {} are out of bounds for storage of size {}", Find(sizes::strided)),
    ("must be batches of square matrices", Say("torch.linalg.pinv and torch.linalg.lstsq take matrices that are not square")),
    ("for a sparse matrix yet", Say(".detach() takes the matrix out of what is recorded; the dense one gets its gradient")),
    ("einsum(): subscript", Say("one letter stands for one size in all operands: check the order of the letters")),
    // Indices and dims.
    ("is out of bounds for dimension {} with size 0", Say("dim {0} is empty: it has no index at all")),
    ("is out of bounds for dimension {} with size {}", Find(sizes::index)),
    (
        "too many indices for tensor of dimension {} (got {})",
        Say("it has {0} dims, so at most {0} indices; one ... stands for all dims that no other index names"),
    ),
    ("too many indices for tensor of dimension {}", Say("it has {0} dims, so at most {0} indices; None in an index adds a dim")),
    ("(expected to be in range of [{}, {}], but got {})", Say("dims go from 0 to {1}, or counted from the last from -1 to {0}")),
    ("index out of range in self", Find(sizes::rows)),
    (
        "only integers, slices (`:`), ellipsis",
        Say("an index is an int, a slice, None, ..., a mask, or integers: .long() converts a tensor, int() a number"),
    ),
    ("tensors used as indices must be long", Say(".long() makes indices of it; a comparison such as x > 0 makes a mask")),
    ("object of type 'builtin_function_or_method' has no len()", Say("it is a method: call it first, with ()")),
    ("invalid data type 'str'", Say("a tensor has no names: dims and elements are found by number")),
    (
        "step must be greater than zero",
        Say(".flip(dim) turns a dim round; it copies, since strides of a tensor are not negative"),
    ),
    ("duplicate dims are not allowed", Say("name every dim once, as in .permute(1, 0)")),
    ("does not match the length of the desired ordering of dimensions", Say("name every dim once, as in .permute(1, 0)")),
    ("The shape of the mask [{}] at index", Say("a mask has the size of the dims it stands for; [{0}] is not how they begin")),
    ("a 0-d tensor", Say("it holds one number: .item() gives it, .reshape(1) gives it a dim")),
    ("invalid index of a 0-dim tensor", Say("it holds one number: .item() gives it, .reshape(1) gives it a dim")),
    ("KeyError: ", Find(sizes::keys)),
    ("list index out of range", Find(sizes::sequence)),
    ("tuple index out of range", Find(sizes::sequence)),
    // Shared memory.
    (
        "more than one element of the written-to tensor refers to a single memory location",
        Say("some cells serve several indices, %layout shows which; .clone() gives each index its own"),
    ),
    (
        "some elements of the input tensor and the written-to tensor refer to a single memory location",
        Say("what is read would change while it is written: read from a .clone()"),
    ),
    ("leaf Variable that requires grad", Say("write inside `with torch.no_grad():`, or to x.data")),
    ("Can't call numpy() on Tensor that requires grad", Say("x.detach().numpy() shares the storage and records nothing")),
    // Dtypes.
    (
        "result type {} can't be cast to the desired output type {}",
        Say("out of place the result may be {0}: x = x + y; or convert first: x = x.to(...)"),
    ),
    ("could not infer output dtype", Say("a mean need not be whole: .float().mean(), or .mean(dtype=torch.float32)")),
    ("only support floating point and complex dtypes", Say("convert first, with .float() or .double()")),
    ("\"bitwise_xor", Say("the power is **; ^ combines bits, and floats have none to combine")),
    ("bitwise", Say("floats have no bits to combine: compare first, or convert with .long()")),
    ("operator.invert", Say("floats have no bits to turn round: x == 0 is true where an element is 0")),
    ("not implemented for 'Long'", Say("convert the integers first: .float()")),
    ("not implemented for 'Int'", Say("convert the integers first: .float()")),
    ("not implemented for 'Bool'", Say("convert the truth values first: .int() counts, .float() averages")),
    ("not implemented for '{}'", Say("convert first, for example with .float()")),
    ("must be torch.dtype, not str", Say("write torch.float32, torch.int64, torch.bool, ...")),
    ("expected scalar type {} but found {}", Say("make both {0}, with .to(x.dtype)")),
    ("to have the same dtype, but got: {} != {}", Say("make both the same dtype: {b}.to({a}.dtype)")),
    // Numbers out of tensors.
    (
        "a Tensor with {} elements cannot be converted to Scalar",
        Say("pick one by its indices, reduce with .sum(), or take all with .tolist()"),
    ),
    ("only one element tensors can be converted", Say("pick one by its indices, reduce with .sum(), or take all with .tolist()")),
    (
        "only integer tensors of a single element can be converted to an index",
        Say("a tensor is multiplied by numbers and tensors; an index is an int"),
    ),
    (
        "Boolean value of Tensor with more than one value",
        Say(".any() or .all() makes one truth of many; torch.where chooses element by element"),
    ),
    ("Boolean value of Tensor with no values", Say(".numel() > 0 asks whether there is anything; .any() of nothing is False")),
    ("fill_ only supports 0-dimension", Say("copy_ writes a tensor element by element")),
    // Making tensors.
    (
        "expected sequence of length {} at dim {} (got {})",
        Say("all lists at depth {1} need the same length; pad the shorter ones"),
    ),
    ("too many dimensions 'str'", Say("a tensor holds numbers: number the words first")),
    ("with negative dimension {}", Say("a size counts elements: 0 or more")),
    ("Dimension size must be non-negative", Say("a size counts elements: 0 or more")),
    ("upper bound and lower bound inconsistent with step sign", Say("a negative step counts down: torch.arange(5, 1, -1)")),
    ("must be greater or equal to 0, got {}", Say("a size counts elements: 0 or more")),
    ("can't allocate memory", Say("dtype=torch.float16 or uint8 needs less; .expand repeats without memory")),
    ("Found no NVIDIA driver", Say("device = 'cuda' if torch.cuda.is_available() else 'cpu' works on both kinds of machine")),
    // Linear algebra.
    (
        "the input matrix is singular",
        Say("torch.linalg.pinv or torch.linalg.lstsq give the nearest answer; matrix_rank tells how singular it is"),
    ),
    ("because the input is not positive-definite", Say("x @ x.T + a small multiple of torch.eye(n) is positive-definite")),
    // Calls.
    ("got an unexpected keyword argument 'axis'", Say("the dims argument is called dim here")),
    ("got an unexpected keyword argument 'axes'", Say("the dims argument is called dim here")),
    ("got an unexpected keyword argument 'dims'", Say("the argument is called dim here")),
    ("got an unexpected keyword argument 'keepdims'", Say("it is called keepdim")),
    ("{}() got an unexpected keyword argument", Say("?{0} shows the arguments it takes")),
    ("TensorBase.{}() takes no arguments", Say("?{0} shows the arguments it takes")),
    ("{}() missing {} required", Say("?{0} shows the arguments it takes")),
    ("{}() takes {} positional argument", Say("?{0} shows the arguments it takes")),
    ("new(): argument 'size' failed to unpack", Say("torch.Tensor(2, 3) takes sizes, torch.tensor([2, 3]) takes numbers")),
    ("new() received an invalid", Say("torch.Tensor(2, 3) takes sizes, torch.tensor([2, 3]) takes numbers")),
    ("invalid combination of arguments - got (axes=", Say("the dims argument is called dim here")),
    ("invalid combination of arguments - got (dims=", Say("the argument is called dim here")),
    ("{}() received an invalid combination of arguments", Say("?{0} shows the arguments it takes")),
    ("(): argument '{}' (position {}) must be {}, not {}", Say("{0} takes {2}")),
    ("'builtin_function_or_method' object is not subscriptable", Say("it is a method: call it first, as in x.size()[0]")),
    ("'torch.Size' object is not callable", Say("x.shape is no function: x.shape[0], or x.size(0)")),
    ("'Tensor' object is not callable", Say("a tensor is indexed with square brackets: x[0]")),
    ("'int' object is not callable", Say("a name that held a function holds a number now, or a * is missing before a bracket")),
    ("maximum recursion depth exceeded", Say("a function that calls itself needs a case in which it does not")),
    // Python.
    ("can only concatenate str (not \"{}\") to str", Say("str(...) makes a text of it; an f-string does it for you: f\"{x}\"")),
    (
        "unsupported operand type(s) for {}: '{}' and '{}'",
        Say("convert one of them: int(...), float(...), str(...), torch.tensor(...)"),
    ),
    ("invalid literal for int() with base {}: {}", Say("int() reads digits only; float() reads 1.5 and 1e3")),
    ("could not convert string to float", Say("float() reads numbers like 1, 1.5, 1e-3, inf and nan")),
    (
        "not enough values to unpack (expected {}, got {})",
        Say("there are {1} values: write as many names, or *rest for what is left"),
    ),
    ("too many values to unpack (expected {}", Say("write *rest as the last name to take what is left")),
    ("is zero and using it on lu_solve", Say("the matrix is singular: torch.linalg.lstsq solves in the sense of least squares")),
    ("division by zero", Say("numbers cannot be divided by 0; tensors of floats give inf or nan")),
    ("object is not iterable", Say("a loop takes a list, a range, a tensor: range(n) counts to n")),
    ("'NoneType' object has no attribute", Say("a function that returns nothing returns None; was a return forgotten?")),
];
