/* SPDX-License-Identifier: Apache-2.0
 *
 * What `hoplite bench` runs on: a file or a recipe, and the sources in it. docs/bench.md has the
 * rule by which sources are drawn. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "bench/bench.h"
#include "complaint.h"
#include "exit_codes.h"
#include "number_text.h"
#include "vertex_file.h"

static uint64_t draw(uint64_t *state) {
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* Takes v as a source if it fits; `taken` has a bit for each that was. */
static void offer_source(bench_input *input, uint64_t v, uint64_t *taken) {
    if ((taken[v / 64] >> (v % 64) & 1) != 0 || hop_graph_degree(input->graph, (hop_vertex)v) == 0)
        return;
    taken[v / 64] |= UINT64_C(1) << (v % 64);
    input->sources[input->source_count++] = (hop_vertex)v;
}

static void draw_sources(const bench *all, bench_input *input) {
    uint64_t state = all->seed, n = input->info.vertices;
    uint64_t possible = n - input->info.isolated; /* with an arc out */
    size_t wanted = all->wanted_sources < possible ? all->wanted_sources : (size_t)possible;
    uint64_t *taken = need_memory(NULL, n / 64 + 1, sizeof *taken);
    memset(taken, 0, (n / 64 + 1) * sizeof *taken);
    for (size_t i = 0; i < 1000 * wanted && input->source_count < wanted; i++)
        offer_source(input, (draw(&state) >> 32) * n >> 32, taken);
    for (uint64_t v = 0; v < n && input->source_count < wanted; v++)
        offer_source(input, v, taken);
    free(taken);
}

/* --source: as given, each once. */
static int take_named(bench *all, bench_input *input) {
    vertex_space space = space_of_graph(input->graph);
    const char *word;
    for (size_t i = 0; (word = given_text(all->given, OPT_START, i)) != NULL; i++) {
        hop_vertex vertex = HOP_NO_VERTEX;
        bool seen = false;
        int code = vertex_find(&space, "--source", word, &vertex);
        if (code != CODE_OK)
            return code;
        for (size_t k = 0; k < input->source_count; k++)
            seen |= input->sources[k] == vertex;
        if (seen)
            continue;
        input->sources =
            need_memory(input->sources, input->source_count + 1, sizeof *input->sources);
        input->sources[input->source_count++] = vertex;
    }
    return CODE_OK;
}

static int take_sources(bench *all, bench_input *input) {
    bool wants = all->problem == HOP_PROBLEM_BFS || all->problem == HOP_PROBLEM_SSSP;
    input->sources = need_memory(NULL, all->wanted_sources, sizeof *input->sources);
    if (!wants) {
        input->sources[0] = 0;
        input->source_count = 1;
        return CODE_OK;
    }
    if (is_given(all->given, OPT_START))
        return take_named(all, input);
    draw_sources(all, input);
    if (input->source_count == 0)
        return complain(CODE_FAILURE, "%s: no vertex has an arc, so there is no source",
                        input->word);
    if (input->source_count < all->wanted_sources)
        session_say(all->work, "%s: only %s vertices have an arc: as many sources", input->word,
                    count_text(input->source_count).s);
    return CODE_OK;
}

/* Reverse arcs and the like, for the variants that make use of them. Graphs go to devices with the
 * runs, which warm up first; this context has none. */
static hop_status prepare(bench *all, bench_input *input) {
    unsigned uses = 0;
    for (size_t i = 0; i < all->variant_count; i++)
        if (all->variants[i].row != NULL)
            uses |= all->variants[i].row->uses;
        else
            for (size_t k = 0; k < hop_variant_count(all->problem); k++)
                uses |= hop_variant_at(all->problem, k)->uses;
    uses &= ~HOP_PREPARE_DEVICE;
    if (uses == 0 || is_given(all->given, OPT_UNPREPARED))
        return HOP_OK;
    double began = clock_seconds();
    hop_status status = hop_graph_prepare(all->work->context, input->graph, uses);
    input->prepare_seconds = clock_seconds() - began;
    return status;
}

static int measure_graph(bench *all, bench_input *input) {
    hop_context *context = all->work->context;
    input->info = (hop_graph_info)HOP_GRAPH_INFO_INIT;
    hop_status status = hop_graph_check(context, input->graph);
    if (status == HOP_OK)
        status = prepare(all, input);
    if (status == HOP_OK)
        status = hop_graph_describe(context, input->graph, &input->info);
    if (status == HOP_OK)
        status = hop_graph_hash(context, input->graph, &input->hash);
    if (status != HOP_OK)
        return session_fail(all->work, status);
    input->elements = input->info.vertices;
    input->memory_bytes = input->info.memory_bytes;
    return CODE_OK;
}

static void weights_json(json *out, const hop_graph_info *info) {
    bool whole = info->weight_type == HOP_TYPE_INT32 || info->weight_type == HOP_TYPE_INT64;
    json_string(out, "weight_type", hop_type_name(info->weight_type));
    if (info->weight_type == HOP_TYPE_NONE || info->arcs == 0) {
        json_null(out, "min_weight");
        json_null(out, "max_weight");
    } else if (whole) {
        json_integer(out, "min_weight", info->min_weight_int);
        json_integer(out, "max_weight", info->max_weight_int);
    } else {
        json_real(out, "min_weight", info->min_weight);
        json_real(out, "max_weight", info->max_weight);
    }
}

static void graph_json(json *out, const bench_input *input) {
    const hop_graph_info *info = &input->info;
    json_count(out, "vertices", info->vertices);
    json_count(out, "edges", info->edges);
    json_count(out, "arcs", info->arcs);
    json_bool(out, "directed", info->directed);
    weights_json(out, info);
    json_count(out, "min_degree", info->min_degree);
    json_count(out, "max_degree", info->max_degree);
    json_real(out, "mean_degree",
              info->vertices > 0 ? (double)info->arcs / (double)info->vertices : 0);
    json_count(out, "isolated", info->isolated);
    json_real(out, "prepare_seconds", input->prepare_seconds);
}

static int row_graph(bench *all, const bench_input *input) {
    char hash[17];
    json *out = &all->rows.out;
    bool wants = all->problem == HOP_PROBLEM_BFS || all->problem == HOP_PROBLEM_SSSP;
    row_begin(&all->rows, "graph");
    json_string(out, "graph", input->word);
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)input->hash);
    json_string(out, "graph_hash", hash);
    if (input->graph != NULL)
        graph_json(out, input);
    else
        json_count(out, "elements", input->elements);
    json_count(out, "memory_bytes", input->memory_bytes);
    json_real(out, "load_seconds", input->load_seconds);
    json_array(out, "sources");
    for (size_t i = 0; wants && i < input->source_count; i++)
        json_count(out, NULL, hop_graph_label(input->graph, input->sources[i]));
    json_end(out);
    return row_end(&all->rows);
}

int input_open(bench *all, const char *word, bench_input *input) {
    *input = (bench_input){.word = word};
    int code;
    if (all->problem == HOP_PROBLEM_RANK) {
        code = file_read_list(all->work, word, &input->list);
        input->elements = input->list.count;
        input->load_seconds = input->list.open_seconds;
        input->memory_bytes = (uint64_t)input->elements * sizeof(hop_vertex);
        if (code == CODE_OK)
            input->hash = XXH3_64bits(input->list.successors, input->memory_bytes);
    } else {
        opened_graph opened = {0};
        code = file_read(all->work, word, &opened);
        input->graph = opened.graph;
        input->load_seconds = opened.open_seconds;
        if (code == CODE_OK)
            code = measure_graph(all, input);
    }
    bar_wipe(&all->work->bar);
    if (code == CODE_OK)
        code = take_sources(all, input);
    return code == CODE_OK ? row_graph(all, input) : code;
}

void input_close(bench_input *input) {
    hop_graph_release(input->graph);
    list_close(&input->list);
    free(input->sources);
    *input = (bench_input){0};
}
