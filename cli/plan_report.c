/* SPDX-License-Identifier: Apache-2.0
 *
 * Plans of all variants, explained: see plan_report.h. */
#include "plan_report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "complaint.h"
#include "disk_forecast.h"
#include "exit_codes.h"
#include "failure_text.h"
#include "graph_report.h"
#include "memory_need.h"
#include "number_text.h"

static void make_plan(problem_job *job, job_call call, void *user, const char *name,
                      variant_plan *made) {
    hop_report *report = need_report(0);
    hop_run run = job->run;
    run.plan = true;
    run.report = report;
    if (name != NULL) { /* another one than the job's: its own parameters */
        run.variant = name;
        run.settings = NULL;
        run.setting_count = 0;
    }
    job->work.mute = true;
    made->status = call(user, &run);
    job->work.mute = false;
    made->variant = hop_report_variant(report);
    made->bytes = hop_report_memory_bytes(report);
    made->device_bytes = hop_report_device_bytes(report);
    made->copy_bytes = hop_report_copy_bytes(report);
    made->kept_bytes = hop_report_kept_bytes(report);
    snprintf(made->device, sizeof made->device, "%s", hop_report_device(report));
    hop_error_detail detail = failure_detail(job->work.context);
    failure_words words = failure_text(job->work.context);
    const char *why_not = detail.reason != NULL ? detail.reason : words.s;
    snprintf(made->reason, sizeof made->reason, "%.511s",
             made->status == HOP_OK ? hop_report_reason(report) : why_not);
    hop_report_free(report);
}

/* A row that its name does not mean in this context. */
static void other_place(const hop_variant *variant, variant_plan *made) {
    *made = (variant_plan){.status = HOP_ERR_DEVICE};
    snprintf(made->reason, sizeof made->reason, "%s",
             variant->place == HOP_PLACE_DEVICE ? "it runs on devices; --device names one"
                                                : "with a device, the device's form is meant");
}

static void print_others(FILE *file, const problem_job *job, const variant_plan *chosen) {
    const variant_plan *plans = job->plans;
    size_t count = job->plan_count;
    const char *title = "others";
    int width = 0;
    for (size_t i = 0; i < count; i++)
        if ((int)strlen(plans[i].variant->name) > width)
            width = (int)strlen(plans[i].variant->name);
    for (size_t i = 0; i < count; i++) {
        const variant_plan *each = &plans[i];
        if (each->variant == chosen->variant)
            continue;
        const char *place = each->variant->place == HOP_PLACE_DEVICE ? "device: " : "";
        if (each->status == HOP_OK)
            report_line(file, title, "%-*s  %scould; needs %s", width, each->variant->name, place,
                        bytes_text(each->bytes).s);
        else
            report_line(file, title, "%-*s  %scannot: %s", width, each->variant->name, place,
                        each->reason);
        title = "";
    }
    if (*title != '\0')
        report_line(file, title, "there are none");
}

/* Of those that have the graph on the device. */
static uint64_t most_to_copy(const problem_job *job) {
    uint64_t most = 0;
    for (size_t i = 0; i < job->plan_count; i++)
        if (job->plans[i].status == HOP_OK && job->plans[i].copy_bytes > most &&
            (job->plans[i].variant->uses & HOP_PREPARE_DEVICE) != 0)
            most = job->plans[i].copy_bytes;
    return most;
}

static bool is_prepared(const problem_job *job, unsigned what) {
    const hop_graph_info *info = &job->info;
    return what == HOP_PREPARE_REVERSE    ? info->has_reverse || !info->directed
           : what == HOP_PREPARE_DIAMETER ? info->has_diameter
                                          : most_to_copy(job) == 0;
}

/* What preparing costs: memory, or time. */
static text cost_text(const problem_job *job, unsigned what) {
    const hop_graph_info *info = &job->info;
    text out = {"four searches"};
    if (what == HOP_PREPARE_DEVICE)
        out = bytes_text(most_to_copy(job));
    if (what == HOP_PREPARE_REVERSE)
        out = bytes_text(info->arcs * (sizeof(hop_vertex) + hop_type_size(info->weight_type)) +
                         ((uint64_t)info->vertices + 1) * info->offset_bytes);
    return out;
}

static void print_prepare(FILE *file, const problem_job *job) {
    static const char *const what[] = {"reverse arcs", "a bound of the diameter",
                                       "the graph in the device's memory"};
    const char *title = "prepare";
    for (unsigned bit = 0; word_of_prepare(bit) != NULL; bit++) {
        char names[256] = "";
        size_t length = 0;
        for (size_t i = 0; i < job->plan_count && length < sizeof names; i++) {
            const variant_plan *each = &job->plans[i];
            if (each->status == HOP_OK && (each->variant->uses & 1u << bit) != 0)
                length += (size_t)snprintf(names + length, sizeof names - length, "%s%s",
                                           length > 0 ? ", " : "", each->variant->name);
        }
        if (length == 0)
            continue;
        if (is_prepared(job, 1u << bit))
            report_line(file, title, "%s: there already, for %s", what[bit], names);
        else
            report_line(file, title, "%s would serve %s: --prepare %s, %s", what[bit], names,
                        word_of_prepare(bit), cost_text(job, 1u << bit).s);
        title = "";
    }
    if (*title != '\0')
        report_line(file, "prepare",
                    "nothing to gain: no variant that can run here uses prepared data");
}

/* Large files, and what is free for them. */
static void print_disk(FILE *file, const problem_job *job) {
    for (size_t i = 0; i < sizeof job->disk_bytes / sizeof job->disk_bytes[0]; i++) {
        const char *path = job->disk_paths[i] != NULL ? job->disk_paths[i] : "a file in TMPDIR";
        if (job->disk_bytes[i] > 0 && job->disk_free[i] == UINT64_MAX)
            report_line(file, "disk", "%s in %s", bytes_text(job->disk_bytes[i]).s, path);
        else if (job->disk_bytes[i] > 0)
            report_line(file, "disk", "%s in %s, where %s are free",
                        bytes_text(job->disk_bytes[i]).s, path, bytes_text(job->disk_free[i]).s);
    }
}

/* What is read of a graph on disk, and how long that may take. */
static void print_readings(FILE *file, const problem_job *job) {
    disk_forecast all = forecast_disk(job);
    bool once = all.readings[0] == all.readings[1];
    char times[64] = "once", most[48] = "";
    if (all.file_bytes == 0)
        return;
    if (!once) {
        snprintf(times, sizeof times, "%g to %g times", all.readings[0], all.readings[1]);
        snprintf(most, sizeof most, " to %s", seconds_text(all.seconds[1]).s);
    }
    report_line(file, "disk", "%s of arcs in %s, read %s as a rule; nothing is written",
                bytes_text(all.file_bytes).s, job->input, times);
    if (all.rate > 0)
        report_line(file, "time", "about %s%s; this disk gave %s/s just now, for %s",
                    seconds_text(all.seconds[0]).s, most, bytes_text((uint64_t)all.rate).s,
                    bytes_text(all.probed).s);
}

/* "stream 0.001 (measured), ...; ns each": by what the variants for the device are compared. */
static void print_constants(FILE *file, const problem_job *job) {
    char list[400] = "";
    size_t used = 0;
    for (size_t i = 0; i < hop_tuning_device_count() && used < sizeof list; i++) {
        const char *name = hop_tuning_device_at(i)->name;
        double value;
        bool measured;
        if (hop_tuning_device_get(job->work.context, name, &value, &measured) != HOP_OK)
            return;
        used +=
            (size_t)snprintf(list + used, sizeof list - used, "%s%s %.3g (%s)", i > 0 ? ", " : "",
                             strchr(name, '.') + 1, value, measured ? "measured" : "assumed");
    }
    report_line(file, "constants", "%s; ns each", list);
}

static void print_device(FILE *file, const problem_job *job, const variant_plan *chosen) {
    char graph[256] = "";
    const bool stays = (chosen->variant->uses & HOP_PREPARE_DEVICE) != 0;
    if (chosen->copy_bytes > 0 && chosen->kept_bytes > 0)
        snprintf(graph, sizeof graph, "; of the graph %s are copied there first, %s are there",
                 bytes_text(chosen->copy_bytes).s, bytes_text(chosen->kept_bytes).s);
    else if (chosen->copy_bytes > 0 && stays)
        snprintf(graph, sizeof graph, "; the graph is copied there first: %s",
                 bytes_text(chosen->copy_bytes).s);
    else if (chosen->copy_bytes > 0)
        snprintf(graph, sizeof graph, "; %s are sent there in every call",
                 bytes_text(chosen->copy_bytes).s);
    else if (chosen->kept_bytes > 0)
        snprintf(graph, sizeof graph, "; the graph is there: %s", bytes_text(chosen->kept_bytes).s);
    if (chosen->device[0] != '\0')
        report_line(file, "device", "%s: %s of its memory (%s allowed)%s", chosen->device,
                    bytes_text(chosen->device_bytes).s,
                    bytes_text(hop_device_memory_budget(job->work.context)).s, graph);
    if (chosen->device[0] != '\0')
        print_constants(file, job);
}

static void print_text(FILE *file, const problem_job *job, const variant_plan *chosen) {
    const hop_context *context = job->work.context;
    report_line(file, "variant", "%s: %s", chosen->variant->name, chosen->reason);
    report_line(file, "idea", "%s (%s)", chosen->variant->summary, chosen->variant->source);
    report_line(file, "memory", "%s beside %s in use (results %s) of %s allowed",
                bytes_text(chosen->bytes).s, bytes_text(hop_context_memory_used(context)).s,
                bytes_text(job->result_bytes).s, bytes_text(hop_context_memory_budget(context)).s);
    print_disk(file, job);
    print_readings(file, job);
    print_device(file, job, chosen);
    if (job->opened.graph != NULL)
        report_line(file, "graph", "%s%s", bytes_text(job->info.memory_bytes).s,
                    job->info.mapped ? ", mapped: not counted above" : "");
    print_others(file, job, chosen);
    if (job->opened.graph != NULL)
        print_prepare(file, job);
}

void plan_json(json *out, const problem_job *job) {
    json_array(out, "variants");
    for (size_t i = 0; i < job->plan_count; i++) {
        const variant_plan *each = &job->plans[i];
        json_object(out, NULL);
        json_string(out, "name", each->variant->name);
        json_string(out, "place", each->variant->place == HOP_PLACE_DEVICE ? "device" : "host");
        json_bool(out, "usable", each->status == HOP_OK);
        json_count(out, "memory_bytes", each->bytes);
        json_string(out, "refusal", each->status == HOP_OK ? NULL : each->reason);
        json_end(out);
    }
    json_end(out);
}

static void print_json(const problem_job *job, const variant_plan *chosen) {
    json out;
    json_begin(&out, stdout, job->work.given->verb->name);
    json_bool(&out, "dry_run", true);
    json_string(&out, "variant", chosen->variant->name);
    json_string(&out, "reason", chosen->reason);
    json_count(&out, "memory_bytes", chosen->bytes);
    json_string(&out, "device", chosen->device[0] != '\0' ? chosen->device : "cpu");
    json_count(&out, "device_memory_bytes", chosen->device_bytes);
    json_count(&out, "copy_bytes", chosen->copy_bytes);
    json_count(&out, "kept_bytes", chosen->kept_bytes);
    json_count(&out, "result_bytes", job->result_bytes);
    json_count(&out, "disk_bytes", job->disk_bytes[0] + job->disk_bytes[1]);
    disk_forecast disk = forecast_disk(job);
    json_count(&out, "read_bytes", (uint64_t)(disk.readings[1] * (double)disk.file_bytes));
    json_real(&out, "expected_seconds", disk.seconds[1]);
    json_count(&out, "budget_bytes", hop_context_memory_budget(job->work.context));
    plan_json(&out, job);
    json_finish(&out);
}

int plan_explain(problem_job *job, job_call call, void *user) {
    size_t count = hop_variant_count(job->problem);
    variant_plan chosen;
    bool dry = job_is_dry(job);
    job->plans = need_memory(NULL, count, sizeof *job->plans);
    job->plan_count = count;
    for (size_t i = 0; i < count; i++) {
        const hop_variant *variant = hop_variant_at(job->problem, i);
        if (hop_variant_for(job->work.context, job->problem, variant->name) == variant)
            make_plan(job, call, user, variant->name, &job->plans[i]);
        else
            other_place(variant, &job->plans[i]);
        job->plans[i].variant = variant;
    }
    make_plan(job, call, user, NULL, &chosen);
    bar_wipe(&job->work.bar);
    if (chosen.status == HOP_ERR_BUDGET)
        return need_refuse(job, call, user);
    if (chosen.status != HOP_OK)
        return session_fail(&job->work, chosen.status);
    if (job->work.json && dry)
        print_json(job, &chosen);
    else if (!job->work.json)
        print_text(dry ? stdout : stderr, job, &chosen);
    return CODE_OK;
}
