/* SPDX-License-Identifier: Apache-2.0
 * Checks a caller's settings against the parameters of a family or a variant. */
#ifndef HOPLITE_CORE_SETTINGS_H
#define HOPLITE_CORE_SETTINGS_H

#include "core/context_internal.h"
#include "core/try.h"
#include "hoplite/parameter.h"

enum { HOP__PARAMETERS_MOST = 16 }; /* of any row of any table */

/* For the rows of tables: the fields for all of an array of hop_parameter, or the first of them. */
#define HOP__PARAMETERS(array) HOP__FIRST_PARAMETERS(array, HOP_LENGTH(array))
#define HOP__FIRST_PARAMETERS(array, count)                                                        \
    .parameters = (const hop_parameters *)(array), .parameter_count = (count)

/* Settings as a caller gave them. */
typedef struct hop__settings {
    const hop_setting *first;
    size_t count;
    size_t size; /* setting_size of the caller's struct */
} hop__settings;

/* Fills in one value per parameter of `owner`: the setting's, or the default. Refuses names that
 * are unknown or given twice, values out of range, fractions for integers, NaN, unknown words, and
 * required parameters that are missing; each message names the parameter, the value and the
 * range. */
hop_status hop__settings_resolve(hop_context *context, const char *owner,
                                 const hop_parameters *parameters, size_t parameter_count,
                                 hop__settings settings, double *values);

/* Of the names that name_at(user, 0 .. count-1) gives, the one with the fewest changes from
 * `word`, or NULL when none is near. */
const char *hop__nearest_name(const char *word, const char *(*name_at)(const void *user, size_t i),
                              const void *user, size_t count);

/* Writes the names separated by commas; what does not fit is left out. Returns `text`. */
const char *hop__name_list(const char *(*name_at)(const void *user, size_t i), const void *user,
                           size_t count, char *text, size_t size);

#endif
