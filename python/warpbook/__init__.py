"""Traces GPU kernels on the CPU, without a GPU: Triton, CUDA C++, PTX and WGSL.

    trace = warpbook.trace("saxpy.cu", 8, 1000, 1.5, x, y, block=128)
    print(trace)                                        # counts and findings, by line
    warpbook.check(trace, "sectors_per_request <= 4", "races == 0")

The program `warpbook` does the work: this module starts it and reads its JSON.
"""

import json
import os
import re
from collections.abc import Mapping, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

from ._launch import Grid, Sizes, of_file, of_triton, sizes
from ._program import Error, run_json
from ._trace import Finding, Line, Trace

__all__ = ["Error", "Finding", "Line", "Trace", "check", "trace"]
__version__ = metadata.version("warpbook") if "warpbook" in {found.name for found in metadata.distributions()} else "of its sources"


def trace(
    kernel: Any,
    grid: Grid,
    /,
    *args: Any,
    block: Sizes | None = None,
    entry: str | None = None,
    shared: int = 0,
    constants: Mapping[str, Any] | None = None,
    target: str | None = None,
    source: str | os.PathLike[str] | None = None,
    num_warps: int | None = None,
    num_stages: int | None = None,
    limit: int | None = 100_000_000,
    options: Sequence[str] = (),
    **named: Any,
) -> Trace:
    """Runs a kernel on the tracer and returns its counts, findings and results.

    `kernel` is a `@triton.jit` function, or the text or the path of a `.cu`, `.ptx` or `.wgsl` file. Arguments are
    given in the order of its parameters or by their names: NumPy arrays, torch CPU tensors, ints and floats; for a
    structure a dict of its members, and for an array of pointers a list of arrays. Contents are copied: the kernel sees them, and never writes to your
    arrays (`Trace.buffers` has the contents after the run). An array that is given twice is one buffer.

    A Triton kernel takes its constants by name, `num_warps` (else 4) and `num_stages`; it is compiled as Triton's own
    launch would do it. An autotuned one has its first configuration, except for what is given. A file takes `block`, `entry`, `shared` (bytes of dynamic shared memory), `constants` (macros of
    CUDA C++, overrides of WGSL) and `source` (of PTX). `target` is the GPU that CUDA C++ (else for `sm_90a`) or Triton
    (else for `sm_80`) compiles for. After `limit` steps (warp instructions, and more for accesses) the run ends with the
    counts up to there, which `Trace.complete` says; None for no limit. `options` are others of `warpbook trace`.

    Raises `Error` with the program's message for a kernel or a launch that is wrong. Mistakes that the run finds are
    no exceptions but `Trace.findings`.
    """
    __tracebackhide__ = True  # pytest shows the test, and not this function
    if hasattr(kernel, "configs") and hasattr(kernel, "fn"):
        chosen = kernel.configs[0].all_kwargs()
        kernel, num_warps = kernel.fn, num_warps or chosen.pop("num_warps", None)
        num_stages = num_stages or chosen.pop("num_stages", None)
        named = {key: value for key, value in chosen.items() if key in kernel.arg_names} | named
    if hasattr(kernel, "arg_names") and hasattr(kernel, "params"):
        if block or entry or constants or shared or source:
            raise Error("block, entry, shared, constants and source are for files\n  hint: give constants by name")
        compiled = {"num_warps": num_warps or 4} | ({"num_stages": num_stages} if num_stages else {})
        launch = of_triton(kernel, grid, args, named, target or "sm_80", compiled)
        launch.options += options
    elif isinstance(kernel, (str, os.PathLike)) and not callable(grid):
        settings = [f"--const={name}={value}" for name, value in (constants or {}).items()]
        settings += ([f"--entry={entry}"] if entry else []) + ([f"--target={target}"] if target else [])
        launch = of_file(kernel, source, args, named, [*settings, *options])
        launch.options += [f"--grid={sizes(grid)}", f"--shared={shared}"] + (
            [f"--block={sizes(block)}"] if block else []
        )
    else:
        raise Error(
            "a kernel is a @triton.jit function, or a text or a path with numbers as its grid\n"
            "  hint: of a kernel within another decorator pass kernel.fn, with the constants that it sets"
        )
    launch.options += [f"--limit={limit}"] if limit is not None and not any(o.startswith("--limit") for o in options) else []
    after = {name: Path(launch.folder.name, f"{name}.after.npy") for name in launch.arrays}
    dumps = [f"--dump={name}={file}" for name, file in after.items()]
    done = run_json(["trace", launch.target, *launch.options, *dumps, "--json"], launch.folder.name)
    buffers = {name: launch.arrays[name].load(file) for name, file in after.items() if file.exists()}
    buffers |= {name: buffers[other] for name, other in launch.again.items() if other in buffers}
    # The arrays are given back in their own types, however they are dumped.
    messages = re.sub(r"note: .* is shown in words of 4 bytes: .*\n?", "", done.stderr)
    return Trace(launch, json.loads(done.stdout), messages, buffers)


def check(kernel: Any, /, *conditions: str, grid: Grid | None = None, args: Sequence[Any] = (), **launch: Any) -> Trace:
    """Checks conditions on a `Trace`, or on a kernel that is traced with `grid`, `args` and the options of `trace`.

    A condition is an expression as `warpbook assert` takes it, such as `"conflicts == 0"`; `sectors_per_request`
    counts loads. Raises AssertionError with each condition that fails, the figures that it names and the lines that
    contribute most to them. Returns the trace.
    """
    __tracebackhide__ = True  # pytest shows the test, and not this function
    if not conditions:
        raise Error('check needs a condition\n  hint: such as "conflicts == 0"')
    if isinstance(kernel, Trace):
        traced = kernel
    elif grid is None:
        raise Error("a kernel needs a launch\n  hint: give grid=… and args=(…), or the result of warpbook.trace")
    else:
        traced = trace(kernel, grid, *args, **launch)
    asked = [re.sub(r"(?<![\w.])sectors_per_request", "load.sectors_per_request", each) for each in conditions]
    of = traced._launch
    judged = json.loads(run_json(["assert", of.target, *of.options, "--json", "--", *asked], of.folder.name).stdout)
    failed = [] if judged["complete"] else ["the trace does not cover the whole grid, so no condition is known to hold"]
    for each in judged["conditions"]:
        if not each["holds"]:
            figures = [f"{name} is {value:.6g}" for name, value in each["figures"]]
            failed.append(f"{each['condition']} fails: {', '.join(filter(None, [each['problem'], *figures]))}")
            failed += [f"  {line}" for name, _ in each["figures"] for line in traced.worst(name)]
    if failed:
        raise AssertionError(f"{traced.file}: " + "\n".join(failed))
    return traced
