# FLOP of a product and of its backward, as PyTorch counts them.
import torch
from torch.utils.flop_counter import FlopCounterMode

def count(run):
    with FlopCounterMode(display=False) as counter:
        run()
    return counter.get_total_flops()

M, K, N = 32, 16, 64
a = torch.randn(M, K, requires_grad=True)
w = torch.randn(K, N, requires_grad=True)
c = a @ w
forward = count(lambda: a @ w)
backward = count(lambda: c.sum().backward())
assert forward == 2 * M * N * K
assert backward == 2 * forward              # two products

L, d, T, V = 12, 768, 1024, 50257
parameters = 12 * L * d**2 + V * d
print((6 * parameters + 12 * L * d * T) / 1e6, "MFLOP a token")
