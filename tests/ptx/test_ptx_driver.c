/* SPDX-License-Identifier: Apache-2.0
 *
 * The driver that stands in for NVIDIA's: what it must do as that one does, so that what passes on
 * it means something. */
#include <cuda.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/core_testing.h"
#include "ptx/driver.h"

enum { COUNT = 64, TRIES = 40 };

static const char text[] =
    ".version 7.0\n.target sm_75\n.address_size 64\n"
    ".visible .entry twice(.param .u64 data, .param .u32 plus) .maxntid 64\n{\n"
    ".reg .b32 %r<4>;\n.reg .b64 %d<3>;\nld.param.u64 %d0, [data];\nld.param.u32 %r0, [plus];\n"
    "mov.u32 %r1, %tid.x;\nmad.wide.u32 %d1, %r1, 4, %d0;\nld.global.u32 %r2, [%d1];\n"
    "mad.lo.s32 %r2, %r2, 2, %r0;\nst.global.u32 [%d1], %r2;\nret;\n}\n"
    ".visible .entry outside(.param .u64 data)\n{\n.reg .b32 %r<2>;\n.reg .b64 %d<2>;\n"
    "ld.param.u64 %d0, [data];\nld.global.u32 %r0, [%d0+-4];\nst.global.u32 [%d0], %r0;\nret;\n}\n";

typedef struct opened {
    CUcontext context;
    CUstream streams[2];
    CUmodule module;
    CUfunction twice;
    CUdeviceptr data;
} opened;

static void fine(CUresult result) {
    const char *name = NULL;
    cuGetErrorName(result, &name);
    if (result != CUDA_SUCCESS)
        fail_msg("%d: %s", (int)result, name != NULL ? name : "?");
}

static opened open_device(void) {
    opened at;
    fine(cuInit(0));
    fine(cuDevicePrimaryCtxRetain(&at.context, 0));
    fine(cuCtxPushCurrent(at.context));
    for (int i = 0; i < 2; i++)
        fine(cuStreamCreate(&at.streams[i], CU_STREAM_NON_BLOCKING));
    fine(cuModuleLoadDataEx(&at.module, text, 0, NULL, NULL));
    fine(cuModuleGetFunction(&at.twice, at.module, "twice"));
    fine(cuMemAlloc(&at.data, COUNT * sizeof(uint32_t)));
    return at;
}

static void close_device(opened *at) {
    ptx_driver_fault(NULL, 0, 0);
    cuMemFree(at->data);
    cuModuleUnload(at->module);
    for (int i = 0; i < 2; i++)
        cuStreamDestroy(at->streams[i]);
    fine(cuCtxPopCurrent(NULL));
    fine(cuDevicePrimaryCtxRelease(0));
    assert_int_equal(ptx_driver_live(), 0);
}

static CUresult launch(opened *at, CUfunction function, uint32_t plus, CUstream stream) {
    void *parameters[] = {&at->data, &plus};
    return cuLaunchKernel(function, 1, 1, 1, COUNT, 1, 1, 0, stream, parameters, NULL);
}

static void order_of_calls(void **state) {
    (void)state;
    int count;
    CUdeviceptr address;
    CUcontext context;
    assert_int_equal(cuDeviceGetCount(&count), CUDA_ERROR_NOT_INITIALIZED);
    fine(cuInit(0));
    fine(cuDeviceGetCount(&count));
    assert_int_equal(count, 1);
    assert_int_equal(cuMemAlloc(&address, 8), CUDA_ERROR_INVALID_CONTEXT);
    assert_int_equal(cuCtxPopCurrent(&context), CUDA_ERROR_INVALID_CONTEXT);
    assert_int_equal(cuDevicePrimaryCtxRetain(&context, 1), CUDA_ERROR_INVALID_DEVICE);
    assert_int_equal(cuDevicePrimaryCtxRelease(0), CUDA_ERROR_INVALID_CONTEXT);
}

static void work_is_late(void **state) {
    (void)state;
    opened at = open_device();
    uint32_t in[COUNT], out[COUNT] = {0};
    for (uint32_t i = 0; i < COUNT; i++)
        in[i] = 1;
    fine(cuMemcpyHtoDAsync(at.data, in, sizeof in, at.streams[0]));
    fine(launch(&at, at.twice, 5, at.streams[0]));
    fine(cuMemcpyDtoHAsync(out, at.data, sizeof out, at.streams[0]));
    for (uint32_t i = 0; i < COUNT; i++)
        in[i] = i; /* too early: the copy has not begun */
    assert_int_equal(out[3], 0);
    fine(cuStreamSynchronize(at.streams[0]));
    for (uint32_t i = 0; i < COUNT; i++)
        assert_int_equal(out[i], 2 * i + 5);
    close_device(&at);
}

/* Two streams fill the same word: by an event in order, without one in either. */
static void events_order_streams(void **state) {
    (void)state;
    opened at = open_device();
    unsigned swapped[2] = {0, 0};
    for (int with = 0; with < 2; with++)
        for (int i = 0; i < TRIES; i++) {
            uint32_t word = 0;
            CUevent event;
            fine(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
            fine(cuMemsetD32Async(at.data, 1, 1, at.streams[0]));
            fine(cuEventRecord(event, at.streams[0]));
            if (with)
                fine(cuStreamWaitEvent(at.streams[1], event, 0));
            fine(cuEventDestroy(event)); /* stays for those who wait */
            fine(cuMemsetD32Async(at.data, 2, 1, at.streams[1]));
            fine(cuStreamSynchronize(at.streams[1]));
            fine(cuStreamSynchronize(at.streams[0]));
            fine(cuMemcpyDtoHAsync(&word, at.data, sizeof word, at.streams[1]));
            fine(cuStreamSynchronize(at.streams[1]));
            swapped[with] += word == 1;
        }
    assert_true(swapped[0] > 0);
    assert_int_equal(swapped[1], 0);
    close_device(&at);
}

/* An event that is recorded anew: who waited for it before waits for what it had captured then. */
static void waits_are_for_what_was_captured(void **state) {
    (void)state;
    opened at = open_device();
    CUevent event;
    fine(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
    for (int i = 0; i < TRIES; i++) {
        uint32_t word = 0;
        fine(cuMemsetD32Async(at.data, 1, 1, at.streams[0]));
        fine(cuEventRecord(event, at.streams[0]));
        fine(cuStreamWaitEvent(at.streams[1], event, 0));
        CUstream other;
        fine(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING));
        fine(cuEventRecord(event, other)); /* is done at any time */
        fine(cuStreamSynchronize(other));
        fine(cuStreamDestroy(other));
        fine(cuMemsetD32Async(at.data, 2, 1, at.streams[1]));
        fine(cuMemcpyDtoHAsync(&word, at.data, sizeof word, at.streams[1]));
        fine(cuStreamSynchronize(at.streams[1]));
        fine(cuStreamSynchronize(at.streams[0]));
        assert_int_equal(word, 2);
        fine(cuMemcpyDtoHAsync(&word, at.data, sizeof word, at.streams[1]));
        fine(cuStreamSynchronize(at.streams[1]));
        assert_int_equal(word, 2);
    }
    fine(cuEventDestroy(event));
    close_device(&at);
}

static void pinned_memory(void **state) {
    (void)state;
    opened at = open_device();
    void *memory = NULL;
    uint32_t word = 7;
    assert_int_equal(cuMemHostAlloc(&memory, 0, 0), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuMemHostAlloc(&memory, 64, 0x80), CUDA_ERROR_INVALID_VALUE);
    fine(cuMemHostAlloc(&memory, 64, CU_MEMHOSTALLOC_PORTABLE));
    ptx_driver_fault(NULL, 0, 0);
    memcpy(memory, &word, sizeof word);
    fine(cuMemcpyHtoDAsync(at.data, memory, 64, at.streams[0]));
    fine(cuMemcpyHtoDAsync(at.data, &word, sizeof word, at.streams[0]));
    fine(cuMemcpyDtoHAsync((char *)memory + 60, at.data, 4, at.streams[0]));
    assert_int_equal(ptx_driver_counted().pinned_in, 64);
    assert_int_equal(ptx_driver_counted().pinned_out, 4);
    assert_int_equal(cuMemFreeHost((char *)memory + 4), CUDA_ERROR_INVALID_VALUE);
    fine(cuStreamSynchronize(at.streams[0]));
    fine(cuMemFreeHost(memory));
    assert_int_equal(cuMemFreeHost(memory), CUDA_ERROR_INVALID_VALUE);
    CUevent event;
    assert_int_equal(cuEventCreate(&event, 0x100), CUDA_ERROR_INVALID_VALUE);
    close_device(&at);
}

static void events_tell_time(void **state) {
    (void)state;
    opened at = open_device();
    CUevent begin, end, untimed;
    float milliseconds = -1;
    fine(cuEventCreate(&begin, 0));
    fine(cuEventCreate(&end, 0));
    fine(cuEventCreate(&untimed, CU_EVENT_DISABLE_TIMING));
    assert_int_equal(cuEventElapsedTime(&milliseconds, begin, end), CUDA_ERROR_INVALID_HANDLE);
    fine(cuEventRecord(begin, at.streams[0]));
    fine(launch(&at, at.twice, 0, at.streams[0]));
    fine(cuEventRecord(end, at.streams[0]));
    assert_int_equal(cuEventElapsedTime(&milliseconds, begin, end), CUDA_ERROR_NOT_READY);
    int asked = 0;
    while (cuEventQuery(end) == CUDA_ERROR_NOT_READY)
        asked++;
    assert_true(asked > 0);
    fine(cuEventElapsedTime(&milliseconds, begin, end));
    assert_true(milliseconds > 0);
    fine(cuEventRecord(untimed, at.streams[0]));
    fine(cuEventSynchronize(untimed));
    assert_int_equal(cuEventElapsedTime(&milliseconds, begin, untimed), CUDA_ERROR_INVALID_HANDLE);
    fine(cuEventDestroy(begin));
    fine(cuEventDestroy(end));
    fine(cuEventDestroy(untimed));
    close_device(&at);
}

static void bad_calls_are_refused(void **state) {
    (void)state;
    opened at = open_device();
    uint32_t word = 0, plus = 0;
    CUdeviceptr address;
    CUmodule module;
    CUfunction function;
    void *pinned = NULL, *parameters[] = {&at.data, &plus};
    size_t offset, bytes;
    assert_int_equal(cuMemAlloc(&address, 0), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuMemAlloc(&address, 2ull << 30), CUDA_ERROR_OUT_OF_MEMORY);
    assert_int_equal(cuMemFree(at.data + 4), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuMemcpyDtoHAsync(&word, at.data + 4 * COUNT, 4, at.streams[0]),
                     CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuMemsetD32Async(at.data + 2, 0, 1, at.streams[0]), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuModuleLoadDataEx(&module, "\177ELF", 0, NULL, NULL),
                     CUDA_ERROR_NO_BINARY_FOR_GPU);
    assert_int_equal(cuModuleGetFunction(&function, at.module, "thrice"), CUDA_ERROR_NOT_FOUND);
    assert_int_equal(
        cuLaunchKernel(at.twice, 1, 1, 1, 65, 1, 1, 0, at.streams[0], parameters, NULL),
        CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(
        cuLaunchKernel(at.twice, 1u << 31, 1, 1, 1, 1, 1, 0, at.streams[0], parameters, NULL),
        CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(
        cuLaunchKernel(at.twice, 1, 65536, 1, 1, 1, 1, 0, at.streams[0], parameters, NULL),
        CUDA_ERROR_INVALID_VALUE);
    fine(cuFuncGetParamInfo(at.twice, 1, &offset, &bytes));
    assert_int_equal(offset, 8);
    assert_int_equal(bytes, 4);
    assert_int_equal(cuFuncGetParamInfo(at.twice, 2, &offset, &bytes), CUDA_ERROR_INVALID_VALUE);
    fine(cuMemHostAlloc(&pinned, 100, 0));
    assert_int_equal(ptx_driver_live(), 6); /* with context, streams, module, data */
    fine(cuMemFreeHost(pinned));
    assert_int_equal(cuMemFreeHost(pinned), CUDA_ERROR_INVALID_VALUE);
    close_device(&at);
}

static void errors_stay(void **state) {
    (void)state;
    opened at = open_device();
    CUfunction outside;
    CUdeviceptr address;
    fine(cuModuleGetFunction(&outside, at.module, "outside"));
    fine(launch(&at, outside, 0, at.streams[0])); /* is seen later */
    assert_int_equal(cuStreamSynchronize(at.streams[0]), CUDA_ERROR_ILLEGAL_ADDRESS);
    assert_int_equal(cuMemAlloc(&address, 8), CUDA_ERROR_ILLEGAL_ADDRESS);
    assert_int_equal(cuStreamSynchronize(at.streams[1]), CUDA_ERROR_ILLEGAL_ADDRESS);
    assert_int_equal(cuMemFree(at.data), CUDA_ERROR_ILLEGAL_ADDRESS);
    close_device(&at);
    at = open_device(); /* a new context works */
    close_device(&at);
}

static void faults_are_given(void **state) {
    (void)state;
    opened at = open_device();
    CUdeviceptr address;
    ptx_driver_fault("cuMemAlloc_v2", 2, CUDA_ERROR_OUT_OF_MEMORY);
    fine(cuMemAlloc(&address, 8));
    fine(cuMemFree(address));
    assert_int_equal(cuMemAlloc(&address, 8), CUDA_ERROR_OUT_OF_MEMORY);
    assert_int_equal(ptx_driver_faults(), 1);
    assert_int_equal(ptx_driver_calls(), 3);
    fine(cuMemAlloc(&address, 8));
    ptx_driver_fault("*", 1, CUDA_ERROR_UNKNOWN);
    assert_int_equal(cuMemFree(address), CUDA_ERROR_UNKNOWN); /* and it is freed */
    ptx_driver_fault("*", 1, CUDA_ERROR_LAUNCH_FAILED);
    assert_int_equal(cuMemAlloc(&address, 8), CUDA_ERROR_LAUNCH_FAILED);
    assert_int_equal(cuMemAlloc(&address, 8), CUDA_ERROR_LAUNCH_FAILED); /* stays */
    close_device(&at);
}

static void what_is_left_is_seen(void **state) {
    (void)state;
    CUcontext context;
    CUdeviceptr address;
    fine(cuInit(0));
    fine(cuDevicePrimaryCtxRetain(&context, 0));
    fine(cuCtxPushCurrent(context));
    fine(cuMemAlloc(&address, 8));
    fine(cuCtxPopCurrent(NULL));
    fine(cuDevicePrimaryCtxRelease(0));
    assert_int_equal(ptx_driver_live(), 1);
}

static void a_child_has_no_driver(void **state) {
    (void)state;
    int status = 0;
    fine(cuInit(0));
    pid_t child = fork();
    if (child == 0) {
        int count;
        _exit(cuInit(0) == CUDA_ERROR_NOT_INITIALIZED &&
                      cuDeviceGetCount(&count) == CUDA_ERROR_NOT_INITIALIZED
                  ? 0
                  : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order_of_calls),
        cmocka_unit_test(work_is_late),
        cmocka_unit_test(events_order_streams),
        cmocka_unit_test(events_tell_time),
        cmocka_unit_test(waits_are_for_what_was_captured),
        cmocka_unit_test(pinned_memory),
        cmocka_unit_test(bad_calls_are_refused),
        cmocka_unit_test(errors_stay),
        cmocka_unit_test(faults_are_given),
        cmocka_unit_test(a_child_has_no_driver),
        cmocka_unit_test(what_is_left_is_seen), /* last: it stays left */
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
