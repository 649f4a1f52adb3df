/* SPDX-License-Identifier: Apache-2.0
 *
 * Contenders of somebody else (--outside): programs that are no variants of ours take part in the
 * rounds, so that theirs and our runs alternate one by one and a busy machine hits all alike. The
 * command only says whose turn it is, "turn WHO REPETITION SOURCE", and waits for a line; what is
 * run, timed and kept there is the business of who asked for it (bench/hoplite_bench does). */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "bench/bench.h"
#include "complaint.h"
#include "exit_codes.h"
#include "interrupt.h"
#include "number_text.h"

int outside_check(const bench *all) {
    const arguments *given = all->given;
    const char *rows = given->values[OPT_JSONL].text;
    if (all->outside == 0)
        return CODE_OK;
    if (is_given(given, OPT_JSON) || (rows != NULL && strcmp(rows, "-") == 0))
        return complain(CODE_USAGE, "--outside has standard output for its turns; neither --json "
                                    "nor --jsonl - can have it too");
    for (size_t i = 1; i < given->operand_count; i++)
        if (strcmp(given->operands[i], "-") == 0)
            return complain(CODE_USAGE, "--outside has standard input; the graph cannot be -");
    return CODE_OK;
}

/* Byte by byte: what stands behind the line is the next answer. */
static int await_line(void) {
    struct pollfd input = {STDIN_FILENO, POLLIN, 0};
    for (char byte = 0; byte != '\n';) {
        /* A signal that comes just before the call would not end it: so look now and then. */
        int ready = poll(&input, 1, 100);
        if (interrupted())
            return complain(interrupt_exit_code(), "interrupted");
        if (ready == 0 || (ready < 0 && errno == EINTR))
            continue;
        ssize_t got = ready < 0 ? -1 : read(STDIN_FILENO, &byte, 1);
        if (got == 0)
            return complain(CODE_FAILURE, "--outside: standard input ended before the last turn");
        if (got < 0 && errno != EINTR && errno != EAGAIN)
            return complain(CODE_FAILURE, "--outside: standard input: %s", strerror(errno));
    }
    return CODE_OK;
}

int outside_turn(bench *all, size_t who, size_t repetition) {
    double began = clock_seconds();
    int code = CODE_OK;
    for (size_t s = 0; s < all->input->source_count && code == CODE_OK; s++) {
        if (printf("turn %zu %zu %zu\n", who, repetition, s) < 0 || fflush(stdout) != 0)
            code = complain(CODE_FAILURE, "--outside: standard output: %s", strerror(errno));
        else
            code = await_line();
    }
    all->outside_seconds += clock_seconds() - began;
    return code;
}
