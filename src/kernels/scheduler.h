/* SPDX-License-Identifier: Apache-2.0
 *
 * Persistent work-groups on a queue of tokens: the host's side of scheduler_template.cl, which says
 * what an algorithm has to bring. docs/scheduler.md has a worked example.
 *
 * The host fills a queue, then launches the algorithm's kernel until nothing is pending. Launches
 * are short: their trips are bounded, by a fixed number or so that a launch takes some 20 ms, and
 * between two of them the run can be cancelled. The kernel has the parameters (GLOBAL u32 *control,
 * GLOBAL u32 *states, GLOBAL u32 *slots, GLOBAL u32 *slots_behind, u32 trips, u32 patience, ...).
 *
 * Two kinds of queue:
 *   plain  tokens are put at most `capacity` - items times in all; nothing is ever refused.
 *   ring   tickets come round. `capacity` is a power of two. When a launch finds no room for a
 *          token it is refused, and `rebuild` is called before the next: the algorithm knows what
 *          is in the queue or should be (its marks), and fills it anew by hop__scheduler_refill. */
#ifndef HOPLITE_KERNELS_SCHEDULER_H
#define HOPLITE_KERNELS_SCHEDULER_H

#include "kernels/primitives.h"

typedef enum hop__queue_kind {
    HOP__QUEUE_RETRY_FREE = 0,
    HOP__QUEUE_ARBITRARY_N = 1,
    HOP__QUEUE_CAS = 2
} hop__queue_kind;

typedef struct hop__schedule {
    hop__queue_kind queue;
    bool direct_claim, direct_put; /* else item 0 gets tickets for its group */
    bool staged;                   /* D4's level gate */
    bool counted;                  /* counts of the queue are kept */
    uint32_t chunk;                /* steps of an item in a trip; at most HOP__CHUNK_MOST */
    uint32_t groups;               /* 0: what suits the device */
    uint32_t trips;                /* of a launch; 0: by time; UINT32_MAX: unbounded */
    uint32_t patience;             /* idle trips before a group leaves; 0: the default */
    uint32_t queues;               /* 1 or 2 */
    struct {
        uint64_t capacity;
        bool ring;
        uint32_t first; /* ticket; for tests at the edge of 2^32 */
    } of[2];
} hop__schedule;

enum { HOP__CHUNK_MOST = 8, HOP__SCHEDULE_DEFINES = 8, HOP__SCHEDULE_ARGUMENTS = 6 };

/* The schedule as parameters of a variant: a table begins with HOP__SCHEDULE_ROWS(chunk), and
 * hop__schedule_of reads their values. */
enum {
    HOP__SCHEDULE_QUEUE,
    HOP__SCHEDULE_DEQUEUE,
    HOP__SCHEDULE_ENQUEUE,
    HOP__SCHEDULE_CHUNK,
    HOP__SCHEDULE_GROUPS,
    HOP__SCHEDULE_TRIPS,
    HOP__SCHEDULE_COUNT,
    HOP__SCHEDULE_FORM, /* where the parameters of the form begin */
    HOP__SCHEDULE_PARAMETERS = HOP__SCHEDULE_FORM + HOP__FORM_PARAMETERS
};
#define HOP__SCHEDULE_ROWS(chunk_standard)                                                         \
    [HOP__SCHEDULE_QUEUE] = {.name = "queue",                                                      \
                             .summary = "how tickets of the queue are had: by addition, by "       \
                                        "compare-and-swap for many at once, or for one",           \
                             .type = HOP_PARAMETER_CHOICE,                                         \
                             .maximum = 2,                                                         \
                             .choices = "retry-free arbitrary-n cas"},                             \
    [HOP__SCHEDULE_DEQUEUE] = {.name = "dequeue",                                                  \
                               .summary = "whether one work-item takes from the queue for its "    \
                                          "group, or each for itself",                             \
                               .type = HOP_PARAMETER_CHOICE,                                       \
                               .maximum = 1,                                                       \
                               .choices = "proxy direct"},                                         \
    [HOP__SCHEDULE_ENQUEUE] = {.name = "enqueue",                                                  \
                               .summary = "the same for putting into the queue",                   \
                               .type = HOP_PARAMETER_CHOICE,                                       \
                               .maximum = 1,                                                       \
                               .choices = "proxy direct"},                                         \
    [HOP__SCHEDULE_CHUNK] = {.name = "chunk",                                                      \
                             .summary = "arcs that a work-item follows in one trip",               \
                             .type = HOP_PARAMETER_INTEGER,                                        \
                             .minimum = 1,                                                         \
                             .maximum = HOP__CHUNK_MOST,                                           \
                             .standard = (chunk_standard)},                                        \
    [HOP__SCHEDULE_GROUPS] = {.name = "groups",                                                    \
                              .summary = "persistent work-groups; 0: what suits the device",       \
                              .type = HOP_PARAMETER_INTEGER,                                       \
                              .maximum = 1024},                                                    \
    [HOP__SCHEDULE_TRIPS] = {.name = "trips",                                                      \
                             .summary = "trips of a group in one launch; 0: what takes 20 ms, "    \
                                        "4294967295: unbounded",                                   \
                             .type = HOP_PARAMETER_INTEGER,                                        \
                             .maximum = UINT32_MAX},                                               \
    [HOP__SCHEDULE_COUNT] = {.name = "count",                                                      \
                             .summary = "count what happens at the queue, which takes time",       \
                             .type = HOP_PARAMETER_FLAG,                                           \
                             .maximum = 1},                                                        \
    [HOP__SCHEDULE_FORM + HOP__FORM_GROUP] = HOP__FORM_GROUP_ROW,                                  \
    [HOP__SCHEDULE_FORM + HOP__FORM_CUT] = HOP__FORM_CUT_ROW

hop__schedule hop__schedule_of(const double *values);

/* What happened at the queues. The first six only with `counted`. */
typedef struct hop__schedule_counts {
    uint64_t operations; /* at either end that got tickets: additions, or successful swaps */
    uint64_t empties;    /* attempts at the front that found nothing: never with retry-free */
    uint64_t retries;    /* compare-and-swaps that came too late: never with retry-free */
    uint64_t looks;      /* at a slot for a token */
    uint64_t takes;      /* of these, found one */
    uint64_t steps;      /* elements of the tokens' ranges: arcs, in a search */
    uint64_t puts[2];    /* tokens put into each queue, with those that were refused */
    uint64_t launches, rebuilds;
} hop__schedule_counts;

typedef struct hop__scheduler {
    hop__device *device;
    hop__schedule schedule;
    hop__form form;
    uint32_t groups, group, items;
    hop__program *program;
    hop__buffer *control, *states;
    hop__buffer *slots[2];
    hop__schedule_counts counts;
    uint32_t stage; /* of the last launch */
    /* Called after a launch that refused tokens; NULL: that is an error. */
    hop_status (*rebuild)(struct hop__scheduler *scheduler, void *user);
    /* Called after every launch, before `rebuild`, unless NULL. `asked`: the algorithm has set
     * control[SCHEDULER_LEAVE]. It may set `stop`: then the run ends as it is. */
    hop_status (*between)(struct hop__scheduler *scheduler, void *user, bool asked);
    bool stop;
    void *user;
} hop__scheduler;

/* Whether the device cannot run schedules, and why: groups pass tokens on by one word and what
 * belongs to it by others, which takes fences that reach beyond a group. */
bool hop__schedule_refuse(const hop_device_info *device, char *reason, size_t room);

/* Groups that a schedule has on a device, and work-items with groups of `group`; 0: the form's
 * default. Capacities depend on them. */
uint32_t hop__schedule_groups(const hop_device_info *device, const hop__schedule *schedule);
uint64_t hop__schedule_items(const hop_device_info *device, const hop__schedule *schedule,
                             uint32_t group);
/* Bytes of device memory that it takes. */
uint64_t hop__schedule_memory(const hop__schedule *schedule, uint64_t items);

/* What a program must be compiled with for the schedule: HOP__SCHEDULE_DEFINES definitions. */
void hop__schedule_defines(const hop__schedule *schedule, hop__define *defines);

/* Allocates; the program is set by the caller before the first launch. Fails half-way in a state
 * that hop__scheduler_end cleans up. */
hop_status hop__scheduler_begin(hop__device *device, const hop__form *form,
                                const hop__schedule *schedule, hop__program *program,
                                hop__scheduler *scheduler);
void hop__scheduler_end(hop__scheduler *scheduler, hop_status status);

/* Empties all queues, and puts `count` tokens of the host into queue q, which are of stage 0. They
 * are different from QUEUE_NONE = UINT32_MAX. The array must stay until the run. */
hop_status hop__scheduler_start(hop__scheduler *scheduler, unsigned q, const uint32_t *tokens,
                                uint64_t count);
/* The same in two steps, for tokens that kernels write to the first slots of queue q. */
hop_status hop__scheduler_clear(hop__scheduler *scheduler);
hop_status hop__scheduler_filled(hop__scheduler *scheduler, unsigned q, uint64_t count);
/* After a run whose `advance` wanted no further stage: the next one shall come after all, if
 * something is pending for it; else *more is false. */
hop_status hop__scheduler_advance(hop__scheduler *scheduler, bool *more);
/* For `rebuild`: queue q has exactly these tokens of the device. What is pending does not change:
 * they are those that were in it and those that were refused. */
hop_status hop__scheduler_refill(hop__scheduler *scheduler, unsigned q, hop__buffer *tokens,
                                 uint64_t count);
/* Launches until nothing is pending. `arguments` come after those of the scheduler. Tokens that
 * were put are progress. */
hop_status hop__scheduler_run(hop__scheduler *scheduler, const char *kernel,
                              const hop__argument *arguments, size_t argument_count);
/* What a variant tells in its report: launches, and with `counted` what happened at the queues.
 * Returns how many there are. */
enum { HOP__SCHEDULE_COUNTERS = 7 };
typedef struct hop__schedule_counter {
    const char *name;
    uint64_t value;
} hop__schedule_counter;
size_t hop__scheduler_counters(const hop__scheduler *scheduler,
                               hop__schedule_counter counters[HOP__SCHEDULE_COUNTERS]);

#endif
