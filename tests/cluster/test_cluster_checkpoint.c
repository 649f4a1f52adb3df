/* SPDX-License-Identifier: Apache-2.0
 *
 * Searches that are stopped after each of their checkpoints in turn, and continued on every number
 * of ranks up to this job's: the bits of an undisturbed one. Checkpoints that are torn, cut, or of
 * something else. How often ranks wait for it. */
#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include "cluster_testing.h"

static const recipe graphs[] = {
    {"rmat", {{"scale", 9}, {"edge-factor", 6}}, 2},
    {"grid", {{"rows", 12}, {"cols", 9}}, 2},
    {"erdos-renyi", {{"n", 300}, {"m", 900}, {"directed", 1}}, 3},
};

/* Some ranks of the job, as a cluster of their own with a context of its own. */
typedef struct team {
    hop_context *context;
    hop_cluster *cluster;
    hop_cluster_graph *graph;
    MPI_Comm comm;
} team;

/* The first `ranks` of the job; the others have no cluster. Weights come from a file. */
static team team_begin(const job *work, uint32_t ranks, const char *path, const recipe *made) {
    hop_context_options context_options = HOP_CONTEXT_OPTIONS_INIT;
    hop_cluster_options options = HOP_CLUSTER_OPTIONS_INIT;
    team some = {NULL, NULL, NULL, MPI_COMM_NULL};
    MPI_Comm_split(MPI_COMM_WORLD, work->rank < ranks ? 0 : MPI_UNDEFINED, (int)work->rank,
                   &some.comm);
    if (work->rank >= ranks)
        return some;
    context_options.threads = 1;
    options.communicator = &some.comm;
    CHECK(hop_context_create(&context_options, &some.context) == HOP_OK);
    CHECK_OK(some.context, hop_cluster_create(some.context, &options, &some.cluster));
    if (path != NULL) {
        CHECK_OK(some.context, hop_cluster_graph_read(some.cluster, path, &some.graph));
    } else {
        hop_generate_options how = recipe_options(made);
        CHECK_OK(some.context,
                 hop_cluster_graph_generate(some.cluster, made->family, &how, &some.graph));
    }
    return some;
}

static void team_end(team *some) {
    if (some->cluster != NULL) {
        hop_cluster_graph_free(some->graph);
        hop_cluster_free(some->cluster);
        CHECK(hop_context_memory_used(some->context) == 0);
        hop_context_free(some->context);
        MPI_Comm_free(&some->comm);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* One search of a team, with checkpoints after every round; it stops after `stop` of them. The
 * answer is a hash of all vertices' results, summed over the ranks: the same for any number. */
typedef struct trial {
    const char *folder;
    bool paths;  /* sssp, else bfs */
    bool resume; /* and write none */
    uint64_t stop, source;
} trial;

static hop_status search(team *some, const trial *what, uint64_t *answer) {
    uint64_t own = hop_cluster_count(some->graph), first = hop_cluster_first(some->graph);
    uint32_t *levels = calloc(2 * own + 2, 4); /* or distances */
    uint64_t *parents = calloc(own + 1, 8);
    hop_cluster_checkpoints saved = HOP_CLUSTER_CHECKPOINTS_INIT;
    saved.folder = what->folder;
    saved.seconds = what->resume ? 1e9 : 0;
    saved.resume = what->resume;
    CHECK_OK(some->context, hop_cluster_checkpoint(some->cluster, &saved));
    some->cluster->stop_after = what->stop;
    hop_span distances = {levels, own, hop_distance_type(some->graph->weight_type)};
    hop_status status = what->paths ? hop_cluster_sssp(some->cluster, some->graph, &what->source, 1,
                                                       NULL, &distances, parents)
                                    : hop_cluster_bfs(some->cluster, some->graph, &what->source, 1,
                                                      NULL, levels, parents);
    size_t size = what->paths ? hop_type_size(distances.type) : 4;
    *answer = 0;
    for (uint64_t i = 0; i < own; i++) {
        uint64_t item = 0;
        memcpy(&item, (const char *)levels + i * size, size);
        *answer += hop__hash_three(first + i, item, parents[i]);
    }
    if (status == HOP_OK)
        CHECK_OK(some->context, hop_cluster_total(some->cluster, *answer, answer, NULL));
    free(levels);
    free(parents);
    return status;
}

static uint64_t files_of(const char *folder) {
    DIR *open = opendir(folder);
    uint64_t count = 0;
    CHECK(open != NULL);
    while (readdir(open) != NULL)
        count++;
    closedir(open);
    return count - 2;
}

static void folder_empty(const job *work, const char *folder) {
    MPI_Barrier(MPI_COMM_WORLD);
    DIR *open = work->rank == 0 ? opendir(folder) : NULL;
    const struct dirent *entry;
    while (open != NULL && (entry = readdir(open)) != NULL)
        (void)unlinkat(dirfd(open), entry->d_name, 0);
    if (open != NULL)
        closedir(open);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Stopped after checkpoint 1, 2, 4, 8 ... on all ranks of the job, then continued on 1, 2, 3 ... */
static void check_continued(const job *work, const char *folder, const char *path,
                            const recipe *made, bool paths) {
    uint64_t whole = 0, answer = 0, written = 0;
    team all = team_begin(work, work->ranks, path, made);
    trial calm = {.folder = NULL, .paths = paths, .source = 3};
    trial again = {.folder = folder, .paths = paths, .resume = true, .source = 3};
    CHECK_OK(all.context, search(&all, &calm, &whole));
    for (uint64_t stop = 1;; stop *= 2, written++) {
        trial stopped = {.folder = folder, .paths = paths, .stop = stop, .source = 3};
        folder_empty(work, folder);
        hop_status status = search(&all, &stopped, &answer);
        if (status == HOP_OK)
            break;
        CHECK(status == HOP_ERR_CANCELLED);
        CHECK(files_of(folder) == (stop < 2 ? stop : 2));
        for (uint32_t ranks = 1; ranks <= work->ranks; ranks++) {
            team some = team_begin(work, ranks, path, made);
            if (some.cluster != NULL) {
                CHECK_OK(some.context, search(&some, &again, &answer));
                CHECK(answer == whole);
                CHECK(strstr(hop_cluster_checkpoint_note(some.cluster), "continued from") != NULL);
            }
            team_end(&some);
        }
    }
    CHECK(answer == whole && written > 0);
    folder_empty(work, folder);
    CHECK_OK(all.context, search(&all, &again, &answer)); /* of nothing: at the source */
    CHECK(answer == whole && *hop_cluster_checkpoint_note(all.cluster) == '\0');
    team_end(&all);
}

/* Weights come from files; some are 0, so that parents need layers. */
static void check_weights(const job *work, const char *place, const char *folder,
                          hop_weight_type type) {
    const recipe made = {"erdos-renyi", {{"n", 200}, {"m", 700}}, 2};
    char path[128];
    (void)snprintf(path, sizeof path, "%s/weights.npz", place);
    if (work->rank == 0) {
        hop_generate_options options = recipe_options(&made);
        hop_graph *whole = NULL;
        options.weight_type = type;
        options.min_weight = 0;
        options.max_weight = 9;
        CHECK_OK(work->context, hop_graph_generate(work->context, made.family, &options, &whole));
        CHECK_OK(work->context, hop_graph_write(work->context, whole, path, NULL));
        hop_graph_release(whole);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    check_continued(work, folder, path, NULL, true);
    if (work->rank == 0)
        CHECK(unlink(path) == 0);
}

/* ---- checkpoints that are not what they should be -------------------------------------------- */

/* Rank 0 changes a byte of a file, or cuts it there. */
static void damage(const job *work, const char *folder, const char *name, int64_t at, bool cut) {
    MPI_Barrier(MPI_COMM_WORLD);
    if (work->rank == 0) {
        char path[256];
        unsigned char byte;
        (void)snprintf(path, sizeof path, "%s/%s", folder, name);
        int file = open(path, O_RDWR);
        CHECK(file >= 0);
        if (cut) {
            CHECK(ftruncate(file, at) == 0);
        } else {
            CHECK(pread(file, &byte, 1, at) == 1);
            byte ^= 4;
            CHECK(pwrite(file, &byte, 1, at) == 1);
        }
        close(file);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* bfs-2 is damaged: bfs-1 is used, and it is said why. Then bfs-1 too: an error. */
static void check_torn(const job *work, const char *folder, int64_t at, bool cut) {
    uint64_t whole = 0, answer = 0;
    team all = team_begin(work, work->ranks, NULL, &graphs[0]);
    trial calm = {.source = 5}, stopped = {.folder = folder, .stop = 2, .source = 5};
    trial again = {.folder = folder, .resume = true, .source = 5};
    CHECK_OK(all.context, search(&all, &calm, &whole));
    CHECK(search(&all, &stopped, &answer) == HOP_ERR_CANCELLED);
    damage(work, folder, "bfs-2.checkpoint", at, cut);
    CHECK_OK(all.context, search(&all, &again, &answer));
    const char *note = hop_cluster_checkpoint_note(all.cluster);
    CHECK(answer == whole && strstr(note, "continued from bfs-1.checkpoint") != NULL);
    CHECK(strstr(note, "not used: ") != NULL && strstr(note, "bfs-2.checkpoint") != NULL);
    damage(work, folder, "bfs-1.checkpoint", at, cut);
    CHECK(search(&all, &again, &answer) == HOP_ERR_INPUT);
    CHECK(strstr(hop_context_message(all.context), "bfs-1.checkpoint") != NULL);
    team_end(&all);
    folder_empty(work, folder);
}

static void check_foreign(const job *work, const char *folder) {
    uint64_t answer = 0;
    team all = team_begin(work, work->ranks, NULL, &graphs[0]);
    team other = team_begin(work, work->ranks, NULL, &graphs[1]);
    trial stopped = {.folder = folder, .stop = 2, .source = 5};
    trial again = {.folder = folder, .resume = true, .source = 5};
    CHECK(search(&all, &stopped, &answer) == HOP_ERR_CANCELLED);
    CHECK(search(&other, &again, &answer) == HOP_ERR_ARGUMENT);
    CHECK(strstr(hop_context_message(other.context), "another graph") != NULL);
    again.source = 6;
    CHECK(search(&all, &again, &answer) == HOP_ERR_ARGUMENT);
    CHECK(strstr(hop_context_message(all.context), "other sources") != NULL);
    again.source = 5;
    again.paths = true; /* has files of its own, of which there is none */
    CHECK_OK(all.context, search(&all, &again, &answer));
    team_end(&other);
    team_end(&all);
    folder_empty(work, folder);
}

/* A folder that cannot be made is an error, on all ranks. */
static void check_refused(const job *work) {
    uint64_t answer = 0;
    team all = team_begin(work, work->ranks, NULL, &graphs[1]);
    trial nowhere = {.folder = "/proc/none/here", .source = 5};
    CHECK(search(&all, &nowhere, &answer) == HOP_ERR_IO);
    CHECK(strstr(hop_context_message(all.context), "/proc/none/here") != NULL);
    hop_cluster_checkpoints bad = HOP_CLUSTER_CHECKPOINTS_INIT;
    bad.seconds = -1;
    CHECK(hop_cluster_checkpoint(all.cluster, &bad) == HOP_ERR_ARGUMENT);
    team_end(&all);
}

/* Whether it is time is carried by what is summed anyway: with a folder there are two waits more in
 * a call that writes none, and four for each checkpoint that is written. */
static void check_waits(const job *work, const char *folder) {
    static const double seconds[] = {1e9, 0};
    uint64_t waits[3];
    team all = team_begin(work, work->ranks, NULL, &graphs[1]);
    for (int i = 0; i < 3; i++) {
        uint64_t levels[1000], parents[1000], source = 0;
        hop_cluster_checkpoints saved = HOP_CLUSTER_CHECKPOINTS_INIT;
        saved.folder = i > 0 ? folder : NULL;
        saved.seconds = i > 0 ? seconds[i - 1] : 0;
        CHECK_OK(all.context, hop_cluster_checkpoint(all.cluster, &saved));
        uint64_t before = all.cluster->collectives;
        CHECK_OK(all.context, hop_cluster_bfs(all.cluster, all.graph, &source, 1, NULL,
                                              (uint32_t *)levels, parents));
        waits[i] = all.cluster->collectives - before;
    }
    uint64_t rounds = 0;
    hop_cluster_phase phase = {.size = sizeof phase};
    for (size_t i = 0; hop_cluster_phase_at(all.cluster, i, &phase); i++)
        rounds = strcmp(phase.name, "bfs: targets") == 0 ? phase.rounds / 3 : rounds;
    CHECK(waits[1] == waits[0] + 2);
    CHECK(waits[2] == waits[1] + 4 * rounds && rounds > 10);
    team_end(&all);
    folder_empty(work, folder);
}

int main(void) {
    job work = job_begin();
    /* In memory, where there is such a place: there are hundreds of syncs. */
    char place[64] = "/dev/shm/hoplite-checkpoint-XXXXXX", folder[128];
    if (work.rank == 0 && mkdtemp(place) == NULL) {
        (void)snprintf(place, sizeof place, "/tmp/hoplite-checkpoint-XXXXXX");
        CHECK(mkdtemp(place) != NULL);
    }
    MPI_Bcast(place, (int)sizeof place, MPI_BYTE, 0, MPI_COMM_WORLD);
    (void)snprintf(folder, sizeof folder, "%s/saved", place);
    for (size_t i = 0; i < sizeof graphs / sizeof graphs[0]; i++) {
        check_continued(&work, folder, NULL, &graphs[i], false);
        check_continued(&work, folder, NULL, &graphs[i], true);
    }
    check_weights(&work, place, folder, HOP_TYPE_INT32);
    check_weights(&work, place, folder, HOP_TYPE_FLOAT64);
    check_torn(&work, folder, 40, false);       /* header */
    check_torn(&work, folder, 4096 + 9, false); /* levels */
    check_torn(&work, folder, 4096 + 512 * 4 + 77, false);
    check_torn(&work, folder, 100, true);
    check_torn(&work, folder, 4096 + 512 * 4 + 77, true);
    check_foreign(&work, folder);
    check_refused(&work);
    check_waits(&work, folder);
    MPI_Barrier(MPI_COMM_WORLD);
    if (work.rank == 0)
        CHECK(rmdir(folder) == 0 && rmdir(place) == 0);
    job_end(&work);
    return 0;
}
