# A missing slope does not crash: the loss falls, and then it stays.
import numpy as np

x = np.array([[0, 0, 1], [0, 1, 1], [1, 0, 1], [1, 1, 1]])  # 1: bias
t = np.array([0, 1, 1, 0])

def train(slope):
    rng = np.random.default_rng(1)
    w, v = rng.uniform(-1, 1, (3, 4)), rng.uniform(-1, 1, 5)
    losses = []
    for step in range(2000):
        h = 1 / (1 + np.exp(-x @ w))             # sigmoid
        y = h @ v[:4] + v[4]
        losses.append(((y - t) ** 2).mean())
        d_y = (y - t) / 2
        d_s = d_y[:, None] * v[:4] * slope(h)
        w -= 0.2 * x.T @ d_s
        v -= 0.2 * np.append(h.T @ d_y, d_y.sum())
    return losses[0], losses[-1]

print("right:  ", train(lambda h: h * (1 - h)))
print("missing:", train(lambda h: 1))
assert train(lambda h: 1)[1] > 0.2 > 0.01 > train(lambda h: h * (1 - h))[1]
