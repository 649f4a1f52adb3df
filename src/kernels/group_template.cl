/* SPDX-License-Identifier: Apache-2.0
 *
 * For a whole group: the sum of what the items before this one hold. Taken in once per type, with
 * TYPE and NAMED(name). Every item of the group must come here, equally often. */

/* `pair` has room for two values per item. *total becomes the sum over the group. After the call
 * `pair` may be used again at once: the last barrier stands behind the last read. */
#if HOP_WARPS && WG % WARP == 0
FN TYPE NAMED(group_prefix)(LOCALP TYPE *pair, u32 group, TYPE value, TYPE *total) {
    u32 lane = local_id() % WARP, warp = local_id() / WARP;
    TYPE sum = value, before = 0, all = 0;
    UNROLL
    for (u32 by = 1; by < WARP; by *= 2) {
        TYPE other = warp_up(sum, by);
        sum += lane >= by ? other : 0;
    }
    if (lane == WARP - 1)
        pair[warp] = sum;
    BARRIER_LOCAL();
    for (u32 i = 0; i < group / WARP; i++) {
        TYPE part = pair[i];
        before += i < warp ? part : 0;
        all += part;
    }
    *total = all;
    BARRIER_LOCAL();
    return before + sum - value;
}
#else
FN TYPE NAMED(group_prefix)(LOCALP TYPE *pair, u32 group, TYPE value, TYPE *total) {
    u32 me = local_id(), from = 0, to = group;
    pair[me] = value;
    BARRIER_LOCAL();
    for (u32 distance = 1; distance < group; distance *= 2) {
        TYPE sum = pair[from + me];
        if (me >= distance)
            sum += pair[from + me - distance];
        pair[to + me] = sum;
        BARRIER_LOCAL();
        u32 swap = from;
        from = to;
        to = swap;
    }
    TYPE inclusive = pair[from + me];
    *total = pair[from + group - 1];
    BARRIER_LOCAL();
    return inclusive - value;
}
#endif
