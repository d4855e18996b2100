# Latency and bytes: the time of an all-reduce, by a simple model.
def ring(S, N, alpha, beta):          # S bytes, N ranks
    return 2 * (N - 1) * (alpha + S / N / beta)

def one_shot(S, N, alpha, beta):      # everything of all, at once
    return alpha + (N - 1) * S / beta

N, alpha, beta = 8, 5e-6, 450e9       # alpha in s, beta in B/s
for S in [1e3, 1e6, 1e9]:
    print(f"{S:.0e} B: {ring(S, N, alpha, beta) * 1e6:.0f} us,",
          f"one-shot {one_shot(S, N, alpha, beta) * 1e6:.0f} us")
assert ring(1e3, N, alpha, beta) > one_shot(1e3, N, alpha, beta)
assert ring(1e9, N, alpha, beta) < one_shot(1e9, N, alpha, beta)
busbw = 1e9 / ring(1e9, N, alpha, beta) * 2 * (N - 1) / N
assert busbw < beta                   # the steps take time, too
