/* SPDX-License-Identifier: Apache-2.0
 *
 * Signals about mapped files: see file_fault.h.
 *
 * A handler may call little: here fstat, write, sigaction, raise and _exit. So the messages are
 * made when a file is noted. The files are kept open: what stands at a path later may be another
 * file. */
#include "file_fault.h"

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "complaint.h"
#include "exit_codes.h"
#include "terminal.h"

enum { FILES = 8 };

typedef struct watched_file {
    int descriptor;
    struct stat before;
    char cut[1024], changed[1024]; /* what is said */
} watched_file;

static watched_file files[FILES];
static volatile sig_atomic_t file_count;
static volatile sig_atomic_t on_terminal;

/* ---- in the handler -------------------------------------------------------------------------- */

static void say(const char *text) {
    if (on_terminal && write(STDERR_FILENO, "\r\033[K", 4) == -1)
        return;
    (void)!write(STDERR_FILENO, text, strlen(text));
}

/* Whether some file has changed since it was noted; says so. */
static bool tell_change(void) {
    bool told = false;
    for (int i = 0; i < file_count; i++) {
        struct stat now;
        const struct stat *old = &files[i].before;
        if (fstat(files[i].descriptor, &now) != 0)
            continue;
        bool shorter = now.st_size < old->st_size;
        if (shorter || now.st_size != old->st_size || now.st_mtim.tv_sec != old->st_mtim.tv_sec ||
            now.st_mtim.tv_nsec != old->st_mtim.tv_nsec) {
            say(shorter ? files[i].cut : files[i].changed);
            told = true;
        }
    }
    return told;
}

static void on_fault(int number, siginfo_t *about, void *machine) {
    (void)machine;
    if (about->si_code > 0 && tell_change())
        _exit(CODE_BAD_INPUT);
    /* Another fault, or a signal that somebody sent: what it does to any program. */
    struct sigaction standard = {.sa_handler = SIG_DFL};
    sigaction(number, &standard, NULL);
    if (about->si_code <= 0)
        raise(number);
}

/* ---- before ---------------------------------------------------------------------------------- */

static void install(void) {
    static char stack[1 << 14]; /* the calling thread's own may be what is at fault */
    const stack_t other = {.ss_sp = stack, .ss_size = sizeof stack};
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigemptyset(&action.sa_mask);
    sigaltstack(&other, NULL);
    on_terminal = terminal_is_live(stderr);
    sigaction(SIGBUS, &action, NULL);
#if !defined(__SANITIZE_ADDRESS__) /* which has better words for it */
    sigaction(SIGSEGV, &action, NULL);
#endif
}

static void make_message(char text[1024], const char *path, const char *what) {
    const char *verb = complaint_verb_name();
    int length = snprintf(text, 1024,
                          "hoplite: %s%s%.700s %s while it was being read; --in-memory "
                          "reads it at once\n",
                          verb != NULL ? verb : "", verb != NULL ? ": " : "", path, what);
    /* A name may have any bytes, and a terminal obeys some. */
    for (int i = 0; i + 1 < length && i + 1 < 1024; i++)
        if ((unsigned char)text[i] < ' ' || text[i] == 0x7f)
            text[i] = '?';
}

/* Zip archives and arrays are; text is read. */
static bool is_mapped_kind(int descriptor) {
    char magic[6] = {0};
    ssize_t count = pread(descriptor, magic, sizeof magic, 0);
    return count == (ssize_t)sizeof magic &&
           (memcmp(magic, "PK", 2) == 0 || memcmp(magic, "\x93NUMPY", 6) == 0);
}

void fault_watch(const char *path) {
    if (file_count == FILES)
        return;
    watched_file *file = &files[file_count];
    /* A pipe must be opened once only: who writes into it would see the first reader go. */
    if (stat(path, &file->before) != 0 || !S_ISREG(file->before.st_mode))
        return;
    file->descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file->descriptor < 0)
        return;
    if (fstat(file->descriptor, &file->before) != 0 || !S_ISREG(file->before.st_mode) ||
        !is_mapped_kind(file->descriptor)) {
        close(file->descriptor);
        return;
    }
    make_message(file->cut, path, "was cut short");
    make_message(file->changed, path, "was changed");
    if (file_count == 0)
        install();
    file_count = file_count + 1;
}
