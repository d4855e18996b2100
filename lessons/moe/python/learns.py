# The gradient of the chosen logits, against a small step of each.
from math import exp

def loss(logits, a):  # a[k]: dy times the row of expert k
    g = [exp(l) for l in logits]
    return sum(x * y for x, y in zip(g, a)) / sum(g)

logits, a, h = [1.0, 0.2, -0.5], [3.0, -1.0, 0.5], 1e-6
g = [exp(l) / sum(map(exp, logits)) for l in logits]
for k in range(3):
    moved = [l + h * (i == k) for i, l in enumerate(logits)]
    step = (loss(moved, a) - loss(logits, a)) / h
    assert abs(step - g[k] * (a[k] - loss(logits, a))) < 1e-5
