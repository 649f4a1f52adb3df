/* SPDX-License-Identifier: Apache-2.0
 *
 * Sorting the rows of a graph; see rows.h.
 *
 * Keys are sorted least digit first, which is stable, so equal keys stay in the order of the
 * input. Keys of up to 32 bits are sorted as they stand in the partition, wider ones as 64-bit
 * words that are put together first. Weights move with their keys.
 *
 * Cost: about three passes over a bucket in the second-level cache. Memory: per thread, twice the
 * largest bucket up to HOP__BUCKET_LIMIT arcs; once more a bucket beyond that. */
#include "graph/rows.h"

#include <string.h>

#include "core/atomic.h"
#include "core/checked.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "core/progress.h"
#include "core/sort.h"
#include "core/try.h"
#include "graph/weight.h"

enum {
    DIGIT_BITS = 8,
    DIGITS = 1 << DIGIT_BITS,
    MOST_PASSES = 8,
    SMALL = 1 << 14, /* arcs that are not worth a team */
    INSERTION = 20   /* up to here insertion sort is faster */
};

/* Scratch of one thread: two key buffers and two weight buffers. */
typedef struct scratch {
    uint64_t capacity; /* keys */
    void *keys[2];
    void *weights[2];
} scratch;

typedef struct job {
    hop_context *context;
    hop__rows *rows;
    const hop__partition *partition;
    uint64_t base;
    uint32_t *targets;
    void *weights;
    uint64_t *kept; /* per bucket */
    uint64_t limit;
    scratch *scratch; /* per thread */
} job;

/* Keys and weights that are being sorted: from one pair of buffers to the other and back. */
typedef struct run {
    void *keys, *spare_keys;
    void *weights, *spare_weights;
    uint64_t count;
} run;

static inline uint64_t key_at(const void *keys, uint64_t i, bool wide) {
    return wide ? ((const uint64_t *)keys)[i] : ((const uint32_t *)keys)[i];
}

static inline void key_put(void *keys, uint64_t i, uint64_t key, bool wide) {
    if (wide)
        ((uint64_t *)keys)[i] = key;
    else
        ((uint32_t *)keys)[i] = (uint32_t)key;
}

static inline void weight_copy(void *to, uint64_t i, const void *from, uint64_t j, unsigned bytes) {
    if (bytes == 4)
        memcpy((unsigned char *)to + i * 4, (const unsigned char *)from + j * 4, 4);
    else if (bytes == 8)
        memcpy((unsigned char *)to + i * 8, (const unsigned char *)from + j * 8, 8);
}

static inline __attribute__((always_inline)) void insertion_sort(run *r, bool wide,
                                                                 unsigned weight_bytes) {
    for (uint64_t i = 1; i < r->count; i++) {
        uint64_t key = key_at(r->keys, i, wide), weight[1], j = i;
        weight_copy(weight, 0, r->weights, i, weight_bytes);
        for (; j > 0 && key_at(r->keys, j - 1, wide) > key; j--) {
            key_put(r->keys, j, key_at(r->keys, j - 1, wide), wide);
            weight_copy(r->weights, j, r->weights, j - 1, weight_bytes);
        }
        key_put(r->keys, j, key, wide);
        weight_copy(r->weights, j, weight, 0, weight_bytes);
    }
}

static inline __attribute__((always_inline)) void radix_pass(run *r, uint64_t *next, unsigned shift,
                                                             bool wide, unsigned weight_bytes) {
    for (uint64_t i = 0; i < r->count; i++) {
        uint64_t key = key_at(r->keys, i, wide);
        uint64_t to = next[key >> shift & (DIGITS - 1)]++;
        key_put(r->spare_keys, to, key, wide);
        weight_copy(r->spare_weights, to, r->weights, i, weight_bytes);
    }
    void *swap = r->keys;
    r->keys = r->spare_keys;
    r->spare_keys = swap;
    swap = r->weights;
    r->weights = r->spare_weights;
    r->spare_weights = swap;
}

static inline __attribute__((always_inline)) void radix_sort(run *r, unsigned key_bits, bool wide,
                                                             unsigned weight_bytes) {
    uint64_t counts[MOST_PASSES][DIGITS];
    unsigned passes = (key_bits + DIGIT_BITS - 1) / DIGIT_BITS;
    memset(counts, 0, passes * sizeof counts[0]);
    for (uint64_t i = 0; i < r->count; i++) {
        uint64_t key = key_at(r->keys, i, wide);
        for (unsigned p = 0; p < passes; p++)
            counts[p][key >> (p * DIGIT_BITS) & (DIGITS - 1)]++;
    }
    for (unsigned p = 0; p < passes; p++) {
        uint64_t first = key_at(r->keys, 0, wide) >> (p * DIGIT_BITS) & (DIGITS - 1), sum = 0;
        if (counts[p][first] == r->count)
            continue; /* one digit for all: nothing moves */
        for (unsigned d = 0; d < DIGITS; d++) {
            uint64_t count = counts[p][d];
            counts[p][d] = sum;
            sum += count;
        }
        radix_pass(r, counts[p], p * DIGIT_BITS, wide, weight_bytes);
    }
}

static void degree_set(const hop__rows *rows, uint64_t vertex, uint64_t degree) {
    if (rows->degree_bytes == 4)
        ((uint32_t *)rows->degrees)[vertex] = (uint32_t)degree;
    else
        ((uint64_t *)rows->degrees)[vertex] = degree;
}

/* Writes the sorted keys of a run as rows from slot `start` on; how many arcs stay. */
static inline __attribute__((always_inline)) uint64_t emit(const job *work, const run *r,
                                                           uint64_t start, uint64_t first_vertex,
                                                           bool wide, unsigned weight_bytes) {
    hop__rows *rows = work->rows;
    unsigned target_bits = work->partition->target_bits;
    uint64_t mask = (UINT64_C(1) << target_bits) - 1, last = UINT64_MAX, loops = 0;
    uint64_t out = start, row = UINT64_MAX, row_start = start;
    bool merge = rows->duplicates != HOP_DUPLICATES_KEEP;
    for (uint64_t i = 0; i < r->count; i++) {
        uint64_t key = key_at(r->keys, i, wide), vertex = key >> target_bits;
        if (key == last && merge) {
            if (weight_bytes && !hop__weight_merge(rows->weight_type, rows->duplicates,
                                                   work->weights, out - 1, r->weights, i))
                hop__lower_u64(&rows->overflow, (first_vertex + vertex) << 32 | (key & mask));
            continue;
        }
        if (vertex != row) {
            if (row != UINT64_MAX)
                degree_set(rows, first_vertex + row, out - row_start);
            row = vertex;
            row_start = out;
        }
        work->targets[out] = (uint32_t)(key & mask);
        weight_copy(work->weights, out, r->weights, i, weight_bytes);
        loops += (key & mask) == first_vertex + vertex;
        out++;
        last = key;
    }
    if (row != UINT64_MAX)
        degree_set(rows, first_vertex + row, out - row_start);
    if (loops)
        atomic_fetch_add(&rows->loops, loops);
    return out - start;
}

static inline __attribute__((always_inline)) uint64_t sort_run(const job *work, run *r,
                                                               uint64_t start,
                                                               uint64_t first_vertex, bool wide,
                                                               unsigned weight_bytes) {
    const hop__partition *partition = work->partition;
    if (r->count <= INSERTION)
        insertion_sort(r, wide, weight_bytes);
    else
        radix_sort(r, partition->low_bits + partition->target_bits, wide, weight_bytes);
    return emit(work, r, start, first_vertex, wide, weight_bytes);
}

/* Sorts one bucket with the given scratch; how many arcs stay. */
static uint64_t sort_bucket(const job *work, uint64_t bucket, scratch *own) {
    const hop__partition *partition = work->partition;
    uint64_t start = partition->starts[bucket];
    uint64_t first_vertex = work->base + (bucket << partition->low_bits);
    unsigned weight_bytes = partition->weight_bytes;
    bool wide = partition->high_bytes > 0;
    run r = {partition->low + start, own->keys[0],
             weight_bytes ? (unsigned char *)partition->weights + start * weight_bytes : NULL,
             own->weights[0], partition->starts[bucket + 1] - start};
    if (r.count == 0)
        return 0;
    if (wide) {
        r.keys = own->keys[1];
        for (uint64_t i = 0; i < r.count; i++)
            ((uint64_t *)r.keys)[i] =
                hop__partition_key(partition, start + i, partition->high_bytes);
    }
    switch (weight_bytes + wide) {
    case 0:
        return sort_run(work, &r, start, first_vertex, false, 0);
    case 1:
        return sort_run(work, &r, start, first_vertex, true, 0);
    case 4:
        return sort_run(work, &r, start, first_vertex, false, 4);
    case 5:
        return sort_run(work, &r, start, first_vertex, true, 4);
    case 8:
        return sort_run(work, &r, start, first_vertex, false, 8);
    default:
        return sort_run(work, &r, start, first_vertex, true, 8);
    }
}

static hop_status scratch_make(const job *work, uint64_t capacity, scratch *own) {
    hop_status status;
    hop_context *context = work->context;
    bool wide = work->partition->high_bytes > 0;
    own->capacity = capacity;
    HOP_TRY(status, hop__alloc(context, "build: sort", capacity, wide ? 8 : 4, &own->keys[0]));
    HOP_TRY(status, hop__alloc(context, "build: sort", wide ? capacity : 0, 8, &own->keys[1]));
    HOP_TRY(status, hop__alloc(context, "build: sort", capacity, work->partition->weight_bytes,
                               &own->weights[0]));
done:
    return status;
}

static void scratch_free(scratch *own) {
    hop__free(own->keys[0]);
    hop__free(own->keys[1]);
    hop__free(own->weights[0]);
}

static void sort_range(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    const job *work = arg;
    const uint64_t *starts = work->partition->starts;
    for (uint64_t bucket = begin; bucket < end; bucket++) {
        uint64_t count = starts[bucket + 1] - starts[bucket];
        if (!hop__progress_add(work->context, count <= work->limit ? count : 0))
            return; /* before the work: a piece may be one bucket, and all pieces are handed out */
        if (count <= work->limit)
            work->kept[bucket] = sort_bucket(work, bucket, &work->scratch[thread]);
    }
}

/* A large bucket of several rows: partitioned again by all threads. */
static hop_status split_bucket(const job *work, uint64_t bucket) {
    hop_status status;
    const hop__partition *partition = work->partition;
    uint64_t start = partition->starts[bucket];
    hop__bucket_source user = {partition, start};
    hop__edge_source source = {partition->starts[bucket + 1] - start, work->rows->weight_type,
                               hop__bucket_fill, &user};
    hop__partition_shape shape = {partition->low_bits,
                                  partition->target_bits,
                                  UINT64_C(1) << partition->low_bits,
                                  UINT64_C(1) << partition->target_bits,
                                  false,
                                  false,
                                  12,
                                  "build",
                                  {NULL, 0},
                                  .of_phase = work->rows->of_phase};
    hop__partition finer;
    void *weights =
        work->weights ? (unsigned char *)work->weights + start * partition->weight_bytes : NULL;
    HOP_TRY(status, hop__partition_make(work->context, &source, &shape, &finer));
    HOP_TRY(status, hop__rows_sort(work->context, work->rows, &finer,
                                   work->base + (bucket << partition->low_bits),
                                   work->targets + start, weights, &work->kept[bucket]));
done:
    hop__partition_clear(&finer);
    return status;
}

/* A large bucket that is one row: sorted with scratch of its size, with weights by one thread. */
static hop_status sort_giant(const job *work, uint64_t bucket) {
    const hop__partition *partition = work->partition;
    uint64_t start = partition->starts[bucket], count = partition->starts[bucket + 1] - start;
    if (partition->weight_bytes == 0 && partition->high_bytes == 0) {
        run r = {.keys = partition->low + start, .count = count};
        hop_status sorted = hop__sort_u32(work->context, r.keys, count,
                                          partition->low_bits + partition->target_bits);
        if (sorted == HOP_OK)
            work->kept[bucket] = emit(work, &r, start, work->base + bucket, false, 0);
        return sorted;
    }
    scratch own = {0, {NULL, NULL}, {NULL, NULL}};
    hop_status status = scratch_make(work, count, &own);
    if (status == HOP_OK)
        work->kept[bucket] = sort_bucket(work, bucket, &own);
    scratch_free(&own);
    return status;
}

/* Closes the gaps that merged duplicates have left between buckets. */
static uint64_t close_gaps(const job *work) {
    const hop__partition *partition = work->partition;
    uint64_t out = 0, buckets = UINT64_C(1) << partition->bucket_bits;
    size_t bytes = partition->weight_bytes;
    for (uint64_t bucket = 0; bucket < buckets; bucket++) {
        uint64_t start = partition->starts[bucket], kept = work->kept[bucket];
        if (start != out) {
            memmove(work->targets + out, work->targets + start, kept * 4);
            if (bytes)
                memmove((unsigned char *)work->weights + out * bytes,
                        (unsigned char *)work->weights + start * bytes, kept * bytes);
        }
        out += kept;
    }
    return out;
}

static uint64_t largest_bucket(const hop__partition *partition, uint64_t limit) {
    uint64_t largest = 0, buckets = UINT64_C(1) << partition->bucket_bits;
    for (uint64_t bucket = 0; bucket < buckets; bucket++) {
        uint64_t count = partition->starts[bucket + 1] - partition->starts[bucket];
        if (count <= limit && count > largest)
            largest = count;
    }
    return largest;
}

static hop_status sort_small(job *work, unsigned threads) {
    hop_status status;
    const hop__partition *partition = work->partition;
    uint64_t buckets = UINT64_C(1) << partition->bucket_bits;
    uint64_t largest = largest_bucket(partition, work->limit);
    HOP_TRY(status, hop__alloc_zero(work->context, "build: sort", threads, sizeof *work->scratch,
                                    &work->scratch));
    for (unsigned i = 0; i < threads; i++)
        HOP_TRY(status, scratch_make(work, largest, &work->scratch[i]));
    bool alone = !work->rows->of_phase;
    if (alone)
        hop__progress_begin(work->context, "build: sort", partition->arcs);
    /* A piece is worth handing out from some thousand arcs on. */
    hop__for(work->context, buckets, partition->arcs < SMALL ? buckets : 1, sort_range, work);
    HOP_TRY(status, hop__progress_leave(work->context, alone));
done:
    for (unsigned i = 0; work->scratch && i < threads; i++)
        scratch_free(&work->scratch[i]);
    hop__free(work->scratch);
    work->scratch = NULL;
    return status;
}

static hop_status sort_large(const job *work) {
    const hop__partition *partition = work->partition;
    uint64_t buckets = UINT64_C(1) << partition->bucket_bits;
    hop_status status = HOP_OK;
    for (uint64_t bucket = 0; bucket < buckets && status == HOP_OK; bucket++)
        if (partition->starts[bucket + 1] - partition->starts[bucket] > work->limit)
            status =
                partition->low_bits > 0 ? split_bucket(work, bucket) : sort_giant(work, bucket);
    return status;
}

hop_status hop__rows_sort(hop_context *context, hop__rows *rows, hop__partition *partition,
                          uint64_t base, uint32_t *targets, void *weights, uint64_t *kept) {
    hop_status status;
    job work = {context, rows, partition, base, targets, weights, NULL, HOP__BUCKET_LIMIT, NULL};
    HOP_TRY(status, hop__alloc_zero(context, "build: sort", UINT64_C(1) << partition->bucket_bits,
                                    8, &work.kept));
    HOP_TRY(status, sort_small(&work, hop__team_limit(context)));
    HOP_TRY(status, sort_large(&work));
    *kept = close_gaps(&work);
done:
    hop__free(work.kept);
    return status;
}
