/* SPDX-License-Identifier: Apache-2.0
 *
 * Two sets of measured times, compared: see bench_compare.h and docs/bench.md. Mann and Whitney's
 * test, because times are not normal: they have a floor and a long tail.
 *
 * Runs of one process share its luck (where its memory came to lie), so repetitions of two
 * processes differ more than those of one. With five sessions or more on both sides the unit is the
 * session, by its median; with fewer it is the repetition, which is said. */
#include "bench/bench_compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "complaint.h"
#include "exit_codes.h"
#include "number_text.h"
#include "shown_text.h"
#include "terminal.h"

enum { LEAST_SESSIONS = 5 };
static const double level = 0.01, least_change = 0.01;

/* The times of a cell on one side. */
typedef struct cell_times {
    double *values;
    size_t count, repetitions, sessions;
    double median;
} cell_times;

typedef struct comparison {
    char *fields[7]; /* of the cell: see bench_samples.c */
    cell_times old, new;
    bool by_session;
    double ratio, p;
    const char *verdict;
} comparison;

static int by_cell(const void *a, const void *b) {
    const sample *x = a, *y = b;
    int order = strcmp(x->cell, y->cell);
    order = order != 0 ? order : strcmp(x->session, y->session);
    return order != 0 ? order : (x->repetition > y->repetition) - (x->repetition < y->repetition);
}

/* Sources of one repetition become one sample. */
static void merge(sample_set *set) {
    size_t kept = 0;
    if (set->count > 0)
        qsort(set->samples, set->count, sizeof *set->samples, by_cell);
    for (size_t i = 0; i < set->count; i++) {
        sample *each = &set->samples[i];
        if (kept > 0 && by_cell(&set->samples[kept - 1], each) == 0) {
            set->samples[kept - 1].sum += each->sum;
            set->samples[kept - 1].count += each->count;
            set->samples[kept - 1].sources += each->sources;
            free(each->cell);
            free(each->session);
        } else {
            set->samples[kept++] = *each;
        }
    }
    set->count = kept;
}

/* The end of the cell that begins at `first`. */
static size_t cell_end(const sample_set *set, size_t first) {
    size_t end = first;
    while (end < set->count && strcmp(set->samples[end].cell, set->samples[first].cell) == 0)
        end++;
    return end;
}

static size_t count_sessions(const sample *samples, size_t count) {
    size_t sessions = 0;
    for (size_t i = 0; i < count; i++)
        sessions += i == 0 || strcmp(samples[i].session, samples[i - 1].session) != 0;
    return sessions;
}

/* Values of samples first .. last-1, one per repetition or one per session. */
static cell_times times_of(const sample *samples, size_t count, bool by_session) {
    cell_times times = {.repetitions = count, .sessions = count_sessions(samples, count)};
    times.values = need_memory(NULL, count, sizeof *times.values);
    size_t begin = 0;
    for (size_t i = 0; i < count; i++) {
        times.values[times.count++] = samples[i].sum / (double)samples[i].count;
        bool ends = i + 1 == count || strcmp(samples[i].session, samples[i + 1].session) != 0;
        if (by_session && ends) {
            times.values[begin] = statistics_of(times.values + begin, times.count - begin).median;
            times.count = ++begin;
        }
    }
    times.median = statistics_of(times.values, times.count).median;
    return times;
}

static comparison compare_cell(const sample *old, size_t old_count, const sample *new,
                               size_t new_count) {
    comparison result = {.verdict = "same"};
    result.by_session = count_sessions(old, old_count) >= LEAST_SESSIONS &&
                        count_sessions(new, new_count) >= LEAST_SESSIONS;
    result.old = times_of(old, old_count, result.by_session);
    result.new = times_of(new, new_count, result.by_session);
    result.ratio = result.new.median / result.old.median;
    result.p =
        mann_whitney(result.old.values, result.old.count, result.new.values, result.new.count);
    if (result.p < level && result.ratio > 1 + least_change)
        result.verdict = "slower";
    if (result.p < level && result.ratio < 1 - least_change)
        result.verdict = "faster";
    char *rest = new->cell;
    for (size_t i = 0; i < 7; i++)
        result.fields[i] = strsep(&rest, "\t");
    return result;
}

static void comparison_json(json *out, const comparison *each) {
    json_string(out, "problem", each->fields[0]);
    json_string(out, "graph_hash", each->fields[1]);
    json_string(out, "variant", each->fields[3]);
    json_string(out, "settings", each->fields[4]);
    json_string(out, "device", each->fields[5]);
    json_count(out, "threads", strtoull(each->fields[6], NULL, 10));
    json_real(out, "old_median", each->old.median);
    json_real(out, "new_median", each->new.median);
    json_real(out, "ratio", each->ratio);
    json_real(out, "p", each->p);
    json_count(out, "old_runs", each->old.repetitions);
    json_count(out, "new_runs", each->new.repetitions);
    json_count(out, "old_sessions", each->old.sessions);
    json_count(out, "new_sessions", each->new.sessions);
    json_string(out, "unit", each->by_session ? "session" : "repetition");
    json_string(out, "verdict", each->verdict);
}

static void print_comparison(FILE *file, const comparison *each) {
    bool slower = strcmp(each->verdict, "slower") == 0;
    bool named = strcmp(each->fields[4], "{}") != 0;
    char name[128];
    snprintf(name, sizeof name, "%s %s%s", each->fields[0], each->fields[3],
             named ? each->fields[4] : "");
    char line[160]; /* the words are those of a file */
    snprintf(line, sizeof line, "%-32s %.8s %7s", name, each->fields[1], each->fields[6]);
    put_shown(file, line);
    fprintf(file, "  %10s  %10s  %6.3f  %8.2g  %s%s%s\n", seconds_text(each->old.median).s,
            seconds_text(each->new.median).s, each->ratio, each->p,
            slower ? style_on(file, STYLE_RED) : "", each->verdict, slower ? style_off(file) : "");
}

/* With fewer values on a side, not even complete separation reaches the level. */
static bool can_tell(const comparison *each) {
    double most = 1;
    size_t a = each->old.count, b = each->new.count;
    for (size_t i = 1; i <= a && i <= 100; i++)
        most *= (double)(b + i) / (double)i;
    return 2 / most < level;
}

static void print_notes(FILE *file, const sample_set *old, const sample_set *new, bool few,
                        bool by_repetition) {
    if (strcmp(old->machine, new->machine) != 0) {
        fputs("note: not the same processor: ", file);
        put_shown(file, old->machine);
        fputs(", now ", file);
        put_shown(file, new->machine);
        fputc('\n', file);
    }
    if (few)
        fprintf(file, "note: too few repetitions to tell anything at the level of 1 %%; five on "
                      "each side are the least, 30 find a change of 5 %% as a rule\n");
    if (by_repetition)
        fprintf(file,
                "note: fewer than %d processes on a side; what one process had by luck (where "
                "its memory lies) may look like a difference\n",
                LEAST_SESSIONS);
}

/* The repetitions of a cell that were made from the same sources as `like`; to be freed. One that a
 * limit cut short has fewer. */
static sample *from_sources(const sample *samples, size_t *count, const sample *like) {
    sample *same = need_memory(NULL, *count, sizeof *same);
    size_t kept = 0;
    for (size_t i = 0; i < *count; i++)
        if (samples[i].count == like->count && samples[i].sources == like->sources)
            same[kept++] = samples[i];
    *count = kept;
    return same;
}

/* One cell, if both sides have repetitions from the same sources: the most that the new one has. */
static bool compare_sources(const sample *old, size_t old_count, const sample *new,
                            size_t new_count, comparison *result) {
    const sample *like = new;
    for (size_t i = 1; i < new_count; i++)
        if (new[i].count > like->count)
            like = &new[i];
    sample *before = from_sources(old, &old_count, like),
           *now = from_sources(new, &new_count, like);
    if (old_count > 0)
        *result = compare_cell(before, old_count, now, new_count);
    free(before);
    free(now);
    return old_count > 0;
}

/* All cells that both sets have. */
static size_t compare_cells(sample_set *old, sample_set *new, comparison **found) {
    size_t count = 0, i = 0, j = 0;
    *found = NULL;
    merge(old);
    merge(new);
    while (i < old->count && j < new->count) {
        int order = strcmp(old->samples[i].cell, new->samples[j].cell);
        size_t i_end = cell_end(old, i), j_end = cell_end(new, j);
        if (order == 0) {
            *found = need_memory(*found, count + 1, sizeof **found);
            count += compare_sources(&old->samples[i], i_end - i, &new->samples[j], j_end - j,
                                     &(*found)[count]);
        }
        i = order <= 0 ? i_end : i;
        j = order >= 0 ? j_end : j;
    }
    return count;
}

static int tell(const arguments *given, row_file *rows, const comparison *found, size_t count,
                FILE *file) {
    int code = CODE_OK;
    bool lines = !is_given(given, OPT_JSON);
    json out;
    if (lines)
        fprintf(file, "\n%s%-32s %-8s %7s  %10s  %10s  %6s  %8s  %s%s\n", style_on(file, STYLE_DIM),
                "variant", "graph", "threads", "old", "new", "ratio", "p", "verdict",
                style_off(file));
    else
        json_begin(&out, file, "bench");
    if (!lines)
        json_array(&out, "comparisons");
    for (size_t i = 0; i < count; i++) {
        if (lines) {
            print_comparison(file, &found[i]);
        } else {
            json_object(&out, NULL);
            comparison_json(&out, &found[i]);
            json_end(&out);
        }
        if (rows->path != NULL) {
            row_begin(rows, "compare");
            comparison_json(&rows->out, &found[i]);
            int failed = row_end(rows);
            code = failed != CODE_OK ? failed : code;
        }
    }
    if (!lines) {
        json_end(&out);
        json_finish(&out);
    }
    return code;
}

int samples_compare(const arguments *given, row_file *rows, sample_set *old, sample_set *new,
                    FILE *file) {
    comparison *found;
    size_t count = compare_cells(old, new, &found), slower = 0;
    bool few = false, by_repetition = false;
    if (count == 0)
        return complain(CODE_FAILURE,
                        "%s has no run of the same problem, graph, seed, variant, settings, "
                        "threads and sources",
                        old->name);
    int code = tell(given, rows, found, count, file);
    for (size_t i = 0; i < count; i++) {
        slower += strcmp(found[i].verdict, "slower") == 0;
        few |= !can_tell(&found[i]);
        by_repetition |= !found[i].by_session;
        free(found[i].old.values);
        free(found[i].new.values);
    }
    free(found);
    if (!is_given(given, OPT_JSON))
        print_notes(file, old, new, few, by_repetition);
    if (code == CODE_OK && slower > 0)
        code = complain(CODE_FAILURE, "%zu of %zu have become slower than in %s", slower, count,
                        old->name);
    return code;
}
