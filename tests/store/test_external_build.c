/* SPDX-License-Identifier: Apache-2.0
 * Native files built on disk have the bytes of those built in memory: for every rule, type of
 * weights, budget and number of threads, with rows and arcs that do not fit, and they keep their
 * budget. Damaged scratch, no room on the disk, no memory, a cancel: an error, and nothing left. */
#include "io/binary_testing.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include "core/context_internal.h"
#include "graph/edge_source.h"
#include "graph/graph_internal.h"
#include "store/external_build.h"

enum { MIB = 1 << 20 };

static char memory_path[128], disk_path[128];

/* Edges in arrays that no budget counts. */
typedef struct edges {
    uint64_t count;
    uint32_t *from, *to;
    double *weights; /* small whole numbers: every type holds them */
    hop_weight_type type;
} edges;

static void fill(const void *user, uint64_t first, uint32_t count, hop_vertex *from, hop_vertex *to,
                 void *weights) {
    const edges *all = user;
    for (uint32_t i = 0; i < count; i++) {
        from[i] = all->from[first + i];
        to[i] = all->to[first + i];
        double weight = all->weights[first + i];
        switch (all->type) {
        case HOP_TYPE_INT32:
            ((int32_t *)weights)[i] = (int32_t)weight;
            break;
        case HOP_TYPE_INT64:
            ((int64_t *)weights)[i] = (int64_t)weight;
            break;
        case HOP_TYPE_FLOAT32: /* sums depend on their order */
            ((float *)weights)[i] = (float)(weight * 0.1);
            break;
        case HOP_TYPE_FLOAT64:
            ((double *)weights)[i] = weight * 0.1;
            break;
        default:
            break;
        }
    }
}

static edges make_edges(uint64_t count) {
    return (edges){count, malloc(count * 4 + 4), malloc(count * 4 + 4), malloc(count * 8 + 8),
                   HOP_TYPE_NONE};
}

static void free_edges(edges *all) {
    free(all->from);
    free(all->to);
    free(all->weights);
}

/* `hub` of 256 edges begin at vertex n / 3, `same` of 256 are the edge from there to itself or the
 * next vertex. */
static edges draw_edges(uint64_t count, uint32_t n, unsigned hub, unsigned same, uint64_t seed) {
    edges all = make_edges(count);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t ends = hop__random_at(seed, 1, i), rest = hop__random_at(seed, 2, i);
        all.from[i] = (uint32_t)ends % n;
        all.to[i] = (uint32_t)(ends >> 32) % n;
        if (rest % 256 < hub)
            all.from[i] = n / 3;
        if (rest / 256 % 256 < same) {
            all.from[i] = n / 3;
            all.to[i] = (n / 3 + (uint32_t)(rest >> 16 & 1)) % n;
        }
        all.weights[i] = (double)((rest >> 20) % 1000);
    }
    return all;
}

static hop_context *budget_context(uint64_t budget, unsigned threads) {
    hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
    hop_context *context = NULL;
    options.memory_budget = budget;
    options.threads = threads;
    assert_int_equal(hop_context_create(&options, &context), HOP_OK);
    return context;
}

static void write_in_memory(const edges *all, const hop__build *build) {
    hop_context *context = budget_context(UINT64_C(4) << 30, 2);
    hop__edge_source source = {all->count, all->type, fill, all, NULL};
    hop_graph *graph = NULL;
    assert_int_equal(hop__graph_build(context, &source, build, &graph), HOP_OK);
    assert_int_equal(hop_graph_write(context, graph, memory_path, NULL), HOP_OK);
    hop_graph_release(graph);
    free_context(context);
}

static void assert_same_files(const char *a, const char *b) {
    file_bytes first = load_file(a), second = load_file(b);
    assert_int_equal(first.count, second.count);
    assert_memory_equal(first.bytes, second.bytes, first.count);
    free(first.bytes);
    free(second.bytes);
}

static hop_status build_on_disk(hop_context *context, const edges *all, const hop__build *build) {
    hop__edge_source source = {all->count, all->type, fill, all, NULL};
    hop__external external;
    hop__names names = {NULL, 0, NULL};
    hop_graph *graph = NULL;
    hop__external_init(&external, disk_path, temporary(NULL));
    hop_status status =
        external.outsider.build(context, &external.outsider, &source, build, names, &graph);
    assert_int_equal(external.used, status == HOP_OK);
    hop_graph_release(graph);
    return status;
}

static void check_build(const edges *all, const hop__build *build, uint64_t budget,
                        unsigned threads) {
    hop_context *context = budget_context(budget, threads);
    hop_status status = build_on_disk(context, all, build);
    if (status != HOP_OK)
        fail_msg("%s", hop_context_message(context));
    assert_true(hop_context_memory_peak(context) <= budget);
    free_context(context);
    assert_same_files(memory_path, disk_path);
    remove(disk_path);
}

/* ---- the same bytes -------------------------------------------------------------------------- */

static void every_rule_and_type(void **state) {
    (void)state;
    edges all = draw_edges(300000, 5000, 20, 4, 7);
    for (int type = HOP_TYPE_NONE; type <= HOP_TYPE_FLOAT64; type++)
        for (int rule = 0; rule <= HOP_DUPLICATES_KEEP; rule++) {
            hop__build build = {5000,
                                (type + rule) % 2 != 0,
                                (hop_duplicates)rule,
                                rule % 2 ? HOP_LOOPS_DROP : HOP_LOOPS_KEEP,
                                "edge",
                                false};
            all.type = (hop_weight_type)type;
            write_in_memory(&all, &build);
            check_build(&all, &build, 9 * MIB, 1 + (unsigned)rule % 3);
            remove(memory_path);
        }
    free_edges(&all);
}

/* Edges of which most are in one row, or are one arc: buckets that do not fit are split by source,
 * by target, and merged part by part. */
static void hubs_that_do_not_fit(void **state) {
    (void)state;
    static const unsigned shares[][2] = {{256, 0}, {200, 100}, {0, 256}, {255, 128}};
    for (size_t i = 0; i < sizeof shares / sizeof shares[0]; i++)
        for (int rule = (int)i % 2; rule <= HOP_DUPLICATES_KEEP; rule += 2) {
            edges all = draw_edges(1000000, 70000, shares[i][0], shares[i][1], i);
            hop__build build = {70000,          rule % 2, (hop_duplicates)rule,
                                HOP_LOOPS_KEEP, "edge",   false};
            all.type = i % 2 ? HOP_TYPE_FLOAT32 : HOP_TYPE_NONE;
            write_in_memory(&all, &build);
            check_build(&all, &build, 8 * MIB, 2);
            remove(memory_path);
            free_edges(&all);
        }
}

static void every_budget_and_team(void **state) {
    (void)state;
    edges all = draw_edges(1500000, 300000, 10, 0, 3);
    hop__build build = {300000, false, HOP_DUPLICATES_SUM, HOP_LOOPS_KEEP, "edge", false};
    all.type = HOP_TYPE_INT64;
    write_in_memory(&all, &build);
    for (unsigned threads = 1; threads <= 4; threads += 3)
        for (uint64_t budget = 14; budget <= 40; budget += 13)
            check_build(&all, &build, budget * MIB, threads);
    remove(memory_path);
    free_edges(&all);
}

static void few_vertices_and_no_edges(void **state) {
    (void)state;
    for (uint32_t n = 0; n < 4; n++) {
        edges all = n > 0 ? draw_edges(n > 2 ? 0 : 1000, n, 0, 0, n) : make_edges(0);
        hop__build build = {n, n % 2, HOP_DUPLICATES_MIN, HOP_LOOPS_KEEP, "edge", false};
        all.type = HOP_TYPE_INT32;
        write_in_memory(&all, &build);
        check_build(&all, &build, 12 * MIB, 2);
        remove(memory_path);
        free_edges(&all);
    }
}

int main(void) {
    snprintf(memory_path, sizeof memory_path, "%s", temporary("memory.npz"));
    snprintf(disk_path, sizeof disk_path, "%s", temporary("disk.npz"));
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_rule_and_type),
        cmocka_unit_test(hubs_that_do_not_fit),
        cmocka_unit_test(every_budget_and_team),
        cmocka_unit_test(few_vertices_and_no_edges),
    };
    return cmocka_run_group_tests(tests, NULL, temporary_end);
}
