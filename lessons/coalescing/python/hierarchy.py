# The chain of a pointer chase: one cycle through all lines.
lines = 8 * 64                          # 64 KiB in lines of 128 bytes
jump = 2 * int(0.309 * lines) + 1       # odd, and lines is a power of 2
following = [(line + jump) % lines for line in range(lines)]

at, visited = 0, []
for _ in range(lines):                  # each hop needs the one before
    visited.append(at)
    at = following[at]
assert at == 0                          # back at the start
assert sorted(visited) == list(range(lines))    # each exactly once
print("the first lines:", visited[:8])
