/* SPDX-License-Identifier: Apache-2.0
 *
 * The body of a kernel: declarations, labels, and instructions with their operands. */
#include <stdio.h>
#include <string.h>

#include "ptx/ptx_parse.h"

const char *const ptx_special_names[PTX_SPECIALS] = {
    "%tid.x",       "%tid.y",       "%tid.z",       "%ntid.x",      "%ntid.y",      "%ntid.z",
    "%ctaid.x",     "%ctaid.y",     "%ctaid.z",     "%nctaid.x",    "%nctaid.y",    "%nctaid.z",
    "%laneid",      "%warpid",      "%nwarpid",     "%smid",        "%nsmid",       "%gridid",
    "%lanemask_eq", "%lanemask_lt", "%lanemask_le", "%lanemask_gt", "%lanemask_ge", "WARP_SZ"};

static const char *const clocks[] = {"%clock", "%clock64", "%globaltimer"};

static uint64_t mask_of(uint32_t bits) {
    return bits >= 64 ? ~0ull : (1ull << bits) - 1;
}

ptx_instruction *ptx_instruction_add(ptx_parser *parser) {
    ptx_kernel *kernel = parser->kernel;
    kernel->code = ptx_grow(kernel->code, kernel->count, &parser->capacity, sizeof *kernel->code);
    ptx_instruction *made = &kernel->code[kernel->count++];
    *made = (ptx_instruction){.predicate = PTX_NONE,
                              .line = parser->text.line,
                              .values = {PTX_NONE, PTX_NONE, PTX_NONE, PTX_NONE}};
    return made;
}

static uint32_t constant(ptx_parser *parser, uint64_t value) {
    const ptx_kernel *kernel = parser->kernel;
    for (uint32_t i = 0; i < kernel->register_count; i++)
        if (kernel->registers[i].bits == 0 && kernel->registers[i].value == value)
            return i;
    return ptx_register_add(parser, 0, value);
}

const ptx_name *ptx_named(const ptx_parser *parser, const char *text) {
    const ptx_name *found = ptx_name_find(&parser->names, text);
    return found != NULL ? found : ptx_name_find(&parser->globals, text);
}

/* --- operands -------------------------------------------------------------------------------- */

/* The register of the token; constants are cut to `bits`. */
static bool operand(ptx_parser *parser, uint32_t bits, uint32_t *number) {
    const char *token = parser->text.token;
    uint64_t value;
    const ptx_name *name = ptx_named(parser, token);
    if (name != NULL && name->meaning == PTX_IS_REGISTER) {
        *number = (uint32_t)name->value;
        return true;
    }
    if (name != NULL && name->meaning == PTX_IS_VARIABLE && name->space != PTX_PARAMETER) {
        *number = constant(parser, name->value);
        return true;
    }
    if (ptx_number(token, &value)) {
        *number = constant(parser, value & mask_of(bits));
        return true;
    }
    for (uint32_t i = 0; i < PTX_SPECIALS; i++)
        if (strcmp(ptx_special_names[i], token) == 0) {
            if (parser->kernel->specials[i] == PTX_NONE)
                parser->kernel->specials[i] = ptx_register_add(parser, 32, 0);
            *number = parser->kernel->specials[i];
            return true;
        }
    return ptx_complain(&parser->text, "unknown operand '%s'", token);
}

static bool target_register(ptx_parser *parser, uint32_t *number) {
    const ptx_name *name = ptx_named(parser, parser->text.token);
    if (name == NULL || name->meaning != PTX_IS_REGISTER)
        return ptx_complain(&parser->text, "'%s' is no register", parser->text.token);
    *number = (uint32_t)name->value;
    return true;
}

/* One operand, or several in braces; begins with the next token. '_' is PTX_NONE. */
static bool value_list(ptx_parser *parser, uint32_t bits, uint32_t values[4], uint32_t *count) {
    ptx_text *text = &parser->text;
    *count = 0;
    ptx_next(text);
    bool braced = ptx_is(text, "{");
    do {
        if (braced)
            ptx_next(text);
        if (*count == 4)
            return ptx_complain(text, "more than four values");
        if (ptx_is(text, "_"))
            values[*count] = PTX_NONE;
        else if (!operand(parser, bits, &values[*count]))
            return false;
        ++*count;
        if (braced)
            ptx_next(text);
    } while (braced && ptx_is(text, ","));
    return !braced || ptx_is(text, "}") || ptx_complain(text, "'}' is missing");
}

/* [register or variable, with an offset]; `argument` is set if it is that of a call. */
static bool address(ptx_parser *parser, ptx_instruction *made, const ptx_name **argument) {
    ptx_text *text = &parser->text;
    uint64_t offset = 0;
    if (!ptx_expect(text, "["))
        return false;
    ptx_next(text);
    const ptx_name *name = ptx_named(parser, text->token);
    if (name == NULL && !ptx_number(text->token, &offset))
        return ptx_complain(text, "unknown address '%s'", text->token);
    made->a = 0;
    *argument = name != NULL && name->space == PTX_PARAMETER && name->meaning == PTX_IS_REGISTER
                    ? name
                    : NULL;
    if (name != NULL && name->meaning == PTX_IS_REGISTER)
        made->a = (uint32_t)name->value;
    else if (name != NULL)
        offset = name->value;
    if (name != NULL && made->access.space == PTX_PARAMETER && name->space != PTX_PARAMETER)
        return ptx_complain(text, "'%s' is no parameter", text->token);
    made->offset = (int64_t)offset;
    ptx_next(text);
    if (ptx_is(text, "+"))
        ptx_next(text);
    if (!ptx_is(text, "]")) {
        if (!ptx_number(text->token, &offset))
            return ptx_complain(text, "'%s' is no offset", text->token);
        made->offset += (int64_t)offset;
        ptx_next(text);
    }
    made->narrow = parser->kernel->registers[made->a].bits == 32;
    return ptx_is(text, "]") || ptx_complain(text, "']' is missing");
}

/* --- instructions ---------------------------------------------------------------------------- */

static bool wants_values(ptx_parser *parser, uint32_t count, uint32_t wanted) {
    return count == wanted || ptx_complain(&parser->text, "%u values, not %u", count, wanted);
}

static bool load_or_store(ptx_parser *parser, ptx_instruction *made) {
    uint32_t count;
    bool loads = made->kind == PTX_LOAD;
    const ptx_name *argument = NULL;
    bool fine = loads ? value_list(parser, 64, made->values, &count) &&
                            ptx_expect(&parser->text, ",") && address(parser, made, &argument)
                      : address(parser, made, &argument) && ptx_expect(&parser->text, ",") &&
                            value_list(parser, 8u * made->access.bytes, made->values, &count);
    if (!fine || !wants_values(parser, count, made->access.vector))
        return false;
    if (argument != NULL)
        return ptx_argument_move(parser, made, argument);
    for (uint32_t i = 0; i < count; i++)
        if (made->values[i] == PTX_NONE && !loads)
            return ptx_complain(&parser->text, "'_' cannot be stored");
    if (loads && made->values[0] != PTX_NONE)
        made->wide = mask_of(parser->kernel->registers[made->values[0]].bits);
    return true;
}

/* red has no destination. */
static bool atomic(ptx_parser *parser, ptx_instruction *made, bool result) {
    uint32_t count, bits = 8u * made->access.bytes, more[4];
    const ptx_name *argument = NULL;
    if (result &&
        (!value_list(parser, 64, made->values, &count) || !ptx_expect(&parser->text, ",")))
        return false;
    if (!address(parser, made, &argument) || argument != NULL || !ptx_expect(&parser->text, ",") ||
        !value_list(parser, bits, more, &count))
        return false;
    made->b = more[0];
    if (made->access.update != PTX_SWAP_IF)
        return true;
    if (!ptx_expect(&parser->text, ",") || !value_list(parser, bits, more, &count))
        return false;
    made->c = more[0];
    return true;
}

static bool branch(ptx_parser *parser, uint32_t at) {
    ptx_next(&parser->text);
    parser->jumps =
        ptx_grow(parser->jumps, parser->jump_count, &parser->jump_capacity, sizeof *parser->jumps);
    ptx_jump *jump = &parser->jumps[parser->jump_count++];
    jump->at = at;
    jump->line = parser->text.line;
    memcpy(jump->label, parser->text.token, sizeof jump->label);
    return true;
}

/* Only the barrier of the whole group. */
static bool barrier(ptx_parser *parser) {
    uint64_t number;
    ptx_next(&parser->text);
    if (!ptx_number(parser->text.token, &number) || number != 0)
        return ptx_complain(&parser->text, "barrier '%s' is not known", parser->text.token);
    return true;
}

/* mov between a register and its halves, after a brace on either side. */
static bool halves(ptx_parser *parser, const char *mnemonic, ptx_instruction made) {
    uint32_t values[4] = {0}, whole[4] = {0}, count, other;
    bool wide = strcmp(mnemonic, "mov.b64") == 0;
    if (!wide && strcmp(mnemonic, "mov.b32") != 0)
        return ptx_complain(&parser->text, "%s of parts is not known", mnemonic);
    if (!value_list(parser, 64, values, &count) || !ptx_expect(&parser->text, ",") ||
        !value_list(parser, wide ? 32 : 16, whole, &other) || count + other != 3)
        return ptx_complain(&parser->text, "%s: two halves and a whole are wanted", mnemonic);
    parser->kernel->count--;
    for (uint32_t i = 0; i < count; i++) {
        const char *const names[2][3] = {{"low.b32", "high.b32", "pack.b32"},
                                         {"low.b64", "high.b64", "pack.b64"}};
        if (values[i] == PTX_NONE)
            continue;
        ptx_instruction *one = ptx_instruction_add(parser);
        *one = made;
        one->kind = PTX_COMPUTE;
        one->run = ptx_opcode_find(names[wide][count == 1 ? 2 : i])->run;
        one->d = values[i];
        one->a = whole[0];
        one->b = whole[1];
        one->wide = ~0ull;
    }
    return true;
}

static bool is_clock(const char *token) {
    for (size_t i = 0; i < sizeof clocks / sizeof *clocks; i++)
        if (strcmp(clocks[i], token) == 0)
            return true;
    return false;
}

/* Bits of source number i: of the type that the mnemonic ends with, twice that where a product is
 * added to. */
static uint32_t source_bits(const char *mnemonic, uint32_t i) {
    uint32_t bytes = 8;
    ptx_class class;
    const char *dot = strrchr(mnemonic, '.');
    if (dot == NULL || !ptx_type(dot + 1, &bytes, &class))
        return 64;
    if (i == 2 && strncmp(mnemonic, "mad.wide", 8) == 0)
        bytes *= 2;
    return bytes == 0 ? 1 : 8 * bytes;
}

static bool compute(ptx_parser *parser, const char *mnemonic, uint32_t at, uint32_t sources) {
    ptx_text *text = &parser->text;
    uint32_t numbers[5] = {0};
    ptx_instruction *made = &parser->kernel->code[at];
    if (strncmp(mnemonic, "mov.", 4) == 0 && memchr(text->at, '{', strcspn(text->at, ";")) != NULL)
        return halves(parser, mnemonic, *made);
    ptx_next(text);
    if (!target_register(parser, &numbers[0]))
        return false;
    for (uint32_t i = 0; i < sources; i++) {
        if (!ptx_expect(text, ","))
            return false;
        ptx_next(text);
        if (i == 0 && is_clock(text->token))
            made->kind = PTX_CLOCK;
        else if (!operand(parser, source_bits(mnemonic, i), &numbers[i + 1]))
            return false;
    }
    made->d = numbers[0];
    made->a = numbers[1];
    made->b = numbers[2];
    made->c = numbers[3];
    made->e = numbers[4];
    made->wide = mask_of(parser->kernel->registers[made->d].bits);
    return true;
}

/* , operand */
static bool next_operand(ptx_parser *parser, uint32_t *number) {
    if (!ptx_expect(&parser->text, ","))
        return false;
    ptx_next(&parser->text);
    return operand(parser, 32, number);
}

/* d, [!]p, mask of vote; d[|p], a, b, c, mask of shfl. */
static bool together(ptx_parser *parser, ptx_instruction *made) {
    ptx_text *text = &parser->text;
    uint32_t d = 0, a = 0, b = 0, c = 0, mask = 0, inside = PTX_NONE;
    bool votes = made->exchange < PTX_UP, negated = false;
    ptx_next(text);
    if (!target_register(parser, &d))
        return false;
    if (!votes && text->at[strspn(text->at, " \t")] == '|') {
        ptx_next(text);
        ptx_next(text);
        if (!target_register(parser, &inside))
            return false;
    }
    if (!ptx_expect(text, ","))
        return false;
    ptx_next(text);
    if (votes && ptx_is(text, "!")) {
        negated = true;
        ptx_next(text);
    }
    if (!operand(parser, 32, &a) ||
        (!votes && (!next_operand(parser, &b) || !next_operand(parser, &c))) ||
        !next_operand(parser, &mask))
        return false;
    made->d = d;
    made->a = a;
    made->b = b;
    made->c = c;
    made->e = mask;
    made->values[0] = inside;
    made->source_negated = negated;
    return true;
}

static bool predicate(ptx_parser *parser, ptx_instruction *made) {
    ptx_text *text = &parser->text;
    if (!ptx_is(text, "@"))
        return true;
    ptx_next(text);
    made->negated = ptx_is(text, "!");
    if (made->negated)
        ptx_next(text);
    if (!target_register(parser, &made->predicate))
        return false;
    ptx_next(text);
    return true;
}

static bool instruction(ptx_parser *parser) {
    ptx_text *text = &parser->text;
    uint32_t at = parser->kernel->count, sources;
    char mnemonic[PTX_TOKEN];
    ptx_instruction *made = ptx_instruction_add(parser);
    if (!predicate(parser, made))
        return false;
    made->line = text->line;
    memcpy(mnemonic, text->token, sizeof mnemonic);
    if (!ptx_decode(mnemonic, made, &sources))
        return ptx_complain(text, "instruction %s is not known", mnemonic);
    made->work = ptx_work_of(mnemonic, made);
    if (parser->inside != NULL && strncmp(mnemonic, "ret", 3) == 0) {
        made->kind = PTX_RETURN;
        made->a = parser->inside->first;
    }
    bool fine = true;
    if (made->kind == PTX_LOAD || made->kind == PTX_STORE)
        fine = load_or_store(parser, made);
    else if (made->kind == PTX_CALL)
        fine = ptx_call(parser, *made);
    else if (made->kind == PTX_ATOMIC)
        fine = atomic(parser, made, strncmp(mnemonic, "atom", 4) == 0);
    else if (made->kind == PTX_BRANCH)
        fine = branch(parser, at);
    else if (made->kind == PTX_BARRIER)
        fine = barrier(parser);
    else if (made->kind == PTX_TOGETHER)
        fine = together(parser, made);
    else if (made->kind == PTX_COMPUTE)
        fine = compute(parser, mnemonic, at, sources);
    return fine && ptx_expect(text, ";");
}

/* --- declarations ---------------------------------------------------------------------------- */

static void register_named(ptx_parser *parser, const char *name, uint32_t bits) {
    ptx_name_add(&parser->names, name, PTX_IS_REGISTER, ptx_register_add(parser, bits, 0));
}

/* .reg .b32 %r<9>, %s; */
static bool registers(ptx_parser *parser) {
    ptx_text *text = &parser->text;
    uint32_t bytes;
    uint64_t count;
    ptx_class class;
    char base[PTX_TOKEN], name[PTX_TOKEN + 16];
    ptx_next(text);
    if (text->token[0] != '.' || !ptx_type(text->token + 1, &bytes, &class))
        return ptx_complain(text, "'%s' is no type", text->token);
    do {
        ptx_next(text);
        memcpy(base, text->token, sizeof base);
        ptx_next(text);
        if (!ptx_is(text, "<")) {
            register_named(parser, base, bytes == 0 ? 1 : 8 * bytes);
            continue;
        }
        ptx_next(text);
        if (!ptx_number(text->token, &count) || !ptx_expect(text, ">"))
            return ptx_complain(text, "'%s' is no number", text->token);
        for (uint64_t i = 0; i < count; i++) {
            snprintf(name, sizeof name, "%s%u", base, (unsigned)i);
            register_named(parser, name, bytes == 0 ? 1 : 8 * bytes);
        }
        ptx_next(text);
    } while (ptx_is(text, ","));
    return ptx_is(text, ";") || ptx_complain(text, "'%s' where ';' is wanted", text->token);
}

static bool resolve_jumps(ptx_parser *parser) {
    for (uint32_t i = 0; i < parser->jump_count; i++) {
        const ptx_jump *jump = &parser->jumps[i];
        const ptx_name *label = ptx_name_find(&parser->names, jump->label);
        if (label == NULL || label->meaning != PTX_IS_LABEL) {
            parser->text.line = jump->line;
            return ptx_complain(&parser->text, "there is no label '%s'", jump->label);
        }
        parser->kernel->code[jump->at].target = (uint32_t)label->value;
    }
    parser->jump_count = 0;
    return true;
}

/* One statement, whose first token was read. */
static bool statement(ptx_parser *parser) {
    ptx_text *text = &parser->text;
    struct ptx_facts *facts = &parser->kernel->facts;
    if (ptx_is(text, ".reg"))
        return registers(parser);
    if (ptx_is(text, ".shared"))
        return ptx_variable(parser, PTX_SHARED, &facts->shared_bytes);
    if (ptx_is(text, ".local"))
        return ptx_variable(parser, PTX_LOCAL, &facts->local_bytes);
    if (ptx_is(text, ".param"))
        return ptx_argument(parser);
    if (ptx_is(text, ".pragma"))
        return ptx_skip_to(text, ";");
    if (ptx_is(text, ".loc")) {
        ptx_skip_line(text);
        return true;
    }
    if (text->at[strspn(text->at, " \t")] == ':') {
        ptx_name_add(&parser->names, text->token, PTX_IS_LABEL, parser->kernel->count);
        return ptx_expect(text, ":");
    }
    return instruction(parser);
}

bool ptx_body(ptx_parser *parser) {
    int depth = 1;
    while (ptx_next(&parser->text)) {
        if (ptx_is(&parser->text, "{"))
            depth++;
        else if (ptx_is(&parser->text, "}"))
            depth--;
        else if (!statement(parser))
            return false;
        if (depth == 0) {
            /* Items that run off the end have ended, or return. */
            ptx_instruction *last = ptx_instruction_add(parser);
            last->kind = parser->inside != NULL ? PTX_RETURN : PTX_END;
            last->a = parser->inside != NULL ? parser->inside->first : 0;
            return resolve_jumps(parser);
        }
    }
    return ptx_complain(&parser->text, "the text ends in a kernel");
}
