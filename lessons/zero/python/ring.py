# Reduce-scatter on a ring: each rank reads from its left neighbour.
N = 4
data = [[10 ** rank] * N for rank in range(N)]  # a chunk per column
for step in range(N - 1):
    before = [row[:] for row in data]
    for rank in range(N):                       # at the same time
        chunk = (rank - 2 - step) % N
        data[rank][chunk] += before[(rank - 1) % N][chunk]
for row in data:
    print(row)
assert all(data[rank][rank] == 1111 for rank in range(N))
