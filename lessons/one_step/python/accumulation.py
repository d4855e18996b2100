# Micro-batches add to the gradient of the whole batch.
import torch
import torch.nn.functional as F

torch.manual_seed(1)
model = torch.nn.Linear(16, 50).double()
x, t = torch.randn(64, 16).double(), torch.randint(50, (64,))

def gradient(losses):
    model.zero_grad()
    for loss in losses:
        loss.backward()
    return model.weight.grad.clone()

def loss(rows, **how):
    return F.cross_entropy(model(x[rows]), t[rows], **how)

whole = gradient([loss(slice(0, 64))])
parts = [slice(i, i + 8) for i in range(0, 64, 8)]
assert torch.allclose(gradient(loss(p) / 8 for p in parts), whole)
assert torch.allclose(gradient(map(loss, parts)), 8 * whole)

# Parts of different lengths: the mean of means is another one.
parts = [slice(0, 4), slice(4, 64)]
assert not torch.allclose(gradient(loss(p) / 2 for p in parts), whole)
right = (loss(p, reduction="sum") / 64 for p in parts)
assert torch.allclose(gradient(right), whole)
