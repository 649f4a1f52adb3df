/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of formats, and how a file is recognised.
 *
 * Each row looks at the first bytes. A row that is sure (a banner, a magic number) wins over its
 * suffix. When none is sure the suffix decides, even against the contents: the reader's message
 * then says what is missing. Without a known suffix, a row that holds the contents possible; plain
 * numbers are an edge list, because that row stands before METIS. */
#include "io/formats/format.h"
#include "io/bytes/path_suffix.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "core/try.h"
#include "io/bytes/input.h"

/* Adding a format = one file + one row here. */
const hop__format *const hop__formats[] = {
    &hop__format_npz,           &hop__format_npy,           &hop__format_edge_list,
    &hop__format_matrix_market, &hop__format_dimacs,        &hop__format_metis,
    &hop__format_ldbc,          &hop__format_gap,           &hop__format_galois,
    &hop__format_graph500,      &hop__format_graph500_wide, NULL,
};

size_t hop_format_count(void) {
    size_t count = 0;
    while (hop__formats[count] != NULL)
        count++;
    return count;
}

const hop_format *hop_format_at(size_t index) {
    return index < hop_format_count() ? &hop__formats[index]->about : NULL;
}

const hop__format *hop__format_named(const char *name) {
    for (size_t i = 0; hop__formats[i] != NULL; i++)
        if (strcmp(hop__formats[i]->about.name, name) == 0)
            return hop__formats[i];
    return NULL;
}

const hop_format *hop_format_find(const char *name) {
    const hop__format *row = name == NULL ? NULL : hop__format_named(name);
    return row == NULL ? NULL : &row->about;
}

/* Whether the path ends in one of the row's suffixes (a text row's may be followed by ".gz" and,
 * for `reading`, by ".zst"). */
static bool has_suffix(const hop__format *row, const char *path, bool reading) {
    size_t length = strlen(path);
    if (row->about.text && hop__ends_in(path, length, ".gz", 3))
        length -= 3;
    else if (row->about.text && reading && hop__ends_in(path, length, ".zst", 4))
        length -= 4;
    for (const char *suffix = row->about.suffixes; *suffix != '\0';) {
        size_t count = strcspn(suffix, " ");
        if (hop__ends_in(path, length, suffix, count))
            return true;
        suffix += count + strspn(suffix + count, " ");
    }
    return false;
}

const hop__format *hop__format_of_path(const char *path) {
    for (size_t i = 0; hop__formats[i] != NULL; i++)
        if (hop__formats[i]->write != NULL && has_suffix(hop__formats[i], path, false))
            return hop__formats[i];
    return NULL;
}

const hop_format *hop_format_of_path(const char *path) {
    const hop__format *row = path == NULL ? NULL : hop__format_of_path(path);
    return row == NULL ? NULL : &row->about;
}

static bool can_read(const hop__format *row) {
    return row->read_edges != NULL || row->read_graph != NULL;
}

void hop__format_list(bool writable, char text[256]) {
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; hop__formats[i] != NULL; i++) {
        if (writable ? hop__formats[i]->write == NULL : !can_read(hop__formats[i]))
            continue;
        int length = snprintf(text + used, 256 - used, "%s%s", used == 0 ? "" : ", ",
                              hop__formats[i]->about.name);
        if (length < 0 || (size_t)length >= 256 - used)
            return;
        used += (size_t)length;
    }
}

/* The row with the best claim on the contents among those that have the suffix (or among all).
 * Among equals the first. NULL when none claims more than `above`. */
static const hop__format *best_row(const int *claims, const char *path, int above) {
    const hop__format *best = NULL;
    for (size_t i = 0; hop__formats[i] != NULL; i++) {
        const hop__format *row = hop__formats[i];
        if (!can_read(row) || (path != NULL && !has_suffix(row, path, true)))
            continue;
        if (claims[i] > above) {
            above = claims[i];
            best = row;
        }
    }
    return best;
}

/* The first bytes, as text that can stand in a message. */
static void describe_bytes(const unsigned char *bytes, size_t count, char text[64]) {
    size_t used = 0;
    for (size_t i = 0; i < count && i < 12; i++)
        used += (size_t)snprintf(text + used, 64 - used, isprint(bytes[i]) ? "%c" : "\\x%02x",
                                 bytes[i]);
    text[used] = '\0';
}

hop_status hop__format_recognise(hop_context *context, hop__input *input, const hop__format **row) {
    int claims[32] = {0};
    const unsigned char *bytes;
    size_t count;
    const char *path = hop__input_name(input);
    *row = NULL;
    hop_status status = hop__input_peek(context, input, HOP__SNIFF_BYTES, &bytes, &count);
    if (status != HOP_OK)
        return status;
    for (size_t i = 0; hop__formats[i] != NULL && i < HOP_LENGTH(claims); i++)
        if (can_read(hop__formats[i]))
            claims[i] = hop__formats[i]->sniff(bytes, count, hop__input_size(input));
    if ((*row = best_row(claims, path, HOP__SNIFF_MAYBE)) == NULL &&
        (*row = best_row(claims, NULL, HOP__SNIFF_MAYBE)) == NULL &&
        (*row = best_row(claims, path, HOP__SNIFF_NO - 1)) == NULL)
        *row = best_row(claims, NULL, HOP__SNIFF_NO);
    if (*row != NULL)
        return HOP_OK;
    char names[256], start[64];
    hop__format_list(false, names);
    describe_bytes(bytes, count, start);
    if (count == 0)
        hop__fail(context, HOP_ERR_INPUT, "%s: the file is empty and its suffix is not known",
                  path);
    else
        hop__fail(context, HOP_ERR_INPUT,
                  "%s: begins with \"%s\", which is none of the known formats", path, start);
    hop__note_found(context, HOP_KIND_FORMAT, start, strlen(start));
    return hop__remedy(context, HOP_REMEDY_NAME_FORMAT, "name its format (%s)", names);
}
