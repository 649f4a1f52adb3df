/* SPDX-License-Identifier: Apache-2.0
 *
 * The functions and constants that the CUDA backend declares for itself are those of NVIDIA's
 * headers. All of it is checked when this is compiled. */
#include "device/cuda/cuda_library.h"

#include <cuda.h>

#include "core/core_testing.h"

#define SAME(name, cuda, hip, parameters) SAME_OWN(name, cuda, parameters)
#define SAME_OWN(name, symbol, parameters)                                                         \
    _Static_assert(__builtin_types_compatible_p(__typeof__(symbol), hop__cuda_code parameters),    \
                   "cuda.h has another " #symbol);
HOP__CUDA_FUNCTIONS(SAME)
HOP__CUDA_OWN_FUNCTIONS(SAME_OWN)
HOP__CUDA_NEWER_FUNCTIONS(SAME_OWN)

#define VALUE(ours, theirs) _Static_assert((int)(ours) == (int)(theirs), #theirs);
VALUE(HOP__CUDA_OUT_OF_MEMORY, CUDA_ERROR_OUT_OF_MEMORY)
VALUE(HOP__CUDA_NOT_READY, CUDA_ERROR_NOT_READY)
VALUE(HOP__CUDA_NO_DEVICE, CUDA_ERROR_NO_DEVICE)
VALUE(HOP__CUDA_INVALID_DEVICE, CUDA_ERROR_INVALID_DEVICE)
VALUE(HOP__CUDA_MAX_THREADS, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK)
VALUE(HOP__CUDA_MAX_SHARED, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK)
VALUE(HOP__CUDA_UNITS, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)
VALUE(HOP__CUDA_INTEGRATED, CU_DEVICE_ATTRIBUTE_INTEGRATED)
VALUE(HOP__CUDA_PAGEABLE, CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS)
VALUE(HOP__CUDA_MAJOR, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)
VALUE(HOP__CUDA_MINOR, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)
VALUE(HOP__CUDA_FUNCTION_MAX_THREADS, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)
VALUE(HOP__CUDA_NON_BLOCKING, CU_STREAM_NON_BLOCKING)
VALUE(HOP__CUDA_UNTIMED, CU_EVENT_DISABLE_TIMING)

#if __has_include(<nvrtc.h>)
#include <nvrtc.h>
HOP__NVRTC_FUNCTIONS(SAME)
HOP__NVRTC_OWN_FUNCTIONS(SAME_OWN)
#endif

static void compiled(void **state) {
    (void)state;
    assert_int_equal(sizeof(hop__cuda_address), sizeof(CUdeviceptr));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(compiled)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
