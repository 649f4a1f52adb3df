/* SPDX-License-Identifier: Apache-2.0
 *
 * The memory of a run, declared once. A variant lists its blocks in one function, row.blocks; the
 * driver sums the list for the estimate, and run() allocates and frees by the same list:
 *
 *     static void wyllie_blocks(const void *given, hop__workspace *space) {
 *         const hop__rank_task *task = given;
 *         HOP__BLOCK(space, "rank: jumps", task->query.count, ranking, words);
 *         if (task->values[ADDRESSES] != 0)
 *             HOP__BLOCK(space, "rank: addresses", words_of(task), ranking, read)->zero = true;
 *     }
 *
 *     ranking r = {...};
 *     hop__workspace space = {0};
 *     HOP_TRY(status, hop__workspace_open(context, NULL, wyllie_blocks, task, &r, &space));
 *     ... r.words and r.read are there
 * done:
 *     hop__workspace_close(&space, status);
 *
 * A block knows the place of its pointer (its slot) in the variant's own state. Steps that several
 * variants share list their blocks by a function of their own, which is told where in that state
 * theirs begins (`at`), and uses HOP__BLOCK_AT.
 *
 * Rules
 *  1. The list depends on the task and the device alone: the driver and run() get the same one.
 *  2. A block is there from open to close; or, where hop__block_stage was called before it was
 *     listed, in that stage only. Stages follow each other, so that the estimate is the peak. When
 *     one begins, its blocks are listed again, in the same order: by then the task may know how
 *     many elements there are; no more than before, unless they are elastic (rule 4).
 *  3. Blocks with `later` are allocated by hop__workspace_take, with as many elements as are needed
 *     then, at most those declared; hop__workspace_drop frees one early.
 *  4. Those that only a fall-back needs are `on_demand` as well: in the estimate, but perhaps never
 *     taken. Where the room decides how much is taken, a block is `elastic`: what is declared is
 *     the least.
 *  5. What a function below allocates and frees itself (a sort, a reversed graph) is listed by
 *     hop__block_reserve. Nothing else in a variant allocates: tools/check_workspace. */
#ifndef HOPLITE_PROBLEM_WORKSPACE_H
#define HOPLITE_PROBLEM_WORKSPACE_H

#include "core/memory.h"
#include "device/device.h"

enum { HOP__BLOCKS_MOST = 48, HOP__STAGES_MOST = 4 };

typedef enum hop__memory_place {
    HOP__MEMORY_HOST = 0,
    HOP__MEMORY_DEVICE = 1,
    HOP__MEMORY_PLACES = 2
} hop__memory_place;

typedef struct hop__block {
    const char *what; /* for messages */
    uint64_t count;
    size_t size;     /* of an element */
    size_t slot;     /* where its pointer is: bytes from the beginning of the state, or of: */
    uint16_t within; /* 0, or 1 + the index of the block of whose elements each has one */
    uint8_t stage;   /* 0: all the time */
    uint8_t place;   /* hop__memory_place */
    bool reserved;   /* hop__block_reserve */
    bool zero;       /* cleared when it is allocated */
    bool filled;     /* with what is in `array` */
    bool later;      /* hop__workspace_take */
    bool on_demand;  /* the same, but it may never be taken */
    bool elastic;    /* more may be taken than is declared */
    void *array;     /* of the host, that a device's block is (hop__buffer_borrow) */
    hop__life *life; /* of that array: what the device copies of it stays (hop__buffer_keep) */
    void *memory;    /* NULL: not allocated now. (Of those within others: the last one.) */
    uint64_t taken;  /* the most bytes that it ever had */
} hop__block;

/* Lists the blocks of a task. */
typedef struct hop__workspace hop__workspace;
typedef void (*hop__blocks_fn)(const void *task, hop__workspace *space);

struct hop__workspace {
    hop_context *context;
    hop__device *device; /* NULL for rows of the host */
    hop__blocks_fn list;
    const void *task;
    void *state;
    uint8_t stage; /* of the blocks that are listed next */
    uint16_t within;
    uint32_t count;
    hop__block blocks[HOP__BLOCKS_MOST + 1]; /* the last is for what is too many */
};

/* --- listing --------------------------------------------------------------------------------- */

/* What these return may be refined: hop__block(...)->zero = true. */
hop__block *hop__block_add(hop__workspace *space, const char *what, uint64_t count, size_t size,
                           size_t slot);
/* The slot is a hop__buffer *. */
hop__block *hop__buffer_add(hop__workspace *space, const char *what, uint64_t count, size_t size,
                            size_t slot);
/* A buffer that is an array of the host where the device works there, else a copy of it if it is
 * `filled`. */
hop__block *hop__borrow_add(hop__workspace *space, const char *what, uint64_t count, size_t size,
                            size_t slot, const void *array, bool filled);
/* Bytes that a function below charges itself; `elastic` if they are a rough bound. */
hop__block *hop__block_reserve(hop__workspace *space, hop__memory_place place, const char *what,
                               uint64_t bytes);
/* Blocks listed from now on are there in this stage only (1, 2, ...); 0: all the time. */
void hop__block_stage(hop__workspace *space, unsigned stage);
/* Slots of blocks listed from now on are in each element of this block, which is listed; NULL: in
 * the state. The variant leaves these slots as they are. */
void hop__block_within(hop__workspace *space, const hop__block *block);

/* A block whose slot is `member` of the state, a struct of type `type`, and whose elements are what
 * that points to; the second form where that struct is `at` bytes from the state's beginning. */
#define HOP__BLOCK_AT(space, at, what, count, type, member)                                        \
    hop__block_add(space, what, count, sizeof *((type *)0)->member, (at) + offsetof(type, member))
#define HOP__BLOCK(space, what, count, type, member)                                               \
    HOP__BLOCK_AT(space, 0, what, count, type, member)

/* --- what it comes to ------------------------------------------------------------------------ */

typedef struct hop__need {
    uint64_t bytes[HOP__MEMORY_PLACES];
    uint64_t largest; /* buffer of the device */
} hop__need;

/* What the blocks of a task need at most at a time; UINT64_MAX when it cannot be expressed. NULL
 * blocks: none. On a device the objects of its driver are counted, roughly. */
hop__need hop__blocks_need(hop__blocks_fn blocks, const void *task, hop__device *device);

/* By place: of the last list that was opened, what its blocks need at most; of the last that was
 * closed, the same with the counts that its stages had, and what the blocks that were taken did. */
typedef struct hop__block_record {
    uint64_t listed[HOP__MEMORY_PLACES], declared[HOP__MEMORY_PLACES], drawn[HOP__MEMORY_PLACES];
} hop__block_record;

/* --- in the run ------------------------------------------------------------------------------ */

/* Lists the blocks and allocates those that are there all the time. `device` NULL: there are none
 * for one. After a failure too hop__workspace_close is to be called; until then `task` stays. */
hop_status hop__workspace_open(hop_context *context, hop__device *device, hop__blocks_fn blocks,
                               const void *task, void *state, hop__workspace *space);
/* One that is not open, as if it were zero, but without writing to all of it. */
void hop__workspace_clear(hop__workspace *space);
/* Waits for the device when `status` is an error, and frees all. One that was never opened, and is
 * zero or cleared, is allowed. */
void hop__workspace_close(hop__workspace *space, hop_status status);

/* Frees the blocks of all other stages, and allocates those of this one. */
hop_status hop__workspace_stage(hop__workspace *space, unsigned stage);
/* Allocates the block of that slot, which is `later` or `on_demand`, with so many elements. Nothing
 * happens when it is there already. */
hop_status hop__workspace_take(hop__workspace *space, void *slot, uint64_t count);
/* The same of a device's block, of which `array` is what it borrows, with its contents. */
hop_status hop__workspace_borrow(hop__workspace *space, void *slot, uint64_t count,
                                 const void *array);
/* The same of an array that lives, whose copy stays on the device (hop__buffer_keep). */
hop_status hop__workspace_keep(hop__workspace *space, void *slot, uint64_t count, const void *array,
                               hop__life *life);
/* Frees it, if it is there, and sets the slot to NULL. The work that uses it is done. */
void hop__workspace_drop(hop__workspace *space, void *slot);
/* Whether the host's budget has room for what is declared of a stage, in place of what is there of
 * others; and before that for all that is in no stage. For fall-backs that can be done without. */
bool hop__workspace_has_room(const hop__workspace *space, unsigned stage);

#endif
