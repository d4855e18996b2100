# The graph that torch.compile gets of a residual and a norm.
import torch

def residual_and_norm(x, branch):
    x = x + branch
    return x, x * torch.rsqrt((x * x).mean(-1, keepdim=True) + 1e-5)

seen = []

def look(graph, inputs):
    calls = ("call_function", "call_method")
    seen.extend(node.name for node in graph.graph.nodes if node.op in calls)
    return graph.forward

# A backend gets the graph; Inductor is the usual one.
compiled = torch.compile(residual_and_norm, backend=look)
x, branch = torch.randn(2, 4, 8)
compiled(x, branch)
print(seen)
assert len(seen) == 6    # eager: six kernels; on a GPU, Inductor: one

# The loss as autograd has it: a one-hot matrix of the logits' size.
logits, target = torch.randn(4, 16, requires_grad=True), torch.arange(4)
logp = torch.log_softmax(logits, -1)
logp.retain_grad()
torch.nn.functional.nll_loss(logp, target).backward()
print((logp.grad != 0).sum().item(), "of", logp.numel(), "are not 0")
assert (logp.grad != 0).sum() == 4
assert torch.allclose(logits.grad, (logp.exp() + 4 * logp.grad) / 4)
