/* SPDX-License-Identifier: Apache-2.0
 *
 * Looks at one row of distances, of one DOMAIN (graph/numbers.h); for apsp_summary.c. */
#include "graph/domain_begin.h"

static hop__apsp_facts HOP__JOIN(look, DOMAIN)(const void *row, hop_vertex n, hop_vertex source) {
    const ENTRY *distances = row;
    hop__apsp_facts facts = {.farthest = source};
    ENTRY most = distances[source];
    for (hop_vertex v = 0; v < n; v++) {
        if (distances[v] == NUMBER(no_entry)())
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

#include "graph/domain_end.h"
