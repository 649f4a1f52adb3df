/* SPDX-License-Identifier: Apache-2.0
 *
 * The greatest of many values: see greatest.h. `places` is a heap of the best so far, the worst of
 * them at its root. In the end the roots, which come worst first, fill the array from its end. */
#include "greatest.h"

#include <stdbool.h>

typedef struct heap {
    const void *user;
    greatest_value value;
    uint64_t *places;
    size_t count;
} heap;

static bool is_worse(const heap *best, uint64_t a, uint64_t b) {
    double left = best->value(best->user, a), right = best->value(best->user, b);
    return left < right || (left == right && a > b);
}

/* Puts a place where the root was. */
static void sink(heap *best, uint64_t place) {
    size_t at = 0;
    for (size_t child = 1; child < best->count; child = 2 * at + 1) {
        if (child + 1 < best->count && is_worse(best, best->places[child + 1], best->places[child]))
            child++;
        if (!is_worse(best, best->places[child], place))
            break;
        best->places[at] = best->places[child];
        at = child;
    }
    best->places[at] = place;
}

static void rise(heap *best, uint64_t place) {
    size_t at = best->count++;
    for (; at > 0 && is_worse(best, place, best->places[(at - 1) / 2]); at = (at - 1) / 2)
        best->places[at] = best->places[(at - 1) / 2];
    best->places[at] = place;
}

size_t greatest_find(const void *user, greatest_value value, uint64_t count, size_t most,
                     uint64_t *places) {
    heap best = {user, value, places, 0};
    for (uint64_t place = 0; place < count; place++)
        if (best.count < most)
            rise(&best, place);
        else if (is_worse(&best, places[0], place))
            sink(&best, place);
    size_t found = best.count;
    while (best.count > 1) {
        uint64_t worst = places[0], last = places[--best.count];
        sink(&best, last);
        places[best.count] = worst;
    }
    return found;
}
