# One scheduler: each cycle it issues for a warp that is not waiting.
WORK, LATENCY, CYCLES = 10, 500, 100_000

def used(warps):
    ready, done, issued = [0] * warps, [0] * warps, 0
    for now in range(CYCLES):
        warp = min(range(warps), key=lambda w: ready[w])
        if ready[warp] <= now:
            issued += 1
            done[warp] += 1
            ready[warp] = now + (LATENCY if done[warp] % WORK == 0 else 1)
    return issued / CYCLES

assert 3.5 < used(4) / used(1) < 4.5     # four warps, four times the work
