/* SPDX-License-Identifier: Apache-2.0
 *
 * Litmus tests of the context's device: what litmus_program.cl does, in launches of a bounded size,
 * and what the outcomes of its trials mean. An outcome is two bits; two of the four come about when
 * one item runs before the other, one only when both run at the same time, and one is forbidden. */
#include <stdio.h>
#include <string.h>

#include "core/memory.h"
#include "kernels/device_litmus.h"
#include "kernels/launching.h"

/* Trials of an item are neighbours, so a reader has often looked at their line before. y lies
 * behind x of all trials, not at a multiple of a power of two. Where few items run at a time, it
 * takes a while until the second core begins: more groups, which wait for longer. */
enum { GROUP = 64, PAIRS_FEW = 8, PAIRS_LEAST = 2, PAIRS_MOST = 64 };
enum { LOOKS_FEW = 4096, LOOKS = 64, BETWEEN = 544, LAUNCHES = 2, OUTCOMES = 4 };

typedef struct litmus_pattern {
    const char *name;
    uint32_t forbidden, met; /* outcomes */
    bool fenced;             /* it is allowed without fences */
} litmus_pattern;

/* In the order of litmus_program.cl. */
static const litmus_pattern patterns[] = {
    {"message passing", 2, 1, true},
    {"store buffering", 0, 3, true},
    {"load buffering", 3, 0, true},
    {"coherence", 2, 1, false},
    {"message passing by atomics", 2, 1, true},
    {"store buffering by atomics", 0, 3, true},
};
enum { PATTERNS = sizeof patterns / sizeof patterns[0] };

typedef struct litmus_work {
    hop__device *device;
    hop__program *program;
    uint32_t pairs, rounds, trials; /* of a launch */
    uint32_t looks;
    uint32_t *seen; /* 2 * trials */
    hop__buffer *words, *outcomes, *turns;
} litmus_work;

extern const hop__program_source hop__program_litmus;

static uint64_t word_count(const litmus_work *work) {
    return 2 * (uint64_t)work->trials + BETWEEN;
}

static uint64_t turn_count(const litmus_work *work) {
    return 2 * (uint64_t)work->pairs * GROUP;
}

static uint64_t bytes_of(litmus_work *work) {
    work->trials = work->pairs * GROUP * work->rounds;
    return (word_count(work) + 2 * (uint64_t)work->trials + turn_count(work)) * sizeof *work->seen;
}

/* Two groups for each compute unit, as far as there is memory for their trials. */
static void choose_size(litmus_work *work, uint32_t rounds) {
    uint64_t most = hop__device_left(work->device) / 2;
    const hop_device_info *info = hop__device_info(work->device);
    uint32_t units = info->compute_units;
    const bool few = (info->capabilities & HOP_DEVICE_FEW) != 0;
    const uint32_t least = few ? PAIRS_FEW : PAIRS_LEAST;
    work->looks = few ? LOOKS_FEW : LOOKS;
    work->pairs = units < least ? least : units > PAIRS_MOST ? PAIRS_MOST : units;
    work->rounds = rounds;
    while (bytes_of(work) > most && (work->pairs > least || work->rounds > 1))
        if (work->pairs > least)
            work->pairs--;
        else
            work->rounds--;
}

static hop_status open_work(litmus_work *work, int planted) {
    hop_status status;
    hop__device *device = work->device;
    const hop__define defines[] = {{"WG", GROUP}, {"LITMUS_PLANTED", planted}};
    const uint64_t size = sizeof *work->seen, seen = 2 * (uint64_t)work->trials;
    HOP_TRY(status, hop__program_get(device, &hop__program_litmus, defines, HOP_LENGTH(defines),
                                     &work->program));
    HOP_TRY(status, hop__alloc(hop__device_context(device), "litmus", seen, size, &work->seen));
    HOP_TRY(status,
            hop__buffer_create(device, "litmus: words", word_count(work) * size, &work->words));
    HOP_TRY(status, hop__buffer_create(device, "litmus: outcomes", seen * size, &work->outcomes));
    HOP_TRY(status,
            hop__buffer_create(device, "litmus: turns", turn_count(work) * size, &work->turns));
done:
    return status;
}

static void close_work(litmus_work *work, hop_status status) {
    hop__device_settle(work->device, status);
    hop__buffer_free(work->words);
    hop__buffer_free(work->outcomes);
    hop__buffer_free(work->turns);
    hop__free(work->seen);
}

/* Adds the outcomes of a launch. Partners are next to each other, or half of the groups apart: how
 * a driver gives out groups decides which of them run at the same time. */
static hop_status launch(litmus_work *work, size_t index, bool fenced, uint32_t number,
                         uint64_t counts[OUTCOMES]) {
    hop_status status;
    hop__argument arguments[] = {hop__arg_buffer(work->words),
                                 hop__arg_buffer(work->outcomes),
                                 hop__arg_buffer(work->turns),
                                 hop__arg_u32((uint32_t)index),
                                 hop__arg_u32(fenced),
                                 hop__arg_u32(work->rounds),
                                 hop__arg_u32(work->looks),
                                 hop__arg_u32(number % 2 == 0 ? 1 : work->pairs),
                                 hop__arg_u32(work->trials + BETWEEN)};
    hop__shape shape = hop__shape_of(2 * work->pairs, GROUP);
    HOP_TRY(status, hop__buffer_fill(work->words, 0, hop__buffer_bytes(work->words), 0));
    HOP_TRY(status, hop__buffer_fill(work->turns, 0, hop__buffer_bytes(work->turns), 0));
    HOP_TRY(status,
            hop__launch_named(work->program, "litmus", shape, arguments, HOP_LENGTH(arguments)));
    HOP_TRY(status,
            hop__buffer_read_now(work->outcomes, 0, hop__buffer_bytes(work->outcomes), work->seen));
    for (uint32_t i = 0; i < work->trials; i++)
        counts[(work->seen[i] | work->seen[work->trials + i]) % OUTCOMES]++;
done:
    return status;
}

static hop_status judge(hop__device *device, const litmus_pattern *pattern,
                        const hop_device_litmus *found) {
    hop_context *context = hop__device_context(device);
    const char *name = hop__device_info(device)->name;
    if (found->forbidden == 0)
        return HOP_OK;
    hop__fail(context, HOP_ERR_DEVICE,
              "device %s has a memory without order: %s: %llu of %llu trials between two "
              "work-groups ended in a way that %s forbids",
              name, pattern->name, (unsigned long long)found->forbidden,
              (unsigned long long)found->trials,
              pattern->fenced ? "a fence in each" : "a single word");
    hop__note_name(context, HOP_KIND_DEVICE, name);
    return hop__remedy(context, HOP_REMEDY_USE_HOST, "use another or the host");
}

hop_status hop__device_litmus(hop__device *device, size_t index, uint32_t rounds, int planted,
                              hop_device_litmus *result) {
    hop_status status;
    const litmus_pattern *pattern = &patterns[index];
    const hop_device_info *info = hop__device_info(device);
    litmus_work work = {.device = device};
    uint64_t counts[OUTCOMES] = {0}, bare[OUTCOMES] = {0};
    result->name = pattern->name;
    result->fenced = pattern->fenced;
    if (pattern->fenced && (info->capabilities & HOP_DEVICE_FENCE) == 0) {
        snprintf(result->reason, sizeof result->reason, "%s has no fences among work-groups",
                 info->name);
        return HOP_OK;
    }
    choose_size(&work, rounds);
    HOP_TRY(status, open_work(&work, planted));
    for (uint32_t i = 0; i < LAUNCHES; i++) {
        HOP_TRY(status, launch(&work, index, pattern->fenced, i, counts));
        if (pattern->fenced)
            HOP_TRY(status, launch(&work, index, false, i, bare));
    }
    result->trials = (uint64_t)LAUNCHES * work.trials;
    result->met = counts[pattern->met];
    result->forbidden = counts[pattern->forbidden];
    result->weak = bare[pattern->forbidden];
    status = judge(device, pattern, result);
done:
    close_work(&work, status);
    return status;
}

size_t hop_device_litmus_count(void) {
    return PATTERNS;
}

hop_status hop_device_litmus_try(hop_context *context, size_t index, hop_device_litmus *result) {
    if (context == NULL)
        return HOP_ERR_ARGUMENT;
    if (result == NULL || result->size < sizeof result->size || result->size > 1 << 16)
        return hop__fail(context, HOP_ERR_ARGUMENT,
                         "device litmus: set its size to sizeof(hop_device_litmus)");
    if (index >= PATTERNS)
        return hop__fail(context, HOP_ERR_ARGUMENT, "device litmus: there is no pattern %zu of %d",
                         index, PATTERNS);
    hop_status status;
    hop__device *device = NULL;
    hop_device_litmus found = {.size = result->size};
    HOP_TRY(status, hop__device_of(context, &device));
    status = hop__device_litmus(device, index, HOP__LITMUS_ROUNDS, HOP__LITMUS_SOUND, &found);
    memcpy(result, &found, result->size < sizeof found ? result->size : sizeof found);
done:
    return status;
}
