/* SPDX-License-Identifier: Apache-2.0
 *
 * hoplite bench --machine: what the memory of this machine can do, as the limit that times of
 * variants are compared with. docs/bench.md lists the operations.
 *
 * Every thread works on its own part and has touched it first. Arrays are on huge pages where the
 * system gives them, as those of the library are. */
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "bench/bench.h"
#include "complaint.h"
#include "cpu_probe.h"
#include "exit_codes.h"
#include "interrupt.h"
#include "number_text.h"
#include "terminal.h"

enum {
    LEAST_BYTES = 256 << 20, /* of the streams */
    CHASE_STEPS = 1 << 20,
    FIRST_POWER = 20, /* elements of gather and chase: 2^20 ... */
    LAST_POWER = 26,
    POWER_STEP = 2,
    HUGE_PAGE = 2 << 20
};

typedef struct rates rates;

typedef struct operation {
    const char *name;
    bool random; /* at several numbers of elements; else a stream of all bytes */
    void (*work)(rates *all, unsigned thread);
    double bytes; /* moved per element, or per 8 bytes of a stream */
} operation;

struct rates {
    row_file *rows;
    session *work;
    size_t repeat;
    unsigned threads;
    const operation *current;
    uint64_t elements; /* of the random ones: elements; of a stream: words of 8 bytes per array */
    double *a, *b, *c; /* streams */
    hop_vertex *index; /* a list in random order: each element's successor */
    hop_vertex *values;
    pthread_barrier_t barrier;
    double *seconds;           /* of each repetition */
    atomic_uint_fast64_t sink; /* so that nothing is left out as useless */
};

static void part_of(const rates *all, unsigned thread, uint64_t *begin, uint64_t *end) {
    *begin = all->elements / all->threads * thread;
    *end = thread + 1 == all->threads ? all->elements : *begin + all->elements / all->threads;
}

static void work_read(rates *all, unsigned thread) {
    uint64_t begin, end, sum = 0;
    const uint64_t *words = (const uint64_t *)(const void *)all->a;
    part_of(all, thread, &begin, &end);
    for (uint64_t i = begin; i < end; i++)
        sum += words[i];
    all->sink += sum;
}

static void work_copy(rates *all, unsigned thread) {
    uint64_t begin, end;
    part_of(all, thread, &begin, &end);
    memcpy(all->b + begin, all->a + begin, (end - begin) * sizeof *all->a);
}

static void work_triad(rates *all, unsigned thread) {
    uint64_t begin, end;
    double *restrict c = all->c;
    const double *restrict a = all->a, *restrict b = all->b;
    part_of(all, thread, &begin, &end);
    for (uint64_t i = begin; i < end; i++)
        c[i] = a[i] + 3 * b[i];
}

static void work_gather(rates *all, unsigned thread) {
    uint64_t begin, end, sum = 0;
    const hop_vertex *index = all->index, *values = all->values;
    part_of(all, thread, &begin, &end);
    for (uint64_t i = begin; i < end; i++)
        sum += values[index[i]];
    all->sink += sum;
}

/* Each thread follows the list from its own place. */
static void work_chase(rates *all, unsigned thread) {
    uint64_t begin, end;
    part_of(all, thread, &begin, &end);
    hop_vertex at = (hop_vertex)begin;
    for (uint64_t i = 0; i < CHASE_STEPS; i++) {
        hop_vertex next = all->index[at];
        at = next == at ? 0 : next;
    }
    all->sink += at;
}

static const operation operations[] = {
    {"read", false, work_read, 8},    {"copy", false, work_copy, 16},
    {"triad", false, work_triad, 24}, {"gather", true, work_gather, 8},
    {"chase", true, work_chase, 4},
};

typedef struct member {
    rates *all;
    unsigned thread;
} member;

static void *member_run(void *arg) {
    const member *self = arg;
    rates *all = self->all;
    /* The first time is not counted: pages, frequency. */
    for (size_t r = 0; r <= all->repeat; r++) {
        pthread_barrier_wait(&all->barrier);
        double began = clock_seconds();
        all->current->work(all, self->thread);
        pthread_barrier_wait(&all->barrier);
        if (self->thread == 0 && r > 0)
            all->seconds[r - 1] = clock_seconds() - began;
    }
    return NULL;
}

static int run_operation(rates *all) {
    pthread_t *ids = need_memory(NULL, all->threads, sizeof *ids);
    member *members = need_memory(NULL, all->threads, sizeof *members);
    unsigned started = 0;
    int code = CODE_OK;
    for (unsigned t = 0; t < all->threads; t++)
        members[t] = (member){all, t};
    pthread_barrier_init(&all->barrier, NULL, all->threads);
    for (unsigned t = 1; t < all->threads && code == CODE_OK; t++)
        if (pthread_create(&ids[t], NULL, member_run, &members[t]) == 0)
            started++;
        else
            code =
                complain(CODE_FAILURE, "only %u of %u threads could be started", t, all->threads);
    if (code != CODE_OK) /* those that were started wait for ever; nothing else to do */
        exit(code);
    member_run(&members[0]);
    for (unsigned t = 1; t <= started; t++)
        pthread_join(ids[t], NULL);
    pthread_barrier_destroy(&all->barrier);
    free(ids);
    free(members);
    return code;
}

static uint64_t steps_of(const rates *all) {
    return all->current->work == work_chase ? (uint64_t)CHASE_STEPS * all->threads : all->elements;
}

static int row_rate(rates *all, size_t repetition) {
    json *out = &all->rows->out;
    double seconds = all->seconds[repetition], steps = (double)steps_of(all);
    double bytes = steps * all->current->bytes;
    uint64_t set =
        all->elements * (all->current->work == work_chase    ? 4
                         : all->current->work == work_gather ? 8
                                                             : (uint64_t)all->current->bytes);
    row_begin(all->rows, "rate");
    json_string(out, "operation", all->current->name);
    json_string(out, "device", "cpu");
    json_count(out, "threads", all->threads);
    json_count(out, "elements", all->elements);
    json_count(out, "working_set_bytes", set);
    json_count(out, "repetition", repetition);
    json_real(out, "seconds", seconds);
    json_real(out, "bytes", bytes);
    json_real(out, "bytes_per_second", bytes / seconds);
    json_real(out, "ns_per_element", seconds * 1e9 / steps);
    return row_end(all->rows);
}

static int measure(rates *all, FILE *file, json *out) {
    int code = run_operation(all);
    for (size_t r = 0; r < all->repeat && code == CODE_OK; r++)
        code = row_rate(all, r);
    statistics times = statistics_of(all->seconds, all->repeat);
    double steps = (double)steps_of(all), each = times.median * 1e9 / steps;
    double rate = steps * all->current->bytes / times.median;
    if (file != NULL) {
        fprintf(file, "%-8s %7u  %12s  %8.2f GB/s  %8.2f ns/element  (quartiles %.2f - %.2f)\n",
                all->current->name, all->threads, count_text(all->elements).s, rate * 1e-9, each,
                times.q1 * 1e9 / steps, times.q3 * 1e9 / steps);
        fflush(file);
    } else {
        json_object(out, NULL);
        json_string(out, "operation", all->current->name);
        json_count(out, "threads", all->threads);
        json_count(out, "elements", all->elements);
        json_real(out, "bytes_per_second", rate);
        json_real(out, "ns_per_element", each);
        json_end(out);
    }
    if (code == CODE_OK && interrupted())
        code = complain(interrupt_exit_code(), "interrupted");
    return code;
}

static void *big_array(uint64_t bytes) {
    uint64_t whole = (bytes / HUGE_PAGE + 1) * HUGE_PAGE;
    void *array = aligned_alloc(HUGE_PAGE, whole);
    if (array != NULL) {
        madvise(array, whole, MADV_HUGEPAGE);
        memset(array, 1, bytes);
    }
    return array;
}

/* Bytes of all streams together: four times the last-level caches, within half of the budget. */
static uint64_t stream_bytes(uint64_t budget) {
    cpu_facts facts;
    uint64_t last = 0, bytes;
    cpu_probe(&facts);
    for (unsigned i = 0; i < facts.cache_count; i++)
        last = facts.caches[i].bytes * facts.caches[i].instances > last
                   ? facts.caches[i].bytes * facts.caches[i].instances
                   : last;
    bytes = 4 * last > LEAST_BYTES ? 4 * last : LEAST_BYTES;
    return bytes < budget / 2 ? bytes : budget / 2;
}

static int run_streams(rates *all, uint64_t budget, FILE *file, json *out) {
    uint64_t bytes = stream_bytes(budget) / 3;
    int code = CODE_OK;
    all->elements = bytes / sizeof(double);
    all->a = big_array(bytes);
    all->b = big_array(bytes);
    all->c = big_array(bytes);
    if (all->a == NULL || all->b == NULL || all->c == NULL)
        code = complain(CODE_FAILURE, "no memory for three times %s", bytes_text(bytes).s);
    for (size_t i = 0; i < 3 && code == CODE_OK; i++) {
        all->current = &operations[i];
        code = measure(all, file, out);
    }
    free(all->a);
    free(all->b);
    free(all->c);
    return code;
}

/* gather and chase at one number of elements. */
static int run_random(rates *all, unsigned power, FILE *file, json *out) {
    uint64_t count = UINT64_C(1) << power, bytes = count * sizeof(hop_vertex);
    int code = CODE_OK;
    all->elements = count;
    all->index = big_array(bytes);
    all->values = big_array(bytes);
    if (all->index == NULL || all->values == NULL)
        code = complain(CODE_FAILURE, "no memory for twice %s", bytes_text(bytes).s);
    if (code == CODE_OK) {
        hop_status status = hop_list_generate(all->work->context, (hop_vertex)count, 1, all->index);
        bar_wipe(&all->work->bar);
        code = status == HOP_OK ? CODE_OK : session_fail(all->work, status);
    }
    for (size_t i = 3; i < 5 && code == CODE_OK; i++) {
        all->current = &operations[i];
        code = measure(all, file, out);
    }
    free(all->index);
    free(all->values);
    return code;
}

int bench_machine(session *work, row_file *rows, const unsigned *threads, size_t thread_count,
                  size_t repeat, FILE *file) {
    rates all = {.rows = rows, .work = work, .repeat = repeat};
    uint64_t budget = hop_context_memory_budget(work->context);
    json out;
    int code = CODE_OK;
    all.seconds = need_memory(NULL, repeat, sizeof *all.seconds);
    if (file == NULL) {
        json_begin(&out, stdout, "bench");
        json_array(&out, "rates");
    } else {
        fprintf(file, "%s%-8s %7s  %12s  %13s  %19s%s\n", style_on(file, STYLE_DIM), "operation",
                "threads", "elements", "median", "median", style_off(file));
    }
    for (size_t t = 0; t < thread_count && code == CODE_OK; t++) {
        all.threads = threads[t];
        code = run_streams(&all, budget, file, &out);
        for (unsigned p = FIRST_POWER; p <= LAST_POWER && code == CODE_OK; p += POWER_STEP)
            if ((UINT64_C(12) << p) <= budget)
                code = run_random(&all, p, file, &out);
    }
    if (file == NULL && code == CODE_OK) {
        json_end(&out);
        json_finish(&out);
    }
    free(all.seconds);
    return code;
}
