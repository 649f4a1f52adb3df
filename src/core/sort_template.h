/* SPDX-License-Identifier: Apache-2.0
 * The radix sort for one type of keys. Before including: SORT_KEY, and SORT(name), which makes
 * names unique. How it works is in sort.c. */

/* The keys of a cache line. */
enum { SORT(line) = CACHE_LINE / sizeof(SORT_KEY) };

typedef struct SORT(job) {
    hop_context *context;
    SORT_KEY *data, *scratch;
    uint64_t count;
    sort_plan plan;
    uint64_t *histograms; /* [2][threads][buckets] */
    SORT_KEY *lines;      /* [threads][buckets][line] */
} SORT(job);

static void SORT(insertion)(SORT_KEY *data, uint64_t count) {
    for (uint64_t i = 1; i < count; i++) {
        SORT_KEY key = data[i];
        uint64_t at = i;
        for (; at > 0 && data[at - 1] > key; at--)
            data[at] = data[at - 1];
        data[at] = key;
    }
}

static void SORT(count_digits)(hop_context *context, const SORT_KEY *keys, uint64_t begin,
                               uint64_t end, unsigned shift, SORT_KEY mask, uint64_t *histogram) {
    memset(histogram, 0, ((size_t)mask + 1) * sizeof *histogram);
    for (uint64_t next, i = begin; i < end && hop__progress_add(context, 0); i = next) {
        next = end - i < BETWEEN_LOOKS ? end : i + BETWEEN_LOOKS;
        for (; i < next; i++)
            histogram[keys[i] >> shift & mask]++;
    }
}

/* Moves the keys at [begin, end), all in one line, out of the line that begins at `slot`. */
static inline void SORT(line_out)(SORT_KEY *to, uint64_t begin, uint64_t end, const SORT_KEY *lines,
                                  uint64_t slot, bool stream) {
    if (end - begin < SORT(line)) { /* shared with the neighbours, at an end of the bucket */
        for (uint64_t at = begin; at < end; at++)
            to[at] = lines[slot + at % SORT(line)];
        return;
    }
    line_copy(to + begin, lines + slot, SORT(line) * sizeof(SORT_KEY), stream);
}

static void SORT(scatter)(hop_context *context, const SORT_KEY *from, SORT_KEY *to, uint64_t begin,
                          uint64_t end, unsigned shift, SORT_KEY mask, uint64_t *next,
                          SORT_KEY *lines, bool stream) {
    uint64_t first[BUCKETS_MOST]; /* where each bucket of this member begins */
    memcpy(first, next, ((size_t)mask + 1) * sizeof *first);
    for (uint64_t i = begin; i < end; i++) {
        if ((i - begin) % BETWEEN_LOOKS == 0 && !hop__progress_add(context, 0))
            break;
        SORT_KEY digit = from[i] >> shift & mask;
        uint64_t slot = (uint64_t)digit * SORT(line);
        uint64_t at = next[digit]++;
        lines[slot + at % SORT(line)] = from[i];
        if (at % SORT(line) == SORT(line) - 1) {
            uint64_t start = at + 1 - SORT(line);
            SORT(line_out)
            (to, start > first[digit] ? start : first[digit], at + 1, lines, slot, stream);
        }
    }
    for (SORT_KEY digit = 0; digit <= mask; digit++) {
        uint64_t stop = next[digit];
        uint64_t start = stop - stop % SORT(line);
        if (stop > first[digit])
            SORT(line_out)
        (to, start > first[digit] ? start : first[digit], stop, lines, (uint64_t)digit * SORT(line),
         stream);
    }
    line_fence();
}

static void SORT(worker)(void *arg, unsigned thread, unsigned threads) {
    SORT(job) *job = arg;
    size_t buckets = (size_t)1 << job->plan.digit_bits;
    SORT_KEY mask = (SORT_KEY)(buckets - 1);
    uint64_t begin = hop__share(job->count, thread, threads);
    uint64_t end = hop__share(job->count, thread + 1, threads);
    SORT_KEY *from = job->data, *to = job->scratch, *lines = job->lines;
    lines += thread * buckets * SORT(line);
    for (unsigned pass = 0; pass < job->plan.passes; pass++) {
        unsigned shift = pass * job->plan.digit_bits;
        /* Two sets in turn: a fast member may count for the next pass while a slow one still
         * reads this one's. */
        uint64_t *histograms = job->histograms + pass % 2 * threads * buckets;
        uint64_t next[BUCKETS_MOST];
        SORT(count_digits)
        (job->context, from, begin, end, shift, mask, histograms + thread * buckets);
        hop__team_barrier();
        if (!find_starts(histograms, buckets, thread, threads, job->count, next))
            continue; /* every key has the same digit: they are in order by it */
        SORT(scatter)
        (job->context, from, to, begin, end, shift, mask, next, lines, job->plan.stream);
        hop__team_barrier();
        SORT_KEY *swap = from;
        from = to;
        to = swap;
    }
    if (from != job->data && end > begin)
        memcpy(to + begin, from + begin, (size_t)(end - begin) * sizeof(SORT_KEY));
}

static hop_status SORT(run)(hop_context *context, SORT_KEY *data, uint64_t count, unsigned bits) {
    if (count <= INSERTION_COUNT || bits == 0) {
        if (bits != 0)
            SORT(insertion)(data, count);
        return HOP_OK;
    }
    hop_status status = HOP_OK;
    SORT(job) job = {.context = context, .data = data, .count = count};
    job.plan = plan_make(context, count, bits);
    job.plan.stream = count * sizeof(SORT_KEY) >= STREAM_BYTES && line_aligned(data);
    uint64_t slots = (uint64_t)job.plan.threads << job.plan.digit_bits;
    HOP_TRY(status, hop__alloc(context, "sort: histograms", 2 * slots, sizeof *job.histograms,
                               &job.histograms));
    HOP_TRY(status, hop__alloc(context, "sort: line buffers", slots * SORT(line), sizeof *job.lines,
                               &job.lines));
    HOP_TRY(status, hop__alloc(context, "sort: scratch", count, sizeof *job.scratch, &job.scratch));
    bool alone = hop__progress_join(context, "sort");
    hop__team_of(context, job.plan.threads, 4 * count * job.plan.passes, SORT(worker), &job);
    status = hop__progress_leave(context, alone);
done:
    hop__free(job.scratch);
    hop__free(job.lines);
    hop__free(job.histograms);
    return status;
}
