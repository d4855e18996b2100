# One query by hand: scores, weights, and the mean of the values.
from math import exp

scores, values = [2.0, 0.0, 1.0], [10.0, 20.0, 30.0]
powers = [exp(s) for s in scores]
weights = [p / sum(powers) for p in powers]
output = sum(p * v for p, v in zip(weights, values))
assert abs(sum(weights) - 1) < 1e-12 and 10 < output < 30
print(weights, output)
# PyTorch has all of it in one call:
# torch.nn.functional.scaled_dot_product_attention(q, k, v)
