/* SPDX-License-Identifier: Apache-2.0
 *
 * Completions for fish: one `complete` line per verb, option and parameter. */
#include "completion_script.h"

static void print_quoted(FILE *file, const char *words) {
    fputc('\'', file);
    for (; *words != '\0'; words++) {
        if (*words == '\'' || *words == '\\')
            fputc('\\', file);
        fputc(*words, file);
    }
    fputc('\'', file);
}

static void begin_line(FILE *file, const verb *row) {
    fprintf(file, "complete -c hoplite -n '__fish_seen_subcommand_from %s'", row->name);
}

static void print_option(FILE *file, const verb *row, size_t id) {
    const option_row *option = &option_rows[id];
    word_at words = words_of_option(row, id);
    begin_line(file, row);
    fprintf(file, " -l %s", option->name);
    if (option->letter != 0)
        fprintf(file, " -s %c", option->letter);
    if (option->kind == KIND_FILE)
        fputs(" -r -F", file);
    else if (words != NULL && option->otherwise == NULL) {
        fputs(" -x -a '", file);
        print_words(file, words);
        fputc('\'', file);
    } else if (option->argument != NULL && option->otherwise == NULL)
        fputs(" -x", file);
    fputs(" -d ", file);
    print_quoted(file, option->summary);
    fputc('\n', file);
}

static void print_verb(FILE *file, const verb *row) {
    for (size_t id = 0; id < OPTION_COUNT; id++)
        if (verb_takes(row, id))
            print_option(file, row, id);
    for (size_t i = 0; row->parameter != NULL && row->parameter(i) != NULL; i++) {
        begin_line(file, row);
        fprintf(file, " -l %s%s -d ", row->parameter(i)->name,
                row->parameter(i)->type == HOP_PARAMETER_FLAG ? "" : " -x");
        print_quoted(file, row->parameter(i)->summary);
        fputc('\n', file);
    }
    if (row->operand_files) {
        begin_line(file, row);
        fputs(" -F\n", file);
    }
    if (row->operand_words != NULL) {
        begin_line(file, row);
        fputs(" -a '", file);
        print_words(file, row->operand_words);
        fputs("'\n", file);
    }
}

void completion_fish(FILE *file) {
    fputs("# Completions of hoplite for fish: ~/.config/fish/completions/hoplite.fish\n"
          "complete -c hoplite -f\n"
          "complete -c hoplite -n __fish_use_subcommand -l version -d 'version and build'\n"
          "complete -c hoplite -n __fish_use_subcommand -l help -d 'what hoplite can do'\n",
          file);
    for (size_t i = 0; i < verb_count; i++) {
        fprintf(file, "complete -c hoplite -n __fish_use_subcommand -a %s -d ", verb_rows[i].name);
        print_quoted(file, verb_rows[i].summary);
        fputc('\n', file);
    }
    for (size_t i = 0; i < verb_count; i++)
        print_verb(file, &verb_rows[i]);
}
