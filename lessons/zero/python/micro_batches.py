# Gradient accumulation: transfers of the model's size in a step.
def transfers(stage, micro_batches):
    sent = 0
    for micro in range(micro_batches):
        if stage == 3:
            sent += 2          # gather for forward and for backward
        if stage >= 2 or micro == micro_batches - 1:
            sent += 1          # reduce-scatter
    return sent + (stage < 3)  # and one all-gather

for stage in range(4):
    print(stage, [transfers(stage, k) for k in [1, 2, 4, 8]])
assert transfers(2, 4) == 5 and transfers(3, 4) == 12
