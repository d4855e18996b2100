"""Kernels traced from PTX beside the same kernels on an NVIDIA GPU, buffer by buffer:
python3 tests/hardware/bits.py path/to/warpbook [LESSON…]

Each kernel that runs by itself, and each program, runs at its lesson's defaults on the tracer (--language cuda) and on CUDA, from the same
inputs. Buffers that are equal byte for byte are counted; of others the largest difference is printed, which exponentials, quotients,
tensor cores and the order of atomics may make. It needs NumPy.
"""

import json
import pathlib
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import numpy

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
WORKERS = 8


def warpbook(*args):
    return subprocess.run([sys.argv[1], "--pack", str(ROOT), *args], capture_output=True, text=True)


def buffers(lesson, kind, of):
    """The names of the buffers of a kernel or a program, as the message about a name that is none lists them."""
    said = warpbook("run", lesson, kind, of, "--backend", "simt", "--print", "no_buffer_has_this_name").stderr
    _, _, names = said.partition("the buffers are: ")
    return [name.strip() for name in names.splitlines()[0].split(",")] if names else []


def outputs(lesson, kind, of, names, folder, *backend):
    dumps = [option for name in names for option in ("--dump", f"{name}={folder}/{name}.npy")]
    done = warpbook("run", lesson, kind, of, *backend, *dumps)
    if done.returncode != 0:
        return None, (done.stderr or done.stdout).strip().splitlines()[-3:]
    return {name: numpy.load(f"{folder}/{name}.npy") for name in names}, None


def difference(a, b):
    a, b = a.astype(numpy.float64), b.astype(numpy.float64)
    both = numpy.isfinite(a) & numpy.isfinite(b)
    return numpy.max(numpy.abs(a - b)[both] / numpy.maximum(1.0, numpy.abs(b[both])), initial=0.0)


def compare(lesson, kind, of):
    """The equal buffers, those that differ and by how much, and why it did not run."""
    names = buffers(lesson, kind, of)
    if not names:
        return 0, [], None
    with tempfile.TemporaryDirectory() as folder:
        traced, why = outputs(lesson, kind, of, names, folder, "--backend", "simt", "--language", "cuda")
        if why is None:
            ran, why = outputs(lesson, kind, of, names, folder, "--backend", "cuda")
        if why is not None:
            return 0, [], why
        same = [name for name in names if traced[name].tobytes() == ran[name].tobytes()]
        return len(same), [(name, difference(traced[name], ran[name])) for name in names if name not in same], None


lessons = [lesson for lesson in json.loads(warpbook("list", "--json").stdout) if lesson["id"] in (sys.argv[2:] or [lesson["id"]])]
all_runs = [(lesson["id"], kind, of) for lesson in lessons
            for kind, ids in (("--kernel", lesson["kernels"]), ("--program", lesson["programs"])) for of in ids]
equal, ran = 0, 0
with ThreadPoolExecutor(WORKERS) as pool:
    for (lesson, _, of), (same, others, why) in zip(all_runs, pool.map(lambda run: compare(*run), all_runs)):
        equal, ran = equal + same, ran + (same + len(others) > 0)
        for buffer, most in others:
            print(f"  {lesson}/{of} {buffer}: differs by up to {most:.2g}, relative to the larger of 1 and its size", flush=True)
        if why is not None:
            print(f"  {lesson}/{of}: not run: {why}", flush=True)
print(f"{ran} kernels and programs ran; {equal} buffers are equal byte for byte")
