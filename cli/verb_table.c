/* SPDX-License-Identifier: Apache-2.0
 *
 * hoplite table GRAPH: a table of distances, from some vertices to some vertices. Rows are
 * looked at as they come, written if there is a file, and forgotten. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "complaint.h"
#include "cycle_report.h"
#include "distance_text.h"
#include "exit_codes.h"
#include "failure_text.h"
#include "graph_report.h"
#include "io/bytes/path_suffix.h"
#include "io/results/matrix_write.h"
#include "memory_need.h"
#include "problem_job.h"
#include "result_file.h"
#include "vertex_file.h"
#include "vertex_text.h"

enum { SMALL = 256 }; /* entries; so many are printed */

/* An entry of the table. */
typedef struct table_place {
    uint64_t row, column;
    int64_t distance; /* its bytes, of the type */
} table_place;

typedef struct table_verb {
    problem_job job;
    hop_table_options options;
    vertex_set sources, targets;
    uint64_t rows, columns;
    hop_weight_type type;
    uint64_t connected; /* entries that are distances */
    table_place least, greatest;
    int64_t small[SMALL]; /* the bytes of all entries, if they are few */
    /* The file is written inside a call of the library, so by a context of its own. */
    hop_context *helper;
    hop_array_writer *array;
    hop__matrix_writer *text;
    hop_status written;
    double write_seconds;
} table_verb;

static const char *output_of(const table_verb *asked) {
    return asked->job.work.given->values[OPT_OUTPUT].text;
}

static bool is_small(const table_verb *asked) {
    return asked->rows <= SMALL && asked->columns <= SMALL && asked->rows * asked->columns <= SMALL;
}

static hop_vertex vertex_at(const vertex_set *set, uint64_t at) {
    return set->count > 0 ? set->vertices[at] : (hop_vertex)at;
}

static void note_place(table_verb *asked, table_place *place, const void *entries, uint64_t at,
                       uint64_t row, uint64_t column) {
    const size_t size = hop_type_size(asked->type);
    place->row = row;
    place->column = column;
    memcpy(&place->distance, (const char *)entries + at * size, size);
}

/* Whether the entry is beyond the one that was noted: greater, or less. */
static bool is_beyond(const table_verb *asked, const table_place *place, const void *entries,
                      uint64_t at, bool greater) {
    const size_t size = hop_type_size(asked->type);
    int64_t pair[2] = {0, 0};
    memcpy(&pair[0], (const char *)entries + at * size, size);
    memcpy((char *)pair + size, &place->distance, size);
    return distance_greater(asked->type, pair, greater ? 0 : 1, greater ? 1 : 0);
}

static void look(table_verb *asked, uint64_t first, uint64_t count, const void *entries) {
    for (uint64_t i = 0, row = first; row < first + count; row++)
        for (uint64_t column = 0; column < asked->columns; column++, i++) {
            if (!distance_reached(asked->type, entries, i))
                continue;
            if (asked->connected == 0 || is_beyond(asked, &asked->least, entries, i, false))
                note_place(asked, &asked->least, entries, i, row, column);
            if (asked->connected == 0 || is_beyond(asked, &asked->greatest, entries, i, true))
                note_place(asked, &asked->greatest, entries, i, row, column);
            asked->connected++;
        }
    const uint64_t row_bytes = asked->columns * hop_type_size(asked->type);
    if (is_small(asked))
        memcpy((char *)asked->small + first * row_bytes, entries, count * row_bytes);
}

static bool take_rows(void *user, hop_vertex first, hop_vertex count, const hop_view *rows) {
    table_verb *asked = user;
    look(asked, first, count, rows->items);
    double began = clock_seconds();
    if (asked->array != NULL)
        asked->written = hop_array_append(asked->helper, asked->array, rows);
    if (asked->text != NULL)
        asked->written = hop__matrix_append(asked->helper, asked->text, rows);
    asked->write_seconds += clock_seconds() - began;
    return asked->written == HOP_OK;
}

static hop_status close_file(table_verb *asked, hop_status status) {
    if (asked->array != NULL)
        status = hop_array_close(asked->helper, asked->array, status);
    if (asked->text != NULL)
        status = hop__matrix_close(asked->helper, asked->text, status);
    asked->array = NULL;
    asked->text = NULL;
    return status;
}

/* Opens the file anew for each run; only the last one's is kept. */
static hop_status open_file(table_verb *asked) {
    const char *path = output_of(asked);
    (void)close_file(asked, HOP_ERR_CANCELLED);
    asked->write_seconds = 0;
    if (!is_given(asked->job.work.given, OPT_OUTPUT))
        return HOP_OK;
    if (hop__path_ends_unpacked(path, ".npy")) {
        hop_array array = HOP_ARRAY_INIT;
        array.type = asked->type;
        array.dimensions = 2;
        array.rows = asked->rows;
        array.columns = asked->columns;
        return hop_array_create(asked->helper, path, &array, &asked->array);
    }
    const hop__matrix matrix = {asked->job.opened.graph,
                                asked->options.sources,
                                asked->options.targets,
                                asked->rows,
                                asked->columns,
                                asked->type,
                                "source"};
    return hop__matrix_create(asked->helper, path, &matrix, &asked->text);
}

static hop_status call(void *user, const hop_run *run) {
    table_verb *asked = user;
    asked->options.run = run;
    asked->connected = 0;
    if (!run->plan) {
        asked->written = open_file(asked);
        if (asked->written != HOP_OK)
            return HOP_ERR_CANCELLED; /* and the helper has the message */
    }
    return hop_distance_table_rows(asked->job.work.context, asked->job.opened.graph,
                                   &asked->options, take_rows, asked);
}

/* What is wrong with the file is said by the context that writes it. */
static int fail_file(table_verb *asked) {
    return session_fail_writing(&asked->job.work, asked->helper, asked->written);
}

static int keep_file(table_verb *asked) {
    const char *path = output_of(asked);
    written_file written = {0};
    struct stat about;
    double began = clock_seconds();
    asked->written = close_file(asked, HOP_OK);
    if (asked->written != HOP_OK)
        return fail_file(asked);
    written.seconds = asked->write_seconds + clock_seconds() - began;
    if (strcmp(path, "-") != 0 && stat(path, &about) == 0)
        written.bytes = (uint64_t)about.st_size;
    job_wrote(&asked->job, "table", path, written);
    return CODE_OK;
}

static void tell_place(FILE *file, const table_verb *asked, const char *title,
                       const table_place *place) {
    const hop_graph *graph = asked->job.opened.graph;
    report_line(file, title, "%s, from vertex %s to %s",
                distance_text(asked->type, &place->distance, 0).s,
                vertex_text(graph, vertex_at(&asked->sources, place->row)).s,
                vertex_text(graph, vertex_at(&asked->targets, place->column)).s);
}

/* The table itself, in lines: names are cut short. */
static void print_small(FILE *file, const table_verb *asked) {
    const hop_graph *graph = asked->job.opened.graph;
    fprintf(file, "\nsource");
    for (uint64_t column = 0; column < asked->columns; column++)
        fprintf(file, "\t%s", vertex_text(graph, vertex_at(&asked->targets, column)).s);
    fputc('\n', file);
    for (uint64_t row = 0; row < asked->rows; row++) {
        fprintf(file, "%s", vertex_text(graph, vertex_at(&asked->sources, row)).s);
        for (uint64_t column = 0; column < asked->columns; column++)
            fprintf(file, "\t%s",
                    distance_text(asked->type, asked->small, row * asked->columns + column).s);
        fputc('\n', file);
    }
}

static void tell(table_verb *asked) {
    problem_job *job = &asked->job;
    FILE *file = job_facts(job);
    job_tell(job, 0, "");
    if (file == NULL)
        return;
    report_line(file, "table", "%s by %s", counted_text(asked->rows, "source", "sources").s,
                counted_text(asked->columns, "target", "targets").s);
    report_line(file, "connected", "%s of %s pairs", count_text(asked->connected).s,
                count_text(asked->rows * asked->columns).s);
    if (asked->connected > 0) {
        tell_place(file, asked, "least", &asked->least);
        tell_place(file, asked, "greatest", &asked->greatest);
    }
    if (is_given(job->work.given, OPT_OUTPUT))
        return;
    if (is_small(asked))
        print_small(file, asked);
    else
        session_say(&job->work, "-o FILE writes the table");
}

static void place_json(json *out, const char *key, const table_verb *asked,
                       const table_place *place) {
    const hop_graph *graph = asked->job.opened.graph;
    if (asked->connected == 0) {
        json_null(out, key);
        return;
    }
    json_object(out, key);
    vertex_json(out, "source", graph, vertex_at(&asked->sources, place->row));
    vertex_json(out, "target", graph, vertex_at(&asked->targets, place->column));
    distance_json(out, "distance", asked->type, &place->distance, 0);
    json_end(out);
}

/* The ends and the entries, if they are few. */
static void small_json(json *out, const table_verb *asked) {
    const hop_graph *graph = asked->job.opened.graph;
    json_array(out, "sources");
    for (uint64_t row = 0; row < asked->rows; row++)
        vertex_json(out, NULL, graph, vertex_at(&asked->sources, row));
    json_end(out);
    json_array(out, "targets");
    for (uint64_t column = 0; column < asked->columns; column++)
        vertex_json(out, NULL, graph, vertex_at(&asked->targets, column));
    json_end(out);
    json_array(out, "distances");
    for (uint64_t row = 0; row < asked->rows; row++) {
        json_array(out, NULL);
        for (uint64_t column = 0; column < asked->columns; column++)
            distance_json(out, NULL, asked->type, asked->small, row * asked->columns + column);
        json_end(out);
    }
    json_end(out);
}

static void print_json(table_verb *asked) {
    json out;
    json_begin(&out, stdout, "table");
    job_json(&out, &asked->job);
    json_string(&out, "distance_type", hop_type_name(asked->type));
    json_count(&out, "rows", asked->rows);
    json_count(&out, "columns", asked->columns);
    json_count(&out, "connected_pairs", asked->connected);
    place_json(&out, "least", asked, &asked->least);
    place_json(&out, "greatest", asked, &asked->greatest);
    if (is_small(asked))
        small_json(&out, asked);
    json_null(&out, "negative_cycle");
    job_files_json(&out, &asked->job);
    json_finish(&out);
}

/* One side of the table. */
static int take_side(table_verb *asked, option_id one, option_id file, vertex_set *set,
                     const hop_vertex **vertices, hop_vertex *count) {
    problem_job *job = &asked->job;
    const vertex_space space = space_of_graph(job->opened.graph);
    if (!is_given(job->work.given, one) && !is_given(job->work.given, file))
        return CODE_OK;
    int code = vertices_take(&job->work, &space, one, file, set);
    if (code == CODE_OK && set->count == 0)
        return complain(CODE_USAGE, "--%s: no vertex is named", option_rows[file].name);
    if (code == CODE_OK && set->count > UINT32_MAX)
        return complain(CODE_USAGE, "--%s: more than 2^32 - 1 of them", option_rows[one].name);
    *vertices = set->vertices;
    *count = (hop_vertex)set->count;
    return code;
}

static int take_sides(table_verb *asked) {
    problem_job *job = &asked->job;
    asked->options = (hop_table_options)HOP_TABLE_OPTIONS_INIT;
    int code = take_side(asked, OPT_TABLE_SOURCE, OPT_TABLE_SOURCES, &asked->sources,
                         &asked->options.sources, &asked->options.source_count);
    if (code == CODE_OK)
        code = take_side(asked, OPT_TABLE_TARGET, OPT_TABLE_TARGETS, &asked->targets,
                         &asked->options.targets, &asked->options.target_count);
    const hop_vertex n = job->info.vertices;
    asked->rows = asked->options.sources != NULL ? asked->options.source_count : n;
    asked->columns = asked->options.targets != NULL ? asked->options.target_count : n;
    asked->type = hop_distance_type(job->info.weight_type);
    job->rows = asked->rows < asked->columns ? asked->rows : asked->columns;
    return code;
}

static int solve(table_verb *asked) {
    problem_job *job = &asked->job;
    hop_status status;
    int code = take_sides(asked);
    if (code == CODE_OK)
        code = job_writer(job, is_given(job->work.given, OPT_OUTPUT) ? output_of(asked) : NULL,
                          &asked->written, &asked->helper);
    if (code != CODE_OK)
        return code;
    code = job_solve(job, call, asked, &status);
    if (asked->written != HOP_OK)
        return fail_file(asked);
    if (code != CODE_OK || job_is_dry(job))
        return code;
    if (status != HOP_OK)
        return cycle_report(job);
    tell(asked);
    if (is_given(job->work.given, OPT_OUTPUT))
        code = keep_file(asked);
    if (code == CODE_OK && job->work.json)
        print_json(asked);
    return code;
}

static bool is_standard(const arguments *given, option_id option) {
    return is_given(given, option) && strcmp(given->values[option].text, "-") == 0;
}

static int check_arguments(const arguments *given) {
    const bool sources = is_given(given, OPT_TABLE_SOURCE) || is_given(given, OPT_TABLE_SOURCES);
    const bool targets = is_given(given, OPT_TABLE_TARGET) || is_given(given, OPT_TABLE_TARGETS);
    const char *graph = given->operands[0];
    if (!sources && !targets) {
        complain(CODE_USAGE, "from where to where? --source, --sources, --target or --targets "
                             "expected");
        advise("hoplite apsp is for the distances between all vertices");
        return CODE_USAGE;
    }
    if ((graph != NULL && strcmp(graph, "-") == 0) + is_standard(given, OPT_TABLE_SOURCES) +
            is_standard(given, OPT_TABLE_TARGETS) >
        1)
        return complain(CODE_USAGE, "only one of graph, --sources and --targets can be -");
    return results_check(given);
}

int run_table(const arguments *given) {
    table_verb asked = {0};
    int code = job_open(&asked.job, given, HOP_PROBLEM_APSP);
    if (code == CODE_OK)
        code = check_arguments(given);
    if (code == CODE_OK)
        code = job_read_graph(&asked.job);
    if (code == CODE_OK)
        code = solve(&asked);
    (void)!close_file(&asked, HOP_ERR_CANCELLED);
    hop_context_free(asked.helper);
    free(asked.sources.vertices);
    free(asked.targets.vertices);
    job_close(&asked.job);
    return code;
}
