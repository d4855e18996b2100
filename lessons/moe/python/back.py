# Dispatch copies rows, so its backward pass adds them up, per token.
chosen = [[0, 2], [2, 1], [0, 1]]          # of three tokens
order = sorted((e, t, s) for t, row in enumerate(chosen)
               for s, e in enumerate(row))
row_of = {(t, s): r for r, (e, t, s) in enumerate(order)}
g, dy = [[0.75, 0.25], [0.5, 0.25], [1.0, 0.5]], [1.0, 2.0, -4.0]

drows = [g[t][s] * dy[t] for _, t, s in order]       # combine's
dx = [sum(drows[row_of[t, s]] for s in (0, 1)) for t in range(3)]
assert dx == [sum(g[t]) * dy[t] for t in range(3)]
