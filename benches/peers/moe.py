"""A layer of experts in bf16, ours over torch's, from one run on one NVIDIA GPU: python3 benches/peers/moe.py path/to/warpbook

It runs `warpbook run moe` and the same work in torch: route and permute, one product of all experts (`torch._grouped_mm`), and the whole layer
(eager, compiled, and each as a CUDA graph). It needs torch and Triton. Times are medians in seconds; ratios above 1 mean that ours is faster.
"""

import json
import subprocess
import sys

import torch
from triton.testing import do_bench

T, D, F, E, K = 8192, 2048, 4096, 8, 2


def seconds(call):
    """The median time of a call on the device, with the L2 cache cleared before each."""
    return do_bench(call, warmup=50, rep=200, return_mode="median") / 1e3


def graph(call):
    """The call as a CUDA graph."""
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(3):
            call()
    torch.cuda.current_stream().wait_stream(stream)
    captured = torch.cuda.CUDAGraph()
    with torch.cuda.graph(captured):
        call()
    return captured.replay


def normal(*shape):
    """Random numbers that keep the size of what they multiply."""
    return torch.randn(*shape, device="cuda", dtype=torch.bfloat16) / shape[-2] ** 0.5


def peers():
    """Seconds of torch's ways."""
    x, router = normal(T, D) * T**0.5, normal(D, E)
    up, down, square = normal(E, D, 2 * F), normal(E, F, D), normal(E, D, F)

    def route():
        values, chosen = torch.topk((x @ router).float(), K, -1)
        return torch.softmax(values, -1), chosen

    def permute(chosen):
        flat = chosen.flatten()
        order = torch.argsort(flat, stable=True)
        # A count by comparison: `bincount` waits for the host, and no graph can hold it.
        counts = (flat.unsqueeze(0) == torch.arange(E, device="cuda").unsqueeze(1)).sum(1)
        return order, x[order // K], torch.cumsum(counts, 0).to(torch.int32)

    def layer():
        weights, chosen = route()
        order, rows, ends = permute(chosen)
        gate, value = torch._grouped_mm(rows, up, offs=ends).chunk(2, -1)
        results = torch._grouped_mm(torch.nn.functional.silu(gate) * value, down, offs=ends)
        back = torch.empty_like(order)
        back[order] = torch.arange(order.numel(), device="cuda")
        return (results[back].view(T, K, D) * weights.to(torch.bfloat16).unsqueeze(-1)).sum(1)

    def route_and_permute():
        return permute(route()[1])

    _, rows, ends = route_and_permute()
    ways = {
        "permute_half": {"eager": route_and_permute, "compiled": torch.compile(route_and_permute)},
        "experts_half": {"eager": lambda: torch._grouped_mm(rows, square, offs=ends)},
        "layer_half": {"eager": layer, "compiled": torch.compile(layer)},
    }
    found = {}
    for program, calls in ways.items():
        for name, call in calls.items():
            call()
            found[program, name] = seconds(call)
            found[program, f"{name}, graph"] = seconds(graph(call))
    return found


def ours(warpbook):
    """Seconds of our programs, which the same run checks."""
    sizes = [f"--set={name}={value}" for name, value in (("tokens", T), ("d", D), ("f", F), ("experts", E), ("k", K))]
    programs = [f"--program={name}" for name in ("permute_half", "experts_half", "layer_half")]
    command = [warpbook, "run", "moe", "--backend", "cuda", "--json", *programs, *sizes]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return {run["id"]: run["time"]["median_s"] for run in json.loads(done.stdout)["programs"]}


def main():
    """Prints each way with its ratio to ours."""
    own, others = ours(sys.argv[1]), peers()
    print(f"torch {torch.__version__}, {torch.cuda.get_device_name()}; T = {T}, d = {D}, f = {F}, E = {E}, k = {K}, bf16")
    for (program, way), time in others.items():
        print(f"{program}: ours {own[program] * 1e6:.1f} us, torch {way} {time * 1e6:.1f} us, {time / own[program]:.2f} times")


if __name__ == "__main__":
    main()
