/* SPDX-License-Identifier: Apache-2.0
 * The litmus tests of a device, for `hoplite devices --check` and `--accept`. */
#ifndef HOPLITE_CLI_LITMUS_ROWS_H
#define HOPLITE_CLI_LITMUS_ROWS_H

#include <stdio.h>

#include "hoplite/hoplite.h"
#include "json_writer.h"

enum { LITMUS_MOST = 16 };

/* No pointers but those of the library, so that a child may send it to its parent. */
typedef struct litmus_rows {
    size_t count; /* that came to an end */
    hop_device_litmus rows[LITMUS_MOST];
    char message[512]; /* of the first that failed; else empty */
} litmus_rows;

/* Tries all patterns on the context's device. One with a forbidden outcome does not end it; what
 * the first that failed gave is returned. */
hop_status litmus_take(hop_context *context, litmus_rows *all);

/* A line for each. */
void litmus_text(FILE *file, const litmus_rows *all);
/* The member `litmus`, an array. */
void litmus_json(json *out, const litmus_rows *all);

#endif
