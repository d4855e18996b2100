"""What a program's kernels take when nothing but a CUDA graph launches them: python3 benches/peers/program.py path/to/warpbook [N]

Runs the programs of tests/packs/programs with `warpbook run --backend cuda --json`, takes the PTX that it timed, and launches the same kernels,
copies and fills in the same order through the driver's own calls. Both rotate over buffers that no cache holds, and both time one graph of many
runs on the device's clock. Prints a line a program: warpbook's median, the bare one, their ratio, and the sum of the passes that warpbook timed one by one.
Standard library only.
"""

import ctypes
import json
import math
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PACK = ROOT / "tests/packs/programs"
# Bytes of all sets together: several times the largest cache.
COLD = 400 << 20
RUNS, SAMPLES = 16, 60

cuda = ctypes.CDLL("libcuda.so.1")


def call(name, *args):
    status = getattr(cuda, name)(*args)
    if status:
        sys.exit(f"{name}: CUDA error {status}")


def programs(n):
    """By program: its buffers in 4-byte elements, and what is done to them: (pass, grid, buffers), ("copy", from, to) or ("fill", buffer)."""
    blocks, chunks = math.ceil(n / 256), math.ceil(n / 1024)
    scan = [("blockwise", blocks, ["x", "scanned", "sums"]), ("sums", 1, ["sums", "starts", "total"]), ("add", blocks, ["scanned", "starts"])]
    parted = [
        ("histogram", blocks, ["keys", "evens"]),
        ("scan", 1, ["evens", "starts", "total"]),
        ("scatter", blocks, ["keys", "starts", "total", "parted", "came_from"]),
    ]
    smooth = [("smooth", blocks, ["now", "next"]), ("fill", "change"), ("compare", blocks, ["now", "next", "change"]), ("copy", "next", "now")]
    step = [("copy", "w", "before"), ("gradient", chunks, ["x", "y", "w", "parts"]), ("descend", 1, ["parts", "w", "loss"])]
    return {
        "reduce": (dict(x=n, partial=chunks, total=1), [("chunkwise", chunks, ["x", "partial"]), ("together", 1, ["partial", "total"])]),
        "scan": (dict(x=n, scanned=n, sums=blocks, starts=blocks, total=1), scan),
        "partition": (dict(keys=n, evens=blocks, starts=blocks, total=1, parted=n, came_from=n), parted),
        "stencil": (dict(now=n, next=n, change=1), smooth * 10),
        "train": (dict(x=n, y=n, w=2, before=2, parts=3 * chunks, loss=1), [("label", blocks, ["x", "y"])] + step * 20),
    }


def function(ptx):
    """The only kernel of a PTX text, and the lanes of its workgroups."""
    module, found = ctypes.c_void_p(), ctypes.c_void_p()
    call("cuModuleLoadData", ctypes.byref(module), ptx.encode() + b"\0")
    name = ptx.split(".entry ")[1].split("(")[0].strip()
    call("cuModuleGetFunction", ctypes.byref(found), module, name.encode())
    return found


def bare(buffers, steps, ptx):
    """The median time of one run in seconds."""
    size = sum(count * 4 for count in buffers.values())
    sets = max(1, min(256, math.ceil(COLD / size)))
    memory = []
    for _ in range(sets):
        one = {}
        for name, count in buffers.items():
            pointer = ctypes.c_uint64()
            call("cuMemAlloc_v2", ctypes.byref(pointer), ctypes.c_size_t(count * 4))
            call("cuMemsetD32_v2", pointer, 0, ctypes.c_size_t(count))
            one[name] = pointer
        memory.append(one)
    kernels = {name: function(text) for name, text in ptx.items()}
    lanes = {name: 1 if name == "descend" else 256 for name in ptx}
    stream, start, end = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
    call("cuStreamCreate", ctypes.byref(stream), 1)
    call("cuEventCreate", ctypes.byref(start), 0)
    call("cuEventCreate", ctypes.byref(end), 0)
    graphs = []
    runs = max(RUNS, sets)
    call("cuStreamBeginCapture_v2", stream, 2)
    for number in range(runs):
        own = memory[number % sets]
        for step in steps:
            if step[0] == "copy":
                call("cuMemcpyDtoDAsync_v2", own[step[2]], own[step[1]], ctypes.c_size_t(buffers[step[1]] * 4), stream)
            elif step[0] == "fill":
                call("cuMemsetD32Async", own[step[1]], 0, ctypes.c_size_t(buffers[step[1]]), stream)
            else:
                name, grid, names = step
                values = [own[buffer] for buffer in names]
                pointers = (ctypes.c_void_p * len(values))(*[ctypes.cast(ctypes.pointer(v), ctypes.c_void_p) for v in values])
                call("cuLaunchKernel", kernels[name], grid, 1, 1, lanes[name], 1, 1, 0, stream, pointers, None)
    graph, ready = ctypes.c_void_p(), ctypes.c_void_p()
    call("cuStreamEndCapture", stream, ctypes.byref(graph))
    call("cuGraphInstantiateWithFlags", ctypes.byref(ready), graph, ctypes.c_ulonglong(0))
    times = []
    for sample in range(SAMPLES + 5):
        call("cuEventRecord", start, stream)
        call("cuGraphLaunch", ready, stream)
        call("cuEventRecord", end, stream)
        call("cuEventSynchronize", end)
        ms = ctypes.c_float()
        call("cuEventElapsedTime_v2" if hasattr(cuda, "cuEventElapsedTime_v2") else "cuEventElapsedTime", ctypes.byref(ms), start, end)
        times.append(ms.value / 1000 / runs)
    for one in memory:
        for pointer in one.values():
            call("cuMemFree_v2", pointer)
    times = sorted(times[5:])
    return times[len(times) // 2]


def main():
    n = int(sys.argv[2]) if len(sys.argv) > 2 else 1_000_003
    call("cuInit", 0)
    context, device = ctypes.c_void_p(), ctypes.c_int()
    call("cuDeviceGet", ctypes.byref(device), 0)
    call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
    call("cuCtxSetCurrent", context)
    for name, (buffers, steps) in programs(n).items():
        args = [sys.argv[1], "--pack", str(PACK), "run", "programs", "--program", name, "--backend", "cuda", "--set", f"n={n}", "--unchecked", "--json"]
        done = subprocess.run(args, capture_output=True, text=True)
        program = json.loads(done.stdout)["programs"][0]
        assert program["ok"], done.stderr
        texts = subprocess.run([*args[:-1], "--ptx"], capture_output=True, text=True).stdout.split("// program `")[1:]
        ptx = {text.split("pass `")[1].split("`")[0]: text[text.index("\n"):] for text in texts}
        ours, other = program["time"]["median_s"], bare(buffers, steps, ptx)
        parts = sum(one["time"]["median_s"] for one in program["passes"] if one["time"])
        print(f"{name:10} n={n} warpbook {ours * 1e6:9.3f} us  bare {other * 1e6:9.3f} us  ratio {ours / other:.4f}  passes {parts * 1e6:9.3f} us")


main()
