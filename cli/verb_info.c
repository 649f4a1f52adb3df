/* SPDX-License-Identifier: Apache-2.0
 *
 * hoplite info GRAPH: describes a graph or a list. Opening and checking are timed apart, since a
 * mapped file is opened without being looked at. */
#include <inttypes.h>
#include <stdio.h>

#include "complaint.h"
#include "exit_codes.h"
#include "graph_file.h"
#include "graph_report.h"
#include "number_text.h"
#include "svg_chart.h"

typedef struct info_facts {
    const char *path;
    opened_graph opened;
    graph_report report;
    double check_seconds, diameter_seconds;
    uint64_t hash;
} info_facts;

static void print_text(const session *work, const info_facts *facts) {
    const hop_graph_info *info = &facts->report.info;
    const hop_format *format = facts->opened.format;
    report_line(stdout, "file", "%s", file_name(facts->path, false));
    if (format != NULL)
        report_line(stdout, "format", "%s (%s)", format->name, format->summary);
    report_lines(stdout, &facts->report);
    report_line(stdout, "opened", "%s in %s, %s in %s",
                format == NULL ? "made"
                : info->mapped ? "mapped"
                               : "read",
                seconds_text(facts->opened.open_seconds).s,
                is_given(work->given, OPT_TRUSTED) ? "trusted" : "checked",
                seconds_text(facts->check_seconds).s);
    if (info->has_diameter && info->vertices > 0)
        report_line(stdout, "diameter", "at least %s, in the component of vertex %s (%s)",
                    count_text(info->diameter_low).s, facts->report.busiest.s,
                    seconds_text(facts->diameter_seconds).s);
    if (is_given(work->given, OPT_HASH))
        report_line(stdout, "hash", "%016" PRIx64, facts->hash);
    report_chart(stdout, &facts->report);
}

static void print_json(const session *work, const info_facts *facts) {
    const hop_graph_info *info = &facts->report.info;
    json out;
    char hash[24];
    json_begin(&out, stdout, "info");
    json_string(&out, "input", facts->path);
    json_string(&out, "format", opened_format(&facts->opened));
    report_json(&out, &facts->report);
    json_real(&out, "open_seconds", facts->opened.open_seconds);
    json_real(&out, "check_seconds", facts->check_seconds);
    json_bool(&out, "trusted", is_given(work->given, OPT_TRUSTED));
    if (info->has_diameter) {
        json_count(&out, "diameter_low", info->diameter_low);
        json_real(&out, "diameter_seconds", facts->diameter_seconds);
    }
    snprintf(hash, sizeof hash, "%016" PRIx64, facts->hash);
    if (is_given(work->given, OPT_HASH))
        json_string(&out, "hash", hash);
    json_finish(&out);
}

static int measure(session *work, info_facts *facts) {
    double began = clock_seconds();
    hop_status status = hop_graph_check(work->context, facts->opened.graph);
    facts->check_seconds = clock_seconds() - began;
    if (status == HOP_OK && is_given(work->given, OPT_DIAMETER)) {
        began = clock_seconds();
        status = hop_graph_prepare(work->context, facts->opened.graph, HOP_PREPARE_DIAMETER);
        facts->diameter_seconds = clock_seconds() - began;
    }
    if (status == HOP_OK && is_given(work->given, OPT_HASH))
        status = hop_graph_hash(work->context, facts->opened.graph, &facts->hash);
    if (status != HOP_OK)
        return session_fail(work, status);
    return report_measure(work, facts->opened.graph, &facts->report);
}

static int describe_graph(session *work, const char *path) {
    info_facts facts = {.path = path};
    int code = file_read(work, path, &facts.opened);
    if (code == CODE_OK)
        code = measure(work, &facts);
    bar_wipe(&work->bar);
    if (code == CODE_OK)
        code = report_plot(work, file_name(path, false), &facts.report);
    if (code == CODE_OK && work->json)
        print_json(work, &facts);
    else if (code == CODE_OK)
        print_text(work, &facts);
    hop_graph_release(facts.opened.graph);
    return code;
}

static int describe_list(session *work, const char *path) {
    opened_list list = {0};
    list_report report;
    if (is_given(work->given, OPT_DIAMETER) || is_given(work->given, OPT_HASH) ||
        is_given(work->given, OPT_PLOT))
        return complain(CODE_USAGE, "%s: a list; --diameter, --hash and --plot are for graphs",
                        path);
    int code = file_read_list(work, path, &list);
    if (code == CODE_OK)
        code = list_measure(work, list.successors, list.count, &report);
    bar_wipe(&work->bar);
    if (code == CODE_OK && work->json) {
        json out;
        json_begin(&out, stdout, "info");
        json_string(&out, "input", path);
        json_string(&out, "format", "list");
        list_json(&out, &report);
        json_real(&out, "open_seconds", list.open_seconds);
        json_finish(&out);
    } else if (code == CODE_OK) {
        report_line(stdout, "file", "%s", file_name(path, false));
        report_line(stdout, "format", "list (the successor of each element)");
        list_lines(stdout, &report);
        report_line(stdout, "opened", "read in %s", seconds_text(list.open_seconds).s);
    }
    list_close(&list);
    return code;
}

int run_info(const arguments *given) {
    session work;
    if (given->operand_count == 0) {
        complain(CODE_USAGE, "a file expected, or - for standard input");
        advise("usage: hoplite info [options] GRAPH");
        return CODE_USAGE;
    }
    const char *path = given->operands[0];
    int code = session_open(&work, given);
    if (code == CODE_OK)
        code = plot_check(given);
    if (code == CODE_OK)
        code = file_is_list(given, path) ? describe_list(&work, path) : describe_graph(&work, path);
    session_close(&work);
    return code;
}
