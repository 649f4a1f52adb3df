/* SPDX-License-Identifier: Apache-2.0
 *
 * See cluster_look.h. Which look ends a row cannot be predicted, so the first ones are taken across
 * a batch of rows, without branches. */
#include "cluster/cluster_look.h"

#include "core/bitmap.h"

enum {
    BATCH = 256, /* rows that look together */
    LOOKS = 6,   /* that are taken so */
    BRIEF = 1    /* of which so many, where they are brief */
};

typedef struct batch {
    uint32_t row[BATCH];
    uint64_t arc[BATCH], stop[BATCH];
    uint64_t count;
    uint32_t hit_rows[BATCH], hits[BATCH]; /* those that have found, and what */
    uint64_t hit_count;
} batch;

/* The next arc of each row of the batch; rows that have found, or are at their end, go. */
static void batch_look(const hop_cluster_graph *graph, const uint64_t *front, batch *open) {
    uint64_t kept = 0, found = open->hit_count;
    for (uint64_t i = 0; i < open->count; i++) {
        uint32_t row = open->row[i], end = graph->ends[open->arc[i]];
        uint64_t next = open->arc[i] + 1, stop = open->stop[i];
        bool hit = hop__bitmap_get(front, end);
        open->hit_rows[found] = row;
        open->hits[found] = end;
        found += hit;
        open->row[kept] = row;
        open->arc[kept] = next;
        open->stop[kept] = stop;
        kept += !hit & (next < stop);
    }
    open->hit_count = found;
    open->count = kept;
}

static void row_finish(const hop_cluster_graph *graph, const uint64_t *front, batch *open,
                       uint64_t i) {
    for (uint64_t arc = open->arc[i]; arc < open->stop[i]; arc++)
        if (hop__bitmap_get(front, graph->ends[arc])) {
            open->hit_rows[open->hit_count] = open->row[i];
            open->hits[open->hit_count++] = graph->ends[arc];
            return;
        }
}

void hop__rows_look(const hop_cluster_graph *graph, uint64_t row, uint64_t stop,
                    const hop__look *look) {
    batch open;
    while (row < stop) {
        open.count = open.hit_count = 0;
        for (; row < stop && open.count < BATCH; row++) {
            open.row[open.count] = graph->rows[row];
            open.arc[open.count] = graph->starts[row];
            open.stop[open.count] = graph->starts[row + 1];
            __builtin_prefetch(&graph->ends[graph->starts[row]]);
            open.count += !hop__bitmap_get(look->done, graph->rows[row]);
        }
        for (int i = 0; i < (look->brief ? BRIEF : LOOKS) && open.count > 0; i++)
            batch_look(graph, look->front, &open);
        for (uint64_t i = 0; !look->brief && i < open.count; i++)
            row_finish(graph, look->front, &open, i);
        look->take(look->user, open.hit_rows, open.hits, open.hit_count);
    }
}
