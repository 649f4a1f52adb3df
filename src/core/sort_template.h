/* SPDX-License-Identifier: Apache-2.0
 * The radix sort for one kind of record. Before including: SORT_KEY; SORT_PAYLOAD when something
 * moves with the key; and SORT(name), which makes names unique. How it works is in sort.c. */

typedef struct SORT(arrays) {
    SORT_KEY *keys;
#ifdef SORT_PAYLOAD
    SORT_PAYLOAD *payload;
#endif
} SORT(arrays);

typedef struct SORT(job) {
    SORT(arrays) data, scratch;
    uint64_t count;
    unsigned bits;
    uint64_t *histograms; /* [2][threads][BUCKETS] */
} SORT(job);

static inline void SORT(move)(SORT(arrays) to, uint64_t at, SORT(arrays) from, uint64_t i) {
    to.keys[at] = from.keys[i];
#ifdef SORT_PAYLOAD
    to.payload[at] = from.payload[i];
#endif
}

static void SORT(insertion)(SORT(arrays) data, uint64_t count) {
    for (uint64_t i = 1; i < count; i++) {
        SORT_KEY key = data.keys[i];
#ifdef SORT_PAYLOAD
        SORT_PAYLOAD payload = data.payload[i];
#endif
        uint64_t at = i;
        for (; at > 0 && data.keys[at - 1] > key; at--)
            SORT(move)(data, at, data, at - 1);
        data.keys[at] = key;
#ifdef SORT_PAYLOAD
        data.payload[at] = payload;
#endif
    }
}

static void SORT(count_digits)(const SORT_KEY *keys, uint64_t begin, uint64_t end, unsigned shift,
                               uint64_t *histogram) {
    memset(histogram, 0, BUCKETS * sizeof *histogram);
    for (uint64_t i = begin; i < end; i++)
        histogram[keys[i] >> shift & (BUCKETS - 1)]++;
}

static void SORT(scatter)(SORT(arrays) from, SORT(arrays) to, uint64_t begin, uint64_t end,
                          unsigned shift, uint64_t *starts) {
    for (uint64_t i = begin; i < end; i++)
        SORT(move)(to, starts[from.keys[i] >> shift & (BUCKETS - 1)]++, from, i);
}

static void SORT(worker)(void *arg, unsigned thread, unsigned threads) {
    SORT(job) *job = arg;
    uint64_t begin = hop__share(job->count, thread, threads);
    uint64_t end = hop__share(job->count, thread + 1, threads);
    SORT(arrays) from = job->data, to = job->scratch;
    for (unsigned shift = 0, pass = 0; shift < job->bits; shift += DIGIT_BITS, pass++) {
        /* Two sets in turn: a fast member may count for the next pass while a slow one still
         * reads this one's. */
        uint64_t *histograms = job->histograms + (size_t)(pass % 2) * threads * BUCKETS;
        uint64_t starts[BUCKETS];
        SORT(count_digits)(from.keys, begin, end, shift, histograms + (size_t)thread * BUCKETS);
        hop__team_barrier();
        if (!find_starts(histograms, thread, threads, job->count, starts))
            continue; /* every key has the same digit: they are in order by it */
        SORT(scatter)(from, to, begin, end, shift, starts);
        hop__team_barrier();
        SORT(arrays) swap = from;
        from = to;
        to = swap;
    }
    if (from.keys != job->data.keys && end > begin) {
        memcpy(to.keys + begin, from.keys + begin, (size_t)(end - begin) * sizeof(SORT_KEY));
#ifdef SORT_PAYLOAD
        memcpy(to.payload + begin, from.payload + begin,
               (size_t)(end - begin) * sizeof(SORT_PAYLOAD));
#endif
    }
}

static hop_status SORT(run)(hop_context *context, SORT(arrays) data, uint64_t count,
                            unsigned bits) {
    hop_status status = HOP_OK;
    SORT(job) job = {.data = data, .count = count, .bits = bits};
    unsigned threads = team_for(context, count);
    if (bits == 0 || count < 2)
        return HOP_OK;
    if (count <= INSERTION_COUNT) {
        SORT(insertion)(data, count);
        return HOP_OK;
    }
    HOP_TRY(status, hop__alloc(context, "sort: histograms", (uint64_t)2 * threads * BUCKETS,
                               sizeof *job.histograms, &job.histograms));
    HOP_TRY(status,
            hop__alloc(context, "sort: scratch", count, sizeof(SORT_KEY), &job.scratch.keys));
#ifdef SORT_PAYLOAD
    HOP_TRY(status, hop__alloc(context, "sort: scratch", count, sizeof(SORT_PAYLOAD),
                               &job.scratch.payload));
#endif
    hop__team_of(context, threads, SORT(worker), &job);
done:
    hop__free(job.histograms);
    hop__free(job.scratch.keys);
#ifdef SORT_PAYLOAD
    hop__free(job.scratch.payload);
#endif
    return status;
}
