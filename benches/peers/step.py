"""A step of the lesson One step beside torch: the same model, eager and compiled, in f32 and in bf16 autocast, on one GPU.

    python3 benches/peers/step.py path/to/warpbook [--pack DIR] [--layers 4] [--width 256] [--heads 4] [--tokens 256] [--batch 8] ...

Prints the median time of a step, and torch's over Warpbook's. torch uses its fused attention and its fused AdamW; its step is timed by CUDA's
events, Warpbook's by `run`, whose kernels are in f32 (`--backend cuda`, one CUDA graph).
"""

import argparse
import json
import statistics
import subprocess
import sys

import torch
import torch.nn.functional as F
from one_step_losses import norm, parts, turned

TIMED, BEFORE = 30, 10


def loss_of(weights, ids, targets, args):
    embedding, layers = parts(weights, args)
    x = embedding[ids]
    b, t, d = x.shape
    for qkv, projection, up, down in layers:
        q, k, v = (norm(x) @ qkv).view(b, t, 3, args.heads, d // args.heads).permute(2, 0, 3, 1, 4)
        o = F.scaled_dot_product_attention(turned(q).to(v.dtype), turned(k).to(v.dtype), v, is_causal=True)
        x = x + o.transpose(1, 2).reshape(b, t, d) @ projection
        x = x + F.gelu(norm(x) @ up, approximate="tanh") @ down
    return F.cross_entropy((norm(x) @ embedding.T).flatten(0, 1), targets.flatten())


def torch_step_s(args, half, compiled):
    """The median time of a step, in seconds."""
    torch.manual_seed(1)
    count = 12 * args.layers * args.width**2 + args.vocab * args.width
    weights = (0.02 * torch.randn(count, device="cuda")).requires_grad_()
    ids, targets = torch.randint(args.vocab, (2, args.batch, args.tokens), device="cuda")
    optimizer = torch.optim.AdamW([weights], 1e-3, (0.9, 0.95), 1e-8, 0.1, fused=True)
    forward = torch.compile(loss_of) if compiled else loss_of

    def step():
        with torch.autocast("cuda", torch.bfloat16, enabled=half):
            loss = forward(weights, ids, targets, args)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

    for _ in range(BEFORE):
        step()
    times = []
    for _ in range(TIMED):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        step()
        end.record()
        torch.cuda.synchronize()
        times.append(begin.elapsed_time(end) / 1e3)
    return statistics.median(times)


def warpbook_step_s(args):
    names = ("layers", "width", "heads", "tokens", "batch", "vocab")
    steps = 3
    command = [args.warpbook, "run", "one_step", "--program", "train", "--backend", "cuda", "--unchecked", "--json", f"--set=steps={steps}"]
    command += [f"--set={name}={getattr(args, name)}" for name in names]
    command += ["--pack", args.pack] if args.pack else []
    ran = subprocess.run(command, capture_output=True, text=True)
    program = json.loads(ran.stdout)["programs"][0] if ran.stdout else None
    if not program or not program["time"]:
        sys.exit(f"warpbook failed: {ran.stderr}")
    return program["time"]["median_s"] / steps


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("warpbook")
    parser.add_argument("--pack")
    for name, value in dict(layers=4, width=256, heads=4, tokens=256, batch=8, vocab=256).items():
        parser.add_argument(f"--{name}", type=int, default=value)
    args = parser.parse_args()
    print(torch.cuda.get_device_name(), "torch", torch.__version__, vars(args))
    ours = warpbook_step_s(args)
    print(f"warpbook, f32, one graph: {ours * 1e3:.3f} ms")
    for half in (False, True):
        for compiled in (False, True):
            theirs = torch_step_s(args, half, compiled)
            what = f"torch {'compiled' if compiled else 'eager'}, {'bf16 autocast' if half else 'f32'}"
            print(f"{what}: {theirs * 1e3:.3f} ms, {theirs / ours:.2f} times ours", flush=True)


if __name__ == "__main__":
    main()
