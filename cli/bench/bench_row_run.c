/* SPDX-License-Identifier: Apache-2.0
 * Rows about runs and contenders: see docs/bench.md. */
#include "bench/bench_row_run.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "complaint.h"

static const char *const place_names[] = {"host", "device"};

static bool has_source(const bench *all) {
    return all->problem == HOP_PROBLEM_BFS || all->problem == HOP_PROBLEM_SSSP;
}

char *run_key(const bench *all, const contender *each, const bench_run *run) {
    enum { NUMBERS = 256 };
    const char *type = all->distance_type != HOP_TYPE_NONE ? hop_type_name(all->distance_type) : "";
    size_t room = strlen(all->input->word) + strlen(each->variant->label) +
                  strlen(each->device->name) + NUMBERS;
    char *key = need_memory(NULL, room, 1);
    snprintf(key, room, "%s %s %s %s threads=%u source=%zu%s%s %s=%zu",
             hop_problem_name(all->problem), all->input->word, each->variant->label,
             each->device->name, each->threads, run->source, *type != '\0' ? " distances=" : "",
             type, run->warmup ? "warmup" : "repetition", run->repetition);
    return key;
}

typedef struct hash_text {
    char s[17];
} hash_text;

static hash_text text_of_hash(uint64_t hash) {
    hash_text text;
    snprintf(text.s, sizeof text.s, "%016" PRIx64, hash);
    return text;
}

static uint64_t source_label(const bench *all, const bench_run *run) {
    return hop_graph_label(all->input->graph, all->input->sources[run->source]);
}

const known_run *run_known(const bench *all, const contender *each, const bench_run *run) {
    char source[24] = "null", *key = run_key(all, each, run);
    if (has_source(all))
        snprintf(source, sizeof source, "%" PRIu64, source_label(all, run));
    const known_run *known = rows_find(&all->rows, key, text_of_hash(all->input->hash).s, source);
    free(key);
    return known;
}

void subject_json(json *out, const bench *all) {
    const bench_input *input = all->input;
    json_string(out, "problem", hop_problem_name(all->problem));
    json_string(out, "graph", input->word);
    json_string(out, "graph_hash", text_of_hash(input->hash).s);
    if (input->graph == NULL) {
        json_count(out, "elements", input->elements);
    } else {
        json_count(out, "vertices", input->info.vertices);
        json_count(out, "edges", input->info.edges);
    }
    json_count(out, "seed", all->seed);
}

static void contender_json(json *out, const contender *each) {
    const bench_variant *variant = each->variant;
    const hop_variant *ran = each->ran != NULL ? each->ran : variant->row;
    json_string(out, "variant", variant->name);
    json_string(out, "ran", each->ran != NULL ? each->ran->name : NULL);
    json_object(out, "settings");
    if (ran != NULL) {
        parameter_table table = {ran->name, ran->parameters, ran->parameter_count};
        settings_json_fields(out, &table, variant->settings, variant->setting_count);
    }
    json_end(out);
    json_string(out, "place", ran != NULL ? place_names[ran->place] : NULL);
    json_string(out, "device", each->device->name);
    json_count(out, "threads", each->threads);
}

static void phases_json(json *out, const hop_report *report) {
    json_object(out, "counters");
    for (size_t i = 0; i < hop_report_counter_count(report); i++)
        json_count(out, hop_report_counter(report, i)->name, hop_report_counter(report, i)->value);
    json_end(out);
    json_array(out, "phases");
    for (size_t i = 0; i < hop_report_phase_count(report); i++) {
        const hop_phase *phase = hop_report_phase(report, i);
        json_object(out, NULL);
        json_string(out, "name", phase->name);
        json_string(out, "kind", phase->kind == HOP_PHASE_COPY ? "copy" : "compute");
        json_count(out, "calls", phase->calls);
        json_real(out, "seconds", phase->seconds);
        json_count(out, "bytes", phase->bytes);
        json_count(out, "items", phase->items);
        json_end(out);
    }
    json_end(out);
}

static void steps_json(json *out, const hop_report *report) {
    if (hop_report_step(report, 0) == NULL) { /* none were asked for */
        json_null(out, "steps");
        return;
    }
    json_array(out, "steps");
    const hop_step *step;
    for (size_t i = 0; (step = hop_report_step(report, i)) != NULL; i++) {
        json_array(out, NULL);
        json_count(out, NULL, step->phase);
        json_real(out, NULL, step->seconds);
        json_count(out, NULL, step->bytes);
        json_count(out, NULL, step->items);
        json_end(out);
    }
    json_end(out);
}

double copy_seconds(const hop_report *report) {
    double sum = 0;
    for (size_t i = 0; i < hop_report_phase_count(report); i++)
        if (hop_report_phase(report, i)->kind == HOP_PHASE_COPY)
            sum += hop_report_phase(report, i)->seconds;
    return sum;
}

/* What was found out by running to the end. */
static void measured_json(json *out, const contender *each, const bench_run *run) {
    bool ended = run->outcome == RUN_OK || run->outcome == RUN_WRONG;
    double proof = each->proofs[run->source]; /* of the same bits, maybe in an earlier run */
    json_real(out, "seconds", ended ? run->seconds : NAN);
    json_real(out, "call_seconds", ended ? run->call_seconds : NAN);
    json_real(out, "copy_seconds", ended ? copy_seconds(run->report) : NAN);
    json_real(out, "check_seconds", run->check_seconds);
    json_real(out, "certify_seconds", proof);
    json_bool(out, "certified", !isnan(proof) && run->outcome == RUN_OK);
    if (ended)
        json_string(out, "result_hash", text_of_hash(run->hash).s);
    else
        json_null(out, "result_hash");
    json_count(out, "memory_bytes", hop_report_memory_bytes(run->report));
    json_count(out, "peak_bytes", run->peak_bytes);
    if (!each->device->is_host) {
        json_count(out, "device_peak_bytes", hop_device_memory_peak(each->context));
        json_count(out, "copy_bytes", hop_report_copy_bytes(run->report));
    }
    json_count(out, "rounds", hop_report_rounds(run->report));
    json_count(out, "relaxations", hop_report_relaxations(run->report));
    phases_json(out, run->report);
    steps_json(out, run->report);
}

int row_run(bench *all, const contender *each, const bench_run *run) {
    json *out = &all->rows.out;
    if (all->rows.path == NULL)
        return 0;
    char *key = run_key(all, each, run);
    row_begin(&all->rows, "run");
    json_string(out, "key", key);
    free(key);
    subject_json(out, all);
    contender_json(out, each);
    json_bool(out, "warmup", run->warmup);
    json_count(out, "repetition", run->repetition);
    json_count(out, "order", run->order);
    if (has_source(all)) {
        json_count(out, "source", source_label(all, run));
        json_count(out, "source_index", run->source);
    } else {
        json_null(out, "source");
        json_null(out, "source_index");
    }
    if (all->problem == HOP_PROBLEM_SSSP || all->problem == HOP_PROBLEM_APSP)
        json_string(out, "distance_type", hop_type_name(bench_distance_type(all)));
    json_string(out, "outcome", outcome_names[run->outcome]);
    json_string(out, "message", run->message[0] != '\0' ? run->message : NULL);
    measured_json(out, each, run);
    json_string(out, "reason",
                hop_report_reason(run->report)[0] != '\0' ? hop_report_reason(run->report) : NULL);
    json_real(out, "load", run->load);
    json_real(out, "foreign_cores", run->foreign);
    return row_end(&all->rows);
}

void summary_json(json *out, const bench *all, const contender *each) {
    const statistics *times = &each->times;
    double total = all->call_total + all->check_total;
    double overhead = (all->rounds_seconds - total) / all->rounds_seconds;
    subject_json(out, all);
    contender_json(out, each);
    json_string(out, "outcome", outcome_names[each->outcome]);
    json_string(out, "message", each->message[0] != '\0' ? each->message : NULL);
    json_count(out, "runs", times->count);
    json_real(out, "median", times->median);
    json_real(out, "q1", times->q1);
    json_real(out, "q3", times->q3);
    json_real(out, "mean", times->mean);
    json_real(out, "deviation", times->deviation);
    json_real(out, "low", times->low);
    json_real(out, "high", times->high);
    json_real(out, "minimum", times->minimum);
    json_real(out, "rate", bench_rate(all, times->median));
    json_string(out, "rate_unit", bench_rate_unit(all));
    json_real(out, "overhead", all->rounds_seconds > 0 ? overhead : NAN);
    json_real(out, "foreign_cores", contender_foreign(each));
    json_bool(out, "busy", contender_is_busy(each));
}

int row_summary(bench *all, const contender *each) {
    if (all->rows.path == NULL)
        return 0;
    row_begin(&all->rows, "summary");
    summary_json(&all->rows.out, all, each);
    return row_end(&all->rows);
}
