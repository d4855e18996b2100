# Three rows in buckets, and tokens that lost some of their choices.
rows = [10.0, 20.0, 30.0]
slots = [[0, 2], [None, 1], [None, None]]  # None: dropped
weights = [[0.7, 0.3], [0.6, 0.4], [0.5, 0.5]]

def combine(slots, weights):
    kept = [(s, w) for s, w in zip(slots, weights) if s is not None]
    return sum(w * rows[s] for s, w in kept)

y = [combine(s, w) for s, w in zip(slots, weights)]
assert y == [0.7 * 10 + 0.3 * 30, 0.4 * 20, 0]
