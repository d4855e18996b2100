# Offload: what each GPU moves over PCIe in a step, and how long.
parameters, ranks = 7.5e9, 64
moved = (2 + 2) * parameters / ranks   # gradients, new parameters
for name, rate in [("PCIe 3", 15.75e9), ("PCIe 5", 63e9)]:
    print(f"{name}: {moved / rate * 1e3:.1f} ms")

# One GPU that fetched all would use one slot of all:
alone = (2 + 2) * parameters / 63e9
assert round(alone / (moved / 63e9)) == ranks
