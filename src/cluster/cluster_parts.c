/* SPDX-License-Identifier: Apache-2.0
 *
 * A file of edges, of a format that io/formats has: each rank reads the lines that begin in its
 * share of the bytes, or its share of the edges, with the reader of one machine (io/text/parts.h).
 * Then ids become numbers, edges become arcs, and these are sorted and spread.
 *
 * What is wrong is said in the words of one machine, with the number of the line: of all ranks that
 * find something the first has the first line of the file that is wrong, and reads its part once
 * more when it knows how many lines are before.
 *
 * Memory per rank, for each edge of its part: 8 or 16 bytes and its weight as they are read; where
 * ids are any numbers 16, and 32 for each different one; then 32 bytes (16 if directed) and twice
 * the weight for arcs, and what building takes. */
#include "cluster/cluster_parts.h"

#include <string.h>

#include "cluster/cluster_labels.h"
#include "core/memory.h"
#include "core/progress.h"
#include "core/try.h"
#include "io/formats/format.h"
#include "io/text/parts.h"

typedef struct part_reader {
    hop_cluster *cluster;
    const char *path;
    hop__parts parts;
    bool joined;
    bool failed; /* somebody has */
    bool mine;   /* it is this rank that says so */
} part_reader;

/* The rank that is to read again, since what is wrong in the first place is in its part: it has
 * failed, or it has the record that is one too many; `ranks` when all is well. What is before a
 * rank is known where nobody before has failed. */
static hop_status find_failed(part_reader *reader, hop_status status, const uint64_t own[2],
                              hop__part_facts *facts, uint64_t *first) {
    hop_cluster *cluster = reader->cluster;
    hop__parts *parts = &reader->parts;
    uint64_t sums[2] = {own[0], own[1]};
    hop_status done;
    HOP_TRY(done, hop__sum_before(cluster, own[0], &parts->lines_before));
    HOP_TRY(done, hop__sum_before(cluster, own[1], &parts->records_before));
    HOP_TRY(done, hop__sum_all(cluster, sums, 2));
    bool surplus =
        parts->records_before <= facts->most && facts->most - parts->records_before < own[1];
    *first = status != HOP_OK || surplus ? cluster->rank : cluster->ranks;
    HOP_TRY(done, hop__min_all(cluster, first, 1));
    facts->lines = sums[0];
    facts->records = sums[1];
done:
    return done;
}

/* The failure of all ranks, who have seen that what they read is not the same. */
static hop_status fail_differing(hop_context *context, const char *path) {
    hop_status status = hop__fail(context, HOP_ERR_INPUT,
                                  "%s: the file is not the same for all ranks; give each the same "
                                  "one, with the files beside it",
                                  path);
    return hop__file_done(context, status, path);
}

hop_status hop__same_file(hop_cluster *cluster, const char *path, uint64_t hash) {
    uint64_t ends[2] = {hash, ~hash};
    hop_status status = hop__min_all(cluster, ends, 2);
    return status == HOP_OK && ends[0] != ~ends[1] ? fail_differing(cluster->context, path)
                                                   : status;
}

/* Facts of all, once nobody has failed. */
static hop_status facts_join(part_reader *reader, hop__part_facts *facts) {
    uint64_t line = facts->large_line == 0 ? 0 : facts->large_line + reader->parts.lines_before;
    uint64_t most[6] = {facts->largest,
                        facts->id_bytes,
                        (uint64_t)facts->type,
                        facts->saw_real,
                        ~(line == 0 ? UINT64_MAX : line), /* that of the smallest line */
                        facts->type == HOP_TYPE_NONE};
    hop_status status = hop__max_all(reader->cluster, most, 6);
    if (status == HOP_OK && most[5] != 0 && most[2] != HOP_TYPE_NONE) /* of all, or of none */
        status = fail_differing(reader->cluster->context, reader->path);
    facts->largest = most[0];
    facts->id_bytes = most[1];
    facts->type = (hop_type)most[2]; /* integers are before longer ones, and these before reals */
    facts->saw_real = most[3] != 0;
    facts->large_line = ~most[4] == UINT64_MAX ? 0 : ~most[4];
    return status;
}

static hop_status join(void *user, hop_status status, hop__part_facts *facts) {
    part_reader *reader = user;
    hop_cluster *cluster = reader->cluster;
    uint64_t first = 0,
             own[2] = {status == HOP_OK ? facts->lines : 0, status == HOP_OK ? facts->records : 0};
    reader->joined = true;
    hop_status done = find_failed(reader, status, own, facts, &first);
    reader->failed = first != cluster->ranks;
    reader->mine = first == cluster->rank;
    if (done != HOP_OK)
        return done;
    if (reader->failed)
        return status != HOP_OK ? status : HOP_ERR_INPUT;
    return facts_join(reader, facts);
}

/* This rank's part again, to say which line is wrong. */
static hop_status read_again(part_reader *reader) {
    hop__edge_list list = {0};
    const char *name;
    reader->parts.join = NULL;
    hop_status status =
        hop__edges_read_part(reader->cluster->context, reader->path, &reader->parts, &list, &name);
    hop__edge_list_clear(&list);
    return status != HOP_OK ? status
                            : hop__fail(reader->cluster->context, HOP_ERR_IO,
                                        "%s: it was changed while it was read", reader->path);
}

/* The edges of this rank's part, and whether all have theirs. */
static hop_status read_list(hop_cluster *cluster, const char *path, hop__edge_list *list) {
    hop_context *context = cluster->context;
    part_reader reader = {.cluster = cluster, .path = path};
    const char *name = "";
    hop__part_facts none = {.most = UINT64_MAX};
    reader.parts =
        (hop__parts){.part = cluster->rank, .parts = cluster->ranks, .join = join, .user = &reader};
    hop_status status = hop__edges_read_part(context, path, &reader.parts, list, &name);
    if (!reader.joined)
        (void)join(&reader, status, &none);
    if (cluster->lost)
        return hop__check_lost(cluster, HOP_OK);
    if (reader.failed) {
        bool line = status == HOP_ERR_INPUT || status == HOP_ERR_UNSUPPORTED;
        if (reader.mine && line)
            status = read_again(&reader);
        status = reader.mine ? status : HOP_OK;
    }
    return hop__agree(cluster, hop__file_done(context, status, path));
}

static uint64_t id_at(const hop__edge_list *list, const void *ids, uint64_t edge) {
    return list->id_bytes == 4 ? ((const uint32_t *)ids)[edge] : ((const uint64_t *)ids)[edge];
}

/* What the header states, and what is beside the file, is the same for all. */
static hop_status same_check(hop_cluster *cluster, const char *path, const hop__edge_list *list) {
    uint64_t facts[5] = {list->vertices, list->first_id, (uint64_t)list->ids, list->directed,
                         (uint64_t)list->weight_type};
    return hop__same_file(cluster, path, hop__cluster_mix(0, facts, sizeof facts));
}

/* All ids of this rank, of both ends, and of vertices without an edge. */
static hop_status ids_list(hop_context *context, const hop__edge_list *list,
                           hop__numbering *numbering) {
    uint64_t ends = list->count + list->lone;
    hop_status status;
    HOP_TRY(status,
            hop__alloc(context, "read: ids", 2 * ends, sizeof *numbering->ids, &numbering->ids));
    for (uint64_t i = 0; i < ends; i++) {
        numbering->ids[numbering->count++] = id_at(list, list->from, i);
        if (i < list->count)
            numbering->ids[numbering->count++] = id_at(list, list->to, i);
    }
done:
    return status;
}

static hop_status arcs_make(hop_context *context, const hop__edge_list *list,
                            const hop__numbering *numbering, const hop__build *build,
                            uint64_t vertices, hop__arc_keys *arcs) {
    bool labels = list->ids == HOP_IDS_SPARSE;
    hop_status status;
    HOP_TRY(status,
            hop__arcs_begin(context, build, list->weight_type, vertices, list->count, arcs));
    for (uint64_t i = 0; i < list->count; i++) {
        uint64_t from = id_at(list, list->from, i), to = id_at(list, list->to, i);
        if (labels) {
            from = hop__number_of(numbering, from);
            to = hop__number_of(numbering, to);
        }
        hop__arcs_add(arcs, build, from, to, list->weights, i);
    }
done:
    return status;
}

static hop_status check_vertices(hop_context *context, const char *path, uint64_t vertices) {
    if (vertices <= HOP__MOST_CLUSTER_VERTICES)
        return HOP_OK;
    return hop__fail(context, HOP_ERR_UNSUPPORTED, "%s: %llu vertices, at most 2^62 are possible",
                     path, (unsigned long long)vertices);
}

hop_status hop__cluster_read_parts(hop_cluster *cluster, const char *path,
                                   hop_cluster_graph **slot) {
    hop_context *context = cluster->context;
    hop__edge_list list = {0};
    hop__numbering numbering = {NULL, 0, NULL, 0, 0, NULL};
    hop__arc_keys arcs = {.keys = NULL};
    hop_status status;
    HOP_TRY(status, read_list(cluster, path, &list));
    HOP_TRY(status, same_check(cluster, path, &list));
    if (list.ids == HOP_IDS_SPARSE) {
        status = ids_list(context, &list, &numbering);
        HOP_TRY(status, hop__cluster_number(cluster, status, &numbering));
        list.vertices = numbering.vertices;
        list.first_id = numbering.first_id;
    }
    hop__build build = {.directed = list.directed,
                        .duplicates = HOP_DUPLICATES_MIN,
                        .loops = HOP_LOOPS_KEEP,
                        .what = "edge"};
    uint64_t vertices = list.vertices;
    status = check_vertices(context, path, vertices);
    if (status == HOP_OK)
        status = arcs_make(context, &list, &numbering, &build, vertices, &arcs);
    uint64_t first_id = list.first_id, *labels = numbering.labels;
    numbering.labels = NULL;
    hop__edge_list_clear(&list);
    hop__numbering_clear(&numbering);
    status = hop__cluster_build(cluster, status, &build, vertices, &arcs, slot);
    if (status == HOP_OK) {
        (*slot)->first_id = first_id;
        (*slot)->labels = labels;
        labels = NULL;
    }
    hop__free(labels);
done:
    hop__edge_list_clear(&list);
    hop__numbering_clear(&numbering);
    return status;
}
