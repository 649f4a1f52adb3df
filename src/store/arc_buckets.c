/* SPDX-License-Identifier: Apache-2.0
 * Buckets of arcs in pages; see arc_buckets.h. */
#include "store/arc_buckets.h"

#include <string.h>

#include "core/checked.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "core/sort.h"
#include "core/try.h"

enum {
    SHELF_BITS = 5,
    LEAST_CHAINS = 96 /* entries of a shelf's table, as page_file.c grows it */
};

uint64_t hop__arc_buckets_bytes(uint64_t arcs, size_t arc_bytes, size_t page_bytes, unsigned bits) {
    uint64_t page_arcs = (page_bytes - HOP__PAGE_HEAD) / arc_bytes;
    uint64_t pages = arcs / page_arcs + (UINT64_C(3) << bits);
    return pages * 4 * 5 / 2 + (sizeof(hop__arc_bucket) << bits) +
           ((sizeof(hop__page_file) + LEAST_CHAINS * 4 + 128) << SHELF_BITS);
}

static hop_status open_shelves(hop_context *context, hop__arc_buckets *arcs) {
    unsigned bits = arcs->layout.bucket_bits < SHELF_BITS ? arcs->layout.bucket_bits : SHELF_BITS;
    hop_status status;
    arcs->shelf_bits = arcs->layout.bucket_bits - bits;
    HOP_TRY(status, hop__alloc_zero(context, "build: buckets", UINT64_C(1) << bits,
                                    sizeof *arcs->shelves, &arcs->shelves));
    while (arcs->shelf_count < 1u << bits) {
        HOP_TRY(status, hop__pages_open(context, arcs->scratch, arcs->page_bytes,
                                        &arcs->shelves[arcs->shelf_count]));
        arcs->shelf_count++;
    }
done:
    return status;
}

static hop__page_file *shelf_of(const hop__arc_buckets *arcs, uint64_t bucket) {
    return &arcs->shelves[bucket >> arcs->shelf_bits];
}

/* The first failure of any. */
static hop_status shelves_status(hop_context *context, const hop__arc_buckets *arcs) {
    hop_status status = HOP_OK;
    for (unsigned i = arcs->closed; i < arcs->shelf_count && status == HOP_OK; i++)
        status = hop__pages_status(context, &arcs->shelves[i]);
    return status;
}

hop_status hop__arc_buckets_open(hop_context *context, hop__scratch *scratch, size_t page_bytes,
                                 const hop__partition *layout, hop__arc_buckets *arcs) {
    hop_status status;
    *arcs = (hop__arc_buckets){.scratch = scratch, .page_bytes = page_bytes};
    arcs->layout.bucket_bits = layout->bucket_bits;
    arcs->layout.low_bits = layout->low_bits;
    arcs->layout.target_bits = layout->target_bits;
    arcs->layout.high_bytes = layout->high_bytes;
    arcs->layout.weight_bytes = layout->weight_bytes;
    arcs->page_arcs = (page_bytes - HOP__PAGE_HEAD) / hop__arc_bytes(layout);
    arcs->count = UINT64_C(1) << layout->bucket_bits;
    HOP_TRY(status, hop__alloc_zero(context, "build: buckets", arcs->count, sizeof *arcs->buckets,
                                    &arcs->buckets));
    for (uint64_t i = 0; i < arcs->count; i++)
        arcs->buckets[i].chain = HOP__PAGE_CHAIN_EMPTY;
    HOP_TRY(status, open_shelves(context, arcs));
    HOP_TRY(status, hop__alloc(context, "build: pages", arcs->count,
                               arcs->page_arcs * hop__arc_bytes(layout), &arcs->buffers));
done:
    if (status != HOP_OK)
        hop__arc_buckets_close(arcs);
    return status;
}

void hop__arc_buckets_release(hop__arc_buckets *arcs, uint64_t bucket) {
    for (; arcs->closed < bucket >> arcs->shelf_bits; arcs->closed++)
        hop__pages_close(&arcs->shelves[arcs->closed]);
}

void hop__arc_buckets_close(hop__arc_buckets *arcs) {
    for (unsigned i = arcs->closed; i < arcs->shelf_count; i++)
        hop__pages_close(&arcs->shelves[i]);
    hop__free(arcs->shelves);
    hop__free(arcs->buckets);
    hop__free(arcs->buffers);
    *arcs = (hop__arc_buckets){0};
}

/* ---- adding ---------------------------------------------------------------------------------- */

typedef struct adding {
    hop__arc_buckets *arcs;
    const hop__partition *round;
} adding;

/* Where the arrays of a page with room for `arcs` arcs begin. */
typedef struct page_arrays {
    unsigned char *low, *high, *weights;
} page_arrays;

static page_arrays arrays_of(const hop__partition *layout, unsigned char *page, uint64_t arcs) {
    unsigned char *high = page + arcs * sizeof(uint32_t);
    return (page_arrays){page, high, high + arcs * layout->high_bytes};
}

static void copy_items(unsigned char *to, uint64_t at, const void *from, uint64_t first,
                       uint64_t count, size_t bytes) {
    if (bytes > 0)
        memcpy(to + at * bytes, (const unsigned char *)from + first * bytes, count * bytes);
}

static unsigned char *buffer_of(const hop__arc_buckets *arcs, uint64_t bucket) {
    return arcs->buffers + bucket * arcs->page_arcs * hop__arc_bytes(&arcs->layout);
}

/* Writes the buffer of a bucket. One that is not full is put together first. */
static void write_buffer(hop__arc_buckets *arcs, uint64_t number) {
    hop__arc_bucket *bucket = &arcs->buckets[number];
    const hop__partition *layout = &arcs->layout;
    unsigned char *page = buffer_of(arcs, number);
    page_arrays old = arrays_of(layout, page, arcs->page_arcs);
    page_arrays packed = arrays_of(layout, page, bucket->filled);
    if (bucket->filled < arcs->page_arcs) {
        memmove(packed.high, old.high, bucket->filled * layout->high_bytes);
        memmove(packed.weights, old.weights, bucket->filled * layout->weight_bytes);
    }
    hop__page_write(shelf_of(arcs, number), &bucket->chain, page,
                    bucket->filled * hop__arc_bytes(layout));
    bucket->filled = 0;
}

static void add_range(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    const adding *work = arg;
    hop__arc_buckets *arcs = work->arcs;
    const hop__partition *round = work->round, *layout = &arcs->layout;
    (void)thread;
    for (uint64_t number = begin; number < end; number++) {
        hop__arc_bucket *bucket = &arcs->buckets[number];
        page_arrays page = arrays_of(layout, buffer_of(arcs, number), arcs->page_arcs);
        uint64_t first = round->starts[number], last = round->starts[number + 1];
        bucket->arcs += last - first;
        for (uint64_t part; first < last; first += part) {
            uint64_t room = arcs->page_arcs - bucket->filled;
            part = last - first < room ? last - first : room;
            copy_items(page.low, bucket->filled, round->low, first, part, sizeof(uint32_t));
            copy_items(page.high, bucket->filled, round->high, first, part, layout->high_bytes);
            copy_items(page.weights, bucket->filled, round->weights, first, part,
                       layout->weight_bytes);
            bucket->filled += part;
            if (bucket->filled == arcs->page_arcs)
                write_buffer(arcs, number);
        }
    }
}

hop_status hop__arc_buckets_add(hop_context *context, hop__arc_buckets *arcs,
                                const hop__partition *round) {
    adding work = {arcs, round};
    hop_status status = HOP_OK;
    uint64_t buckets = UINT64_C(1) << arcs->shelf_bits;
    for (unsigned i = 0; i < arcs->shelf_count && status == HOP_OK; i++) {
        /* Each bucket's part may end one page, and fill others. */
        uint64_t more = round->starts[(i + 1) * buckets] - round->starts[i * buckets];
        status = hop__pages_expect(context, &arcs->shelves[i], more / arcs->page_arcs + buckets);
    }
    if (status != HOP_OK)
        return status;
    hop__for(context, arcs->count, arcs->count / 64 + 1, add_range, &work);
    return shelves_status(context, arcs);
}

static void finish_range(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    hop__arc_buckets *arcs = arg;
    (void)thread;
    for (uint64_t number = begin; number < end; number++)
        if (arcs->buckets[number].filled > 0)
            write_buffer(arcs, number);
}

hop_status hop__arc_buckets_finish(hop_context *context, hop__arc_buckets *arcs) {
    hop_status status = HOP_OK;
    for (unsigned i = 0; i < arcs->shelf_count && status == HOP_OK; i++)
        status = hop__pages_expect(context, &arcs->shelves[i], UINT64_C(1) << arcs->shelf_bits);
    if (status != HOP_OK)
        return status;
    hop__for(context, arcs->count, arcs->count / 64 + 1, finish_range, arcs);
    hop__free(arcs->buffers);
    arcs->buffers = NULL;
    return shelves_status(context, arcs);
}

/* ---- taking ---------------------------------------------------------------------------------- */

typedef struct taking {
    hop__arc_buckets *arcs;
    hop__partition *taken;
    uint64_t first;          /* bucket */
    unsigned char **buffers; /* a page for each thread */
} taking;

/* Reads a page of `count` arcs to the slots from `at` on. */
static bool take_page(const hop__arc_buckets *arcs, hop__page_file *shelf, uint32_t page,
                      uint64_t count, unsigned char *buffer, hop__partition *taken, uint64_t at) {
    const hop__partition *layout = &arcs->layout;
    if (!hop__page_read(shelf, page, buffer, count * hop__arc_bytes(layout)))
        return false;
    page_arrays from = arrays_of(layout, buffer, count);
    copy_items((unsigned char *)taken->low, at, from.low, 0, count, sizeof(uint32_t));
    copy_items(taken->high, at, from.high, 0, count, layout->high_bytes);
    copy_items(taken->weights, at, from.weights, 0, count, layout->weight_bytes);
    return true;
}

/* Takes pages from the front of a bucket, `arcs` arcs in all. */
static void take_front(hop__arc_buckets *all, uint64_t number, uint64_t arcs, unsigned char *buffer,
                       hop__partition *taken, uint64_t at) {
    hop__arc_bucket *bucket = &all->buckets[number];
    hop__page_file *shelf = shelf_of(all, number);
    for (uint64_t part; arcs > 0; arcs -= part, at += part) {
        uint32_t page = bucket->chain.first;
        part = arcs < all->page_arcs ? arcs : all->page_arcs;
        if (!take_page(all, shelf, page, part, buffer, taken, at))
            return;
        bucket->chain.first = hop__page_after(shelf, page);
        bucket->arcs -= part;
    }
}

static void take_range(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    const taking *work = arg;
    for (uint64_t i = begin; i < end; i++)
        take_front(work->arcs, work->first + i, work->arcs->buckets[work->first + i].arcs,
                   work->buffers[thread], work->taken, work->taken->starts[i]);
}

/* The arrays of a partition of `arcs` arcs in 2^bits buckets, with the layout of the buckets. */
static hop_status make_partition(hop_context *context, const hop__arc_buckets *arcs, unsigned bits,
                                 uint64_t count, hop__partition *taken) {
    hop_status status;
    *taken = arcs->layout;
    taken->bucket_bits = bits;
    taken->arcs = count;
    HOP_TRY(status, hop__alloc_zero(context, "build: buckets", (UINT64_C(1) << bits) + 1, 8,
                                    &taken->starts));
    HOP_TRY(status, hop__alloc(context, "build: arcs", count, 4, &taken->low));
    HOP_TRY(status, hop__alloc(context, "build: arcs", count, taken->high_bytes, &taken->high));
    HOP_TRY(status,
            hop__alloc(context, "build: weights", count, taken->weight_bytes, &taken->weights));
done:
    return status;
}

hop_status hop__arc_buckets_take(hop_context *context, hop__arc_buckets *arcs, uint64_t first,
                                 uint64_t count, hop__partition *taken) {
    taking work = {arcs, taken, first, NULL};
    unsigned threads = hop__team_limit(context), bits = count > 1 ? hop__bit_width(count - 1) : 0;
    uint64_t sum = 0;
    hop_status status;
    *taken = (hop__partition){0};
    for (uint64_t i = 0; i < count; i++)
        sum += arcs->buckets[first + i].arcs;
    HOP_TRY(status, make_partition(context, arcs, bits, sum, taken));
    for (uint64_t i = 0; i < UINT64_C(1) << bits; i++)
        taken->starts[i + 1] = taken->starts[i] + (i < count ? arcs->buckets[first + i].arcs : 0);
    HOP_TRY(status,
            hop__alloc_zero(context, "build: pages", threads, sizeof *work.buffers, &work.buffers));
    for (unsigned i = 0; i < threads; i++)
        HOP_TRY(status, hop__alloc(context, "build: pages", arcs->page_bytes, 1, &work.buffers[i]));
    hop__for(context, count, 1, take_range, &work);
    HOP_TRY(status, shelves_status(context, arcs));
done:
    for (unsigned i = 0; work.buffers != NULL && i < threads; i++)
        hop__free(work.buffers[i]);
    hop__free(work.buffers);
    if (status != HOP_OK)
        hop__partition_clear(taken);
    return status;
}

hop_status hop__arc_bucket_part(hop_context *context, hop__arc_buckets *arcs, uint64_t number,
                                uint64_t most, hop__partition *taken) {
    const hop__arc_bucket *bucket = &arcs->buckets[number];
    uint64_t pages = most / arcs->page_arcs > 0 ? most / arcs->page_arcs : 1;
    uint64_t count =
        bucket->arcs < pages * arcs->page_arcs ? bucket->arcs : pages * arcs->page_arcs;
    unsigned char *buffer = NULL;
    hop_status status;
    *taken = (hop__partition){0};
    HOP_TRY(status, make_partition(context, arcs, 0, count, taken));
    taken->starts[1] = count;
    HOP_TRY(status, hop__alloc(context, "build: pages", arcs->page_bytes, 1, &buffer));
    take_front(arcs, number, count, buffer, taken, 0);
    HOP_TRY(status, shelves_status(context, arcs));
done:
    hop__free(buffer);
    if (status != HOP_OK)
        hop__partition_clear(taken);
    return status;
}
