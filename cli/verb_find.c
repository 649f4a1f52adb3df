/* SPDX-License-Identifier: Apache-2.0
 *
 * Looks into the table of verbs, which is verbs.c's, or that of another command (cluster/). */
#include <string.h>

#include "verbs.h"

const verb *verb_find(const char *name) {
    for (size_t i = 0; i < verb_count; i++)
        if (strcmp(verb_rows[i].name, name) == 0)
            return &verb_rows[i];
    return NULL;
}

const char *word_of_verb(size_t index) {
    return index < verb_count ? verb_rows[index].name : NULL;
}
