# A softmax depends on the differences of logits, not on their level.
from math import exp

def softmax(x, temperature=1.0):
    e = [exp(v / temperature) for v in x]
    return [v / sum(e) for v in e]

x = [1.0, -0.5, 2.0, 0.3, -1.5]
y, moved = softmax(x), softmax([v + 7 for v in x])
assert abs(sum(y) - 1) < 1e-12
assert max(abs(a - b) for a, b in zip(y, moved)) < 1e-12
print("cold", max(softmax(x, 0.1)), "warm", max(softmax(x, 10.0)))
