// The loss of the first step, as plainly as can be: what the
// passes' results are compared with. A lane has one sequence,
// and keeps all that it needs in arrays of its own. Only the
// tracer runs it, at small sizes.

const LAYERS: u32 = 2;
const WIDTH: u32 = 16;
const HEADS: u32 = 2;
const TOKENS: u32 = 8;
const VOCAB: u32 = 256;
override BATCH: u32 = 2;
override STREAM: u32 = 4096;
const D = WIDTH / HEADS;

@group(0) @binding(0) var<storage, read> tokens: array<u32>;
@group(0) @binding(1) var<storage, read> weights: array<f32>;
@group(0) @binding(2)
var<storage, read_write> losses: array<f32>;

var<private> x: array<array<f32, WIDTH>, TOKENS>;
var<private> qkv: array<array<f32, 3 * WIDTH>, TOKENS>;
var<private> o: array<array<f32, WIDTH>, TOKENS>;

fn norm(t: u32) -> array<f32, WIDTH> {
    var y: array<f32, WIDTH>;
    var squares = 0.0;
    for (var c = 0u; c < WIDTH; c++) {
        squares += x[t][c] * x[t][c];
    }
    for (var c = 0u; c < WIDTH; c++) {
        y[c] = x[t][c] / sqrt(squares / f32(WIDTH) + 1e-5);
    }
    return y;
}

@compute @workgroup_size(1)
fn main(@builtin(workgroup_id) group: vec3<u32>) {
    let first = group.x * TOKENS;
    for (var t = 0u; t < TOKENS; t++) {
        let id = min(tokens[(first + t) % STREAM], VOCAB - 1);
        for (var c = 0u; c < WIDTH; c++) {
            x[t][c] = weights[id * WIDTH + c];
        }
    }
    for (var l = 0u; l < LAYERS; l++) {
        let w = (VOCAB + l * 12 * WIDTH) * WIDTH;
        for (var t = 0u; t < TOKENS; t++) {
            var n = norm(t);
            for (var c = 0u; c < 3 * WIDTH; c++) {
                var sum = 0.0;
                for (var k = 0u; k < WIDTH; k++) {
                    sum += n[k] * weights[w + k * 3 * WIDTH + c];
                }
                qkv[t][c] = sum;
            }
            // Pairs of queries and keys are turned.
            for (var c = 0u; c < 2 * WIDTH; c++) {
                let i = c % D;
                if (i < D / 2) {
                    let speed = pow(10000.0, -2.0 * f32(i) / f32(D));
                    let angle = f32(t) * speed;
                    let a = qkv[t][c];
                    let b = qkv[t][c + D / 2];
                    qkv[t][c] = a * cos(angle) - b * sin(angle);
                    qkv[t][c + D / 2] = a * sin(angle) + b * cos(angle);
                }
            }
        }
        for (var t = 0u; t < TOKENS; t++) {
            for (var head = 0u; head < HEADS; head++) {
                var total = 0.0;
                for (var c = 0u; c < D; c++) {
                    o[t][head * D + c] = 0.0;
                }
                for (var key = 0u; key <= t; key++) {
                    var score = 0.0;
                    for (var c = 0u; c < D; c++) {
                        score += qkv[t][head * D + c]
                            * qkv[key][WIDTH + head * D + c];
                    }
                    let weight = exp(score / sqrt(f32(D)));
                    total += weight;
                    for (var c = 0u; c < D; c++) {
                        let value = qkv[key][2 * WIDTH + head * D + c];
                        o[t][head * D + c] += weight * value;
                    }
                }
                for (var c = 0u; c < D; c++) {
                    o[t][head * D + c] /= total;
                }
            }
        }
        for (var t = 0u; t < TOKENS; t++) {
            for (var c = 0u; c < WIDTH; c++) {
                for (var k = 0u; k < WIDTH; k++) {
                    let at = w + (3 * WIDTH + k) * WIDTH + c;
                    x[t][c] += o[t][k] * weights[at];
                }
            }
            var n = norm(t);
            for (var j = 0u; j < 4 * WIDTH; j++) {
                var u = 0.0;
                for (var k = 0u; k < WIDTH; k++) {
                    let at = w + (4 * WIDTH + 4 * k) * WIDTH + j;
                    u += n[k] * weights[at];
                }
                let z = 0.7978845608 * (u + 0.044715 * u * u * u);
                let g = 0.5 * u * (1.0 + tanh(z));
                for (var c = 0u; c < WIDTH; c++) {
                    let at = w + (8 * WIDTH + j) * WIDTH + c;
                    x[t][c] += g * weights[at];
                }
            }
        }
    }
    for (var t = 0u; t < TOKENS; t++) {
        var n = norm(t);
        let target_id = min(tokens[(first + t + 1) % STREAM], VOCAB - 1);
        var total = 0.0;
        var wanted = 0.0;
        for (var id = 0u; id < VOCAB; id++) {
            var logit = 0.0;
            for (var k = 0u; k < WIDTH; k++) {
                logit += n[k] * weights[id * WIDTH + k];
            }
            total += exp(logit);
            if (id == target_id) {
                wanted = logit;
            }
        }
        losses[first + t] = log(total) - wanted;
    }
}
