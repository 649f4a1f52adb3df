/* SPDX-License-Identifier: Apache-2.0
 *
 * ^C and its relatives. The first one asks the library to stop, through the progress callback, so
 * that it removes what it has written so far; the second ends the process at once. */
#ifndef HOPLITE_CLI_INTERRUPT_H
#define HOPLITE_CLI_INTERRUPT_H

#include <stdbool.h>

void interrupt_install(void);
/* A signal has come. */
bool interrupted(void);
/* 128 + the signal's number. */
int interrupt_exit_code(void);
/* While a list of vertices is read nothing is there to be removed, and a read that waits for a
 * person to type calls nobody back: a signal then ends the process itself, with the same exit
 * code. (The library's own reads and writes ask while they wait.) */
void interrupt_ends_process(bool now);

#endif
