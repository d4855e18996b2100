# A kernel takes at least the longer of its two bills.
n, d = 4096, 128
rate, speed = 989e12, 3.35e12     # an H100: FLOP/s, B/s
bills = {
    "scores": (2 * n * n * d, 2 * (n * n + 2 * n * d)),
    "softmax": (5 * n * n, 2 * 2 * n * n),
    "values": (2 * n * n * d, 2 * (n * n + 2 * n * d)),
}
for name, (flops, moved) in bills.items():
    print(name, f"{flops / rate:.1e} s {moved / speed:.1e} s")
assert 51 < bills["scores"][0] / bills["softmax"][0] < 52
