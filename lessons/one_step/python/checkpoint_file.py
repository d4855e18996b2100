# A training that goes on from a file, with the same bits.
import io
import torch

def make():
    torch.manual_seed(1)
    model = torch.nn.Linear(8, 1)
    return model, torch.optim.AdamW(model.parameters(), lr=0.003)

def train(model, opt, first, last):
    for step in range(first, last):
        torch.manual_seed(100 + step)      # the place in the data
        x = torch.randn(16, 8)
        loss = (model(x) - x.sum(1, keepdim=True)).square().mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
    return model.weight.detach().clone()

at_once = train(*make(), 0, 20)

model, opt = make()
train(model, opt, 0, 10)
file = io.BytesIO()
torch.save({"model": model.state_dict(),
            "opt": opt.state_dict(), "step": 10}, file)

def resume(with_opt):
    file.seek(0)
    state = torch.load(file)
    model, opt = make()
    model.load_state_dict(state["model"])
    if with_opt:
        opt.load_state_dict(state["opt"])
    return train(model, opt, state["step"], 20)

assert torch.equal(resume(True), at_once)
assert not torch.equal(resume(False), at_once)
