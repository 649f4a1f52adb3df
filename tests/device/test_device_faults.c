/* SPDX-License-Identifier: Apache-2.0
 *
 * Every call of OpenCL fails once with each of six codes, on every runtime: the answer is right, or
 * the call ends with an error that says something; nothing is left behind, and nothing hangs. */
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/try.h"
#include "device/device_testing.h"
#include "hoplite/hoplite.h"
#include "problem/report.h"
#include "span_testing.h"

enum { SECONDS_MOST = 300 }; /* of one run; a hang ends the test */

/* fault_layer.h, found in the layer that the library has opened. */
static void (*fault_arm)(unsigned long k, int code);
static unsigned long (*fault_calls)(void);
static const char *(*fault_hit)(void);
static long (*fault_alive)(void);
static void (*fault_hold_builds)(int hold);
static int (*fault_held_builds)(void);

static const struct {
    int code;
    const char *name;
} codes[] = {
    {-2, "CL_DEVICE_NOT_AVAILABLE"}, {-4, "CL_MEM_OBJECT_ALLOCATION_FAILURE"},
    {-5, "CL_OUT_OF_RESOURCES"},     {-6, "CL_OUT_OF_HOST_MEMORY"},
    {-30, "CL_INVALID_VALUE"},       {-36, "CL_INVALID_COMMAND_QUEUE"},
};
enum { CODES = sizeof codes / sizeof codes[0] };

static void find_layer(void) {
    const char *path = getenv("HOPLITE_OPENCL_LIB");
    assert_non_null(path);
    void *layer = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    assert_non_null(layer);
    *(void **)&fault_arm = dlsym(layer, "fault_arm");
    *(void **)&fault_calls = dlsym(layer, "fault_calls");
    *(void **)&fault_hit = dlsym(layer, "fault_hit");
    *(void **)&fault_alive = dlsym(layer, "fault_alive");
    *(void **)&fault_hold_builds = dlsym(layer, "fault_hold_builds");
    *(void **)&fault_held_builds = dlsym(layer, "fault_held_builds");
    assert_true(fault_arm && fault_calls && fault_hit && fault_alive);
    assert_true(fault_hold_builds && fault_held_builds);
}

/* --- the table, call by call ----------------------------------------------------------------- */

static const char twice_text[] = "__kernel void twice(__global uint *data, uint count) {\n"
                                 "    uint i = (uint)get_global_id(0);\n"
                                 "    if (i < count)\n"
                                 "        data[i] = data[i] * 2 + 1;\n"
                                 "}\n";
static const hop__source twice_piece = {"twice.cl", twice_text};
static const hop__source *const twice_pieces[] = {&twice_piece};
static const hop__program_source twice_source = {"twice", twice_pieces, 1};

enum { COUNT = 1000 };

/* Every function of the table once. Wrong data is an assertion; an error is returned. */
static hop_status use_table(hop_context *context) {
    static uint32_t data[COUNT], borrowed[COUNT];
    hop_status status;
    hop__device *device = NULL;
    hop__program *program;
    hop__kernel *kernel;
    hop__buffer *a = NULL, *b = NULL, *c = NULL;
    hop__event *event = NULL;
    for (uint32_t i = 0; i < COUNT; i++)
        data[i] = i, borrowed[i] = 7 * i;
    HOP_TRY(status, hop__device_of(context, &device));
    HOP_TRY(status, hop__program_get(device, &twice_source, NULL, 0, &program));
    HOP_TRY(status, hop__kernel_get(program, "twice", &kernel));
    HOP_TRY(status, hop__buffer_create(device, "a", sizeof data, &a));
    HOP_TRY(status, hop__buffer_create(device, "b", sizeof data, &b));
    HOP_TRY(status, hop__buffer_borrow(device, "c", sizeof borrowed, borrowed, true, &c));
    HOP_TRY(status, hop__queue_write(HOP__QUEUE_COPY, a, 0, sizeof data, data));
    HOP_TRY(status, hop__event_record(device, HOP__QUEUE_COPY, &event));
    HOP_TRY(status, hop__device_flush(device));
    HOP_TRY(status, hop__event_wait(event, HOP__QUEUE_COMPUTE));
    HOP_TRY(status, hop__buffer_fill(b, 0, sizeof data, 5));
    hop__argument arguments[] = {hop__arg_buffer(a), hop__arg_u32(COUNT)};
    HOP_TRY(status, hop__launch(kernel, hop__grid(COUNT, 64), arguments, 2));
    HOP_TRY(status, hop__buffer_copy(a, 0, b, 0, sizeof data / 2));
    arguments[0] = hop__arg_buffer(c);
    HOP_TRY(status, hop__launch(kernel, hop__grid(COUNT, 64), arguments, 2));
    HOP_TRY(status, hop__buffer_return(c));
    HOP_TRY(status, hop__event_sync(event));
    HOP_TRY(status, hop__buffer_read_now(b, 0, sizeof data, data));
    for (uint32_t i = 0; i < COUNT; i++) {
        assert_int_equal(data[i], i < COUNT / 2 ? 2 * i + 1 : 5);
        assert_int_equal(borrowed[i], 14 * i + 1);
    }
done:
    hop__device_settle(device, status);
    hop__event_free(event);
    hop__buffer_free(a);
    hop__buffer_free(b);
    hop__buffer_free(c);
    return status;
}

/* --- whole calls of the problems ------------------------------------------------------------- */

enum { ELEMENTS = 600 };
static const char *variant; /* of the problem under test; NULL: auto */

static hop_status use_rank(hop_context *context) {
    static hop_vertex successors[ELEMENTS], ranks[ELEMENTS];
    hop_report report = {0};
    hop_run run = HOP_RUN_INIT;
    hop_rank_options options = HOP_RANK_OPTIONS_INIT;
    /* Steps of 7 from element 0; 7 and ELEMENTS have no common divisor. */
    for (hop_vertex i = 0, at = 0; i < ELEMENTS; i++) {
        hop_vertex next = (at + 7) % ELEMENTS;
        successors[at] = i + 1 < ELEMENTS ? next : at;
        at = next;
    }
    memset(ranks, 0xee, sizeof ranks);
    run.variant = variant;
    run.report = &report;
    options.run = &run;
    hop_status status = hop_rank(context, successors, ELEMENTS, &options, ranks);
    if (status == HOP_OK)
        for (hop_vertex i = 0, at = 0; i < ELEMENTS; i++, at = (at + 7) % ELEMENTS)
            assert_int_equal(ranks[at], ELEMENTS - 1 - i);
    return status;
}

/* A path over each block of vertices: rows of two arcs, of weight 3 if there are weights, which
 * the graph borrows. */
static hop_graph *make_paths(hop_context *context, hop_vertex block, int32_t *weights) {
    static uint32_t offsets[ELEMENTS + 1];
    static hop_vertex targets[2 * ELEMENTS];
    uint32_t arcs = 0;
    for (hop_vertex v = 0; v < ELEMENTS; v++) {
        offsets[v] = arcs;
        if (v % block > 0)
            targets[arcs++] = v - 1;
        if (v % block + 1 < block)
            targets[arcs++] = v + 1;
    }
    offsets[ELEMENTS] = arcs;
    hop_csr csr = HOP_CSR_INIT;
    csr.vertices = ELEMENTS;
    csr.offsets = offsets;
    csr.targets = targets;
    if (weights) {
        for (uint32_t i = 0; i < arcs; i++)
            weights[i] = 3;
        csr.weights = weights;
        csr.weight_type = HOP_TYPE_INT32;
    }
    hop_csr_options how = HOP_CSR_OPTIONS_INIT;
    how.directed = false;
    hop_graph *graph = NULL;
    assert_fine(context, hop_graph_from_csr(context, &csr, &how, &graph));
    return graph;
}

static hop_status use_components(hop_context *context) {
    static hop_vertex labels[ELEMENTS];
    hop_run run = HOP_RUN_INIT;
    hop_components_options options = HOP_COMPONENTS_OPTIONS_INIT;
    hop_graph *graph = make_paths(context, 100, NULL);
    hop_vertex count = 0;
    run.variant = variant;
    options.run = &run;
    memset(labels, 0xee, sizeof labels);
    hop_status status = hop_components(context, graph, &options, labels, &count);
    if (status == HOP_OK) {
        assert_int_equal(count, ELEMENTS / 100);
        for (hop_vertex v = 0; v < ELEMENTS; v++)
            assert_int_equal(labels[v], v / 100 * 100);
    }
    hop_graph_release(graph);
    return status;
}

/* A ring: the way round is the shorter of two. Of a variant that searches from each vertex only
 * two rows are wanted: all would be tens of thousands of calls. */
static hop_status use_apsp(hop_context *context) {
    enum { RING = 66 }; /* a part of one tile more than 64 */
    static int32_t matrix[RING * RING];
    static uint32_t offsets[RING + 1];
    static hop_vertex targets[2 * RING];
    static const hop_vertex some[] = {65, 31};
    bool each = variant && strcmp(variant, "harish-narayanan") == 0;
    hop_run run = HOP_RUN_INIT;
    hop_apsp_options options = HOP_APSP_OPTIONS_INIT;
    for (hop_vertex v = 0; v < RING; v++) {
        hop_vertex before = (v + RING - 1) % RING, after = (v + 1) % RING;
        offsets[v + 1] = 2 * (v + 1);
        targets[2 * v] = before < after ? before : after;
        targets[2 * v + 1] = before < after ? after : before;
    }
    hop_csr csr = HOP_CSR_INIT;
    csr.vertices = RING;
    csr.offsets = offsets;
    csr.targets = targets;
    hop_csr_options how = HOP_CSR_OPTIONS_INIT;
    how.directed = false;
    hop_graph *graph = NULL;
    hop_status status = hop_graph_from_csr(context, &csr, &how, &graph);
    assert_fine(context, status);
    run.variant = variant;
    options.run = &run;
    options.distance_type = HOP_TYPE_INT32;
    options.sources = each ? some : NULL;
    options.source_count = each ? 2 : 0;
    memset(matrix, 0xee, sizeof matrix);
    status = hop_apsp(context, graph, &options, MATRIX_ROOM(graph, &options, matrix), NULL);
    for (int32_t i = 0; i < (each ? 2 : RING) * RING && status == HOP_OK; i++) {
        int32_t row = each ? (int32_t)some[i / RING] : i / RING, apart = abs(row - i % RING);
        assert_int_equal(matrix[i], apart < RING - apart ? apart : RING - apart);
    }
    hop_graph_release(graph);
    return status;
}

enum { BLOCK = 12 }; /* few levels, so that there are few calls */

/* From the middle of the first block: levels grow to both sides, and other blocks have none. */
static hop_status search_bfs(hop_context *context, const hop_graph *graph) {
    static hop_vertex levels[ELEMENTS], parents[ELEMENTS];
    hop_run run = HOP_RUN_INIT;
    hop_bfs_options options = HOP_BFS_OPTIONS_INIT;
    hop_vertex source = BLOCK / 2;
    run.variant = variant;
    options.run = &run;
    memset(levels, 0xee, sizeof levels);
    memset(parents, 0xee, sizeof parents);
    hop_status status = hop_bfs(context, graph, &source, 1, &options, levels, parents);
    if (status == HOP_OK)
        for (hop_vertex v = 0; v < ELEMENTS; v++) {
            hop_vertex away = v < source ? source - v : v - source;
            assert_int_equal(levels[v], v < BLOCK ? away : HOP_NO_LEVEL);
            assert_int_equal(parents[v], v >= BLOCK    ? HOP_NO_VERTEX
                                         : v == source ? v
                                         : v < source  ? v + 1
                                                       : v - 1);
        }
    return status;
}

static hop_status use_bfs(hop_context *context) {
    hop_graph *graph = make_paths(context, BLOCK, NULL);
    hop_status status = search_bfs(context, graph);
    hop_graph_release(graph);
    return status;
}

/* Two searches of a graph that stays on the device after the first, whatever became of that: what
 * the second finds there must be whole. */
static hop_status use_kept(hop_context *context) {
    hop__device *device = NULL;
    hop_status first = hop__device_of(context, &device);
    if (first != HOP_OK)
        return first;
    hop__device_keep_apart(device, true);
    hop_graph *graph = make_paths(context, BLOCK, NULL);
    first = search_bfs(context, graph);
    hop_status second = search_bfs(context, graph);
    hop_device_trim(context);
    hop_graph_release(graph);
    return first != HOP_OK ? first : second;
}

static hop_status use_sssp(hop_context *context) {
    static hop_vertex parents[ELEMENTS];
    static int64_t distances[ELEMENTS];
    static int32_t weights[2 * ELEMENTS];
    hop_run run = HOP_RUN_INIT;
    hop_sssp_options options = HOP_SSSP_OPTIONS_INIT;
    hop_graph *graph = make_paths(context, BLOCK, weights);
    hop_vertex source = BLOCK / 2;
    run.variant = variant;
    options.run = &run;
    memset(distances, 0xee, sizeof distances);
    memset(parents, 0xee, sizeof parents);
    hop_status status =
        hop_sssp(context, graph, &source, 1, &options, ROOM(graph, distances), parents);
    if (status == HOP_OK)
        for (hop_vertex v = 0; v < ELEMENTS; v++) {
            int64_t away = 3 * (v < source ? (int64_t)source - v : (int64_t)v - source);
            assert_true(distances[v] == (v < BLOCK ? away : HOP_NO_DISTANCE));
            assert_int_equal(parents[v], v >= BLOCK    ? HOP_NO_VERTEX
                                         : v == source ? v
                                         : v < source  ? v + 1
                                                       : v - 1);
        }
    hop_graph_release(graph);
    return status;
}

/* --- the loop -------------------------------------------------------------------------------- */

typedef hop_status (*scenario)(hop_context *context);

static unsigned long faults, survived, turn;
/* Calls that close a device on which nothing was done: two queues drained and released, the context
 * released. */
enum { RELEASES = 5, STRIDE = 8, FAULTS_MOST = SMALLER_TESTS ? 20 : 50 };

/* One run from opening to closing. Returns its status. */
static hop_status run_once(const char *device, scenario use, unsigned long k, int code) {
    hop_context *context = device_context(device);
    fault_arm(k, code);
    alarm(SECONDS_MOST);
    hop_status status = use(context);
    if (status != HOP_OK) {
        const char *message = hop_context_message(context);
        /* A capability that the driver did not tell is one that the device does not have. */
        bool unknown = status == HOP_ERR_UNSUPPORTED && fault_hit() != NULL &&
                       strcmp(fault_hit(), "clGetDeviceInfo") == 0;
        bool expected = unknown || status == HOP_ERR_DEVICE || status == HOP_ERR_MEMORY;
        if (!expected || message[0] == '\0')
            fail_msg("%s, call %lu (%s) with %d: %s '%s'", device, k, fault_hit(), code,
                     hop_status_name(status), message);
    }
    assert_int_equal(hop_device_memory_used(context), 0);
    free_context(context);
    alarm(0);
    if (fault_alive() != 0)
        fail_msg("%s, call %lu (%s) with %d: %ld objects are left", device, k, fault_hit(), code,
                 fault_alive());
    return status;
}

/* Only what comes before the first command: the calls that every scenario begins with. */
static hop_status use_open(hop_context *context) {
    hop__device *device;
    return hop__device_of(context, &device);
}

/* How much is tried: HOPLITE_FAULTS=all in the environment is for long runs. */
static bool try_all(void) {
    const char *wanted = getenv("HOPLITE_FAULTS");
    return wanted != NULL && strcmp(wanted, "all") == 0;
}

/* Every call with every code; or, for whole calls of problems, which are long and many, every
 * eighth call after the opening, or fewer when there are very many, with one code after the other:
 * the next variant and device take the calls in between. */
static void fail_every_call(const char *device, scenario use, bool every_code) {
    assert_int_equal(run_once(device, use_open, 0, 0), HOP_OK);
    unsigned long opening = fault_calls() - RELEASES;
    assert_int_equal(run_once(device, use, 0, 0), HOP_OK); /* compiles what is not cached */
    assert_int_equal(run_once(device, use, 0, 0), HOP_OK);
    unsigned long calls = fault_calls(), first = every_code ? 1 : opening + 1;
    unsigned long right = 0, tried = 0, missed = 0;
    unsigned long stride = calls / STRIDE > FAULTS_MOST ? calls / FAULTS_MOST : STRIDE;
    assert_true(calls > opening && opening > 10);
    for (unsigned long k = first; k <= calls; k++)
        for (size_t i = 0; i < CODES; i++) {
            if (!every_code && (k % stride != turn % stride || (k / stride + turn) % CODES != i))
                continue;
            hop_status status = run_once(device, use, k, codes[i].code);
            if (fault_hit() == NULL) {
                /* The order of a device's groups decides how many rounds some variants take. */
                assert_true(fault_calls() < k && status == HOP_OK);
                missed++;
                continue;
            }
            tried++;
            right += status == HOP_OK;
            /* Once the device is open, the library's own choice always ends with the answer. */
            if (variant == NULL && use != use_table && k > opening && status != HOP_OK)
                fail_msg("%s: auto failed after %s gave %s", device, fault_hit(), codes[i].name);
        }
    turn++;
    assert_true(missed <= tried);
    assert_int_equal(run_once(device, use, 0, 0), HOP_OK);
    faults += tried;
    survived += right;
    print_message("%s: %lu calls, %lu faults, %lu of them with the right answer\n", device, calls,
                  tried, right);
}

static void on_devices(scenario use, bool every_code) {
    find_layer();
    device_names found = usable_devices();
    if (found.count == 0)
        skip();
    for (size_t i = 0; i < found.count; i++)
        fail_every_call(found.names[i], use, every_code || try_all());
}

static void the_table(void **state) {
    (void)state;
    variant = NULL;
    on_devices(use_table, true);
}

/* `auto_too`: what auto chooses for a device that is the processor is not the host. */
static void problem_calls(hop_problem problem, scenario use, bool auto_too) {
    unsigned ran = 0;
    for (size_t i = 0; i < hop_variant_count(problem); i++) {
        const hop_variant *row = hop_variant_at(problem, i);
        if (row->place != HOP_PLACE_DEVICE)
            continue;
        variant = row->name;
        print_message("%s %s\n", hop_problem_name(problem), variant);
        on_devices(use, false);
        ran++;
    }
    if (ran == 0)
        skip();
    variant = NULL;
    if (!auto_too)
        return;
    print_message("%s auto\n", hop_problem_name(problem));
    on_devices(use, false);
}

static void rank_calls(void **state) {
    (void)state;
    problem_calls(HOP_PROBLEM_RANK, use_rank, true);
}

static void components_calls(void **state) {
    (void)state;
    problem_calls(HOP_PROBLEM_COMPONENTS, use_components, true);
}

static void bfs_calls(void **state) {
    (void)state;
    problem_calls(HOP_PROBLEM_BFS, use_bfs, true);
}

static void kept_calls(void **state) {
    (void)state;
    static const char *const names[] = {"frontier", "direction-optimizing", NULL};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        variant = names[k];
        print_message("bfs %s, twice\n", variant ? variant : "auto");
        on_devices(use_kept, false);
    }
    variant = NULL;
}

/* In the child of a fork what the device keeps is let go of without a word to the driver. */
static void a_child_asks_nothing(void **state) {
    (void)state;
    find_layer();
    device_names found = usable_devices();
    if (found.count == 0)
        skip();
    variant = "frontier";
    for (size_t i = 0; i < found.count; i++) {
        hop_context *context = device_context(found.names[i]);
        hop__device *device = NULL;
        fault_arm(0, 0);
        assert_fine(context, hop__device_of(context, &device));
        hop__device_keep_apart(device, true);
        hop_graph *graph = make_paths(context, BLOCK, NULL);
        assert_fine(context, search_bfs(context, graph));
        assert_true(hop_device_memory_used(context) > 0);
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            alarm(SECONDS_MOST);
            fault_arm(0, 0);
            hop_device_trim(context);
            bool refused = search_bfs(context, graph) == HOP_ERR_DEVICE;
            hop_graph_release(graph);
            hop_context_free(context);
            _exit(refused && fault_calls() == 0 ? 0 : 1);
        }
        int status = -1;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
        assert_fine(context, search_bfs(context, graph));
        hop_graph_release(graph);
        free_context(context);
        assert_int_equal(fault_alive(), 0);
    }
    variant = NULL;
}

static void sssp_calls(void **state) {
    (void)state;
    problem_calls(HOP_PROBLEM_SSSP, use_sssp, true);
}

static void apsp_calls(void **state) {
    (void)state;
    problem_calls(HOP_PROBLEM_APSP, use_apsp, false);
}

/* A device that stops working stays lost for its context, visibly, and for no other. */
static void lost_device_is_latched(void **state) {
    (void)state;
    find_layer();
    device_names found = usable_devices();
    if (found.count == 0)
        skip();
    for (size_t i = 0; i < found.count; i++) {
        hop_context *context = device_context(found.names[i]);
        hop__device *device = NULL;
        hop__buffer *buffer = NULL;
        hop_device_info info = {.size = sizeof info};
        uint32_t word = 1;
        fault_arm(0, 0);
        assert_fine(context, hop__device_of(context, &device));
        assert_fine(context, hop__buffer_create(device, "word", sizeof word, &buffer));
        assert_fine(context, hop__buffer_write(buffer, 0, sizeof word, &word));
        fault_arm(1, -5); /* the next call, clFinish, gives CL_OUT_OF_RESOURCES */
        assert_int_equal(hop__device_finish(device), HOP_ERR_DEVICE);
        assert_string_equal(fault_hit(), "clFinish");
        assert_non_null(strstr(hop_context_message(context), "clFinish"));
        assert_non_null(strstr(hop_context_message(context), "CL_OUT_OF_RESOURCES (-5)"));
        assert_true(hop__device_lost(device));
        /* Everything that follows fails at once, with the old reason; nothing is asked of it. */
        fault_arm(0, 0);
        assert_int_equal(hop__buffer_write(buffer, 0, sizeof word, &word), HOP_ERR_DEVICE);
        assert_non_null(strstr(hop_context_message(context), "is lost since"));
        assert_int_equal(hop__device_finish(device), HOP_ERR_DEVICE);
        assert_int_equal(hop__device_of(context, &device), HOP_ERR_DEVICE);
        assert_int_equal(hop_device_open(context, &info), HOP_ERR_DEVICE);
        assert_int_equal(fault_calls(), 0);
        assert_true(info.lost && strstr(info.reason, "clFinish") != NULL);
        hop__buffer_free(buffer);
        /* The list shows it, and no other as lost. */
        hop_devices *all = NULL;
        assert_fine(context, hop_devices_find(context, &all));
        for (size_t k = 0; k < hop_devices_count(all); k++) {
            const hop_device_info *each = hop_devices_at(all, k);
            assert_int_equal(each->lost, strcmp(each->name, found.names[i]) == 0);
        }
        hop_devices_free(all);
        /* What the library chooses runs on the host, and says why. */
        variant = NULL;
        assert_fine(context, use_rank(context));
        hop_context *other = device_context(found.names[i]);
        assert_fine(other, use_table(other));
        free_context(other);
        free_context(context);
        assert_int_equal(fault_alive(), 0);
    }
}

/* Asked as often as possible; says no as soon as a compile is under way, if it is to. */
typedef struct asker {
    hop_context *context;
    bool cancels;
    unsigned asked, after; /* in all, and after the no */
} asker;

static bool ask_compile(void *user, const hop_progress *progress) {
    asker *own = user;
    (void)progress;
    if (own->context != NULL)
        own->context->next_report = 0;
    own->asked++;
    own->after += own->cancels && fault_held_builds() > 0;
    return !own->cancels || fault_held_builds() == 0;
}

static hop_context *asking_context(const char *name, asker *own) {
    hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
    options.device = name;
    options.progress = ask_compile;
    options.progress_user = own;
    assert_int_equal(hop_context_create(&options, &own->context), HOP_OK);
    return own->context;
}

/* A compile that does not end: the call does, so does its context, and when the compile ends at
 * last everything is released. */
static void compiles_can_be_cancelled(void **state) {
    (void)state;
    find_layer();
    device_names found = usable_devices();
    if (found.count == 0)
        skip();
    const char *cache = getenv("HOPLITE_CACHE_DIR");
    setenv("HOPLITE_CACHE_DIR", "", 1); /* or nothing might be compiled */
    alarm(SECONDS_MOST);
    for (size_t i = 0; i < found.count; i++) {
        asker own = {.cancels = true};
        hop__device *device = NULL;
        hop__program *program = NULL;
        hop_context *context = asking_context(found.names[i], &own);
        fault_arm(0, 0);
        assert_fine(context, hop__device_of(context, &device));
        fault_hold_builds(1);
        assert_int_equal(hop__program_get(device, &twice_source, NULL, 0, &program),
                         HOP_ERR_CANCELLED);
        assert_non_null(strstr(hop_context_message(context), "cancelled"));
        assert_null(program);
        assert_int_equal(own.after, 1);
        assert_int_equal(fault_held_builds(), 1);
        free_context(context);
        assert_int_equal(fault_held_builds(), 1);
        assert_int_equal(fault_alive(), 1); /* the program */
        fault_hold_builds(0);
        while (fault_alive() > 0)
            usleep(1000);
        /* Another context joins what was left, and compiles while it is asked. */
        own = (asker){.cancels = false};
        context = asking_context(found.names[i], &own);
        assert_fine(context, use_table(context));
        assert_true(own.asked > 0);
        free_context(context);
        assert_int_equal(fault_alive(), 0);
    }
    alarm(0);
    if (cache != NULL)
        setenv("HOPLITE_CACHE_DIR", cache, 1);
    else
        unsetenv("HOPLITE_CACHE_DIR");
}

static int tell(void **state) {
    (void)state;
    print_message("%lu faults, %lu with the right answer, the rest with an error\n", faults,
                  survived);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lost_device_is_latched),
        cmocka_unit_test(compiles_can_be_cancelled),
        cmocka_unit_test(the_table),
        cmocka_unit_test(rank_calls),
        cmocka_unit_test(components_calls),
        cmocka_unit_test(apsp_calls),
        cmocka_unit_test(bfs_calls),
        cmocka_unit_test(sssp_calls),
        cmocka_unit_test(kept_calls),
        cmocka_unit_test(a_child_asks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, tell);
}
