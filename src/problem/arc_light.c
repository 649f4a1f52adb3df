/* SPDX-License-Identifier: Apache-2.0
 * Light arcs in memory; see arc_light.h. */
#include "problem/arc_light.h"

#include <math.h>
#include <string.h>

#include "core/atomic.h"
#include "core/bitmap.h"

enum { LINE = 64, GUARD_BITS = 46 };

/* The next so many bytes of the memory. */
static void *take(unsigned char **at, uint64_t bytes) {
    void *here = *at;
    *at += (bytes + LINE - 1) / LINE * LINE;
    return here;
}

/* What is neither arcs nor guards. */
static uint64_t fixed_bytes(const hop_graph *graph, unsigned threads) {
    uint64_t n = graph->vertices;
    return 5 * n + hop__bitmap_words(n) * 8 + hop__bitmap_words(hop__arc_blocks(graph)) * 8 +
           threads * (uint64_t)HOP__LIGHT_RING * sizeof(uint32_t) + 9 * LINE;
}

static uint64_t room_beside(const hop_graph *graph, uint64_t fixed, uint64_t bytes) {
    uint64_t room = bytes > fixed ? (bytes - fixed) / (4 + hop_type_size(graph->weight_type)) : 0;
    return room < UINT32_MAX ? room : UINT32_MAX;
}

/* Guards are there if as many light arcs as vertices are beside them: fewer say too little. */
static uint64_t guard_bytes(const hop_graph *graph, unsigned threads, uint64_t bytes) {
    uint64_t guards = graph->vertices * (uint64_t)sizeof(uint16_t);
    bool integers = graph->weight_type == HOP_TYPE_INT32 || graph->weight_type == HOP_TYPE_INT64;
    uint64_t room = room_beside(graph, fixed_bytes(graph, threads) + guards, bytes);
    return integers && room >= graph->vertices ? guards : 0;
}

uint64_t hop__light_room(const hop_graph *graph, unsigned threads, uint64_t bytes) {
    uint64_t guards = guard_bytes(graph, threads, bytes);
    return room_beside(graph, fixed_bytes(graph, threads) + guards, bytes);
}

void hop__light_begin(hop__light *light, const hop_graph *graph, unsigned threads, void *memory,
                      uint64_t bytes, double most, double far) {
    unsigned char *at = memory;
    uint64_t n = graph->vertices, bits = hop__bitmap_words(n) * 8,
             blocks = hop__bitmap_words(hop__arc_blocks(graph)) * 8;
    *light = (hop__light){.room = hop__light_room(graph, threads, bytes),
                          .weight_bytes = hop_type_size(graph->weight_type),
                          .type = graph->weight_type,
                          .most = most};
    light->queued = take(&at, bits);
    light->kept = take(&at, blocks);
    light->weights = take(&at, light->room * light->weight_bytes);
    light->targets = take(&at, light->room * sizeof *light->targets);
    light->place = take(&at, n * sizeof *light->place);
    light->rings = take(&at, threads * (uint64_t)HOP__LIGHT_RING * sizeof *light->rings);
    light->count = take(&at, n);
    uint64_t guards = guard_bytes(graph, threads, bytes);
    if (guards > 0) {
        light->guards = take(&at, guards);
        memset(light->guards, 0xff, guards);
        while (light->guard_shift < GUARD_BITS && ldexp(far, -(int)light->guard_shift) > 0x1p16)
            light->guard_shift++;
    }
    memset(light->queued, 0, bits);
    memset(light->kept, 0, blocks);
    memset(light->count, 0, n);
}

/* The places of the light arcs of a row, in the block; how many. */
static unsigned find_light(const hop__light *light, const hop__arc_block *block, uint64_t begin,
                           uint64_t end, uint16_t places[HOP__LIGHT_ROW]) {
    unsigned count = 0;
    for (uint64_t i = begin - block->begin; i < end - block->begin; i++)
        if (count < HOP__LIGHT_ROW &&
            hop__weight_as_double(light->type, block->weights, i) <= light->most)
            places[count++] = (uint16_t)i;
    return count;
}

static void keep_row(hop__light *light, const hop__arc_block *block, uint64_t v,
                     const uint16_t *places, unsigned count) {
    uint64_t first = __atomic_fetch_add(&light->used, count, __ATOMIC_RELAXED);
    if (first + count > light->room)
        return;
    for (unsigned i = 0; i < count; i++) {
        light->targets[first + i] = block->targets[places[i]];
        memcpy(light->weights + (first + i) * light->weight_bytes,
               (const unsigned char *)block->weights + places[i] * light->weight_bytes,
               light->weight_bytes);
    }
    light->place[v] = (uint32_t)first;
    __atomic_store_n(&light->count[v], (uint8_t)count, __ATOMIC_RELEASE);
}

void hop__light_keep(hop__light *light, const hop_graph *graph, const hop__arc_block *block) {
    uint16_t places[HOP__LIGHT_ROW];
    if (__atomic_load_n(&light->used, __ATOMIC_RELAXED) >= light->room ||
        !hop__bitmap_claim(light->kept, block->number))
        return;
    for (hop__walk row = hop__walk_first(graph, block); row.begin < block->end;
         hop__walk_next(graph, block, &row)) {
        if (hop__any_begin(graph, row.vertex) < block->begin)
            continue;
        unsigned count = find_light(light, block, row.begin, row.end, places);
        if (count > 0)
            keep_row(light, block, row.vertex, places, count);
    }
}
