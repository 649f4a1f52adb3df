/* SPDX-License-Identifier: Apache-2.0
 *
 * See cluster_checkpoint.h. The header and the items are in the order of bytes of the machine,
 * which for another one is a header whose hash differs. */
#include "cluster/cluster_checkpoint.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cluster/cluster_part_file.h"
#include "core/memory.h"
#include "core/options.h"
#include "core/timing.h"
#include "core/try.h"

enum { HEADER_BYTES = 4096, FOLDER_MOST = HOP__PART_PATH_MOST - 64, KEPT = 2 };
#define SUFFIX ".checkpoint"

typedef struct checkpoint_header {
    char magic[8];
    char problem[16];
    uint64_t number, graph, search, vertices, step, array_count;
    uint64_t item_bytes[HOP__CHECKPOINT_ARRAYS], sums[HOP__CHECKPOINT_ARRAYS];
    uint64_t hash; /* of all that is before it */
} checkpoint_header;
_Static_assert(sizeof(checkpoint_header) <= HEADER_BYTES, "items begin after the header");

static const char magic_word[8] = {'H', 'O', 'P', 'C', 'K', 'P', 'T', '1'};

static uint64_t header_hash(const checkpoint_header *header) {
    return hop__cluster_mix(0, header, offsetof(checkpoint_header, hash));
}

static void path_make(const hop__checkpoint *work, uint64_t number,
                      char path[HOP__PART_PATH_MOST]) {
    (void)snprintf(path, HOP__PART_PATH_MOST, "%s/%s-%" PRIu64 SUFFIX,
                   work->cluster->checkpoint_folder, work->problem, number);
}

/* Where the items of array `index` begin. */
static uint64_t array_start(const hop__checkpoint *work, uint64_t index) {
    uint64_t start = HEADER_BYTES;
    for (uint64_t i = 0; i < index; i++)
        start += work->arrays[i].item_bytes * work->graph->vertices;
    return start;
}

static uint64_t array_sum(const hop__checkpoint *work, uint64_t index) {
    const hop_cluster_graph *graph = work->graph;
    uint64_t sum = 0;
    for (uint64_t i = 0; i < graph->vertex_count; i++) {
        uint64_t item = work->arrays[index].item_bytes == 4
                            ? ((const uint32_t *)work->arrays[index].items)[i]
                            : ((const uint64_t *)work->arrays[index].items)[i];
        sum += hop__hash_three(graph->first_vertex + i, item, index);
    }
    return sum;
}

static hop_status graph_hash(hop_cluster *cluster, const hop_cluster_graph *graph,
                             hop_status status, uint64_t *hash) {
    uint64_t sum = 0;
    for (uint64_t row = 0; row < graph->row_count; row++)
        for (uint64_t arc = graph->starts[row]; arc < graph->starts[row + 1]; arc++)
            sum += hop__hash_three(hop__row_vertex(graph, row), hop__end_vertex(graph, arc),
                                   hop__weight_bits(graph, arc));
    hop_status done = hop__sum_agreed(cluster, status, &sum, 1);
    uint64_t facts[4] = {sum, graph->vertices, graph->directed, graph->weight_type};
    *hash = hop__cluster_mix(0, facts, sizeof facts);
    return done;
}

/* ---- what is there --------------------------------------------------------------------------- */

/* The number of a checkpoint of this problem, by its name; 0: it is none. */
static uint64_t number_of(const hop__checkpoint *work, const char *name) {
    size_t length = strlen(work->problem);
    char *end;
    if (strncmp(name, work->problem, length) != 0 || name[length] != '-' ||
        name[length + 1] < '1' || name[length + 1] > '9')
        return 0;
    unsigned long long number = strtoull(name + length + 1, &end, 10);
    return strcmp(end, SUFFIX) == 0 ? number : 0;
}

static hop_status folder_refused(hop_cluster *cluster, int error) {
    hop__fail(cluster->context, HOP_ERR_IO, "%s: cannot read the folder of checkpoints: %s",
              cluster->checkpoint_folder, strerror(error));
    (void)hop__note_system(cluster->context, error);
    return hop__file_done(cluster->context, HOP_ERR_IO, cluster->checkpoint_folder);
}

/* On rank 0: the two newest. What a job that was killed has left unfinished is removed. */
static hop_status folder_list(const hop__checkpoint *work, uint64_t newest[KEPT]) {
    (void)mkdir(work->cluster->checkpoint_folder, 0777); /* it may be there */
    const int descriptor =
        hop__part_descriptor(work->cluster->checkpoint_folder, O_RDONLY | O_DIRECTORY);
    DIR *folder = descriptor >= 0 ? fdopendir(descriptor) : NULL;
    const struct dirent *entry;
    int error = errno;
    if (folder == NULL) {
        if (descriptor >= 0)
            (void)close(descriptor);
        return folder_refused(work->cluster, error);
    }
    while (errno = 0, (entry = readdir(folder)) != NULL) {
        uint64_t number = number_of(work, entry->d_name);
        size_t length = strlen(entry->d_name), problem = strlen(work->problem);
        if (strncmp(entry->d_name, work->problem, problem) == 0 && entry->d_name[problem] == '-' &&
            length > 5 && strcmp(entry->d_name + length - 5, ".part") == 0)
            (void)unlinkat(dirfd(folder), entry->d_name, 0);
        if (number > newest[0]) {
            newest[1] = newest[0];
            newest[0] = number;
        } else if (number > newest[1]) {
            newest[1] = number;
        }
    }
    error = errno; /* a folder that was read in part has perhaps not shown the newest */
    (void)closedir(folder);
    return error == 0 ? HOP_OK : folder_refused(work->cluster, error);
}

/* ---- reading --------------------------------------------------------------------------------- */

static hop_status bytes_read(hop_context *context, int descriptor, const char *path, void *bytes,
                             size_t count, uint64_t at) {
    char *next = bytes;
    while (count > 0) {
        ssize_t some = pread(descriptor, next, count, (off_t)at);
        if (some < 0 && errno == EINTR)
            continue;
        if (some <= 0)
            return hop__fail(context, HOP_ERR_INPUT, "%s: %s", path,
                             some < 0 ? strerror(errno) : "the file is cut off");
        next += some;
        at += (uint64_t)some;
        count -= (size_t)some;
    }
    return HOP_OK;
}

/* HOP_ERR_INPUT: it is damaged, and another may do. HOP_ERR_ARGUMENT: it is of something else. */
static hop_status header_check(const hop__checkpoint *work, const char *path,
                               const checkpoint_header *header) {
    hop_context *context = work->cluster->context;
    const char *what = NULL;
    if (memcmp(header->magic, magic_word, sizeof magic_word) != 0 ||
        header->hash != header_hash(header))
        return hop__fail(context, HOP_ERR_INPUT, "%s: the header differs from its checksum", path);
    if (strncmp(header->problem, work->problem, sizeof header->problem) != 0)
        what = "of another problem";
    else if (header->vertices != work->graph->vertices || header->graph != work->graph_hash)
        what = "of another graph";
    else if (header->search != work->search)
        what = "of a search from other sources, or with other limits";
    for (uint64_t i = 0; what == NULL && i < work->array_count; i++)
        if (header->array_count != work->array_count ||
            header->item_bytes[i] != work->arrays[i].item_bytes)
            what = "of another version of hoplite";
    if (what == NULL)
        return HOP_OK;
    hop__fail(context, HOP_ERR_ARGUMENT,
              "%s: this checkpoint is %s; name another folder, or begin without resuming", path,
              what);
    return hop__file_done(context, HOP_ERR_ARGUMENT, path);
}

/* This rank's part, and the sums of it. */
static hop_status part_read(hop__checkpoint *work, const char *path, checkpoint_header *header,
                            uint64_t sums[HOP__CHECKPOINT_ARRAYS]) {
    hop_context *context = work->cluster->context;
    const hop_cluster_graph *graph = work->graph;
    int descriptor = hop__part_descriptor(path, O_RDONLY);
    hop_status status;
    if (descriptor < 0) {
        status = hop__fail(context, HOP_ERR_INPUT, "%s: %s", path, strerror(errno));
        goto done;
    }
    HOP_TRY(status, bytes_read(context, descriptor, path, header, sizeof *header, 0));
    HOP_TRY(status, header_check(work, path, header));
    for (uint64_t i = 0; i < work->array_count; i++) {
        uint64_t size = work->arrays[i].item_bytes;
        HOP_TRY(status, bytes_read(context, descriptor, path, work->arrays[i].items,
                                   (size_t)(graph->vertex_count * size),
                                   array_start(work, i) + graph->first_vertex * size));
        sums[i] = array_sum(work, i);
    }
done:
    if (descriptor >= 0)
        (void)close(descriptor);
    return status;
}

/* All ranks have the same header where none has failed: each has checked its hash. */
static hop_status checkpoint_read(hop__checkpoint *work, uint64_t number, uint64_t *step) {
    char path[HOP__PART_PATH_MOST];
    checkpoint_header header;
    uint64_t sums[HOP__CHECKPOINT_ARRAYS] = {0};
    path_make(work, number, path);
    hop_status status = part_read(work, path, &header, sums);
    HOP_TRY(status, hop__sum_agreed(work->cluster, status, sums, HOP__CHECKPOINT_ARRAYS));
    for (uint64_t i = 0; i < work->array_count; i++)
        if (sums[i] != header.sums[i]) {
            status = hop__fail(work->cluster->context, HOP_ERR_INPUT,
                               "%s: the state of the vertices differs from its checksum", path);
            goto done;
        }
    *step = header.step;
done:
    return status;
}

/* The newest that is whole. */
static hop_status state_find(hop__checkpoint *work, const uint64_t newest[KEPT], uint64_t *step) {
    hop_cluster *cluster = work->cluster;
    hop_status status = HOP_OK;
    char refused[256] = "";
    for (int i = 0; i < KEPT && newest[i] > 0; i++) {
        status = checkpoint_read(work, newest[i], step);
        if (status == HOP_OK) {
            work->found = true;
            (void)snprintf(cluster->checkpoint_note, sizeof cluster->checkpoint_note,
                           "continued from %s-%" PRIu64 SUFFIX ", %s %" PRIu64 "%s%s",
                           work->problem, newest[i], work->step_name, *step,
                           refused[0] != '\0' ? "; not used: " : "", refused);
            return status;
        }
        if (status != HOP_ERR_INPUT)
            return status;
        (void)snprintf(refused, sizeof refused, "%.255s", hop_context_message(cluster->context));
    }
    return status;
}

hop_status hop__checkpoint_begin(hop__checkpoint *work, uint64_t *step) {
    hop_cluster *cluster = work->cluster;
    uint64_t newest[KEPT] = {0};
    hop_status status = HOP_OK;
    *step = 0;
    cluster->checkpoint_note[0] = '\0';
    if (cluster->checkpoint_folder == NULL)
        return HOP_OK;
    if (cluster->rank == 0)
        status = folder_list(work, newest);
    HOP_TRY(status, graph_hash(cluster, work->graph, status, &work->graph_hash));
    HOP_TRY(status, hop__max_all(cluster, newest, KEPT));
    work->number = newest[0];
    if (cluster->resume)
        HOP_TRY(status, state_find(work, newest, step));
    work->last = hop__now();
done:
    return status;
}

/* ---- writing --------------------------------------------------------------------------------- */

uint64_t hop__checkpoint_due(const hop__checkpoint *work) {
    const hop_cluster *cluster = work->cluster;
    return cluster->checkpoint_folder != NULL && cluster->rank == 0 &&
           hop__now() - work->last >= cluster->checkpoint_seconds;
}

static hop_status part_write(const hop__checkpoint *work, hop__part_file *file,
                             uint64_t sums[HOP__CHECKPOINT_ARRAYS]) {
    const hop_cluster_graph *graph = work->graph;
    hop_status status;
    HOP_TRY(status, hop__part_open(file));
    for (uint64_t i = 0; i < work->array_count; i++) {
        uint64_t size = work->arrays[i].item_bytes;
        sums[i] = array_sum(work, i);
        HOP_TRY(status,
                hop__part_write(file, work->arrays[i].items, (size_t)(graph->vertex_count * size),
                                array_start(work, i) + graph->first_vertex * size));
    }
    status = hop__part_sync(file);
done:
    return status;
}

/* Rank 0: the header, the name, and the end of what is older than the one before. */
static hop_status file_finish(const hop__checkpoint *work, hop__part_file *file, uint64_t step,
                              const uint64_t sums[HOP__CHECKPOINT_ARRAYS]) {
    checkpoint_header header = {.number = work->number,
                                .graph = work->graph_hash,
                                .search = work->search,
                                .vertices = work->graph->vertices,
                                .step = step,
                                .array_count = work->array_count};
    char old[HOP__PART_PATH_MOST];
    hop_status status;
    memcpy(header.magic, magic_word, sizeof magic_word);
    (void)snprintf(header.problem, sizeof header.problem, "%s", work->problem);
    for (uint64_t i = 0; i < work->array_count; i++) {
        header.item_bytes[i] = work->arrays[i].item_bytes;
        header.sums[i] = sums[i];
    }
    header.hash = header_hash(&header);
    HOP_TRY(status, hop__part_write(file, &header, sizeof header, 0));
    HOP_TRY(status, hop__part_sync(file));
    HOP_TRY(status, hop__part_rename(file));
    if (work->number > KEPT) {
        path_make(work, work->number - KEPT, old);
        (void)unlink(old);
    }
done:
    return status;
}

hop_status hop__checkpoint_write(hop__checkpoint *work, uint64_t due, uint64_t step) {
    hop_cluster *cluster = work->cluster;
    char path[HOP__PART_PATH_MOST];
    hop__part_file file = {.cluster = cluster, .descriptor = -1};
    uint64_t sums[HOP__CHECKPOINT_ARRAYS] = {0};
    hop_status status = HOP_OK;
    if (due == 0)
        return HOP_OK;
    work->number++;
    path_make(work, work->number, path);
    HOP_TRY(status, hop__part_begin(cluster, path, &file));
    if (cluster->rank == 0)
        status = hop__part_make(&file);
    HOP_TRY(status, hop__agree(cluster, status));
    status = part_write(work, &file, sums);
    HOP_TRY(status, hop__sum_agreed(cluster, status, sums, HOP__CHECKPOINT_ARRAYS));
    if (cluster->rank == 0)
        status = file_finish(work, &file, step, sums);
    HOP_TRY(status, hop__agree(cluster, status));
    work->last = hop__now();
    if (++work->written == cluster->stop_after)
        status = hop__fail(cluster->context, HOP_ERR_CANCELLED, "%s: stopped", work->problem);
done:
    hop__part_close(&file);
    return status;
}

/* ---- the call -------------------------------------------------------------------------------- */

hop_status hop_cluster_checkpoint(hop_cluster *cluster, const hop_cluster_checkpoints *given) {
    if (cluster == NULL)
        return HOP_ERR_ARGUMENT;
    hop_context *context = cluster->context;
    hop_cluster_checkpoints options = HOP_CLUSTER_CHECKPOINTS_INIT;
    char *folder = NULL;
    uint64_t hash = 0;
    hop_status status =
        hop__options_take(context, "HOP_CLUSTER_CHECKPOINTS_INIT", given, &options, sizeof options);
    size_t length = status == HOP_OK && options.folder != NULL ? strlen(options.folder) : 0;
    if (status == HOP_OK && (length > FOLDER_MOST || !(options.seconds >= 0)))
        status = hop__fail(context, HOP_ERR_ARGUMENT,
                           "checkpoint: a folder of at most %d bytes, and seconds that are not "
                           "negative, are possible",
                           FOLDER_MOST);
    if (status == HOP_OK && length > 0)
        status = hop__alloc(context, "checkpoint: folder", length + 1, 1, &folder);
    if (status == HOP_OK && length > 0)
        hash = hop__cluster_mix(options.resume, options.folder, length);
    if (folder != NULL)
        memcpy(folder, options.folder, length + 1);
    HOP_TRY(status, hop__cluster_begin(cluster, "checkpoint", hash, status));
    hop__free(cluster->checkpoint_folder);
    cluster->checkpoint_folder = folder;
    folder = NULL;
    cluster->checkpoint_seconds = options.seconds;
    cluster->resume = options.resume;
done:
    hop__free(folder);
    return status;
}

const char *hop_cluster_checkpoint_note(const hop_cluster *cluster) {
    return cluster->checkpoint_note;
}
