/* SPDX-License-Identifier: Apache-2.0
 *
 * Inputs drawn by a seed: files, changed at a few places. Unlike libFuzzer's they learn nothing
 * from what the target does, so nothing has to be counted in it, and more are tried. */
#ifndef HOPLITE_FUZZ_DRAW_H
#define HOPLITE_FUZZ_DRAW_H

#include <stddef.h>
#include <stdint.h>

enum { DRAW_MOST = 4096, DRAW_CHANGES = 6 };

typedef struct draw_pool {
    uint8_t **files; /* longer ones are cut to DRAW_MOST */
    size_t *sizes;
    size_t count, room;
} draw_pool;

void draw_add(draw_pool *pool, const uint8_t *bytes, size_t count);
void draw_free(draw_pool *pool);

/* Fills `bytes` with input `number` of `seed`; its size. The pool has a file. */
size_t draw_input(const draw_pool *pool, uint32_t seed, uint64_t number, uint8_t bytes[DRAW_MOST]);

#endif
