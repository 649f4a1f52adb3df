/* SPDX-License-Identifier: Apache-2.0
 *
 * The library's own allocator.
 *
 * Large blocks are mapped, so that freeing and shrinking give memory back to the system at once,
 * growing moves page tables instead of bytes, and fresh pages are known to be zero. From 4 MiB on
 * they start on a 2 MiB boundary and ask for huge pages: graph algorithms are random access, and
 * with 4 KiB pages most of their misses would be TLB misses too. Small blocks are malloc's.
 *
 * Resizing across the border between the two kinds copies less than 1 MiB. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/memory.h"

#define HUGE_PAGE  ((size_t)2 << 20)
#define HUGE_BYTES ((size_t)4 << 20) /* blocks from here on are worth the alignment */

static size_t round_up(size_t bytes, size_t to) {
    return (bytes + to - 1) / to * to; /* requests are at most PTRDIFF_MAX: no overflow */
}

static size_t mapped_length(size_t bytes) {
    return round_up(bytes, (size_t)sysconf(_SC_PAGESIZE));
}

static char *map(size_t length, int protection) {
    void *start = mmap(NULL, length, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return start == MAP_FAILED ? NULL : start;
}

/* Maps `length` bytes from a 2 MiB boundary: maps more and cuts off both ends. */
static char *map_aligned(size_t length, int protection) {
    char *start = map(length + HUGE_PAGE, protection);
    if (start == NULL)
        return NULL;
    size_t head = (HUGE_PAGE - (uintptr_t)start % HUGE_PAGE) % HUGE_PAGE;
    if (head != 0)
        munmap(start, head);
    munmap(start + head + length, HUGE_PAGE - head);
    return start + head;
}

static void advise_huge(void *start, size_t length) {
    madvise(start, length, MADV_HUGEPAGE); /* without huge pages it is slower, not wrong */
}

void hop__advise_huge(void *start, uint64_t bytes) {
    if (bytes < HUGE_BYTES || bytes > PTRDIFF_MAX)
        return;
    size_t head = (HUGE_PAGE - (uintptr_t)start % HUGE_PAGE) % HUGE_PAGE;
    size_t length = ((size_t)bytes - head) / HUGE_PAGE * HUGE_PAGE;
    advise_huge((char *)start + head, length);
}

static void *default_allocate(void *user, size_t bytes, size_t alignment) {
    (void)user;
    if (bytes < HOP__MAPPED_BYTES)
        return aligned_alloc(alignment, round_up(bytes, alignment));
    size_t length = mapped_length(bytes);
    if (bytes < HUGE_BYTES)
        return map(length, PROT_READ | PROT_WRITE);
    char *start = map_aligned(length, PROT_READ | PROT_WRITE);
    if (start != NULL)
        advise_huge(start, length);
    return start;
}

static void default_release(void *user, void *block, size_t bytes) {
    (void)user;
    if (bytes < HOP__MAPPED_BYTES)
        free(block);
    else
        munmap(block, mapped_length(bytes));
}

/* Moves the pages of a mapped block to a larger place on a 2 MiB boundary. */
static void *move_mapped(void *block, size_t old_length, size_t new_length) {
    /* Only the addresses are wanted here: the pages come with the move. */
    char *start = map_aligned(new_length, PROT_NONE);
    if (start == NULL)
        return NULL;
    void *moved = mremap(block, old_length, new_length, MREMAP_MAYMOVE | MREMAP_FIXED, start);
    if (moved == MAP_FAILED) {
        munmap(start, new_length);
        return NULL;
    }
    return moved;
}

static void *resize_mapped(void *block, size_t old_bytes, size_t new_bytes) {
    size_t old_length = mapped_length(old_bytes);
    size_t new_length = mapped_length(new_bytes);
    if (new_bytes < HUGE_BYTES || new_length <= old_length) {
        void *moved = mremap(block, old_length, new_length, MREMAP_MAYMOVE);
        return moved == MAP_FAILED ? NULL : moved;
    }
    void *grown = MAP_FAILED;
    if ((uintptr_t)block % HUGE_PAGE == 0)
        grown = mremap(block, old_length, new_length, 0);
    if (grown == MAP_FAILED)
        grown = move_mapped(block, old_length, new_length);
    if (grown != NULL)
        advise_huge(grown, new_length);
    return grown;
}

static void *default_resize(void *user, void *block, size_t old_bytes, size_t new_bytes) {
    if (old_bytes >= HOP__MAPPED_BYTES && new_bytes >= HOP__MAPPED_BYTES)
        return resize_mapped(block, old_bytes, new_bytes);
    void *moved = default_allocate(user, new_bytes, 64);
    if (moved == NULL)
        return NULL;
    memcpy(moved, block, old_bytes < new_bytes ? old_bytes : new_bytes);
    default_release(user, block, old_bytes);
    return moved;
}

const hop_allocator hop__default_allocator = {default_allocate, default_resize, default_release,
                                              NULL};
