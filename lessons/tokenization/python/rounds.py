# Launches of the whole training, and what limits its time.
def launches(merges):
    return 1 + 11 * merges               # split, then each round

def seconds(merges, tokens, each=1.5e-6, rate=3e12):
    work = merges * tokens * 40 / rate   # some 40 bytes per token
    return launches(merges) * each + work

short, long = seconds(16, 4096), seconds(16, 65536)
print(round(long / short, 2), "times the time for 16 times the text")
assert long / short < 1.5
assert seconds(16, 2 ** 26) > 50 * short    # then the work counts
