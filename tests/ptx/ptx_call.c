/* SPDX-License-Identifier: Apache-2.0
 *
 * Functions and calls. A kernel has the code of each function that it calls behind its own, once,
 * and that function's registers among its own: a function that calls itself, also through others,
 * is refused. Results, arguments and the place to return to are registers; an item of a warp may be
 * in a function from another call than its neighbour. */
#include <stdlib.h>
#include <string.h>

#include "ptx/ptx_parse.h"

static uint64_t mask_of(uint32_t bits) {
    return bits >= 64 ? ~0ull : (1ull << bits) - 1;
}

/* The type and name behind .param; the name is left in the token. */
static bool formal(ptx_text *text, uint32_t *bits) {
    uint32_t bytes;
    ptx_class class;
    ptx_next(text);
    if (ptx_is(text, ".align"))
        return ptx_complain(text, "a struct as an argument is not known");
    if (text->token[0] != '.' || !ptx_type(text->token + 1, &bytes, &class) || bytes == 0)
        return ptx_complain(text, "'%s' is no type", text->token);
    *bits = 8 * bytes;
    ptx_next(text);
    return text->at[strspn(text->at, " \t")] != '[' ||
           ptx_complain(text, "an array as an argument is not known");
}

static void name_register(ptx_parser *parser, const char *name, uint32_t number) {
    ptx_name_add(&parser->names, name, PTX_IS_REGISTER, number)->space = PTX_PARAMETER;
}

/* --- functions ------------------------------------------------------------------------------- */

/* (.param .b32 a, .param .b64 b), whose first token is read. `callee` NULL: they are counted; else
 * they get the names of its registers, from number `at` on. */
static bool formals(ptx_parser *parser, ptx_function *function, const ptx_callee *callee,
                    uint32_t *at) {
    ptx_text *text = &parser->text;
    uint32_t bits = 0;
    while (ptx_next(text) && !ptx_is(text, ")")) {
        if (ptx_is(text, ","))
            continue;
        if (!ptx_is(text, ".param"))
            return ptx_complain(text, "'%s' where .param is wanted", text->token);
        if (!formal(text, &bits))
            return false;
        if (*at == PTX_FORMALS)
            return ptx_complain(text, "more than %d parameters", PTX_FORMALS);
        if (callee != NULL)
            name_register(parser, text->token, callee->first + 1 + *at);
        else
            function->bits[*at] = (uint8_t)bits;
        ++*at;
    }
    return true;
}

/* Behind .func, to the brace or semicolon with which it ends. */
static bool header(ptx_parser *parser, ptx_function *function, const ptx_callee *callee) {
    ptx_text *text = &parser->text;
    uint32_t count = 0;
    ptx_next(text);
    if (ptx_is(text, "(")) {
        if (!formals(parser, function, callee, &count))
            return false;
        ptx_next(text);
    }
    if (callee == NULL) {
        function->results = count;
        memcpy(function->name, text->token, sizeof function->name);
    }
    ptx_next(text);
    if (ptx_is(text, "(")) {
        if (!formals(parser, function, callee, &count))
            return false;
        ptx_next(text);
    }
    if (callee == NULL)
        function->count = count;
    while (!ptx_is(text, "{") && !ptx_is(text, ";"))
        if (!ptx_next(text))
            return ptx_complain(text, "the text ends in the head of a function");
    return true;
}

static bool skip_body(ptx_text *text) {
    for (int depth = 1; depth > 0;) {
        if (!ptx_next(text))
            return ptx_complain(text, "the text ends in a function");
        depth += ptx_is(text, "{") ? 1 : ptx_is(text, "}") ? -1 : 0;
    }
    return true;
}

bool ptx_functions(ptx_parser *parser) {
    ptx_text *text = &parser->text;
    while (ptx_next(text)) {
        if (!ptx_is(text, ".func"))
            continue;
        ptx_function *made = calloc(1, sizeof *made);
        if (made == NULL)
            abort();
        made->at = text->at;
        made->line = text->line;
        bool fine = header(parser, made, NULL);
        bool body = ptx_is(text, "{");
        if (!fine || !body || !skip_body(text)) {
            free(made);
            if (!fine || body)
                return false;
            continue; /* it is only announced */
        }
        made->next = parser->functions;
        parser->functions = made;
    }
    return true;
}

void ptx_functions_free(ptx_parser *parser) {
    while (parser->functions != NULL) {
        ptx_function *next = parser->functions->next;
        free(parser->functions);
        parser->functions = next;
    }
}

bool ptx_function_skip(ptx_parser *parser) {
    ptx_function unused = {0};
    return header(parser, &unused, NULL) &&
           (ptx_is(&parser->text, ";") || skip_body(&parser->text));
}

/* --- calls ----------------------------------------------------------------------------------- */

static ptx_callee *callee_of(ptx_parser *parser, const char *name) {
    for (uint32_t i = 0; i < parser->callee_count; i++)
        if (strcmp(parser->callees[i].function->name, name) == 0)
            return &parser->callees[i];
    const ptx_function *function = parser->functions;
    while (function != NULL && strcmp(function->name, name) != 0)
        function = function->next;
    if (function == NULL || parser->callee_count == PTX_CALLEES) {
        ptx_complain(&parser->text,
                     function == NULL ? "there is no function '%s'" : "'%s' is one callee too many",
                     name);
        return NULL;
    }
    ptx_callee *made = &parser->callees[parser->callee_count++];
    *made = (ptx_callee){.function = function, .first = ptx_register_add(parser, 32, 0)};
    for (uint32_t i = 0; i < function->count; i++)
        ptx_register_add(parser, function->bits[i], 0);
    return made;
}

/* (a, b) behind the first parenthesis: registers that were declared by .param. */
static bool actuals(ptx_parser *parser, uint32_t numbers[PTX_FORMALS], uint32_t *count) {
    ptx_text *text = &parser->text;
    *count = 0;
    while (ptx_next(text) && !ptx_is(text, ")")) {
        if (ptx_is(text, ","))
            continue;
        const ptx_name *name = ptx_named(parser, text->token);
        if (name == NULL || name->meaning != PTX_IS_REGISTER || *count == PTX_FORMALS)
            return ptx_complain(text, "argument '%s' is not known", text->token);
        numbers[(*count)++] = (uint32_t)name->value;
    }
    return true;
}

/* `like` has predicate and line. */
static void move(ptx_parser *parser, const ptx_instruction *like, uint32_t to, uint32_t from) {
    ptx_instruction *made = ptx_instruction_add(parser);
    *made = *like;
    made->kind = PTX_COMPUTE;
    made->run = ptx_opcode_find("mov.b64")->run;
    made->d = to;
    made->a = from;
    made->wide = mask_of(parser->kernel->registers[to].bits);
}

/* (results), name, (arguments): either list may be missing. */
bool ptx_call(ptx_parser *parser, ptx_instruction made) {
    ptx_text *text = &parser->text;
    uint32_t results[PTX_FORMALS], given[PTX_FORMALS], result_count = 0, count = 0;
    ptx_next(text);
    if (ptx_is(text, "(")) {
        if (!actuals(parser, results, &result_count) || !ptx_expect(text, ","))
            return false;
        ptx_next(text);
    }
    const ptx_callee *callee = callee_of(parser, text->token);
    if (callee == NULL)
        return false;
    if (text->at[strspn(text->at, " \t\n")] == ',' &&
        (!ptx_expect(text, ",") || !ptx_expect(text, "(") || !actuals(parser, given, &count)))
        return false;
    const ptx_function *function = callee->function;
    if (result_count != function->results || count != function->count - function->results)
        return ptx_complain(text, "%s has %u results and %u parameters, not %u and %u",
                            function->name, function->results, function->count - function->results,
                            result_count, count);
    if (parser->inside != NULL)
        parser->inside->calls |= 1u << (callee - parser->callees);
    parser->kernel->count--; /* `made` comes behind the moves */
    for (uint32_t i = 0; i < count; i++)
        move(parser, &made, callee->first + 1 + result_count + i, given[i]);
    ptx_instruction *call = ptx_instruction_add(parser);
    *call = made;
    call->a = callee->first;
    call->target = (uint32_t)(callee - parser->callees);
    for (uint32_t i = 0; i < result_count; i++)
        move(parser, &made, results[i], callee->first + 1 + i);
    return true;
}

bool ptx_argument(ptx_parser *parser) {
    uint32_t bits = 0;
    if (!formal(&parser->text, &bits))
        return false;
    name_register(parser, parser->text.token, ptx_register_add(parser, bits, 0));
    return ptx_expect(&parser->text, ";");
}

bool ptx_argument_move(ptx_parser *parser, ptx_instruction *made, const ptx_name *name) {
    const ptx_access *access = &made->access;
    uint32_t number = (uint32_t)name->value, bits = parser->kernel->registers[number].bits;
    if (access->space != PTX_PARAMETER || access->vector != 1 || made->offset != 0 ||
        8u * access->bytes != bits || (access->class == PTX_SIGNED && bits < 32))
        return ptx_complain(&parser->text, "this access to the argument '%s' is not known",
                            name->text);
    uint32_t value = made->values[0];
    bool loads = made->kind == PTX_LOAD;
    made->kind = PTX_COMPUTE;
    made->run = ptx_opcode_find("mov.b64")->run;
    made->d = loads ? value : number;
    made->a = loads ? number : value;
    made->wide = mask_of(parser->kernel->registers[made->d].bits);
    return true;
}

/* --- bodies ---------------------------------------------------------------------------------- */

static bool body_of(ptx_parser *parser, uint32_t i) {
    ptx_callee *callee = &parser->callees[i];
    ptx_function unused = {0};
    ptx_names_free(&parser->names);
    parser->text.at = callee->function->at;
    parser->text.line = callee->function->line;
    parser->inside = callee;
    callee->entry = parser->kernel->count;
    return header(parser, &unused, callee) && ptx_body(parser);
}

static bool calls_itself(ptx_parser *parser) {
    ptx_callee *all = parser->callees;
    for (uint32_t k = 0; k < parser->callee_count; k++)
        for (uint32_t i = 0; i < parser->callee_count; i++)
            if ((all[i].calls >> k & 1) != 0)
                all[i].calls |= all[k].calls;
    for (uint32_t i = 0; i < parser->callee_count; i++)
        if ((all[i].calls >> i & 1) != 0)
            return !ptx_complain(&parser->text, "function %s calls itself", all[i].function->name);
    return false;
}

bool ptx_callees(ptx_parser *parser) {
    const ptx_text behind = parser->text;
    ptx_kernel *kernel = parser->kernel;
    bool fine = true;
    for (uint32_t i = 0; fine && i < parser->callee_count; i++)
        fine = body_of(parser, i);
    fine = fine && !calls_itself(parser);
    parser->inside = NULL;
    for (uint32_t i = 0; fine && i < kernel->count; i++)
        if (kernel->code[i].kind == PTX_CALL)
            kernel->code[i].target = parser->callees[kernel->code[i].target].entry;
    if (fine)
        parser->text = behind;
    return fine;
}
