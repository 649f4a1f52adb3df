/* SPDX-License-Identifier: Apache-2.0
 * Spooled edges; see edge_spool.h. */
#include "io/formats/edge_spool.h"

#include <inttypes.h>
#include <string.h>

#include "core/atomic.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "core/try.h"
#include "graph/edge_source.h"
#include "graph/graph_internal.h"
#include "io/bytes/page_spool.h"

enum {
    PIECE = 1 << 14,
    LATER_SHARE = 8,
    MOST_LATER = 1 << 20,
    GRAIN = 1 << 12,
    LEAST_PAGE = 1 << 14,
    MOST_PAGE = 1 << 20
};

/* Edges that were added together. */
typedef struct piece {
    uint32_t count;
    uint8_t id_bytes, weight_type;
} piece;

struct hop__edge_spool {
    hop__outsider *outsider;
    hop__page_spool bytes; /* unless the outsider joins the edges */
    piece *pieces;
    uint64_t count, room, next; /* pieces; the next to be read */
    bool labels;
    hop__id_set ids;
};

hop_status hop__edge_spool_create(hop_context *context, bool labels, hop__edge_spool **slot) {
    hop__edge_spool *spool = NULL;
    hop_status status;
    *slot = NULL;
    HOP_TRY(status, hop__alloc_zero(context, "scratch", 1, sizeof *spool, &spool));
    spool->bytes.file.descriptor = -1;
    spool->labels = labels;
    spool->outsider = context->outsider;
    if (spool->outsider->joiner != NULL)
        spool->outsider->joiner->begin(spool->outsider, labels);
    HOP_TRY(status, hop__alloc(context, "scratch: pieces", 0, sizeof(piece), &spool->pieces));
    if (spool->outsider->joiner == NULL)
        HOP_TRY(status,
                hop__spool_open(context, context->outsider->scratch,
                                hop__share_bytes(context, LEAST_PAGE, MOST_PAGE), &spool->bytes));
    *slot = spool;
    spool = NULL;
done:
    hop__edge_spool_free(spool);
    return status;
}

void hop__edge_spool_free(hop__edge_spool *spool) {
    if (spool == NULL)
        return;
    hop__spool_close(&spool->bytes);
    hop__id_set_clear(&spool->ids);
    hop__free(spool->pieces);
    hop__free(spool);
}

bool hop__edge_spool_possible(const hop_context *context, const hop__edge_list *list) {
    return context->outsider != NULL && (context->outsider->joiner == NULL ||
                                         list->ids != HOP_IDS_SPARSE || list->labels == NULL);
}

uint64_t hop__edge_spool_records(const hop_context *context, size_t record_bytes) {
    hop__memory_usage usage = hop__pool_usage(context->pool);
    uint64_t room = usage.budget > usage.used ? usage.budget - usage.used : 0;
    uint64_t records = room / 5 * 2 / record_bytes;
    return records > 0 ? records : 1;
}

uint64_t hop__edge_spool_later(const hop_context *context, size_t record_bytes, uint64_t records) {
    uint64_t few = hop__edge_spool_records(context, record_bytes) / LATER_SHARE;
    if (context->outsider->joiner == NULL)
        return records;
    few = few < PIECE ? PIECE : few > MOST_LATER ? MOST_LATER : few;
    return few < records ? few : records;
}

/* ---- adding ---------------------------------------------------------------------------------- */

static hop_status add_piece(hop_context *context, hop__edge_spool *spool,
                            const hop__edge_list *list, uint64_t first, uint32_t count) {
    size_t weight = list->weights != NULL ? hop_type_size(list->weight_type) : 0;
    const unsigned char *arrays[] = {list->from, list->to, list->weights};
    size_t sizes[] = {list->id_bytes, list->id_bytes, weight};
    hop_status status;
    if (spool->count == spool->room) {
        uint64_t room = spool->room + spool->room / 2 + 64;
        HOP_TRY(status,
                hop__resize(context, "scratch: pieces", room, sizeof(piece), &spool->pieces));
        spool->room = room;
    }
    for (int i = 0; i < 3; i++)
        if (sizes[i] > 0)
            HOP_TRY(status, hop__spool_append(context, &spool->bytes, arrays[i] + first * sizes[i],
                                              count * sizes[i]));
    spool->pieces[spool->count++] =
        (piece){count, (uint8_t)list->id_bytes,
                (uint8_t)(list->weights != NULL ? list->weight_type : HOP_TYPE_NONE)};
done:
    return status;
}

hop_status hop__edge_spool_add(hop_context *context, hop__edge_spool *spool,
                               const hop__edge_list *list, uint64_t count) {
    const hop__joiner *joiner = spool->outsider->joiner;
    hop_status status = HOP_OK;
    if (joiner != NULL)
        return joiner->add(context, spool->outsider, list->from, list->to, list->id_bytes, count);
    for (uint64_t first = 0; first < count && status == HOP_OK; first += PIECE)
        status = add_piece(context, spool, list, first,
                           count - first < PIECE ? (uint32_t)(count - first) : PIECE);
    if (status == HOP_OK && spool->labels)
        status = hop__id_set_add(context, &spool->ids, list->from, list->id_bytes, count);
    if (status == HOP_OK && spool->labels)
        status = hop__id_set_add(context, &spool->ids, list->to, list->id_bytes, count);
    return status;
}

hop_status hop__edge_spool_add_ids(hop_context *context, hop__edge_spool *spool,
                                   const uint64_t *ids, uint64_t count) {
    const hop__joiner *joiner = spool->outsider->joiner;
    if (joiner != NULL)
        return joiner->add(context, spool->outsider, ids, ids, sizeof *ids, count);
    return hop__id_set_add(context, &spool->ids, ids, sizeof *ids, count);
}

static hop_status add_lone(hop_context *context, const hop__edge_list *list) {
    const hop__joiner *joiner = list->spool->outsider->joiner;
    const void *ids = (const unsigned char *)list->from + list->count * list->id_bytes;
    return joiner != NULL
               ? joiner->add(context, list->spool->outsider, ids, ids, list->id_bytes, list->lone)
               : hop__id_set_add(context, &list->spool->ids, ids, list->id_bytes, list->lone);
}

hop_status hop__edge_spool_list(hop_context *context, hop__edge_list *list) {
    hop_status status;
    if (list->spool == NULL)
        HOP_TRY(status,
                hop__edge_spool_create(context, list->ids == HOP_IDS_SPARSE && list->labels == NULL,
                                       &list->spool));
    HOP_TRY(status, hop__edge_spool_add(context, list->spool, list, list->count));
    /* Behind the edges: ids of vertices without one. */
    if (list->lone > 0)
        HOP_TRY(status, add_lone(context, list));
    list->lone = 0;
    hop__free(list->from);
    hop__free(list->to);
    hop__free(list->weights);
    list->from = list->to = list->weights = NULL;
done:
    return status;
}

/* ---- reading --------------------------------------------------------------------------------- */

/* The edges of a list, as a source that gives them once. */
typedef struct spool_source {
    hop__edge_spool *spool;
    const hop__edge_list *list;
    const hop__id_map *map; /* NULL: ids are vertex numbers, or numbers of names */
    unsigned char *raw;     /* of one piece: from, to, weights as they were added */
    const piece *now;
    hop_vertex *from, *to;
    void *weights;    /* of the list's type */
    uint64_t room;    /* edges */
    uint64_t at;      /* the slot of the piece's first edge */
    uint64_t read;    /* edges so far, for messages */
    uint64_t unknown; /* atomic: the first edge of the piece whose end is no vertex */
} spool_source;

static void spool_fill(const void *user, uint64_t first, uint32_t count, hop_vertex *from,
                       hop_vertex *to, void *weights) {
    const spool_source *source = user;
    size_t bytes = hop_type_size(source->list->weight_type);
    memcpy(from, source->from + first, count * sizeof *from);
    memcpy(to, source->to + first, count * sizeof *to);
    if (weights != NULL)
        memcpy(weights, (const unsigned char *)source->weights + first * bytes, count * bytes);
}

/* Id number i of a piece: those of `to` are behind those of `from`. */
static uint64_t raw_id(const spool_source *source, uint64_t i) {
    return source->now->id_bytes == 4 ? ((const uint32_t *)(void *)source->raw)[i]
                                      : ((const uint64_t *)(void *)source->raw)[i];
}

static hop_vertex vertex_of(const spool_source *source, uint64_t id) {
    if (source->map != NULL)
        return hop__id_find(source->map, id);
    return source->list->ranks != NULL ? source->list->ranks[id] : (hop_vertex)id;
}

/* A weight of a piece as the list's type has it. */
static void take_weight(const spool_source *source, uint64_t i) {
    const void *raw = source->raw + (size_t)2 * source->now->count * source->now->id_bytes;
    hop_weight_type type = source->list->weight_type, old = source->now->weight_type;
    size_t bytes = hop_type_size(type);
    if (type == old) {
        memcpy((unsigned char *)source->weights + (source->at + i) * bytes,
               (const unsigned char *)raw + i * bytes, bytes);
        return;
    }
    int64_t value = old == HOP_TYPE_INT32 ? ((const int32_t *)raw)[i] : ((const int64_t *)raw)[i];
    if (type == HOP_TYPE_INT64)
        ((int64_t *)source->weights)[source->at + i] = value;
    else
        ((double *)source->weights)[source->at + i] = (double)value;
}

static void take_range(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    spool_source *source = arg;
    (void)thread;
    for (uint64_t i = begin; i < end; i++) {
        hop_vertex u = vertex_of(source, raw_id(source, i));
        hop_vertex v = vertex_of(source, raw_id(source, source->now->count + i));
        source->from[source->at + i] = u;
        source->to[source->at + i] = v;
        if (source->map != NULL && (u == HOP_NO_VERTEX || v == HOP_NO_VERTEX))
            hop__lower_u64(&source->unknown, i);
    }
    if (source->list->weight_type != HOP_TYPE_NONE)
        for (uint64_t i = begin; i < end; i++)
            take_weight(source, i);
}

static hop_status fail_unknown(hop_context *context, const spool_source *source) {
    uint64_t u = raw_id(source, source->unknown);
    uint64_t v = raw_id(source, source->now->count + source->unknown);
    uint64_t id = hop__id_find(source->map, u) == HOP_NO_VERTEX ? u : v;
    return hop__edge_list_unknown(context, source->list, source->read + source->unknown, id);
}

static hop_status take_piece(hop_context *context, spool_source *source, uint64_t at) {
    hop__edge_spool *spool = source->spool;
    const piece *now = source->now = &spool->pieces[spool->next++];
    size_t bytes =
        now->count * (2 * (size_t)now->id_bytes + hop_type_size((hop_weight_type)now->weight_type));
    hop_status status = hop__spool_read(context, &spool->bytes, source->raw, bytes);
    if (status != HOP_OK)
        return status;
    source->at = at;
    source->unknown = UINT64_MAX;
    hop__for(context, now->count, GRAIN, take_range, source);
    if (source->unknown != UINT64_MAX)
        return fail_unknown(context, source);
    source->read += now->count;
    return HOP_OK;
}

/* Whole pieces, as many as there may be. */
static hop_status spool_next(hop_context *context, void *user, uint64_t most, uint64_t *count) {
    spool_source *source = user;
    hop__edge_spool *spool = source->spool;
    size_t weight = hop_type_size(source->list->weight_type);
    uint64_t sum = 0;
    hop_status status = HOP_OK;
    if (source->room == 0) {
        source->room = most < PIECE ? PIECE : most;
        HOP_TRY(status, hop__alloc(context, "edges", source->room, 4, &source->from));
        HOP_TRY(status, hop__alloc(context, "edges", source->room, 4, &source->to));
        HOP_TRY(status, hop__alloc(context, "edges", source->room, weight, &source->weights));
    }
    while (spool->next < spool->count && sum + spool->pieces[spool->next].count <= source->room) {
        HOP_TRY(status, take_piece(context, source, sum));
        sum += source->now->count;
    }
    *count = sum;
done:
    return status;
}

/* ---- building -------------------------------------------------------------------------------- */

/* Vertices, and what they are called. `plain`: their first id says all. */
static hop_status settle_ids(hop_context *context, hop__edge_list *list,
                             const hop_read_options *options, hop__id_map *map, uint64_t **labels,
                             bool *plain) {
    hop_status status;
    uint64_t count = list->vertices;
    if (list->labels != NULL) {
        *labels = list->labels;
        list->labels = NULL;
        HOP_TRY(status, hop__id_map_of_labels(context, *labels, count, map));
    } else {
        HOP_TRY(status, hop__id_set_finish(context, &list->spool->ids, map, labels, &count));
    }
    list->vertices = count;
    list->first_id = 0;
    HOP_TRY(status, hop__read_limits_check(context, "read", options, count, list->count));
    *plain = hop__labels_plain(*labels, count);
    if (*plain)
        list->first_id = count > 0 ? (*labels)[0] : 0;
    if (*plain && map->map != NULL) { /* nobody looks at them */
        hop__free(*labels);
        *labels = NULL;
    }
done:
    return status;
}

/* The graph takes what its vertices are called. */
static void give_names(hop__edge_list *list, uint64_t **labels, hop_graph *graph) {
    graph->first_id = list->first_id;
    graph->names = list->names;
    list->names = NULL;
    if (labels != NULL) {
        graph->labels = graph->own_labels = *labels;
        *labels = NULL;
    }
}

static hop__build build_of(const hop__edge_list *list, const hop_read_options *options) {
    return (hop__build){(hop_vertex)list->vertices,
                        hop__directed(options, list->directed),
                        options->duplicates,
                        options->loops,
                        "edge",
                        false};
}

/* The same of edges that were joined. */
static hop_status finish_joined(hop_context *context, hop__edge_list *list,
                                const hop_read_options *options, uint64_t **labels,
                                hop_graph **graph) {
    hop__outsider *outsider = list->spool->outsider;
    hop__edge_source edges = {.count = list->count, .weight_type = list->weight_type};
    hop_status status;
    if (list->ids == HOP_IDS_SPARSE && *labels == NULL) {
        HOP_TRY(status, outsider->joiner->number(context, outsider, labels, &list->first_id,
                                                 &list->vertices));
        HOP_TRY(status,
                hop__read_limits_check(context, "read", options, list->vertices, list->count));
    }
    hop__build build = build_of(list, options);
    hop__id_ranks ranks = {list->ranks, list->rank_count};
    HOP_TRY(status, outsider->joiner->finish(context, outsider, &edges, &build, ranks, graph));
    give_names(list, *labels != NULL ? labels : NULL, *graph);
done:
    return status;
}

hop_status hop__edge_spool_build(hop_context *context, hop__edge_list *list,
                                 const hop_read_options *options, uint64_t **labels,
                                 hop_graph **graph) {
    hop__id_map map = {0};
    bool plain = false;
    spool_source source = {.spool = list->spool, .list = list};
    hop_status status;
    if (list->spool->outsider->joiner != NULL)
        return finish_joined(context, list, options, labels, graph);
    HOP_TRY(status, hop__spool_rewind(context, &list->spool->bytes));
    if (list->ids == HOP_IDS_SPARSE) {
        HOP_TRY(status, settle_ids(context, list, options, &map, labels, &plain));
        source.map = &map;
    }
    HOP_TRY(status, hop__alloc(context, "scratch", PIECE, 24, &source.raw));
    hop__edge_source edges = {list->count, list->weight_type, spool_fill, &source, spool_next};
    hop__build build = build_of(list, options);
    hop__names names = {plain ? NULL : *labels, list->first_id, list->names};
    HOP_TRY(status, hop__graph_build_named(context, &edges, &build, names, graph));
    give_names(list, plain ? NULL : labels, *graph);
done:
    hop__free(source.from);
    hop__free(source.to);
    hop__free(source.weights);
    hop__free(source.raw);
    hop__id_map_clear(&map);
    return status;
}
