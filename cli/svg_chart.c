/* SPDX-License-Identifier: Apache-2.0
 *
 * Bar charts as SVG: see svg_chart.h. One bar per row, from bottom to top a scale of round numbers;
 * where the counts differ by more than a factor of a hundred it is logarithmic, and says so. */
#include "svg_chart.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "complaint.h"
#include "exit_codes.h"
#include "number_text.h"
#include "shown_text.h"
#include "whole_file.h"

/* Below the bars are their ranges, slanted where they have no room, and below these what they are
 * of. WIDE is how wide a letter of a range is at most, LETTER how far down a slanted one goes,
 * TITLE how wide a letter of the title is as a rule. */
enum { WIDTH = 720, LEFT = 90, RIGHT = 20, TOP = 50, BARS = 270, BOTTOM = 36, TICKS = 5 };
static const double LETTER = 4.4, WIDE = 8, TITLE = 8.5;

typedef struct svg_scale {
    double most;
    bool logarithmic;
} svg_scale;

int plot_check(const arguments *given) {
    int code = plot_name_check(given, OPT_PLOT);
    return code == CODE_OK && is_given(given, OPT_PLOT) ? folder_check(given->values[OPT_PLOT].text)
                                                        : code;
}

int plot_name_check(const arguments *given, option_id option) {
    if (!is_given(given, option))
        return CODE_OK;
    const char *path = given->values[option].text;
    size_t length = strlen(path);
    if (length > 4 && strcmp(path + length - 4, ".svg") == 0)
        return CODE_OK;
    const char *name = strrchr(path, '/') == NULL ? path : strrchr(path, '/') + 1;
    const char *dot = strrchr(name, '.');
    int stem = (int)(dot == NULL || dot == name ? length : (size_t)(dot - path));
    complain(CODE_USAGE,
             "--plot %s: the chart is written as SVG: a name that ends in .svg expected", path);
    advise("every browser shows SVG; with --plot %.*s.svg, and librsvg installed, "
           "`rsvg-convert -o %.*s.png %.*s.svg` makes a PNG of it",
           stem, path, stem, path, stem, path);
    return CODE_USAGE;
}

void svg_put_text(FILE *file, const char *words) {
    for (size_t length; *words != '\0'; words += length == 0 ? 1 : length) {
        length = utf8_length((const unsigned char *)words);
        switch (*words) {
        case '<':
            fputs("&lt;", file);
            break;
        case '>':
            fputs("&gt;", file);
            break;
        case '&':
            fputs("&amp;", file);
            break;
        default: /* XML has neither control characters nor what is no UTF-8 */
            if ((unsigned char)*words < ' ' || length == 0)
                fputc((unsigned char)*words < ' ' ? ' ' : '?', file);
            else
                fwrite(words, 1, length, file);
        }
    }
}

static bool is_middle(char byte) {
    return ((unsigned char)byte & 0xc0) == 0x80; /* of a letter in UTF-8 */
}

/* A title that has no room for so many letters loses its first ones: folders, as a rule. */
static void put_title(FILE *file, const char *title, size_t most) {
    size_t letters = 0;
    for (const char *at = title; *at != '\0'; at++)
        letters += !is_middle(*at);
    if (letters <= most) {
        svg_put_text(file, title);
        return;
    }
    for (; letters > most - 1 || is_middle(*title); title++)
        letters -= !is_middle(*title);
    fputs("…", file);
    svg_put_text(file, title);
}

void svg_begin(FILE *file, int width, int height, int x, const char *title) {
    fprintf(file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
            "viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"12\" fill=\"#222\">\n"
            "<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n"
            "<text x=\"%d\" y=\"24\" font-size=\"15\">",
            width, height, width, height, width, height, x);
    put_title(file, title, (size_t)((width - x - RIGHT) / TITLE));
    fputs("</text>\n", file);
}

static svg_scale scale_of(const chart_row *rows, size_t count) {
    uint64_t most = 1, least = UINT64_MAX;
    for (size_t i = 0; i < count; i++) {
        most = rows[i].count > most ? rows[i].count : most;
        if (rows[i].count > 0 && rows[i].count < least)
            least = rows[i].count;
    }
    return (svg_scale){(double)most, (double)most > 100 * (double)least};
}

/* From 0 at the bottom to 1 at the top. A count of 1 has some height on a logarithmic scale. */
static double height_of(const svg_scale *scale, double count) {
    if (count <= 0)
        return 0;
    return scale->logarithmic ? log10(2 * count) / log10(2 * scale->most) : count / scale->most;
}

static void put_line(FILE *file, const svg_scale *scale, double value) {
    double y = TOP + BARS * (1 - height_of(scale, value));
    fprintf(file, "<path d=\"M%d %.1fH%d\" stroke=\"#ddd\"/>\n", LEFT, y, WIDTH - RIGHT);
    fprintf(file, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n", LEFT - 8, y + 4,
            count_text((uint64_t)value).s);
}

static void put_scale(FILE *file, const svg_scale *scale) {
    static const int parts[] = {1, 2, 5};
    double most = scale->most, power = pow(10, floor(log10(most))), step = power;
    if (scale->logarithmic) {
        double every = scale->most > 1e6 ? 100 : 10;
        for (double value = 1; value <= scale->most; value *= every)
            put_line(file, scale, value);
        return;
    }
    for (size_t i = 0; most / step < TICKS && i < sizeof parts / sizeof parts[0]; i++)
        step = power / parts[i];
    step = step < 1 ? 1 : step;
    for (double value = 0; value <= scale->most; value += step)
        put_line(file, scale, value);
}

/* Whether the range of a bar is written below it: of many bars every other, or fewer. */
static bool is_labelled(size_t i, size_t count) {
    return i % (1 + (count - 1) / 20) == 0;
}

static double room_of_bar(size_t count) {
    return (double)(WIDTH - LEFT - RIGHT) / (double)count;
}

/* How far slanted ranges reach down; 0: they have room without. */
static int depth_of_labels(const chart_row *rows, size_t count) {
    size_t longest = 0;
    char range[96];
    for (size_t i = 0; i < count; i++) {
        chart_range(&rows[i], range, sizeof range);
        if (is_labelled(i, count) && strlen(range) > longest)
            longest = strlen(range);
    }
    return WIDE * (double)longest < room_of_bar(count) ? 0 : (int)ceil(LETTER * (double)longest);
}

static void put_label(FILE *file, const char *range, double x, bool slanted) {
    if (slanted)
        fprintf(file, "<text transform=\"translate(%.1f %d) rotate(-35)\" text-anchor=\"end\">",
                x + 4, TOP + BARS + 16);
    else
        fprintf(file, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">", x, TOP + BARS + 16);
    svg_put_text(file, range);
    fputs("</text>\n", file);
}

static void put_bars(FILE *file, const svg_scale *scale, const chart_row *rows, size_t count,
                     bool slanted) {
    double room = room_of_bar(count), all = BARS;
    char range[96];
    for (size_t i = 0; i < count; i++) {
        double x = LEFT + room * (double)i, high = all * height_of(scale, (double)rows[i].count);
        chart_range(&rows[i], range, sizeof range);
        fprintf(file,
                "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"#3b6ea5\">"
                "<title>",
                x + room * 0.1, TOP + all - high, room * 0.8, high);
        svg_put_text(file, range);
        fprintf(file, ": %s</title></rect>\n", count_text(rows[i].count).s);
        if (is_labelled(i, count))
            put_label(file, range, x + room / 2, slanted);
    }
}

typedef struct svg_chart {
    const char *title, *what, *things;
    const chart_row *rows;
    size_t count;
} svg_chart;

static void put_chart(const void *user, FILE *file) {
    const svg_chart *chart = user;
    svg_scale scale = scale_of(chart->rows, chart->count);
    int depth = depth_of_labels(chart->rows, chart->count);
    int height = TOP + BARS + BOTTOM + (depth > 0 ? depth : 10);
    svg_begin(file, WIDTH, height, LEFT, chart->title);
    put_scale(file, &scale);
    put_bars(file, &scale, chart->rows, chart->count, depth > 0);
    fprintf(file, "<path d=\"M%d %dH%d\" stroke=\"#222\"/>\n", LEFT, TOP + BARS, WIDTH - RIGHT);
    fprintf(file, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">", (WIDTH + LEFT) / 2,
            height - 8);
    svg_put_text(file, chart->what);
    fprintf(file, "</text>\n<text x=\"%d\" y=\"%d\">", LEFT, TOP - 8);
    svg_put_text(file, chart->things);
    fprintf(file, "%s</text>\n</svg>\n", scale.logarithmic ? " (logarithmic scale)" : "");
}

void plot_title(char title[PLOT_TITLE], const char *path, const char *of) {
    size_t length = strlen(path), most = PLOT_TITLE - strlen(of) - 3;
    for (path += length > most ? length - most : 0; is_middle(*path);)
        path++;
    snprintf(title, PLOT_TITLE, "%s: %s", path, of);
}

int plot_write(const arguments *given, const char *title, const char *what, const char *things,
               const chart_row *rows, size_t count) {
    const svg_chart chart = {title, what, things, rows, count};
    if (!is_given(given, OPT_PLOT))
        return CODE_OK;
    return whole_file_write("--plot", given->values[OPT_PLOT].text, put_chart, &chart);
}
