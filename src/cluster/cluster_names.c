/* SPDX-License-Identifier: Apache-2.0
 *
 * The vertex that a word names in a native file, as hoplite has it: an id where the file has ids, a
 * name where it has names of text, and otherwise a number from first_id on. Of other files the ids
 * are with the graph.
 *
 * Ids are ascending: a binary search, one pread a step. Names may be in any order: each rank looks
 * through those of its share of the vertices, some thousand at a time. Nothing is kept. */
#include <inttypes.h>
#include <string.h>

#include "cluster/cluster_blocks.h"
#include "cluster/cluster_graph.h"
#include "core/memory.h"
#include "core/try.h"

enum { BLOCK = 4096 }; /* names at a time */

typedef struct name_file {
    hop_context *context;
    hop__block_file file;
    const char *word;
    size_t length;
    uint64_t offsets[BLOCK + 1];
    char *bytes; /* of the names of a block */
} name_file;

/* Decimal digits, and nothing else. */
static bool parse_id(const char *word, uint64_t *id) {
    *id = 0;
    for (const char *at = word; *at != '\0'; at++)
        if (*at < '0' || *at > '9' || __builtin_mul_overflow(*id, 10, id) ||
            __builtin_add_overflow(*id, (uint64_t)(*at - '0'), id))
            return false;
    return *word != '\0';
}

static hop_status find_id(name_file *file, uint64_t id, uint64_t *vertex) {
    uint64_t low = 0, high = file->file.layout.record.vertices, label = 0;
    hop_status status = HOP_OK;
    if (file->file.layout.labels == 0) {
        if (id >= file->file.layout.first_id && id - file->file.layout.first_id < high)
            *vertex = id - file->file.layout.first_id;
        return HOP_OK;
    }
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        HOP_TRY(status,
                hop__block_file_fetch(&file->file, HOP__BLOCKED_LABELS, 8 * middle, &label, 8));
        if (label == id)
            *vertex = middle;
        if (label < id)
            low = middle + 1;
        else
            high = middle;
    }
done:
    return status;
}

/* Names of `count` vertices from `first` on. */
static hop_status find_in_block(name_file *file, uint64_t first, uint64_t count, uint64_t *vertex) {
    hop_status status;
    HOP_TRY(status, hop__block_file_fetch(&file->file, HOP__BLOCKED_NAME_OFFSETS, 8 * first,
                                          file->offsets, 8 * (count + 1)));
    for (uint64_t i = 0; i < count; i++)
        if (file->offsets[i] > file->offsets[i + 1] ||
            file->offsets[i + 1] > file->file.layout.name_size) {
            status = hop__fail(file->context, HOP_ERR_INPUT,
                               "%s: name_offsets.npy: the name of vertex %" PRIu64
                               " is outside the %" PRIu64 " bytes of names",
                               hop__input_name(file->file.input), first + i,
                               file->file.layout.name_size);
            goto done;
        }
    uint64_t begin = file->offsets[0], size = file->offsets[count] - begin;
    HOP_TRY(status, hop__resize(file->context, "find: names", size, 1, &file->bytes));
    HOP_TRY(status,
            hop__block_file_fetch(&file->file, HOP__BLOCKED_NAME_BYTES, begin, file->bytes, size));
    for (uint64_t i = 0; i < count; i++)
        if (file->offsets[i + 1] - file->offsets[i] == file->length &&
            memcmp(file->bytes + (file->offsets[i] - begin), file->word, file->length) == 0)
            *vertex = first + i;
done:
    return status;
}

/* Of this rank's share. */
static hop_status find_name(name_file *file, const hop_cluster *cluster, uint64_t *vertex) {
    uint64_t vertices = file->file.layout.record.vertices;
    uint64_t at = hop__even_start(vertices, cluster->ranks, cluster->rank);
    uint64_t end = hop__even_start(vertices, cluster->ranks, cluster->rank + UINT64_C(1));
    hop_status status;
    HOP_TRY(status, hop__alloc(file->context, "find: names", 1, 1, &file->bytes));
    for (uint64_t count; at < end && *vertex == HOP_NO_CLUSTER_VERTEX; at += count) {
        count = end - at < BLOCK ? end - at : BLOCK;
        HOP_TRY(status, find_in_block(file, at, count, vertex));
    }
done:
    return status;
}

static hop_status find_word(name_file *file, const hop_cluster *cluster, const char *path,
                            uint64_t *vertex) {
    uint64_t id;
    hop_status status;
    HOP_TRY(status, hop__block_file_open(file->context, path, &file->file));
    if (file->file.layout.name_offsets != 0)
        status = find_name(file, cluster, vertex);
    else if (parse_id(file->word, &id))
        status = find_id(file, id, vertex);
done:
    return status;
}

/* Without a file: among the labels of this rank's vertices. */
static void find_label(const hop_cluster_graph *graph, uint64_t id, uint64_t *vertex) {
    uint64_t low = 0, high = graph->vertex_count;
    if (graph->labels == NULL) {
        if (id >= graph->first_id && id - graph->first_id < graph->vertices)
            *vertex = id - graph->first_id;
        return;
    }
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (graph->labels[middle] < id)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < graph->vertex_count && graph->labels[low] == id)
        *vertex = graph->first_vertex + low;
}

hop_status hop_cluster_graph_find(hop_cluster *cluster, const hop_cluster_graph *graph,
                                  const char *word, uint64_t *vertex) {
    if (cluster == NULL)
        return HOP_ERR_ARGUMENT;
    hop_context *context = cluster->context;
    uint64_t found = HOP_NO_CLUSTER_VERTEX, id;
    hop_status status = graph == NULL || word == NULL || vertex == NULL
                            ? hop__missing(context, "hop_cluster_graph_find")
                            : HOP_OK;
    if (status == HOP_OK && graph->path != NULL)
        return hop_cluster_vertex_find(cluster, graph->path, word, vertex);
    HOP_TRY(status, hop__cluster_begin(
                        cluster, "graph_find",
                        status == HOP_OK ? hop__cluster_mix(0, word, strlen(word)) : 0, status));
    if (parse_id(word, &id))
        find_label(graph, id, &found);
    HOP_TRY(status, hop__min_all(cluster, &found, 1));
    if (found == HOP_NO_CLUSTER_VERTEX)
        status = hop__fail(context, HOP_ERR_ARGUMENT, "the graph has no vertex %.200s", word);
    else
        *vertex = found;
done:
    return status;
}

hop_status hop_cluster_vertex_find(hop_cluster *cluster, const char *path, const char *word,
                                   uint64_t *vertex) {
    if (cluster == NULL)
        return HOP_ERR_ARGUMENT;
    hop_context *context = cluster->context;
    uint64_t found = HOP_NO_CLUSTER_VERTEX, hash = 0;
    name_file *file = NULL;
    hop_status status = path == NULL || word == NULL || vertex == NULL
                            ? hop__missing(context, "hop_cluster_vertex_find")
                            : hop__alloc_zero(context, "find: names", 1, sizeof *file, &file);
    if (status == HOP_OK)
        hash = hop__cluster_mix(0, word, strlen(word));
    HOP_TRY(status, hop__cluster_begin(cluster, "vertex_find", hash, status));
    file->context = context;
    file->word = word;
    file->length = strlen(word);
    status = hop__file_done(context, find_word(file, cluster, path, &found), path);
    HOP_TRY(status, hop__agree(cluster, status));
    HOP_TRY(status, hop__min_all(cluster, &found, 1));
    if (found == HOP_NO_CLUSTER_VERTEX)
        status = hop__fail(context, HOP_ERR_ARGUMENT, "%s has no vertex %.200s", path, word);
    else
        *vertex = found;
done:
    if (file != NULL) {
        hop__block_file_close(&file->file);
        hop__free(file->bytes);
    }
    hop__free(file);
    return status;
}
