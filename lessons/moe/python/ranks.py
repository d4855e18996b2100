# The bytes of two all-to-all exchanges, and the formula for them.
import numpy as np

tokens, experts, k, d, ranks = 1024, 8, 2, 64, 8
chosen = np.random.default_rng(1).integers(0, experts, tokens * k)
origin = np.arange(tokens * k) // k * ranks // tokens
to = chosen * ranks // experts
sent = np.zeros((ranks, ranks), dtype=int)
np.add.at(sent, (origin, to), 2 * d)  # a row of 2 bytes per number
np.fill_diagonal(sent, 0)             # what stays is not sent
formula = 2 * tokens * k * 2 * d * (ranks - 1) / ranks
assert abs(2 * sent.sum() / formula - 1) < 0.05
