# Stage 2: reduce-scatter leaves each rank the sums of its shard.
N, size = 4, 8
shard = size // N
grads = [[rank + 1.0] * size for rank in range(N)]   # whole, per rank

kept = []
for rank in range(N):                  # a reduce-scatter
    own = range(rank * shard, (rank + 1) * shard)
    kept.append([sum(g[i] for g in grads) for i in own])
grads.clear()                          # the bucket is free again

assert kept == [[10.0] * shard] * N    # 1 + 2 + 3 + 4
print(2 * size, "bytes of gradients become", 2 * shard)
