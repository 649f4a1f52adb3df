/* SPDX-License-Identifier: Apache-2.0
 * Labels that fall along arcs on disk; see arc_settle.h. */
#include "problem/arc_settle.h"

#include <string.h>

#include "core/parallel.h"
#include "core/progress.h"
#include "core/try.h"

enum {
    GROUP_GRAIN = 1 << 8,
    WORD_GRAIN = 1 << 8,
    FEW_USED = 16, /* a round used few of its arcs: a FEW_USED-th of those that it read */
    HALF = 2,
    MANY_LOOKS = 4,   /* it looked often at those that it read */
    WASTED_LOOKS = 6, /* an open search looks too often at those that it read, */
    SPARE_LOOKS = 2,  /* beside so many looks at all: the first blocks take more */
    FEW_ARCS = 64,    /* in memory, per block, between two limits */
    MANY_ARCS = 1024,
    GROWTH = 2 /* of the width */
};

static uint64_t group_count(const hop_graph *graph) {
    return hop__bitmap_words(graph->vertices);
}

static uint64_t block_words(const hop_graph *graph) {
    return hop__bitmap_words(hop__arc_blocks(graph));
}

void hop__settle_blocks(hop__workspace *space, size_t at, const hop_graph *graph, bool on_demand) {
    static const char what[] = "settle: pending rows";
    uint64_t groups = group_count(graph), words = block_words(graph);
    uint32_t before = space->count;
    HOP__BLOCK_AT(space, at, what, groups, hop__settle, active);
    HOP__BLOCK_AT(space, at, what, groups, hop__settle, crosses);
    HOP__BLOCK_AT(space, at, what, hop__bitmap_words(groups), hop__settle, queued);
    HOP__BLOCK_AT(space, at, what, groups, hop__settle, queue);
    HOP__BLOCK_AT(space, at, what, groups, hop__settle, other_queue);
    HOP__BLOCK_AT(space, at, "settle: blocks", words, hop__settle, in);
    HOP__BLOCK_AT(space, at, "settle: blocks", words, hop__settle, out);
    HOP__BLOCK_AT(space, at, "settle: blocks", words, hop__settle, wanted);
    HOP__BLOCK_AT(space, at, "settle: blocks", hop__arc_blocks(graph), hop__settle, nearest);
    HOP__BLOCK_AT(space, at, "settle: locks", HOP__SETTLE_LOCKS, hop__settle, locks);
    for (uint32_t i = before; i < space->count; i++)
        space->blocks[i].on_demand = on_demand;
}

hop_status hop__settle_take(hop__workspace *space, hop__settle *settle) {
    uint64_t groups = group_count(settle->graph), words = block_words(settle->graph);
    hop_status status;
    HOP_TRY(status, hop__workspace_take(space, &settle->active, groups));
    HOP_TRY(status, hop__workspace_take(space, &settle->crosses, groups));
    HOP_TRY(status, hop__workspace_take(space, &settle->queued, hop__bitmap_words(groups)));
    HOP_TRY(status, hop__workspace_take(space, &settle->queue, groups));
    HOP_TRY(status, hop__workspace_take(space, &settle->other_queue, groups));
    HOP_TRY(status, hop__workspace_take(space, &settle->in, words));
    HOP_TRY(status, hop__workspace_take(space, &settle->out, words));
    HOP_TRY(status, hop__workspace_take(space, &settle->wanted, words));
    HOP_TRY(status, hop__workspace_take(space, &settle->nearest, hop__arc_blocks(settle->graph)));
    HOP_TRY(status, hop__workspace_take(space, &settle->locks, HOP__SETTLE_LOCKS));
done:
    return status;
}

static void clear_words(uint64_t *map, uint64_t words) {
    if (words > 0)
        memset(map, 0, words * sizeof *map);
}

void hop__settle_begin(hop__settle *s) {
    const hop_graph *graph = s->graph;
    uint64_t blocks = hop__arc_blocks(graph);
    clear_words(s->active, group_count(graph));
    clear_words(s->crosses, group_count(graph));
    clear_words(s->queued, hop__bitmap_words(group_count(graph)));
    clear_words(s->in, block_words(graph));
    clear_words(s->out, block_words(graph));
    memset(s->locks, 0, HOP__SETTLE_LOCKS);
    for (uint64_t block = 1; block < blocks; block++) {
        uint64_t row = hop__block_row(graph, block);
        if (hop__any_begin(graph, row) < block * HOP__ARC_BLOCK)
            hop__bitmap_set(s->crosses, row);
    }
    s->extends = false;
    s->limit = s->open ? UINT64_MAX : 0;
    s->wasted = false;
    s->step_width = s->width;
    s->rounds = s->looked_before = s->pass_looked = s->step_looked = 0;
    s->blocks_before = hop__arcs_reads(s->arcs).blocks;
    atomic_store(&s->queue_count, 0);
    atomic_store(&s->looked, 0);
    atomic_store(&s->reached, 0);
    atomic_store(&s->spared, 0);
    atomic_store(&s->again, false);
}

/* ---- pending rows ---------------------------------------------------------------------------- */

/* Always written, also where the bit is set: so that who takes the bit afterwards sees the label
 * that was written before. True when it was clear. */
static bool bit_give(uint64_t *map, uint64_t index) {
    uint64_t bit = UINT64_C(1) << index % 64;
    return !(__atomic_fetch_or(&map[index / 64], bit, __ATOMIC_SEQ_CST) & bit); /* note_nearest */
}

static bool bit_get(const uint64_t *map, uint64_t index) {
    return __atomic_load_n(&map[index / 64], __ATOMIC_RELAXED) >> index % 64 & 1;
}

static void bit_take(uint64_t *map, uint64_t index) {
    (void)__atomic_fetch_and(&map[index / 64], ~(UINT64_C(1) << index % 64), __ATOMIC_ACQ_REL);
}

/* A row of the block is pending with this label. Comes after the row's bit, and looks before it
 * writes: settle_block, which forgets the label before it looks at the bits, misses one of the two
 * at most. */
static void note_nearest(hop__settle *s, uint64_t block, uint64_t label) {
    uint64_t *cell = &s->nearest[block], seen = __atomic_load_n(cell, __ATOMIC_SEQ_CST);
    while (label < seen && !__atomic_compare_exchange_n(cell, &seen, label, true, __ATOMIC_SEQ_CST,
                                                        __ATOMIC_SEQ_CST))
        ;
}

static void give_parts(hop__settle *s, uint64_t v, uint64_t label) {
    uint64_t begin = hop__any_begin(s->graph, v), block = begin / HOP__ARC_BLOCK;
    uint64_t last = (begin + hop__any_degree(s->graph, v) - 1) / HOP__ARC_BLOCK;
    if (s->extends)
        hop__want_row(s->wanted, begin, hop__any_degree(s->graph, v));
    for (uint64_t *map = s->out; block <= last; block++, map = s->in) {
        (void)bit_give(map, block);
        if (s->extends)
            note_nearest(s, block, label);
    }
}

/* `own`: v's row is in the block that the caller is about to look at again. */
static void start(hop__settle *s, uint64_t v, uint64_t label, bool own) {
    if (hop__bitmap_get(s->crosses, v)) {
        give_parts(s, v, label);
        return;
    }
    bool first = bit_give(s->active, v);
    if (s->extends && (first || !own) && hop__any_degree(s->graph, v) > 0) {
        uint64_t block = hop__any_begin(s->graph, v) / HOP__ARC_BLOCK;
        if (first)
            (void)hop__bitmap_claim(s->wanted, block);
        if (!own)
            note_nearest(s, block, label);
    }
    if (first && hop__bitmap_claim(s->queued, v / HOP__SETTLE_GROUP)) {
        uint64_t place = atomic_fetch_add_explicit(&s->queue_count, 1, memory_order_relaxed);
        s->queue[place] = (uint32_t)(v / HOP__SETTLE_GROUP);
    }
}

void hop__settle_start(hop__settle *s, uint64_t v) {
    start(s, v, 0, false);
}

/* Its light arcs, if it has any, offer the label soon; false: there is no room in the ring. Whoever
 * has it in a ring takes the bit before the label is read. */
static bool enqueue_light(hop__settle *s, hop__settle_lane *lane, hop_vertex v) {
    if (hop__light_count(s->light, v) == 0)
        return true;
    if (lane->tail - lane->head >= HOP__LIGHT_RING)
        return false;
    if (bit_give(s->light->queued, v))
        lane->ring[lane->tail++ % HOP__LIGHT_RING] = v;
    return true;
}

void hop__settle_activate(hop__settle *s, hop__settle_lane *lane, hop_vertex v, uint64_t label) {
    bool enough = lane->ring != NULL && s->light->guards && hop__light_enough(s->light, v, label);
    if (lane->ring != NULL && (enough || label < s->limit))
        enough = enqueue_light(s, lane, v) && enough;
    lane->spared += enough;
    if (enough)
        return;
    bool own = v >= lane->first && v < lane->last;
    start(s, v, label, own);
    if (own && label >= s->limit)
        lane->least = label < lane->least ? label : lane->least;
    lane->again |= label < s->limit && v >= lane->first && v <= lane->last;
    lane->later |= label < s->limit && v >= lane->low && v <= lane->high;
}

/* ---- what a round needs ---------------------------------------------------------------------- */

typedef struct tally {
    uint64_t ready, arcs, waiting, least;
} tally;

/* A row with so many arcs in the block is pending. */
static inline void want(hop__settle *s, tally *t, uint64_t label, uint64_t block, uint64_t arcs) {
    t->least = label < t->least ? label : t->least;
    hop__lower_u64(&s->nearest[block], label);
    if (label >= s->limit) {
        t->waiting++;
        return;
    }
    t->ready++;
    t->arcs += arcs;
    (void)hop__bitmap_claim(s->wanted, block);
}

static void add_tally(hop__settle *s, const tally *t) {
    atomic_fetch_add_explicit(&s->ready, t->ready, memory_order_relaxed);
    atomic_fetch_add_explicit(&s->ready_arcs, t->arcs, memory_order_relaxed);
    atomic_fetch_add_explicit(&s->waiting, t->waiting, memory_order_relaxed);
    hop__lower_u64(&s->least, t->least);
}

/* The pending rows of a group; returns their bits. */
static uint64_t want_group(hop__settle *s, tally *t, uint64_t group) {
    uint64_t v = group * HOP__SETTLE_GROUP, bits = s->active[group], stay = bits;
    uint64_t begin = bits != 0 ? hop__any_begin(s->graph, v) : 0;
    for (; bits != 0; bits &= bits - 1) {
        uint64_t next = group * HOP__SETTLE_GROUP + (uint64_t)__builtin_ctzll(bits);
        for (; v < next; v++)
            begin += hop__any_degree(s->graph, v);
        uint64_t degree = hop__any_degree(s->graph, v);
        if (degree > 0)
            want(s, t, hop__settle_label(s, s->wide, v), begin / HOP__ARC_BLOCK, degree);
        else
            stay &= ~(UINT64_C(1) << v % 64);
    }
    return stay;
}

static void want_groups(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    hop__settle *s = arg;
    tally t = {.least = UINT64_MAX};
    (void)thread;
    (void)hop__progress_add(s->context, 0);
    for (uint64_t i = begin; i < end; i++) {
        uint32_t group = s->queue[i];
        s->active[group] = want_group(s, &t, group);
        if (s->active[group] != 0)
            s->other_queue[atomic_fetch_add_explicit(&s->queue_count, 1, memory_order_relaxed)] =
                group;
        else
            bit_take(s->queued, group);
    }
    add_tally(s, &t);
}

/* The arcs of a block that belong to the row that comes in from the block before, and to the one
 * that goes on in the next; these rows. */
typedef struct block_parts {
    uint64_t first, last; /* rows */
    bool in, out;
    uint64_t in_end, out_begin;
} block_parts;

static block_parts parts_of(const hop_graph *graph, uint64_t number) {
    uint64_t begin = number * HOP__ARC_BLOCK, end = begin + HOP__ARC_BLOCK;
    block_parts p = {.first = hop__block_row(graph, number)};
    uint64_t row = hop__any_begin(graph, p.first), next = row + hop__any_degree(graph, p.first);
    end = end < graph->arcs ? end : graph->arcs;
    p.in = row < begin;
    p.in_end = next < end ? next : end;
    p.last = graph->vertices - 1;
    if (end < graph->arcs) {
        p.last = hop__block_row(graph, number + 1);
        p.out_begin = hop__any_begin(graph, p.last);
        p.out = p.out_begin >= begin && p.out_begin < end;
    }
    return p;
}

/* The parts of rows that are pending. */
static void want_parts(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    hop__settle *s = arg;
    tally t = {.least = UINT64_MAX};
    (void)thread;
    for (uint64_t word = begin; word < end; word++)
        for (uint64_t bits = s->in[word] | s->out[word]; bits != 0; bits &= bits - 1) {
            uint64_t block = word * 64 + (uint64_t)__builtin_ctzll(bits);
            block_parts p = parts_of(s->graph, block);
            if (bit_get(s->in, block))
                want(s, &t, hop__settle_label(s, s->wide, p.first), block,
                     p.in_end - block * HOP__ARC_BLOCK);
            if (bit_get(s->out, block))
                want(s, &t, hop__settle_label(s, s->wide, p.last), block,
                     (block + 1) * HOP__ARC_BLOCK - p.out_begin);
        }
    add_tally(s, &t);
}

static void forget_nearest(hop__settle *s) {
    uint64_t blocks = hop__arc_blocks(s->graph);
    if (blocks > 0)
        memset(s->nearest, 0xff, blocks * sizeof *s->nearest);
}

static void plan_round(hop__settle *s) {
    uint64_t count = atomic_exchange(&s->queue_count, 0);
    atomic_store(&s->ready, 0);
    atomic_store(&s->ready_arcs, 0);
    atomic_store(&s->waiting, 0);
    s->least = UINT64_MAX;
    clear_words(s->wanted, block_words(s->graph));
    forget_nearest(s);
    hop__for(s->context, count, GROUP_GRAIN, want_groups, s);
    hop__for(s->context, block_words(s->graph), WORD_GRAIN, want_parts, s);
    uint32_t *queue = s->queue;
    s->queue = s->other_queue;
    s->other_queue = queue;
}

static uint64_t wanted_count(const hop__settle *s) {
    uint64_t count = 0, words = block_words(s->graph);
    for (uint64_t i = 0; i < words; i++)
        count += (uint64_t)__builtin_popcountll(s->wanted[i]);
    return count;
}

/* ---- a block --------------------------------------------------------------------------------- */

/* The first vertex from v on, below `end`, whose bit is set; `end` if there is none. */
static uint64_t next_active(const hop__settle *s, uint64_t v, uint64_t end) {
    while (v < end) {
        uint64_t bits = __atomic_load_n(&s->active[v / 64], __ATOMIC_RELAXED) >> v % 64;
        if (bits != 0) {
            v += (uint64_t)__builtin_ctzll(bits);
            return v < end ? v : end;
        }
        v = (v / 64 + 1) * 64;
    }
    return end;
}

static inline void relax_row(hop__settle *s, hop__settle_lane *lane, const hop__arc_block *block,
                             uint64_t v, uint64_t begin, uint64_t end) {
    lane->looked += end - begin;
    s->relax(s, lane, (hop_vertex)v, hop__settle_label(s, s->wide, v), block, begin, end);
}

/* Whether a pending row is below the limit. */
static inline bool is_near(const hop__settle *s, hop__settle_lane *lane, uint64_t v) {
    uint64_t label = hop__settle_label(s, s->wide, v);
    if (label < s->limit)
        return true;
    lane->least = label < lane->least ? label : lane->least;
    return false;
}

/* A part of a row, if it is pending. */
static void relax_part(hop__settle *s, hop__settle_lane *lane, const hop__arc_block *block,
                       uint64_t *map, uint64_t v, uint64_t begin, uint64_t end) {
    if (!bit_get(map, block->number) || !is_near(s, lane, v))
        return;
    bit_take(map, block->number);
    relax_row(s, lane, block, v, begin, end);
}

/* The pending rows of a block once, in ascending order. */
static void relax_block(hop__settle *s, hop__settle_lane *lane, const hop__arc_block *block,
                        const block_parts *p) {
    const hop_graph *graph = s->graph;
    uint64_t first = p->first + p->in, end = p->last + (block->end == graph->arcs);
    if (p->in)
        relax_part(s, lane, block, s->in, p->first, block->begin, p->in_end);
    uint64_t row = first, begin = p->in ? p->in_end : block->begin;
    for (uint64_t v = next_active(s, first, end); v < end; v = next_active(s, v + 1, end)) {
        if (!is_near(s, lane, v))
            continue;
        if (v - row > HOP__INDEX_GROUP) {
            row = v;
            begin = hop__any_begin(graph, v);
        }
        for (; row < v; row++)
            begin += hop__any_degree(graph, row);
        bit_take(s->active, v);
        uint64_t next = begin + hop__any_degree(graph, v);
        relax_row(s, lane, block, v, begin, next);
        if (s->light != NULL && s->light->guards)
            hop__light_guard(s->light, v, s->guard(s, (hop_vertex)v, block, begin, next));
    }
    if (p->out)
        relax_part(s, lane, block, s->out, p->last, p->out_begin, block->end);
}

/* The light arcs of vertices in the ring, until it is empty. The bit is taken before the label is
 * read: one that falls meanwhile is put in again. */
static void relax_light(hop__settle *s, hop__settle_lane *lane) {
    const hop__light *light = s->light;
    while (lane->head < lane->tail) {
        hop_vertex v = lane->ring[lane->head++ % HOP__LIGHT_RING];
        bit_take(light->queued, v);
        uint64_t first = light->place[v], end = first + hop__light_count(light, v);
        hop__arc_block block = {0, 0, end, light->targets, light->weights};
        relax_row(s, lane, &block, v, first, end);
        if (lane->head % HOP__LIGHT_RING == 0 && !hop__progress_add(s->context, 0))
            return;
    }
}

static void settle_block(void *arg, const hop__arc_block *block, unsigned thread) {
    hop__settle *s = arg;
    block_parts p = parts_of(s->graph, block->number);
    hop__settle_lane lane = {
        .first = p.first, .last = p.last, .low = 0, .high = UINT64_MAX, .least = UINT64_MAX};
    uint64_t low, high;
    if (s->light != NULL) {
        lane.ring = s->light->rings + (uint64_t)thread * HOP__LIGHT_RING;
        hop__light_keep(s->light, s->graph, block);
    }
    hop__arcs_window(s->arcs, &low, &high);
    lane.low = hop__block_row(s->graph, low);
    if (high + 1 < hop__arc_blocks(s->graph))
        lane.high = hop__block_row(s->graph, high + 1);
    do {
        lane.again = false;
        lane.least = UINT64_MAX;
        if (s->extends) {
            (void)__atomic_exchange_n(&s->nearest[block->number], UINT64_MAX, __ATOMIC_SEQ_CST);
            atomic_thread_fence(memory_order_seq_cst);
        }
        relax_block(s, &lane, block, &p);
        if (lane.ring != NULL)
            relax_light(s, &lane);
    } while (lane.again && hop__progress_add(s->context, 0));
    if (s->extends)
        note_nearest(s, block->number, lane.least);
    hop__lower_u64(&s->least, lane.least);
    if (lane.later)
        atomic_store_explicit(&s->again, true, memory_order_relaxed);
    atomic_fetch_add_explicit(&s->looked, lane.looked, memory_order_relaxed);
    atomic_fetch_add_explicit(&s->reached, lane.reached, memory_order_relaxed);
    atomic_fetch_add_explicit(&s->spared, lane.spared, memory_order_relaxed);
}

/* ---- rounds ---------------------------------------------------------------------------------- */

/* Whether a round reads more blocks than there is room for. */
static bool is_crowded(const hop__settle *s, uint64_t blocks) {
    return blocks > hop__arcs_room(s->arcs);
}

/* Whether a round of so many blocks looks at few of their arcs. */
static bool uses_few(const hop__settle *s, uint64_t arcs, uint64_t blocks) {
    return arcs < blocks * HOP__ARC_BLOCK / (is_crowded(s, blocks) ? 1 : FEW_USED);
}

/* When nothing below the limit is pending: the width was too small if few of the arcs that were
 * read for it were looked at, and too large if they were looked at again and again. */
static void adapt(hop__settle *s) {
    uint64_t blocks = hop__arcs_reads(s->arcs).blocks - s->blocks_before;
    uint64_t arcs = atomic_load(&s->looked) - s->looked_before;
    if (uses_few(s, arcs, blocks))
        s->width *= GROWTH;
    else if (arcs / MANY_LOOKS > blocks * HOP__ARC_BLOCK && s->width / GROWTH >= s->least_width)
        s->width /= GROWTH;
    s->blocks_before += blocks;
    s->looked_before += arcs;
}

/* Up and down in turn. Where a few rows of each block are pending, as at the front of a search in a
 * grid, what they lead to is looked for in all of the cache; where many are, that would mostly find
 * labels that fall again. */
static hop__arcs_order order_of(const hop__settle *s, uint64_t blocks) {
    unsigned order = HOP__ARCS_ONCE;
    if (atomic_load(&s->ready_arcs) < blocks * HOP__ARC_BLOCK / HALF)
        order |= HOP__ARCS_CACHED;
    if (s->rounds % 2 == 1)
        order |= HOP__ARCS_DOWN;
    return (hop__arcs_order)order;
}

static void widen(hop__settle *s) {
    s->width *= GROWTH;
    s->limit = s->farther(s->least, s->width);
}

/* How far the limit of the blocks in memory rises: so that there is about as much to do below it as
 * it takes to find out what there is. */
static void adapt_step(hop__settle *s, uint64_t arcs) {
    uint64_t blocks = hop__arcs_room(s->arcs);
    if (s->limit == 0)
        s->step_width = s->width;
    else if (arcs < blocks * FEW_ARCS)
        s->step_width *= GROWTH;
    else if (arcs > blocks * MANY_ARCS && s->step_width / GROWTH >= s->width)
        s->step_width /= GROWTH;
}

/* Of an open search: a limit for the blocks in memory rises as the nearest of their pending rows
 * are done; the next window begins with 0, which finds the nearest. False: none is left. */
static bool raise_limit(hop__settle *s) {
    uint64_t looked = atomic_load(&s->looked), least = s->least;
    uint64_t blocks = hop__arcs_reads(s->arcs).blocks - s->blocks_before;
    s->least = UINT64_MAX;
    s->wasted = looked > WASTED_LOOKS * blocks * HOP__ARC_BLOCK + SPARE_LOOKS * s->graph->arcs;
    if (s->wasted) {
        clear_words(s->wanted, block_words(s->graph));
        return false;
    }
    if (looked > s->pass_looked) { /* least may have been missed */
        s->pass_looked = looked;
        return true;
    }
    adapt_step(s, looked - s->step_looked);
    s->step_looked = looked;
    s->limit = least < UINT64_MAX ? s->farther(least, s->step_width) : 0;
    return least < UINT64_MAX;
}

/* Whether there is something left in the blocks in memory. */
static bool is_more(void *user) {
    hop__settle *s = user;
    bool again = atomic_exchange(&s->again, false);
    return s->open ? raise_limit(s) : again;
}

/* Whether no row of a block in memory is pending below the limit. */
static bool is_idle(void *user, uint64_t block) {
    hop__settle *s = user;
    uint64_t nearest = hop__load_u64(&s->nearest[block]);
    if (nearest < s->limit)
        return false;
    hop__lower_u64(&s->least, nearest);
    return true;
}

/* One round over the blocks that are planned. */
static hop_status run_round(hop__settle *s, uint64_t blocks) {
    hop__arcs_order order = order_of(s, blocks);
    s->extends = (order & HOP__ARCS_CACHED) != 0;
    s->limit = s->open ? 0 : s->limit;
    s->least = UINT64_MAX;
    const hop__arcs_calls calls = {settle_block, is_more, is_idle};
    hop_status status = hop__arcs_sweep(s->context, s->arcs, s->wanted, order, calls, s);
    s->limit = s->open ? UINT64_MAX : s->limit;
    s->extends = false;
    s->rounds++;
    return status;
}

hop_status hop__settle_run(hop__settle *s) {
    hop_status status = HOP_OK;
    if (s->least_width == 0)
        s->least_width = s->width;
    while (status == HOP_OK && !s->wasted && hop__progress_add(s->context, 0)) {
        plan_round(s);
        if (atomic_load(&s->ready) == 0) {
            if (atomic_load(&s->waiting) == 0 || (s->enough && s->enough(s->user, s->limit)))
                break;
            adapt(s);
            s->limit = s->farther(s->least, s->width);
            continue;
        }
        uint64_t blocks = wanted_count(s);
        if (is_crowded(s, blocks) && atomic_load(&s->waiting) > 0 &&
            uses_few(s, atomic_load(&s->ready_arcs), blocks))
            widen(s);
        else
            status = run_round(s, blocks);
    }
    return status;
}
