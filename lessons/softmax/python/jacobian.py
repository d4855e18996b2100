# The Jacobian is diag(y) - y y^T; finite differences give the same.
import numpy as np

def softmax(x):
    e = np.exp(x - x.max())
    return e / e.sum()

x, h = np.array([1.0, -0.5, 2.0, 0.3, -1.5]), 1e-6
J = np.diag(softmax(x)) - np.outer(softmax(x), softmax(x))
near = [(softmax(x + h * row) - softmax(x)) / h for row in np.eye(5)]
assert np.allclose(J, near, atol=1e-5)
assert np.allclose(J, J.T) and np.allclose(J.sum(axis=1), 0)
