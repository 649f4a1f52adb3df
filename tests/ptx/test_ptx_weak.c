/* SPDX-License-Identifier: Apache-2.0
 *
 * Litmus tests of the interpreter where memory is weak: each pattern between two groups is run with
 * its fence and without, for the same seeds. With it, what it forbids is never seen; without it, it
 * is seen within SEEDS seeds. And where memory is sequentially consistent it is not seen at all. */
#include <stdio.h>

#include "core/core_testing.h"
#include "ptx/ptx.h"

enum { WORDS = 256, SEEDS = 200 };

/* Runs the lines on two groups, all words being 0 at first. %g is the group, %i the item. */
static void run_groups(const char *lines, uint32_t items, uint64_t seed, bool weak,
                       uint32_t words[WORDS]) {
    static char text[1 << 14];
    const ptx_options options = {.seed = seed, .resident = 2, .races = true, .weak = weak};
    const uint32_t groups[3] = {2, 1, 1}, group[3] = {items, 1, 1};
    ptx_machine *machine = ptx_machine_create(&options);
    snprintf(text, sizeof text,
             ".visible .entry k(.param .u64 data)\n{\n.reg .pred %%p<8>;\n"
             ".reg .b32 %%r<9>, %%g, %%i;\n.reg .b64 %%d<8>, %%w;\nld.param.u64 %%w, [data];\n"
             "mov.u32 %%g, %%ctaid.x;\nmov.u32 %%i, %%tid.x;\n%s\nret;\n}\n",
             lines);
    ptx_module *module = ptx_load(machine, text);
    if (module == NULL)
        fail_msg("%s", ptx_message(machine));
    uint64_t at = ptx_allocate(machine, WORDS * sizeof *words);
    memset(ptx_host(machine, at, WORDS * sizeof *words), 0, WORDS * sizeof *words);
    if (ptx_launch(machine, ptx_find(module, "k"), groups, group, &at) != PTX_OK)
        fail_msg("%s", ptx_message(machine));
    memcpy(words, ptx_host(machine, at, WORDS * sizeof *words), WORDS * sizeof *words);
    ptx_unload(machine, module);
    ptx_machine_free(machine);
}

/* Text in three parts: a fence of the writer comes behind the first, one of the reader behind the
 * second. */
typedef struct litmus {
    const char *name, *parts[3];
    uint32_t items;
    bool (*forbidden)(const uint32_t *words);
} litmus;

static bool flag_without_data(const uint32_t *words) {
    return words[8] == 1 && words[9] != 7;
}

static bool both_too_early(const uint32_t *words) {
    return words[8] == 1 && words[9] == 1;
}

static bool some_missing(const uint32_t *words) {
    return words[8] == 1 && words[9] != 64;
}

#define READER_BEGINS                                                                              \
    "mov.b32 %r1, 0;\nlook:\nld.volatile.global.u32 %r2, [%w];\nsetp.ne.b32 %p2, %r2, 0;\n"        \
    "@%p2 bra seen;\nadd.s32 %r1, %r1, 1;\nsetp.lt.u32 %p3, %r1, 400;\n@%p3 bra look;\n"           \
    "bra over;\nseen:\n"

static const litmus patterns[] = {
    {"message passing",
     {"setp.ne.b32 %p1, %g, 0;\n@%p1 bra reader;\nst.volatile.global.u32 [%w+128], 7;\n",
      "st.volatile.global.u32 [%w], 1;\nbra over;\nreader:\n" READER_BEGINS,
      "ld.volatile.global.u32 %r3, [%w+128];\nst.global.u32 [%w+32], 1;\n"
      "st.global.u32 [%w+36], %r3;\nover:\n"},
     1,
     flag_without_data},
    {"store buffering",
     {"mul.wide.u32 %d1, %g, 4;\nadd.s64 %d2, %w, %d1;\nst.volatile.global.u32 [%d2+64], 1;\n",
      "xor.b32 %r1, %g, 1;\nmul.wide.u32 %d3, %r1, 4;\nadd.s64 %d4, %w, %d3;\n"
      "ld.volatile.global.u32 %r2, [%d4+64];\nsetp.eq.b32 %p1, %r2, 0;\nselp.b32 %r3, 1, 0, %p1;\n"
      "st.global.u32 [%d2+32], %r3;\n",
      ""},
     1,
     both_too_early},
    {"store buffering with atomics",
     {"mul.wide.u32 %d1, %g, 64;\nadd.s64 %d2, %w, %d1;\natom.global.add.u32 %r4, [%d2+256], 1;\n",
      "xor.b32 %r1, %g, 1;\nmul.wide.u32 %d3, %r1, 64;\nadd.s64 %d4, %w, %d3;\n"
      "ld.volatile.global.u32 %r2, [%d4+256];\nadd.s32 %r2, %r2, %r4;\n"
      "setp.eq.b32 %p1, %r2, 0;\nselp.b32 %r3, 1, 0, %p1;\nmul.wide.u32 %d5, %g, 4;\n"
      "add.s64 %d6, %w, %d5;\nst.global.u32 [%d6+32], %r3;\n",
      ""},
     1,
     both_too_early},
    {"a fence behind a barrier, for the whole group",
     {"setp.ne.b32 %p1, %g, 0;\n@%p1 bra reader;\nmul.wide.u32 %d1, %i, 4;\nadd.s64 %d2, %w, %d1;\n"
      "st.global.u32 [%d2+256], 1;\nbar.sync 0;\nsetp.ne.b32 %p2, %i, 0;\n@%p2 bra over;\n",
      "st.volatile.global.u32 [%w], 1;\nbra over;\nreader:\nsetp.ne.b32 %p2, %i, 0;\n"
      "@%p2 bra over;\n" READER_BEGINS,
      "mov.b32 %r4, 0;\nmov.b32 %r5, 0;\nmov.b64 %d3, %w;\nsum:\n"
      "ld.volatile.global.u32 %r6, [%d3+256];\nadd.s32 %r4, %r4, %r6;\nadd.s64 %d3, %d3, 4;\n"
      "add.s32 %r5, %r5, 1;\nsetp.lt.u32 %p4, %r5, 64;\n@%p4 bra sum;\n"
      "st.global.u32 [%w+32], 1;\nst.global.u32 [%w+36], %r4;\nover:\n"},
     64,
     some_missing},
};

/* The first seed with which the pattern showed what is forbidden; 0: none did. */
static uint64_t first_seen(const litmus *pattern, const char *writer, const char *reader,
                           bool weak) {
    static char lines[1 << 13];
    uint32_t words[WORDS];
    snprintf(lines, sizeof lines, "%s%s%s%s%s", pattern->parts[0], writer, pattern->parts[1],
             reader, pattern->parts[2]);
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        run_groups(lines, pattern->items, seed, weak, words);
        if (pattern->forbidden(words))
            return seed;
    }
    return 0;
}

static void fences_are_needed_and_suffice(void **state) {
    (void)state;
    static const char *const fences[] = {"membar.gl;\n", "fence.acq_rel.gpu;\n", "fence.sc.gpu;\n"};
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        const litmus *pattern = &patterns[i];
        for (size_t k = 0; k < sizeof fences / sizeof *fences; k++)
            assert_int_equal(first_seen(pattern, fences[k], fences[k], true), 0);
        const char *own = "membar.gl;\n";
        bool symmetric = pattern->parts[2][0] == '\0';
        uint64_t writer = first_seen(pattern, "", own, true);
        uint64_t reader = symmetric ? writer : first_seen(pattern, own, "", true);
        uint64_t narrow = first_seen(pattern, "membar.cta;\n", "membar.cta;\n", true);
        print_message(
            "%s: seen at seed %llu without the writer's fence, %llu without the reader's, "
            "%llu with fences of the group\n",
            pattern->name, (unsigned long long)writer, (unsigned long long)reader,
            (unsigned long long)narrow);
        assert_true(writer > 0 && reader > 0 && narrow > 0);
    }
}

/* Two groups that wait for each other cannot both be first. */
static void without_weak_memory_nothing_is_seen(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
        assert_int_equal(first_seen(&patterns[i], "", "", false), 0);
}

/* One word: its values are seen in order, by its own group at once, and atomics lose nothing. */
static void one_word_is_coherent(void **state) {
    (void)state;
    static const char lines[] =
        "setp.ne.b32 %p1, %g, 0;\n@%p1 bra reader;\nmov.b32 %r1, 1;\nmore:\n"
        "st.volatile.global.u32 [%w], %r1;\nld.volatile.global.u32 %r2, [%w];\n"
        "setp.ne.b32 %p2, %r1, %r2;\n@%p2 st.global.u32 [%w+32], 1;\n"
        "red.global.add.u32 [%w+64], 1;\n"
        "add.s32 %r1, %r1, 1;\nsetp.lt.u32 %p3, %r1, 100;\n@%p3 bra more;\nbra over;\nreader:\n"
        "mov.b32 %r1, 0;\nmov.b32 %r3, 0;\nagain:\nld.volatile.global.u32 %r2, [%w];\n"
        "setp.lt.u32 %p2, %r2, %r3;\n@%p2 st.global.u32 [%w+36], 1;\nmov.b32 %r3, %r2;\n"
        "red.global.add.u32 [%w+64], 1;\n"
        "add.s32 %r1, %r1, 1;\nsetp.lt.u32 %p3, %r1, 200;\n@%p3 bra again;\nover:\n";
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        uint32_t words[WORDS];
        run_groups(lines, 1, seed, true, words);
        assert_int_equal(words[0], 99);
        assert_int_equal(words[8], 0);
        assert_int_equal(words[9], 0);
        assert_int_equal(words[16], 99 + 200);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fences_are_needed_and_suffice),
        cmocka_unit_test(without_weak_memory_nothing_is_seen),
        cmocka_unit_test(one_word_is_coherent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
