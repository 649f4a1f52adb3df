/* SPDX-License-Identifier: Apache-2.0
 *
 * ^C and its relatives: see interrupt.h. */
#include "interrupt.h"

#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

#include "terminal.h"

/* Lock-free atomics may be used in a handler, and are seen by whichever thread asks. */
static atomic_int received;
static atomic_bool end_at_once, terminal;

static void on_signal(int number) {
    if (atomic_load(&end_at_once)) {
        /* The progress bar may stand on the line. */
        if (atomic_load(&terminal) && write(STDERR_FILENO, "\r\033[K", 4) == -1)
            _exit(128 + number);
        _exit(128 + number);
    }
    atomic_store(&received, number);
}

void interrupt_install(void) {
    atomic_store(&terminal, terminal_is_live(stderr));
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        struct sigaction old, action = {.sa_handler = on_signal};
        sigemptyset(&action.sa_mask);
        /* The second one does what it does to any program. */
        action.sa_flags = (int)SA_RESETHAND;
        /* nohup, and shells that start us in the background, have decided otherwise. */
        if (sigaction(numbers[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            sigaction(numbers[i], &action, NULL);
    }
    /* A reader that went away is an error of a write, with a message, not a silent end. */
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); /* so is a limit of the size of files */
}

bool interrupted(void) {
    return atomic_load(&received) != 0;
}

int interrupt_exit_code(void) {
    int number = atomic_load(&received);
    return 128 + (number == 0 ? SIGINT : number);
}

void interrupt_ends_process(bool now) {
    atomic_store(&end_at_once, now);
}
