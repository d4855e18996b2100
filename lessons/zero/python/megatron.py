# Bytes that a GPU sends per layer: activations or parameters?
def megatron(tokens, h):
    return 4 * 2 * 2 * tokens * h      # 4 all-reduces of f16 rows

def zero(h, stage):
    return (3 if stage == 3 else 2) * 2 * 12 * h * h

h = 4096                               # (N - 1) / N is in both
assert megatron(4.5 * h, h) == zero(h, stage=3)
assert megatron(3 * h, h) == zero(h, stage=2)
for tokens in [512, 8192, 65536]:
    print(tokens, "tokens:", megatron(tokens, h) / zero(h, 3))
