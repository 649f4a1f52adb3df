/* SPDX-License-Identifier: Apache-2.0
 *
 * Lists of blocks: their sum, and their memory. See workspace.h.
 *
 * What a block got is noted here as well as in its slot, so that a variant may swap its pointers or
 * let two be the same: what is freed is what was allocated. */
#include "problem/workspace.h"

#include <string.h>

#include "core/checked.h"
#include "core/try.h"

/* Of a device's run: buffers, events and kernels as objects of the host, and the text of a program,
 * which is pieced together. */
enum { OBJECTS = 96, OBJECT = 128, TEXT = 1 << 16 };

/* --- listing --------------------------------------------------------------------------------- */

hop__block *hop__block_add(hop__workspace *space, const char *what, uint64_t count, size_t size,
                           size_t slot) {
    hop__block *block = &space->blocks[space->count];
    space->count += space->count < HOP__BLOCKS_MOST + 1;
    if (space->count > HOP__BLOCKS_MOST)
        block = &space->blocks[HOP__BLOCKS_MOST];
    *block = (hop__block){.what = what,
                          .count = count,
                          .size = size,
                          .slot = slot,
                          .stage = space->stage,
                          .within = space->within};
    return block;
}

hop__block *hop__buffer_add(hop__workspace *space, const char *what, uint64_t count, size_t size,
                            size_t slot) {
    hop__block *block = hop__block_add(space, what, count, size, slot);
    block->place = HOP__MEMORY_DEVICE;
    return block;
}

hop__block *hop__borrow_add(hop__workspace *space, const char *what, uint64_t count, size_t size,
                            size_t slot, const void *array, bool filled) {
    hop__block *block = hop__buffer_add(space, what, count, size, slot);
    block->array = (void *)(uintptr_t)array; /* kernels do not write to what is only read */
    block->filled = filled;
    return block;
}

hop__block *hop__block_reserve(hop__workspace *space, hop__memory_place place, const char *what,
                               uint64_t bytes) {
    hop__block *block = hop__block_add(space, what, bytes, 1, 0);
    block->place = (uint8_t)place;
    block->reserved = true;
    return block;
}

void hop__block_stage(hop__workspace *space, unsigned stage) {
    space->stage = (uint8_t)stage;
}

void hop__block_within(hop__workspace *space, const hop__block *block) {
    space->within = block ? (uint16_t)(block - space->blocks + 1) : 0;
}

/* Without the array of blocks, whose zeroing would take longer than a small search. */
static void begin(hop__workspace *space, hop_context *context, hop__device *device, void *state) {
    space->context = context;
    space->device = device;
    space->state = state;
    space->stage = 0;
    space->within = 0;
    space->count = 0;
}

/* --- what it comes to ------------------------------------------------------------------------ */

static bool is_full(const hop__workspace *space) {
    return space->count > HOP__BLOCKS_MOST;
}

/* How many there are of a block: one, or one for each element of the block that has its slots. */
static uint64_t copies_of(const hop__workspace *space, const hop__block *block) {
    return block->within ? space->blocks[block->within - 1].count : 1;
}

static uint64_t bytes_of(const hop__workspace *space, const hop__block *block) {
    uint64_t bytes = 0;
    if (block->place == HOP__MEMORY_HOST && !block->reserved)
        bytes = hop__block_bytes(block->count, block->size);
    else if (!hop__mul_u64(block->count, block->size, &bytes))
        bytes = UINT64_MAX;
    return hop__mul_u64(bytes, copies_of(space, block), &bytes) ? bytes : UINT64_MAX;
}

static void add(uint64_t *sum, uint64_t bytes) {
    if (!hop__add_u64(*sum, bytes, sum))
        *sum = UINT64_MAX;
}

/* `drawn`: after the run, of the blocks that it took, as large as is sure. */
static hop__need sum_blocks(const hop__workspace *space, bool drawn) {
    uint64_t stages[HOP__MEMORY_PLACES][HOP__STAGES_MOST] = {{0}};
    hop__need need = {{0}, 0};
    for (uint32_t i = 0; i < space->count && i < HOP__BLOCKS_MOST; i++) {
        const hop__block *block = &space->blocks[i];
        uint64_t bytes = bytes_of(space, block);
        if (drawn && block->on_demand && block->taken == 0)
            continue;
        if (block->elastic && (drawn || block->taken > bytes))
            bytes = block->taken;
        add(&stages[block->place][block->stage], bytes);
        if (block->place == HOP__MEMORY_DEVICE && bytes > need.largest)
            need.largest = bytes;
    }
    for (int place = 0; place < HOP__MEMORY_PLACES; place++) {
        for (int stage = 1; stage < HOP__STAGES_MOST; stage++)
            if (stages[place][stage] > need.bytes[place])
                need.bytes[place] = stages[place][stage];
        add(&need.bytes[place], is_full(space) ? UINT64_MAX : stages[place][0]);
    }
    if (space->device && !drawn)
        add(&need.bytes[HOP__MEMORY_HOST],
            OBJECTS * hop__block_bytes(1, OBJECT) + hop__block_bytes(1, TEXT) +
                hop__device_pinned_need(space->device, need.largest));
    return need;
}

hop__need hop__blocks_need(hop__blocks_fn blocks, const void *task, hop__device *device) {
    hop__workspace space;
    begin(&space, NULL, device, NULL);
    if (blocks)
        blocks(task, &space);
    return sum_blocks(&space, false);
}

/* --- in the run ------------------------------------------------------------------------------ */

static char *slot_of(const hop__workspace *space, const hop__block *block, uint64_t copy) {
    char *base = space->state;
    if (block->within) {
        const hop__block *outer = &space->blocks[block->within - 1];
        base = (char *)outer->memory + copy * outer->size;
    }
    return base + block->slot;
}

/* A slot is a T *, which may not be written or read as a void *. */
static void set_slot(char *slot, void *memory) {
    memcpy(slot, &memory, sizeof memory);
}

static hop_status allocate_host(hop__workspace *space, hop__block *block, uint64_t count) {
    hop_status status = HOP_OK;
    for (uint64_t i = 0; i < copies_of(space, block) && status == HOP_OK; i++) {
        void *memory = NULL;
        status = block->zero
                     ? hop__alloc_zero(space->context, block->what, count, block->size, &memory)
                     : hop__alloc(space->context, block->what, count, block->size, &memory);
        set_slot(slot_of(space, block, i), memory);
        if (memory)
            block->memory = memory;
    }
    return status;
}

static hop_status allocate_device(hop__workspace *space, hop__block *block, uint64_t count) {
    hop_status status;
    hop__buffer *buffer = NULL;
    uint64_t bytes;
    if (!hop__mul_u64(count, block->size, &bytes))
        bytes = UINT64_MAX;
    if (block->life)
        HOP_TRY(status, hop__buffer_keep(space->device, block->what, bytes, block->array,
                                         block->life, &buffer));
    else if (block->array)
        HOP_TRY(status, hop__buffer_borrow(space->device, block->what, bytes, block->array,
                                           block->filled, &buffer));
    else
        HOP_TRY(status, hop__buffer_create(space->device, block->what, bytes, &buffer));
    block->memory = buffer;
    if (block->zero)
        HOP_TRY(status, hop__buffer_fill(buffer, 0, bytes, 0));
done:
    set_slot(slot_of(space, block, 0), buffer);
    return status;
}

static hop_status allocate(hop__workspace *space, hop__block *block, uint64_t count) {
    uint64_t bytes;
    if (!hop__mul_u64(count, block->size, &bytes))
        bytes = UINT64_MAX;
    hop_status status = block->place == HOP__MEMORY_DEVICE ? allocate_device(space, block, count)
                                                           : allocate_host(space, block, count);
    if (status == HOP_OK && bytes >= block->taken)
        block->taken = bytes > 0 ? bytes : 1;
    return status;
}

static void release(hop__workspace *space, hop__block *block) {
    if (!block->memory)
        return;
    for (uint64_t i = 0; i < copies_of(space, block); i++) {
        void *memory = block->memory;
        if (block->within)
            memcpy(&memory, slot_of(space, block, i), sizeof memory);
        if (block->place == HOP__MEMORY_DEVICE)
            hop__buffer_free(memory);
        else
            hop__free(memory);
        set_slot(slot_of(space, block, i), NULL);
    }
    block->memory = NULL;
}

static hop_status allocate_stage(hop__workspace *space, unsigned stage) {
    hop_status status = HOP_OK;
    for (uint32_t i = 0; i < space->count && status == HOP_OK; i++) {
        hop__block *block = &space->blocks[i];
        if (block->stage == stage && !block->later && !block->on_demand && !block->reserved &&
            !block->memory)
            status = allocate(space, block, block->count);
    }
    return status;
}

void hop__workspace_clear(hop__workspace *space) {
    begin(space, NULL, NULL, NULL);
}

hop_status hop__workspace_open(hop_context *context, hop__device *device, hop__blocks_fn blocks,
                               const void *task, void *state, hop__workspace *space) {
    begin(space, context, device, state);
    space->list = blocks;
    space->task = task;
    blocks(task, space);
    if (is_full(space)) {
        space->count = 0;
        return hop__fail(context, HOP_ERR_ARGUMENT, "workspace: more than %d blocks",
                         HOP__BLOCKS_MOST);
    }
    if (context->block_record) {
        hop__need listed = sum_blocks(space, false);
        memcpy(context->block_record->listed, listed.bytes, sizeof listed.bytes);
    }
    return allocate_stage(space, 0);
}

void hop__workspace_close(hop__workspace *space, hop_status status) {
    hop__device_settle(space->device, status);
    for (uint32_t i = space->count; i-- > 0;)
        release(space, &space->blocks[i]);
    if (space->context && space->context->block_record) {
        hop__need declared = sum_blocks(space, false), drawn = sum_blocks(space, true);
        hop__block_record *record = space->context->block_record;
        memcpy(record->declared, declared.bytes, sizeof record->declared);
        memcpy(record->drawn, drawn.bytes, sizeof record->drawn);
    }
    space->count = 0;
}

static hop_status fail_count(hop__workspace *space, const hop__block *block, uint64_t count) {
    return hop__fail(space->context, HOP_ERR_ARGUMENT,
                     "%s: %llu elements are taken, but %llu are declared; this is a fault of the "
                     "variant: use another and report it",
                     block ? block->what : "a block", (unsigned long long)count,
                     (unsigned long long)(block ? block->count : 0));
}

/* Elements of the blocks of a stage, as the task knows them now. */
static hop_status list_again(hop__workspace *space, unsigned stage) {
    hop__workspace now;
    begin(&now, NULL, space->device, NULL);
    space->list(space->task, &now);
    for (uint32_t i = 0; i < space->count; i++) {
        hop__block *block = &space->blocks[i];
        const hop__block *known = &now.blocks[i];
        uint64_t before = bytes_of(space, block);
        if (block->stage != stage || block->memory)
            continue;
        if (i >= now.count || known->slot != block->slot || known->stage != stage ||
            (bytes_of(&now, known) > before && !block->elastic))
            return fail_count(space, block, i < now.count ? known->count : 0);
        block->count = known->count;
        block->size = known->size;
    }
    return HOP_OK;
}

hop_status hop__workspace_stage(hop__workspace *space, unsigned stage) {
    for (uint32_t i = space->count; i-- > 0;)
        if (space->blocks[i].stage != 0 && space->blocks[i].stage != stage)
            release(space, &space->blocks[i]);
    hop_status status = list_again(space, stage);
    return status == HOP_OK ? allocate_stage(space, stage) : status;
}

/* The block of a slot in the state; NULL: nobody has listed it. */
static hop__block *find(hop__workspace *space, const void *slot) {
    for (uint32_t i = 0; i < space->count; i++) {
        hop__block *block = &space->blocks[i];
        if (!block->within && !block->reserved && slot_of(space, block, 0) == slot)
            return block;
    }
    return NULL;
}

hop_status hop__workspace_keep(hop__workspace *space, void *slot, uint64_t count, const void *array,
                               hop__life *life) {
    hop__block *block = find(space, slot);
    if (!block || (count > block->count && !block->elastic))
        return fail_count(space, block, count);
    if (block->memory)
        return HOP_OK;
    if (array) {
        block->array = (void *)(uintptr_t)array;
        block->filled = true;
        block->life = life;
    }
    return allocate(space, block, count);
}

hop_status hop__workspace_borrow(hop__workspace *space, void *slot, uint64_t count,
                                 const void *array) {
    return hop__workspace_keep(space, slot, count, array, NULL);
}

hop_status hop__workspace_take(hop__workspace *space, void *slot, uint64_t count) {
    return hop__workspace_borrow(space, slot, count, NULL);
}

void hop__workspace_drop(hop__workspace *space, void *slot) {
    hop__block *block = find(space, slot);
    if (block)
        release(space, block);
}

bool hop__workspace_has_room(const hop__workspace *space, unsigned stage) {
    hop__memory_usage usage = hop__pool_usage(space->context->pool);
    uint64_t before = usage.used, after = 0, freed = 0;
    for (uint32_t i = 0; i < space->count; i++) {
        const hop__block *block = &space->blocks[i];
        if (block->place != HOP__MEMORY_HOST)
            continue;
        if (!block->memory && block->stage == 0)
            add(&before, bytes_of(space, block));
        else if (!block->memory && block->stage == stage)
            add(&after, bytes_of(space, block));
        else if (block->memory && block->stage != 0 && block->stage != stage)
            add(&freed, copies_of(space, block) * hop__block_bytes(block->taken, 1));
    }
    if (before > usage.budget)
        return false;
    add(&after, before - freed);
    return after <= usage.budget;
}
