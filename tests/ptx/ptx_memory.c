/* SPDX-License-Identifier: Apache-2.0
 *
 * The machine: its memory, random numbers and message. Blocks of memory are kept by address; the
 * one that was found last is looked at first. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptx/ptx_internal.h"

enum { ALIGNMENT = 256, RUBBISH = 0xa5 };

ptx_machine *ptx_machine_create(const ptx_options *options) {
    ptx_machine *machine = calloc(1, sizeof *machine);
    if (machine == NULL)
        return NULL;
    machine->options = *options;
    machine->random = options->seed * 0x9e3779b97f4a7c15ull + 88172645463325252ull;
    return machine;
}

void ptx_machine_free(ptx_machine *machine) {
    if (machine == NULL)
        return;
    for (size_t i = 0; i < machine->block_count; i++) {
        free((void *)(uintptr_t)(machine->blocks[i].at - PTX_GLOBAL_WINDOW));
        ptx_count_release(machine->blocks[i].counts);
    }
    free(machine->blocks);
    free(machine);
}

const char *ptx_message(const ptx_machine *machine) {
    return machine->message;
}

ptx_error ptx_fail(ptx_machine *machine, ptx_error error, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(machine->message, sizeof machine->message, format, arguments);
    va_end(arguments);
    machine->error = error;
    return error;
}

uint32_t ptx_random(ptx_machine *machine) {
    machine->random ^= machine->random << 13;
    machine->random ^= machine->random >> 7;
    machine->random ^= machine->random << 17;
    return (uint32_t)(machine->random >> 20);
}

/* --- blocks ---------------------------------------------------------------------------------- */

/* How many blocks begin at or before the address. */
static size_t blocks_before(const ptx_machine *machine, uint64_t address) {
    size_t low = 0, high = machine->block_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (machine->blocks[middle].at <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool inside(const ptx_block *block, uint64_t address, size_t bytes) {
    return address >= block->at && bytes <= block->bytes &&
           address - block->at <= block->bytes - bytes;
}

const ptx_block *ptx_block_of(ptx_machine *machine, uint64_t address, size_t bytes) {
    if (inside(&machine->recent, address, bytes))
        return &machine->recent;
    size_t before = blocks_before(machine, address);
    if (before == 0 || !inside(&machine->blocks[before - 1], address, bytes))
        return NULL;
    machine->recent = machine->blocks[before - 1];
    return &machine->recent;
}

uint64_t ptx_allocate(ptx_machine *machine, size_t bytes) {
    void *memory = NULL;
    if (bytes == 0 || posix_memalign(&memory, ALIGNMENT, bytes) != 0)
        return 0;
    memset(memory, RUBBISH, bytes);
    if (machine->block_count == machine->block_capacity) {
        machine->block_capacity = machine->block_capacity == 0 ? 64 : 2 * machine->block_capacity;
        machine->blocks =
            realloc(machine->blocks, machine->block_capacity * sizeof *machine->blocks);
        if (machine->blocks == NULL)
            abort();
    }
    uint64_t address = (uint64_t)(uintptr_t)memory + PTX_GLOBAL_WINDOW;
    size_t at = blocks_before(machine, address);
    memmove(machine->blocks + at + 1, machine->blocks + at,
            (machine->block_count - at) * sizeof *machine->blocks);
    machine->blocks[at] =
        (ptx_block){address, bytes, machine->options.count ? ptx_count_block() : NULL};
    machine->block_count++;
    return address;
}

bool ptx_release(ptx_machine *machine, uint64_t address) {
    size_t before = blocks_before(machine, address);
    if (before == 0 || machine->blocks[before - 1].at != address)
        return false;
    free((void *)(uintptr_t)(address - PTX_GLOBAL_WINDOW));
    ptx_count_release(machine->blocks[before - 1].counts);
    machine->block_count--;
    memmove(machine->blocks + before - 1, machine->blocks + before,
            (machine->block_count - (before - 1)) * sizeof *machine->blocks);
    machine->recent = (ptx_block){0};
    return true;
}

void *ptx_host(const ptx_machine *machine, uint64_t address, size_t bytes) {
    size_t before = blocks_before(machine, address);
    if (machine->options.integrated && PTX_WINDOW(address) == 0 && address != 0)
        return (void *)(uintptr_t)address;
    if (before == 0 || !inside(&machine->blocks[before - 1], address, bytes))
        return NULL;
    return (void *)(uintptr_t)(address - PTX_GLOBAL_WINDOW);
}

size_t ptx_allocated(const ptx_machine *machine, size_t *bytes) {
    *bytes = 0;
    for (size_t i = 0; i < machine->block_count; i++)
        *bytes += machine->blocks[i].bytes;
    return machine->block_count;
}
