/* SPDX-License-Identifier: Apache-2.0
 *
 * Reductions: each group leaves one value in partial[group]; the host folds these. Sums are of 64
 * bits, whatever the type. An item without a share leaves the neutral value. */

#define HALF_BITS (4 * sizeof(INPUT))
#define HALF_MASK ((INPUT) ~(INPUT)0 >> HALF_BITS)
#define SUM_PART  (1 << 16)

KERNEL_WG(WG) void NAMED(reduce_sum)(GLOBAL const INPUT *in, u64 count, GLOBAL u64 *partial) {
    LOCALV u64 fold[WG];
    u64 sum = 0;
#if WORK_CHUNKED
    /* In parts whose halves of 16 bits sum up in 32 bits (for u64: of 32 bits in 64, which gains
     * nothing): PoCL's compiler is slow at widening. */
    u64 end = work_end(count);
    for (u64 part = work_begin(count); part < end; part += SUM_PART) {
        u64 stop = end - part < SUM_PART ? end : part + SUM_PART;
        INPUT low = 0, high = 0;
        for (u64 i = part; i < stop; i++) {
            low += in[i] & HALF_MASK;
            high += in[i] >> HALF_BITS;
        }
        sum += low + ((u64)high << HALF_BITS);
    }
#else
    FOR_WORK(i, count) {
        sum += in[i];
    }
#endif
    fold[local_id()] = sum;
    BARRIER_LOCAL();
    if (local_id() == 0) {
        for (u32 k = 1; k < WG; k++)
            sum += fold[k];
        partial[group_id()] = sum;
    }
}

KERNEL_WG(WG) void NAMED(reduce_min)(GLOBAL const INPUT *in, u64 count, GLOBAL u64 *partial) {
    LOCALV INPUT fold[WG];
    INPUT least = (INPUT) ~(INPUT)0;
    FOR_WORK(i, count) {
        least = in[i] < least ? in[i] : least;
    }
    fold[local_id()] = least;
    BARRIER_LOCAL();
    if (local_id() == 0) {
        for (u32 k = 1; k < WG; k++)
            least = fold[k] < least ? fold[k] : least;
        partial[group_id()] = least;
    }
}

KERNEL_WG(WG) void NAMED(reduce_max)(GLOBAL const INPUT *in, u64 count, GLOBAL u64 *partial) {
    LOCALV INPUT fold[WG];
    INPUT most = 0;
    FOR_WORK(i, count) {
        most = in[i] > most ? in[i] : most;
    }
    fold[local_id()] = most;
    BARRIER_LOCAL();
    if (local_id() == 0) {
        for (u32 k = 1; k < WG; k++)
            most = fold[k] > most ? fold[k] : most;
        partial[group_id()] = most;
    }
}

#undef HALF_BITS
#undef HALF_MASK
#undef SUM_PART
