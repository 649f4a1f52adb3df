/* SPDX-License-Identifier: Apache-2.0
 *
 * Sorting on disk; see arc_rows.h.
 *
 * A level is a set of buckets. In a level by source the key of an arc is (source's low bits,
 * target), as everywhere. In a level by target all arcs are those of one row, the "sources" of the
 * partition are the targets, and there is nothing else to the key. */
#include "store/arc_rows.h"

#include <string.h>

#include "core/atomic.h"
#include "core/checked.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "core/progress.h"
#include "core/sort.h"
#include "core/try.h"
#include "graph/weight.h"

static const char phase[] = "build on disk: sort";

typedef struct level {
    hop__arc_buckets *arcs;
    uint64_t base;  /* the first vertex of bucket 0, or the first target */
    bool by_target; /* the arcs are those of vertex `row` */
    uint64_t row;
} level;

uint64_t hop__arc_rows_bytes(const hop_context *context, const hop__partition *layout,
                             uint64_t arcs) {
    uint64_t team = hop__team_limit(context), arc = hop__arc_bytes(layout);
    uint64_t pair = 16 + layout->weight_bytes; /* of a thread's scratch */
    uint64_t rest = team * (UINT64_C(4096) + 256) + (UINT64_C(64) << 10);
    if (arcs <= HOP__BUCKET_LIMIT)
        return arcs * (arc + team * pair) + rest;
    unsigned bits = hop__bit_width(arcs) - 15 < 12 ? hop__bit_width(arcs) - 15 : 12;
    uint64_t lanes = team * (UINT64_C(1) << bits) * (24 + 16 * arc);
    return arcs * (2 * arc + 4 + layout->weight_bytes) + lanes +
           team * (uint64_t)HOP__BUCKET_LIMIT * pair + rest;
}

static hop_status report(hop_context *context, const hop__arc_rows *work) {
    hop_status status = hop__progress_end(context);
    hop__progress_resume(context, phase, work->total, work->done);
    return status;
}

static void add_degree(const hop__rows *rows, uint64_t vertex, uint64_t more) {
    if (rows->degree_bytes == 4)
        ((uint32_t *)rows->degrees)[vertex] += (uint32_t)more;
    else
        ((uint64_t *)rows->degrees)[vertex] += more;
}

/* ---- what fits ------------------------------------------------------------------------------- */

static hop_status hand_over(hop_context *context, hop__arc_rows *work, const hop__partition *taken,
                            uint64_t kept) {
    if (work->rows.overflow != UINT64_MAX)
        return hop__build_overflowed(context, work->build, work->names, work->rows.overflow);
    return work->take(context, work->user, taken->low, taken->weights, kept);
}

/* Buckets of several rows. */
static hop_status sort_sources(hop_context *context, hop__arc_rows *work, const level *at,
                               uint64_t first, hop__partition *taken) {
    uint64_t kept, base = at->base + (first << taken->low_bits);
    hop_status status =
        hop__rows_sort(context, &work->rows, taken, base, taken->low, taken->weights, &kept);
    return status == HOP_OK ? hand_over(context, work, taken, kept) : status;
}

/* How many of the sorted targets are `vertex`. */
static uint64_t count_loops(const uint32_t *targets, uint64_t count, uint64_t vertex) {
    uint64_t low = 0, high = count, loops = 0;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (targets[middle] < vertex)
            low = middle + 1;
        else
            high = middle;
    }
    while (low + loops < count && targets[low + loops] == vertex)
        loops++;
    return loops;
}

/* Buckets of targets of one row: each is sorted as if it were a row of its own. */
static hop_status sort_targets(hop_context *context, hop__arc_rows *work, const level *at,
                               uint64_t first, hop__partition *taken) {
    hop__rows pieces = {
        work->rows.duplicates, work->rows.weight_type, NULL, 8, 0, UINT64_MAX, true};
    unsigned bits = taken->low_bits;
    uint64_t *degrees = NULL, kept, next = 0, count = UINT64_C(1) << taken->bucket_bits;
    hop_status status;
    HOP_TRY(status, hop__alloc_zero(context, "build: row", count, 8, &degrees));
    pieces.degrees = degrees;
    taken->low_bits = 0;
    taken->target_bits = bits;
    HOP_TRY(status, hop__rows_sort(context, &pieces, taken, 0, taken->low, taken->weights, &kept));
    for (uint64_t i = 0; i < count; i++) {
        uint32_t offset = (uint32_t)(at->base + ((first + i) << bits));
        for (uint64_t end = next + degrees[i]; next < end; next++)
            taken->low[next] += offset;
    }
    uint64_t arc = pieces.overflow;
    if (arc != UINT64_MAX)
        hop__lower_u64(&work->rows.overflow,
                       at->row << 32 |
                           (at->base + ((first + (arc >> 32)) << bits) + (uint32_t)arc));
    add_degree(&work->rows, at->row, kept);
    atomic_fetch_add(&work->rows.loops, count_loops(taken->low, kept, at->row));
    HOP_TRY(status, hand_over(context, work, taken, kept));
done:
    hop__free(degrees);
    return status;
}

static hop_status sort_group(hop_context *context, hop__arc_rows *work, const level *at,
                             uint64_t first, uint64_t count) {
    hop__partition taken;
    hop_status status;
    HOP_TRY(status, hop__arc_buckets_take(context, at->arcs, first, count, &taken));
    uint64_t arcs = taken.arcs;
    HOP_TRY(status, at->by_target ? sort_targets(context, work, at, first, &taken)
                                  : sort_sources(context, work, at, first, &taken));
    work->done += arcs;
    HOP_TRY(status, report(context, work));
done:
    hop__partition_clear(&taken);
    return status;
}

/* ---- what does not --------------------------------------------------------------------------- */

/* The next arcs of one arc that was given many times, merged into the first; false: the sum has
 * left its type. */
static bool fold(const hop__arc_rows *work, hop__partition *taken, void *sum, bool begun) {
    size_t bytes = taken->weight_bytes;
    for (uint64_t i = 0; bytes > 0 && i < taken->arcs; i++) {
        if (!begun && i == 0)
            memcpy(sum, taken->weights, bytes);
        else if (!hop__weight_merge(work->rows.weight_type, work->rows.duplicates, sum, 0,
                                    taken->weights, i))
            return false;
    }
    return true;
}

/* A bucket that is one arc, as often as it was given. */
static hop_status merge_arc(hop_context *context, hop__arc_rows *work, const level *at,
                            uint64_t bucket) {
    hop__arc_bucket *own = &at->arcs->buckets[bucket];
    hop_vertex target = (hop_vertex)(at->base + bucket);
    uint64_t sum[1] = {0}, all = own->arcs, kept = 1;
    bool keep = work->rows.duplicates == HOP_DUPLICATES_KEEP, begun = false;
    hop__partition taken = {0};
    hop_status status = HOP_OK;
    for (; own->arcs > 0; begun = true) {
        HOP_TRY(status, hop__arc_bucket_part(context, at->arcs, bucket, work->round, &taken));
        if (keep) {
            for (uint64_t i = 0; i < taken.arcs; i++)
                taken.low[i] = target;
            HOP_TRY(status, work->take(context, work->user, taken.low, taken.weights, taken.arcs));
        } else if (!fold(work, &taken, sum, begun)) {
            HOP_TRY(status, hop__build_overflowed(context, work->build, work->names,
                                                  at->row << 32 | target));
        }
        work->done += taken.arcs;
        hop__partition_clear(&taken);
        HOP_TRY(status, report(context, work));
    }
    if (keep)
        kept = all;
    else
        HOP_TRY(status, work->take(context, work->user, &target, sum, 1));
    add_degree(&work->rows, at->row, kept);
    if (target == at->row)
        atomic_fetch_add(&work->rows.loops, kept);
done:
    hop__partition_clear(&taken);
    return status;
}

/* One round of splitting: some arcs of the bucket go to the finer buckets, which are made when the
 * first come. */
static hop_status split_round(hop_context *context, hop__arc_rows *work, const level *at,
                              uint64_t bucket, const hop__partition_shape *shape,
                              hop__arc_buckets *finer) {
    hop__partition taken = {0}, parted = {0};
    hop_status status;
    HOP_TRY(status, hop__arc_bucket_part(context, at->arcs, bucket, work->round, &taken));
    if (shape->target_bits == 0) /* the target is all there is to the key */
        taken.target_bits = 0;
    hop__bucket_source user = {&taken, 0};
    hop__edge_source source = {taken.arcs, work->rows.weight_type, hop__bucket_fill, &user, NULL};
    HOP_TRY(status, hop__partition_make(context, &source, shape, &parted));
    if (finer->buckets == NULL)
        HOP_TRY(status, hop__arc_buckets_open(context, at->arcs->scratch, at->arcs->page_bytes,
                                              &parted, finer));
    HOP_TRY(status, hop__arc_buckets_add(context, finer, &parted));
    HOP_TRY(status, report(context, work));
done:
    hop__partition_clear(&taken);
    hop__partition_clear(&parted);
    return status;
}

static hop_status emit_level(hop_context *context, hop__arc_rows *work, const level *at);

/* A bucket that does not fit: split by what is left of its key. */
static hop_status split_bucket(hop_context *context, hop__arc_rows *work, const level *at,
                               uint64_t bucket) {
    const hop__partition *layout = &at->arcs->layout;
    hop__arc_buckets finer = {0};
    level below = {&finer, at->base + (bucket << layout->low_bits), at->by_target, at->row};
    unsigned source_bits = layout->low_bits, target_bits = layout->target_bits;
    hop_status status = HOP_OK;
    if (source_bits == 0 && at->by_target)
        return merge_arc(context, work, at, bucket);
    if (source_bits == 0) {
        below = (level){&finer, 0, true, at->base + bucket};
        source_bits = target_bits;
        target_bits = 0;
    }
    hop__partition_shape shape = {
        .source_bits = source_bits,
        .target_bits = target_bits,
        .sources = UINT64_C(1) << source_bits,
        .targets = UINT64_C(1) << target_bits,
        .most_bucket_bits = work->split_bits < source_bits ? work->split_bits : source_bits,
        .what = "build",
        .exact_bits = true,
        .of_phase = true};
    while (at->arcs->buckets[bucket].arcs > 0)
        HOP_TRY(status, split_round(context, work, at, bucket, &shape, &finer));
    HOP_TRY(status, hop__arc_buckets_finish(context, &finer));
    HOP_TRY(status, emit_level(context, work, &below));
done:
    hop__arc_buckets_close(&finer);
    return status;
}

/* ---- levels ---------------------------------------------------------------------------------- */

static hop_status emit_level(hop_context *context, hop__arc_rows *work, const level *at) {
    hop__arc_buckets *arcs = at->arcs;
    uint64_t most = work->capacity, first = 0;
    hop_status status = HOP_OK;
    /* A single arc needs no sorting, and rows.h does not expect keys of no bits. */
    if (at->by_target && arcs->layout.low_bits == 0 && most > HOP__BUCKET_LIMIT)
        most = HOP__BUCKET_LIMIT;
    while (first < arcs->count) {
        uint64_t count = 0, sum = 0;
        while (first + count < arcs->count && arcs->buckets[first + count].arcs <= most - sum)
            sum += arcs->buckets[first + count++].arcs;
        if (count == 0) {
            HOP_TRY(status, split_bucket(context, work, at, first));
            count = 1;
        } else if (sum > 0) {
            HOP_TRY(status, sort_group(context, work, at, first, count));
        }
        first += count;
        hop__arc_buckets_release(arcs, first);
    }
done:
    return status;
}

hop_status hop__arc_rows_run(hop_context *context, hop__arc_rows *work, hop__arc_buckets *arcs) {
    level top = {arcs, 0, false, 0};
    hop__progress_begin(context, phase, work->total);
    hop_status status = emit_level(context, work, &top);
    hop_status ended = hop__progress_end(context);
    return status == HOP_OK ? ended : status;
}
