/* SPDX-License-Identifier: Apache-2.0
 *
 * A bar chart of counts: see bar_chart.h. A narrow terminal does without bars, a very narrow one
 * without percentages. */
#include "bar_chart.h"

#include <stdbool.h>
#include <string.h>

#include "number_text.h"
#include "terminal.h"

enum { LEAST_BAR = 8, MOST_BAR = 40 };

/* A bar of `eighths` of a column; ASCII has whole columns only. */
static void print_bar(FILE *file, unsigned eighths) {
    static const char *const parts[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    if (!terminal_utf8())
        eighths = (eighths + 7) / 8 * 8;
    for (unsigned i = 0; i < eighths / 8; i++)
        fputs(terminal_utf8() ? "█" : "#", file);
    fputs(parts[eighths % 8], file);
}

int chart_range(const chart_row *row, char *out, size_t size) {
    if (row->range[0] != '\0')
        return snprintf(out, size, "%s", row->range);
    if (row->low == row->high)
        return snprintf(out, size, "%s", count_text(row->low).s);
    return snprintf(out, size, "%s - %s", count_text(row->low).s, count_text(row->high).s);
}

void chart_print(FILE *file, const char *what, const char *things, const chart_row *rows,
                 size_t count, uint64_t total) {
    uint64_t most = 0;
    int widest = (int)strlen(things), digits = (int)strlen(what);
    char range[96];
    for (size_t i = 0; i < count; i++) {
        int length = chart_range(&rows[i], range, sizeof range);
        most = rows[i].count > most ? rows[i].count : most;
        digits = length > digits ? length : digits;
    }
    if (most == 0)
        return;
    if ((int)strlen(count_text(most).s) > widest)
        widest = (int)strlen(count_text(most).s);
    unsigned columns = terminal_width(file), used = (unsigned)(digits + widest) + 2;
    bool percents = columns > used + 9;
    unsigned room = columns > used + 12 + LEAST_BAR ? columns - used - 12 : 0;
    if (room > MOST_BAR)
        room = MOST_BAR;
    fprintf(file, "\n%s%*s  %*s%s\n", style_on(file, STYLE_BOLD), digits, what, widest, things,
            style_off(file));
    for (size_t i = 0; i < count; i++) {
        unsigned eighths = (unsigned)(8 * room * ((double)rows[i].count / (double)most) + 0.5);
        chart_range(&rows[i], range, sizeof range);
        fprintf(file, "%*s  %*s", digits, range, widest, count_text(rows[i].count).s);
        if (percents)
            fprintf(file, "  %7s", percent_text((double)rows[i].count, (double)total).s);
        if (room > 0 && rows[i].count > 0) {
            fputs("  ", file);
            print_bar(file, eighths == 0 ? 1 : eighths);
        }
        fputc('\n', file);
    }
}
