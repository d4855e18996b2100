# Exclusive scan: log2(n) steps, each with twice the distance.
counts = [5, 3, 2, 6, 0, 4, 1, 7]
part, step = counts[:], 1
while step < len(part):
    part = [part[i] + (part[i - step] if i >= step else 0)
            for i in range(len(part))]
    step *= 2
starts = [total - own for total, own in zip(part, counts)]
assert starts == [sum(counts[:i]) for i in range(8)]
