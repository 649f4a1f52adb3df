/* SPDX-License-Identifier: Apache-2.0
 *
 * Pairs of vertices in a file: two ids or names per line, as the graph's file has them, with
 * blanks, a tab, a comma or a semicolon between, in quotes if need be. Empty lines and those that
 * begin with # or % are skipped, and so is a first line of column names. */
#ifndef HOPLITE_CLI_PAIR_FILE_H
#define HOPLITE_CLI_PAIR_FILE_H

#include "vertex_file.h"

typedef struct pair_list {
    hop_edge *pairs; /* to be freed */
    uint64_t count, room;
} pair_list;

/* Reads the file that --pairs names; - is standard input. Returns an exit code. */
int pairs_read(const vertex_space *space, const char *path, pair_list *list);

#endif
