# The bound of the page for two shared loads per multiply-add.
peak = 67e12             # FLOP/s of an H200 in f32
multiply_adds = 128 / 32  # of a warp, per clock of an SM
wavefronts = 1            # of shared memory, per clock of an SM
loads = 2                 # per multiply-add, one wavefront each

clocks = loads / wavefronts  # that a multiply-add waits for its numbers
share = 1 / (clocks * multiply_adds)
assert share == 1 / 8
print(f"at most {share * peak / 1e12:.2f} TFLOP/s")
