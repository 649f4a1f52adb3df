/* SPDX-License-Identifier: Apache-2.0
 *
 * Opens .npz files: the native format as it lies in the file, scipy's own through npz_matrix.c.
 *
 * A native file is mapped, and the graph's arrays point into the mapping: opening costs the same
 * few system calls at any size. Nothing of the arrays is looked at but the first and the last
 * offset, so the graph begins in the state HOP__UNCHECKED, and the first use checks it (graph.h);
 * a caller who trusts the file gets the facts from its record instead. With `in_memory` the
 * file is read into one block and used in the same way.
 *
 * Source: NumPy's format documentation (NEP 1), scipy.sparse.save_npz, APPNOTE 6.3.9 for zip. */
#include "io/formats/npz.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>

#include "core/memory.h"
#include "core/progress.h"
#include "core/try.h"
#include "graph/graph_internal.h"
#include "graph/numbers.h"
#include "io/bytes/array_stream.h"
#include "io/formats/npz_stream.h"

/* ---- the bytes of the file ----------------------------------------------------------------- */

typedef struct image {
    unsigned char *bytes;
    uint64_t size;
    bool mapped; /* else a block of the pool */
} image;

static void image_close(void *owner) {
    image *file = owner;
    if (file == NULL)
        return;
    if (file->bytes != NULL && file->mapped)
        munmap(file->bytes, (size_t)file->size);
    else
        hop__free(file->bytes);
    hop__free(file);
}

/* The file into memory, in pieces that can be cancelled. */
static hop_status read_whole(hop_context *context, hop__input *input, image *file) {
    hop__progress_begin(context, "read: file", file->size);
    hop_status status = hop__stream_read_bytes(context, input, 0, file->size, file->bytes);
    hop_status ended = hop__progress_end(context);
    return status != HOP_OK ? status : ended;
}

static hop_status image_open(hop_context *context, hop__input *input, bool in_memory,
                             image **slot) {
    int descriptor = hop__input_descriptor(input);
    image *file = NULL;
    hop_status status;
    HOP_TRY(status, hop__alloc_zero(context, "read: file", 1, sizeof *file, &file));
    file->size = hop__input_size(input);
    if (descriptor >= 0 && !in_memory && file->size <= SIZE_MAX) {
        /* No advice on the mapping: of none, sequential, will-need and populate, none made the
         * first check faster, cold or warm. The input's own advice must not outlive it. */
        (void)posix_fadvise(descriptor, 0, 0, POSIX_FADV_NORMAL);
        void *map = mmap(NULL, (size_t)file->size, PROT_READ, MAP_SHARED, descriptor, 0);
        if (map == MAP_FAILED) {
            status = hop__input_fail_system(context, input, "map it", errno);
            goto done;
        }
        file->bytes = map;
        file->mapped = true;
    } else {
        HOP_TRY(status, hop__alloc(context, "read: file", file->size, 1, &file->bytes));
        HOP_TRY(status, read_whole(context, input, file));
    }
    *slot = file;
    file = NULL;
done:
    image_close(file);
    return status;
}

/* ---- members ------------------------------------------------------------------------------- */

static hop_status fail_member(hop_context *context, const hop__npz_file *file,
                              const hop__npy_member *array, const char *expected) {
    return hop__input_fail_offset(context, file->archive.input, array->member->data,
                                  "%s: type %c%" PRIu64 " with %u dimensions, expected %s",
                                  array->name, array->npy.kind, array->npy.item_bytes,
                                  array->npy.dimensions, expected);
}

/* "csr" from a byte string or from Unicode, which old versions of scipy wrote. */
static hop_status read_format(hop_context *context, hop__npz_file *file) {
    hop__npy_member array;
    hop_status status;
    unsigned char text[32];
    HOP_TRY(status, hop__npy_member_open(context, &file->archive, "format.npy", &array));
    if (array.member == NULL && hop__zip_find(&file->archive.zip, "hoplite_index.npy") != NULL) {
        hop__fail(context, HOP_ERR_INPUT, "%s: an index of a graph, not a graph",
                  hop__input_name(file->archive.input));
        status = hop__remedy(context, HOP_REMEDY_OTHER_FILE, "name the graph it was made of");
        goto done;
    }
    if (array.member == NULL) {
        status = hop__fail(context, HOP_ERR_INPUT,
                           "%s: no member format.npy: not a sparse matrix of scipy or a graph",
                           hop__input_name(file->archive.input));
        goto done;
    }
    size_t step = array.npy.kind == 'U' ? 4 : 1;
    uint64_t count = array.npy.item_bytes / step;
    if ((array.npy.kind != 'S' && array.npy.kind != 'U') || array.npy.items != 1 || count == 0 ||
        count >= sizeof file->format || array.npy.big_endian) {
        status = fail_member(context, file, &array, "one short string");
        goto done;
    }
    HOP_TRY(status, hop__npy_member_fetch(context, &file->archive, &array, text,
                                          (size_t)array.npy.item_bytes));
    for (size_t i = 0; i < count; i++)
        file->format[i] = text[i * step] >= 'a' && text[i * step] <= 'z' ? (char)text[i * step] : 0;
done:
    return status;
}

/* Before other members are looked at: those of dia and bsr have shapes of their own. */
static hop_status check_format(hop_context *context, const hop__npz_file *file) {
    static const char *const known[] = {"csr", "csc", "coo"};
    for (size_t i = 0; i < HOP_LENGTH(known); i++)
        if (strcmp(file->format, known[i]) == 0)
            return HOP_OK;
    return hop__fail(context, HOP_ERR_UNSUPPORTED,
                     "%s: a sparse matrix of format \"%s\"; convert it with scipy's tocsr() first",
                     hop__input_name(file->archive.input), file->format);
}

static hop_status read_shape(hop_context *context, hop__npz_file *file) {
    hop__npy_member array;
    hop_status status;
    unsigned char items[16];
    HOP_TRY(status, hop__npy_member_open(context, &file->archive, "shape.npy", &array));
    if (array.member == NULL) {
        status = hop__fail(context, HOP_ERR_INPUT, "%s: no member shape.npy",
                           hop__input_name(file->archive.input));
        goto done;
    }
    uint64_t bytes = array.npy.item_bytes;
    if ((array.npy.kind != 'i' && array.npy.kind != 'u') || (bytes != 4 && bytes != 8) ||
        array.npy.big_endian || array.npy.dimensions != 1 || array.npy.items != 2) {
        status = fail_member(context, file, &array, "two integers of 4 or 8 bytes");
        goto done;
    }
    HOP_TRY(status,
            hop__npy_member_fetch(context, &file->archive, &array, items, (size_t)(2 * bytes)));
    uint64_t sizes[2] = {0, 0};
    memcpy(&sizes[0], items, (size_t)bytes);
    memcpy(&sizes[1], items + bytes, (size_t)bytes);
    file->rows = sizes[0];
    file->columns = sizes[1];
done:
    return status;
}

static hop_status read_record(hop_context *context, hop__npz_file *file) {
    static const char fields[] = HOP__NPZ_RECORD_FIELDS;
    hop__npy_member array;
    hop_status status;
    HOP_TRY(status, hop__npy_member_open(context, &file->archive, "hoplite.npy", &array));
    file->native = array.member != NULL;
    if (!file->native)
        goto done;
    if (array.npy.kind != 'R' || array.npy.items != 1 ||
        array.npy.item_bytes < sizeof file->record || array.npy.type_length < sizeof fields - 1 ||
        memcmp(array.npy.type, fields, sizeof fields - 1) != 0) {
        status = fail_member(context, file, &array, "the record of docs/formats_binary.md");
        goto done;
    }
    HOP_TRY(status, hop__npy_member_fetch(context, &file->archive, &array, &file->record,
                                          sizeof file->record));
    if (file->record.version == 0 || file->record.directed > 1)
        status = hop__input_fail_offset(context, file->archive.input, array.member->data,
                                        "hoplite.npy: version %" PRIu32 ", directed %" PRIu32,
                                        file->record.version, file->record.directed);
done:
    return status;
}

static bool is_integer(const hop__npy_member *array, size_t bytes) {
    return (array->npy.kind == 'i' || array->npy.kind == 'u') && array->npy.item_bytes == bytes;
}

/* The id of vertex 0, of a file without labels; files of earlier versions have none. */
static hop_status read_first_id(hop_context *context, hop__npz_file *file) {
    hop__npy_member array;
    hop_status status;
    HOP_TRY(status, hop__npy_member_open(context, &file->archive, "first_id.npy", &array));
    if (!file->native || array.member == NULL)
        goto done;
    if (!is_integer(&array, 8) || array.npy.big_endian || array.npy.items != 1) {
        status = fail_member(context, file, &array, "one integer of 8 bytes");
        goto done;
    }
    HOP_TRY(status, hop__npy_member_fetch(context, &file->archive, &array, &file->first_id,
                                          sizeof file->first_id));
    if (file->labels.member != NULL || file->first_id > UINT64_MAX - HOP_MAX_VERTICES)
        status = hop__input_fail_offset(context, file->archive.input, array.member->data,
                                        "first_id.npy: %" PRIu64 "%s", file->first_id,
                                        file->labels.member != NULL
                                            ? ", but there are labels too"
                                            : ", which leaves no ids for the vertices");
done:
    return status;
}

/* Whether the two members of names go together; what is in them is checked with the graph. */
static hop_status check_names(hop_context *context, hop__npz_file *file) {
    const hop__npy_member *offsets = &file->name_offsets, *bytes = &file->name_bytes;
    if (!file->native) { /* a member of scipy's own file that happens to be called so */
        file->name_offsets.member = file->name_bytes.member = NULL;
        return HOP_OK;
    }
    if (offsets->member == NULL && bytes->member == NULL)
        return HOP_OK;
    if (offsets->member == NULL || bytes->member == NULL)
        return hop__fail(context, HOP_ERR_INPUT, "%s: member %s without %s",
                         hop__input_name(file->archive.input),
                         offsets->member != NULL ? "name_offsets.npy" : "name_bytes.npy",
                         offsets->member != NULL ? "name_bytes.npy" : "name_offsets.npy");
    if (!is_integer(offsets, 8) || offsets->npy.items != file->record.vertices + 1)
        return fail_member(context, file, offsets, "one integer of 8 bytes more than vertices");
    if (!is_integer(bytes, 1))
        return fail_member(context, file, bytes, "bytes");
    if (file->labels.member != NULL || file->first_id != 0)
        return hop__input_fail_offset(context, file->archive.input, offsets->member->data,
                                      "name_offsets.npy: names, but there %s too",
                                      file->labels.member != NULL ? "are labels" : "is a first id");
    return HOP_OK;
}

hop_status hop__npz_read_members(hop_context *context, hop__npz_file *file) {
    hop_status status;
    const struct {
        const char *name;
        hop__npy_member *array;
    } members[] = {{"indptr.npy", &file->indptr},
                   {"indices.npy", &file->indices},
                   {"data.npy", &file->data},
                   {"row.npy", &file->row},
                   {"col.npy", &file->column},
                   {"labels.npy", &file->labels},
                   {"name_offsets.npy", &file->name_offsets},
                   {"name_bytes.npy", &file->name_bytes},
                   {"blocks.npy", &file->blocks}};
    HOP_TRY(status, read_format(context, file));
    HOP_TRY(status, check_format(context, file));
    HOP_TRY(status, read_shape(context, file));
    HOP_TRY(status, read_record(context, file));
    for (size_t i = 0; i < HOP_LENGTH(members); i++) {
        hop__npy_member *array = members[i].array;
        HOP_TRY(status, hop__npy_member_open(context, &file->archive, members[i].name, array));
        if (array->member != NULL && array->npy.dimensions != 1) {
            status = fail_member(context, file, array, "one dimension");
            goto done;
        }
    }
    HOP_TRY(status, read_first_id(context, file));
    HOP_TRY(status, check_names(context, file));
done:
    return status;
}

/* ---- the native format --------------------------------------------------------------------- */

static hop_status fail_missing(hop_context *context, const hop__npz_file *file, const char *name) {
    return hop__fail(context, HOP_ERR_INPUT, "%s: no member %s",
                     hop__input_name(file->archive.input), name);
}

hop_status hop__npz_check_native(hop_context *context, const hop__npz_file *file,
                                 hop_weight_type *weight) {
    const hop__npz_record *record = &file->record;
    hop_status status;
    *weight = HOP_TYPE_NONE;
    while (hop__is_weight_type(*weight) &&
           strncmp(record->weight, hop_type_name(*weight), sizeof record->weight) != 0)
        (*weight)++;
    if (!hop__is_weight_type(*weight))
        return hop__fail(context, HOP_ERR_UNSUPPORTED, "%s: weights of type \"%.8s\" are not known",
                         hop__input_name(file->archive.input), record->weight);
    if (file->indptr.member == NULL || file->indices.member == NULL)
        return fail_missing(context, file, file->indptr.member ? "indices.npy" : "indptr.npy");
    if (*weight != HOP_TYPE_NONE) {
        hop_weight_type stored;
        if (file->data.member == NULL)
            return fail_missing(context, file, "data.npy");
        status = hop__npz_weight_type(context, file, &stored);
        if (status != HOP_OK)
            return status;
        if (stored != *weight || file->data.npy.items != record->arcs ||
            file->data.npy.item_bytes != hop_type_size(*weight))
            return fail_member(context, file, &file->data, "the weights of hoplite.npy");
    }
    if (strcmp(file->format, "csr") != 0 || record->vertices != file->rows ||
        record->vertices != file->columns || record->vertices > HOP_MAX_VERTICES ||
        file->indptr.npy.items != record->vertices + 1 || file->indices.npy.items != record->arcs ||
        (file->labels.member != NULL && file->labels.npy.items != record->vertices))
        return hop__fail(
            context, HOP_ERR_INPUT,
            "%s: hoplite.npy says %" PRIu64 " vertices and %" PRIu64 " arcs; shape %" PRIu64
            " by %" PRIu64 ", %" PRIu64 " offsets and %" PRIu64 " indices do not go with that",
            hop__input_name(file->archive.input), record->vertices, record->arcs, file->rows,
            file->columns, file->indptr.npy.items, file->indices.npy.items);
    return HOP_OK;
}

/* Whether the array can be used where it lies. */
static bool lies_ready(const hop__npy_member *array) {
    return array->member == NULL ||
           (!array->member->deflated && !array->npy.big_endian &&
            (array->member->data + array->npy.header_bytes) % HOP__ZIP_ALIGNMENT == 0);
}

bool hop__npz_in_place(const hop__npz_file *file, hop_weight_type weight) {
    return lies_ready(&file->indptr) && lies_ready(&file->indices) && lies_ready(&file->labels) &&
           lies_ready(&file->name_offsets) && lies_ready(&file->name_bytes) &&
           (is_integer(&file->indptr, 4) || is_integer(&file->indptr, 8)) &&
           is_integer(&file->indices, 4) &&
           (file->labels.member == NULL || is_integer(&file->labels, 8)) &&
           (weight == HOP_TYPE_NONE || lies_ready(&file->data));
}

static const void *array_of(const hop__npz_file *file, const hop__npy_member *array) {
    if (array->member == NULL)
        return NULL;
    return file->archive.zip.bytes + array->member->data + array->npy.header_bytes;
}

void hop__npz_trust(hop_graph *graph, const hop__npz_record *record) {
    hop__facts *facts = &graph->shared->facts;
    facts->loops = record->loops;
    facts->isolated = (hop_vertex)record->isolated;
    facts->min_degree = record->min_degree;
    facts->max_degree = record->max_degree;
    facts->max_degree_vertex = (hop_vertex)record->max_degree_vertex;
    facts->min_weight = record->min_weight;
    facts->max_weight = record->max_weight;
    facts->min_weight_int = record->min_weight_int;
    facts->max_weight_int = record->max_weight_int;
    atomic_store(&graph->shared->state, HOP__TRUSTED);
}

/* A graph whose arrays lie in the image; takes it over when it succeeds. */
static hop_status use_in_place(hop_context *context, const hop__npz_file *file, image **bytes,
                               hop_weight_type weight, hop_graph **slot) {
    hop_graph *graph = NULL;
    hop_status status;
    HOP_TRY(status, hop__graph_create(context, &graph));
    HOP_TRY(status, hop__graph_set_origin(context, graph, hop__input_name(file->archive.input)));
    graph->vertices = (hop_vertex)file->record.vertices;
    graph->arcs = file->record.arcs;
    graph->directed = file->record.directed != 0;
    graph->offset_bytes = (size_t)file->indptr.npy.item_bytes;
    graph->offsets = array_of(file, &file->indptr);
    graph->targets = array_of(file, &file->indices);
    graph->labels = array_of(file, &file->labels);
    graph->first_id = file->first_id;
    HOP_TRY(status, hop__vertex_names_borrow(context, array_of(file, &file->name_offsets),
                                             array_of(file, &file->name_bytes), graph->vertices,
                                             file->name_bytes.npy.items, &graph->names));
    graph->weight_type = weight;
    if (weight != HOP_TYPE_NONE)
        graph->weights = array_of(file, &file->data);
    if (hop__offset(graph, 0) != 0 || hop__offset(graph, graph->vertices) != graph->arcs) {
        status = hop__input_fail_offset(
            context, file->archive.input, file->indptr.member->data,
            "indptr.npy: offsets run from %" PRIu64 " to %" PRIu64 ", expected 0 to %" PRIu64,
            hop__offset(graph, 0), hop__offset(graph, graph->vertices), graph->arcs);
        goto done;
    }
    graph->mapped = (*bytes)->mapped;
    graph->release = image_close;
    graph->owner = *bytes;
    *bytes = NULL;
    *slot = graph;
    graph = NULL;
done:
    hop_graph_release(graph);
    return status;
}

static hop_status check_hash(hop_context *context, const hop__npz_file *file,
                             const hop_graph *graph) {
    uint64_t hash;
    hop_status status = hop_graph_hash(context, graph, &hash);
    if (status == HOP_OK && hash != file->record.hash)
        status = hop__fail(context, HOP_ERR_INPUT,
                           "%s: the contents have the hash %016" PRIx64 ", hoplite.npy says "
                           "%016" PRIx64 ": the file is damaged or was changed",
                           hop__input_name(file->archive.input), hash, file->record.hash);
    return status;
}

/* The graph as the file has it, in place or copied. */
static hop_status native_graph(hop_context *context, const hop__npz_file *file, image **bytes,
                               hop_weight_type weight, hop_graph **graph) {
    if (hop__npz_in_place(file, weight))
        return use_in_place(context, file, bytes, weight, graph);
    hop__log(context, HOP_LOG_INFO, "%s: copied, because its arrays are packed or not aligned",
             hop__input_name(file->archive.input));
    hop_read_options as_it_is = HOP_READ_OPTIONS_INIT;
    as_it_is.duplicates = HOP_DUPLICATES_KEEP;
    return hop__npz_read_matrix(context, file, &as_it_is, graph);
}

static hop_status read_native(hop_context *context, const hop__npz_file *file, image **bytes,
                              const hop_read_options *options, hop_graph **graph) {
    hop_weight_type weight;
    hop_status status;
    HOP_TRY(status, hop__npz_check_native(context, file, &weight));
    uint64_t edges = file->record.directed ? file->record.arcs : file->record.arcs / 2;
    HOP_TRY(status, hop__read_limits_check(context, hop__input_name(file->archive.input), options,
                                           file->record.vertices, edges));
    HOP_TRY(status, native_graph(context, file, bytes, weight, graph));
    if (options->trusted && *bytes == NULL)
        hop__npz_trust(*graph, &file->record);
    if (options->verify)
        HOP_TRY(status, check_hash(context, file, *graph));
    if (options->drop_weights) {
        hop__free((*graph)->own_weights);
        (*graph)->own_weights = NULL;
        (*graph)->weights = NULL;
        (*graph)->weight_type = HOP_TYPE_NONE;
    }
    HOP_TRY(status, hop__csr_apply_options(context, options, false, graph));
done:
    if (status != HOP_OK) {
        hop_graph_release(*graph);
        *graph = NULL;
    }
    return status;
}

/* ---- the row of the table ------------------------------------------------------------------ */

static int sniff(const unsigned char *bytes, size_t count, uint64_t size) {
    (void)size;
    return count >= 4 && memcmp(bytes, "PK\3\4", 4) == 0 ? HOP__SNIFF_YES : HOP__SNIFF_NO;
}

/* Maps the file, and reads its directory and the headers of its members. */
static hop_status open_members(hop_context *context, hop__input *input, bool in_memory,
                               image **bytes, hop__npz_file **slot) {
    hop__npz_file *file = NULL;
    hop_status status;
    HOP_TRY(status, hop__alloc_zero(context, "read: directory", 1, sizeof *file, &file));
    *slot = file;
    HOP_TRY(status,
            hop__alloc(context, "read: headers", HOP__NPY_SCRATCH, 1, &file->archive.scratch));
    HOP_TRY(status, image_open(context, input, in_memory, bytes));
    file->archive.input = input;
    HOP_TRY(status,
            hop__zip_open(context, input, (*bytes)->bytes, (*bytes)->size, &file->archive.zip));
    HOP_TRY(status, hop__npz_read_members(context, file));
done:
    return status;
}

static void close_members(hop__npz_file *file, image *bytes) {
    if (file != NULL)
        hop__free(file->archive.scratch);
    hop__free(file);
    image_close(bytes);
}

static hop_status read_npz(hop_context *context, hop__input *input, const hop_read_options *options,
                           hop_graph **graph) {
    hop__npz_file *file = NULL;
    image *bytes = NULL;
    hop_status status;
    *graph = NULL;
    HOP_TRY(status, open_members(context, input, options->in_memory, &bytes, &file));
    if (file->native)
        HOP_TRY(status, read_native(context, file, &bytes, options, graph));
    else
        HOP_TRY(status, hop__npz_read_matrix(context, file, options, graph));
done:
    close_members(file, bytes);
    return status;
}

hop_status hop__npz_open_file(hop_context *context, hop__input *input, unsigned char **room,
                              hop__npz_file **slot) {
    hop__npz_file *file = NULL;
    hop_status status;
    *room = NULL;
    status = hop__alloc_zero(context, "open: directory", 1, sizeof *file, &file);
    *slot = file;
    if (status != HOP_OK)
        return status;
    HOP_TRY(status,
            hop__alloc(context, "open: headers", HOP__NPY_SCRATCH, 1, &file->archive.scratch));
    HOP_TRY(status, hop__alloc(context, "open: directory", HOP__ZIP_ROOM, 1, room));
    file->archive.input = input;
    HOP_TRY(status, hop__zip_open_file(context, input, *room, &file->archive.zip));
    HOP_TRY(status, hop__npz_read_members(context, file));
done:
    return status;
}

void hop__npz_close_file(hop__npz_file *file, unsigned char *room) {
    if (file != NULL)
        hop__free(file->archive.scratch);
    hop__free(file);
    hop__free(room);
}

/* Where the array of a member begins in the file; 0 for one that is not there. */
static uint64_t array_at(const hop__npy_member *array) {
    return array->member == NULL ? 0 : array->member->data + array->npy.header_bytes;
}

hop_status hop__npz_fail_blocks(hop_context *context, const hop__npz_file *file, const char *what) {
    return hop__input_fail_offset(context, file->archive.input, file->blocks.member->data,
                                  "blocks.npy: %s", what);
}

hop_status hop__npz_check_blocks(hop_context *context, const hop__npz_file *file) {
    const hop__npy *npy = &file->blocks.npy;
    if (file->blocks.member != NULL &&
        (npy->kind != 'u' || npy->item_bytes != 8 || npy->big_endian ||
         file->blocks.member->deflated || npy->items < HOP__BLOCKS_HEAD))
        return hop__npz_fail_blocks(context, file, "it is not as docs/formats_binary.md has it");
    return HOP_OK;
}

hop_status hop__npz_spans(hop_context *context, const hop__npz_file *file, hop_weight_type type,
                          const uint64_t *head, hop__npz_span spans[HOP__BLOCKED_ARRAYS]) {
    const hop__npy_member *arrays[] = {&file->indptr, &file->indices,      &file->data,
                                       &file->labels, &file->name_offsets, &file->name_bytes};
    for (unsigned i = 0; i < HOP__BLOCKED_ARRAYS; i++) {
        bool there =
            arrays[i]->member != NULL && (i != HOP__BLOCKED_WEIGHTS || type != HOP_TYPE_NONE);
        spans[i].data = there ? array_at(arrays[i]) : 0;
        spans[i].bytes = there ? arrays[i]->member->size - arrays[i]->npy.header_bytes : 0;
        spans[i].sums = 0;
        if (head == NULL)
            continue;
        uint64_t first = head[2 + 2 * i], count = head[3 + 2 * i];
        uint64_t sums = file->blocks.npy.items - HOP__BLOCKS_HEAD;
        if (count != hop__blocks_of(spans[i].bytes) || first > sums || count > sums - first)
            return hop__npz_fail_blocks(context, file, "its counts do not go with the arrays");
        spans[i].sums = array_at(&file->blocks) + 8 * (HOP__BLOCKS_HEAD + first);
    }
    return HOP_OK;
}

/* Where the arrays lie, and their checksums, if there are any. */
static hop_status layout_blocks(hop_context *context, const hop__npz_file *file,
                                hop__npz_layout *layout) {
    uint64_t head[HOP__BLOCKS_HEAD];
    if (file->blocks.member == NULL)
        return hop__npz_spans(context, file, layout->weight_type, NULL, layout->blocked);
    hop_status status = hop__npz_check_blocks(context, file);
    if (status != HOP_OK)
        return status;
    int error = hop__input_fetch(file->archive.input, array_at(&file->blocks), head, sizeof head);
    if (error != 0)
        return hop__input_fail_fetch(context, file->archive.input, error);
    if (head[0] != HOP__BLOCK_BYTES || head[1] != HOP__BLOCK_XXH3)
        return hop__npz_fail_blocks(context, file, "its checksums are of another kind");
    return hop__npz_spans(context, file, layout->weight_type, head, layout->blocked);
}

hop_status hop__npz_layout_read(hop_context *context, hop__input *input, hop__npz_layout *layout) {
    hop__npz_file *file = NULL;
    unsigned char *room = NULL;
    hop_weight_type weight;
    hop_status status;
    const unsigned char *head;
    size_t count;
    HOP_TRY(status, hop__input_peek(context, input, 4, &head, &count));
    if (!hop__input_is_random(input) || sniff(head, count, 0) != HOP__SNIFF_YES) {
        hop__fail(context, HOP_ERR_UNSUPPORTED, "%s: not a file of the native format, npz",
                  hop__input_name(input));
        status = hop__remedy(context, HOP_REMEDY_CONVERT, "convert it first");
        goto done;
    }
    HOP_TRY(status, hop__npz_open_file(context, input, &room, &file));
    if (file->native)
        HOP_TRY(status, hop__npz_check_native(context, file, &weight));
    if (!file->native || !hop__npz_in_place(file, weight)) {
        hop__fail(context, HOP_ERR_UNSUPPORTED, "%s: parts of it cannot be read, since %s",
                  hop__input_name(input),
                  file->native ? "it is packed" : "it is scipy's and not a native file");
        status = hop__remedy(context, HOP_REMEDY_CONVERT, "convert it first");
        goto done;
    }
    layout->record = file->record;
    layout->offset_bytes = (size_t)file->indptr.npy.item_bytes;
    layout->offsets = array_at(&file->indptr);
    layout->targets = array_at(&file->indices);
    layout->weight_type = weight;
    layout->weights = weight == HOP_TYPE_NONE ? 0 : array_at(&file->data);
    layout->labels = array_at(&file->labels);
    layout->name_offsets = array_at(&file->name_offsets);
    layout->name_bytes = array_at(&file->name_bytes);
    layout->name_size = file->name_bytes.member == NULL ? 0 : file->name_bytes.npy.shape[0];
    layout->first_id = file->first_id;
    HOP_TRY(status, layout_blocks(context, file, layout));
done:
    hop__npz_close_file(file, room);
    return status;
}

static hop_status write_npz(hop_context *context, const hop_graph *graph, hop__output *output) {
    return hop__output_patchable(output) ? hop__npz_stream_graph(context, graph, output)
                                         : hop__npz_write(context, graph, output, HOP__ZIP_LIMIT);
}

const hop__format hop__format_npz = {
    .about = {.name = "npz",
              .summary = "native: a sparse matrix of scipy, laid out to be mapped",
              .suffixes = ".npz",
              .can_read = true,
              .can_write = true,
              .weight_types = 0x1f,
              .directed = true,
              .undirected = true,
              .labels = true,
              .counts_from = -1,
              .names = true},
    .sniff = sniff,
    .read_graph = read_npz,
    .write = write_npz,
};
