/* SPDX-License-Identifier: Apache-2.0
 *
 * Contraction hierarchies (Geisberger, Sanders, Schultes and Delling, "Contraction Hierarchies:
 * Faster and Simpler Hierarchical Routing in Road Networks", 2008).
 *
 * Vertices are taken out of the graph one after the other. Where the shortest path between two
 * neighbours of a vertex may lead over it, an arc that is as long is added between them: distances
 * among those that are left stay as they are. The rows that vertices have when they are taken out
 * are the hierarchy: from every vertex to every other there is a shortest path that first goes up
 * in it and then down.
 *
 * In rounds: all vertices that come before each of their neighbours, in the order of importance,
 * are contracted side by side. They are no neighbours of each other, and no witness may use
 * another one of them: two that are each other's witness would else both be dropped. What is
 * found depends on the rows before the round alone, and is put in by one thread, in a fixed order:
 * so the number of threads does not matter.
 *
 * A vertex is the more important, the more arcs it would add for each that goes, and the higher it
 * is above those contracted already. Whether an arc is needed a witness search tells, a search of
 * few steps for another path that is no longer; where it gives up the arc is added. The steps are
 * in proportion to the length of the row: among the last vertices, whose rows are long, too few of
 * them would add arcs, and so make rows longer still, until all are joined with all.
 *
 * Bounded: given up when a row of more than ROW_MOST arcs comes up, when there are ARCS_MOST times
 * as many arcs as vertices and arcs in the beginning, or when witness searches have looked at
 * STEPS_MOST arcs for each of these; FIRST_STEPS_MOST before the first vertex goes, which a few
 * vertices tell. Hubs make that happen: of a road network 5 are enough in the beginning, of a
 * lattice 26, of an R-MAT graph with 1,024 vertices it would take 3,000. Each thread stops as soon
 * as its own searches have seen too much: then the sum is too much as well, so that still the
 * number of threads does not matter.
 *
 * Cost: 24 bytes per arc and direction, twice that where rows grow; 38 per vertex. */
#include <string.h>

#include "core/memory.h"
#include "core/parallel.h"
#include "core/progress.h"
#include "core/try.h"
#include "index/index_internal.h"
#include "index/index_rows.h"

enum {
    WITNESS_ROOM = 1 << 12,
    GUESS_STEPS = 32 /* of a witness search, when importance is guessed: arcs per neighbour */,
    WITNESS_STEPS = 1000 /* and when a vertex is contracted */,
    GRAIN = 256,
    PICK_GRAIN = 1 << 12,
    BATCH = 1 << 18 /* pairs of neighbours at a time */,
    POLL = 1 << 10,
    ARCS_MOST = 2,
    STEPS_MOST = 4000,
    FIRST_STEPS_MOST = 500,
    FIRST_STEPS_LEAST = 1 << 22 /* of small graphs, a tenth of a second */,
    SAMPLE = 512 /* vertices that tell whether to begin */,
    LEVEL = 1000 /* what a level counts, in importance */,
    STALE = 8,
    SEARCH_MOST = 1 << 17 /* arcs that a witness search looks at */,
    LONG_ROW = 64 /* from here on cancelling is asked for between searches */,
    ROW_MOST = 2048 /* no longer one is contracted */
};

enum { LEFT = 0, PICKED = 1, GONE = 2, CHANGED = 3 };

typedef struct shortcut {
    hop_vertex from, to;
    uint64_t weight;
} shortcut;

/* What a thread searches with. */
typedef struct witness {
    hop__labels labels;
    uint64_t steps; /* arcs looked at */
} witness;

typedef struct contraction {
    hop_context *context;
    hop_vertex n;
    bool directed;
    hop__rows rows;
    uint32_t *importance, *level;
    uint32_t *stale; /* changes of a row since its importance was guessed */
    uint8_t *state;
    hop_vertex *left; /* not contracted, ascending */
    uint64_t left_count;
    hop_vertex *order; /* those that are, and then those picked in this round */
    uint64_t done, picked;
    hop_vertex *changed; /* whose row changed in this round */
    uint64_t changed_count;
    uint64_t *starts; /* of each picked vertex of a batch: its first shortcut, then their number */
    shortcut *shortcuts;
    uint64_t shortcut_room;
    uint64_t batch; /* the first picked vertex of it */
    witness *witnesses;
    unsigned threads;
    uint64_t arcs_most, steps_most; /* beyond these it is hopeless */
} contraction;

/* ---- witnesses ------------------------------------------------------------------------------- */

/* Paths from a vertex up to this length, without v and those picked in this round. What has a label
 * in the end has a path of its distance. */
static void search_witnesses(const contraction *job, witness *own, hop_vertex from, hop_vertex v,
                             uint64_t most, uint64_t steps) {
    hop__labels *labels = &own->labels;
    hop__labels_clear(labels);
    hop__label *label = hop__labels_get(labels, from);
    label->distance = label->key = 0;
    hop__labels_push(labels, label);
    for (uint64_t end = own->steps + steps; labels->waiting > 0 && own->steps < end;) {
        const hop__label *next = hop__labels_pop(labels);
        const hop__row *row = &job->rows.rows[next->vertex];
        const hop__row_arc *arcs = job->rows.arcs + row->begin;
        const uint64_t distance = next->distance;
        own->steps += row->count;
        for (uint32_t i = 0; i < row->count; i++) {
            if (arcs[i].out > most - distance || arcs[i].to == v ||
                job->state[arcs[i].to] == PICKED)
                continue;
            label = hop__labels_get(labels, arcs[i].to);
            if (!label)
                return;
            if (distance + arcs[i].out < label->distance) {
                label->distance = label->key = distance + arcs[i].out;
                hop__labels_push(labels, label);
            }
        }
    }
}

/* Whether arcs i and j of row v are a path over v that may be needed. */
static inline bool is_pair(const contraction *job, const hop__row_arc *arcs, uint32_t i,
                           uint32_t j) {
    return j != i && (job->directed || j > i) && arcs[i].in != HOP__FAR && arcs[j].out != HOP__FAR;
}

/* The arcs that have to be added when v goes, into `found` if that is not NULL; their number. */
static uint64_t find_shortcuts(const contraction *job, witness *own, hop_vertex v, uint32_t steps,
                               shortcut *found) {
    const hop__row *row = &job->rows.rows[v];
    const hop__row_arc *arcs = job->rows.arcs + row->begin;
    uint64_t count = 0;
    for (uint32_t i = 0; i < row->count; i++) {
        uint64_t most = 0;
        bool any = false;
        for (uint32_t j = 0; j < row->count; j++)
            if (is_pair(job, arcs, i, j)) {
                any = true;
                most = arcs[j].out > most ? arcs[j].out : most;
            }
        if (!any)
            continue;
        if (own->steps > job->steps_most ||
            (row->count > LONG_ROW && !hop__progress_add(job->context, 0)))
            return count;
        search_witnesses(job, own, arcs[i].to, v, arcs[i].in + most,
                         steps < SEARCH_MOST / row->count ? steps * row->count : SEARCH_MOST);
        for (uint32_t j = 0; j < row->count; j++) {
            if (!is_pair(job, arcs, i, j))
                continue;
            const uint64_t weight = arcs[i].in + arcs[j].out;
            const hop__label *label = hop__labels_find(&own->labels, arcs[j].to);
            if (label && label->distance <= weight)
                continue;
            if (found)
                found[count] = (shortcut){arcs[i].to, arcs[j].to, weight};
            count++;
        }
    }
    return count;
}

/* ---- a round --------------------------------------------------------------------------------- */

static void rate(contraction *job, witness *own, hop_vertex v) {
    const uint64_t removed = job->rows.rows[v].count;
    const uint64_t added =
        removed > ROW_MOST ? removed * removed : find_shortcuts(job, own, v, GUESS_STEPS, NULL);
    const uint64_t scale = job->directed ? LEVEL / 2 : LEVEL;
    uint64_t importance =
        (uint64_t)job->level[v] * LEVEL + (removed > 0 ? scale * added / removed : 0);
    job->stale[v] = 0;
    job->importance[v] = importance < UINT32_MAX ? (uint32_t)importance : UINT32_MAX;
}

static void rate_all(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    contraction *job = arg;
    for (uint64_t i = begin; i < end && hop__progress_add(job->context, 0); i++)
        rate(job, &job->witnesses[thread], job->changed[i]);
}

static inline bool comes_before(const contraction *job, hop_vertex u, hop_vertex v) {
    if (job->importance[u] != job->importance[v])
        return job->importance[u] < job->importance[v];
    uint64_t a = hop__mix64(u), b = hop__mix64(v);
    return a != b ? a < b : u < v;
}

/* Whether v comes before all its neighbours. */
static bool is_first(const contraction *job, hop_vertex v) {
    const hop__row *row = &job->rows.rows[v];
    const hop__row_arc *arcs = job->rows.arcs + row->begin;
    for (uint32_t i = 0; i < row->count; i++)
        if (!comes_before(job, v, arcs[i].to))
            return false;
    return true;
}

static void pick(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    contraction *job = arg;
    (void)thread;
    if (!hop__progress_add(job->context, 0))
        return;
    for (uint64_t i = begin; i < end; i++)
        if (is_first(job, job->left[i]))
            job->state[job->left[i]] = PICKED;
}

/* Moves what is picked from those left to the order; false: one has too long a row. */
static bool collect(contraction *job) {
    uint64_t kept = 0;
    bool short_rows = true;
    job->picked = 0;
    for (uint64_t i = 0; i < job->left_count; i++) {
        hop_vertex v = job->left[i];
        if (job->state[v] == PICKED) {
            job->order[job->done + job->picked++] = v;
            short_rows = short_rows && job->rows.rows[v].count <= ROW_MOST;
        } else {
            job->left[kept++] = v;
        }
    }
    job->left_count = kept;
    return short_rows;
}

/* As many picked vertices as have BATCH pairs of neighbours, but one at least: where each puts its
 * shortcuts. Returns how many. */
static hop_status plan_batch(contraction *job, uint64_t begin, uint64_t *count) {
    uint64_t pairs = 0;
    hop_status status = HOP_OK;
    *count = 0;
    while (begin + *count < job->picked && *count < BATCH) {
        uint64_t degree = job->rows.rows[job->order[job->done + begin + *count]].count;
        uint64_t most = job->directed ? degree * degree : degree * degree / 2;
        if (*count > 0 && pairs + most > BATCH)
            break;
        job->starts[(*count)++] = pairs;
        pairs += most;
    }
    job->batch = job->done + begin;
    if (pairs > job->shortcut_room) {
        HOP_TRY(status, hop__resize(job->context, "index: shortcuts", pairs, sizeof *job->shortcuts,
                                    &job->shortcuts));
        job->shortcut_room = pairs;
    }
done:
    return status;
}

static void contract_all(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    contraction *job = arg;
    for (uint64_t i = begin; i < end && hop__progress_add(job->context, 0); i++) {
        shortcut *found = job->shortcuts + job->starts[i];
        job->starts[BATCH + i] = find_shortcuts(job, &job->witnesses[thread],
                                                job->order[job->batch + i], WITNESS_STEPS, found);
    }
}

/* A neighbour of v, of this level, went. What it comes to is guessed anew when an eighth of the row
 * has changed: most time goes into the long rows of the last vertices. */
static void note_change(contraction *job, hop_vertex v, uint32_t level) {
    if (job->level[v] <= level) {
        uint64_t importance = job->importance[v] + (uint64_t)(level + 1 - job->level[v]) * LEVEL;
        job->importance[v] = importance < UINT32_MAX ? (uint32_t)importance : UINT32_MAX;
        job->level[v] = level + 1;
    }
    if (++job->stale[v] * (uint64_t)STALE < job->rows.rows[v].count || job->state[v] == CHANGED)
        return;
    job->state[v] = CHANGED;
    job->changed[job->changed_count++] = v;
}

/* Takes v out of the rows of its neighbours, and puts the arcs in that are needed. */
static hop_status replace(contraction *job, hop_vertex v, const shortcut *found, uint64_t count) {
    const hop__row row = job->rows.rows[v];
    hop_status status = HOP_OK;
    job->state[v] = GONE;
    for (uint32_t i = 0; i < row.count; i++) {
        hop_vertex u = job->rows.arcs[row.begin + i].to;
        hop__rows_remove(&job->rows, u, v);
        note_change(job, u, job->level[v]);
    }
    for (uint64_t i = 0; i < count; i++)
        HOP_TRY(status, hop__rows_add(job->context, &job->rows, found[i].from, found[i].to,
                                      found[i].weight, job->directed));
done:
    return status;
}

static hop_status contract_picked(contraction *job) {
    hop_status status = HOP_OK;
    for (uint64_t begin = 0, count; begin < job->picked; begin += count) {
        HOP_TRY(status, plan_batch(job, begin, &count));
        hop__for(job->context, count, GRAIN, contract_all, job);
        if (!hop__progress_add(job->context, count))
            break; /* the numbers of shortcuts are not all there */
        for (uint64_t i = 0; i < count; i++) {
            HOP_TRY(status, replace(job, job->order[job->batch + i],
                                    job->shortcuts + job->starts[i], job->starts[BATCH + i]));
            if (i % POLL == 0 && !hop__progress_add(job->context, 0))
                goto done;
        }
    }
    job->done += job->picked;
done:
    return status;
}

static bool is_hopeless(const contraction *job) {
    uint64_t steps = 0;
    for (unsigned i = 0; i < job->threads; i++)
        steps += job->witnesses[i].steps;
    return job->rows.live > job->arcs_most || steps > job->steps_most;
}

/* Guesses the importance of those that have changed, all of them in the beginning. */
static void rate_changed(contraction *job) {
    hop__for(job->context, job->changed_count, GRAIN, rate_all, job);
    for (uint64_t i = 0; i < job->changed_count; i++)
        job->state[job->changed[i]] = LEFT;
    job->changed_count = 0;
}

/* How much witness searches may look at before anything is contracted. */
static uint64_t first_steps(uint64_t items) {
    return items < FIRST_STEPS_LEAST / FIRST_STEPS_MOST ? FIRST_STEPS_LEAST
                                                        : FIRST_STEPS_MOST * items;
}

/* Whether a few vertices, from all over the graph, say that it is not worth beginning. */
static bool begins_badly(contraction *job) {
    const uint64_t count = job->n < SAMPLE ? job->n : SAMPLE;
    uint64_t items = count;
    for (uint64_t i = 0; i < count; i++) {
        job->changed[i] = (hop_vertex)(i * job->n / count);
        items += job->rows.rows[job->changed[i]].count;
    }
    job->changed_count = count;
    job->steps_most = first_steps(items);
    rate_changed(job);
    return is_hopeless(job);
}

static hop_status run_rounds(contraction *job, bool *given_up) {
    hop_context *context = job->context;
    hop_status status = HOP_OK;
    const uint64_t all_steps = STEPS_MOST * (job->n + job->rows.live);
    hop__progress_begin(context, "index: contract", job->n);
    *given_up = begins_badly(job);
    for (hop_vertex v = 0; v < job->n; v++)
        job->left[v] = job->changed[v] = v;
    job->changed_count = job->n;
    job->left_count = *given_up ? 0 : job->n;
    job->steps_most = first_steps(job->n + job->rows.live);
    while (job->left_count > 0 && status == HOP_OK && hop__progress_add(context, 0)) {
        rate_changed(job);
        if (!hop__progress_add(context, 0))
            break;
        *given_up = is_hopeless(job);
        if (*given_up)
            break;
        job->steps_most = all_steps;
        hop__for(context, job->left_count, PICK_GRAIN, pick, job);
        if (!hop__progress_add(context, 0))
            break;
        *given_up = !collect(job);
        if (*given_up)
            break;
        status = contract_picked(job);
        *given_up = is_hopeless(job);
        if (*given_up)
            break;
    }
    hop_status ended = hop__progress_end(context);
    return status != HOP_OK ? status : ended;
}

/* ---- the hierarchy --------------------------------------------------------------------------- */

static uint64_t heaviest(const contraction *job) {
    uint64_t most = 0;
    for (hop_vertex v = 0; v < job->n; v++) {
        const hop__row_arc *arcs = hop__row_arcs(&job->rows, v);
        for (uint32_t i = 0; i < job->rows.rows[v].count; i++) {
            most = arcs[i].out != HOP__FAR && arcs[i].out > most ? arcs[i].out : most;
            most = arcs[i].in != HOP__FAR && arcs[i].in > most ? arcs[i].in : most;
        }
    }
    return most;
}

static uint32_t *put_weight(uint32_t *words, uint32_t weight_words, uint64_t weight) {
    *words++ = (uint32_t)weight;
    if (weight_words == 2)
        *words++ = (uint32_t)(weight >> 32);
    return words;
}

/* Rows in the order of places, which is that of contraction turned round. */
static void lay_out(const contraction *job, hop__hierarchy *h, bool directed) {
    uint32_t *words = h->words;
    h->offsets[0] = 0;
    for (hop_vertex place = 0; place < job->n; place++) {
        hop_vertex v = job->order[job->n - 1 - place];
        const hop__row *row = &job->rows.rows[v];
        const hop__row_arc *arcs = hop__row_arcs(&job->rows, v);
        h->offsets[place + (uint64_t)1] = h->offsets[place] + row->count;
        for (uint32_t i = 0; i < row->count; i++) {
            *words++ = h->places[arcs[i].to];
            words = put_weight(words, h->weight_words, arcs[i].out);
            if (directed)
                words = put_weight(words, h->weight_words, arcs[i].in);
        }
    }
}

static hop_status make_hierarchy(contraction *job, hop_index *index) {
    hop__hierarchy *h = &index->hierarchy;
    hop_status status;
    h->weight_words = heaviest(job) < UINT32_MAX ? 1 : 2;
    HOP_TRY(status,
            hop__alloc(job->context, "index: places", job->n, sizeof *h->places, &h->places));
    HOP_TRY(status, hop__alloc(job->context, "index: offsets", (uint64_t)job->n + 1,
                               sizeof *h->offsets, &h->offsets));
    HOP_TRY(status,
            hop__alloc(job->context, "index: hierarchy", job->rows.live * hop__arc_words(index),
                       sizeof *h->words, &h->words));
    for (hop_vertex i = 0; i < job->n; i++)
        h->places[job->order[i]] = job->n - 1 - i;
    h->depth = 1;
    for (hop_vertex v = 0; v < job->n; v++)
        h->depth = job->level[v] + 1 > h->depth ? job->level[v] + 1 : h->depth;
    lay_out(job, h, job->directed);
done:
    return status;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static hop_status open_job(contraction *job, const hop_graph *metric, const hop_graph *reverse) {
    hop_context *context = job->context;
    const uint64_t n = job->n;
    hop_status status;
    HOP_TRY(status,
            hop__alloc(context, "index: importance", n, sizeof *job->importance, &job->importance));
    HOP_TRY(status, hop__alloc_zero(context, "index: levels", n, sizeof *job->level, &job->level));
    HOP_TRY(status, hop__alloc(context, "index: changes", n, sizeof *job->stale, &job->stale));
    HOP_TRY(status, hop__alloc_zero(context, "index: states", n, sizeof *job->state, &job->state));
    HOP_TRY(status, hop__alloc(context, "index: vertices", n, sizeof *job->left, &job->left));
    HOP_TRY(status, hop__alloc(context, "index: order", n, sizeof *job->order, &job->order));
    HOP_TRY(status, hop__alloc(context, "index: changes", n, sizeof *job->changed, &job->changed));
    HOP_TRY(status, hop__alloc(context, "index: batch", 2 * (uint64_t)BATCH, sizeof *job->starts,
                               &job->starts));
    HOP_TRY(status, hop__alloc(context, "index: shortcuts", BATCH, sizeof *job->shortcuts,
                               &job->shortcuts));
    job->shortcut_room = BATCH;
    HOP_TRY(status, hop__alloc_zero(context, "index: witnesses", job->threads,
                                    sizeof *job->witnesses, &job->witnesses));
    for (unsigned i = 0; i < job->threads; i++)
        HOP_TRY(status, hop__labels_open(context, &job->witnesses[i].labels, WITNESS_ROOM));
    HOP_TRY(status, hop__rows_open(context, &job->rows, metric, reverse));
    job->arcs_most = ARCS_MOST * (n + job->rows.live);
done:
    return status;
}

static void close_job(contraction *job) {
    for (unsigned i = 0; job->witnesses && i < job->threads; i++)
        hop__labels_close(&job->witnesses[i].labels);
    hop__free(job->importance);
    hop__free(job->level);
    hop__free(job->stale);
    hop__free(job->state);
    hop__free(job->left);
    hop__free(job->order);
    hop__free(job->changed);
    hop__free(job->starts);
    hop__free(job->shortcuts);
    hop__free(job->witnesses);
    hop__rows_close(&job->rows);
}

hop_status hop__contract(hop_context *context, hop_index *index, const hop_graph *metric,
                         const hop_graph *reverse, bool *given_up) {
    contraction job = {.context = context,
                       .n = metric->vertices,
                       .directed = metric->directed,
                       .threads = hop__team_limit(context)};
    hop_status status;
    *given_up = false;
    HOP_TRY(status, open_job(&job, metric, reverse));
    HOP_TRY(status, run_rounds(&job, given_up));
    if (!*given_up)
        HOP_TRY(status, make_hierarchy(&job, index));
done:
    close_job(&job);
    return status;
}
