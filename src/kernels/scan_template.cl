/* SPDX-License-Identifier: Apache-2.0
 *
 * Exclusive prefix sums. Taken in once per pair of types, with INPUT, TYPE (of sums and output) and
 * NAMED(name). Three launches: every worker sums up its range; one group scans these sums; every
 * worker scans its range, starting from its sum. Input is read twice and output written once. */

/* sums[worker] = the sum of the worker's range. */
KERNEL_WG(WG) void NAMED(scan_sum)(GLOBAL const INPUT *in, u64 count, GLOBAL TYPE *sums) {
    u64 begin = worker_begin(count, worker_id(), worker_count());
    u64 end = worker_begin(count, worker_id() + 1, worker_count());
    TYPE sum = 0;
#if WORK_CHUNKED
    for (u64 i = begin; i < end; i++)
        sum += in[i];
    sums[worker_id()] = sum;
#else
    LOCALV TYPE pair[2 * WG];
    TYPE total;
    for (u64 i = begin + local_id(); i < end; i += WG)
        sum += in[i];
    NAMED(group_prefix)(pair, WG, sum, &total);
    if (local_id() == 0)
        sums[worker_id()] = total;
#endif
}

/* out may be in. */
KERNEL_WG(WG)
void NAMED(scan_write)(GLOBAL const INPUT *in, GLOBAL TYPE *out, u64 count,
                       GLOBAL const TYPE *sums) {
    u64 begin = worker_begin(count, worker_id(), worker_count());
    u64 end = worker_begin(count, worker_id() + 1, worker_count());
    TYPE sum = sums[worker_id()];
#if WORK_CHUNKED
    u64 i = begin;
    /* Four at a time: the chain of additions is what a single core would wait for. */
    for (; i + 4 <= end; i += 4) {
        TYPE a = in[i], b = in[i + 1], c = in[i + 2], d = in[i + 3], ab = a + b;
        out[i] = sum;
        out[i + 1] = sum + a;
        out[i + 2] = sum + ab;
        out[i + 3] = sum + (ab + c);
        sum += ab + (c + d);
    }
    for (; i < end; i++) {
        TYPE value = in[i];
        out[i] = sum;
        sum += value;
    }
#else
    /* A tile goes through local memory, so that global memory is read and written by neighbours
     * side by side while each item adds up PER_ITEM values that follow each other. */
    LOCALV TYPE tile[PER_ITEM * WG];
    LOCALV TYPE pair[2 * WG];
    for (u64 start = begin; start < end; start += PER_ITEM * WG) {
        for (u32 k = local_id(); k < PER_ITEM * WG; k += WG)
            tile[k] = start + k < end ? in[start + k] : 0;
        BARRIER_LOCAL();
        TYPE mine = 0, total;
        for (u32 k = 0; k < PER_ITEM; k++)
            mine += tile[local_id() * PER_ITEM + k];
        TYPE before = sum + NAMED(group_prefix)(pair, WG, mine, &total);
        for (u32 k = 0; k < PER_ITEM; k++) {
            TYPE value = tile[local_id() * PER_ITEM + k];
            tile[local_id() * PER_ITEM + k] = before;
            before += value;
        }
        BARRIER_LOCAL();
        for (u32 k = local_id(); k < PER_ITEM * WG; k += WG) {
            if (start + k < end)
                out[start + k] = tile[k];
        }
        BARRIER_LOCAL();
        sum += total;
    }
#endif
}
