/* SPDX-License-Identifier: Apache-2.0
 *
 * hoplite-mpi components, bfs, sssp and info. */
#include <math.h>
#include <string.h>

#include "cluster/cluster_job.h"
#include "complaint.h"
#include "exit_codes.h"
#include "number_text.h"
#include "recipe.h"

int cluster_path_check(const arguments *given, option_id option) {
    const char *path = given->values[option].text;
    size_t length = path != NULL ? strlen(path) : 0;
    if (is_given(given, option) && (length < 4 || strcmp(path + length - 4, ".npy") != 0))
        return complain(CODE_USAGE, "%s: the ranks write .npy files only", path);
    return CODE_OK;
}

static int check_options(const arguments *given) {
    int code = cluster_path_check(given, OPT_SPREAD_OUTPUT);
    return code == CODE_OK ? cluster_path_check(given, OPT_SPREAD_PARENTS) : code;
}

static hop_status block(cluster_job *job, const char *what, size_t size, void *slot) {
    void *made = NULL;
    hop_status status =
        hop_block_create(job->work.context, what, hop_cluster_count(job->graph), size, &made);
    memcpy(slot, &made, sizeof made);
    return hop_cluster_agree(job->cluster, status);
}

/* ---- components ------------------------------------------------------------------------------ */

static int solve_components(cluster_job *job, uint64_t *labels) {
    uint64_t count = 0;
    double began = clock_seconds();
    hop_status status = hop_cluster_components(job->cluster, job->graph, labels, &count);
    job->solve_seconds = clock_seconds() - began;
    if (status == HOP_OK && is_given(job->given, OPT_SPREAD_CERTIFY))
        status = hop_cluster_components_certify(job->cluster, job->graph, labels, count);
    if (status != HOP_OK)
        return cluster_job_fail(job, status);
    int code = cluster_job_write(job, OPT_SPREAD_OUTPUT, labels, HOP_TYPE_UINT64);
    if (code != CODE_OK)
        return code;
    json out;
    cluster_job_report(job, &out);
    if (job->work.json) {
        json_count(&out, "components", count);
        json_bool(&out, "certified", is_given(job->given, OPT_SPREAD_CERTIFY));
    } else {
        printf("%s in %s, %.1f million edges/s%s\n",
               counted_text(count, "component", "components").s, seconds_text(job->solve_seconds).s,
               1e-6 * cluster_job_speed(job),
               is_given(job->given, OPT_SPREAD_CERTIFY) ? ", certified" : "");
    }
    return cluster_job_finish(job, &out);
}

int run_cluster_components(const arguments *given) {
    cluster_job job;
    uint64_t *labels = NULL;
    int code = check_options(given);
    if (code != CODE_OK)
        return code;
    code = cluster_job_open(&job, given);
    if (code == CODE_OK) {
        hop_status status = block(&job, "components: labels", sizeof *labels, &labels);
        code = status == HOP_OK ? solve_components(&job, labels) : cluster_job_fail(&job, status);
    }
    hop_block_free(labels);
    cluster_job_close(&job);
    return code;
}

/* ---- bfs ------------------------------------------------------------------------------------- */

enum { SOURCES_MOST = 1024 };

typedef struct search {
    uint64_t sources[SOURCES_MOST], source_count;
    hop_bfs_options options;
    uint32_t *levels;
    hop_span distances;
    uint64_t *parents;
} search;

static int check_checkpoints(const arguments *given) {
    bool named = is_given(given, OPT_CHECKPOINT);
    if (!named && (is_given(given, OPT_CHECKPOINT_EVERY) || is_given(given, OPT_CONTINUE)))
        return complain(CODE_USAGE, "--checkpoint FOLDER is needed: where checkpoints are");
    if (named && given->values[OPT_CHECKPOINT_EVERY].real < 0)
        return complain(CODE_USAGE, "--checkpoint-every %s: seconds expected",
                        given->values[OPT_CHECKPOINT_EVERY].text);
    return CODE_OK;
}

static int take_sources(const arguments *given, search *made) {
    const char *word;
    for (size_t i = 0; (word = given_text(given, OPT_FROM_VERTEX, i)) != NULL; i++) {
        if (i == SOURCES_MOST)
            return complain(CODE_USAGE, "more than %d times --from-vertex", SOURCES_MOST);
        if (!parse_whole(word, &made->sources[i]))
            return complain(CODE_USAGE, "--from-vertex %s: a number expected", word);
        made->source_count = i + 1;
    }
    if (made->source_count == 0 && !is_given(given, OPT_SPREAD_SOURCE))
        return complain(CODE_USAGE, "--source V or --from-vertex V is needed: where to begin");
    if (check_checkpoints(given) != CODE_OK)
        return CODE_USAGE;
    if (is_given(given, OPT_DEPTH))
        made->options.max_level = (hop_vertex)given->values[OPT_DEPTH].number;
    return CODE_OK;
}

static hop_status set_checkpoints(cluster_job *job) {
    const arguments *given = job->given;
    hop_cluster_checkpoints options = HOP_CLUSTER_CHECKPOINTS_INIT;
    if (!is_given(given, OPT_CHECKPOINT))
        return HOP_OK;
    options.folder = given->values[OPT_CHECKPOINT].text;
    options.resume = is_given(given, OPT_CONTINUE);
    if (is_given(given, OPT_CHECKPOINT_EVERY))
        options.seconds = given->values[OPT_CHECKPOINT_EVERY].real;
    return hop_cluster_checkpoint(job->cluster, &options);
}

/* What a search continued from. */
static void tell_resumed(cluster_job *job, json *out) {
    const char *note = hop_cluster_checkpoint_note(job->cluster);
    if (!is_given(job->given, OPT_CONTINUE))
        return;
    if (job->work.json)
        json_string(out, "resumed", *note != '\0' ? note : NULL);
    else
        session_say(&job->work, "%s", *note != '\0' ? note : "no checkpoint: began at the sources");
}

/* Those of --source, which are looked for in the file: when the ranks are there. */
static int find_sources(cluster_job *job, search *made) {
    const char *word;
    for (size_t i = 0; (word = given_text(job->given, OPT_SPREAD_SOURCE, i)) != NULL; i++) {
        if (made->source_count == SOURCES_MOST)
            return complain(CODE_USAGE, "more than %d sources", SOURCES_MOST);
        uint64_t *slot = &made->sources[made->source_count++];
        hop_status status = hop_cluster_graph_find(job->cluster, job->graph, word, slot);
        if (status != HOP_OK)
            return cluster_job_fail(job, status);
    }
    return CODE_OK;
}

static int tell_search(cluster_job *job, const search *made) {
    uint64_t reached = 0, deepest = 0;
    for (uint64_t i = 0; i < hop_cluster_count(job->graph); i++) {
        if (made->levels[i] == HOP_NO_LEVEL)
            continue;
        reached++;
        deepest = made->levels[i] > deepest ? made->levels[i] : deepest;
    }
    hop_status status = hop_cluster_total(job->cluster, reached, &reached, NULL);
    if (status == HOP_OK)
        status = hop_cluster_total(job->cluster, deepest, NULL, &deepest);
    if (status != HOP_OK)
        return cluster_job_fail(job, status);
    json out;
    cluster_job_report(job, &out);
    tell_resumed(job, &out);
    if (job->work.json) {
        json_count(&out, "reached", reached);
        json_count(&out, "deepest_level", deepest);
        json_bool(&out, "certified", is_given(job->given, OPT_SPREAD_CERTIFY));
    } else {
        printf("%s reached, the deepest at level %s, in %s, %.1f million edges/s%s\n",
               counted_text(reached, "vertex", "vertices").s, count_text(deepest).s,
               seconds_text(job->solve_seconds).s, 1e-6 * cluster_job_speed(job),
               is_given(job->given, OPT_SPREAD_CERTIFY) ? ", certified" : "");
    }
    return cluster_job_finish(job, &out);
}

static int solve_bfs(cluster_job *job, search *made) {
    double began = clock_seconds();
    hop_status status = set_checkpoints(job);
    if (status == HOP_OK)
        status = hop_cluster_bfs(job->cluster, job->graph, made->sources, made->source_count,
                                 &made->options, made->levels, made->parents);
    job->solve_seconds = clock_seconds() - began;
    if (status == HOP_OK && is_given(job->given, OPT_SPREAD_CERTIFY))
        status =
            hop_cluster_bfs_certify(job->cluster, job->graph, made->sources, made->source_count,
                                    &made->options, made->levels, made->parents);
    if (status != HOP_OK)
        return cluster_job_fail(job, status);
    int code = cluster_job_write(job, OPT_SPREAD_OUTPUT, made->levels, HOP_TYPE_UINT32);
    if (code == CODE_OK)
        code = cluster_job_write(job, OPT_SPREAD_PARENTS, made->parents, HOP_TYPE_UINT64);
    return code == CODE_OK ? tell_search(job, made) : code;
}

int run_cluster_bfs(const arguments *given) {
    cluster_job job;
    search made = {.options = HOP_BFS_OPTIONS_INIT};
    int code = check_options(given);
    if (code == CODE_OK)
        code = take_sources(given, &made);
    if (code != CODE_OK)
        return code;
    code = cluster_job_open(&job, given);
    if (code == CODE_OK)
        code = find_sources(&job, &made);
    if (code == CODE_OK) {
        hop_status status = block(&job, "bfs: levels", sizeof *made.levels, &made.levels);
        if (status == HOP_OK)
            status = block(&job, "bfs: parents", sizeof *made.parents, &made.parents);
        code = status == HOP_OK ? solve_bfs(&job, &made) : cluster_job_fail(&job, status);
    }
    hop_block_free(made.levels);
    hop_block_free(made.parents);
    cluster_job_close(&job);
    return code;
}

/* ---- sssp ------------------------------------------------------------------------------------ */

/* A distance as a double, for the report; negative when not reached. */
static double distance_of(const hop_span *distances, uint64_t at) {
    if (distances->type == HOP_TYPE_FLOAT32) {
        float distance = ((const float *)distances->items)[at];
        return distance < HUGE_VALF ? distance : -1;
    }
    if (distances->type == HOP_TYPE_FLOAT64) {
        double distance = ((const double *)distances->items)[at];
        return distance < HUGE_VAL ? distance : -1;
    }
    int64_t distance = ((const int64_t *)distances->items)[at];
    return distance != HOP_NO_DISTANCE ? (double)distance : -1;
}

static int tell_paths(cluster_job *job, const search *made) {
    uint64_t reached = 0, bits;
    double farthest = 0;
    for (uint64_t i = 0; i < hop_cluster_count(job->graph); i++) {
        double distance = distance_of(&made->distances, i);
        reached += distance >= 0;
        farthest = distance > farthest ? distance : farthest;
    }
    memcpy(&bits, &farthest, sizeof bits); /* not negative: in the order of its bits */
    hop_status status = hop_cluster_total(job->cluster, reached, &reached, NULL);
    if (status == HOP_OK)
        status = hop_cluster_total(job->cluster, bits, NULL, &bits);
    if (status != HOP_OK)
        return cluster_job_fail(job, status);
    memcpy(&farthest, &bits, sizeof farthest);
    json out;
    cluster_job_report(job, &out);
    tell_resumed(job, &out);
    if (job->work.json) {
        json_string(&out, "weights", hop_type_name(hop_cluster_graph_weight_type(job->graph)));
        json_count(&out, "reached", reached);
        json_real(&out, "farthest", farthest);
        json_bool(&out, "certified", is_given(job->given, OPT_SPREAD_CERTIFY));
    } else {
        printf("%s reached, the farthest at distance %.9g, in %s, %.1f million edges/s%s\n",
               counted_text(reached, "vertex", "vertices").s, farthest,
               seconds_text(job->solve_seconds).s, 1e-6 * cluster_job_speed(job),
               is_given(job->given, OPT_SPREAD_CERTIFY) ? ", certified" : "");
    }
    return cluster_job_finish(job, &out);
}

static int solve_sssp(cluster_job *job, search *made) {
    double began = clock_seconds();
    hop_status status = set_checkpoints(job);
    if (status == HOP_OK)
        status = hop_cluster_sssp(job->cluster, job->graph, made->sources, made->source_count, NULL,
                                  &made->distances, made->parents);
    job->solve_seconds = clock_seconds() - began;
    if (status == HOP_OK && is_given(job->given, OPT_SPREAD_CERTIFY)) {
        hop_view distances = {made->distances.items, made->distances.count, made->distances.type};
        status = hop_cluster_sssp_certify(job->cluster, job->graph, made->sources,
                                          made->source_count, NULL, &distances, made->parents);
    }
    if (status != HOP_OK)
        return cluster_job_fail(job, status);
    int code =
        cluster_job_write(job, OPT_SPREAD_OUTPUT, made->distances.items, made->distances.type);
    if (code == CODE_OK)
        code = cluster_job_write(job, OPT_SPREAD_PARENTS, made->parents, HOP_TYPE_UINT64);
    return code == CODE_OK ? tell_paths(job, made) : code;
}

int run_cluster_sssp(const arguments *given) {
    cluster_job job;
    search made = {.options = HOP_BFS_OPTIONS_INIT};
    int code = check_options(given);
    if (code == CODE_OK)
        code = take_sources(given, &made);
    if (code == CODE_OK && is_given(given, OPT_DEPTH))
        code = complain(CODE_USAGE, "--depth is for bfs");
    if (code != CODE_OK)
        return code;
    code = cluster_job_open(&job, given);
    if (code == CODE_OK)
        code = find_sources(&job, &made);
    if (code == CODE_OK) {
        made.distances.type = hop_distance_type(hop_cluster_graph_weight_type(job.graph));
        made.distances.count = hop_cluster_count(job.graph);
        hop_status status = block(&job, "sssp: distances", hop_type_size(made.distances.type),
                                  &made.distances.items);
        if (status == HOP_OK)
            status = block(&job, "sssp: parents", sizeof *made.parents, &made.parents);
        code = status == HOP_OK ? solve_sssp(&job, &made) : cluster_job_fail(&job, status);
    }
    hop_block_free(made.distances.items);
    hop_block_free(made.parents);
    cluster_job_close(&job);
    return code;
}

/* ---- info ------------------------------------------------------------------------------------ */

int run_cluster_info(const arguments *given) {
    cluster_job job;
    json out;
    int code = cluster_job_open(&job, given);
    if (code == CODE_OK) {
        cluster_job_report(&job, &out);
        if (!job.work.json && hop_cluster_rank(job.cluster) == 0)
            printf("%s, %s\n",
                   counted_text(hop_cluster_graph_vertices(job.graph), "vertex", "vertices").s,
                   counted_text(hop_cluster_graph_edges(job.graph), "edge", "edges").s);
        code = cluster_job_finish(&job, &out);
    }
    cluster_job_close(&job);
    return code;
}
