/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory of the device and of the host, and copies. */
#include <stdlib.h>
#include <string.h>

#include "ptx/driver.h"
#include "ptx/driver_counters.h"
#include "ptx/driver_queue.h"

EXPORT CUresult CUDAAPI cuMemGetInfo_v2(size_t *available, size_t *total) {
    CUcontext context;
    CUresult result = driver_enter_context("cuMemGetInfo_v2", &context);
    if (result != CUDA_SUCCESS)
        return result;
    size_t used;
    ptx_allocated(context->machine, &used);
    *total = driver_memory();
    *available = *total - (used < *total ? used : *total);
    return driver_leave(CUDA_SUCCESS);
}

EXPORT CUresult CUDAAPI cuMemAlloc_v2(CUdeviceptr *address, size_t bytes) {
    CUcontext context;
    CUresult result = driver_enter_context("cuMemAlloc_v2", &context);
    if (result != CUDA_SUCCESS)
        return result;
    size_t used;
    ptx_allocated(context->machine, &used);
    if (bytes == 0)
        return driver_leave(CUDA_ERROR_INVALID_VALUE);
    if (bytes > driver_memory() || used > driver_memory() - bytes)
        return driver_leave(CUDA_ERROR_OUT_OF_MEMORY);
    *address = ptx_allocate(context->machine, bytes);
    driver_count("allocate", "device", bytes);
    return driver_leave(*address != 0 ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY);
}

/* Waits for what may use it, as the driver does. */
EXPORT CUresult CUDAAPI cuMemFree_v2(CUdeviceptr address) {
    CUcontext context;
    CUresult result = driver_enter_release("cuMemFree_v2", &context);
    if (result != CUDA_SUCCESS)
        return result;
    result = driver_drain(context);
    driver_count("free", "device", 0);
    if (result == CUDA_SUCCESS && !ptx_release(context->machine, address))
        result = CUDA_ERROR_INVALID_VALUE;
    return driver_leave(result);
}

EXPORT CUresult CUDAAPI cuMemHostAlloc(void **memory, size_t bytes, unsigned int flags) {
    CUcontext context;
    CUresult result = driver_enter_context("cuMemHostAlloc", &context);
    if (result != CUDA_SUCCESS)
        return result;
    if ((flags & ~(unsigned)(CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP |
                             CU_MEMHOSTALLOC_WRITECOMBINED)) != 0)
        return driver_leave(CUDA_ERROR_INVALID_VALUE);
    pinned_block *made = calloc(1, sizeof *made);
    if (bytes == 0 || made == NULL || posix_memalign(&made->memory, 4096, bytes) != 0) {
        free(made);
        return driver_leave(bytes == 0 ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_OUT_OF_MEMORY);
    }
    memset(made->memory, 0x5a, bytes); /* it is not cleared */
    made->bytes = bytes;
    made->next = context->pinned;
    context->pinned = made;
    driver_counts.pinned += bytes;
    *memory = made->memory;
    return driver_leave(CUDA_SUCCESS);
}

EXPORT CUresult CUDAAPI cuMemFreeHost(void *memory) {
    CUcontext context;
    CUresult result = driver_enter_release("cuMemFreeHost", &context);
    if (result != CUDA_SUCCESS)
        return result;
    result = driver_drain(context);
    for (pinned_block **link = &context->pinned; *link != NULL; link = &(*link)->next)
        if ((*link)->memory == memory) {
            pinned_block *block = *link;
            *link = block->next;
            free(block->memory);
            free(block);
            return driver_leave(result);
        }
    return driver_leave(CUDA_ERROR_INVALID_VALUE);
}

/* --- copies ---------------------------------------------------------------------------------- */

static bool is_pinned(CUcontext context, const void *from, size_t bytes) {
    for (const pinned_block *block = context->pinned; block != NULL; block = block->next) {
        size_t before = (size_t)((const char *)from - (const char *)block->memory);
        if ((uintptr_t)from >= (uintptr_t)block->memory && before <= block->bytes &&
            bytes <= block->bytes - before)
            return true;
    }
    return false;
}

/* The device's addresses must be inside now, not only when the work is done; 0: the host's. */
static CUresult enter_copy(const char *name, CUcontext *context, CUstream stream, size_t bytes,
                           CUdeviceptr one, CUdeviceptr other) {
    CUresult result = driver_enter_context(name, context);
    if (result != CUDA_SUCCESS)
        return result;
    if (!driver_stream_known(*context, stream))
        return driver_leave(CUDA_ERROR_INVALID_HANDLE);
    if ((one != 0 && ptx_host((*context)->machine, one, bytes) == NULL) ||
        (other != 0 && ptx_host((*context)->machine, other, bytes) == NULL))
        return driver_leave(CUDA_ERROR_INVALID_VALUE);
    return CUDA_SUCCESS;
}

EXPORT CUresult CUDAAPI cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t bytes,
                                             CUstream stream) {
    CUcontext context;
    CUresult result = enter_copy("cuMemcpyHtoDAsync_v2", &context, stream, bytes, to, 0);
    if (result != CUDA_SUCCESS)
        return result;
    command *what = driver_queue_add(stream, COPY_IN, 0);
    what->to = to;
    what->host_from = from;
    what->bytes = bytes;
    driver_counts.bytes_in += bytes;
    driver_counts.copies_in++;
    driver_counts.pinned_in += is_pinned(context, from, bytes) ? bytes : 0;
    return driver_leave(CUDA_SUCCESS);
}

EXPORT CUresult CUDAAPI cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t bytes,
                                             CUstream stream) {
    CUcontext context;
    CUresult result = enter_copy("cuMemcpyDtoHAsync_v2", &context, stream, bytes, from, 0);
    if (result != CUDA_SUCCESS)
        return result;
    command *what = driver_queue_add(stream, COPY_OUT, 0);
    what->from = from;
    what->host_to = to;
    what->bytes = bytes;
    driver_counts.bytes_out += bytes;
    driver_counts.copies_out++;
    driver_counts.pinned_out += is_pinned(context, to, bytes) ? bytes : 0;
    return driver_leave(CUDA_SUCCESS);
}

EXPORT CUresult CUDAAPI cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes,
                                             CUstream stream) {
    CUcontext context;
    CUresult result = enter_copy("cuMemcpyDtoDAsync_v2", &context, stream, bytes, from, to);
    if (result != CUDA_SUCCESS)
        return result;
    command *what = driver_queue_add(stream, COPY_WITHIN, 0);
    what->from = from;
    what->to = to;
    what->bytes = bytes;
    return driver_leave(CUDA_SUCCESS);
}

EXPORT CUresult CUDAAPI cuMemsetD32Async(CUdeviceptr to, unsigned int word, size_t count,
                                         CUstream stream) {
    CUcontext context;
    CUresult result = enter_copy("cuMemsetD32Async", &context, stream, 4 * count, to, 0);
    if (result != CUDA_SUCCESS)
        return result;
    if (to % 4 != 0)
        return driver_leave(CUDA_ERROR_INVALID_VALUE);
    command *what = driver_queue_add(stream, FILL, 0);
    what->to = to;
    what->word = word;
    what->bytes = 4 * count;
    return driver_leave(CUDA_SUCCESS);
}
