// A pair of tokens below 65,536 as one number, and its hash.

fn pair_of(a: u32, b: u32) -> u32 {
    return (a << 16u) | b;
}

fn hash_of(pair: u32) -> u32 {
    let hash = ((pair >> 16u) * 2654435769u)
        ^ ((pair & 0xffffu) * 2246822519u);
    return hash ^ (hash >> 15u);
}
