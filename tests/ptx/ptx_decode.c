/* SPDX-License-Identifier: Apache-2.0
 *
 * What an instruction is, from its name and the words behind its dots. Arithmetic is in the table
 * of ptx_arithmetic.c; memory and control are told apart here, by tables of words. A word that is
 * in no table makes the instruction unknown: nothing is ignored but what is listed as harmless. */
#include <stdlib.h>
#include <string.h>

#include "ptx/ptx_internal.h"

enum { WORDS_MOST = 12, WORD_LONGEST = 16, NAME_LONGEST = 128 };
#define LENGTH(array) (sizeof(array) / sizeof *(array))

typedef struct words {
    uint32_t count;
    char word[WORDS_MOST][WORD_LONGEST];
} words;

static bool split(const char *mnemonic, words *found) {
    found->count = 0;
    for (;;) {
        size_t length = strcspn(mnemonic, ".");
        if (found->count == WORDS_MOST || length >= WORD_LONGEST)
            return false;
        memcpy(found->word[found->count], mnemonic, length);
        found->word[found->count++][length] = '\0';
        if (mnemonic[length] == '\0')
            return true;
        mnemonic += length + 1;
    }
}

typedef struct meaning {
    const char *word;
    int value;
} meaning;

static bool look_up(const meaning *table, size_t count, const char *word, int *value) {
    for (size_t i = 0; i < count; i++)
        if (strcmp(table[i].word, word) == 0) {
            *value = table[i].value;
            return true;
        }
    return false;
}

bool ptx_type(const char *name, uint32_t *bytes, ptx_class *class) {
    static const meaning classes[] = {
        {"b", PTX_BITS}, {"u", PTX_UNSIGNED}, {"s", PTX_SIGNED}, {"f", PTX_FLOAT}};
    static const meaning widths[] = {{"8", 1}, {"16", 2}, {"32", 4}, {"64", 8}};
    if (strcmp(name, "pred") == 0) {
        *bytes = 0;
        *class = PTX_BITS;
        return true;
    }
    char first[2] = {name[0], '\0'};
    int kind, width;
    if (!look_up(classes, LENGTH(classes), first, &kind) ||
        !look_up(widths, LENGTH(widths), name + 1, &width))
        return false;
    *bytes = (uint32_t)width;
    *class = (ptx_class)kind;
    return kind != PTX_FLOAT || width >= 4;
}

/* --- arithmetic ------------------------------------------------------------------------------ */

static int by_name(const void *left, const void *right) {
    const ptx_opcode *const *a = left, *const *b = right;
    return strcmp((*a)->name, (*b)->name);
}

const ptx_opcode *ptx_opcode_find(const char *mnemonic) {
    static const ptx_opcode *sorted[1024];
    if (sorted[0] == NULL) {
        for (size_t i = 0; i < ptx_opcode_count; i++)
            sorted[i] = &ptx_opcodes[i];
        qsort(sorted, ptx_opcode_count, sizeof *sorted, by_name);
    }
    words found;
    char name[NAME_LONGEST] = "";
    if (!split(mnemonic, &found))
        return NULL;
    for (uint32_t i = 0; i < found.count; i++) {
        /* rounding to nearest is what C does */
        if (i > 0 && strcmp(found.word[i], "rn") == 0)
            continue;
        if (i > 0)
            strcat(name, "_");
        strcat(name, found.word[i]);
    }
    const ptx_opcode key = {name, NULL, 0}, *wanted = &key;
    const ptx_opcode **row = bsearch(&wanted, sorted, ptx_opcode_count, sizeof *sorted, by_name);
    return row != NULL ? *row : NULL;
}

/* --- memory ---------------------------------------------------------------------------------- */

static const meaning spaces[] = {{"global", PTX_GLOBAL},
                                 {"const", PTX_GLOBAL},
                                 {"shared", PTX_SHARED},
                                 {"local", PTX_LOCAL},
                                 {"param", PTX_PARAMETER}};
static const meaning vectors[] = {{"v2", 2}, {"v4", 4}};
/* Orders and scopes. All memory is sequentially consistent here; what counts is that they are not
 * plain accesses. */
static const meaning orders[] = {{"volatile", 1}, {"relaxed", 1}, {"acquire", 1}, {"release", 1},
                                 {"acq_rel", 1},  {"weak", 0},    {"nc", 0},      {"gpu", 0},
                                 {"sys", 0},      {"cta", 0},     {"ca", 0},      {"cg", 0},
                                 {"cs", 0},       {"cv", 0},      {"wb", 0},      {"wt", 0}};
static const meaning updates[] = {
    {"add", PTX_ADD},       {"and", PTX_AND},      {"or", PTX_OR},   {"xor", PTX_XOR},
    {"exch", PTX_EXCHANGE}, {"cas", PTX_SWAP_IF},  {"min", PTX_MIN}, {"max", PTX_MAX},
    {"inc", PTX_INCREMENT}, {"dec", PTX_DECREMENT}};

/* The type comes last. */
static bool decode_access(const words *found, ptx_access *access) {
    uint32_t bytes;
    bool updates_once = false;
    *access = (ptx_access){.space = PTX_GENERIC, .vector = 1};
    if (!ptx_type(found->word[found->count - 1], &bytes, &access->class) || bytes == 0)
        return false;
    access->bytes = (uint8_t)bytes;
    for (uint32_t i = 1; i + 1 < found->count; i++) {
        int value;
        if (look_up(spaces, LENGTH(spaces), found->word[i], &value))
            access->space = (ptx_space)value;
        else if (look_up(vectors, LENGTH(vectors), found->word[i], &value))
            access->vector = (uint8_t)value;
        else if (look_up(orders, LENGTH(orders), found->word[i], &value))
            access->strong |= value == 1;
        else if (look_up(updates, LENGTH(updates), found->word[i], &value) && !updates_once) {
            access->update = (ptx_update)value;
            updates_once = true;
        } else
            return false;
    }
    bool atomic = strcmp(found->word[0], "atom") == 0 || strcmp(found->word[0], "red") == 0;
    if (atomic != updates_once || (atomic && (access->bytes < 4 || access->vector > 1)))
        return false;
    if (atomic && access->class == PTX_FLOAT)
        return access->update == PTX_ADD;
    return !atomic || access->class != PTX_BITS ||
           (access->update != PTX_MIN && access->update != PTX_MAX && access->update != PTX_ADD);
}

/* --- all ------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    ptx_kind kind;
    uint32_t operands;
} controls[] = {
    {"bra", PTX_BRANCH, 1},
    {"bra.uni", PTX_BRANCH, 1},
    {"call", PTX_CALL, 0},
    {"call.uni", PTX_CALL, 0},
    {"ret", PTX_END, 0},
    {"ret.uni", PTX_END, 0},
    {"exit", PTX_END, 0},
    {"bar.sync", PTX_BARRIER, 1},
    {"barrier.sync", PTX_BARRIER, 1},
    {"barrier.sync.aligned", PTX_BARRIER, 1},
    {"membar.cta", PTX_FENCE, 0},
    {"membar.gl", PTX_FENCE, 0},
    {"membar.sys", PTX_FENCE, 0},
    {"fence.sc.cta", PTX_FENCE, 0},
    {"fence.sc.gpu", PTX_FENCE, 0},
    {"fence.sc.sys", PTX_FENCE, 0},
    {"fence.acq_rel.cta", PTX_FENCE, 0},
    {"fence.acq_rel.gpu", PTX_FENCE, 0},
    {"fence.acq_rel.sys", PTX_FENCE, 0},
    {"trap", PTX_STOP, 0},
};

static const struct {
    const char *name;
    ptx_exchange exchange;
} exchanges[] = {
    {"vote.sync.ballot.b32", PTX_BALLOT}, {"vote.sync.any.pred", PTX_ANY},
    {"vote.sync.all.pred", PTX_ALL},      {"shfl.sync.up.b32", PTX_UP},
    {"shfl.sync.down.b32", PTX_DOWN},     {"shfl.sync.bfly.b32", PTX_BUTTERFLY},
    {"shfl.sync.idx.b32", PTX_INDEX},
};

static const struct {
    const char *root;
    ptx_kind kind;
} memories[] = {{"ld", PTX_LOAD},
                {"ldu", PTX_LOAD},
                {"st", PTX_STORE},
                {"atom", PTX_ATOMIC},
                {"red", PTX_ATOMIC}};

bool ptx_decode(const char *mnemonic, ptx_instruction *instruction, uint32_t *sources) {
    words found;
    for (size_t i = 0; i < LENGTH(controls); i++)
        if (strcmp(controls[i].name, mnemonic) == 0) {
            instruction->kind = controls[i].kind;
            instruction->access.strong = strstr(mnemonic, ".cta") == NULL; /* of a fence */
            *sources = controls[i].operands;
            return true;
        }
    for (size_t i = 0; i < LENGTH(exchanges); i++)
        if (strcmp(exchanges[i].name, mnemonic) == 0) {
            instruction->kind = PTX_TOGETHER;
            instruction->exchange = exchanges[i].exchange;
            *sources = 0;
            return true;
        }
    if (!split(mnemonic, &found))
        return false;
    for (size_t i = 0; i < LENGTH(memories); i++)
        if (strcmp(memories[i].root, found.word[0]) == 0) {
            instruction->kind = memories[i].kind;
            *sources = 0;
            return decode_access(&found, &instruction->access);
        }
    const ptx_opcode *opcode = ptx_opcode_find(mnemonic);
    if (opcode == NULL)
        return false;
    instruction->kind = PTX_COMPUTE;
    instruction->run = opcode->run;
    *sources = opcode->sources;
    return true;
}
