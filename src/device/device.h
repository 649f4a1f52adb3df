/* SPDX-License-Identifier: Apache-2.0
 *
 * Devices as the algorithms see them, and the table that a driver's backend fills in. Nothing
 * above this folder knows a vendor; a backend (opencl/, cuda/) is one const hop__backend.
 *
 * A device belongs to one context and serves one call at a time, as the context does; its failures
 * are messages of that context. Two contexts that name the same device each open it for themselves.
 *
 * How a variant uses it:
 *
 *     HOP_TRY(status, hop__device_of(context, &device));
 *     HOP_TRY(status, hop__program_get(device, &rank_program, defines, count, &program));
 *     HOP_TRY(status, hop__kernel_get(program, "wyllie_jump", &jump));
 *     HOP_TRY(status, hop__buffer_create(device, "rank: successors", bytes, &buffer));
 *     HOP_TRY(status, hop__buffer_write(buffer, 0, bytes, successors));
 *     hop__argument arguments[] = {hop__arg_buffer(buffer), hop__arg_u32(count)};
 *     HOP_TRY(status, hop__launch(jump, hop__grid(count, 128), arguments, 2));
 *     HOP_TRY(status, hop__buffer_read(buffer, 0, bytes, ranks));
 *     HOP_TRY(status, hop__device_finish(device));
 * done:
 *     hop__device_settle(device, status);    nothing is under way any more, whatever happened
 *     hop__buffer_free(buffer);
 *
 * Invariants:
 *  1. Work goes into queues, in order within a queue, and nothing waits until hop__device_finish,
 *     hop__event_sync or hop__buffer_read_now. Host arrays given to write and read must stay until
 *     then, and what is read is in the array no sooner. (A backend may take what is written at
 *     once, and let the host copy it.)
 *  2. Two queues, COMPUTE and COPY, run beside each other; hop__event_record and hop__event_wait
 *     order them. Functions without a queue in their name use COMPUTE.
 *  3. When a function here fails, a message is set that names the driver's call and the numbers,
 *     and the queues have been drained as far as the driver lets them: host arrays may be freed.
 *  4. Status:
 *     HOP_ERR_BUDGET  over the budget, before anything is asked of the driver
 *     HOP_ERR_MEMORY  the device has no memory; a variant that works by parts takes smaller ones,
 *                     see hop__device_shrink
 *     HOP_ERR_DEVICE  all else that the driver reports
 *  5. A device that stopped working is lost: it stays so, every later call fails at once with
 *     HOP_ERR_DEVICE, and hop__device_of too. Frees work on a lost device.
 *  6. Programs and kernels belong to the device and are made once; buffers and events belong to
 *     whoever made them, but for those that are kept (hop__buffer_keep). */
#ifndef HOPLITE_DEVICE_DEVICE_H
#define HOPLITE_DEVICE_DEVICE_H

#include "core/life.h"
#include "core/memory.h"
#include "hoplite/device.h"

typedef struct hop__device hop__device;
typedef struct hop__buffer hop__buffer;
typedef struct hop__program hop__program;
typedef struct hop__kernel hop__kernel;
typedef struct hop__event hop__event;
typedef struct hop__backend hop__backend;
typedef struct hop__program_source hop__program_source;

typedef enum hop__queue { HOP__QUEUE_COMPUTE = 0, HOP__QUEUE_COPY = 1 } hop__queue;
#define HOP__QUEUE_COUNT 2

/* --- the device ------------------------------------------------------------------------------ */

/* Whether the context names a device ("cpu" and NULL do not). */
bool hop__device_chosen(const hop_context *context);
/* The names after the first, with `+` between them, for variants that use several devices; NULL
 * when there is one. */
const char *hop__device_more(const hop_context *context);
/* Opens those devices, once, each with a context of its own. A failure is the caller's context's.
 * Then number i of them; NULL after the last, and before. */
enum { HOP__OTHERS_MOST = 3 };
hop_status hop__device_others_open(hop__device *device);
hop__device *hop__device_other(const hop__device *device, unsigned i);
/* The context's device, opened at the first call. HOP_ERR_DEVICE when there is none of that name,
 * when it cannot be used, when it is lost, and when the context names none. */
hop_status hop__device_of(hop_context *context, hop__device **device);
/* Its facts and limits; valid as long as the device. */
const hop_device_info *hop__device_info(const hop__device *device);
hop_context *hop__device_context(const hop__device *device);
/* In the child of a fork, too. */
bool hop__device_lost(const hop__device *device);
/* Seconds that its driver took to compile programs since it was opened. (Drivers may compile more
 * when a kernel is first launched, which is not known here.) */
double hop__device_compiling(const hop__device *device);
hop__memory_usage hop__device_usage(const hop__device *device);

/* Whether this device, with this driver, has given the answers of a program's tests before: to this
 * context, or, as the cache of programs has noted, to another process. And notes that it has. */
bool hop__device_has_passed(hop__device *device, const hop__program_source *tests);
void hop__device_pass(hop__device *device, const hop__program_source *tests);
/* It has not: the device is lost from now on, with the message of the context that has tried it. */
hop_status hop__device_distrust(hop__device *device, const hop_context *tried);

/* Bytes of the budget that can be had now. Kept buffers that nobody uses are given up for others,
 * so they do not count. */
uint64_t hop__device_left(const hop__device *device);
/* Bytes of a buffer that can be had at most now: what is left and the limit of one allocation.
 * Whether the device really has them is seen at the allocation. */
uint64_t hop__device_room(const hop__device *device);
/* The need that was computed before a run against the budget: HOP_ERR_BUDGET with the numbers.
 * `largest` is the largest single buffer, compared with the limit of one allocation. */
hop_status hop__device_check_need(hop__device *device, const char *what, uint64_t bytes,
                                  uint64_t largest);

/* For variants that work by parts: whether `status` is a lack of device memory and there have been
 * fewer than three tries; then *part is halved (not below `least`, where it returns false), the
 * tries are counted, and the caller starts again. */
bool hop__device_shrink(hop__device *device, hop_status status, unsigned *tries, uint64_t *part,
                        uint64_t least);

/* What copies through pinned memory still take of the host's budget, when the largest buffer has so
 * many bytes: part of a run's need. */
uint64_t hop__device_pinned_need(const hop__device *device, uint64_t largest);
/* What they have of it, those of other devices too, until hop_device_trim or the end of the
 * context; NULL is allowed. */
uint64_t hop__device_pinned(const hop__device *device);

/* Waits until both queues are empty. */
hop_status hop__device_finish(hop__device *device);
/* The same if commands are left that nobody has asked how they ended, or how long they took. */
hop_status hop__device_conclude(hop__device *device);
/* Waits for one queue, and leaves the other at its work. */
hop_status hop__queue_finish(hop__device *device, hop__queue queue);
/* Starts what is in the queues without waiting. */
hop_status hop__device_flush(hop__device *device);
/* For `done:` labels: drains the queues when `status` is an error, so that arrays may be freed. The
 * message stays. NULL is allowed. */
void hop__device_settle(hop__device *device, hop_status status);

/* --- buffers --------------------------------------------------------------------------------- */

/* A block of the device's memory, not cleared. A size of 0 gives a valid buffer. One above the
 * limit of a single allocation is refused with the numbers (HOP_ERR_BUDGET). `what` is kept: a
 * string literal. */
hop_status hop__buffer_create(hop__device *device, const char *what, uint64_t bytes,
                              hop__buffer **buffer);
/* NULL is allowed. Work in the queues that uses it is completed by the driver first. */
void hop__buffer_free(hop__buffer *buffer);
uint64_t hop__buffer_bytes(const hop__buffer *buffer);

/* Whether the device works in the host's own memory, so that nothing need be copied to it. */
bool hop__device_shares_memory(const hop__device *device);
/* For tests and measurements: as if it did not. */
void hop__device_keep_apart(hop__device *device, bool apart);
/* For tests: kernels that go over ranges in slices (kernels/sweep.h) do at most `most` elements in
 * a launch, so that small ranges have many slices; 0: as many as fit into their time. */
void hop__device_cut_slices(hop__device *device, uint64_t most);
uint64_t hop__device_slice_most(const hop__device *device);
/* A buffer over an array of the host. Where the device works in the host's memory the buffer is the
 * array itself, and nothing is copied; elsewhere it is a buffer of its own, into which the array is
 * copied if `filled`, asynchronously. It counts against the budget and the limit of one allocation
 * in either case. From now on the host leaves the array alone, and the kernels alone use it, until
 * hop__buffer_return or hop__buffer_free; borrowed arrays must not overlap. An array that is only
 * read by kernels is not written to. */
hop_status hop__buffer_borrow(hop__device *device, const char *what, uint64_t bytes, void *array,
                              bool filled, hop__buffer **buffer);
/* The array gets what the device has written to its borrowed buffer. Asynchronous. */
hop_status hop__buffer_return(hop__buffer *buffer);

/* Whether the array is in the device's memory and the caller has lent it (hop_device_lend); NULL
 * is allowed for both. Such an array is borrowed as those of the host are where the device works
 * there: the buffer is the array. */
bool hop__device_lends(const hop__device *device, const void *array);
/* Whether a buffer over the array would be the array, for either reason. */
bool hop__device_has_array(const hop__device *device, const void *array);
/* HOP_ERR_ARGUMENT where it was not lent. */
hop_status hop__lent_must(hop__device *device, const char *what, const void *array);
/* A copy for the host of `count` elements of a lent array, in a block that the caller frees, by way
 * of `slot` as hop__alloc; nothing happens when `from` is NULL. */
hop_status hop__lent_fetch(hop__device *device, const char *what, const void *from, uint64_t count,
                           size_t size, void *slot);
/* HOP_ERR_UNSUPPORTED where the array was lent, because the host is about to read it. */
hop_status hop__lent_refuse(hop_context *context, const char *what, const void *array);

/* --- buffers that stay ----------------------------------------------------------------------- */

/* A buffer with the contents of an array of the host, which stays on the device when it is freed:
 * whoever asks for the same array next gets it without a copy. For arrays that never change, such
 * as a graph's; kernels must not write to it. It is asked for and freed as any other buffer. Where
 * the device works in the host's memory, and without a `life`, it is hop__buffer_borrow.
 *
 *  1. The device, and so the context, owns the buffer. hop__buffer_keep counts one user more,
 *     hop__buffer_free one less; it is known by array, bytes and life.
 *  2. While it has users it stays. Without, it is idle: it gives way, the one used longest ago
 *     first, to whatever else needs the budget (buffers of a run, other kept ones), and all idle
 *     ones do when the driver has no memory. A kept buffer that does not fit beside those in use
 *     fails as any buffer does; keeping never takes memory that a run of the same context could
 *     have had without it. Other contexts and programs see it as used, until hop_device_trim.
 *  3. Its contents are trusted only when the copy has ended well: if any command of the device has
 *     failed between the copy and the end of its first use, it goes with its last user. Before it
 *     is idle for the first time the queues are waited for, so the array may go at any time then.
 *  4. When the array's owner ends the `life` (any thread), the buffer goes with its last user, or,
 *     if it is idle, when the context next uses the device, or is freed. It is never found again:
 *     the life that it holds cannot be another array's.
 *  5. A device that is lost keeps what it has until the context is freed, and nobody gets any of
 *     it, as hop__device_of fails. In the child of a fork the device is lost; what it kept is the
 *     parent's, and the child frees its own memory only.
 *  6. Two contexts that name the same device have their own copies, and share nothing but lives,
 *     which are atomic: so two threads may search one graph at once. */
hop_status hop__buffer_keep(hop__device *device, const char *what, uint64_t bytes,
                            const void *array, hop__life *life, hop__buffer **buffer);
/* Says that the array, whose owner has the life, is at this address of the device too, which the
 * caller has lent: hop__buffer_keep finds it from now on, until the life ends. It is never copied,
 * takes nothing of the budget while nobody uses it, and does not give way to others. */
hop_status hop__buffer_adopt(hop__device *device, const char *what, uint64_t bytes,
                             const void *array, hop__life *life, const void *address);
/* Whether hop__buffer_keep would find it now. */
bool hop__buffer_is_kept(const hop__device *device, uint64_t bytes, const void *array,
                         const hop__life *life);
/* Frees all that are idle, and spares; or those alone whose life has ended. */
void hop__device_trim(hop__device *device, bool ended);
/* Bytes that hop__buffer_keep has copied since the device was opened, and has found there. */
typedef struct hop__kept_bytes {
    uint64_t copied, found;
} hop__kept_bytes;
/* Counts bytes as copied that went there without it: in parts, which do not stay. */
void hop__device_count_copied(hop__device *device, uint64_t bytes);
hop__kept_bytes hop__device_kept_bytes(const hop__device *device);

/* Asynchronous; ranges are checked. Pieces larger than what drivers take at once are split. */
hop_status hop__buffer_write(hop__buffer *buffer, uint64_t offset, uint64_t bytes,
                             const void *source);
hop_status hop__buffer_read(hop__buffer *buffer, uint64_t offset, uint64_t bytes, void *target);
hop_status hop__buffer_copy(hop__buffer *source, uint64_t source_offset, hop__buffer *target,
                            uint64_t target_offset, uint64_t bytes);
/* Repeats a word of 32 bits; offset and bytes are multiples of 4. */
hop_status hop__buffer_fill(hop__buffer *buffer, uint64_t offset, uint64_t bytes, uint32_t word);
/* The same in the other queue. */
hop_status hop__queue_write(hop__queue queue, hop__buffer *buffer, uint64_t offset, uint64_t bytes,
                            const void *source);
hop_status hop__queue_read(hop__queue queue, hop__buffer *buffer, uint64_t offset, uint64_t bytes,
                           void *target);
/* Reads and waits for it, and for what is before it in the queue: for flags and counters. */
hop_status hop__buffer_read_now(hop__buffer *buffer, uint64_t offset, uint64_t bytes, void *target);

/* --- programs and kernels -------------------------------------------------------------------- */

/* A piece of source that was embedded by the build; `name` is its file's, for messages. */
typedef struct hop__source {
    const char *name;
    const char *text; /* ends with a zero byte */
} hop__source;

/* What a program is made of: the shim, shared pieces, its own; compiled as one text. */
struct hop__program_source {
    const char *name; /* of the program: "rank" */
    const hop__source *const *sources;
    size_t count;
};

/* -D name=value. Every program also gets, as 0 or 1: HOP_CPU (contiguous chunks per work-item are
 * the right shape), HOP_ATOMIC64, HOP_FLOAT64, HOP_PREFETCH, HOP_WARPS. */
typedef struct hop__define {
    const char *name;
    int64_t value;
} hop__define;

/* The program with these definitions, built (or loaded from the cache) at the first call. Belongs
 * to the device; `source` must stay as long. A compiler's complaint goes to the log and its
 * beginning to the message. */
hop_status hop__program_get(hop__device *device, const hop__program_source *source,
                            const hop__define *defines, size_t define_count,
                            hop__program **program);
/* Belongs to the program. `name` is kept: a string literal. */
hop_status hop__kernel_get(hop__program *program, const char *name, hop__kernel **kernel);

typedef struct hop__argument {
    const hop__buffer *buffer; /* or a value: */
    union {
        uint32_t u32;
        uint64_t u64;
        int32_t i32;
        int64_t i64;
        float f32;
        double f64;
    } value;
    size_t size;
} hop__argument;

static inline hop__argument hop__arg_buffer(const hop__buffer *buffer) {
    return (hop__argument){.buffer = buffer};
}
static inline hop__argument hop__arg_u32(uint32_t value) {
    return (hop__argument){.value.u32 = value, .size = sizeof value};
}
static inline hop__argument hop__arg_u64(uint64_t value) {
    return (hop__argument){.value.u64 = value, .size = sizeof value};
}
static inline hop__argument hop__arg_i32(int32_t value) {
    return (hop__argument){.value.i32 = value, .size = sizeof value};
}
static inline hop__argument hop__arg_i64(int64_t value) {
    return (hop__argument){.value.i64 = value, .size = sizeof value};
}
static inline hop__argument hop__arg_f32(float value) {
    return (hop__argument){.value.f32 = value, .size = sizeof value};
}
static inline hop__argument hop__arg_f64(double value) {
    return (hop__argument){.value.f64 = value, .size = sizeof value};
}

/* How many work-groups of how many work-items, in one or two dimensions. The size of a group must
 * be the one that the kernel was compiled for (KERNEL_WG). */
typedef struct hop__shape {
    uint32_t groups[2];
    uint32_t group[2];
    /* For the report alone: bytes that the launch moves and elements that it works on, by the
     * variant's own count; 0 when it does not count. */
    uint64_t bytes, items;
} hop__shape;

/* `groups` groups of `group` items, in one dimension. */
hop__shape hop__shape_of(uint64_t groups, uint32_t group);
/* One item per element: as many groups as cover `count`, at least one. */
hop__shape hop__grid(uint64_t count, uint32_t group);
/* Groups that fill the device a few times over without one item per element: for kernels that walk
 * a range (chunked on CPUs, strided on GPUs). Not more than cover `count`. */
hop__shape hop__fill_device(const hop__device *device, uint64_t count, uint32_t group);
/* Groups that fill any device of this kind. */
uint64_t hop__most_groups(const hop_device_info *info);

/* Arguments of another number or size than the kernel's are refused, on every backend. */
hop_status hop__launch(hop__kernel *kernel, hop__shape shape, const hop__argument *arguments,
                       size_t argument_count);
/* Whether a launch was refused since the last question because its kernel takes smaller groups than
 * its device, which only the compiler knew. Then groups are as small from now on, and what failed
 * may be tried again from where it computes how its work is cut. */
bool hop__device_smaller_groups(hop__device *device);

/* Whether the device is to measure what commands take from now on; at first it is not. Some do in
 * any case. */
void hop__device_time(hop__device *device, bool timed);
/* What a kernel, or the copies, took so far by the device's own clock; 0 seconds where that is not
 * asked. Up to date after hop__device_finish. */
typedef struct hop__tally {
    const char *name; /* of the kernel; "copy to device", "copy to host", "fill" */
    bool copy;
    uint64_t calls;
    double seconds;
    uint64_t bytes, items;
} hop__tally;
/* Tally number i of the device, NULL after the last; kernels that never ran are among them. */
const hop__tally *hop__device_tally(const hop__device *device, size_t i);
/* What the kernel took since the last time; its tally is 0 then. For variants whose report has the
 * rounds of a kernel apart. */
hop__tally hop__kernel_tally_take(hop__kernel *kernel);
/* Sets all to 0: before a run that is to be measured. */
void hop__device_tally_reset(hop__device *device);

/* --- events ---------------------------------------------------------------------------------- */

/* Marks what is in the queue now. */
hop_status hop__event_record(hop__device *device, hop__queue queue, hop__event **event);
/* What is put into `queue` from now on waits until the event's work is done. The host does not. */
hop_status hop__event_wait(hop__event *event, hop__queue queue);
/* The host waits. */
hop_status hop__event_sync(hop__event *event);
/* NULL is allowed. */
void hop__event_free(hop__event *event);

#endif
