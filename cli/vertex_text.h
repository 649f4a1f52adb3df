/* SPDX-License-Identifier: Apache-2.0
 *
 * Vertices as the user knows them: by their ids, or by their names where those are text. */
#ifndef HOPLITE_CLI_VERTEX_TEXT_H
#define HOPLITE_CLI_VERTEX_TEXT_H

#include "hoplite/hoplite.h"
#include "json_writer.h"

/* For people: a long name is cut short. By value, as those of number_text.h. */
typedef struct vertex_words {
    char s[72];
} vertex_words;
vertex_words vertex_text(const hop_graph *graph, hop_vertex vertex);

/* A number, or the whole name as a string; `key` is NULL inside an array. */
void vertex_json(json *out, const char *key, const hop_graph *graph, hop_vertex vertex);

#endif
