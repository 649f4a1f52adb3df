/* SPDX-License-Identifier: Apache-2.0
 * See the header. An input is a function of the pool, the seed and its number. */
#include "draw.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/rng.h"

typedef struct drawing {
    const draw_pool *pool;
    hop__kiss rng;
    uint8_t *bytes;
    size_t count;
} drawing;

static size_t below(drawing *in, size_t bound) {
    return bound > 0 ? hop__kiss_below(&in->rng, (uint32_t)bound) : 0;
}

/* ---- the pool -------------------------------------------------------------------------------- */

void draw_add(draw_pool *pool, const uint8_t *bytes, size_t count) {
    if (pool->count == pool->room) {
        pool->room = 2 * pool->room + 64;
        pool->files = realloc(pool->files, pool->room * sizeof *pool->files);
        pool->sizes = realloc(pool->sizes, pool->room * sizeof *pool->sizes);
    }
    count = count < DRAW_MOST ? count : DRAW_MOST;
    uint8_t *copy = malloc(count + 1);
    if (pool->files == NULL || pool->sizes == NULL || copy == NULL)
        abort();
    memcpy(copy, bytes, count);
    pool->files[pool->count] = copy;
    pool->sizes[pool->count++] = count;
}

void draw_free(draw_pool *pool) {
    for (size_t i = 0; i < pool->count; i++)
        free(pool->files[i]);
    free(pool->files);
    free(pool->sizes);
}

/* ---- changes --------------------------------------------------------------------------------- */

static void flip_bit(drawing *in) {
    if (in->count > 0)
        in->bytes[below(in, in->count)] ^= (uint8_t)(1u << below(in, 8));
}

/* One that means something to some reader, or any. */
static void set_byte(drawing *in) {
    static const uint8_t known[] = "\0\xff\x7f\x80\n\r\t ,;|\"'#%-+.0189eE()[]{}:<>=aNn";
    size_t which = below(in, 2 * (sizeof known - 1));
    if (in->count > 0)
        in->bytes[below(in, in->count)] =
            which < sizeof known - 1 ? known[which] : (uint8_t)below(in, 256);
}

static void erase_run(drawing *in) {
    size_t at = below(in, in->count), length = below(in, in->count - at);
    length = below(in, 2) ? length : length % 8;
    memmove(in->bytes + at, in->bytes + at + length, in->count - at - length);
    in->count -= length;
}

/* Puts `length` bytes in front of those at `at`; what does not fit is lost. */
static void insert(drawing *in, size_t at, const uint8_t *bytes, size_t length) {
    if (length > DRAW_MOST - in->count)
        length = DRAW_MOST - in->count;
    memmove(in->bytes + at + length, in->bytes + at, in->count - at);
    memcpy(in->bytes + at, bytes, length);
    in->count += length;
}

/* A part of some file, this one or another, put in or over what is there. */
static void copy_run(drawing *in) {
    uint8_t copy[DRAW_MOST];
    const size_t which = below(in, 2 * in->pool->count);
    const bool own = which >= in->pool->count;
    const uint8_t *from = own ? in->bytes : in->pool->files[which];
    const size_t size = own ? in->count : in->pool->sizes[which];
    const size_t begin = below(in, size), at = below(in, in->count + 1);
    size_t length = below(in, size - begin + 1);
    if (below(in, 2))
        length %= 32;
    memcpy(copy, from + begin, length);
    if (below(in, 2)) {
        insert(in, at, copy, length);
    } else {
        length = length < in->count - at ? length : in->count - at;
        memcpy(in->bytes + at, copy, length);
    }
}

static void cut_off(drawing *in) {
    in->count -= below(in, in->count);
}

static uint64_t interesting(drawing *in) {
    const uint64_t known[] = {
        0,         1,         2,          3,         in->count,  UINT64_C(1) << below(in, 64),
        UINT8_MAX, INT16_MAX, UINT16_MAX, INT32_MAX, UINT32_MAX, INT64_MAX,
        UINT64_MAX};
    uint64_t value = known[below(in, sizeof known / sizeof *known)];
    return value + below(in, 3) - 1;
}

/* A little-endian integer, or a small step of the one that is there. */
static void put_integer(drawing *in) {
    const size_t width = (size_t)1 << below(in, 4);
    if (in->count < width)
        return;
    size_t at = below(in, in->count - width + 1);
    if (below(in, 2))
        at -= at % width;
    uint64_t value = 0;
    memcpy(&value, in->bytes + at, width);
    value = below(in, 2) ? interesting(in) : value + below(in, 17) - 8;
    memcpy(in->bytes + at, &value, width);
}

/* Another number in decimal for one that is there. */
static void change_decimal(drawing *in) {
    char text[32];
    size_t at = below(in, in->count), end;
    while (at < in->count && !isdigit(in->bytes[at]))
        at++;
    for (end = at; end < in->count && isdigit(in->bytes[end]);)
        end++;
    if (at == in->count)
        return;
    const char *form = below(in, 4) ? "%llu" : below(in, 2) ? "-%llu" : "%llu.5e-3";
    int length = snprintf(text, sizeof text, form,
                          (unsigned long long)(below(in, 2) ? interesting(in) : below(in, 40)));
    memmove(in->bytes + at, in->bytes + end, in->count - end);
    in->count -= end - at;
    insert(in, at, (const uint8_t *)text, (size_t)length);
}

typedef void change(drawing *in);
static change *const changes[] = {flip_bit,    set_byte,       set_byte,      erase_run,
                                  copy_run,    copy_run,       cut_off,       put_integer,
                                  put_integer, change_decimal, change_decimal};

size_t draw_input(const draw_pool *pool, uint32_t seed, uint64_t number, uint8_t bytes[DRAW_MOST]) {
    drawing in = {.pool = pool, .bytes = bytes};
    uint32_t words[4]; /* seeds that hop__kiss_seed makes of neighbours are alike */
    hop__philox4x32(seed, number, 0, words);
    in.rng = (hop__kiss){words[0], words[1] | 1, words[2], words[3] >> 2};
    const size_t file = below(&in, pool->count);
    in.count = pool->sizes[file];
    memcpy(bytes, pool->files[file], in.count);
    for (size_t left = 1 + below(&in, DRAW_CHANGES); left > 0; left--)
        changes[below(&in, sizeof changes / sizeof *changes)](&in);
    return in.count;
}
