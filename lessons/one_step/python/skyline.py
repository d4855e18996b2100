# The peak of a step: allocate at birth, free after the last use.
def peak(rows, L=2, d=16, V=256):
    N = 12 * L * d * d + V * d
    words, most, at = 3 * N + rows * d, 0, ""

    def now(change, where):
        nonlocal words, most, at
        words += change
        if words > most:
            most, at = words, where

    for layer in range(L):
        now(14 * d * rows, f"forward {layer}")
    now(V * rows, "logits")
    now(V * d, "gradient of the head")
    now(-V * rows, "logits freed")
    for layer in reversed(range(L)):
        now(12 * d * d, f"gradients of layer {layer}")
        now(-14 * d * rows, "")
    return at

print(peak(128), "|", peak(4))
assert peak(128) == "gradient of the head"
assert peak(4) == "gradients of layer 0"
