/* SPDX-License-Identifier: Apache-2.0
 *
 * A file of vertices, named by their labels, one per line; empty lines and what follows # or % are
 * skipped. */
#ifndef HOPLITE_CLI_VERTEX_FILE_H
#define HOPLITE_CLI_VERTEX_FILE_H

#include "session.h"

/* Puts the subgraph of the vertices in the file in the place of the graph. Returns an exit code. */
int keep_vertices(session *work, const char *path, hop_graph **graph);

#endif
