// The pair that is merged becomes a token: its two parts go to
// the list of merges.

fn add_token(a: u32, b: u32, count: u32) {
    let done = turn[0];
    merges[2u * done] = a;
    merges[2u * done + 1u] = b;
    sizes[256u + done] = sizes[a] + sizes[b];
    won[done] = count;
    pair[0] = a;
    pair[1] = b;
    pair[2] = 256u + done;
    turn[0] = done + 1u;
}
