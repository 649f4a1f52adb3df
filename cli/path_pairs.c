/* SPDX-License-Identifier: Apache-2.0
 *
 * Distances of pairs: see path_pairs.h. */
#include "path_pairs.h"

#include <stdlib.h>

#include "cycle_report.h"
#include "distance_text.h"
#include "exit_codes.h"
#include "graph_report.h"
#include "io/bytes/path_suffix.h"
#include "memory_need.h"
#include "pair_file.h"
#include "path_index.h"
#include "result_file.h"
#include "vertex_text.h"

typedef struct pairs_verb {
    problem_job *job;
    const hop_index *index; /* NULL: a search answers */
    pair_list list;
    hop_weight_type type; /* of the distances */
    void *distances;
    hop_vertex *ends[2]; /* the pairs again, as columns */
    uint64_t reached;
} pairs_verb;

static hop_status call(void *user, const hop_run *run) {
    pairs_verb *pairs = user;
    hop_pairs_options options = HOP_PAIRS_OPTIONS_INIT;
    options.run = run;
    return hop_distance_pairs(pairs->job->work.context, pairs->job->opened.graph, pairs->list.pairs,
                              pairs->list.count, &options,
                              &(hop_span){pairs->distances, pairs->list.count, pairs->type});
}

static void print_json(const pairs_verb *pairs) {
    const problem_job *job = pairs->job;
    const hop_graph *graph = job->opened.graph;
    json out;
    json_begin(&out, stdout, "path");
    job_json(&out, job);
    if (pairs->index != NULL)
        index_json(&out, job, pairs->index);
    json_string(&out, "distance_type", hop_type_name(pairs->type));
    json_count(&out, "pair_count", pairs->list.count);
    json_count(&out, "reached", pairs->reached);
    json_array(&out, "pairs");
    for (uint64_t i = 0; i < pairs->list.count; i++) {
        json_object(&out, NULL);
        vertex_json(&out, "from", graph, pairs->list.pairs[i].from);
        vertex_json(&out, "to", graph, pairs->list.pairs[i].to);
        distance_json(&out, "distance", pairs->type, pairs->distances, i);
        json_end(&out);
    }
    json_end(&out);
    job_files_json(&out, job);
    json_finish(&out);
}

/* The table, or the distances alone where the file is an array. */
static int write_pairs(pairs_verb *pairs) {
    problem_job *job = pairs->job;
    const arguments *given = job->work.given;
    const char *path = is_given(given, OPT_OUTPUT) ? given->values[OPT_OUTPUT].text : "-";
    const result_column columns[] = {
        {"from", "pairs", HOP_TYPE_UINT32, pairs->ends[0], NULL, true, 0},
        {"to", "pairs", HOP_TYPE_UINT32, pairs->ends[1], NULL, true, 0},
        {"distance", "distances", pairs->type, pairs->distances, "inf", false, 0}};
    const result_table table = {NULL, pairs->list.count, columns, 3};
    const result_table alone = {NULL, pairs->list.count, &columns[2], 1};
    if (!is_given(given, OPT_OUTPUT) && job->work.json)
        return CODE_OK;
    return results_write_to(job, path, hop__path_ends_unpacked(path, ".npy") ? &alone : &table);
}

static int report(pairs_verb *pairs) {
    problem_job *job = pairs->job;
    for (uint64_t i = 0; i < pairs->list.count; i++) {
        pairs->ends[0][i] = pairs->list.pairs[i].from;
        pairs->ends[1][i] = pairs->list.pairs[i].to;
        pairs->reached += distance_reached(pairs->type, pairs->distances, i);
    }
    job_tell(job, 0, "");
    if (!job->work.json)
        session_say(&job->work, "pairs: %s, of which %s have a path",
                    count_text(pairs->list.count).s, count_text(pairs->reached).s);
    int code = write_pairs(pairs);
    if (code == CODE_OK && job->work.json)
        print_json(pairs);
    return code;
}

int pairs_solve(problem_job *job, const hop_index *index) {
    pairs_verb pairs = {
        .job = job, .index = index, .type = hop_distance_type(job->info.weight_type)};
    vertex_space space = space_of_graph(job->opened.graph);
    hop_status status = HOP_OK;
    /* What a search refuses with its whole need is refused at once where there is none. */
    int (*array)(problem_job *, const char *, uint64_t, size_t, void **) =
        index != NULL ? job_array : job_result;
    int code = pairs_read(&space, job->work.given->values[OPT_PAIRS].text, &pairs.list);
    if (code == CODE_OK)
        code =
            array(job, "distances", pairs.list.count, hop_type_size(pairs.type), &pairs.distances);
    for (size_t i = 0; i < 2 && code == CODE_OK; i++) {
        void *column = NULL;
        code = array(job, "pairs", pairs.list.count, sizeof(hop_vertex), &column);
        pairs.ends[i] = column;
    }
    if (code == CODE_OK && index != NULL)
        code = index_distances(job, index, pairs.list.pairs, pairs.list.count,
                               &(hop_span){pairs.distances, pairs.list.count, pairs.type});
    else if (code == CODE_OK)
        code = job_solve(job, call, &pairs, &status);
    if (code == CODE_OK && !job_is_dry(job))
        code = status == HOP_OK ? report(&pairs) : cycle_report(job);
    free(pairs.list.pairs);
    return code;
}
