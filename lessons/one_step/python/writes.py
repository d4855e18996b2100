# Greedy and temperature: noise, then the greatest, is sampling.
import torch

torch.manual_seed(1)
logits = torch.tensor([2.0, 1.0, 0.0, -1.0])

def pick(logits, temperature, n):
    if temperature == 0:
        return logits.argmax().expand(n)           # greedy
    u = torch.rand(n, len(logits)).clamp(1e-7, 1 - 1e-7)
    noise = -torch.log(-torch.log(u))              # Gumbel
    return (logits + temperature * noise).argmax(-1)

for T in (0.5, 1.0, 2.0):
    counts = torch.bincount(pick(logits, T, 100_000), minlength=4)
    p = torch.softmax(logits / T, 0)
    print(T, (counts / 1e5).tolist(), p.tolist())
    assert (counts / 1e5 - p).abs().max() < 0.01
    q = torch.empty(100_000, 4).exponential_(1)    # gpt-fast's form
    again = torch.bincount((p / q).argmax(-1), minlength=4)
    assert (again / 1e5 - p).abs().max() < 0.01
assert (pick(logits, 0, 5) == 0).all()
