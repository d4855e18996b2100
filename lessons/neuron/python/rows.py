# A linear model: rows of X times a column of weights.
import torch

X = torch.rand(8, 4)            # 8 flats with 4 numbers each
w = torch.rand(4)               # a weight for each column
y = X @ w                       # 8 prices, all at once

by_hand = [sum(X[i, k] * w[k] for k in range(4)) for i in range(8)]
assert torch.allclose(y, torch.stack(by_hand))
model = torch.nn.Linear(4, 1)   # the same, with a bias
print(y.shape, model(X).shape)
