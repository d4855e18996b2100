# Stage 1: each rank updates its own shard, then all gather them.
ranks, n, rate = 4, 12, 0.1
weights = [float(i) for i in range(n)]        # whole on every rank
grads = [0.5 * i - 2.0 for i in range(n)]     # already summed
shard = n // ranks
m = [[0.0] * shard for _ in range(ranks)]     # only its own part

gathered = []
for rank in range(ranks):                     # at the same time
    for i in range(shard):
        at = rank * shard + i
        m[rank][i] = 0.9 * m[rank][i] + 0.1 * grads[at]
        gathered.append(weights[at] - rate * m[rank][i])

whole = [w - rate * (0.1 * g) for w, g in zip(weights, grads)]
assert gathered == whole                      # as without shards
