/* SPDX-License-Identifier: Apache-2.0
 * Signals are the whole process's: no thread blocks them. */
#ifndef HOPLITE_WINDOWS_POSIX_SIGNAL_H
#define HOPLITE_WINDOWS_POSIX_SIGNAL_H

#include_next <signal.h>

#include <pthread.h>

typedef unsigned long long hop__windows_signals;
#define sigset_t hop__windows_signals

#define SIGHUP  1
#define SIGPIPE 13
#define SIGXFSZ 25
#define SIGBUS  10
#define SIGTRAP 5
#define SIGSYS  12

static inline int hop__windows_no_signals(sigset_t *set) {
    *set = 0;
    return 0;
}
#define sigfillset(set)                    hop__windows_no_signals(set)
#define sigdelset(set, number)             ((void)(number), hop__windows_no_signals(set))
#define pthread_sigmask(how, mask, before) ((void)(mask), (void)(before), 0)
#define sigemptyset(set)                   hop__windows_no_signals(set)

typedef void (*hop__windows_handler)(int number);

enum { SA_RESETHAND = 1 };
struct sigaction {
    hop__windows_handler sa_handler;
    sigset_t sa_mask;
    int sa_flags;
};

/* -1 or SIG_ERR for signals that Windows has not. */
int sigaction(int number, const struct sigaction *action, struct sigaction *old);
hop__windows_handler hop__windows_signal(int number, hop__windows_handler handler);
#define signal hop__windows_signal

#endif
