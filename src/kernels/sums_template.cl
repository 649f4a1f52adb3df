/* SPDX-License-Identifier: Apache-2.0
 *
 * The sums of ranges become what stands before each range. Launched as one group. */

/* sums[0 .. count - 1] becomes its exclusive prefix sums, sums[count] the sum of all. */
KERNEL_WG(WG) void NAMED(sums_scan)(GLOBAL TYPE *sums, u32 count) {
    LOCALV TYPE pair[2 * WG];
    TYPE before = 0, total;
    for (u32 start = 0; start < count; start += WG) {
        u32 i = start + local_id();
        TYPE value = i < count ? sums[i] : 0;
        TYPE prefix = NAMED(group_prefix)(pair, WG, value, &total);
        if (i < count)
            sums[i] = before + prefix;
        before += total;
    }
    if (local_id() == 0)
        sums[count] = before;
}
