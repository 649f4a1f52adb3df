/* SPDX-License-Identifier: Apache-2.0
 *
 * Help, made from the tables of verbs and options: what is printed cannot differ from what is
 * accepted. Wrapped to the width of the terminal, at most 100 columns. */
#include "help_text.h"

#include <stdio.h>
#include <string.h>

#include "complaint.h"
#include "terminal.h"

enum { TERM_COLUMNS = 26, LEAST_TEXT = 24 };

static unsigned text_width(FILE *file) {
    unsigned width = terminal_width(file);
    return width > 100 ? 100 : width;
}

/* Prints `words` from column `column` on, continued at `indent`. Ends with a newline. */
static void wrap(FILE *file, const char *words, unsigned column, unsigned indent) {
    unsigned width = text_width(file);
    if (width < indent + LEAST_TEXT)
        width = indent + LEAST_TEXT;
    bool first = true;
    while (*words != '\0') {
        unsigned length = (unsigned)strcspn(words, " ");
        if (!first && column + 1 + length > width - 1) {
            fprintf(file, "\n%*s", (int)indent, "");
            column = indent;
        } else if (!first) {
            fputc(' ', file);
            column++;
        }
        fwrite(words, 1, length, file);
        column += length;
        words += length;
        words += strspn(words, " ");
        first = false;
    }
    fputc('\n', file);
}

void help_paragraph(FILE *file, const char *words, unsigned indent) {
    fprintf(file, "%*s", (int)indent, "");
    wrap(file, words, indent, indent);
}

void help_heading(FILE *file, const char *title) {
    fprintf(file, "\n%s%s%s\n", style_on(file, STYLE_BOLD), title, style_off(file));
}

void help_entry(FILE *file, const char *term, const char *explanation) {
    unsigned indent = text_width(file) >= TERM_COLUMNS + LEAST_TEXT ? TERM_COLUMNS : 8;
    fprintf(file, "  %s", term);
    unsigned column = 2 + (unsigned)strlen(term);
    if (column + 2 > indent) {
        fprintf(file, "\n%*s", (int)indent, "");
    } else {
        fprintf(file, "%*s", (int)(indent - column), "");
    }
    wrap(file, explanation, indent, indent);
}

/* Whether the option is to stand under this group: the first of those that the verb takes. */
static bool stands_under(const option_row *option, const verb *row, uint64_t group) {
    uint64_t common = option->group & row->groups;
    return (common & (UINT64_C(0) - common)) == group;
}

static void option_term(const option_row *option, char *term, size_t size) {
    char letter[8] = "", argument[32] = "";
    if (option->letter != 0)
        snprintf(letter, sizeof letter, "-%c, ", option->letter);
    if (option->argument != NULL)
        snprintf(argument, sizeof argument, option->otherwise != NULL ? "[=%s]" : " %s",
                 option->argument);
    snprintf(term, size, "%s--%s%s", letter, option->name, argument);
}

static void print_options(FILE *file, const verb *row) {
    const char *title = "";
    for (size_t g = 0; g < GROUP_COUNT; g++) {
        if ((row->groups & option_groups[g].bit) == 0)
            continue;
        if (strcmp(title, option_groups[g].title) != 0)
            help_heading(file, option_groups[g].title);
        title = option_groups[g].title;
        for (size_t id = 0; id < OPTION_COUNT; id++) {
            const option_row *option = &option_rows[id];
            char term[64], explanation[256];
            if (!stands_under(option, row, option_groups[g].bit))
                continue;
            option_term(option, term, sizeof term);
            snprintf(explanation, sizeof explanation, "%s%s%s%s", option->summary,
                     option->environment != NULL ? " [" : "",
                     option->environment != NULL ? option->environment : "",
                     option->environment != NULL ? "]" : "");
            help_entry(file, term, explanation);
        }
    }
}

static void print_lines(FILE *file, const char *lines) {
    while (*lines != '\0') {
        int length = (int)strcspn(lines, "\n");
        fprintf(file, "  %.*s\n", length, lines);
        lines += length + (lines[length] == '\n');
    }
}

void help_verb(FILE *file, const arguments *given) {
    const verb *row = given->verb;
    fprintf(file, "%sUsage:%s %s %s [options]%s%s\n\n", style_on(file, STYLE_BOLD), style_off(file),
            complaint_program_name(), row->name, *row->operands != '\0' ? " " : "", row->operands);
    help_paragraph(file, row->description, 0);
    if (row->more_help != NULL)
        row->more_help(file, given);
    print_options(file, row);
    if (row->examples != NULL) {
        help_heading(file, "Examples");
        print_lines(file, row->examples);
    }
}

void help_overview(FILE *file, bool all) {
    fprintf(file, "%sUsage:%s hoplite VERB [options] ...\n\n", style_on(file, STYLE_BOLD),
            style_off(file));
    help_paragraph(file,
                   "Solves problems on graphs and lists and certifies the answers; makes graphs, "
                   "reads and writes "
                   "their files, describes them.",
                   0);
    help_heading(file, "Try");
    print_lines(file, "hoplite generate rmat --scale 16 --edge-factor 16 -o g.npz\n"
                      "hoplite info g.npz\n"
                      "hoplite bfs g.npz --certify\n"
                      "hoplite convert g.npz g.mtx\n");
    help_heading(file, "Verbs");
    for (size_t i = 0; i < verb_count; i++)
        help_entry(file, verb_rows[i].name, verb_rows[i].summary);
    if (all) {
        help_heading(file, "Everywhere");
        help_entry(file, "VERB --help", "the options of a verb");
        help_entry(file, "--version", "version, what it was built with, compiler");
        help_entry(file, "-", "as a file: standard input or standard output");
        help_entry(file, "FAMILY:KEY=VALUE,...",
                   "as a graph or list that is read: one made by this recipe, with the options of "
                   "generate and the family as keys, such as rmat:scale=16,weights=int32");
        help_heading(file, "Exit codes");
        help_entry(file, "0", "done");
        help_entry(file, "1", "failed: no memory, no such file, disk full, not possible");
        help_entry(file, "2", "the command line is wrong");
        help_entry(file, "3", "a certificate was rejected");
        help_entry(file, "4", "no such device");
        help_entry(file, "5", "the contents of a file are wrong");
        help_entry(file, "130", "interrupted");
        help_entry(file, "141", "the reader of standard output closed it");
    } else {
        fputs("\nhoplite help says more; hoplite VERB --help explains a verb.\n", file);
    }
}
