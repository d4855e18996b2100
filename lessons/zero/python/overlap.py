# When can the arithmetic hide all transfers of stage 3?
F, beta = 400e12, 50e9     # FLOP/s of a GPU, B/s of its link
P = 7.5e9                  # parameters: they cancel

def forward(T):            # seconds of T tokens: computed, gathered
    return 2 * P * T / F, 2 * P / beta

def backward(T):           # gather again, and reduce gradients
    return 4 * P * T / F, 4 * P / beta

T = F / beta
assert T == 8000
for compute, transfer in [forward(T), backward(T)]:
    assert abs(compute - transfer) < 1e-9
compute, transfer = forward(T / 4)     # too few tokens: the GPU waits
assert transfer > compute
