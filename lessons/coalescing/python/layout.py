# A field of an array of structs is a view with a stride.
import numpy as np

aos = np.zeros(32, dtype=[("x", "f4"), ("y", "f4")])
soa = {"x": np.zeros(32, "f4"), "y": np.zeros(32, "f4")}

def sectors(field):                     # of a warp that loads it
    return len(np.unique(np.arange(32) * field.strides[0] // 32))

assert aos["x"].strides == (8,) and soa["x"].strides == (4,)
assert sectors(aos["x"]) == 8 and sectors(soa["x"]) == 4
print("x is", aos["x"].strides[0], "bytes from the next x")
