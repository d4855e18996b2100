# How many of 132 SMs have work in decode, by the chunks.
sequences, caches, sms = 1, 8, 132
for chunks in (1, 2, 4, 8, 16, 17, 32):
    workgroups = sequences * caches * chunks
    waves = -(-workgroups // sms)
    busy = workgroups / (waves * sms)
    print(chunks, min(workgroups, sms), f"{busy:.0%}")
assert 8 * 16 < sms <= 8 * 17
