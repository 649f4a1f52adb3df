/* SPDX-License-Identifier: Apache-2.0
 *
 * The functions and constants that the backend of CUDA declares are those of HIP under HIP's names,
 * by AMD's headers: with their types in the place of ours all are the same, but for four whose
 * differences are no difference to a call. */
#define __HIP_PLATFORM_AMD__ 1
#include <hip/hip_runtime_api.h>
#include <hip/hiprtc.h>

#include "core/core_testing.h"
#include "core/try.h"
#include "device/cuda/cuda_library.h"

#define VALUE(ours, theirs) _Static_assert((int)(ours) == (int)(theirs), #theirs);
VALUE(HOP__CUDA_OUT_OF_MEMORY, hipErrorOutOfMemory)
VALUE(HOP__CUDA_NOT_READY, hipErrorNotReady)
VALUE(0, hipHostMallocDefault)
VALUE(HOP__CUDA_NO_DEVICE, hipErrorNoDevice)
VALUE(HOP__CUDA_INVALID_DEVICE, hipErrorInvalidDevice)
VALUE(HOP__HIP_MAX_THREADS, hipDeviceAttributeMaxThreadsPerBlock)
VALUE(HOP__HIP_MAX_SHARED, hipDeviceAttributeMaxSharedMemoryPerBlock)
VALUE(HOP__HIP_UNITS, hipDeviceAttributeMultiprocessorCount)
VALUE(HOP__HIP_INTEGRATED, hipDeviceAttributeIntegrated)
VALUE(HOP__HIP_PAGEABLE, hipDeviceAttributePageableMemoryAccess)
VALUE(HOP__CUDA_FUNCTION_MAX_THREADS, HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)
VALUE(HOP__CUDA_NON_BLOCKING, hipStreamNonBlocking)
VALUE(HOP__CUDA_UNTIMED, hipEventDisableTiming)
/* The codes that cuda_status.c has as numbers. */
VALUE(4, hipErrorDeinitialized)
VALUE(201, hipErrorInvalidContext)
VALUE(214, hipErrorECCNotCorrectable)
VALUE(700, hipErrorIllegalAddress)
VALUE(702, hipErrorLaunchTimeOut)
VALUE(709, hipErrorContextIsDestroyed)
VALUE(710, hipErrorAssert)
VALUE(719, hipErrorLaunchFailure)
_Static_assert(sizeof(hop__cuda_address) == sizeof(hipDeviceptr_t), "addresses");

/* HIP keeps contexts for programs that come from CUDA, and would rather have none. */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

/* Theirs, in the lists of parameters. */
#define hop__cuda_code     hipError_t
#define hop__cuda_device   hipDevice_t
#define hop__cuda_address  hipDeviceptr_t
#define hop__cuda_context  hipCtx_t
#define hop__cuda_module   hipModule_t
#define hop__cuda_function hipFunction_t
#define hop__cuda_stream   hipStream_t
#define hop__cuda_event    hipEvent_t
#define hop__nvrtc_program hiprtcProgram

#define SAME(field, cuda, hip, parameters)                                                         \
    {#hip, __builtin_types_compatible_p(__typeof__(hip), hipError_t parameters) ||                 \
               __builtin_types_compatible_p(__typeof__(hip), hiprtcResult parameters)},
static const struct {
    const char *name;
    bool same;
} functions[] = {HOP__CUDA_FUNCTIONS(SAME) HOP__NVRTC_FUNCTIONS(SAME)};

/* An array that could be const and is not; a word as signed. */
static const char *const different[] = {"hipMemcpyHtoDAsync", "hipMemsetD32Async",
                                        "hiprtcCreateProgram", "hiprtcCompileProgram"};
#define IS(hip, form)                                                                              \
    _Static_assert(__builtin_types_compatible_p(__typeof__(hip), form), "HIP has another " #hip);
IS(hipMemcpyHtoDAsync, hipError_t(hipDeviceptr_t, void *, size_t, hipStream_t))
IS(hipMemsetD32Async, hipError_t(hipDeviceptr_t, int, size_t, hipStream_t))
IS(hiprtcCreateProgram,
   hiprtcResult(hiprtcProgram *, const char *, const char *, int, const char **, const char **))
IS(hiprtcCompileProgram, hiprtcResult(hiprtcProgram, int, const char **))
IS(hipGetErrorName, const char *(hipError_t))
IS(hipGetDeviceProperties, hipError_t(hipDeviceProp_t *, int))

static void forms_are_the_same(void **state) {
    (void)state;
    for (size_t i = 0; i < HOP_LENGTH(functions); i++) {
        bool known = false;
        for (size_t k = 0; k < HOP_LENGTH(different); k++)
            known |= strcmp(different[k], functions[i].name) == 0;
        if (functions[i].same == known)
            fail_msg("%s is %s", functions[i].name, known ? "the same now" : "another");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(forms_are_the_same)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
