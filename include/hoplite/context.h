/* SPDX-License-Identifier: Apache-2.0
 *
 * The context: everything that a call needs besides its inputs. Device, thread count, memory budget
 * and allocator, seed, callbacks, and the message of the last failure.
 *
 * One context serves one call at a time. Different contexts are independent: a program with
 * several threads gives each its own. Graphs may be shared between contexts and outlive them. */
#ifndef HOPLITE_CONTEXT_H
#define HOPLITE_CONTEXT_H

#include "hoplite/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hop_context hop_context;

/* Where memory comes from. `allocate` returns a block aligned to `alignment` (a power of two) or
 * NULL; `release` gets the size that was asked for. `resize`, optional, makes a block smaller or
 * larger and keeps its contents (NULL on failure, the old block then stays valid); it keeps the
 * alignment of 64. All three may be called from any thread. */
typedef struct hop_allocator {
    void *(*allocate)(void *user, size_t bytes, size_t alignment);
    void *(*resize)(void *user, void *block, size_t old_bytes, size_t new_bytes);
    void (*release)(void *user, void *block, size_t bytes);
    void *user;
} hop_allocator;

typedef struct hop_progress {
    const char *phase; /* such as "build: sort"; valid during the call */
    uint64_t done;     /* in units of the phase: edges, bytes, rows */
    uint64_t total;    /* 0 when not known */
} hop_progress;

/* Called now and then (at most some twenty times a second) on the thread that made the call.
 * Return false to cancel: the call then ends with HOP_ERR_CANCELLED. It must not use the graph that
 * the call is about, which may be locked while it is checked or prepared. */
typedef bool (*hop_progress_fn)(void *user, const hop_progress *progress);

typedef enum hop_log_level {
    HOP_LOG_ERROR = 0,
    HOP_LOG_WARNING = 1,
    HOP_LOG_INFO = 2,
    HOP_LOG_DEBUG = 3
} hop_log_level;

/* Called on the thread that made the call; `message` has no newline. */
typedef void (*hop_log_fn)(void *user, hop_log_level level, const char *message);

typedef struct hop_context_options {
    size_t size; /* sizeof(hop_context_options), set by the initialiser */
    /* 0: up to one per core that this process may use, fewer for small graphs. A number holds for
     * graphs of any size. Either way fewer may be used where several calls share the cores, and by
     * short calls while other programs want them. */
    unsigned threads;
    hop_log_level log_level;  /* messages above it are not made; default HOP_LOG_WARNING */
    uint64_t memory_budget;   /* bytes; 0: 7/8 of the machine's memory (or cgroup's limit) */
    uint64_t seed;            /* for variants that draw random numbers; default 1 */
    hop_allocator allocator;  /* all NULL: the library's own, on huge pages where it helps */
    hop_progress_fn progress; /* NULL: none */
    void *progress_user;
    hop_log_fn log; /* NULL: none */
    void *log_user;
    const char *device;     /* such as "opencl:0.0" (device.h); NULL or "cpu": the host */
    uint64_t device_memory; /* bytes of the device's memory; 0: all that it has */
} hop_context_options;

#define HOP_CONTEXT_OPTIONS_INIT                                                                   \
    {                                                                                              \
        sizeof(hop_context_options), 0, HOP_LOG_WARNING, 0, 1, {NULL, NULL, NULL, NULL}, NULL,     \
            NULL, NULL, NULL, NULL, 0                                                              \
    }
HOP_API void hop_context_options_init(hop_context_options *options, size_t size);

/* Makes a context; `options` NULL means the defaults. Starts no threads; a device is looked for by
 * the first call that needs it. HOP_ERR_ARGUMENT: `context` is NULL, or `options` was not begun
 * with HOP_CONTEXT_OPTIONS_INIT (there is no context yet that could keep a message). */
HOP_NODISCARD HOP_API hop_status hop_context_create(const hop_context_options *options,
                                                    hop_context **context);

/* NULL is allowed. Graphs made with the context stay valid. */
HOP_API void hop_context_free(hop_context *context);

/* What went wrong in the last call that failed: the operation, the numbers, what to do. Empty
 * when nothing has failed yet. Valid until the next call with this context. What a program needs
 * of it is in hop_context_detail (detail.h): no text has to be searched. */
HOP_API const char *hop_context_message(const hop_context *context);

HOP_API unsigned hop_context_threads(const hop_context *context);
HOP_API uint64_t hop_context_seed(const hop_context *context);
/* The seed of the next calls, in place of that of the options: what the context has on a device
 * stays, which another context would have to copy there again. */
HOP_API void hop_context_set_seed(hop_context *context, uint64_t seed);

/* Bytes of memory: that may be in use at once; that are in use now, by this context and the graphs
 * made with it; and the most that were since creation or the last reset. */
HOP_API uint64_t hop_context_memory_budget(const hop_context *context);
HOP_API uint64_t hop_context_memory_used(const hop_context *context);
HOP_API uint64_t hop_context_memory_peak(const hop_context *context);
/* Sets the peak to what is in use now, to measure the next call alone. */
HOP_API void hop_context_reset_peak(hop_context *context);

/* A block of count elements of `size` bytes, not cleared, for the caller's own arrays (results, as
 * a rule): aligned to 64 bytes, on huge pages where it helps, and counted against the budget like
 * what the library allocates itself. HOP_ERR_BUDGET, with the numbers, before anything is
 * allocated. `what` names it in messages. *block is NULL on failure. */
HOP_NODISCARD HOP_API hop_status hop_block_create(hop_context *context, const char *what,
                                                  uint64_t count, size_t size, void **block);
/* NULL is allowed. The block may outlive the context. */
HOP_API void hop_block_free(void *block);

#ifdef __cplusplus
}
#endif
#endif
