/* SPDX-License-Identifier: Apache-2.0
 *
 * Mapped files that another process cuts short or overwrites while they are used. The library
 * cannot do anything about that: the processor finds no byte at an address (SIGBUS), or what was
 * checked is no longer true (SIGSEGV). The command says which file it was, and ends with
 * CODE_BAD_INPUT. */
#ifndef HOPLITE_CLI_FILE_FAULT_H
#define HOPLITE_CLI_FILE_FAULT_H

/* Remembers a file that is about to be opened, if it is one that is mapped (.npz, .npy). */
void fault_watch(const char *path);

#endif
