"""Ours over theirs, from one run on one NVIDIA GPU: python3 benches/peers/ratios.py path/to/warpbook [-o FILE.json]

It runs `warpbook bench` on what is compared, and what a user would run instead (torch, Triton, cuBLAS through torch, the driver's bare launches), and prints the
ratios. It needs torch, Triton and a C compiler (`cc`), as Triton does. Speeds are useful work over the median time; above 1, ours is faster.
The launches alternate, ours and theirs, since a host's pace drifts.
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROUNDS = 5

# What is compared, and all that is measured for it: kernels by name, and all rungs of the lessons whose best one counts.
COPIES = ("copy", "vec4")
PRODUCTS = (("tiling", "matmul", "fp32"), ("tensor_cores", "tensor", "bf16"))
ONLY = [f"--kernel=coalescing/{kernel}" for kernel in COPIES] + [f"--lesson={lesson}" for lesson, *_ in PRODUCTS] + ["--lesson=softmax"]


def said(*command):
    """Standard output of a program that must succeed; its progress goes on to ours."""
    return subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, text=True, check=True).stdout


def launches(warpbook):
    """Seconds from one empty launch to the next: ours and the driver's, each the median of alternating rounds."""
    with tempfile.TemporaryDirectory() as folder:
        bare = pathlib.Path(folder) / "launch"
        said("cc", "-O2", "-o", bare, HERE / "launch.c", "-ldl")
        rounds = []
        for _ in range(ROUNDS):
            theirs = json.loads(said(bare))
            ours = json.loads(said(warpbook, "bench", "--ceilings", "--backend", "cuda", "--json"))["devices"][0]["ceilings"]
            rounds.append({"graph": theirs["graph_s"], "direct": theirs["direct_s"],
                           "ours": ours["launch_s"], "ours_host": ours["host_launch_s"]})
    return rounds, {name: statistics.median(each[name] for each in rounds) for name in rounds[0]}


def largest(device, lesson, kernel, **params):
    """A kernel's rung with these parameters; of several sizes the largest buffers'. None where it did not run."""
    found = [rung for rung in device["kernels"] if (rung["lesson"], rung["kernel"]) == (lesson, kernel) and rung["ok"]
             and all(rung["params"].get(name) == value for name, value in params.items())]
    return max(found, key=lambda rung: rung["largest_buffer_bytes"], default=None)


def best(device, lesson, ladder, quantity, **params):
    """The fastest rung of a ladder with these parameters, and its name."""
    rungs = [(rung[quantity], rung["kernel"]) for rung in device["kernels"]
             if (rung["lesson"], rung["ladder"]) == (lesson, ladder) and rung["ok"] and rung[quantity]
             and all(rung["params"].get(name) == value for name, value in params.items())]
    return max(rungs, default=None)


def pairs(device, peers):
    """What is compared: a line's name, ours and theirs, both in work a second."""
    def peer(kind, **which):
        return next((p for p in peers if p["kind"] == kind and all(p.get(k) == v for k, v in which.items())), None)

    copy = peer("copy_d2d", mb=256)
    for kernel in COPIES:
        rung = largest(device, "coalescing", kernel)
        if rung and rung["largest_buffer_bytes"] == 256 << 20:
            yield f"coalescing/{kernel}, 256 MiB, over torch's copy", rung["bytes_per_s"], copy["gbps"] * 1e9
            if rung["library"] and rung["library"]["ok"]:
                yield f"coalescing/{kernel}, 256 MiB, over {rung['library']['name']}", rung["bytes_per_s"], rung["library"]["bytes_per_s"]
    yield from products(device, peer)
    yield from rows(device, peer, copy)


def products(device, peer):
    """Products of matrices: the best rung of each ladder over torch's, which is cuBLAS."""
    for lesson, ladder, dtype in PRODUCTS:
        for n in (4096, 8192):
            found = best(device, lesson, ladder, "flops_per_s", n=n)
            theirs = peer("gemm", dtype=dtype, n=n)
            if found and theirs:
                yield f"{lesson}/{found[1]}, {n}³, over torch's {dtype}", found[0], theirs["tflops"] * 1e12


def rows(device, peer, copy):
    """Softmax and its backward: the best rung over torch, over Triton and over a copy."""
    for rows, cols in ((8192, 1024), (8192, 4096), (8192, 8192), (4096, 32768), (131072, 128)):
        for ladder, kinds in (("forward", ("softmax_torch", "softmax_triton")), ("backward", ("softmax_bwd_torch",))):
            found = best(device, "softmax", ladder, "bytes_per_s", rows=rows, cols=cols)
            if not found:
                continue
            for kind in kinds:
                theirs = peer(kind, rows=rows, cols=cols)["gbps"] * 1e9
                yield f"softmax/{found[1]}, {rows}×{cols}, over {kind}", found[0], theirs
            yield f"softmax/{found[1]}, {rows}×{cols}, over a copy", found[0], copy["gbps"] * 1e9


def main():
    """Measures, and prints a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("warpbook", type=pathlib.Path, help="the program")
    parser.add_argument("-o", "--output", type=pathlib.Path, help="where all figures go, as JSON")
    parser.add_argument("--backend", default="auto", help="auto measures Vulkan and CUDA")
    options = parser.parse_args()
    warpbook = options.warpbook.resolve()

    # A rung that fails its check ends the bench with 1, and the others' figures stand.
    bench = subprocess.run([warpbook, "bench", *ONLY, "--backend", options.backend, "--no-tracer", "--json"], stdout=subprocess.PIPE, text=True, check=False)
    bench = json.loads(bench.stdout)
    peers = [json.loads(line) for line in said(sys.executable, HERE / "torch_peers.py").splitlines()]
    rounds, launch = launches(warpbook)
    if options.output:
        options.output.write_text(json.dumps({"bench": bench, "peers": peers, "launches": rounds}, indent=1))

    for device in bench["devices"]:
        of = device["device"]
        print(f"{of['name']}, {of['driver']}, {of['backend']} ({of['api']}); warpbook {bench['version']}")
        for name, ours, theirs in pairs(device, peers):
            print(f"  {name:58} {ours:10.4g} {theirs:10.4g}  {ours / theirs:6.3f}")
    print("empty launches, seconds from one to the next; medians of alternating rounds (above 1, ours takes longer)")
    for name, ours, theirs in (("in a graph", launch["ours"], launch["graph"]), ("by the host", launch["ours_host"], launch["direct"])):
        print(f"  {name:58} {ours:10.4g} {theirs:10.4g}  {ours / theirs:6.3f}")


if __name__ == "__main__":
    main()
