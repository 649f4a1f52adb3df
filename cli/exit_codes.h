/* SPDX-License-Identifier: Apache-2.0
 *
 * What the command returns to the shell. Scripts depend on these numbers: add, never change. */
#ifndef HOPLITE_CLI_EXIT_CODES_H
#define HOPLITE_CLI_EXIT_CODES_H

enum {
    CODE_OK = 0,
    CODE_FAILURE = 1,       /* no memory, no such file, disk full, not possible with this graph */
    CODE_USAGE = 2,         /* the command line is wrong */
    CODE_REJECTED = 3,      /* a certificate was rejected */
    CODE_NO_DEVICE = 4,     /* no such device, or it failed */
    CODE_BAD_INPUT = 5,     /* the contents of a file are wrong */
    CODE_INTERRUPTED = 130, /* 128 + SIGINT; SIGTERM gives 143, SIGHUP 129 */
    CODE_READER_GONE = 141  /* 128 + SIGPIPE: whoever read standard output has had enough */
};

#endif
