/* SPDX-License-Identifier: Apache-2.0
 *
 * The shared part of the verbs of the problems: see problem_job.h. */
#include "problem_job.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "complaint.h"
#include "core/nearest_word.h"
#include "exit_codes.h"
#include "memory_need.h"
#include "number_text.h"
#include "parameter_text.h"
#include "plan_report.h"
#include "result_file.h"

/* ---- opening ------------------------------------------------------------------------------- */

static int complain_variant(hop_problem problem, const char *name) {
    hop__nearest search;
    char all[512] = "auto";
    size_t length = 4;
    hop__nearest_begin(&search, name);
    hop__nearest_offer(&search, "auto");
    for (size_t i = 0; i < hop_variant_count(problem) && length < sizeof all; i++) {
        const char *each = hop_variant_at(problem, i)->name;
        if (hop_variant_find(problem, each) != hop_variant_at(problem, i))
            continue;
        hop__nearest_offer(&search, each);
        length += (size_t)snprintf(all + length, sizeof all - length, ", %s", each);
    }
    complain(CODE_USAGE, "--variant: %s has no variant \"%s\"; it has: %s",
             hop_problem_name(problem), name, all);
    if (hop__nearest_best(&search) != NULL)
        advise("did you mean %s?", hop__nearest_best(&search));
    return CODE_USAGE;
}

/* Variants and their parameters are checked before a graph is read for minutes. */
static int take_variant(problem_job *job) {
    const arguments *given = job->work.given;
    const char *name = given->values[OPT_VARIANT].text;
    bool named = name != NULL && strcmp(name, "auto") != 0;
    job->run.variant = name;
    if (!named && given->setting_count == 0)
        return CODE_OK;
    if (!named) {
        complain(CODE_USAGE, "--set %s: parameters belong to a variant; --variant names one",
                 given->settings[0].name);
        advise("hoplite variants %s lists them", hop_problem_name(job->problem));
        return CODE_USAGE;
    }
    const hop_variant *variant = hop_variant_for(job->work.context, job->problem, name);
    if (variant == NULL && hop_variant_find(job->problem, name) != NULL) {
        complain(CODE_NO_DEVICE, "--variant: %s runs on devices only; --device names one", name);
        advise("hoplite devices lists them");
        return CODE_NO_DEVICE;
    }
    if (variant == NULL)
        return complain_variant(job->problem, name);
    parameter_table table = {variant->name, variant->parameters, variant->parameter_count};
    int code = settings_take(&table, given, &job->settings, &job->run.setting_count);
    job->run.settings = job->settings;
    return code;
}

int job_open(problem_job *job, const arguments *given, hop_problem problem) {
    job->problem = problem;
    /* GRAPH, or PROBLEM GRAPH, or NAME GRAPH */
    size_t at = given->verb->operand_words != NULL ? 1 : 0;
    job->input = given->operand_count > at ? given->operands[at] : NULL;
    job->run = (hop_run)HOP_RUN_INIT;
    job->info = (hop_graph_info)HOP_GRAPH_INFO_INIT;
    if (is_given(given, OPT_CERTIFY))
        job->run.certify = (hop_certify)(given->values[OPT_CERTIFY].number + 1);
    int code = session_open(&job->work, given);
    if (code == CODE_OK && job->input == NULL) {
        code = complain(CODE_USAGE, "a file expected, or - for standard input");
        advise("usage: hoplite %s [options] %s", given->verb->name, given->verb->operands);
    }
    return code != CODE_OK ? code : take_variant(job);
}

void job_close(problem_job *job) {
    for (size_t i = 0; i < job->array_count; i++)
        hop_block_free(job->arrays[i]);
    hop_block_free(job->set_aside);
    hop_graph_release(job->opened.graph);
    free(job->settings);
    free(job->seconds);
    free(job->plans);
    hop_report_free(job->report);
    session_close(&job->work);
}

static int prepare(problem_job *job) {
    unsigned what = 0;
    const char *word;
    for (size_t i = 0; (word = given_text(job->work.given, OPT_PREPARE, i)) != NULL; i++)
        for (unsigned bit = 0; word_of_prepare(bit) != NULL; bit++)
            if (strcmp(word_of_prepare(bit), word) == 0)
                what |= 1u << bit;
    if (what == 0)
        return CODE_OK;
    double began = clock_seconds();
    hop_status status = hop_graph_prepare(job->work.context, job->opened.graph, what);
    job->prepare_seconds = clock_seconds() - began;
    return status == HOP_OK ? CODE_OK : session_fail(&job->work, status);
}

int job_read_graph(problem_job *job) {
    session *work = &job->work;
    if (file_is_list(work->given, job->input)) {
        complain(CODE_BAD_INPUT, "%s: %s; a graph expected", job->input,
                 file_is_made(job->input) ? "a list" : "an array or a list (.npy)");
        advise("hoplite rank ranks lists; hoplite formats lists the formats of graphs");
        return CODE_BAD_INPUT;
    }
    int code = file_read(work, job->input, &job->opened);
    if (code == CODE_OK)
        code = prepare(job);
    if (code != CODE_OK)
        return code;
    hop_status status = hop_graph_describe(work->context, job->opened.graph, &job->info);
    return status == HOP_OK ? CODE_OK : session_fail(work, status);
}

int job_reject(problem_job *job, const char *format, ...) {
    va_list rest;
    va_start(rest, format);
    vsnprintf(job->fault, sizeof job->fault, format, rest);
    va_end(rest);
    return CODE_REJECTED;
}

/* ---- running ------------------------------------------------------------------------------- */

static int run_all(problem_job *job, job_call call, void *user, hop_status *status) {
    const option_value *repeat = &job->work.given->values[OPT_REPEAT];
    size_t runs = repeat->times > 0 ? (size_t)repeat->number : 1;
    job->seconds = need_memory(NULL, runs, sizeof *job->seconds);
    if (job->report == NULL)
        job->report = need_report(0);
    for (size_t i = 0; i < runs; i++) {
        hop_run run = job->run;
        if (i + 1 < runs) /* the last one is proved */
            run.certify = HOP_CERTIFY_NONE;
        run.report = job->report;
        *status = call(user, &run);
        job->seconds[job->runs++] = hop_report_seconds(job->report);
        if (*status != HOP_OK)
            break;
    }
    bar_wipe(&job->work.bar);
    if (*status == HOP_OK || *status == HOP_ERR_NEGATIVE_CYCLE)
        return CODE_OK;
    if (job->elsewhere != NULL && *job->elsewhere != HOP_OK)
        return CODE_FAILURE;
    return *status == HOP_ERR_BUDGET ? need_refuse(job, call, user)
                                     : session_fail(&job->work, *status);
}

int job_solve(problem_job *job, job_call call, void *user, hop_status *status) {
    const arguments *given = job->work.given;
    *status = HOP_OK;
    int room = job->lacking ? CODE_OK : results_set_aside(job);
    if (room != CODE_OK)
        return room;
    if (job->result_bytes == 0)
        job->base_bytes = hop_context_memory_used(job->work.context);
    if (job->lacking)
        return need_refuse(job, call, user);
    if (job_is_dry(job) || is_given(given, OPT_EXPLAIN)) {
        int code = plan_explain(job, call, user);
        if (code != CODE_OK || job_is_dry(job))
            return code;
    }
    return run_all(job, call, user, status);
}

/* ---- telling ------------------------------------------------------------------------------- */

int job_writer(problem_job *job, const char *path, const hop_status *written,
               hop_context **writer) {
    /* Buffers take an eighth of a budget at most: so many bytes are set aside in the other one. */
    uint64_t room = path != NULL ? hop_results_bytes(job->work.context, path) : 0;
    *writer = session_helper(&job->work, 8 * room);
    if (*writer == NULL)
        return complain(CODE_FAILURE, "no memory for a second context");
    job->elsewhere = written;
    return CODE_OK;
}

FILE *job_facts(const problem_job *job) {
    static const option_id files[] = {OPT_PARENTS, OPT_SIZES, OPT_ECCENTRICITIES, OPT_IDS};
    const arguments *given = job->work.given;
    bool taken = is_given(given, OPT_OUTPUT);
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        taken |= is_given(given, files[i]) && strcmp(given->values[files[i]].text, "-") == 0;
    if (job->work.json || job->work.quiet)
        return NULL;
    return taken ? stderr : stdout;
}

static int by_time(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sorts the times; the one in the middle. */
static double median(problem_job *job) {
    qsort(job->seconds, job->runs, sizeof *job->seconds, by_time);
    return job->runs == 0 ? 0 : job->seconds[job->runs / 2];
}

void job_tell(problem_job *job, double work_done, const char *unit) {
    char rate[96] = "", times[160] = "";
    if (job->work.json || hop_report_variant(job->report) == NULL)
        return;
    double *kept = job->seconds, middle;
    double compiling = job->runs > 1 ? 0 : hop_report_compile_seconds(job->report);
    middle = median(job);
    if (compiling > middle / 10) /* a rate would say nothing about the search */
        snprintf(rate, sizeof rate, ", of which %s or more for compiling, once",
                 seconds_text(compiling).s);
    else if (work_done > 0 && middle > 0)
        snprintf(rate, sizeof rate, ", %s%s", rate_text(work_done / middle).s, unit);
    if (job->runs > 1)
        snprintf(times, sizeof times, " (median of %zu; %s to %s)", job->runs,
                 seconds_text(kept[0]).s, seconds_text(kept[job->runs - 1]).s);
    const char *device = hop_report_device(job->report);
    session_say(&job->work, "%s: %s%s%s, %s%s%s", job_name(job),
                hop_report_variant(job->report)->name, device[0] != '\0' ? " on " : "", device,
                seconds_text(middle).s, times, rate);
    char rows[96] = "";
    if (job->proved_rows > 0)
        snprintf(rows, sizeof rows, " %s of %s rows", count_text(job->proved_rows).s,
                 count_text(job->rows).s);
    if (job_proof(job) != NULL)
        session_say(&job->work, "certified%s (%s) in %s", rows, job_proof(job),
                    seconds_text(hop_report_certify_seconds(job->report)).s);
}

const char *job_proof(const problem_job *job) {
    if (job->run.certify == HOP_CERTIFY_NONE)
        return NULL;
    hop_weight_type type = hop_distance_type(job->info.weight_type);
    if (job->problem == HOP_PROBLEM_APSP && type != HOP_TYPE_INT64)
        return "tolerance";
    return word_of_certify(job->run.certify - 1u);
}

static void runs_json(json *out, const problem_job *job) {
    const hop_report *report = job->report;
    double *sorted = need_memory(NULL, job->runs, sizeof *sorted);
    memcpy(sorted, job->seconds, job->runs * sizeof *sorted);
    qsort(sorted, job->runs, sizeof *sorted, by_time);
    json_real(out, "seconds", job->runs > 0 ? sorted[job->runs / 2] : 0);
    free(sorted);
    json_array(out, "runs");
    for (size_t i = 0; i < job->runs; i++) {
        json_object(out, NULL);
        json_real(out, "seconds", job->seconds[i]);
        json_end(out);
    }
    json_end(out);
    json_count(out, "rounds", hop_report_rounds(report));
    json_count(out, "relaxations", hop_report_relaxations(report));
    json_array(out, "phases");
    for (size_t i = 0; i < hop_report_phase_count(report); i++) {
        const hop_phase *phase = hop_report_phase(report, i);
        json_object(out, NULL);
        json_string(out, "name", phase->name);
        json_real(out, "seconds", phase->seconds);
        json_count(out, "calls", phase->calls);
        json_count(out, "bytes", phase->bytes);
        json_end(out);
    }
    json_end(out);
    json_object(out, "counters");
    for (size_t i = 0; i < hop_report_counter_count(report); i++)
        json_count(out, hop_report_counter(report, i)->name, hop_report_counter(report, i)->value);
    json_end(out);
}

static void graph_json(json *out, const hop_graph_info *info) {
    json_object(out, "graph");
    json_count(out, "vertices", info->vertices);
    json_count(out, "edges", info->edges);
    json_count(out, "arcs", info->arcs);
    json_bool(out, "directed", info->directed);
    json_bool(out, "labelled", info->labelled);
    json_bool(out, "named", info->named);
    json_count(out, "first_id", info->first_id);
    json_string(out, "weight_type", hop_type_name(info->weight_type));
    json_end(out);
}

void job_json(json *out, const problem_job *job) {
    const hop_report *report = job->report;
    json_string(out, "input", job->input);
    if (job->opened.graph != NULL) {
        json_string(out, "format", opened_format(&job->opened));
        graph_json(out, &job->info);
    }
    json_real(out, "open_seconds", job->opened.open_seconds);
    json_count(out, "threads", hop_context_threads(job->work.context));
    json_string(out, "variant",
                hop_report_variant(report) != NULL ? hop_report_variant(report)->name : NULL);
    json_string(out, "reason",
                hop_report_variant(report) != NULL ? hop_report_reason(report) : NULL);
    json_string(out, "device",
                hop_report_device(report)[0] != '\0' ? hop_report_device(report) : "cpu");
    json_count(out, "memory_bytes", hop_report_memory_bytes(report));
    json_count(out, "device_memory_bytes", hop_report_device_bytes(report));
    json_count(out, "copy_bytes", hop_report_copy_bytes(report));
    json_count(out, "kept_bytes", hop_report_kept_bytes(report));
    json_count(out, "peak_bytes", hop_context_memory_peak(job->work.context));
    json_count(out, "resident_peak_bytes", resident_peak());
    runs_json(out, job);
    json_string(out, "certified", job_proof(job));
    if (job->problem == HOP_PROBLEM_APSP && job_proof(job) != NULL)
        json_count(out, "certified_rows", job->proved_rows > 0 ? job->proved_rows : job->rows);
    json_real(out, "certify_seconds", hop_report_certify_seconds(report));
    if (job->plans != NULL)
        plan_json(out, job);
}

void job_files_json(json *out, const problem_job *job) {
    json_array(out, "files");
    for (size_t i = 0; i < job->file_count; i++) {
        json_object(out, NULL);
        json_string(out, "what", job->files[i].what);
        json_string(out, "path", job->files[i].path);
        json_count(out, "bytes", job->files[i].written.bytes);
        json_real(out, "seconds", job->files[i].written.seconds);
        json_end(out);
    }
    json_end(out);
}
