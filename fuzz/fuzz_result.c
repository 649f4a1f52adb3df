/* SPDX-License-Identifier: Apache-2.0
 *
 * Feeds arbitrary bytes to the readers of results: arrays (.npy) and tables of numbers. What comes
 * out can be looked at from end to end, and written and read again it is the same; a failure names
 * the file; no memory stays in use. */
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

static void use_table(hop_context *context, const char *path) {
    hop__result_table *table = NULL, *again = NULL;
    hop__result_column columns[HOP__TABLE_COLUMNS];
    hop_status status = hop__result_table_read(context, path, NULL, &table);
    if (status != HOP_OK) {
        require(table == NULL, "no table comes with a failure", context);
        check_failure(context, status, path);
        return;
    }
    uint64_t rows = hop__result_table_rows(table);
    size_t count = hop__result_table_columns(table);
    require(rows == 0 || (count > 0 && count <= HOP__TABLE_COLUMNS), "it has columns", context);
    for (size_t c = 0; c < count; c++)
        columns[c] = (hop__result_column){.name = "x",
                                          .type = hop__result_table_type(table, c),
                                          .items = hop__result_table_items(table, c),
                                          .missing = "inf"};
    if (rows > 0) {
        const char *written = scratch_path("written.txt");
        require(hop__result_table_write(context, written, columns, count, rows) == HOP_OK,
                "it can be written", context);
        require(hop__result_table_read(context, written, NULL, &again) == HOP_OK, "and read",
                context);
        require(hop__result_table_rows(again) == rows && hop__result_table_columns(again) == count,
                "it has the same shape", context);
        for (size_t c = 0; c < count; c++)
            if (hop__result_table_type(again, c) == columns[c].type)
                require(memcmp(hop__result_table_items(again, c), columns[c].items, rows * 8) == 0,
                        "it has the same numbers", context);
        hop__result_table_free(again);
    }
    hop__result_table_free(table);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    hop_context *context = fuzz_context();
    const char *path = scratch_write("fuzzed.npy", bytes, count);
    use_array(context, path);
    use_table(context, path);
    require(hop_context_memory_used(context) == 0, "no memory is left in use", context);
    return 0;
}
