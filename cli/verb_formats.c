/* SPDX-License-Identifier: Apache-2.0
 *
 * hoplite formats: the library's table of file formats. */
#include <stdio.h>
#include <string.h>

#include "arguments.h"
#include "exit_codes.h"
#include "help_text.h"
#include "hoplite/hoplite.h"
#include "json_writer.h"

static void weights_text(const hop_format *format, char *out, size_t size) {
    out[0] = '\0';
    for (unsigned type = HOP_TYPE_INT32; type <= HOP_TYPE_FLOAT64; type++)
        if ((format->weight_types >> type & 1u) != 0) {
            size_t length = strlen(out);
            snprintf(out + length, size - length, "%s%s", length > 0 ? " " : "",
                     hop_type_name((hop_weight_type)type));
        }
    if (out[0] == '\0')
        snprintf(out, size, "none");
}

static void format_json(json *out, const hop_format *format) {
    json_object(out, NULL);
    json_string(out, "name", format->name);
    json_string(out, "summary", format->summary);
    json_string(out, "suffixes", format->suffixes);
    json_bool(out, "can_read", format->can_read);
    json_bool(out, "can_write", format->can_write);
    json_bool(out, "text", format->text);
    json_bool(out, "directed", format->directed);
    json_bool(out, "undirected", format->undirected);
    json_bool(out, "labels", format->labels);
    if (format->counts_from < 0)
        json_null(out, "counts_from");
    else
        json_count(out, "counts_from", (uint64_t)format->counts_from);
    json_array(out, "weight_types");
    for (unsigned type = HOP_TYPE_NONE; type <= HOP_TYPE_FLOAT64; type++)
        if ((format->weight_types >> type & 1u) != 0)
            json_string(out, NULL, hop_type_name((hop_weight_type)type));
    json_end(out);
    json_end(out);
}

static void format_text(const hop_format *format) {
    char weights[64], holds[256];
    weights_text(format, weights, sizeof weights);
    help_heading(stdout, format->name);
    help_entry(stdout, "what", format->summary);
    help_entry(stdout, "suffixes", *format->suffixes != '\0' ? format->suffixes : "none");
    help_entry(stdout, "use",
               !format->can_write  ? "read only"
               : !format->can_read ? "write only"
                                   : "read and write");
    bool pair = strcmp(format->name, "ldbc") == 0; /* of files */
    help_entry(stdout, "kind",
               !format->text ? "binary"
               : pair        ? "text; may be gzipped"
                             : "text; may be gzipped, and piped");
    snprintf(holds, sizeof holds, "%s%s%s graphs%s", format->directed ? "directed" : "",
             format->directed && format->undirected ? " and " : "",
             format->undirected ? "undirected" : "", format->labels ? ", labels" : "");
    help_entry(stdout, "holds", holds);
    help_entry(stdout, "ids",
               format->counts_from < 0    ? "as they are"
               : format->counts_from == 0 ? "counted from 0"
                                          : "counted from 1");
    help_entry(stdout, "weights", weights);
}

int run_formats(const arguments *given) {
    if (is_given(given, OPT_JSON)) {
        json out;
        json_begin(&out, stdout, "formats");
        json_array(&out, "formats");
        for (size_t i = 0; i < hop_format_count(); i++)
            format_json(&out, hop_format_at(i));
        json_end(&out);
        json_finish(&out);
        return CODE_OK;
    }
    for (size_t i = 0; i < hop_format_count(); i++)
        format_text(hop_format_at(i));
    return CODE_OK;
}
