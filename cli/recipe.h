/* SPDX-License-Identifier: Apache-2.0
 *
 * What to generate: a family, its parameters, a seed and weights, from the options of `hoplite
 * generate` or from one word, FAMILY:KEY=VALUE,... */
#ifndef HOPLITE_CLI_RECIPE_H
#define HOPLITE_CLI_RECIPE_H

#include "arguments.h"
#include "parameter_text.h"
#include "session.h"

typedef struct recipe {
    const hop_family *family;
    hop_setting *settings;
    hop_generate_options options;
    char *words; /* of recipe_parse: what the settings point into */
} recipe;

parameter_table recipe_table(const hop_family *family);

/* From the options; `family` is its name. To be freed in any case, as below. */
int recipe_take(const arguments *given, const char *family, recipe *made);
/* Whether a word is a recipe: it begins with the name of a family and a colon. */
bool recipe_is(const char *word);
/* The family that a word like a recipe means, if it is misspelt; else NULL. */
const char *recipe_meant(const char *word);
/* Whether a recipe makes a list. */
bool recipe_is_list(const char *word);
/* From such a word. The keys seed, weights, min-weight and max-weight are those options of
 * generate, the others are parameters of the family. */
int recipe_parse(const char *word, recipe *made);
void recipe_free(recipe *made);

/* What it makes, and how long that takes: a graph, or the array of a list, to be freed by free(),
 * within the budget. */
int recipe_make_graph(session *work, const recipe *made, hop_graph **graph, double *seconds);
int recipe_make_list(session *work, const recipe *made, hop_vertex **list, hop_vertex *count,
                     double *seconds);

#endif
