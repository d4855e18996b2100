# A launch: each thread of each workgroup runs the kernel once.
n, BLOCK = 1000, 256
src, dst = list(range(n)), [None] * n

def kernel(workgroup, local):
    i = workgroup * BLOCK + local       # global_invocation_id.x
    if i < n:
        dst[i] = 2 * src[i]

grid = (n + BLOCK - 1) // BLOCK         # n / BLOCK, rounded up
for thread in range(grid * BLOCK):
    kernel(*divmod(thread, BLOCK))
assert grid == 4 and dst == [2 * x for x in src]
print(grid * BLOCK - n, "threads have no element")
