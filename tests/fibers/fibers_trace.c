/* SPDX-License-Identifier: Apache-2.0
 *
 * What is done with every access of a traced kernel: finding races and counting segments.
 *
 * Races. Each 2-byte word has a shadow with one mark per kind of access (plain or atomic, read or
 * write): the group, the item and the epoch, which is the number of barriers of the group so far.
 * Two accesses by different items are in order only if they are by the same group and a barrier
 * stands between them; if they are not in order, one of them writes, and not both are atomic, it is
 * a race. The volatile accesses of the shim count as atomic. Two groups, or two items, that did the
 * same are merged into MANY: at least one of them is not the one that comes next, so nothing is
 * lost by it. What no barrier of the executed order separates is found in any order; a branch that
 * was not taken is not.
 *
 * Segments. Access number k of an instruction by each of w items side by side is taken for one step
 * of w lanes; counted is how many aligned segments of w words they touch, for w = 1, 2, 4 … 128: a
 * device that moves whole segments moves so many (D1's analysis). 1 per window is the best, w the
 * worst. Counts are kept per kernel and parameter. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fibers.h"

enum { BUFFERS = 4096, MANY = -1, WIDTHS = 8, ROWS = 4096, SITES = 256, RACES_SHOWN = 5 };

typedef struct mark {
    int32_t group, item; /* MANY: several */
    uint32_t epoch, launch;
} mark;

typedef struct shadow {
    const char *begin, *end;
    mark (*words)[FIBERS_ACCESSES];
    uint32_t *touched; /* the launch that last touched the word */
    int parameter;     /* of this launch; -1: none */
} shadow;

typedef struct segment_row {
    char kernel[64];
    int parameter;
    uint64_t accesses, distinct, windows[WIDTHS], segments[WIDTHS];
} segment_row;

typedef struct step {
    const void *site;
    uint32_t number, item;
    uint64_t word;
    int parameter;
} step;

bool fibers_races, fibers_segments;
static shadow buffers[BUFFERS], locals;
static unsigned buffer_count;
static const fibers_launch *launch;
static uint32_t launches, group_runs;
static unsigned races;
static segment_row rows[ROWS];
static unsigned row_count;
static step *steps;
static size_t step_count, step_room;

/* --- memory ---------------------------------------------------------------------------------- */

static void shadow_init(shadow *which, const void *begin, size_t bytes) {
    size_t words = bytes / 2 + 2;
    *which = (shadow){.begin = begin, .end = (const char *)begin + bytes, .parameter = -1};
    if (fibers_races)
        which->words = calloc(words, sizeof *which->words);
    if (fibers_segments)
        which->touched = calloc(words, sizeof *which->touched);
}

static void shadow_free(shadow *which) {
    free(which->words);
    free(which->touched);
    *which = (shadow){0};
}

void fibers_buffer_made(const void *memory, size_t bytes) {
    if ((fibers_races || fibers_segments) && buffer_count < BUFFERS)
        shadow_init(&buffers[buffer_count++], memory, bytes);
}

void fibers_buffer_gone(const void *memory) {
    for (unsigned i = 0; i < buffer_count; i++)
        if (buffers[i].begin == memory) {
            shadow_free(&buffers[i]);
            buffers[i] = buffers[--buffer_count];
            return;
        }
}

static shadow *shadow_of(const char *address) {
    static unsigned last;
    if (address >= locals.begin && address < locals.end)
        return &locals;
    if (last < buffer_count && address >= buffers[last].begin && address < buffers[last].end)
        return &buffers[last];
    for (unsigned i = 0; i < buffer_count; i++)
        if (address >= buffers[i].begin && address < buffers[i].end) {
            last = i;
            return &buffers[i];
        }
    return NULL;
}

/* --- races ----------------------------------------------------------------------------------- */

static bool writes(fibers_access access) {
    return access == FIBERS_WRITE || access == FIBERS_ATOMIC_WRITE;
}

static bool atomic(fibers_access access) {
    return access >= FIBERS_ATOMIC_READ;
}

/* Whether the marked access is by another item and not in order with this one. */
static bool unordered(const mark *old, const mark *now) {
    if (old->launch != now->launch)
        return false;
    if (old->group != now->group)
        return true;
    return old->epoch == now->epoch && old->item != now->item;
}

static void merge(mark *old, const mark *now) {
    if (old->launch != now->launch || old->group == now->group) {
        bool several =
            old->launch == now->launch && old->epoch == now->epoch && old->item != now->item;
        *old = *now;
        old->item = several ? MANY : now->item;
    } else {
        old->group = MANY;
    }
}

static void report_race(const shadow *where, const char *address, fibers_access access,
                        fibers_access other, const mark *now, const mark *old) {
    static const char *const names[] = {"read", "write", "relaxed or atomic read",
                                        "relaxed or atomic write"};
    races++;
    if (races > RACES_SHOWN)
        return;
    fprintf(stderr, "fibers: data race in kernel %s: ", launch->kernel->name);
    if (where == &locals)
        fprintf(stderr, "local memory, ");
    else
        fprintf(stderr, "parameter %d, ", where->parameter);
    fprintf(stderr,
            "byte %zu: %s by item %d of group %d, %s by item %d of group %d (-1: several)\n",
            (size_t)(address - where->begin), names[access], now->item, now->group, names[other],
            old->item, old->group);
}

static void check_word(shadow *where, const char *address, fibers_access access) {
    mark *marks = where->words[(size_t)(address - where->begin) / 2];
    bool local = where == &locals;
    mark now = {(int32_t)launch->program->item->group, (int32_t)launch->program->item->local,
                local ? fibers_local_epoch : fibers_global_epoch, local ? group_runs : launches};
    for (fibers_access other = 0; other < FIBERS_ACCESSES; other++) {
        if (!writes(access) && !writes(other))
            continue;
        if (atomic(access) && atomic(other))
            continue;
        if (unordered(&marks[other], &now)) {
            report_race(where, address, access, other, &now, &marks[other]);
            break;
        }
    }
    merge(&marks[access], &now);
}

/* --- segments -------------------------------------------------------------------------------- */

static segment_row *row_of(int parameter) {
    for (unsigned i = 0; i < row_count; i++)
        if (rows[i].parameter == parameter && strcmp(rows[i].kernel, launch->kernel->name) == 0)
            return &rows[i];
    if (row_count == ROWS)
        return &rows[0];
    segment_row *row = &rows[row_count++];
    snprintf(row->kernel, sizeof row->kernel, "%s", launch->kernel->name);
    row->parameter = parameter;
    return row;
}

/* How often this item has come to this instruction. */
static uint32_t visit(const void *site) {
    static struct {
        const void *site;
        uint32_t item, run, visits;
    } table[FIBERS_GROUP_MOST][SITES];
    uint32_t item = launch->program->item->local;
    for (unsigned i = 0; i < SITES; i++) {
        if (table[item][i].run != group_runs || table[item][i].site == NULL) {
            table[item][i].site = site;
            table[item][i].run = group_runs;
            table[item][i].visits = 0;
        }
        if (table[item][i].site == site)
            return table[item][i].visits++;
    }
    return 0;
}

static void note_step(shadow *where, const char *address, const void *site) {
    size_t word = (size_t)(address - where->begin) / 4;
    if (where == &locals || where->parameter < 0)
        return;
    segment_row *row = row_of(where->parameter);
    row->accesses++;
    if (where->touched[word] != launches) {
        where->touched[word] = launches;
        row->distinct++;
    }
    if (step_count == step_room) {
        step_room = step_room ? 2 * step_room : 1 << 16;
        steps = realloc(steps, step_room * sizeof *steps);
        if (steps == NULL)
            abort();
    }
    steps[step_count++] =
        (step){site, visit(site), launch->program->item->local, word, where->parameter};
}

static int by_step(const void *a, const void *b) {
    const step *x = a, *y = b;
    if (x->site != y->site)
        return (uintptr_t)x->site < (uintptr_t)y->site ? -1 : 1;
    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    return (x->item > y->item) - (x->item < y->item);
}

/* Segments of `width` words in steps[begin, end), which are of one window. */
static unsigned distinct_segments(size_t begin, size_t end, unsigned width) {
    uint64_t seen[128];
    unsigned count = 0;
    for (size_t i = begin; i < end; i++) {
        uint64_t segment = steps[i].word / width;
        unsigned k = 0;
        while (k < count && seen[k] != segment)
            k++;
        if (k == count && count < 128)
            seen[count++] = segment;
    }
    return count;
}

static void count_segments(void) {
    qsort(steps, step_count, sizeof *steps, by_step);
    for (unsigned w = 0; w < WIDTHS; w++) {
        unsigned width = 1u << w;
        for (size_t i = 0; i < step_count;) {
            size_t end = i + 1;
            while (end < step_count && steps[end].site == steps[i].site &&
                   steps[end].number == steps[i].number &&
                   steps[end].item / width == steps[i].item / width)
                end++;
            segment_row *row = row_of(steps[i].parameter);
            row->windows[w]++;
            row->segments[w] += distinct_segments(i, end, width);
            i = end;
        }
    }
    step_count = 0;
}

__attribute__((destructor)) static void write_segments(void) {
    const char *path = getenv("HOPLITE_FIBERS_REPORT");
    FILE *file = path && row_count > 0 ? fopen(path, "a") : NULL;
    if (file == NULL)
        return;
    fprintf(file, "kernel,parameter,width,accesses,distinct,windows,segments\n");
    for (unsigned i = 0; i < row_count; i++)
        for (unsigned w = 0; w < WIDTHS; w++)
            fprintf(file, "%s,%d,%u,%llu,%llu,%llu,%llu\n", rows[i].kernel, rows[i].parameter,
                    1u << w, (unsigned long long)rows[i].accesses,
                    (unsigned long long)rows[i].distinct, (unsigned long long)rows[i].windows[w],
                    (unsigned long long)rows[i].segments[w]);
    fclose(file);
}

/* --- what the other files call --------------------------------------------------------------- */

__attribute__((constructor)) static void read_environment(void) {
    const char *what = getenv("HOPLITE_FIBERS");
    fibers_races = what != NULL && strstr(what, "races") != NULL;
    fibers_segments = what != NULL && strstr(what, "segments") != NULL;
}

void fibers_trace_launch(const fibers_launch *which) {
    launch = which;
    launches++;
    races = 0;
    for (unsigned i = 0; i < buffer_count; i++) {
        buffers[i].parameter = -1;
        for (uint32_t k = 0; k < launch->kernel->parameters; k++)
            if (launch->kernel->pointers[k] &&
                *(const char **)launch->arguments[k] == buffers[i].begin)
                buffers[i].parameter = (int)k;
    }
    shadow_free(&locals);
    if (launch->program->locals != NULL)
        shadow_init(&locals, launch->program->locals,
                    (size_t)(launch->program->locals_end - launch->program->locals));
}

void fibers_trace_group(void) {
    group_runs++;
}

void fibers_trace_group_end(void) {
    if (fibers_segments)
        count_segments();
}

unsigned fibers_trace_end(void) {
    if (races > RACES_SHOWN)
        fprintf(stderr, "fibers: %u races in this launch of %s\n", races, launch->kernel->name);
    return races;
}

void fibers_trace_access(const void *address, uint32_t bytes, fibers_access access,
                         const void *site) {
    shadow *where = shadow_of(address);
    if (where == NULL)
        return;
    if (fibers_races)
        for (uint32_t at = 0; at < bytes; at += 2)
            check_word(where, (const char *)address + at, access);
    if (fibers_segments)
        note_step(where, address, site);
}
