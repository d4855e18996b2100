# FLOP and bytes of a norm beside those of a product.
import torch

def rms_norm(x):
    return x * (x.pow(2).mean(-1, keepdim=True) + 1e-5).rsqrt()

x = torch.randn(64, 32)
assert torch.allclose(
    rms_norm(x), torch.nn.functional.rms_norm(x, (32,), eps=1e-5),
    atol=1e-6)

def norm(r, d, size):                   # forward: load and store
    return 3 * r * d, 2 * size * r * d

def product(r, d, size):                # r x d times d x 4d
    return 8 * r * d * d, size * (5 * r * d + 4 * d * d)

for d in (32, 768, 4096, 8192):
    (nf, nb), (pf, pb) = norm(8192, d, 2), product(8192, d, 2)
    print(f"width {d}: {nf / pf:.3%} of the product's FLOP, "
          f"{nb / pb:.0%} of its bytes")
    assert nf / pf < 0.02 and nb / pb > 0.1
