/* SPDX-License-Identifier: Apache-2.0
 *
 * Files of pairs: see pair_file.h. */
#include "pair_file.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "complaint.h"
#include "exit_codes.h"
#include "interrupt.h"

/* What a line has; fields are cut out of it in place. */
typedef struct pair_fields {
    char *fields[2];
    size_t lengths[2];
    const char *fault; /* NULL: none */
} pair_fields;

static bool is_blank(char byte) {
    return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n';
}

/* A field in quotes, "" in it for one; `at` is behind the first. What is behind the last, or NULL.
 */
static char *cut_quoted(char *at, char *end, size_t *length) {
    char *to = at, *from = at;
    for (; from < end; from++) {
        if (*from == '"' && (from + 1 == end || from[1] != '"')) {
            *length = (size_t)(to - at);
            return from + 1;
        }
        from += *from == '"';
        *to++ = *from;
    }
    return NULL;
}

/* One field. A name without quotes ends at a comma, semicolon or tab; where the line has none of
 * them, at a blank. Returns what is behind it, or NULL with a fault. */
static char *cut_field(char *at, char *end, const char *between, pair_fields *cut, size_t which) {
    while (at < end && is_blank(*at))
        at++;
    cut->fields[which] = at;
    if (at < end && *at == '"') {
        cut->fields[which] = at + 1;
        at = cut_quoted(at + 1, end, &cut->lengths[which]);
        if (at == NULL)
            cut->fault = "a quote that is not closed";
        return at;
    }
    while (at < end && strchr(between, *at) == NULL)
        at++;
    size_t length = (size_t)(at - cut->fields[which]);
    while (length > 0 && is_blank(cut->fields[which][length - 1]))
        length--;
    cut->lengths[which] = length;
    if (length == 0)
        cut->fault =
            which == 0 ? "no vertex found, two expected" : "one vertex found, two expected";
    return length == 0 ? NULL : at;
}

/* The characters that separate fields in this line: a comma, semicolon or tab outside quotes, or
 * blanks where there is none. */
static const char *separators(const char *line, const char *end) {
    bool quoted = false;
    for (const char *at = line; at < end; at++) {
        quoted ^= *at == '"';
        if (!quoted && (*at == ',' || *at == ';'))
            return *at == ',' ? "," : ";";
    }
    for (const char *at = line; at < end; at++)
        if (*at == '\t')
            return "\t";
    return " ";
}

static void cut_line(char *line, char *end, pair_fields *cut) {
    *cut = (pair_fields){.fault = NULL};
    while (end > line && is_blank(end[-1]))
        *--end = '\0';
    const char *between = separators(line, end);
    char *at = cut_field(line, end, between, cut, 0);
    if (at == NULL)
        return;
    while (at < end && is_blank(*at))
        at++;
    if (at < end && *between != ' ' && *at == *between)
        at++;
    at = cut_field(at, end, between, cut, 1);
    while (at != NULL && at < end && is_blank(*at))
        at++;
    if (at != NULL && at < end)
        cut->fault = "more than two vertices found; a pair is FROM and TO";
    for (size_t i = 0; i < 2 && cut->fault == NULL; i++)
        cut->fields[i][cut->lengths[i]] = '\0';
}

static bool is_header(const pair_fields *cut) {
    static const char *const words[][2] = {
        {"from", "to"}, {"source", "target"}, {"src", "dst"}, {"u", "v"}};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcasecmp(cut->fields[0], words[i][0]) == 0 &&
            strcasecmp(cut->fields[1], words[i][1]) == 0)
            return true;
    return false;
}

static void list_add(pair_list *list, hop_edge pair) {
    if (list->count == list->room) {
        list->room = 2 * list->room + 64;
        list->pairs = need_memory(list->pairs, list->room, sizeof list->pairs[0]);
    }
    list->pairs[list->count++] = pair;
}

/* One line that is no comment. `first`: no other has come before. */
static int take_pair(const vertex_space *space, const char *path, uint64_t number, char *line,
                     size_t length, bool first, pair_list *list) {
    char where[PATH_MAX + 32];
    pair_fields cut;
    hop_edge pair = {0, 0};
    cut_line(line, line + length, &cut);
    if (cut.fault != NULL)
        return complain(CODE_BAD_INPUT, "%s:%" PRIu64 ": %s", path, number, cut.fault);
    if (first && is_header(&cut) &&
        (space->graph == NULL || !hop_graph_named(space->graph) ||
         hop_graph_find_name(space->graph, cut.fields[0], cut.lengths[0]) == HOP_NO_VERTEX))
        return CODE_OK;
    snprintf(where, sizeof where, "%s:%" PRIu64, path, number);
    int code = vertex_find(space, where, cut.fields[0], &pair.from);
    if (code == CODE_OK)
        code = vertex_find(space, where, cut.fields[1], &pair.to);
    if (code == CODE_OK)
        list_add(list, pair);
    return code == CODE_OK ? code : CODE_BAD_INPUT;
}

static int take_pairs(const vertex_space *space, const char *path, FILE *file, pair_list *list) {
    char *line = NULL;
    size_t room = 0;
    ssize_t length;
    uint64_t number = 0;
    bool first = true;
    int code = CODE_OK;
    while (code == CODE_OK && (length = getline(&line, &room, file)) >= 0) {
        char *at = line;
        size_t left = (size_t)length;
        if (number++ == 0 && left >= 3 && memcmp(at, "\xef\xbb\xbf", 3) == 0) {
            at += 3; /* a byte order mark */
            left -= 3;
        }
        while (left > 0 && is_blank(*at)) {
            at++;
            left--;
        }
        if (left == 0 || *at == '#' || *at == '%')
            continue;
        code = take_pair(space, path, number, at, left, first, list);
        first = false;
    }
    if (code == CODE_OK && ferror(file))
        code = complain(CODE_FAILURE, "%s: %s", path, strerror(errno));
    free(line);
    return code;
}

int pairs_read(const vertex_space *space, const char *path, pair_list *list) {
    bool standard = strcmp(path, "-") == 0;
    interrupt_ends_process(true);
    FILE *file = standard ? stdin : fopen(path, "r");
    int code = file == NULL ? complain(CODE_FAILURE, "--pairs: %s: %s", path, strerror(errno))
                            : take_pairs(space, standard ? "standard input" : path, file, list);
    interrupt_ends_process(false);
    if (!standard && file != NULL)
        fclose(file);
    return code;
}
