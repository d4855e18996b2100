# The gradient of the cross-entropy is the softmax less the target.
import torch
import torch.nn.functional as F

x = torch.tensor([[1.0, -0.5, 2.0, 0.3, -1.5]], requires_grad=True)
wanted = torch.tensor([0])
loss = F.cross_entropy(x, wanted)
loss.backward()
y = torch.softmax(x.detach(), dim=1)
t = F.one_hot(wanted, 5)
assert torch.allclose(x.grad, y - t, atol=1e-6)
print(loss.item(), x.grad)
