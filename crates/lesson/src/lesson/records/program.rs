//! The records of a program.

use super::{Record, optional, required};

/// A program.
pub const PROGRAM: Record = Record(&[
    required("id", "its name in expressions and on the command line"),
    required("title", "its name for people"),
    optional("buffers", "its buffers, which exist as long as it runs; required"),
    required("passes", "what it does, in order: launches, copies, fills, repetitions"),
    optional("checks", "the checks of its results"),
    optional("series", "values that are recorded in each round"),
    optional(
        "bytes",
        "an expression: the minimum bytes that the program has to move; the sum of its passes if left out",
    ),
    optional("flops", "an expression: floating-point operations that the program needs"),
    optional("ranks", "the ranks of the program, if each can be a process of its own"),
    optional(
        "cache",
        "`Warm`: each run uses the same buffers, which may be in the caches. `Cold`, the default: the runs alternate \
         between copies of the buffers, so that each run reads its buffers from memory",
    ),
]);

/// A buffer.
pub const BUFFER: Record = Record(&[
    required("name", "its name; a shader's variable of the same name refers to it, unless the pass has a `bind`"),
    required("elem", "`F32`, `F16`, `U32` or `I32`; `Bf16` in CUDA C++ only; a `vec4<f32>` counts as four"),
    required("count", "an expression: how many elements"),
    optional("columns", "an expression: the number of columns, if it is a row-major matrix"),
    optional(
        "means",
        "what the elements are, if they are more than numbers: a meaning of the table below with its arguments, such \
         as `Tokens(text: \"text\")`",
    ),
    optional(
        "parts",
        "a name for each column, for the picture of a matrix as bars: each part of a bar has a colour of its own",
    ),
    optional("rows", "what a row is (`\"rank\"`): rows and bars are labelled with it"),
    optional("across", "what a column is (`\"key\"`): the columns of a matrix of numbers are labelled with it"),
    optional(
        "row_names",
        "a name for each row, if they are of different things: bars have these names then, and no mean",
    ),
    optional("unit", "the unit of the elements, as bars show it"),
    required("init", "what it holds at first"),
    optional(
        "bounds",
        "for `Random`: `(\"low\", \"high\")`, from low to below high; if left out, integers take all values and \
         floats lie from -1 to below 1",
    ),
    optional("masked", "for `Random` with bounds: the share of elements that are masked, that is, set to -1e38"),
]);

/// A pass, of any kind.
pub const PASS: Record = Record(&[
    required("id", "its name in the program"),
    optional("title", "its name for people"),
    optional("kernel", "the kernel that it launches"),
    optional("kernels", "the kernels that it can launch, the default first"),
    optional("bind", "a map from the shader's variables to buffers with other names"),
    optional("constants", "a map of constants that differ from the kernel's"),
    optional("grid", "workgroups, if they differ from the kernel's: three expressions, or `Words(…)`"),
    optional("bytes", "an expression: the minimum bytes that a launch has to move"),
    optional("flops", "an expression: floating-point operations that a launch needs"),
    optional("copy", "`(\"from\", \"to\")`: buffers of one type and size"),
    optional("fill", "`(\"buffer\", \"0\")`: every element becomes this"),
    optional(
        "repeat",
        "an expression: the maximum number of rounds, at most 1,048,576; if it is 0, these passes are left out",
    ),
    optional(
        "until",
        "`\"change[0] <= 3\"`: an element, one of `== != < <= > >=`, an expression over parameters; the repetition \
         ends after the first round in which this is true",
    ),
    optional("passes", "the passes of a round"),
    optional("turn", "the name of a round, for pictures: `\"merge\"` for \"merge 3 of 12\""),
    optional("collective", "what ranks that are processes do instead of these rounds"),
    optional("awaits", "a list: the collectives that have to be over before this pass"),
]);

/// How a program is split over ranks.
pub const RANKS: Record = Record(&[
    required("number", "an expression: how many ranks there are, at most 1,024"),
    required("here", "the id of a value: the number of ranks whose rows the buffers have"),
    required("first", "the id of a value: the first of these ranks"),
]);

/// A collective.
pub const COLLECTIVE: Record = Record(&[
    required("buffer", "the buffer of `F16` or `F32`"),
    optional(
        "part",
        "`(\"layer\", \"4\")`: what a rank has of the buffer consists of 4 equal parts, and this is about one of \
         them. Its number is the first element of the buffer `layer`, modulo 4. If left out, it is about all that a \
         rank has",
    ),
    optional(
        "meter",
        "a buffer of `U32` with a word for each rank: the bytes that this rank sent to that rank are added to it",
    ),
]);

/// A grid that is read from a buffer.
pub const WORDS: Record = Record(&[
    required("buffer", "a buffer of `U32`"),
    optional("at", "an expression: the index of the first word; 0 if left out"),
    required("most", "three expressions: the maximum numbers of workgroups"),
]);

/// A series.
pub const SERIES: Record = Record(&[
    required("id", "its name, also as a result"),
    optional("label", "its name for people"),
    optional("unit", "its unit"),
    required("of", "`loss[0]`, or `sum(b)`, `min(b)`, `max(b)` or `mean(b)` of a buffer"),
    optional(
        "each",
        "the repetition or pass after whose rounds or launches a value is recorded; only the end of the program if \
         left out",
    ),
]);

/// A check.
pub const CHECK: Record = Record(&[
    required("output", "the buffer that is compared"),
    optional("tolerance", "the maximum relative error; for a sum, relative to the sizes of its terms; 0 if left out"),
    optional(
        "scale",
        "for `formula` and `kernel`, an expression: errors are relative to at least this value, for results in which \
         terms of this size cancel",
    ),
    optional(
        "when",
        "an expression: the check is made only if it is not 0; so a reference that would take too long can give way \
         to others",
    ),
    optional(
        "after",
        "the pass or repetition after whose launches or rounds the check is made each time; only the end of the \
         program if left out",
    ),
    optional("reference", "a reference that comes with Warpbook, with `args` and `inputs`"),
    optional("args", "for a reference: a map from its arguments to expressions"),
    optional("inputs", "for a reference: a map from its inputs to buffers with other names"),
    optional(
        "kernel",
        "a simple kernel that the tracer runs on the initial contents of the buffers, launched like a pass",
    ),
    optional("bind", "for a kernel, as in a pass"),
    optional("constants", "for a kernel, as in a pass"),
    optional("grid", "for a kernel, as in a pass"),
    optional("bytes", ""),
    optional("flops", ""),
    optional(
        "formula",
        "an expression for element `i`; it may use elements of `output` with a smaller index, as the formula gives \
         them",
    ),
    optional("every", "an expression that must be true for every `i`"),
    optional("sorted_by", "an expression for element `i` that must not decrease"),
    optional("permutation_of", "a buffer: `output` must hold each value as often as this buffer did at first"),
    optional("equal_set", "a buffer: `output` must hold the same values as this buffer did at first, however often"),
    optional("sums_to", "an expression: the sum of the elements"),
    optional("count", "for a formula, an expression: the number of elements that it covers; all if left out"),
]);
