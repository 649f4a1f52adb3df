/* SPDX-License-Identifier: Apache-2.0
 *
 * The queue of delta-stepping alone: order, limits, slices, and that useless entries make room. A
 * queue that waits for ever is ended by an alarm. */
#include "sssp/sssp_testing.h"

#include <unistd.h>

#include "core/atomic.h"
#include "sssp/delta/delta_queue.h"

enum { DEADLINE = 400 }; /* seconds: a hundred times what it takes */

typedef struct fixture {
    hop_context *context;
    hop__delta_queue queue;
    uint32_t *keys; /* of each vertex now */
    uint32_t n;
    unsigned threads;
    hop__workspace space;
} fixture;

static uint32_t key_of(const void *arg, hop_vertex v) {
    return hop__load_u32((const uint32_t *)arg + v);
}

static void fixture_blocks(const void *given, hop__workspace *space) {
    const fixture *f = given;
    hop__delta_queue_blocks(space, offsetof(fixture, queue), f->n, f->threads);
}

/* In place: members point to the queue. */
static void set_up(fixture *f, uint32_t n, unsigned threads, unsigned shift) {
    *f = (fixture){.context = make_context(threads), .n = n, .threads = threads};
    assert_int_equal(hop__workspace_open(f->context, NULL, fixture_blocks, f, f, &f->space),
                     HOP_OK);
    assert_int_equal(hop__delta_queue_begin(&f->space, n, threads, &f->queue), HOP_OK);
    f->keys = malloc(n * sizeof *f->keys);
    memset(f->keys, 0xff, n * sizeof *f->keys);
    f->queue.shift = shift;
    f->queue.key_of = key_of;
    f->queue.key_arg = f->keys;
}

static void free_fixture(fixture *f) {
    hop__workspace_close(&f->space, HOP_OK);
    free(f->keys);
    free_context(f->context);
}

static void put(fixture *f, unsigned member, uint32_t key, hop_vertex v) {
    f->keys[v] = key;
    hop__delta_put(&f->queue.workers[member], key, v);
}

/* Takes everything as a team of one; counts the entries that are not useless, and checks that
 * buckets come in order. */
static uint32_t drain(fixture *f, uint8_t *seen) {
    hop__delta_worker *worker = &f->queue.workers[0];
    uint32_t chunk, count, useful = 0, bucket = 0;
    hop__delta_begin(&f->queue, 0, 1);
    while ((chunk = hop__delta_take(worker, &count)) != HOP__DELTA_NONE) {
        const uint64_t *entries = hop__delta_entries(&f->queue, chunk);
        assert_in_range(count, 1, HOP__DELTA_CHUNK);
        for (uint32_t i = 0; i < count; i++) {
            hop_vertex v = (hop_vertex)entries[i];
            uint32_t key = (uint32_t)(entries[i] >> 32);
            assert_true(key >> f->queue.shift >= bucket);
            bucket = key >> f->queue.shift;
            if (f->keys[v] != key)
                continue;
            useful++;
            seen[v]++;
        }
        hop__delta_done(worker, chunk);
    }
    return useful;
}

static void check_seen(const fixture *f, const uint8_t *seen, uint8_t times) {
    for (uint32_t v = 0; v < f->n; v++)
        if (seen[v] != times)
            fail_msg("vertex %u came %u times, not %u", v, seen[v], times);
}

/* Any keys, the largest too, come bucket by bucket, each entry once. */
static void order(void **state) {
    (void)state;
    for (unsigned shift = 0; shift < 32; shift += 5) {
        fixture f;
        set_up(&f, 5000, 1, shift);
        uint8_t *seen = calloc(f.n, 1);
        for (uint32_t v = 0; v < f.n; v++) {
            uint64_t random = hop__random_at(3, shift, v);
            put(&f, 0, v == 7 ? UINT32_MAX : (uint32_t)(random >> 32 >> random % 32), v);
        }
        uint32_t least = UINT32_MAX;
        for (uint32_t v = 0; v < f.n; v++)
            least = f.keys[v] < least ? f.keys[v] : least;
        assert_int_equal(hop__delta_least(&f.queue), least);
        assert_int_equal(drain(&f, seen), f.n);
        check_seen(&f, seen, 1);
        assert_int_equal(hop__delta_farthest(&f.queue), UINT32_MAX >> shift);
        assert_int_equal(hop__delta_least(&f.queue), UINT32_MAX);
        free(seen);
        free_fixture(&f);
    }
}

/* Nothing beyond the limit is taken out, and nothing is lost. */
static void limit(void **state) {
    (void)state;
    fixture f;
    set_up(&f, 3000, 1, 4);
    uint8_t *seen = calloc(f.n, 1);
    for (uint32_t v = 0; v < f.n; v++)
        put(&f, 0, v, v);
    f.queue.limit = 50;
    assert_int_equal(drain(&f, seen), 51 * 16);
    assert_int_equal(hop__delta_least(&f.queue), 51 * 16);
    f.queue.limit = UINT32_MAX;
    assert_int_equal(drain(&f, seen), f.n - 51 * 16);
    check_seen(&f, seen, 1);
    free(seen);
    free_fixture(&f);
}

/* Keys fall and fall: a hundred times as many entries as there is room for. */
static void useless_entries_make_room(void **state) {
    (void)state;
    enum { ROUNDS = 400 };
    for (unsigned shift = 0; shift <= 20; shift += 10) {
        fixture f;
        set_up(&f, 2000, 1, shift);
        uint8_t *seen = calloc(f.n, 1);
        hop__delta_begin(&f.queue, 0, 1);
        for (uint32_t round = 0; round < ROUNDS; round++)
            for (uint32_t v = 0; v < f.n; v++)
                put(&f, 0, (ROUNDS - round) * 5000 + v, v);
        assert_int_equal(drain(&f, seen), f.n);
        check_seen(&f, seen, 1);
        free(seen);
        free_fixture(&f);
    }
}

/* A purge leaves one entry in a bin that had a nearer one. It is beyond the limit, although the bin
 * counts as within it, and stays. */
static void one_entry_after_a_purge(void **state) {
    (void)state;
    fixture f;
    set_up(&f, 100, 1, 4);
    uint8_t *seen = calloc(f.n, 1);
    put(&f, 0, 528, 0); /* buckets 33 and 62 are in one bin */
    put(&f, 0, 992, 1);
    put(&f, 0, 16, 0);
    f.queue.purges++;
    f.queue.limit = 50;
    assert_int_equal(drain(&f, seen), 1);
    assert_int_equal(seen[1], 0);
    f.queue.limit = UINT32_MAX;
    assert_int_equal(drain(&f, seen), 1);
    assert_int_equal(seen[1], 1);
    free(seen);
    free_fixture(&f);
}

static void count_visit(void *arg, hop_vertex v) {
    ((uint8_t *)arg)[v]++;
}

/* From outside, useless entries are not seen; and an empty queue is as good as a new one. */
static void visits(void **state) {
    (void)state;
    fixture f;
    set_up(&f, 3000, 2, 4);
    for (unsigned time = 0; time < 2; time++) {
        uint8_t *visited = calloc(f.n, 1), *seen = calloc(f.n, 1);
        for (uint32_t v = 0; v < f.n; v++)
            put(&f, v % 2, 10000 + v, v);
        for (uint32_t v = 0; v < f.n; v += 3) /* comes nearer: the first entry is useless */
            put(&f, v % 2, 5000 + v, v);
        assert_false(hop__delta_is_empty(&f.queue));
        hop__delta_each(&f.queue, 1, count_visit, visited);
        check_seen(&f, visited, 1);
        hop__delta_queue_reset(&f.queue);
        assert_true(hop__delta_is_empty(&f.queue));
        assert_int_equal(hop__delta_least(&f.queue), UINT32_MAX);
        assert_int_equal(drain(&f, seen), 0);
        free(visited);
        free(seen);
    }
    free_fixture(&f);
}

/* What a member has who is not in the next team is not lost. */
static void absent_members(void **state) {
    (void)state;
    fixture f;
    set_up(&f, 4000, 4, 3);
    uint8_t *seen = calloc(f.n, 1);
    for (uint32_t v = 0; v < f.n; v++)
        put(&f, v % 4, (uint32_t)(hop__random_at(4, 1, v) % 1000), v);
    assert_int_equal(drain(&f, seen), f.n);
    check_seen(&f, seen, 1);
    free(seen);
    free_fixture(&f);
}

typedef struct team_job {
    fixture *f;
    uint32_t *times; /* how often each vertex, or arc, was worked on */
    uint64_t arcs;
} team_job;

/* Each vertex leads to two others, a few times over: work appears while others wait. */
static void take_all(void *arg, unsigned thread, unsigned threads) {
    team_job *job = arg;
    hop__delta_queue *queue = &job->f->queue;
    hop__delta_worker *worker = &queue->workers[thread];
    uint32_t chunk, count;
    hop__delta_begin(queue, thread, threads);
    while ((chunk = hop__delta_take(worker, &count)) != HOP__DELTA_NONE) {
        const uint64_t *entries = hop__delta_entries(queue, chunk);
        for (uint32_t i = 0; i < count; i++) {
            hop_vertex v = (hop_vertex)entries[i];
            uint32_t key = (uint32_t)(entries[i] >> 32);
            if (hop__load_u32(&job->f->keys[v]) != key)
                continue;
            __atomic_fetch_add(&job->times[v], 1, __ATOMIC_RELAXED);
            for (uint64_t k = 1; k <= 2; k++) {
                uint64_t to = 2 * (uint64_t)v + k;
                if (to < job->f->n && hop__lower_u32(&job->f->keys[to], key + 1))
                    hop__delta_put(worker, key + 1, (hop_vertex)to);
            }
        }
        hop__delta_done(worker, chunk);
    }
}

static void everything_is_taken(void **state) {
    (void)state;
    for (unsigned threads = 1; threads <= 8; threads = threads < 4 ? threads + 1 : threads * 2)
        for (unsigned shift = 0; shift < 6; shift += 5) {
            fixture f;
            set_up(&f, 100000, threads, shift);
            team_job job = {&f, calloc(f.n, 4), 0};
            put(&f, 0, 0, 0);
            hop__team(f.context, take_all, &job);
            for (uint32_t v = 0; v < f.n; v++)
                if (job.times[v] != 1)
                    fail_msg("%u threads: vertex %u %u times", threads, v, job.times[v]);
            free(job.times);
            free_fixture(&f);
        }
}

/* Member 0 shares a row; the others get slices as if they were chunks. */
static void share_row(void *arg, unsigned thread, unsigned threads) {
    team_job *job = arg;
    hop__delta_queue *queue = &job->f->queue;
    hop__delta_worker *worker = &queue->workers[thread];
    uint32_t chunk, count;
    hop__delta_begin(queue, thread, threads);
    while ((chunk = hop__delta_take(worker, &count)) != HOP__DELTA_NONE) {
        bool slice = chunk == HOP__DELTA_SLICE;
        if (!slice) {
            hop__delta_share(worker, 5, 11, job->arcs);
            slice = hop__delta_own_slice(worker);
        }
        while (slice) {
            assert_int_equal(worker->slice.vertex, 5);
            for (uint64_t i = worker->slice.begin; i < worker->slice.end; i++)
                __atomic_fetch_add(&job->times[i], 1, __ATOMIC_RELAXED);
            slice = chunk != HOP__DELTA_SLICE && hop__delta_own_slice(worker);
        }
        if (chunk != HOP__DELTA_SLICE)
            hop__delta_done(worker, chunk);
    }
}

static void slices(void **state) {
    (void)state;
    for (unsigned threads = 1; threads <= 8; threads *= 2)
        for (unsigned k = 0; k < 20; k++) {
            fixture f;
            set_up(&f, 100, threads, 0);
            team_job job = {&f, NULL, 11 + hop__random_at(5, threads, k) % 300000};
            job.times = calloc(job.arcs, 4);
            put(&f, 0, 0, 5);
            hop__team(f.context, share_row, &job);
            for (uint64_t i = 0; i < job.arcs; i++)
                if (job.times[i] != (i >= 11))
                    fail_msg("%u threads: arc %u %u times", threads, (unsigned)i, job.times[i]);
            free(job.times);
            free_fixture(&f);
        }
}

/* More entries of one key than there is room for: all leave, and nobody waits for ever. */
static void exhausted(void **state) {
    (void)state;
    for (unsigned threads = 1; threads <= 2; threads++) {
        fixture f;
        uint32_t count;
        set_up(&f, 1000, threads, 4);
        for (uint32_t i = 0; i < 2 * HOP__DELTA_CHUNK * f.queue.chunk_count; i++)
            put(&f, 0, i % 2 == 0 ? 5 : 700, i % 1000);
        assert_true(f.queue.exhausted);
        hop__delta_begin(&f.queue, 0, 1);
        assert_int_equal(hop__delta_take(&f.queue.workers[0], &count), HOP__DELTA_NONE);
        free_fixture(&f);
    }
}

/* What a bin has lost stays known when others give chunks back to the pool later, and the lists of
 * chunks stay lists. */
static void lost_entries(void **state) {
    (void)state;
    enum { KEPT = HOP__DELTA_FREE_KEPT, HELD = KEPT + 2 };
    fixture f;
    uint32_t count, held[HELD];
    set_up(&f, 64, 2, 4);
    hop__delta_worker *a = &f.queue.workers[0], *b = &f.queue.workers[1];
    for (uint32_t i = 0; i < HOP__DELTA_CHUNK * (HELD + 4); i++)
        hop__delta_put(b, 9, 1); /* no key is useless: key_of is the largest */
    for (unsigned i = 0; i < HELD; i++)
        held[i] = hop__delta_take(b, &count);
    for (unsigned i = 0; i < KEPT; i++)
        hop__delta_done(b, held[i]);
    while (!f.queue.exhausted)
        hop__delta_put(a, 3, 2);
    assert_int_equal(hop__delta_least(&f.queue), 3);
    for (unsigned i = KEPT; i < HELD; i++) {
        hop__delta_done(b, held[i]); /* into the pool */
        for (uint32_t k = 0; k < 3 * HOP__DELTA_CHUNK; k++)
            hop__delta_put(a, 7, 2);
        assert_int_equal(a->bins[0].least, 3);
        uint32_t chunk = a->full, chunks = 0;
        while (chunk != HOP__DELTA_NONE && chunks <= f.queue.chunk_count) {
            assert_true(chunk < f.queue.chunk_count);
            chunk = f.queue.links[chunk];
            chunks++;
        }
        assert_int_equal(chunks, a->full_count);
    }
    free_fixture(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order),
        cmocka_unit_test(limit),
        cmocka_unit_test(one_entry_after_a_purge),
        cmocka_unit_test(lost_entries),
        cmocka_unit_test(useless_entries_make_room),
        cmocka_unit_test(absent_members),
        cmocka_unit_test(visits),
        cmocka_unit_test(everything_is_taken),
        cmocka_unit_test(slices),
        cmocka_unit_test(exhausted),
    };
    (void)alarm(DEADLINE);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
