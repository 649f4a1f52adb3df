/* SPDX-License-Identifier: Apache-2.0
 *
 * The progress bar. It looks like
 *
 *     build: sort  ██████████░░░░░░░░░░  50 %  21.8 M/s  0:12 left
 *
 * and gives up, as the terminal gets narrower, the bar, the rate, the time left, and the end of the
 * phase's name, in this order; it never fills the last three columns, so that a typed ^C does not
 * wrap. Short work shows nothing at all, and there are at most ten drawings a second. A phase whose
 * total is not known shows what was done so far, if that is counted. */
#include "progress_bar.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "number_text.h"
#include "terminal.h"

static const double first_draw = 0.3, pause = 0.1, line_pause = 1;

void bar_init(progress_bar *bar, bool wanted, bool lines) {
    bool live = terminal_is_live(stderr);
    *bar = (progress_bar){.wanted = wanted && (live || lines), .lines = lines && !live};
    bar->next_draw = clock_seconds() + first_draw;
}

static void time_left(char *out, size_t size, double seconds) {
    unsigned long whole = (unsigned long)(seconds + 0.5);
    if (seconds > 359999)
        snprintf(out, size, "  days left");
    else if (whole >= 3600)
        snprintf(out, size, "  %lu:%02lu:%02lu left", whole / 3600, whole / 60 % 60, whole % 60);
    else
        snprintf(out, size, "  %lu:%02lu left", whole / 60, whole % 60);
}

static size_t append(char *line, size_t at, const char *piece, size_t times) {
    size_t length = strlen(piece);
    for (size_t i = 0; i < times && at + length < BAR_BYTES; i++, at += length)
        memcpy(line + at, piece, length + 1);
    return at;
}

char *bar_compose(char line[BAR_BYTES], const hop_progress *progress, double elapsed,
                  uint64_t first, unsigned columns, bool utf8) {
    char percent[48] = "", rate[48] = "", left[48] = "";
    uint64_t done = progress->done, total = progress->total;
    if (total > 0 && done > total)
        done = total;
    double speed = done > first && elapsed > 0 ? (double)(done - first) / elapsed : 0;
    if (total > 0)
        snprintf(percent, sizeof percent, "  %3.0f %%", floor(100 * (double)done / (double)total));
    else if (done > 0)
        snprintf(percent, sizeof percent, "  %s", rate_text((double)done).s);
    if (speed > 0)
        snprintf(rate, sizeof rate, "  %s/s", rate_text(speed).s);
    if (speed > 0 && total > 0)
        time_left(left, sizeof left, (double)(total - done) / speed);

    size_t room = columns > 3 ? columns - 3 : 0;
    size_t name = strlen(progress->phase);
    size_t need = name + strlen(percent) + strlen(rate) + strlen(left);
    if (need > room) {
        need -= strlen(rate);
        rate[0] = '\0';
    }
    if (need > room) {
        need -= strlen(left);
        left[0] = '\0';
    }
    if (need > room)
        name = room > strlen(percent) ? room - strlen(percent) : 0;
    size_t width = room > need + 2 ? room - need - 2 : 0;
    if (width > 30)
        width = 30;
    line[0] = '\0';
    size_t at = append(line, 0, progress->phase, 1);
    if (name < at)
        line[at = name] = '\0';
    if (total > 0 && width >= 8) {
        size_t full = (size_t)((double)width * ((double)done / (double)total));
        at = append(line, at, "  ", 1);
        at = append(line, at, utf8 ? "█" : "#", full);
        at = append(line, at, utf8 ? "░" : ".", width - full);
    }
    at = append(line, at, percent, room >= name + strlen(percent));
    at = append(line, at, rate, 1);
    append(line, at, left, 1);
    return line;
}

void bar_update(progress_bar *bar, const hop_progress *progress) {
    if (!bar->wanted)
        return;
    double now = clock_seconds();
    if (strncmp(bar->phase, progress->phase, sizeof bar->phase - 1) != 0) {
        snprintf(bar->phase, sizeof bar->phase, "%s", progress->phase);
        bar->phase_began = now;
        bar->phase_first = progress->done;
    }
    if (now < bar->next_draw || (!bar->lines && !terminal_is_ours(stderr)))
        return;
    bar->next_draw = now + (bar->lines ? line_pause : pause);
    char line[BAR_BYTES];
    if (bar->lines) {
        enum { LINE_COLUMNS = 80 };
        fprintf(stderr, "%s\n",
                bar_compose(line, progress, now - bar->phase_began, bar->phase_first, LINE_COLUMNS,
                            false));
        return;
    }
    bar_compose(line, progress, now - bar->phase_began, bar->phase_first, terminal_width(stderr),
                terminal_utf8());
    /* One write per drawing, so that the line never flickers half done. */
    char all[BAR_BYTES + 32];
    int length = snprintf(all, sizeof all, "\r%s%s%s\033[K", style_on(stderr, STYLE_CYAN), line,
                          style_off(stderr));
    fwrite(all, 1, (size_t)length, stderr);
    fflush(stderr);
    bar->visible = true;
}

void bar_wipe(progress_bar *bar) {
    if (bar->visible) {
        fputs("\r\033[K", stderr);
        fflush(stderr);
    }
    bar->visible = false;
}
