/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows of METIS files (see metis_row.h). One function takes rows apart, for storing and, with a
 * message, for explaining what is wrong: so the two cannot disagree. */
#include "io/formats/metis_row.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "io/text/text_number.h"

bool hop__metis_is_comment(const char *at, const char *end) {
    at = hop__skip_blanks(at, end);
    return at < end && *at == '%';
}

static inline unsigned is_blank(char byte) {
    return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r';
}

/* Words are counted by their first bytes, sixteen lanes at a time (see hop__text_newlines). */
static uint64_t count_words(const char *begin, const char *end) {
    uint64_t sum = begin < end && !is_blank(*begin);
    const char *at = begin + (begin < end);
    while (end - at >= 16) {
        unsigned char lanes[16] = {0};
        ptrdiff_t rounds = (end - at) / 16 > 255 ? 255 : (end - at) / 16;
        for (ptrdiff_t round = 0; round < rounds; round++, at += 16)
            for (int lane = 0; lane < 16; lane++)
                lanes[lane] = (unsigned char)(lanes[lane] +
                                              (is_blank(at[lane - 1]) & (1 ^ is_blank(at[lane]))));
        for (int lane = 0; lane < 16; lane++)
            sum += lanes[lane];
    }
    for (; at < end; at++)
        sum += is_blank(at[-1]) && !is_blank(*at);
    return sum;
}

void hop__metis_count(const char *begin, const char *end, uint64_t *lines, uint64_t *rows,
                      uint64_t *words) {
    *lines = *rows = hop__text_newlines(begin, end) + (begin < end && end[-1] != '\n');
    if (memchr(begin, '%', (size_t)(end - begin)) == NULL) {
        *words = count_words(begin, end);
        return;
    }
    *rows = *words = 0;
    for (const char *at = begin; at < end;) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *next = newline == NULL ? end : newline + 1;
        if (!hop__metis_is_comment(at, end)) {
            ++*rows;
            *words += count_words(at, next);
        }
        at = next;
    }
}

/* Whether a number may end here. */
static inline bool at_end(const char *at, const char *end) {
    return at == end || *at == ' ' || *at == '\t';
}

static const char *take_integer(const char *at, const char *end, int64_t *value) {
    bool negative = *at == '-';
    uint64_t size;
    at = hop__take_u64(at + negative, &size);
    if (at == NULL || size > (uint64_t)INT64_MAX || !at_end(at, end))
        return NULL;
    *value = negative ? -(int64_t)size : (int64_t)size;
    return at;
}

static bool refuse(char *message, const char *at, const char *end, const char *expected) {
    char found[64];
    if (message != NULL)
        snprintf(message, HOP__METIS_MESSAGE, "found %s, expected %s",
                 hop__text_quote(at, end, found), expected);
    return false;
}

static bool refuse_vertex(char *message, uint64_t id, uint64_t vertices) {
    if (message != NULL)
        snprintf(message, HOP__METIS_MESSAGE, "neighbour %" PRIu64 ", expected 1 to %" PRIu64, id,
                 vertices);
    return false;
}

/* The words before the neighbours. */
static bool skip_words(const hop__metis_form *form, const char **at, const char *end,
                       char *message) {
    for (uint64_t i = 0; i < form->skip; i++) {
        int64_t value;
        *at = hop__skip_blanks(*at, end);
        const char *next = *at == end ? NULL : take_integer(*at, end, &value);
        if (next == NULL)
            return refuse(message, *at, end, "the vertex's size or weight (an integer)");
        *at = next;
    }
    return true;
}

/* One row, into the sink. False when it is wrong. */
static bool take_row(const hop__metis_form *form, uint64_t row, const char *at, const char *end,
                     hop__metis_sink *out, char *message) {
    if (row >= form->vertices) {
        if (hop__skip_blanks(at, end) == end)
            return true; /* blank lines at the end do no harm */
        if (message != NULL)
            snprintf(message, HOP__METIS_MESSAGE,
                     "a line for vertex %" PRIu64 ", but the header states %" PRIu64, row + 1,
                     form->vertices);
        return false;
    }
    if (!skip_words(form, &at, end, message))
        return false;
    for (;;) {
        uint64_t id;
        int64_t weight;
        at = hop__skip_blanks(at, end);
        if (at == end)
            return true;
        const char *next = hop__take_u64(at, &id);
        if (next == NULL || !at_end(next, end))
            return refuse(message, at, end, "the number of a neighbour");
        if (id - 1 >= form->vertices)
            return refuse_vertex(message, id, form->vertices);
        at = next;
        /* Where lines before were wrong, the slots that were reckoned are too few. */
        if (out != NULL && out->slot >= out->end)
            return false;
        if (form->edge_weights) {
            at = hop__skip_blanks(at, end);
            next = at == end ? NULL : take_integer(at, end, &weight);
            if (next == NULL)
                return refuse(message, at, end, "the weight of the edge (an integer of 64 bits)");
            at = next;
            if (out != NULL)
                out->weights[out->slot] = weight;
        }
        if (out != NULL) {
            out->from[out->slot] = (uint32_t)row;
            out->to[out->slot++] = (uint32_t)(id - 1);
        }
    }
}

const char *hop__metis_parse(const hop__metis_form *form, const char *begin, const char *end,
                             uint64_t row, hop__metis_sink *sink, uint64_t *wrong_row) {
    for (const char *at = begin; at < end;) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *stop = newline == NULL ? end : newline;
        if (stop > at && stop[-1] == '\r')
            stop--;
        if (!hop__metis_is_comment(at, stop)) {
            if (!take_row(form, row, at, stop, sink, NULL)) {
                *wrong_row = row;
                return at;
            }
            row++;
        }
        at = newline == NULL ? end : newline + 1;
    }
    return NULL;
}

void hop__metis_explain(const hop__metis_form *form, uint64_t row, const char *at, const char *end,
                        char message[HOP__METIS_MESSAGE]) {
    if (take_row(form, row, at, end, NULL, message))
        snprintf(message, HOP__METIS_MESSAGE, "a malformed line");
}
