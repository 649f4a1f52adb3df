/* SPDX-License-Identifier: Apache-2.0
 *
 * hoplite plan: what a graph would need on a cluster. The formulas are the cluster's own
 * (cluster_model.h), which its tests hold real ranks to; here they are put together by problem. */
#include <math.h>
#include <stdio.h>

#include "arguments.h"
#include "cluster/cluster_model.h"
#include "complaint.h"
#include "exit_codes.h"
#include "json_writer.h"
#include "number_text.h"

enum { TERMS_MOST = 4, RANKS_MOST = 65536 };

/* Assumed of a network: what a message costs its sender, and a step of a call that waits for all
 * ranks, of which there are log2(ranks). */
#define MESSAGE_SECONDS 0.5e-6
#define STEP_SECONDS    5e-6
#define ONE_MACHINE     1e9 /* edges below which it is faster */
#define MESSAGE_BYTES   0x1p30
#define GIGABIT_100     12500000000u

typedef struct cost {
    struct cost_term {
        const char *phase;
        double bytes;
    } terms[TERMS_MOST]; /* of one rank */
    size_t count;
    double exchanges, waits;
    double memory; /* of one rank, with the graph */
} cost;

typedef struct plan {
    double edges;
    uint64_t nodes, ranks_per_node, memory, bandwidth; /* memory 0: not given */
    double levels;                                     /* 0: not given */
    hop__model model;
} plan;

static void term_add(cost *made, const char *phase, double bytes) {
    made->terms[made->count].phase = phase;
    made->terms[made->count++].bytes = bytes;
}

/* ---- one row for each problem ---------------------------------------------------------------- */

static void open_cost(const plan *work, cost *made) {
    term_add(made, "ends", hop__model_open(&work->model));
    made->exchanges = 1;
    made->waits = 8;
    made->memory = hop__model_open_memory(&work->model);
}

static void components_cost(const plan *work, cost *made) {
    double rounds = hop__model_in_rounds(&work->model) ? HOP__MODEL_PAIR_ROUNDS : 0;
    term_add(made, "roots", hop__model_roots(&work->model));
    term_add(made, "pairs", hop__model_pairs(&work->model));
    made->exchanges = 2 + 5 * rounds;
    made->waits = 4 + 6 * rounds;
    made->memory =
        hop__model_graph_memory(&work->model) + hop__model_components_memory(&work->model);
}

static void bfs_cost(const plan *work, cost *made) {
    double levels = work->levels > 0 ? work->levels : hop__model_levels(&work->model);
    double down = work->model.directed ? 1 : HOP__MODEL_DOWN_SHARE;
    if (!work->model.directed)
        term_add(made, "bits", hop__model_bits(&work->model, HOP__MODEL_UP_LEVELS));
    term_add(made, "targets", down * hop__model_down(&work->model));
    made->exchanges = 2 * levels;
    made->waits = 2 + 4 * levels;
    made->memory = hop__model_graph_memory(&work->model) + hop__model_bfs_memory(&work->model);
}

static void sssp_cost(const plan *work, cost *made) {
    bool horizon = hop__model_has_horizon(&work->model);
    double improved = horizon ? HOP__MODEL_WITHIN : HOP__MODEL_IMPROVED;
    term_add(made, "targets", hop__model_targets(&work->model, improved));
    if (horizon)
        term_add(made, "settled", hop__model_settled(&work->model));
    term_add(made, "distances", hop__model_distances(&work->model));
    term_add(made, "parents", hop__model_parents(&work->model));
    made->exchanges = 2 * HOP__MODEL_PATH_ROUNDS + 2;
    made->waits = 7 + 5 * HOP__MODEL_PATH_ROUNDS;
    made->memory = hop__model_graph_memory(&work->model) + hop__model_sssp_memory(&work->model);
}

static const struct plan_row {
    const char *name;
    void (*fill)(const plan *work, cost *made);
} plan_rows[] = {
    {"open", open_cost},
    {"components", components_cost},
    {"bfs", bfs_cost},
    {"sssp", sssp_cost},
};
enum { PLAN_ROWS = sizeof plan_rows / sizeof plan_rows[0] };

/* ---- of a node ------------------------------------------------------------------------------- */

typedef struct need {
    double memory, bytes, messages, bandwidth_seconds, wait_seconds;
    const char *dominant; /* what takes longest */
} need;

static need need_of(const plan *work, const struct plan_row *row) {
    cost made = {.count = 0};
    double ranks = work->model.ranks, per_node = (double)work->ranks_per_node, bytes = 0, most = 0;
    need found = {.dominant = "waits"};
    row->fill(work, &made);
    for (size_t i = 0; i < made.count; i++) {
        bytes += made.terms[i].bytes;
        if (made.terms[i].bytes > most) {
            most = made.terms[i].bytes;
            found.dominant = made.terms[i].phase;
        }
    }
    /* Ranks of one node do not use its network. */
    double outside = ranks > 1 ? (1 - 1 / (double)work->nodes) / (1 - 1 / ranks) : 0;
    found.memory = per_node * (made.memory + hop__model_cluster_memory(&work->model));
    found.bytes = per_node * bytes * outside;
    found.messages = per_node * (made.exchanges * (ranks - 1) + floor(bytes / MESSAGE_BYTES));
    found.bandwidth_seconds = found.bytes / (double)work->bandwidth;
    found.wait_seconds =
        found.messages * MESSAGE_SECONDS + made.waits * ceil(log2(ranks)) * STEP_SECONDS;
    if (found.wait_seconds > found.bandwidth_seconds)
        found.dominant = "waits";
    return found;
}

static plan plan_with(const plan *work, uint64_t nodes) {
    plan other = *work;
    other.nodes = nodes;
    other.model =
        hop__model_make(work->model.vertices, work->edges, (double)(nodes * work->ranks_per_node),
                        work->model.directed, work->model.weight_bytes);
    return other;
}

static double memory_needed(const plan *work) {
    double most = 0;
    for (size_t i = 0; i < PLAN_ROWS; i++)
        most = fmax(most, need_of(work, &plan_rows[i]).memory);
    return most;
}

/* Whether a rank can number its vertices and ends. */
static bool is_numbered(const plan *work) {
    return hop__model_all_ends(&work->model) < HOP__MODEL_ENDS_MOST;
}

static bool does_fit(const plan *work) {
    return is_numbered(work) && (work->memory == 0 || memory_needed(work) <= (double)work->memory);
}

/* The fewest nodes that would do; 0: there are none. */
static uint64_t nodes_enough(const plan *work) {
    uint64_t most = RANKS_MOST / work->ranks_per_node, low = 0, high = 1;
    plan tried;
    for (;; high = high * 2 < most ? high * 2 : most) {
        tried = plan_with(work, high);
        if (does_fit(&tried))
            break;
        if (high == most)
            return 0;
        low = high;
    }
    while (high - low > 1) {
        tried = plan_with(work, low + (high - low) / 2);
        if (does_fit(&tried))
            high = tried.nodes;
        else
            low = tried.nodes;
    }
    return high;
}

/* ---- the report ------------------------------------------------------------------------------ */

static void tell_json(const plan *work, uint64_t enough) {
    json out;
    json_begin(&out, stdout, "plan");
    json_real(&out, "edges", work->edges);
    json_real(&out, "vertices", work->model.vertices);
    json_bool(&out, "directed", work->model.directed);
    json_count(&out, "nodes", work->nodes);
    json_count(&out, "ranks", (uint64_t)work->model.ranks);
    json_real(&out, "arcs_per_rank", work->model.arcs);
    json_real(&out, "ends_per_rank", work->model.ends);
    json_real(&out, "memory_bytes", memory_needed(work));
    if (work->memory == 0)
        json_null(&out, "budget_bytes");
    else
        json_count(&out, "budget_bytes", work->memory);
    json_bool(&out, "fits", does_fit(work));
    if (enough == 0)
        json_null(&out, "nodes_enough");
    else
        json_count(&out, "nodes_enough", enough);
    json_bool(&out, "one_machine_is_faster", work->edges < ONE_MACHINE);
    json_array(&out, "problems");
    for (size_t i = 0; i < PLAN_ROWS; i++) {
        need found = need_of(work, &plan_rows[i]);
        json_object(&out, NULL);
        json_string(&out, "name", plan_rows[i].name);
        json_real(&out, "memory_bytes", found.memory);
        json_real(&out, "bytes", found.bytes);
        json_real(&out, "messages", found.messages);
        json_real(&out, "bandwidth_seconds", found.bandwidth_seconds);
        json_real(&out, "wait_seconds", found.wait_seconds);
        json_string(&out, "dominant", found.dominant);
        json_end(&out);
    }
    json_end(&out);
    json_finish(&out);
}

static void tell_advice(const plan *work, uint64_t enough) {
    double needed = memory_needed(work);
    if (work->edges < ONE_MACHINE)
        printf("One machine is faster, as a rule, where it can hold the graph: two ranks on two "
               "cores reach 0.5 to 0.9 of the speed of two threads. Use hoplite.\n");
    if (!is_numbered(work))
        printf("It does not fit: a rank would have %s different vertices, fewer than 2^32 are "
               "possible.\n",
               count_text((uint64_t)hop__model_all_ends(&work->model)).s);
    else if (!does_fit(work))
        printf("It does not fit: a node needs %s and has %s.\n", bytes_text((uint64_t)needed).s,
               bytes_text(work->memory).s);
    else if (work->memory > 0)
        printf("It fits: a node needs %s of its %s.\n", bytes_text((uint64_t)needed).s,
               bytes_text(work->memory).s);
    else
        printf("A node needs %s.\n", bytes_text((uint64_t)needed).s);
    if (does_fit(work))
        return;
    if (enough > 0)
        printf("Use %s nodes or more%s.\n", count_text(enough).s,
               work->ranks_per_node > 1 ? ", or fewer ranks on each" : "");
    else
        printf("No number of nodes is enough: use nodes with more memory%s.\n",
               work->ranks_per_node > 1 ? ", or fewer ranks on each" : "");
}

static void tell_text(const plan *work, uint64_t enough) {
    printf("%s, %s, %s, %s each: %s arcs on a rank, to %s vertices of others\n\n",
           counted_text((uint64_t)work->edges, "edge", "edges").s,
           counted_text((uint64_t)work->model.vertices, "vertex", "vertices").s,
           counted_text(work->nodes, "node", "nodes").s,
           counted_text(work->ranks_per_node, "rank", "ranks").s,
           count_text((uint64_t)work->model.arcs).s, count_text((uint64_t)work->model.ends).s);
    printf("%-10s  %12s  %12s  %12s  %12s  %12s  %s\n", "of a node", "memory", "sends", "messages",
           "for bytes", "for waits", "most for");
    for (size_t i = 0; i < PLAN_ROWS; i++) {
        need found = need_of(work, &plan_rows[i]);
        printf("%-10s  %12s  %12s  %12s  %12s  %12s  %s\n", plan_rows[i].name,
               bytes_text((uint64_t)found.memory).s, bytes_text((uint64_t)found.bytes).s,
               count_text((uint64_t)found.messages).s, seconds_text(found.bandwidth_seconds).s,
               seconds_text(found.wait_seconds).s, found.dominant);
    }
    printf("\n");
    tell_advice(work, enough);
}

/* ---- the call -------------------------------------------------------------------------------- */

static int take_size(const arguments *given, option_id option, double *size) {
    *size = floor(given->values[option].real);
    if (!is_given(given, option))
        return complain(CODE_USAGE, "--edges M, --vertices N and --nodes N are needed");
    if (!(*size >= 1 && *size < 0x1p62))
        return complain(CODE_USAGE, "--%s %s: a number from 1 to 2^62 expected",
                        option_rows[option].name, given->values[option].text);
    return CODE_OK;
}

static double weight_bytes(const arguments *given) {
    return is_given(given, OPT_PLAN_WEIGHTS)
               ? (double)hop_type_size((hop_type)given->values[OPT_PLAN_WEIGHTS].number)
               : 0;
}

static int take_plan(const arguments *given, plan *work) {
    double vertices = 0;
    int code = take_size(given, OPT_PLAN_EDGES, &work->edges);
    if (code == CODE_OK)
        code = take_size(given, OPT_PLAN_VERTICES, &vertices);
    if (code == CODE_OK && !is_given(given, OPT_PLAN_NODES))
        code = complain(CODE_USAGE, "--edges M, --vertices N and --nodes N are needed");
    if (code != CODE_OK)
        return code;
    const option_value *values = given->values;
    work->nodes = values[OPT_PLAN_NODES].number;
    work->ranks_per_node = is_given(given, OPT_PLAN_RANKS) ? values[OPT_PLAN_RANKS].number : 1;
    if (work->nodes * work->ranks_per_node > RANKS_MOST)
        return complain(CODE_USAGE, "%s nodes with %s ranks each: at most 65,536 ranks in all",
                        count_text(work->nodes).s, count_text(work->ranks_per_node).s);
    work->memory = is_given(given, OPT_PLAN_MEMORY) ? values[OPT_PLAN_MEMORY].number : 0;
    work->bandwidth =
        is_given(given, OPT_PLAN_BANDWIDTH) ? values[OPT_PLAN_BANDWIDTH].number : GIGABIT_100;
    work->levels = is_given(given, OPT_PLAN_LEVELS) ? (double)values[OPT_PLAN_LEVELS].number : 0;
    work->model.vertices = vertices;
    work->model.directed = is_given(given, OPT_PLAN_DIRECTED);
    work->model.weight_bytes = weight_bytes(given);
    *work = plan_with(work, work->nodes);
    return CODE_OK;
}

int run_plan(const arguments *given) {
    plan work = {.edges = 0};
    int code = take_plan(given, &work);
    if (code != CODE_OK)
        return code;
    uint64_t enough = nodes_enough(&work);
    if (is_given(given, OPT_JSON))
        tell_json(&work, enough);
    else
        tell_text(&work, enough);
    return CODE_OK;
}
