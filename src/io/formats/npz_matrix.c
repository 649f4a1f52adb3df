/* SPDX-License-Identifier: Apache-2.0
 *
 * Graphs from sparse matrices as scipy.sparse.save_npz writes them: entry (i, j) is an edge from i
 * to j, its value the weight. Also native files that were packed by somebody else.
 *
 * csr is taken as it is; csc is the same of the transposed matrix, turned round afterwards; coo is
 * a list of edges. Other formats are refused: they hold blocks or diagonals, and scipy converts
 * them in one call. A matrix says nothing about direction, so it is directed unless the caller
 * says otherwise. Entries that are stored count, whatever their value: a stored 0 is an edge of
 * weight 0.
 *
 * Weights: bool, int8 and uint8 that are all 1 mean none (that is what the native format writes
 * for scipy's sake), integers up to 32 bits become int32, wider ones int64. */
#include <inttypes.h>
#include <stdatomic.h>
#include <string.h>

#include "core/memory.h"
#include "core/parallel.h"
#include "core/try.h"
#include "graph/graph_internal.h"
#include "io/formats/npz.h"

enum { WEIGHT_GRAIN = 1 << 16 };

/* Bytes of weights that are not known to be all 1 yet. */
typedef struct loaded {
    const hop__npy_member *data;
    hop_weight_type type;
    void *weights;
    unsigned char *narrow; /* one-byte data */
} loaded;

static const char *file_name(const hop__npz_file *file) {
    return hop__input_name(file->archive.input);
}

hop_status hop__npz_weight_type(hop_context *context, const hop__npz_file *file,
                                hop_weight_type *type) {
    const hop__npy *npy = &file->data.npy;
    hop__npy_target integer = {'i', 8};
    if (npy->kind == 'f' && npy->item_bytes == 4)
        *type = HOP_TYPE_FLOAT32;
    else if (npy->kind == 'f' && npy->item_bytes == 8)
        *type = HOP_TYPE_FLOAT64;
    else if (hop__npy_convertible(npy, integer))
        *type = npy->item_bytes < 4 || (npy->item_bytes == 4 && npy->kind == 'i') ? HOP_TYPE_INT32
                                                                                  : HOP_TYPE_INT64;
    else
        return hop__fail(context, HOP_ERR_UNSUPPORTED,
                         "%s: values of type %c%" PRIu64 "; only integers, float32 and float64 can "
                         "be weights",
                         file_name(file), npy->kind, npy->item_bytes);
    return HOP_OK;
}

/* ---- jobs ---------------------------------------------------------------------------------- */

typedef struct job_list {
    hop__npy_job jobs[6];
    unsigned count;
} job_list;

static hop_status check_present(hop_context *context, const hop__npz_file *file,
                                const hop__npy_member *array) {
    if (array->member == NULL)
        return hop__fail(context, HOP_ERR_INPUT, "%s: a %s matrix without the member %s",
                         file_name(file), file->format, array->name);
    return HOP_OK;
}

static hop_status add_job(hop_context *context, const hop__npz_file *file, job_list *list,
                          const hop__npy_member *array, hop__npy_target target, void *slot) {
    hop_status status = check_present(context, file, array);
    if (status != HOP_OK)
        return status;
    if (!hop__npy_convertible(&array->npy, target))
        return hop__input_fail_offset(context, file->archive.input, array->member->data,
                                      "%s: type %c%" PRIu64 ", expected integers", array->name,
                                      array->npy.kind, array->npy.item_bytes);
    void *items;
    status = hop__alloc(context, array->name, array->npy.items, target.bytes, &items);
    if (status != HOP_OK)
        return status;
    memcpy(slot, &items, sizeof items);
    list->jobs[list->count++] = (hop__npy_job){.array = array, .target = target, .items = items};
    return HOP_OK;
}

/* Asks for the values, unless the file or the caller wants none. */
static hop_status add_weights(hop_context *context, const hop__npz_file *file,
                              const hop_read_options *options, job_list *list, loaded *values) {
    const hop__npy *npy = &file->data.npy;
    bool none =
        file->native && strncmp(file->record.weight, "none", sizeof file->record.weight) == 0;
    hop_status status;
    values->data = &file->data;
    if (options->drop_weights || none)
        return HOP_OK;
    HOP_TRY(status, check_present(context, file, &file->data));
    HOP_TRY(status, hop__npz_weight_type(context, file, &values->type));
    if (npy->item_bytes == 1) {
        hop__npy_target byte = {'u', 1};
        HOP_TRY(status, add_job(context, file, list, &file->data, byte, &values->narrow));
    } else {
        bool real = values->type == HOP_TYPE_FLOAT32 || values->type == HOP_TYPE_FLOAT64;
        hop__npy_target target = {real ? 'f' : 'i', hop_type_size(values->type)};
        HOP_TRY(status, add_job(context, file, list, &file->data, target, &values->weights));
    }
done:
    return status;
}

/* ---- one-byte values ------------------------------------------------------------------------ */

typedef struct widen_job {
    const unsigned char *bytes;
    bool is_signed;
    int32_t *weights;
    atomic_bool other; /* something that is not 1 */
} widen_job;

static void look_for_other(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    widen_job *work = arg;
    unsigned char difference = 0;
    (void)thread;
    for (uint64_t i = begin; i < end; i++)
        difference |= (unsigned char)(work->bytes[i] ^ 1);
    if (difference != 0)
        atomic_store_explicit(&work->other, true, memory_order_relaxed);
}

static void widen_range(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    widen_job *work = arg;
    (void)thread;
    for (uint64_t i = begin; i < end; i++)
        work->weights[i] = work->is_signed ? (signed char)work->bytes[i] : work->bytes[i];
}

/* One-byte values that are all 1 are no weights; others become int32. */
static hop_status settle_weights(hop_context *context, loaded *values) {
    if (values->narrow == NULL)
        return HOP_OK;
    widen_job work = {values->narrow, values->data->npy.kind == 'i', NULL, false};
    uint64_t count = values->data->npy.items;
    hop_status status = HOP_OK;
    hop__for(context, count, WEIGHT_GRAIN, look_for_other, &work);
    if (!atomic_load(&work.other)) {
        values->type = HOP_TYPE_NONE;
        goto done;
    }
    HOP_TRY(status, hop__alloc(context, "weights", count, sizeof *work.weights, &work.weights));
    hop__for(context, count, WEIGHT_GRAIN, widen_range, &work);
    values->weights = work.weights;
done:
    hop__free(values->narrow);
    values->narrow = NULL;
    return status;
}

/* ---- the three formats ---------------------------------------------------------------------- */

static bool offsets_end_inside(const hop__csr_arrays *arrays, uint64_t arcs) {
    return arrays->offset_bytes == 4
               ? ((const uint32_t *)arrays->offsets)[arrays->vertices] <= arcs
               : ((const uint64_t *)arrays->offsets)[arrays->vertices] <= arcs;
}

static hop_status read_rows(hop_context *context, const hop__npz_file *file,
                            const hop_read_options *options, hop_graph **graph) {
    hop__csr_arrays arrays = {0};
    loaded values = {0};
    job_list list = {.count = 0};
    hop__npy_target id = {'u', 4}, label = {'u', 8};
    hop_status status;
    HOP_TRY(status, check_present(context, file, &file->indptr));
    HOP_TRY(status, check_present(context, file, &file->indices));
    uint64_t arcs = file->indices.npy.items;
    hop__npy_target offset = {'u', arcs <= UINT32_MAX ? 4 : 8};
    if (file->indptr.npy.items != file->rows + 1)
        HOP_TRY(status, hop__fail(context, HOP_ERR_INPUT,
                                  "%s: %" PRIu64 " offsets for %" PRIu64 " rows, expected one more",
                                  file_name(file), file->indptr.npy.items, file->rows));
    if (file->data.member != NULL && file->data.npy.items != arcs)
        HOP_TRY(status,
                hop__fail(context, HOP_ERR_INPUT, "%s: %" PRIu64 " values for %" PRIu64 " indices",
                          file_name(file), file->data.npy.items, arcs));
    arrays.vertices = file->rows;
    arrays.offset_bytes = offset.bytes;
    arrays.directed = !file->native || file->record.directed;
    arrays.first_id = file->first_id;
    HOP_TRY(status, add_job(context, file, &list, &file->indptr, offset, &arrays.offsets));
    HOP_TRY(status, add_job(context, file, &list, &file->indices, id, &arrays.targets));
    if (file->native && file->labels.member != NULL)
        HOP_TRY(status, add_job(context, file, &list, &file->labels, label, &arrays.labels));
    if (file->native && file->name_offsets.member != NULL) {
        arrays.name_size = file->name_bytes.npy.items;
        HOP_TRY(status,
                add_job(context, file, &list, &file->name_offsets, label, &arrays.name_offsets));
        HOP_TRY(status, add_job(context, file, &list, &file->name_bytes, (hop__npy_target){'u', 1},
                                &arrays.name_bytes));
    }
    HOP_TRY(status, add_weights(context, file, options, &list, &values));
    HOP_TRY(status, hop__npy_load(context, &file->archive, list.jobs, list.count));
    HOP_TRY(status, settle_weights(context, &values));
    arrays.weights = values.weights;
    values.weights = NULL;
    arrays.weight_type = values.type;
    if (!offsets_end_inside(&arrays, arcs))
        HOP_TRY(status, hop__fail(context, HOP_ERR_INPUT,
                                  "%s: indptr.npy ends above the %" PRIu64 " indices",
                                  file_name(file), arcs));
    status = hop__csr_arrays_build(context, &arrays, options, graph);
    if (status != HOP_OK)
        hop__fail_prefix(context, file_name(file));
done:
    hop__free(values.narrow);
    hop__free(values.weights);
    hop__csr_arrays_clear(&arrays);
    return status;
}

/* The rows of csc are the columns: turn the arcs round. */
static hop_status read_columns(hop_context *context, const hop__npz_file *file,
                               const hop_read_options *options, hop_graph **graph) {
    hop_graph *transposed = NULL;
    hop_status status;
    HOP_TRY(status, read_rows(context, file, options, &transposed));
    if (transposed->directed) {
        HOP_TRY(status, hop_graph_reverse(context, transposed, graph));
    } else {
        *graph = transposed;
        transposed = NULL;
    }
done:
    hop_graph_release(transposed);
    return status;
}

static hop_status read_entries(hop_context *context, const hop__npz_file *file,
                               const hop_read_options *options, hop_graph **graph) {
    hop__edge_list list = {0};
    loaded values = {0};
    job_list jobs = {.count = 0};
    hop__npy_target id = {'u', 4};
    hop_status status;
    HOP_TRY(status, add_job(context, file, &jobs, &file->row, id, &list.from));
    HOP_TRY(status, add_job(context, file, &jobs, &file->column, id, &list.to));
    HOP_TRY(status, add_weights(context, file, options, &jobs, &values));
    list.count = file->row.npy.items;
    if (file->column.npy.items != list.count ||
        (file->data.member != NULL && file->data.npy.items != list.count))
        HOP_TRY(status, hop__fail(context, HOP_ERR_INPUT,
                                  "%s: %" PRIu64 " rows, %" PRIu64 " columns and %" PRIu64
                                  " values; expected as many of each",
                                  file_name(file), list.count, file->column.npy.items,
                                  file->data.npy.items));
    HOP_TRY(status, hop__npy_load(context, &file->archive, jobs.jobs, jobs.count));
    HOP_TRY(status, settle_weights(context, &values));
    list.weights = values.weights;
    values.weights = NULL;
    list.weight_type = values.type;
    list.id_bytes = 4;
    list.vertices = file->rows;
    list.stated = true;
    list.directed = true;
    status = hop__edge_list_build(context, file_name(file), &list, options, graph);
done:
    hop__free(values.narrow);
    hop__free(values.weights);
    hop__edge_list_clear(&list);
    return status;
}

hop_status hop__npz_read_matrix(hop_context *context, const hop__npz_file *file,
                                const hop_read_options *options, hop_graph **graph) {
    *graph = NULL;
    if (file->rows != file->columns)
        return hop__fail(context, HOP_ERR_INPUT,
                         "%s: a matrix of %" PRIu64 " rows and %" PRIu64
                         " columns; the matrix of a graph is square",
                         file_name(file), file->rows, file->columns);
    bool coo = strcmp(file->format, "coo") == 0;
    const hop__npy_member *entries = coo ? &file->row : &file->indices;
    hop_status status = hop__read_limits_check(context, file_name(file), options, file->rows,
                                               entries->member == NULL ? 0 : entries->npy.items);
    if (status != HOP_OK)
        return status;
    return coo                                ? read_entries(context, file, options, graph)
           : strcmp(file->format, "csc") == 0 ? read_columns(context, file, options, graph)
                                              : read_rows(context, file, options, graph);
}
