/* SPDX-License-Identifier: Apache-2.0
 *
 * The driver that interprets PTX under the names of HIP, with NVRTC in the place of hiprtc: so what
 * the library does with AMD's runtime is run, in the order and with the arguments that it would
 * see. Compiled with AMD's headers, so that no function here can have another form. The kernels are
 * those that NVRTC makes: what hiprtc makes of them is compiled elsewhere, and run nowhere.
 *
 * HOPLITE_NVRTC_LIB names NVRTC. */
#define __HIP_PLATFORM_AMD__ 1
#include <cuda.h>
#include <dlfcn.h>
#include <hip/hip_runtime_api.h>
#include <hip/hiprtc.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT    __attribute__((visibility("default")))
#define AS(code)  ((hipError_t)(code))
#define AT(where) ((CUdeviceptr)(uintptr_t)(where))

/* --- the driver ------------------------------------------------------------------------------ */

EXPORT hipError_t hipInit(unsigned flags) {
    return AS(cuInit(flags));
}
EXPORT hipError_t hipDriverGetVersion(int *version) {
    int given = 0;
    CUresult code = cuDriverGetVersion(&given);
    *version = 50221153;
    return AS(code);
}
EXPORT const char *hipGetErrorName(hipError_t code) {
    const char *text = NULL;
    return cuGetErrorName((CUresult)code, &text) == CUDA_SUCCESS ? text : "hipErrorUnknown";
}
EXPORT hipError_t hipGetDeviceCount(int *count) {
    return AS(cuDeviceGetCount(count));
}
EXPORT hipError_t hipDeviceGet(hipDevice_t *device, int number) {
    return AS(cuDeviceGet(device, number));
}
EXPORT hipError_t hipDeviceGetName(char *name, int length, hipDevice_t device) {
    return AS(cuDeviceGetName(name, length, device));
}
EXPORT hipError_t hipDeviceGetAttribute(int *value, hipDeviceAttribute_t which, int device) {
    CUdevice_attribute same =
        which == hipDeviceAttributeMaxThreadsPerBlock ? CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK
        : which == hipDeviceAttributeMaxSharedMemoryPerBlock
            ? CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK
        : which == hipDeviceAttributeIntegrated ? CU_DEVICE_ATTRIBUTE_INTEGRATED
        : which == hipDeviceAttributePageableMemoryAccess
            ? CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS
        : which == hipDeviceAttributeMultiprocessorCount ? CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT
                                                         : (CUdevice_attribute)0;
    return AS(cuDeviceGetAttribute(value, same, device));
}
EXPORT hipError_t hipGetDeviceProperties(hipDeviceProp_t *properties, int number) {
    (void)number;
    memset(properties, 0, sizeof *properties);
    strcpy(properties->gcnArchName, "gfx90a:sramecc+:xnack-");
    return hipSuccess;
}
EXPORT hipError_t hipDeviceTotalMem(size_t *bytes, hipDevice_t device) {
    return AS(cuDeviceTotalMem(bytes, device));
}
EXPORT hipError_t hipDevicePrimaryCtxRetain(hipCtx_t *context, hipDevice_t device) {
    return AS(cuDevicePrimaryCtxRetain((CUcontext *)context, device));
}
EXPORT hipError_t hipDevicePrimaryCtxRelease(hipDevice_t device) {
    return AS(cuDevicePrimaryCtxRelease(device));
}
EXPORT hipError_t hipCtxPushCurrent(hipCtx_t context) {
    return AS(cuCtxPushCurrent((CUcontext)context));
}
EXPORT hipError_t hipCtxPopCurrent(hipCtx_t *context) {
    return AS(cuCtxPopCurrent((CUcontext *)context));
}

/* --- memory ---------------------------------------------------------------------------------- */

EXPORT hipError_t hipMalloc(void **memory, size_t bytes) {
    CUdeviceptr at = 0;
    CUresult code = cuMemAlloc(&at, bytes);
    *memory = (void *)(uintptr_t)at;
    return AS(code);
}
EXPORT hipError_t hipFree(void *memory) {
    return AS(cuMemFree(AT(memory)));
}
EXPORT hipError_t hipHostMalloc(void **memory, size_t bytes, unsigned flags) {
    if (flags != hipHostMallocDefault)
        return hipErrorInvalidValue;
    return AS(cuMemHostAlloc(memory, bytes, 0));
}
EXPORT hipError_t hipHostFree(void *memory) {
    return AS(cuMemFreeHost(memory));
}
EXPORT hipError_t hipMemcpyHtoDAsync(hipDeviceptr_t to, void *from, size_t bytes,
                                     hipStream_t stream) {
    return AS(cuMemcpyHtoDAsync(AT(to), from, bytes, (CUstream)stream));
}
EXPORT hipError_t hipMemcpyDtoHAsync(void *to, hipDeviceptr_t from, size_t bytes,
                                     hipStream_t stream) {
    return AS(cuMemcpyDtoHAsync(to, AT(from), bytes, (CUstream)stream));
}
EXPORT hipError_t hipMemcpyDtoDAsync(hipDeviceptr_t to, hipDeviceptr_t from, size_t bytes,
                                     hipStream_t stream) {
    return AS(cuMemcpyDtoDAsync(AT(to), AT(from), bytes, (CUstream)stream));
}
EXPORT hipError_t hipMemsetD32Async(hipDeviceptr_t to, int word, size_t count, hipStream_t stream) {
    return AS(cuMemsetD32Async(AT(to), (unsigned)word, count, (CUstream)stream));
}

/* --- modules --------------------------------------------------------------------------------- */

EXPORT hipError_t hipModuleLoadDataEx(hipModule_t *module, const void *image, unsigned count,
                                      hipJitOption *options, void **values) {
    (void)count, (void)options, (void)values;
    return AS(cuModuleLoadDataEx((CUmodule *)module, image, 0, NULL, NULL));
}
EXPORT hipError_t hipModuleUnload(hipModule_t module) {
    return AS(cuModuleUnload((CUmodule)module));
}
EXPORT hipError_t hipModuleGetFunction(hipFunction_t *function, hipModule_t module,
                                       const char *name) {
    return AS(cuModuleGetFunction((CUfunction *)function, (CUmodule)module, name));
}
EXPORT hipError_t hipFuncGetAttribute(int *value, hipFunction_attribute which,
                                      hipFunction_t function) {
    CUfunction_attribute same = which == HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK
                                    ? CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK
                                    : CU_FUNC_ATTRIBUTE_MAX;
    return AS(cuFuncGetAttribute(value, same, (CUfunction)function));
}
EXPORT hipError_t hipModuleLaunchKernel(hipFunction_t function, unsigned groups_x,
                                        unsigned groups_y, unsigned groups_z, unsigned x,
                                        unsigned y, unsigned z, unsigned shared, hipStream_t stream,
                                        void **parameters, void **extra) {
    if ((uint64_t)groups_x * x > UINT32_MAX)
        return hipErrorInvalidValue;
    return AS(cuLaunchKernel((CUfunction)function, groups_x, groups_y, groups_z, x, y, z, shared,
                             (CUstream)stream, parameters, extra));
}

/* --- streams and events ---------------------------------------------------------------------- */

EXPORT hipError_t hipStreamCreateWithFlags(hipStream_t *stream, unsigned flags) {
    return AS(cuStreamCreate((CUstream *)stream,
                             flags == hipStreamNonBlocking ? CU_STREAM_NON_BLOCKING : 0));
}
EXPORT hipError_t hipStreamDestroy(hipStream_t stream) {
    return AS(cuStreamDestroy((CUstream)stream));
}
EXPORT hipError_t hipStreamSynchronize(hipStream_t stream) {
    return AS(cuStreamSynchronize((CUstream)stream));
}
EXPORT hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, unsigned flags) {
    return AS(cuStreamWaitEvent((CUstream)stream, (CUevent)event, flags));
}
EXPORT hipError_t hipEventCreateWithFlags(hipEvent_t *event, unsigned flags) {
    return AS(cuEventCreate((CUevent *)event,
                            flags == hipEventDisableTiming ? CU_EVENT_DISABLE_TIMING : 0));
}
EXPORT hipError_t hipEventDestroy(hipEvent_t event) {
    return AS(cuEventDestroy((CUevent)event));
}
EXPORT hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream) {
    return AS(cuEventRecord((CUevent)event, (CUstream)stream));
}
EXPORT hipError_t hipEventQuery(hipEvent_t event) {
    return AS(cuEventQuery((CUevent)event));
}
EXPORT hipError_t hipEventSynchronize(hipEvent_t event) {
    return AS(cuEventSynchronize((CUevent)event));
}
/* The form that the library uses; cuda.h has a newer one under the name. */
#undef cuEventElapsedTime
CUresult cuEventElapsedTime(float *milliseconds, CUevent begin, CUevent end);
EXPORT hipError_t hipEventElapsedTime(float *milliseconds, hipEvent_t begin, hipEvent_t end) {
    return AS(cuEventElapsedTime(milliseconds, (CUevent)begin, (CUevent)end));
}

/* --- the compiler ---------------------------------------------------------------------------- */

/* The functions of NVRTC, which take what hiprtc's take. */
static struct {
    int (*create)(void *, const char *, const char *, int, const char **, const char **);
    int (*destroy)(void *);
    int (*compile)(void *, int, const char **);
    int (*log_size)(void *, size_t *);
    int (*log)(void *, char *);
    int (*size)(void *, size_t *);
    int (*code)(void *, char *);
} nvrtc;

__attribute__((constructor)) static void nvrtc_open(void) {
    const char *path = getenv("HOPLITE_NVRTC_LIB");
    void *library = dlopen(path != NULL ? path : "libnvrtc.so", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        return;
    *(void **)&nvrtc.create = dlsym(library, "nvrtcCreateProgram");
    *(void **)&nvrtc.destroy = dlsym(library, "nvrtcDestroyProgram");
    *(void **)&nvrtc.compile = dlsym(library, "nvrtcCompileProgram");
    *(void **)&nvrtc.log_size = dlsym(library, "nvrtcGetProgramLogSize");
    *(void **)&nvrtc.log = dlsym(library, "nvrtcGetProgramLog");
    *(void **)&nvrtc.size = dlsym(library, "nvrtcGetPTXSize");
    *(void **)&nvrtc.code = dlsym(library, "nvrtcGetPTX");
}

EXPORT hiprtcResult hiprtcVersion(int *major, int *minor) {
    *major = 9;
    *minor = 0;
    return HIPRTC_SUCCESS;
}
EXPORT hiprtcResult hiprtcCreateProgram(hiprtcProgram *program, const char *text, const char *name,
                                        int count, const char **headers, const char **names) {
    if (nvrtc.create == NULL)
        return HIPRTC_ERROR_INTERNAL_ERROR;
    return (hiprtcResult)nvrtc.create(program, text, name, count, headers, names);
}
EXPORT hiprtcResult hiprtcDestroyProgram(hiprtcProgram *program) {
    return (hiprtcResult)nvrtc.destroy(program);
}
/* What hiprtc is told about the architecture and about contraction, in the words of NVRTC. */
EXPORT hiprtcResult hiprtcCompileProgram(hiprtcProgram program, int count, const char **options) {
    const char *theirs[128] = {"-default-device", "-diag-suppress=177"};
    int used = 2, said = 0;
    for (int i = 0; i < count && used < 126; i++) {
        const char *word = options[i];
        if (strcmp(word, "--offload-arch=gfx90a:sramecc+:xnack-") == 0)
            word = "-arch=compute_75", said++;
        else if (strcmp(word, "-ffp-contract=off") == 0)
            word = "-fmad=false", said++;
        theirs[used++] = word;
    }
    if (said != 2)
        return HIPRTC_ERROR_INVALID_OPTION;
    return (hiprtcResult)nvrtc.compile(program, used, theirs);
}
EXPORT hiprtcResult hiprtcGetProgramLogSize(hiprtcProgram program, size_t *bytes) {
    return (hiprtcResult)nvrtc.log_size(program, bytes);
}
EXPORT hiprtcResult hiprtcGetProgramLog(hiprtcProgram program, char *text) {
    return (hiprtcResult)nvrtc.log(program, text);
}
EXPORT hiprtcResult hiprtcGetCodeSize(hiprtcProgram program, size_t *bytes) {
    return (hiprtcResult)nvrtc.size(program, bytes);
}
EXPORT hiprtcResult hiprtcGetCode(hiprtcProgram program, char *code) {
    return (hiprtcResult)nvrtc.code(program, code);
}
