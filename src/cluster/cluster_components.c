/* SPDX-License-Identifier: Apache-2.0
 *
 * label[v] = the smallest vertex of v's component, whatever the direction of the arcs, as
 * hop_components.
 *
 * First each rank by itself: a union-find over the ends of its own arcs, which puts them into
 * groups. A group says all that the rank's arcs say. Then over the ranks, on the groups, FastSV
 * (Zhang, Azad, Buluc, 2020; after Shiloach and Vishkin, 1982): the owner of v keeps parent[v], at
 * most v. A round:
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
 * 1. A vertex that only one rank knows joins nothing: it is told its group's smallest vertex at
 *    the start, and is no member after that. What is left are shared vertices, and the smallest of
 *    each group that has one.
 * 2. Members are ascending by id, and so are their owners: what is sent is in the order of the
 *    ranks as it lies.
 *
 * Bytes sent, with V the different ends of this rank's arcs and M the members after the first step,
 * those of others: 8 V to be known, 1 V back, 16 per member for the first labels, and in each round
 * 8 M for grand, 16 for each member that changes, 16 for each different parent asked or told.
 * Memory: 25 bytes per end of an arc here, 24 per vertex of this rank. */
#include "cluster/cluster_graph.h"

#include <string.h>

#include "core/memory.h"
#include "core/try.h"

/* A vertex and a label that it should have at most. */
typedef struct offer {
    uint64_t vertex, label;
} offer;

typedef struct search {
    hop_cluster *cluster;
    hop_context *context;
    const hop_cluster_graph *graph;
    /* Of the members here. */
    uint64_t member_count, *ids, *roots; /* roots: index of the group's smallest member */
    uint64_t *grand;                     /* as the owners say */
    uint64_t *smallest;                  /* of a group, at its root */
    uint64_t *counts;                    /* members of each owner */
    /* Of this rank's vertices. */
    uint64_t *parents, *grand_here;
    hop__inbox asked; /* vertices here that the members of other ranks are */
    /* Scratch. */
    offer *offers;
    uint64_t *to_ranks;
} search;

/* ---- groups of this rank --------------------------------------------------------------------- */

static uint64_t root_of(uint64_t *roots, uint64_t at) {
    while (roots[at] != at) {
        roots[at] = roots[roots[at]];
        at = roots[at];
    }
    return at;
}

/* The smaller index becomes the root: indices are in the order of the ids. */
static void join(uint64_t *roots, uint64_t a, uint64_t b) {
    a = root_of(roots, a);
    b = root_of(roots, b);
    if (a < b)
        roots[b] = a;
    else
        roots[a] = b;
}

/* The different ends of the arcs here: rows and ghosts, merged. `place` of each ghost, and of each
 * row, among them. */
static uint64_t ends_merge(const hop_cluster_graph *graph, uint64_t *ids, uint64_t *ghost_place,
                           uint64_t *row_place) {
    uint64_t row = 0, ghost = 0, count = 0;
    while (row < graph->row_count || ghost < graph->ghost_count) {
        uint64_t left = row < graph->row_count ? graph->rows[row] : UINT64_MAX;
        uint64_t right = ghost < graph->ghost_count ? graph->ghosts[ghost] : UINT64_MAX;
        ids[count] = left < right ? left : right;
        if (left <= right)
            row_place[row++] = count;
        if (right <= left)
            ghost_place[ghost++] = count;
        count++;
    }
    return count;
}

static hop_status groups_make(search *work) {
    const hop_cluster_graph *graph = work->graph;
    uint64_t most = graph->row_count + graph->ghost_count;
    uint64_t *ghost_place = NULL, *row_place = NULL;
    hop_status status;
    HOP_TRY(status, hop__alloc(work->context, "components: ends", most, 8, &work->ids));
    HOP_TRY(status, hop__alloc(work->context, "components: roots", most, 8, &work->roots));
    HOP_TRY(status,
            hop__alloc(work->context, "components: places", graph->ghost_count, 8, &ghost_place));
    HOP_TRY(status,
            hop__alloc(work->context, "components: places", graph->row_count, 8, &row_place));
    work->member_count = ends_merge(graph, work->ids, ghost_place, row_place);
    for (uint64_t i = 0; i < work->member_count; i++)
        work->roots[i] = i;
    for (uint64_t row = 0; row < graph->row_count; row++)
        for (uint64_t arc = graph->starts[row]; arc < graph->starts[row + 1]; arc++)
            join(work->roots, row_place[row], ghost_place[graph->ends[arc]]);
    for (uint64_t i = 0; i < work->member_count; i++)
        work->roots[i] = root_of(work->roots, i);
done:
    hop__free(ghost_place);
    hop__free(row_place);
    return status;
}

/* ---- between members and owners -------------------------------------------------------------- */

/* Tells the owners which members there are here. */
static hop_status members_ask(search *work, hop_status status) {
    hop__inbox_clear(&work->asked);
    if (status == HOP_OK)
        hop__count_owners(work->graph, work->ids, work->member_count, work->counts);
    return hop__exchange(work->cluster, "components: members", status, sizeof *work->ids, work->ids,
                         work->counts, &work->asked);
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

static bool lower(uint64_t *label, uint64_t offered) {
    if (offered >= *label)
        return false;
    *label = offered;
    return true;
}

static uint64_t offers_apply(search *work, const hop__inbox *inbox) {
    const offer *offers = inbox->records;
    uint64_t changes = 0, first = work->graph->first_vertex;
    for (uint64_t i = 0; i < inbox->count; i++)
        changes += lower(&work->parents[offers[i].vertex - first], offers[i].label);
    return changes;
}

/* First labels: each member's group's smallest, for those that are not it. */
static hop_status first_labels(search *work, hop_status status) {
    hop__inbox inbox;
    uint64_t count = 0;
    for (uint64_t i = 0; status == HOP_OK && i < work->member_count; i++)
        if (work->roots[i] != i)
            work->offers[count++] = (offer){work->ids[i], work->ids[work->roots[i]]};
    status = offers_send(work, "components: first labels", status, count, &inbox);
    if (status == HOP_OK)
        (void)offers_apply(work, &inbox);
    hop__inbox_clear(&inbox);
    return status;
}

/* Which members other ranks have too: a byte each, from the owners. */
static hop_status shared_learn(search *work, unsigned char *shared, unsigned char *answers) {
    const uint64_t *ids = work->asked.records;
    uint64_t first = work->graph->first_vertex;
    /* How many know each vertex, up to 2, for a while in the place of grand. */
    memset(work->grand_here, 0, work->graph->vertex_count * sizeof *work->grand_here);
    for (uint64_t i = 0; i < work->asked.count; i++)
        work->grand_here[ids[i] - first] += work->grand_here[ids[i] - first] < 2;
    for (uint64_t i = 0; i < work->asked.count; i++)
        answers[i] = work->grand_here[ids[i] - first] == 2;
    return hop__exchange_known(work->cluster, "components: shared", HOP_OK, 1, answers,
                               work->asked.counts, shared, work->counts);
}

/* Invariant 1: shared members stay, and the root of each group that has one. */
static void members_keep(search *work, const unsigned char *shared) {
    uint64_t *place = work->smallest, kept = 0; /* of roots, among those that stay */
    for (uint64_t i = 0; i < work->member_count; i++)
        place[i] = UINT64_MAX;
    for (uint64_t i = 0; i < work->member_count; i++)
        if (shared[i])
            place[work->roots[i]] = 0;
    for (uint64_t i = 0; i < work->member_count; i++) {
        uint64_t root = work->roots[i];
        if (place[root] == UINT64_MAX || (root != i && !shared[i]))
            continue;
        if (root == i)
            place[i] = kept;
        work->ids[kept] = work->ids[i];
        work->roots[kept++] = place[root];
    }
    work->member_count = kept;
}

static hop_status members_prune(search *work, hop_status status) {
    unsigned char *shared = NULL, *answers = NULL;
    if (status == HOP_OK)
        status = hop__alloc(work->context, "components: shared", work->member_count, 1, &shared);
    HOP_TRY(status, members_ask(work, status));
    HOP_TRY(status, hop__agree(work->cluster, hop__alloc(work->context, "components: shared",
                                                         work->asked.count, 1, &answers)));
    HOP_TRY(status, shared_learn(work, shared, answers));
    members_keep(work, shared);
    HOP_TRY(status, members_ask(work, HOP_OK));
done:
    hop__free(shared);
    hop__free(answers);
    return status;
}

/* ---- a round --------------------------------------------------------------------------------- */

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

/* grand_here[v] = parent[parent[v]]: each different parent is asked once. */
static hop_status grand_find(search *work) {
    const hop_cluster_graph *graph = work->graph;
    uint64_t *ids = NULL, *answers = NULL, count = 0;
    hop_status status =
        hop__alloc(work->context, "components: parents", graph->vertex_count, 8, &ids);
    for (uint64_t v = 0; status == HOP_OK && v < graph->vertex_count; v++)
        if (work->parents[v] != graph->first_vertex + v)
            ids[count++] = work->parents[v];
    if (status == HOP_OK)
        status = hop__sort_u64(work->context, ids, count, hop__id_bits(graph->vertices));
    if (status == HOP_OK) {
        count = different(ids, count);
        status = hop__alloc(work->context, "components: grandparents", count, 8, &answers);
    }
    HOP_TRY(status, hop__fetch(work->cluster, graph, "components: parents", status, ids, count, 8,
                               work->parents, answers));
    for (uint64_t v = 0; v < graph->vertex_count; v++) {
        uint64_t parent = work->parents[v];
        work->grand_here[v] =
            parent == graph->first_vertex + v ? parent : answers[find(ids, count, parent)];
    }
done:
    hop__free(ids);
    hop__free(answers);
    return status;
}

/* Members learn grand of themselves, and the groups their smallest. */
static hop_status grand_tell(search *work) {
    const uint64_t *ids = work->asked.records;
    uint64_t *answers = NULL;
    hop_status status =
        hop__alloc(work->context, "components: answers", work->asked.count, 8, &answers);
    for (uint64_t i = 0; status == HOP_OK && i < work->asked.count; i++)
        answers[i] = work->grand_here[ids[i] - work->graph->first_vertex];
    HOP_TRY(status, hop__exchange_known(work->cluster, "components: labels", status, 8, answers,
                                        work->asked.counts, work->grand, work->counts));
    for (uint64_t i = 0; i < work->member_count; i++)
        work->smallest[i] = UINT64_MAX;
    for (uint64_t i = 0; i < work->member_count; i++)
        (void)lower(&work->smallest[work->roots[i]], work->grand[i]);
done:
    hop__free(answers);
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
    hop__inbox inbox, further = {NULL, 0, NULL};
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

static hop_status rounds(search *work) {
    const hop_cluster_graph *graph = work->graph;
    uint64_t changes;
    hop_status status;
    do {
        changes = 0;
        HOP_TRY(status, grand_find(work));
        HOP_TRY(status, grand_tell(work));
        HOP_TRY(status, hook(work, &changes));
        for (uint64_t v = 0; v < graph->vertex_count; v++)
            changes += lower(&work->parents[v], work->grand_here[v]);
        HOP_TRY(status, hop__sum_all(work->cluster, &changes, 1));
    } while (changes > 0);
done:
    return status;
}

/* ---- the call -------------------------------------------------------------------------------- */

static hop_status search_open(search *work) {
    uint64_t ranks = work->cluster->ranks, own = work->graph->vertex_count;
    hop_status status;
    HOP_TRY(status, groups_make(work));
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

static void search_close(search *work) {
    hop__inbox_clear(&work->asked);
    hop__free(work->ids);
    hop__free(work->roots);
    hop__free(work->grand);
    hop__free(work->smallest);
    hop__free(work->counts);
    hop__free(work->grand_here);
    hop__free(work->offers);
    hop__free(work->to_ranks);
}

hop_status hop_cluster_components(hop_cluster *cluster, const hop_cluster_graph *graph,
                                  uint64_t *labels, uint64_t *count) {
    if (cluster == NULL)
        return HOP_ERR_ARGUMENT;
    search work = {.cluster = cluster, .context = cluster->context, .graph = graph};
    uint64_t components = 0;
    hop_status status = graph == NULL || (labels == NULL && graph->vertex_count > 0)
                            ? hop__missing(cluster->context, "hop_cluster_components")
                            : HOP_OK;
    HOP_TRY(status, hop__cluster_begin(cluster, "components", 0, status));
    work.parents = labels;
    for (uint64_t v = 0; v < graph->vertex_count; v++)
        labels[v] = graph->first_vertex + v;
    HOP_TRY(status, first_labels(&work, search_open(&work)));
    HOP_TRY(status, members_prune(&work, HOP_OK));
    HOP_TRY(status, rounds(&work));
    for (uint64_t v = 0; v < graph->vertex_count; v++)
        components += labels[v] == graph->first_vertex + v;
    HOP_TRY(status, hop__sum_all(cluster, &components, 1));
    if (count != NULL)
        *count = components;
done:
    search_close(&work);
    return status;
}
