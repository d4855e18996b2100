# XOR: four examples, four neurons, 1,000 steps.
import torch
from torch import nn

torch.manual_seed(1)
x = torch.tensor([[0., 0.], [0., 1.], [1., 0.], [1., 1.]])
t = torch.tensor([[0.], [1.], [1.], [0.]])
model = nn.Sequential(nn.Linear(2, 4), nn.Tanh(), nn.Linear(4, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.2)

for step in range(1000):
    loss = ((model(x) - t) ** 2).mean()     # forward
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 100 == 0:
        print(step, round(loss.item(), 5))
assert loss < 0.01
