"""The losses of the lesson One step beside torch's, from the same weights and tokens.

    python3 benches/peers/one_step_losses.py path/to/warpbook [--pack DIR] [--backend simt] [--steps 20] [--layers 2] [--recompute 0] ...

Makes weights and a stream of tokens with numpy, runs the program `train` on them with `warpbook run … --input`, and trains the same model in torch,
in f64 unless --dtype says otherwise: its gradients are autograd's, and AdamW is torch's own. Prints both losses of each step, the largest relative
difference of the losses, and those of the weights at the end and of the last gradients. Exits
with 1 if a loss differs by more than --within or a gradient by ten times that, or if warpbook's checks fail.
"""

import argparse
import hashlib
import json
import math
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import torch
import torch.nn.functional as F


def norm(x):
    return x / torch.sqrt((x * x).mean(-1, keepdim=True) + 1e-5)


def turned(x):
    """Rotary positions: x is batch, head, token, number; pairs are half a head apart."""
    count, size = x.shape[-2:]
    speed = 10000.0 ** (-2 * torch.arange(size // 2, dtype=x.dtype, device=x.device) / size)
    angle = torch.arange(count, dtype=x.dtype, device=x.device)[:, None] * speed
    a, b = x[..., : size // 2], x[..., size // 2 :]
    return torch.cat([a * angle.cos() - b * angle.sin(), a * angle.sin() + b * angle.cos()], -1)


def parts(weights, args):
    """The embedding and the four matrices of each layer, as views of one row of numbers."""
    d, at = args.width, args.vocab * args.width
    layers = []
    for _ in range(args.layers):
        layer = []
        for rows, columns in ((d, 3 * d), (d, d), (d, 4 * d), (4 * d, d)):
            layer.append(weights[at : at + rows * columns].view(rows, columns))
            at += rows * columns
        layers.append(layer)
    assert at == weights.numel()
    return weights[: args.vocab * d].view(args.vocab, d), layers


def loss_of(weights, ids, targets, args):
    embedding, layers = parts(weights, args)
    x = embedding[ids]
    b, t, d = x.shape
    for qkv, projection, up, down in layers:
        q, k, v = (norm(x) @ qkv).view(b, t, 3, args.heads, d // args.heads).permute(2, 0, 3, 1, 4)
        q, k = turned(q), turned(k)
        scores = q @ k.transpose(-1, -2) / math.sqrt(d // args.heads)
        hidden = torch.triu(torch.ones(t, t, dtype=torch.bool, device=x.device), 1)
        o = scores.masked_fill(hidden, -math.inf).softmax(-1) @ v
        x = x + o.transpose(1, 2).reshape(b, t, d) @ projection
        x = x + F.gelu(norm(x) @ up, approximate="tanh") @ down
    return F.cross_entropy((norm(x) @ embedding.T).flatten(0, 1), targets.flatten())


def torch_losses(weights, tokens, args):
    weights = torch.tensor(weights, dtype=getattr(torch, args.dtype), requires_grad=True)
    tokens = torch.tensor(tokens.astype(np.int64))
    optimizer = torch.optim.AdamW([weights], args.rate / 1e6, (0.9, 0.95), 1e-8, args.decay / 1000)
    rows, losses = args.batch * args.tokens, []
    for step in range(args.steps):
        place = torch.arange(step * rows, (step + 1) * rows).view(args.batch, args.tokens)
        loss = loss_of(weights, tokens[place % len(tokens)], tokens[(place + 1) % len(tokens)], args)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses, weights.detach().double().numpy(), weights.grad.double().numpy()


def warpbook_losses(weights, tokens, args):
    with tempfile.TemporaryDirectory() as folder:
        files = {name: pathlib.Path(folder) / f"{name}.npy" for name in ("weights", "tokens", "end", "grads")}
        np.save(files["weights"], weights)
        np.save(files["tokens"], tokens)
        names = ("layers", "width", "heads", "tokens", "batch", "vocab", "steps", "recompute", "rate", "decay", "stream")
        command = [args.warpbook, "run", "one_step", "--program", "train", "--backend", args.backend, "--json"]
        command += [f"--set={name}={getattr(args, name)}" for name in names]
        command += [f"--input={name}={files[name]}" for name in ("weights", "tokens")] + [f"--dump=weights={files['end']}", f"--dump=grads={files['grads']}"]
        command += ["--pack", args.pack] if args.pack else []
        ran = subprocess.run(command, capture_output=True, text=True)
        if ran.returncode or not ran.stdout:
            sys.exit(f"warpbook failed: {ran.stderr}")
        result = json.loads(ran.stdout)
        program = result["programs"][0]
        if not files["end"].exists():
            sys.exit(f"warpbook did not run: {ran.stderr} {result['warnings']}")
        end, grads = (np.load(files[name]).reshape(-1) for name in ("end", "grads"))
        return program["series"]["loss"], end, grads, program, result["values"]


def digest(numbers):
    return hashlib.sha256(numbers.tobytes()).hexdigest()[:16]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("warpbook")
    parser.add_argument("--pack")
    parser.add_argument("--backend", default="simt")
    parser.add_argument("--dtype", default="float64", choices=["float64", "float32"])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--within", type=float, default=1e-5)
    parser.add_argument("--deviation", type=float, default=0.02)
    defaults = dict(layers=2, width=16, heads=2, tokens=8, batch=2, vocab=64, steps=20, recompute=0, rate=3000, decay=100, stream=200)
    for name, value in defaults.items():
        parser.add_argument(f"--{name}", type=int, default=value)
    args = parser.parse_args()
    random = np.random.default_rng(args.seed)
    count = 12 * args.layers * args.width**2 + args.vocab * args.width
    weights = (args.deviation * random.standard_normal(count)).astype(np.float32)
    tokens = random.integers(0, args.vocab, args.stream, dtype=np.uint32)
    ours, end, grads, program, values = warpbook_losses(weights, tokens, args)
    theirs, their_end, their_grads = torch_losses(weights, tokens, args)
    print("step  warpbook      torch")
    for step, (a, b) in enumerate(zip(ours, theirs, strict=True)):
        print(f"{step:4}  {a:.9f}  {b:.9f}")
    worst = max(abs(a - b) / abs(b) for a, b in zip(ours, theirs))
    print(f"largest relative difference of a loss {worst:.2e}")
    # A weight whose gradient is nearly 0 moves by its sign, and so by rounding: that is AdamW's, and no error.
    at = abs(end - their_end).argmax()
    print(f"largest difference of a weight at the end {abs(end - their_end)[at]:.2e}, where torch's last gradient is {their_grads[at]:.1e}")
    off = abs(grads - their_grads).max() / abs(their_grads).max()
    print(f"largest difference of a gradient in the last step, over the largest gradient, {off:.2e}")
    for name in ("parameters", "flops_per_token", "activation_bytes", "peak_bytes"):
        counted, formula = values[name], values[f"{name}_formula"]
        print(f"{name} {counted:.0f}, by the formula {formula:.0f}{'' if counted == formula else ': DIFFERENT'}")
    print(f"checks: {'ok' if program['ok'] else 'FAILED'}; losses' bits {digest(np.array(ours))}, weights' {digest(end)}")
    sys.exit(0 if worst <= args.within and off <= 10 * args.within and program["ok"] else 1)


if __name__ == "__main__":
    main()
