# The noise of a gradient, and steps against tokens.
import torch

torch.manual_seed(1)
x = torch.randn(4096, 8).double()
y = x @ torch.ones(8).double() + torch.randn(4096).double()
w = torch.zeros(8, dtype=torch.float64)
each = -2 * (y - x @ w)[:, None] * x        # gradient of an example
whole = each.mean(0)
noise = each.var(0).sum() / whole.square().sum()
print(f"gradient noise scale: {noise:.1f} examples")

for B in (1, 16, 256):                      # noise falls as 1 / B
    means = each[torch.randint(4096, (2000, B))].mean(1)
    off = (means - whole).square().sum(1).mean()
    ratio = off / (each.var(0).sum() / B)
    assert 0.9 < ratio < 1.1

def steps(b):                               # b: B over B_crit
    return 1 + 1 / b                        # over the fewest

def tokens(b):
    return b * steps(b)                     # over the fewest

for b in (0.25, 1, 4):
    print(b, steps(b), tokens(b))
    assert abs((steps(b) - 1) * (tokens(b) - 1) - 1) < 1e-12
