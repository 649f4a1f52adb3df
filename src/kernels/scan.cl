/* SPDX-License-Identifier: Apache-2.0
 *
 * Exclusive prefix sums. Three launches: every worker sums up its range; one group scans these
 * sums; every worker scans its range, starting from its sum. Input is read twice and output written
 * once. */

/* sums[worker] = the sum of the worker's range. */
KERNEL_WG(WG) void scan_sum(GLOBAL const u32 *in, u64 count, GLOBAL u32 *sums) {
    u64 begin = worker_begin(count, worker_id(), worker_count());
    u64 end = worker_begin(count, worker_id() + 1, worker_count());
    u32 sum = 0;
#if WORK_CHUNKED
    for (u64 i = begin; i < end; i++)
        sum += in[i];
    sums[worker_id()] = sum;
#else
    LOCALV u32 pair[2 * WG];
    u32 total;
    for (u64 i = begin + local_id(); i < end; i += WG)
        sum += in[i];
    group_prefix_u32(pair, WG, sum, &total);
    if (local_id() == 0)
        sums[worker_id()] = total;
#endif
}

/* out may be in. */
KERNEL_WG(WG)
void scan_write(GLOBAL const u32 *in, GLOBAL u32 *out, u64 count, GLOBAL const u32 *sums) {
    u64 begin = worker_begin(count, worker_id(), worker_count());
    u64 end = worker_begin(count, worker_id() + 1, worker_count());
    u32 sum = sums[worker_id()];
#if WORK_CHUNKED
    u64 i = begin;
    /* Four at a time: the chain of additions is what a single core would wait for. */
    for (; i + 4 <= end; i += 4) {
        u32 a = in[i], b = in[i + 1], c = in[i + 2], d = in[i + 3], ab = a + b;
        out[i] = sum;
        out[i + 1] = sum + a;
        out[i + 2] = sum + ab;
        out[i + 3] = sum + (ab + c);
        sum += ab + (c + d);
    }
    for (; i < end; i++) {
        u32 value = in[i];
        out[i] = sum;
        sum += value;
    }
#else
    /* A tile goes through local memory, so that global memory is read and written by neighbours
     * side by side while each item adds up PER_ITEM values that follow each other. */
    LOCALV u32 tile[PER_ITEM * WG];
    LOCALV u32 pair[2 * WG];
    for (u64 start = begin; start < end; start += PER_ITEM * WG) {
        for (u32 k = local_id(); k < PER_ITEM * WG; k += WG)
            tile[k] = start + k < end ? in[start + k] : 0;
        BARRIER_LOCAL();
        u32 mine = 0, total;
        for (u32 k = 0; k < PER_ITEM; k++)
            mine += tile[local_id() * PER_ITEM + k];
        u32 before = sum + group_prefix_u32(pair, WG, mine, &total);
        for (u32 k = 0; k < PER_ITEM; k++) {
            u32 value = tile[local_id() * PER_ITEM + k];
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
