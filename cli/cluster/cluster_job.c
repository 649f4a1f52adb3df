/* SPDX-License-Identifier: Apache-2.0
 *
 * See cluster_job.h. */
#include "cluster/cluster_job.h"

#include "complaint.h"
#include "exit_codes.h"
#include "number_text.h"
#include "recipe.h"

hop_cluster *cluster_ranks;

static hop_status graph_open(cluster_job *job, const recipe *made, const char *name) {
    if (made->family != NULL)
        return hop_cluster_graph_generate(job->cluster, made->family->name, &made->options,
                                          &job->graph);
    return hop_cluster_graph_read(job->cluster, name, &job->graph);
}

/* One thread for each rank, unless the command line says otherwise: as a rule a rank has a core. */
static int context_open(cluster_job *job, arguments *own) {
    *own = *job->given;
    own->values[OPT_THREADS].number =
        is_given(own, OPT_SPREAD_THREADS) ? own->values[OPT_SPREAD_THREADS].number : 1;
    int code = session_open(&job->work, own);
    job->work.given = job->given;
    job->work.quiet = job->work.quiet || hop_cluster_rank(cluster_ranks) != 0;
    /* A rank that cannot begin must not be waited for. */
    hop_status status = hop_cluster_agree(cluster_ranks, code == CODE_OK ? HOP_OK : HOP_ERR_MEMORY);
    return code == CODE_OK && status != HOP_OK ? CODE_FAILURE : code;
}

int cluster_job_join(cluster_job *job, const arguments *given) {
    *job = (cluster_job){.given = given};
    arguments own;
    int code = context_open(job, &own);
    if (code != CODE_OK)
        return code;
    hop_cluster_options options = HOP_CLUSTER_OPTIONS_INIT;
    options.message_bytes = given->values[OPT_MESSAGE].number;
    hop_status status = hop_cluster_create(job->work.context, &options, &job->cluster);
    return status == HOP_OK ? CODE_OK : cluster_job_fail(job, status);
}

int cluster_job_open(cluster_job *job, const arguments *given) {
    *job = (cluster_job){.given = given};
    recipe made = {0};
    const char *name = given->operand_count > 0 ? given->operands[0] : NULL;
    if (name == NULL)
        return complain(CODE_USAGE, "a graph expected: a file, or a recipe such as rmat:scale=20");
    int code = recipe_is(name) ? recipe_parse(name, &made) : CODE_OK;
    if (code == CODE_OK)
        code = cluster_job_join(job, given);
    if (code == CODE_OK) {
        double began = clock_seconds();
        hop_status status = graph_open(job, &made, name);
        if (status == HOP_OK)
            status = hop_cluster_total(job->cluster, hop_cluster_arcs(job->graph), NULL,
                                       &job->arcs_most);
        job->open_seconds = clock_seconds() - began;
        code = status == HOP_OK ? CODE_OK : cluster_job_fail(job, status);
    }
    recipe_free(&made);
    return code;
}

void cluster_job_close(cluster_job *job) {
    hop_cluster_graph_free(job->graph);
    hop_cluster_free(job->cluster);
    session_close(&job->work);
}

int cluster_job_fail(cluster_job *job, hop_status status) {
    return session_fail(&job->work, status);
}

int cluster_job_write(cluster_job *job, option_id option, const void *items, hop_type type) {
    const char *path = job->given->values[option].text;
    if (!is_given(job->given, option))
        return CODE_OK;
    uint64_t all = job->graph != NULL ? hop_cluster_graph_vertices(job->graph) : job->elements;
    uint64_t first, count;
    hop_cluster_part(job->cluster, all, &first, &count);
    hop_view part = {items, count, type};
    hop_status status = hop_cluster_items_write(job->cluster, all, path, &part);
    if (status != HOP_OK)
        return cluster_job_fail(job, status);
    session_say(&job->work, "wrote %s", path);
    return CODE_OK;
}

/* The fullest rank's arcs over the mean. */
static double imbalance(const cluster_job *job) {
    double mean =
        (double)hop_cluster_graph_arcs(job->graph) / (double)hop_cluster_ranks(job->cluster);
    return mean > 0 ? (double)job->arcs_most / mean : 1;
}

void cluster_job_report(cluster_job *job, json *out) {
    const hop_cluster_graph *graph = job->graph;
    uint64_t ranks = hop_cluster_ranks(job->cluster);
    if (!job->work.json) {
        session_say(&job->work, "%s: %s, %s, %s; %s in %s, most arcs on a rank: %.3f of the mean",
                    job->given->operands[0],
                    counted_text(hop_cluster_graph_vertices(graph), "vertex", "vertices").s,
                    counted_text(hop_cluster_graph_edges(graph), "edge", "edges").s,
                    hop_cluster_graph_directed(graph) ? "directed" : "undirected",
                    counted_text(ranks, "rank", "ranks").s, seconds_text(job->open_seconds).s,
                    imbalance(job));
        return;
    }
    json_begin(out, stdout, job->given->verb->name);
    json_string(out, "graph", job->given->operands[0]);
    json_count(out, "ranks", ranks);
    json_count(out, "vertices", hop_cluster_graph_vertices(graph));
    json_count(out, "edges", hop_cluster_graph_edges(graph));
    json_count(out, "arcs", hop_cluster_graph_arcs(graph));
    json_count(out, "loops", hop_cluster_graph_loops(graph));
    json_bool(out, "directed", hop_cluster_graph_directed(graph));
    json_count(out, "most_arcs_per_rank", job->arcs_most);
    json_real(out, "imbalance", imbalance(job));
    json_real(out, "open_seconds", job->open_seconds);
}

double cluster_job_speed(const cluster_job *job) {
    uint64_t all = job->graph != NULL ? hop_cluster_graph_edges(job->graph) : job->elements;
    return job->solve_seconds > 0 ? (double)all / job->solve_seconds : 0;
}

static void phase_tell(cluster_job *job, json *out, const hop_cluster_phase *phase,
                       const uint64_t sums[3], uint64_t most) {
    if (!job->work.json) {
        session_say(&job->work, "  %-24s %s sent, at most %s by a rank, in %s", phase->name,
                    bytes_text(sums[0]).s, bytes_text(most).s,
                    counted_text(phase->rounds, "round", "rounds").s);
        return;
    }
    json_object(out, NULL);
    json_string(out, "name", phase->name);
    json_count(out, "bytes", sums[0]);
    json_count(out, "most_bytes_per_rank", most);
    json_count(out, "messages", sums[1]);
    json_count(out, "control_bytes", sums[2]);
    json_count(out, "rounds", phase->rounds);
    json_end(out);
}

/* All ranks have the same phases in the same order. */
static hop_status phases_tell(cluster_job *job, json *out) {
    hop_cluster_phase phase = {.size = sizeof phase};
    hop_status status = HOP_OK;
    for (size_t i = 0; status == HOP_OK && hop_cluster_phase_at(job->cluster, i, &phase); i++) {
        uint64_t sums[3], most = 0;
        status = hop_cluster_total(job->cluster, phase.bytes, &sums[0], &most);
        if (status == HOP_OK)
            status = hop_cluster_total(job->cluster, phase.messages, &sums[1], NULL);
        if (status == HOP_OK)
            status = hop_cluster_total(job->cluster, phase.control, &sums[2], NULL);
        if (status == HOP_OK)
            phase_tell(job, out, &phase, sums, most);
    }
    return status;
}

int cluster_job_finish(cluster_job *job, json *out) {
    hop_status status = hop_cluster_total(job->cluster, hop_context_memory_peak(job->work.context),
                                          NULL, &job->peak_most);
    if (status == HOP_OK && job->work.json) {
        json_real(out, "solve_seconds", job->solve_seconds);
        json_real(out, job->graph != NULL ? "edges_per_second" : "elements_per_second",
                  cluster_job_speed(job));
        json_count(out, "most_peak_bytes_per_rank", job->peak_most);
        json_array(out, "phases");
    }
    if (status == HOP_OK)
        status = phases_tell(job, out);
    if (status == HOP_OK && job->work.json) {
        json_end(out);
        json_finish(out);
    }
    return status == HOP_OK ? CODE_OK : cluster_job_fail(job, status);
}
