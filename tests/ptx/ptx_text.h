/* SPDX-License-Identifier: Apache-2.0
 * Words of a text in PTX, and names with what they stand for. */
#ifndef HOPLITE_TESTS_PTX_TEXT_H
#define HOPLITE_TESTS_PTX_TEXT_H

#include "ptx/ptx_internal.h"

enum { PTX_TOKEN = 256, PTX_BUCKETS = 1024 };

typedef enum ptx_meaning { PTX_IS_REGISTER, PTX_IS_VARIABLE, PTX_IS_LABEL } ptx_meaning;

typedef struct ptx_name {
    struct ptx_name *next;
    uint64_t value; /* number of a register, address, or place in the code */
    ptx_meaning meaning;
    ptx_space space;
    char text[];
} ptx_name;

/* Later names hide earlier ones. All zero: empty. */
typedef struct ptx_names {
    ptx_name *buckets[PTX_BUCKETS];
} ptx_names;

ptx_name *ptx_name_add(ptx_names *names, const char *text, ptx_meaning meaning, uint64_t value);
ptx_name *ptx_name_find(const ptx_names *names, const char *text);
void ptx_names_free(ptx_names *names);

typedef struct ptx_text {
    ptx_machine *machine;
    const char *at;
    uint32_t line;
    char token[PTX_TOKEN];
} ptx_text;

/* The next word, number or sign into text->token; false at the end, with an empty one. */
bool ptx_next(ptx_text *text);
bool ptx_is(const ptx_text *text, const char *token);
/* The next one must be `token`. False with a message. */
bool ptx_expect(ptx_text *text, const char *token);
/* Up to and with `token`. */
bool ptx_skip_to(ptx_text *text, const char *token);
void ptx_skip_line(ptx_text *text);
/* Says what is wrong at this line; returns false. */
__attribute__((format(printf, 2, 3))) bool ptx_complain(ptx_text *text, const char *format, ...);
/* A number in any of the forms of PTX, floats as their bits. */
bool ptx_number(const char *token, uint64_t *value);

#endif
