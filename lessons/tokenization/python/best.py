# The greatest of all counters, by halving, as a tree does it.
V = 288
counts = [(i * 7919) % 1009 for i in range(V * V)]
best = list(range(len(counts)))  # where a counter is
while len(best) > 1:
    half = (len(best) + 1) // 2
    for i in range(len(best) - half):   # on the GPU: all at once
        a, b = best[i], best[half + i]
        best[i] = max(a, b, key=lambda at: counts[at])
    best = best[:half]
left, right = divmod(best[0], V)        # its row and its column
assert counts[left * V + right] == max(counts)
