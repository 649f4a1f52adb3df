/* SPDX-License-Identifier: Apache-2.0
 *
 * Types of numbers, and arrays that say what they hold.
 *
 * Distances have a type that depends on the graph, so the array that a call writes them to comes
 * with its type and its length: an array of another type, or one that is too short, is
 * HOP_ERR_ARGUMENT with both numbers, before anything is computed or written.
 *
 *     int64_t *distances = ...;
 *     status = hop_sssp(context, graph, &source, 1, NULL, HOP_SPAN(distances, n), parents);
 *
 * In C11 the macros take the type from the pointer, so that no other can be named by mistake; in
 * C++ hop_span_of does; and a pointer to void, whose type is known only when the program runs, is
 * put into a struct: (hop_span){items, count, type}. */
#ifndef HOPLITE_TYPE_H
#define HOPLITE_TYPE_H

#include "hoplite/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum hop_type {
    HOP_TYPE_NONE = 0,
    HOP_TYPE_INT32 = 1,
    HOP_TYPE_INT64 = 2,
    HOP_TYPE_FLOAT32 = 3,
    HOP_TYPE_FLOAT64 = 4,
    HOP_TYPE_UINT32 = 5,
    HOP_TYPE_UINT64 = 6
} hop_type;

/* Bytes of one number: 0 (none, and what is no type), 4 or 8. Safe from any thread. */
HOP_API size_t hop_type_size(hop_type type);
/* "none", "int32" and so on, as NumPy calls it; "unknown" for what is no type. Safe from any
 * thread. */
HOP_API const char *hop_type_name(hop_type type);

/* `count` items of a type in the caller's memory, to be written; and the same to be read. A longer
 * array than is needed is fine; one whose items are NULL is as none. These two structs are
 * complete: nothing will be added. */
typedef struct hop_span {
    void *items;
    uint64_t count;
    hop_type type;
} hop_span;

typedef struct hop_view {
    const void *items;
    uint64_t count;
    hop_type type;
} hop_view;

#ifdef __cplusplus
}
#endif

/* The address of a span, or a view, of `count` items at a pointer of one of the six types; it lives
 * as long as the block that it is in. */
#if !defined(__cplusplus) && defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
#define HOP_SPAN(items, count) (&(hop_span){(items), (count), HOP_TYPE_OF_SPAN(items)})
#define HOP_VIEW(items, count) (&(hop_view){(items), (count), HOP_TYPE_OF_VIEW(items)})
#define HOP_TYPE_OF_SPAN(items)                                                                    \
    _Generic(&(items)[0], int32_t *                                                                \
             : HOP_TYPE_INT32, int64_t *                                                           \
             : HOP_TYPE_INT64, float *                                                             \
             : HOP_TYPE_FLOAT32, double *                                                          \
             : HOP_TYPE_FLOAT64, uint32_t *                                                        \
             : HOP_TYPE_UINT32, uint64_t *                                                         \
             : HOP_TYPE_UINT64)
#define HOP_TYPE_OF_VIEW(items)                                                                    \
    _Generic(&(items)[0], const int32_t *                                                          \
             : HOP_TYPE_INT32, const int64_t *                                                     \
             : HOP_TYPE_INT64, const float *                                                       \
             : HOP_TYPE_FLOAT32, const double *                                                    \
             : HOP_TYPE_FLOAT64, const uint32_t *                                                  \
             : HOP_TYPE_UINT32, const uint64_t *                                                   \
             : HOP_TYPE_UINT64, int32_t *                                                          \
             : HOP_TYPE_INT32, int64_t *                                                           \
             : HOP_TYPE_INT64, float *                                                             \
             : HOP_TYPE_FLOAT32, double *                                                          \
             : HOP_TYPE_FLOAT64, uint32_t *                                                        \
             : HOP_TYPE_UINT32, uint64_t *                                                         \
             : HOP_TYPE_UINT64)
#endif

#ifdef __cplusplus
inline hop_type hop_type_of(const int32_t *) {
    return HOP_TYPE_INT32;
}
inline hop_type hop_type_of(const int64_t *) {
    return HOP_TYPE_INT64;
}
inline hop_type hop_type_of(const float *) {
    return HOP_TYPE_FLOAT32;
}
inline hop_type hop_type_of(const double *) {
    return HOP_TYPE_FLOAT64;
}
inline hop_type hop_type_of(const uint32_t *) {
    return HOP_TYPE_UINT32;
}
inline hop_type hop_type_of(const uint64_t *) {
    return HOP_TYPE_UINT64;
}
template <typename T> inline hop_span hop_span_of(T *items, uint64_t count) {
    hop_span span = {items, count, hop_type_of(items)};
    return span;
}
template <typename T> inline hop_view hop_view_of(const T *items, uint64_t count) {
    hop_view view = {items, count, hop_type_of(items)};
    return view;
}
#endif
#endif
