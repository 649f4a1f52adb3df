/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernels of the searches with frontiers (D3): frontier, frontier-block, frontier-tiered. What they
 * do together is said in bfs_device_frontier.c.
 *
 * Every vertex enters `queue` once, in the order of its level, so the frontier of a level is a
 * slice of it and what is found is appended. Where it is stands in `state`: bfs_frontiers.cl. Rows
 * that are longer than `hub` arcs are put aside: no item walks such a row; pieces_expand shares
 * their parts among all.
 *
 * D3 marks visited vertices by an atomic exchange on an array; here it is the levels themselves.
 * The exchange is safe because a word that has no level is only ever given `next` in this launch,
 * and whoever gets NO_LEVEL back was the first. Where parents are wanted it is an atomic minimum on
 * the parent instead: whoever gets NO_VERTEX back was the first and writes the level, and those
 * after it have lowered the parent to the smallest by the end of the launch, which is the canonical
 * one. Until the level is written others take the vertex for one without, or for one of `next`:
 * both are right. (D3 reads the level of an *arc's number* where it
 * means that of its vertex; and its overflow path resets the count of the block's queue while
 * others add to it. Neither is done here.)
 *
 * QUEUE_LEVELS  1: the global queue alone. 2: every group has a queue of QUEUE entries in local
 *               memory, what does not fit goes to the global one. 3: SUB_QUEUES (a power of two)
 *               such queues of SUB entries per group, by local id, in front of the group's: items
 *               that run in step add to different counters.
 * SPREAD        1: the arcs of a tile of WG vertices are spread over the items of the group. */
#include "bfs/bfs_rows.cl"

#include "bfs/bfs_frontiers.cl"

#ifndef QUEUE_LEVELS
#define QUEUE_LEVELS 3
#endif
#ifndef QUEUE
#define QUEUE 1024
#endif
#ifndef SUB_QUEUES
#define SUB_QUEUES 4
#endif
#define SUB (QUEUE / SUB_QUEUES)
#ifndef SPREAD
#define SPREAD 1
#endif

#define NO_TARGET   0xffffffffu
#define ARCS_MOST   (1u << 20) /* of all levels that one group finds in a launch, about */
#define SMALL_ARCS  (1u << 15) /* of a level that is left to one group */
#define LEVELS_MOST 4096       /* that one group finds in a launch */

/* Vertices of a tile that an item takes, one after the other. */
#if WORK_CHUNKED && !SPREAD
#define SPAN 8
#else
#define SPAN 1
#endif
#define TILE (WG * SPAN)
/* Arcs that a group shares before it empties queues that are half full: so what one part finds
 * fits, and nothing is added to the end of the global queue one by one. */
#define PART (QUEUE / 2 < WG ? WG : QUEUE / 2)
/* Arcs whose ends are looked at together; and of what an item finds so many are the sample by which
 * the arcs of the next frontier are estimated. */
#define BATCH   32
#define SAMPLES 32
/* Items of a GPU find few each, at places far apart: there one vertex of four stands for all. */
#if WORK_CHUNKED
#define ONE_OF 1u
#else
#define ONE_OF 4u
#endif

#if SPREAD
#define TYPE        u32
#define NAMED(name) name##_u32
#include "kernels/group_template.cl"
#include "kernels/spread_template.cl"
#undef TYPE
#undef NAMED
#endif

/* What a group has in local memory. */
typedef struct group_state {
    u32 count;   /* of `queue`, and what did not fit */
    u32 base;    /* where the group's part of the global queue begins */
    u32 arcs;    /* of what is found; an item adds at most 2^21 */
    u32 untold;  /* of these, not yet in the global count */
    u32 leaving; /* entries of `queue` that go there */
#if QUEUE_LEVELS >= 2
    u32 queue[QUEUE];
#endif
#if QUEUE_LEVELS >= 3
    u32 sub_count[SUB_QUEUES];
    u32 sub_begin[SUB_QUEUES + 1];
    u32 sub[SUB_QUEUES * SUB];
#endif
#if SPREAD
    u32 pair[2 * WG], starts[WG];
    u32 rows[WG];
#endif
} group_state;

/* Where what is found goes. */
typedef struct outlet {
    GLOBAL u32 *queue; /* of the next level: its slice begins here */
    GLOBAL u32 *tail;  /* how many are in it */
    GLOBAL u32 *levels, *parents;
    u32 wanted; /* whether parents are */
    u32 next;
    u32 fresh; /* most of the ends that were looked at last had no level */
    u32 found; /* by this item */
    u64 arcs;  /* of the first SAMPLES of these */
} outlet;

FN u32 least(u32 a, u32 b) {
    return a < b ? a : b;
}

/* Vertices that this item has found, at most BATCH, by one addition for all of them. What the
 * item's sub-queue and the group's queue have no room for goes to the global one. */
FN void push(const outlet *out, LOCALP group_state *group, const u32 *found, u32 count) {
    u32 done = 0;
#if QUEUE_LEVELS >= 3
    u32 mine = local_id() & (SUB_QUEUES - 1);
    u32 at = atomic_add_local_u32(&group->sub_count[mine], count);
    for (; done < count && at + done < SUB; done++)
        group->sub[mine * SUB + at + done] = found[done];
#endif
#if QUEUE_LEVELS >= 2
    if (done < count) {
        u32 place = atomic_add_local_u32(&group->count, count - done);
        for (; done < count && place < QUEUE; done++, place++)
            group->queue[place] = found[done];
    }
#endif
    if (done < count) {
        u32 place = atomic_add_u32(out->tail, count - done);
        for (; done < count; done++, place++)
            out->queue[place] = found[done];
    }
}

/* Whether u may be the first to find the vertex, or a smaller parent than the one that it has, if
 * the vertex is not of an earlier level. */
FN u32 lowers(const outlet *out, u32 u, u32 vertex) {
    return !out->wanted || relaxed_load_u32(&out->parents[vertex]) > u;
}

/* Whether u is the first to find the vertex. */
FN u32 claim(const outlet *out, u32 u, u32 vertex) {
    return out->wanted ? atomic_min_u32(&out->parents[vertex], u) == NO_VERTEX
                       : atomic_swap_u32(&out->levels[vertex], out->next) == NO_LEVEL;
}

/* Whether the arcs of a vertex that is found are counted, for ONE_OF. */
FN u32 is_sample(u32 vertex) {
    return (vertex * 0x9e3779b9u >> 16) % ONE_OF == 0;
}

/* The ends of some arcs of u, at most BATCH, in `some`. Each step goes over all of them, so that
 * what is read from memory is under way together; an atomic operation waits for all that was read
 * before it, and what is read after waits for it. */
FN void visit(outlet *out, ROWS offsets, LOCALP group_state *group, u32 u, u32 *some, u32 count) {
    u32 kept = 0, next = 0, found = 0, limit = out->wanted ? out->next : NO_LEVEL, level = 0;
    for (u32 i = 0; i < count; i++) {
        u32 vertex = some[i];
        some[kept] = vertex;
        level = relaxed_load_u32(&out->levels[vertex]);
        kept += level >= limit;
    }
    out->fresh = 2 * kept > count;
    if (kept == 0)
        return;
    for (u32 i = 0; i < kept; i++) {
        u32 vertex = some[i];
        some[next] = vertex;
#if WORK_CHUNKED
        next += lowers(out, u, vertex);
#else /* one alone that has no level has no parent yet either, as a rule */
        next += (count == 1 && level == NO_LEVEL) || lowers(out, u, vertex);
#endif
    }
    for (u32 i = 0; i < next; i++) {
        u32 vertex = some[i];
        some[found] = vertex;
        found += claim(out, u, vertex);
    }
    for (u32 i = 0; i < found; i++) {
        u32 vertex = some[i];
        if (out->wanted)
            relaxed_store_u32(&out->levels[vertex], out->next);
        if (out->found + i < SAMPLES && is_sample(vertex))
            out->arcs += ONE_OF * (u64)(offsets[(u64)vertex + 1] - offsets[vertex]);
    }
    out->found += found;
    if (found > 0)
        push(out, group, some, found);
}

/* Arcs [arc, end) of u. */
FN void visit_row(outlet *out, ROWS offsets, ARCS targets, LOCALP group_state *group, u32 u,
                  u64 arc, u64 end) {
    u32 some[BATCH];
    while (arc < end) {
        u32 count = end - arc < BATCH ? (u32)(end - arc) : BATCH;
        for (u32 i = 0; i < count; i++)
            some[i] = targets[arc + i];
        visit(out, offsets, group, u, some, count);
        arc += count;
    }
}

/* By all items, before the first push. */
FN void queues_begin(outlet *out, LOCALP group_state *group) {
    out->arcs = 0;
    out->found = 0;
    out->fresh = 1;
    if (local_id() == 0) {
        group->arcs = 0;
        group->untold = 0;
        group->count = 0;
#if QUEUE_LEVELS >= 3
        for (u32 i = 0; i < SUB_QUEUES; i++)
            group->sub_count[i] = 0;
#endif
    }
    BARRIER_LOCAL();
}

/* By all items, after the last push: the arcs of all that they have found, about. Whoever comes
 * first tells them: with item 0 as the one that does, PoCL 3.1 let every item do it, since this is
 * behind the last barrier under a condition. */
FN void arcs_add(const outlet *out, LOCALP group_state *group, GLOBAL u32 *arcs) {
    u64 mine = out->found > SAMPLES ? out->arcs * out->found / SAMPLES : out->arcs;
    u32 some = mine < 1u << 21 ? (u32)mine : 1u << 21;
    if (some > 0) {
        atomic_add_local_u32(&group->arcs, some);
        atomic_add_local_u32(&group->untold, some);
    }
    BARRIER_LOCAL();
    u32 untold = atomic_swap_local_u32(&group->untold, 0);
    if (untold > 0)
        atomic_add_u32(arcs, (untold + 31) / 32);
}

/* By all items after a tile: empties the queues of the group if they are half full, or if it `must`
 * be. One item reserves the places for all. The sub-queues go straight to their places, without the
 * group's queue in between. All barriers are passed in any case, and each kernel calls this once:
 * PoCL's compiler takes seconds for every barrier under a condition. */
FN void queues_flush(const outlet *out, LOCALP group_state *group, u32 must) {
#if QUEUE_LEVELS >= 2
    BARRIER_LOCAL();
    if (local_id() == 0) {
        u32 leaving = least(group->count, QUEUE), all = leaving;
#if QUEUE_LEVELS >= 3
        for (u32 i = 0; i < SUB_QUEUES; i++) {
            group->sub_begin[i] = all;
            all += least(group->sub_count[i], SUB);
        }
        group->sub_begin[SUB_QUEUES] = all;
#endif
        if (must ? all > 0 : all >= QUEUE / 2) {
            group->base = atomic_add_u32(out->tail, all);
            group->count = 0;
#if QUEUE_LEVELS >= 3
            for (u32 i = 0; i < SUB_QUEUES; i++)
                group->sub_count[i] = 0;
#endif
        } else {
            leaving = 0;
#if QUEUE_LEVELS >= 3
            for (u32 i = 0; i <= SUB_QUEUES; i++)
                group->sub_begin[i] = 0;
#endif
        }
        group->leaving = leaving;
    }
    BARRIER_LOCAL();
    for (u32 i = local_id(); i < group->leaving; i += WG)
        out->queue[group->base + i] = group->queue[i];
#if QUEUE_LEVELS >= 3
    for (u32 k = 0; k < SUB_QUEUES; k++) {
        u32 begin = group->sub_begin[k], length = group->sub_begin[k + 1] - begin;
        for (u32 i = local_id(); i < length; i += WG)
            out->queue[group->base + begin + i] = group->sub[k * SUB + i];
    }
#endif
    BARRIER_LOCAL();
#endif
}

/* A row that is too long for one item: its parts are put aside. */
FN void put_aside(GLOBAL u32 *pieces, GLOBAL u32 *piece_count, u32 vertex, u64 arcs, u32 hub) {
    u32 parts = (u32)((arcs + hub - 1) / hub);
    u64 place = atomic_add_u32(piece_count, parts);
    for (u32 i = 0; i < parts; i++) {
        pieces[2 * (place + i)] = vertex;
        pieces[2 * (place + i) + 1] = i;
    }
}

#if WORK_CHUNKED && !SPREAD
#define ENDS 32
/* What will be needed for the vertices behind place i of a tile: offsets, then arcs, then what is
 * known of their ends. */
FN void fetch_ahead(GLOBAL const u32 *tile, u32 i, u32 count, ROWS offsets, ARCS targets,
                    const outlet *out) {
    if (i + 8 < count)
        PREFETCH_READ(&offsets[tile[i + 8]]);
    if (i + 4 < count) {
        u64 arc = offsets[tile[i + 4]];
        PREFETCH_READ(&targets[arc]);
        if (offsets[(u64)tile[i + 4] + 1] - arc > 16)
            PREFETCH_READ(&targets[arc + 16]);
    }
    if (i + 1 < count) {
        u32 next = tile[i + 1];
        u64 arc = offsets[next], end = offsets[(u64)next + 1];
        end = end - arc < ENDS ? end : arc + ENDS;
        if (out->fresh) { /* they will be written */
            for (; arc < end; arc++) {
                u32 vertex = targets[arc];
                PREFETCH(&out->parents[vertex]);
                PREFETCH(&out->levels[vertex]);
            }
        } else {
            for (; arc < end; arc++)
                PREFETCH_READ(&out->levels[targets[arc]]);
        }
    }
}
#endif

/* The vertices [first, first + count) of a tile, at most TILE. By all items of a group. Returns the
 * arcs that this item has followed. */
FN u32 expand_tile(GLOBAL const u32 *tile, u32 count, ROWS offsets, ARCS targets, outlet *out,
                   GLOBAL u32 *pieces, GLOBAL u32 *piece_count, u32 hub,
                   LOCALP group_state *group) {
    u32 followed = 0;
#if SPREAD
    u32 me = local_id(), degree = 0, total, vertex = 0;
    if (me < count) {
        vertex = tile[me];
        u64 arcs = offsets[(u64)vertex + 1] - offsets[vertex];
        if (arcs > hub)
            put_aside(pieces, piece_count, vertex, arcs, hub);
        else
            degree = (u32)arcs;
    }
    u32 start = group_prefix_u32(group->pair, WG, degree, &total);
    group->starts[me] = start;
    group->rows[me] = vertex;
    BARRIER_LOCAL();
    for (u32 part = 0; part < total; part += PART) {
        u32 end = least(part + PART, total);
        if (part > 0)
            queues_flush(out, group, 0);
        for (u32 at = part + me; at < end; at += WG) {
            u32 row = spread_row_u32(group->starts, WG, at);
            u32 u = group->rows[row], other = targets[offsets[u] + (at - group->starts[row])];
            visit(out, offsets, group, u, &other, 1);
            followed++;
        }
    }
#else
    for (u32 k = 0; k < SPAN; k++) {
#if WORK_CHUNKED
        u32 i = local_id() * SPAN + k;
#else
        u32 i = k * WG + local_id();
#endif
        if (i < count) {
            u32 vertex = tile[i];
            u64 arc = offsets[vertex], end = offsets[(u64)vertex + 1];
#if WORK_CHUNKED
            fetch_ahead(tile, i, count, offsets, targets, out);
#endif
            if (end - arc > hub) {
                put_aside(pieces, piece_count, vertex, end - arc, hub);
            } else {
                followed += (u32)(end - arc);
                visit_row(out, offsets, targets, group, vertex, arc, end);
            }
        }
    }
#endif
    return followed;
}

/* Where what is found from `level` goes, in the queue from `begin` on. */
FN void outlet_begin(outlet *out, GLOBAL u32 *queue, u32 begin, GLOBAL u32 *state, u32 level,
                     GLOBAL u32 *levels, GLOBAL u32 *parents, u32 wanted) {
    out->queue = queue + begin;
    out->tail = &state[SLOT(level + 1, COUNT)];
    out->levels = levels;
    out->parents = parents;
    out->wanted = wanted;
    out->next = level + 1;
}

/* Vertices [first, first + count) of the frontier, or as many as there are. Does nothing if the
 * frontier has more than `most`, is not to be gone beyond (`limit`), or rises by alpha and arcs. */
KERNEL_WG(WG)
void expand(u64 first, u64 count, u32 turn, u32 most, u32 limit, u32 alpha, u32 arcs, ROWS offsets,
            ARCS targets, GLOBAL u32 *levels, GLOBAL u32 *parents, u32 wanted, GLOBAL u32 *queue,
            GLOBAL u32 *pieces, GLOBAL u32 *state, u32 hub) {
    LOCALV group_state group;
    u32 level = state[LEVEL_AT(turn)], form = state[FORM_AT(turn)];
    u32 all = form == IS_LIST ? state[SLOT(level, COUNT)] : 0;
    u32 goes = all > 0 && all <= most && level < limit && !rises(state, level, alpha, arcs);
    u32 begin = goes ? state[SLOT(level, BEGIN)] : 0;
    if (item_id() == 0)
        turn_end(state, turn, goes, form);
    u64 end = all - first < count ? all : first + count;
    u64 tiles = end > first ? (end - first + TILE - 1) / TILE : 0;
#if WORK_CHUNKED
    u64 tile = worker_begin(tiles, group_id(), group_count()), step = 1;
    u64 tile_end = worker_begin(tiles, group_id() + 1, group_count());
#else
    u64 tile = group_id(), step = group_count(), tile_end = tiles;
#endif
    if (goes && item_id() == 0)
        level_end(state, level, all, state[SLOT(level, ARCS_HERE)]);
    if (goes && tile < tile_end) {
        outlet out;
        outlet_begin(&out, queue, begin + all, state, level, levels, parents, wanted);
        queues_begin(&out, &group);
        u32 last = 0;
        while (!last) { /* one more turn than tiles, for the flush */
            last = tile >= tile_end;
            u64 from = first + (last ? 0 : tile * TILE);
            u32 here = last ? 0 : (u32)(end - from < TILE ? end - from : TILE);
            expand_tile(queue + begin + from, here, offsets, targets, &out, pieces,
                        &state[SLOT(level, PIECES)], hub, &group);
            queues_flush(&out, &group, last);
            tile += step;
        }
        arcs_add(&out, &group, &state[SLOT(level + 1, ARCS_HERE)]);
    }
}

/* The parts of rows that the turn has put aside in its last level; one group each. */
KERNEL_WG(WG)
void pieces_expand(u32 turn, ROWS offsets, ARCS targets, GLOBAL u32 *levels, GLOBAL u32 *parents,
                   u32 wanted, GLOBAL u32 *queue, GLOBAL const u32 *pieces, GLOBAL u32 *state,
                   u32 hub) {
    LOCALV group_state group;
    u32 level = state[LEVEL_AT(turn + 1)] - 1; /* of what was expanded last */
    u64 all = state[SLOT(level, PIECES)], piece = group_id();
    if (level + 1 > state[LEVEL_AT(turn)] && piece < all) {
        outlet out;
        outlet_begin(&out, queue, state[SLOT(level + 1, BEGIN)], state, level, levels, parents,
                     wanted);
        queues_begin(&out, &group);
        u32 last = 0;
        while (!last) {
            last = piece >= all;
            u32 vertex = last ? 0 : pieces[2 * piece];
            u64 from = last ? 0 : offsets[vertex] + (u64)pieces[2 * piece + 1] * hub;
            u64 row_end = last ? 0 : offsets[(u64)vertex + 1];
            u32 arcs = (u32)(row_end - from < hub ? row_end - from : hub);
#if WORK_CHUNKED
            u32 share = (arcs + WG - 1) / WG, at = local_id() * share;
            u32 end = at + share < arcs ? at + share : arcs;
            if (at < end)
                visit_row(&out, offsets, targets, &group, vertex, from + at, from + end);
#else
            for (u32 part = 0; part < arcs; part += PART) {
                if (part > 0)
                    queues_flush(&out, &group, 0);
                for (u32 at = part + local_id(); at < least(part + PART, arcs); at += WG) {
                    u32 other = targets[from + at];
                    visit(&out, offsets, &group, vertex, &other, 1);
                }
            }
#endif
            queues_flush(&out, &group, last);
            piece += group_count();
        }
        arcs_add(&out, &group, &state[SLOT(level + 1, ARCS_HERE)]);
    }
}

/* Level after level by one group, up to `limit`, while frontiers have at most `most` vertices: at
 * most LEVELS_MOST of them, or ARCS_MOST arcs. Stops before a level of too many arcs, behind a
 * level that put rows aside, and one in which `target` was reached. */
KERNEL_WG(WG)
void expand_small(u32 turn, u32 most, u32 limit, u32 target, ROWS offsets, ARCS targets,
                  GLOBAL u32 *levels, GLOBAL u32 *parents, u32 wanted, GLOBAL u32 *queue,
                  GLOBAL u32 *pieces, GLOBAL u32 *state, u32 hub) {
    LOCALV group_state group;
    LOCALV u32 arcs, stop;
    u32 level = state[LEVEL_AT(turn)], form = state[FORM_AT(turn)], began = level;
    u32 begin = state[SLOT(level, BEGIN)], count = relaxed_load_u32(&state[SLOT(level, COUNT)]);
    u32 here = relaxed_load_u32(&state[SLOT(level, ARCS_HERE)]);
    u32 go =
        form == IS_LIST && count > 0 && count <= most && level < limit && here <= SMALL_ARCS / 32;
    if (local_id() == 0)
        arcs = 0;
    BARRIER_ALL();
    while (go) {
        outlet out;
        u32 followed = 0;
        outlet_begin(&out, queue, begin + count, state, level, levels, parents, wanted);
        queues_begin(&out, &group);
        for (u32 from = 0, last = 0; !last; from += TILE) {
            u32 few = count - from < TILE ? count - from : TILE;
            last = count - from <= TILE;
            followed += expand_tile(queue + begin + from, few, offsets, targets, &out, pieces,
                                    &state[SLOT(level, PIECES)], hub, &group);
            queues_flush(&out, &group, last);
        }
        if (followed > 0)
            atomic_add_local_u32(&arcs, followed);
        arcs_add(&out, &group, &state[SLOT(level + 1, ARCS_HERE)]);
        BARRIER_ALL();
        begin += count;
        count = relaxed_load_u32(&state[SLOT(level + 1, COUNT)]);
        level++;
        if (local_id() == 0) {
            level_end(state, level - 1, begin - state[SLOT(level - 1, BEGIN)],
                      relaxed_load_u32(&state[SLOT(level - 1, ARCS_HERE)]));
            stop = count == 0 || count > most || level >= limit || level - began >= LEVELS_MOST ||
                   arcs > ARCS_MOST || group.arcs > SMALL_ARCS ||
                   relaxed_load_u32(&state[SLOT(level - 1, PIECES)]) > 0 ||
                   (target != NO_TARGET && relaxed_load_u32(&levels[target]) != NO_LEVEL);
        }
        BARRIER_ALL();
        go = !stop;
    }
    if (local_id() == 0)
        turn_end(state, turn, level - began, form);
}
