/* SPDX-License-Identifier: Apache-2.0
 *
 * What is the CUDA backend's own: arguments and grids that the driver would not check, memory of 0
 * bytes, compiled programs that are kept, kernels that fail; and that a kernel with a mistake in
 * its PTX is caught by hop_device_check or by its answer. */
#include "device/cuda_testing.h"

#include <cuda.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/try.h"
#include "device/backend.h"
#include "hoplite/hoplite.h"
#include "problem/report.h"

static const char scale_text[] =
    "extern \"C\" __global__ void scale(const unsigned *from, unsigned *to, unsigned factor,\n"
    "                                 unsigned long long count) {\n"
    "    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    if (i < count)\n"
    "        to[i] = from[i] * factor + OFFSET;\n"
    "}\n"
    "extern \"C\" __global__ void astray(unsigned *to) { to[1 << 20] = 1; }\n"
    "extern \"C\" __global__ void sum(const float *a, float *to) { to[0] = a[0] * a[1] + a[2]; }\n";
static const hop__source scale_piece = {"scale.cu", scale_text};
static const hop__source *const scale_pieces[] = {&scale_piece};
static const hop__program_source scale_source = {"scale", scale_pieces, 1};
static const hop__source bad_piece = {"bad.cu",
                                      "extern \"C\" __global__ void f() { nothing(); }\n"};
static const hop__source *const bad_pieces[] = {&bad_piece};
static const hop__program_source bad_source = {"bad", bad_pieces, 1};

enum { COUNT = 1000, GROUP = 64 };

typedef struct opened {
    hop_context *context;
    hop__device *device;
    hop__program *program;
    hop__kernel *scale;
    hop__buffer *in, *out;
} opened;

static opened open_device(int64_t offset) {
    opened at = {.context = device_context("cuda:0")};
    hop__define defines[] = {{"OFFSET", offset}};
    assert_fine(at.context, hop__device_of(at.context, &at.device));
    assert_fine(at.context, hop__program_get(at.device, &scale_source, defines, 1, &at.program));
    assert_fine(at.context, hop__kernel_get(at.program, "scale", &at.scale));
    assert_fine(at.context, hop__buffer_create(at.device, "in", 4 * COUNT, &at.in));
    assert_fine(at.context, hop__buffer_create(at.device, "out", 4 * COUNT, &at.out));
    return at;
}

static void close_device(opened *at) {
    hop__buffer_free(at->in);
    hop__buffer_free(at->out);
    free_context(at->context);
    assert_int_equal(stand_in.live(), 0);
}

static void runs_and_keeps_programs(void **state) {
    (void)state;
    static uint32_t from[COUNT], to[COUNT];
    find_stand_in();
    for (int again = 0; again < 2; again++) {
        opened at = open_device(5);
        hop__device_time(at.device, again == 0);
        for (uint32_t i = 0; i < COUNT; i++)
            from[i] = i * 7, to[i] = 0;
        hop__argument arguments[] = {hop__arg_buffer(at.in), hop__arg_buffer(at.out),
                                     hop__arg_u32(3), hop__arg_u64(COUNT)};
        assert_fine(at.context, hop__queue_write(HOP__QUEUE_COPY, at.in, 0, sizeof from, from));
        hop__event *event = NULL;
        assert_fine(at.context, hop__event_record(at.device, HOP__QUEUE_COPY, &event));
        assert_fine(at.context, hop__event_wait(event, HOP__QUEUE_COMPUTE));
        assert_fine(at.context, hop__launch(at.scale, hop__grid(COUNT, GROUP), arguments, 4));
        assert_fine(at.context, hop__buffer_read_now(at.out, 0, sizeof to, to));
        assert_fine(at.context, hop__event_sync(event));
        hop__event_free(event);
        for (uint32_t i = 0; i < COUNT; i++)
            assert_int_equal(to[i], from[i] * 3 + 5);
        assert_true(at.scale->tally.calls == 1 && (at.scale->tally.seconds > 0) == (again == 0));
        assert_true(again == 0 || at.program->from_cache || at.device->cache < 0);
        close_device(&at);
    }
}

static void assert_says(const opened *at, hop_status status, const char *words) {
    assert_int_equal(status, HOP_ERR_DEVICE);
    if (strstr(hop_context_message(at->context), words) == NULL)
        fail_msg("'%s' is not in '%s'", words, hop_context_message(at->context));
}

static void arguments_are_checked(void **state) {
    (void)state;
    find_stand_in();
    opened at = open_device(5);
    hop__argument narrow[] = {hop__arg_buffer(at.in), hop__arg_buffer(at.out), hop__arg_u32(3),
                              hop__arg_u32(COUNT)};
    hop__shape shape = hop__grid(COUNT, GROUP), many = hop__shape_of(1ull << 31, 1);
    assert_says(&at, hop__launch(at.scale, shape, narrow, 4),
                "kernel scale has a parameter 3 of 8 bytes, not 4 bytes");
    assert_says(&at, hop__launch(at.scale, shape, narrow, 3),
                "kernel scale has 4 parameters, not 3");
    narrow[3] = hop__arg_u64(COUNT);
    assert_says(&at, hop__launch(at.scale, many, narrow, 4), "2147483647 x 65535 groups");
    shape.groups[1] = 65536;
    assert_says(&at, hop__launch(at.scale, shape, narrow, 4), "65535 groups");
    assert_fine(at.context, hop__buffer_fill(at.in, 0, 4 * COUNT, 1));
    assert_fine(at.context, hop__launch(at.scale, hop__grid(COUNT, GROUP), narrow, 4));
    assert_fine(at.context, hop__device_finish(at.device));
    close_device(&at);
}

static void edges(void **state) {
    (void)state;
    hop__buffer *none = NULL;
    hop__program *bad = NULL;
    hop__kernel *missing = NULL, *sum = NULL;
    float numbers[3] = {0x1.000002p0f, 0x1.000002p0f, -0x1.000004p0f}, result = 1;
    find_stand_in();
    opened at = open_device(5);
    assert_fine(at.context, hop__buffer_create(at.device, "none", 0, &none));
    hop__buffer_free(none);
    assert_says(&at, hop__program_get(at.device, &bad_source, NULL, 0, &bad), "nothing");
    assert_says(&at, hop__kernel_get(at.program, "missing", &missing), "CUDA_ERROR_NOT_FOUND");
    /* product and sum are rounded apart: contracted, it would be 2^-46 */
    assert_fine(at.context, hop__kernel_get(at.program, "sum", &sum));
    hop__argument arguments[] = {hop__arg_buffer(at.in), hop__arg_buffer(at.out)};
    assert_fine(at.context, hop__buffer_write(at.in, 0, sizeof numbers, numbers));
    assert_fine(at.context, hop__launch(sum, hop__shape_of(1, 1), arguments, 2));
    assert_fine(at.context, hop__buffer_read_now(at.out, 0, sizeof result, &result));
    assert_true(result == 0);
    close_device(&at);
}

static void a_kernel_that_fails_loses_the_device(void **state) {
    (void)state;
    hop__kernel *astray = NULL;
    find_stand_in();
    opened at = open_device(5);
    hop__argument arguments[] = {hop__arg_buffer(at.out)};
    assert_fine(at.context, hop__kernel_get(at.program, "astray", &astray));
    assert_fine(at.context, hop__launch(astray, hop__shape_of(1, 1), arguments, 1));
    assert_says(&at, hop__device_finish(at.device), "CUDA_ERROR_ILLEGAL_ADDRESS (700)");
    assert_true(hop__device_lost(at.device));
    assert_says(&at, hop__buffer_fill(at.in, 0, 4, 0), "is lost since");
    close_device(&at);
    at = open_device(5); /* another context may try again */
    assert_false(hop__device_lost(at.device));
    close_device(&at);
}

static void a_child_is_refused(void **state) {
    (void)state;
    int status = 0;
    find_stand_in();
    opened at = open_device(5);
    pid_t child = fork();
    if (child == 0) {
        bool refused = hop__buffer_fill(at.in, 0, 4, 0) == HOP_ERR_DEVICE &&
                       strstr(hop_context_message(at.context), "forked") != NULL;
        hop_devices *found = NULL;
        hop_context *own = NULL;
        refused &= hop_context_create(NULL, &own) == HOP_OK &&
                   hop_devices_find(own, &found) == HOP_OK && hop_devices_count(found) == 0 &&
                   strstr(hop_devices_advice(found), "CUDA: this process was forked") != NULL;
        _exit(refused ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    close_device(&at);
}

/* The allocator refuses the one that comes after `left` others; below 0: none. */
static int left = -1;

static void *allocate_some(void *user, size_t bytes, size_t alignment) {
    (void)user;
    return left >= 0 && left-- == 0 ? NULL : aligned_alloc(alignment, (bytes + 63) / 64 * 64);
}

static void release(void *user, void *block, size_t bytes) {
    (void)user;
    (void)bytes;
    free(block);
}

/* The host has no memory for the copy's timer, so there is no copy: nothing may be found later. */
static void a_copy_that_did_not_begin_is_not_kept(void **state) {
    (void)state;
    static uint32_t words[COUNT], out[COUNT];
    hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
    hop_context *context = NULL;
    hop__device *device = NULL;
    hop__buffer *buffer = NULL;
    find_stand_in();
    hop__life *life = hop__life_begin();
    options.device = "cuda:0";
    options.allocator = (hop_allocator){.allocate = allocate_some, .release = release};
    assert_int_equal(hop_context_create(&options, &context), HOP_OK);
    assert_fine(context, hop__device_of(context, &device));
    hop__device_time(device, true);
    for (uint32_t i = 0; i < COUNT; i++)
        words[i] = i * 3 + 1;
    left = 1; /* the buffer's own block is the first */
    assert_int_equal(hop__buffer_keep(device, "words", sizeof words, words, life, &buffer),
                     HOP_ERR_MEMORY);
    assert_non_null(strstr(hop_context_message(context), "no memory for an event"));
    assert_false(hop__buffer_is_kept(device, sizeof words, words, life));
    assert_int_equal(hop_device_memory_used(context), 0);
    assert_fine(context, hop__buffer_keep(device, "words", sizeof words, words, life, &buffer));
    assert_fine(context, hop__buffer_read_now(buffer, 0, sizeof out, out));
    assert_memory_equal(out, words, sizeof out);
    hop__buffer_free(buffer);
    assert_true(hop__buffer_is_kept(device, sizeof words, words, life));
    hop__life_drop(life);
    free_context(context);
    assert_int_equal(stand_in.live(), 0);
}

/* Compiled code is not charged to the host's budget; nor is it held when there is no cache. */
static void compiled_code_is_not_charged(void **state) {
    (void)state;
    static const hop__source piece = {
        "many.cu",
        "#define ONE(n) extern \"C\" __global__ void k##n(int *a) { a[n] /= a[1 + n]; }\n"
        "#define FOUR(n) ONE(n##0) ONE(n##1) ONE(n##2) ONE(n##3)\n"
        "FOUR(1) FOUR(2) FOUR(3) FOUR(4) FOUR(5) FOUR(6) FOUR(7) FOUR(8)\n"};
    static const hop__source *const pieces[] = {&piece};
    static const hop__program_source source = {"many", pieces, 1};
    hop__device *device = NULL;
    hop__program *program = NULL;
    find_stand_in();
    const char *folder = getenv("HOPLITE_CACHE_DIR");
    char *kept = folder != NULL ? strdup(folder) : NULL;
    setenv("HOPLITE_CACHE_DIR", "", 1);
    hop_context *context = device_context("cuda:0");
    assert_fine(context, hop__device_of(context, &device));
    assert_true(device->cache < 0);
    const uint64_t used = hop_context_memory_used(context), peak = hop_context_memory_peak(context);
    assert_fine(context, hop__program_get(device, &source, NULL, 0, &program));
    assert_int_equal(hop_context_memory_used(context), used);
    assert_int_equal(hop_context_memory_peak(context), peak);
    free_context(context);
    if (kept != NULL)
        setenv("HOPLITE_CACHE_DIR", kept, 1);
    free(kept);
}

/* Programs are known by the options of the backend too. */
static void flags_are_part_of_the_key(void **state) {
    (void)state;
    find_stand_in();
    opened at = open_device(5);
    hop__define defines[] = {{"OFFSET", 5}};
    hop__program *again = NULL, *other = NULL;
    const hop__backend *own = at.device->backend;
    hop__backend contracting = *own;
    contracting.flags = "-std=c++17 -default-device -diag-suppress=177 -fmad=true";
    assert_fine(at.context, hop__program_get(at.device, &scale_source, defines, 1, &again));
    assert_ptr_equal(again, at.program);
    at.device->backend = &contracting;
    assert_fine(at.context, hop__program_get(at.device, &scale_source, defines, 1, &other));
    at.device->backend = own;
    assert_ptr_not_equal(other, at.program);
    close_device(&at);
}

static hop_device_info first_device(hop_context *context) {
    hop_devices *found = NULL;
    assert_fine(context, hop_devices_find(context, &found));
    hop_device_info info = *hop_devices_at(found, 0);
    hop_devices_free(found);
    return info;
}

/* Its code would be refused when it is loaded. */
static void a_compiler_newer_than_the_driver_is_not_used(void **state) {
    (void)state;
    char kept[512];
    const char *given = getenv("HOPLITE_NVRTC_LIB");
    find_stand_in();
    if (given == NULL || strstr(given, ".so.13") == NULL)
        skip();
    snprintf(kept, sizeof kept, "%s", given);
    hop_context *context = make_context(1);
    hop_device_info info = first_device(context);
    assert_true(info.usable);
    assert_int_equal(setenv("HOPLITE_PTX_VERSION", "12040", 1), 0);
    info = first_device(context);
    assert_false(info.usable);
    assert_non_null(strstr(info.reason, "needs a driver of CUDA 13; this one is 12.4"));
    /* By name it is found, as it is in the process, and passed over. */
    assert_non_null(dlopen(kept, RTLD_NOW | RTLD_LOCAL));
    unsetenv("HOPLITE_NVRTC_LIB");
    info = first_device(context);
    assert_true(info.usable ? strstr(info.driver, "12.4, NVRTC 1") != NULL &&
                                  strstr(info.driver, "NVRTC 13") == NULL
                            : strstr(info.reason, "needs a driver of CUDA 13") != NULL);
    setenv("HOPLITE_NVRTC_LIB", kept, 1);
    setenv("HOPLITE_PTX_VERSION", "13000", 1);
    info = first_device(context);
    assert_true(info.usable); /* a newer minor version is taken */
    unsetenv("HOPLITE_PTX_VERSION");
    free_context(context);
}

/* Codes after which nothing in the process works: the device is lost, though the call did not wait
 * for any work. */
static void lasting_codes_lose_the_device(void **state) {
    (void)state;
    static const int codes[] = {CUDA_ERROR_CONTAINED,
                                CUDA_ERROR_ILLEGAL_ADDRESS,
                                CUDA_ERROR_HARDWARE_STACK_ERROR,
                                CUDA_ERROR_INVALID_ADDRESS_SPACE,
                                CUDA_ERROR_INVALID_PC,
                                CUDA_ERROR_LAUNCH_FAILED,
                                CUDA_ERROR_TENSOR_MEMORY_LEAK};
    find_stand_in();
    for (size_t i = 0; i < HOP_LENGTH(codes); i++) {
        opened at = open_device(5);
        stand_in.fault("cuMemsetD32Async", 1, codes[i]);
        assert_int_equal(hop__buffer_fill(at.in, 0, 4, 0), HOP_ERR_DEVICE);
        assert_true(hop__device_lost(at.device));
        stand_in.fault(NULL, 0, 0);
        close_device(&at);
    }
}

/* --- planted mistakes ------------------------------------------------------------------------ */

/* hop_device_check, from compiled programs as they come. */
static hop_status check_device(void) {
    hop_context *context = device_context("cuda:0");
    hop_status status = hop_device_check(context);
    if (status != HOP_OK)
        print_message("%s\n", hop_context_message(context));
    free_context(context);
    return status;
}

/* Components of a ring, whose only label is 0, by the variant (NULL: auto): how the call ended,
 * HOP_ERR_CERTIFICATE where the answer is wrong. */
static hop_status ring_components(hop_context *context, const char *variant, hop_report *report) {
    enum { RING = 300 };
    static uint32_t offsets[RING + 1];
    static hop_vertex targets[2 * RING], labels[RING];
    hop_run run = HOP_RUN_INIT;
    hop_components_options options = HOP_COMPONENTS_OPTIONS_INIT;
    hop_csr csr = HOP_CSR_INIT;
    hop_csr_options how = HOP_CSR_OPTIONS_INIT;
    hop_graph *graph = NULL;
    hop_vertex count = 0;
    for (hop_vertex v = 0; v < RING; v++) {
        hop_vertex before = (v + RING - 1) % RING, after = (v + 1) % RING;
        offsets[v + 1] = 2 * (v + 1);
        targets[2 * v] = before < after ? before : after;
        targets[2 * v + 1] = before < after ? after : before;
    }
    csr.vertices = RING;
    csr.offsets = offsets;
    csr.targets = targets;
    how.directed = false;
    run.variant = variant;
    run.report = report;
    options.run = &run;
    assert_fine(context, hop_graph_from_csr(context, &csr, &how, &graph));
    hop_status status = hop_components(context, graph, &options, labels, &count);
    if (status != HOP_OK)
        print_message("%s\n", hop_context_message(context));
    for (hop_vertex v = 0; v < RING && status == HOP_OK; v++)
        if (labels[v] != 0 || count != 1)
            status = HOP_ERR_CERTIFICATE;
    hop_graph_release(graph);
    return status;
}

static bool components_right(void) {
    hop_context *context = device_context("cuda:0");
    hop_status status = ring_components(context, "shiloach-vishkin", NULL);
    free_context(context);
    return status == HOP_OK;
}

static const struct {
    const char *old, *new;
} mistakes[] = {
    {"bar.sync", "// bar.sync"},
    {"atom.global.min", "atom.global.max"},
    {"atom.global.add.u32", "atom.global.or.b32"},
};

static void mistakes_are_caught(void **state) {
    (void)state;
    find_stand_in();
    stand_in.plant(NULL, NULL, 0);
    assert_int_equal(check_device(), HOP_OK);
    assert_true(components_right());
    for (size_t i = 0; i < HOP_LENGTH(mistakes); i++) {
        stand_in.plant(mistakes[i].old, mistakes[i].new, 0);
        print_message("%s -> %s\n", mistakes[i].old, mistakes[i].new);
        assert_int_not_equal(check_device(), HOP_OK);
        assert_true(stand_in.planted() > 0);
    }
    stand_in.plant("atom.global.min", "atom.global.max", 0);
    assert_false(components_right());
    assert_true(stand_in.planted() > 0);
    stand_in.plant(NULL, NULL, 0);
    assert_true(components_right());
}

/* In a cache of its own: what other tests have noted about the device is not known. */
static void empty_cache(char folder[64]) {
    snprintf(folder, 64, "/tmp/hoplite-cache-XXXXXX");
    assert_non_null(mkdtemp(folder));
    assert_int_equal(setenv("HOPLITE_CACHE_DIR", folder, 1), 0);
}

static void remove_cache(const char *folder, const char *before) {
    char command[128];
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    assert_int_equal(system(command), 0);
    if (before[0] != '\0')
        setenv("HOPLITE_CACHE_DIR", before, 1);
    else
        unsetenv("HOPLITE_CACHE_DIR");
}

/* Nobody has asked for a check: the first call of a problem does. */
static void a_wrong_device_is_refused(void **state) {
    (void)state;
    find_stand_in();
    const char *cache = getenv("HOPLITE_CACHE_DIR");
    char before[512], folder[64];
    snprintf(before, sizeof before, "%s", cache != NULL ? cache : "");
    for (size_t i = 0; i < HOP_LENGTH(mistakes); i++) {
        hop_report report = {0};
        empty_cache(folder);
        stand_in.plant(mistakes[i].old, mistakes[i].new, 0);
        hop_context *context = device_context("cuda:0");
        assert_int_equal(ring_components(context, "shiloach-vishkin", NULL), HOP_ERR_DEVICE);
        bool told = i == 0 || strstr(hop_context_message(context), "cuda:0 computes wrongly: ");
        assert_true(told); /* without barriers the stand-in ends the kernel */
        assert_int_equal(ring_components(context, "shiloach-vishkin", NULL), HOP_ERR_DEVICE);
        assert_non_null(strstr(hop_context_message(context), "is lost"));
        assert_fine(context, ring_components(context, NULL, &report));
        assert_int_equal(report.variant->place, HOP_PLACE_HOST);
        free_context(context);
        context = device_context("cuda:0"); /* auto at once */
        assert_fine(context, ring_components(context, NULL, &report));
        assert_int_equal(report.variant->place, HOP_PLACE_HOST);
        assert_true(i == 0 || strstr(report.reason, "computes wrongly") != NULL);
        free_context(context);
        remove_cache(folder, before);
    }
    stand_in.plant(NULL, NULL, 0);
}

/* Whether a call loads the program of the tests: a word of it is replaced by itself and counted. */
static bool call_tests(hop_context *context) {
    static const char entry[] = ".entry check_numbers";
    stand_in.plant(entry, entry, 0);
    assert_fine(context, ring_components(context, "shiloach-vishkin", NULL));
    bool loaded = stand_in.planted() > 0;
    stand_in.plant(NULL, NULL, 0);
    return loaded;
}

static bool first_call_tests(void) {
    hop_context *context = device_context("cuda:0");
    bool loaded = call_tests(context);
    assert_false(call_tests(context));
    free_context(context);
    return loaded;
}

/* Once for a driver and device; without a cache, once for a context. A note that is damaged, as any
 * file there, is none. */
static void known_answers_are_remembered(void **state) {
    (void)state;
    find_stand_in();
    const char *cache = getenv("HOPLITE_CACHE_DIR");
    char before[512], folder[64], command[160];
    snprintf(before, sizeof before, "%s", cache != NULL ? cache : "");
    empty_cache(folder);
    assert_true(first_call_tests());
    assert_false(first_call_tests());
    snprintf(command, sizeof command,
             "for f in '%s'/*; do printf x | dd of=\"$f\" conv=notrunc 2>/dev/null; done", folder);
    assert_int_equal(system(command), 0);
    assert_true(first_call_tests());
    assert_false(first_call_tests());
    setenv("HOPLITE_CACHE_DIR", "", 1);
    assert_true(first_call_tests());
    assert_true(first_call_tests());
    remove_cache(folder, before);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_and_keeps_programs),
        cmocka_unit_test(arguments_are_checked),
        cmocka_unit_test(edges),
        cmocka_unit_test(a_kernel_that_fails_loses_the_device),
        cmocka_unit_test(a_child_is_refused),
        cmocka_unit_test(a_copy_that_did_not_begin_is_not_kept),
        cmocka_unit_test(compiled_code_is_not_charged),
        cmocka_unit_test(flags_are_part_of_the_key),
        cmocka_unit_test(a_compiler_newer_than_the_driver_is_not_used),
        cmocka_unit_test(lasting_codes_lose_the_device),
        cmocka_unit_test(mistakes_are_caught),
        cmocka_unit_test(a_wrong_device_is_refused),
        cmocka_unit_test(known_answers_are_remembered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
