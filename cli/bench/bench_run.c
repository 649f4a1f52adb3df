/* SPDX-License-Identifier: Apache-2.0
 *
 * One run of `hoplite bench`: the call, the check of its result, its row.
 *
 * Results are not kept: the reference leaves a hash for each source. When another hash comes out,
 * the reference runs once more, and the first index that differs is named. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "bench/bench.h"
#include "bench/bench_row_run.h"
#include "complaint.h"
#include "exit_codes.h"
#include "failure_text.h"
#include "interrupt.h"
#include "number_text.h"
#include "shown_text.h"

const char *const outcome_names[] = {"ok", "wrong", "stopped", "refused", "failed"};

typedef struct array_shape {
    const char *name;
    size_t item, count;
} array_shape;

hop_weight_type bench_distance_type(const bench *all) {
    hop_apsp_options options = HOP_APSP_OPTIONS_INIT;
    options.distance_type = all->distance_type;
    if (all->problem == HOP_PROBLEM_APSP)
        return hop_apsp_distance_type(all->input->graph, &options);
    return hop_distance_type(all->input->info.weight_type);
}

/* The arrays of a result; a count of 0 where there is none. */
static void result_shapes(const bench *all, array_shape shapes[2]) {
    size_t n = all->input->elements;
    shapes[1] = (array_shape){"parents", sizeof(hop_vertex), 0};
    switch (all->problem) {
    case HOP_PROBLEM_RANK:
        shapes[0] = (array_shape){"ranks", sizeof(hop_vertex), n};
        break;
    case HOP_PROBLEM_COMPONENTS:
        shapes[0] = (array_shape){"labels", sizeof(hop_vertex), n};
        break;
    case HOP_PROBLEM_BFS:
        shapes[0] = (array_shape){"levels", sizeof(hop_vertex), n};
        shapes[1].count = n;
        break;
    case HOP_PROBLEM_SSSP:
        shapes[0] = (array_shape){"distances", hop_type_size(bench_distance_type(all)), n};
        shapes[1].count = n;
        break;
    default:
        /* n below 2^32, so that n * n fits. */
        shapes[0] = (array_shape){"distances", hop_type_size(bench_distance_type(all)), n * n};
    }
}

static int allocate_arrays(bench *all, void *arrays[2]) {
    array_shape shapes[2];
    hop_status status = HOP_OK;
    result_shapes(all, shapes);
    for (int i = 0; i < 2 && status == HOP_OK; i++) {
        if (shapes[i].count == 0)
            continue;
        status = hop_block_create(all->work->context, shapes[i].name, shapes[i].count,
                                  shapes[i].item, &arrays[i]);
        all->array_bytes[i] = shapes[i].count * shapes[i].item;
        if (status == HOP_OK) /* the first run must not pay for the pages */
            memset(arrays[i], 0xff, all->array_bytes[i]);
    }
    return status == HOP_OK ? CODE_OK : session_fail(all->work, status);
}

static bool on_progress(void *user, const hop_progress *progress) {
    const bench *all = user;
    (void)progress;
    return !interrupted() && clock_seconds() < all->deadline;
}

int context_make(bench *all, unsigned threads, const char *device, uint64_t budget,
                 hop_context **context) {
    hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
    options.threads = threads;
    options.memory_budget = budget;
    options.seed = all->seed;
    options.progress = on_progress;
    options.progress_user = all;
    options.log_level = HOP_LOG_ERROR;
    options.device = device;
    options.device_memory = all->given->values[OPT_DEVICE_MEMORY].number;
    hop_status status = hop_context_create(&options, context);
    /* auto is to choose as it does for the other verbs. */
    if (status == HOP_OK)
        hop_tuning_copy(*context, all->work->context);
    return status == HOP_OK ? CODE_OK
                            : complain(exit_code_of(status), "no context for %u threads: %s",
                                       threads, hop_status_name(status));
}

/* A context for each number of threads and each device, with what graph and results leave of the
 * budget. */
static int make_contexts(bench *all) {
    uint64_t taken = hop_context_memory_used(all->work->context) +
                     (all->input->graph == NULL ? all->input->memory_bytes : 0);
    uint64_t allowed = hop_context_memory_budget(all->work->context);
    uint64_t budget = allowed > taken ? allowed - taken : 1;
    int code = CODE_OK;
    for (size_t i = 0; i < all->thread_count && code == CODE_OK; i++)
        code = context_make(all, all->thread_counts[i], NULL, budget, &all->contexts[i]);
    return code == CODE_OK ? devices_prepare(all, budget) : code;
}

int runs_prepare(bench *all) {
    size_t sources = all->input->source_count;
    all->reference = need_memory(NULL, sources, sizeof *all->reference);
    all->referenced = need_memory(NULL, sources, sizeof *all->referenced);
    memset(all->referenced, 0, sources * sizeof *all->referenced);
    int code = allocate_arrays(all, all->arrays);
    return code == CODE_OK ? make_contexts(all) : code;
}

void runs_release(bench *all) {
    for (size_t i = 0; i < MOST_THREAD_COUNTS; i++) {
        hop_context_free(all->contexts[i]);
        all->contexts[i] = NULL;
    }
    devices_release(all);
    for (int i = 0; i < 2; i++) {
        hop_block_free(all->arrays[i]);
        all->arrays[i] = NULL;
        all->array_bytes[i] = 0;
    }
    free(all->reference);
    free(all->referenced);
    all->reference = NULL;
    all->referenced = NULL;
}

/* The call itself, whatever the problem. */
static hop_status solve(const bench *all, hop_context *context, size_t source, const hop_run *run,
                        void *const arrays[2], hop_vertex *components) {
    const bench_input *input = all->input;
    const hop_vertex *start = &input->sources[source];
    switch (all->problem) {
    case HOP_PROBLEM_RANK: {
        hop_rank_options options = HOP_RANK_OPTIONS_INIT;
        options.run = run;
        return hop_rank(context, input->list.successors, input->elements, &options, arrays[0]);
    }
    case HOP_PROBLEM_COMPONENTS: {
        hop_components_options options = HOP_COMPONENTS_OPTIONS_INIT;
        options.run = run;
        return hop_components(context, input->graph, &options, arrays[0], components);
    }
    case HOP_PROBLEM_BFS: {
        hop_bfs_options options = HOP_BFS_OPTIONS_INIT;
        options.run = run;
        return hop_bfs(context, input->graph, start, 1, &options, arrays[0], arrays[1]);
    }
    case HOP_PROBLEM_SSSP: {
        hop_sssp_options options = HOP_SSSP_OPTIONS_INIT;
        options.run = run;
        return hop_sssp(context, input->graph, start, 1, &options,
                        &(hop_span){arrays[0], input->elements, bench_distance_type(all)},
                        arrays[1]);
    }
    default: {
        hop_apsp_options options = HOP_APSP_OPTIONS_INIT;
        options.run = run;
        options.distance_type = all->distance_type;
        return hop_apsp(context, input->graph, &options,
                        &(hop_span){arrays[0], (uint64_t)input->elements * input->elements,
                                    bench_distance_type(all)},
                        NULL);
    }
    }
}

bool run_possible(const bench *all, const char *variant) {
    hop_run run = HOP_RUN_INIT;
    hop_vertex components;
    run.variant = variant;
    run.plan = true;
    return solve(all, all->contexts[0], 0, &run, all->arrays, &components) == HOP_OK;
}

/* Independent code looks at the arrays as they are now. */
static hop_status certify(const bench *all, hop_context *context, size_t source,
                          const char *variant) {
    const bench_input *input = all->input;
    const hop_vertex *start = &input->sources[source];
    hop_run run = HOP_RUN_INIT;
    run.certify = HOP_CERTIFY_CANONICAL;
    run.variant = variant;
    hop_bfs_options bfs = HOP_BFS_OPTIONS_INIT;
    hop_sssp_options sssp = HOP_SSSP_OPTIONS_INIT;
    hop_rank_options rank = HOP_RANK_OPTIONS_INIT;
    hop_apsp_options apsp = HOP_APSP_OPTIONS_INIT;
    bfs.run = sssp.run = rank.run = apsp.run = &run;
    apsp.distance_type = all->distance_type;
    switch (all->problem) {
    case HOP_PROBLEM_RANK:
        return hop_rank_certify(context, input->list.successors, input->elements, &rank,
                                all->arrays[0]);
    case HOP_PROBLEM_COMPONENTS:
        return hop_components_certify(context, input->graph, NULL, all->arrays[0], all->components);
    case HOP_PROBLEM_BFS:
        return hop_bfs_certify(context, input->graph, start, 1, &bfs, all->arrays[0],
                               all->arrays[1]);
    case HOP_PROBLEM_SSSP:
        return hop_sssp_certify(
            context, input->graph, start, 1, &sssp,
            &(hop_view){all->arrays[0], input->elements, bench_distance_type(all)}, all->arrays[1]);
    default:
        return hop_apsp_certify(context, input->graph, &apsp, 0, input->elements,
                                &(hop_view){all->arrays[0],
                                            (uint64_t)input->elements * input->elements,
                                            bench_distance_type(all)});
    }
}

static uint64_t hash_arrays(const bench *all) {
    XXH3_state_t *state = XXH3_createState();
    if (state == NULL)
        return 0;
    XXH3_64bits_reset(state);
    for (int i = 0; i < 2; i++)
        if (all->arrays[i] != NULL)
            XXH3_64bits_update(state, all->arrays[i], all->array_bytes[i]);
    if (all->problem == HOP_PROBLEM_COMPONENTS)
        XXH3_64bits_update(state, &all->components, sizeof all->components);
    uint64_t hash = XXH3_64bits_digest(state);
    XXH3_freeState(state);
    return hash;
}

/* Says where the result differs from that of the reference, which runs once more for that. */
static void name_difference(bench *all, size_t source, char *message, size_t size) {
    array_shape shapes[2];
    void *right[2] = {NULL, NULL};
    hop_vertex components = 0;
    hop_run run = HOP_RUN_INIT;
    const bench_variant *reference = all->reference_variant;
    run.variant = reference->name;
    run.settings = reference->settings;
    run.setting_count = reference->setting_count;
    result_shapes(all, shapes);
    snprintf(message, size, "the result is not that of %s", reference->label);
    all->deadline = INFINITY;
    if (allocate_arrays(all, right) == CODE_OK &&
        solve(all, all->contexts[0], source, &run, right, &components) == HOP_OK) {
        for (int i = 0; i < 2; i++) {
            const char *wrong = all->arrays[i], *good = right[i];
            size_t at = 0;
            while (at < shapes[i].count && memcmp(wrong + at * shapes[i].item,
                                                  good + at * shapes[i].item, shapes[i].item) == 0)
                at++;
            if (at < shapes[i].count) {
                snprintf(message, size,
                         "the result is not that of %s: %s[%zu] is the first to differ",
                         reference->label, shapes[i].name, at);
                break;
            }
            if (i == 1 && components != all->components)
                snprintf(message, size, "%" PRIu32 " components, not %" PRIu32 " as by %s",
                         all->components, components, reference->label);
        }
    }
    hop_block_free(right[0]);
    hop_block_free(right[1]);
}

/* Floating-point matrices agree within a tolerance only, which the certifier knows. */
static bool agrees_by_proof(const bench *all) {
    hop_weight_type type = bench_distance_type(all);
    return all->problem == HOP_PROBLEM_APSP &&
           (type == HOP_TYPE_FLOAT32 || type == HOP_TYPE_FLOAT64);
}

static void check_proof(bench *all, contender *each, bench_run *run) {
    const char *variant =
        hop_report_variant(run->report) != NULL ? hop_report_variant(run->report)->name : NULL;
    double began = clock_seconds();
    all->deadline = INFINITY;
    hop_status status = certify(all, each->context, run->source, variant);
    run->certify_seconds = clock_seconds() - began;
    if (status == HOP_OK) {
        each->proofs[run->source] = run->certify_seconds;
        return;
    }
    if (status == HOP_ERR_CERTIFICATE)
        run->outcome = RUN_WRONG;
    else /* no memory for it, or interrupted: nothing is known about the result */
        run->outcome = RUN_FAILED;
    snprintf(run->message, sizeof run->message, "certificate: %.480s",
             failure_text_of_part(each->context).s);
}

/* Compares with the reference, and certifies where that is due. */
static void check_result(bench *all, contender *each, bench_run *run) {
    double began = clock_seconds();
    bool known = all->referenced[run->source];
    run->hash = hash_arrays(all);
    bool same = known && all->reference[run->source] == run->hash;
    run->check_seconds = clock_seconds() - began;
    bool by_proof = known && !same && agrees_by_proof(all);
    if (known && !same && !by_proof) {
        run->outcome = RUN_WRONG;
        name_difference(all, run->source, run->message, sizeof run->message);
        return;
    }
    if (isnan(each->proofs[run->source]) || all->certify_each || by_proof)
        check_proof(all, each, run);
    if (run->outcome == RUN_OK && !known) {
        all->reference[run->source] = run->hash;
        all->referenced[run->source] = true;
        all->reference_variant = each->variant;
    }
}

static outcome outcome_of(hop_status status) {
    switch (status) {
    case HOP_OK:
        return RUN_OK;
    case HOP_ERR_CERTIFICATE:
        return RUN_WRONG;
    case HOP_ERR_CANCELLED:
        return RUN_STOPPED;
    case HOP_ERR_UNSUPPORTED:
        return RUN_REFUSED;
    default:
        return RUN_FAILED;
    }
}

/* The call, timed. */
static void measure(bench *all, contender *each, bench_run *run) {
    hop_run how = HOP_RUN_INIT;
    how.variant = each->variant->name;
    how.settings = each->variant->settings;
    how.setting_count = each->variant->setting_count;
    run->report = how.report = all->report;
    hop_context_reset_peak(each->context);
    uint64_t used = hop_context_memory_used(each->context);
    all->deadline = clock_seconds() + all->time_limit - each->spent;
    double began = clock_seconds();
    hop_status status = solve(all, each->context, run->source, &how, all->arrays, &all->components);
    run->call_seconds = clock_seconds() - began;
    run->seconds = hop_report_seconds(run->report);
    run->peak_bytes = hop_context_memory_peak(each->context) - used;
    run->outcome = outcome_of(status);
    each->spent += run->call_seconds;
    if (status != HOP_OK)
        snprintf(run->message, sizeof run->message, "%.511s",
                 failure_text_of_part(each->context).s);
    if (run->outcome == RUN_STOPPED)
        snprintf(run->message, sizeof run->message, "time limit of %s",
                 seconds_text(all->time_limit).s);
}

/* The words of a command that does this run again. */
static void advise_again(const bench *all, const contender *each) {
    fprintf(stderr, "  hoplite bench %s '", hop_problem_name(all->problem));
    put_shown(stderr, all->input->word);
    fprintf(stderr, "' --variant '%s' --threads %u --seed %" PRIu64, each->variant->label,
            each->threads, all->seed);
    const char *source;
    for (size_t i = 0; (source = given_text(all->given, OPT_START, i)) != NULL; i++)
        fprintf(stderr, " --source %s", source);
    if (all->wanted_sources > 1)
        fprintf(stderr, " --random-sources %zu", all->wanted_sources);
    if (all->distance_type != HOP_TYPE_NONE)
        fprintf(stderr, " --distance-type %s", hop_type_name(all->distance_type));
    if (!each->device->is_host)
        fprintf(stderr, " --device %s", each->device->name);
    fprintf(stderr, " --repeat %zu\n", all->repeat);
}

static int complain_wrong(const bench *all, const contender *each, const bench_run *run) {
    bool wants = all->problem == HOP_PROBLEM_BFS || all->problem == HOP_PROBLEM_SSSP;
    bar_wipe(&all->work->bar);
    complain(CODE_REJECTED, "WRONG RESULT: %s: %s", each->variant->label, run->message);
    fprintf(stderr, "  problem %s, graph ", hop_problem_name(all->problem));
    put_shown(stderr, all->input->word);
    fprintf(stderr, " (hash %016" PRIx64 "), seed %" PRIu64 ", threads %u", all->input->hash,
            all->seed, each->threads);
    if (!each->device->is_host) {
        fprintf(stderr, ", device %s (", each->device->name);
        put_shown(stderr, each->device->info.title);
        fputc(')', stderr);
    }
    if (wants)
        fprintf(stderr, ", source %" PRIu64,
                hop_graph_label(all->input->graph, all->input->sources[run->source]));
    fprintf(stderr, ", %s %zu\nto see it again:\n", run->warmup ? "warm-up" : "repetition",
            run->repetition);
    advise_again(all, each);
    return CODE_REJECTED;
}

/* Ends the part of a contender: why is in the run. */
static void retire(contender *each, const bench_run *run) {
    each->active = false;
    each->outcome = run->outcome;
    snprintf(each->message, sizeof each->message, "%s", run->message);
}

int run_stop(bench *all, contender *each, bench_run *run) {
    run->outcome = RUN_STOPPED;
    run->certify_seconds = run->check_seconds = run->seconds = NAN;
    run->load = machine_load();
    run->foreign = foreign_cores(&all->foreign);
    run->report = NULL;
    snprintf(run->message, sizeof run->message, "time limit of %s",
             seconds_text(all->time_limit).s);
    if (run->warmup) {
        run->warmup = false;
        run->repetition = 0;
    }
    retire(each, run);
    return row_run(all, each, run);
}

int run_once(bench *all, contender *each, bench_run *run) {
    run->certify_seconds = run->check_seconds = run->seconds = NAN;
    run->hash = 0;
    run->message[0] = '\0';
    run->load = machine_load();
    measure(all, each, run);
    run->foreign = foreign_cores(&all->foreign);
    if (interrupted())
        return complain(interrupt_exit_code(), "interrupted");
    if (hop_report_variant(run->report) != NULL)
        each->ran = hop_report_variant(run->report);
    if (run->outcome == RUN_OK)
        check_result(all, each, run);
    if (interrupted()) /* during the certificate */
        return complain(interrupt_exit_code(), "interrupted");
    if (run->outcome != RUN_OK && run->outcome != RUN_WRONG && run->warmup && !run->apart) {
        run->warmup = false; /* its one row is that of the first repetition, which never comes */
        run->repetition = 0;
    }
    bool silent = run->outcome == RUN_OK ? run->warmup || run->apart
                                         : run->outcome != RUN_WRONG && run->apart;
    int code = silent ? CODE_OK : row_run(all, each, run);
    if (run->outcome == RUN_WRONG)
        return complain_wrong(all, each, run);
    if (run->outcome == RUN_OK)
        return code;
    retire(each, run);
    return code;
}
