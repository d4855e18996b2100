# Gradient accumulation: how often a step sends the model's size.
def transfers(stage, micro_batches):
    sent, held = 0, 0          # held: gradients that wait on the GPU
    for _ in range(micro_batches):
        held += 1              # backward adds up
        if stage == 2:         # no room for whole gradients
            sent, held = sent + 1, 0      # reduce-scatter
    if held:
        sent += 1              # one reduce-scatter for all of them
    return sent + 1            # and one all-gather

assert transfers(stage=2, micro_batches=4) == 5
assert transfers(stage=2, micro_batches=4) / transfers(1, 4) == 2.5
