/* SPDX-License-Identifier: Apache-2.0
 * The table of devices on the runtimes of this machine: copies, launches, events, limits. */
#include "device/backend.h"
#include "device/device_testing.h"

static const char scale_text[] =
    "__kernel void scale(__global const uint *from, __global uint *to, uint factor, uint count) {\n"
    "    uint i = (uint)get_global_id(0);\n"
    "    if (i < count)\n"
    "        to[i] = from[i] * factor + OFFSET;\n"
    "}\n"
    "#if HOP_FLOAT64\n" /* else there is no such type */
    "__kernel void widths(__global ulong *out, int i, long l, float f, double d, uint u) {\n"
    "    out[0] = (ulong)(long)i;\n"
    "    out[1] = (ulong)l;\n"
    "    out[2] = (ulong)(f * 4.0f);\n"
    "    out[3] = (ulong)(d * 8.0);\n"
    "    out[4] = u;\n"
    "    out[5] = HOP_CPU * 100 + HOP_ATOMIC64 * 10 + HOP_FLOAT64;\n"
    "}\n"
    "#endif\n";
static const hop__source scale_piece = {"scale.cl", scale_text};
static const hop__source *const scale_pieces[] = {&scale_piece};
static const hop__program_source scale_source = {"scale", scale_pieces, 1};

enum { COUNT = 100003, GROUP = 64 };

static hop__program *scale_program(hop_context *context, hop__device *device, int64_t offset) {
    hop__program *program = NULL;
    hop__define defines[] = {{"OFFSET", offset}};
    assert_fine(context, hop__program_get(device, &scale_source, defines, 1, &program));
    return program;
}

static void scale_body(hop_context *context, hop__device *device) {
    static uint32_t from[COUNT], to[COUNT];
    hop__kernel *kernel = NULL;
    hop__buffer *in = NULL, *out = NULL;
    const uint64_t bytes = sizeof from;
    for (uint32_t i = 0; i < COUNT; i++)
        from[i] = i * 7, to[i] = 0;
    hop__program *program = scale_program(context, device, 5);
    assert_ptr_equal(program, scale_program(context, device, 5));
    assert_ptr_not_equal(program, scale_program(context, device, 6));
    assert_fine(context, hop__kernel_get(program, "scale", &kernel));
    assert_true(kernel->group_most >= GROUP);
    assert_fine(context, hop__buffer_create(device, "in", bytes, &in));
    assert_fine(context, hop__buffer_create(device, "out", bytes, &out));
    assert_int_equal(hop__device_usage(device).used, 2 * bytes);
    assert_fine(context, hop__buffer_write(in, 0, bytes, from));
    hop__argument arguments[] = {hop__arg_buffer(in), hop__arg_buffer(out), hop__arg_u32(3),
                                 hop__arg_u32(COUNT)};
    hop__shape shape = hop__grid(COUNT, GROUP);
    shape.bytes = 2 * bytes;
    shape.items = COUNT;
    assert_fine(context, hop__launch(kernel, shape, arguments, 4));
    assert_fine(context, hop__buffer_read_now(out, 0, bytes, to));
    for (uint32_t i = 0; i < COUNT; i++)
        assert_int_equal(to[i], from[i] * 3 + 5);
    hop__buffer_free(in);
    hop__buffer_free(out);
    for (size_t i = 0; hop__device_tally(device, i) != NULL; i++) {
        const hop__tally *tally = hop__device_tally(device, i);
        if (strcmp(tally->name, "scale") == 0 && tally->calls > 0) {
            assert_int_equal(tally->calls, 1);
            assert_int_equal(tally->items, COUNT);
            assert_true(tally->seconds > 0);
        }
    }
}

static void runs_a_kernel(void **state) {
    (void)state;
    on_each_device(scale_body);
}

static void widths_body(hop_context *context, hop__device *device) {
    uint64_t got[6] = {0};
    hop__kernel *kernel = NULL;
    hop__buffer *out = NULL;
    const hop_device_info *info = hop__device_info(device);
    if ((info->capabilities & HOP_DEVICE_FLOAT64) == 0)
        return;
    hop__program *program = scale_program(context, device, 0);
    assert_fine(context, hop__kernel_get(program, "widths", &kernel));
    assert_fine(context, hop__buffer_create(device, "out", sizeof got, &out));
    hop__argument arguments[] = {hop__arg_buffer(out),      hop__arg_i32(-2),
                                 hop__arg_i64(-3000000000), hop__arg_f32(2.25f),
                                 hop__arg_f64(1.125),       hop__arg_u32(4000000000u)};
    assert_fine(context, hop__launch(kernel, hop__shape_of(1, 1), arguments, 6));
    assert_fine(context, hop__buffer_read_now(out, 0, sizeof got, got));
    assert_true(got[0] == (uint64_t)-2);
    assert_true(got[1] == (uint64_t)-3000000000);
    assert_int_equal(got[2], 9);
    assert_int_equal(got[3], 9);
    assert_int_equal(got[4], 4000000000u);
    assert_int_equal(got[5], ((info->capabilities & HOP_DEVICE_CHUNKED) != 0 ? 100 : 0) +
                                 ((info->capabilities & HOP_DEVICE_ATOMIC64) != 0 ? 10 : 0) + 1);
    hop__buffer_free(out);
}

static void passes_arguments_of_every_width(void **state) {
    (void)state;
    on_each_device(widths_body);
}

/* A caller with an older struct gets what that has room for. */
static void rates_body(hop_context *context, hop__device *device) {
    hop_device_rates rates = {.size = 0, .gather = -1};
    uint64_t used = hop__device_usage(device).used;
    assert_int_equal(hop_device_measure(context, NULL), HOP_ERR_ARGUMENT);
    assert_int_equal(hop_device_measure(context, &rates), HOP_ERR_ARGUMENT);
    rates.size = offsetof(hop_device_rates, gather);
    assert_fine(context, hop_device_measure(context, &rates));
    assert_true(rates.bytes > 0 && rates.copy > 0 && rates.gather == -1);
    rates.size = sizeof rates;
    assert_fine(context, hop_device_measure(context, &rates));
    assert_true(rates.gather > 0 && rates.to_device > 0 && rates.to_host > 0 && rates.launch > 0);
    assert_true(rates.atomic > 0);
    assert_int_equal(hop__device_usage(device).used, used);
}

static void rates_are_measured(void **state) {
    (void)state;
    on_each_device(rates_body);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_a_kernel),
        cmocka_unit_test(rates_are_measured),
        cmocka_unit_test(passes_arguments_of_every_width),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
