/* SPDX-License-Identifier: Apache-2.0
 *
 * The constants by which the library chooses a variant: sizes from which one way is faster than
 * another, and costs of steps. Each has a default that was measured once; `hoplite tune` measures
 * them on a machine and writes a file. A device has constants of its own, what it takes for a byte,
 * a word from anywhere, a launch: they are assumed by its kind until they are measured.
 *
 * A context starts with the defaults. The library reads no file by itself: a program that wants a
 * machine's constants calls hop_tuning_read. (The command does, by the rule in its man page.) They
 * change which variant runs, never an answer. */
#ifndef HOPLITE_TUNING_H
#define HOPLITE_TUNING_H

#include <stdbool.h>

#include "hoplite/context.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hop_tuning_constant {
    const char *name;    /* such as "bfs.small" */
    const char *summary; /* one line */
    const char *unit;
    double minimum, maximum, standard;
} hop_tuning_constant;

/* The table. Safe on any thread. */
HOP_API size_t hop_tuning_count(void);
/* NULL when out of range. */
HOP_API const hop_tuning_constant *hop_tuning_at(size_t index);

/* The value in a context; NaN for an unknown name. */
HOP_API double hop_tuning_get(const hop_context *context, const char *name);
/* Changes it. HOP_ERR_ARGUMENT for an unknown name or a value out of range. Not while another
 * thread uses the context. */
HOP_API HOP_NODISCARD hop_status hop_tuning_set(hop_context *context, const char *name,
                                                double value);

/* The table of a device's constants; `standard` is what is assumed of a graphics card, whose
 * figures docs/choosing-a-variant.md names. Processors have others. Safe on any thread. */
HOP_API size_t hop_tuning_device_count(void);
/* NULL when out of range. */
HOP_API const hop_tuning_constant *hop_tuning_device_at(size_t index);

/* The value for the device of the context, and whether it was measured there (else it is assumed);
 * both may be NULL. The device is opened if it is not yet, and known by its name and its driver's
 * version. HOP_ERR_DEVICE where the context has none or it does not work, HOP_ERR_ARGUMENT for an
 * unknown name. */
HOP_API HOP_NODISCARD hop_status hop_tuning_device_get(hop_context *context, const char *name,
                                                       double *value, bool *measured);
/* Changes it: it counts as measured then. HOP_ERR_ARGUMENT for a value out of range, too. A context
 * has constants of 16 devices at most; those of the first go for those of one more. */
HOP_API HOP_NODISCARD hop_status hop_tuning_device_set(hop_context *context, const char *name,
                                                       double value);

/* The constants of another context, all of them; NULL is allowed for both. Not while another thread
 * uses either. */
HOP_API void hop_tuning_copy(hop_context *context, const hop_context *from);

/* Reads a file of lines "name = value"; '#' begins a comment. Names that this version does not know
 * are left out, with a line in the log. HOP_ERR_IO when it cannot be read, HOP_ERR_INPUT with the
 * line when it is not such a file; then nothing is changed. At most 64 KiB are read. */
HOP_API HOP_NODISCARD hop_status hop_tuning_read(hop_context *context, const char *path);
/* Writes all constants of the context, those that are the defaults as comments, and `note` (one
 * line, or NULL): to a temporary name beside `path`, which takes its place at the end. */
HOP_API HOP_NODISCARD hop_status hop_tuning_write(hop_context *context, const char *path,
                                                  const char *note);

#ifdef __cplusplus
}
#endif
#endif
