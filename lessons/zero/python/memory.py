# Bytes after each pass of a step, if what is not needed is freed.
L, width, rows = 4, 16, 64
layer, result = (width + 1) * width, 2 * rows * width
state = (2 + 4 + 4 + 4) * L * layer    # there all the time

bars = [state + (3 + i) * result for i in range(L + 1)]  # forward
bars += [state + (L + 1) * result]                       # the loss
bars += [state + (L + 1 - i) * result + i * 2 * layer    # backward
         for i in range(1, L + 1)]
bars += [state]                                          # the update
print([round(b / 1000, 1) for b in bars])
assert bars.index(max(bars)) == L      # the last forward pass
