/* SPDX-License-Identifier: Apache-2.0
 *
 * Arguments of kernels are held against their parameters, on every backend: signatures are read
 * from the text of every kernel of the library, they are those that the driver knows where it
 * tells, and a wrong number, size or kind is refused before the driver sees it. */
#include "device/kernel_signature.h"

#include "core/try.h"
#include "device/backend.h"
#include "device/device_testing.h"
#include "kernels/programs.h"

extern const hop__program_source hop__program_check;

static const char odd_text[] = "#define ROWS GLOBAL const u32 *RESTRICT\n"
                               "#if A\n"
                               "#define KEY u64 /* void odd(u32 z) would be long */\n"
                               "#else\n"
                               "#define KEY u32\n"
                               "#endif\n"
                               "typedef unsigned long long wide;\n"
                               "FN void oddly(u32 z) {}\n"
                               "#if A\n"
                               "KERNEL_WG(WG) void odd (ROWS rows, KEY key,\n"
                               "    u16 x, wide w, float f, const unsigned n) {}\n"
                               "KERNEL_WG(WG) void none() {}\n"
                               "KERNEL_WG(WG) void NAMED(many)(GLOBAL KEY *keys, double d) {}\n"
                               "KERNEL_WG(WG) void strange(u32 a, something b) {}\n"
                               "#endif\n";
static const hop__source odd_piece = {"odd.cl", odd_text};
static const hop__source *const odd_pieces[] = {&odd_piece};
static const hop__program_source odd_source = {"odd", odd_pieces, 1};

static void texts_are_read(void **state) {
    (void)state;
    hop__signature read[HOP__SIGNATURES];
    static const uint8_t takes[] = {HOP__TAKES_BUFFER, HOP__TAKES_4 | HOP__TAKES_8,
                                    HOP__TAKES_2,      HOP__TAKES_8,
                                    HOP__TAKES_4,      HOP__TAKES_4};
    assert_int_equal(hop__signatures_read(&odd_source, "odd", read), 2);
    assert_int_equal(read[0].count, 1); /* that of the comment: either will do */
    assert_int_equal(read[1].count, HOP_LENGTH(takes));
    assert_memory_equal(read[1].takes, takes, sizeof takes);
    assert_int_equal(hop__signatures_read(&odd_source, "none", read), 1);
    assert_int_equal(read[0].count, 0);
    assert_int_equal(hop__signatures_read(&odd_source, "many_u32", read), 1);
    assert_int_equal(read[0].count, 2);
    assert_int_equal(read[0].takes[0], HOP__TAKES_BUFFER);
    assert_int_equal(read[0].takes[1], HOP__TAKES_8);
    assert_int_equal(hop__signatures_read(&odd_source, "od", read), 0);
    assert_int_equal(hop__signatures_read(&odd_source, "many", read), 0);
    assert_int_equal(hop__signatures_read(&odd_source, "strange", read), 0);
}

/* The name behind KERNEL_WG number `nth` of the program's text, as the host has it. */
static bool kernel_name(const hop__program_source *program, unsigned nth, char name[64]) {
    const char *at = program->sources[0]->text;
    do {
        while ((at = strstr(at, "KERNEL_WG(")) != NULL && at[-1] != '\n')
            at++;
        at = at != NULL ? at + 1 : NULL;
    } while (at != NULL && nth-- > 0);
    if (at == NULL || (at = strstr(at, "void ")) == NULL)
        return false;
    if (sscanf(at, "void NAMED(%50[a-z0-9A-Z_])", name) == 1)
        strcat(name, "_u32");
    else
        assert_int_equal(sscanf(at, "void %63[a-z0-9A-Z_]", name), 1);
    return true;
}

static void every_kernel_has_a_signature(void **state) {
    (void)state;
    hop__signature read[HOP__SIGNATURES];
    unsigned kernels = 0;
    char name[64];
    for (size_t i = 0; i < hop__program_count; i++)
        for (unsigned k = 0; kernel_name(hop__programs[i], k, name); k++, kernels++)
            if (hop__signatures_read(hop__programs[i], name, read) == 0)
                fail_msg("%s of %s has none", name, hop__programs[i]->name);
    assert_true(kernels > 90);
}

/* All that are compiled without definitions: the rest differs in the size of one word. */
static void told_body(hop_context *context, hop__device *device) {
    unsigned told = 0;
    char names[64][64];
    (void)context;
    for (size_t i = 0; i < hop__program_count; i++) {
        hop__program *program = NULL;
        hop__kernel *kernel = NULL;
        if (hop__program_get(device, hop__programs[i], NULL, 0, &program) != HOP_OK)
            continue;
        for (unsigned k = 0; k < 64 && kernel_name(hop__programs[i], k, names[k]); k++) {
            if (hop__kernel_get(program, names[k], &kernel) != HOP_OK || kernel->told.count == 0)
                continue; /* a definition brings it, or the driver does not tell */
            size_t same = 0, best = 0;
            for (size_t s = 0; s < kernel->read_count; s++) {
                same = kernel->read[s].count == kernel->told.count;
                for (size_t p = 0; p < kernel->told.count && same > 0; p++)
                    same = (kernel->read[s].takes[p] & kernel->told.takes[p]) != 0;
                best += same;
            }
            if (best == 0)
                fail_msg("%s of %s: text and driver differ", names[k], hop__programs[i]->name);
            told++;
        }
    }
    if (strncmp(hop__device_info(device)->name, "cuda", 4) == 0)
        assert_true(told > 60);
}

static void drivers_tell_the_same(void **state) {
    (void)state;
    if (getenv("HOPLITE_CUDA_LIB") == NULL)
        skip(); /* only drivers of CUDA tell */
    on_each_device(told_body);
}

static void refused(hop__kernel *kernel, const hop__argument *arguments, size_t count,
                    const char *words) {
    const hop_context *context = hop__device_context(kernel->program->device);
    assert_int_equal(hop__launch(kernel, hop__shape_of(1, 64), arguments, count), HOP_ERR_DEVICE);
    if (strstr(hop_context_message(context), words) == NULL)
        fail_msg("'%s' is not in '%s'", words, hop_context_message(context));
}

static void wrong_body(hop_context *context, hop__device *device) {
    const hop__define group = {"WG", 64};
    static const uint32_t in[64];
    hop__program *program = NULL;
    hop__kernel *kernel = NULL;
    hop__buffer *from = NULL, *to = NULL;
    assert_fine(context, hop__program_get(device, &hop__program_check, &group, 1, &program));
    assert_fine(context, hop__kernel_get(program, "check_numbers", &kernel));
    assert_fine(context, hop__buffer_create(device, "from", sizeof in, &from));
    assert_fine(context, hop__buffer_create(device, "to", 4 * sizeof in, &to));
    hop__argument right[] = {hop__arg_buffer(from), hop__arg_buffer(to), hop__arg_u32(1)};
    hop__argument wide[] = {right[0], right[1], hop__arg_u64(1)};
    hop__argument value[] = {right[0], hop__arg_u64(1), right[2]};
    hop__argument buffer[] = {right[0], right[1], right[1]};
    refused(kernel, wide, 3, "kernel check_numbers has a parameter 2 of 4 bytes, not 8 bytes");
    refused(kernel, value, 3, "parameter 1 of a buffer, not 8 bytes");
    refused(kernel, buffer, 3, "parameter 2 of 4 bytes, not a buffer");
    refused(kernel, right, 2, "kernel check_numbers has 3 parameters, not 2");
    assert_fine(context, hop__buffer_write(from, 0, sizeof in, in));
    assert_fine(context, hop__launch(kernel, hop__shape_of(1, 64), right, 3));
    assert_fine(context, hop__device_finish(device));
    hop__buffer_free(from);
    hop__buffer_free(to);
}

static void wrong_arguments_are_refused(void **state) {
    (void)state;
    on_each_device(wrong_body);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_are_read),
        cmocka_unit_test(every_kernel_has_a_signature),
        cmocka_unit_test(drivers_tell_the_same),
        cmocka_unit_test(wrong_arguments_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
