# The gradient of the mean loss: (softmax - one-hot) / rows.
import torch
import torch.nn.functional as F

torch.manual_seed(1)
rows, V = 16, 128
x = (0.1 * torch.randn(rows, V)).requires_grad_()
targets = torch.randint(V, (rows,))
loss = F.cross_entropy(x, targets)
loss.backward()

p = torch.softmax(x.detach(), dim=1)
g = (p - F.one_hot(targets, V)) / rows
assert torch.allclose(x.grad, g, atol=1e-8)
assert (g.sum(dim=1).abs() < 1e-6).all()    # each row
assert (g < 0).sum() == rows                # the targets

# Four micro-batches: each loss is divided by 4.
x.grad = None
for part, t in zip(x.chunk(4), targets.chunk(4)):
    (F.cross_entropy(part, t) / 4).backward()
assert torch.allclose(x.grad, g, atol=1e-8)
print(loss.item(), torch.log(torch.tensor(V)).item())
