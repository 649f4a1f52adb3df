/* SPDX-License-Identifier: Apache-2.0
 * Splitting arcs into buckets; see partition.h. */
#include "graph/partition.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "core/checked.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "core/progress.h"
#include "core/sort.h"
#include "core/try.h"

enum {
    LINE = 16,             /* keys per buffer: one cache line of low words */
    BUCKET_ARCS_BITS = 15, /* about 2^15 arcs per bucket are sorted in the second-level cache */
    PROGRESS_BLOCKS = 64,
    SMALL = 1 << 15 /* fewer edges are not worth a team */
};

/* One edge block, as the source fills it. */
typedef struct block {
    hop_vertex from[HOP__SOURCE_BLOCK], to[HOP__SOURCE_BLOCK];
    uint64_t weights[HOP__SOURCE_BLOCK]; /* of the source's type */
} block;

/* The state of one thread. */
typedef struct lane {
    uint64_t *cursors; /* next slot of each bucket; first the counts */
    uint64_t *starts;  /* first slot of each bucket that is this thread's */
    uint32_t *low_lines;
    unsigned char *high_lines, *weight_lines;
    uint64_t bad_edge; /* first refused edge, or UINT64_MAX */
} lane;

typedef struct job {
    hop_context *context;
    const hop__edge_source *source;
    const hop__partition_shape *shape;
    hop__partition *partition;
    unsigned lanes;
    lane *lane;
} job;

/* Writes one full line of 64 bytes past the caches; `target` is aligned to it. */
static inline void stream_line(void *target, const void *line) {
#ifdef __SSE2__
    for (int i = 0; i < 4; i++)
        _mm_stream_si128((__m128i *)target + i, _mm_loadu_si128((const __m128i *)line + i));
#else
    memcpy(target, line, 64);
#endif
}

static inline __attribute__((always_inline)) void put_line(void *array, unsigned bytes,
                                                           uint64_t first, const void *line) {
    unsigned char *target = (unsigned char *)array + first * bytes;
    if (bytes * LINE >= 64)
        for (unsigned i = 0; i < bytes * LINE; i += 64)
            stream_line(target + i, (const unsigned char *)line + i);
    else
        memcpy(target, line, (size_t)bytes * LINE);
}

/* Writes the slots begin .. end-1 of a buffer whose slot 0 is array element `first`. */
static void put_part(void *array, unsigned bytes, uint64_t first, const void *line, unsigned begin,
                     unsigned end) {
    if (bytes && end > begin)
        memcpy((unsigned char *)array + (first + begin) * bytes,
               (const unsigned char *)line + (size_t)begin * bytes, (size_t)(end - begin) * bytes);
}

/* Empties the buffer of a bucket; `end` slots of it are in use. */
static void flush_part(const hop__partition *partition, lane *own, uint64_t bucket, uint64_t first,
                       unsigned end) {
    uint64_t start = own->starts[bucket];
    unsigned begin = start > first ? (unsigned)(start - first) : 0;
    put_part(partition->low, 4, first, own->low_lines + bucket * LINE, begin, end);
    put_part(partition->high, partition->high_bytes, first,
             own->high_lines + bucket * LINE * partition->high_bytes, begin, end);
    put_part(partition->weights, partition->weight_bytes, first,
             own->weight_lines + bucket * LINE * partition->weight_bytes, begin, end);
}

static inline __attribute__((always_inline)) void flush_line(const hop__partition *partition,
                                                             lane *own, uint64_t bucket,
                                                             uint64_t first, unsigned high_bytes,
                                                             unsigned weight_bytes) {
    if (own->starts[bucket] > first) {
        flush_part(partition, own, bucket, first, LINE);
        return;
    }
    put_line(partition->low, 4, first, own->low_lines + bucket * LINE);
    if (high_bytes)
        put_line(partition->high, high_bytes, first, own->high_lines + bucket * LINE * high_bytes);
    if (weight_bytes)
        put_line(partition->weights, weight_bytes, first,
                 own->weight_lines + bucket * LINE * weight_bytes);
}

static inline __attribute__((always_inline)) void
put_arc(const hop__partition *partition, lane *own, uint64_t source, uint64_t target,
        const void *weight, unsigned high_bytes, unsigned weight_bytes) {
    uint64_t bucket = source >> partition->low_bits;
    uint64_t low_mask = (UINT64_C(1) << partition->low_bits) - 1;
    uint64_t key = (source & low_mask) << partition->target_bits | target;
    uint64_t position = own->cursors[bucket]++;
    uint64_t slot = bucket * LINE + position % LINE;
    own->low_lines[slot] = (uint32_t)key;
    if (high_bytes == 1)
        own->high_lines[slot] = (uint8_t)(key >> 32);
    else if (high_bytes == 2)
        ((uint16_t *)(void *)own->high_lines)[slot] = (uint16_t)(key >> 32);
    else if (high_bytes == 4)
        ((uint32_t *)(void *)own->high_lines)[slot] = (uint32_t)(key >> 32);
    if (weight_bytes)
        memcpy(own->weight_lines + slot * weight_bytes, weight, weight_bytes);
    if (position % LINE == LINE - 1)
        flush_line(partition, own, bucket, position - (LINE - 1), high_bytes, weight_bytes);
}

static inline __attribute__((always_inline)) void scatter_block(const job *work, lane *own,
                                                                const block *edges, uint32_t count,
                                                                unsigned high_bytes,
                                                                unsigned weight_bytes) {
    const hop__partition *partition = work->partition;
    bool both = work->shape->both, drop_loops = work->shape->drop_loops;
    for (uint32_t i = 0; i < count; i++) {
        hop_vertex u = edges->from[i], v = edges->to[i];
        const void *weight = (const unsigned char *)edges->weights + (size_t)i * weight_bytes;
        if (u == v && drop_loops)
            continue;
        put_arc(partition, own, u, v, weight, high_bytes, weight_bytes);
        if (both && u != v)
            put_arc(partition, own, v, u, weight, high_bytes, weight_bytes);
    }
}

/* Chooses the copy of scatter_block that the compiler made for these widths. */
static void scatter_block_any(const job *work, lane *own, const block *edges, uint32_t count) {
    switch (work->partition->high_bytes * 16 + work->partition->weight_bytes) {
    case 0x00:
        scatter_block(work, own, edges, count, 0, 0);
        break;
    case 0x04:
        scatter_block(work, own, edges, count, 0, 4);
        break;
    case 0x08:
        scatter_block(work, own, edges, count, 0, 8);
        break;
    case 0x10:
        scatter_block(work, own, edges, count, 1, 0);
        break;
    case 0x14:
        scatter_block(work, own, edges, count, 1, 4);
        break;
    case 0x18:
        scatter_block(work, own, edges, count, 1, 8);
        break;
    case 0x20:
        scatter_block(work, own, edges, count, 2, 0);
        break;
    case 0x24:
        scatter_block(work, own, edges, count, 2, 4);
        break;
    case 0x28:
        scatter_block(work, own, edges, count, 2, 8);
        break;
    default:
        scatter_block(work, own, edges, count, 4, work->partition->weight_bytes);
    }
}

static bool weight_is_nan(hop_weight_type type, const block *edges, uint32_t i) {
    return (type == HOP_TYPE_FLOAT32 && isnan(((const float *)(const void *)edges->weights)[i])) ||
           (type == HOP_TYPE_FLOAT64 && isnan(((const double *)(const void *)edges->weights)[i]));
}

/* Counts the arcs of a block per bucket; the number of its first bad edge, or `count`. */
static uint32_t count_block(const job *work, lane *own, const block *edges, uint32_t count) {
    const hop__partition_shape *shape = work->shape;
    unsigned low_bits = work->partition->low_bits;
    hop_weight_type type = work->source->weight_type;
    uint64_t from_limit = shape->sources, to_limit = shape->targets;
    if (shape->both)
        to_limit = from_limit;
    for (uint32_t i = 0; i < count; i++) {
        hop_vertex u = edges->from[i], v = edges->to[i];
        if (u >= from_limit || v >= to_limit)
            return i;
        if (u == v && shape->drop_loops)
            continue;
        own->cursors[(uint64_t)u >> low_bits]++;
        if (shape->both && u != v)
            own->cursors[(uint64_t)v >> low_bits]++;
    }
    if (type == HOP_TYPE_FLOAT32 || type == HOP_TYPE_FLOAT64)
        for (uint32_t i = 0; i < count; i++)
            if (weight_is_nan(type, edges, i))
                return i;
    return count;
}

/* One pass of one thread over its share; `scatter` false counts. */
static void pass(const job *work, unsigned thread, bool scatter) {
    lane *own = &work->lane[thread];
    const hop__edge_source *source = work->source;
    block edges;
    uint64_t end = hop__share(source->count, thread + 1, work->lanes);
    uint64_t first = hop__share(source->count, thread, work->lanes), reported = first;
    for (uint32_t count; first < end; first += count) {
        count = end - first < HOP__SOURCE_BLOCK ? (uint32_t)(end - first) : HOP__SOURCE_BLOCK;
        source->fill(source->user, first, count, edges.from, edges.to,
                     source->weight_type == HOP_TYPE_NONE ? NULL : edges.weights);
        if (scatter) {
            scatter_block_any(work, own, &edges, count);
        } else {
            uint32_t good = count_block(work, own, &edges, count);
            if (good < count) {
                own->bad_edge = first + good;
                return;
            }
        }
        if (first - reported >= PROGRESS_BLOCKS * HOP__SOURCE_BLOCK) {
            if (!hop__progress_add(work->context, first - reported))
                return;
            reported = first;
        }
    }
    if (scatter)
        for (uint64_t bucket = 0; bucket >> work->partition->bucket_bits == 0; bucket++) {
            uint64_t position = own->cursors[bucket], first_slot = position - position % LINE;
            if (position > own->starts[bucket])
                flush_part(work->partition, own, bucket, first_slot, (unsigned)(position % LINE));
        }
#ifdef __SSE2__
    _mm_sfence();
#endif
}

/* A team may be smaller than asked for: its members share out the lanes. */
static void count_member(void *arg, unsigned thread, unsigned threads) {
    const job *work = arg;
    for (unsigned i = thread; i < work->lanes; i += threads)
        pass(work, i, false);
}

static void scatter_member(void *arg, unsigned thread, unsigned threads) {
    const job *work = arg;
    for (unsigned i = thread; i < work->lanes; i += threads)
        pass(work, i, true);
}

static void partition_run(job *work, hop__team_fn fn) {
    if (work->lanes == 1)
        fn(work, 0, 1);
    else
        hop__team(work->context, fn, work);
}

void hop__partition_choose(hop__partition *partition, const hop__partition_shape *shape,
                           uint64_t most_arcs) {
    unsigned arc_bits = hop__bit_width(most_arcs);
    unsigned bits = arc_bits > BUCKET_ARCS_BITS ? arc_bits - BUCKET_ARCS_BITS : 0;
    if (bits > shape->most_bucket_bits || shape->exact_bits)
        bits = shape->most_bucket_bits;
    if (bits > shape->source_bits)
        bits = shape->source_bits;
    partition->bucket_bits = bits;
    partition->low_bits = shape->source_bits - bits;
    partition->target_bits = shape->target_bits;
    unsigned key_bits = partition->low_bits + partition->target_bits;
    partition->high_bytes = key_bits <= 32 ? 0 : key_bits <= 40 ? 1 : key_bits <= 48 ? 2 : 4;
}

enum { END_TEXT = sizeof(hop__vertex_text) };

/* An end of an edge as the input has it. Labels need no words: only their own come here. */
static const char *end_text(const job *work, hop_vertex end, char text[END_TEXT]) {
    const hop__names *names = &work->shape->names;
    if (end == HOP__ID_BELOW && names->first_id > 0)
        snprintf(text, END_TEXT, "less than %llu", (unsigned long long)names->first_id);
    else if (end < work->shape->sources)
        snprintf(text, END_TEXT, "%s", hop__names_text(names, end).s);
    else
        snprintf(text, END_TEXT, "%llu%s", (unsigned long long)names->first_id + end,
                 end == HOP__ID_ABOVE ? " or more" : "");
    return text;
}

static hop_status refuse(const job *work, uint64_t edge) {
    const hop__edge_source *source = work->source;
    char from[END_TEXT], to[END_TEXT];
    block edges;
    source->fill(source->user, edge, 1, edges.from, edges.to,
                 source->weight_type == HOP_TYPE_NONE ? NULL : edges.weights);
    edge += work->shape->first_edge;
    end_text(work, edges.from[0], from);
    end_text(work, edges.to[0], to);
    unsigned long long first = work->shape->names.first_id, count = work->shape->sources;
    if (edges.from[0] < work->shape->sources && edges.to[0] < work->shape->targets)
        hop__fail(work->context, HOP_ERR_INPUT,
                  "%s %llu (%s to %s): its weight is not a number (NaN)", work->shape->what,
                  (unsigned long long)edge, from, to);
    else if (first > 0 && count > 0)
        hop__fail(work->context, HOP_ERR_INPUT,
                  "%s %llu: from %s to %s, but ids go from %llu to %llu", work->shape->what,
                  (unsigned long long)edge, from, to, first, first + count - 1);
    else
        hop__fail(work->context, HOP_ERR_INPUT,
                  "%s %llu: from %s to %s, but ids must be below the %llu vertices",
                  work->shape->what, (unsigned long long)edge, from, to, count);
    return hop__note_arc(work->context, HOP_KIND_DATA, HOP_UNKNOWN, edge);
}

/* Turns the counts of all lanes into first slots: bucket by bucket, lane by lane within it. */
static uint64_t assign_slots(const job *work) {
    uint64_t position = 0, buckets = UINT64_C(1) << work->partition->bucket_bits;
    for (uint64_t bucket = 0; bucket < buckets; bucket++) {
        work->partition->starts[bucket] = position;
        for (unsigned i = 0; i < work->lanes; i++) {
            lane *own = &work->lane[i];
            uint64_t count = own->cursors[bucket];
            own->cursors[bucket] = own->starts[bucket] = position;
            position += count;
        }
    }
    work->partition->starts[buckets] = position;
    return position;
}

static hop_status make_lanes(job *work) {
    hop_status status;
    hop_context *context = work->context;
    const hop__partition *partition = work->partition;
    uint64_t buckets = UINT64_C(1) << partition->bucket_bits;
    HOP_TRY(status,
            hop__alloc_zero(context, "build: threads", work->lanes, sizeof(lane), &work->lane));
    for (unsigned i = 0; i < work->lanes; i++) {
        lane *own = &work->lane[i];
        own->bad_edge = UINT64_MAX;
        HOP_TRY(status, hop__alloc_zero(context, "build: counts", buckets, 8, &own->cursors));
        HOP_TRY(status, hop__alloc(context, "build: counts", buckets, 8, &own->starts));
        HOP_TRY(status, hop__alloc(context, "build: buffers", buckets * LINE, 4, &own->low_lines));
        HOP_TRY(status, hop__alloc(context, "build: buffers", buckets * LINE, partition->high_bytes,
                                   &own->high_lines));
        HOP_TRY(status, hop__alloc(context, "build: buffers", buckets * LINE,
                                   partition->weight_bytes, &own->weight_lines));
    }
done:
    return status;
}

static void free_lanes(job *work) {
    for (unsigned i = 0; work->lane && i < work->lanes; i++) {
        hop__free(work->lane[i].cursors);
        hop__free(work->lane[i].starts);
        hop__free(work->lane[i].low_lines);
        hop__free(work->lane[i].high_lines);
        hop__free(work->lane[i].weight_lines);
    }
    hop__free(work->lane);
}

static bool begin_phase(const job *work, const char *phase) {
    if (work->shape->of_phase)
        return false;
    hop__progress_begin(work->context, phase, work->source->count);
    return true;
}

static hop_status count_arcs(job *work) {
    bool alone = begin_phase(work, "build: count");
    partition_run(work, count_member);
    hop_status status = hop__progress_leave(work->context, alone);
    for (unsigned i = 0; status == HOP_OK && i < work->lanes; i++)
        if (work->lane[i].bad_edge != UINT64_MAX)
            status = refuse(work, work->lane[i].bad_edge);
    return status;
}

static hop_status scatter_arcs(job *work) {
    hop_status status;
    hop__partition *partition = work->partition;
    uint64_t arcs = partition->arcs = assign_slots(work);
    HOP_TRY(status, hop__alloc(work->context, "build: arcs", arcs, 4, &partition->low));
    HOP_TRY(status, hop__alloc(work->context, "build: arcs", arcs, partition->high_bytes,
                               &partition->high));
    HOP_TRY(status, hop__alloc(work->context, "build: weights", arcs, partition->weight_bytes,
                               &partition->weights));
    bool alone = begin_phase(work, "build: partition");
    partition_run(work, scatter_member);
    HOP_TRY(status, hop__progress_leave(work->context, alone));
done:
    return status;
}

hop_status hop__partition_make(hop_context *context, const hop__edge_source *source,
                               const hop__partition_shape *shape, hop__partition *partition) {
    hop_status status;
    job work = {context, source, shape, partition, 1, NULL};
    memset(partition, 0, sizeof *partition);
    partition->weight_bytes = (unsigned)hop_type_size(source->weight_type);
    hop__partition_choose(partition, shape, shape->both ? 2 * source->count : source->count);
    if (source->count >= SMALL)
        work.lanes = hop__team_limit(context);
    HOP_TRY(status, hop__alloc(context, "build: buckets",
                               (UINT64_C(1) << partition->bucket_bits) + 1, 8, &partition->starts));
    HOP_TRY(status, make_lanes(&work));
    HOP_TRY(status, count_arcs(&work));
    HOP_TRY(status, scatter_arcs(&work));
done:
    free_lanes(&work);
    if (status != HOP_OK)
        hop__partition_clear(partition);
    return status;
}

void hop__partition_clear(hop__partition *partition) {
    hop__free(partition->starts);
    hop__free(partition->low);
    hop__free(partition->high);
    hop__free(partition->weights);
    memset(partition, 0, sizeof *partition);
}

void hop__bucket_fill(const void *user, uint64_t first, uint32_t count, hop_vertex *from,
                      hop_vertex *to, void *weights) {
    const hop__bucket_source *bucket = user;
    const hop__partition *partition = bucket->partition;
    uint64_t mask = (UINT64_C(1) << partition->target_bits) - 1;
    first += bucket->start;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t key = hop__partition_key(partition, first + i, partition->high_bytes);
        from[i] = (hop_vertex)(key >> partition->target_bits);
        to[i] = (hop_vertex)(key & mask);
    }
    if (weights)
        memcpy(weights, (const unsigned char *)partition->weights + first * partition->weight_bytes,
               (size_t)count * partition->weight_bytes);
}
