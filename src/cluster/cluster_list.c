/* SPDX-License-Identifier: Apache-2.0
 *
 * Successors from an .npy file, each rank its part. */
#include "cluster/cluster_list.h"

#include "core/try.h"
#include "io/formats/list.h"

enum { BLOCK = 1 << 17 }; /* bytes that are read at a time */

void hop_cluster_part(const hop_cluster *cluster, uint64_t items, uint64_t *first,
                      uint64_t *count) {
    *first = hop__even_start(items, cluster->ranks, cluster->rank);
    *count = hop__even_size(items, cluster->ranks, cluster->rank);
}

typedef struct list_part {
    hop__input *input;
    hop__npy npy;
    uint64_t first, count;
    uint64_t *successors;
} list_part;

static hop_status part_read(hop_context *context, list_part *part) {
    unsigned char *block = NULL;
    uint64_t width = part->npy.item_bytes;
    hop_status status;
    HOP_TRY(status,
            hop__alloc(context, "list", part->count, sizeof *part->successors, &part->successors));
    HOP_TRY(status, hop__alloc(context, "list: block", BLOCK, 1, &block));
    for (uint64_t at = 0, some; at < part->count; at += some) {
        some = part->count - at < BLOCK / width ? part->count - at : BLOCK / width;
        int error =
            hop__input_fetch(part->input, part->npy.header_bytes + (part->first + at) * width,
                             block, (size_t)(some * width));
        if (error != 0) {
            status = hop__input_fail_fetch(context, part->input, error);
            goto done;
        }
        for (uint64_t i = 0; i < some; i++) {
            uint64_t next = hop__list_item(&part->npy, block, i);
            if (next >= part->npy.items) {
                status = hop__list_refuse(context, hop__input_name(part->input),
                                          part->first + at + i, next, part->npy.items);
                goto done;
            }
            part->successors[at + i] = next;
        }
    }
done:
    hop__free(block);
    return status;
}

static hop_status part_open(hop_context *context, const char *path, list_part *part) {
    hop_status status;
    HOP_TRY(status, hop__input_open(context, path, NULL, &part->input));
    HOP_TRY(status, hop__list_layout(context, part->input, &part->npy));
done:
    return hop__file_done(context, status, path);
}

hop_status hop_cluster_list_read(hop_cluster *cluster, const char *path, uint64_t *elements,
                                 uint64_t **successors) {
    if (cluster == NULL)
        return HOP_ERR_ARGUMENT;
    hop_context *context = cluster->context;
    list_part part = {.input = NULL};
    hop_status status = path == NULL || elements == NULL || successors == NULL
                            ? hop__missing(context, "hop_cluster_list_read")
                            : part_open(context, path, &part);
    /* The same file for all: ranks on other machines may have another of this name. */
    HOP_TRY(status, hop__cluster_begin(
                        cluster, "list_read",
                        status == HOP_OK ? part.npy.items * 16 + part.npy.item_bytes : 0, status));
    hop_cluster_part(cluster, part.npy.items, &part.first, &part.count);
    status = hop__file_done(context, part_read(context, &part), path);
    HOP_TRY(status, hop__agree(cluster, status));
    *elements = part.npy.items;
    *successors = part.successors;
    part.successors = NULL;
done:
    hop__input_close(part.input);
    hop__free(part.successors);
    return status;
}
