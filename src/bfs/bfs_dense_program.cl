/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernels that go over all vertices: bottom-up levels of direction-optimizing, and vertex-parallel.
 * What they do together is said in bfs_device_direction.c and bfs_device_vertex.c.
 *
 * Bitmaps have 32 vertices in a word: `front` the level that was found last, `open` the vertices
 * without a level that have arcs in. A worker that has a word has all of its vertices, so words and
 * levels are written without atomics; but for rows of more than `hub` arcs: what is behind the
 * first `hub` arcs is put aside in parts, which bottom_up_pieces shares among all groups.
 *
 * On processors an item has a word at a time. Elsewhere a tile of words is a group's: its items ask
 * for the bits side by side, and share the vertices of those that are set.
 *
 * Bottom-up levels are turns of a search as top-down ones are (bfs_frontiers.cl): each kernel finds
 * in `state` whether it is its turn. `fronts` has two bitmaps: of even levels, and of odd ones. */
#include "bfs/bfs_rows.cl"

#include "bfs/bfs_frontiers.cl"

#define CHANGED 3 /* of the state of vertex-parallel, beside PIECES */
#define MUST    0xffffffffu

/* Where the bitmap of a level begins. */
FN u64 front_at(u32 level, u64 n) {
    return level % 2 * ((n + 31) / 32);
}

/* Whether the next level is to be found bottom-up: the frontier is a bitmap and has not become
 * small. beta MUST: the host has found that it is. The host's rule: bfs_device_direction.c. */
FN u32 goes_up(GLOBAL const u32 *state, u32 turn, u32 limit, u32 beta, u64 n) {
    u32 level = state[LEVEL_AT(turn)];
    u32 now = state[SLOT(level, COUNT)], before = state[SLOT(level + 3, COUNT)];
    return state[FORM_AT(turn)] == IS_MAP && now > 0 && level < limit &&
           (beta == MUST || now >= before || (u64)now * beta >= n);
}

#if !WORK_CHUNKED
#define TYPE        u32
#define NAMED(name) name##_u32
#include "kernels/group_template.cl"
#include "kernels/spread_template.cl"
#undef TYPE
#undef NAMED

/* A tile of at most WG words. */
typedef struct bit_tile {
    u32 pair[2 * WG], starts[WG], words[WG], found[WG];
} bit_tile;

/* Words of a tile of which `count` are shared among all groups: the fewer there are, the smaller
 * are the tiles, but not below four vertices for each item, beside which the prefix is little. */
FN u32 tile_words(u64 count) {
    u64 words = (count + group_count() - 1) / group_count(), least = (WG + 7) / 8;
    return words < least ? (u32)least : words < WG ? (u32)words : WG;
}

/* By all items: item i has word i of the tile. Returns how many bits are set in all. */
FN u32 tile_begin(LOCALP bit_tile *tile, u32 bits) {
    u32 total, start = group_prefix_u32(tile->pair, WG, bit_count_u32(bits), &total);
    tile->starts[local_id()] = start;
    tile->words[local_id()] = bits;
    tile->found[local_id()] = 0;
    BARRIER_LOCAL();
    return total;
}

/* The number of the bit that `before` set ones are below. */
FN u32 bit_number(u32 bits, u32 before) {
    u32 at = 0;
    for (u32 wide = 16; wide > 0; wide /= 2) {
        u32 below = bit_count_u32(bits & ((1u << wide) - 1));
        if (before >= below) {
            before -= below;
            bits >>= wide;
            at += wide;
        }
    }
    return at;
}
#endif

/* What a group adds up. */
typedef struct sums {
    u32 found, arcs;
} sums;

/* By all items: adds to a slot of state, one item for the group. An item adds at most 2^21 arcs.
 * Not to be called under a condition: PoCL 3.1 then lets every item add what one should. */
FN void sums_add(LOCALP sums *group, u32 found, u64 arcs, GLOBAL u32 *state) {
    if (local_id() == 0) {
        group->found = 0;
        group->arcs = 0;
    }
    BARRIER_LOCAL();
    if (found > 0) {
        atomic_add_local_u32(&group->found, found);
        atomic_add_local_u32(&group->arcs, arcs < 1u << 21 ? (u32)arcs : 1u << 21);
    }
    BARRIER_LOCAL();
    if (local_id() == 0 && group->found > 0) {
        atomic_add_u32(&state[COUNT], group->found);
        atomic_add_u32(&state[ARCS_HERE], (group->arcs + 31) / 32);
    }
}

/* If the next level is to be found bottom-up: words [first, first + count) of the bitmap of the
 * frontier, a list so far, and of open, from the levels. alpha MUST: the host has found so. */
KERNEL_WG(WG)
void densify(u64 first, u64 count, ROWS offsets, GLOBAL const u32 *levels, GLOBAL u32 *fronts,
             GLOBAL u32 *open, u32 turn, GLOBAL u32 *state, u32 limit, u32 alpha, u32 arcs, u64 n) {
    u32 level = state[LEVEL_AT(turn)], form = state[FORM_AT(turn)];
    GLOBAL u32 *front = fronts + front_at(level, n);
    u32 goes =
        form == IS_LIST && level < limit && (alpha == MUST || rises(state, level, alpha, arcs));
    if (item_id() == 0)
        turn_end(state, turn, 0, goes ? IS_MAP : form);
    if (item_id() == 0 && goes && first == 0)
        state[SWITCHES]++;
    if (!goes)
        count = 0;
#if WORK_CHUNKED
    FOR_WORK(i, count) {
        u64 word = first + i, begin = 32 * word, end = begin + 32 < n ? begin + 32 : n;
        u32 now = 0, later = 0, here = (u32)(end - begin);
        for (u32 bit = 0; bit < here; bit++) {
            u32 found = levels[begin + bit];
            u32 rows = offsets[begin + bit] != offsets[begin + bit + 1];
            now |= (u32)(found == level) << bit;
            later |= ((u32)(found == NO_LEVEL) & rows) << bit;
        }
        front[word] = now;
        open[word] = later;
    }
#elif HOP_WARPS && WG % WARP == 0
#define WORDS (WARP / 4) /* a warp's: a sector of each bitmap */
    u32 lane = local_id() % WARP;
    u64 warps = item_count() / WARP;
    for (u64 at = item_id() / WARP * WORDS; at < count; at += warps * WORDS) {
        u32 now = 0, later = 0;
        for (u32 k = 0; k < WORDS; k++) {
            u64 v = 32 * (first + at + k) + lane;
            u32 found = at + k < count && v < n ? levels[v] : level + 1;
            u32 bits = warp_ballot(found == level);
            u32 rows = found == NO_LEVEL && offsets[v] != offsets[v + 1];
            u32 others = warp_ballot(rows);
            now = lane == k ? bits : now;
            later = lane == k ? others : later;
        }
        if (lane < WORDS && at + lane < count) {
            front[first + at + lane] = now;
            open[first + at + lane] = later;
        }
    }
#else
#define WORDS ((WG + 31) / 32)
    LOCALV u32 now[WORDS], later[WORDS];
    for (u64 tile = group_id() * (u64)WORDS; tile < count; tile += group_count() * (u64)WORDS) {
        u64 begin = 32 * (first + tile);
        u32 me = local_id();
        if (me < WORDS)
            now[me] = later[me] = 0;
        BARRIER_LOCAL();
        for (u32 i = me; i < 32 * WORDS; i += WG) {
            u64 v = begin + i;
            if (v < n) {
                u32 found = levels[v];
                if (found == level)
                    atomic_or_local_u32(&now[i / 32], 1u << i % 32);
                if (found == NO_LEVEL && offsets[v] != offsets[v + 1])
                    atomic_or_local_u32(&later[i / 32], 1u << i % 32);
            }
        }
        BARRIER_LOCAL();
        if (me < WORDS && tile + me < count) {
            front[first + tile + me] = now[me];
            open[first + tile + me] = later[me];
        }
        BARRIER_LOCAL();
    }
#endif
}

/* If no further level goes up: the vertices of words [first, first + count) of the bitmap go to the
 * queue, in any order. beta MUST: the host has found so. */
KERNEL_WG(WG)
void sparsify(u64 first, u64 count, GLOBAL const u32 *fronts, GLOBAL u32 *queue, u32 turn,
              GLOBAL u32 *state, u32 limit, u32 beta, u64 n) {
    u32 level = state[LEVEL_AT(turn)], form = state[FORM_AT(turn)];
    u32 begin = state[SLOT(level, BEGIN)];
    GLOBAL const u32 *front = fronts + front_at(level, n);
    GLOBAL u32 *tail = &state[LISTED];
    u32 goes = form == IS_MAP && state[SLOT(level, COUNT)] > 0 &&
               (beta == MUST || !goes_up(state, turn, limit, beta, n));
    if (item_id() == 0)
        turn_end(state, turn, 0, goes ? IS_LIST : form);
    if (!goes)
        count = 0;
#if WORK_CHUNKED
    FOR_WORK(i, count) {
        u32 bits = front[first + i], found = bit_count_u32(bits);
        if (found > 0) {
            u32 place = begin + atomic_add_u32(tail, found);
            for (u32 bit = 0; bits >> bit != 0; bit++) {
                if (bits >> bit & 1)
                    queue[place++] = (u32)(32 * (first + i)) + bit;
                if (bit == 31)
                    break;
            }
        }
    }
#else
    LOCALV bit_tile tile;
    LOCALV u32 place;
    u32 words = goes ? tile_words(count) : WG;
    for (u64 at = group_id() * (u64)words; at < count; at += group_count() * (u64)words) {
        u64 mine = at + local_id();
        u32 has = local_id() < words && mine < count;
        u32 total = tile_begin(&tile, has ? front[first + mine] : 0);
        if (local_id() == 0 && total > 0)
            place = begin + atomic_add_u32(tail, total);
        BARRIER_LOCAL();
        for (u32 k = local_id(); k < total; k += WG) {
            u32 word = spread_row_u32(tile.starts, WG, k);
            queue[place + k] = (u32)(32 * (first + at + word)) +
                               bit_number(tile.words[word], k - tile.starts[word]);
        }
        BARRIER_LOCAL();
    }
#endif
}

FN u32 is_in(GLOBAL const u32 *map, u32 vertex) {
    return map[vertex / 32] >> vertex % 32 & 1;
}

/* What a bottom-up level is about. */
typedef struct upward {
    GLOBAL u32 *levels, *parents;
    GLOBAL const u32 *front;
    u32 wanted, level;
} upward;

FN void settle(const upward *job, u32 vertex, u32 parent) {
    job->levels[vertex] = job->level;
    if (job->wanted)
        job->parents[vertex] = parent;
}

/* The first arc of [arc, stop) that leads to the front, or `stop`; *parent is its end. */
FN u64 first_in(GLOBAL const u32 *front, GLOBAL const u32 *targets, u64 arc, u64 stop,
                u32 *parent) {
    for (; arc < stop; arc++) {
        *parent = targets[arc];
        if (is_in(front, *parent))
            break;
    }
    return arc;
}

#if !WORK_CHUNKED
/* The same, if words around the arcs may be read. Rows of neighbouring items are far apart, so each
 * access is a sector for each item: one for four words that are side by side. Items ask for first
 * ends together, then for second ones: those of many rows are the same few. */
FN u64 first_of_fours(GLOBAL const u32 *front, GLOBAL const u32 *targets, u64 arc, u64 stop,
                      u32 *parent) {
    u32 four[4], k = (u32)((u64)&targets[arc] / 4 % 4), count = (u32)(stop - arc), i = 0;
    GLOBAL const u32 *from = targets + (arc - k);
    load_four_u32(from, four);
    for (; i < count; i++) {
        u32 low = k % 2 ? four[1] : four[0], high = k % 2 ? four[3] : four[2];
        *parent = k < 2 ? low : high;
        if (is_in(front, *parent))
            break;
        k = (k + 1) % 4;
        from += k == 0 ? 4 : 0;
        if (k == 0 && i + 1 < count)
            load_four_u32(from, four);
    }
    return arc + i;
}
#endif

/* A vertex goes through its row from `arc` on; the parts behind the first `hub` arcs are put aside.
 * Returns whether it was found. The graph has `all` arcs. */
FN u32 look_through(const upward *job, GLOBAL const OFFSET *offsets, GLOBAL const u32 *targets,
                    u32 v, u64 arc, u64 all, GLOBAL u32 *pieces, GLOBAL u32 *state, u32 hub) {
    u64 begin = offsets[v], end = offsets[(u64)v + 1];
    u64 stop = end - begin > hub ? begin + hub : end;
    u32 parent = 0;
#if !WORK_CHUNKED
    if (arc < stop && arc >= 4 && stop + 4 <= all)
        arc = first_of_fours(job->front, targets, arc, stop, &parent);
    else
#endif
        arc = first_in(job->front, targets, arc, stop, &parent);
    if (arc < stop) {
        settle(job, v, parent);
        return 1;
    }
    if (stop < end) {
        u32 parts = (u32)((end - stop + hub - 1) / hub);
        u64 place = atomic_add_u32(&state[PIECES], parts);
        for (u32 k = 0; k < parts; k++) {
            pieces[2 * (place + k)] = v;
            pieces[2 * (place + k) + 1] = k + 1;
        }
    }
    return 0;
}

#if WORK_CHUNKED
#define ROUNDS 4 /* fewer than `hub` */

/* The same for all vertices of a word. Which neighbour ends a row cannot be predicted, so the
 * first neighbours of all are looked up, without branches, then the second ones of those that had
 * no luck, and so on; after some rounds the rest goes row by row. Returns the bits of what was
 * found, and adds up their arcs. */
FN u32 look_together(const upward *job, GLOBAL const OFFSET *offsets, GLOBAL const u32 *targets,
                     u32 base, u32 bits, u64 *arcs, GLOBAL u32 *pieces, GLOBAL u32 *state,
                     u32 hub) {
    u32 vertex[32], hit[32], parent[32], count = 0, now = 0;
    u64 arc[32], end[32];
    for (; bits != 0; bits &= bits - 1) {
        u32 v = base + lowest_bit_u32(bits);
        vertex[count] = v;
        arc[count] = offsets[v];
        end[count] = offsets[(u64)v + 1];
        count++;
    }
    for (u32 round = 0; round < ROUNDS && count > 0; round++) {
        u32 hits = 0, kept = 0;
        u64 sum = 0;
        for (u32 i = 0; i < count; i++) {
            u32 v = vertex[i], u = targets[arc[i]], found = is_in(job->front, u);
            u64 at = arc[i] + 1, stop = end[i];
            hit[hits] = v;
            parent[hits] = u;
            hits += found;
            sum += (0 - (u64)found) & (stop - at + round + 1);
            vertex[kept] = v;
            arc[kept] = at;
            end[kept] = stop;
            kept += (found ^ 1) & (at < stop);
        }
        for (u32 i = 0; i < hits; i++) {
            now |= 1u << hit[i] % 32;
            settle(job, hit[i], parent[i]);
        }
        *arcs += sum;
        count = kept;
    }
    for (u32 i = 0; i < count; i++) {
        if (look_through(job, offsets, targets, vertex[i], arc[i], 0, pieces, state, hub)) {
            now |= 1u << vertex[i] % 32;
            *arcs += end[i] - arc[i] + ROUNDS;
        }
    }
    return now;
}
#endif

/* Vertices without a level look for their first neighbour in the front, which is the smallest. */
KERNEL_WG(WG)
void bottom_up(u64 first, u64 count, ROWS offsets, ARCS targets, GLOBAL u32 *levels,
               GLOBAL u32 *parents, u32 wanted, GLOBAL u32 *fronts, GLOBAL u32 *open, u32 turn,
               GLOBAL u32 *pieces, GLOBAL u32 *state, u32 hub, u64 n, u32 limit, u32 beta) {
    LOCALV sums group;
#if !WORK_CHUNKED
    LOCALV bit_tile tile;
#endif
    u32 from = state[LEVEL_AT(turn)], level = from + 1, goes = goes_up(state, turn, limit, beta, n);
    GLOBAL const u32 *front = fronts + front_at(from, n);
    GLOBAL u32 *next = fronts + front_at(level, n);
    if (item_id() == 0) {
        turn_end(state, turn, goes, state[FORM_AT(turn)]);
        if (goes)
            level_end(state, from, state[SLOT(from, COUNT)], state[SLOT(from, ARCS_HERE)]);
    }
    if (!goes)
        count = 0;
    upward job;
    u32 found = 0;
    u64 arcs = 0;
    job.levels = levels;
    job.parents = parents;
    job.front = front;
    job.wanted = wanted;
    job.level = level;
#if WORK_CHUNKED
    u64 mine = work_end(count);
    FOR_WORK(i, count) {
        u64 word = first + i;
        u32 left = open[word], base = (u32)(32 * word), now = 0;
        if (i + 1 < mine) /* of this item's own words */
            for (u32 bits = open[word + 1]; bits != 0; bits &= bits - 1)
                PREFETCH_READ(&targets[offsets[base + 32 + lowest_bit_u32(bits)]]);
        if (left != 0)
            now = look_together(&job, offsets, targets, base, left, &arcs, pieces,
                                &state[SLOT(from, 0)], hub);
        next[word] = now;
        if (now != 0) {
            open[word] = left & ~now;
            found += bit_count_u32(now);
        }
    }
#else
    u32 words = goes ? tile_words(count) : WG;
    u64 all = offsets[n];
    for (u64 at = group_id() * (u64)words; at < count; at += group_count() * (u64)words) {
        u64 mine = at + local_id();
        u32 has = local_id() < words && mine < count, left = has ? open[first + mine] : 0;
        u32 total = tile_begin(&tile, left);
        for (u32 k = local_id(); k < total; k += WG) {
            u32 word = spread_row_u32(tile.starts, WG, k);
            u32 bit = bit_number(tile.words[word], k - tile.starts[word]);
            u32 v = (u32)(32 * (first + at + word)) + bit;
            if (look_through(&job, offsets, targets, v, offsets[v], all, pieces,
                             &state[SLOT(from, 0)], hub)) {
                atomic_or_local_u32(&tile.found[word], 1u << bit);
                arcs += offsets[(u64)v + 1] - offsets[v];
            }
        }
        BARRIER_LOCAL();
        if (has) {
            u32 now = relaxed_load_local_u32(&tile.found[local_id()]);
            next[first + mine] = now;
            if (now != 0)
                open[first + mine] = left & ~now;
            found += bit_count_u32(now);
        }
        BARRIER_LOCAL();
    }
#endif
    sums_add(&group, found, arcs, &state[SLOT(level, 0)]);
}

/* The parts of long rows; one worker each. The first that finds something gives the level, and the
 * least that is found is the parent. */
KERNEL_WG(WG)
void bottom_up_pieces(ROWS offsets, ARCS targets, GLOBAL u32 *levels, GLOBAL u32 *parents,
                      u32 wanted, GLOBAL u32 *fronts, GLOBAL u32 *open, u32 turn,
                      GLOBAL const u32 *pieces, GLOBAL u32 *state, u32 hub, u64 n) {
    LOCALV sums group;
    u32 from = state[LEVEL_AT(turn)], level = from + 1, found = 0;
    GLOBAL const u32 *front = fronts + front_at(from, n);
    GLOBAL u32 *next = fronts + front_at(level, n);
    u64 arcs = 0, all = state[LEVEL_AT(turn + 1)] == level ? state[SLOT(from, PIECES)] : 0;
    FOR_WORK(piece, all) {
        u32 v = pieces[2 * piece];
        u64 begin = offsets[v], end = offsets[(u64)v + 1];
        u64 arc = begin + (u64)pieces[2 * piece + 1] * hub;
        u64 stop = end - arc > hub ? arc + hub : end;
        while (arc < stop && !is_in(front, targets[arc]))
            arc++;
        if (arc < stop) {
            if (wanted)
                atomic_min_u32(&parents[v], targets[arc]);
            if (atomic_swap_u32(&levels[v], level) == NO_LEVEL) {
                atomic_or_u32(&next[v / 32], 1u << v % 32);
                atomic_and_u32(&open[v / 32], ~(1u << v % 32));
                found++;
                arcs += end - begin;
            }
        }
    }
    sums_add(&group, found, arcs, &state[SLOT(level, 0)]);
}

/* vertex-parallel, push: a vertex of `level` gives its neighbours the next one. Several may, at the
 * same time and the same value. state[CHANGED] becomes the largest level that was given. */
KERNEL_WG(WG)
void vertex_push(u64 first, u64 count, ROWS offsets, ARCS targets, GLOBAL u32 *levels, u32 level,
                 GLOBAL u32 *pieces, GLOBAL u32 *state, u32 hub) {
    u32 changed = 0;
    FOR_WORK(i, count) {
        u64 v = first + i;
        if (relaxed_load_u32(&levels[v]) != level)
            continue;
        u64 arc = offsets[v], end = offsets[v + 1];
        if (end - arc > hub) {
            u32 parts = (u32)((end - arc + hub - 1) / hub);
            u64 place = atomic_add_u32(&state[PIECES], parts);
            for (u32 k = 0; k < parts; k++) {
                pieces[2 * (place + k)] = (u32)v;
                pieces[2 * (place + k) + 1] = k;
            }
            continue;
        }
        for (; arc < end; arc++) {
            if (relaxed_load_u32(&levels[targets[arc]]) == NO_LEVEL) {
                relaxed_store_u32(&levels[targets[arc]], level + 1);
                changed = 1;
            }
        }
    }
    if (changed)
        relaxed_store_u32(&state[CHANGED], level + 1);
}

KERNEL_WG(WG)
void vertex_push_pieces(ROWS offsets, ARCS targets, GLOBAL u32 *levels, u32 level,
                        GLOBAL const u32 *pieces, GLOBAL u32 *state, u32 hub) {
    u64 all = state[PIECES];
    u32 changed = 0;
    FOR_WORK(piece, all) {
        u32 v = pieces[2 * piece];
        u64 end = offsets[(u64)v + 1], arc = offsets[v] + (u64)pieces[2 * piece + 1] * hub;
        u64 stop = end - arc > hub ? arc + hub : end;
        for (; arc < stop; arc++) {
            if (relaxed_load_u32(&levels[targets[arc]]) == NO_LEVEL) {
                relaxed_store_u32(&levels[targets[arc]], level + 1);
                changed = 1;
            }
        }
    }
    if (changed)
        relaxed_store_u32(&state[CHANGED], level + 1);
}

/* Pull: a vertex without a level looks whether a neighbour has `level`. D3's first approach. */
KERNEL_WG(WG)
void vertex_pull(u64 first, u64 count, ROWS offsets, ARCS targets, GLOBAL u32 *levels, u32 level,
                 GLOBAL u32 *pieces, GLOBAL u32 *state, u32 hub) {
    u32 changed = 0;
    FOR_WORK(i, count) {
        u64 v = first + i;
        if (relaxed_load_u32(&levels[v]) != NO_LEVEL)
            continue;
        u64 arc = offsets[v], end = offsets[v + 1], stop = end - arc > hub ? arc + hub : end;
        while (arc < stop && relaxed_load_u32(&levels[targets[arc]]) != level)
            arc++;
        if (arc < stop) {
            relaxed_store_u32(&levels[v], level + 1);
            changed = 1;
        } else if (stop < end) {
            u32 parts = (u32)((end - stop + hub - 1) / hub);
            u64 place = atomic_add_u32(&state[PIECES], parts);
            for (u32 k = 0; k < parts; k++) {
                pieces[2 * (place + k)] = (u32)v;
                pieces[2 * (place + k) + 1] = k + 1;
            }
        }
    }
    if (changed)
        relaxed_store_u32(&state[CHANGED], level + 1);
}

KERNEL_WG(WG)
void vertex_pull_pieces(ROWS offsets, ARCS targets, GLOBAL u32 *levels, u32 level,
                        GLOBAL const u32 *pieces, GLOBAL u32 *state, u32 hub) {
    u64 all = state[PIECES];
    u32 changed = 0;
    FOR_WORK(piece, all) {
        u32 v = pieces[2 * piece];
        u64 end = offsets[(u64)v + 1], arc = offsets[v] + (u64)pieces[2 * piece + 1] * hub;
        u64 stop = end - arc > hub ? arc + hub : end;
        while (arc < stop && relaxed_load_u32(&levels[targets[arc]]) != level)
            arc++;
        if (arc < stop) {
            relaxed_store_u32(&levels[v], level + 1);
            changed = 1;
        }
    }
    if (changed)
        relaxed_store_u32(&state[CHANGED], level + 1);
}
