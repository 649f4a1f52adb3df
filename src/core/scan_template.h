/* SPDX-License-Identifier: Apache-2.0
 * The prefix sum for one type. Before including: SCAN_TYPE, and SCAN(name), which makes names
 * unique. */

typedef struct SCAN(job) {
    SCAN_TYPE *values;
    uint64_t count;
    SCAN_TYPE total;
    SCAN_TYPE sums[HOP__THREADS_MAX]; /* of each member's share */
} SCAN(job);

static SCAN_TYPE SCAN(sum)(const SCAN_TYPE *values, uint64_t begin, uint64_t end) {
    SCAN_TYPE sum = 0;
    for (uint64_t i = begin; i < end; i++)
        sum += values[i];
    return sum;
}

/* Replaces each value by `sum` and those before it in the range; returns the sum with all. */
static SCAN_TYPE SCAN(replace)(SCAN_TYPE *values, uint64_t begin, uint64_t end, SCAN_TYPE sum) {
    for (uint64_t i = begin; i < end; i++) {
        SCAN_TYPE value = values[i];
        values[i] = sum;
        sum += value;
    }
    return sum;
}

static void SCAN(worker)(void *arg, unsigned thread, unsigned threads) {
    SCAN(job) *job = arg;
    uint64_t begin = hop__share(job->count, thread, threads);
    uint64_t end = hop__share(job->count, thread + 1, threads);
    SCAN_TYPE before = 0;
    if (threads > 1) {
        job->sums[thread] = SCAN(sum)(job->values, begin, end);
        hop__team_barrier();
        for (unsigned t = 0; t < thread; t++)
            before += job->sums[t];
    }
    SCAN_TYPE after = SCAN(replace)(job->values, begin, end, before);
    if (thread == threads - 1)
        job->total = after;
}
