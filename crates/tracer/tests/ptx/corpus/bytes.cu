// Strings, bytes, bits, and numbers of many words.
// options: -lineinfo --device-int128

// How often a word is in a text.
extern "C" __global__ void find(const char* text, int length, const char* word, int letters, int* found) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + letters > length) return;
    for (int k = 0; k < letters; k++)
        if (text[i + k] != word[k]) return;
    atomicAdd(found, 1);
}

extern "C" __global__ void upper(char* text, int length) {
    int i = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
    if (i + 3 < length) {
        char4 c = *(char4*)(text + i);
        auto up = [](signed char x) { return x >= 'a' && x <= 'z' ? (signed char)(x - 32) : x; };
        *(char4*)(text + i) = make_char4(up(c.x), up(c.y), up(c.z), up(c.w));
    } else {
        for (int k = i; k < length; k++)
            if (text[k] >= 'a' && text[k] <= 'z') text[k] -= 32;
    }
}

// CRC-32 of each row.
extern "C" __global__ void crc(const unsigned char* in, unsigned* out, int rows, int columns) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    unsigned c = ~0u;
    for (int i = 0; i < columns; i++) {
        c ^= in[r * columns + i];
        for (int b = 0; b < 8; b++) c = c & 1 ? c >> 1 ^ 0xEDB88320 : c >> 1;
    }
    out[r] = ~c;
}

// A digit's name from a table of bytes in constant memory.
__constant__ char names[10][6] = {"zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"};
extern "C" __global__ void spell(const int* digits, char* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    char word[8];
    int k = 0;
    for (; names[digits[i]][k]; k++) word[k] = names[digits[i]][k];
    for (int j = 0; j < k; j++) out[i * 8 + j] = word[k - 1 - j];
    for (int j = k; j < 8; j++) out[i * 8 + j] = '.';
}

// Sums of numbers of 128 bits, by carries.
extern "C" __global__ void add_128(const uint4* a, const uint4* b, uint4* sum, uint4* difference) {
    int i = threadIdx.x;
    uint4 x = a[i], y = b[i], s, d;
    asm("add.cc.u32 %0, %4, %8;\n\taddc.cc.u32 %1, %5, %9;\n\taddc.cc.u32 %2, %6, %10;\n\taddc.u32 %3, %7, %11;"
        : "=r"(s.x), "=r"(s.y), "=r"(s.z), "=r"(s.w)
        : "r"(x.x), "r"(x.y), "r"(x.z), "r"(x.w), "r"(y.x), "r"(y.y), "r"(y.z), "r"(y.w));
    asm("sub.cc.u32 %0, %4, %8;\n\tsubc.cc.u32 %1, %5, %9;\n\tsubc.cc.u32 %2, %6, %10;\n\tsubc.u32 %3, %7, %11;"
        : "=r"(d.x), "=r"(d.y), "=r"(d.z), "=r"(d.w)
        : "r"(x.x), "r"(x.y), "r"(x.z), "r"(x.w), "r"(y.x), "r"(y.y), "r"(y.z), "r"(y.w));
    sum[i] = s;
    difference[i] = d;
}

// The high half of a product of 64 bits, of 128.
extern "C" __global__ void multiply_128(const unsigned long long* a, const unsigned long long* b, unsigned long long* out) {
    int i = threadIdx.x;
    unsigned __int128 p = (unsigned __int128)a[i] * b[i] + a[i];
    out[2 * i] = (unsigned long long)p;
    out[2 * i + 1] = (unsigned long long)(p >> 64);
}

extern "C" __global__ void bits(const unsigned* in, unsigned* out) {
    int i = threadIdx.x;
    unsigned x = in[i], y = in[(i + 1) & 31];
    unsigned* o = out + 16 * i;
    o[0] = __popc(x);
    o[1] = __clz(x);
    o[2] = __brev(x);
    o[3] = __ffs(x);
    o[4] = __funnelshift_l(x, y, i);
    o[5] = __funnelshift_rc(x, y, i + 16);
    o[6] = __byte_perm(x, y, 0x7160);
    o[7] = __dp4a((int)x, (int)y, 3);
    o[8] = __usad(x, y, 5u);
    o[9] = __vabsdiffu4(x, y);
    o[10] = __fns(x, i, 2);
    o[11] = __umulhi(x, y);
    o[12] = __vadd4(x, y);
    o[13] = __popcll((unsigned long long)x << 32 | y) + __clzll((unsigned long long)(x >> 9) << 32);
    o[14] = (unsigned)(__brevll((unsigned long long)x << 32 | y) >> 20);
    o[15] = x % 7 + x / 1000 + (int)y / 17 + (int)y % 13;
}

extern "C" __global__ void shorts(const short* in, short* out, const unsigned short* u) {
    int i = threadIdx.x;
    short x = in[i], y = in[(i + 1) & 31];
    out[i * 4] = x * y >> 3;
    out[i * 4 + 1] = min(x, y) + max(x, (short)-300);
    out[i * 4 + 2] = (u[i] >> 3) + (x >> 2);
    out[i * 4 + 3] = y != 0 ? x / y + x % y : abs(x);
}
