// no compute entry point

fn a() -> u32 { return 1u; }
fn b() -> u32 { return a() + a(); }
const c = 3;
var<private> d: u32;
