/* SPDX-License-Identifier: Apache-2.0
 *
 * Finding the vendors' libraries; see cuda_library.h. The rules are those of the OpenCL loader:
 * plain names, which the system looks up where the administrator says, or absolute paths; a program
 * that runs with privileges of another user ignores the variables; a child of fork() has none. */
#include "device/cuda/cuda_library.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/try.h"

#define CUDA_ROW(field, cuda, hip, parameters)   {#cuda, offsetof(hop__cuda, field), false},
#define CUDA_OWN_ROW(field, symbol, parameters)  {#symbol, offsetof(hop__cuda, field), false},
#define CUDA_NEW_ROW(field, symbol, parameters)  {#symbol, offsetof(hop__cuda, field), true},
#define HIP_ROW(field, cuda, hip, parameters)    {#hip, offsetof(hop__cuda, field), false},
#define NVRTC_ROW(field, cuda, hip, parameters)  {#cuda, offsetof(hop__nvrtc, field), false},
#define NVRTC_OWN_ROW(field, symbol, parameters) {#symbol, offsetof(hop__nvrtc, field), false},
#define HIPRTC_ROW(field, cuda, hip, parameters) {#hip, offsetof(hop__nvrtc, field), false},

static const hop__cuda_wanted cuda_functions[] = {HOP__CUDA_FUNCTIONS(
    CUDA_ROW) HOP__CUDA_OWN_FUNCTIONS(CUDA_OWN_ROW) HOP__CUDA_NEWER_FUNCTIONS(CUDA_NEW_ROW)};
static const hop__cuda_wanted hip_functions[] = {
    HOP__CUDA_FUNCTIONS(HIP_ROW){"hipGetErrorName", offsetof(hop__cuda, NameOfError), false},
    {"hipGetDeviceProperties", offsetof(hop__cuda, GetProperties), true},
    {"hipGetDevicePropertiesR0600", offsetof(hop__cuda, GetNewProperties), true}};
static const hop__cuda_wanted nvrtc_functions[] = {HOP__NVRTC_FUNCTIONS(NVRTC_ROW)
                                                       HOP__NVRTC_OWN_FUNCTIONS(NVRTC_OWN_ROW)};
static const hop__cuda_wanted hiprtc_functions[] = {HOP__NVRTC_FUNCTIONS(HIPRTC_ROW)};

static const char *const cuda_names[] = {"libcuda.so.1", NULL};
static const char *const nvrtc_names[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2",
                                          "libnvrtc.so", NULL};
/* The compiler was part of the runtime until version 5. */
static const char *const hip_names[] = {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5",
                                        "libamdhip64.so", NULL};
static const char *const hiprtc_names[] = {"libhiprtc.so.7",   "libhiprtc.so.6", "libhiprtc.so.5",
                                           "libamdhip64.so.5", "libhiprtc.so",   NULL};

const hop__cuda_dialect hop__dialect_cuda = {
    .name = "cuda",
    .title = "CUDA",
    .vendor = "NVIDIA",
    .driver = "NVIDIA's driver",
    .library_variable = "HOPLITE_CUDA_LIB",
    .compiler_variable = "HOPLITE_NVRTC_LIB",
    .libraries = cuda_names,
    .compilers = nvrtc_names,
    .compiler = "NVRTC",
    .compiler_missing =
        "its compiler NVRTC (libnvrtc.so.12 or .13) is not installed: it comes with the CUDA "
        "toolkit, or by pip install nvidia-cuda-nvrtc (nvidia-cuda-nvrtc-cu12 for a driver of CUDA "
        "12)",
    .functions = cuda_functions,
    .compiler_functions = nvrtc_functions,
    .function_count = HOP_LENGTH(cuda_functions),
    .compiler_function_count = HOP_LENGTH(nvrtc_functions),
    .max_threads = HOP__CUDA_MAX_THREADS,
    .max_shared = HOP__CUDA_MAX_SHARED,
    .units = HOP__CUDA_UNITS,
    .integrated = HOP__CUDA_INTEGRATED,
    .pageable = HOP__CUDA_PAGEABLE,
    .version_major = 1000,
    .version_minor = 10,
};

const hop__cuda_dialect hop__dialect_hip = {
    .name = "hip",
    .title = "HIP",
    .vendor = "AMD",
    .driver = "AMD's runtime",
    .node = "/dev/kfd",
    .library_variable = "HOPLITE_HIP_LIB",
    .compiler_variable = "HOPLITE_HIPRTC_LIB",
    .libraries = hip_names,
    .compilers = hiprtc_names,
    .compiler = "hiprtc",
    .compiler_missing = "its compiler hiprtc (libhiprtc.so) is not installed: it comes with ROCm",
    .functions = hip_functions,
    .compiler_functions = hiprtc_functions,
    .function_count = HOP_LENGTH(hip_functions),
    .compiler_function_count = HOP_LENGTH(hiprtc_functions),
    .max_threads = HOP__HIP_MAX_THREADS,
    .max_shared = HOP__HIP_MAX_SHARED,
    .units = HOP__HIP_UNITS,
    .integrated = HOP__HIP_INTEGRATED,
    .pageable = HOP__HIP_PAGEABLE,
    .version_major = 10000000,
    .version_minor = 100000,
    .items_most = UINT32_MAX,
};

/* The process that has opened the driver of each; 0 before that. */
static atomic_int cuda_opened_by, hip_opened_by;

static atomic_int *opened_by(const hop__cuda_dialect *dialect) {
    return dialect == &hop__dialect_cuda ? &cuda_opened_by : &hip_opened_by;
}

/* The library that the variable names, or the first of the names that is there. NULL with the
 * reason, or with an empty one when there is none. */
static void *open_library(const hop__cuda_dialect *dialect, const char *variable,
                          const char *const *names, size_t count, const char **name,
                          char advice[256]) {
    const char *given = secure_getenv(variable);
    void *library = NULL;
    advice[0] = '\0';
    if (given == NULL || given[0] == '\0') {
        for (size_t i = 0; i < count && names[i] != NULL && library == NULL; i++)
            library = dlopen(*name = names[i], RTLD_NOW | RTLD_LOCAL);
        return library;
    }
    *name = given;
    if (strchr(given, '/') != NULL && given[0] != '/') {
        snprintf(advice, 256,
                 "%s: %s is '%.100s', which is neither an absolute path nor a plain name",
                 dialect->title, variable, given);
        return NULL;
    }
    library = dlopen(given, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        snprintf(advice, 256, "%s: %s: %.180s", dialect->title, variable, dlerror());
    return library;
}

static bool find_functions(const hop__cuda_dialect *dialect, void *library, const char *name,
                           const hop__cuda_wanted *functions, size_t count, void *table,
                           char advice[256]) {
    for (size_t i = 0; i < count; i++) {
        void *function = dlsym(library, functions[i].name);
        if (function == NULL && !functions[i].newer) {
            snprintf(advice, 256, "%s: %.120s has no %s: it is too old, and a newer one is needed",
                     dialect->title, name, functions[i].name);
            return false;
        }
        memcpy((char *)table + functions[i].offset, &function, sizeof function);
    }
    return true;
}

/* A runtime without its hardware is large and need not be opened; who names one wants it. */
static bool has_node(const hop__cuda_dialect *dialect) {
    const char *given = secure_getenv(dialect->library_variable);
    return dialect->node == NULL || (given != NULL && given[0] != '\0') ||
           access(dialect->node, F_OK) == 0;
}

bool hop__cuda_load(const hop__cuda_dialect *dialect, hop__cuda *cuda, char advice[256]) {
    atomic_int *opener = opened_by(dialect);
    int process = atomic_load(opener);
    const char *name = "";
    memset(cuda, 0, sizeof *cuda);
    cuda->dialect = dialect;
    if (process != 0 && process != (int)getpid()) {
        snprintf(advice, 256,
                 "%s: this process was forked from one that had used %s, whose driver does not "
                 "survive that; start it anew instead (in Python: multiprocessing's spawn)",
                 dialect->title, dialect->title);
        return false;
    }
    if (!has_node(dialect)) {
        snprintf(advice, 256, "%s: there is no GPU for it (%s)", dialect->title, dialect->node);
        return false;
    }
    void *library =
        open_library(dialect, dialect->library_variable, dialect->libraries, 8, &name, advice);
    if (library == NULL) {
        if (advice[0] == '\0')
            snprintf(advice, 256, "%s: %s (%s) is not installed", dialect->title, dialect->driver,
                     dialect->libraries[0]);
        return false;
    }
    atomic_store(opener, (int)getpid());
    return find_functions(dialect, library, name, dialect->functions, dialect->function_count, cuda,
                          advice);
}

void hop__cuda_version(const hop__cuda *cuda, int *major, int *minor) {
    int version = 0;
    if (cuda->DriverGetVersion(&version) != 0 || version < 0)
        version = 0;
    *major = version / cuda->dialect->version_major;
    *minor = version / cuda->dialect->version_minor % 100;
}

/* Whether the driver takes what the compiler makes: of its own major version, or an older one. A
 * driver that does not tell its version is tried; so is AMD's, which comes with its compiler. */
static bool suits_driver(const hop__nvrtc *nvrtc, const hop__cuda *cuda, char advice[256]) {
    int driver, driver_minor, major = 0, minor = 0;
    hop__cuda_version(cuda, &driver, &driver_minor);
    if (cuda->dialect != &hop__dialect_cuda || nvrtc->Version(&major, &minor) != 0 || driver == 0 ||
        major <= driver)
        return true;
    snprintf(advice, 256,
             "NVRTC %d.%d needs a driver of CUDA %d; this one is %d.%d: install a newer driver, or "
             "an older NVRTC (pip install nvidia-cuda-nvrtc-cu%d)",
             major, minor, major, driver, driver_minor, driver);
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
    const hop__cuda_dialect *dialect = cuda->dialect;
    const char *name = "";
    char why[256];
    memset(nvrtc, 0, sizeof *nvrtc);
    nvrtc->dialect = dialect;
    advice[0] = '\0';
    for (size_t i = 0; dialect->compilers[i] != NULL; i++) {
        void *library = open_library(dialect, dialect->compiler_variable, &dialect->compilers[i], 1,
                                     &name, why);
        if (library != NULL &&
            find_functions(dialect, library, name, dialect->compiler_functions,
                           dialect->compiler_function_count, nvrtc, why) &&
            suits_driver(nvrtc, cuda, why)) {
            if (dialect == &hop__dialect_cuda)
                open_builtins(nvrtc);
            return true;
        }
        if (advice[0] == '\0') /* what is wrong with the newest */
            memcpy(advice, why, sizeof why);
    }
    if (advice[0] == '\0')
        snprintf(advice, 256, "%s", dialect->compiler_missing);
    return false;
}

/* --- names ----------------------------------------------------------------------------------- */

static hop__cuda_name name_of(const hop__cuda_wanted *functions, size_t count, size_t call) {
    hop__cuda_name name = {"?"};
    for (size_t i = 0; i < count; i++)
        if (functions[i].offset == call)
            snprintf(name.text, sizeof name.text, "%s", functions[i].name);
    size_t length = strlen(name.text);
    if (length > 3 && strcmp(name.text + length - 3, "_v2") == 0)
        name.text[length - 3] = '\0';
    return name;
}

hop__cuda_name hop__cuda_name_of(const hop__cuda *cuda, size_t call) {
    return name_of(cuda->dialect->functions, cuda->dialect->function_count, call);
}

hop__cuda_name hop__nvrtc_name_of(const hop__nvrtc *nvrtc, size_t call) {
    return name_of(nvrtc->dialect->compiler_functions, nvrtc->dialect->compiler_function_count,
                   call);
}

const char *hop__cuda_code_name(const hop__cuda *cuda, hop__cuda_code code) {
    const char *name = NULL;
    if (cuda->NameOfError != NULL)
        name = cuda->NameOfError(code);
    else if (cuda->GetErrorName(code, &name) != 0)
        name = NULL;
    return name != NULL ? name : "unknown code";
}
