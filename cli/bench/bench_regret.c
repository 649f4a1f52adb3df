/* SPDX-License-Identifier: Apache-2.0
 *
 * Regret of the library's own choice: time of the variant that auto picks over time of the best.
 *
 * The lowest of many noisy medians is partly luck, so the two are timed again, turn by turn, and
 * only the duel counts. A turn gives one ratio; the result is their median, with the interval of
 * order statistics, which single turns that the machine has spoiled do not move. The duel goes on
 * until the interval is narrow, or long enough. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "bench/bench_row_run.h"
#include "complaint.h"
#include "exit_codes.h"
#include "number_text.h"

enum { LEAST_TURNS = 10, MOST_TURNS = 100 };
static const double narrow = 1.05; /* upper over lower end */

typedef struct duel {
    contender *pick, *best;
    size_t turns;
    double *pick_times, *best_times, *ratios;
    double pick_median, best_median, ratio, low, high;
    bool tie;
    double regret;
} duel;

/* One turn of one of them: the mean over the sources, or NAN when it did not get to the end. */
static int take_turn(bench *all, contender *each, double *mean) {
    double sum = 0;
    int code = CODE_OK;
    *mean = NAN;
    for (size_t s = 0; s < all->input->source_count && code == CODE_OK; s++) {
        bench_run run = {.warmup = true, .apart = true, .source = s};
        each->spent = 0;
        code = run_once(all, each, &run);
        if (code != CODE_OK || run.outcome != RUN_OK)
            return code;
        sum += run.seconds;
    }
    *mean = sum / (double)all->input->source_count;
    return code;
}

/* What can be said after the turns so far. */
static void judge(duel *fight) {
    double sorted[MOST_TURNS];
    memcpy(sorted, fight->ratios, fight->turns * sizeof *sorted);
    interval range = median_interval(sorted, fight->turns);
    fight->ratio = statistics_of(sorted, fight->turns).median;
    fight->low = range.low;
    fight->high = range.high;
    fight->tie = fight->low <= 1 && fight->high >= 1;
    /* Slower in the rounds and faster in the duel: then the pick was the best after all. */
    fight->regret = fight->tie || fight->ratio < 1 ? 1 : fight->ratio;
}

static int fight_turn(bench *all, duel *fight) {
    double pick = NAN, best = NAN;
    bool pick_first = fight->turns % 2 == 0;
    int code = take_turn(all, pick_first ? fight->pick : fight->best, pick_first ? &pick : &best);
    if (code == CODE_OK)
        code = take_turn(all, pick_first ? fight->best : fight->pick, pick_first ? &best : &pick);
    if (code == CODE_OK && (isnan(pick) || isnan(best)))
        code = complain(CODE_FAILURE, "regret: a run of the duel did not get to the end");
    fight->pick_times[fight->turns] = pick;
    fight->best_times[fight->turns] = best;
    fight->ratios[fight->turns++] = pick / best;
    return code;
}

static int run_duel(bench *all, duel *fight) {
    double began = clock_seconds();
    int code = CODE_OK;
    fight->pick_times = need_memory(NULL, MOST_TURNS, sizeof(double));
    fight->best_times = need_memory(NULL, MOST_TURNS, sizeof(double));
    fight->ratios = need_memory(NULL, MOST_TURNS, sizeof(double));
    do {
        code = fight_turn(all, fight);
        if (code == CODE_OK)
            judge(fight);
    } while (code == CODE_OK && fight->turns < MOST_TURNS &&
             (fight->turns < LEAST_TURNS ||
              (fight->high / fight->low > narrow && clock_seconds() - began < all->time_limit)));
    fight->pick_median = statistics_of(fight->pick_times, fight->turns).median;
    fight->best_median = statistics_of(fight->best_times, fight->turns).median;
    return code;
}

static int row_regret(bench *all, const duel *fight, unsigned threads, const char *reason) {
    json *out = &all->rows.out;
    row_begin(&all->rows, "regret");
    subject_json(out, all);
    json_count(out, "threads", threads);
    json_string(out, "pick", fight->pick->ran->name);
    json_string(out, "best", fight->best->variant->label);
    json_string(out, "reason", reason);
    json_real(out, "pick_seconds", fight->pick_median);
    json_real(out, "best_seconds", fight->best_median);
    json_real(out, "ratio", fight->ratio);
    json_real(out, "low", fight->low);
    json_real(out, "high", fight->high);
    json_bool(out, "tie", fight->tie);
    json_real(out, "regret", fight->regret);
    json_count(out, "repetitions", fight->turns);
    json_array(out, "ratios");
    for (size_t i = 0; i < fight->turns; i++)
        json_real(out, NULL, fight->ratios[i]);
    json_end(out);
    return row_end(&all->rows);
}

static void tell(const bench *all, FILE *file, const duel *fight, unsigned threads) {
    const char *pick = fight->pick->ran->name;
    fprintf(file, "regret with %u thread%s: %.3f; auto picks %s", threads, threads == 1 ? "" : "s",
            fight->regret, pick);
    if (fight->turns == 0)
        fputs(", which is the fastest\n", file);
    else
        fprintf(file, " (%s against %s of %s; ratio %.3f, 95 %% interval %.3f to %.3f%s)\n",
                seconds_text(fight->pick_median).s, seconds_text(fight->best_median).s,
                fight->best->variant->label, fight->ratio, fight->low, fight->high,
                fight->tie ? ": a tie" : "");
    (void)all;
}

/* The fastest contender at this number of threads; NULL when none got to the end. */
static contender *fastest(bench *all, unsigned threads) {
    contender *best = NULL;
    for (size_t c = 0; c < all->contender_count; c++) {
        contender *each = &all->contenders[c];
        if (each->device->is_host && each->threads == threads && each->times.count > 0 &&
            each->variant->row != NULL && (best == NULL || each->times.median < best->times.median))
            best = each;
    }
    return best;
}

static int regret_at(bench *all, unsigned threads, FILE *file) {
    static const bench_variant automatic = {.name = "auto", .label = "auto"};
    contender pick = {.variant = &automatic, .device = device_of_host(), .threads = threads};
    bench_run run = {.warmup = true, .apart = true};
    duel fight = {.pick = &pick,
                  .best = fastest(all, threads),
                  .ratio = 1,
                  .low = 1,
                  .high = 1,
                  .tie = true,
                  .regret = 1};
    if (fight.best == NULL) {
        session_say(all->work, "regret with %u threads: no variant got to the end", threads);
        return CODE_OK;
    }
    contender_reset(all, &pick);
    int code = run_once(all, &pick, &run);
    if (code == CODE_OK && pick.ran == NULL)
        code = complain(CODE_FAILURE, "regret: auto: %s", pick.message);
    char reason[256];
    snprintf(reason, sizeof reason, "%s", hop_report_reason(run.report));
    fight.pick_median = fight.best_median = fight.best->times.median;
    if (code == CODE_OK &&
        (pick.ran != fight.best->variant->row || fight.best->variant->setting_count > 0))
        code = run_duel(all, &fight);
    bar_wipe(&all->work->bar);
    if (code == CODE_OK) {
        tell(all, file, &fight, threads);
        code = row_regret(all, &fight, threads, reason);
    }
    free(fight.pick_times);
    free(fight.best_times);
    free(fight.ratios);
    contender_free(&pick);
    return code;
}

int bench_regret(bench *all, FILE *file) {
    int code = CODE_OK;
    for (size_t t = 0; t < all->thread_count && code == CODE_OK; t++)
        code = regret_at(all, all->thread_counts[t], file);
    return code;
}
