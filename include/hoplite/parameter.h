/* SPDX-License-Identifier: Apache-2.0
 *
 * Parameters: named numbers with a type, a range and a default. Graph families and variants
 * describe themselves by them, so that the command, the tests and Python loop over tables. */
#ifndef HOPLITE_PARAMETER_H
#define HOPLITE_PARAMETER_H

#include "hoplite/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum hop_parameter_type {
    HOP_PARAMETER_INTEGER = 0,
    HOP_PARAMETER_REAL = 1,
    HOP_PARAMETER_FLAG = 2,  /* 0 or 1; some are 1 by default, so the command needs --no-NAME too */
    HOP_PARAMETER_CHOICE = 3 /* one of `choices`; its value is the word's place in them */
} hop_parameter_type;

typedef struct hop_parameter {
    const char *name;    /* such as "edge-factor" */
    const char *summary; /* one line */
    hop_parameter_type type;
    bool required;
    double minimum, maximum, standard; /* the default; exact for integers below 2^53 */
    const char *choices;               /* words separated by spaces, or NULL */
} hop_parameter;

/* The parameters of one row of a table, which may be longer in a newer library: the one at an index
 * below the row's parameter_count. */
typedef struct hop_parameters hop_parameters;
HOP_API const hop_parameter *hop_parameter_at(const hop_parameters *parameters, size_t index);

/* A value for a parameter. Where there is an array of them, the struct that names it has a
 * setting_size: 0 for name, value and word alone. */
typedef struct hop_setting {
    const char *name;
    double value;
    const char *word; /* for a choice; NULL otherwise */
} hop_setting;

#ifdef __cplusplus
}
#endif
#endif
