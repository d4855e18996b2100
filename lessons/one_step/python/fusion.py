# Eager PyTorch runs five operators for this chain.
import torch
import torch.nn.functional as F
from torch.utils._python_dispatch import TorchDispatchMode

class Count(TorchDispatchMode):
    def __init__(self):
        super().__init__()
        self.ran, self.bytes = [], 0

    def __torch_dispatch__(self, op, types, args, kwargs=None):
        out = op(*args, **(kwargs or {}))
        self.ran.append(op.__name__)
        for t in [out, *args]:
            if torch.is_tensor(t) and t.dim() > 0:
                self.bytes += t.numel() * t.element_size()
        return out

def chain(x):
    u = x * 1.5 + 0.5
    return F.gelu(u, approximate="tanh") * 2 + 1

x = torch.randn(64, 64, dtype=torch.bfloat16)
with Count() as count:
    chain(x)
print(count.ran, count.bytes // x.numel(), "bytes a number")
assert len(count.ran) == 5
assert count.bytes == 5 * 4 * x.numel()

fused = torch.compile(chain)     # on a GPU: one kernel, 4 bytes
