/* SPDX-License-Identifier: Apache-2.0
 *
 * Every function of the driver that the CUDA backend calls fails once, early and late, with each of
 * these codes. Until the device is open, an error says what happened; then the table of devices
 * works or says what happened, and problems that leave the choice to the library are solved, by the
 * host if need be. Nothing is left behind, and in a context that a code has made unusable nothing
 * is called but what gives something back. HOPLITE_FAULTS=all: not some moments of each function,
 * but each call of a life, of whatever function, fails once with each of more codes. With
 * HOPLITE_HIP_LIB the functions of HIP fail, which the stand-in hands to those of CUDA, with three
 * of the codes. */
#include "device/cuda_testing.h"

#include "core/try.h"
#include "device/backend.h"
#include "device/cuda/cuda_library.h"
#include "hoplite/hoplite.h"

enum { ELEMENTS = 97, WORDS = 256 };

static const int codes[] = {1, 2, 201, 214, 700, 702, 719, 999};
/* Most of what the driver's manual lists for the functions that are called. */
static const int all_codes[] = {1,   2,   3,   4,   46,  100, 101, 200, 201, 205, 209, 214, 218,
                                220, 226, 300, 304, 400, 500, 600, 700, 701, 702, 709, 710, 714,
                                715, 716, 717, 718, 719, 720, 801, 802, 803, 804, 999};
static const unsigned moments[] = {1, 2, 9, 40};

#define NAME(field, cuda, hip, parameters)  #cuda,
#define NAME_OWN(field, symbol, parameters) #symbol,
static const char *const names[] = {HOP__CUDA_FUNCTIONS(NAME) HOP__CUDA_OWN_FUNCTIONS(NAME_OWN)
                                        HOP__CUDA_NEWER_FUNCTIONS(NAME_OWN)};

static const char copy_text[] =
    "extern \"C\" __global__ void twice(unsigned *data) { data[threadIdx.x] *= 2; }\n";
static const hop__source copy_piece = {"twice.cu", copy_text};
static const hop__source *const copy_pieces[] = {&copy_piece};
static const hop__program_source copy_source = {"twice", copy_pieces, 1};

/* All functions of the table once, in pieces by way of pinned memory (main). */
static hop_status use_table(hop__device *device) {
    static uint32_t in[WORDS], out[WORDS], piece[64];
    hop_status status;
    hop__program *program = NULL;
    hop__kernel *twice = NULL;
    hop__buffer *one = NULL, *two = NULL;
    hop__event *event = NULL;
    for (uint32_t i = 0; i < WORDS; i++)
        in[i] = i, out[i] = 0;
    hop__device_time(device, true);
    HOP_TRY(status, hop__program_get(device, &copy_source, NULL, 0, &program));
    HOP_TRY(status, hop__kernel_get(program, "twice", &twice));
    HOP_TRY(status, hop__buffer_create(device, "one", sizeof in, &one));
    HOP_TRY(status, hop__buffer_create(device, "two", sizeof in, &two));
    HOP_TRY(status, hop__buffer_fill(two, 0, sizeof in, 7));
    HOP_TRY(status, hop__queue_write(HOP__QUEUE_COPY, one, 0, sizeof in, in));
    HOP_TRY(status, hop__event_record(device, HOP__QUEUE_COPY, &event));
    HOP_TRY(status, hop__event_wait(event, HOP__QUEUE_COMPUTE));
    HOP_TRY(status, hop__launch(twice, hop__shape_of(1, WORDS),
                                (hop__argument[]){hop__arg_buffer(one)}, 1));
    HOP_TRY(status, hop__buffer_copy(one, 0, two, 0, sizeof in));
    HOP_TRY(status, hop__event_sync(event));
    HOP_TRY(status, hop__buffer_read_now(two, 0, sizeof out, out));
    for (uint32_t i = 0; i < WORDS; i++)
        assert_int_equal(out[i], 2 * i);
    /* one queue is waited for while the other reads */
    memset(piece, 0, sizeof piece);
    HOP_TRY(status, hop__queue_read(HOP__QUEUE_COPY, one, 256, sizeof piece, piece));
    HOP_TRY(status, hop__device_finish(device));
    for (uint32_t i = 0; i < 64; i++)
        assert_int_equal(piece[i], 2 * (64 + i));
done:
    hop__device_settle(device, status);
    hop__event_free(event);
    hop__buffer_free(one);
    hop__buffer_free(two);
    return status;
}

static hop_status use_rank(hop_context *context) {
    static hop_vertex successors[ELEMENTS], ranks[ELEMENTS];
    hop_rank_options options = HOP_RANK_OPTIONS_INIT;
    for (hop_vertex i = 0; i < ELEMENTS; i++)
        successors[i] = i + 1 < ELEMENTS ? i + 1 : i;
    hop_status status = hop_rank(context, successors, ELEMENTS, &options, ranks);
    for (hop_vertex i = 0; i < ELEMENTS && status == HOP_OK; i++)
        assert_int_equal(ranks[i], ELEMENTS - 1 - i);
    return status;
}

static hop_status use_bfs(hop_context *context) {
    static uint32_t offsets[ELEMENTS + 1];
    static hop_vertex targets[ELEMENTS], levels[ELEMENTS];
    hop_csr csr = HOP_CSR_INIT;
    hop_csr_options how = HOP_CSR_OPTIONS_INIT;
    hop_bfs_options options = HOP_BFS_OPTIONS_INIT;
    hop_graph *graph = NULL;
    hop_vertex source = 0;
    for (hop_vertex v = 0; v < ELEMENTS; v++) { /* a star */
        offsets[v + 1] = ELEMENTS - 1;
        targets[v] = v + 1;
    }
    csr.vertices = ELEMENTS;
    csr.offsets = offsets;
    csr.targets = targets;
    how.directed = true;
    assert_fine(context, hop_graph_from_csr(context, &csr, &how, &graph));
    hop_status status = hop_bfs(context, graph, &source, 1, &options, levels, NULL);
    for (hop_vertex v = 0; v < ELEMENTS && status == HOP_OK; v++)
        assert_int_equal(levels[v], v > 0);
    hop_device_trim(context); /* the graph has stayed there */
    hop_graph_release(graph);
    return status;
}

static unsigned errors, answers;

/* One life of a context. Whether the fault was given. */
static bool run_once(const char *name, unsigned nth, int code) {
    hop_context *context = device_context(stand_in_device());
    hop__device *device = NULL;
    stand_in.fault(name, nth, code);
    hop_status status = hop__device_of(context, &device);
    bool opened = status == HOP_OK;
    if (opened)
        status = use_table(device);
    if (status != HOP_OK) {
        errors++;
        if ((status != HOP_ERR_DEVICE && status != HOP_ERR_MEMORY) ||
            hop_context_message(context)[0] == '\0')
            fail_msg("%s:%u:%d: %s '%s'", name, nth, code, hop_status_name(status),
                     hop_context_message(context));
    }
    if (opened && (use_rank(context) != HOP_OK || use_bfs(context) != HOP_OK))
        fail_msg("%s:%u:%d: not solved: %s", name, nth, code, hop_context_message(context));
    answers += opened;
    assert_int_equal(hop_device_memory_used(context), 0);
    bool given = stand_in.faults() > 0;
    free_context(context);
    if (stand_in.lost_use() != NULL)
        fail_msg("%s:%u:%d: %s in a context that is lost", name, nth, code, stand_in.lost_use());
    if (stand_in.live() != 0)
        fail_msg("%s:%u:%d: %u objects are left", name, nth, code, stand_in.live());
    return given || stand_in.faults() > 0;
}

/* What names a code cannot fail, and what HIP does not have is not called. */
static bool may_not_fail(const char *name) {
    return strncmp(name, "cuGetError", 10) == 0 ||
           (getenv("HOPLITE_HIP_LIB") != NULL && strcmp(name, "cuFuncGetParamInfo") == 0);
}

static void every_function_fails(void **state) {
    (void)state;
    unsigned given = 0;
    size_t first = getenv("HOPLITE_HIP_LIB") != NULL ? 1 : 0, step = first > 0 ? 3 : 1;
    find_stand_in();
    assert_false(run_once("nothing", 1, 1));
    assert_int_equal(errors, 0);
    for (size_t i = 0; i < HOP_LENGTH(names); i++)
        for (size_t k = 0; k < HOP_LENGTH(moments); k++)
            for (size_t c = first; c < HOP_LENGTH(codes); c += step) {
                bool hit = run_once(names[i], moments[k], codes[c]);
                if (!hit && moments[k] == 1 && !may_not_fail(names[i]))
                    fail_msg("%s is never called", names[i]);
                given += hit;
                if (!hit)
                    break;
            }
    assert_false(run_once("nothing", 1, 1));
    print_message("%u faults in %zu functions: %u errors, %u right answers\n", given,
                  HOP_LENGTH(names), errors, answers);
}

static void every_call_fails(void **state) {
    (void)state;
    const char *given = getenv("HOPLITE_FAULTS");
    unsigned faults = 0, calls = 0;
    find_stand_in();
    if (given == NULL || strcmp(given, "all") != 0)
        skip();
    errors = answers = 0;
    for (size_t c = 0; c < HOP_LENGTH(all_codes); c++)
        for (unsigned nth = 1; run_once("*", nth, all_codes[c]); nth++) {
            faults++;
            calls = nth > calls ? nth : calls;
        }
    print_message("%u faults in %u calls: %u errors, %u right answers\n", faults, calls, errors,
                  answers);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_function_fails),
                                       cmocka_unit_test(every_call_fails)};
    setenv("HOPLITE_PINNED", "256", 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
