/* SPDX-License-Identifier: Apache-2.0
 *
 * Vertices named by the user, by their ids in the graph's file (labels): as arguments of options,
 * or in a file with one per line, where empty lines and what follows # or % are skipped. */
#ifndef HOPLITE_CLI_VERTEX_FILE_H
#define HOPLITE_CLI_VERTEX_FILE_H

#include "session.h"

/* What can be named: the vertices of a graph, or the elements of a list. */
typedef struct vertex_space {
    const hop_graph *graph; /* NULL: the numbers below `count` */
    hop_vertex count;
    const char *noun;  /* "vertex" */
    const char *owner; /* "the graph" */
    /* What "random" means, unless a vertex has that name; NULL: nothing. */
    hop_vertex (*draw)(void *user);
    void *draw_user;
} vertex_space;

vertex_space space_of_graph(const hop_graph *graph);

typedef struct vertex_set {
    hop_vertex *vertices; /* to be freed */
    size_t count, room;
} vertex_set;

/* One word; `where` stands before messages, such as "--source". Returns an exit code. */
int vertex_find(const vertex_space *space, const char *where, const char *word, hop_vertex *vertex);
/* Adds all that the option `one` (repeated; with commas between if its argument in the table has
 * one) and the option `file` name. */
int vertices_take(session *work, const vertex_space *space, option_id one, option_id file,
                  vertex_set *set);
/* All elements of a list that no other leads to. */
int list_heads(const hop_vertex *successors, hop_vertex count, vertex_set *set);
/* Puts the subgraph of the vertices in the file in the place of the graph. Returns an exit code. */
int keep_vertices(session *work, const char *path, hop_graph **graph);

#endif
