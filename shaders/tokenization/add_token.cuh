// The pair that is merged becomes a token: its two parts go to
// the list of merges.
#pragma once

// turn: how many merges there have been; won: how often each
// winner occurred; pair: what is merged in this round, and the
// token of it.
__device__ void add_token(unsigned a, unsigned b,
                          unsigned count, unsigned* turn,
                          unsigned* merges, unsigned* won,
                          unsigned* sizes, unsigned* pair) {
    unsigned done = turn[0];
    merges[2 * done] = a;
    merges[2 * done + 1] = b;
    sizes[256 + done] = sizes[a] + sizes[b];
    won[done] = count;
    pair[0] = a;
    pair[1] = b;
    pair[2] = 256 + done;
    turn[0] = done + 1;
}
