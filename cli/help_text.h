/* SPDX-License-Identifier: Apache-2.0
 *
 * Help, made from the tables of verbs and options. */
#ifndef HOPLITE_CLI_HELP_TEXT_H
#define HOPLITE_CLI_HELP_TEXT_H

#include "arguments.h"

/* What the command is and the first commands to try; `all` adds every verb and the conventions. */
void help_overview(FILE *file, bool all);
void help_verb(FILE *file, const arguments *given);
void help_heading(FILE *file, const char *title);
/* Words from column `indent` on, wrapped, and a newline. */
void help_paragraph(FILE *file, const char *words, unsigned indent);
/* A term in the left column and its explanation, wrapped, in the right one. */
void help_entry(FILE *file, const char *term, const char *explanation);

#endif
