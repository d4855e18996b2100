"""Attention, ours beside torch's, in one run on one NVIDIA GPU: python3 benches/peers/attention.py path/to/warpbook [-o FILE.json] [--only PART…]

Ours is `warpbook run attention` on CUDA (and, in f32, through Vulkan), whose results are checked before they are timed. Theirs are the backends of
`scaled_dot_product_attention` (cuDNN, flash, the unfused chain) and, for decode, a copy of as many bytes. Each time is a median of many runs with
a cold cache. Rates count 4·B·H·S²·D operations forward and 10 backward, half of them if causal. It needs torch.
Parts: forward, backward, decode, f32.
"""

import argparse
import json
import subprocess
import sys
import time

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention as sdpa
from triton.testing import do_bench

# (batch, heads, positions, head size, causal)
FORWARD = [(4, 16, 4096, 128, 0), (4, 16, 4096, 128, 1), (1, 16, 16384, 128, 0), (1, 16, 16384, 128, 1), (4, 16, 4096, 64, 1), (8, 16, 1024, 128, 1)]
BACKWARD = [(4, 16, 4096, 128, 0), (4, 16, 4096, 128, 1), (1, 16, 16384, 128, 0), (1, 16, 16384, 128, 1)]
# (batch, query heads, cache heads, positions in the cache)
DECODE = [(16, 32, 32, 8192), (16, 32, 8, 8192), (16, 32, 1, 8192), (1, 32, 8, 32768)]
F32 = [(1, 16, 4096, 128, 0)]
BACKENDS = {"cudnn": SDPBackend.CUDNN_ATTENTION, "flash": SDPBackend.FLASH_ATTENTION}
DEVICE = "cuda"
# Seconds for one of our runs, most of which is its check on the host.
PATIENCE = 120


def timed(work):
    """Seconds: the median of runs with a cold cache."""
    return do_bench(work, warmup=100, rep=400, return_mode="median") / 1e3


def tried(backend, work):
    """Seconds with one of torch's backends; None where it refuses."""
    try:
        with sdpa_kernel(backend):
            return timed(work)
    except RuntimeError as refused:
        print(f"  torch refuses: {str(refused).splitlines()[0]}", file=sys.stderr)
        return None


def ours(warpbook, *what, backend="cuda", **params):
    """The record of one kernel or program."""
    sets = [part for name, value in params.items() for part in ("--set", f"{name}={value}")]
    command = [warpbook, "run", "attention", *what, "--backend", backend, "--json", "--unchecked", *sets]
    begun = time.monotonic()
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        print(f"  ours took more than {PATIENCE} s: {' '.join(command)}", file=sys.stderr)
        return None
    print(f"  {' '.join(what)} took {time.monotonic() - begun:.0f} s", file=sys.stderr)
    if done.returncode != 0:
        print(f"  ours failed: {(done.stderr or done.stdout).strip()[:600]}", file=sys.stderr)
        return None
    said = json.loads(done.stdout)
    return (said.get("kernels") or said["programs"])[0]


def seconds(record):
    return record["time"]["median_s"] if record and record["ok"] and record["time"] else None


def tensors(batch, heads, positions, size, dtype=torch.bfloat16, grad=False):
    return [torch.randn(batch, heads, positions, size, device=DEVICE, dtype=dtype, requires_grad=grad) for _ in range(3)]


def params(batch, heads, positions, size, causal):
    return {"batch": batch, "heads": heads, "kv_heads": heads, "seq": positions, "d": size, "causal": causal}


def unfused(q, k, v, causal):
    """The three operations one after the other, with the matrix of scores in memory."""
    scores = (q @ k.transpose(-1, -2)) * q.shape[-1] ** -0.5
    if causal:
        scores = scores.masked_fill(torch.ones(scores.shape[-2:], dtype=torch.bool, device=DEVICE).triu(1), float("-inf"))
    return torch.softmax(scores, -1) @ v


def forward(warpbook, batch, heads, positions, size, causal):
    q, k, v = tensors(batch, heads, positions, size)
    found = {name: tried(backend, lambda: sdpa(q, k, v, is_causal=bool(causal))) for name, backend in BACKENDS.items()}
    if batch * heads * positions**2 * 2 < 8e9:
        found["unfused"] = timed(lambda: unfused(q, k, v, causal))
    del q, k, v
    torch.cuda.empty_cache()
    for kernel in ("flash_wgmma", "flash_mma"):
        found[f"ours {kernel}"] = seconds(ours(warpbook, "--kernel", kernel, **params(batch, heads, positions, size, causal)))
    return 4 * batch * heads * positions**2 * size / (2 if causal else 1), found


def backward(warpbook, batch, heads, positions, size, causal):
    found = {}
    for name, backend in BACKENDS.items():
        q, k, v = tensors(batch, heads, positions, size, grad=True)
        with sdpa_kernel(backend):
            out = sdpa(q, k, v, is_causal=bool(causal))
        d_out = torch.randn_like(out)
        found[name] = timed(lambda: torch.autograd.grad(out, (q, k, v), d_out, retain_graph=True))
        del q, k, v, out, d_out
    torch.cuda.empty_cache()
    record = ours(warpbook, "--program", "backward_cores", **params(batch, heads, positions, size, causal))
    passes = [one["time"] and one["time"]["median_s"] for one in record["passes"][1:]] if record and record["ok"] else [None]
    found["ours"] = None if None in passes else sum(passes)
    return 10 * batch * heads * positions**2 * size / (2 if causal else 1), found


def decode(warpbook, batch, heads, kv_heads, cache):
    size = 128
    q = torch.randn(batch, heads, 1, size, device=DEVICE, dtype=torch.bfloat16)
    k, v = (torch.randn(batch, kv_heads, cache, size, device=DEVICE, dtype=torch.bfloat16) for _ in range(2))
    found = {name: tried(backend, lambda: sdpa(q, k, v, enable_gqa=True)) for name, backend in BACKENDS.items()}
    moved = 2 * k.numel() * k.element_size()
    # A copy that reads one half and writes the other moves as many bytes.
    half = torch.empty(moved // 2, device=DEVICE, dtype=torch.uint8)
    found["copy"] = timed(lambda: half.copy_(k.view(torch.uint8).view(-1)))
    del q, k, v, half
    torch.cuda.empty_cache()
    params = {"batch": batch, "heads": heads, "kv_heads": kv_heads, "d": size, "cache": cache}
    found["ours"] = seconds(ours(warpbook, "--kernel", "decode_cores", **params))
    return moved, found


def f32(warpbook, batch, heads, positions, size, causal):
    q, k, v = tensors(batch, heads, positions, size, dtype=torch.float32)
    found = {"unfused": timed(lambda: unfused(q, k, v, causal)), "math": tried(SDPBackend.MATH, lambda: sdpa(q, k, v, is_causal=bool(causal)))}
    del q, k, v
    torch.cuda.empty_cache()
    for backend in ("wgpu", "cuda"):
        record = ours(warpbook, "--program", "flash", "--rung", "attend=flash_regs", backend=backend, **params(batch, heads, positions, size, causal))
        found[f"ours {backend}"] = seconds(record)
    return 4 * batch * heads * positions**2 * size / (2 if causal else 1), found


PARTS = {"forward": (forward, FORWARD, "FLOP/s"), "backward": (backward, BACKWARD, "FLOP/s"), "decode": (decode, DECODE, "B/s"), "f32": (f32, F32, "FLOP/s")}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("warpbook")
    parser.add_argument("-o", "--output")
    parser.add_argument("--only", nargs="*", choices=PARTS, default=list(PARTS))
    args = parser.parse_args()
    torch.backends.cuda.matmul.allow_tf32 = False
    results = {"device": torch.cuda.get_device_name(0), "torch": torch.__version__, "cudnn": torch.backends.cudnn.version(), "parts": {}}
    print(results["device"], "torch", results["torch"], "cuDNN", results["cudnn"])
    for part in args.only:
        measure, cases, unit = PARTS[part]
        rows = results["parts"].setdefault(part, [])
        for case in cases:
            work, found = measure(args.warpbook, *case)
            rows.append({"case": case, "work": work, "unit": unit, "seconds": found})
            rates = "  ".join(f"{name} {work / s / 1e12:.3f}" if s else f"{name} -" for name, s in found.items())
            print(f"{part} {case}: T{unit} {rates}", flush=True)
            if args.output:
                with open(args.output, "w") as out:
                    json.dump(results, out, indent=1)


main()
