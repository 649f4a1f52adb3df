/* SPDX-License-Identifier: Apache-2.0
 *
 * Text into files: numbers in their shortest form, and rows formatted in parallel but written in
 * order.
 *
 * Weights read back as the same bits: integers as they are; floats with the fewest digits of a few
 * cheap tries, else with 17 (float32: 9) significant digits. Independent of the locale. */
#ifndef HOPLITE_IO_TEXT_TEXT_PRINT_H
#define HOPLITE_IO_TEXT_TEXT_PRINT_H

#include "graph/graph_internal.h"
#include "io/bytes/output.h"

/* Longest results of the two functions below. */
enum { HOP__PRINT_U64 = 20, HOP__PRINT_WEIGHT = 26 };

/* Both write at `at` and return the end. */
char *hop__print_u64(char *at, uint64_t value);
char *hop__print_weight(char *at, hop_weight_type type, const void *weights, uint64_t index);
/* A name of text in a column: as it is, or in quotes (doubled inside) where it has the separator, a
 * quote, an end of line, a blank at either end, or begins like a comment. At most
 * hop__print_name_bytes of its length. */
char *hop__print_name(char *at, const char *name, size_t length, char separator);
static inline size_t hop__print_name_bytes(size_t length) {
    return 2 * length + 2;
}
/* The name or label of a vertex. */
char *hop__print_vertex(char *at, const hop_graph *graph, hop_vertex vertex, char separator);
/* The most bytes that takes. */
size_t hop__print_vertex_bytes(const hop_graph *graph);
/* The same as a string, for messages: exact, and as short as that can be. "1" without weights. */
enum { HOP__WEIGHT_TEXT = HOP__PRINT_WEIGHT + 1 };
const char *hop__weight_text(hop_weight_type type, const void *weights, uint64_t index,
                             char text[HOP__WEIGHT_TEXT]);

/* Formats items begin .. end-1 at `at`, at most `item_bytes` each; returns the end. Any thread. */
typedef char *(*hop__print_fn)(const void *user, uint64_t begin, uint64_t end, char *at);

/* Formats all items in parallel and writes them in order. `phase` is for progress. */
hop_status hop__print_items(hop_context *context, hop__output *output, const char *phase,
                            uint64_t items, size_t item_bytes, hop__print_fn fn, const void *user);

/* What that takes of the budget, beside the output, if it is done now. */
uint64_t hop__print_bytes(const hop_context *context, size_t item_bytes);

/* Which arcs of a graph are written, and how: [tag] from to [weight], one per line. Vertices by
 * their labels. */
typedef struct hop__arc_style {
    const hop_graph *graph;
    const char *tag; /* before each line, such as "a " */
    char separator;
    bool unit_weights; /* 1 where the graph has no weights */
    /* Of an undirected graph each edge once: the arcs with from <= to, or with to <= from. */
    enum { HOP__ARCS_ALL, HOP__ARCS_UPPER, HOP__ARCS_LOWER } which;
} hop__arc_style;

hop_status hop__print_arcs(hop_context *context, hop__output *output, const hop__arc_style *style);

#endif
