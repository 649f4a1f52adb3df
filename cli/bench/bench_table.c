/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of `hoplite bench`: fastest first, a bar for the speed, and below it those who did not
 * get to the end, with the reason. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "complaint.h"
#include "number_text.h"
#include "shown_text.h"
#include "terminal.h"

enum { LEAST_BAR = 6, MOST_BAR = 30, COPY_COLUMN = 10 };

static int by_median(const void *a, const void *b) {
    const contender *x = *(const contender *const *)a, *y = *(const contender *const *)b;
    if (x->times.count == 0 || y->times.count == 0)
        return (x->times.count == 0) - (y->times.count == 0);
    return (x->times.median > y->times.median) - (x->times.median < y->times.median);
}

static void print_bar(FILE *file, double share, unsigned width) {
    static const char *const parts[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    unsigned eighths = (unsigned)(8 * width * share + 0.5);
    eighths = eighths == 0 ? 1 : eighths;
    fputs(style_on(file, STYLE_CYAN), file);
    if (!terminal_utf8())
        eighths = (eighths + 7) / 8 * 8;
    for (unsigned i = 0; i < eighths / 8; i++)
        fputs(terminal_utf8() ? "█" : "#", file);
    fputs(parts[eighths % 8], file);
    fputs(style_off(file), file);
}

/* "12.1 ms - 12.9 ms" */
static text range_text(double low, double high) {
    text range;
    text ends[2] = {seconds_text(low), seconds_text(high)};
    snprintf(range.s, sizeof range.s, "%.18s - %.18s", ends[0].s, ends[1].s);
    return range;
}

static text rate_cell(const bench *all, double seconds) {
    text cell;
    double rate = bench_rate(all, seconds);
    if (rate >= 1000)
        return count_text((uint64_t)(rate + 0.5));
    snprintf(cell.s, sizeof cell.s, rate >= 100 ? "%.0f" : rate >= 10 ? "%.1f" : "%.2f", rate);
    return cell;
}

/* Columns of a text, which may have characters of several bytes. */
static int columns_of(const char *s) {
    int columns = 0;
    for (; *s != '\0'; s++)
        columns += ((unsigned char)*s & 0xc0) != 0x80;
    return columns;
}

static void print_heading(const bench *all, FILE *file) {
    const bench_input *input = all->input;
    bool wants = all->problem == HOP_PROBLEM_BFS || all->problem == HOP_PROBLEM_SSSP;
    fprintf(file, "\n%s%s on ", style_on(file, STYLE_BOLD), hop_problem_name(all->problem));
    put_shown(file, input->word);
    fprintf(file, "%s\n", style_off(file));
    if (input->graph == NULL)
        fprintf(file, "%s elements", count_text(input->elements).s);
    else
        fprintf(file, "%s vertices, %s edges, %s", count_text(input->info.vertices).s,
                count_text(input->info.edges).s, input->info.directed ? "directed" : "undirected");
    if (wants)
        fprintf(file, "; %zu source%s", input->source_count, input->source_count == 1 ? "" : "s");
    fprintf(file, "; %zu repetition%s after %zu warm-up; every result checked\n", all->repeat,
            all->repeat == 1 ? "" : "s", all->warmup);
}

typedef struct table_shape {
    int name;     /* columns of the widest */
    int device;   /* the same; 0: nothing but the host */
    unsigned bar; /* 0: no room */
    double fastest;
} table_shape;

/* Variant, device and threads. */
static void print_name(FILE *file, const contender *each, const table_shape *shape) {
    fprintf(file, "%s%*s", each->variant->label, shape->name - columns_of(each->variant->label),
            "");
    if (shape->device > 0)
        fprintf(file, " %-*s", shape->device, each->device->name);
    fprintf(file, " %7u", each->threads);
}

static void print_row(const bench *all, FILE *file, const contender *each,
                      const table_shape *shape) {
    const statistics *times = &each->times;
    print_name(file, each, shape);
    fprintf(file, "  %10s  %-23s  %10s ", seconds_text(times->median).s,
            range_text(times->q1, times->q3).s,
            times->count > 1 ? seconds_text((times->high - times->low) / 2).s : "-");
    fprintf(file, "%10s  %6.2f", rate_cell(all, times->median).s, times->median / shape->fastest);
    if (shape->device > 0 && !each->device->is_host && each->measured > 0) /* of all repetitions */
        fprintf(file, "  %*.0f %%", COPY_COLUMN - 4, 100 * each->copied / each->measured);
    else if (shape->device > 0)
        fprintf(file, "  %*s", COPY_COLUMN - 2, "-");
    if (shape->bar > 0) {
        fputs("  ", file);
        print_bar(file, shape->fastest / times->median, shape->bar);
    }
    if (!each->device->is_host && each->ran != NULL && each->ran->place == HOP_PLACE_HOST)
        fprintf(file, "  %son the host%s", style_on(file, STYLE_RED), style_off(file));
    if (contender_is_busy(each))
        fprintf(file, "  %sbusy: %.2f cores of others%s", style_on(file, STYLE_RED),
                contender_foreign(each), style_off(file));
    if (times->count < all->repeat)
        fprintf(file, "  %s%zu of %zu: %s%s", style_on(file, STYLE_RED), times->count, all->repeat,
                each->message, style_off(file));
    fputc('\n', file);
}

static void print_failure(FILE *file, const contender *each, const table_shape *shape) {
    print_name(file, each, shape);
    fprintf(file, "  %s%s%s: %s\n", style_on(file, STYLE_RED), outcome_names[each->outcome],
            style_off(file), each->message);
}

static void print_columns(const bench *all, FILE *file, const table_shape *shape) {
    fprintf(file, "%s%-*s", style_on(file, STYLE_DIM), shape->name, "variant");
    if (shape->device > 0)
        fprintf(file, " %-*s", shape->device, "device");
    fprintf(file, " %7s  %10s  %-23s  %10s %10s  %6s", "threads", "median", "quartiles", "+- 95 %",
            bench_rate_unit(all), "ratio");
    if (shape->device > 0)
        fprintf(file, "  %*s", COPY_COLUMN - 2, "copies");
    fprintf(file, "%s\n", style_off(file));
}

/* The contenders, fastest first; to be freed. */
static const contender **sorted(const bench *all) {
    const contender **order = need_memory(NULL, all->contender_count, sizeof *order);
    for (size_t i = 0; i < all->contender_count; i++)
        order[i] = &all->contenders[i];
    qsort(order, all->contender_count, sizeof *order, by_median);
    return order;
}

void table_print(const bench *all, FILE *file) {
    const contender **order = sorted(all);
    table_shape shape = {7, 0, 0, NAN};
    for (size_t i = 0; i < all->contender_count; i++) {
        int width = columns_of(order[i]->variant->label);
        shape.name = width > shape.name ? width : shape.name;
        if (!order[i]->device->is_host &&
            (width = columns_of(order[i]->device->name)) > shape.device)
            shape.device = width > 6 ? width : 6;
    }
    if (order[0]->times.count > 0)
        shape.fastest = order[0]->times.median;
    unsigned columns = terminal_width(file), used = (unsigned)shape.name + 77;
    used += shape.device > 0 ? (unsigned)shape.device + 1 + COPY_COLUMN : 0;
    if (columns >= used + LEAST_BAR)
        shape.bar = columns - used < MOST_BAR ? columns - used : MOST_BAR;
    print_heading(all, file);
    print_columns(all, file, &shape);
    for (size_t i = 0; i < all->contender_count; i++)
        if (order[i]->times.count > 0)
            print_row(all, file, order[i], &shape);
        else
            print_failure(file, order[i], &shape);
    free(order);
}
