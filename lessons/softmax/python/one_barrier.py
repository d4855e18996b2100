# Each subgroup uses its own maximum; one factor corrects it at the end.
import numpy as np

x = np.random.default_rng(1).normal(size=(4, 32)) * 10  # 4 subgroups
m_s = x.max(axis=1, keepdims=True)
e = np.exp(x - m_s)                  # before the row's maximum is known
d_s = e.sum(axis=1, keepdims=True)
m = m_s.max()                        # after one barrier: all the pairs
d = (d_s * np.exp(m_s - m)).sum()
y = e * (np.exp(m_s - m) / d)
assert np.allclose(y, np.exp(x - m) / np.exp(x - m).sum())
