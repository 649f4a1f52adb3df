/* SPDX-License-Identifier: Apache-2.0
 * What the tests that read files too large for their budget share: edges as every format of text
 * has them, with ids of every kind. */
#ifndef HOPLITE_TESTS_CONVERT_TESTING_H
#define HOPLITE_TESTS_CONVERT_TESTING_H

#include "io/binary_testing.h"

#include <inttypes.h>

enum { MIB = 1 << 20, EDGES = 600000 };

static inline const char *path_of(char *slot, const char *name) {
    snprintf(slot, 128, "%s", temporary(name));
    return slot;
}

static inline hop_context *budget_context(uint64_t budget, unsigned threads) {
    hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
    hop_context *context = NULL;
    options.memory_budget = budget;
    options.threads = threads;
    assert_int_equal(hop_context_create(&options, &context), HOP_OK);
    return context;
}

/* ---- inputs ---------------------------------------------------------------------------------- */

typedef void (*line_fn)(FILE *file, uint64_t i, uint64_t u, uint64_t v);

static inline void plain(FILE *file, uint64_t i, uint64_t u, uint64_t v) {
    (void)i;
    fprintf(file, "%" PRIu64 " %" PRIu64 "\n", u, v);
}

static inline void labelled(FILE *file, uint64_t i, uint64_t u, uint64_t v) {
    (void)i;
    fprintf(file, "%" PRIu64 "\t%" PRIu64 "\n", 5 + 3 * u, 5 + 3 * v);
}

/* Beyond 32 bits from the middle of the file on, and too sparse for a bitmap. */
static inline void far_apart(FILE *file, uint64_t i, uint64_t u, uint64_t v) {
    uint64_t step = i > EDGES / 2 ? UINT64_C(1000000007000) : 1;
    fprintf(file, "%" PRIu64 " %" PRIu64 "\n", u * step, v * step);
}

/* int32, then int64, then float64. */
static inline void widening(FILE *file, uint64_t i, uint64_t u, uint64_t v) {
    const char *end = i == EDGES / 2 ? "00000000" : i == EDGES / 4 * 3 ? ".5" : "";
    fprintf(file, "%" PRIu64 " %" PRIu64 " %" PRIu64 "%s\n", u, v, 1 + (u * 7 + i) % 1000, end);
}

static inline void named(FILE *file, uint64_t i, uint64_t u, uint64_t v) {
    fprintf(file, "station %" PRIu64 ",\"%s%" PRIu64 "\",%" PRIu64 "\n", u,
            i % 1000 == 3 ? "a \"\"b\"\", " : "station ", v, i % 50);
}

static inline void from_one(FILE *file, uint64_t i, uint64_t u, uint64_t v) {
    fprintf(file, "%" PRIu64 " %" PRIu64 " %" PRIu64 "\n", u + 1, v + 1, 1 + i % 9);
}

static inline void dimacs(FILE *file, uint64_t i, uint64_t u, uint64_t v) {
    fprintf(file, "a ");
    from_one(file, i, u, v);
}

typedef struct text {
    const char *name, *head;
    line_fn line;
    unsigned mib; /* budget */
} text;

static const text texts[] = {
    {"plain.txt", "", plain, 10},
    {"dense.el", "# Directed graph\n# Nodes: 30000 Edges: 600000\n", plain, 10},
    {"labels.tsv", "# Isolated: 1 2 1000000\n", labelled, 9},
    {"far.txt", "", far_apart, 12},
    {"weights.wel", "", widening, 14},
    {"names.csv", "from,to,minutes\n", named, 18},
    {"matrix.mtx", "%%MatrixMarket matrix coordinate integer general\n30000 30000 600000\n",
     from_one, 12},
    {"road.gr", "p sp 30000 600000\n", dimacs, 12},
};
enum { TEXTS = sizeof texts / sizeof texts[0] };

/* The ends of edge i, out of two random numbers. */
typedef void (*ends_fn)(uint64_t i, uint64_t *u, uint64_t *v);

static inline void write_lines(const text *which, ends_fn ends_of, const char *path) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(which->head, file);
    for (uint64_t i = 0; i < EDGES; i++) {
        uint64_t ends = hop__random_at(11, 1, i), u = ends & 0xffffffff, v = ends >> 32;
        ends_of(i, &u, &v);
        which->line(file, i, u, v);
    }
    assert_int_equal(fclose(file), 0);
}

#endif
