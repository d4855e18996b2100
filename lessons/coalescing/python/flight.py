# Little's law: bytes on their way = bytes per second x latency.
BANDWIDTH, SMS = 4.8e12, 132            # an H200
LATENCY = 700e-9                        # assumed, as on the page

needed = BANDWIDTH / 2 * LATENCY / SMS  # half of a copy are loads
print(f"needed per SM: {needed:.0f} bytes")
for threads in (2048, 256):
    for each in (4, 16, 64):
        share = threads * each / needed
        print(threads, "threads,", each, f"bytes each: {share:.0%}")
assert 2048 * 4 < needed < 256 * 64     # few threads can be enough
