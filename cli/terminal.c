/* SPDX-License-Identifier: Apache-2.0
 *
 * What the terminal can show: see terminal.h. Only SGR colours, carriage return and "erase to the
 * end of the line" are ever sent, which every terminal of the last thirty years knows. */
#include "terminal.h"

#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static bool has_utf8;

void terminal_init(void) {
    /* Only the character set: numbers stay in the form that every program can read. */
    if (setlocale(LC_CTYPE, "") != NULL)
        has_utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

bool terminal_reader_gone(void) {
    struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};
    return poll(&out, 1, 0) > 0 && (out.revents & POLLERR) != 0;
}

bool terminal_utf8(void) {
    return has_utf8;
}

bool terminal_is_live(FILE *file) {
    const char *kind = getenv("TERM");
    return isatty(fileno(file)) && kind != NULL && *kind != '\0' && strcmp(kind, "dumb") != 0;
}

bool terminal_has_colour(FILE *file) {
    const char *none = getenv("NO_COLOR");
    return (none == NULL || *none == '\0') && terminal_is_live(file);
}

bool terminal_is_ours(FILE *file) {
    pid_t group = tcgetpgrp(fileno(file));
    return group == -1 || group == getpgrp();
}

unsigned terminal_width(FILE *file) {
    struct winsize size;
    if (ioctl(fileno(file), TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        return size.ws_col;
    return 80;
}

const char *style_on(FILE *file, style which) {
    static const char *const codes[] = {"\033[1m", "\033[31m", "\033[36m", "\033[2m"};
    return terminal_has_colour(file) ? codes[which] : "";
}

const char *style_off(FILE *file) {
    return terminal_has_colour(file) ? "\033[0m" : "";
}
