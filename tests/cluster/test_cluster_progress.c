/* SPDX-License-Identifier: Apache-2.0
 *
 * What rank 0 tells while it works, and what ranks have waited: telling sends nothing and waits for
 * nobody; a callback that wants to stop ends the call on all ranks; who waits has it counted. */
#include <time.h>

#include "cluster_testing.h"

enum { NAMES = 32, LIST = 3000 };

/* What a callback was told. */
typedef struct told {
    hop_context *context;
    uint64_t calls, stop_at;          /* the call from which on it wants to stop; 0: none */
    char names[NAMES][48];            /* of phases, in the order of their first call */
    uint64_t name_count, last[NAMES]; /* `done` of the last call */
} told;

static size_t name_at(told *all, const char *name) {
    size_t i = 0;
    while (i < all->name_count && strcmp(all->names[i], name) != 0)
        i++;
    CHECK(i < NAMES);
    if (i == all->name_count)
        (void)snprintf(all->names[all->name_count++], sizeof all->names[i], "%s", name);
    return i;
}

/* Asks for the next call at once, however short ago this one was. */
static bool on_progress(void *user, const hop_progress *progress) {
    told *all = user;
    all->context->next_report = 0;
    CHECK(progress->phase != NULL && progress->phase[0] != '\0');
    CHECK(progress->total == 0 || progress->done <= progress->total);
    all->last[name_at(all, progress->phase)] = progress->done;
    return ++all->calls < all->stop_at || all->stop_at == 0;
}

/* From now on rank 0 is told; with NULL nobody is. */
static void listen(job *work, told *all) {
    if (all != NULL)
        *all = (told){.context = work->context, .stop_at = all->stop_at};
    work->context->options.progress = all != NULL && work->rank == 0 ? on_progress : NULL;
    work->context->options.progress_user = all;
    work->context->next_report = 0;
}

/* ---- what is solved -------------------------------------------------------------------------- */

typedef struct inputs {
    hop_cluster_graph *graph;
    uint32_t *levels;
    uint64_t *numbers, *successors, first, count, reached;
    const char *file;
} inputs;

static hop_status solve_generate(job *work, inputs *given) {
    hop_generate_options options = recipe_options(&recipes[0]);
    hop_cluster_graph *graph = NULL;
    (void)given;
    hop_status status =
        hop_cluster_graph_generate(work->cluster, recipes[0].family, &options, &graph);
    CHECK((graph != NULL) == (status == HOP_OK));
    hop_cluster_graph_free(graph);
    return status;
}

static hop_status solve_read(job *work, inputs *given) {
    hop_cluster_graph *graph = NULL;
    hop_status status = hop_cluster_graph_read(work->cluster, given->file, &graph);
    hop_cluster_graph_free(graph);
    return status;
}

static hop_status solve_components(job *work, inputs *given) {
    return hop_cluster_components(work->cluster, given->graph, given->numbers, NULL);
}

/* By rounds, as where groups are many. */
static hop_status solve_rounds(job *work, inputs *given) {
    uint64_t most = work->cluster->gather_most;
    work->cluster->gather_most = 0;
    hop_status status = solve_components(work, given);
    work->cluster->gather_most = most;
    return status;
}

static hop_status solve_bfs(job *work, inputs *given) {
    uint64_t source = 0;
    hop_status status = hop_cluster_bfs(work->cluster, given->graph, &source, 1, NULL,
                                        given->levels, given->numbers);
    given->reached = 0;
    for (uint64_t i = 0; i < hop_cluster_count(given->graph); i++)
        given->reached += given->levels[i] != HOP_NO_LEVEL;
    return status;
}

static hop_status solve_sssp(job *work, inputs *given) {
    uint64_t own = hop_cluster_count(given->graph), source = 0;
    hop_span distances = {calloc(own + 1, 8), own, HOP_TYPE_INT64};
    hop_status status =
        hop_cluster_sssp(work->cluster, given->graph, &source, 1, NULL, &distances, given->numbers);
    free(distances.items);
    return status;
}

static hop_status solve_apsp(job *work, inputs *given) {
    hop_cluster_matrix *matrix = NULL;
    hop_status status = hop_cluster_apsp(work->cluster, given->graph, &matrix);
    if (status == HOP_OK)
        status = hop_cluster_apsp_certify(work->cluster, given->graph, matrix);
    hop_cluster_matrix_free(matrix);
    return status;
}

static hop_status solve_list(job *work, inputs *given) {
    return hop_cluster_list_rank(work->cluster, given->successors, LIST, NULL, given->numbers);
}

/* A problem, and a phase or step that it tells of. */
typedef struct problem {
    const char *name, *phase;
    hop_status (*solve)(job *work, inputs *given);
} problem;

static const problem problems[] = {
    {"generate", "generate: edges", solve_generate},
    {"read", "read: arcs", solve_read},
    {"components", "components: pairs", solve_components},
    {"components by rounds", "components: rounds", solve_rounds},
    {"bfs", "bfs: vertices", solve_bfs},
    {"sssp", "sssp: rounds", solve_sssp},
    {"apsp", "certify: columns", solve_apsp},
    {"rank", "rank: names", solve_list},
};

static inputs inputs_make(job *work, const char *file) {
    inputs given = {.graph = spread_graph(work, &recipes[0]), .file = file};
    hop_vertex *whole = calloc(LIST, sizeof *whole);
    uint64_t own = hop_cluster_count(given.graph) + LIST + 1;
    CHECK_OK(work->context, hop_list_generate(work->context, LIST, 5, whole));
    hop_cluster_part(work->cluster, LIST, &given.first, &given.count);
    given.levels = calloc(own, 4);
    given.numbers = calloc(own, 8);
    given.successors = calloc(given.count + 1, 8);
    for (uint64_t i = 0; i < given.count; i++)
        given.successors[i] = whole[given.first + i];
    free(whole);
    return given;
}

static void inputs_free(inputs *given) {
    hop_cluster_graph_free(given->graph);
    free(given->levels);
    free(given->numbers);
    free(given->successors);
}

/* ---- telling --------------------------------------------------------------------------------- */

/* What a rank has sent and waited for: sums that a message more, or longer, would change. */
typedef struct traffic {
    uint64_t collectives, bytes, messages, rounds, control, phases;
} traffic;

static traffic traffic_of(job *work, const problem *what, inputs *given) {
    traffic sum = {.collectives = work->cluster->collectives};
    hop_cluster_phase phase = {.size = sizeof phase};
    hop_cluster_reset(work->cluster);
    CHECK_OK(work->context, what->solve(work, given));
    sum.collectives = work->cluster->collectives - sum.collectives;
    for (; hop_cluster_phase_at(work->cluster, sum.phases, &phase); sum.phases++) {
        sum.bytes += phase.bytes;
        sum.messages += phase.messages;
        sum.rounds += phase.rounds;
        sum.control += phase.control;
    }
    return sum;
}

static void check_told(job *work, const problem *what, inputs *given) {
    told all = {.context = NULL};
    listen(work, NULL);
    traffic before = traffic_of(work, what, given);
    listen(work, &all);
    traffic after = traffic_of(work, what, given);
    listen(work, NULL);
    CHECK(memcmp(&before, &after, sizeof before) == 0);
    CHECK(work->context->phase == NULL || work->rank != 0);
    uint64_t reached = given->reached;
    CHECK_OK(work->context, hop_cluster_total(work->cluster, reached, &reached, NULL));
    if (work->rank != 0) {
        CHECK(all.calls == 0);
        return;
    }
    printf("%u ranks: %s: told %llu times, of %llu phases\n", (unsigned)work->ranks, what->name,
           (unsigned long long)all.calls, (unsigned long long)all.name_count);
    uint64_t names = all.name_count;
    size_t at = name_at(&all, what->phase);
    /* Few ranks find no groups that are one. */
    CHECK(at < names || (what->solve == solve_rounds && work->ranks < 3));
    CHECK(strcmp(what->name, "bfs") != 0 || all.last[at] == reached);
}

/* Rank 0 wants to stop from its k-th call on: all ranks stop, or, where nobody asked any more, none
 * does. What comes after is not touched by it. */
static void check_stopped(job *work, const problem *what, inputs *given) {
    enum { STOPS = 12 };
    uint64_t stopped = 0;
    for (uint64_t k = 1; k <= STOPS; k++) {
        told all = {.stop_at = k * k};
        uint64_t used = hop_context_memory_used(work->context);
        listen(work, &all);
        hop_status status = what->solve(work, given);
        listen(work, NULL);
        CHECK(status == HOP_OK || status == HOP_ERR_CANCELLED);
        CHECK(hop_context_memory_used(work->context) == used);
        uint64_t sum;
        CHECK_OK(work->context,
                 hop_cluster_total(work->cluster, status == HOP_ERR_CANCELLED, &sum, NULL));
        CHECK(sum == 0 || sum == work->ranks);
        if (status == HOP_ERR_CANCELLED) {
            const char *message = hop_context_message(work->context);
            CHECK(strstr(message, "cancelled by the progress callback") != NULL);
            CHECK(work->ranks == 1 || strstr(message, "rank 0") != NULL);
        }
        stopped += status == HOP_ERR_CANCELLED;
        CHECK(k > 1 || stopped == 1);
    }
    CHECK_OK(work->context, what->solve(work, given));
}

/* A search that continues from a checkpoint has reached what was reached before it, too. */
static void check_resumed(job *work, inputs *given) {
    shared_path place = path_begin(work, "none");
    hop_cluster_checkpoints saved = HOP_CLUSTER_CHECKPOINTS_INIT;
    told all = {.context = NULL};
    saved.folder = place.folder;
    saved.seconds = 0;
    CHECK_OK(work->context, hop_cluster_checkpoint(work->cluster, &saved));
    work->cluster->stop_after = 3;
    CHECK(solve_bfs(work, given) == HOP_ERR_CANCELLED);
    work->cluster->stop_after = 0;
    saved.seconds = 1e9;
    saved.resume = true;
    CHECK_OK(work->context, hop_cluster_checkpoint(work->cluster, &saved));
    listen(work, &all);
    CHECK_OK(work->context, solve_bfs(work, given));
    listen(work, NULL);
    CHECK(strstr(hop_cluster_checkpoint_note(work->cluster), "level 3") != NULL);
    CHECK_OK(work->context, hop_cluster_checkpoint(work->cluster, NULL));
    uint64_t reached = given->reached;
    CHECK_OK(work->context, hop_cluster_total(work->cluster, reached, &reached, NULL));
    if (work->rank == 0) {
        char path[160];
        CHECK(all.last[name_at(&all, "bfs: vertices")] == reached);
        for (int i = 1; i <= 3; i++) { /* of which two are kept */
            (void)snprintf(path, sizeof path, "%s/bfs-%d.checkpoint", place.folder, i);
            (void)remove(path);
        }
    }
    path_end(work, &place);
}

/* ---- waiting --------------------------------------------------------------------------------- */

/* What was waited is part of what was spent, and of what was waited in all. */
static void check_parts(job *work, const problem *what, inputs *given) {
    hop_cluster_phase phase = {.size = sizeof phase};
    double waited = 0;
    hop_cluster_reset(work->cluster);
    CHECK(hop_cluster_waited(work->cluster) <= 0);
    CHECK_OK(work->context, what->solve(work, given));
    for (size_t i = 0; hop_cluster_phase_at(work->cluster, i, &phase); i++) {
        CHECK(phase.waiting >= 0 && phase.waiting <= phase.seconds * (1 + 1e-9) + 1e-9);
        waited += phase.waiting;
    }
    CHECK(waited <= hop_cluster_waited(work->cluster) * (1 + 1e-9) + 1e-9);
}

/* The last rank comes late to an exchange: that is time that the others have waited. They may be
 * late themselves where the machine is busy: longer delays are tried until it is seen. */
static void check_late(job *work) {
    uint64_t *counts = calloc(work->ranks, sizeof *counts), seen = 0;
    uint64_t late = work->ranks - 1;
    hop__inbox inbox;
    for (int k = 0; k < 9 && seen < late; k++) {
        long delay_ms = 10L << k;
        double delay = 1e-3 * (double)delay_ms;
        hop_cluster_phase phase = {.size = sizeof phase};
        hop_cluster_reset(work->cluster);
        CHECK_OK(work->context, hop_cluster_agree(work->cluster, HOP_OK));
        double before = hop_cluster_waited(work->cluster);
        if (work->rank == late)
            (void)nanosleep(&(struct timespec){delay_ms / 1000, delay_ms % 1000 * 1000000}, NULL);
        CHECK_OK(work->context,
                 hop__exchange(work->cluster, "test", HOP_OK, 8, NULL, counts, &inbox));
        hop__inbox_clear(&inbox);
        CHECK(hop_cluster_phase_at(work->cluster, 0, &phase));
        bool waited =
            phase.waiting >= delay / 2 && hop_cluster_waited(work->cluster) - before >= delay / 2;
        seen = work->rank != late && waited;
        CHECK_OK(work->context, hop_cluster_total(work->cluster, seen, &seen, NULL));
    }
    CHECK(seen == late);
    free(counts);
}

/* The file that the ranks read, made by rank 0. */
static shared_path file_make(job *work) {
    shared_path place = path_begin(work, "g.npz");
    if (work->rank == 0) {
        hop_graph *whole = whole_graph(work->context, &recipes[0]);
        CHECK_OK(work->context, hop_graph_write(work->context, whole, place.path, NULL));
        hop_graph_release(whole);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    return place;
}

int main(void) {
    job work = job_begin();
    shared_path place = file_make(&work);
    inputs given = inputs_make(&work, place.path);
    for (size_t i = 0; i < sizeof problems / sizeof problems[0]; i++) {
        given.reached = 0;
        check_told(&work, &problems[i], &given);
        check_stopped(&work, &problems[i], &given);
        check_parts(&work, &problems[i], &given);
    }
    check_resumed(&work, &given);
    check_late(&work);
    inputs_free(&given);
    path_end(&work, &place);
    job_end(&work);
    return 0;
}
