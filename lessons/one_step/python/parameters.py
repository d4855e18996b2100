# 12 L d^2 + V d, and GPT-2 124M.
import torch

def matrices(L, d, V):
    shapes = [(d, 3 * d), (d, d), (d, 4 * d), (4 * d, d)]
    model = torch.nn.ParameterList([torch.empty(V, d)])
    for _ in range(L):
        model.extend(torch.empty(s) for s in shapes)
    return model

L, d, V = 2, 16, 256
counted = sum(p.numel() for p in matrices(L, d, V).parameters())
assert counted == 12 * L * d**2 + V * d == 10240

L, d, V = 12, 768, 50257
biases = 3 * d + d + 4 * d + d              # of a layer
norms = 2 * 2 * d                           # scale and shift
gpt2 = (12 * L * d**2 + V * d + 1024 * d
        + L * (biases + norms) + 2 * d)
print(gpt2)
assert gpt2 == 124_439_808
