/* SPDX-License-Identifier: Apache-2.0
 * The row that an arc is in. Before it: ROWS, the type of a pointer to offsets. */

/* The row of [row, rows) that arc number `arc` is in; it is not in one before `row`. */
FN u64 row_of(ROWS offsets, u64 row, u64 rows, u64 arc) {
    u64 step = 1;
    while (row + step < rows && offsets[row + step] <= arc) {
        row += step;
        step *= 2;
    }
    for (; step > 0; step /= 2) {
        if (row + step < rows && offsets[row + step] <= arc)
            row += step;
    }
    return row;
}
