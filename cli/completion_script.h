/* SPDX-License-Identifier: Apache-2.0
 *
 * The scripts of `hoplite completion`. */
#ifndef HOPLITE_CLI_COMPLETION_SCRIPT_H
#define HOPLITE_CLI_COMPLETION_SCRIPT_H

#include "arguments.h"

void completion_bash(FILE *file);
void completion_zsh(FILE *file);
void completion_fish(FILE *file);

/* The words of a table, separated by spaces. */
void print_words(FILE *file, word_at words);
/* The words that an option of the verb may have as its value, or NULL. */
word_at words_of_option(const verb *row, size_t id);
/* Whether the verb takes the option. */
bool verb_takes(const verb *row, size_t id);

#endif
