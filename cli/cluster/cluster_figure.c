/* SPDX-License-Identifier: Apache-2.0
 *
 * See cluster_figure.h. One bar for each phase, as long as its exchanges took a rank in the mean:
 * what it worked, and behind that what it waited; a thin line goes from the rank that took least to
 * the one that took most. Below the name stands what was sent. */
#include "cluster/cluster_figure.h"

#include "number_text.h"
#include "svg_chart.h"
#include "whole_file.h"

enum { WIDTH = 860, NAME = 16, LEFT = 330, RIGHT = 90, TOP = 76, ROW = 40, BAR = 16 };

static const char worked_colour[] = "#3b6ea5", waited_colour[] = "#e0a458";

static double longest(const figure *made) {
    double most = 0;
    for (size_t i = 0; i < made->count; i++)
        most = made->rows[i].seconds.most > most ? made->rows[i].seconds.most : most;
    return most > 0 ? most : 1;
}

static void put_box(FILE *file, double x, double y, double width, const char *colour) {
    fprintf(file, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>\n", x, y,
            width, BAR, colour);
}

static void put_legend(FILE *file) {
    put_box(file, LEFT, 38, BAR, worked_colour);
    fprintf(file, "<text x=\"%d\" y=\"51\">worked</text>\n", LEFT + BAR + 6);
    put_box(file, LEFT + 90, 38, BAR, waited_colour);
    fprintf(file,
            "<text x=\"%d\" y=\"51\">waited: means of the ranks; the line is from the least to the "
            "most of a rank</text>\n",
            LEFT + 90 + BAR + 6);
}

static void put_row(FILE *file, const figure_row *row, double y, double most) {
    double scale = (WIDTH - LEFT - RIGHT) / most;
    double waited = row->waiting.mean < row->seconds.mean ? row->waiting.mean : row->seconds.mean;
    double worked = row->seconds.mean - waited;
    fprintf(file, "<text x=\"%d\" y=\"%.1f\" font-weight=\"bold\">", NAME, y + 12);
    svg_put_text(file, row->name);
    fputs("</text>\n", file);
    fprintf(file, "<text x=\"%d\" y=\"%.1f\" fill=\"#666\" font-size=\"11\">", NAME, y + 27);
    if (row->rounds > 0)
        fprintf(file, "%s, %s, %s; most: %.2f of the mean", bytes_text(row->bytes).s,
                counted_text(row->messages, "message", "messages").s,
                counted_text(row->rounds, "round", "rounds").s, row->uneven);
    fputs("</text>\n", file);
    put_box(file, LEFT, y, scale * worked, worked_colour);
    put_box(file, LEFT + scale * worked, y, scale * waited, waited_colour);
    fprintf(file, "<path d=\"M%.1f %.1fH%.1f\" stroke=\"#222\"/>\n",
            LEFT + scale * row->seconds.least, y + BAR + 3, LEFT + scale * row->seconds.most);
    fprintf(file, "<text x=\"%.1f\" y=\"%.1f\">%s</text>\n", LEFT + scale * row->seconds.most + 6,
            y + 12, seconds_text(row->seconds.mean).s);
}

static void put_figure(const void *user, FILE *file) {
    const figure *made = user;
    int height = TOP + ROW * (int)made->count + 12;
    svg_begin(file, WIDTH, height, NAME, made->title);
    put_legend(file);
    for (size_t i = 0; i < made->count; i++)
        put_row(file, &made->rows[i], TOP + ROW * (double)i, longest(made));
    fputs("</svg>\n", file);
}

int figure_write(const arguments *given, const figure *made) {
    return whole_file_write("--plot", given->values[OPT_SPREAD_PLOT].text, put_figure, made);
}
