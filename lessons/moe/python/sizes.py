# Mixtral 8x7B, from its dimensions: 47 billion parameters, 13 active.
d, f, layers, experts, k = 4096, 14336, 32, 8, 2
vocabulary, keys = 32000, 1024         # keys: 8 heads of 128 numbers

attention = 2 * d * d + 2 * d * keys
rest = layers * (attention + d * experts) + 2 * vocabulary * d
expert = 3 * d * f
total = rest + layers * experts * expert
active = rest + layers * k * expert
assert round(total / 1e9) == 47 and round(active / 1e9) == 13
print(f"{2 * total / 1e9:.0f} GB in bf16, {2 * active / 1e9:.0f} GFLOP")
