# Operations of a step: PyTorch counts them, too.
import torch
from torch.utils.flop_counter import FlopCounterMode

batch, width = 8, 16
layer = torch.nn.Linear(width, width, bias=False)
x = torch.rand(batch, width, requires_grad=True)
for what in ["forward", "forward and backward"]:
    with FlopCounterMode(display=False) as counter:
        y = layer(x)
        if what != "forward":
            y.sum().backward()
    each = counter.get_total_flops() / (batch * width * width)
    print(what, each)
assert each == 6
