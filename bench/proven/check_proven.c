/* Checks that the player of a file (src/ttt_fast/proven/weights.py) wins every game; cc -O2 check_proven.c
   All replies of the other side are enumerated on the full board, without symmetry; a draw is a failure.
   The result is about the rule of the file, not about a program that plays it. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef uint64_t u64;
typedef uint32_t u32;
typedef struct { u64 *keys, count, room; } Set;
enum { MOST = 100000000, MOST_BYTES = 1 << 21 };
static unsigned char file[MOST_BYTES + 64], *tuples, *weights, *planes[2];
static long size, total, T, N, F, width[2], a, b;
static int W, H, LINE, SEAT, wide, order[8], digit[64], board[4], shape[6];
static u64 bottom, column, failures, positions;

static void check(int is_right, const char *why) { if (!is_right) printf("failed: %s\n", why), exit(1); }
static long number(long at, int bytes) {
    check(at + bytes <= size, "the file is damaged");
    return file[at] | file[at + 1] << 8 | (bytes == 4 ? (long)file[at + 2] << 16 | (long)file[at + 3] << 24 : 0);
}
/* Return the data of a stored array; write its two lengths to `a` and `b`, and the bytes of a number to `wide`. */
static unsigned char *array(const char *name, const char *types) {
    char head[4097] = "", *at;
    long here = 0, bytes = 0, data = 0, letters = strlen(name);
    for (;; here = data + bytes) {
        check(number(here, 4) == 0x04034b50, "an array is missing");
        long extra = here + 30 + number(here + 26, 2); /* numpy.savez writes a 64-bit size there */
        bytes = number(here + 18, 4), data = extra + number(here + 28, 2);
        if (bytes == 0xffffffff && data >= extra + 20 && number(extra, 2) == 1) bytes = number(extra + 12, 4);
        if (number(here + 26, 2) == letters + 4 && !memcmp(file + here + 30, name, letters)) break;
    }
    long skip = 10 + number(data + 8, 2);
    check(!number(here + 8, 2) && data + bytes <= size && skip <= 4096 && skip <= bytes, "an array is not stored");
    memcpy(head, file + data + 10, skip - 10);
    check((at = strstr(head, "'descr': '")) && strstr(types, (at[13] = 0, at + 10)), "an array has another dtype");
    wide = at[12] - '0', at[13] = '\'';
    check(strstr(head, ": False") && (at = strstr(head, "'shape': (")), "an array has another order");
    a = strtol(at + 10, &at, 10), b = *at == ',' && at[1] == ' ' ? strtol(at + 2, 0, 10) : 1;
    check(a >= 0 && b >= 0 && a <= size && b <= size && a * b * wide == bytes - skip, "an array has another length");
    return total += bytes - skip, file + data + skip;
}
static u64 mirror(u64 stones) {
    u64 image = 0;
    for (int c = 0; c < W; c++) image = image << (H + 1) | (stones >> c * (H + 1) & column);
    return image;
}
static int has_line(u64 stones) {
    u64 runs = 0, line;
    for (int i = 0, j, step = 1; i < 4; runs |= line, step = H + i++)
        for (j = 1, line = stones; j < LINE; j++) line &= j * step < 64 ? stones >> j * step : 0;
    return runs != 0;
}
static u64 next_stone(u64 both, int c) { return (both + (1ull << c * (H + 1))) & ~both & column << c * (H + 1); }
static u32 fmix(u32 h) { return h ^= h >> 16, h *= 0x85EBCA6Bu, h ^= h >> 13, h *= 0xC2B2AE35u, h ^ h >> 16; }
static u32 hash(u64 key, u32 seed) { return fmix(fmix((u32)key ^ seed * 0x9E3779B1u) ^ (u32)(key >> 32)); }
static u32 stored(int which, int bits, u64 key) {
    u32 k = shape[3 * which], seed = shape[3 * which + 2], second = hash(key, seed + 1), third = hash(key, seed + 2);
    u32 offset[4] = {second, second >> 16, third, third >> 16}, value = 0;
    for (int i = 0; i < 4; i++) {
        u64 base = (u64)hash(key, seed) * (shape[3 * which + 1] - 3) >> 32;
        u64 slot = ((base + i) << k) + (offset[i] & ((1u << k) - 1));
        for (int j = 0; j < bits; j++) value ^= (planes[which][j * width[which] + (slot >> 3)] >> (slot & 7) & 1u) << j;
    }
    return value;
}
static long value_of(u64 own, u64 other) { /* in the view of `own`, the player who has just moved */
    long sum = 0;
    for (int i = 0; i < W * (H + 1); i++)
        digit[i] = own >> i & 1 ? 2 : other >> i & 1 ? 3 : next_stone(own | other, i / (H + 1)) >> i & 1;
    for (long t = 0; t < 2 * T; t++) {
        long place = 0, at = t >> 1;
        for (int i = N - 1; i >= 0; i--) {
            int cell = tuples[at * N + i];
            place = 4 * place + digit[t & 1 ? (W - 1 - cell / (H + 1)) * (H + 1) + cell % (H + 1) : cell];
        }
        at = (at << 2 * N) + place;
        sum += wide == 1 ? (int8_t)weights[at] : (int16_t)(weights[2 * at] | weights[2 * at + 1] << 8);
    }
    return sum;
}
static int choose(u64 own, u64 both) {
    u64 key = own + both + bottom, image = mirror(own) + mirror(both) + bottom, cell;
    int flipped = image < key, chosen = -1;
    long best = 0, found;
    if (flipped) own = mirror(own), both = mirror(both), key = image;
    for (int i = W - 1; i >= 0; i--) if ((cell = next_stone(both, order[i])) && has_line(own | cell)) chosen = order[i];
    if (chosen < 0 && shape[4] && (!F || stored(0, F, key) == (hash(key, 1u << 30) & ((1u << F) - 1))))
        chosen = (int)stored(1, 3, key) < W && next_stone(both, stored(1, 3, key)) ? (int)stored(1, 3, key) : -1;
    for (int i = 0, is_free = chosen < 0; is_free && i < W; i++) {
        if (!(cell = next_stone(both, order[i]))) continue;
        found = value_of(own | cell, own ^ both);
        if (found > best || chosen < 0) chosen = order[i], best = found;
    }
    return flipped ? W - 1 - chosen : chosen;
}
static u64 mix(u64 word) {
    word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9ull;
    word = (word ^ word >> 27) * 0x94D049BB133111EBull;
    return word ^ word >> 31;
}
static void add(Set *set, u64 key) {
    if (2 * set->count >= set->room) {
        Set more = {calloc(4 * set->room + 64, 8), 0, 4 * set->room + (set->room ? 0 : 64)};
        for (u64 i = 0; i < set->room; i++) if (set->keys[i]) add(&more, set->keys[i]);
        free(set->keys), *set = more;
    }
    u64 at = mix(key) & (set->room - 1);
    while (set->keys[at] && set->keys[at] != key) at = (at + 1) & (set->room - 1);
    set->count += !set->keys[at], set->keys[at] = key;
}
int main(int count, char **words) {
    FILE *stream = count == 2 ? fopen(words[1], "rb") : NULL;
    check(stream && (size = fread(file, 1, MOST_BYTES, stream)) < MOST_BYTES, "expected a file of at most 2 MB");
    memcpy(board, array("board", "<i4"), 16);
    W = board[0], H = board[1], LINE = board[2], SEAT = board[3] - 1, column = (1ull << (H & 63)) - 1;
    check(a * b == 4 && W > 0 && W < 9 && H > 0 && H < 64 && W * (H + 1) <= 64 && LINE > 1 && !(SEAT >> 1), "a board");
    memcpy(shape, array("shape", "<i4"), 24), check(a == 2 && b == 3, "a wrong shape");
    planes[0] = array("filter", "|u1"), F = a, width[0] = b, planes[1] = array("columns", "|u1"), width[1] = b;
    check(a == 3 && F < 9 && !F == !shape[1], "wrong numbers of planes");
    for (int i = 0; i < 6; i += 3)
        check(shape[i] >= 0 && shape[i] < 17 && (!shape[i + 1] || (shape[i + 1] > 3 && shape[i + 1] <= 1 << 20))
              && width[i / 3] == (((long)shape[i + 1] << shape[i]) + 7) / 8, "a wrong shape");
    tuples = array("tuples", "|u1"), T = a, N = b;
    for (long i = 0; i < T * N; i++) check(tuples[i] % (H + 1) < H && tuples[i] < W * (H + 1), "a wrong tuple");
    weights = array("weights", "|i1 <i2");
    check(N > 0 && N < 9 && a == T && b == 1 << 2 * N && total <= 1000000, "wrong weights, or more than 1 MB");
    for (int c = 0; c < W; c++) bottom |= 1ull << c * (H + 1), order[c] = W / 2 + (c % 2 ? -(c + 1) / 2 : c / 2);
    Set level = {0}, next = {0}, bad = {0};
    for (int ply = (add(&level, bottom), 0); level.count; ply++, free(level.keys), level = next, next = (Set){0}) {
        u64 sum = 0;
        for (u64 i = 0; i < level.room; i++) {
            u64 own = 0, both = 0, key = level.keys[i], cell;
            if (key) sum += mix(key); else continue;
            for (int c = 0; c < W; c++) { /* the highest bit of a column marks its height */
                u64 part = key >> c * (H + 1) & (2 * column + 1), top = 1ull << (63 - __builtin_clzll(part));
                own |= (part ^ top) << c * (H + 1), both |= (top - 1) << c * (H + 1);
            }
            int is_own = ply % 2 == SEAT, only = is_own ? choose(own, both) : -1;
            check(!is_own || (only >= 0 && only < W && next_stone(both, only)), "the rule chose a full column");
            for (int c = 0; c < W; c++) {
                if ((only >= 0 && c != only) || !(cell = next_stone(both, c))) continue;
                int wins = has_line(own | cell);
                if (!wins && (both | cell) != bottom * column) add(&next, (own ^ both) + (both | cell) + bottom);
                else if (!wins || !is_own) add(&bad, (own ^ both) + (both | cell) + bottom);
            }
        }
        printf("%d %llu %016llx\n", ply, (unsigned long long)level.count, (unsigned long long)sum);
        failures += bad.count, positions += level.count, free(bad.keys), bad = (Set){0};
        check(positions <= MOST, "more than 100,000,000 positions");
    }
    if (!failures) return printf("proven: %c wins every game\n", "XO"[SEAT]), 0;
    return printf("failed: %llu terminal positions that are not wins\n", (unsigned long long)failures), 1;
}
