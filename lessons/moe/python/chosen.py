# Top-k, and the three ways to weigh what was chosen.
import torch

torch.manual_seed(1)
logits = torch.randn(1024, 8)
top, chosen = torch.topk(logits, 2, dim=1)
over_all = torch.softmax(logits, dim=1).gather(1, chosen)       # 0
over_chosen = torch.softmax(top, dim=1)                         # 1
sigmoid = torch.sigmoid(top)
sigmoid = sigmoid / sigmoid.sum(dim=1, keepdim=True)            # 2
again = over_all / over_all.sum(dim=1, keepdim=True)
assert torch.allclose(again, over_chosen, atol=1e-5)
