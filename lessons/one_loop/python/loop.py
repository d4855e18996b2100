# Threads that share a loop: each takes every LANES-th element.
n, LANES = 64, 8
src, dst = list(range(n)), [None] * n

def kernel(thread):
    for i in range(thread, n, LANES):
        dst[i] = 2 * src[i]

for thread in reversed(range(LANES)):   # any order gives the same
    kernel(thread)
assert dst == [2 * x for x in src]
print(LANES, "threads,", n // LANES, "iterations each")
