/* SPDX-License-Identifier: Apache-2.0
 *
 * NVRTC with calls that fail: a layer in its place, for tests/device/test_cuda_compiler.c, which
 * has the functions that the library asks for. All are those of the NVRTC that
 * HOPLITE_TEST_NVRTC_LIB names, but for the calls that a test makes fail. */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/cuda/cuda_library.h"

#define EXPORT __attribute__((visibility("default")))

static struct {
    char name[48];
    unsigned nth, code, called, given;
    bool lasting;
} fault;
static int live;

/* Calls of `name` fail with `code`: the nth from now, or all from that one on; NULL: none do. */
EXPORT void nvrtc_layer_fault(const char *name, unsigned nth, unsigned code, bool lasting);
EXPORT unsigned nvrtc_layer_given(void);
/* Programs that were not given back. */
EXPORT int nvrtc_layer_live(void);

void nvrtc_layer_fault(const char *name, unsigned nth, unsigned code, bool lasting) {
    memset(&fault, 0, sizeof fault);
    snprintf(fault.name, sizeof fault.name, "%s", name != NULL ? name : "");
    fault.nth = nth;
    fault.code = code;
    fault.lasting = lasting;
}

unsigned nvrtc_layer_given(void) {
    return fault.given;
}

int nvrtc_layer_live(void) {
    return live;
}

static unsigned fails(const char *name) {
    if (strcmp(name, fault.name) != 0)
        return 0;
    fault.called++;
    if (fault.called < fault.nth || (fault.called > fault.nth && !fault.lasting))
        return 0;
    fault.given++;
    return fault.code;
}

static void *real(const char *name) {
    static void *library;
    const char *path = getenv("HOPLITE_TEST_NVRTC_LIB");
    if (library == NULL && path != NULL)
        library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    void *found = library != NULL ? dlsym(library, name) : NULL;
    if (found == NULL) {
        fprintf(stderr, "nvrtc layer: there is no %s\n", name);
        abort();
    }
    return found;
}

/* FORWARD(name, parameters, arguments): a call that does nothing when it fails. */
#define FORWARD(name, parameters, arguments)                                                       \
    EXPORT hop__cuda_code name parameters;                                                         \
    hop__cuda_code name parameters {                                                               \
        hop__cuda_code(*function) parameters;                                                      \
        void *found = real(#name);                                                                 \
        unsigned code = fails(#name);                                                              \
        memcpy(&function, &found, sizeof function);                                                \
        return code != 0 ? code : function arguments;                                              \
    }
FORWARD(nvrtcVersion, (int *major, int *minor), (major, minor))
FORWARD(nvrtcCompileProgram, (hop__nvrtc_program program, int count, const char *const *options),
        (program, count, options))
FORWARD(nvrtcGetProgramLogSize, (hop__nvrtc_program program, size_t *bytes), (program, bytes))
FORWARD(nvrtcGetProgramLog, (hop__nvrtc_program program, char *text), (program, text))
FORWARD(nvrtcGetCUBINSize, (hop__nvrtc_program program, size_t *bytes), (program, bytes))
FORWARD(nvrtcGetCUBIN, (hop__nvrtc_program program, char *image), (program, image))
FORWARD(nvrtcGetPTXSize, (hop__nvrtc_program program, size_t *bytes), (program, bytes))
FORWARD(nvrtcGetPTX, (hop__nvrtc_program program, char *image), (program, image))
FORWARD(nvrtcGetNumSupportedArchs, (int *count), (count))
FORWARD(nvrtcGetSupportedArchs, (int *architectures), (architectures))

typedef hop__cuda_code create_program(hop__nvrtc_program *program, const char *text,
                                      const char *name, int headers,
                                      const char *const *header_texts,
                                      const char *const *header_names);
EXPORT create_program nvrtcCreateProgram;
hop__cuda_code nvrtcCreateProgram(hop__nvrtc_program *program, const char *text, const char *name,
                                  int headers, const char *const *header_texts,
                                  const char *const *header_names) {
    create_program *function;
    void *found = real("nvrtcCreateProgram");
    unsigned code = fails("nvrtcCreateProgram");
    memcpy(&function, &found, sizeof function);
    if (code == 0)
        code = function(program, text, name, headers, header_texts, header_names);
    live += code == 0;
    return code;
}

/* Gives the program back in any case. */
typedef hop__cuda_code destroy_program(hop__nvrtc_program *program);
EXPORT destroy_program nvrtcDestroyProgram;
hop__cuda_code nvrtcDestroyProgram(hop__nvrtc_program *program) {
    destroy_program *function;
    void *found = real("nvrtcDestroyProgram");
    memcpy(&function, &found, sizeof function);
    unsigned code = function(program), wanted = fails("nvrtcDestroyProgram");
    live -= code == 0;
    return wanted != 0 ? wanted : code;
}
