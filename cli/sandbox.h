/* SPDX-License-Identifier: Apache-2.0
 *
 * --sandbox: what a file from a stranger could make the command do, were there a hole in a reader,
 * is bounded by the system. */
#ifndef HOPLITE_CLI_SANDBOX_H
#define HOPLITE_CLI_SANDBOX_H

#include "arguments.h"

/* From here on the process opens only what the command line names, makes files only in the folders
 * of those that it names as results, and calls of the system only what reading, computing and
 * writing need: no network, no other program, no new code. For all threads that begin later. An
 * exit code is returned; a system that cannot do all of it is an error. */
int sandbox_enter(const arguments *given);

#endif
