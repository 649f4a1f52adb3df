/* SPDX-License-Identifier: Apache-2.0
 *
 * Opens a native file as a graph whose arcs stay there; arc_store.h says what is in memory.
 *
 * The directory and the small members are read from the file's end and headers, the checksums as a
 * whole, then the offsets once, in pieces by all threads: each piece gives the degrees of its
 * vertices and the first rows of the blocks that begin in them. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "core/memory.h"
#include "core/options.h"
#include "core/parallel.h"
#include "core/progress.h"
#include "core/try.h"
#include "graph/numbers.h"
#include "hoplite/store.h"
#include "io/formats/npz.h"
#include "store/arc_store.h"
#include "store/arc_visit.h"

enum {
    LEAST_FRAMES = 64,
    STATE_BYTES = 13,  /* of a vertex, that searches may want */
    LAYER_BYTES = 5,   /* and more where weights may be 0 */
    PIECE_BLOCKS = 31, /* of offsets that a thread reads at once; with the one behind, a request */
    SUMS_PIECE = 1 << 20
};

_Static_assert(PIECE_BLOCKS + 1 <= HOP__READ_BLOCKS, "a piece is one request");

static void store_close(void *owner) {
    hop__store *store = owner;
    if (store == NULL)
        return;
    if (store->plain >= 0)
        close(store->plain);
    if (store->direct >= 0)
        close(store->direct);
    hop__row_index_close(&store->index);
    hop__free(store->name);
    hop__free(store->sums);
    hop__free(store->first_rows);
    hop__free(store->frames_owned);
    hop__free(store->frame_of);
    hop__free(store->owner);
    hop__free(store->stamps);
    hop__free(store->weighted);
    pthread_mutex_destroy(&store->busy);
    pthread_mutex_destroy(&store->fault_lock);
    hop__free(store);
}

bool hop_graph_external(const hop_graph *graph) {
    return graph != NULL && graph->store != NULL;
}

hop_offset hop_graph_degree(const hop_graph *graph, hop_vertex vertex) {
    if (graph == NULL || vertex >= graph->vertices)
        return 0;
    return hop__any_degree(graph, vertex);
}

/* ---- the file ------------------------------------------------------------------------------- */

/* The same file twice more: the input's own descriptor is closed with it. */
static hop_status open_descriptors(hop_context *context, const hop__input *input, bool plain,
                                   hop__store *store) {
    char path[64];
    int descriptor = hop__input_descriptor(input);
    if (descriptor < 0)
        return hop__fail(context, HOP_ERR_UNSUPPORTED,
                         "%s: only a regular file that is not compressed can stay on disk",
                         hop__input_name(input));
    store->plain = fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
    if (store->plain < 0)
        return hop__input_fail_system(context, input, "open", errno);
    (void)posix_fadvise(store->plain, 0, 0, POSIX_FADV_RANDOM);
    snprintf(path, sizeof path, "/proc/self/fd/%d", store->plain);
    if (!plain)
        store->direct = open(path, O_RDONLY | O_DIRECT | O_CLOEXEC); /* -1 where there is none */
    return HOP_OK;
}

/* All of blocks.npy; its zip checksum is held against it. */
static hop_status read_sums(hop_context *context, const hop__npz_file *file, hop__store *store) {
    const hop__zip_member *member = file->blocks.member;
    uint64_t lead = file->blocks.npy.header_bytes, bytes = member->size - lead;
    unsigned char header[HOP__NPY_OUR_HEADER];
    hop_status status;
    if (lead > sizeof header)
        return hop__npz_fail_blocks(context, file, "its header is too long");
    HOP_TRY(status, hop__alloc(context, "open: checksums", bytes / 8, 8, &store->sums));
    int error = hop__input_fetch(file->archive.input, member->data, header, (size_t)lead);
    uLong crc = crc32(0, header, (uInt)lead);
    for (uint64_t at = 0; at < bytes && error == 0; at += SUMS_PIECE) {
        size_t part = bytes - at < SUMS_PIECE ? (size_t)(bytes - at) : SUMS_PIECE;
        unsigned char *place = (unsigned char *)store->sums + at;
        error = hop__input_fetch(file->archive.input, member->data + lead + at, place, part);
        crc = crc32(crc, place, (uInt)part);
    }
    if (error != 0)
        status = hop__input_fail_fetch(context, file->archive.input, error);
    else if (crc != member->crc)
        status = hop__npz_fail_blocks(context, file, "the checksum differs: the file is damaged");
done:
    return status;
}

static hop_status fail_old(hop_context *context, const hop__npz_file *file, const char *what) {
    hop__fail(context, HOP_ERR_UNSUPPORTED, "%s: %s, which reading from disk needs",
              hop__input_name(file->archive.input), what);
    return hop__remedy(context, HOP_REMEDY_CONVERT, "convert it to a native file once more");
}

/* Where the arrays lie, and their checksums. */
static hop_status place_arrays(hop_context *context, const hop__npz_file *file, hop__store *store) {
    hop__npz_span spans[HOP__BLOCKED_ARRAYS];
    hop_status status;
    if (file->blocks.member == NULL)
        return fail_old(context, file, "it has no checksums of blocks");
    HOP_TRY(status, hop__npz_check_blocks(context, file));
    HOP_TRY(status, read_sums(context, file, store));
    if (store->sums[0] != HOP__BLOCK_BYTES || store->sums[1] != HOP__BLOCK_XXH3)
        HOP_TRY(status, fail_old(context, file, "it has checksums of another kind"));
    HOP_TRY(status, hop__npz_spans(context, file, store->weight_type, store->sums, spans));
    for (unsigned i = 0; i < HOP__BLOCKED_ARRAYS; i++)
        store->arrays[i] = (hop__stored){spans[i].data, spans[i].bytes,
                                         store->sums + HOP__BLOCKS_HEAD + store->sums[2 + 2 * i]};
done:
    return status;
}

/* ---- what the vertices are called ------------------------------------------------------------ */

/* All of an array, in whole blocks, which the caller frees. */
static hop_status read_array(hop_context *context, hop__store *store, hop__blocked array,
                             unsigned char **slot) {
    uint64_t blocks = hop__blocks_of(store->arrays[array].bytes);
    hop_status status;
    HOP_TRY(status, hop__alloc(context, "open: labels", blocks * HOP__BLOCK_BYTES, 1, slot));
    for (uint64_t block = 0; block < blocks; block++) {
        /* Into memory that need not begin at a page: past the page cache that is refused, and then
         * done in the plain way. */
        unsigned char *place = *slot + block * HOP__BLOCK_BYTES;
        if (!hop__store_fetch(store, array, block, 1, &place))
            HOP_TRY(status, hop__store_failure(context, store));
    }
done:
    return status;
}

static hop_status read_labels(hop_context *context, hop__store *store, hop_graph *graph) {
    unsigned char *bytes = NULL;
    hop_status status;
    HOP_TRY(status, read_array(context, store, HOP__BLOCKED_LABELS, &bytes));
    graph->own_labels = bytes;
    graph->labels = (const void *)bytes;
    bytes = NULL;
    for (uint64_t v = 1; v < graph->vertices; v++)
        if (graph->labels[v] <= graph->labels[v - 1]) {
            hop__fail(context, HOP_ERR_INPUT, "%s: labels must be strictly ascending", store->name);
            status = hop__note_vertex(context, HOP_KIND_DATA, v);
            goto done;
        }
done:
    hop__free(bytes);
    return status;
}

static hop_status read_names(hop_context *context, hop__store *store, hop_graph *graph) {
    unsigned char *offsets = NULL, *bytes = NULL;
    hop_status status;
    HOP_TRY(status, read_array(context, store, HOP__BLOCKED_NAME_OFFSETS, &offsets));
    HOP_TRY(status, read_array(context, store, HOP__BLOCKED_NAME_BYTES, &bytes));
    HOP_TRY(status, hop__vertex_names_borrow(
                        context, (const void *)offsets, (const void *)bytes, graph->vertices,
                        store->arrays[HOP__BLOCKED_NAME_BYTES].bytes, &graph->names));
    graph->names->own_offsets = offsets;
    graph->names->own_bytes = bytes;
    offsets = bytes = NULL;
    HOP_TRY(status, hop__vertex_names_check(context, graph->names));
done:
    hop__free(offsets);
    hop__free(bytes);
    return status;
}

/* ---- where rows begin ------------------------------------------------------------------------ */

typedef struct index_job {
    hop_context *context;
    hop__store *store;
    size_t width;
    uint64_t per_piece; /* vertices */
    unsigned char *buffers, *first_buffer;
    atomic_bool stopped;
} index_job;

/* Which row the first arc of each block is in, for the blocks that begin in these rows. */
static void place_blocks(hop__store *store, uint64_t first, uint64_t count, const void *offsets,
                         size_t width) {
    uint64_t end = hop__offset_at(offsets, width, 0);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t begin = end;
        end = hop__offset_at(offsets, width, i + 1);
        uint64_t block = (begin + HOP__ARC_BLOCK - 1) / HOP__ARC_BLOCK;
        for (; block * HOP__ARC_BLOCK < end; block++)
            store->first_rows[block] = (hop_vertex)(first + i);
    }
}

static void index_pieces(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    index_job *work = arg;
    hop__store *store = work->store;
    unsigned char *buffer = work->buffers + (size_t)thread * HOP__READ_BLOCKS * HOP__BLOCK_BYTES;
    unsigned char *places[HOP__READ_BLOCKS];
    for (unsigned i = 0; i < HOP__READ_BLOCKS; i++)
        places[i] = buffer + (size_t)i * HOP__BLOCK_BYTES;
    for (uint64_t piece = begin; piece < end; piece++) {
        uint64_t first = piece * work->per_piece, left = store->vertices - first;
        uint64_t count = left < work->per_piece ? left : work->per_piece;
        uint64_t block = piece * PIECE_BLOCKS, last = (first + count) * work->width;
        if (atomic_load_explicit(&work->stopped, memory_order_relaxed))
            return;
        unsigned blocks = (unsigned)(last / HOP__BLOCK_BYTES - block + 1);
        bool right = hop__store_fetch(store, HOP__BLOCKED_OFFSETS, block, blocks, places);
        if (right && !hop__row_index_take(&store->index, first, count, buffer, work->width)) {
            hop__store_note(store, HOP__FAULT_OFFSETS, HOP__BLOCKED_OFFSETS, block, 0);
            right = false;
        }
        if (right)
            place_blocks(store, first, count, buffer, work->width);
        if (!right || !hop__progress_add(work->context, blocks * (uint64_t)HOP__BLOCK_BYTES))
            atomic_store_explicit(&work->stopped, true, memory_order_relaxed);
    }
}

/* The last offset is that of the arcs, and the first 0: then, since none falls, rows tile them. */
static hop_status check_ends(hop_context *context, hop__store *store) {
    const hop__row_index *index = &store->index;
    uint64_t n = store->vertices;
    uint64_t end = n > 0 ? hop__index_begin(index, n - 1) + hop__index_degree(index, n - 1) : 0;
    if ((n > 0 && index->bases[0] != 0) || end != store->arcs)
        hop__store_note(store, HOP__FAULT_OFFSETS, HOP__BLOCKED_OFFSETS, 0, 0);
    return hop__store_failure(context, store);
}

static hop_status read_offsets(hop_context *context, hop__store *store, size_t width) {
    index_job work = {.context = context, .store = store, .width = width};
    unsigned threads = hop__team_limit(context);
    size_t buffer = (size_t)HOP__READ_BLOCKS * HOP__BLOCK_BYTES;
    hop_status status;
    work.per_piece = (uint64_t)PIECE_BLOCKS * HOP__BLOCK_BYTES / width;
    HOP_TRY(status, hop__row_index_open(context, store->vertices, store->arcs, &store->index));
    HOP_TRY(status, hop__alloc(context, "open: rows of blocks", store->blocks,
                               sizeof *store->first_rows, &store->first_rows));
    HOP_TRY(status, hop__alloc(context, "open: offsets", threads * buffer + HOP__STORE_PAGE, 1,
                               &work.first_buffer));
    work.buffers = work.first_buffer + (-(uintptr_t)work.first_buffer % HOP__STORE_PAGE);
    hop__progress_begin(context, "open: offsets", store->arrays[HOP__BLOCKED_OFFSETS].bytes);
    hop__for(context, (store->vertices + work.per_piece - 1) / work.per_piece, 1, index_pieces,
             &work);
    status = hop__progress_end(context);
    hop_status fault = hop__store_failure(context, store);
    if (status == HOP_OK)
        status = fault;
    if (status == HOP_OK) {
        hop__row_index_sort(&store->index);
        status = check_ends(context, store);
    }
done:
    hop__free(work.first_buffer);
    return status;
}

/* ---- the cache ------------------------------------------------------------------------------- */

static uint64_t frames_for(hop_context *context, const hop__store *store, uint64_t asked) {
    hop__memory_usage usage = hop__pool_usage(context->pool);
    uint64_t left = usage.used < usage.budget ? usage.budget - usage.used : 0;
    uint64_t state = store->vertices * STATE_BYTES;
    if (store->weight_type != HOP_TYPE_NONE &&
        (!hop__is_integer_type(store->weight_type) || store->facts->min_weight_int <= 0))
        state += store->vertices * LAYER_BYTES;
    uint64_t bytes = asked > 0 ? asked : left > state ? (left - state) / 4 * 3 : 0;
    uint64_t frames = bytes / (store->frame_bytes + 16);
    if (frames > store->blocks)
        frames = store->blocks;
    return frames < LEAST_FRAMES ? LEAST_FRAMES : frames;
}

static hop_status make_cache(hop_context *context, hop__store *store, uint64_t asked) {
    hop_status status;
    store->frame_bytes =
        HOP__BLOCK_BYTES + (size_t)HOP__ARC_BLOCK * hop_type_size(store->weight_type);
    HOP_TRY(status, hop__alloc(context, "open: table of blocks", store->blocks,
                               sizeof *store->frame_of, &store->frame_of));
    uint64_t count = store->frame_count = frames_for(context, store, asked);
    HOP_TRY(status, hop__alloc(context, "open: cache", count * store->frame_bytes + HOP__STORE_PAGE,
                               1, &store->frames_owned));
    HOP_TRY(status, hop__alloc(context, "open: cache", count, sizeof *store->owner, &store->owner));
    HOP_TRY(status,
            hop__alloc_zero(context, "open: cache", count, sizeof *store->stamps, &store->stamps));
    HOP_TRY(status, hop__alloc(context, "open: cache", count, 1, &store->weighted));
    store->frames = store->frames_owned + (-(uintptr_t)store->frames_owned % HOP__STORE_PAGE);
    memset(store->frame_of, 0xff, store->blocks * sizeof *store->frame_of);
    memset(store->owner, 0xff, count * sizeof *store->owner);
    store->window = 1;
done:
    return status;
}

/* ---- the graph ------------------------------------------------------------------------------- */

static hop_status make_store(hop_context *context, const hop__npz_file *file, bool plain,
                             hop_graph *graph, hop__store **slot) {
    const char *name = hop__input_name(file->archive.input);
    hop__store *store = NULL;
    hop_status status;
    HOP_TRY(status, hop__alloc_zero(context, "open: store", 1, sizeof *store, &store));
    store->plain = store->direct = -1;
    pthread_mutex_init(&store->busy, NULL);
    pthread_mutex_init(&store->fault_lock, NULL);
    *slot = store;
    store->vertices = file->record.vertices;
    store->arcs = file->record.arcs;
    store->blocks = (store->arcs + HOP__ARC_BLOCK - 1) / HOP__ARC_BLOCK;
    store->facts = &graph->shared->facts;
    HOP_TRY(status, hop__alloc(context, "open: store", strlen(name) + 1, 1, &store->name));
    memcpy(store->name, name, strlen(name) + 1);
    HOP_TRY(status, hop__npz_check_native(context, file, &store->weight_type));
    if (!hop__npz_in_place(file, store->weight_type))
        HOP_TRY(status, fail_old(context, file, "its arrays are packed or not aligned"));
    HOP_TRY(status, open_descriptors(context, file->archive.input, plain, store));
    HOP_TRY(status, place_arrays(context, file, store));
done:
    return status;
}

static hop_status make_graph(hop_context *context, const hop__npz_file *file,
                             const hop_external_options *options, hop_graph **slot) {
    hop_graph *graph = NULL;
    hop__store *store = NULL;
    hop_status status;
    HOP_TRY(status, hop__graph_create(context, &graph));
    status = make_store(context, file, options->plain, graph, &store);
    graph->store = graph->owner = store;
    graph->release = store_close;
    if (status != HOP_OK)
        goto done;
    graph->vertices = (hop_vertex)store->vertices;
    graph->arcs = store->arcs;
    graph->directed = file->record.directed != 0;
    graph->offset_bytes = (size_t)file->indptr.npy.item_bytes;
    graph->weight_type = store->weight_type;
    graph->first_id = file->first_id;
    hop__npz_trust(graph, &file->record);
    if (file->labels.member != NULL)
        HOP_TRY(status, read_labels(context, store, graph));
    if (file->name_offsets.member != NULL)
        HOP_TRY(status, read_names(context, store, graph));
    HOP_TRY(status, read_offsets(context, store, graph->offset_bytes));
    HOP_TRY(status, make_cache(context, store, options->cache_bytes));
    *slot = graph;
    graph = NULL;
done:
    hop_graph_release(graph);
    return status;
}

static hop_status open_input(hop_context *context, hop__input *input,
                             const hop_external_options *options, hop_graph **graph) {
    hop__npz_file *file = NULL;
    unsigned char *room = NULL;
    hop_status status;
    if (!hop__input_is_random(input) || hop__input_size(input) == 0)
        HOP_TRY(status, hop__fail(context, HOP_ERR_UNSUPPORTED,
                                  "%s: only a regular file that is not compressed can stay on disk",
                                  hop__input_name(input)));
    HOP_TRY(status, hop__npz_open_file(context, input, &room, &file));
    if (!file->native)
        HOP_TRY(status, fail_old(context, file, "it is not a native file"));
    HOP_TRY(status, make_graph(context, file, options, graph));
done:
    hop__npz_close_file(file, room);
    return status;
}

hop_status hop_graph_open_external(hop_context *context, const char *path,
                                   const hop_external_options *given, hop_graph **graph) {
    hop_external_options options = HOP_EXTERNAL_OPTIONS_INIT;
    hop_read_options reading = HOP_READ_OPTIONS_INIT;
    hop__input *input = NULL;
    hop_status status;
    if (!context || !path || !graph)
        return hop__missing(context, "hop_graph_open_external");
    *graph = NULL;
    HOP_TRY(status, hop__options_take(context, "HOP_EXTERNAL_OPTIONS_INIT", given, &options,
                                      sizeof options));
    HOP_TRY(status, hop__input_open(context, path, &reading, &input));
    HOP_TRY(status, open_input(context, input, &options, graph));
done:
    hop__input_close(input);
    return hop__file_done(context, status, path);
}
