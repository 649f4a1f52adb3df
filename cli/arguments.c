/* SPDX-License-Identifier: Apache-2.0
 *
 * The command line of a verb. getopt_long does the taking apart, from a table that is made of the
 * option rows of the verb's groups and of its parameters; the checks of the values are ours.
 *
 * Abbreviations (--thr for --threads), which getopt_long would accept, are refused: each new
 * option or family could make a script's abbreviation ambiguous. */
#include "arguments.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "complaint.h"
#include "core/nearest_word.h"
#include "exit_codes.h"
#include "number_text.h"

/* What getopt_long returns: letters for short options, FIRST_OPTION + id for long ones,
 * FIRST_PARAMETER + 2 * index for parameters and one more for their --no- form. */
enum { FIRST_OPTION = 256, FIRST_PARAMETER = FIRST_OPTION + OPTION_COUNT };

typedef struct getopt_tables {
    struct option *long_options;
    size_t count;
    char **negations; /* the names "no-..." of parameters that are flags, NULL for others */
    size_t parameters;
    char letters[2 * OPTION_COUNT + 3];
} getopt_tables;

static bool takes(const verb *row, size_t id) {
    return (row->groups & option_rows[id].group) != 0;
}

static size_t count_parameters(const verb *row) {
    size_t count = 0;
    while (row->parameter != NULL && row->parameter(count) != NULL)
        count++;
    return count;
}

/* --NAME VALUE; for flags --NAME, --NAME=VALUE and --no-NAME. */
static void add_parameter(getopt_tables *tables, const hop_parameter *parameter, size_t index) {
    bool flag = parameter->type == HOP_PARAMETER_FLAG;
    int code = FIRST_PARAMETER + 2 * (int)index;
    tables->negations[index] = NULL;
    tables->long_options[tables->count++] =
        (struct option){parameter->name, flag ? optional_argument : required_argument, NULL, code};
    if (!flag)
        return;
    size_t length = strlen(parameter->name) + 4;
    tables->negations[index] = need_memory(NULL, length, 1);
    snprintf(tables->negations[index], length, "no-%s", parameter->name);
    tables->long_options[tables->count++] =
        (struct option){tables->negations[index], no_argument, NULL, code + 1};
}

static void make_tables(const verb *row, getopt_tables *tables) {
    size_t letters = 0, parameters = count_parameters(row);
    tables->parameters = parameters;
    tables->negations = need_memory(NULL, parameters, sizeof(char *));
    tables->long_options =
        need_memory(NULL, OPTION_COUNT + 2 * parameters + 1, sizeof(struct option));
    /* "-": operands come in their place, as code 1. ":": a missing argument has a code of its own.
     */
    tables->letters[letters++] = '-';
    tables->letters[letters++] = ':';
    tables->count = 0;
    for (size_t id = 0; id < OPTION_COUNT; id++) {
        const option_row *option = &option_rows[id];
        if (!takes(row, id))
            continue;
        int has = option->kind == KIND_FLAG   ? no_argument
                  : option->otherwise != NULL ? optional_argument
                                              : required_argument;
        tables->long_options[tables->count++] =
            (struct option){option->name, has, NULL, FIRST_OPTION + (int)id};
        if (option->letter != 0) {
            tables->letters[letters++] = option->letter;
            if (has == required_argument)
                tables->letters[letters++] = ':';
        }
    }
    tables->letters[letters] = '\0';
    for (size_t i = 0; i < parameters; i++)
        add_parameter(tables, row->parameter(i), i);
    tables->long_options[tables->count] = (struct option){0};
}

static void free_tables(getopt_tables *tables) {
    for (size_t i = 0; i < tables->parameters; i++)
        free(tables->negations[i]);
    free(tables->negations);
    free(tables->long_options);
}

int complain_word(const char *what, const char *word, word_at words) {
    hop__nearest search;
    hop__nearest_begin(&search, word);
    size_t length = 1, count = 0;
    for (const char *each; (each = words(count)) != NULL; count++) {
        hop__nearest_offer(&search, each);
        length += strlen(each) + 2;
    }
    char *all = need_memory(NULL, length, 1);
    all[0] = '\0';
    for (size_t i = 0; i < count; i++) {
        strcat(all, i == 0 ? "" : ", ");
        strcat(all, words(i));
    }
    complain(CODE_USAGE, "%s: \"%s\" is none of %s", what, word, all);
    if (hop__nearest_best(&search) != NULL)
        advise("did you mean %s?", hop__nearest_best(&search));
    free(all);
    return CODE_USAGE;
}

/* `name` is how the user gave it: "--threads", "-o" or the variable. */
static int take_value(option_value *value, const option_row *option, const char *name,
                      const char *word) {
    bool good = true;
    if (word == NULL)
        word = option->otherwise;
    switch (option->kind) {
    case KIND_FLAG:
    case KIND_FILE:
    case KIND_TEXT:
        good = word == NULL || *word != '\0';
        if (!good)
            return complain(CODE_USAGE, "%s: %s expected, nothing found", name, option->argument);
        break;
    case KIND_WHOLE:
        good = parse_whole(word, &value->number);
        break;
    case KIND_BYTES:
        if (!parse_bytes(word, &value->number) || value->number == 0)
            return complain(CODE_USAGE, "%s: \"%s\" is no size; such as 512M, 4G or 1.5GiB are",
                            name, word);
        break;
    case KIND_REAL:
        if (!parse_real(word, &value->real))
            return complain(CODE_USAGE, "%s: \"%s\" is no number", name, word);
        break;
    case KIND_WORD: {
        size_t index = 0;
        const char *each;
        while ((each = option->words(index)) != NULL && strcmp(each, word) != 0)
            index++;
        if (each == NULL)
            return complain_word(name, word, option->words);
        value->number = index;
    }
    }
    if (!good || (option->kind == KIND_WHOLE &&
                  (value->number < option->minimum || value->number > option->maximum)))
        return complain(CODE_USAGE, "%s: \"%s\" is no whole number from %s to %s", name, word,
                        count_text(option->minimum).s, count_text(option->maximum).s);
    value->text = word;
    value->times++;
    return CODE_OK;
}

static void add_setting(arguments *given, const char *name, const char *word) {
    given->settings =
        need_memory(given->settings, given->setting_count + 1, sizeof given->settings[0]);
    given->settings[given->setting_count++] = (typed_setting){name, word};
}

static void add_repeated(arguments *given, option_id id, const char *word) {
    given->repeated =
        need_memory(given->repeated, given->repeated_count + 1, sizeof given->repeated[0]);
    given->repeated[given->repeated_count++] = (struct repeated_option){id, word};
}

/* Splits the word of --set at its first "="; the word is ours to change. */
static int take_set(arguments *given, char *word) {
    char *equals = strchr(word, '=');
    if (equals == NULL || equals == word || equals[1] == '\0')
        return complain(CODE_USAGE, "--set: NAME=VALUE expected, \"%s\" found", word);
    *equals = '\0';
    add_setting(given, word, equals + 1);
    return CODE_OK;
}

static int complain_unknown(const verb *row, const getopt_tables *tables, const char *word) {
    hop__nearest search;
    size_t dashes = strspn(word, "-");
    size_t length = strcspn(word, "=");
    char *name = need_memory(NULL, length + 1, 1);
    memcpy(name, word, length);
    name[length] = '\0';
    hop__nearest_begin(&search, name + dashes);
    for (size_t i = 0; i < tables->count; i++)
        hop__nearest_offer(&search, tables->long_options[i].name);
    complain(CODE_USAGE, "%s: no such option", name);
    if (hop__nearest_best(&search) != NULL)
        advise("did you mean --%s?", hop__nearest_best(&search));
    else
        advise("%s %s --help lists the options", complaint_program_name(), row->name);
    free(name);
    return CODE_USAGE;
}

/* Of the options that the verb takes. */
static const option_row *option_of_code(const verb *row, int code) {
    for (size_t id = 0; id < OPTION_COUNT; id++)
        if (takes(row, id) && (code == FIRST_OPTION + (int)id ||
                               (code < FIRST_OPTION && option_rows[id].letter == code)))
            return &option_rows[id];
    return NULL;
}

/* What getopt_long could not take: '?' or ':'. `word` is the word it was looking at. */
/* Whether a word with one dash is the name of a long option. */
static bool lacks_dash(const getopt_tables *tables, const char *word) {
    size_t length = strcspn(word + 1, "=");
    for (size_t i = 0; i < tables->count; i++)
        if (length > 1 && strlen(tables->long_options[i].name) == length &&
            strncmp(word + 1, tables->long_options[i].name, length) == 0)
            return true;
    return false;
}

static int complain_getopt(const verb *row, const getopt_tables *tables, int code, char *word) {
    char letter[3] = {'-', (char)optopt, '\0'};
    bool is_long = word[1] == '-';
    const option_row *option = option_of_code(row, optopt);
    if (code == ':') {
        const char *argument = option != NULL ? option->argument : "a value";
        return complain(CODE_USAGE, "%s: %s expected after it", is_long ? word : letter, argument);
    }
    if (is_long && optopt != 0)
        return complain(CODE_USAGE, "%s: this option takes no value", word);
    return complain_unknown(row, tables, is_long || lacks_dash(tables, word) ? word : letter);
}

static bool abbreviated(const char *word, const char *name) {
    size_t length = strlen(name);
    return strncmp(word + 2, name, length) != 0 ||
           (word[2 + length] != '\0' && word[2 + length] != '=');
}

static void add_operand(arguments *given, const char *word) {
    given->operands = need_memory(given->operands, given->operand_count + 1, sizeof(char *));
    given->operands[given->operand_count++] = word;
}

static int take_options(arguments *given, const getopt_tables *tables, int argc, char **argv) {
    const verb *row = given->verb;
    opterr = 0;
    optind = 1;
    for (;;) {
        char *word = optind < argc ? argv[optind] : NULL;
        int index = -1,
            code = getopt_long(argc, argv, tables->letters, tables->long_options, &index);
        if (code == -1)
            break;
        if (code == 1) {
            add_operand(given, optarg);
            continue;
        }
        if (code == '?' || code == ':')
            return complain_getopt(row, tables, code, word);
        if (code >= FIRST_OPTION && abbreviated(word, tables->long_options[index].name))
            return complain_unknown(row, tables, word);
        if (code >= FIRST_PARAMETER) {
            unsigned which = (unsigned)(code - FIRST_PARAMETER);
            add_setting(given, row->parameter(which / 2)->name, which % 2 == 1 ? "no" : optarg);
            continue;
        }
        const option_row *option = option_of_code(row, code);
        char name[32];
        if (code < FIRST_OPTION)
            snprintf(name, sizeof name, "-%c", code);
        else
            snprintf(name, sizeof name, "--%s", option->name);
        option_id id = (option_id)(option - option_rows);
        int failed = take_value(&given->values[id], option, name, optarg);
        if (failed == CODE_OK && id == OPT_SET)
            failed = take_set(given, optarg);
        else if (failed == CODE_OK && option->many)
            add_repeated(given, id, optarg);
        if (failed != CODE_OK)
            return failed;
    }
    while (optind < argc)
        add_operand(given, argv[optind++]);
    return CODE_OK;
}

/* Variables stand in for options that were not given. An empty one is not set. */
static int take_environment(arguments *given) {
    for (size_t id = 0; id < OPTION_COUNT; id++) {
        const option_row *option = &option_rows[id];
        if (!takes(given->verb, id) || option->environment == NULL || given->values[id].times > 0)
            continue;
        const char *word = getenv(option->environment);
        if (word == NULL || *word == '\0')
            continue;
        int failed = take_value(&given->values[id], option, option->environment, word);
        if (failed != CODE_OK)
            return failed;
        given->values[id].inherited = true;
    }
    return CODE_OK;
}

int arguments_parse(arguments *given, const verb *row, int argc, char **argv) {
    getopt_tables tables;
    *given = (arguments){.verb = row, .words = argv};
    make_tables(row, &tables);
    int failed = take_options(given, &tables, argc, argv);
    free_tables(&tables);
    if (failed != CODE_OK || is_given(given, OPT_HELP))
        return failed;
    if (given->operand_count > row->most_operands) {
        complain(CODE_USAGE, "\"%s\" is one word too many", given->operands[row->most_operands]);
        advise("usage: hoplite %s [options] %s", row->name, row->operands);
        return CODE_USAGE;
    }
    return take_environment(given);
}

void arguments_free(arguments *given) {
    free(given->operands);
    free(given->settings);
    free(given->repeated);
    given->repeated = NULL;
    given->operands = NULL;
    given->settings = NULL;
}

bool is_given(const arguments *given, option_id id) {
    return given->values[id].times > 0;
}

const char *given_text(const arguments *given, option_id id, size_t index) {
    for (size_t i = 0; i < given->repeated_count; i++)
        if (given->repeated[i].id == id && index-- == 0)
            return given->repeated[i].text;
    return NULL;
}
