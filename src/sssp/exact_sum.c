/* SPDX-License-Identifier: Apache-2.0
 * Exact sums: measuring the scale, long numbers, rounding. See exact_sum.h. */
#include "sssp/exact_sum.h"

#include <float.h>
#include <limits.h>
#include <math.h>

#include "core/parallel.h"
#include "core/sort.h"

enum { GRAIN = 1 << 16 };

typedef struct measure_job {
    const hop_graph *graph;
    atomic_int lowest;  /* of any weight's set bits */
    atomic_int highest; /* all weights are below 2^highest in size */
} measure_job;

static void lower_least(atomic_int *least, int value) {
    int known = atomic_load_explicit(least, memory_order_relaxed);
    while (value < known && !atomic_compare_exchange_weak(least, &known, value))
        ;
}

static void raise_most(atomic_int *most, int value) {
    int known = atomic_load_explicit(most, memory_order_relaxed);
    while (value > known && !atomic_compare_exchange_weak(most, &known, value))
        ;
}

static void measure_range(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    measure_job *job = arg;
    bool narrow = job->graph->weight_type == HOP_TYPE_FLOAT32;
    int low = INT_MAX, high = INT_MIN;
    (void)thread;
    for (uint64_t i = begin; i < end; i++) {
        double weight = narrow ? (double)((const float *)job->graph->weights)[i]
                               : ((const double *)job->graph->weights)[i];
        if (weight == 0 || isinf(weight))
            continue;
        int exponent;
        int64_t mantissa = hop__exact_split(weight, &exponent);
        uint64_t size = (uint64_t)(mantissa < 0 ? -mantissa : mantissa);
        int bottom = exponent + __builtin_ctzll(size);
        int top = exponent + (int)hop__bit_width(size);
        low = bottom < low ? bottom : low;
        high = top > high ? top : high;
    }
    lower_least(&job->lowest, low);
    raise_most(&job->highest, high);
}

hop__exact hop__exact_measure(hop_context *context, const hop_graph *graph, uint64_t addends) {
    measure_job job = {.graph = graph};
    atomic_init(&job.lowest, INT_MAX);
    atomic_init(&job.highest, INT_MIN);
    hop__exact scale = {0, 2};
    if (graph->weight_type != HOP_TYPE_FLOAT32 && graph->weight_type != HOP_TYPE_FLOAT64)
        return scale; /* 64 bits of weight and 32 of addends fit */
    hop__for(context, graph->arcs, GRAIN, measure_range, &job);
    int lowest = atomic_load(&job.lowest), highest = atomic_load(&job.highest);
    if (lowest > highest)
        return scale; /* no weight but 0 and infinity */
    /* One bit for the sign, and one so that the largest number is no sum. */
    unsigned bits = (unsigned)(highest - lowest) + hop__bit_width(addends) + 2;
    scale.lowest = lowest;
    scale.words = bits <= 128 ? 2 : (bits + 63) / 64;
    return scale;
}

void hop__exact_add_long(unsigned words, const uint64_t *number, hop__exact_term term,
                         uint64_t *result) {
    uint64_t sign = term.mantissa < 0 ? UINT64_MAX : 0;
    unsigned first = term.shift / 64, bits = term.shift % 64;
    /* The mantissa across two words; what stands above them is its sign. */
    uint64_t low = (uint64_t)term.mantissa << bits;
    uint64_t high = bits == 0 ? sign : (uint64_t)(term.mantissa >> (64 - bits));
    uint64_t carry = 0;
    for (unsigned i = 0; i < words; i++) {
        uint64_t addend = i < first ? 0 : i == first ? low : i == first + 1 ? high : sign;
        uint64_t sum = number[i] + addend;
        uint64_t over = sum < addend;
        sum += carry;
        carry = over | (sum < carry);
        result[i] = sum;
    }
}

int hop__exact_compare_long(unsigned words, const uint64_t *a, const uint64_t *b) {
    int64_t x = (int64_t)a[words - 1], y = (int64_t)b[words - 1];
    if (x != y)
        return x < y ? -1 : 1;
    for (unsigned i = words - 1; i-- > 0;)
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    return 0;
}

/* |number|; returns whether it was negative. */
static bool magnitude(unsigned words, const uint64_t *number, uint64_t *size) {
    bool negative = number[words - 1] >> 63;
    uint64_t carry = negative;
    for (unsigned i = 0; i < words; i++) {
        size[i] = (negative ? ~number[i] : number[i]) + carry;
        carry = carry && size[i] == 0;
    }
    return negative;
}

/* `count` (at most 64) bits of a number, from bit `start` on. */
static uint64_t bits_at(const uint64_t *size, unsigned words, unsigned start, unsigned count) {
    unsigned word = start / 64, bit = start % 64;
    uint64_t bits = word < words ? size[word] >> bit : 0;
    if (bit > 0 && word + 1 < words)
        bits |= size[word + 1] << (64 - bit);
    return count < 64 ? bits & ((UINT64_C(1) << count) - 1) : bits;
}

static bool any_below(const uint64_t *size, unsigned end) {
    for (unsigned i = 0; i < end / 64; i++)
        if (size[i] != 0)
            return true;
    return end % 64 > 0 && (size[end / 64] & ((UINT64_C(1) << (end % 64)) - 1)) != 0;
}

double hop__exact_round(const hop__exact *scale, const uint64_t *number, hop_weight_type type) {
    uint64_t size[HOP__EXACT_WORDS];
    unsigned words = scale->words, top = words;
    bool negative = magnitude(words, number, size);
    while (top > 0 && size[top - 1] == 0)
        top--;
    if (top == 0)
        return 0;
    bool narrow = type == HOP_TYPE_FLOAT32;
    int precision = narrow ? 24 : 53, least = narrow ? -149 : -1074;
    int length = (int)(top - 1) * 64 + (int)hop__bit_width(size[top - 1]);
    /* The place of the result's last bit, counted from the number's: not below its first one, and
     * not below the last of the subnormal numbers. */
    int last = length - precision;
    if (last < least - scale->lowest)
        last = least - scale->lowest;
    if (last < 0)
        last = 0;
    uint64_t kept = bits_at(size, words, (unsigned)last, 64);
    if (last > 0 && bits_at(size, words, (unsigned)last - 1, 1) != 0 &&
        (kept % 2 == 1 || any_below(size, (unsigned)last - 1)))
        kept++;
    double value = ldexp((double)kept, scale->lowest + last);
    if (narrow && value > (double)FLT_MAX)
        value = HUGE_VAL;
    return negative ? -value : value;
}

bool hop__exact_to_integer(const hop__exact *scale, const uint64_t *number, int64_t *integer) {
    hop__i128 value = hop__exact_load(number);
    (void)scale;
    *integer = (int64_t)value;
    return value >= INT64_MIN && value < INT64_MAX;
}
