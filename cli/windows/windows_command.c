/* SPDX-License-Identifier: Apache-2.0
 *
 * What the command has of its own on Windows: its output is the same bytes as everywhere, and verbs
 * that need fork() say that they are not there. */
#include <fcntl.h>
#include <io.h>

#include "complaint.h"
#include "exit_codes.h"
#include "file_fault.h"
#include "verbs.h"

/* Before main: lines end by one byte, and arrays may go through pipes. */
__attribute__((constructor)) static void write_bytes_as_they_are(void) {
    for (int standard = 0; standard <= 2; standard++)
        (void)_setmode(standard, _O_BINARY);
}

int run_bench(const arguments *given) {
    (void)given;
    return complain(CODE_USAGE, "bench is not there on Windows; -v says how long a run takes");
}

int run_devices(const arguments *given) {
    (void)given;
    return complain(CODE_USAGE, "devices are not there on Windows: everything runs on the cores");
}

/* A mapped file cannot be cut or replaced here: the system refuses it to whoever tries. */
void fault_watch(const char *path) {
    (void)path;
}
