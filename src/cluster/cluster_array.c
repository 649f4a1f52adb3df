/* SPDX-License-Identifier: Apache-2.0
 *
 * An array of results as one .npy file, written by all ranks at once: cluster_part_file.h. */
#include <inttypes.h>
#include <string.h>

#include "cluster/cluster_file.h"
#include "cluster/cluster_graph.h"
#include "cluster/cluster_part_file.h"
#include "core/memory.h"
#include "core/try.h"
#include "io/numpy/npy_header.h"

enum { BLOCK = 1 << 16 };

/* Ids of 64 bits into a file of 32, where they fit: none is the largest number of the type. */
static hop_status narrow_write(hop__part_file *file, const uint64_t *values, uint64_t count,
                               uint64_t at) {
    uint32_t *block = NULL;
    hop_status status;
    HOP_TRY(status, hop__alloc(file->cluster->context, "write: block", BLOCK, 4, &block));
    for (uint64_t done = 0, some; done < count; done += some) {
        some = count - done < BLOCK ? count - done : BLOCK;
        for (uint64_t i = 0; i < some; i++)
            block[i] = (uint32_t)values[done + i];
        HOP_TRY(status, hop__part_write(file, block, (size_t)some * 4, at + done * 4));
    }
done:
    hop__free(block);
    return status;
}

/* This rank's parts, on the disk. */
static hop_status parts_put(hop__part_file *file, uint64_t start, hop__parts_fn *write,
                            void *user) {
    hop_status status;
    HOP_TRY(status, hop__part_open(file));
    HOP_TRY(status, write(user, file, start));
    status = hop__part_sync(file);
done:
    return status;
}

/* What the header of the file calls a type; NULL for types that results do not have. */
static const char *item_text(hop_type type) {
    switch (type) {
    case HOP_TYPE_UINT32:
        return "'<u4'";
    case HOP_TYPE_UINT64:
        return "'<u8'";
    case HOP_TYPE_INT64:
        return "'<i8'";
    case HOP_TYPE_FLOAT32:
        return "'<f4'";
    case HOP_TYPE_FLOAT64:
        return "'<f8'";
    default:
        return NULL;
    }
}

static hop_status check_part(hop_context *context, uint64_t count, const char *path,
                             const hop_view *part) {
    if (part == NULL || !hop__part_path_fits(path))
        return hop__missing(context, "hop_cluster_array_write");
    if (item_text(part->type) == NULL || part->count != count ||
        (part->items == NULL && part->count > 0))
        return hop__fail(context, HOP_ERR_ARGUMENT,
                         "write: %" PRIu64 " items of type %s; a rank writes one for each of its "
                         "%" PRIu64 ", an id, level, distance or rank",
                         part->count, hop_type_name(part->type), count);
    return HOP_OK;
}

hop_status hop__parts_write(hop_cluster *cluster, const char *path, const hop__file_shape *shape,
                            hop__parts_fn *write, void *user) {
    hop__part_file file = {.cluster = cluster, .descriptor = -1};
    unsigned char header[HOP__NPY_OUR_HEADER];
    size_t start = hop__npy_format(header, item_text(shape->type), shape->dimensions, shape->items);
    hop_status status;
    HOP_TRY(status, hop__part_begin(cluster, path, &file));
    if (cluster->rank == 0) {
        status = hop__part_make(&file);
        if (status == HOP_OK)
            status = hop__part_write(&file, header, start, 0);
    }
    HOP_TRY(status, hop__agree(cluster, status));
    HOP_TRY(status, hop__agree(cluster, parts_put(&file, start, write, user)));
    if (cluster->rank == 0)
        status = hop__part_rename(&file);
    status = hop__agree(cluster, status);
done:
    hop__part_close(&file);
    return status;
}

/* One part of items that are spread evenly. */
typedef struct even_part {
    const hop_view *part;
    uint64_t first;
    bool narrow;
} even_part;

static hop_status even_write(void *user, hop__part_file *file, uint64_t start) {
    const even_part *even = user;
    const hop_view *part = even->part;
    size_t size = even->narrow ? 4 : hop_type_size(part->type);
    uint64_t at = start + even->first * size;
    return even->narrow ? narrow_write(file, part->items, part->count, at)
                        : hop__part_write(file, part->items, (size_t)(part->count * size), at);
}

hop_status hop_cluster_items_write(hop_cluster *cluster, uint64_t items, const char *path,
                                   const hop_view *part) {
    if (cluster == NULL)
        return HOP_ERR_ARGUMENT;
    even_part even = {.part = part};
    uint64_t count;
    hop_cluster_part(cluster, items, &even.first, &count);
    hop_status status = check_part(cluster->context, count, path, part);
    uint64_t hash = status == HOP_OK ? hop__cluster_mix(part->type, path, strlen(path)) : 0;
    HOP_TRY(status, hop__cluster_begin(cluster, "array_write", hash + items, status));
    even.narrow = part->type == HOP_TYPE_UINT64 && items <= HOP_MAX_VERTICES;
    hop__file_shape shape = {even.narrow ? HOP_TYPE_UINT32 : part->type, 1, {items, 1}};
    status = hop__parts_write(cluster, path, &shape, even_write, &even);
done:
    return status;
}

hop_status hop_cluster_array_write(hop_cluster *cluster, const hop_cluster_graph *graph,
                                   const char *path, const hop_view *part) {
    /* Without a graph there is nothing to write to: all refuse it. */
    return hop_cluster_items_write(cluster, graph != NULL ? graph->vertices : 0,
                                   graph != NULL ? path : NULL, part);
}
