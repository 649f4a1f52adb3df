/* SPDX-License-Identifier: Apache-2.0
 *
 * The front of building files: a reader or a family makes the graph, with an outsider in the
 * context where the output is a native file. If the outsider was asked, the file is there; else the
 * graph is in memory, and is written. */
#include "hoplite/convert.h"

#include <string.h>

#include "core/options.h"
#include "core/progress.h"
#include "core/timing.h"
#include "core/try.h"
#include "graph/graph_internal.h"
#include "io/bytes/disk_room.h"
#include "io/formats/format.h"
#include "store/convert_plan.h"
#include "store/external_build.h"

typedef struct conversion {
    const char *output;
    hop_convert_options options;
    hop_write_options write;
    char folder[PATH_MAX];
    hop__external external;
    hop_convert_report report;
    double began;
} conversion;

/* Checks what is given, and puts the outsider into the context. */
static hop_status conversion_begin(hop_context *context, const char *output,
                                   const hop_convert_options *given, conversion *work) {
    const hop_write_options standard = HOP_WRITE_OPTIONS_INIT;
    *work = (conversion){.output = output,
                         .options = HOP_CONVERT_OPTIONS_INIT,
                         .write = standard,
                         .report = HOP_CONVERT_REPORT_INIT,
                         .began = hop__now()};
    hop_status status;
    HOP_TRY(status, hop__options_take(context, "HOP_CONVERT_OPTIONS_INIT", given, &work->options,
                                      sizeof work->options));
    HOP_TRY(status, hop__options_take(context, "HOP_WRITE_OPTIONS_INIT", work->options.write,
                                      &work->write, sizeof work->write));
    const hop__format *row = work->write.format != NULL ? hop__format_named(work->write.format)
                                                        : hop__format_of_path(output);
    if (row != &hop__format_npz || strcmp(output, "-") == 0 || work->write.drop_weights) {
        if (work->options.plan)
            status = hop__fail(context, HOP_ERR_UNSUPPORTED,
                               "%s: what it takes is told of native files (.npz) only", output);
        goto done;
    }
    if (work->options.scratch == NULL)
        hop__folder_of(output, work->folder);
    hop__external_init(&work->external, output,
                       work->options.scratch != NULL ? work->options.scratch : work->folder);
    work->external.drop_names = work->write.drop_labels;
    context->outsider = &work->external.outsider;
done:
    return status;
}

static void give_report(const hop_convert_report *made, hop_convert_report *report) {
    if (report == NULL)
        return;
    size_t size = report->size;
    memcpy(report, made, size < sizeof *made ? size : sizeof *made);
    report->size = size;
}

/* Says what it would take. */
static hop_status conversion_plan(hop_context *context, conversion *work, hop_status status,
                                  const hop__build_shape *shape, hop_convert_report *report) {
    if (status == HOP_OK)
        status = hop__external_need(context, &work->external, shape, &work->report);
    context->outsider = NULL;
    if (status == HOP_OK)
        give_report(&work->report, report);
    return status;
}

/* Writes the graph, unless it is in its file already. Takes the graph. */
static hop_status conversion_end(hop_context *context, conversion *work, hop_status status,
                                 hop_graph *graph, hop_convert_report *report) {
    double built = hop__now();
    context->outsider = NULL;
    HOP_TRY(status, status);
    if (!work->external.used) /* whoever wants to stop, as at the end of a pipe, is heard */
        HOP_TRY(status, hop__progress_ask(context, "write"));
    work->report.read_seconds = built - work->began;
    work->report.on_disk = work->external.used;
    work->report.scratch_bytes = atomic_load(&work->external.scratch.most);
    if (!work->external.used)
        HOP_TRY(status, hop_graph_write(context, graph, work->output, &work->write));
    work->report.write_seconds = hop__now() - built;
    hop_graph_info info = HOP_GRAPH_INFO_INIT;
    HOP_TRY(status, hop_graph_describe(context, graph, &info));
    work->report.vertices = info.vertices;
    work->report.edges = info.edges;
    work->report.arcs = info.arcs;
    work->report.edges_given = info.edges_given;
    give_report(&work->report, report);
done:
    hop_graph_release(graph);
    return status;
}

static hop_status check_arguments(hop_context *context, const char *call, const char *input,
                                  const char *output, const hop_convert_report *report) {
    if (input == NULL || output == NULL)
        return hop__fail(context, HOP_ERR_ARGUMENT, "%s: %s is NULL", call,
                         input == NULL ? "the input" : "the output");
    if (report != NULL && report->size < sizeof(size_t))
        return hop__fail(context, HOP_ERR_ARGUMENT,
                         "%s: the report has no size; use HOP_CONVERT_REPORT_INIT", call);
    return HOP_OK;
}

hop_status hop_graph_convert(hop_context *context, const char *input, const hop_read_options *read,
                             const char *output, const hop_convert_options *options,
                             hop_convert_report *report) {
    if (context == NULL)
        return HOP_ERR_ARGUMENT;
    conversion work;
    hop_graph *graph = NULL;
    hop_status status;
    HOP_TRY(status, check_arguments(context, "hop_graph_convert", input, output, report));
    HOP_TRY(status, conversion_begin(context, output, options, &work));
    if (work.options.plan) {
        hop__build_shape shape = {0};
        context->outsider = NULL; /* the sample is read as it is */
        status = hop__plan_file(context, input, read, &shape, &work.report.read_bytes);
        context->outsider = &work.external.outsider;
        return conversion_plan(context, &work, status, &shape, report);
    }
    status = hop_graph_read(context, input, read, &graph);
    status = conversion_end(context, &work, status, graph, report);
done:
    return status;
}

hop_status hop_graph_generate_file(hop_context *context, const char *family,
                                   const hop_generate_options *recipe, const char *output,
                                   const hop_convert_options *options, hop_convert_report *report) {
    if (context == NULL)
        return HOP_ERR_ARGUMENT;
    conversion work;
    hop_graph *graph = NULL;
    hop_status status;
    HOP_TRY(status, check_arguments(context, "hop_graph_generate_file", family, output, report));
    HOP_TRY(status, conversion_begin(context, output, options, &work));
    if (work.options.plan) {
        hop__build_shape shape = {0};
        status = hop__plan_recipe(context, family, recipe, &shape);
        return conversion_plan(context, &work, status, &shape, report);
    }
    status = hop_graph_generate(context, family, recipe, &graph);
    status = conversion_end(context, &work, status, graph, report);
done:
    return status;
}
