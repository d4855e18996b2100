# The chain rule by hand, by autograd, and by differences.
import torch

x, t = torch.tensor([0., 1.]), 1.0
w = torch.tensor([0.5, -0.7], requires_grad=True)   # of a neuron
b, v = 0.1, -0.25                    # its bias, its weight in y

def loss(w):
    return (v * torch.tanh(x @ w + b) - t) ** 2

loss(w).backward()                   # autograd: w.grad
h = torch.tanh(x @ w + b).item()
d_y = 2 * (v * h - t)                # to y
d_h = d_y * v                        # to h
d_s = d_h * (1 - h * h)              # to s
assert torch.allclose(w.grad, d_s * x)              # to w
nudge = torch.tensor([0.0, 0.01])
numeric = (loss(w + nudge) - loss(w - nudge)) / 0.02
print(w.grad[1].item(), numeric.item())
