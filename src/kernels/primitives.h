/* SPDX-License-Identifier: Apache-2.0
 *
 * Device primitives that several problems share, and the host code that launches them: gathering,
 * prefix sums, keeping some elements, sorting.
 *
 * All work is put into the device's compute queue; only functions with a result for the host wait.
 * Counts are of elements, and a count of 0 is allowed everywhere. Buffers begin at element 0 and
 * are checked to be large enough. Small scratch memory is allocated inside (hop__scan_scratch and
 * hop__sort_scratch say how much), and freed when the device is done with it.
 *
 * Cost in bytes of global memory per element: gather 12, scan 12, compact 8 and 4 for each that is
 * kept, sort per pass 24 and 8 for a value. */
#ifndef HOPLITE_KERNELS_PRIMITIVES_H
#define HOPLITE_KERNELS_PRIMITIVES_H

#include "device/device.h"
#include "hoplite/parameter.h"

/* In which form kernels run. NULL where one is asked for: what suits the device. */
typedef struct hop__form {
    uint32_t group; /* items of a group; 0: the default */
    bool other;     /* the form for the other kind of device (CPU or GPU): for tests */
} hop__form;

/* The form as parameters of a variant, HOP__FORM_PARAMETERS of them: work-items of a group, and how
 * work is cut. */
enum { HOP__FORM_GROUP = 0, HOP__FORM_CUT = 1, HOP__FORM_PARAMETERS = 2 };
/* Work-items of a group by default: what a study of six GPUs found; on CPUs a group is a loop. */
enum { HOP__FORM_GROUP_STANDARD = 128 };
extern const hop_parameter hop__form_parameters[HOP__FORM_PARAMETERS];
/* The same two, for tables in which others stand before them. */
#define HOP__FORM_GROUP_ROW                                                                        \
    {                                                                                              \
        .name = "group", .summary = "work-items of a group; 0: what suits the device",             \
        .type = HOP_PARAMETER_INTEGER, .maximum = 1024                                             \
    }
#define HOP__FORM_CUT_ROW                                                                          \
    {                                                                                              \
        .name = "form",                                                                            \
        .summary = "each work-item takes one chunk, which suits processors, or they take turns, "  \
                   "which suits GPUs; auto: by device",                                            \
        .type = HOP_PARAMETER_CHOICE, .maximum = 2, .choices = "auto chunked strided"              \
    }
/* Two more that several variants have; `what` is launched ahead: "levels". */
#define HOP__AHEAD_ROW(what)                                                                       \
    {                                                                                              \
        .name = "ahead",                                                                           \
        .summary = what " that are put into the device's queue before the host looks",             \
        .type = HOP_PARAMETER_INTEGER, .minimum = 1, .maximum = 256, .standard = 4                 \
    }
#define HOP__HUB_ROW                                                                               \
    {                                                                                              \
        .name = "hub", .summary = "arcs above which a row is cut into parts for all groups",       \
        .type = HOP_PARAMETER_INTEGER, .minimum = 32, .maximum = 1 << 16, .standard = 4096         \
    }
/* The form that their values, beginning with the group's, ask for. */
hop__form hop__form_of(const hop__device *device, const double *values);

/* What kernels.md calls chunked: each item has one contiguous chunk. */
bool hop__form_chunked(const hop__device *device, const hop__form *form);
/* Items of a group: the form's, or the default, or what the device allows if that is less. */
uint32_t hop__form_group(const hop__device *device, const hop__form *form);
/* The program with WG and WORK_CHUNKED set by the form, and more definitions if there are any. */
hop_status hop__form_program(hop__device *device, const hop__form *form,
                             const hop__program_source *source, const hop__define *more,
                             size_t more_count, hop__program **program);
/* Groups for a kernel that uses FOR_WORK over `count` elements. */
hop__shape hop__form_shape(const hop__device *device, const hop__form *form, uint64_t count);

/* --- gather.c -------------------------------------------------------------------------------- */

/* out[i] = in[index[i]], all of 32 bits; `index` is not checked. */
hop_status hop__gather(hop__device *device, const hop__form *form, const hop__buffer *in,
                       const hop__buffer *index, hop__buffer *out, uint64_t count);

/* words[index[i]] += 1, each by an atomic addition; `index` is not checked. */
hop_status hop__raise(hop__device *device, const hop__form *form, hop__buffer *words,
                      const hop__buffer *index, uint64_t count);

/* --- device_scan.c --------------------------------------------------------------------------- */

/* out[i] = in[0] + … + in[i - 1], of 32 bits and modulo 2^32. `out` may be `in`. */
hop_status hop__scan_exclusive(hop__device *device, const hop__form *form, const hop__buffer *in,
                               hop__buffer *out, uint64_t count);

/* Lists, in order, the i for which flags[i] is not 0. All of 32 bits. `out` has room for every one
 * that is kept and is not `flags`. Waits for the number. */
hop_status hop__compact(hop__device *device, const hop__form *form, const hop__buffer *flags,
                        uint64_t count, hop__buffer *out, uint64_t *kept);
/* Bytes of scratch memory that a compaction of `count` elements allocates at most, on any device.
 */
uint64_t hop__compact_scratch(uint64_t count);
/* Bytes of scratch memory that a scan allocates at most. */
uint64_t hop__scan_scratch(const hop__device *device, const hop__form *form);

/* --- radix_sort.c ---------------------------------------------------------------------------- */

/* What is sorted, and as much room beside it. Keys have 64 bits. `values` (32 bits, moved with the
 * keys) may be NULL, then both are. */
typedef struct hop__sortable {
    uint64_t count; /* at most 2^32 - 1 */
    hop__buffer *keys, *values;
    hop__buffer *spare_keys, *spare_values;
} hop__sortable;

/* Sorts by `bits` bits of the keys from bit `low` on, stable; so a sort can be had one digit after
 * the other, for callers that look after something else in between. Passes go back and forth
 * between the buffers and their spare ones: afterwards `keys` and `values` name those with the
 * result, the others hold rubbish. */
hop_status hop__radix_sort(hop__device *device, const hop__form *form, hop__sortable *sortable,
                           unsigned low, unsigned bits);
uint64_t hop__sort_scratch(const hop__device *device, const hop__form *form);

#endif
