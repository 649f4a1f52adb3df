/* SPDX-License-Identifier: Apache-2.0
 *
 * Every shortest path between two vertices: see path_all.h. Paths are listed one after the other;
 * what is printed of them is kept, as a table with a row for each vertex of each path. */
#include "path_all.h"

#include <string.h>

#include "complaint.h"
#include "cycle_report.h"
#include "distance_text.h"
#include "exit_codes.h"
#include "result_file.h"
#include "vertex_file.h"
#include "vertex_text.h"

enum { USUAL_LIMIT = 1000 };

typedef struct all_paths {
    problem_job *job;
    hop_vertex from, to;
    hop_path_dag *dag;
    hop_path_walk *walk;
    hop_type type; /* of the distances */
    uint64_t limit, listed, rows, room;
    uint64_t *numbers; /* of the path that a row belongs to, from 1 on */
    hop_vertex *vertices;
    void *distances;
    bool more; /* than are listed */
} all_paths;

static hop_status call(void *user, const hop_run *run) {
    all_paths *all = user;
    hop_path_dag_options options = HOP_PATH_DAG_OPTIONS_INIT;
    options.run = run;
    options.targets = &all->to;
    options.target_count = 1;
    hop_path_dag_free(all->dag);
    return hop_path_dag_create(all->job->work.context, all->job->opened.graph, all->from, &options,
                               &all->dag);
}

/* Room for as many rows again, all of which count against the budget. */
static hop_status grow(all_paths *all, uint64_t rows) {
    hop_context *context = all->job->work.context;
    const uint64_t room = rows + all->rows < 1024 ? 1024 : 2 * (all->rows + rows);
    const size_t size = hop_type_size(all->type);
    void *made[3] = {NULL, NULL, NULL};
    const size_t sizes[3] = {sizeof *all->numbers, sizeof *all->vertices, size};
    void *const old[3] = {all->numbers, all->vertices, all->distances};
    hop_status status = HOP_OK;
    for (size_t i = 0; i < 3 && status == HOP_OK; i++)
        status = hop_block_create(context, "paths", room, sizes[i], &made[i]);
    for (size_t i = 0; i < 3; i++) {
        if (status != HOP_OK) {
            hop_block_free(made[i]);
            continue;
        }
        if (all->rows > 0)
            memcpy(made[i], old[i], all->rows * sizes[i]);
        hop_block_free(old[i]);
    }
    if (status != HOP_OK)
        return status;
    all->numbers = made[0];
    all->vertices = made[1];
    all->distances = made[2];
    all->room = room;
    return HOP_OK;
}

static hop_status keep(all_paths *all, const hop_vertex *path, hop_vertex length) {
    const size_t size = hop_type_size(all->type);
    const char *distances = hop_path_dag_distances(all->dag, NULL);
    hop_status status = length > all->room - all->rows ? grow(all, length) : HOP_OK;
    if (status != HOP_OK)
        return status;
    all->listed++;
    for (hop_vertex i = 0; i < length; i++, all->rows++) {
        all->numbers[all->rows] = all->listed;
        all->vertices[all->rows] = path[i];
        memcpy((char *)all->distances + all->rows * size, distances + path[i] * size, size);
    }
    return HOP_OK;
}

/* Lists the first ones, and whether there is one more. */
static hop_status list_paths(all_paths *all) {
    hop_context *context = all->job->work.context;
    const hop_vertex *path;
    hop_vertex length = 1;
    hop_status status = hop_path_walk_create(context, all->dag, all->to, &all->walk);
    while (status == HOP_OK && length > 0) {
        status = hop_path_walk_next(context, all->walk, &path, &length);
        if (status != HOP_OK || length == 0)
            break;
        if (all->listed == all->limit) {
            all->more = true;
            break;
        }
        status = keep(all, path, length);
    }
    return status;
}

/* "2 paths", "more than 18,446,744,073,709,551,613 paths", "at least 1,000 paths". */
static text number_of_paths(const all_paths *all, uint64_t count, bool *least) {
    *least = count == HOP_PATHS_MANY || (count == HOP_PATHS_UNKNOWN && all->more);
    if (count == HOP_PATHS_UNKNOWN)
        return count_text(all->listed + all->more);
    return count_text(count);
}

static void print_json(const all_paths *all) {
    const problem_job *job = all->job;
    const hop_graph *graph = job->opened.graph;
    const uint64_t count = hop_path_dag_counts(all->dag)[all->to];
    json out;
    json_begin(&out, stdout, "path");
    job_json(&out, job);
    vertex_json(&out, "from", graph, all->from);
    vertex_json(&out, "to", graph, all->to);
    json_string(&out, "distance_type", hop_type_name(all->type));
    distance_json(&out, "distance", all->type, hop_path_dag_distances(all->dag, NULL), all->to);
    if (count < HOP_PATHS_MANY)
        json_count(&out, "path_count", count);
    else if (count == HOP_PATHS_UNKNOWN && !all->more)
        json_count(&out, "path_count", all->listed);
    else
        json_null(&out, "path_count"); /* too many, or not counted */
    json_count(&out, "listed", all->listed);
    json_array(&out, "paths");
    for (uint64_t i = 0; i < all->rows; i++) {
        if (i == 0 || all->numbers[i] != all->numbers[i - 1])
            json_array(&out, NULL);
        vertex_json(&out, NULL, graph, all->vertices[i]);
        if (i + 1 == all->rows || all->numbers[i] != all->numbers[i + 1])
            json_end(&out);
    }
    json_end(&out);
    job_files_json(&out, job);
    json_finish(&out);
}

static int report(all_paths *all) {
    problem_job *job = all->job;
    const arguments *given = job->work.given;
    const uint64_t count = hop_path_dag_counts(all->dag)[all->to];
    bool least;
    const text number = number_of_paths(all, count, &least);
    if (count == 0) {
        if (job->work.json)
            print_json(all);
        return complain(CODE_FAILURE, "there is no path from %s to %s", given->operands[1],
                        given->operands[2]);
    }
    job_tell(job, 0, "");
    session_say(&job->work, "paths: %s%s%s%s", least ? "at least " : "", number.s,
                all->more ? ", of which the first are listed: " : "",
                all->more ? count_text(all->listed).s : "");
    if (count == HOP_PATHS_UNKNOWN && all->more)
        session_say(&job->work, "(a path may pass a cycle of weight 0: past those paths are "
                                "listed, but not counted)");
    const result_column columns[] = {
        {"path", "paths", HOP_TYPE_UINT64, all->numbers, NULL, false, 0},
        {"vertex", "vertices", HOP_TYPE_UINT32, all->vertices, NULL, true, 0},
        {"distance", "distances", all->type, all->distances, "inf", false, 0}};
    const result_table table = {NULL, all->rows, columns, 3};
    int code = CODE_OK;
    if (is_given(given, OPT_OUTPUT))
        code = results_write(job, &table);
    else if (!job->work.json)
        code = results_write_to(job, "-", &table);
    if (code == CODE_OK && job->work.json)
        print_json(all);
    return code;
}

static int solve(all_paths *all) {
    problem_job *job = all->job;
    const arguments *given = job->work.given;
    vertex_space space = space_of_graph(job->opened.graph);
    hop_status status = HOP_OK;
    int code = vertex_find(&space, "FROM", given->operands[1], &all->from);
    if (code == CODE_OK)
        code = vertex_find(&space, "TO", given->operands[2], &all->to);
    if (code == CODE_OK)
        code = job_solve(job, call, all, &status);
    if (code != CODE_OK || job_is_dry(job))
        return code;
    if (status != HOP_OK)
        return cycle_report(job);
    status = list_paths(all);
    return status == HOP_OK ? report(all) : session_fail(&job->work, status);
}

int all_paths_solve(problem_job *job) {
    const arguments *given = job->work.given;
    all_paths all = {.job = job,
                     .type = hop_distance_type(job->info.weight_type),
                     .limit = is_given(given, OPT_LIMIT) ? given->values[OPT_LIMIT].number
                                                         : USUAL_LIMIT};
    const int code = solve(&all);
    hop_path_walk_free(all.walk);
    hop_path_dag_free(all.dag);
    hop_block_free(all.numbers);
    hop_block_free(all.vertices);
    hop_block_free(all.distances);
    return code;
}
