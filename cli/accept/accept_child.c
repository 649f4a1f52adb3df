/* SPDX-License-Identifier: Apache-2.0
 *
 * What the children of `hoplite devices --accept` do. The runs are those of `hoplite bench`: each
 * result is compared with the host's, bit by bit, and certified. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "accept/accept.h"
#include "bench/bench.h"
#include "complaint.h"
#include "exit_codes.h"
#include "failure_text.h"
#include "interrupt.h"
#include "number_text.h"

static void part_end(accept_part *part, hop_context *context, hop_status status, double began) {
    part->status = status;
    part->seconds = clock_seconds() - began;
    snprintf(part->message, sizeof part->message, "%.511s",
             status == HOP_OK  ? ""
             : context != NULL ? failure_text(context).s
                               : hop_status_name(status));
    part->done = true;
}

void accept_device(acceptance *all) {
    accept_state *state = all->state;
    hop_context *context = NULL;
    hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
    options.device = all->device;
    options.device_memory = all->given->values[OPT_DEVICE_MEMORY].number;
    options.memory_budget = all->given->values[OPT_MEMORY].number;
    options.log_level = HOP_LOG_ERROR;
    double began = clock_seconds();
    hop_status status = hop_context_create(&options, &context);
    state->info.size = sizeof state->info;
    if (status == HOP_OK)
        status = hop_device_open(context, &state->info);
    state->host_budget = context != NULL ? hop_context_memory_budget(context) : 0;
    state->device_budget = context != NULL ? hop_device_memory_budget(context) : 0;
    part_end(&state->open, context, status, began);
    if (status == HOP_OK) {
        began = clock_seconds();
        part_end(&state->check, context, hop_device_check(context), began);
        began = clock_seconds();
        part_end(&state->order, context, litmus_take(context, &state->litmus), began);
        if (state->litmus.message[0] != '\0') /* of the first that failed, not of the last */
            snprintf(state->order.message, sizeof state->order.message, "%s",
                     state->litmus.message);
        began = clock_seconds();
        state->rates.size = sizeof state->rates;
        part_end(&state->measure, context, hop_device_measure(context, &state->rates), began);
    }
    hop_context_free(context);
}

/* A bench of one problem on one device, with nothing written. */
static int begin(bench *all, session *work, arguments *mine, const acceptance *from,
                 const accept_course *course) {
    *mine = *from->given;
    mine->values[OPT_DEVICE] = (option_value){0};
    mine->values[OPT_DEVICE_LIST] = (option_value){.times = 1, .text = from->device};
    mine->values[OPT_JSON] = (option_value){0};
    *all = (bench){.given = mine,
                   .work = work,
                   .problem = course->problem,
                   .distance_type = course->distance_type,
                   .rows = {.descriptor = -1},
                   .seed = 1,
                   .repeat = 1,
                   .wanted_sources = 1,
                   .time_limit = from->deadline - clock_seconds(),
                   .report = need_report(0)};
    int code = session_open(work, mine);
    if (code != CODE_OK)
        return code;
    all->thread_counts[all->thread_count++] = hop_context_threads(work->context);
    return devices_take(all);
}

static bool is_lack(const hop_context *context) {
    hop_error_kind kind = failure_detail(context).kind;
    return kind == HOP_KIND_MEMORY || kind == HOP_KIND_BUDGET || kind == HOP_KIND_DEVICE_MEMORY;
}

static accept_outcome outcome_of(const bench_run *run, const hop_context *context) {
    switch (run->outcome) {
    case RUN_OK:
        return ACCEPT_OK;
    case RUN_WRONG:
        return ACCEPT_WRONG;
    case RUN_STOPPED:
        return ACCEPT_STOPPED;
    case RUN_REFUSED:
        return ACCEPT_REFUSED;
    default:
        return is_lack(context) ? ACCEPT_FULL : ACCEPT_FAILED;
    }
}

/* Twice: the first run compiles, and copies the graph; the second is the one that is timed. */
static accept_outcome run_twice(bench *all, contender *each, bench_run *run) {
    contender_reset(all, each);
    for (int i = 0; i < 2; i++) {
        *run = (bench_run){.warmup = true, .apart = true};
        (void)run_once(all, each, run);
        if (run->outcome != RUN_OK)
            break;
    }
    return outcome_of(run, each->context);
}

static double items_of(const bench *all) {
    double n = all->input->elements;
    if (all->input->graph == NULL)
        return n;
    return all->problem == HOP_PROBLEM_APSP ? n * n * n : (double)all->input->info.arcs;
}

/* The host's answer, which the others are compared with; its seconds, or NAN. */
static double run_host(bench *all, accept_state *state) {
    static const bench_variant host = {.name = "auto", .label = "the host"};
    contender each = {
        .variant = &host, .device = device_of_host(), .threads = all->thread_counts[0]};
    bench_run run = {.warmup = true, .apart = true};
    contender_reset(all, &each);
    (void)run_once(all, &each, &run);
    contender_free(&each);
    state->host_full = run.outcome == RUN_FAILED && is_lack(each.context);
    if (run.outcome != RUN_OK && !state->host_full)
        complain(CODE_FAILURE, "%s on the host: %s", all->input->word, run.message);
    return run.outcome == RUN_OK ? run.seconds : NAN;
}

/* False when the device is of no use any more in this process. */
static bool run_variant(bench *all, accept_state *state, const hop_variant *variant,
                        double host_seconds) {
    bench_variant named = {
        .name = variant->name, .row = variant, .place = variant->place, .label = variant->name};
    contender each = {
        .variant = &named, .device = &all->devices[0], .threads = all->thread_counts[0]};
    accept_row *row = &state->rows[state->row_count];
    bench_run run;
    row->vertices = all->input->elements;
    row->arcs = all->input->graph != NULL ? all->input->info.arcs : 0;
    row->input_bytes = all->input->memory_bytes;
    row->items = items_of(all);
    row->host_seconds = host_seconds;
    row->outcome = run_twice(all, &each, &run);
    row->certified = row->outcome == ACCEPT_OK && !isnan(each.proofs[0]);
    row->seconds = row->outcome == ACCEPT_OK ? run.seconds : NAN;
    row->device_bytes = hop_report_device_bytes(run.report);
    snprintf(row->message, sizeof row->message, "%s", run.message);
    contender_free(&each);
    state->row_count++;
    return row->outcome != ACCEPT_FAILED;
}

/* The row that a crash would leave. */
static void announce(accept_state *state, const accept_course *course, const char *word,
                     const char *variant) {
    accept_row *row = &state->rows[state->row_count];
    *row = (accept_row){
        .problem = course->problem, .outcome = ACCEPT_CRASHED, .seconds = NAN, .host_seconds = NAN};
    snprintf(row->graph, sizeof row->graph, "%s", word);
    snprintf(row->variant, sizeof row->variant, "%s", variant);
}

void accept_graph(acceptance *from, const accept_course *course, const char *word, size_t first) {
    bench all;
    session work;
    arguments mine;
    bench_input input = {0};
    accept_state *state = from->state;
    const hop_variant *variant;
    double began = clock_seconds();
    int code = begin(&all, &work, &mine, from, course);
    announce(state, course, word, "host");
    if (code == CODE_OK)
        code = input_open(&all, word, &input);
    all.input = &input;
    if (code == CODE_OK)
        code = runs_prepare(&all);
    state->host_bytes = work.context != NULL ? hop_context_memory_used(work.context) : 0;
    state->host_full = code != CODE_OK && work.context != NULL && is_lack(work.context);
    foreign_begin(&all.foreign);
    double host = code == CODE_OK ? run_host(&all, state) : NAN;
    part_end(&state->input, work.context, isnan(host) ? HOP_ERR_DEVICE : HOP_OK, began);
    for (size_t v = first; !isnan(host) && !interrupted() && state->row_count + 1 < ACCEPT_ROWS &&
                           (variant = hop_variant_at(course->problem, v)) != NULL;
         v++) {
        if (variant->place != HOP_PLACE_DEVICE || (course->dead >> v & 1) != 0 ||
            (course->without != NULL && strcmp(variant->name, course->without) == 0))
            continue;
        announce(state, course, word, variant->name);
        if (!run_variant(&all, state, variant, host))
            break;
    }
    /* The process ends now; drivers that fail need not be asked to clean up. */
}
