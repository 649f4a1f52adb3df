/* SPDX-License-Identifier: Apache-2.0
 *
 * usage: k_core [DEVICE [SCALE [K]]]
 *
 * The k-core of an R-MAT graph on a device, by the scheduler (k_core_program.cl), and compared with
 * the host. For authors of device variants: it is built with the library and uses what only they
 * see; programs of users are like first_graph.c. docs/scheduler.md walks through it. */
#include <stdio.h>
#include <stdlib.h>

#include "core/try.h"
#include "graph/graph_internal.h"
#include "hoplite/hoplite.h"
#include "kernels/programs.h"
#include "kernels/scheduler.h"

extern const hop__program_source hop__program_k_core;

/* Degrees, and the vertices that go first: the tokens to start with. */
static uint64_t first_tokens(const hop_graph *graph, uint32_t k, uint32_t *degrees,
                             uint32_t *tokens) {
    uint64_t count = 0;
    for (uint32_t v = 0; v < graph->vertices; v++) {
        degrees[v] = (uint32_t)(hop__offset(graph, v + 1ull) - hop__offset(graph, v));
        if (degrees[v] < k)
            tokens[count++] = v;
    }
    return count;
}

/* On the device: degrees[v] becomes the number of neighbours that v has left. */
static hop_status peel(hop_context *context, const hop_graph *graph, uint32_t k, uint32_t *degrees,
                       const uint32_t *tokens, uint64_t count, uint64_t *launches) {
    hop_status status;
    uint64_t n = graph->vertices;
    hop__device *device = NULL;
    hop__program *program;
    hop__scheduler scheduler = {0};
    hop__buffer *offsets = NULL, *targets = NULL, *left = NULL;
    hop__form form = {.group = 64};
    hop__schedule schedule = {.chunk = 8, .queues = 1};
    hop__define defines[HOP__SCHEDULE_DEFINES];
    HOP_TRY(status, hop__device_of(context, &device));
    schedule.of[0].capacity =
        n + hop__schedule_items(hop__device_info(device), &schedule, form.group);
    hop__schedule_defines(&schedule, defines);
    HOP_TRY(status, hop__form_program(device, &form, &hop__program_k_core, defines,
                                      HOP__SCHEDULE_DEFINES, &program));
    HOP_TRY(status, hop__scheduler_begin(device, &form, &schedule, program, &scheduler));
    HOP_TRY(status, hop__buffer_borrow(device, "offsets", (n + 1) * 4,
                                       (void *)(uintptr_t)graph->offsets, true, &offsets));
    HOP_TRY(status, hop__buffer_borrow(device, "targets", graph->arcs * 4,
                                       (void *)(uintptr_t)graph->targets, true, &targets));
    HOP_TRY(status, hop__buffer_borrow(device, "degrees", n * 4, degrees, true, &left));
    hop__argument arguments[] = {hop__arg_buffer(offsets), hop__arg_buffer(targets),
                                 hop__arg_buffer(left), hop__arg_u32(k)};
    HOP_TRY(status, hop__scheduler_start(&scheduler, 0, tokens, count));
    HOP_TRY(status, hop__scheduler_run(&scheduler, "peel", arguments, 4));
    HOP_TRY(status, hop__buffer_return(left));
    HOP_TRY(status, hop__device_finish(device));
    *launches = scheduler.counts.launches;
done:
    hop__scheduler_end(&scheduler, status);
    hop__buffer_free(offsets);
    hop__buffer_free(targets);
    hop__buffer_free(left);
    return status;
}

/* The same on the host; tokens[0 .. count) are there, and the array has room for n. */
static void peel_here(const hop_graph *graph, uint32_t k, uint32_t *degrees, uint32_t *tokens,
                      uint64_t count) {
    for (uint64_t i = 0; i < count; i++)
        for (uint64_t a = hop__offset(graph, tokens[i]); a < hop__offset(graph, tokens[i] + 1ull);
             a++)
            if (degrees[graph->targets[a]]-- == k)
                tokens[count++] = graph->targets[a];
}

static int compare(hop_context *context, const hop_graph *graph, uint32_t k) {
    uint32_t n = graph->vertices, left = 0, wrong = 0;
    uint32_t *degrees = malloc(n * sizeof *degrees), *here = malloc(n * sizeof *here);
    uint32_t *tokens = malloc(n * sizeof *tokens);
    uint64_t launches = 0;
    hop_status status = HOP_ERR_MEMORY;
    if (degrees && here && tokens) {
        uint64_t count = first_tokens(graph, k, degrees, tokens);
        status = peel(context, graph, k, degrees, tokens, count, &launches);
        count = first_tokens(graph, k, here, tokens);
        peel_here(graph, k, here, tokens, count);
    }
    for (uint32_t v = 0; status == HOP_OK && v < n; v++) {
        left += degrees[v] >= k && degrees[v] <= n;
        wrong += degrees[v] != here[v];
    }
    if (status == HOP_OK)
        printf("the %u-core has %u of %u vertices; %u differ from the host; launches: %llu\n", k,
               left, n, wrong, (unsigned long long)launches);
    else
        fprintf(stderr, "k_core: %s\n", hop_context_message(context));
    free(degrees);
    free(here);
    free(tokens);
    return status == HOP_OK && wrong == 0 ? 0 : 1;
}

int main(int argc, char **argv) {
    hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
    hop_generate_options generate = HOP_GENERATE_OPTIONS_INIT;
    hop_setting settings[] = {{"scale", argc > 2 ? atof(argv[2]) : 14, NULL}};
    hop_context *context = NULL;
    hop_graph *graph = NULL;
    options.device = argc > 1 ? argv[1] : "opencl:0.0";
    generate.settings = settings;
    generate.setting_count = 1;
    if (hop_context_create(&options, &context) != HOP_OK)
        return 2;
    int code = 2;
    if (hop_graph_generate(context, "rmat", &generate, &graph) == HOP_OK)
        code = compare(context, graph, argc > 3 ? (uint32_t)atoi(argv[3]) : 8);
    hop_graph_release(graph);
    hop_context_free(context);
    return code;
}
