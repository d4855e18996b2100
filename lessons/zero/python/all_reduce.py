# All-reduce on a ring: a reduce-scatter, and then an all-gather.
N = 4
data = [[10 ** rank] * N for rank in range(N)]  # a chunk per column
sent = 0                                        # chunks of rank 0
for step in range(2 * (N - 1)):
    before = [row[:] for row in data]
    for rank in range(N):                       # at the same time
        left = before[(rank - 1) % N]
        chunk = (rank - 2 - step) % N
        if step < N - 1:
            data[rank][chunk] += left[chunk]    # reduce-scatter
        else:
            data[rank][chunk] = left[chunk]     # all-gather
    sent += 1
print(data)
assert sent == 2 * (N - 1) and data == [[1111] * N] * N
