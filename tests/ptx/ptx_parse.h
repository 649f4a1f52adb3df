/* SPDX-License-Identifier: Apache-2.0
 * What the two halves of the parser share: a kernel whose text is being read. */
#ifndef HOPLITE_TESTS_PTX_PARSE_H
#define HOPLITE_TESTS_PTX_PARSE_H

#include "ptx/ptx_text.h"

/* A branch to a label that comes later. */
typedef struct ptx_jump {
    uint32_t at, line;
    char label[PTX_TOKEN];
} ptx_jump;

typedef struct ptx_parser {
    ptx_text text;
    ptx_module *module;
    ptx_names globals; /* of the module */
    uint32_t shared;   /* bytes of shared memory that the module has before its kernels */
    /* of the kernel: */
    ptx_kernel *kernel;
    ptx_names names;
    uint32_t capacity, register_capacity;
    ptx_jump *jumps;
    uint32_t jump_count, jump_capacity;
} ptx_parser;

/* A register of the kernel; bits 0: the constant `value`. */
uint32_t ptx_register_add(ptx_parser *parser, uint32_t bits, uint64_t value);
/* A variable, after .shared, .local or .global: its bytes are put behind `top`. */
bool ptx_variable(ptx_parser *parser, ptx_space space, uint32_t *top);
/* The body of a kernel, behind its first brace, and its last one. */
bool ptx_body(ptx_parser *parser);
/* Room for one more of an array that grows. */
void *ptx_grow(void *array, uint32_t count, uint32_t *capacity, size_t size);

#endif
