# bf16 keeps 8 bits: a sum of ones stops at 256.
import torch

total = torch.tensor(0.0, dtype=torch.bfloat16)
for _ in range(1000):
    total += 1                         # rounded to bf16
assert total == 256
assert torch.ones(1000, dtype=torch.bfloat16).float().sum() == 1000

small = torch.tensor(1e-30)
assert small.to(torch.bfloat16) > 0    # no loss scaling is needed
assert small.to(torch.float16) == 0
