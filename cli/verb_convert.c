/* SPDX-License-Identifier: Apache-2.0
 *
 * hoplite convert INPUT OUTPUT: reads a graph, changes it (subgraph, reverse, symmetrise, in this
 * order), writes it. A graph that is no longer needed is released before the next one is written.*/
#include <stdio.h>
#include <string.h>

#include "complaint.h"
#include "exit_codes.h"
#include "graph_file.h"
#include "graph_report.h"
#include "number_text.h"
#include "vertex_file.h"

/* Puts `next` in the place of the graph. */
static int replace(session *work, hop_status status, hop_graph **graph, hop_graph *next) {
    if (status != HOP_OK)
        return session_fail(work, status);
    hop_graph_release(*graph);
    *graph = next;
    return CODE_OK;
}

static int change(session *work, hop_graph **graph) {
    const arguments *given = work->given;
    hop_graph *next = NULL;
    int code = CODE_OK;
    if (is_given(given, OPT_VERTICES))
        code = keep_vertices(work, given->values[OPT_VERTICES].text, graph);
    if (code == CODE_OK && is_given(given, OPT_REVERSE)) {
        hop_status status = hop_graph_reverse(work->context, *graph, &next);
        code = replace(work, status, graph, next);
    }
    if (code == CODE_OK && is_given(given, OPT_SYMMETRIZE)) {
        hop_duplicates rule = (hop_duplicates)given->values[OPT_DUPLICATES].number;
        hop_status status = hop_graph_symmetrize(work->context, *graph, rule, &next);
        code = replace(work, status, graph, next);
    }
    return code;
}

static void tell(session *work, const char *input, const char *output, const opened_graph *opened,
                 const graph_report *report, const written_file *written) {
    if (work->json) {
        json out;
        json_begin(&out, stdout, "convert");
        json_string(&out, "input", input);
        json_string(&out, "format", opened_format(opened));
        report_json(&out, report);
        json_string(&out, "output", output);
        json_count(&out, "output_bytes", written->bytes);
        json_real(&out, "open_seconds", opened->open_seconds);
        json_real(&out, "write_seconds", written->seconds);
        json_count(&out, "peak_bytes", hop_context_memory_peak(work->context));
        json_finish(&out);
        return;
    }
    session_say(work, "%s %s%s%s in %s", opened->format != NULL ? "read" : "made",
                file_name(input, false), opened->format != NULL ? " as " : "",
                opened->format != NULL ? opened->format->name : "",
                seconds_text(opened->open_seconds).s);
    bool directed = report->info.directed;
    session_say(work, "wrote %s: %s, %s%s%s%s%s", file_name(output, true),
                counted_text(report->info.vertices, "vertex", "vertices").s,
                counted_text(report->info.edges, directed ? "directed edge" : "undirected edge",
                             directed ? "directed edges" : "undirected edges")
                    .s,
                written->bytes > 0 ? ", " : "",
                written->bytes > 0 ? bytes_text(written->bytes).s : "",
                written->seconds > 0 ? ", in " : "",
                written->seconds > 0 ? seconds_text(written->seconds).s : "");
}

static bool is_changed(const arguments *given) {
    return is_given(given, OPT_VERTICES) || is_given(given, OPT_REVERSE) ||
           is_given(given, OPT_SYMMETRIZE);
}

/* A native file, as the graph is: it need not fit in memory. */
static int build_native(session *work, const char *input, const char *output) {
    opened_graph opened = {0};
    graph_report report;
    written_file written;
    hop_convert_report built = HOP_CONVERT_REPORT_INIT;
    int code = file_convert(work, input, output, &opened, &written, &built);
    if (is_given(work->given, OPT_DRY_RUN))
        return code;
    if (code == CODE_OK)
        code = report_measure(work, opened.graph, &report);
    if (code == CODE_OK) {
        report.info.edges_given = built.edges_given;
        tell(work, input, output, &opened, &report, &written);
    }
    hop_graph_release(opened.graph);
    return code;
}

static int convert_graph(session *work, const char *input, const char *output) {
    opened_graph opened = {0};
    graph_report report;
    written_file written;
    if (is_given(work->given, OPT_VERTICES) && strcmp(input, "-") == 0 &&
        strcmp(work->given->values[OPT_VERTICES].text, "-") == 0)
        return complain(CODE_USAGE, "the graph and --vertices cannot both be standard input");
    int code = output_check(work->given, output, false, ANY_WEIGHTS);
    if (code == CODE_OK && output_is_native(work->given, output) && !is_changed(work->given) &&
        !file_is_made(input))
        return build_native(work, input, output);
    if (code == CODE_OK && is_given(work->given, OPT_DRY_RUN))
        return complain(CODE_USAGE, "--dry-run is for a native file (.npz), of a graph as it is");
    if (code == CODE_OK)
        code = file_read(work, input, &opened);
    if (code == CODE_OK)
        code = change(work, &opened.graph);
    if (code == CODE_OK) /* before the file is there: a signal now still means that it is not */
        code = report_measure(work, opened.graph, &report);
    if (code == CODE_OK)
        code = file_write(work, opened.graph, output, &written);
    if (code == CODE_OK)
        tell(work, input, output, &opened, &report, &written);
    if (code == CODE_OK)
        file_say_ids(work, opened.graph, output);
    hop_graph_release(opened.graph);
    return code;
}

static int convert_list(session *work, const char *input, const char *output) {
    opened_list list = {0};
    list_report report;
    written_file written;
    static const option_id changes[] = {OPT_VERTICES, OPT_REVERSE, OPT_SYMMETRIZE, OPT_DROP_LABELS,
                                        OPT_DRY_RUN};
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++)
        if (is_given(work->given, changes[i]))
            return complain(CODE_USAGE, "%s: a list, for which --%s means nothing", input,
                            option_rows[changes[i]].name);
    int code = output_check(work->given, output, true, ANY_WEIGHTS);
    if (code == CODE_OK)
        code = file_read_list(work, input, &list);
    if (code == CODE_OK)
        code = list_measure(work, list.successors, list.count, &report);
    if (code == CODE_OK)
        code = file_write_list(work, output, list.successors, list.count, &written);
    if (code == CODE_OK && work->json) {
        json out;
        json_begin(&out, stdout, "convert");
        json_string(&out, "input", input);
        json_string(&out, "format", "list");
        list_json(&out, &report);
        json_string(&out, "output", output);
        json_count(&out, "output_bytes", written.bytes);
        json_real(&out, "open_seconds", list.open_seconds);
        json_real(&out, "write_seconds", written.seconds);
        json_finish(&out);
    } else if (code == CODE_OK) {
        session_say(work, "wrote %s: a list of %s, in %s", file_name(output, true),
                    counted_text(report.count, "element", "elements").s,
                    seconds_text(written.seconds).s);
    }
    list_close(&list);
    return code;
}

int run_convert(const arguments *given) {
    session work;
    const char *output = is_given(given, OPT_OUTPUT) ? given->values[OPT_OUTPUT].text : NULL;
    if (given->operand_count == 2 && output != NULL)
        return complain(CODE_USAGE, "two outputs, %s and -o %s", given->operands[1], output);
    if (given->operand_count == 2)
        output = given->operands[1];
    if (given->operand_count == 0 || output == NULL) {
        complain(CODE_USAGE, "%s expected",
                 given->operand_count == 0 ? "an input and an output" : "an output");
        advise("usage: hoplite convert [options] INPUT OUTPUT; - is standard input or output");
        return CODE_USAGE;
    }
    const char *input = given->operands[0];
    int code = session_open(&work, given);
    if (code == CODE_OK)
        code = file_is_list(given, input) ? convert_list(&work, input, output)
                                          : convert_graph(&work, input, output);
    session_close(&work);
    return code;
}
