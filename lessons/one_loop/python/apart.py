# Tests a choice of i: each element once, and one kind per warp.
N = 4096

def element(thread):
    return thread                       # the starter's: change it

taken = [element(thread) for thread in range(N)]
assert sorted(taken) == list(range(N))  # each exactly once
warps = [taken[first:first + 32] for first in range(0, N, 32)]
mixed = [warp for warp in warps if len({i % 2 for i in warp}) == 2]
print(len(mixed), "of", len(warps), "warps have both kinds")
