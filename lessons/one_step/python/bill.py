# A step in PyTorch: forward, backward, update. It falls.
import torch
import torch.nn.functional as F

torch.manual_seed(1)
V, d = 256, 16
embedding = torch.nn.Embedding(V, d)
up, down = torch.nn.Linear(d, 4 * d), torch.nn.Linear(4 * d, d)
modules = torch.nn.ModuleList([embedding, up, down])
opt = torch.optim.AdamW(modules.parameters(), lr=0.003)

def model(ids):
    x = embedding(ids)
    x = x + down(F.gelu(up(x)))
    return x @ embedding.weight.T            # the head, tied

text = torch.randint(V, (17,))
ids, targets = text[:-1], text[1:]
losses = []
for step in range(4):
    loss = F.cross_entropy(model(ids), targets)
    loss.backward()
    opt.step()
    opt.zero_grad()
    losses.append(loss.item())
print(losses)
assert losses[-1] < losses[0]
