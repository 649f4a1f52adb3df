/* SPDX-License-Identifier: Apache-2.0
 *
 * hoplite generate FAMILY: makes a graph or a list by recipe. Parameters come from the library's
 * table of families and are options of this verb: --scale 20, or --set scale=20. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "complaint.h"
#include "exit_codes.h"
#include "graph_file.h"
#include "graph_report.h"
#include "help_text.h"
#include "number_text.h"
#include "recipe.h"

/* Parameters of all families, each name once. */
const hop_parameter *family_parameter(size_t index) {
    for (size_t f = 0; f < hop_family_count(); f++) {
        const hop_family *family = hop_family_at(f);
        for (size_t p = 0; p < family->parameter_count; p++) {
            const hop_parameter *parameter = hop_parameter_at(family->parameters, p);
            bool seen = false;
            for (size_t g = 0; g < f && !seen; g++)
                for (size_t q = 0; q < hop_family_at(g)->parameter_count && !seen; q++)
                    seen = strcmp(hop_parameter_at(hop_family_at(g)->parameters, q)->name,
                                  parameter->name) == 0;
            if (!seen && index-- == 0)
                return parameter;
        }
    }
    return NULL;
}

static void describe_family(FILE *file, const hop_family *family) {
    char words[512];
    help_heading(file, family->name);
    snprintf(words, sizeof words, "%s. Source: %s.", family->summary, family->source);
    words[0] = (char)toupper((unsigned char)words[0]);
    help_paragraph(file, words, 2);
    parameter_table table = recipe_table(family);
    parameters_help(file, &table);
    if (family->weight_type != HOP_TYPE_NONE)
        fprintf(file, "  Weights unless you say otherwise: %s, %s to %s.\n",
                hop_type_name(family->weight_type), real_text(family->min_weight).s,
                real_text(family->max_weight).s);
}

void help_family(FILE *file, const arguments *given) {
    const hop_family *family =
        given->operand_count > 0 ? hop_family_find(given->operands[0]) : NULL;
    if (family != NULL) {
        describe_family(file, family);
        return;
    }
    help_heading(file, "Families");
    for (size_t i = 0; i < hop_family_count(); i++)
        help_entry(file, hop_family_at(i)->name, hop_family_at(i)->summary);
    fputs("\n  hoplite generate FAMILY --help explains the parameters of a family.\n", file);
}

static void family_json(json *out, const hop_family *family) {
    json_object(out, NULL);
    json_string(out, "name", family->name);
    json_string(out, "summary", family->summary);
    json_string(out, "source", family->source);
    json_string(out, "makes", family->is_list ? "list" : "graph");
    json_bool(out, "takes_weights", family->takes_weights);
    json_string(out, "weight_type", hop_type_name(family->weight_type));
    json_real(out, "min_weight", family->min_weight);
    json_real(out, "max_weight", family->max_weight);
    parameter_table table = recipe_table(family);
    parameters_json(out, &table);
    json_end(out);
}

static int list_families(const arguments *given) {
    json out;
    if (!is_given(given, OPT_JSON)) {
        for (size_t i = 0; i < hop_family_count(); i++)
            describe_family(stdout, hop_family_at(i));
        return CODE_OK;
    }
    json_begin(&out, stdout, "generate");
    json_array(&out, "families");
    for (size_t i = 0; i < hop_family_count(); i++)
        family_json(&out, hop_family_at(i));
    json_end(&out);
    json_finish(&out);
    return CODE_OK;
}

static void recipe_json(json *out, const recipe *made) {
    const hop_generate_options *options = &made->options;
    json_string(out, "family", made->family->name);
    json_count(out, "seed", options->seed);
    parameter_table table = recipe_table(made->family);
    settings_json(out, &table, options->settings, options->setting_count);
}

typedef struct generated {
    double seconds;
    uint64_t peak;
    const char *output; /* NULL: none */
    written_file written;
} generated;

static void tail_json(json *out, const generated *facts) {
    json_real(out, "seconds", facts->seconds);
    json_count(out, "peak_bytes", facts->peak);
    json_count(out, "resident_peak_bytes", resident_peak());
    json_string(out, "output", facts->output);
    if (facts->output != NULL) {
        json_count(out, "output_bytes", facts->written.bytes);
        json_real(out, "write_seconds", facts->written.seconds);
    }
    json_finish(out);
}

static void tell_output(session *work, const generated *facts) {
    if (facts->output == NULL)
        session_say(work, "nothing was written: -o FILE keeps it");
    else if (facts->written.bytes > 0)
        session_say(work, "wrote %s: %s%s%s", facts->output, bytes_text(facts->written.bytes).s,
                    facts->written.seconds > 0 ? " in " : "",
                    facts->written.seconds > 0 ? seconds_text(facts->written.seconds).s : "");
}

static void tell_graph(session *work, const recipe *made, const graph_report *report,
                       const generated *facts) {
    if (work->json) {
        json out;
        json_begin(&out, stdout, "generate");
        recipe_json(&out, made);
        report_json(&out, report);
        tail_json(&out, facts);
        return;
    }
    double drawn = (double)report->info.edges_given;
    session_say(work, "%s: %s, %s of %s drawn, in %s (%s edges/s)", made->family->name,
                counted_text(report->info.vertices, "vertex", "vertices").s,
                counted_text(report->info.edges, "edge", "edges").s,
                count_text(report->info.edges_given).s, seconds_text(facts->seconds).s,
                rate_text(drawn / facts->seconds).s);
    session_say(work, "memory: %s at the peak, %.2f bytes per edge drawn",
                bytes_text(facts->peak).s, drawn > 0 ? (double)facts->peak / drawn : 0);
    tell_output(work, facts);
    if (facts->output == NULL && !work->quiet) {
        report_lines(stdout, report);
        report_chart(stdout, report);
    }
}

/* A native file: it need not fit in memory. */
static int generate_native(session *work, const recipe *made, const char *output) {
    opened_graph opened = {0};
    graph_report report;
    generated facts = {.output = output};
    hop_convert_report built = HOP_CONVERT_REPORT_INIT;
    int code = file_generate(work, made->family->name, &made->options, output, &opened,
                             &facts.written, &built);
    if (is_given(work->given, OPT_DRY_RUN))
        return code;
    facts.seconds = built.read_seconds;
    facts.peak = hop_context_memory_peak(work->context);
    if (code == CODE_OK)
        code = report_measure(work, opened.graph, &report);
    bar_wipe(&work->bar);
    if (code == CODE_OK) {
        report.info.edges_given = built.edges_given;
        tell_graph(work, made, &report, &facts);
    }
    hop_graph_release(opened.graph);
    return code;
}

static int generate_graph(session *work, const recipe *made, const char *output) {
    hop_graph *graph = NULL;
    graph_report report;
    generated facts = {.output = output};
    hop_weight_type type = made->options.weight_type;
    if (type == HOP_TYPE_FAMILY)
        type = made->family->weight_type;
    int code = output != NULL ? output_check(work->given, output, false, 1u << type) : CODE_OK;
    if (code != CODE_OK)
        return code;
    if (output != NULL && output_is_native(work->given, output))
        return generate_native(work, made, output);
    code = recipe_make_graph(work, made, &graph, &facts.seconds);
    facts.peak = hop_context_memory_peak(work->context);
    if (code != CODE_OK)
        return code;
    code = report_measure(work, graph, &report);
    if (code == CODE_OK && output != NULL)
        code = file_write(work, graph, output, &facts.written);
    bar_wipe(&work->bar);
    if (code == CODE_OK)
        tell_graph(work, made, &report, &facts);
    hop_graph_release(graph);
    return code;
}

static void tell_list(session *work, const recipe *made, const list_report *report,
                      const generated *facts) {
    if (work->json) {
        json out;
        json_begin(&out, stdout, "generate");
        recipe_json(&out, made);
        list_json(&out, report);
        tail_json(&out, facts);
        return;
    }
    session_say(work, "%s: %s in %s (%s elements/s)", made->family->name,
                counted_text(report->count, "element", "elements").s,
                seconds_text(facts->seconds).s, rate_text(report->count / facts->seconds).s);
    tell_output(work, facts);
    if (facts->output == NULL && !work->quiet)
        list_lines(stdout, report);
}

static int generate_list(session *work, const recipe *made, const char *output) {
    list_report report;
    hop_vertex *list = NULL, count = 0;
    generated facts = {.output = output};
    int code = output != NULL ? output_check(work->given, output, true, ANY_WEIGHTS) : CODE_OK;
    if (code == CODE_OK)
        code = recipe_make_list(work, made, &list, &count, &facts.seconds);
    facts.peak = hop_context_memory_peak(work->context) + count * sizeof(hop_vertex);
    if (code == CODE_OK)
        code = list_measure(work, list, count, &report);
    if (code == CODE_OK && output != NULL)
        code = file_write_list(work, output, list, count, &facts.written);
    bar_wipe(&work->bar);
    if (code == CODE_OK)
        tell_list(work, made, &report, &facts);
    free(list);
    return code;
}

int run_generate(const arguments *given) {
    if (is_given(given, OPT_LIST))
        return list_families(given);
    recipe made = {0};
    session work;
    const char *output = given->values[OPT_OUTPUT].text;
    int code = CODE_OK;
    if (given->operand_count == 0) {
        complain(CODE_USAGE, "a family expected");
        advise("hoplite generate --list lists them");
        return CODE_USAGE;
    }
    code = recipe_take(given, given->operands[0], &made);
    if (code == CODE_OK && output == NULL && (is_given(given, OPT_TO) || is_given(given, OPT_GZIP)))
        code = complain(CODE_USAGE, "--to and --gzip need -o FILE");
    if (code == CODE_OK && is_given(given, OPT_DRY_RUN) &&
        (made.family->is_list || output == NULL || !output_is_native(given, output)))
        code = complain(CODE_USAGE, "--dry-run is for graphs, and needs -o FILE.npz");
    if (code == CODE_OK) {
        code = session_open(&work, given);
        if (code == CODE_OK)
            code = made.family->is_list ? generate_list(&work, &made, output)
                                        : generate_graph(&work, &made, output);
        session_close(&work);
    }
    recipe_free(&made);
    return code;
}
