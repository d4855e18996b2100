# What a step computes and sends on two GPUs: only the bytes grow.
N, layers, width, rows = 2, 8, 2048, 4096
parameters = layers * width * (width + 1)

def sent(stage):                       # of 2 bytes each, by one GPU
    transfers = 3 if stage == 3 else 2
    return transfers * 2 * parameters * (N - 1) // N

products = 6 * rows * parameters       # forward once, backward twice
for stage in range(4):
    print(stage, sent(stage) / 1e6, "MB,", products / 1e12, "TFLOP")
assert sent(3) / sent(0) == 1.5
