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

enum { PTX_FORMALS = 32, PTX_CALLEES = 32 };

/* A function of the module: results first, then parameters. */
typedef struct ptx_function {
    struct ptx_function *next;
    char name[PTX_TOKEN];
    const char *at; /* the text behind .func */
    uint32_t line, results, count;
    uint8_t bits[PTX_FORMALS];
} ptx_function;

/* One that the kernel calls, with registers of its own in the kernel: as none calls itself, once is
 * enough. */
typedef struct ptx_callee {
    const ptx_function *function;
    uint32_t first; /* register: where to return to; then results and parameters */
    uint32_t entry; /* its place in the code */
    uint32_t calls; /* a bit for each callee */
} ptx_callee;

typedef struct ptx_parser {
    ptx_text text;
    ptx_module *module;
    ptx_names globals; /* of the module */
    uint32_t shared;   /* bytes of shared memory that the module has before its kernels */
    ptx_function *functions;
    /* of the kernel: */
    ptx_kernel *kernel;
    ptx_names names;
    uint32_t capacity, register_capacity;
    ptx_jump *jumps;
    uint32_t jump_count, jump_capacity;
    ptx_callee callees[PTX_CALLEES];
    uint32_t callee_count;
    ptx_callee *inside; /* the one whose body is read; NULL: the kernel itself */
} ptx_parser;

/* A register of the kernel; bits 0: the constant `value`. */
uint32_t ptx_register_add(ptx_parser *parser, uint32_t bits, uint64_t value);
/* A variable, after .shared, .local or .global: its bytes are put behind `top`. */
bool ptx_variable(ptx_parser *parser, ptx_space space, uint32_t *top);
/* The body of a kernel or function, behind its first brace, and its last one. */
bool ptx_body(ptx_parser *parser);
ptx_instruction *ptx_instruction_add(ptx_parser *parser);
/* What the name stands for: in the kernel, else in the module; NULL: nothing. */
const ptx_name *ptx_named(const ptx_parser *parser, const char *text);

/* ptx_call.c: functions and calls. */
/* The functions of the whole text, before anything else is read. */
bool ptx_functions(ptx_parser *parser);
void ptx_functions_free(ptx_parser *parser);
/* Behind .func: to its end. */
bool ptx_function_skip(ptx_parser *parser);
/* The bodies of what a kernel calls, behind its own. */
bool ptx_callees(ptx_parser *parser);
/* .param .b64 name; in a body: an argument that is made ready. */
bool ptx_argument(ptx_parser *parser);
/* The operands of a call; `made` is the last instruction of the kernel. */
bool ptx_call(ptx_parser *parser, ptx_instruction made);
/* ld.param and st.param of an argument, whose name is `name`, are moves. */
bool ptx_argument_move(ptx_parser *parser, ptx_instruction *made, const ptx_name *name);

/* Room for one more of an array that grows. */
void *ptx_grow(void *array, uint32_t count, uint32_t *capacity, size_t size);

#endif
