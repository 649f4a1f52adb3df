/* SPDX-License-Identifier: Apache-2.0
 *
 * Facts of rows of distances of one type; included by matrix_facts.c with ITEM (the type),
 * UNREACHED (its value) and FUNCTION (the name). */
static void FUNCTION(matrix_facts *facts, hop_vertex first, hop_vertex count, const void *rows) {
    const ITEM *distances = rows;
    hop_vertex n = facts->n;
    for (hop_vertex row = 0; row < count; row++, distances += n) {
        hop_vertex farthest = first + row, reached = 0;
        double sum = 0;
        for (hop_vertex v = 0; v < n; v++)
            if (distances[v] != UNREACHED) {
                reached++;
                sum += (double)distances[v];
                if (distances[v] > distances[farthest])
                    farthest = v;
            }
        take_row(facts, first + row, farthest, &distances[farthest], sizeof(ITEM), reached, sum);
    }
}
