/* SPDX-License-Identifier: Apache-2.0
 *
 * splitter and splitter48 on devices (D0 5.1.3). The kernels are in splitter_program.cl, under the
 * names of the host's phases:
 *
 *   clear   RS1  nobody has been at any element
 *   split   RS2  the heads are splitters, and a random element of each even part, by KISS
 *   walk    RS3  each sublist is walked on its own; its elements learn owner and links
 *   link    RS4  the splitters are ranked by pointer jumping, in one work-group
 *   rank    RS5  the rank of an element is its splitter's less its links
 *
 * D0 has one splitter per work-item, and a launch of RS3 lasts as long as its longest sublist. Here
 * there are more sublists than walks: who is at the end of one takes the next. An item of a
 * processor's driver walks 32 at the same time, which is what reaches the rate of its memory, a GPU
 * has many items instead. A launch is bounded, and walks are continued by the next.
 *
 * splitter has owner and links in one 64-bit word, splitter48 in arrays of 16 and 32 bits, so it
 * moves fewer bytes in more transactions. The forms of the cells are in splitter_program.cl; with
 * `separate` they are D0's, without it an element costs one random line less.
 *
 * Successors that are no lists are noticed as follows (counter FAULTS). Splitters are marked before
 * the walks, and a walk ends at what is marked. Suppose that an element x is on the paths of two
 * walks. What follows x is on both paths too, so both end at the same splitter (link_begin counts
 * who leads where), or both at the same tail (whose cell has one of them), or one ends where the
 * other has been (MET), or the common path is a cycle without a splitter: there the first to come
 * round ends at a cell of its own or of the other, and is in no way from a head to a tail. Each
 * fault goes to hop__rank_retreat. If there is none, paths are disjoint, and every cell is of one
 * walk. More steps than elements mean walks that go on together, and end the run early.
 *
 * Cost: O(count) work; an element is one random line read and written (splitter48: one more
 * written); memory of the device: 12 bytes per element, splitter48 6, with `separate` 12 and 10;
 * drivers that work in the host's memory take the caller's arrays, and are charged for them. */
#include <stdio.h>

#include "core/progress.h"
#include "rank/rank_device.h"

extern const hop__program_source hop__program_splitter;

#define MARK UINT32_C(0x80000000) /* splitter_program.cl has the same */

enum {
    SPLITTERS,
    GROUPS,
    WALKS,
    STEPS,
    CHUNK,
    SEPARATE,
    FORM,
    GROUP = FORM + HOP__FORM_GROUP,
    CUT = FORM + HOP__FORM_CUT,
    AGGREGATE, /* splitter only */
};

enum {
    SUBLIST = 256,            /* elements of a sublist, or more when there would be too many */
    SUBLISTS_LEAST = 1 << 13, /* at most so many, or more when the device is large */
    SUBLISTS_16 = 65535,      /* numbers of 16 bits, but for the mark */
    WALKS_FEW = 32,
    WALKS_MOST = 64,
    STEPS_FEW = 1 << 20,  /* of a group in a launch: some 10 ms */
    STEPS_MANY = 1 << 14, /* of an item */
    LINK_WIDE = 1 << 18,  /* sublists from which on one group is too few */
    LINK_JUMPS = 1 << 22  /* jumps of a launch of one group */
};

/* Words of counters, as in splitter_program.cl. */
enum { TICKET, ACTIVE, WALKED, FAULTS, WORK };

typedef struct ranking {
    hop__device_ranking base;
    bool owner16, separate;
    uint32_t sublists, parts;
    uint32_t walk_groups, walk_group, walks, steps;
    hop__buffer *cells; /* with owner16 the ranks */
    hop__buffer *owners;
    hop__buffer *splitters, *starts, *nexts, *lengths, *tails, *entries, *claims, *splitter_ranks;
    hop__buffer *jumps, *others, *slots;
} ranking;

/* --- sizes ----------------------------------------------------------------------------------- */

static uint32_t least(uint64_t a, uint64_t b) {
    return (uint32_t)(a < b ? a : b);
}

/* How the walk is cut into groups and items, and how many sublists there are. */
static void plan(const hop__rank_task *task, const hop_device_info *device, ranking *r) {
    const double *values = task->values;
    const bool owner16 = r->owner16;
    const hop__rank_query *query = &task->query;
    bool few = (device->capabilities & HOP_DEVICE_FEW) != 0;
    uint64_t units = device->compute_units > 0 ? device->compute_units : 1;
    r->separate = values[SEPARATE] != 0 || (owner16 && query->count >= MARK) ||
                  (!owner16 && !(device->capabilities & HOP_DEVICE_ATOMIC64));
    r->walks = values[WALKS] != 0 ? (uint32_t)values[WALKS] : few ? WALKS_FEW : 1;
    r->walk_group = values[GROUP] != 0 ? (uint32_t)values[GROUP] : few ? 1 : 128;
    r->walk_group = least(r->walk_group, device->group_size > 0 ? device->group_size : 1);
    uint64_t groups = values[GROUPS] != 0 ? (uint64_t)values[GROUPS] : units * (few ? 1 : 8);
    uint64_t items = groups * r->walk_group * r->walks;
    uint64_t most = 4 * items > SUBLISTS_LEAST ? 4 * items : SUBLISTS_LEAST;
    uint64_t wanted = (uint64_t)values[SPLITTERS];
    if (wanted == 0)
        wanted = least(query->count / SUBLIST + 1, most);
    wanted = least(wanted, query->count);
    if (owner16)
        wanted = least(wanted, SUBLISTS_16 - query->head_count);
    /* The first part has the head of a whole list, as in D0. */
    r->parts = (uint32_t)wanted;
    r->sublists = (uint32_t)(query->head_count + wanted - (query->whole && wanted > 0));
    uint64_t enough = (r->sublists + (uint64_t)r->walk_group * r->walks - 1) /
                      ((uint64_t)r->walk_group * r->walks);
    r->walk_groups = least(groups, enough > 0 ? enough : 1);
    uint32_t steps = few ? STEPS_FEW / r->walk_group : STEPS_MANY;
    r->steps = values[STEPS] != 0 ? (uint32_t)values[STEPS] : steps > 0 ? steps : 1;
}

static void list_blocks(const hop__rank_task *task, bool owner16, hop__workspace *space) {
    static const size_t arrays[] = {
        offsetof(ranking, splitters), offsetof(ranking, starts),        offsetof(ranking, nexts),
        offsetof(ranking, lengths),   offsetof(ranking, tails),         offsetof(ranking, entries),
        offsetof(ranking, claims),    offsetof(ranking, splitter_ranks)};
    uint64_t count = task->query.count;
    ranking r = {.owner16 = owner16};
    plan(task, hop__device_info(space->device), &r);
    hop__rank_device_blocks(space, task, owner16 && r.separate);
    if (!owner16)
        hop__buffer_add(space, "rank: cells", count, 8, offsetof(ranking, cells));
    /* Whole words, as relaxed accesses to halves need them. */
    hop__buffer_add(space, "rank: owners", owner16 ? (count + 1) / 2 : 1, 4,
                    offsetof(ranking, owners));
    for (size_t i = 0; i < HOP_LENGTH(arrays); i++)
        hop__buffer_add(space, "rank: sublists", r.sublists, 4, arrays[i]);
    hop__buffer_add(space, "rank: splitters", r.sublists, 8, offsetof(ranking, jumps));
    hop__buffer_add(space, "rank: splitters", r.sublists, 8, offsetof(ranking, others));
    hop__buffer_add(space, "rank: walks", (uint64_t)r.walk_groups * r.walk_group * r.walks, 12,
                    offsetof(ranking, slots));
}

static void splitter64_blocks(const void *task, hop__workspace *space) {
    list_blocks(task, false, space);
}

static void splitter48_blocks(const void *task, hop__workspace *space) {
    list_blocks(task, true, space);
}

/* --- the run --------------------------------------------------------------------------------- */

static hop_status get_program(ranking *r) {
    const hop__define defines[] = {{"OWNER16", r->owner16},
                                   {"SEPARATE", r->separate},
                                   {"WALKS", r->walks},
                                   {"WALK_WG", r->walk_group}};
    return hop__form_program(r->base.device, &r->base.form, &hop__program_splitter, defines,
                             HOP_LENGTH(defines), &r->base.program);
}

/* RS1 and RS2. Bytes: table 5.1 of D0 for `separate`. */
static hop_status clear_and_split(ranking *r) {
    hop_status status;
    hop__device_ranking *base = &r->base;
    const hop__rank_query *query = &base->task->query;
    uint64_t cell = r->owner16 ? 4 : 8, clear = r->owner16 ? 2 : 8;
    if (!r->separate)
        clear = r->owner16 ? 10 : 12;
    hop__argument cleared[] = {hop__arg_buffer(base->successors),
                               hop__arg_buffer(r->cells),
                               hop__arg_buffer(r->owners),
                               hop__arg_u32(query->count),
                               {0},
                               {0}};
    HOP_TRY(status,
            hop__rank_sweep(base, "clear", query->count, clear, cleared, HOP_LENGTH(cleared)));
    hop__argument heads[] = {hop__arg_buffer(base->heads),
                             hop__arg_buffer(base->successors),
                             hop__arg_buffer(r->cells),
                             hop__arg_buffer(r->owners),
                             hop__arg_buffer(r->splitters),
                             hop__arg_buffer(r->starts),
                             {0},
                             {0}};
    HOP_TRY(status, hop__rank_sweep(base, "heads", query->head_count, 16 + 2 * cell, heads,
                                    HOP_LENGTH(heads)));
    hop__argument check[] = {hop__arg_buffer(base->heads),
                             hop__arg_buffer(r->cells),
                             hop__arg_buffer(r->owners),
                             hop__arg_buffer(base->counters),
                             {0},
                             {0}};
    HOP_TRY(status, hop__rank_sweep(base, "heads_check", query->head_count, 4 + cell, check,
                                    HOP_LENGTH(check)));
    hop__argument split[] = {hop__arg_buffer(base->successors),
                             hop__arg_buffer(r->cells),
                             hop__arg_buffer(r->owners),
                             hop__arg_buffer(r->splitters),
                             hop__arg_buffer(r->starts),
                             hop__arg_u32(query->count),
                             hop__arg_u32((uint32_t)base->context->options.seed),
                             hop__arg_u32(r->parts),
                             hop__arg_u32(r->sublists - r->parts),
                             {0},
                             {0}};
    HOP_TRY(status, hop__rank_sweep_from(base, "split", query->whole, r->parts, 12 + 2 * cell,
                                         split, HOP_LENGTH(split)));
done:
    return status;
}

/* RS3: launches until no walk is under way. */
static hop_status walk(ranking *r) {
    hop_status status;
    hop__device_ranking *base = &r->base;
    uint64_t count = base->task->query.count, walked = 0, bytes = r->owner16 ? 10 : 16;
    if (r->separate)
        bytes = r->owner16 ? 12 : 20;
    uint32_t counters[HOP__RANK_COUNTERS];
    hop__argument arguments[] = {hop__arg_buffer(base->successors),
                                 hop__arg_buffer(r->cells),
                                 hop__arg_buffer(r->owners),
                                 hop__arg_buffer(r->splitters),
                                 hop__arg_buffer(r->starts),
                                 hop__arg_buffer(r->nexts),
                                 hop__arg_buffer(r->lengths),
                                 hop__arg_buffer(r->tails),
                                 hop__arg_buffer(r->slots),
                                 hop__arg_buffer(base->counters),
                                 hop__arg_u32((uint32_t)count),
                                 hop__arg_u32(r->sublists),
                                 hop__arg_u32(r->steps)};
    /* What a launch moves is known only after it; the lists are counted with the first. */
    hop__shape shape = hop__shape_of(r->walk_groups, r->walk_group);
    shape.items = count;
    shape.bytes = bytes * count;
    HOP_TRY(status, hop__buffer_fill(r->slots, 0, hop__buffer_bytes(r->slots), HOP_NO_RANK));
    do {
        HOP_TRY(status, hop__buffer_fill(base->counters, 4 * ACTIVE, 8, 0));
        HOP_TRY(status,
                hop__launch_named(base->program, "walk", shape, arguments, HOP_LENGTH(arguments)));
        HOP_TRY(status, hop__buffer_read_now(base->counters, 0, sizeof counters, counters));
        walked += counters[WALKED];
        shape.items = shape.bytes = 0;
        if (!hop__progress_add(base->context, counters[WALKED]))
            return HOP_ERR_CANCELLED;
        if (walked > count || counters[FAULTS] != 0)
            return HOP_ERR_INPUT;
    } while (counters[ACTIVE] > 0);
    base->task->relaxations = walked + r->sublists; /* the splitters are not walked over */
done:
    return status;
}

/* Pointer jumping: after as many rounds as the number of sublists has bits, what still has work is
 * in cycles, which no head may lead to. */
static hop_status jump(ranking *r) {
    hop_status status;
    hop__device_ranking *base = &r->base;
    uint32_t work = 1, round = 0, most = 2, rounds = LINK_JUMPS / (r->sublists + 1);
    while (most < 32 && r->sublists >> most)
        most++;
    rounds = rounds < 2 ? 2 : rounds / 2 * 2;
    while (work && round <= most) {
        hop__argument wide[] = {hop__arg_buffer(r->jumps),
                                hop__arg_buffer(r->others),
                                hop__arg_buffer(base->counters),
                                {0},
                                {0}};
        hop__argument narrow[] = {hop__arg_buffer(r->jumps), hop__arg_buffer(r->others),
                                  hop__arg_buffer(base->counters), hop__arg_u32(r->sublists),
                                  hop__arg_u32(rounds)};
        if (r->sublists >= LINK_WIDE) {
            HOP_TRY(status, hop__buffer_fill(base->counters, 4 * WORK, 4, 0));
            HOP_TRY(status,
                    hop__rank_sweep(base, "link_wide", r->sublists, 24, wide, HOP_LENGTH(wide)));
            hop__buffer *swapped = r->jumps;
            r->jumps = r->others;
            r->others = swapped;
            round++;
        } else {
            hop__shape shape = hop__shape_of(1, hop__form_group(base->device, &base->form));
            HOP_TRY(status,
                    hop__launch_named(base->program, "link", shape, narrow, HOP_LENGTH(narrow)));
            round += rounds;
        }
        HOP_TRY(status, hop__buffer_read_now(base->counters, 4 * WORK, 4, &work));
        if (!hop__progress_add(base->context, 0))
            return HOP_ERR_CANCELLED;
    }
done:
    return status;
}

/* RS4. */
static hop_status link_splitters(ranking *r) {
    hop_status status;
    hop__device_ranking *base = &r->base;
    const hop__rank_query *query = &base->task->query;
    uint32_t faults, sublists = r->sublists;
    const uint64_t bytes = 4 * (uint64_t)sublists;
    hop__argument begin[] = {hop__arg_buffer(r->cells),
                             hop__arg_buffer(r->owners),
                             hop__arg_buffer(r->nexts),
                             hop__arg_buffer(r->lengths),
                             hop__arg_buffer(r->tails),
                             hop__arg_buffer(r->jumps),
                             hop__arg_buffer(r->entries),
                             hop__arg_buffer(base->counters),
                             hop__arg_u32(sublists),
                             {0},
                             {0}};
    HOP_TRY(status, hop__buffer_fill(r->entries, 0, bytes, 0));
    HOP_TRY(status, hop__buffer_fill(r->claims, 0, bytes, 0));
    HOP_TRY(status, hop__rank_sweep(base, "link_begin", sublists, 28, begin, HOP_LENGTH(begin)));
    HOP_TRY(status, jump(r));
    hop__argument heads[] = {hop__arg_buffer(r->jumps),
                             hop__arg_buffer(r->nexts),
                             hop__arg_buffer(r->lengths),
                             hop__arg_buffer(r->claims),
                             hop__arg_buffer(base->counters),
                             hop__arg_u32(query->count),
                             hop__arg_u32(query->whole ? query->count - 1 : HOP_NO_RANK),
                             {0},
                             {0}};
    HOP_TRY(status,
            hop__rank_sweep(base, "link_heads", query->head_count, 24, heads, HOP_LENGTH(heads)));
    HOP_TRY(status, hop__buffer_read_now(base->counters, 4 * FAULTS, 4, &faults));
    if (faults != 0)
        return HOP_ERR_INPUT;
    hop__argument ranks[] = {hop__arg_buffer(r->jumps),
                             hop__arg_buffer(r->nexts),
                             hop__arg_buffer(r->lengths),
                             hop__arg_buffer(r->claims),
                             hop__arg_buffer(r->splitter_ranks),
                             {0},
                             {0}};
    HOP_TRY(status, hop__rank_sweep(base, "link_ranks", sublists, 24, ranks, HOP_LENGTH(ranks)));
done:
    return status;
}

/* RS5. */
static hop_status rank_all(ranking *r) {
    hop_status status;
    hop__device_ranking *base = &r->base;
    uint64_t count = base->task->query.count, bytes = r->owner16 ? 14 : 16;
    hop__argument ranks[] = {hop__arg_buffer(r->cells),
                             hop__arg_buffer(r->owners),
                             hop__arg_buffer(r->splitter_ranks),
                             hop__arg_buffer(base->ranks),
                             {0},
                             {0}};
    if (!r->owner16 && base->task->values[AGGREGATE] != 0) {
        hop__argument coalesced[] = {hop__arg_buffer(r->cells),
                                     hop__arg_buffer(r->owners),
                                     hop__arg_buffer(r->splitter_ranks),
                                     hop__arg_buffer(base->ranks),
                                     hop__arg_u32(r->sublists),
                                     {0},
                                     {0}};
        HOP_TRY(status, hop__rank_sweep(base, "rank_coalesced", count, bytes, coalesced,
                                        HOP_LENGTH(coalesced)));
    }
    HOP_TRY(status, hop__rank_sweep(base, "rank", count, bytes, ranks, HOP_LENGTH(ranks)));
    HOP_TRY(status, hop__rank_device_end(base));
done:
    return status;
}

static hop_status run_on_device(ranking *r) {
    hop_status status;
    HOP_TRY(status, get_program(r));
    HOP_TRY(status, hop__rank_device_begin(&r->base));
    if (r->owner16)
        r->cells = r->base.ranks;
    HOP_TRY(status, clear_and_split(r));
    HOP_TRY(status, walk(r));
    HOP_TRY(status, link_splitters(r));
    HOP_TRY(status, rank_all(r));
done:
    return status;
}

static hop_status splitter_run(hop_context *context, hop__rank_task *task, bool owner16) {
    hop_status status;
    hop__workspace space = {0};
    const double *values = task->values;
    ranking r = {.base = {.context = context,
                          .task = task,
                          .groups = (uint64_t)values[GROUPS],
                          .chunk = (uint64_t)values[CHUNK]},
                 .owner16 = owner16};
    if (task->query.count == 0)
        return HOP_OK;
    if (task->query.head_count > task->query.count)
        return hop__rank_retreat(context, task);
    HOP_TRY(status, hop__device_of(context, &r.base.device));
    r.base.form = hop__form_of(r.base.device, values + FORM);
    plan(task, hop__device_info(r.base.device), &r);
    HOP_TRY(status,
            hop__workspace_open(context, r.base.device,
                                owner16 ? splitter48_blocks : splitter64_blocks, task, &r, &space));
    hop__progress_begin(context, owner16 ? "rank: splitter48" : "rank: splitter",
                        task->query.count);
    status = run_on_device(&r);
    task->rounds = r.sublists;
    hop_status end = hop__progress_end(context);
    status = end != HOP_OK ? end : status;
done:
    hop__workspace_close(&space, status);
    return status == HOP_ERR_INPUT ? hop__rank_retreat(context, task) : status;
}

/* --- the rows -------------------------------------------------------------------------------- */

static hop_status splitter64_run(hop_context *context, hop__rank_task *task) {
    return splitter_run(context, task, false);
}

static hop_status splitter48_run(hop_context *context, hop__rank_task *task) {
    return splitter_run(context, task, true);
}

static bool refuse64(const void *given, char reason[HOP__REASON]) {
    const hop__rank_query *query = &((const hop__rank_task *)given)->query;
    if (query->head_count < UINT32_MAX - (UINT32_C(1) << 25))
        return false;
    snprintf(reason, HOP__REASON, "it has no numbers for %u heads; use sequential",
             query->head_count);
    return true;
}

static bool refuse48(const void *given, char reason[HOP__REASON]) {
    const hop__rank_query *query = &((const hop__rank_task *)given)->query;
    if (query->head_count <= SUBLISTS_16)
        return false;
    snprintf(reason, HOP__REASON,
             "it has numbers for %d sublists, and %u heads are more; use "
             "splitter",
             SUBLISTS_16, query->head_count);
    return true;
}

/* A walk reads a cell anywhere and writes one; the ranks then look up the start of a walk. Waits as
 * counted in docs/devices.md. */
static hop__device_work work64(const void *task) {
    double n = ((const hop__rank_task *)task)->query.count;
    return (hop__device_work){.bytes = 20 * n, .gathers = 3 * n, .waits = 4, .copied = 4 * n};
}

/* A cell in two arrays: fewer bytes, and one more word anywhere, as D0 found. */
static hop__device_work work48(const void *task) {
    double n = ((const hop__rank_task *)task)->query.count;
    return (hop__device_work){.bytes = 16 * n, .gathers = 4 * n, .waits = 4, .copied = 4 * n};
}

#define PARAMETERS(most)                                                                           \
    {.name = "splitters",                                                                          \
     .summary = "random splitters; 0: one for 256 elements, or as many as suit the device",        \
     .type = HOP_PARAMETER_INTEGER,                                                                \
     .maximum = most},                                                                             \
        {.name = "groups",                                                                         \
         .summary = "work-groups; 0: as suits the device",                                         \
         .type = HOP_PARAMETER_INTEGER,                                                            \
         .maximum = 1 << 16},                                                                      \
        {.name = "walks",                                                                          \
         .summary = "sublists that a work-item walks at once; 0: 32 on processors, else 1",        \
         .type = HOP_PARAMETER_INTEGER,                                                            \
         .maximum = WALKS_MOST},                                                                   \
        {.name = "steps",                                                                          \
         .summary = "elements that a work-item walks over in a launch; 0: some 10 ms",             \
         .type = HOP_PARAMETER_INTEGER,                                                            \
         .maximum = 1 << 30},                                                                      \
        {.name = "chunk",                                                                          \
         .summary = "elements of a launch over an array; 0: some 10 ms",                           \
         .type = HOP_PARAMETER_INTEGER,                                                            \
         .maximum = 1 << 30},                                                                      \
        {.name = "separate",                                                                       \
         .summary = "successors apart from the cells, as Yogaratnam has them",                     \
         .type = HOP_PARAMETER_FLAG,                                                               \
         .maximum = 1},                                                                            \
        HOP__FORM_GROUP_ROW, HOP__FORM_CUT_ROW

static const hop_parameter parameters64[] = {
    PARAMETERS(1 << 24),
    {.name = "aggregate",
     .summary = "coalesced: also time RS5 with the splitters' ranks read in order (Yogaratnam "
                "2010, 5.2.7)",
     .type = HOP_PARAMETER_CHOICE,
     .maximum = 1,
     .choices = "owner coalesced"},
};
static const hop_parameter parameters48[] = {PARAMETERS(SUBLISTS_16)};

const hop__rank_variant hop__rank_device_splitter = {
    .row = {.about = {.name = "splitter",
                      .summary = "sublists between random splitters, many walks at once",
                      .source = "Yogaratnam 2010, 5.1.3",
                      .place = HOP_PLACE_DEVICE,
                      HOP__PARAMETERS(parameters64)},
            .refuse = refuse64,
            .blocks = splitter64_blocks,
            .copy = hop__rank_device_copy,
            .device_work = work64},
    .run = splitter64_run,
};

const hop__rank_variant hop__rank_device_splitter48 = {
    .row = {.about = {.name = "splitter48",
                      .summary = "the same with owners of 16 bits and links of 32 in two arrays",
                      .source = "Yogaratnam 2010, 5.1.3",
                      .place = HOP_PLACE_DEVICE,
                      HOP__PARAMETERS(parameters48)},
            .refuse = refuse48,
            .blocks = splitter48_blocks,
            .copy = hop__rank_device_copy,
            .device_work = work48},
    .run = splitter48_run,
};
