/* SPDX-License-Identifier: Apache-2.0
 * Types of numbers, and arrays of the caller's that say theirs; see span.h. */
#include "core/span.h"

#include "core/try.h"

static const struct {
    const char *name;
    size_t bytes;
} types[] = {
    [HOP_TYPE_NONE] = {"none", 0},       [HOP_TYPE_INT32] = {"int32", 4},
    [HOP_TYPE_INT64] = {"int64", 8},     [HOP_TYPE_FLOAT32] = {"float32", 4},
    [HOP_TYPE_FLOAT64] = {"float64", 8}, [HOP_TYPE_UINT32] = {"uint32", 4},
    [HOP_TYPE_UINT64] = {"uint64", 8},
};

size_t hop_type_size(hop_type type) {
    return (size_t)type < HOP_LENGTH(types) ? types[type].bytes : 0;
}

const char *hop_type_name(hop_type type) {
    return (size_t)type < HOP_LENGTH(types) ? types[type].name : "unknown";
}

static hop_status check(hop_context *context, const char *what, const hop_view *given,
                        hop_type type, uint64_t count) {
    if (given->type != type)
        return hop__fail(context, HOP_ERR_ARGUMENT, "%s: the array is of type %s, but they are %s",
                         what, hop_type_name(given->type), hop_type_name(type));
    if (given->count < count) {
        hop__fail(context, HOP_ERR_ARGUMENT, "%s: the array has room for %llu, but they are %llu",
                  what, (unsigned long long)given->count, (unsigned long long)count);
        return hop__note_need(context, HOP_KIND_ARGUMENT, count, given->count);
    }
    return HOP_OK;
}

hop_status hop__span_take(hop_context *context, const char *what, const hop_span *span,
                          hop_type type, uint64_t count, void **items) {
    *items = NULL;
    if (span == NULL || span->items == NULL)
        return HOP_OK;
    const hop_view view = {span->items, span->count, span->type};
    hop_status status = check(context, what, &view, type, count);
    if (status == HOP_OK)
        *items = span->items;
    return status;
}

hop_status hop__view_take(hop_context *context, const char *what, const hop_view *view,
                          hop_type type, uint64_t count, const void **items) {
    *items = NULL;
    if (view == NULL || view->items == NULL)
        return HOP_OK;
    hop_status status = check(context, what, view, type, count);
    if (status == HOP_OK)
        *items = view->items;
    return status;
}
