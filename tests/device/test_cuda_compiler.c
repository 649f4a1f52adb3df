/* SPDX-License-Identifier: Apache-2.0
 *
 * Every function of NVRTC that the CUDA backend calls fails once with each of its codes, and with
 * one of them from each of its calls on (tests/device/nvrtc_layer.c): a kernel's answer is right,
 * or an error says what failed and with which code; a problem that leaves the choice to the library
 * is solved, by the host if need be; and no program is left with the compiler. The device is the
 * one that interprets PTX. */
#include "core/try.h"
#include "device/backend.h"
#include "device/cuda/cuda_library.h"
#include "device/cuda_testing.h"
#include "hoplite/hoplite.h"

enum { WORDS = 32, ELEMENTS = 97, INTERNAL_ERROR = 11, CODE_MOST = 12 };

static struct {
    void (*fault)(const char *name, unsigned nth, unsigned code, bool lasting);
    unsigned (*given)(void);
    int (*live)(void);
} layer;

static const char right_text[] =
    "extern \"C\" __global__ void twice(unsigned *data) { data[threadIdx.x] *= 2; }\n";
static const char wrong_text[] =
    "extern \"C\" __global__ void twice(unsigned *data) { data[0] = nobody; }\n";
static const hop__source right_piece = {"twice.cu", right_text},
                         wrong_piece = {"twice.cu", wrong_text};
static const hop__source *const right_pieces[] = {&right_piece}, *const wrong_pieces[] = {
                                                                     &wrong_piece};
static const hop__program_source right_source = {"twice", right_pieces, 1},
                                 wrong_source = {"twice", wrong_pieces, 1};

/* What must become of a kernel when a call fails. */
typedef enum effect {
    NOTHING,    /* the answer is right */
    UNUSABLE,   /* the device cannot be opened */
    NO_PROGRAM, /* the program is refused */
    NO_WORDS,   /* of a wrong program: it is refused without the compiler's words */
} effect;

typedef struct row {
    const char *name;
    effect effect;
    bool cubin; /* called for code of the architecture, which the stand-in does not take */
} row;

static const row rows[] = {
    {"nvrtcVersion", NOTHING, false},
    {"nvrtcGetNumSupportedArchs", UNUSABLE, false},
    {"nvrtcGetSupportedArchs", UNUSABLE, false},
    {"nvrtcCreateProgram", NO_PROGRAM, false},
    {"nvrtcCompileProgram", NO_PROGRAM, false},
    {"nvrtcGetProgramLogSize", NO_WORDS, false},
    {"nvrtcGetProgramLog", NO_WORDS, false},
    {"nvrtcGetPTXSize", NO_PROGRAM, false},
    {"nvrtcGetPTX", NO_PROGRAM, false},
    {"nvrtcGetCUBINSize", NO_PROGRAM, true},
    {"nvrtcGetCUBIN", NO_PROGRAM, true},
    {"nvrtcDestroyProgram", NOTHING, false},
};

static void find_layer(void) {
    const char *path = getenv("HOPLITE_NVRTC_LIB");
    find_stand_in();
    if (path == NULL || strstr(path, "nvrtc_layer") == NULL)
        skip();
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    assert_non_null(library);
    *(void **)&layer.fault = dlsym(library, "nvrtc_layer_fault");
    *(void **)&layer.given = dlsym(library, "nvrtc_layer_given");
    *(void **)&layer.live = dlsym(library, "nvrtc_layer_live");
    assert_true(layer.fault && layer.given && layer.live);
}

static hop_status use_program(hop__device *device, const hop__program_source *source) {
    uint32_t words[WORDS];
    hop_status status;
    hop__program *program = NULL;
    hop__kernel *twice = NULL;
    hop__buffer *buffer = NULL;
    for (uint32_t i = 0; i < WORDS; i++)
        words[i] = i;
    HOP_TRY(status, hop__program_get(device, source, NULL, 0, &program));
    HOP_TRY(status, hop__kernel_get(program, "twice", &twice));
    HOP_TRY(status, hop__buffer_create(device, "words", sizeof words, &buffer));
    HOP_TRY(status, hop__buffer_write(buffer, 0, sizeof words, words));
    HOP_TRY(status, hop__launch(twice, hop__shape_of(1, WORDS),
                                (hop__argument[]){hop__arg_buffer(buffer)}, 1));
    HOP_TRY(status, hop__buffer_read_now(buffer, 0, sizeof words, words));
    for (uint32_t i = 0; i < WORDS; i++)
        assert_int_equal(words[i], 2 * i);
done:
    hop__device_settle(device, status);
    hop__buffer_free(buffer);
    return status;
}

static void check_rank(hop_context *context) {
    hop_vertex successors[ELEMENTS], ranks[ELEMENTS];
    hop_rank_options options = HOP_RANK_OPTIONS_INIT;
    for (hop_vertex i = 0; i < ELEMENTS; i++)
        successors[i] = i + 1 < ELEMENTS ? i + 1 : i;
    assert_fine(context, hop_rank(context, successors, ELEMENTS, &options, ranks));
    for (hop_vertex i = 0; i < ELEMENTS; i++)
        assert_int_equal(ranks[i], ELEMENTS - 1 - i);
}

/* An error that says where: the function, but where a sentence of ours is clearer; and its code. */
static void check_message(const row *at, const char *message, unsigned code) {
    char number[32];
    snprintf(number, sizeof number, "code %u", code);
    if (message[0] == '\0' || (at->effect == NO_PROGRAM && strstr(message, number) == NULL) ||
        (at->effect == NO_WORDS && strstr(message, "the compiler said nothing") == NULL))
        fail_msg("%s, code %u: '%s'", at->name, code, message);
}

/* One life of a context. Whether the fault was given. */
static bool run_once(const row *at, unsigned nth, unsigned code, bool lasting) {
    hop_context *context = device_context(stand_in_device());
    hop__device *device = NULL;
    layer.fault(at->name, nth, code, lasting);
    hop_status status = hop__device_of(context, &device);
    bool opened = status == HOP_OK;
    if (opened)
        status = use_program(device, at->effect == NO_WORDS ? &wrong_source : &right_source);
    bool given = layer.given() > 0;
    if (given &&
        (opened == (at->effect == UNUSABLE) || (status == HOP_OK) != (at->effect == NOTHING)))
        fail_msg("%s:%u:%u: %s: %s", at->name, nth, code, hop_status_name(status),
                 hop_context_message(context));
    if (given && status != HOP_OK)
        check_message(at, hop_context_message(context), code);
    if (given && opened && lasting && at->effect != NOTHING && at->effect != NO_WORDS)
        check_rank(context); /* which no device can do now */
    assert_int_equal(hop_device_memory_used(context), 0);
    free_context(context);
    if (layer.live() != 0 || stand_in.live() != 0)
        fail_msg("%s:%u:%u: %d programs and %u objects of the driver are left", at->name, nth, code,
                 layer.live(), stand_in.live());
    return given;
}

static void every_function_fails(void **state) {
    (void)state;
    unsigned given = 0;
    find_layer();
    for (size_t i = 0; i < HOP_LENGTH(rows); i++) {
        if (rows[i].cubin)
            unsetenv("HOPLITE_CUDA_PTX");
        else
            setenv("HOPLITE_CUDA_PTX", "1", 1);
        for (unsigned code = 1; code <= CODE_MOST; code++) {
            if (!run_once(&rows[i], 1, code, false))
                fail_msg("%s is never called", rows[i].name);
            given++;
        }
        given += run_once(&rows[i], 1, INTERNAL_ERROR, true);
        for (unsigned nth = 2; run_once(&rows[i], nth, INTERNAL_ERROR, true); nth++)
            given++;
    }
    setenv("HOPLITE_CUDA_PTX", "1", 1);
    layer.fault(NULL, 0, 0, false);
    print_message("%u faults in %zu functions\n", given, HOP_LENGTH(rows));
}

/* None is missing above. */
static void all_functions_are_listed(void **state) {
    (void)state;
#define NAME(field, cuda, hip, parameters)  #cuda,
#define NAME_OWN(field, symbol, parameters) #symbol,
    static const char *const names[] = {HOP__NVRTC_FUNCTIONS(NAME)
                                            HOP__NVRTC_OWN_FUNCTIONS(NAME_OWN)};
    for (size_t i = 0; i < HOP_LENGTH(names); i++) {
        bool found = false;
        for (size_t k = 0; k < HOP_LENGTH(rows); k++)
            found |= strcmp(rows[k].name, names[i]) == 0;
        if (!found)
            fail_msg("%s is not made to fail", names[i]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_function_fails),
                                       cmocka_unit_test(all_functions_are_listed)};
    setenv("HOPLITE_CACHE_DIR", "", 1); /* else nothing is compiled */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
