# The same logits of 8 experts, weighed as three of the models do.
from math import exp

def shares(numbers):
    return [n / sum(numbers) for n in numbers]

logits = [2.0, 1.0, 0.5, 0.0, -0.5, -1.0, -1.5, -2.0]  # sorted
switch = shares([exp(l) for l in logits])[:1]    # over all; k = 1
mixtral = shares([exp(l) for l in logits[:2]])   # over the chosen
deepseek = shares([1 / (1 + exp(-l)) for l in logits[:2]])
assert sum(switch) < 1 and abs(sum(mixtral) - 1) < 1e-12
assert mixtral[0] > deepseek[0] > 1 / 2          # sigmoids flatten
