/* SPDX-License-Identifier: Apache-2.0
 *
 * A module: its directives, variables and kernels. */
#include "ptx/ptx_parse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GROUP_MOST = 1024, PARAMETERS_MOST = 4096 };

void *ptx_grow(void *array, uint32_t count, uint32_t *capacity, size_t size) {
    if (count < *capacity)
        return array;
    *capacity = *capacity == 0 ? 64 : 2 * *capacity;
    array = realloc(array, *capacity * size);
    if (array == NULL)
        abort();
    return array;
}

uint32_t ptx_register_add(ptx_parser *parser, uint32_t bits, uint64_t value) {
    ptx_kernel *kernel = parser->kernel;
    kernel->registers = ptx_grow(kernel->registers, kernel->register_count,
                                 &parser->register_capacity, sizeof *kernel->registers);
    kernel->registers[kernel->register_count] = (ptx_register){value, (uint8_t)bits};
    return kernel->register_count++;
}

static uint32_t aligned(uint32_t at, uint32_t alignment) {
    return (at + alignment - 1) / alignment * alignment;
}

/* .align N, if it is there, then .type; leaves the name in the token. */
static bool alignment_and_type(ptx_text *text, uint32_t *alignment, uint32_t *bytes) {
    uint64_t given = 1;
    ptx_class class;
    ptx_next(text);
    if (ptx_is(text, ".align")) {
        ptx_next(text);
        if (!ptx_number(text->token, &given) || given == 0 || given > 1024)
            return ptx_complain(text, "alignment '%s'", text->token);
        ptx_next(text);
    }
    if (text->token[0] != '.' || !ptx_type(text->token + 1, bytes, &class) || *bytes == 0)
        return ptx_complain(text, "'%s' is no type", text->token);
    *alignment = (uint32_t)given < *bytes ? *bytes : (uint32_t)given;
    ptx_next(text);
    return true;
}

/* [N] behind a name, if it is there. */
static bool array_length(ptx_text *text, uint32_t *length) {
    uint64_t given = 0;
    *length = 1;
    if (text->at[strspn(text->at, " \t")] != '[')
        return true;
    ptx_next(text);
    ptx_next(text);
    if (ptx_is(text, "]")) { /* of a size that the launch would give: none here */
        *length = 0;
        return true;
    }
    if (!ptx_number(text->token, &given) || given > 1 << 24)
        return ptx_complain(text, "length '%s'", text->token);
    *length = (uint32_t)given;
    return ptx_expect(text, "]");
}

/* = 1; or = {1, 2, 3}; */
static bool initial_values(ptx_parser *parser, uint64_t at, uint32_t bytes, uint32_t count) {
    ptx_text *text = &parser->text;
    uint64_t value;
    ptx_next(text);
    bool braced = ptx_is(text, "{");
    for (uint32_t i = 0;; i++) {
        if (braced)
            ptx_next(text);
        if (i >= count || !ptx_number(text->token, &value))
            return ptx_complain(text, "initial value '%s'", text->token);
        memcpy(ptx_host(parser->text.machine, at + (uint64_t)i * bytes, bytes), &value, bytes);
        ptx_next(text);
        if (!braced || ptx_is(text, "}"))
            break;
    }
    if (braced)
        ptx_next(text);
    return ptx_is(text, ";") || ptx_complain(text, "'%s' where ';' is wanted", text->token);
}

bool ptx_variable(ptx_parser *parser, ptx_space space, uint32_t *top) {
    ptx_text *text = &parser->text;
    uint32_t alignment, bytes, length;
    char name[PTX_TOKEN];
    if (!alignment_and_type(text, &alignment, &bytes))
        return false;
    memcpy(name, text->token, sizeof name);
    if (!array_length(text, &length))
        return false;
    *top = aligned(*top, alignment);
    ptx_names *names = parser->kernel != NULL ? &parser->names : &parser->globals;
    ptx_name *made = ptx_name_add(names, name, PTX_IS_VARIABLE, *top);
    made->space = space;
    *top += bytes * length;
    if (space == PTX_GLOBAL) {
        ptx_module *module = parser->module;
        module->globals = realloc(module->globals, (module->global_count + 1) * sizeof(uint64_t));
        if (module->globals == NULL)
            abort();
        made->value = ptx_allocate(text->machine, bytes * length);
        module->globals[module->global_count++] = made->value;
        memset(ptx_host(text->machine, made->value, bytes * length), 0, bytes * length);
    }
    ptx_next(text);
    if (ptx_is(text, "=") && space == PTX_GLOBAL)
        return initial_values(parser, made->value, bytes, length);
    return ptx_is(text, ";") || ptx_complain(text, "'%s' where ';' is wanted", text->token);
}

/* --- kernels --------------------------------------------------------------------------------- */

/* .param .u64 .ptr .global .align 4 name, or an array of bytes for a struct */
static bool parameter(ptx_parser *parser, uint32_t *capacity) {
    ptx_text *text = &parser->text;
    ptx_kernel *kernel = parser->kernel;
    struct ptx_facts *facts = &kernel->facts;
    uint32_t alignment, bytes, length;
    if (!alignment_and_type(text, &alignment, &bytes))
        return false;
    while (text->token[0] == '.') { /* what a pointer points to */
        if (ptx_is(text, ".align"))
            ptx_next(text);
        ptx_next(text);
    }
    char name[PTX_TOKEN];
    memcpy(name, text->token, sizeof name);
    if (!array_length(text, &length))
        return false;
    uint32_t at = aligned(facts->parameter_bytes, alignment);
    if (at + bytes * length > PARAMETERS_MOST)
        return ptx_complain(text, "more than %d bytes of parameters", PARAMETERS_MOST);
    ptx_name_add(&parser->names, name, PTX_IS_VARIABLE, at)->space = PTX_PARAMETER;
    kernel->parameters =
        ptx_grow(kernel->parameters, facts->parameter_count, capacity, sizeof *kernel->parameters);
    kernel->parameters[facts->parameter_count++] = (ptx_parameter){at, bytes * length};
    facts->parameter_bytes = at + bytes * length;
    return true;
}

static bool parameters(ptx_parser *parser) {
    ptx_text *text = &parser->text;
    uint32_t capacity = 0;
    ptx_next(text);
    if (!ptx_is(text, "("))
        return ptx_complain(text, "'%s' where '(' is wanted", text->token);
    while (ptx_next(text) && !ptx_is(text, ")")) {
        if (ptx_is(text, ","))
            continue;
        if (!ptx_is(text, ".param"))
            return ptx_complain(text, "'%s' where .param is wanted", text->token);
        if (!parameter(parser, &capacity))
            return false;
    }
    return true;
}

/* .maxntid 128, 1, 1 and its like, up to the first brace. */
static bool directives(ptx_parser *parser) {
    ptx_text *text = &parser->text;
    uint64_t product = 0, number;
    bool of_group = false;
    while (ptx_next(text) && !ptx_is(text, "{")) {
        if (text->token[0] == '.') {
            of_group = ptx_is(text, ".maxntid") || ptx_is(text, ".reqntid");
            if (!of_group && !ptx_is(text, ".minnctapersm"))
                return ptx_complain(text, "directive %s is not known", text->token);
        } else if (of_group && ptx_number(text->token, &number)) {
            product = product == 0 ? number : product * number;
        }
    }
    if (product > 0 && product < GROUP_MOST)
        parser->kernel->facts.group_most = (uint32_t)product;
    return true;
}

static bool kernel_parse(ptx_parser *parser) {
    ptx_kernel *kernel = calloc(1, sizeof *kernel);
    if (kernel == NULL)
        abort();
    kernel->next = parser->module->kernels;
    parser->module->kernels = kernel;
    parser->kernel = kernel;
    parser->capacity = parser->register_capacity = 0;
    kernel->facts.group_most = GROUP_MOST;
    kernel->facts.shared_bytes = parser->shared;
    for (int i = 0; i < PTX_SPECIALS; i++)
        kernel->specials[i] = PTX_NONE;
    ptx_register_add(parser, 0, 0);
    ptx_next(&parser->text);
    memcpy(kernel->name, parser->text.token, sizeof kernel->name);
    kernel->facts.name = kernel->name;
    parser->callee_count = 0;
    bool fine = parameters(parser) && directives(parser) && ptx_body(parser) && ptx_callees(parser);
    kernel->facts.parameters = kernel->parameters;
    kernel->facts.registers = kernel->register_count;
    ptx_names_free(&parser->names);
    parser->kernel = NULL;
    return fine;
}

/* --- modules --------------------------------------------------------------------------------- */

static bool top_level(ptx_parser *parser) {
    ptx_text *text = &parser->text;
    static const char *const lines[] = {".version", ".target", ".address_size", ".file"};
    static const char *const ignored[] = {".visible", ".weak", ".extern"};
    uint32_t none = 0;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        if (ptx_is(text, lines[i])) {
            ptx_skip_line(text);
            return true;
        }
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
        if (ptx_is(text, ignored[i]))
            return true;
    if (ptx_is(text, ".shared"))
        return ptx_variable(parser, PTX_SHARED, &parser->shared);
    if (ptx_is(text, ".global") || ptx_is(text, ".const"))
        return ptx_variable(parser, PTX_GLOBAL, &none);
    if (ptx_is(text, ".entry"))
        return kernel_parse(parser);
    if (ptx_is(text, ".func"))
        return ptx_function_skip(parser);
    return ptx_complain(text, "'%s' is not known here", text->token);
}

ptx_module *ptx_load(ptx_machine *machine, const char *text) {
    ptx_parser *parser = calloc(1, sizeof *parser);
    ptx_module *module = calloc(1, sizeof *module);
    if (parser == NULL || module == NULL)
        abort();
    parser->text = (ptx_text){.machine = machine, .at = text, .line = 1};
    parser->module = module;
    bool fine = ptx_functions(parser);
    parser->text.at = text;
    parser->text.line = 1;
    while (fine && ptx_next(&parser->text))
        fine = top_level(parser);
    if (fine && module->kernels == NULL)
        fine = ptx_complain(&parser->text, "there is no kernel");
    ptx_names_free(&parser->globals);
    ptx_functions_free(parser);
    free(parser->jumps);
    free(parser);
    if (!fine) {
        ptx_unload(machine, module);
        return NULL;
    }
    return module;
}

void ptx_unload(ptx_machine *machine, ptx_module *module) {
    while (module->kernels != NULL) {
        ptx_kernel *kernel = module->kernels;
        module->kernels = kernel->next;
        free(kernel->code);
        free(kernel->registers);
        free(kernel->parameters);
        free(kernel);
    }
    for (uint32_t i = 0; i < module->global_count; i++)
        ptx_release(machine, module->globals[i]);
    free(module->globals);
    free(module);
}

ptx_kernel *ptx_find(ptx_module *module, const char *name) {
    ptx_kernel *kernel = module->kernels;
    while (kernel != NULL && strcmp(kernel->name, name) != 0)
        kernel = kernel->next;
    return kernel;
}

const struct ptx_facts *ptx_kernel_facts(const ptx_kernel *kernel) {
    return &kernel->facts;
}
