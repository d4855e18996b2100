// runs
// out[0..] = 255 10 4294967295 7 12 1
// real[0..] = 1 0.5 1000 0.25 16 10 1.5 1e-7

@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@group(0) @binding(1) var<storage, read_write> real: array<f32>;

@compute @workgroup_size(1)
fn main() {
    out[0] = 0xFFu;
    out[1] = 0xA;
    out[2] = 4294967295u;
    out[3] = 7u;
    out[4] = u32(0x1.8p3);
    out[5] = u32(1i);
    real[0] = 1f;
    real[1] = .5;
    real[2] = 1e3;
    real[3] = 0x1p-2;
    real[4] = 0X1P+4;
    real[5] = 1.e1f;
    real[6] = 0x.Cp1;
    real[7] = 1e-7;
}
