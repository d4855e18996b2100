# backward() adds: micro-batches on purpose, or by mistake.
import torch

x, t = torch.rand(4, 2), torch.rand(4)
w = torch.zeros(2, requires_grad=True)

def backward(rows, of):                  # a mean over `of` examples
    (((x[rows] @ w - t[rows]) ** 2).sum() / of).backward()

backward(slice(0, 4), 4)
whole = w.grad.clone()
backward(slice(0, 4), 4)                 # without zero_grad
assert torch.allclose(w.grad, 2 * whole)
w.grad.zero_()
backward(slice(0, 2), 4)                 # two micro-batches
backward(slice(2, 4), 4)
assert torch.allclose(w.grad, whole)
