/* SPDX-License-Identifier: Apache-2.0
 *
 * Radix sort from the lowest digit up.
 *
 * A pass is stable, so that after the pass over the last digit the keys are in order. In a pass
 * each member of the team counts the digits of its share; from all counts it finds where its
 * first key of each digit goes (after those of lower digits, and those of the same digit that
 * belong to members before it); then it moves its keys there. A pass in which all keys have the
 * same digit is left out. The result does not depend on the number of threads.
 *
 * Cost: per pass, 2 reads and 1 write of each key, 1 and 1 of each payload; (bits / 8) passes.
 * Scratch: as much as the input, and 4 KiB per thread. */
#include "core/sort.h"

#include <string.h>

#include "core/memory.h"
#include "core/parallel.h"
#include "core/try.h"

enum { DIGIT_BITS = 8, BUCKETS = 1 << DIGIT_BITS };
/* Up to here, insertion is quicker than passes, and needs no scratch. */
enum { INSERTION_COUNT = 48 };
/* Below this many elements per thread, waking the thread costs more than it saves. */
enum { GRAIN = 1 << 14 };

static unsigned team_for(const hop_context *context, uint64_t count) {
    unsigned limit = hop__team_limit(context);
    uint64_t useful = count / GRAIN + 1;
    return useful < limit ? (unsigned)useful : limit;
}

/* Where the first key of each digit goes that belongs to member `thread`; false when all keys have
 * the same digit. */
static bool find_starts(const uint64_t *histograms, unsigned thread, unsigned threads,
                        uint64_t count, uint64_t starts[BUCKETS]) {
    uint64_t next = 0;
    for (unsigned digit = 0; digit < BUCKETS; digit++) {
        uint64_t here = 0;
        for (unsigned t = 0; t < threads; t++) {
            if (t == thread)
                starts[digit] = next + here;
            here += histograms[(size_t)t * BUCKETS + digit];
        }
        if (here == count)
            return false;
        next += here;
    }
    return true;
}

#define SORT(name) name##_u32
#define SORT_KEY   uint32_t
#include "core/sort_template.h"
#undef SORT
#undef SORT_KEY

#define SORT(name) name##_u64
#define SORT_KEY   uint64_t
#include "core/sort_template.h"
#undef SORT

#define SORT(name)   name##_u64_u32
#define SORT_PAYLOAD uint32_t
#include "core/sort_template.h"
#undef SORT
#undef SORT_KEY
#undef SORT_PAYLOAD

hop_status hop__sort_u32(hop_context *context, uint32_t *keys, uint64_t count, unsigned bits) {
    return run_u32(context, (arrays_u32){keys}, count, bits);
}

hop_status hop__sort_u64(hop_context *context, uint64_t *keys, uint64_t count, unsigned bits) {
    return run_u64(context, (arrays_u64){keys}, count, bits);
}

hop_status hop__sort_u64_u32(hop_context *context, uint64_t *keys, uint32_t *payload,
                             uint64_t count, unsigned bits) {
    return run_u64_u32(context, (arrays_u64_u32){keys, payload}, count, bits);
}
