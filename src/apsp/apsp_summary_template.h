/* SPDX-License-Identifier: Apache-2.0
 *
 * Looks at one row of distances; included by apsp_summary.c with ITEM (their type), UNREACHED (its
 * value) and FUNCTION (the name). */
static row_facts FUNCTION(const void *row, hop_vertex n, hop_vertex source) {
    const ITEM *distances = row;
    row_facts facts = {.farthest = source};
    ITEM most = distances[source];
    for (hop_vertex v = 0; v < n; v++) {
        if (distances[v] == UNREACHED)
            continue;
        facts.reached++;
        facts.sum += (double)distances[v];
        if (distances[v] > most) {
            most = distances[v];
            facts.farthest = v;
        }
    }
    return facts;
}
