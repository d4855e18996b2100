# Bytes of a parameter that stay from step to step.
import torch

model = torch.nn.Linear(256, 256, bias=False)
opt = torch.optim.AdamW(model.parameters())
model(torch.randn(1, 256)).sum().backward()

def held():
    tensors = [t for p in model.parameters() for t in (p, p.grad)]
    for state in opt.state.values():
        tensors += [t for t in state.values() if t.numel() > 1]
    return sum(t.numel() * t.element_size() for t in tensors)

N = 256 * 256
assert held() == 8 * N                    # before the first step
opt.step()                              # makes m and v
assert held() == 16 * N
print(held() // N, "bytes a parameter")
