/* SPDX-License-Identifier: Apache-2.0
 *
 * A file of vertices: see vertex_file.h. Order and repetition in the file do not matter. */
#include "vertex_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "complaint.h"
#include "exit_codes.h"
#include "interrupt.h"

typedef struct vertex_set {
    hop_vertex *vertices;
    size_t count, room;
} vertex_set;

static int by_number(const void *a, const void *b) {
    hop_vertex x = *(const hop_vertex *)a, y = *(const hop_vertex *)b;
    return (x > y) - (x < y);
}

/* One line: adds its vertex, if there is one. */
static int take_line(vertex_set *set, const hop_graph *graph, const char *path, uint64_t number,
                     char *line) {
    line[strcspn(line, "#%\r\n")] = '\0';
    char *word = line + strspn(line, " \t"), *end = word + strlen(word);
    while (end > word && (end[-1] == ' ' || end[-1] == '\t'))
        *--end = '\0';
    if (*word == '\0')
        return CODE_OK;
    errno = 0;
    unsigned long long label = strtoull(word, &end, 10);
    if (*word < '0' || *word > '9' || *end != '\0' || errno != 0)
        return complain(CODE_BAD_INPUT, "%s:%" PRIu64 ": \"%.40s\" found, one vertex expected",
                        path, number, word);
    hop_vertex vertex = hop_graph_find(graph, label);
    if (vertex == HOP_NO_VERTEX)
        return complain(CODE_BAD_INPUT, "%s:%" PRIu64 ": the graph has no vertex %llu", path,
                        number, label);
    if (set->count == set->room) {
        set->room = 2 * set->room + 1024;
        set->vertices = need_memory(set->vertices, set->room, sizeof set->vertices[0]);
    }
    set->vertices[set->count++] = vertex;
    return CODE_OK;
}

static int take_file(vertex_set *set, const hop_graph *graph, const char *path, FILE *file) {
    char *line = NULL;
    size_t room = 0;
    uint64_t number = 0;
    int code = CODE_OK;
    while (code == CODE_OK && getline(&line, &room, file) != -1)
        code = take_line(set, graph, path, ++number, line);
    if (code == CODE_OK && ferror(file))
        code = complain(CODE_FAILURE, "%s: %s", path, strerror(errno));
    free(line);
    return code;
}

int keep_vertices(session *work, const char *path, hop_graph **graph) {
    vertex_set set = {0};
    bool standard = strcmp(path, "-") == 0;
    hop_status status = hop_graph_check(work->context, *graph);
    if (status != HOP_OK)
        return session_fail(work, status);
    FILE *file = standard ? stdin : fopen(path, "r");
    if (file == NULL)
        return complain(CODE_FAILURE, "--vertices: %s: %s", path, strerror(errno));
    interrupt_ends_process(standard);
    int code = take_file(&set, *graph, standard ? "standard input" : path, file);
    interrupt_ends_process(false);
    if (!standard)
        fclose(file);
    if (code == CODE_OK) {
        hop_graph *kept = NULL;
        size_t unique = 0;
        if (set.count > 0)
            qsort(set.vertices, set.count, sizeof set.vertices[0], by_number);
        for (size_t i = 0; i < set.count; i++)
            if (unique == 0 || set.vertices[unique - 1] != set.vertices[i])
                set.vertices[unique++] = set.vertices[i];
        status = hop_graph_subgraph(work->context, *graph, set.vertices, (hop_vertex)unique, &kept);
        if (status != HOP_OK) {
            code = session_fail(work, status);
        } else {
            hop_graph_release(*graph);
            *graph = kept;
        }
    }
    free(set.vertices);
    return code;
}
