//! tsr: an interactive shell and scripting language for tensors that shows their memory.
//!
//! This page is the architecture: the map, what must stay true, how to add an operation, and what was refused.
//!
//! # How data flows
//!
//! ```text
//! text --syntax--> AST --lang--> op row --> Layout -> Layout        (views: no data touched)
//!                                      \--> Program + Plan --> Device (elementwise work, reductions)
//!                                      \--> native function          (sorting, linear algebra, files)
//! value --show--> Doc (styled text) --> plain | ANSI | ASCII
//! ```
//!
//! One direction, no cycles. A test (`tests/it/tidy.rs`) walks the `crate::` paths and fails on an arrow that points up:
//!
//! | part | knows | is |
//! | --- | --- | --- |
//! | [`diag`], [`interrupt`] | nobody | messages to the user; the Ctrl-C flag |
//! | [`syntax`] | `diag` | text to syntax tree; no parser type leaves it |
//! | [`dtype`], [`layout`] | `diag` | what an element is; where elements are. Pure arithmetic |
//! | [`kernel`] | `dtype`, `layout` | how data is walked: plans, programs, block loops, folds, generators |
//! | [`device`] | `kernel` | where data lives: about eleven verbs, no operation named |
//! | [`tensor`], [`settings`] | `device` | two handles, a tensor and its storage; what `torch.set_…` sets |
//! | [`value`] | `tensor` | Python's values. What needs an evaluator is handed a [`value::Machine`] |
//! | [`ops`] | `value`, `kernel` | **the table**: one row per operation, and the only door to a device (`ops::exec`) |
//! | [`show`] | `value` | values to text: printing, reports, pictures |
//! | [`lang`] | `ops`, `show`, `syntax` | the evaluator, Python's types, functions and modules |
//! | [`repl`] | all above | sessions, the prompt, the table of shell commands, help |
//! | [`cli`] | all above | the command line: programs, transcripts under test, exit codes |
//!
//! # Adding an operation
//!
//! It is one row in the file of its family in `src/ops`. A pointwise one, whole:
//!
//! ```text
//! op(
//!     "square(Tensor self) -> Tensor",
//!     "Each element times itself.",
//!     "torch.tensor([2., 3.]).square()  # tensor([4., 9.])",
//!     Map(&scalar!(…)),
//! )
//! .inplace(),
//! ```
//!
//! From it follow `torch.square(x)`, `x.square()`, `x.square_()`, `out=`, argument binding with names and defaults, the messages
//! about wrong arguments, promotion, broadcasting, every dtype, any strides, `help(square)`, completion, the step in `%trace`
//! and the generated tests. A view is `View(|layout, args| …)`, a function from layout to layout. A composition is
//! `Code("self * self.sigmoid()")`, text of the language. A function of two tensors is a `Pair(fn)`, the rest is `Native(fn)`. How the
//! gradients of the arguments follow is text on the row, too: `.grads(&[("self", "grad * other")])`.
//!
//! # Invariants
//!
//! * A layout is checked against its storage when they are joined ([`tensor::Tensor::new`], `alias`, `replace`). After that no
//!   kernel checks bounds, and no safe call can read outside.
//! * Aliasing is real: no copy-on-write. Writes go through one door, which bumps the storage's version, refuses to write two
//!   elements into one cell, and copies first when output and input overlap in part; a few elements between gaps, whose overlap no
//!   quick look sees, are written in the order of the memory instead, so that each sees what was just written, as in PyTorch
//!   (`ops::exec`, `in_turn`).
//! * Operations say *what* is wrong ([`diag::Fault`]: class and sentence); the evaluator says *where* (spans, shapes, calls).
//! * Nothing below `repl` prints. Values become text in `show`; what a program prints goes through [`value::Machine::write`].
//! * Every exception class is Python's and PyTorch's own. No input of a user reaches a panic: `unwrap` is denied by lint, and
//!   what remains is caught at the statement and reported as an internal error with the session alive.
//! * Ctrl-C is looked for between the pieces of work that threads take, and inside of those that last longer than some tens of
//!   milliseconds: a loop that leaves off leaves its result unfinished, and whoever shared it out fails. `benches/stop.rs` measures it.
//! * Results do not depend on the number of tsr's own threads, or on which operations ran as one program. What PyTorch adds up in as
//!   many parts as it has threads (rows of norms, gradients of convolutions) has as many parts as `torch.get_num_threads()` says,
//!   whoever works on them. Nor do results depend on the instruction set, but for products of matrices, Fourier transforms and softmax:
//!   `gemm`, [`kernel::registers`] and `zaft` add as the processor's vectors let them, [`kernel::soft`] as PyTorch's do, and bfloat16
//!   tiles ([`kernel::tile`]), by whichever instructions, take subnormal numbers as zero.
//! * Storage numbers (`#1`) are given when first shown and then stay.
//!
//! # Chosen, and why
//!
//! * **Settings live in a thread-local** ([`settings`]) and not in a context handed to every function: a tensor's text depends on
//!   the default dtype, and PyTorch gives these settings the same reach.
//! * **Compute classes** ([`dtype::Class`]): kernels exist for six lane types; narrow dtypes are widened block by block and
//!   rounded after every instruction. Code grows with dtypes + operations, not with their product. Only functions that are a
//!   few machine instructions (sums, bits, comparisons) also have loops over narrow integers as they lie in memory.
//! * **Expressions run as one program** ([`ops::exec`], `fuse`): while an expression is evaluated, an elementwise operation on a
//!   large tensor gives a tensor that is *promised*: dtype, size, strides and errors are settled at once, elements follow when
//!   somebody reads them, at the latest when the expression ends. So `a * b + a` walks memory once, `((a - b) ** 2).sum()`
//!   makes no tensor at all, and the bits are those of single operations. `TSR_FUSE=0` turns it off, and a test compares.
//! * **A text has a usual call** (`Op::usually`): functions of networks are texts of the language, which look at every argument and
//!   say what is wrong with it. Floats on the CPU with arguments that fit do not wait for them: a function of the row
//!   (`ops::functional::usual`, `ops::composed`) makes the result in one pass, bit for bit what the text makes, and leaves to the
//!   text whatever it does not know.
//! * **What lies alike needs no plan** (`ops::exec`, `alike` and `kept`): tensors of one size without gaps are walked as one line, and
//!   the program of a function is kept with the dtypes it was made for, so that a call costs less than its elements from a few
//!   thousand elements on. Small operands that are repeated or have gaps are written out and then lie alike (`spread`).
//! * **What costs no more than memory touches no more memory than it must** ([`kernel::manner`]): beside a tensor, a number or a
//!   repeated element is held in a register of the processor, and a result in place is written where it was read. Rows that lie
//!   ready go to their loop together (`kernel::run`), rows to be folded in one call. Threads read stretches of their own, in
//!   order (`device::cpu`); what indices write is shared out along a dimension where it cannot meet ([`kernel::indexed`]).
//!   `where(a < b, x, y)` is one instruction (`kernel::choice`): no truth values are written to be read again. A result that does not
//!   fit the last cache together with its operands is written past it (`kernel::stream`), block by block, while the next block is
//!   fetched; what fits would be written at half the speed that way. Large storages begin at places of their own in their pages.
//! * **The compiler's vectors are looked at** and not trusted: a loop over lanes may be gathered element by element, or a choice
//!   become a choice of addresses, many times slower. Comments say where it had to be led (`fold::strategy`, `element`).
//! * **A step of a reduction to a few diagonals passes memory once** ([`kernel::reduce`]): it does what the step before left to be
//!   changed and multiplies by the new reflection at the same time.
//! * **Threads that share work stay awake for more** ([`kernel::team`]): the steps of a decomposition, and most operations, are
//!   shorter than a thread takes to wake. Each keeps to its stretch of a tensor, which its cache may still hold.
//!   Who works on a part never decides how it is added up: parts that have a sum each are cut at fixed places ([`kernel::reduce`]).
//!   Reflections that chase a bulge are done to what lies far from the diagonal many at a time ([`kernel::chase`]).
//! * **Eigenproblems of more than 25 rows are divided** (`halves` and `secular` in `ops::linalg::dense`) as LAPACK divides them: that
//!   decides the signs of the vectors. What is smaller is rotated.
//! * **Small products and triangular systems stay in registers** ([`kernel::registers`]), since the `gemm` crate arranges its
//!   operands first; larger ones are its own ([`kernel::matmul`], `large`) where there is AVX-512, with columns shared out among
//!   threads, which costs less than what it does with them, and a piece of the terms at a time, so that sums round as PyTorch's do.
//!   With AVX2 alone the same registers sum large ones from copies of both that stay in the caches, which two threads do a third
//!   faster than the crate.
//! * **Layers and distributions are rows too** (`lang::library`): `torch.nn.Linear` and `torch.distributions.Normal` are tables whose texts
//!   are the language's, so that a course's page that calls them runs. Data sets, paths and optimizers are such rows as well
//!   (`written`): what an object holds, and a text for each method.
//! * **Gradients are texts too** (`ops::autograd`): an operation on tensors that ask for a gradient leaves a node with its
//!   arguments, and how their gradients follow from the result's is text of the language on the operation's row, which can be
//!   recorded in turn. Views need none: their gradient goes where they lie. What a text computed is gone back through step by step,
//!   and a text with a gradient of its own is not. A node is given up when it was gone back through only if its text looks at
//!   elements; gradients with a history are named after what PyTorch computes them by (`slopes`), and trees of names tell what its
//!   calls leave between (`steps`). A view whose elements were changed is made anew from its base when somebody asks what made it.
//! * **Windows and columns come to the cache some at a time**: the cells of convolutions are copied for some windows, multiplied and
//!   forgotten ([`kernel::convolve`]); those of float32 add up as many planes at a time as a vector has lanes, as PyTorch's library
//!   does, and their opposite is a convolution of what lies backwards, with zeros between. Columns are brought together, worked on
//!   and brought back ([`kernel::across`]). Sums of columns read memory from one end to the other, in runs that threads share
//!   ([`kernel::upright`]).
//! * **Fourier transforms are a library's** (`zaft`); lines of at most 256 numbers are another's (`rustfft`), which is slower but leaves
//!   zeros zero, as PyTorch's does, and thirds of a turn are exact in the shorter ones (`thirds`). Those of at most 16 numbers have the
//!   operations of PyTorch's library (`fft::short`), in orders that a table tells; on processors that are not Intel's so have most of up to
//!   1024 (`fft::composed`), which are made of short ones, sixteen lines beside each other. One long line is transformed as a matrix, so that
//!   threads can share it.
//! * **Blocks of memory are recycled** ([`device::pool`]) above the devices' `alloc` and `free`.
//! * **Functions of floats without branches** ([`kernel::vector`]): the most used ones in the width of their argument, the others
//!   in float64, rounded once; the compiler makes vector code of the loops, with the same bits for every instruction set. By hand
//!   is only what it cannot make, look-ups in registers and roots from a guess ([`kernel::vector::wide`]).
//! * **The ends of rows are computed as PyTorch's** where its compiler made another loop of them ([`kernel::rest`]): complex products,
//!   quotients and signs of zeros. Such a function fuses only with what is one line of elements.
//! * **Small products add up as PyTorch's libraries do** ([`kernel::matmul`]), those with a vector on Intel's processors in masked
//!   vectors ([`kernel::masked`]), so that residuals print the same; on processors that are not Intel's these do so otherwise, and so
//!   does tsr where that is known ([`kernel::follows_intel`]): products (beside whole blocks in an order that depends on where rows lie,
//!   [`kernel::aligned`]), decompositions of few rows, roots. An order is found by putting two large numbers of opposite signs among
//!   ones: the sum tells which ones were added before the two met. Of
//!   complex ones ([`kernel::complex`]) the products of parts have sums of their own, and so what is real by its form is real; large ones
//!   are four products of real planes. Decompositions of few rows go step by step as the library's do, with its roundings (`few` and
//!   its kin in `ops::linalg::dense`): what is left of a singular matrix shows them. Larger ones take blocks and follow its signs.
//! * **Warnings are a table** (`ops::warning`): functions by name, when a call gives reason, and PyTorch's sentence. What it says in C++
//!   ends in the line that says it: a program that catches the warning sees that, standard error does not.
//! * **Logical lines before the grammar**: indentation and brackets are found in one linear pass, and pest parses one logical
//!   line at a time; so nesting cannot blow up and one bad line does not swallow the rest.
//! * **A compiled tree**: `lang` resolves names to slots once and walks the resolved tree. Ints, floats and bools travel between its
//!   parts in registers; a value of any kind has two words. An exception waits beside, so that every result fits two registers.
//! * **A function with a `yield` is walked with a path** (`lang::eval`, `resume`): what it stands in is kept as steps, by which the walk finds
//!   its way in again. No second stack is needed, and only statements with a `yield` in them pay for it. A `yield` inside an expression is
//!   made a statement before (`lang::compile`, `yields`): what is evaluated earlier is put aside under names that no program can write.
//! * **What nobody holds any more may have something to run** (`lang::left`): a generator in the middle of a `try`, an object with a
//!   `__del__`. Dropping has no evaluator at hand, so they wait for it until the statement or the call at hand is done.
//! * **Classes of the program** (`lang::classes`) are dicts in a line. Objects of one that builds on a layer are layers, of one that builds on an
//!   exception are exceptions, so that whatever knows those knows them. What shows a value has no evaluator at hand: what functions of
//!   the program have to say is asked before. So do dicts: the hash and the equality of an object are asked when it becomes a key, and
//!   objects that are equal get one mark (`keys`), by which dicts and sets compare without the evaluator. An object of a class on `dict`,
//!   `int` or the like holds a value of it (`besides`); one of a class on an optimizer, a distribution or the like has what that holds
//!   among its own attributes (`lang::library`, `written`); classes on `type` are classes of classes (`meta`).
//! * **Modules of Python that are about classes are texts of the language** (`lang::modules`, `texts`): `enum`, and parts of `functools`,
//!   `dataclasses` and others. They run when a name is first asked for.
//!
//! # Refused
//!
//! * `Tensor<T>` or a backend parameter: a shell knows dtypes and devices at run time only.
//! * A method per operation on the device: a device has verbs, the table has operations.
//! * A second registry, generated code or a yaml file for operations: the table is Rust data and can be read in order.
//! * Tensors that stay lazy beyond their expression, and copy-on-write: both hide the subject.
//! * Walks that begin where the one before ended: no faster.
//! * `async` in the language, and classes built on `torch.Tensor` or on numpy's: they get a clear error.

#[macro_use]
pub mod diag;
pub mod cli;
pub mod device;
pub mod dtype;
pub mod interrupt;
pub mod kernel;
pub mod lang;
pub mod layout;
pub mod ops;
pub mod repl;
pub mod settings;
pub mod show;
pub mod syntax;
pub mod tensor;
#[cfg(test)]
mod testing;
pub mod value;
