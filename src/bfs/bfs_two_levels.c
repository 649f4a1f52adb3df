/* SPDX-License-Identifier: Apache-2.0
 * Two levels from one reading of the arcs; see bfs_two_levels.h. */
#include "bfs/bfs_two_levels.h"

#include "core/atomic.h"
#include "core/progress.h"
#include "hoplite/bfs.h"

/* A row, or what is in sight of it: in the block before, and in the block. */
typedef struct row_view {
    hop_vertex vertex;
    unsigned count;
    const hop_vertex *arcs[2];
    uint64_t lengths[2];
} row_view;

/* Sequentially consistent, and written also where the bit is set: who sets one bit and then looks
 * at another's misses that only if it sees the first. */
static void show_bit(uint64_t *map, uint64_t index) {
    hop__before_write();
    (void)__atomic_fetch_or(&map[index / 64], UINT64_C(1) << index % 64, __ATOMIC_SEQ_CST);
}

static inline bool sees_bit(const uint64_t *map, uint64_t index) {
    return __atomic_load_n(&map[index / 64], __ATOMIC_SEQ_CST) >> index % 64 & 1;
}

/* v is in a level, by u; perhaps it is known already. */
static inline void join_level(hop__two_levels *two, hop_vertex v, hop_vertex level, hop_vertex u) {
    if (hop__load_u32(&two->levels[v]) != level)
        hop__store_u32(&two->levels[v], level);
    if (two->parents)
        (void)hop__lower_u32(&two->parents[v], u);
}

/* The first vertex of the row whose bit is set; HOP_NO_VERTEX: none. */
static hop_vertex first_in(const uint64_t *map, const row_view *row, uint64_t *looked) {
    for (unsigned part = 0; part < row->count; part++)
        for (uint64_t i = 0; i < row->lengths[part]; i++) {
            ++*looked;
            if (sees_bit(map, row->arcs[part][i]))
                return row->arcs[part][i];
        }
    return HOP_NO_VERTEX;
}

static void offer_passed(hop__two_levels *two, const row_view *row) {
    for (unsigned part = 0; part < row->count; part++)
        for (uint64_t i = 0; i < row->lengths[part]; i++)
            if (sees_bit(two->passed, row->arcs[part][i]))
                join_level(two, row->arcs[part][i], two->first + 1, row->vertex);
}

static void look_at_row(hop__two_levels *two, const row_view *row, bool loose, uint64_t *looked) {
    hop_vertex u = first_in(two->front, row, looked);
    if (u != HOP_NO_VERTEX) {
        join_level(two, row->vertex, two->first, u);
        show_bit(two->found, row->vertex);
    }
    if (loose)
        return;
    if (u != HOP_NO_VERTEX) {
        *looked += row->lengths[0] + row->lengths[1];
        offer_passed(two, row);
        return;
    }
    show_bit(two->passed, row->vertex);
    u = first_in(two->found, row, looked);
    if (u != HOP_NO_VERTEX)
        join_level(two, row->vertex, two->first + 1, u);
}

/* The row is looked at in this block: with the part of it that is in the block before, if any. */
static void look_at(hop__two_levels *two, const hop__arc_block *block, const hop__walk *walk,
                    uint64_t *looked) {
    uint64_t begin = walk->next - hop__any_degree(two->graph, walk->vertex);
    bool loose = begin / HOP__ARC_BLOCK + 1 < (walk->next - 1) / HOP__ARC_BLOCK;
    row_view row = {.vertex = (hop_vertex)walk->vertex};
    if (loose)
        (void)hop__bitmap_claim(two->loose, block->number);
    else if (walk->next > block->end)
        return;
    else if (begin < block->begin) {
        const hop_vertex *before = hop__arcs_before(two->arcs, block);
        row.arcs[0] = before + HOP__ARC_BLOCK - (block->begin - begin);
        row.lengths[row.count++] = block->begin - begin;
    }
    row.arcs[row.count] = block->targets + (walk->begin - block->begin);
    row.lengths[row.count++] = walk->end - walk->begin;
    look_at_row(two, &row, loose, looked);
}

static void look_at_block(void *arg, const hop__arc_block *block, unsigned thread) {
    hop__two_levels *two = arg;
    uint64_t looked = 0;
    (void)thread;
    for (hop__walk walk = hop__walk_first(two->graph, block); walk.begin < block->end;
         hop__walk_next(two->graph, block, &walk)) {
        hop_vertex level = hop__load_u32(&two->levels[walk.vertex]);
        /* A loose row may have been found by another part of it. */
        if ((level == HOP_NO_LEVEL || level == two->first) && walk.begin < walk.end)
            look_at(two, block, &walk, &looked);
    }
    atomic_fetch_add_explicit(&two->looked, looked, memory_order_relaxed);
    (void)hop__progress_add(two->context, 0);
}

hop_status hop__two_levels_find(hop__two_levels *two, const uint64_t *wanted) {
    return hop__arcs_visit(two->context, two->arcs, wanted, look_at_block, two);
}
