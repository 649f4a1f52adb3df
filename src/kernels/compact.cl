/* SPDX-License-Identifier: Apache-2.0
 *
 * The indices of the flags that are not 0, in their order. As a scan: every worker counts the flags
 * of its range, sums_scan_u64 makes of the counts where each range's indices begin, every worker
 * writes its own. */

#define COUNT_PART (1 << 20)

KERNEL_WG(WG) void compact_count(GLOBAL const u32 *flags, u64 count, GLOBAL u64 *sums) {
    u64 begin = worker_begin(count, worker_id(), worker_count());
    u64 end = worker_begin(count, worker_id() + 1, worker_count());
    u64 sum = 0;
#if WORK_CHUNKED
    /* In parts, so that the inner loop counts in 32 bits: twice as many at a time. */
    for (u64 part = begin; part < end; part += COUNT_PART) {
        u64 stop = end - part < COUNT_PART ? end : part + COUNT_PART;
        u32 ones = 0;
        for (u64 i = part; i < stop; i++)
            ones += flags[i] != 0;
        sum += ones;
    }
    sums[worker_id()] = sum;
#else
    LOCALV u64 pair[2 * WG];
    u64 total;
    for (u64 i = begin + local_id(); i < end; i += WG)
        sum += flags[i] != 0;
    group_prefix_u64(pair, WG, sum, &total);
    if (local_id() == 0)
        sums[worker_id()] = total;
#endif
}

KERNEL_WG(WG)
void compact_write(GLOBAL const u32 *flags, u64 count, GLOBAL const u64 *sums, GLOBAL u32 *out) {
    u64 begin = worker_begin(count, worker_id(), worker_count());
    u64 end = worker_begin(count, worker_id() + 1, worker_count());
    u64 next = sums[worker_id()];
#if WORK_CHUNKED
    /* Without a branch on the flag: every index is written to the next place, and stays there if
     * it is to be kept. The last place is not left, since what follows is another worker's. */
    u64 limit = sums[worker_id() + 1];
    for (u64 i = begin; i < end && next < limit; i++) {
        out[next] = (u32)i;
        next += flags[i] != 0;
    }
#else
    LOCALV u32 pair[2 * WG];
    for (u64 start = begin; start < end; start += WG) {
        u64 i = start + local_id();
        u32 keep = i < end && flags[i] != 0, total;
        u32 place = group_prefix_u32(pair, WG, keep, &total);
        if (keep)
            out[next + place] = (u32)i;
        next += total;
    }
#endif
}
