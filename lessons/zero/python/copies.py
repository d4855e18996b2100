# Data parallelism: gradients are summed, and all copies stay equal.
ranks, rate = 4, 0.1
copies = [[1.0, -2.0, 0.5] for _ in range(ranks)]   # parameters
rows = [[r + 1.0, r - 1.0, 2.0 * r] for r in range(ranks)]

for step in range(3):
    grads = [[x * w for x, w in zip(rows[r], copies[r])]
             for r in range(ranks)]                 # of its own rows
    total = [sum(column) for column in zip(*grads)]  # all-reduce
    for w in copies:                                # the same update
        for i, g in enumerate(total):
            w[i] -= rate / ranks * g
assert all(w == copies[0] for w in copies)
