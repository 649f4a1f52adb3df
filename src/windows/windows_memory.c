/* SPDX-License-Identifier: Apache-2.0
 *
 * The library's own allocator on Windows, instead of core/memory_default.c. Large blocks are pages
 * of the system's, zero at first, and given back when they are freed; small ones are malloc's. A
 * block that shrinks gives its last pages back, one that grows is copied. */
#include <windows.h>

#include <malloc.h>
#include <string.h>

#include "core/memory.h"

enum { PAGE = 4096 };

void hop__advise_huge(void *start, uint64_t bytes) {
    (void)start, (void)bytes; /* large pages need a privilege here */
}

static void *allocate(void *user, size_t bytes, size_t alignment) {
    (void)user;
    return bytes < HOP__MAPPED_BYTES
               ? _aligned_malloc(bytes, alignment)
               : VirtualAlloc(NULL, bytes, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
}

static void release(void *user, void *block, size_t bytes) {
    (void)user;
    if (bytes < HOP__MAPPED_BYTES)
        _aligned_free(block);
    else
        VirtualFree(block, 0, MEM_RELEASE);
}

static void give_back(char *block, size_t old_bytes, size_t new_bytes) {
    size_t from = (new_bytes + PAGE - 1) / PAGE * PAGE;
    if (from < old_bytes)
        VirtualFree(block + from, old_bytes - from, MEM_DECOMMIT);
}

static void *resize(void *user, void *block, size_t old_bytes, size_t new_bytes) {
    if (new_bytes <= old_bytes && new_bytes >= HOP__MAPPED_BYTES) {
        give_back(block, old_bytes, new_bytes);
        return block;
    }
    void *moved = allocate(user, new_bytes, 64);
    if (moved == NULL)
        return NULL;
    memcpy(moved, block, old_bytes < new_bytes ? old_bytes : new_bytes);
    release(user, block, old_bytes);
    return moved;
}

const hop_allocator hop__default_allocator = {allocate, resize, release, NULL};
