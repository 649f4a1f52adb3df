/* SPDX-License-Identifier: Apache-2.0
 *
 * A native file, each rank its part; other files are read by cluster_parts.c.
 *
 * Arcs lie in the file in the order in which ranks hold them: this rank's are a stretch of
 * indices.npy. Which rows they belong to is found by a binary search in indptr.npy, one pread a
 * step; then the offsets of these rows pass through a buffer, and the rows without arcs, of which
 * there may be many, are gone. What is read is checked: blocks have their checksums, offsets do not
 * fall, targets exist and are sorted in their rows. That every arc of an undirected graph has its
 * reverse is checked by two sums over all ranks, of a hash of the ends and weights of the arcs that
 * lead up and of those that lead down: they are equal if all reverses are there, and, unless two of
 * 2^64 numbers meet, only then.
 *
 * Cost: this rank's part of the file, read once. Nothing is sent but counts, and what cluster_ids.c
 * sends. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cluster/cluster_blocks.h"
#include "cluster/cluster_graph.h"
#include "cluster/cluster_part_file.h"
#include "cluster/cluster_parts.h"
#include "core/memory.h"
#include "core/progress.h"
#include "core/real_bits.h"
#include "core/try.h"
#include "graph/graph_internal.h"

enum {
    BLOCK = 1 << 16,  /* offsets or targets at a time */
    WEIGHTS = 1 << 20 /* weights at a time */
};

typedef struct file_part {
    hop_context *context;
    hop__block_file file;
    uint32_t *block;     /* BLOCK items of 8 bytes */
    hop__wide_arcs arcs; /* of this rank */
} file_part;

static uint64_t offset_in(const file_part *file, uint64_t index) {
    uint64_t wide;
    if (file->file.layout.offset_bytes == 4)
        return file->block[index];
    memcpy(&wide, file->block + 2 * index, sizeof wide);
    return wide;
}

static hop_status fetch_offsets(file_part *file, uint64_t row, uint64_t count) {
    size_t size = file->file.layout.offset_bytes;
    return hop__block_file_fetch(&file->file, HOP__BLOCKED_OFFSETS, row * size, file->block,
                                 count * size);
}

/* The row that arc number `arc` is in: the last whose offset is at most that. */
static hop_status find_row(file_part *file, uint64_t arc, uint64_t *row) {
    uint64_t low = 0,
             high = file->file.layout.record.vertices; /* offset[low] <= arc < offset[high] */
    hop_status status = HOP_OK;
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        HOP_TRY(status, fetch_offsets(file, middle, 1));
        if (offset_in(file, 0) <= arc)
            low = middle;
        else
            high = middle;
    }
    *row = low;
done:
    return status;
}

static hop_status bad_offset(file_part *file, uint64_t row, uint64_t offset, uint64_t before) {
    hop__fail(file->context, HOP_ERR_INPUT,
              "%s: indptr.npy: the offset of row %" PRIu64 " is %" PRIu64 ", after %" PRIu64
              " and of %" PRIu64 " arcs",
              hop__input_name(file->file.input), row, offset, before,
              file->file.layout.record.arcs);
    return hop__note_vertex(file->context, HOP_KIND_DATA, row);
}

/* One row of this rank's arcs [begin, end), of which [from, to) are the row's. */
static void row_add(hop_cluster_graph *graph, uint64_t *rows, uint64_t row, uint64_t from,
                    uint64_t to) {
    uint64_t begin = graph->first_arc, end = begin + graph->arc_count;
    from = from > begin ? from : begin;
    to = to < end ? to : end;
    if (from >= to)
        return;
    rows[graph->row_count] = row;
    graph->starts[graph->row_count++] = from - begin;
    graph->starts[graph->row_count] = to - begin;
}

/* Rows first .. last, whose arcs are this rank's but for those outside its stretch. */
static hop_status read_rows(file_part *file, hop_cluster_graph *graph, uint64_t first,
                            uint64_t last) {
    uint64_t from = 0;
    hop_status status = HOP_OK;
    for (uint64_t at = first, count; at <= last + 1; at += count) {
        count = last + 2 - at < BLOCK ? last + 2 - at : BLOCK;
        HOP_TRY(status, fetch_offsets(file, at, count));
        for (uint64_t i = 0; i < count; i++) {
            uint64_t to = offset_in(file, i), row = at + i;
            if (to < from || to > file->file.layout.record.arcs) {
                status = bad_offset(file, row, to, from);
                goto done;
            }
            if (row > first)
                row_add(graph, file->arcs.rows, row - 1, from, to);
            from = to;
        }
    }
done:
    return status;
}

static hop_status check_ends(file_part *file) {
    const hop__npz_record *record = &file->file.layout.record;
    hop_status status;
    HOP_TRY(status, fetch_offsets(file, 0, 1));
    if (offset_in(file, 0) != 0) {
        status = bad_offset(file, 0, offset_in(file, 0), 0);
        goto done;
    }
    HOP_TRY(status, fetch_offsets(file, record->vertices, 1));
    if (offset_in(file, 0) != record->arcs)
        status = bad_offset(file, record->vertices, offset_in(file, 0), record->arcs);
done:
    return status;
}

/* The rows whose offsets this rank reads: from that of its first arc to that of the next rank's, so
 * that every offset of the file is looked at. */
static hop_status find_rows(file_part *file, const hop_cluster_graph *graph, uint64_t *first,
                            uint64_t *last) {
    uint64_t end = graph->first_arc + graph->arc_count;
    hop_status status = HOP_OK;
    *first = 0;
    *last = graph->vertices - 1;
    if (graph->first_arc > 0)
        HOP_TRY(status, find_row(file, graph->first_arc, first));
    if (end < graph->arcs)
        HOP_TRY(status, find_row(file, end, last));
done:
    return status;
}

static hop_status read_targets(file_part *file, hop_cluster_graph *graph) {
    hop_status status = HOP_OK;
    for (uint64_t at = 0, count; at < graph->arc_count; at += count) {
        count = graph->arc_count - at < BLOCK ? graph->arc_count - at : BLOCK;
        HOP_TRY(status, hop__block_file_fetch(&file->file, HOP__BLOCKED_TARGETS,
                                              4 * (graph->first_arc + at), file->block, 4 * count));
        for (uint64_t i = 0; i < count; i++)
            file->arcs.ends[at + i] = file->block[i];
        if (!hop__progress_add(file->context, count))
            break;
    }
done:
    return status;
}

/* Weights, straight to where they stay; without those that are no numbers. */
static hop_status read_weights(file_part *file, hop_cluster_graph *graph) {
    size_t size = hop_type_size(file->file.layout.weight_type);
    hop_status status;
    graph->weight_type = file->file.layout.weight_type;
    HOP_TRY(status,
            hop__alloc(file->context, "cluster: weights", graph->arc_count, size, &graph->weights));
    for (uint64_t at = 0, count; at < graph->arc_count; at += count) {
        count = graph->arc_count - at < WEIGHTS ? graph->arc_count - at : WEIGHTS;
        HOP_TRY(status, hop__block_file_fetch(
                            &file->file, HOP__BLOCKED_WEIGHTS, size * (graph->first_arc + at),
                            (unsigned char *)graph->weights + size * at, size * count));
        if (!hop__progress_add(file->context, count))
            goto done; /* the caller asks whether to go on */
    }
    for (uint64_t row = 0; row < graph->row_count; row++)
        for (uint64_t arc = graph->starts[row]; arc < graph->starts[row + 1]; arc++)
            if (isnan(hop__weight_as_double(graph->weight_type, graph->weights, arc))) {
                hop__fail(file->context, HOP_ERR_INPUT,
                          "%s: data.npy: the weight of an arc from %" PRIu64
                          " is not a number (NaN)",
                          hop__input_name(file->file.input), file->arcs.rows[row]);
                status = hop__note_arc(file->context, HOP_KIND_DATA, file->arcs.rows[row],
                                       graph->first_arc + arc);
                goto done;
            }
done:
    return status;
}

/* Bits of a weight, for the hash: equal weights have equal ones, -0 and 0 too. */
static uint64_t weight_bits(const hop_cluster_graph *graph, uint64_t arc) {
    if (graph->weight_type == HOP_TYPE_NONE)
        return 0;
    if (graph->weight_type == HOP_TYPE_INT64)
        return (uint64_t)((const int64_t *)graph->weights)[arc];
    return hop__double_bits(hop__weight_as_double(graph->weight_type, graph->weights, arc) + 0.0);
}

/* Targets exist and ascend in their rows; `sums` of the hashes of arcs up and down. */
static hop_status check_targets(file_part *file, const hop_cluster_graph *graph, uint64_t sums[2]) {
    for (uint64_t row = 0; row < graph->row_count; row++) {
        uint64_t source = file->arcs.rows[row];
        for (uint64_t arc = graph->starts[row]; arc < graph->starts[row + 1]; arc++) {
            uint64_t target = file->arcs.ends[arc];
            if (target >= graph->vertices ||
                (arc > graph->starts[row] && target < file->arcs.ends[arc - 1])) {
                hop__fail(file->context, HOP_ERR_INPUT,
                          "%s: indices.npy: the arc from %" PRIu64 " to %" PRIu64 " %s",
                          hop__input_name(file->file.input), source, target,
                          target >= graph->vertices ? "leads to no vertex" : "is not in order");
                return hop__note_arc(file->context, HOP_KIND_DATA, source, graph->first_arc + arc);
            }
            if (source < target)
                sums[0] += hop__hash_three(source, target, weight_bits(graph, arc));
            else if (source > target)
                sums[1] += hop__hash_three(target, source, weight_bits(graph, arc));
        }
    }
    return HOP_OK;
}

static hop_status read_arcs(file_part *file, hop_cluster_graph *graph) {
    bool weights = file->file.layout.weight_type != HOP_TYPE_NONE;
    hop__progress_begin(file->context, "read: arcs", graph->arc_count * (weights ? 2 : 1));
    hop_status status = read_targets(file, graph);
    if (status == HOP_OK && weights)
        status = read_weights(file, graph);
    hop_status stopped = hop__progress_end(file->context);
    return status == HOP_OK ? stopped : status;
}

/* This rank's part into the graph. */
static hop_status read_part(file_part *file, hop_cluster_graph *graph, uint64_t sums[2]) {
    uint64_t first, last, count = graph->arc_count;
    hop_status status;
    HOP_TRY(status, check_ends(file));
    HOP_TRY(status, hop__alloc(file->context, "cluster: rows", count, 8, &file->arcs.rows));
    HOP_TRY(status, hop__alloc_zero(file->context, "cluster: starts", count + 1,
                                    sizeof *graph->starts, &graph->starts));
    HOP_TRY(status, hop__alloc(file->context, "cluster: arcs", count, 8, &file->arcs.ends));
    if (graph->vertices == 0 || (count == 0 && graph->first_arc > 0))
        goto done;
    HOP_TRY(status, find_rows(file, graph, &first, &last));
    HOP_TRY(status, read_rows(file, graph, first, last));
    if (graph->starts[graph->row_count] != count) {
        status = bad_offset(file, last, graph->starts[graph->row_count], count);
        goto done;
    }
    HOP_TRY(status,
            hop__resize(file->context, "cluster: rows", graph->row_count, 8, &file->arcs.rows));
    HOP_TRY(status, hop__resize(file->context, "cluster: starts", graph->row_count + 1,
                                sizeof *graph->starts, &graph->starts));
    HOP_TRY(status, read_arcs(file, graph));
    HOP_TRY(status, check_targets(file, graph, sums));
done:
    return status;
}

static hop_status part_open(hop_context *context, const char *path, file_part *file) {
    hop_status status;
    HOP_TRY(status, hop__alloc(context, "read: block", BLOCK, 8, &file->block));
    HOP_TRY(status, hop__block_file_open(context, path, &file->file));
done:
    return status;
}

/* What all must find at a path: how large it is, how it begins, and whether it is a zip archive, as
 * native files are. */
typedef struct file_kind {
    uint64_t size, is_archive, head;
} file_kind;

static hop_status kind_of(hop_context *context, const char *path, file_kind *kind) {
    enum { HEAD = 1 << 14 };
    unsigned char head[HEAD];
    struct stat about;
    *kind = (file_kind){0, 1, 0};
    if (strcmp(path, "-") == 0) /* refused by the reader, with more words */
        return HOP_OK;
    int descriptor = hop__part_descriptor(path, O_RDONLY | O_NONBLOCK);
    if (descriptor < 0 || fstat(descriptor, &about) != 0) {
        hop__fail(context, HOP_ERR_IO, "%s: cannot open: %s", path, strerror(errno));
        if (descriptor >= 0)
            (void)close(descriptor);
        return hop__file_done(context, HOP_ERR_IO, path);
    }
    hop_status status = HOP_OK;
    if (S_ISREG(about.st_mode)) {
        ssize_t count = pread(descriptor, head, sizeof head, 0);
        kind->size = (uint64_t)about.st_size;
        kind->is_archive = count >= 2 && memcmp(head, "PK", 2) == 0;
        kind->head = hop__cluster_mix(0, head, count > 0 ? (size_t)count : 0);
    } else if (!S_ISDIR(about.st_mode)) {
        hop__fail(context, HOP_ERR_UNSUPPORTED,
                  "%s: it is no plain file, so that ranks cannot read it in parts", path);
        status = hop__file_done(context, HOP_ERR_UNSUPPORTED, path);
    }
    (void)close(descriptor);
    return status;
}

static hop_status read_native(hop_cluster *cluster, const char *path, hop_cluster_graph **slot) {
    hop_context *context = cluster->context;
    file_part file = {.context = context};
    hop_cluster_graph *graph = NULL;
    uint64_t sums[2] = {0, 0};
    hop_status status = hop__file_done(context, part_open(context, path, &file), path);
    const hop__npz_record *record = &file.file.layout.record;
    /* The same file for all: ranks on other machines may have another of this name. */
    HOP_TRY(status,
            hop__cluster_begin(cluster, "read native",
                               status == HOP_OK ? hop__cluster_mix(0, record, sizeof *record) : 0,
                               status));
    status = hop__cluster_graph_create(cluster, record->vertices, record->arcs,
                                       record->directed != 0, &graph);
    if (status == HOP_OK)
        status = hop__alloc(context, "cluster: path", strlen(path) + 1, 1, &graph->path);
    if (status == HOP_OK)
        (void)strcpy(graph->path, path);
    if (status == HOP_OK)
        status = hop__file_done(context, read_part(&file, graph, sums), path);
    HOP_TRY(status, hop__sum_agreed(cluster, status, sums, 2));
    if (!graph->directed && sums[0] != sums[1]) {
        status = hop__fail(context, HOP_ERR_INPUT,
                           "%s: the graph is undirected, but some arcs have no reverse%s", path,
                           graph->weight_type == HOP_TYPE_NONE ? "" : " of the same weight");
        goto done;
    }
    graph->weight_type = file.file.layout.weight_type; /* of ranks without arcs, too */
    HOP_TRY(status, hop__cluster_weigh(cluster, graph));
    HOP_TRY(status, hop__cluster_graph_finish(cluster, graph, HOP_OK, &file.arcs));
    *slot = graph;
    graph = NULL;
done:
    hop__block_file_close(&file.file);
    hop__free(file.block);
    hop__free(file.arcs.rows);
    hop__free(file.arcs.ends);
    hop_cluster_graph_free(graph);
    return status;
}

hop_status hop_cluster_graph_read(hop_cluster *cluster, const char *path,
                                  hop_cluster_graph **slot) {
    if (cluster == NULL)
        return HOP_ERR_ARGUMENT;
    hop_status status = path == NULL || slot == NULL
                            ? hop__missing(cluster->context, "hop_cluster_graph_read")
                            : HOP_OK;
    file_kind kind = {0, 1, 0};
    if (slot != NULL)
        *slot = NULL;
    if (status == HOP_OK)
        status = kind_of(cluster->context, path, &kind);
    HOP_TRY(status, hop__cluster_begin(cluster, "read", 0, status));
    HOP_TRY(status, hop__same_file(cluster, path, hop__cluster_mix(0, &kind, sizeof kind)));
    status = kind.is_archive ? read_native(cluster, path, slot)
                             : hop__cluster_read_parts(cluster, path, slot);
done:
    return status;
}
