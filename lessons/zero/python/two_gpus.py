# Latency and rate: how long must a message be to be worth its latency?
latency, rate = 20e-6, 200e9           # seconds and bytes/s: assumptions

def speed(size):
    return size / (latency + size / rate)

half = latency * rate                  # bytes that take as long as that
for size in [1e3, 1e5, half, 1e8]:
    print(f"{size:12.0f} B  {speed(size) / 1e9:7.2f} GB/s")
assert abs(speed(half) - rate / 2) < 1  # then half of the rate is left
assert speed(half / 100) < rate / 100   # and a short one gets hardly any
