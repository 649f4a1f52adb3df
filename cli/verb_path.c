/* SPDX-License-Identifier: Apache-2.0
 *
 * hoplite path GRAPH FROM TO: one shortest path, by a search that stops at its end: breadth-first
 * where there are no weights (unless a variant of sssp is named), which finds the same path; or the
 * distances of many pairs (path_pairs.h). */
#include <inttypes.h>
#include <string.h>

#include "complaint.h"
#include "cycle_report.h"
#include "distance_text.h"
#include "exit_codes.h"
#include "io/bytes/path_suffix.h"
#include "memory_need.h"
#include "path_all.h"
#include "path_index.h"
#include "path_pairs.h"
#include "problem_job.h"
#include "result_file.h"
#include "vertex_file.h"
#include "vertex_text.h"

typedef struct path_verb {
    problem_job job;
    hop_vertex from, to;
    hop_weight_type type; /* of the distances */
    void *distances;
    hop_vertex *levels; /* instead of the distances, when the search is by breadth */
    int64_t level;      /* the one of `to`, as a distance */
    hop_vertex *parents;
    hop_vertex *path;
    hop_vertex length; /* vertices on it; 0: there is none */
    void *on_the_way;  /* their distances */
    hop_index *index;  /* that answers, of --index; NULL: a search does */
} path_verb;

static hop_status call(void *user, const hop_run *run) {
    path_verb *path = user;
    if (path->job.problem == HOP_PROBLEM_BFS) {
        hop_bfs_options options = HOP_BFS_OPTIONS_INIT;
        options.run = run;
        options.targets = &path->to;
        options.target_count = 1;
        return hop_bfs(path->job.work.context, path->job.opened.graph, &path->from, 1, &options,
                       path->levels, path->parents);
    }
    hop_sssp_options options = HOP_SSSP_OPTIONS_INIT;
    options.run = run;
    options.targets = &path->to;
    options.target_count = 1;
    return hop_sssp(path->job.work.context, path->job.opened.graph, &path->from, 1, &options,
                    &(hop_span){path->distances, path->job.info.vertices, path->type},
                    path->parents);
}

/* The same by the index: the path with its distances, and the whole distance alone. */
static int follow_index(path_verb *path) {
    problem_job *job = &path->job;
    hop_context *context = job->work.context;
    const hop_edge pair = {.from = path->from, .to = path->to};
    void *vertices = NULL;
    int code = job_array(job, "distance", 1, hop_type_size(path->type), &path->distances);
    if (code == CODE_OK)
        code = index_distances(job, path->index, &pair, 1,
                               &(hop_span){path->distances, 1, path->type});
    if (code != CODE_OK)
        return code;
    hop_status status =
        hop_index_path(context, path->index, path->from, path->to, NULL, 0, &path->length, NULL);
    if (status == HOP_OK) {
        code = job_array(job, "path", path->length, sizeof(hop_vertex), &vertices);
        if (code == CODE_OK)
            code =
                job_array(job, "path", path->length, hop_type_size(path->type), &path->on_the_way);
    }
    path->path = vertices;
    if (status == HOP_OK && code == CODE_OK && path->length > 0)
        status =
            hop_index_path(context, path->index, path->from, path->to, path->path, path->length,
                           &path->length, &(hop_span){path->on_the_way, path->length, path->type});
    return status == HOP_OK ? code : session_fail(&job->work, status);
}

/* Follows the parents, and picks the distances of what stands on the path. */
static int follow(path_verb *path) {
    problem_job *job = &path->job;
    hop_context *context = job->work.context;
    hop_vertex n = job->info.vertices;
    size_t size = hop_type_size(path->type);
    void *vertices = NULL;
    hop_status status = hop_path(context, path->parents, n, path->to, NULL, 0, &path->length);
    if (status != HOP_OK)
        return session_fail(&job->work, status);
    int code = job_array(job, "path", path->length, sizeof(hop_vertex), &vertices);
    if (code == CODE_OK)
        code = job_array(job, "path", path->length, size, &path->on_the_way);
    if (code != CODE_OK || path->length == 0)
        return code;
    path->path = vertices;
    status = hop_path(context, path->parents, n, path->to, path->path, path->length, NULL);
    if (status != HOP_OK)
        return session_fail(&job->work, status);
    for (hop_vertex i = 0; i < path->length; i++)
        if (path->levels != NULL)
            ((int64_t *)path->on_the_way)[i] = path->levels[path->path[i]];
        else
            memcpy((char *)path->on_the_way + i * size,
                   (const char *)path->distances + path->path[i] * size, size);
    return CODE_OK;
}

/* The distance of the end, as an array and an index. */
static const void *whole_distance(path_verb *path, hop_vertex *index) {
    *index = path->levels != NULL || path->index != NULL ? 0 : path->to;
    if (path->levels == NULL)
        return path->distances;
    hop_vertex level = path->levels[path->to];
    path->level = level == HOP_NO_LEVEL ? HOP_NO_DISTANCE : (int64_t)level;
    return &path->level;
}

static void print_json(path_verb *path) {
    const hop_graph *graph = path->job.opened.graph;
    hop_vertex end;
    const void *distances = whole_distance(path, &end);
    json out;
    json_begin(&out, stdout, "path");
    job_json(&out, &path->job);
    if (path->index != NULL)
        index_json(&out, &path->job, path->index);
    vertex_json(&out, "from", graph, path->from);
    vertex_json(&out, "to", graph, path->to);
    json_string(&out, "distance_type", hop_type_name(path->type));
    distance_json(&out, "distance", path->type, distances, end);
    json_array(&out, "path");
    for (hop_vertex i = 0; i < path->length; i++)
        vertex_json(&out, NULL, graph, path->path[i]);
    json_end(&out);
    json_array(&out, "distances");
    for (hop_vertex i = 0; i < path->length; i++)
        distance_json(&out, NULL, path->type, path->on_the_way, i);
    json_end(&out);
    job_files_json(&out, &path->job);
    json_finish(&out);
}

static int report(path_verb *path) {
    problem_job *job = &path->job;
    const arguments *given = job->work.given;
    int code = path->index != NULL ? follow_index(path) : follow(path);
    if (code != CODE_OK)
        return code;
    if (path->length == 0) {
        if (job->work.json)
            print_json(path);
        return complain(CODE_FAILURE, "there is no path from %s to %s", given->operands[1],
                        given->operands[2]);
    }
    job_tell(job, 0, "");
    bool weighted = job->info.weight_type != HOP_TYPE_NONE;
    hop_vertex end;
    const void *distances = whole_distance(path, &end);
    session_say(&job->work, "path: %s edge%s%s%s", count_text(path->length - 1u).s,
                path->length == 2 ? "" : "s", weighted ? ", length " : "",
                weighted ? distance_text(path->type, distances, end).s : "");
    const result_column columns[] = {
        {"vertex", "path", HOP_TYPE_UINT32, path->path, NULL, true, 0},
        {"distance", "distances", path->type, path->on_the_way, "inf", false, 0}};
    const result_table table = {NULL, path->length, columns, 2};
    if (!job->work.json && !is_given(given, OPT_OUTPUT))
        code = results_write_to(job, "-", &table);
    else
        code = results_write(job, &table);
    if (code == CODE_OK && job->work.json)
        print_json(path);
    return code;
}

static int solve(path_verb *path, hop_status *status) {
    problem_job *job = &path->job;
    vertex_space space = space_of_graph(job->opened.graph);
    hop_vertex n = job->info.vertices;
    void *parents = NULL, *levels = NULL;
    if (job->info.weight_type == HOP_TYPE_NONE && job->run.variant == NULL)
        job->problem = HOP_PROBLEM_BFS;
    int code = vertex_find(&space, "FROM", job->work.given->operands[1], &path->from);
    if (code == CODE_OK)
        code = vertex_find(&space, "TO", job->work.given->operands[2], &path->to);
    path->type = hop_distance_type(job->info.weight_type);
    if (path->index != NULL)
        return code;
    if (code == CODE_OK && job->problem == HOP_PROBLEM_BFS)
        code = job_result(job, "levels", n, sizeof(hop_vertex), &levels);
    else if (code == CODE_OK)
        code = job_result(job, "distances", n, hop_type_size(path->type), &path->distances);
    path->levels = levels;
    if (code == CODE_OK)
        code = job_result(job, "parents", n, sizeof(hop_vertex), &parents);
    path->parents = parents;
    return code == CODE_OK ? job_solve(job, call, path, status) : code;
}

/* A path, or pairs. */
static int check_operands(const arguments *given, const char *input) {
    bool pairs = is_given(given, OPT_PAIRS);
    if (pairs && strcmp(input, "-") == 0 && strcmp(given->values[OPT_PAIRS].text, "-") == 0)
        return complain(CODE_USAGE, "only one of graph and --pairs can be -");
    if (is_given(given, OPT_ALL_PATHS) && (pairs || is_given(given, OPT_INDEX)))
        return complain(CODE_USAGE, "--all-paths and --%s do not go together",
                        pairs ? "pairs" : "index");
    if (is_given(given, OPT_ALL_PATHS) && is_given(given, OPT_OUTPUT) &&
        hop__path_ends_unpacked(given->values[OPT_OUTPUT].text, ".npy"))
        return complain(CODE_USAGE, "-o %s: all paths are written as text: .txt, .tsv or .csv",
                        given->values[OPT_OUTPUT].text);
    if (is_given(given, OPT_LIMIT) && !is_given(given, OPT_ALL_PATHS))
        return complain(CODE_USAGE, "--limit is for --all-paths");
    if (given->operand_count == (pairs ? 1 : 3))
        return CODE_OK;
    complain(CODE_USAGE,
             pairs ? "with --pairs a graph alone expected" : "a graph and two vertices expected");
    advise("usage: hoplite path [options] GRAPH FROM TO, or hoplite path GRAPH --pairs FILE");
    return CODE_USAGE;
}

int run_path(const arguments *given) {
    path_verb path = {0};
    hop_status status = HOP_OK;
    int code = job_open(&path.job, given, HOP_PROBLEM_SSSP);
    if (code == CODE_OK)
        code = check_operands(given, path.job.input);
    if (code == CODE_OK)
        code = results_check(given);
    if (code == CODE_OK)
        code = job_read_graph(&path.job);
    if (code == CODE_OK && is_given(given, OPT_ALL_PATHS)) {
        code = all_paths_solve(&path.job);
        job_close(&path.job);
        return code;
    }
    if (code == CODE_OK && is_given(given, OPT_INDEX))
        code = index_open(&path.job, &path.index);
    if (code == CODE_OK && is_given(given, OPT_PAIRS)) {
        code = pairs_solve(&path.job, path.index);
        hop_index_free(path.index);
        job_close(&path.job);
        return code;
    }
    if (code == CODE_OK)
        code = solve(&path, &status);
    if (code == CODE_OK && !job_is_dry(&path.job))
        code = status == HOP_OK ? report(&path) : cycle_report(&path.job);
    hop_index_free(path.index);
    job_close(&path.job);
    return code;
}
