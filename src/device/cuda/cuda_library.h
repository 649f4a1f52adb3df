/* SPDX-License-Identifier: Apache-2.0
 *
 * NVIDIA's driver and its compiler NVRTC, opened at run time: nothing is linked, no header of
 * theirs is needed to build, and a machine without them is a normal case. The functions are
 * declared here as far as they are used; tests/device/test_cuda_prototypes.c holds them against
 * NVIDIA's headers.
 *
 * Codes are enums of theirs, which are unsigned. Functions are asked for by the names that the
 * driver exports, with their versions. */
#ifndef HOPLITE_DEVICE_CUDA_LIBRARY_H
#define HOPLITE_DEVICE_CUDA_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

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
    HOP__CUDA_OUT_OF_MEMORY = 2,
    HOP__CUDA_NO_DEVICE = 100,
    /* of a device */
    HOP__CUDA_MAX_THREADS = 1,
    HOP__CUDA_MAX_SHARED = 8,
    HOP__CUDA_UNITS = 16,
    HOP__CUDA_MAJOR = 75,
    HOP__CUDA_MINOR = 76,
    /* of a function */
    HOP__CUDA_FUNCTION_MAX_THREADS = 0,
    /* flags */
    HOP__CUDA_NON_BLOCKING = 1,
    HOP__CUDA_UNTIMED = 2
};

/* X(name, the driver's name, parameters) */
/* clang-format off */
#define HOP__CUDA_FUNCTIONS(X)                                                                     \
    X(Init, cuInit, (unsigned flags))                                                              \
    X(DriverGetVersion, cuDriverGetVersion, (int *version))                                        \
    X(GetErrorName, cuGetErrorName, (hop__cuda_code code, const char **text))                      \
    X(GetErrorString, cuGetErrorString, (hop__cuda_code code, const char **text))                  \
    X(DeviceGetCount, cuDeviceGetCount, (int *count))                                              \
    X(DeviceGet, cuDeviceGet, (hop__cuda_device *device, int number))                              \
    X(DeviceGetName, cuDeviceGetName, (char *name, int length, hop__cuda_device device))           \
    X(DeviceGetAttribute, cuDeviceGetAttribute,                                                    \
      (int *value, unsigned attribute, hop__cuda_device device))                                   \
    X(DeviceTotalMem, cuDeviceTotalMem_v2, (size_t *bytes, hop__cuda_device device))               \
    X(PrimaryCtxRetain, cuDevicePrimaryCtxRetain,                                                  \
      (hop__cuda_context *context, hop__cuda_device device))                                       \
    X(PrimaryCtxRelease, cuDevicePrimaryCtxRelease_v2, (hop__cuda_device device))                  \
    X(CtxPushCurrent, cuCtxPushCurrent_v2, (hop__cuda_context context))                            \
    X(CtxPopCurrent, cuCtxPopCurrent_v2, (hop__cuda_context *context))                             \
    X(MemAlloc, cuMemAlloc_v2, (hop__cuda_address *address, size_t bytes))                         \
    X(MemFree, cuMemFree_v2, (hop__cuda_address address))                                          \
    X(MemcpyHtoDAsync, cuMemcpyHtoDAsync_v2,                                                       \
      (hop__cuda_address to, const void *from, size_t bytes, hop__cuda_stream stream))             \
    X(MemcpyDtoHAsync, cuMemcpyDtoHAsync_v2,                                                       \
      (void *to, hop__cuda_address from, size_t bytes, hop__cuda_stream stream))                   \
    X(MemcpyDtoDAsync, cuMemcpyDtoDAsync_v2,                                                       \
      (hop__cuda_address to, hop__cuda_address from, size_t bytes, hop__cuda_stream stream))       \
    X(MemsetD32Async, cuMemsetD32Async,                                                            \
      (hop__cuda_address to, unsigned word, size_t count, hop__cuda_stream stream))                \
    X(ModuleLoadDataEx, cuModuleLoadDataEx,                                                        \
      (hop__cuda_module *module, const void *image, unsigned count, unsigned *options,             \
       void **values))                                                                             \
    X(ModuleUnload, cuModuleUnload, (hop__cuda_module module))                                     \
    X(ModuleGetFunction, cuModuleGetFunction,                                                      \
      (hop__cuda_function *function, hop__cuda_module module, const char *name))                   \
    X(FuncGetAttribute, cuFuncGetAttribute,                                                        \
      (int *value, unsigned attribute, hop__cuda_function function))                               \
    X(LaunchKernel, cuLaunchKernel,                                                                \
      (hop__cuda_function function, unsigned groups_x, unsigned groups_y, unsigned groups_z,       \
       unsigned group_x, unsigned group_y, unsigned group_z, unsigned shared,                      \
       hop__cuda_stream stream, void **parameters, void **extra))                                  \
    X(StreamCreate, cuStreamCreate, (hop__cuda_stream *stream, unsigned flags))                    \
    X(StreamDestroy, cuStreamDestroy_v2, (hop__cuda_stream stream))                                \
    X(StreamSynchronize, cuStreamSynchronize, (hop__cuda_stream stream))                           \
    X(StreamWaitEvent, cuStreamWaitEvent,                                                          \
      (hop__cuda_stream stream, hop__cuda_event event, unsigned flags))                            \
    X(EventCreate, cuEventCreate, (hop__cuda_event *event, unsigned flags))                        \
    X(EventDestroy, cuEventDestroy_v2, (hop__cuda_event event))                                    \
    X(EventRecord, cuEventRecord, (hop__cuda_event event, hop__cuda_stream stream))                \
    X(EventSynchronize, cuEventSynchronize, (hop__cuda_event event))                               \
    X(EventElapsedTime, cuEventElapsedTime,                                                        \
      (float *milliseconds, hop__cuda_event begin, hop__cuda_event end))

/* Those that only newer drivers have: NULL elsewhere. */
#define HOP__CUDA_NEWER_FUNCTIONS(X)                                                               \
    X(FuncGetParamInfo, cuFuncGetParamInfo,                                                        \
      (hop__cuda_function function, size_t index, size_t *offset, size_t *bytes))

#define HOP__NVRTC_FUNCTIONS(X)                                                                    \
    X(Version, nvrtcVersion, (int *major, int *minor))                                             \
    X(GetNumSupportedArchs, nvrtcGetNumSupportedArchs, (int *count))                               \
    X(GetSupportedArchs, nvrtcGetSupportedArchs, (int *architectures))                             \
    X(CreateProgram, nvrtcCreateProgram,                                                           \
      (hop__nvrtc_program *program, const char *text, const char *name, int headers,               \
       const char *const *header_texts, const char *const *header_names))                          \
    X(DestroyProgram, nvrtcDestroyProgram, (hop__nvrtc_program *program))                          \
    X(CompileProgram, nvrtcCompileProgram,                                                         \
      (hop__nvrtc_program program, int count, const char *const *options))                         \
    X(GetProgramLogSize, nvrtcGetProgramLogSize, (hop__nvrtc_program program, size_t *bytes))      \
    X(GetProgramLog, nvrtcGetProgramLog, (hop__nvrtc_program program, char *log))                  \
    X(GetCUBINSize, nvrtcGetCUBINSize, (hop__nvrtc_program program, size_t *bytes))                \
    X(GetCUBIN, nvrtcGetCUBIN, (hop__nvrtc_program program, char *cubin))                          \
    X(GetPTXSize, nvrtcGetPTXSize, (hop__nvrtc_program program, size_t *bytes))                    \
    X(GetPTX, nvrtcGetPTX, (hop__nvrtc_program program, char *ptx))
/* clang-format on */

#define HOP__CUDA_FIELD(name, symbol, parameters) hop__cuda_code(*name) parameters;
typedef struct hop__cuda {
    HOP__CUDA_FUNCTIONS(HOP__CUDA_FIELD)
    HOP__CUDA_NEWER_FUNCTIONS(HOP__CUDA_FIELD)
} hop__cuda;
typedef struct hop__nvrtc {
    HOP__NVRTC_FUNCTIONS(HOP__CUDA_FIELD)
} hop__nvrtc;
#undef HOP__CUDA_FIELD

/* Opens the driver (HOPLITE_CUDA_LIB, or libcuda.so.1) and the compiler (HOPLITE_NVRTC_LIB, or the
 * newest of the usual names whose code the driver takes), and finds the functions. False, with what
 * is missing and what to do in `advice`, when that fails. Never closed again. */
bool hop__cuda_load(hop__cuda *cuda, char advice[256]);
bool hop__nvrtc_load(hop__nvrtc *nvrtc, const hop__cuda *cuda, char advice[256]);

#endif
