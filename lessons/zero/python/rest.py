# Activations of a transformer, kept whole or computed again.
def activations(s, b, h, a, layers, recompute):
    per_layer = s * b * h * (2 if recompute else 34 + 5 * a * s / h)
    return layers * per_layer          # bytes

shape = dict(s=1024, b=1, h=4096, a=32, layers=36)
kept = activations(**shape, recompute=False)
again = activations(**shape, recompute=True)
print(f"{kept / 1e9:.1f} GB, {again / 1e9:.2f} GB recomputed")
assert again < kept / 17
twice = activations(**dict(shape, s=2048), recompute=False)
assert twice > 2 * kept                # scores grow with s * s
