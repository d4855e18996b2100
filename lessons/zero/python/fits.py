# Model state of a GPU at each stage, in GB.
def model_state(parameters, N):
    P = parameters / 1e9
    return [16 * P, 4 * P + 12 * P / N, 2 * P + 14 * P / N, 16 * P / N]

paper = model_state(7.5e9, 64)
print([round(x, 2) for x in paper])
assert [float(f"{x:.3g}") for x in paper] == [120, 31.4, 16.6, 1.88]

gpt3 = model_state(175e9, 256)[3]
print(f"GPT-3 on 256 GPUs: {gpt3:.1f} GB of 80")
