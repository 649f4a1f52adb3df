/* SPDX-License-Identifier: Apache-2.0
 * What the device says of itself decides how work is cut and whether arrays are copied, and its
 * type does not: every combination of the bits, on made-up records and on each device. */
#include "core/try.h"
#include "device/backend.h"
#include "device/device_testing.h"
#include "graph/graph_internal.h"
#include "hoplite/hoplite.h"
#include "kernels/launching.h"
#include "kernels/scheduler.h"

enum { ALL = HOP_DEVICE_SHARED | HOP_DEVICE_CHUNKED | HOP_DEVICE_FEW, VERTICES = 1000, UNITS = 6 };

/* Combination number i of the three. */
static unsigned bits_of(unsigned i) {
    return i * HOP_DEVICE_SHARED;
}

static void records_decide(void **state) {
    static const hop_device_type types[] = {HOP_DEVICE_CPU, HOP_DEVICE_GPU, HOP_DEVICE_OTHER};
    const hop__schedule schedule = {.queues = 1};
    (void)state;
    for (unsigned i = 0; i < 8; i++)
        for (size_t t = 0; t < HOP_LENGTH(types); t++) {
            hop__device device = {.info = {.type = types[t],
                                           .capabilities = bits_of(i) | HOP_DEVICE_ATOMIC64,
                                           .compute_units = UNITS,
                                           .group_size = 256}};
            bool few = (bits_of(i) & HOP_DEVICE_FEW) != 0;
            assert_int_equal(hop__most_groups(&device.info), UNITS * (few ? 8 : 16));
            assert_int_equal(hop__schedule_groups(&device.info, &schedule), UNITS * (few ? 1 : 4));
            assert_int_equal(hop__form_chunked(&device, NULL),
                             (bits_of(i) & HOP_DEVICE_CHUNKED) != 0);
            assert_int_equal(hop__device_shares_memory(&device),
                             (bits_of(i) & HOP_DEVICE_SHARED) != 0);
            hop__device_keep_apart(&device, true);
            assert_false(hop__device_shares_memory(&device));
        }
}

/* A ring with chords, from 0: the levels are those of the host, and arcs go over a bus, once, where
 * memory is not shared. */
static void check_bfs(hop_context *context, const hop_graph *graph, const hop_vertex *levels) {
    static hop_vertex got[VERTICES];
    hop_bfs_options options = HOP_BFS_OPTIONS_INIT;
    hop_run run = HOP_RUN_INIT;
    hop_vertex source = 0;
    hop__device *device = context->device;
    bool shared = (device->info.capabilities & HOP_DEVICE_SHARED) != 0;
    uint64_t rows = (VERTICES + UINT64_C(1)) * graph->offset_bytes + graph->arcs * 4;
    run.variant = "frontier";
    options.run = &run;
    hop_device_trim(context);
    for (int again = 0; again < 2; again++) {
        uint64_t before = hop__device_kept_bytes(device).copied;
        assert_fine(context, hop_bfs(context, graph, &source, 1, &options, got, NULL));
        assert_memory_equal(got, levels, sizeof got);
        assert_int_equal(hop__device_kept_bytes(device).copied - before,
                         shared || again > 0 ? 0 : rows);
    }
}

static void check_rank(hop_context *context) {
    static hop_vertex successors[VERTICES], ranks[VERTICES];
    hop_rank_options options = HOP_RANK_OPTIONS_INIT;
    hop_run run = HOP_RUN_INIT;
    run.variant = "splitter";
    options.run = &run;
    for (hop_vertex i = 0; i < VERTICES; i++)
        successors[i] = i + 1 < VERTICES ? i + 1 : i;
    assert_fine(context, hop_rank(context, successors, VERTICES, &options, ranks));
    for (hop_vertex i = 0; i < VERTICES; i++)
        assert_int_equal(ranks[i], VERTICES - 1 - i);
}

static hop_graph *make_graph(hop_context *context) {
    static uint32_t offsets[VERTICES + 1];
    static hop_vertex targets[2 * VERTICES];
    hop_csr csr = HOP_CSR_INIT;
    hop_csr_options how = HOP_CSR_OPTIONS_INIT;
    hop_graph *graph = NULL;
    for (hop_vertex v = 0; v < VERTICES; v++) {
        hop_vertex next = (v + 1) % VERTICES, far = v * 7 % VERTICES;
        offsets[v + 1] = 2 * (v + 1);
        targets[2 * v] = next < far ? next : far;
        targets[2 * v + 1] = next < far ? far : next;
    }
    csr.vertices = VERTICES;
    csr.offsets = offsets;
    csr.targets = targets;
    how.directed = true;
    assert_fine(context, hop_graph_from_csr(context, &csr, &how, &graph));
    return graph;
}

static void combinations_body(hop_context *context, hop__device *device) {
    static hop_vertex levels[VERTICES];
    const unsigned had = device->info.capabilities;
    const hop_bfs_options options = HOP_BFS_OPTIONS_INIT;
    const hop_vertex source = 0;
    hop_graph *graph = make_graph(context);
    hop_context *host = make_context(1);
    assert_fine(host, hop_bfs(host, graph, &source, 1, &options, levels, NULL));
    free_context(host);
    for (unsigned i = 0; i < 8; i++) {
        if ((bits_of(i) & ~had & HOP_DEVICE_SHARED) != 0)
            continue; /* it cannot */
        device->info.capabilities = (had & ~(unsigned)ALL) | bits_of(i);
        check_bfs(context, graph, levels);
        check_rank(context);
    }
    device->info.capabilities = had;
    hop_graph_release(graph);
}

static void combinations_agree(void **state) {
    (void)state;
    on_each_device(combinations_body);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_decide),
        cmocka_unit_test(combinations_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
