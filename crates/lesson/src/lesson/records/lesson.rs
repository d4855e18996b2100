//! The records of a lesson, except those of its programs.

use super::{Record, optional, required};

/// A lesson.
pub const LESSON: Record = Record(&[
    required("format_version", "3"),
    required("title", "the lesson's name"),
    required("summary", "what the reader will know afterwards, in a sentence"),
    optional(
        "presupposes",
        "lessons of the pack, by their ids, that a reader should know before: `[\"one_loop\"]`; the lesson's card \
         names them",
    ),
    optional("python_first", "`true` for a lesson whose pages show their Python at first, and not the kernel"),
    optional("params", "what the reader can turn: a list of parameters"),
    optional("values", "what follows from parameters and results: a list of values"),
    optional("kernels", "a list of kernels; required"),
    optional("programs", "a list of [programs](programs.md)"),
    optional("experiments", "a list of experiments"),
    optional(
        "bench",
        "the sizes at which `warpbook bench` runs kernels: a list of `(kernel: \"id\", set: {\"n\": 1024})`",
    ),
    optional("steps", "the lesson's steps, each with a section in `text.md`; required"),
    optional("predictions", "a list of predictions"),
    optional("exercises", "a list of exercises"),
]);

/// A parameter.
pub const PARAMETER: Record = Record(&[
    required("id", "its name in expressions"),
    required("label", "its name for people"),
    optional("help", "what it does, in a sentence"),
    optional("unit", "its unit"),
    optional("zero", "a word that the control shows in the place of 0, where 0 stands for something else"),
    optional("names", "a name for each value of a Choice, which the control shows in its place"),
    required("default", "a number of the domain"),
    required("domain", "which values it can have"),
]);

/// A value.
pub const VALUE: Record = Record(&[
    required("id", "its name in expressions"),
    required("label", "its name for people"),
    optional("unit", "its unit"),
    required("expr", "the expression"),
]);

/// A kernel.
pub const KERNEL: Record = Record(&[
    required("id", "its name"),
    required("title", "its name for people"),
    optional("ladder", "kernels with the same word form a ladder, in which each is compared with the one before"),
    optional("change", "what this kernel changes compared with the one before, in a sentence"),
    required(
        "shader",
        "its WGSL, below `shaders/`; a file of the same name with the ending `.cu` is its twin in CUDA C++",
    ),
    optional("entry", "the entry point; `main` if left out"),
    optional(
        "constants",
        "a map from the shader's `override`s, or from `const`s that no other declaration needs at compile time, to \
         expressions",
    ),
    optional("requires", "conditions on the parameters: a list of `(\"n % 4 == 0\", \"why\")`"),
    optional("buffers", "[buffers](programs.md#buffer), named as the shader's variables"),
    optional("grid", "workgroups: three expressions"),
    optional("bytes", "an expression: the minimum bytes that the work has to move; not negative"),
    optional("flops", "an expression: floating-point operations that it needs; not negative"),
    optional(
        "cuda",
        "how a kernel in CUDA C++ only is launched: `(parameters: {\"x\": Read, \"y\": Write}, block: (\"128\", \
         \"1\", \"1\"), shared: \"…\", persistent: true, tensor_maps: […])`. `parameters` are what it takes, in \
         order: of a buffer what it does to it, `Read`, `Write` or `ReadWrite`, of a number `Value(\"expression\")`; \
         they and `block` are required. With `traced: true` pages trace it from its PTX; without, only `--kernel` on \
         the command line does, since a page's sizes may be a GPU's. The `shader` may also be a `.ptx` file; \
         `source` is the file below `shaders/` that it was compiled from",
    ),
    optional(
        "ring",
        "the ring of places in workgroup memory that its tiles go through, for the figure of that name: `(places: 4, \
         load: \"who loads, and how\", multiply: \"who multiplies\")`; `places` is a number, or a formula in quotes; \
         so is `tiles`, how many tiles a workgroup takes through it, which may be left out. Earlier packs have it in \
         `cuda`, where it is still read",
    ),
    optional(
        "library",
        "a library call that does the same work: `Product(a: \"a\", b: \"b\", c: \"c\", m: \"…\", n: \"…\", k: \
         \"…\")` or `Copy(\"src\", \"dst\")`",
    ),
    optional("check", "one [check](programs.md#check)"),
    optional("checks", "several"),
    optional(
        "cache",
        "`Warm`: each run uses the same buffers, which may be in the caches. `Cold`, the default: the runs alternate \
         between copies of the buffers, so that each run reads its buffers from memory",
    ),
]);

/// An experiment.
pub const EXPERIMENT: Record = Record(&[
    required("id", "its name"),
    required("title", "its title"),
    optional("kernels", "programs to run, by id: a curve each"),
    optional("curves", "a list of [curves](#curve), for programs with other rungs or single passes"),
    required("over", "the parameter that is varied"),
    required("values", "the values that it takes"),
    required("quantity", "what is plotted"),
    optional("at", "a map of other parameters"),
]);

/// A curve of an experiment.
pub const CURVE: Record = Record(&[
    optional("id", "its name; the program's if left out"),
    optional("title", "its name in the legend"),
    optional("program", "the program"),
    optional("kernel", "the same for a kernel by itself"),
    optional("rungs", "a map from passes to the kernels that they launch"),
    optional("pass", "one pass instead of the whole program"),
]);

/// A step.
pub const STEP: Record = Record(&[
    required("id", "the name of its section in `text.md`"),
    optional("part", "the title of a part of the lesson that begins with this step; the contents have it"),
    optional("program", "the program on the stage"),
    optional("kernel", "the same for a kernel by itself"),
    optional("rungs", "a map from passes to the kernels that take their places"),
    optional("pass", "the pass on the stage; the first that launches a kernel if left out"),
    optional(
        "launch",
        "which launch of the pass is on the stage, from 1; the last one if there are fewer; 1 if left out",
    ),
    optional("set", "a map of parameters, which are set when the reader comes to the step"),
    optional("experiment", "the experiment in the plot"),
    optional("curves", "the curves of the experiment that the plot shows, by their ids: `[\"row\"]`; all if left out"),
    optional(
        "figure",
        "the picture with what it takes: `Heat`, or `Contents(buffer: \"counts\", at: 0.5)`; `Warp` if left out",
    ),
    optional(
        "watch",
        "a part of a source line; the picture begins with an access or a branch of that line. On the page of an \
         exercise it may be a line of the starter",
    ),
    optional("open", "included files that are unfolded at first, by their names without endings: `[\"row_sum\"]`"),
    optional(
        "terms",
        "standard terms for its subject, by which a reader may search: `[\"occupancy\", \"latency hiding\"]`",
    ),
    optional(
        "teaches",
        "concepts that it introduces, in the field's words: `[\"memory coalescing\"]`; see [concepts](#concepts)",
    ),
    optional("at", "where in the warp's record the search for that access starts: 0.5 for the middle; 0 if left out"),
    optional(
        "model",
        "`true` for the step that explains the device's model; the window shows the model's row from there on, or \
         everywhere if no step of the pack has it",
    ),
    optional(
        "round",
        "`true`: its film plays only the round of its launch, where the program's repetitions have a `turn`",
    ),
    optional(
        "cover",
        "`true` for the step whose picture the start page shows for the lesson; if no step has it, the first step is \
         used",
    ),
]);

/// A prediction.
pub const PREDICTION: Record = Record(&[
    required("id", "its name in `{{predict id}}`"),
    required("question", "the question"),
    optional("options", "answers with their numbers: a list of `(\"twice\", 2)`; the one nearest by ratio is right"),
    optional("number", "the reader types a number: `(within: 0.1)` is the allowed relative error"),
    optional("curve", "the reader draws a curve"),
    optional("probes", "the runs that answer it; not for a curve"),
    optional("measured", "an expression over the probes' times; left out if the question is only about counts"),
    optional("traced", "an expression over the probes' counts; required unless the prediction is a curve"),
    optional("unit", "the unit of both: `%` for a ratio, `x` for a factor"),
    required("because", "the explanation, shown after the answer"),
    optional("teaches", "concepts that it tests; see [concepts](#concepts)"),
]);

/// A curve that a reader draws.
pub const DRAWN_CURVE: Record = Record(&[
    required("experiment", "the experiment over whose values it is drawn"),
    required("of", "the experiment's curve that it is compared with"),
    optional("set", "a map of parameters; all others have their defaults"),
    required(
        "y",
        "the ends of the y axis, in the unit of the experiment's quantity: `(0, 40)`; an axis from 0 is linear",
    ),
]);

/// A run of a prediction.
pub const PROBE: Record = Record(&[
    required("id", "its name in `measured` and `traced`"),
    optional("program", "what it runs"),
    optional("kernel", "the same for a kernel by itself"),
    optional("rungs", "a map from passes to the kernels that take their places"),
    optional("set", "a map of parameters"),
]);

/// An exercise.
pub const EXERCISE: Record = Record(&[
    required("id", "its name in `{{exercise id}}`, under which the reader's work is saved"),
    required("prompt", "what to do"),
    optional("program", "the program that the reader's kernel is part of"),
    optional("kernel", "the same for a kernel by itself"),
    optional("rungs", "a map from passes to the kernels that take their places"),
    optional("pass", "the pass whose kernel the reader writes"),
    optional("set", "the parameters at which it is judged"),
    optional(
        "also",
        "a list of other maps of parameters at which the result must be right, too, such as sizes that do not divide",
    ),
    required("starter", "the file that the reader starts from, beside `lesson.ron`; it must not pass"),
    required("solution", "a kernel that passes: a file, or a list of changes to the starter, as below"),
    optional(
        "wrong",
        "kernels that look right and must not pass: a list of files with the finding that must catch each, \
         `(\"file.wgsl\", Race)`, or of changes to the starter or the solution, as below",
    ),
    optional("hints", "hints that the reader opens one after the other; the solution follows the last one"),
    required(
        "goal",
        "a list of parts, as below, over the results of `exercise`; or one expression, which must not be 0",
    ),
    required("goal_text", "the goal in words"),
    optional("teaches", "concepts that it tests; see [concepts](#concepts)"),
]);

/// A part of a goal.
pub const GOAL_PART: Record = Record(&[
    required("of", "the quantity, in a reader's words"),
    required("have", "the figure of the reader's kernel"),
    optional("at_most", "the greatest figure that reaches the goal"),
    optional("exactly", "the only one"),
]);

/// A kernel that must not pass.
pub const WRONG_KERNEL: Record = Record(&[
    optional("file", "its file; then it has no `id`, `of` and `changes`"),
    required("id", "its name in messages"),
    required("of", "`Starter` or `Solution`"),
    required("changes", "pairs of texts: the first is replaced by the second, and must be there exactly once"),
    required("caught_by", "the finding that must catch it"),
    optional("says", "its mistake, in words for a reader"),
]);
