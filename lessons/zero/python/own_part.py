# torch.optim.AdamW: the first step is as long for every gradient.
import torch

for gradient in [0.001, 0.5, 100.0]:
    w = torch.nn.Parameter(torch.tensor([1.0]))
    optimizer = torch.optim.AdamW([w], lr=0.02, betas=(0.9, 0.999),
                                  eps=1e-8, weight_decay=0.01)
    w.grad = torch.tensor([gradient])
    optimizer.step()
    # With the corrections, m is g and v is g * g: the step is 1,
    # and the decay is 0.01 of w.
    assert abs(w.item() - (1.0 - 0.02 * (1.0 + 0.01))) < 1e-5
