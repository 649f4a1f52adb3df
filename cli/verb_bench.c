/* SPDX-License-Identifier: Apache-2.0
 *
 * hoplite bench: takes the command line apart, and goes from input to input. docs/bench.md says
 * what is measured and how. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "bench/bench_compare.h"
#include "bench/bench_row_run.h"
#include "complaint.h"
#include "exit_codes.h"
#include "interrupt.h"
#include "number_text.h"

/* "1,2,4", in the order given; each once. */
static int take_threads(const arguments *given, bench *all) {
    const char *word = given->values[OPT_THREAD_LIST].text;
    char part[16];
    for (const char *at = word; at != NULL && *at != '\0';) {
        size_t length = strcspn(at, ",");
        uint64_t count = 0;
        snprintf(part, sizeof part, "%.*s", (int)length, at);
        if (length >= sizeof part || !parse_whole(part, &count) || count < 1 || count > 4096)
            return complain(CODE_USAGE, "--threads: \"%s\" is no list of numbers such as 1,2,4",
                            word);
        bool seen = false;
        for (size_t i = 0; i < all->thread_count; i++)
            seen |= all->thread_counts[i] == count;
        if (!seen && all->thread_count == MOST_THREAD_COUNTS)
            return complain(CODE_USAGE, "--threads: more than %d numbers", MOST_THREAD_COUNTS);
        if (!seen)
            all->thread_counts[all->thread_count++] = (unsigned)count;
        at += length + (at[length] == ',');
    }
    return CODE_OK;
}

/* Without --threads: as many as the library takes by itself, and for the machine 1 too. */
static void default_threads(bench *all, bool machine) {
    unsigned most = hop_context_threads(all->work->context);
    if (all->thread_count > 0)
        return;
    if (machine && most > 1)
        all->thread_counts[all->thread_count++] = 1;
    all->thread_counts[all->thread_count++] = most;
}

static int take_numbers(const arguments *given, bench *all) {
    const option_value *values = given->values;
    all->seed = is_given(given, OPT_SEED) ? values[OPT_SEED].number : 1;
    all->repeat = is_given(given, OPT_REPETITIONS) ? (size_t)values[OPT_REPETITIONS].number : 10;
    all->warmup = is_given(given, OPT_WARMUP) ? (size_t)values[OPT_WARMUP].number : 1;
    all->wanted_sources =
        is_given(given, OPT_RANDOM_SOURCES) ? (size_t)values[OPT_RANDOM_SOURCES].number : 1;
    all->time_limit = is_given(given, OPT_TIME_LIMIT) ? values[OPT_TIME_LIMIT].real : 60;
    all->certify_each = is_given(given, OPT_CERTIFY_EACH);
    if (!(all->time_limit > 0))
        return complain(CODE_USAGE, "--time-limit: more than 0 seconds expected");
    all->outside = is_given(given, OPT_OUTSIDE) ? (size_t)values[OPT_OUTSIDE].number : 0;
    if (is_given(given, OPT_DISTANCE_TYPE))
        all->distance_type =
            values[OPT_DISTANCE_TYPE].number == 0 ? HOP_TYPE_INT32 : HOP_TYPE_INT64;
    return take_threads(given, all);
}

static hop_problem problem_of_words; /* for variant_word: complain_word has no room for it */

static const char *variant_word(size_t index) {
    const hop_variant *row = hop_variant_at(problem_of_words, index);
    return row != NULL ? row->name : index == hop_variant_count(problem_of_words) ? "auto" : NULL;
}

/* The settings after the colon of "NAME:KEY=VALUE,..."; `rest` is ours to change. */
static int take_settings(bench_variant *variant, char *rest) {
    arguments given = {0};
    const hop_variant *row = variant->row;
    if (*rest != '\0' && row == NULL)
        return complain(CODE_USAGE, "auto has no settings; name the variant that they are for");
    while (*rest != '\0') {
        char *pair = rest, *value;
        rest += strcspn(rest, ",");
        if (*rest != '\0')
            *rest++ = '\0';
        value = strchr(pair, '=');
        if (value != NULL)
            *value++ = '\0';
        given.settings =
            need_memory(given.settings, given.setting_count + 1, sizeof given.settings[0]);
        given.settings[given.setting_count++] = (typed_setting){pair, value};
    }
    int code = CODE_OK;
    if (row != NULL) {
        parameter_table table = {row->name, row->parameters, row->parameter_count};
        code = settings_take(&table, &given, &variant->settings, &variant->setting_count);
    }
    free(given.settings);
    return code;
}

static const hop_variant *find_row(const bench *all, const char *name, hop_place place) {
    const hop_variant *row;
    for (size_t i = 0; (row = hop_variant_at(all->problem, i)) != NULL; i++)
        if (row->place == place && strcmp(row->name, name) == 0)
            return row;
    return NULL;
}

/* The variant of this word at one place; `row` NULL: auto. */
static int add_variant(bench *all, const char *word, const hop_variant *row, hop_place place) {
    all->variants = need_memory(all->variants, all->variant_count + 1, sizeof *all->variants);
    bench_variant *variant = &all->variants[all->variant_count++];
    size_t length = strlen(word) + 1;
    *variant = (bench_variant){
        .words = need_memory(NULL, length, 2), .label = word, .row = row, .place = place};
    char *name = strcpy(variant->words, word), *label = name + length;
    size_t colon = strcspn(word, ":");
    name[colon] = '\0';
    name[strcspn(name, "@")] = '\0';
    snprintf(label, length, "%.*s%s", (int)strcspn(word, "@:"), word, word + colon);
    variant->name = name;
    variant->label = label;
    return take_settings(variant, name + colon + (word[colon] == ':'));
}

/* "NAME", at all places that are measured, or "NAME@host" and "NAME@device"; then the settings. */
static int add_word(bench *all, const char *word) {
    static const char *const places[] = {
        [HOP_PLACE_HOST] = "@host", [HOP_PLACE_DEVICE] = "@device"};
    char name[64];
    size_t end = strcspn(word, ":"), length = strcspn(word, "@:"), found = 0;
    bool known = false;
    int code = CODE_OK;
    snprintf(name, sizeof name, "%.*s", (int)length, word);
    for (int place = HOP_PLACE_HOST; place <= HOP_PLACE_DEVICE && code == CODE_OK; place++) {
        const hop_variant *row = find_row(all, name, (hop_place)place);
        bool automatic = strcmp(name, "auto") == 0;
        bool wanted = length == end || (end - length == strlen(places[place]) &&
                                        strncmp(word + length, places[place], end - length) == 0);
        known |= row != NULL || automatic;
        if (!wanted || (row == NULL && !automatic) || !devices_at(all, (hop_place)place))
            continue;
        found++;
        code = add_variant(all, word, row, (hop_place)place);
    }
    problem_of_words = all->problem;
    if (!known)
        return complain_word("--variant", name, variant_word);
    if (code == CODE_OK && found == 0)
        return complain(CODE_USAGE, "--variant: \"%s\" runs on none of the devices of --device",
                        word);
    return code;
}

static int take_variants(const arguments *given, bench *all) {
    const char *word;
    const hop_variant *row;
    int code = devices_take(all);
    for (size_t i = 0; code == CODE_OK && (word = given_text(given, OPT_CONTENDER, i)) != NULL; i++)
        code = add_word(all, word);
    for (size_t i = 0; code == CODE_OK && !is_given(given, OPT_CONTENDER) &&
                       (row = hop_variant_at(all->problem, i)) != NULL;
         i++)
        if (devices_at(all, row->place))
            code = add_variant(all, row->name, row, row->place);
    if (code == CODE_OK && all->variant_count == 0)
        code = complain(CODE_FAILURE, "%s has no variant for devices yet",
                        hop_problem_name(all->problem));
    return code;
}

static void add_contender(bench *all, const bench_variant *variant, const bench_device *device,
                          unsigned threads) {
    all->contenders =
        need_memory(all->contenders, all->contender_count + 1, sizeof *all->contenders);
    all->contenders[all->contender_count++] =
        (contender){.variant = variant, .device = device, .threads = threads};
}

/* Variants of the host with each number of threads, those of devices on each device. */
static void make_contenders(bench *all) {
    unsigned most = 0;
    for (size_t t = 0; t < all->thread_count; t++)
        most = all->thread_counts[t] > most ? all->thread_counts[t] : most;
    for (size_t v = 0; v < all->variant_count; v++)
        for (size_t d = 0; d < all->device_count; d++) {
            const bench_variant *variant = &all->variants[v];
            const bench_device *device = &all->devices[d];
            if (device->is_host != (variant->place == HOP_PLACE_HOST))
                continue;
            for (size_t t = 0; t < all->thread_count && device->is_host; t++)
                add_contender(all, variant, device, all->thread_counts[t]);
            if (!device->is_host)
                add_contender(all, variant, device, most);
        }
}

/* Options that not every problem has. */
static int check_options(const arguments *given, const bench *all) {
    bool searches = all->problem == HOP_PROBLEM_BFS || all->problem == HOP_PROBLEM_SSSP;
    if ((is_given(given, OPT_START) || is_given(given, OPT_RANDOM_SOURCES)) && !searches)
        return complain(CODE_USAGE, "--%s: %s has no source",
                        is_given(given, OPT_START) ? "source" : "random-sources",
                        hop_problem_name(all->problem));
    if (is_given(given, OPT_START) && is_given(given, OPT_RANDOM_SOURCES))
        return complain(CODE_USAGE, "--source and --random-sources exclude each other");
    if (is_given(given, OPT_DISTANCE_TYPE) && all->problem != HOP_PROBLEM_APSP)
        return complain(CODE_USAGE, "--distance-type: only apsp has a choice");
    return outside_check(all);
}

static int take_problem(const arguments *given, bench *all) {
    if (given->operand_count < 2) {
        complain(CODE_USAGE, "a problem and a graph expected");
        advise("usage: hoplite bench [options] PROBLEM GRAPH...");
        return CODE_USAGE;
    }
    for (int p = 0; p < HOP_PROBLEM_COUNT; p++)
        if (strcmp(hop_problem_name((hop_problem)p), given->operands[0]) == 0) {
            all->problem = (hop_problem)p;
            int code = check_options(given, all);
            return code == CODE_OK ? take_variants(given, all) : code;
        }
    return complain_word("PROBLEM", given->operands[0], word_of_problem);
}

static bool any_time(const bench *all) {
    for (size_t c = 0; c < all->contender_count; c++)
        if (all->contenders[c].times.count > 0)
            return true;
    return false;
}

/* Times that others have disturbed are worth little: said once for each input. */
static void warn_busy(const bench *all) {
    double most = 0;
    for (size_t c = 0; c < all->contender_count; c++)
        if (contender_is_busy(&all->contenders[c]) && contender_foreign(&all->contenders[c]) > most)
            most = contender_foreign(&all->contenders[c]);
    if (most == 0 || all->work->quiet)
        return;
    bar_wipe(&all->work->bar);
    complain(
        CODE_OK,
        "warning: other work kept %.2f cores of this machine busy meanwhile; rows from %.2f on "
        "are marked, and their times may be too long",
        most, foreign_limit());
}

/* `out` is NULL without --json. */
static int bench_one(bench *all, const char *word, sample_set *measured, FILE *file, json *out) {
    bench_input input;
    int code = input_open(all, word, &input);
    bool opened = code == CODE_OK;
    all->input = &input;
    if (opened)
        code = bench_input_run(all);
    /* After ^C there is what there is. */
    bool told = code == CODE_OK || (opened && interrupted() && any_time(all));
    if (told && out != NULL)
        for (size_t c = 0; c < all->contender_count; c++) {
            json_object(out, NULL);
            summary_json(out, all, &all->contenders[c]);
            json_end(out);
        }
    else if (told && !all->work->quiet)
        table_print(all, file);
    if (told)
        warn_busy(all);
    if (code == CODE_OK && is_given(all->given, OPT_REGRET))
        code = bench_regret(all, out != NULL ? stderr : file);
    if (code == CODE_OK && !any_time(all))
        code = complain(CODE_FAILURE, "%s: no variant got to the end", word);
    samples_take(measured, all);
    runs_release(all);
    input_close(&input);
    all->input = NULL;
    return code;
}

/* All inputs, then the comparison with older rows. */
static int bench_all(bench *all, FILE *file) {
    const arguments *given = all->given;
    sample_set measured = {.name = "this run"}, old = {0};
    const char *compare = given->values[OPT_COMPARE].text;
    json out;
    bool as_json = is_given(given, OPT_JSON);
    int code = compare != NULL ? samples_read(&old, compare) : CODE_OK;
    if (as_json) {
        json_begin(&out, stdout, "bench");
        json_array(&out, "summaries");
    }
    for (size_t i = 1; i < given->operand_count && code == CODE_OK; i++)
        code = bench_one(all, given->operands[i], &measured, file, as_json ? &out : NULL);
    if (as_json) {
        json_end(&out);
        json_finish(&out);
    }
    if (compare != NULL && code == CODE_OK)
        code = samples_compare(given, &all->rows, &old, &measured, as_json ? stderr : file);
    samples_free(&measured);
    samples_free(&old);
    return code;
}

static int compare_files(const arguments *given, bench *all, FILE *file) {
    sample_set old = {0}, new = {0};
    int code = samples_read(&old, given->values[OPT_COMPARE].text);
    if (code == CODE_OK)
        code = samples_read(&new, given->operands[0]);
    if (code == CODE_OK)
        code = samples_compare(given, &all->rows, &old, &new, file);
    samples_free(&old);
    samples_free(&new);
    return code;
}

static void bench_free(bench *all) {
    for (size_t i = 0; i < all->variant_count; i++) {
        free(all->variants[i].settings);
        free(all->variants[i].words);
    }
    for (size_t i = 0; i < all->contender_count; i++)
        contender_free(&all->contenders[i]);
    free(all->variants);
    free(all->contenders);
    free(all->devices);
    hop_report_free(all->report);
    rows_close(&all->rows);
}

static int run_kind(const arguments *given, bench *all, session *work) {
    bool machine = is_given(given, OPT_MACHINE);
    bool files = is_given(given, OPT_COMPARE) && given->operand_count == 1;
    if (machine && given->operand_count > 0)
        return complain(CODE_USAGE, "--machine takes no operands; \"%s\" is one word too many",
                        given->operands[0]);
    int code = machine || files ? CODE_OK : take_problem(given, all);
    if (code == CODE_OK)
        code = rows_open(&all->rows, given, all->seed);
    if (code != CODE_OK)
        return code;
    /* Rows may have standard output, or questions to those outside. */
    bool taken = all->outside > 0 || (all->rows.path != NULL && strcmp(all->rows.path, "-") == 0);
    FILE *file = taken ? stderr : stdout;
    if (files)
        return compare_files(given, all, file);
    default_threads(all, machine);
    code = row_session(&all->rows, given, hop_context_memory_budget(work->context));
    if (code == CODE_OK)
        code = rows_devices(all);
    if (code != CODE_OK)
        return code;
    if (machine)
        return bench_machine(work, &all->rows, all->thread_counts, all->thread_count, all->repeat,
                             is_given(given, OPT_JSON) ? NULL : file);
    all->report = need_report(is_given(given, OPT_STEPS) ? MOST_STEPS : 0);
    make_contenders(all);
    return bench_all(all, file);
}

int run_bench(const arguments *given) {
    session work;
    bench all = {.given = given, .work = &work, .rows = {.descriptor = -1}};
    int code = take_numbers(given, &all);
    if (code != CODE_OK)
        return code;
    code = session_open(&work, given);
    if (code == CODE_OK)
        code = run_kind(given, &all, &work);
    bench_free(&all);
    session_close(&work);
    return code;
}
