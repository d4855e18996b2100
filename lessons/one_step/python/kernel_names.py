# A name taken apart, and why BLAS has other letters.
import re

def read(name):
    tile = re.search(r"_(\d+)x(\d+)_(\d+)x(\d+)_", name)
    m, n, k, stages = map(int, tile.groups())
    letters = re.search(r"([NT])([NT])[NT]?$", name.upper())
    return dict(tile=(m, n), k=k, stages=stages,
                letters="".join(letters.groups()))

name = "nvjet_sm90_tst_192x192_64x4_2x1_v_bz_coopB_bias_TNN"
print(read(name))
assert read(name)["letters"] == "TN"

def workgroups(rows, columns, tile):
    return -(-rows // tile[0]) * -(-columns // tile[1])

assert workgroups(4096, 4096, (128, 128)) == 1024
assert workgroups(48, 144, (16, 16)) == 27

# Row-major memory, read by column: it is the transpose. BLAS is
# asked for the transpose of the result, with operands swapped.
def blas(first, second):            # is the second to be turned?
    turned = {"n": "n", "t": "t"}
    return turned[second] + turned[first]

for lesson, letters in (("nt", "tn"), ("nn", "nn"), ("tn", "nt")):
    assert blas(*lesson) == letters
