/* SPDX-License-Identifier: Apache-2.0
 *
 * Reductions: each group leaves one value in partial[group]; the host folds these. Sums are of 64
 * bits, whatever the type. An item without a share leaves the neutral value. */

KERNEL_WG(WG) void NAMED(reduce_sum)(GLOBAL const INPUT *in, u64 count, GLOBAL u64 *partial) {
    LOCALV u64 fold[WG];
    u64 sum = 0;
    FOR_WORK(i, count) {
        sum += in[i];
    }
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
