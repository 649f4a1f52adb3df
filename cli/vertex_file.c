/* SPDX-License-Identifier: Apache-2.0
 *
 * Vertices named by the user: see vertex_file.h. */
#include "vertex_file.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "complaint.h"
#include "core/nearest_word.h"
#include "exit_codes.h"
#include "interrupt.h"
#include "option_table.h"
#include "vertex_text.h"

enum { NAMES_LOOKED_AT = 1 << 15 }; /* before and after where a name would be */

vertex_space space_of_graph(const hop_graph *graph) {
    return (vertex_space){
        .graph = graph, .count = hop_graph_vertices(graph), .noun = "vertex", .owner = "the graph"};
}

static void set_add(vertex_set *set, hop_vertex vertex) {
    if (set->count == set->room) {
        set->room = 2 * set->room + 16;
        set->vertices = need_memory(set->vertices, set->room, sizeof set->vertices[0]);
    }
    set->vertices[set->count++] = vertex;
}

static hop_vertex lookup(const vertex_space *space, uint64_t label) {
    if (space->graph != NULL)
        return hop_graph_find(space->graph, label);
    return label < space->count ? (hop_vertex)label : HOP_NO_VERTEX;
}

/* Says what there is instead: the range, or the ids around the one that is not there. */
static void advise_nearest(const vertex_space *space, uint64_t label) {
    const hop_graph *graph = space->graph;
    const uint64_t *labels = graph != NULL ? hop_graph_labels(graph) : NULL;
    if (space->count == 0) {
        advise("%s is empty", space->owner);
        return;
    }
    hop_vertex last = space->count - 1;
    uint64_t least = graph != NULL ? hop_graph_label(graph, 0) : 0;
    uint64_t greatest = graph != NULL ? hop_graph_label(graph, last) : last;
    if (labels == NULL || label < least || label > greatest) {
        advise("%s goes from %" PRIu64 " to %" PRIu64, space->owner, least, greatest);
        return;
    }
    hop_vertex low = 0, high = last;
    while (high - low > 1) {
        hop_vertex middle = low + (high - low) / 2;
        *(labels[middle] < label ? &low : &high) = middle;
    }
    advise("the nearest are %" PRIu64 " and %" PRIu64, labels[low], labels[high]);
}

static bool parse_label(const char *word, uint64_t *label) {
    char *end;
    errno = 0;
    unsigned long long value = strtoull(word, &end, 10);
    *label = value;
    return *word >= '0' && *word <= '9' && *end == '\0' && errno == 0;
}

static bool is_named(const vertex_space *space) {
    return space->graph != NULL && hop_graph_named(space->graph);
}

/* The name that was meant, by its letters, among those around `at` in the order of names, which are
 * as many as take a tenth of a second at most. HOP_NO_VERTEX if none is near enough. */
static hop_vertex name_meant(const vertex_space *space, const char *name, hop_vertex at) {
    hop_vertex begin = at > NAMES_LOOKED_AT ? at - NAMES_LOOKED_AT : 0, best = HOP_NO_VERTEX;
    hop_vertex end = space->count - at > NAMES_LOOKED_AT ? at + NAMES_LOOKED_AT : space->count;
    hop__nearest search;
    hop__nearest_begin(&search, name);
    for (hop_vertex v = begin; v < end; v++) {
        size_t before = search.distance;
        vertex_words candidate = vertex_text(space->graph, v);
        hop__nearest_offer(&search, candidate.s);
        best = search.distance < before ? v : best;
    }
    return hop__nearest_best(&search) != NULL ? best : HOP_NO_VERTEX;
}

/* Says what there is instead of a name: the one that was meant, or those around it. */
static void advise_names(const vertex_space *space, const char *name, size_t length) {
    hop_vertex low = 0, high = space->count;
    while (low < high) {
        hop_vertex middle = low + (high - low) / 2;
        size_t other_length;
        const char *other = hop_graph_name(space->graph, middle, &other_length);
        int order = memcmp(other, name, other_length < length ? other_length : length);
        if (order < 0 || (order == 0 && other_length < length))
            low = middle + 1;
        else
            high = middle;
    }
    hop_vertex meant = name_meant(space, name, low);
    if (space->count == 0)
        advise("%s is empty", space->owner);
    else if (meant != HOP_NO_VERTEX)
        advise("did you mean %s?", vertex_text(space->graph, meant).s);
    else if (low == 0 || low == space->count)
        advise("names go from %s to %s", vertex_text(space->graph, 0).s,
               vertex_text(space->graph, space->count - 1).s);
    else
        advise("the nearest names are %s and %s", vertex_text(space->graph, low - 1).s,
               vertex_text(space->graph, low).s);
}

static int find_name(const vertex_space *space, const char *where, int code, const char *name,
                     size_t length, hop_vertex *vertex) {
    *vertex = hop_graph_find_name(space->graph, name, length);
    if (*vertex != HOP_NO_VERTEX)
        return CODE_OK;
    complain(code, "%s: %s has no %s \"%.64s\"", where, space->owner, space->noun, name);
    advise_names(space, name, length);
    return code;
}

int vertex_find(const vertex_space *space, const char *where, const char *word,
                hop_vertex *vertex) {
    uint64_t label;
    if (space->draw != NULL && strcmp(word, "random") == 0 &&
        !(is_named(space) && hop_graph_find_name(space->graph, word, 6) != HOP_NO_VERTEX)) {
        *vertex = space->draw(space->draw_user);
        return CODE_OK;
    }
    if (is_named(space))
        return find_name(space, where, CODE_USAGE, word, strlen(word), vertex);
    if (!parse_label(word, &label)) {
        complain(CODE_USAGE, "%s: \"%.40s\" found, the number of a%s %s expected", where, word,
                 *space->noun == 'e' ? "n" : "", space->noun);
        int first = (int)strspn(word, "0123456789");
        if (first > 0 && strchr(", ;", word[first]) != NULL && strncmp(where, "--", 2) == 0)
            advise("for several give the option several times: %s %.*s %s ...", where, first, word,
                   where);
        return CODE_USAGE;
    }
    *vertex = lookup(space, label);
    if (*vertex != HOP_NO_VERTEX)
        return CODE_OK;
    complain(CODE_USAGE, "%s: %s has no %s %" PRIu64, where, space->owner, space->noun, label);
    advise_nearest(space, label);
    return CODE_USAGE;
}

/* Whether a first line is the name of the column, as --ids writes it to .csv. */
static bool is_column_name(const char *word, uint64_t line) {
    return line == 1 && strcmp(word, "id") == 0;
}

/* ---- files of names -------------------------------------------------------------------------- */

/* A file with one name per line: the fields of a table with one column, as --ids writes them. */
typedef struct name_file {
    FILE *file;
    int ahead[3]; /* bytes that were read to see whether a byte order mark is there */
    unsigned held;
    uint64_t line, row;          /* lines that have ended; the line in which the last name began */
    char name[HOP_MAX_NAME + 2]; /* one byte too many, and a zero */
    size_t length;
} name_file;

typedef enum name_result { NAME_NONE, NAME_FOUND, NAME_LONG, NAME_OPEN, NAME_AFTER } name_result;

static int next_byte(name_file *in) {
    int byte;
    if (in->held > 0) {
        byte = in->ahead[0];
        in->held--;
        memmove(in->ahead, in->ahead + 1, in->held * sizeof in->ahead[0]);
    } else {
        byte = getc(in->file);
    }
    in->line += byte == '\n';
    return byte;
}

static void skip_mark(name_file *in) {
    static const int mark[] = {0xef, 0xbb, 0xbf};
    for (unsigned i = 0; i < 3; i++) {
        in->ahead[in->held++] = getc(in->file);
        if (in->ahead[i] != mark[i])
            return;
    }
    in->held = 0;
}

static bool put_byte(name_file *in, int byte) {
    if (in->length > HOP_MAX_NAME)
        return false;
    in->name[in->length++] = (char)byte;
    return true;
}

/* Behind the opening quote. */
static name_result read_quoted(name_file *in) {
    int byte;
    for (;;) {
        byte = next_byte(in);
        if (byte == EOF)
            return NAME_OPEN;
        if (byte == '"' && (byte = next_byte(in)) != '"')
            break;
        if (!put_byte(in, byte))
            return NAME_LONG;
    }
    while (byte == ' ' || byte == '\t' || byte == '\r')
        byte = next_byte(in);
    return byte == '\n' || byte == EOF ? NAME_FOUND : NAME_AFTER;
}

/* The next line that has a name; NAME_NONE at the end. */
static name_result read_name(name_file *in) {
    int byte;
    in->length = 0;
    do {
        byte = next_byte(in);
        if (byte == '#' || byte == '%')
            while (byte != EOF && byte != '\n')
                byte = next_byte(in);
    } while (byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n');
    in->row = in->line + 1;
    if (byte == EOF)
        return NAME_NONE;
    if (byte == '"')
        return read_quoted(in);
    for (; byte != EOF && byte != '\n'; byte = next_byte(in))
        if (!put_byte(in, byte))
            return NAME_LONG;
    while (in->length > 0 && memchr(" \t\r", in->name[in->length - 1], 3) != NULL)
        in->length--;
    return NAME_FOUND;
}

static int take_names(vertex_set *set, const vertex_space *space, const char *path, FILE *file) {
    static const char *const faults[] = {
        [NAME_LONG] = "a name of more than 65,535 bytes",
        [NAME_OPEN] = "a quote that is not closed",
        [NAME_AFTER] = "more after a closing quote, one name expected",
    };
    char where[PATH_MAX + 32];
    name_file *in = need_memory(NULL, 1, sizeof *in);
    name_result found;
    int code = CODE_OK;
    *in = (name_file){.file = file};
    skip_mark(in);
    while (code == CODE_OK && (found = read_name(in)) != NAME_NONE) {
        hop_vertex vertex = HOP_NO_VERTEX;
        snprintf(where, sizeof where, "%s:%" PRIu64, path, in->row);
        in->name[in->length] = '\0';
        if (found == NAME_FOUND && is_column_name(in->name, in->row) &&
            hop_graph_find_name(space->graph, in->name, in->length) == HOP_NO_VERTEX)
            continue;
        code = found != NAME_FOUND
                   ? complain(CODE_BAD_INPUT, "%s: %s", where, faults[found])
                   : find_name(space, where, CODE_BAD_INPUT, in->name, in->length, &vertex);
        if (code == CODE_OK)
            set_add(set, vertex);
    }
    free(in);
    return code;
}

/* ---- files of numbers ------------------------------------------------------------------------ */

/* One line: adds its vertex, if there is one. */
static int take_line(vertex_set *set, const vertex_space *space, const char *path, uint64_t number,
                     char *line) {
    uint64_t label;
    line[strcspn(line, "#%\r\n")] = '\0';
    char *word = line + strspn(line, " \t"), *end = word + strlen(word);
    while (end > word && (end[-1] == ' ' || end[-1] == '\t'))
        *--end = '\0';
    if (*word == '\0' || is_column_name(word, number))
        return CODE_OK;
    if (!parse_label(word, &label))
        return complain(CODE_BAD_INPUT, "%s:%" PRIu64 ": \"%.40s\" found, one %s expected", path,
                        number, word, space->noun);
    hop_vertex vertex = lookup(space, label);
    if (vertex == HOP_NO_VERTEX) {
        complain(CODE_BAD_INPUT, "%s:%" PRIu64 ": %s has no %s %" PRIu64, path, number,
                 space->owner, space->noun, label);
        advise_nearest(space, label);
        return CODE_BAD_INPUT;
    }
    set_add(set, vertex);
    return CODE_OK;
}

/* The rest of a line that is longer than its buffer: of a comment it is skipped. */
static int pass_rest(const char *path, uint64_t number, const char *line, size_t size, FILE *file) {
    size_t plain = strcspn(line, "#%");
    int byte;
    if (plain + 1 >= size || line[plain] == '\0')
        return complain(CODE_BAD_INPUT, "%s:%" PRIu64 ": a line of more than %zu bytes", path,
                        number, size - 1);
    while ((byte = getc(file)) != EOF && byte != '\n')
        ;
    return CODE_OK;
}

static int take_lines(vertex_set *set, const vertex_space *space, const char *path, FILE *file) {
    char line[4096];
    uint64_t number = 0;
    int code = CODE_OK;
    if (is_named(space))
        code = take_names(set, space, path, file);
    for (;;) {
        memset(line, '\n', sizeof line); /* to see how far it was filled: it may have zeros */
        if (code != CODE_OK || fgets(line, sizeof line, file) == NULL)
            break;
        number++;
        if (line[sizeof line - 1] == '\0' && line[sizeof line - 2] != '\n')
            code = pass_rest(path, number, line, sizeof line, file);
        if (code == CODE_OK)
            code = take_line(set, space, path, number, line);
    }
    if (code == CODE_OK && ferror(file))
        code = complain(CODE_FAILURE, "%s: %s", path, strerror(errno));
    return code;
}

static int take_file(vertex_set *set, const vertex_space *space, option_id option,
                     const char *path) {
    bool standard = strcmp(path, "-") == 0;
    interrupt_ends_process(true);
    FILE *file = standard ? stdin : fopen(path, "r");
    int code = file == NULL ? complain(CODE_FAILURE, "--%s: %s: %s", option_rows[option].name, path,
                                       strerror(errno))
                            : take_lines(set, space, standard ? "standard input" : path, file);
    interrupt_ends_process(false);
    if (!standard && file != NULL)
        fclose(file);
    return code;
}

/* One argument: a vertex, or several with commas between where the option's table says so, unless
 * the whole is a name of the graph. */
static int take_word(vertex_set *set, const vertex_space *space, option_id option,
                     const char *text) {
    bool several = strchr(option_rows[option].argument, ',') != NULL, more;
    size_t length = strlen(text);
    char where[32], *words = need_memory(NULL, length + 1, 1), *word = words;
    int code;
    memcpy(words, text, length + 1);
    snprintf(where, sizeof where, "--%s", option_rows[option].name);
    if (several && is_named(space))
        several = hop_graph_find_name(space->graph, text, length) == HOP_NO_VERTEX;
    do {
        hop_vertex vertex = HOP_NO_VERTEX;
        length = several ? strcspn(word, ",") : strlen(word);
        more = word[length] == ',';
        word[length] = '\0';
        code = vertex_find(space, where, word, &vertex);
        if (code == CODE_OK)
            set_add(set, vertex);
        word += length + 1;
    } while (code == CODE_OK && more);
    free(words);
    return code;
}

int vertices_take(session *work, const vertex_space *space, option_id one, option_id file,
                  vertex_set *set) {
    const arguments *given = work->given;
    int code = CODE_OK;
    const char *word;
    for (size_t i = 0; code == CODE_OK && (word = given_text(given, one, i)) != NULL; i++)
        code = take_word(set, space, one, word);
    if (code == CODE_OK && is_given(given, file)) {
        const char *path = given->values[file].text;
        code = take_file(set, space, file, path);
        if (code != CODE_OK && strpbrk(path, "./") == NULL && access(path, F_OK) != 0)
            advise("--%s takes a file; for the vertices themselves: --%s %s",
                   option_rows[file].name, option_rows[one].name, path);
    }
    return code;
}

int list_heads(const hop_vertex *successors, hop_vertex count, vertex_set *set) {
    size_t words = (size_t)count / 64 + 1;
    uint64_t *led_to = calloc(words, sizeof *led_to);
    if (led_to == NULL)
        return complain(CODE_FAILURE, "no memory for %zu times 8 bytes", words);
    for (hop_vertex i = 0; i < count; i++)
        if (successors[i] != i)
            led_to[successors[i] / 64] |= UINT64_C(1) << (successors[i] % 64);
    for (hop_vertex i = 0; i < count; i++)
        if ((led_to[i / 64] >> (i % 64) & 1) == 0)
            set_add(set, i);
    free(led_to);
    return CODE_OK;
}

static int by_number(const void *a, const void *b) {
    hop_vertex x = *(const hop_vertex *)a, y = *(const hop_vertex *)b;
    return (x > y) - (x < y);
}

int keep_vertices(session *work, const char *path, hop_graph **graph) {
    vertex_set set = {0};
    hop_status status = hop_graph_check(work->context, *graph);
    if (status != HOP_OK)
        return session_fail(work, status);
    vertex_space space = space_of_graph(*graph);
    int code = take_file(&set, &space, OPT_VERTICES, path);
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
