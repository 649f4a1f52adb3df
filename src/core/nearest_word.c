/* SPDX-License-Identifier: Apache-2.0
 *
 * "Did you mean": edit distance where inserting, deleting, replacing a letter and swapping two
 * neighbours cost one each (optimal string alignment). A beginning of three letters or more counts
 * as one change. Words longer than LONGEST are nobody's typing error and are skipped, and so are
 * candidates of which no letter would stay. */
#include "core/nearest_word.h"

#include <string.h>

enum { LONGEST = 40 };

static size_t least(size_t a, size_t b) {
    return a < b ? a : b;
}

static size_t distance_of(const char *a, const char *b) {
    size_t na = strlen(a), nb = strlen(b);
    if (na > LONGEST || nb > LONGEST)
        return LONGEST;
    if (na >= 3 && na < nb && strncmp(a, b, na) == 0)
        return 1;
    size_t rows[3][LONGEST + 1];
    size_t *before = rows[0], *last = rows[1], *row = rows[2];
    for (size_t j = 0; j <= nb; j++)
        last[j] = j;
    for (size_t i = 1; i <= na; i++) {
        row[0] = i;
        for (size_t j = 1; j <= nb; j++) {
            row[j] = least(last[j - 1] + (a[i - 1] != b[j - 1]), least(last[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = least(row[j], before[j - 2] + 1);
        }
        size_t *free_row = before;
        before = last;
        last = row;
        row = free_row;
    }
    return last[nb];
}

void hop__nearest_begin(hop__nearest *search, const char *word) {
    *search = (hop__nearest){word, NULL, LONGEST};
}

void hop__nearest_offer(hop__nearest *search, const char *candidate) {
    size_t distance = distance_of(search->word, candidate);
    if (distance < search->distance && distance < strlen(candidate)) {
        search->distance = distance;
        search->best = candidate;
    }
}

const char *hop__nearest_best(const hop__nearest *search) {
    return search->distance <= 1 + strlen(search->word) / 4 ? search->best : NULL;
}
