/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs a kernel: one group after another, every item on a fiber.
 *
 * Items begin on the same fiber one after another as long as they end without a barrier. One that
 * comes to a barrier keeps its fiber, and the next items begin on another. When all have begun, a
 * round is over: then all have ended, or all wait at the same barrier, or the kernel is wrong. The
 * order of items is a rotation, forwards or backwards, that changes with every round and group. */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "fibers.h"

#if defined(__SANITIZE_ADDRESS__)
#define WITH_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WITH_ASAN 1
#endif
#endif
#if defined(WITH_ASAN)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

/* A fiber that has ended is in fiber_main, within the last FRAME_BYTES of its stack. */
enum { STACK_BYTES = 256 << 10, GUARD_BYTES = 4096, FRAME_BYTES = 8192 };

/* Jumps between stacks. The address sanitizer takes a longjmp for one that leaves functions for
 * good: it clears the marks of the whole stack and calls the system, which took nine tenths of the
 * time of a test. Nothing is left here, so it need not know of jumps. */
#if defined(WITH_ASAN) && defined(__x86_64__)
typedef void *jump_buffer[5];
#define JUMP_SET(buffer)  __builtin_setjmp(buffer)
#define JUMP_TO(buffer)   __builtin_longjmp(buffer, 1)
#define WITHOUT_SANITIZER __attribute__((no_sanitize_address, noinline))
#else
typedef jmp_buf jump_buffer;
#define JUMP_SET(buffer) _setjmp(buffer)
#define JUMP_TO(buffer)  _longjmp(buffer, 1)
#define WITHOUT_SANITIZER
#endif

/* A place to go on. Contexts are for the start of a fiber only: exchanging them is a call of the
 * system, jumping is not. */
typedef struct place {
    ucontext_t context;
    jump_buffer jump;
    bool started;
} place;

typedef struct fiber {
    place place;
    char *stack;
    uint32_t item, line; /* the item that waits here, and the line of its barrier; 0: none */
    void *fake;
} fiber;

static fiber fibers[FIBERS_GROUP_MOST];
static uint32_t fiber_count; /* with a stack */
static place scheduler = {.started = true};
static void *scheduler_fake;
static const void *scheduler_stack;
static size_t scheduler_stack_bytes;

static const fibers_launch *launch;
static fiber *current;
static uint32_t group, begun, first, waiting;
static bool backwards, all_memory;
static bool abandoned; /* some fiber will never end */
static uint64_t turns;
uint32_t fibers_local_epoch, fibers_global_epoch;

static uint32_t turn_to_item(uint32_t turn) {
    uint32_t size = launch->group_size, item = (first + turn) % size;
    return backwards ? size - 1 - item : item;
}

static void new_order(void) {
    turns = turns * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    first = (uint32_t)(turns >> 33) % launch->group_size;
    backwards = (turns >> 32 & 1) != 0;
}

static void begin_switch(void **fake, const void *stack, size_t bytes) {
#if defined(WITH_ASAN)
    __sanitizer_start_switch_fiber(fake, stack, bytes);
#else
    (void)fake, (void)stack, (void)bytes;
#endif
}

static void end_switch(void *fake, const void **stack, size_t *bytes) {
#if defined(WITH_ASAN)
    __sanitizer_finish_switch_fiber(fake, stack, bytes);
#else
    (void)fake, (void)stack, (void)bytes;
#endif
}

WITHOUT_SANITIZER static void leave_for(place *to) {
    if (to->started)
        JUMP_TO(to->jump);
    to->started = true;
    setcontext(&to->context);
}

WITHOUT_SANITIZER static void go(place *from, place *to) {
    if (JUMP_SET(from->jump) == 0)
        leave_for(to);
}

static void to_scheduler(fiber *from) {
    begin_switch(&from->fake, scheduler_stack, scheduler_stack_bytes);
    go(&from->place, &scheduler);
    end_switch(from->fake, &scheduler_stack, &scheduler_stack_bytes);
}

static void to_fiber(fiber *to) {
    current = to;
    begin_switch(&scheduler_fake, to->stack, STACK_BYTES);
    go(&scheduler, &to->place);
    end_switch(scheduler_fake, NULL, NULL);
}

static void barrier(uint32_t line, uint32_t all) {
    fiber *mine = current;
    mine->item = launch->program->item->local;
    mine->line = line;
    all_memory = all != 0;
    to_scheduler(mine);
    mine->line = 0;
}

/* Begins items until one has waited on this fiber and ended. */
static void fiber_main(void) {
    end_switch(NULL, &scheduler_stack, &scheduler_stack_bytes);
    fiber *mine = current;
    for (;;) {
        bool waited = false;
        while (begun < launch->group_size && !waited) {
            uint32_t round = waiting;
            launch->program->item->local = turn_to_item(begun++);
            launch->kernel->call(launch->arguments);
            waited = waiting != round;
        }
        to_scheduler(mine);
    }
}

static bool fiber_ready(uint32_t i) {
    if (i >= FIBERS_GROUP_MOST)
        return false;
    if (i < fiber_count)
        return true;
    char *block = mmap(NULL, STACK_BYTES + GUARD_BYTES, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (block == MAP_FAILED || mprotect(block, GUARD_BYTES, PROT_NONE) != 0)
        return false;
    fibers[i].stack = block + GUARD_BYTES;
    fiber_count = i + 1;
    return true;
}

static void fiber_reset(fiber *which) {
#if defined(WITH_ASAN)
    size_t used = abandoned ? STACK_BYTES : FRAME_BYTES;
    __asan_unpoison_memory_region(which->stack + STACK_BYTES - used, used);
#endif
    getcontext(&which->place.context);
    which->place.started = false;
    which->place.context.uc_stack.ss_sp = which->stack;
    which->place.context.uc_stack.ss_size = STACK_BYTES;
    which->place.context.uc_link = NULL;
    which->line = 0;
    makecontext(&which->place.context, fiber_main, 0);
}

static bool complain(const char *what, uint32_t a, uint32_t b) {
    abandoned = true;
    fprintf(stderr, "fibers: kernel %s, group %u: %s (%u, %u)\n", launch->kernel->name, group, what,
            a, b);
    return false;
}

/* The first round: every item begins, on as many fibers as have to wait. Gives their number. */
static bool first_round(uint32_t *used) {
    *used = 0;
    begun = 0;
    waiting = 0;
    while (begun < launch->group_size) {
        if (!fiber_ready(*used))
            return complain("no room for another fiber", *used, 0);
        fiber_reset(&fibers[*used]);
        to_fiber(&fibers[*used]);
        *used += fibers[*used].line != 0;
    }
    return true;
}

/* Whether all items wait at the same barrier: `used` fibers, of which those with a line wait. */
static bool all_wait(uint32_t used, bool *done) {
    uint32_t count = 0, line = 0;
    for (uint32_t i = 0; i < used; i++) {
        if (fibers[i].line == 0)
            continue;
        if (line != 0 && fibers[i].line != line)
            return complain("items wait at different barriers, lines", line, fibers[i].line);
        line = fibers[i].line;
        count++;
    }
    *done = count == 0;
    if (count != 0 && count != launch->group_size)
        return complain("some items wait at a barrier that others never reach, line and number",
                        line, count);
    return true;
}

static bool run_group(void) {
    uint32_t used;
    bool done;
    new_order();
    if (!first_round(&used) || !all_wait(used, &done))
        return false;
    while (!done) {
        waiting++;
        fibers_local_epoch++;
        fibers_global_epoch += all_memory;
        new_order();
        for (uint32_t turn = 0; turn < used; turn++) {
            fiber *next = &fibers[turn_to_item(turn)];
            launch->program->item->local = next->item;
            to_fiber(next);
        }
        if (!all_wait(used, &done))
            return false;
    }
    return true;
}

/* Local memory is not cleared on a device either. */
static void spoil_locals(const fibers_program *program) {
    if (program->locals != NULL)
        memset(program->locals, 0xa5, (size_t)(program->locals_end - program->locals));
}

bool fibers_run(const fibers_launch *which) {
    const fibers_program *program = which->program;
    bool ok = true, trace = program->trace != NULL;
    const char *seed = getenv("HOPLITE_FIBERS_SEED");
    launch = which;
    if (turns == 0 && seed != NULL)
        turns = strtoull(seed, NULL, 10);
    new_order();
    uint32_t start = (uint32_t)(turns >> 20) % launch->groups;
    bool down = (turns >> 19 & 1) != 0;
    if (trace) {
        fibers_trace_launch(launch);
        *program->trace = fibers_trace_access;
    }
    for (uint32_t i = 0; i < launch->groups && ok; i++) {
        group = (start + i) % launch->groups;
        group = down ? launch->groups - 1 - group : group;
        spoil_locals(program);
        *program->item = (struct shim_item){0, group, launch->groups, launch->group_size, barrier};
        fibers_local_epoch++;
        fibers_global_epoch++;
        if (trace)
            fibers_trace_group();
        ok = run_group();
        if (trace)
            fibers_trace_group_end();
    }
    return trace ? fibers_trace_end() == 0 && ok : ok;
}
