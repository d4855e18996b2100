// refused: ray queries at line 4

enable wgpu_ray_query;
@group(0) @binding(0) var scene: acceleration_structure;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(1)
fn main() {
    var rq: ray_query;
    rayQueryInitialize(&rq, scene, RayDesc(0u, 0xFFu, 0.1, 100.0, vec3(0.0), vec3(0.0, 1.0, 0.0)));
    while rayQueryProceed(&rq) {}
    out[0] = rayQueryGetCommittedIntersection(&rq).t;
}
