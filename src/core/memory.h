/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory inside a budget.
 *
 * A pool is an allocator with a budget and counters. A context has one; graphs keep a reference,
 * so that they may outlive their context. A block is preceded by a 64-byte header with its size:
 * freeing needs no size, and what the counters say is exact. Blocks are aligned to 64 bytes; one
 * without elements has a byte.
 *
 * A request over the budget fails with HOP_ERR_BUDGET before anything is allocated; one that the
 * allocator refuses fails with HOP_ERR_MEMORY. Both messages name the purpose and the numbers. */
#ifndef HOPLITE_CORE_MEMORY_H
#define HOPLITE_CORE_MEMORY_H

#include "core/context_internal.h"

typedef struct hop__pool hop__pool;

hop_status hop__pool_create(const hop_allocator *allocator, uint64_t budget, hop__pool **pool);
hop__pool *hop__pool_retain(hop__pool *pool);
void hop__pool_release(hop__pool *pool);

typedef struct hop__memory_usage {
    uint64_t budget; /* bytes that may be in use at once */
    uint64_t used;   /* now */
    uint64_t peak;   /* largest `used` since creation or the last reset */
} hop__memory_usage;

hop__memory_usage hop__pool_usage(const hop__pool *pool);
void hop__pool_reset_peak(hop__pool *pool);

/* The library's own allocator: blocks of HOP__MAPPED_BYTES or more are mapped from the system
 * (fresh ones are zero) and given back to it, smaller ones are malloc's. Under the address
 * sanitizer all are malloc's, because it watches the ends of those only. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HOP__MAPPED_BYTES SIZE_MAX
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define HOP__MAPPED_BYTES SIZE_MAX
#elif !defined(HOP__MAPPED_BYTES)
#define HOP__MAPPED_BYTES ((size_t)1 << 20)
#endif
extern const hop_allocator hop__default_allocator;

/* Asks for huge pages for an array, such as a caller's for results, that is about to be written in
 * random order: with 4 KiB pages most of its cache misses would be TLB misses too. Arrays below
 * 4 MiB, and the ends of larger ones, are left as they are. It is advice: nothing fails. */
void hop__advise_huge(void *start, uint64_t bytes);

/* The memory of the machine, or the limit of the cgroup that this process is in if that is less. */
uint64_t hop__machine_memory(void);
/* The budget of a context that names none: seven eighths of that. The rest, at least 64 MiB but no
 * more than half, is for what no budget counts: the program itself, stacks, libraries, pages of
 * files. Without it a call within its budget is ended by the system. */
uint64_t hop__default_budget(uint64_t memory);
/* The least memory limit on the way from this process's cgroup to the root, v1 or v2; UINT64_MAX
 * when there is none. The arguments are /proc/self/cgroup and /sys/fs/cgroup, except in tests. */
uint64_t hop__cgroup_limit(const char *membership, const char *mount);

/* Allocates count elements of `size` bytes, not cleared, and stores the block in the pointer that
 * `slot` points to; NULL there on failure. `what` names the purpose in messages. A count of 0
 * gives a valid block. */
HOP_API hop_status hop__alloc(hop_context *context, const char *what, uint64_t count, size_t size,
                              void *slot);
/* The same, cleared to zero bytes. */
HOP_API hop_status hop__alloc_zero(hop_context *context, const char *what, uint64_t count,
                                   size_t size, void *slot);
/* Changes the number of elements of the block in `slot`, contents kept. On failure the old block
 * stays there. Shrinking never fails (it may keep the memory). */
HOP_API hop_status hop__resize(hop_context *context, const char *what, uint64_t count, size_t size,
                               void *slot);
/* Frees a block of hop__alloc; NULL is allowed. Any thread. */
HOP_API void hop__free(void *block);

/* Charges memory that is not the allocator's, such as a driver's, to the budget; false, without a
 * message, when there is no room. And takes the charge away again. */
bool hop__charge(hop_context *context, uint64_t bytes);
void hop__uncharge(hop_context *context, uint64_t bytes);

/* What hop__alloc of these charges to the budget, for estimates; UINT64_MAX when it cannot be
 * expressed. */
uint64_t hop__block_bytes(uint64_t count, size_t size);

/* Whether `bytes` more would fit now: HOP_ERR_BUDGET with the message if not. For operations that
 * compute their whole need first. */
hop_status hop__reserve_check(hop_context *context, const char *what, uint64_t bytes);

/* HOP_ERR_BUDGET for an operation that knows its whole need, `bytes`, in place of the message about
 * the one array that did not fit: with so much budget (and what is in use now) it goes through.
 * `vertices` is 0 when they are not known, `guessed` says that the edges are not. */
hop_status hop__fail_total(hop_context *context, const char *what, uint64_t bytes,
                           uint64_t vertices, uint64_t edges, bool guessed);

/* The size of a buffer that does as well with less: an eighth of what the budget has left, but
 * between `least` and `most`. */
size_t hop__share_bytes(const hop_context *context, size_t least, size_t most);

#endif
