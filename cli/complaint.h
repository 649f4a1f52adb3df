/* SPDX-License-Identifier: Apache-2.0
 *
 * Everything that is said on standard error begins here, as "hoplite: VERB: message". */
#ifndef HOPLITE_CLI_COMPLAINT_H
#define HOPLITE_CLI_COMPLAINT_H

#include <stddef.h>

#include "hoplite/hoplite.h"

/* The name of the command in messages, "hoplite" otherwise; it must stay. */
void complaint_program(const char *name);
const char *complaint_program_name(void);
/* Nothing is printed from now on: another process of the same job says it. */
void complaint_mute(void);
/* The verb that messages name; NULL: none yet. */
void complaint_verb(const char *verb);
const char *complaint_verb_name(void);

/* An error. Returns `code`, so that a failure is one return statement. */
HOP_PRINTF(2, 3) int complain(int code, const char *format, ...);
/* A line of advice after an error. */
HOP_PRINTF(1, 2) void advise(const char *format, ...);
/* The exit code of a status. */
/* With --json, when a verb has failed with this exit code: what it complained about, as its object
 * on standard output, unless it has written one. */
void complaint_json(int code);
int exit_code_of(hop_status status);
/* Memory for the command's own small needs; ends the command when there is none. */
void *need_memory(void *old, size_t count, size_t size);
/* A report with room for so many steps, or the same end. */
hop_report *need_report(size_t steps);

#endif
