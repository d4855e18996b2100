# Noise on the logits spreads the choices of a router with a skew.
import numpy as np

rng = np.random.default_rng(1)
logits = rng.normal(size=(1024, 8)) - np.log(np.arange(1, 9))

def fullest(strength):
    amount = strength * np.log1p(np.exp(0))  # softplus of 0
    noisy = logits + amount * rng.normal(size=(1024, 8))
    chosen = np.argsort(-noisy, axis=1)[:, :2]
    return np.bincount(chosen.ravel(), minlength=8).max() / 256

assert fullest(0) > fullest(1) > fullest(8) > 1
