# The model state: bytes per parameter, one tensor after the other.
state = {"parameter, f16": 2, "gradient, f16": 2,
         "master copy, f32": 4, "m, f32": 4, "v, f32": 4}
assert sum(state.values()) == 16

parameters = 7.5e9
for name, size in state.items():
    print(f"{name:17} {parameters * size / 1e9:6.1f} GB")
assert parameters * 16 > 80e9         # no GPU of 80 GB holds that
