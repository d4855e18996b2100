# Loads of keys and values by the queries of a workgroup, and what
# the workgroup has to keep for them.
n, d = 4096, 128
for queries in (1, 16, 32, 64, 128):
    loads = n / queries * 2 * n * d * 4
    kept = queries * (d + 2) * 4
    print(f"{queries:4} {loads / 1e6:9.1f} MB loaded {kept:7} B kept")
assert n / 32 * 2 * n * d * 4 == 2 * (n / 64 * 2 * n * d * 4)
