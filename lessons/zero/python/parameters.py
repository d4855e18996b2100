# Stage 3: a layer is gathered, used, and let go.
N, layers, size = 4, 3, 8
shards = [[[rank] * (size // N) for _ in range(layers)]
          for rank in range(N)]        # all that a rank keeps

def gather(layer):                     # an all-gather
    return [w for rank in range(N) for w in shards[rank][layer]]

most = 0
order = list(range(layers))
for layer in order + order[::-1]:      # forward, then backward
    full = gather(layer)
    kept = layers * size // N
    most = max(most, kept + len(full))
    del full                           # room for the next layer
print(most, "numbers at most, of", layers * size)
assert most == layers * size // N + size
