"""Kernels traced from PTX beside the same kernels on an NVIDIA GPU, buffer by buffer: python3 tests/hardware/bits.py path/to/warpbook

Each kernel that runs by itself, and each program, runs at its lesson's defaults on the tracer (--language cuda) and on CUDA, from the same
inputs. Buffers that are equal byte for byte are counted; of others the largest difference is printed, which exponentials, quotients and
tensor cores may make. It needs NumPy.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

import numpy

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def warpbook(*args):
    return subprocess.run([sys.argv[1], "--pack", str(ROOT), *args], capture_output=True, text=True)


def buffers(lesson, kind, of):
    """The names of the buffers of a kernel or a program, as the message about a name that is none lists them."""
    said = warpbook("run", lesson, kind, of, "--backend", "simt", "--print", "?").stderr
    _, _, names = said.partition("the buffers are: ")
    return [name.strip() for name in names.splitlines()[0].split(",")] if names else []


def outputs(lesson, kind, of, names, folder, *backend):
    dumps = [option for name in names for option in ("--dump", f"{name}={folder}/{name}.npy")]
    done = warpbook("run", lesson, kind, of, *backend, *dumps)
    if done.returncode != 0:
        return None, (done.stderr or done.stdout).strip().splitlines()[-1:]
    return {name: numpy.load(f"{folder}/{name}.npy") for name in names}, None


def difference(a, b):
    a, b = a.astype(numpy.float64), b.astype(numpy.float64)
    both = numpy.isfinite(a) & numpy.isfinite(b)
    return numpy.max(numpy.abs(a - b)[both] / numpy.maximum(1.0, numpy.abs(b[both])), initial=0.0)


equal, others, failed = 0, [], []
with tempfile.TemporaryDirectory() as folder:
    for lesson in json.loads(warpbook("list", "--json").stdout):
        for kind, of in [("--kernel", id) for id in lesson["kernels"]] + [("--program", id) for id in lesson["programs"]]:
            name = f"{lesson['id']}/{of}"
            names = buffers(lesson["id"], kind, of)
            if not names:
                continue
            traced, why = outputs(lesson["id"], kind, of, names, folder, "--backend", "simt", "--language", "cuda")
            if traced is not None:
                ran, why = outputs(lesson["id"], kind, of, names, folder, "--backend", "cuda")
            if why is not None or traced is None:
                failed.append((name, why))
                continue
            print(name, flush=True)
            for buffer in names:
                if traced[buffer].tobytes() == ran[buffer].tobytes():
                    equal += 1
                else:
                    others.append((name, buffer, difference(traced[buffer], ran[buffer])))

print(f"{equal} buffers are equal byte for byte, {len(others)} are not")
for name, buffer, most in others:
    print(f"  {name} {buffer}: differs by up to {most:.2g}, relative to the larger of 1 and its size")
for name, why in failed:
    print(f"  {name}: not run: {why}")
