/* SPDX-License-Identifier: Apache-2.0
 *
 * For a whole group: the sum of what the items before this one hold. Taken in once per type, with
 * TYPE and NAMED(name). Every item of the group must come here, equally often. */

/* `pair` has room for two values per item. *total becomes the sum over the group. After the call
 * `pair` may be used again at once: the last barrier stands behind the last read. */
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
