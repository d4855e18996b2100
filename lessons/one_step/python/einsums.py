# The six products of an MLP, against autograd and differences.
import torch
import torch.nn.functional as F

torch.manual_seed(1)
f64 = dict(dtype=torch.float64, requires_grad=True)
n, w1 = torch.randn(8, 4, **f64), torch.randn(4, 16, **f64)
w2, t = torch.randn(16, 4, **f64), torch.randn(8, 4).double()
E = torch.einsum

def loss_of(n, w1, w2):
    y = E("ij,jk->ik", F.gelu(E("ij,jk->ik", n, w1)), w2)
    return (y * t).sum()                    # so t is y's gradient

loss_of(n, w1, w2).backward()
with torch.no_grad():
    u = E("ij,jk->ik", n, w1)
    g = F.gelu(u)
    d_w2 = E("ij,ik->jk", g, t)
    d_g = E("ik,jk->ij", t, w2)
    slope = (F.gelu(u + 1e-6) - F.gelu(u - 1e-6)) / 2e-6
    d_u = d_g * slope
    d_w1 = E("ij,ik->jk", n, d_u)
    d_n = E("ik,jk->ij", d_u, w1)
    for mine, of in [(d_w2, w2), (d_w1, w1), (d_n, n)]:
        assert torch.allclose(mine, of.grad, atol=1e-7)
    e = torch.zeros_like(w1)
    e[2, 5] = 1e-6                          # one weight
    low, high = loss_of(n, w1 - e, w2), loss_of(n, w1 + e, w2)
    assert abs((high - low) / 2e-6 - d_w1[2, 5]) < 1e-6
