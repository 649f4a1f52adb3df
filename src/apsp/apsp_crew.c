/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows by several devices: a variant that makes rows source by source is started on each device
 * that the context names, and all take rows from one counter, a batch or a row at a time; so the
 * quick ones make more. What a row says does not depend on who makes it.
 *
 * The caller's thread has the context's own device; the others are worked for by helpers, each in
 * the context of its device (device_others.c), or by nobody, where the context has one thread. When
 * there are no rows left, the caller waits for the others, and still asks whether to stop. Whoever
 * fails, or is told to stop, sets `stopped`: nobody takes rows then, and what the others have under
 * way ends as if their callers had cancelled it.
 *
 * Cost: for each device the graph and the memory of a search. */
#include "apsp/apsp_crew.h"

#include <time.h>

#include "core/parallel.h"
#include "core/progress.h"
#include "core/try.h"

/* --- in rows() and facts() ------------------------------------------------------------------- */

hop_vertex hop__apsp_take_rows(hop__apsp_task *task, hop_vertex count, hop_vertex most,
                               hop_vertex *first) {
    hop__apsp_turns *turns = task->turns;
    if (atomic_load(&turns->stopped))
        return 0;
    uint64_t taken = atomic_fetch_add(&turns->next, most);
    if (taken >= count)
        return 0;
    *first = (hop_vertex)taken;
    most = count - *first < most ? count - *first : most;
    task->rounds += most;
    return most;
}

bool hop__apsp_made_rows(hop_context *context, const hop__apsp_task *task, hop_vertex rows) {
    hop__apsp_turns *turns = task->turns;
    if (task->helps)
        atomic_fetch_add(&turns->made, rows);
    else if (!hop__progress_add(context, rows + atomic_exchange(&turns->made, 0)))
        atomic_store(&turns->stopped, true);
    return !atomic_load(&turns->stopped);
}

/* --- the devices ----------------------------------------------------------------------------- */

/* In the place of the progress of the other devices' contexts. */
static bool goes_on(void *user, const hop_progress *progress) {
    const hop__apsp_turns *turns = user;
    (void)progress;
    return !atomic_load(&turns->stopped);
}

static void set_progress(hop_context *context, hop__apsp_turns *turns) {
    context->options.progress = turns ? goes_on : NULL;
    context->options.progress_user = turns;
}

static hop_status start_other(hop__apsp_crew *crew, hop__device *device) {
    hop__apsp_other *other = &crew->others[crew->count];
    hop_context *context = hop__device_context(device);
    hop_status status;
    other->device = device;
    other->copied = hop__device_kept_bytes(device).copied;
    other->task = *crew->task;
    other->task.state = NULL;
    other->task.space = &other->space;
    other->task.helps = true;
    HOP_TRY(status, hop__alloc_zero(context, "apsp: searches", 1, crew->row->state_bytes,
                                    &other->task.state));
    crew->count++;
    set_progress(context, &crew->turns);
    status = crew->row->start(context, &other->task);
done:
    return status == HOP_OK ? HOP_OK : hop__fail_as(crew->context, status, context);
}

hop_status hop__apsp_crew_start(hop_context *context, const hop__apsp_variant *row,
                                hop__apsp_task *task, hop__apsp_crew *crew) {
    hop_status status = HOP_OK;
    *crew = (hop__apsp_crew){.context = context, .row = row, .task = task};
    task->turns = &crew->turns;
    if (row->state_bytes == 0)
        return HOP_OK;
    HOP_TRY(status, hop__alloc_zero(context, "apsp: searches", 1, row->state_bytes, &task->state));
    HOP_TRY(status, row->start(context, task));
    for (unsigned i = 0; row->row.divides && hop__device_other(context->device, i); i++)
        HOP_TRY(status, start_other(crew, hop__device_other(context->device, i)));
done:
    return status;
}

static hop_status make_rows(hop__apsp_crew *crew, hop_context *context, hop__apsp_task *task) {
    return crew->facts ? crew->row->facts(context, task, crew->first, crew->rows, crew->facts)
                       : crew->row->rows(context, task, crew->first, crew->rows, crew->out);
}

/* On the caller's thread, which has no rows left. */
static void wait_for_others(hop__apsp_crew *crew) {
    const struct timespec nap = {0, 1000000};
    const bool asks = crew->status == HOP_OK && atomic_load(&crew->busy) > 0;
    if (asks)
        hop__progress_begin(crew->context, "apsp: rows of other devices", 0);
    while (atomic_load(&crew->busy) > 0) {
        if (asks && !hop__progress_add(crew->context, 0))
            atomic_store(&crew->turns.stopped, true);
        nanosleep(&nap, NULL);
    }
    if (asks)
        crew->status = hop__progress_end(crew->context);
}

static void run_member(void *arg, unsigned thread, unsigned threads) {
    hop__apsp_crew *crew = arg;
    (void)threads;
    if (thread == 0) {
        crew->status = make_rows(crew, crew->context, crew->task);
        if (crew->status != HOP_OK)
            atomic_store(&crew->turns.stopped, true);
        wait_for_others(crew);
        return;
    }
    hop__apsp_other *other = &crew->others[thread - 1];
    atomic_fetch_add(&crew->busy, 1);
    other->status = make_rows(crew, hop__device_context(other->device), &other->task);
    if (other->status != HOP_OK)
        atomic_store(&crew->turns.stopped, true);
    atomic_fetch_sub(&crew->busy, 1);
}

hop_status hop__apsp_crew_rows(hop__apsp_crew *crew, hop_vertex first, hop_vertex count, void *out,
                               hop__apsp_facts *facts) {
    crew->first = first;
    crew->rows = count;
    crew->out = out;
    crew->facts = facts;
    atomic_store(&crew->turns.next, 0);
    if (crew->count == 0)
        return make_rows(crew, crew->context, crew->task);
    hop__team_loose(crew->context, crew->count + 1, run_member, crew);
    for (unsigned i = 0; i < crew->count; i++) {
        const hop__apsp_other *other = &crew->others[i];
        if (other->status != HOP_OK && other->status != HOP_ERR_CANCELLED)
            return hop__fail_as(crew->context, other->status, hop__device_context(other->device));
    }
    return crew->status;
}

void hop__apsp_crew_finish(hop__apsp_crew *crew, hop_status status) {
    hop__apsp_task *task = crew->task;
    uint64_t helped = 0;
    if (!crew->row)
        return;
    task->succeeded = status == HOP_OK;
    for (unsigned i = 0; i < crew->count; i++) {
        hop__apsp_other *other = &crew->others[i];
        other->task.succeeded = task->succeeded;
        crew->row->finish(&other->task);
        hop__workspace_close(&other->space, status);
        hop__free(other->task.state);
        set_progress(hop__device_context(other->device), NULL);
        hop__device_count_copied(crew->context->device,
                                 hop__device_kept_bytes(other->device).copied - other->copied);
        helped += other->task.rounds;
        task->relaxations += other->task.relaxations;
    }
    task->rounds += helped;
    if (crew->count > 0) {
        hop__count(crew->context, "devices", crew->count + 1);
        hop__count(crew->context, "rows of other devices", helped);
    }
    if (task->state)
        crew->row->finish(task);
    hop__workspace_close(task->space, status);
    hop__free(task->state);
    task->state = NULL;
    crew->row = NULL;
}
