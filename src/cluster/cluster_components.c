/* SPDX-License-Identifier: Apache-2.0
 *
 * label[v] = the smallest vertex of v's component, whatever the direction of the arcs, as
 * hop_components.
 *
 * First each rank by itself: a union-find over the ends of its own arcs, which puts them into
 * groups. A group says all that the rank's arcs say, and is named by its smallest vertex, its root.
 * Of an undirected graph first two arcs of each row are joined, which makes one large group of most
 * ends (Sutton, Ben-Nun, Barak: "Afforest", 2018); then rows of the hub's group, that of the vertex
 * with the longest row of all ranks, are skipped. The arc from u to v, and its reverse on another
 * rank, are both skipped only if both ranks know that u and v are connected with the hub.
 * Where the hub has a large part of all vertices as neighbours its group is found first, by three
 * rounds over all ranks (cluster_reach.h): owners and holders then agree on what is inside, nothing
 * is told of that, and only what is left is joined and told of as here.
 * Each rank tells the owners of its ends their roots. The smallest of these is the first label of a
 * vertex, and if ranks have told different ones, the owner knows that these are of one component:
 * such pairs of roots are all that is left. There are few of them where graphs have a giant, since
 * each rank's part of it is one group.
 *
 * Where there are at most GATHER_MOST pairs (cluster.c) every rank gets them all, joins them, and
 * looks up what the first labels of its vertices have become.
 *
 * Where there are more, over the ranks, on groups made of the pairs by a second union-find, FastSV
 * (Zhang, Azad, Buluc, 2020; after Shiloach and Vishkin, 1982): the owner of v keeps parent[v], at
 * most v, which is the first label at the start. A round:
 *
 *     grand[v] = parent[parent[v]]                                    ask the owners of the parents
 *     each group learns grand of its members; the smallest is m       from the owners
 *     members with more tell their owners: parent[v] = min(parent[v], m), and so does the parent
 *     that v had: parent[parent[v]] = min(..., m)                     to the owners, and to theirs
 *     parent[v] = min(parent[v], grand[v])
 *
 * until a round changes nothing. Then parents are constant on groups and parent[parent[v]] =
 * parent[v]: one label per component; and the smallest vertex has never had another parent.
 *
 * Members are ascending by id, and so are their owners: what is sent is in the order of the ranks
 * as it lies.
 *
 * Bytes sent, with D the different ends of this rank's arcs and M the members, those of others: 4 D
 * for the roots, 8 D from 2^32 vertices on, or, with a hub, D/8 three times and as much for what is
 * not inside; 16 for each pair here to every other rank; or 8 M to be
 * known, and in each round 8 M for grand, 16 for each member that changes, 16 for each different
 * parent asked or told.
 * Memory: 4 bytes per different end of an arc here, and 4 per vertex of this rank that others know,
 * 12 and 8 from 2^32 vertices on; 16 per vertex of this rank; 72 per pair. */
#include "cluster/cluster_reach.h"

#include <string.h>

#include "core/bitmap.h"
#include "core/memory.h"
#include "core/try.h"

#define NO_HUB UINT64_MAX
#define ALONE  UINT64_MAX /* in the place of a root: an end that is a group by itself */
enum { FIRST_ARCS = 2, AHEAD = 16 /* rows */ };

/* A vertex and a label that it should have at most. */
typedef struct offer {
    uint64_t vertex, label;
} offer;

/* Vertices, in 32 bits where the graph has so few that all, and ALONE, fit. */
typedef struct words {
    uint32_t *narrow;
    uint64_t *wide;
} words;

typedef struct search {
    hop_cluster *cluster;
    hop_context *context;
    const hop_cluster_graph *graph;
    /* Roots of the ends of the arcs here, and what was told of the vertices that others know; what
     * is told of narrow ones lies in end_roots. */
    uint32_t *end_roots;
    words told, heard;
    hop__reach reach;         /* where it pays */
    uint64_t giant, hub_root; /* the smallest vertex inside; of joined ends here, their root */
    /* Of the members here. */
    hop__u128 *pairs, last_pair; /* none at first: its first is smaller than its second */
    uint64_t pair_count, pair_room;
    uint64_t heard_count;
    uint64_t member_count, *ids, *roots; /* roots: index of the group's smallest member */
    uint64_t *grand;                     /* as the owners say */
    uint64_t *smallest;                  /* of a group, at its root */
    uint64_t *counts;                    /* members of each owner */
    /* Of this rank's vertices. */
    uint64_t *parents, *grand_here;
    hop__inbox asked; /* vertices here that the members of other ranks are */
    uint64_t *answers;
    /* Scratch. */
    offer *offers;
    uint64_t *to_ranks;
} search;

/* One of two, by a bit that cannot be foreseen: without a branch. */
static inline uint64_t choose(bool bit, uint64_t yes, uint64_t no) {
    return no ^ ((no ^ yes) & (0 - (uint64_t)bit));
}

static bool lower(uint64_t *label, uint64_t offered) {
    if (offered >= *label)
        return false;
    *label = offered;
    return true;
}

/* The different ones of `count` sorted ids; how many there are. */
static uint64_t different(uint64_t *ids, uint64_t count) {
    uint64_t kept = 0;
    for (uint64_t i = 0; i < count; i++)
        if (i == 0 || ids[i] != ids[kept - 1])
            ids[kept++] = ids[i];
    return kept;
}

static uint64_t find(const uint64_t *ids, uint64_t count, uint64_t id) {
    uint64_t low = 0;
    while (count > 1) {
        uint64_t half = count / 2;
        low += ids[low + half] <= id ? half : 0;
        count -= half;
    }
    return low;
}

/* ---- groups of this rank --------------------------------------------------------------------- */

static uint32_t root_of(uint32_t *roots, uint32_t at) {
    while (roots[at] != at) {
        roots[at] = roots[roots[at]];
        at = roots[at];
    }
    return at;
}

/* The smaller index becomes the root: indices are in the order of the ids. The root of both. */
static uint32_t join(uint32_t *roots, uint32_t a, uint32_t b) {
    a = root_of(roots, a);
    b = root_of(roots, b);
    uint32_t low = a < b ? a : b;
    roots[a < b ? b : a] = low;
    return low;
}

/* Joins arcs [from, to) of a row. Most ends have the row's root already: one look. */
static void row_join(const hop_cluster_graph *graph, uint32_t *roots, uint64_t row, uint64_t from,
                     uint64_t to) {
    uint32_t root = root_of(roots, graph->rows[row]);
    for (uint64_t arc = from; arc < to; arc++)
        if (roots[graph->ends[arc]] != root)
            root = join(roots, root, graph->ends[arc]);
}

/* The first arcs of all rows, then the others: after those most ends are one group, and their root
 * is one step away. Rows of the hub's group are skipped: see the top. */
static void ends_join(const hop_cluster_graph *graph, uint32_t *roots, uint64_t hub) {
    uint32_t count = (uint32_t)graph->id_count;
    for (uint32_t i = 0; i < count; i++)
        roots[i] = i;
    for (uint64_t row = 0; row < graph->row_count; row++) {
        uint64_t from = graph->starts[row], to = graph->starts[row + 1];
        uint64_t ahead = row + AHEAD < graph->row_count ? row + AHEAD : row;
        __builtin_prefetch(&graph->ends[graph->starts[ahead]]);
        row_join(graph, roots, row, from, to - from < FIRST_ARCS ? to : from + FIRST_ARCS);
    }
    for (uint32_t i = 0; i < count; i++)
        roots[i] = roots[roots[i]];
    hub = hub == NO_HUB ? hub : roots[hub];
    for (uint64_t row = 0; row < graph->row_count; row++) {
        uint64_t from = graph->starts[row] + FIRST_ARCS, to = graph->starts[row + 1];
        if (from < to && (hub == NO_HUB || root_of(roots, graph->rows[row]) != hub))
            row_join(graph, roots, row, from, to);
    }
    for (uint32_t i = 0; i < count; i++) /* of what is before, the root is known */
        roots[i] = roots[roots[i]];
}

/* The hub's index among the ends here, if it is one and arcs have their reverse. */
static uint64_t hub_find(const hop_cluster_graph *graph) {
    uint64_t place = graph->id_count > 0 ? find(graph->ids, graph->id_count, graph->hub) : 0;
    bool here = !graph->directed && graph->id_count > 0 && graph->ids[place] == graph->hub;
    return here ? place : NO_HUB;
}

/* ---- what is left ---------------------------------------------------------------------------- */

static hop_status words_make(search *work, uint64_t count, words *made) {
    if (work->graph->vertices < UINT32_MAX)
        return hop__alloc(work->context, "components: roots", count, 4, &made->narrow);
    return hop__alloc(work->context, "components: roots", count, 8, &made->wide);
}

static inline uint64_t word_at(const words *from, uint64_t i) {
    if (from->wide != NULL)
        return from->wide[i];
    return from->narrow[i] == (uint32_t)ALONE ? ALONE : from->narrow[i];
}

static void words_free(words *made) {
    hop__free(made->narrow);
    hop__free(made->wide);
    *made = (words){NULL, NULL};
}

/* Room for the roots, before anything is sent. */
static hop_status roots_open(search *work) {
    const hop_cluster_graph *graph = work->graph;
    hop_status status;
    HOP_TRY(status,
            hop__alloc(work->context, "components: roots", graph->id_count, 4, &work->end_roots));
    if (graph->vertices >= UINT32_MAX)
        HOP_TRY(status, words_make(work, graph->id_count, &work->told));
    HOP_TRY(status, words_make(work, graph->known_starts[graph->ranks], &work->heard));
    if (hop__reach_pays(graph))
        status = hop__reach_open(work->cluster, graph, &work->reach);
done:
    return status;
}

/* What is told of each end: its root, or that it is alone, which a root is until another end has
 * it. Which it is cannot be foreseen, so there is no branch. Narrow ones take the place of the
 * indices: a root is not after its ends, so nobody looks at it any more. */
static void words_fill(search *work) {
    const hop_cluster_graph *graph = work->graph;
    const uint64_t *ids = graph->ids, count = graph->id_count;
    uint64_t *wide = work->told.wide;
    uint32_t *roots = work->end_roots;
    for (uint64_t i = 0; wide != NULL && i < count; i++)
        wide[roots[i]] = wide[i] = roots[i] == i ? ALONE : ids[roots[i]];
    for (uint64_t i = 0; wide == NULL && i < count; i++) {
        uint32_t root = roots[i], alone = 0 - (uint32_t)(root == i);
        roots[root] = roots[i] = (uint32_t)ids[root] | alone;
    }
}

/* Where the hub's group is known: ends that are joined are one group, and their rows skipped. The
 * root of that group, or NO_HUB where there is none here. */
static uint64_t rest_join(search *work) {
    const hop_cluster_graph *graph = work->graph;
    const uint64_t *joined = work->reach.joined;
    uint32_t *roots = work->end_roots, count = (uint32_t)graph->id_count, first = 0;
    while (first < count && !hop__bitmap_get(joined, first))
        first++;
    for (uint32_t i = 0; i < count; i++)
        roots[i] = (uint32_t)choose(hop__bitmap_get(joined, i), first, i);
    for (uint64_t row = 0; row < graph->row_count; row++)
        if (!hop__bitmap_get(joined, graph->rows[row]))
            row_join(graph, roots, row, graph->starts[row], graph->starts[row + 1]);
    return first < count ? root_of(roots, first) : NO_HUB;
}

/* The next number from `i` on, below `count`, whose bit is not set; `count` if there is none. */
static uint64_t next_clear(const uint64_t *bits, uint64_t i, uint64_t count) {
    while (i < count) {
        uint64_t left = ~bits[i / 64] >> i % 64;
        if (left != 0) {
            i += (unsigned)__builtin_ctzll(left);
            break;
        }
        i = (i / 64 + 1) * 64;
    }
    return i < count ? i : count;
}

/* What is told of ends that are not agreed on, as words_fill; how many of each owner. */
static void rest_fill(search *work, uint64_t hub, uint64_t *counts) {
    const hop_cluster_graph *graph = work->graph;
    const uint64_t *agreed = work->reach.agreed, count = graph->id_count;
    uint64_t *company = work->reach.joined, told = 0; /* roots that other ends have */
    uint32_t *roots = work->end_roots;
    memset(company, 0, hop__bitmap_words(count) * sizeof *company);
    if (hub != NO_HUB)
        hop__bitmap_set(company, hub);
    for (uint64_t i = next_clear(agreed, 0, count); i < count;
         i = next_clear(agreed, i + 1, count)) {
        roots[i] = root_of(roots, (uint32_t)i);
        if (roots[i] != i)
            hop__bitmap_set(company, roots[i]);
    }
    for (uint32_t rank = 0; rank < graph->ranks; rank++) {
        uint64_t before = told, stop = graph->id_starts[rank + 1];
        uint64_t i = next_clear(agreed, graph->id_starts[rank], stop);
        for (; i < stop; i = next_clear(agreed, i + 1, stop), told++) {
            bool alone = roots[i] == i && !hop__bitmap_get(company, i);
            uint64_t word = alone ? ALONE : graph->ids[roots[i]];
            if (work->told.wide != NULL)
                work->told.wide[told] = word;
            else
                roots[told] = (uint32_t)word; /* not after i: nobody looks there any more */
        }
        counts[rank] = told - before;
    }
}

/* How many vertices each rank has something to say of: it knows them, and they are not inside. */
static void rest_count(const search *work, uint64_t *counts) {
    const hop_cluster_graph *graph = work->graph;
    const uint64_t *sent = work->reach.bits.out;
    for (uint32_t rank = 0; rank < graph->ranks; rank++) {
        uint64_t known = graph->known_counts[rank];
        counts[rank] = 0;
        for (uint64_t i = next_clear(sent, 0, known); i < known; i = next_clear(sent, i + 1, known))
            counts[rank]++;
        sent += hop__bitmap_words(known);
    }
}

/* Joins what is here, and tells the owners of the ends their roots. */
static hop_status roots_tell(search *work) {
    const hop_cluster_graph *graph = work->graph;
    bool wide = work->told.wide != NULL;
    uint64_t *out = graph->id_counts, *in = graph->known_counts;
    hop_status status;
    if (work->reach.joined != NULL) {
        HOP_TRY(status, hop__reach_run(&work->reach, &work->giant));
        uint64_t hub = rest_join(work);
        work->hub_root = hub == NO_HUB ? work->giant : graph->ids[hub];
        out = work->reach.bits.counts;
        in = work->reach.bits.word_counts;
        rest_fill(work, hub, out);
        rest_count(work, in);
    } else {
        ends_join(graph, work->end_roots, hub_find(graph));
        words_fill(work);
    }
    HOP_TRY(status, hop__exchange_known(work->cluster, "components: roots", wide ? 8 : 4,
                                        wide ? (void *)work->told.wide : work->end_roots, out,
                                        wide ? (void *)work->heard.wide : work->heard.narrow, in));
    hop__free(work->end_roots);
    work->end_roots = NULL;
    words_free(&work->told);
done:
    return status;
}

static hop_status pair_add(search *work, hop__u128 pair) {
    if (work->pair_count == work->pair_room) {
        uint64_t room = 2 * work->pair_room + 64;
        hop_status status = hop__resize(work->context, "components: pairs", room,
                                        sizeof *work->pairs, &work->pairs);
        if (status != HOP_OK)
            return status;
        work->pair_room = room;
    }
    work->pairs[work->pair_count++] = work->last_pair = pair;
    return HOP_OK;
}

/* The smallest root that was heard of a vertex is its first label; another one is a pair with that.
 * The same pair comes many times in a row. */
static inline hop_status root_hear(search *work, uint64_t *label, uint64_t root) {
    uint64_t low = root < *label ? root : *label, high = root < *label ? *label : root;
    *label = low;
    /* Nearly always; each half by itself cannot be foreseen. */
    if ((unsigned)(high == ALONE) | (unsigned)(low == high))
        return HOP_OK;
    hop__u128 pair = (hop__u128)low << hop__id_bits(work->graph->vertices) | high;
    return pair == work->last_pair ? HOP_OK : pair_add(work, pair);
}

/* Calls step(user, number of the vertex) of all that others have something to say of, in the order
 * in which it comes, as rest_count: known to a rank, and not inside. */
static hop_status rest_each(search *work, hop_status (*step)(search *work, uint32_t at)) {
    const hop_cluster_graph *graph = work->graph;
    const uint64_t *sent = work->reach.bits.out;
    hop_status status = HOP_OK;
    for (uint32_t rank = 0; rank < graph->ranks; rank++) {
        const uint32_t *places = graph->known + graph->known_starts[rank];
        uint64_t known = graph->known_counts[rank];
        for (uint64_t i = next_clear(sent, 0, known); status == HOP_OK && i < known;
             i = next_clear(sent, i + 1, known))
            status = step(work, places[i]);
        sent += hop__bitmap_words(known);
    }
    return status;
}

static hop_status rest_begin(search *work, uint32_t at) {
    work->parents[at] = ALONE;
    return HOP_OK;
}

static hop_status rest_hear(search *work, uint32_t at) {
    return root_hear(work, &work->parents[at], word_at(&work->heard, work->heard_count++));
}

static hop_status rest_end(search *work, uint32_t at) {
    if (work->parents[at] == ALONE)
        work->parents[at] = work->graph->first_vertex + at;
    return HOP_OK;
}

/* Those inside have one label; how it and the root of this rank's joined ends, of which nobody was
 * told, belong together is a pair. */
static hop_status rest_list(search *work) {
    uint64_t first = work->graph->first_vertex, giant = work->giant, *labels = work->parents;
    hop_status status;
    for (uint64_t v = 0; v < work->graph->vertex_count; v++)
        labels[v] = choose(hop__bitmap_get(work->reach.inside, v), giant, first + v);
    HOP_TRY(status, root_hear(work, &giant, work->hub_root));
    HOP_TRY(status, rest_each(work, rest_begin));
    HOP_TRY(status, rest_each(work, rest_hear));
    status = rest_each(work, rest_end);
done:
    return status;
}

static hop_status pairs_list(search *work) {
    const hop_cluster_graph *graph = work->graph;
    const words heard = work->heard;
    uint64_t known = graph->known_starts[graph->ranks], *labels = work->parents;
    hop_status status = HOP_OK;
    for (uint64_t v = 0; v < graph->vertex_count; v++)
        labels[v] = ALONE;
    for (uint64_t i = 0; status == HOP_OK && i < known; i++)
        status = root_hear(work, &labels[graph->known[i]], word_at(&heard, i));
    for (uint64_t v = 0; v < graph->vertex_count; v++)
        labels[v] = choose(labels[v] == ALONE, graph->first_vertex + v, labels[v]);
    return status;
}

/* First labels, and the different pairs of roots. */
static hop_status pairs_make(search *work) {
    const hop_cluster_graph *graph = work->graph;
    uint64_t kept = 0;
    hop_status status;
    HOP_TRY(status, work->reach.inside != NULL ? rest_list(work) : pairs_list(work));
    HOP_TRY(status, hop__sort_u128(work->context, work->pairs, work->pair_count,
                                   2 * hop__id_bits(graph->vertices)));
    for (uint64_t i = 0; i < work->pair_count; i++)
        if (i == 0 || work->pairs[i] != work->pairs[kept - 1])
            work->pairs[kept++] = work->pairs[i];
    work->pair_count = kept;
done:
    words_free(&work->heard);
    return status;
}

/* Members: the ends of the pairs; groups: what these join. */
static hop_status members_make(search *work) {
    uint64_t ends = 2 * work->pair_count;
    unsigned bits = hop__id_bits(work->graph->vertices);
    uint32_t *roots = NULL;
    hop_status status = HOP_OK;
    if (ends >= UINT32_MAX) {
        status = hop__fail(work->context, HOP_ERR_UNSUPPORTED,
                           "components: %llu pairs of groups on one rank, at most 2^31 - 1 are "
                           "possible; use more ranks",
                           (unsigned long long)work->pair_count);
        goto done;
    }
    HOP_TRY(status, hop__alloc(work->context, "components: members", ends, 8, &work->ids));
    HOP_TRY(status, hop__alloc(work->context, "components: members", ends, 8, &work->roots));
    HOP_TRY(status, hop__alloc(work->context, "components: members", ends, 4, &roots));
    for (uint64_t i = 0; i < work->pair_count; i++) {
        work->ids[2 * i] = (uint64_t)(work->pairs[i] >> bits);
        work->ids[2 * i + 1] = (uint64_t)work->pairs[i] & (UINT64_MAX >> (64 - bits));
    }
    HOP_TRY(status, hop__sort_u64(work->context, work->ids, ends, bits));
    work->member_count = different(work->ids, ends);
    for (uint32_t i = 0; i < work->member_count; i++)
        roots[i] = i;
    for (uint64_t i = 0; i < work->pair_count; i++) {
        uint64_t low = (uint64_t)(work->pairs[i] >> bits);
        uint64_t high = (uint64_t)work->pairs[i] & (UINT64_MAX >> (64 - bits));
        (void)join(roots, (uint32_t)find(work->ids, work->member_count, low),
                   (uint32_t)find(work->ids, work->member_count, high));
    }
    for (uint32_t i = 0; i < work->member_count; i++)
        work->roots[i] = root_of(roots, i);
done:
    hop__free(roots);
    hop__free(work->pairs);
    work->pairs = NULL;
    return status;
}

/* ---- between members and owners -------------------------------------------------------------- */

/* Tells the owners which members there are here. */
static hop_status members_ask(search *work, hop_status status) {
    if (status == HOP_OK)
        hop__count_owners(work->graph, work->ids, work->member_count, work->counts);
    HOP_TRY(status, hop__exchange(work->cluster, "components: members", status, sizeof *work->ids,
                                  work->ids, work->counts, &work->asked));
    HOP_TRY(status, hop__agree(work->cluster, hop__alloc(work->context, "components: answers",
                                                         work->asked.count, 8, &work->answers)));
done:
    return status;
}

/* Sends offers, which are ascending by vertex, to the owners, and applies what comes: a smaller
 * label is the vertex's parent. With `olds`, what they had goes on: to their parents. */
static hop_status offers_send(search *work, const char *phase, hop_status status, uint64_t count,
                              hop__inbox *inbox) {
    memset(work->to_ranks, 0, work->cluster->ranks * sizeof *work->to_ranks);
    for (uint64_t i = 0; status == HOP_OK && i < count; i++)
        work->to_ranks[hop__owner(work->graph, work->offers[i].vertex)]++;
    return hop__exchange(work->cluster, phase, status, sizeof *work->offers, work->offers,
                         work->to_ranks, inbox);
}

static uint64_t offers_apply(search *work, const hop__inbox *inbox) {
    const offer *offers = inbox->records;
    uint64_t changes = 0, first = work->graph->first_vertex;
    for (uint64_t i = 0; i < inbox->count; i++)
        changes += lower(&work->parents[offers[i].vertex - first], offers[i].label);
    return changes;
}

/* ---- a round --------------------------------------------------------------------------------- */

/* grand_here[v] = parent[parent[v]]. */
static hop_status grand_find(search *work) {
    const hop_cluster_graph *graph = work->graph;
    uint64_t *ids = NULL, count = 0, first = graph->first_vertex;
    hop_status status =
        hop__alloc(work->context, "components: parents", graph->vertex_count, 8, &ids);
    for (uint64_t v = 0; status == HOP_OK && v < graph->vertex_count; v++)
        if (work->parents[v] != first + v)
            ids[count++] = work->parents[v];
    HOP_TRY(status, hop__fetch_any(work->cluster, graph, "components: parents", status, ids, count,
                                   work->parents, work->grand_here));
    for (uint64_t v = graph->vertex_count; v-- > 0;) /* they lie at the front: not after v */
        work->grand_here[v] = work->parents[v] == first + v ? first + v : work->grand_here[--count];
done:
    hop__free(ids);
    return status;
}

/* Members learn grand of themselves, and the groups their smallest. */
static hop_status grand_tell(search *work) {
    const uint64_t *ids = work->asked.records;
    hop_status status;
    for (uint64_t i = 0; i < work->asked.count; i++)
        work->answers[i] = work->grand_here[ids[i] - work->graph->first_vertex];
    HOP_TRY(status, hop__exchange_known(work->cluster, "components: labels", 8, work->answers,
                                        work->asked.counts, work->grand, work->counts));
    for (uint64_t i = 0; i < work->member_count; i++)
        work->smallest[i] = UINT64_MAX;
    for (uint64_t i = 0; i < work->member_count; i++)
        (void)lower(&work->smallest[work->roots[i]], work->grand[i]);
done:
    return status;
}

static hop_status offers_sort(search *work, uint64_t *count) {
    unsigned bits = hop__id_bits(work->graph->vertices);
    hop__u128 *keys = NULL;
    uint64_t kept = 0;
    hop_status status;
    HOP_TRY(status, hop__alloc(work->context, "components: offers", *count, 16, &keys));
    for (uint64_t i = 0; i < *count; i++)
        keys[i] = (hop__u128)work->offers[i].vertex << bits | work->offers[i].label;
    HOP_TRY(status, hop__sort_u128(work->context, keys, *count, 2 * bits));
    for (uint64_t i = 0; i < *count; i++) { /* the first of a vertex has its smallest label */
        uint64_t vertex = (uint64_t)(keys[i] >> bits);
        if (kept == 0 || work->offers[kept - 1].vertex != vertex)
            work->offers[kept++] =
                (offer){vertex, (uint64_t)(keys[i] - ((hop__u128)vertex << bits))};
    }
    *count = kept;
done:
    hop__free(keys);
    return status;
}

/* Groups tell members, and owners tell the parents that those had. */
static hop_status hook(search *work, uint64_t *changes) {
    const hop_cluster_graph *graph = work->graph;
    uint64_t count = 0;
    hop__inbox inbox, further = {NULL, 0, NULL, NULL};
    hop_status status;
    for (uint64_t i = 0; i < work->member_count; i++)
        if (work->grand[i] > work->smallest[work->roots[i]])
            work->offers[count++] = (offer){work->ids[i], work->smallest[work->roots[i]]};
    HOP_TRY(status, offers_send(work, "components: hook", HOP_OK, count, &inbox));
    hop__free(work->offers);
    work->offers = NULL;
    status = hop__alloc(work->context, "components: offers",
                        inbox.count > work->member_count ? inbox.count : work->member_count,
                        sizeof *work->offers, &work->offers);
    const offer *offers = inbox.records;
    count = 0;
    for (uint64_t i = 0; status == HOP_OK && i < inbox.count; i++) {
        uint64_t parent = work->parents[offers[i].vertex - graph->first_vertex];
        if (parent != offers[i].vertex && offers[i].label < parent)
            work->offers[count++] = (offer){parent, offers[i].label};
    }
    if (status == HOP_OK) {
        *changes += offers_apply(work, &inbox);
        status = offers_sort(work, &count);
    }
    HOP_TRY(status, offers_send(work, "components: hook", status, count, &further));
    *changes += offers_apply(work, &further);
done:
    hop__inbox_clear(&inbox);
    hop__inbox_clear(&further);
    return status;
}

/* Room for rounds. */
static hop_status rounds_open(search *work) {
    uint64_t ranks = work->cluster->ranks, own = work->graph->vertex_count;
    hop_status status;
    HOP_TRY(status, members_make(work));
    HOP_TRY(status,
            hop__alloc(work->context, "components: labels", work->member_count, 8, &work->grand));
    HOP_TRY(status, hop__alloc(work->context, "components: smallest", work->member_count, 8,
                               &work->smallest));
    HOP_TRY(status, hop__alloc(work->context, "components: offers", work->member_count,
                               sizeof *work->offers, &work->offers));
    HOP_TRY(status,
            hop__alloc(work->context, "components: grandparents", own, 8, &work->grand_here));
    HOP_TRY(status, hop__alloc_zero(work->context, "components: counts", ranks, 8, &work->counts));
    HOP_TRY(status, hop__alloc(work->context, "components: counts", ranks, 8, &work->to_ranks));
done:
    return status;
}

static hop_status rounds(search *work) {
    const hop_cluster_graph *graph = work->graph;
    uint64_t changes, round = 0;
    hop_status status;
    HOP_TRY(status, members_ask(work, rounds_open(work)));
    do {
        hop__cluster_step(work->cluster, "components: rounds", round++, 0);
        changes = 0;
        HOP_TRY(status, grand_find(work));
        HOP_TRY(status, grand_tell(work));
        HOP_TRY(status, hook(work, &changes));
        for (uint64_t v = 0; v < graph->vertex_count; v++)
            changes += lower(&work->parents[v], work->grand_here[v]);
        HOP_TRY(status, hop__sum_all(work->cluster, &changes, 1));
    } while (changes > 0);
done:
    hop__cluster_step_end(work->cluster);
    return status;
}

/* ---- all pairs on all ranks ------------------------------------------------------------------ */

static uint64_t label_now(const search *work, uint64_t label) {
    uint64_t place = find(work->ids, work->member_count, label);
    return work->ids[place] == label ? work->ids[work->roots[place]] : label;
}

static hop_status rest_look_up(search *work, uint32_t at) {
    work->parents[at] = label_now(work, work->parents[at]);
    return HOP_OK;
}

/* What first labels have become. Most are the one before, or the vertex itself; which of the two
 * cannot be foreseen. Of those that are themselves some are members. Where those inside keep theirs
 * only what is left is looked at. */
static void labels_look_up(search *work) {
    uint64_t first = work->graph->first_vertex, count = work->graph->vertex_count;
    uint64_t last = UINT64_MAX, now = 0, *labels = work->parents;
    if (work->reach.inside != NULL && label_now(work, work->giant) == work->giant) {
        (void)rest_each(work, rest_look_up);
        count = 0;
    }
    for (uint64_t v = 0; v < count; v++) {
        uint64_t label = labels[v];
        if ((unsigned)(label != last) & (unsigned)(label != first + v)) { /* seldom */
            now = label_now(work, label);
            last = label;
        }
        labels[v] = label == last ? now : label;
    }
    count = work->graph->vertex_count;
    for (uint64_t i = 0; i < work->member_count; i++)
        if (work->ids[i] - first < count && labels[work->ids[i] - first] == work->ids[i])
            labels[work->ids[i] - first] = work->ids[work->roots[i]];
}

/* Without pairs first labels are the answer: all ranks that know a root tell it of itself. *own is
 * what came of it on this rank alone. */
static hop_status pairs_solve(search *work, hop_status made, hop_status *own) {
    hop_cluster *cluster = work->cluster;
    hop__u128 *all = NULL;
    uint64_t total, most = cluster->message_bytes / sizeof *all;
    hop_status status;
    most = most < cluster->gather_most ? most : cluster->gather_most;
    if (made == HOP_OK)
        made = hop__alloc(work->context, "components: pairs", most, sizeof *all, &all);
    HOP_TRY(status, hop__gather_records(cluster, "components: pairs", made, sizeof *all,
                                        work->pairs, work->pair_count, all, most, &total));
    if (total > most) {
        status = rounds(work);
    } else if (total > 0) {
        hop__free(work->pairs);
        work->pairs = all;
        work->pair_count = total;
        all = NULL;
        *own = members_make(work);
        if (*own == HOP_OK)
            labels_look_up(work);
    }
done:
    hop__free(all);
    return status;
}

/* ---- the call -------------------------------------------------------------------------------- */

static void search_close(search *work) {
    hop__inbox_clear(&work->asked);
    hop__free(work->end_roots);
    words_free(&work->told);
    words_free(&work->heard);
    hop__reach_close(&work->reach);
    hop__free(work->pairs);
    hop__free(work->ids);
    hop__free(work->roots);
    hop__free(work->grand);
    hop__free(work->smallest);
    hop__free(work->counts);
    hop__free(work->grand_here);
    hop__free(work->offers);
    hop__free(work->answers);
    hop__free(work->to_ranks);
}

hop_status hop_cluster_components(hop_cluster *cluster, const hop_cluster_graph *graph,
                                  uint64_t *labels, uint64_t *count) {
    if (cluster == NULL)
        return HOP_ERR_ARGUMENT;
    search work = {.cluster = cluster, .context = cluster->context, .graph = graph};
    uint64_t components = 0;
    hop_status own = HOP_OK, status = graph == NULL || (labels == NULL && graph->vertex_count > 0)
                                          ? hop__missing(cluster->context, "hop_cluster_components")
                                          : roots_open(&work);
    HOP_TRY(status, hop__cluster_begin(cluster, "components", 0, status));
    work.parents = labels;
    HOP_TRY(status, roots_tell(&work));
    HOP_TRY(status, pairs_solve(&work, pairs_make(&work), &own));
    for (uint64_t v = 0; v < graph->vertex_count; v++)
        components += labels[v] == graph->first_vertex + v;
    HOP_TRY(status, hop__sum_agreed(cluster, own, &components, 1));
    if (count != NULL)
        *count = components;
done:
    search_close(&work);
    return status;
}
