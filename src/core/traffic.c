/* SPDX-License-Identifier: Apache-2.0
 * Counts of the build with HOPLITE_COUNT_ATOMICS; see traffic.h. In any other there is nothing
 * here. */
#include "core/traffic.h"

#if defined(HOPLITE_COUNT_ATOMICS)

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/context_internal.h"
#include "core/timing.h"

/* What counts is not counted. */
#undef __atomic_compare_exchange_n
#undef __atomic_store_n

enum { LINE = 64, LINES = 1 << 22, THREAD_BITS = 13 };

/* Of one thread; kept when it ends, so that sums only grow. */
typedef struct table {
    struct table *next;
    uint64_t number; /* of the thread, from 1 on */
    uint64_t barriers, regions, inside_ns, alone_ns;
    uint64_t begin; /* of what is under way: a region or something done alone */
    uint64_t counts[][HOP__TRAFFIC_KINDS];
} table;

extern const hop__site __start_hop_sites[] __attribute__((visibility("hidden")));
extern const hop__site __stop_hop_sites[] __attribute__((visibility("hidden")));

static table *tables;
static _Thread_local table *own;
static uint64_t writers[LINES]; /* number of the line << THREAD_BITS | thread */

static size_t site_count(void) {
    return (size_t)(__stop_hop_sites - __start_hop_sites);
}

static table *own_table(void) {
    if (own != NULL)
        return own;
    own = calloc(1, sizeof *own + site_count() * sizeof own->counts[0]);
    if (own == NULL)
        abort(); /* a build for measuring, where a count that is left out would mislead */
    table *first = __atomic_load_n(&tables, __ATOMIC_ACQUIRE);
    do {
        own->next = first;
        own->number = first != NULL ? first->number + 1 : 1;
    } while (!__atomic_compare_exchange_n(&tables, &first, own, false, __ATOMIC_ACQ_REL,
                                          __ATOMIC_ACQUIRE));
    return own;
}

/* A cell that only its thread writes, and that others may read. */
static void add(uint64_t *cell, uint64_t amount) {
    __atomic_store_n(cell, *cell + amount, __ATOMIC_RELAXED);
}

static uint64_t look(const uint64_t *cell) {
    return __atomic_load_n(cell, __ATOMIC_RELAXED);
}

void hop__traffic_note(const hop__site *site, unsigned kind, const volatile void *cell) {
    table *mine = own_table();
    uint64_t *counts = mine->counts[site - __start_hop_sites];
    uint64_t line = (uintptr_t)cell / LINE, *writer = &writers[line % LINES];
    uint64_t last = look(writer), now = line << THREAD_BITS | mine->number;
    add(&counts[kind], 1);
    if (last == now)
        return;
    if (last >> THREAD_BITS == line)
        add(&counts[HOP__TAKEN], 1);
    __atomic_store_n(writer, now, __ATOMIC_RELAXED);
}

void hop__traffic_failed(const hop__site *site) {
    add(&own_table()->counts[site - __start_hop_sites][HOP__FAILED], 1);
}

static uint64_t processor_ns(void) {
    return hop__clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

void hop__traffic_region_begin(void) {
    add(&own_table()->regions, 1);
    own->begin = processor_ns();
}

void hop__traffic_region_end(void) {
    add(&own_table()->inside_ns, processor_ns() - own->begin);
}

/* Regions and gates do not meet: a team's caller is inside of its region when it is at a gate, so
 * `begin` of the region is kept. */
static _Thread_local uint64_t alone_begin;

void hop__traffic_alone_begin(void) {
    add(&own_table()->barriers, 1);
    alone_begin = processor_ns();
}

void hop__traffic_alone_end(void) {
    add(&own_table()->alone_ns, processor_ns() - alone_begin);
}

static void sum_of_site(size_t site, uint64_t sums[HOP__TRAFFIC_KINDS]) {
    memset(sums, 0, HOP__TRAFFIC_KINDS * sizeof *sums);
    for (const table *t = __atomic_load_n(&tables, __ATOMIC_ACQUIRE); t != NULL; t = t->next)
        for (unsigned kind = 0; kind < HOP__TRAFFIC_KINDS; kind++)
            sums[kind] += look(&t->counts[site][kind]);
}

hop__traffic hop__traffic_now(void) {
    hop__traffic all = {.serial_ns = processor_ns() - own_table()->inside_ns};
    uint64_t sums[HOP__TRAFFIC_KINDS];
    for (size_t site = 0; site < site_count(); site++) {
        sum_of_site(site, sums);
        all.swaps += sums[HOP__SWAP];
        all.failed += sums[HOP__FAILED];
        all.changes += sums[HOP__CHANGE];
        all.stores += sums[HOP__STORE];
        all.taken += sums[HOP__TAKEN];
    }
    for (const table *t = __atomic_load_n(&tables, __ATOMIC_ACQUIRE); t != NULL; t = t->next) {
        all.barriers += look(&t->barriers);
        all.regions += look(&t->regions);
        all.serial_ns += look(&t->alone_ns);
    }
    return all;
}

static const char *last_part(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

void hop__traffic_log(const hop_context *context) {
    if (!hop__log_wanted(context, HOP_LOG_DEBUG))
        return;
    hop__traffic all = hop__traffic_now();
    for (size_t i = 0; i < site_count(); i++) {
        uint64_t s[HOP__TRAFFIC_KINDS], writes;
        sum_of_site(i, s);
        writes = s[HOP__SWAP] + s[HOP__CHANGE] + s[HOP__STORE];
        if (100 * writes <= all.swaps + all.changes + all.stores &&
            100 * s[HOP__TAKEN] <= all.taken)
            continue;
        const hop__site *site = &__start_hop_sites[i];
        hop__log((hop_context *)context, HOP_LOG_DEBUG,
                 "atomics: %s:%llu in %s: %llu writes, %llu swaps, %llu failed, %llu lines taken "
                 "over",
                 last_part(site->file), (unsigned long long)site->line, last_part(site->unit),
                 (unsigned long long)writes, (unsigned long long)s[HOP__SWAP],
                 (unsigned long long)s[HOP__FAILED], (unsigned long long)s[HOP__TAKEN]);
    }
}

#endif
