// One lane trains the network as if there were one rank, to
// check the others. It has no shards, no stages and no ring.
// But it adds the ranks' parts of a gradient in the order of
// the ring: each chunk begins with the rank after its owner.

enable f16;

override RANKS: u32 = 4;
override LAYERS: u32 = 2;
override BATCH: u32 = 56;
override ROWS: u32 = 14;
override WIDTH: u32 = 16;
override CHUNK: u32 = 68;
override STEPS: u32 = 4;
override RATE: f32 = 0.01;
override SCALE: f32 = 1024.0;

@group(0) @binding(0)
var<storage, read> checkpoint: array<f32>;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2)
var<storage, read_write> master: array<f32>;
@group(0) @binding(3) var<storage, read_write> m: array<f32>;
@group(0) @binding(4) var<storage, read_write> v: array<f32>;
@group(0) @binding(5) var<storage, read_write> h: array<f16>;
@group(0) @binding(6)
var<storage, read_write> losses: array<f32>;

fn params() -> u32 {
    return (WIDTH + 1) * WIDTH;
}

fn weight(layer: u32, i: u32) -> f32 {
    return f32(f16(master[layer * params() + i]));
}

fn at(level: u32, row: u32) -> u32 {
    return (level * BATCH + row) * WIDTH;
}

fn forward(layer: u32) {
    for (var i = 0u; i < BATCH * WIDTH; i++) {
        let x = at(layer, i / WIDTH);
        let column = i % WIDTH;
        var sum = weight(layer, WIDTH * WIDTH + column);
        for (var k = 0u; k < WIDTH; k++) {
            sum += f32(h[x + k])
                * weight(layer, k * WIDTH + column);
        }
        if (layer + 1 < LAYERS) {
            sum = max(sum, 0.0);
        }
        h[at(layer + 1, i / WIDTH) + column] = f16(sum);
    }
}

fn loss() {
    for (var row = 0u; row < BATCH; row++) {
        let y = at(LAYERS, row);
        var sum = 0.0;
        for (var k = 0u; k < WIDTH; k++) {
            let miss = f32(h[y + k]) - x[row * WIDTH + k];
            sum += miss * miss;
            h[y + k] = f16(miss * SCALE / f32(BATCH * WIDTH));
        }
        losses[row] = sum / f32(2 * BATCH * WIDTH);
    }
}

// A parameter's gradient from one rank's rows.
fn part(layer: u32, i: u32, rank: u32) -> f16 {
    let k = i / WIDTH;
    var sum = 0.0;
    let last = min(BATCH, (rank + 1) * ROWS);
    for (var row = rank * ROWS; row < last; row++) {
        var factor = 1.0;
        if (k < WIDTH) {
            factor = f32(h[at(layer, row) + k]);
        }
        sum += factor * f32(h[at(layer + 1, row) + i % WIDTH]);
    }
    return f16(sum);
}

fn weight_gradient(layer: u32) {
    for (var i = 0u; i < params(); i++) {
        let start = i / CHUNK + 1;
        var sum = part(layer, i, start % RANKS);
        for (var n = 1u; n < RANKS; n++) {
            sum += part(layer, i, (start + n) % RANKS);
        }
        let g = f32(sum) / SCALE;
        let own = layer * params() + i;
        m[own] = 0.9 * m[own] + 0.1 * g;
        v[own] = 0.999 * v[own] + 0.001 * g * g;
    }
}

fn input_gradient(layer: u32) {
    for (var i = 0u; i < BATCH * WIDTH; i++) {
        let y = at(layer + 1, i / WIDTH);
        let k = i % WIDTH;
        var sum = 0.0;
        for (var column = 0u; column < WIDTH; column++) {
            sum += f32(h[y + column])
                * weight(layer, k * WIDTH + column);
        }
        let x = at(layer, i / WIDTH) + k;
        h[x] = select(0.0h, f16(sum), h[x] > 0.0h);
    }
}

fn update(t: f32) {
    for (var own = 0u; own < LAYERS * params(); own++) {
        let step = m[own] / (1.0 - pow(0.9, t))
            / (sqrt(v[own] / (1.0 - pow(0.999, t))) + 1e-8);
        master[own] -= RATE * (step + 0.01 * master[own]);
    }
}

@compute @workgroup_size(1)
fn main() {
    for (var i = 0u; i < LAYERS * params(); i++) {
        master[i] = checkpoint[i];
    }
    for (var row = 0u; row < RANKS * ROWS; row++) {
        losses[row] = 0.0;
    }
    for (var step = 1u; step <= STEPS; step++) {
        for (var i = 0u; i < BATCH * WIDTH; i++) {
            h[i] = f16(x[i]);
        }
        for (var layer = 0u; layer < LAYERS; layer++) {
            forward(layer);
        }
        loss();
        for (var layer = LAYERS; layer > 0; layer--) {
            weight_gradient(layer - 1);
            if (layer > 1) {
                input_gradient(layer - 1);
            }
        }
        update(f32(step));
    }
}
