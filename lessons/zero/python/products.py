# Operations of a step, and the bytes that do not depend on the rows.
def step_flops(layers, rows, width):
    layer = (width + 1) * width        # the last row is the bias
    forward = 2 * layers * rows * layer
    of_weights = 2 * layers * rows * layer
    of_inputs = 2 * (layers - 1) * rows * width * width
    return forward + of_weights + of_inputs

def update_bytes(layers, width):       # the update and the cast
    return (26 + 6) * layers * (width + 1) * width

for rows in [1024, 8192]:
    print(rows, "rows:", round(step_flops(4, rows, 4096)
          / update_bytes(4, 4096)), "FLOP per such byte")
