# The softmax of attention: few of the operations, half of the bytes.
n, d = 4096, 128
products, softmax = 2 * (2 * n * n * d), 5 * n * n
scores, others = 8 * n * n, 8 * n * d    # bytes, at 2 per number
operations = softmax / (products + softmax)
moved = 4 * n * n / (scores + others)
assert abs(operations - 5 / (4 * d + 5)) < 1e-12
assert abs(moved - n / (2 * (n + d))) < 1e-12
print(f"{operations:.2%} of the operations, {moved:.1%} of the bytes")
