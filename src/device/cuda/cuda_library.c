/* SPDX-License-Identifier: Apache-2.0
 *
 * Finding NVIDIA's libraries; see cuda_library.h. The rules are those of the OpenCL loader: plain
 * names, which the system looks up where the administrator says, or absolute paths; a program that
 * runs with privileges of another user ignores the variables; a child of fork() has no driver. */
#include "device/cuda/cuda_library.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/try.h"

typedef struct wanted {
    const char *name;
    size_t offset;
    bool newer; /* may be missing */
} wanted;

#define CUDA_ROW(field, symbol, parameters)  {#symbol, offsetof(hop__cuda, field), false},
#define NEWER_ROW(field, symbol, parameters) {#symbol, offsetof(hop__cuda, field), true},
#define NVRTC_ROW(field, symbol, parameters) {#symbol, offsetof(hop__nvrtc, field), false},

static const wanted cuda_functions[] = {HOP__CUDA_FUNCTIONS(CUDA_ROW)
                                            HOP__CUDA_NEWER_FUNCTIONS(NEWER_ROW)};
static const wanted nvrtc_functions[] = {HOP__NVRTC_FUNCTIONS(NVRTC_ROW)};

static const char *const cuda_names[] = {"libcuda.so.1"};
static const char *const nvrtc_names[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2",
                                          "libnvrtc.so"};

/* The process that has opened the driver; 0 before that. */
static atomic_int opened_by;

/* The library that the variable names, or the first that is there. NULL with the reason, or with an
 * empty one when there is none. */
static void *open_library(const char *variable, const char *const *names, size_t count,
                          const char **name, char advice[256]) {
    const char *given = secure_getenv(variable);
    void *library = NULL;
    advice[0] = '\0';
    if (given == NULL || given[0] == '\0') {
        for (size_t i = 0; i < count && library == NULL; i++)
            library = dlopen(*name = names[i], RTLD_NOW | RTLD_LOCAL);
        return library;
    }
    *name = given;
    if (strchr(given, '/') != NULL && given[0] != '/') {
        snprintf(advice, 256,
                 "CUDA: %s is '%.100s', which is neither an absolute path nor a plain name",
                 variable, given);
        return NULL;
    }
    library = dlopen(given, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        snprintf(advice, 256, "CUDA: %s: %.180s", variable, dlerror());
    return library;
}

static bool find_functions(void *library, const char *name, const wanted *functions, size_t count,
                           void *table, char advice[256]) {
    for (size_t i = 0; i < count; i++) {
        void *function = dlsym(library, functions[i].name);
        if (function == NULL && !functions[i].newer) {
            snprintf(advice, 256,
                     "CUDA: %.120s has no %s: it is too old, and a newer one is needed", name,
                     functions[i].name);
            return false;
        }
        memcpy((char *)table + functions[i].offset, &function, sizeof function);
    }
    return true;
}

bool hop__cuda_load(hop__cuda *cuda, char advice[256]) {
    int opener = atomic_load(&opened_by);
    const char *name = "";
    if (opener != 0 && opener != (int)getpid()) {
        snprintf(advice, 256,
                 "CUDA: this process was forked from one that had used CUDA, whose driver does not "
                 "survive that; start it anew instead (in Python: multiprocessing's spawn)");
        return false;
    }
    void *library =
        open_library("HOPLITE_CUDA_LIB", cuda_names, HOP_LENGTH(cuda_names), &name, advice);
    if (library == NULL) {
        if (advice[0] == '\0')
            snprintf(advice, 256, "CUDA: NVIDIA's driver (libcuda.so.1) is not installed");
        return false;
    }
    atomic_store(&opened_by, (int)getpid());
    return find_functions(library, name, cuda_functions, HOP_LENGTH(cuda_functions), cuda, advice);
}

/* Whether the driver takes what the compiler makes: of its own major version, or an older one. A
 * driver that does not tell its version is tried. */
static bool suits_driver(const hop__nvrtc *nvrtc, const hop__cuda *cuda, char advice[256]) {
    int version = 0, major = 0, minor = 0;
    if (cuda->DriverGetVersion(&version) != 0 || nvrtc->Version(&major, &minor) != 0 ||
        version <= 0 || major <= version / 1000)
        return true;
    snprintf(advice, 256,
             "NVRTC %d.%d needs a driver of CUDA %d; this one is %d.%d: install a newer driver, or "
             "an older NVRTC (pip install nvidia-cuda-nvrtc-cu%d)",
             major, minor, major, version / 1000, version % 1000 / 10, version / 1000);
    return false;
}

/* NVRTC opens a second library, with its built-in functions, by name, and relies on its own run
 * path. Where something stands between it and dlopen, such as the address sanitizer or a profiler,
 * the system looks at that one's path instead; what is open already is found in any case. So it is
 * opened here, from the folder of NVRTC. If it is not there, NVRTC may know better. */
static void open_builtins(const hop__nvrtc *nvrtc) {
    int major = 0, minor = 0;
    void *function = NULL;
    char path[1024];
    Dl_info where;
    memcpy(&function, &nvrtc->Version, sizeof function);
    if (nvrtc->Version(&major, &minor) != 0 || dladdr(function, &where) == 0)
        return;
    const char *slash = strrchr(where.dli_fname, '/');
    if (where.dli_fname[0] != '/' || slash - where.dli_fname > 900)
        return;
    snprintf(path, sizeof path, "%.*s/libnvrtc-builtins.so.%d.%d", (int)(slash - where.dli_fname),
             where.dli_fname, major, minor);
    dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

bool hop__nvrtc_load(hop__nvrtc *nvrtc, const hop__cuda *cuda, char advice[256]) {
    const char *name = "";
    char why[256];
    advice[0] = '\0';
    for (size_t i = 0; i < HOP_LENGTH(nvrtc_names); i++) {
        void *library = open_library("HOPLITE_NVRTC_LIB", &nvrtc_names[i], 1, &name, why);
        if (library != NULL &&
            find_functions(library, name, nvrtc_functions, HOP_LENGTH(nvrtc_functions), nvrtc,
                           why) &&
            suits_driver(nvrtc, cuda, why)) {
            open_builtins(nvrtc);
            return true;
        }
        if (advice[0] == '\0') /* what is wrong with the newest */
            memcpy(advice, why, sizeof why);
    }
    if (advice[0] == '\0')
        snprintf(advice, 256,
                 "its compiler NVRTC (libnvrtc.so.12 or .13) is not installed: it comes with the "
                 "CUDA toolkit, or by pip install nvidia-cuda-nvrtc (nvidia-cuda-nvrtc-cu12 for a "
                 "driver of CUDA 12)");
    return false;
}
