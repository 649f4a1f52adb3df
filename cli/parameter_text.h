/* SPDX-License-Identifier: Apache-2.0
 *
 * Parameters of families and variants on the command line: typed, described, listed. `owner` is
 * the family or variant, for messages. */
#ifndef HOPLITE_CLI_PARAMETER_TEXT_H
#define HOPLITE_CLI_PARAMETER_TEXT_H

#include "arguments.h"
#include "json_writer.h"

typedef struct parameter_table {
    const char *owner;
    const hop_parameters *parameters;
    size_t count;
} parameter_table;

/* Makes settings of what was typed; a parameter that is given twice has its last value. Complains
 * about names that the owner does not have, values that are none, and what is required and
 * missing. *settings is to be freed in any case. Ranges are checked by the library. */
int settings_take(const parameter_table *table, const arguments *given, hop_setting **settings,
                  size_t *count);

/* An entry of a help text: for each parameter as option "--NAME", or for one as "--set NAME=". */
void parameters_help(FILE *file, const parameter_table *table);
void setting_help(FILE *file, const hop_parameter *parameter);
/* An array "parameters" of objects. */
void parameters_json(json *out, const parameter_table *table);
/* An object "parameters" with every value, defaults filled in. */
void settings_json(json *out, const parameter_table *table, const hop_setting *settings,
                   size_t count);
/* Its fields alone, for an object that the caller has begun. */
void settings_json_fields(json *out, const parameter_table *table, const hop_setting *settings,
                          size_t count);

#endif
