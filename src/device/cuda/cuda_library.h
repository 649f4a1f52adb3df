/* SPDX-License-Identifier: Apache-2.0
 *
 * NVIDIA's driver and its compiler NVRTC, or AMD's HIP and hiprtc, opened at run time: nothing is
 * linked, no header of theirs is needed to build, and a machine without them is a normal case. The
 * functions are declared here as far as they are used; tests/device/test_cuda_prototypes.c and
 * test_hip_prototypes.c hold them against the vendors' headers.
 *
 * HIP was made in the image of CUDA: other names, the same parameters, the same codes. So there is
 * one backend, which calls either by the same table; what differs is in hop__cuda_dialect. Where
 * HIP has pointers for addresses of the device, CUDA has integers of the same size.
 *
 * Codes are enums of theirs, which are unsigned. Functions are asked for by the names that the
 * driver exports, with their versions. */
#ifndef HOPLITE_DEVICE_CUDA_LIBRARY_H
#define HOPLITE_DEVICE_CUDA_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef unsigned hop__cuda_code;
typedef int hop__cuda_device;
typedef unsigned long long hop__cuda_address;
typedef struct CUctx_st *hop__cuda_context;
typedef struct CUmod_st *hop__cuda_module;
typedef struct CUfunc_st *hop__cuda_function;
typedef struct CUstream_st *hop__cuda_stream;
typedef struct CUevent_st *hop__cuda_event;
typedef struct _nvrtcProgram *hop__nvrtc_program;

enum {
    HOP__CUDA_INVALID_VALUE = 1,
    HOP__CUDA_OUT_OF_MEMORY = 2,
    HOP__CUDA_NO_DEVICE = 100,
    HOP__CUDA_INVALID_DEVICE = 101, /* what HIP says for no device */
    HOP__CUDA_NOT_READY = 600,
    /* of a device */
    HOP__CUDA_MAX_THREADS = 1,
    HOP__CUDA_MAX_SHARED = 8,
    HOP__CUDA_UNITS = 16,
    HOP__CUDA_INTEGRATED = 18,
    HOP__CUDA_PAGEABLE = 88,
    HOP__CUDA_MAJOR = 75,
    HOP__CUDA_MINOR = 76,
    HOP__HIP_MAX_THREADS = 56,
    HOP__HIP_MAX_SHARED = 74,
    HOP__HIP_UNITS = 63,
    HOP__HIP_INTEGRATED = 16,
    HOP__HIP_PAGEABLE = 65,
    /* of a function */
    HOP__CUDA_FUNCTION_MAX_THREADS = 0,
    /* flags */
    HOP__CUDA_NON_BLOCKING = 1,
    HOP__CUDA_UNTIMED = 2
};

/* X(field, CUDA's name, HIP's name, parameters) */
/* clang-format off */
#define HOP__CUDA_FUNCTIONS(X)                                                                     \
    X(Init, cuInit, hipInit, (unsigned flags))                                                     \
    X(DriverGetVersion, cuDriverGetVersion, hipDriverGetVersion, (int *version))                   \
    X(DeviceGetCount, cuDeviceGetCount, hipGetDeviceCount, (int *count))                           \
    X(DeviceGet, cuDeviceGet, hipDeviceGet, (hop__cuda_device *device, int number))                \
    X(DeviceGetName, cuDeviceGetName, hipDeviceGetName,                                            \
      (char *name, int length, hop__cuda_device device))                                           \
    X(DeviceGetAttribute, cuDeviceGetAttribute, hipDeviceGetAttribute,                             \
      (int *value, unsigned attribute, hop__cuda_device device))                                   \
    X(DeviceTotalMem, cuDeviceTotalMem_v2, hipDeviceTotalMem,                                      \
      (size_t *bytes, hop__cuda_device device))                                                    \
    X(PrimaryCtxRetain, cuDevicePrimaryCtxRetain, hipDevicePrimaryCtxRetain,                       \
      (hop__cuda_context *context, hop__cuda_device device))                                       \
    X(PrimaryCtxRelease, cuDevicePrimaryCtxRelease_v2, hipDevicePrimaryCtxRelease,                 \
      (hop__cuda_device device))                                                                   \
    X(CtxPushCurrent, cuCtxPushCurrent_v2, hipCtxPushCurrent, (hop__cuda_context context))         \
    X(CtxPopCurrent, cuCtxPopCurrent_v2, hipCtxPopCurrent, (hop__cuda_context *context))           \
    X(MemAlloc, cuMemAlloc_v2, hipMalloc, (hop__cuda_address *address, size_t bytes))              \
    X(MemFree, cuMemFree_v2, hipFree, (hop__cuda_address address))                                 \
    X(MemHostAlloc, cuMemHostAlloc, hipHostMalloc,                                                 \
      (void **memory, size_t bytes, unsigned flags))                                               \
    X(MemFreeHost, cuMemFreeHost, hipHostFree, (void *memory))                                     \
    X(MemcpyHtoDAsync, cuMemcpyHtoDAsync_v2, hipMemcpyHtoDAsync,                                   \
      (hop__cuda_address to, const void *from, size_t bytes, hop__cuda_stream stream))             \
    X(MemcpyDtoHAsync, cuMemcpyDtoHAsync_v2, hipMemcpyDtoHAsync,                                   \
      (void *to, hop__cuda_address from, size_t bytes, hop__cuda_stream stream))                   \
    X(MemcpyDtoDAsync, cuMemcpyDtoDAsync_v2, hipMemcpyDtoDAsync,                                   \
      (hop__cuda_address to, hop__cuda_address from, size_t bytes, hop__cuda_stream stream))       \
    X(MemsetD32Async, cuMemsetD32Async, hipMemsetD32Async,                                         \
      (hop__cuda_address to, unsigned word, size_t count, hop__cuda_stream stream))                \
    X(ModuleLoadDataEx, cuModuleLoadDataEx, hipModuleLoadDataEx,                                   \
      (hop__cuda_module *module, const void *image, unsigned count, unsigned *options,             \
       void **values))                                                                             \
    X(ModuleUnload, cuModuleUnload, hipModuleUnload, (hop__cuda_module module))                    \
    X(ModuleGetFunction, cuModuleGetFunction, hipModuleGetFunction,                                \
      (hop__cuda_function *function, hop__cuda_module module, const char *name))                   \
    X(FuncGetAttribute, cuFuncGetAttribute, hipFuncGetAttribute,                                   \
      (int *value, unsigned attribute, hop__cuda_function function))                               \
    X(LaunchKernel, cuLaunchKernel, hipModuleLaunchKernel,                                         \
      (hop__cuda_function function, unsigned groups_x, unsigned groups_y, unsigned groups_z,       \
       unsigned group_x, unsigned group_y, unsigned group_z, unsigned shared,                      \
       hop__cuda_stream stream, void **parameters, void **extra))                                  \
    X(StreamCreate, cuStreamCreate, hipStreamCreateWithFlags,                                      \
      (hop__cuda_stream *stream, unsigned flags))                                                  \
    X(StreamDestroy, cuStreamDestroy_v2, hipStreamDestroy, (hop__cuda_stream stream))              \
    X(StreamSynchronize, cuStreamSynchronize, hipStreamSynchronize, (hop__cuda_stream stream))     \
    X(StreamWaitEvent, cuStreamWaitEvent, hipStreamWaitEvent,                                      \
      (hop__cuda_stream stream, hop__cuda_event event, unsigned flags))                            \
    X(EventCreate, cuEventCreate, hipEventCreateWithFlags,                                         \
      (hop__cuda_event *event, unsigned flags))                                                    \
    X(EventDestroy, cuEventDestroy_v2, hipEventDestroy, (hop__cuda_event event))                   \
    X(EventRecord, cuEventRecord, hipEventRecord,                                                  \
      (hop__cuda_event event, hop__cuda_stream stream))                                            \
    X(EventQuery, cuEventQuery, hipEventQuery, (hop__cuda_event event))                            \
    X(EventSynchronize, cuEventSynchronize, hipEventSynchronize, (hop__cuda_event event))          \
    X(EventElapsedTime, cuEventElapsedTime, hipEventElapsedTime,                                   \
      (float *milliseconds, hop__cuda_event begin, hop__cuda_event end))

/* Those that only CUDA has: X(field, name, parameters). */
#define HOP__CUDA_OWN_FUNCTIONS(X)                                                                 \
    X(GetErrorName, cuGetErrorName, (hop__cuda_code code, const char **text))

/* And only newer drivers: NULL elsewhere. */
#define HOP__CUDA_NEWER_FUNCTIONS(X)                                                               \
    X(FuncGetParamInfo, cuFuncGetParamInfo,                                                        \
      (hop__cuda_function function, size_t index, size_t *offset, size_t *bytes))

#define HOP__NVRTC_FUNCTIONS(X)                                                                    \
    X(Version, nvrtcVersion, hiprtcVersion, (int *major, int *minor))                              \
    X(CreateProgram, nvrtcCreateProgram, hiprtcCreateProgram,                                      \
      (hop__nvrtc_program *program, const char *text, const char *name, int headers,               \
       const char *const *header_texts, const char *const *header_names))                          \
    X(DestroyProgram, nvrtcDestroyProgram, hiprtcDestroyProgram,                                   \
      (hop__nvrtc_program *program))                                                               \
    X(CompileProgram, nvrtcCompileProgram, hiprtcCompileProgram,                                   \
      (hop__nvrtc_program program, int count, const char *const *options))                         \
    X(GetProgramLogSize, nvrtcGetProgramLogSize, hiprtcGetProgramLogSize,                          \
      (hop__nvrtc_program program, size_t *bytes))                                                 \
    X(GetProgramLog, nvrtcGetProgramLog, hiprtcGetProgramLog,                                      \
      (hop__nvrtc_program program, char *log))                                                     \
    X(GetCUBINSize, nvrtcGetCUBINSize, hiprtcGetCodeSize,                                          \
      (hop__nvrtc_program program, size_t *bytes))                                                 \
    X(GetCUBIN, nvrtcGetCUBIN, hiprtcGetCode, (hop__nvrtc_program program, char *cubin))

#define HOP__NVRTC_OWN_FUNCTIONS(X)                                                                \
    X(GetNumSupportedArchs, nvrtcGetNumSupportedArchs, (int *count))                               \
    X(GetSupportedArchs, nvrtcGetSupportedArchs, (int *architectures))                             \
    X(GetPTXSize, nvrtcGetPTXSize, (hop__nvrtc_program program, size_t *bytes))                    \
    X(GetPTX, nvrtcGetPTX, (hop__nvrtc_program program, char *ptx))
/* clang-format on */

typedef struct hop__cuda_dialect hop__cuda_dialect;

#define HOP__CUDA_FIELD(name, cuda, hip, parameters)  hop__cuda_code(*name) parameters;
#define HOP__CUDA_OWN_FIELD(name, symbol, parameters) hop__cuda_code(*name) parameters;
typedef struct hop__cuda {
    const hop__cuda_dialect *dialect;
    HOP__CUDA_FUNCTIONS(HOP__CUDA_FIELD)
    HOP__CUDA_OWN_FUNCTIONS(HOP__CUDA_OWN_FIELD)
    HOP__CUDA_NEWER_FUNCTIONS(HOP__CUDA_OWN_FIELD)
    /* Those that only HIP has. The properties are a struct whose form differs between versions. */
    const char *(*NameOfError)(hop__cuda_code code);
    hop__cuda_code (*GetProperties)(void *properties, int number);
    hop__cuda_code (*GetNewProperties)(void *properties, int number);
} hop__cuda;
typedef struct hop__nvrtc {
    const hop__cuda_dialect *dialect;
    HOP__NVRTC_FUNCTIONS(HOP__CUDA_FIELD)
    HOP__NVRTC_OWN_FUNCTIONS(HOP__CUDA_OWN_FIELD)
} hop__nvrtc;
#undef HOP__CUDA_FIELD
#undef HOP__CUDA_OWN_FIELD

typedef struct hop__cuda_wanted {
    const char *name;
    size_t offset; /* in the table */
    bool newer;    /* may be missing */
} hop__cuda_wanted;

/* What differs between the two. */
struct hop__cuda_dialect {
    const char *name;  /* of its devices, before the colon */
    const char *title; /* of the platform */
    const char *vendor;
    const char *driver; /* in a sentence, with its library */
    const char *node;   /* without this file there is no such GPU; NULL: not known */
    const char *library_variable, *compiler_variable;
    const char *const *libraries, *const *compilers; /* names, newest first; NULL ends them */
    const char *compiler;                            /* its name */
    const char *compiler_missing;                    /* what to do */
    const hop__cuda_wanted *functions, *compiler_functions;
    size_t function_count, compiler_function_count;
    unsigned max_threads, max_shared, units, integrated, pageable; /* numbers of attributes */
    int version_major, version_minor; /* the driver's version is in units of these, the minor one
                                       * below 100 */
    uint64_t items_most;              /* of a launch, in x; 0: no bound */
};
extern const hop__cuda_dialect hop__dialect_cuda, hop__dialect_hip;

/* Opens the driver (HOPLITE_CUDA_LIB, or libcuda.so.1; HOPLITE_HIP_LIB, or libamdhip64.so) and the
 * compiler (HOPLITE_NVRTC_LIB or HOPLITE_HIPRTC_LIB, or the newest of the usual names whose code
 * the driver takes), and finds the functions. False, with what is missing and what to do in
 * `advice`, when that fails. Never closed again. */
bool hop__cuda_load(const hop__cuda_dialect *dialect, hop__cuda *cuda, char advice[256]);
bool hop__nvrtc_load(hop__nvrtc *nvrtc, const hop__cuda *cuda, char advice[256]);

/* The vendor's name of a function, by its place in the table, without the version of it. */
#define HOP__CUDA_CALL(field)  offsetof(hop__cuda, field)
#define HOP__NVRTC_CALL(field) offsetof(hop__nvrtc, field)
typedef struct hop__cuda_name {
    char text[48];
} hop__cuda_name;
hop__cuda_name hop__cuda_name_of(const hop__cuda *cuda, size_t call);
hop__cuda_name hop__nvrtc_name_of(const hop__nvrtc *nvrtc, size_t call);
/* The vendor's name of a code; never NULL. */
const char *hop__cuda_code_name(const hop__cuda *cuda, hop__cuda_code code);
/* The driver's version; 0.0 if it does not say. */
void hop__cuda_version(const hop__cuda *cuda, int *major, int *minor);

#endif
