# When can the arithmetic hide all transfers of stage 3?
F, beta = 400e12, 50e9     # FLOP/s of a GPU, B/s of its link

def hidden(T, P):          # tokens of a GPU, parameters
    forward = 2 * P * T / F >= 2 * P / beta    # gather
    backward = 4 * P * T / F >= 4 * P / beta   # gather and reduce
    return forward and backward

assert F / beta == 8000
for P in [7.5e9, 70e9]:    # the parameters cancel
    assert hidden(8001, P) and not hidden(7999, P)
batch = 1_000_000          # tokens of all GPUs together
print("at most", int(batch / (F / beta)), "GPUs")
