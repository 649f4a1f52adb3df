/* SPDX-License-Identifier: Apache-2.0
 *
 * Arcs of a tile of rows, spread over the items of a group: one row each, and the prefix sums of
 * their lengths in local memory. Taken in once per type, with TYPE and NAMED(name). */

/* The last of `group` rows whose arcs begin at or before number `at` of the tile. Where the group
 * is a power of two, the sum of all steps is in it, and no step has to be looked at. */
FN u32 NAMED(spread_row)(LOCALP const TYPE *starts, u32 group, TYPE at) {
    u32 row = 0, even = (group & (group - 1)) == 0;
    for (u32 step = even ? group / 2 : 512; step > 0; step /= 2) {
        if ((even || row + step < group) && starts[row + step] <= at)
            row += step;
    }
    return row;
}
