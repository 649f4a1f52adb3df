/* SPDX-License-Identifier: Apache-2.0
 *
 * One pass of the radix sort. Taken in once for keys alone and once with values (PAIRS 0 and 1).
 * Counting looks at keys only, so it is in the first. The digit of a key is (key >> shift) & mask,
 * below DIGITS. */

#if !PAIRS
/* counts[digit * workers + worker] = keys of the worker's range with that digit. */
KERNEL_WG(WG)
void sort_count(GLOBAL const u64 *keys, u64 count, u32 shift, u32 mask, GLOBAL u32 *counts) {
    u64 begin = worker_begin(count, worker_id(), worker_count());
    u64 end = worker_begin(count, worker_id() + 1, worker_count());
#if WORK_CHUNKED
    u32 bins[DIGITS];
    for (u32 d = 0; d < DIGITS; d++)
        bins[d] = 0;
    for (u64 i = begin; i < end; i++)
        bins[(u32)(keys[i] >> shift) & mask]++;
    for (u32 d = 0; d < DIGITS; d++)
        counts[(u64)d * worker_count() + worker_id()] = bins[d];
#else
    LOCALV u32 bins[DIGITS];
    for (u32 d = local_id(); d < DIGITS; d += WG)
        bins[d] = 0;
    BARRIER_LOCAL();
    for (u64 i = begin + local_id(); i < end; i += WG)
        atomic_add_local_u32(&bins[(u32)(keys[i] >> shift) & mask], 1);
    BARRIER_LOCAL();
    for (u32 d = local_id(); d < DIGITS; d += WG)
        counts[(u64)d * worker_count() + worker_id()] = bins[d];
#endif
}
#endif

/* Moves keys, and values with them, to where `places`, the prefix sums of the counts, says. Keys
 * with equal digits stay in order. */
#if PAIRS
KERNEL_WG(WG)
void sort_move_pairs(GLOBAL const u64 *keys, GLOBAL const u32 *values, u64 count, u32 shift,
                     u32 mask, GLOBAL const u32 *places, GLOBAL u64 *out, GLOBAL u32 *out_values) {
#else
KERNEL_WG(WG)
void sort_move(GLOBAL const u64 *keys, u64 count, u32 shift, u32 mask, GLOBAL const u32 *places,
               GLOBAL u64 *out) {
#endif
    u64 begin = worker_begin(count, worker_id(), worker_count());
    u64 end = worker_begin(count, worker_id() + 1, worker_count());
#if WORK_CHUNKED
    u32 next[DIGITS];
    for (u32 d = 0; d < DIGITS; d++)
        next[d] = places[(u64)d * worker_count() + worker_id()];
    for (u64 i = begin; i < end; i++) {
        u64 key = keys[i];
        u32 place = next[(u32)(key >> shift) & mask]++;
        out[place] = key;
#if PAIRS
        out_values[place] = values[i];
#endif
    }
#else
    /* A tile at a time, PER_ITEM keys that follow each other per item. before[digit][item] first
     * counts the item's keys with that digit; its prefix sums over the tile, digit by digit, are
     * then the ranks, and what was counted before a key within the item is added. */
    LOCALV u32 before[DIGITS * WG];
    LOCALV u32 pair[2 * WG];
    LOCALV u32 next[DIGITS];
    for (u32 d = local_id(); d < DIGITS; d += WG)
        next[d] = places[(u64)d * worker_count() + worker_id()];
    for (u64 start = begin; start < end; start += PER_ITEM * WG) {
        u64 first = start + local_id() * PER_ITEM;
        u32 rank[PER_ITEM], total;
        for (u32 d = 0; d < DIGITS; d++)
            before[d * WG + local_id()] = 0;
        for (u32 k = 0; k < PER_ITEM; k++) {
            if (first + k < end)
                rank[k] = before[((u32)(keys[first + k] >> shift) & mask) * WG + local_id()]++;
        }
        BARRIER_LOCAL();
        u32 sum = 0;
        for (u32 k = 0; k < DIGITS; k++)
            sum += before[local_id() * DIGITS + k];
        sum = group_prefix_u32(pair, WG, sum, &total);
        for (u32 k = 0; k < DIGITS; k++) {
            u32 value = before[local_id() * DIGITS + k];
            before[local_id() * DIGITS + k] = sum;
            sum += value;
        }
        BARRIER_LOCAL();
        for (u32 k = 0; k < PER_ITEM; k++) {
            if (first + k < end) {
                u64 key = keys[first + k];
                u32 digit = (u32)(key >> shift) & mask;
                u32 place =
                    next[digit] + before[digit * WG + local_id()] - before[digit * WG] + rank[k];
                out[place] = key;
#if PAIRS
                out_values[place] = values[first + k];
#endif
            }
        }
        BARRIER_LOCAL();
        /* One digit more begins where this tile's keys of the digit end. */
        for (u32 d = local_id(); d < DIGITS; d += WG)
            next[d] += (d + 1 < DIGITS ? before[(d + 1) * WG] : total) - before[d * WG];
        BARRIER_LOCAL();
    }
#endif
}
