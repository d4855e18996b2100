# Large logits overflow in float32, unless the maximum is subtracted.
import numpy as np

x = np.array([100.0, 99.0, 0.0], dtype=np.float32)
with np.errstate(over="ignore", invalid="ignore"):
    plain = np.exp(x) / np.exp(x).sum()
safe = np.exp(x - x.max()) / np.exp(x - x.max()).sum()
lse = x.max() + np.log(np.exp(x - x.max()).sum())
assert np.isnan(plain[0]) and abs(safe.sum() - 1) < 1e-6
print("plain", plain, "safe", safe, "log-sum-exp", lse)
