/* SPDX-License-Identifier: Apache-2.0
 *
 * Feeds arbitrary bytes to the readers of results: arrays (.npy), tables of numbers, and tables
 * with names of vertices. What comes out can be looked at from end to end, and written and read
 * again it is the same; a failure names the file; no memory stays in use. */
#include <string.h>

#include "fuzz_target.h"
#include "io/results/result_table.h"
#include "scratch_file.h"

static void check_failure(hop_context *context, hop_status status, const char *path) {
    require(status == HOP_ERR_INPUT || status == HOP_ERR_BUDGET || status == HOP_ERR_UNSUPPORTED,
            "the status is one for bad input", context);
    require(status == HOP_ERR_BUDGET || strstr(hop_context_message(context), path) != NULL,
            "the message names the file", context);
}

static void use_array(hop_context *context, const char *path) {
    hop_array_file *file = NULL, *again = NULL;
    hop_array_writer *writer = NULL;
    hop_status status = hop_array_read(context, path, NULL, &file);
    if (status != HOP_OK) {
        require(file == NULL, "no array comes with a failure", context);
        check_failure(context, status, path);
        return;
    }
    const hop_array *array = hop_array_file_array(file), *back;
    uint64_t items = array->rows * array->columns;
    if (!fuzz_is_new(fuzz_hash(array->items, items * hop_type_size(array->type)) +
                     array->columns)) {
        hop_array_file_free(file);
        return; /* files are slow */
    }
    const char *written = scratch_path("written.npy");
    require(hop_array_create(context, written, array, &writer) == HOP_OK, "it can be written",
            context);
    require(items == 0 || hop_array_append(context, writer,
                                           &(hop_view){array->items, items, array->type}) == HOP_OK,
            "with its items", context);
    require(hop_array_close(context, writer, HOP_OK) == HOP_OK, "and closed", context);
    require(hop_array_read(context, written, NULL, &again) == HOP_OK, "and read", context);
    back = hop_array_file_array(again);
    require(back->type == array->type && back->rows == array->rows &&
                back->columns == array->columns && back->dimensions == array->dimensions,
            "it has the same shape", context);
    require(items == 0 ||
                memcmp(back->items, array->items, items * hop_type_size(array->type)) == 0,
            "it has the same items", context);
    hop_array_file_free(again);
    hop_array_file_free(file);
}

/* A graph with names of every kind: with blanks, delimiters and quotes, and such as look like
 * numbers. It is made once, by a context of its own. */
static const hop_graph *named_graph(void) {
    static hop_context *context = NULL;
    static hop_graph *graph = NULL;
    static const char text[] = "alice\tbob\nbob\t\"a b\"\n\"a b\"\t\"c,d\"\n"
                               "\"say \"\"hi\"\"\"\t\"-1\"\n-1\t7\n7\t\"e\tf\"\n# g\t#h\n";
    hop_read_options options = HOP_READ_OPTIONS_INIT;
    if (graph != NULL)
        return graph;
    options.format = "edge-list";
    options.names = true;
    require(hop_context_create(NULL, &context) == HOP_OK, "there is a context", context);
    require(hop_graph_read_memory(context, "names", text, sizeof text - 1, &options, &graph) ==
                HOP_OK,
            "the graph with names can be read", context);
    return graph;
}

/* As the reader of tables has it. */
static bool is_vertices(const hop__result_table *table, size_t column) {
    const char *name = hop__result_table_name(table, column);
    return (column == 0 && hop__result_table_columns(table) > 1) || strcmp(name, "parent") == 0 ||
           strcmp(name, "component") == 0;
}

/* What to write of a column; *vertices, unless NULL, is to be freed. */
static hop__result_column column_of(const hop_context *context, const hop__result_table *table,
                                    const hop_graph *graph, size_t column, hop_vertex **vertices) {
    const int64_t *items = hop__result_table_items(table, column);
    uint64_t rows = hop__result_table_rows(table);
    *vertices = NULL;
    if (graph == NULL || !is_vertices(table, column))
        return (hop__result_column){.name = "x",
                                    .type = hop__result_table_type(table, column),
                                    .items = items,
                                    .missing = "inf"};
    *vertices = malloc(rows * sizeof **vertices);
    for (uint64_t i = 0; i < rows; i++) {
        require(items[i] >= -1 && items[i] < hop_graph_vertices(graph), "it is a vertex", context);
        (*vertices)[i] = (hop_vertex)items[i];
    }
    const char *name = hop__result_table_name(table, column);
    return (hop__result_column){.name =
                                    column == 0 && strcmp(name, "parent") != 0 ? "component" : name,
                                .type = HOP_TYPE_UINT32,
                                .items = *vertices,
                                .missing = "-1",
                                .graph = graph};
}

/* Writes the table and reads it again. */
static void use_again(hop_context *context, const hop__result_table *table,
                      const hop_graph *graph) {
    hop__result_column columns[HOP__TABLE_COLUMNS];
    hop_vertex *vertices[HOP__TABLE_COLUMNS];
    hop__result_table *again = NULL;
    const char *written = scratch_path("written.txt");
    uint64_t rows = hop__result_table_rows(table);
    size_t count = hop__result_table_columns(table);
    for (size_t c = 0; c < count; c++)
        columns[c] = column_of(context, table, graph, c, &vertices[c]);
    require(hop__result_table_write(context, written, columns, count, rows) == HOP_OK,
            "it can be written", context);
    require(hop__result_table_read(context, written, graph, &again) == HOP_OK, "and read", context);
    require(hop__result_table_rows(again) == rows && hop__result_table_columns(again) == count,
            "it has the same shape", context);
    for (size_t c = 0; c < count; c++) {
        if (hop__result_table_type(again, c) == hop__result_table_type(table, c))
            require(memcmp(hop__result_table_items(again, c), hop__result_table_items(table, c),
                           rows * 8) == 0,
                    "it has the same numbers", context);
        free(vertices[c]);
    }
    hop__result_table_free(again);
}

/* Of all columns, and of whether they may have names. */
static uint64_t hash_of(const hop__result_table *table, const hop_graph *graph) {
    uint64_t hash = graph != NULL;
    for (size_t c = 0; c < hop__result_table_columns(table); c++)
        hash = 31 * hash +
               fuzz_hash(hop__result_table_items(table, c), hop__result_table_rows(table) * 8);
    return hash;
}

static void use_table(hop_context *context, const char *path, const hop_graph *graph) {
    hop__result_table *table = NULL;
    hop_status status = hop__result_table_read(context, path, graph, &table);
    if (status != HOP_OK) {
        require(table == NULL, "no table comes with a failure", context);
        check_failure(context, status, path);
        return;
    }
    uint64_t rows = hop__result_table_rows(table);
    size_t count = hop__result_table_columns(table);
    require(rows == 0 || (count > 0 && count <= HOP__TABLE_COLUMNS), "it has columns", context);
    /* Which columns have names of vertices is known by the names of the columns. */
    if (rows > 0 && (graph == NULL || hop__result_table_name(table, 0) != NULL) &&
        fuzz_is_new(hash_of(table, graph)))
        use_again(context, table, graph);
    hop__result_table_free(table);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    hop_context *context = fuzz_context();
    /* A path is good until the next one is made. */
    use_array(context, scratch_write("fuzzed.npy", bytes, count));
    use_table(context, scratch_path("fuzzed.npy"), NULL);
    use_table(context, scratch_path("fuzzed.npy"), named_graph());
    require(hop_context_memory_used(context) == 0, "no memory is left in use", context);
    return 0;
}
