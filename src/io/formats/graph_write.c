/* SPDX-License-Identifier: Apache-2.0
 *
 * The front of writing: the format by name or suffix, what it can hold against what the graph has,
 * then its writer into a temporary file (output.c).
 *
 * Nothing is lost silently: a format that has no room for weights, direction or labels refuses,
 * and the message says which option or call drops them. */
#include <inttypes.h>
#include <string.h>

#include "core/options.h"
#include "core/try.h"
#include "graph/graph_internal.h"
#include "io/bytes/output.h"
#include "io/bytes/path_suffix.h"
#include "io/formats/format.h"

static hop_status check_options(hop_context *context, const hop_write_options *given,
                                hop_write_options *options) {
    const hop_write_options standard = HOP_WRITE_OPTIONS_INIT;
    *options = standard;
    return hop__options_take(context, "HOP_WRITE_OPTIONS_INIT", given, options, sizeof *options);
}

static hop_status choose(hop_context *context, const char *path, const hop_write_options *options,
                         const hop__format **row) {
    char names[256];
    *row = options->format != NULL ? hop__format_named(options->format) : hop__format_of_path(path);
    if (*row != NULL && (*row)->write != NULL)
        return HOP_OK;
    hop__format_list(true, names);
    if (options->format != NULL) {
        hop__fail(context, HOP_ERR_ARGUMENT, "write: \"%s\" is not a format that can be written",
                  options->format);
        return hop__note_unknown(context, options->format, NULL, "there are", names);
    }
    hop__fail(context, HOP_ERR_ARGUMENT, "%s: the suffix does not say which format to write", path);
    hop__note_kind(context, HOP_KIND_FORMAT);
    return hop__remedy(context, HOP_REMEDY_NAME_FORMAT, "name one of %s", names);
}

/* Whether the row can hold the graph. */
static hop_status check_holds(hop_context *context, const hop__format *row, const char *path,
                              const hop_graph *graph) {
    const hop_format *about = &row->about;
    if ((about->weight_types >> graph->weight_type & 1) == 0) {
        if (graph->weight_type == HOP_TYPE_NONE)
            return hop__fail(context, HOP_ERR_UNSUPPORTED,
                             "%s: format %s always has weights, and the graph has none", path,
                             about->name);
        hop__fail(context, HOP_ERR_UNSUPPORTED, "%s: format %s cannot hold %s weights", path,
                  about->name, hop_type_name(graph->weight_type));
        return hop__remedy(context, HOP_REMEDY_DROP_WEIGHTS,
                           "drop the weights or choose another format");
    }
    if (!(graph->directed ? about->directed : about->undirected)) {
        hop__fail(context, HOP_ERR_UNSUPPORTED, "%s: format %s cannot hold %s graph", path,
                  about->name, graph->directed ? "a directed" : "an undirected");
        return hop__remedy(context,
                           graph->directed ? HOP_REMEDY_SYMMETRIZE : HOP_REMEDY_READ_DIRECTED,
                           "%s or choose another format",
                           graph->directed ? "symmetrize it" : "read it as directed");
    }
    if (graph->names != NULL ? about->names : about->labels)
        return HOP_OK;
    if (graph->names != NULL)
        hop__fail(context, HOP_ERR_UNSUPPORTED,
                  "%s: format %s has numbers for vertices, and those of the graph have names", path,
                  about->name);
    else if (graph->labels != NULL)
        hop__fail(context, HOP_ERR_UNSUPPORTED,
                  "%s: format %s keeps no labels, and the graph has them", path, about->name);
    else if (graph->first_id > 1)
        hop__fail(context, HOP_ERR_UNSUPPORTED,
                  "%s: format %s counts vertices from %d, and the graph from %" PRIu64, path,
                  about->name, about->counts_from, graph->first_id);
    else
        return HOP_OK;
    return hop__remedy(context, HOP_REMEDY_DROP_LABELS, "drop the labels or choose another format");
}

/* The names that vertices will have in the file. Counting from 0 or from 1 is a custom of formats:
 * ids move from the one to the other, and the log says so. */
static hop_status settle_names(hop_context *context, const hop_format *about, const char *path,
                               bool drop, hop_graph *view) {
    uint64_t first = about->counts_from > 0 ? 1 : 0;
    if (view->labels != NULL && !drop) { /* of a mapped file, which may have them in a row */
        hop_status status = hop_graph_check(context, view);
        if (status != HOP_OK)
            return status;
        if (hop__labels_plain(view->labels, view->vertices)) {
            view->first_id = hop_graph_first_id(view);
            view->labels = NULL;
        }
    }
    bool counted = view->labels == NULL && about->counts_from >= 0 && view->first_id <= 1;
    if (counted && view->first_id != first && view->vertices > 0 && !drop)
        hop__log(context, HOP_LOG_INFO,
                 "%s: format %s counts vertices from %" PRIu64 ": vertex %" PRIu64
                 " of the graph is %" PRIu64 " there",
                 path, about->name, first, view->first_id, first);
    if (drop) {
        view->labels = NULL;
        view->names = NULL;
    }
    if (drop || counted)
        view->first_id = first;
    return HOP_OK;
}

hop_status hop_graph_write(hop_context *context, const hop_graph *graph, const char *path,
                           const hop_write_options *given) {
    if (context == NULL)
        return HOP_ERR_ARGUMENT;
    const hop__format *row;
    hop__output *output = NULL;
    hop_write_options options;
    hop_status status;
    if (graph == NULL || path == NULL)
        return hop__fail(context, HOP_ERR_ARGUMENT, "hop_graph_write: %s is NULL",
                         graph == NULL ? "the graph" : "the path");
    HOP_TRY(status, check_options(context, given, &options));
    HOP_TRY(status, choose(context, path, &options, &row));
    bool gzip = options.gzip || hop__path_ends(path, ".gz");
    if (!row->about.text && (gzip || strcmp(path, "-") == 0))
        HOP_TRY(status, hop__fail(context, HOP_ERR_UNSUPPORTED, "%s: format %s is not written %s",
                                  path, row->about.name, gzip ? "as gzip" : "to standard output"));
    /* A view of the graph without what is to be dropped; the arrays are the same. */
    hop_graph view = *graph;
    if (options.drop_weights) {
        view.weights = NULL;
        view.weight_type = HOP_TYPE_NONE;
    }
    HOP_TRY(status, settle_names(context, &row->about, path, options.drop_labels, &view));
    HOP_TRY(status, check_holds(context, row, path, &view));
    HOP_TRY(status, hop_graph_check(context, graph));
    HOP_TRY(status, hop__output_open(context, path, gzip, &output));
    status = row->write(context, &view, output);
    status = hop__output_close(context, output, status);
done:
    return hop__file_done(context, status, path);
}
