/* SPDX-License-Identifier: Apache-2.0
 *
 * Vertices as the user knows them: see vertex_text.h. */
#include "vertex_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "complaint.h"
#include "interrupt.h"

vertex_words vertex_text(const hop_graph *graph, hop_vertex vertex) {
    enum { SHOWN = 64 };
    vertex_words words;
    size_t length, shown;
    const char *name = hop_graph_name(graph, vertex, &length);
    if (name == NULL) {
        snprintf(words.s, sizeof words.s, "%" PRIu64, hop_graph_label(graph, vertex));
        return words;
    }
    shown = length < SHOWN ? length : SHOWN;
    while (shown < length && shown > SHOWN - 4 && ((unsigned char)name[shown] & 0xc0) == 0x80)
        shown--; /* not within a character */
    snprintf(words.s, sizeof words.s, "%.*s%s", (int)shown, name, shown < length ? "..." : "");
    return words;
}

void vertex_json(json *out, const char *key, const hop_graph *graph, hop_vertex vertex) {
    size_t length;
    const char *name = hop_graph_name(graph, vertex, &length);
    if (name == NULL) {
        json_count(out, key, hop_graph_label(graph, vertex));
        return;
    }
    char *text = need_memory(NULL, length + 1, 1);
    memcpy(text, name, length);
    text[length] = '\0';
    json_string(out, key, text);
    free(text);
}
