/* SPDX-License-Identifier: Apache-2.0
 * Names of vertices as text; see vertex_names.h. */
#include "graph/vertex_names.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/atomic.h"
#include "core/parallel.h"
#include "core/try.h"

enum { NAMES_GRAIN = 1 << 12 };

hop_status hop__vertex_names_create(hop_context *context, hop__vertex_names **slot) {
    hop__vertex_names *list = NULL;
    hop_status status = hop__alloc_zero(context, "names", 1, sizeof *list, &list);
    if (status != HOP_OK)
        return status;
    atomic_init(&list->references, 1);
    list->pool = hop__pool_retain(context->pool);
    *slot = list;
    return HOP_OK;
}

hop_status hop__vertex_names_borrow(hop_context *context, const uint64_t *offsets,
                                    const char *bytes, uint64_t count, uint64_t size,
                                    hop__vertex_names **slot) {
    *slot = NULL;
    if (offsets == NULL)
        return HOP_OK;
    hop_status status = hop__vertex_names_create(context, slot);
    if (status != HOP_OK)
        return status;
    (*slot)->offsets = offsets;
    (*slot)->bytes = bytes;
    (*slot)->count = count;
    (*slot)->size = size == UINT64_MAX ? offsets[count] : size;
    return HOP_OK;
}

void hop__vertex_names_release(hop__vertex_names *list) {
    if (list == NULL || atomic_fetch_sub(&list->references, 1) != 1)
        return;
    hop__pool *pool = list->pool;
    hop__free(list->own_offsets);
    hop__free(list->own_bytes);
    hop__free(list);
    hop__pool_release(pool);
}

/* An empty list with room for so many names and bytes. */
static hop_status make_room(hop_context *context, uint64_t count, uint64_t size,
                            hop__vertex_names **slot) {
    hop__vertex_names *list = NULL;
    hop_status status;
    HOP_TRY(status, hop__vertex_names_create(context, &list));
    HOP_TRY(status, hop__alloc(context, "names: offsets", count + 1, 8, &list->own_offsets));
    HOP_TRY(status, hop__alloc(context, "names", size, 1, &list->own_bytes));
    list->offsets = list->own_offsets;
    list->bytes = list->own_bytes;
    list->count = count;
    list->size = size;
    *slot = list;
    list = NULL;
done:
    hop__vertex_names_release(list);
    return status;
}

hop_status hop__vertex_names_share(hop_context *context, hop__vertex_names *from,
                                   hop__vertex_names **slot) {
    *slot = from;
    if (from == NULL)
        return HOP_OK;
    if (from->own_offsets != NULL) {
        atomic_fetch_add(&from->references, 1);
        return HOP_OK;
    }
    *slot = NULL;
    hop__vertex_names *list = NULL;
    hop_status status = make_room(context, from->count, from->size, &list);
    if (status != HOP_OK)
        return status;
    memcpy(list->own_offsets, from->offsets, (from->count + 1) * sizeof *from->offsets);
    if (from->size > 0)
        memcpy(list->own_bytes, from->bytes, from->size);
    *slot = list;
    return HOP_OK;
}

hop_status hop__vertex_names_pick(hop_context *context, const hop__vertex_names *from,
                                  const hop_vertex *vertices, hop_vertex count,
                                  hop__vertex_names **slot) {
    hop__vertex_names *list = NULL;
    uint64_t size = 0;
    size_t length;
    *slot = NULL;
    if (from == NULL)
        return HOP_OK;
    for (hop_vertex i = 0; i < count; i++) {
        (void)hop__name_at(from, vertices[i], &length);
        size += length;
    }
    hop_status status = make_room(context, count, size, &list);
    if (status != HOP_OK)
        return status;
    uint64_t *offsets = list->own_offsets;
    char *bytes = list->own_bytes;
    offsets[0] = 0;
    for (hop_vertex i = 0; i < count; i++) {
        const char *name = hop__name_at(from, vertices[i], &length);
        if (length > 0)
            memcpy(bytes + offsets[i], name, length);
        offsets[i + 1] = offsets[i] + length;
    }
    *slot = list;
    return HOP_OK;
}

/* ---- checking ------------------------------------------------------------------------------ */

typedef struct check_job {
    const hop__vertex_names *list;
    uint64_t bad; /* the least name that is wrong */
} check_job;

static bool is_sound(const hop__vertex_names *list, uint64_t i) {
    uint64_t begin = list->offsets[i], end = list->offsets[i + 1];
    return begin < end && end <= list->size && end - begin <= HOP_MAX_NAME;
}

static bool has_zero(const hop__vertex_names *list, uint64_t i) {
    uint64_t begin = list->offsets[i], end = list->offsets[i + 1];
    return memchr(list->bytes + begin, 0, (size_t)(end - begin)) != NULL;
}

static bool is_right(const hop__vertex_names *list, uint64_t i) {
    if (!is_sound(list, i) || (i == 0 && list->offsets[0] != 0))
        return false;
    if (i == 0 || !is_sound(list, i - 1)) /* then the name before is the one that is reported */
        return !has_zero(list, i);
    const uint64_t *at = &list->offsets[i - 1];
    return hop__name_compare(list->bytes + at[0], at[1] - at[0], list->bytes + at[1],
                             at[2] - at[1]) < 0 &&
           !has_zero(list, i);
}

static void check_range(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    check_job *work = arg;
    (void)thread;
    for (uint64_t i = begin; i < end; i++)
        if (!is_right(work->list, i)) {
            hop__lower_u64(&work->bad, i);
            return;
        }
}

static hop_status report_name(hop_context *context, const hop__vertex_names *list, uint64_t i) {
    uint64_t begin = list->offsets[i], end = list->offsets[i + 1];
    if ((i == 0 && begin != 0) || begin > end || end > list->size)
        hop__fail(context, HOP_ERR_INPUT,
                  "graph: the name of vertex %" PRIu64 " goes from byte %" PRIu64 " to %" PRIu64
                  "; offsets must begin with 0, not fall, and end at the %" PRIu64 " bytes",
                  i, begin, end, list->size);
    else if (begin == end)
        hop__fail(context, HOP_ERR_INPUT, "graph: the name of vertex %" PRIu64 " is empty", i);
    else if (end - begin > HOP_MAX_NAME)
        hop__fail(context, HOP_ERR_INPUT,
                  "graph: the name of vertex %" PRIu64 " has %" PRIu64
                  " bytes, at most %d are possible",
                  i, end - begin, HOP_MAX_NAME);
    else if (has_zero(list, i))
        hop__fail(context, HOP_ERR_INPUT, "graph: the name of vertex %" PRIu64 " has a zero byte",
                  i);
    else
        hop__fail(context, HOP_ERR_INPUT,
                  "graph: the name %s of vertex %" PRIu64
                  " does not come after the one before; names "
                  "must be in the order of their bytes, each once",
                  hop__name_text(list->bytes + begin, end - begin).s, i);
    return hop__note_vertex(context, HOP_KIND_DATA, i);
}

hop_status hop__vertex_names_check(hop_context *context, const hop__vertex_names *list) {
    check_job work = {list, UINT64_MAX};
    hop__for(context, list->count, NAMES_GRAIN, check_range, &work);
    uint64_t bad = hop__load_u64(&work.bad);
    if (bad != UINT64_MAX)
        return report_name(context, list, bad);
    if (list->offsets[list->count] != list->size)
        return hop__fail(context, HOP_ERR_INPUT,
                         "graph: the names end at byte %" PRIu64 " of %" PRIu64,
                         list->offsets[list->count], list->size);
    return HOP_OK;
}

/* ---- looking ------------------------------------------------------------------------------- */

const char *hop__name_at(const hop__vertex_names *list, uint64_t index, size_t *length) {
    uint64_t begin = list->offsets[index], end = list->offsets[index + 1];
    if (begin > end || end > list->size) { /* of a file that is not checked yet */
        *length = 0;
        return list->bytes;
    }
    *length = (size_t)(end - begin);
    return list->bytes + begin;
}

int hop__name_compare(const char *a, size_t a_length, const char *b, size_t b_length) {
    size_t both = a_length < b_length ? a_length : b_length;
    int order = both > 0 ? memcmp(a, b, both) : 0;
    return order != 0 ? order : (a_length > b_length) - (a_length < b_length);
}

uint64_t hop__name_find(const hop__vertex_names *list, const char *name, size_t length) {
    uint64_t low = 0, high = list->count;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        size_t other_length;
        const char *other = hop__name_at(list, middle, &other_length);
        int order = hop__name_compare(other, other_length, name, length);
        if (order == 0)
            return middle;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return list->count;
}

size_t hop__vertex_names_longest(const hop__vertex_names *list) {
    size_t longest = 0, length;
    for (uint64_t i = 0; i < list->count; i++) {
        (void)hop__name_at(list, i, &length);
        longest = length > longest ? length : longest;
    }
    return longest;
}

hop__vertex_text hop__name_text(const char *name, size_t length) {
    enum { SHOWN = 60 };
    hop__vertex_text text;
    size_t shown = length;
    if (length > SHOWN) { /* not within a character of UTF-8 */
        shown = SHOWN;
        while (shown > SHOWN - 4 && ((unsigned char)name[shown] & 0xc0) == 0x80)
            shown--;
    }
    snprintf(text.s, sizeof text.s, "\"%.*s%s\"", (int)shown, length > 0 ? name : "",
             shown < length ? "..." : "");
    return text;
}
