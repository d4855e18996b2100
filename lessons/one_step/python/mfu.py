# MFU of GPT-2 124M on an H100, from tokens a second.
N, L, d, T = 124.4e6, 12, 768, 1024
flop = 6 * N + 12 * L * d * T               # of a token
peak = 989.5e12                             # 16 bits, dense

for name, rate in [("eager", 321_000), ("compiled", 469_000)]:
    print(f"{name}: {rate * flop / peak:.1%}")

# Recomputed: a layer's FLOP but those of its last product, again.
again = L * (16 * d * d + 4 * d * T)
hfu = 0.40
mfu = hfu * flop / (flop + again)
print(f"an HFU of {hfu:.0%} is then an MFU of {mfu:.1%}")
assert mfu < hfu
