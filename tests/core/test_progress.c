/* SPDX-License-Identifier: Apache-2.0
 * Callbacks: which thread, how often, and how soon a cancelled phase ends. */
#include "core/core_testing.h"

#include <time.h>

#include "core/parallel.h"
#include "core/progress.h"
#include "core/timing.h"

typedef struct watch {
    pthread_t caller;
    unsigned calls, elsewhere, wrong;
    uint64_t last_done, total;
    const char *phase;
    unsigned cancel_at;  /* the call that says stop; 0: none */
    atomic_uint *pieces; /* of the work, if it is counted; when the call said stop: */
    unsigned pieces_then;
} watch;

static bool watch_progress(void *user, const hop_progress *progress) {
    watch *seen = user;
    seen->calls++;
    seen->elsewhere += !pthread_equal(pthread_self(), seen->caller);
    seen->wrong += progress->done < seen->last_done || progress->total != seen->total ||
                   strcmp(progress->phase, seen->phase) != 0;
    seen->last_done = progress->done;
    if (seen->calls != seen->cancel_at)
        return true;
    if (seen->pieces != NULL)
        seen->pieces_then = atomic_load(seen->pieces);
    return false;
}

static hop_context *make_watched(watch *seen, unsigned threads) {
    hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
    options.threads = threads;
    options.progress = watch_progress;
    options.progress_user = seen;
    seen->caller = pthread_self();
    hop_context *context;
    assert_int_equal(hop_context_create(&options, &context), HOP_OK);
    return context;
}

static void pause_ms(long ms) {
    const struct timespec pause = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
    nanosleep(&pause, NULL);
}

typedef struct work {
    hop_context *context;
    atomic_uint done, late; /* late: pieces that were allowed to begin after a worker was stopped */
    atomic_bool stopped;    /* a worker has been told to stop */
} work;

static void work_piece(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    (void)thread;
    work *job = arg;
    bool is_late = atomic_load(&job->stopped);
    if (!hop__progress_add(job->context, 0)) {
        atomic_store(&job->stopped, true);
        return;
    }
    atomic_fetch_add(&job->late, is_late);
    pause_ms(2);
    atomic_fetch_add(&job->done, 1);
    if (!hop__progress_add(job->context, end - begin))
        atomic_store(&job->stopped, true);
}

static void twenty_a_second_on_the_calling_thread(void **state) {
    (void)state;
    watch seen = {.phase = "test: work", .total = 600};
    work job = {.context = make_watched(&seen, 4)};
    double start = hop__now();
    hop__progress_begin(job.context, "test: work", 600);
    hop__for(job.context, 600, 1, work_piece, &job);
    assert_int_equal(hop__progress_end(job.context), HOP_OK);
    double seconds = hop__now() - start;
    assert_int_equal(atomic_load(&job.done), 600);
    assert_int_equal(seen.elsewhere, 0);
    assert_int_equal(seen.wrong, 0);
    assert_true(seen.last_done <= 600);
    assert_true(seen.calls >= 2);
    assert_true(seen.calls <= 20 * seconds + 2);
    free_context(job.context);
}

static void many_short_phases_do_not_call_more_often(void **state) {
    (void)state;
    watch seen = {.phase = "short"};
    hop_context *context = make_watched(&seen, 1);
    double start = hop__now();
    for (unsigned i = 0; i < 20000; i++) {
        seen.last_done = 0;
        hop__progress_begin(context, "short", 0);
        assert_true(hop__progress_add(context, 1));
        assert_int_equal(hop__progress_end(context), HOP_OK);
    }
    assert_int_equal(seen.wrong, 0);
    assert_true(seen.calls >= 1 && seen.calls <= 20 * (hop__now() - start) + 2);
    free_context(context);
}

/* Cancels two hundred seconds of work at the third call; the pieces that were done after it. */
static unsigned cancel_work(void) {
    watch seen = {.phase = "test: work", .total = 100000, .cancel_at = 3};
    work job = {.context = make_watched(&seen, 4)};
    seen.pieces = &job.done;
    hop__progress_begin(job.context, "test: work", 100000);
    hop__for(job.context, 100000, 1, work_piece, &job);
    unsigned after = atomic_load(&job.done) - seen.pieces_then;
    assert_int_equal(hop__progress_end(job.context), HOP_ERR_CANCELLED);
    assert_int_equal(seen.calls, 3); /* it is not asked again */
    assert_int_equal(atomic_load(&job.late), 0);
    assert_true(atomic_load(&job.done) < 100000);
    assert_memory_equal(hop_context_message(job.context),
                        "test: work: cancelled by the progress callback after ", 53);
    assert_non_null(strstr(hop_context_message(job.context), " of 100000"));

    /* The next phase starts afresh. */
    seen = (watch){.phase = "again", .total = 5, .caller = pthread_self()};
    hop__progress_begin(job.context, "again", 5);
    assert_true(hop__progress_add(job.context, 5));
    assert_int_equal(hop__progress_end(job.context), HOP_OK);
    free_context(job.context);
    return after;
}

/* Whatever the machine does, no piece begins once a thread has been told to stop: each is at most
 * in its own, and the caller's is done. Only between the callback's answer and its note may others
 * begin more, if the machine stalls just there: the best of several tries. */
static void cancelling_ends_with_the_piece(void **state) {
    (void)state;
    unsigned best = cancel_work();
    for (unsigned attempt = 1; attempt < 20 && best > 3; attempt++) {
        unsigned after = cancel_work();
        best = after < best ? after : best;
    }
    assert_in_range(best, 0, 3);
}

static void without_a_total_the_message_has_none(void **state) {
    (void)state;
    watch seen = {.phase = "read", .cancel_at = 1};
    hop_context *context = make_watched(&seen, 1);
    hop__progress_begin(context, "read", 0); /* the first report is due at once */
    assert_false(hop__progress_add(context, 7));
    assert_int_equal(hop__progress_end(context), HOP_ERR_CANCELLED);
    assert_message(context, "read: cancelled by the progress callback after 7");
    free_context(context);
}

/* A reader ends its phase where it sees that it is cancelled, and its caller once more. */
static void what_is_ended_twice_keeps_its_message(void **state) {
    (void)state;
    watch seen = {.phase = "read", .cancel_at = 1};
    hop_context *context = make_watched(&seen, 1);
    hop__progress_begin(context, "read", 0);
    bool begun = hop__progress_join(context, "read: a part");
    assert_false(hop__progress_add(context, 7));
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(i < 2 ? hop__progress_end(context) : hop__progress_leave(context, begun),
                         HOP_ERR_CANCELLED);
        assert_message(context, "read: cancelled by the progress callback after 7");
    }
    assert_int_equal(seen.calls, 1);
    free_context(context);
}

static void a_phase_that_adds_nothing_can_be_cancelled(void **state) {
    (void)state;
    watch seen = {.phase = "still", .total = 1, .cancel_at = 2};
    hop_context *context = make_watched(&seen, 1);
    hop__progress_begin(context, "still", 1);
    pause_ms(60);
    assert_int_equal(hop__progress_end(context), HOP_ERR_CANCELLED);
    assert_int_equal(seen.calls, 2);
    free_context(context);
}

static void without_a_callback_nothing_stops(void **state) {
    (void)state;
    hop_context *context = make_context(2);
    hop__progress_begin(context, "quiet", 10);
    for (unsigned i = 0; i < 100; i++)
        assert_true(hop__progress_add(context, 1));
    assert_int_equal(hop__progress_end(context), HOP_OK);
    assert_message(context, "");
    free_context(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(twenty_a_second_on_the_calling_thread),
        cmocka_unit_test(many_short_phases_do_not_call_more_often),
        cmocka_unit_test(cancelling_ends_with_the_piece),
        cmocka_unit_test(without_a_total_the_message_has_none),
        cmocka_unit_test(what_is_ended_twice_keeps_its_message),
        cmocka_unit_test(a_phase_that_adds_nothing_can_be_cancelled),
        cmocka_unit_test(without_a_callback_nothing_stops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
