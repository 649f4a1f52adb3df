/* SPDX-License-Identifier: Apache-2.0
 *
 * Cong's question whether sorting pays for itself: memory segments that a round of graft touches,
 * as it is and with its accesses sorted. bench_segments FAMILY(er|rmat) LOG2-EDGES LOG2-VERTICES
 *
 * One work-item per edge; w neighbouring items make one step, which costs as many transactions as
 * it touches aligned segments of w words. For w = 1 ... 128 it prints the transactions per edge of
 *   graft    the edge (two words), the labels of both ends; the same for graft-update's graft
 *   update   the edge read and written, the labels of both ends
 *   sorted   the same labels in sorted order, and the two sorts that it takes: per pass of 4 bits
 *            keys are read twice and written once, in the second sort with a value
 * and the number of different labels that a round reads. Rounds are those of graft-update: ends are
 * labels, and what a round changes is seen in the next. Sorts are counted in the first round: later
 * ones sort the same ends. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hoplite/hoplite.h"

enum { WIDTHS = 8, DIGIT = 4, ROUNDS_MOST = 64 };

static uint32_t *stamps;

/* Segments that windows of w items touch. */
static double segments(const uint32_t *places, uint64_t count, unsigned shift) {
    uint64_t total = 0;
    for (uint64_t i = 0; i < count; i++) {
        uint32_t window = (uint32_t)(i >> shift), segment = places[i] >> shift;
        if (stamps[segment] != window) {
            stamps[segment] = window;
            total++;
        }
    }
    return (double)total / (double)count;
}

static void clear_stamps(uint64_t words) {
    memset(stamps, 0xff, words * sizeof *stamps);
}

/* Adds to cost[] what sorting `keys` by DIGIT bits at a time takes; `words` per element moved. */
static void count_sort(uint32_t *keys, uint32_t *spare, uint32_t *places, uint64_t count,
                       unsigned bits, unsigned words, double cost[WIDTHS]) {
    for (unsigned low = 0; low < bits; low += DIGIT) {
        uint64_t next[1 << DIGIT] = {0}, sum = 0;
        for (uint64_t i = 0; i < count; i++)
            next[keys[i] >> low & ((1 << DIGIT) - 1)]++;
        for (unsigned d = 0; d < 1 << DIGIT; d++) {
            uint64_t here = next[d];
            next[d] = sum;
            sum += here;
        }
        for (uint64_t i = 0; i < count; i++) {
            places[i] = (uint32_t)next[keys[i] >> low & ((1 << DIGIT) - 1)]++;
            spare[places[i]] = keys[i];
        }
        memcpy(keys, spare, count * sizeof *keys);
        for (unsigned s = 0; s < WIDTHS; s++) {
            clear_stamps((count >> s) + 1);
            cost[s] += (2.0 + words) / (1u << s) + words * segments(places, count, s);
        }
    }
}

static void fail(hop_context *context) {
    fprintf(stderr, "bench_segments: %s\n", hop_context_message(context));
    exit(1);
}

static hop_graph *make(hop_context *context, const char *family, unsigned edges, unsigned n) {
    hop_setting random[] = {{"n", (double)(1u << n), NULL}, {"m", (double)(1u << edges), NULL}};
    hop_setting free_scale[] = {
        {"scale", n, NULL}, {"edge-factor", (double)(1u << (edges - n)), NULL},
        {"a", .45, NULL},   {"b", .15, NULL},
        {"c", .15, NULL},   {"d", .25, NULL}};
    bool er = strcmp(family, "er") == 0;
    hop_generate_options options = HOP_GENERATE_OPTIONS_INIT;
    hop_graph *graph = NULL;
    options.settings = er ? random : free_scale;
    options.setting_count = er ? 2 : 6;
    if (hop_graph_generate(context, er ? "erdos-renyi" : "rmat", &options, &graph) != HOP_OK)
        fail(context);
    return graph;
}

int main(int argc, char **argv) {
    if (argc != 4)
        return 2;
    hop_context *context = NULL;
    if (hop_context_create(NULL, &context) != HOP_OK)
        return 1;
    unsigned bits = (unsigned)atoi(argv[3]);
    hop_graph *graph = make(context, argv[1], (unsigned)atoi(argv[2]), bits);
    uint32_t n = hop_graph_vertices(graph);
    const uint32_t *targets = hop_graph_targets(graph);
    uint64_t arcs = hop_graph_arcs(graph), m = 0;
    size_t width = 0;
    const void *offsets = hop_graph_offsets(graph, &width);
    uint32_t *from = malloc(arcs * 4), *to = malloc(arcs * 4), *labels = malloc((size_t)n * 4 + 4);
    uint32_t *keys = malloc(arcs * 4), *spare = malloc(arcs * 4), *places = malloc(arcs * 4);
    stamps = malloc((arcs > n ? arcs : n) * 4 + 64);
    for (uint64_t v = 0; v < n; v++) {
        uint64_t i = width == 4 ? ((const uint32_t *)offsets)[v] : ((const uint64_t *)offsets)[v];
        uint64_t end =
            width == 4 ? ((const uint32_t *)offsets)[v + 1] : ((const uint64_t *)offsets)[v + 1];
        for (; i < end; i++)
            if (targets[i] < v) {
                from[m] = (uint32_t)v;
                to[m++] = targets[i];
            }
        labels[v] = (uint32_t)v;
    }
    /* Generated edges come in no order: rows are, so the list is shuffled. */
    uint64_t state = 1;
    for (uint64_t i = m; i > 1; i--) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        uint64_t j = (state >> 20) % i;
        uint32_t f = from[i - 1], t = to[i - 1];
        from[i - 1] = from[j], to[i - 1] = to[j];
        from[j] = f, to[j] = t;
    }
    double sort[WIDTHS] = {0}, in_order[WIDTHS] = {0};
    for (int end = 0; end < 2; end++) {
        memcpy(keys, end ? from : to, m * 4);
        count_sort(keys, spare, places, m, bits, end ? 3 : 2, sort);
        for (unsigned s = 0; s < WIDTHS; s++) {
            clear_stamps((n >> s) + 1);
            in_order[s] += segments(keys, m, s);
        }
    }
    printf("%s: %u vertices, %llu edges\nround  different", argv[1], n, (unsigned long long)m);
    for (unsigned s = 0; s < WIDTHS; s++)
        printf("  w=%-5u", 1u << s);
    bool changed = true;
    for (unsigned round = 1; changed && round < ROUNDS_MOST; round++) {
        uint64_t different = 0;
        changed = false;
        clear_stamps(n);
        for (uint64_t i = 0; i < m; i++)
            for (int end = 0; end < 2; end++) {
                uint32_t v = end ? from[i] : to[i];
                different += stamps[v] != 0;
                stamps[v] = 0;
            }
        printf("\n%5u %10llu", round, (unsigned long long)different);
        for (unsigned s = 0; s < WIDTHS; s++) {
            double cost = 2.0 / (1u << s);
            for (int end = 0; end < 2; end++) {
                clear_stamps((n >> s) + 1);
                cost += segments(end ? from : to, m, s);
            }
            printf("  %-7.3f", cost);
        }
        for (uint64_t i = 0; i < m; i++) {
            /* The ends as they were before the round: graft-update does not look labels up. */
            uint32_t a = from[i], b = to[i], low = a < b ? a : b, high = a < b ? b : a;
            changed |= a != b;
            if (labels[high] > low)
                labels[high] = low;
        }
        for (uint32_t v = 0; v < n; v++)
            labels[v] = labels[labels[v]]; /* ascending: the one above is a root already */
        for (uint64_t i = 0; i < m; i++) { /* graft-update: the ends become their labels */
            from[i] = labels[from[i]];
            to[i] = labels[to[i]];
        }
    }
    printf("\nsorted, a round   ");
    for (unsigned s = 0; s < WIDTHS; s++)
        printf("  %-7.3f", 4.0 / (1u << s) + in_order[s] + sort[s]);
    printf("\n");
    hop_graph_release(graph);
    hop_context_free(context);
    return 0;
}
