# A residual and RMSNorm, as two operators and as one.
import torch
import torch.nn.functional as F

torch.manual_seed(1)
rows, d = 128, 64
x, branch = torch.randn(rows, d), torch.randn(rows, d)

def add_norm(x, branch):
    sum = x + branch
    return sum, F.rms_norm(sum, (d,), eps=1e-5)

fused = torch.compile(add_norm)  # on a GPU: one kernel

sum, y = add_norm(x, branch)
factor = (sum.square().mean(dim=1) + 1e-5).rsqrt()
assert torch.allclose(y, sum * factor[:, None], atol=1e-5)

# Bytes of a number in f32, each tensor moved once.
apart = 4 * (2 + 1) + 4 * (1 + 1)   # x, branch, sum; sum, y
together = 4 * (2 + 2)              # x, branch; sum, y
print(apart, "bytes a number, fused", together)
assert apart / together == 1.25
