/* SPDX-License-Identifier: Apache-2.0
 *
 * All runs of `hoplite bench` on one input: warm-up, then rounds in which every contender runs once
 * on every source. Each round begins with the next contender, so that none always has the same
 * neighbour or the same place after a check. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "bench/bench_row_run.h"
#include "complaint.h"
#include "exit_codes.h"
#include "interrupt.h"
#include "number_text.h"

void contender_reset(const bench *all, contender *each) {
    size_t sources = all->input->source_count;
    each->active = true;
    each->outcome = RUN_OK;
    each->message[0] = '\0';
    each->spent = each->measured = each->copied = each->foreign_sum = 0;
    each->foreign_runs = 0;
    each->ran = NULL;
    each->value_count = 0;
    each->proofs = need_memory(each->proofs, sources, sizeof *each->proofs);
    each->values = need_memory(each->values, all->repeat, sizeof *each->values);
    each->sums = need_memory(each->sums, all->repeat, sizeof *each->sums);
    each->counts = need_memory(each->counts, all->repeat, sizeof *each->counts);
    for (size_t i = 0; i < sources; i++)
        each->proofs[i] = NAN;
    for (size_t i = 0; i < all->repeat; i++) {
        each->sums[i] = 0;
        each->counts[i] = 0;
    }
    each->context = each->device->context;
    for (size_t i = 0; i < all->thread_count && each->device->is_host; i++)
        if (all->thread_counts[i] == each->threads)
            each->context = all->contexts[i];
}

static outcome outcome_named(const char *name) {
    for (outcome o = RUN_OK; o < RUN_FAILED; o++)
        if (strcmp(outcome_names[o], name) == 0)
            return o;
    return RUN_FAILED;
}

/* --resume: what the file knows of a run. True when it need not be done again. */
static bool known_already(const bench *all, contender *each, const bench_run *run) {
    const known_run *known = run_known(all, each, run);
    if (known == NULL)
        return false;
    outcome how = outcome_named(known->outcome);
    if (how == RUN_OK) {
        each->sums[run->repetition] += known->seconds;
        each->counts[run->repetition]++;
        return true;
    }
    if (each->active) {
        each->active = false;
        each->outcome = how;
        snprintf(each->message, sizeof each->message, "%s, by an earlier command", known->outcome);
    }
    return true;
}

/* Takes what the file knows; a contender of whom everything is known is not active any more.
 * Returns the number of runs that are left. */
static size_t take_known(bench *all) {
    size_t left = 0;
    for (size_t c = 0; c < all->contender_count; c++) {
        contender *each = &all->contenders[c];
        size_t mine = 0;
        for (size_t r = 0; r < all->repeat && each->active; r++)
            for (size_t s = 0; s < all->input->source_count && each->active; s++) {
                bench_run run = {.repetition = r, .source = s};
                mine += !known_already(all, each, &run);
            }
        if (mine == 0)
            each->active = false;
        left += each->active ? mine : 0;
    }
    return left;
}

/* One phase for all contenders, so that the time left is that of all. */
static void show_progress(bench *all) {
    hop_progress progress = {"bench: runs", all->runs_done, all->runs_planned};
    bar_update(&all->work->bar, &progress);
}

/* One contender on all sources: a warm-up run, or a part of a round. */
static int run_sources(bench *all, contender *each, size_t repetition, size_t order, bool warmup) {
    int code = CODE_OK;
    for (size_t s = 0; s < all->input->source_count && each->active && code == CODE_OK; s++) {
        bench_run run = {.warmup = warmup, .repetition = repetition, .order = order, .source = s};
        if (!warmup && run_known(all, each, &run) != NULL)
            continue;
        show_progress(all);
        if (each->spent >= all->time_limit) { /* it has what it has */
            code = run_stop(all, each, &run);
            break;
        }
        code = run_once(all, each, &run);
        all->runs_done++;
        if (warmup)
            continue;
        all->call_total += run.call_seconds;
        if (!isnan(run.check_seconds))
            all->check_total += run.check_seconds;
        if (!isnan(run.certify_seconds))
            all->check_total += run.certify_seconds;
        if (run.outcome == RUN_OK) {
            each->measured += run.seconds;
            each->copied += copy_seconds(run.report);
            each->sums[repetition] += run.seconds;
            each->counts[repetition]++;
        }
        if (!isnan(run.foreign)) {
            each->foreign_sum += run.foreign;
            each->foreign_runs++;
        }
    }
    return code;
}

/* The triple loop over a matrix, the reference of all pairs, takes 10 s at this many vertices and
 * hours at ten times as many. From here on a search from each vertex takes its place, where the
 * weights allow one: its steps too are simple, and none is on a matrix. */
enum { TRIPLE_LOOP_VERTICES = 2048 };

/* The first row of the table that can do the input in a bearable time. */
static const hop_variant *reference_row(const bench *all) {
    if (all->problem == HOP_PROBLEM_APSP && all->input->info.vertices > TRIPLE_LOOP_VERTICES &&
        run_possible(all, "dijkstra"))
        return hop_variant_find(all->problem, "dijkstra");
    for (size_t i = 0; i < hop_variant_count(all->problem); i++) {
        const hop_variant *row = hop_variant_at(all->problem, i);
        if (row->place == HOP_PLACE_HOST && run_possible(all, row->name))
            return row;
    }
    return NULL;
}

static contender *contender_of(bench *all, const hop_variant *row) {
    for (size_t c = 0; c < all->contender_count; c++)
        if (row != NULL && all->contenders[c].variant->row == row &&
            all->contenders[c].variant->setting_count == 0 && all->contenders[c].active)
            return &all->contenders[c];
    return NULL;
}

/* A run of the reference that is not measured: it is no contender, or nothing is warmed up. */
static int run_apart(bench *all, const hop_variant *row) {
    bench_variant *variant = &all->own_reference;
    *variant = (bench_variant){.name = row->name, .row = row, .label = row->name};
    contender each = {
        .variant = variant, .device = device_of_host(), .threads = all->thread_counts[0]};
    int code = CODE_OK;
    contender_reset(all, &each);
    for (size_t s = 0; s < all->input->source_count && each.active && code == CODE_OK; s++) {
        bench_run run = {.warmup = true, .apart = true, .source = s};
        code = run_once(all, &each, &run);
    }
    if (!each.active && code == CODE_OK)
        session_say(all->work,
                    "%s: the reference %s: %s; the first certified result takes its place",
                    all->input->word, row->name, each.message);
    contender_free(&each);
    return code;
}

static int warm_up(bench *all) {
    const hop_variant *row = reference_row(all);
    contender *first = contender_of(all, row);
    int code = CODE_OK;
    if (row != NULL && (first == NULL || all->warmup == 0))
        code = run_apart(all, row);
    for (size_t w = 0; w < all->warmup && code == CODE_OK; w++) {
        if (first != NULL)
            code = run_sources(all, first, w, 0, true);
        for (size_t c = 0; c < all->contender_count && code == CODE_OK; c++)
            if (&all->contenders[c] != first)
                code = run_sources(all, &all->contenders[c], w, c, true);
    }
    return code;
}

static int run_rounds(bench *all) {
    int code = CODE_OK;
    double began = clock_seconds();
    size_t count = all->contender_count + all->outside;
    for (size_t r = 0; r < all->repeat && code == CODE_OK; r++)
        for (size_t i = 0; i < count && code == CODE_OK; i++) {
            size_t who = (r + i) % count;
            code = who < all->contender_count ? run_sources(all, &all->contenders[who], r, i, false)
                                              : outside_turn(all, who - all->contender_count, r);
            if (who >= all->contender_count) /* what they do is no disturbance */
                foreign_skip(&all->foreign);
        }
    all->rounds_seconds = clock_seconds() - began - all->outside_seconds;
    return code;
}

void contender_summarize(const bench *all, contender *each) {
    each->value_count = 0;
    for (size_t r = 0; r < all->repeat; r++)
        if (each->counts[r] == all->input->source_count)
            each->values[each->value_count++] = each->sums[r] / (double)each->counts[r];
    each->times = statistics_of(each->values, each->value_count);
}

void contender_free(contender *each) {
    free(each->proofs);
    free(each->values);
    free(each->sums);
    free(each->counts);
}

double contender_foreign(const contender *each) {
    return each->foreign_runs > 0 ? each->foreign_sum / (double)each->foreign_runs : NAN;
}

bool contender_is_busy(const contender *each) {
    return each->foreign_runs > 0 && contender_foreign(each) >= foreign_limit();
}

/* What the interrupt has kept from their repetitions. */
static void note_interrupt(bench *all) {
    for (size_t c = 0; c < all->contender_count; c++) {
        contender *each = &all->contenders[c];
        if (!each->active || each->times.count == all->repeat)
            continue;
        each->outcome = RUN_STOPPED;
        snprintf(each->message, sizeof each->message, "interrupted");
    }
}

double bench_rate(const bench *all, double seconds) {
    const bench_input *input = all->input;
    if (input->graph == NULL)
        return seconds * 1e9 / (double)(input->elements > 0 ? input->elements : 1);
    double edges = (double)input->info.edges;
    if (all->problem == HOP_PROBLEM_APSP)
        edges *= (double)input->info.vertices;
    return edges / seconds * 1e-6;
}

const char *bench_rate_unit(const bench *all) {
    return all->input->graph == NULL ? "ns/element" : "MTEPS";
}

int bench_input_run(bench *all) {
    int code = runs_prepare(all);
    if (code != CODE_OK)
        return code;
    for (size_t c = 0; c < all->contender_count; c++)
        contender_reset(all, &all->contenders[c]);
    size_t left = take_known(all);
    all->call_total = all->check_total = all->rounds_seconds = all->outside_seconds = 0;
    all->runs_planned = all->runs_done + left;
    foreign_begin(&all->foreign);
    for (size_t c = 0; c < all->contender_count; c++)
        if (all->contenders[c].active)
            all->runs_planned += all->warmup * all->input->source_count;
    if (left > 0)
        code = warm_up(all);
    if ((left > 0 || all->outside > 0) && code == CODE_OK)
        code = run_rounds(all);
    bar_wipe(&all->work->bar);
    for (size_t c = 0; c < all->contender_count; c++) {
        contender_summarize(all, &all->contenders[c]);
        if (code == CODE_OK)
            code = row_summary(all, &all->contenders[c]);
    }
    if (interrupted())
        note_interrupt(all);
    return code;
}
