# AdamW by hand, and why backward() adds.
import torch

torch.manual_seed(1)
w = torch.randn(64, requires_grad=True)
mine, m, v = w.detach().clone(), 0.0, 0.0
opt = torch.optim.AdamW([w], lr=0.003, betas=(0.9, 0.95),
                        eps=1e-8, weight_decay=0.1)
for t in range(1, 6):
    g = torch.randn(64)
    w.grad = g.clone()
    opt.step()
    m, v = 0.9 * m + 0.1 * g, 0.95 * v + 0.05 * g * g
    step = m / (1 - 0.9**t) / ((v / (1 - 0.95**t)).sqrt() + 1e-8)
    mine -= 0.003 * (step + 0.1 * mine)
assert torch.allclose(mine, w.detach(), atol=1e-6)

x = torch.ones(3, requires_grad=True)
(2 * x).sum().backward()
(2 * x).sum().backward()                   # no zero_grad between
assert (x.grad == 4).all()                 # it was added
