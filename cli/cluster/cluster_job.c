/* SPDX-License-Identifier: Apache-2.0
 *
 * See cluster_job.h. */
#include "cluster/cluster_job.h"

#include <stdio.h>

#include "complaint.h"
#include "exit_codes.h"
#include "number_text.h"
#include "recipe.h"
#include "svg_chart.h"

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
    if (hop_cluster_rank(cluster_ranks) != 0) {
        job->work.quiet = true;
        job->work.bar.wanted = false;
    }
    /* A rank that cannot begin must not be waited for. */
    hop_status status = hop_cluster_agree(cluster_ranks, code == CODE_OK ? HOP_OK : HOP_ERR_MEMORY);
    return code == CODE_OK && status != HOP_OK ? CODE_FAILURE : code;
}

int cluster_job_join(cluster_job *job, const arguments *given) {
    *job = (cluster_job){.given = given};
    arguments own;
    int code = plot_name_check(given, OPT_SPREAD_PLOT);
    if (code == CODE_OK)
        code = context_open(job, &own);
    if (code != CODE_OK)
        return code;
    hop_cluster_options options = HOP_CLUSTER_OPTIONS_INIT;
    options.message_bytes = given->values[OPT_MESSAGE].number;
    hop_status status = hop_cluster_create(job->work.context, &options, &job->cluster);
    if (status != HOP_OK)
        return cluster_job_fail(job, status);
    hop_cluster_reset(job->cluster); /* joining is not of the job */
    job->began = clock_seconds();
    return CODE_OK;
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
    bar_wipe(&job->work.bar);
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

/* ---- the ranks in figures -------------------------------------------------------------------- */

static uint64_t nanoseconds(double seconds) {
    return seconds > 0 ? (uint64_t)(1e9 * seconds) : 0;
}

static rank_seconds seconds_of(const cluster_job *job, const hop_cluster_spread *spread) {
    double ranks = (double)hop_cluster_ranks(job->cluster);
    return (rank_seconds){1e-9 * (double)spread->least, 1e-9 * (double)spread->sum / ranks,
                          1e-9 * (double)spread->most};
}

/* A line of two of them. */
static void seconds_say(cluster_job *job, const char *spent, rank_seconds of, rank_seconds waited) {
    session_say(&job->work, "    %s %s, %s, %s; waited %s, %s, %s", spent, seconds_text(of.least).s,
                seconds_text(of.mean).s, seconds_text(of.most).s, seconds_text(waited.least).s,
                seconds_text(waited.mean).s, seconds_text(waited.most).s);
}

static void seconds_json(json *out, const char *key, rank_seconds of) {
    json_object(out, key);
    json_real(out, "least", of.least);
    json_real(out, "mean", of.mean);
    json_real(out, "most", of.most);
    json_end(out);
}

/* The most of a rank over the mean; 1 where there is nothing. */
static double over_mean(const cluster_job *job, const hop_cluster_spread *spread) {
    double mean = (double)spread->sum / (double)hop_cluster_ranks(job->cluster);
    return mean > 0 ? (double)spread->most / mean : 1;
}

/* A row of the picture, if one is wanted; later phases than there is room for are left out. */
static figure_row *figure_add(cluster_job *job, const char *name, rank_seconds seconds,
                              rank_seconds waiting) {
    figure *drawn = &job->drawn;
    figure_row *row = &drawn->rows[drawn->count < FIGURE_ROWS ? drawn->count++ : FIGURE_ROWS - 1];
    *row = (figure_row){.seconds = seconds, .waiting = waiting};
    snprintf(row->name, sizeof row->name, "%s", name);
    return row;
}

enum { BYTES, MESSAGES, CONTROL, SECONDS, WAITING, PHASE_FIGURES };

static void phase_tell(cluster_job *job, json *out, const hop_cluster_phase *phase,
                       const hop_cluster_spread spreads[PHASE_FIGURES]) {
    rank_seconds seconds = seconds_of(job, &spreads[SECONDS]);
    rank_seconds waiting = seconds_of(job, &spreads[WAITING]);
    double uneven = over_mean(job, &spreads[BYTES]);
    figure_row *row = figure_add(job, phase->name, seconds, waiting);
    row->bytes = spreads[BYTES].sum;
    row->messages = spreads[MESSAGES].sum;
    row->rounds = phase->rounds;
    row->uneven = uneven;
    if (!job->work.json) {
        session_say(
            &job->work, "  %-24s %s sent, at most %s by a rank (%.2f of the mean), in %s and %s",
            phase->name, bytes_text(spreads[BYTES].sum).s, bytes_text(spreads[BYTES].most).s,
            uneven, counted_text(spreads[MESSAGES].sum, "message", "messages").s,
            counted_text(phase->rounds, "round", "rounds").s);
        seconds_say(job, "took", seconds, waiting);
        return;
    }
    json_object(out, NULL);
    json_string(out, "name", phase->name);
    json_count(out, "bytes", spreads[BYTES].sum);
    json_count(out, "most_bytes_per_rank", spreads[BYTES].most);
    json_real(out, "imbalance", uneven);
    json_count(out, "messages", spreads[MESSAGES].sum);
    json_count(out, "control_bytes", spreads[CONTROL].sum);
    json_count(out, "rounds", phase->rounds);
    seconds_json(out, "seconds", seconds);
    seconds_json(out, "waiting_seconds", waiting);
    json_end(out);
}

/* All ranks have the same phases in the same order: by their names this is checked, and by one more
 * call that none is left. */
static hop_status phases_tell(cluster_job *job, json *out) {
    hop_cluster_phase phase = {.size = sizeof phase};
    hop_status status = HOP_OK;
    bool some = true;
    for (size_t i = 0; status == HOP_OK && some; i++) {
        some = hop_cluster_phase_at(job->cluster, i, &phase);
        uint64_t figures[PHASE_FIGURES] = {
            [BYTES] = phase.bytes,
            [MESSAGES] = phase.messages,
            [CONTROL] = phase.control,
            [SECONDS] = nanoseconds(phase.seconds),
            [WAITING] = nanoseconds(phase.waiting),
        };
        hop_cluster_spread spreads[PHASE_FIGURES];
        status = hop_cluster_spread_of(job->cluster, some ? phase.name : "no phase", figures,
                                       PHASE_FIGURES, spreads);
        if (status == HOP_OK && some)
            phase_tell(job, out, &phase, spreads);
    }
    return status;
}

/* Of the whole job: what a rank had in memory, worked and waited. */
typedef struct job_figures {
    uint64_t peak_most;
    rank_seconds working, waiting;
} job_figures;

static hop_status figures_gather(cluster_job *job, job_figures *figures) {
    double waited = hop_cluster_waited(job->cluster);
    uint64_t own[] = {hop_context_memory_peak(job->work.context),
                      nanoseconds(clock_seconds() - job->began - waited), nanoseconds(waited)};
    hop_cluster_spread spreads[sizeof own / sizeof own[0]];
    hop_status status =
        hop_cluster_spread_of(job->cluster, "job", own, sizeof own / sizeof own[0], spreads);
    if (status == HOP_OK)
        *figures = (job_figures){spreads[0].most, seconds_of(job, &spreads[1]),
                                 seconds_of(job, &spreads[2])};
    return status;
}

static void figures_tell(cluster_job *job, json *out, const job_figures *figures) {
    const rank_seconds *working = &figures->working, *waiting = &figures->waiting;
    rank_seconds all = {working->mean + waiting->mean, working->mean + waiting->mean,
                        working->mean + waiting->mean};
    figure_add(job, "the whole job", all, *waiting);
    snprintf(job->drawn.title, sizeof job->drawn.title, "%.20s %.80s on %s", job->given->verb->name,
             job->given->operands[0],
             counted_text(hop_cluster_ranks(job->cluster), "rank", "ranks").s);
    if (!job->work.json) {
        session_say(&job->work, "the ranks: the least, the mean and the most of them");
        seconds_say(job, "worked", *working, *waiting);
        return;
    }
    json_real(out, "solve_seconds", job->solve_seconds);
    json_real(out, job->graph != NULL ? "edges_per_second" : "elements_per_second",
              cluster_job_speed(job));
    json_count(out, "most_peak_bytes_per_rank", figures->peak_most);
    seconds_json(out, "working_seconds", *working);
    seconds_json(out, "waiting_seconds", *waiting);
    json_array(out, "phases");
}

int cluster_job_finish(cluster_job *job, json *out) {
    job_figures figures;
    hop_status status = figures_gather(job, &figures);
    if (status == HOP_OK)
        figures_tell(job, out, &figures);
    if (status == HOP_OK)
        status = phases_tell(job, out);
    if (status == HOP_OK && job->work.json) {
        json_end(out);
        json_finish(out);
    }
    if (status != HOP_OK)
        return cluster_job_fail(job, status);
    bool draw = is_given(job->given, OPT_SPREAD_PLOT) && hop_cluster_rank(job->cluster) == 0;
    return draw ? figure_write(job->given, &job->drawn) : CODE_OK;
}
