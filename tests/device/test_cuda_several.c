/* SPDX-License-Identifier: Apache-2.0
 *
 * Two devices of CUDA in one process (HOPLITE_PTX_DEVICES=2): what a context asks for is done on
 * its own device and not on the other one, which the driver's count of memory tells; answers are
 * right side by side, in turn and in two threads; and when one is lost, the other goes on. */
#include "device/cuda_testing.h"

#include <cuda.h>
#include <pthread.h>

#include "device/backend.h"
#include "hoplite/hoplite.h"
#include "problem/report.h"
#include "span_testing.h"

enum { BOTH = 2, WORDS = 1000, ROUNDS = 3, GROUP = 64, ILLEGAL_ADDRESS = 700 };

static const char *const names[BOTH] = {"cuda:0", "cuda:1"};

static struct {
    __typeof__(cuDevicePrimaryCtxRetain) *retain;
    __typeof__(cuDevicePrimaryCtxRelease_v2) *release;
    __typeof__(cuCtxPushCurrent_v2) *push;
    __typeof__(cuCtxPopCurrent_v2) *pop;
    __typeof__(cuMemGetInfo_v2) *memory;
} driver;

static void find_driver(void) {
    find_stand_in();
    if (usable_devices().count < BOTH)
        skip();
    void *library = dlopen(getenv("HOPLITE_CUDA_LIB"), RTLD_NOW | RTLD_LOCAL);
    *(void **)&driver.retain = dlsym(library, "cuDevicePrimaryCtxRetain");
    *(void **)&driver.release = dlsym(library, "cuDevicePrimaryCtxRelease_v2");
    *(void **)&driver.push = dlsym(library, "cuCtxPushCurrent_v2");
    *(void **)&driver.pop = dlsym(library, "cuCtxPopCurrent_v2");
    *(void **)&driver.memory = dlsym(library, "cuMemGetInfo_v2");
    assert_true(driver.retain && driver.release && driver.push && driver.pop && driver.memory);
}

/* Bytes in use on a device, as its driver counts them. */
static size_t used_on(int device) {
    CUcontext context = NULL;
    size_t available = 0, total = 0;
    assert_int_equal(driver.retain(&context, device), CUDA_SUCCESS);
    assert_int_equal(driver.push(context), CUDA_SUCCESS);
    assert_int_equal(driver.memory(&available, &total), CUDA_SUCCESS);
    assert_int_equal(driver.pop(NULL), CUDA_SUCCESS);
    assert_int_equal(driver.release(device), CUDA_SUCCESS);
    return total - available;
}

/* --- the table, in turn ---------------------------------------------------------------------- */

static const char step_text[] =
    "extern \"C\" __global__ void step(unsigned *data, unsigned by, unsigned count) {\n"
    "    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    if (i < count)\n"
    "        data[i] = data[i] * by + i;\n"
    "}\n";
static const hop__source step_piece = {"step.cu", step_text};
static const hop__source *const step_pieces[] = {&step_piece};
static const hop__program_source step_source = {"step", step_pieces, 1};

typedef struct opened {
    hop_context *context;
    hop__device *device;
    hop__kernel *step;
    hop__buffer *data;
} opened;

static void open_number(opened *at, int number) {
    hop__program *program = NULL;
    at->context = device_context(names[number]);
    assert_fine(at->context, hop__device_of(at->context, &at->device));
    assert_fine(at->context, hop__program_get(at->device, &step_source, NULL, 0, &program));
    assert_fine(at->context, hop__kernel_get(program, "step", &at->step));
}

static void each_works_on_its_own(void **state) {
    static uint32_t right[BOTH][WORDS], got[WORDS];
    opened at[BOTH];
    size_t before[BOTH];
    (void)state;
    find_driver();
    for (int d = 0; d < BOTH; d++)
        open_number(&at[d], d);
    for (int d = 0; d < BOTH; d++)
        before[d] = used_on(d);
    for (int d = 0; d < BOTH; d++) { /* the second device has the larger one */
        uint64_t bytes = (uint64_t)(d + 1) * sizeof got;
        assert_fine(at[d].context, hop__buffer_create(at[d].device, "data", bytes, &at[d].data));
        for (int other = 0; other < BOTH; other++)
            assert_int_equal(used_on(other) - before[other],
                             other <= d ? (size_t)(other + 1) * sizeof got : 0);
        for (uint32_t i = 0; i < WORDS; i++)
            right[d][i] = i ^ (uint32_t)d;
        assert_fine(at[d].context, hop__buffer_write(at[d].data, 0, sizeof got, right[d]));
    }
    for (uint32_t round = 1; round <= ROUNDS; round++)
        for (uint32_t d = 0; d < BOTH; d++) {
            hop__argument arguments[] = {hop__arg_buffer(at[d].data), hop__arg_u32(round + 7 * d),
                                         hop__arg_u32(WORDS)};
            assert_fine(at[d].context,
                        hop__launch(at[d].step, hop__grid(WORDS, GROUP), arguments, 3));
            for (uint32_t i = 0; i < WORDS; i++)
                right[d][i] = right[d][i] * (round + 7 * d) + i;
        }
    for (int d = 0; d < BOTH; d++) {
        assert_fine(at[d].context, hop__buffer_read_now(at[d].data, 0, sizeof got, got));
        assert_memory_equal(got, right[d], sizeof got);
        hop__buffer_free(at[d].data);
    }
    for (int d = 0; d < BOTH; d++)
        free_context(at[d].context);
    assert_int_equal(stand_in.live(), 0);
}

/* --- whole calls ----------------------------------------------------------------------------- */

typedef struct answer {
    hop_vertex *levels, *parents, *labels;
    int64_t *distances;
} answer;

static hop_graph *make_graph(hop_context *context, double vertices) {
    const hop_setting settings[] = {{"n", vertices, NULL}, {"m", 3 * vertices, NULL}};
    hop_generate_options options = HOP_GENERATE_OPTIONS_INIT;
    hop_graph *graph = NULL;
    options.settings = settings;
    options.setting_count = HOP_LENGTH(settings);
    options.weight_type = HOP_TYPE_INT32;
    assert_fine(context, hop_graph_generate(context, "erdos-renyi", &options, &graph));
    return graph;
}

static void make_room(answer *of, hop_vertex n) {
    of->levels = malloc(3 * n * sizeof *of->levels);
    of->parents = of->levels + n;
    of->labels = of->parents + n;
    of->distances = malloc(n * sizeof *of->distances);
    memset(of->levels, 0xa5, 3 * n * sizeof *of->levels);
    memset(of->distances, 0xa5, n * sizeof *of->distances);
}

static void free_room(answer *of) {
    free(of->levels);
    free(of->distances);
}

/* All of it certified. Asserts nothing, as it runs in threads too. */
static hop_status answer_all(hop_context *context, const hop_graph *graph, const char *names_of[3],
                             answer *to) {
    const hop_vertex source = 5;
    hop_run run = HOP_RUN_INIT;
    hop_bfs_options bfs = HOP_BFS_OPTIONS_INIT;
    hop_sssp_options sssp = HOP_SSSP_OPTIONS_INIT;
    hop_components_options components = HOP_COMPONENTS_OPTIONS_INIT;
    bfs.run = sssp.run = components.run = &run;
    run.certify = HOP_CERTIFY_CANONICAL;
    run.variant = names_of[0];
    hop_status status = hop_bfs(context, graph, &source, 1, &bfs, to->levels, to->parents);
    run.variant = names_of[1];
    if (status == HOP_OK)
        status = hop_components(context, graph, &components, to->labels, NULL);
    run.variant = names_of[2];
    if (status == HOP_OK)
        status = hop_sssp(context, graph, &source, 1, &sssp, ROOM(graph, to->distances), NULL);
    return status;
}

static const char *on_devices[] = {"frontier", "afforest", "delta-stepping"};
static const char *on_host[] = {"sequential", "union-find", "dijkstra"};

static bool is_same(const answer *a, const answer *b, hop_vertex n) {
    return memcmp(a->levels, b->levels, 3 * n * sizeof *a->levels) == 0 &&
           memcmp(a->distances, b->distances, n * sizeof *a->distances) == 0;
}

/* One graph for both contexts: each has a copy on its own device, and only there. */
static void one_graph_on_both(void **state) {
    (void)state;
    find_driver();
    hop_context *host = make_context(1), *context[BOTH];
    hop_graph *graph = make_graph(host, 300);
    const hop_vertex n = hop_graph_vertices(graph);
    answer right, got;
    make_room(&right, n);
    assert_fine(host, answer_all(host, graph, on_host, &right));
    for (int d = 0; d < BOTH; d++)
        context[d] = device_context(names[d]);
    for (int turn = 0; turn < 2 * BOTH; turn++) {
        const int d = (turn + 1) % BOTH; /* the second first */
        const size_t other = used_on(1 - d);
        make_room(&got, n);
        assert_fine(context[d], answer_all(context[d], graph, on_devices, &got));
        assert_true(is_same(&got, &right, n));
        assert_true(used_on(d) >= n * sizeof(uint32_t)); /* the graph has stayed */
        assert_int_equal(used_on(1 - d), other);
        free_room(&got);
    }
    for (int d = 0; d < BOTH; d++)
        free_context(context[d]);
    hop_graph_release(graph);
    free_context(host);
    free_room(&right);
    assert_int_equal(stand_in.live(), 0);
}

typedef struct worker {
    int number;
    const hop_graph *graph;
    const answer *right;
    pthread_barrier_t *start;
    pthread_t thread;
    char fault[256]; /* empty: all was right */
} worker;

static void *work(void *arg) {
    worker *own = arg;
    const hop_vertex n = hop_graph_vertices(own->graph);
    hop_context *context = device_context(names[own->number]);
    pthread_barrier_wait(own->start);
    for (int round = 0; round < ROUNDS && own->fault[0] == '\0'; round++) {
        answer got;
        make_room(&got, n);
        hop_status status = answer_all(context, own->graph, on_devices, &got);
        if (status != HOP_OK)
            snprintf(own->fault, sizeof own->fault, "%s: %.200s", names[own->number],
                     hop_context_message(context));
        else if (!is_same(&got, own->right, n))
            snprintf(own->fault, sizeof own->fault, "%s: a wrong answer", names[own->number]);
        free_room(&got);
    }
    hop_context_free(context);
    return NULL;
}

static void both_at_the_same_time(void **state) {
    (void)state;
    find_driver();
    hop_context *host = make_context(1);
    pthread_barrier_t start;
    worker workers[BOTH] = {{0}};
    answer right[BOTH];
    hop_graph *graphs[BOTH];
    assert_int_equal(pthread_barrier_init(&start, NULL, BOTH), 0);
    for (int d = 0; d < BOTH; d++) {
        graphs[d] = make_graph(host, 200 + 150 * d);
        make_room(&right[d], hop_graph_vertices(graphs[d]));
        assert_fine(host, answer_all(host, graphs[d], on_host, &right[d]));
        workers[d] = (worker){.number = d, .graph = graphs[d], .right = &right[d], .start = &start};
    }
    for (int d = 0; d < BOTH; d++)
        assert_int_equal(pthread_create(&workers[d].thread, NULL, work, &workers[d]), 0);
    for (int d = 0; d < BOTH; d++)
        assert_int_equal(pthread_join(workers[d].thread, NULL), 0);
    for (int d = 0; d < BOTH; d++) {
        assert_string_equal(workers[d].fault, "");
        hop_graph_release(graphs[d]);
        free_room(&right[d]);
    }
    pthread_barrier_destroy(&start);
    free_context(host);
    assert_int_equal(stand_in.live(), 0);
}

/* A kernel that fails on one leaves that one unusable, and the other as it was. */
static void the_other_goes_on(void **state) {
    (void)state;
    find_driver();
    hop_context *host = make_context(1), *context[BOTH];
    hop_graph *graph = make_graph(host, 100);
    const hop_vertex n = hop_graph_vertices(graph);
    answer right, got;
    make_room(&right, n);
    make_room(&got, n);
    assert_fine(host, answer_all(host, graph, on_host, &right));
    for (int d = 0; d < BOTH; d++) {
        context[d] = device_context(names[d]);
        assert_fine(context[d], answer_all(context[d], graph, on_devices, &got));
    }
    stand_in.fault("cuLaunchKernel", 1, ILLEGAL_ADDRESS);
    assert_int_equal(answer_all(context[0], graph, on_devices, &got), HOP_ERR_DEVICE);
    assert_int_equal(stand_in.faults(), 1);
    memset(got.levels, 0x5a, 3 * n * sizeof *got.levels);
    assert_fine(context[1], answer_all(context[1], graph, on_devices, &got));
    assert_true(is_same(&got, &right, n));
    assert_int_equal(answer_all(context[0], graph, on_devices, &got), HOP_ERR_DEVICE);
    assert_non_null(strstr(hop_context_message(context[0]), "device cuda:0 is lost"));
    assert_null(stand_in.lost_use());
    stand_in.fault(NULL, 0, 0);
    for (int d = 0; d < BOTH; d++)
        free_context(context[d]);
    hop_graph_release(graph);
    free_context(host);
    free_room(&right);
    free_room(&got);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_works_on_its_own),
        cmocka_unit_test(one_graph_on_both),
        cmocka_unit_test(both_at_the_same_time),
        cmocka_unit_test(the_other_goes_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
