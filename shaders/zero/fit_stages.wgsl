// What a model takes of a GPU, in GB: a bar for each stage, of
// parameters, gradients, the optimizer's state and activations.
// What is kept in the CPU's memory goes into `host`.
// A lane has one stage.

override MODEL: f32 = 7.5;  // parameters, in billions
override RANKS: f32 = 64.0;
override ACTIVATIONS: f32 = 0.0;  // of a GPU, in GB
override OFFLOAD: u32 = 0;  // 1: optimizer; 2: parameters as well

@group(0) @binding(0) var<storage, read_write> gpu: array<f32>;
@group(0) @binding(1) var<storage, read_write> host: array<f32>;

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) stage: u32) {
    let slice = MODEL / RANKS;
    let own = select(slice, MODEL, stage == 0);
    let grads = select(MODEL, slice, stage >= 2);
    let params = select(MODEL, slice, stage == 3);
    gpu[4 * stage] = 2.0 * select(params, 0.0, OFFLOAD == 2);
    gpu[4 * stage + 1] = 2.0 * grads;
    gpu[4 * stage + 2] = 12.0 * select(own, 0.0, OFFLOAD > 0);
    gpu[4 * stage + 3] = ACTIVATIONS;
    host[2 * stage] = 2.0 * select(0.0, params, OFFLOAD == 2);
    host[2 * stage + 1] = 12.0 * select(0.0, own, OFFLOAD > 0);
}
