# How many of 256 experts a batch uses, with 8 per token.
import random

def used(tokens):
    chosen = set()
    for _ in range(tokens):
        chosen.update(random.sample(range(256), 8))
    return len(chosen)

for tokens in (1, 4, 16, 64):
    print(tokens, "tokens use", used(tokens), "experts")
assert used(1) == 8 < used(4) <= 32
