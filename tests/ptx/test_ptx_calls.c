/* SPDX-License-Identifier: Apache-2.0
 *
 * Functions and calls of the interpreter: items of a warp come from several calls, come at several
 * times and return to where each was. */
#include <stdio.h>

#include "core/core_testing.h"
#include "ptx/ptx.h"

enum { ITEMS = 96, SEEDS = 20 };

static char message[512];

/* Runs kernel k of the text on one group, with the address of ITEMS words. */
static ptx_error run_text(const char *text, uint64_t seed, uint32_t words[ITEMS]) {
    const ptx_options options = {.seed = seed, .resident = 1, .races = true};
    const uint32_t one[3] = {1, 1, 1}, group[3] = {ITEMS, 1, 1};
    ptx_machine *machine = ptx_machine_create(&options);
    ptx_error error = PTX_BAD_TEXT;
    ptx_module *module = ptx_load(machine, text);
    if (module != NULL) {
        uint64_t at = ptx_allocate(machine, ITEMS * sizeof *words);
        memcpy(ptx_host(machine, at, ITEMS * sizeof *words), words, ITEMS * sizeof *words);
        error = ptx_launch(machine, ptx_find(module, "k"), one, group, &at);
        memcpy(words, ptx_host(machine, at, ITEMS * sizeof *words), ITEMS * sizeof *words);
        ptx_unload(machine, module);
    }
    snprintf(message, sizeof message, "%s", ptx_message(machine));
    ptx_machine_free(machine);
    return error;
}

#define HEAD                                                                                       \
    ".visible .entry k(.param .u64 data)\n{\n.reg .pred %p<4>;\n.reg .b32 %r<8>;\n"                \
    ".reg .b64 %d<8>;\nld.param.u64 %d0, [data];\nmov.u32 %r0, %tid.x;\n"                          \
    "mad.wide.u32 %d1, %r0, 4, %d0;\n"
#define TAIL "st.global.b32 [%d1], %r5;\nret;\n}\n"

/* The sum of 1 to n, by a loop: items stay for different times. */
#define SUM                                                                                        \
    ".func (.param .b32 result) sum(.param .b32 n)\n{\n.reg .pred %p<2>;\n.reg .b32 %r<4>;\n"      \
    "ld.param.b32 %r1, [n];\nmov.b32 %r2, 0;\nagain:\nsetp.eq.b32 %p1, %r1, 0;\n"                  \
    "@%p1 bra over;\nadd.s32 %r2, %r2, %r1;\nsub.s32 %r1, %r1, 1;\nbra again;\nover:\n"            \
    "st.param.b32 [result], %r2;\nret;\n}\n"

#define CALL(to, name, from)                                                                       \
    "{\n.param .b32 given;\n.param .b32 got;\nst.param.b32 [given], " from ";\n"                   \
    "call.uni (got), " name ", (given);\nld.param.b32 " to ", [got];\n}\n"

/* Odd items call from one place, even ones from another, all of them from a third. */
/* clang-format off */
static const char three_calls[] =
    ".func (.param .b32 result) sum(.param .b32 n);\n"
    HEAD
    "and.b32 %r1, %r0, 1;\nsetp.eq.b32 %p1, %r1, 0;\n@%p1 bra even;\n"
    CALL("%r2", "sum", "%r0")
    "mul.lo.s32 %r2, %r2, 2;\nbra both;\neven:\n"
    CALL("%r2", "sum", "%r0")
    "mul.lo.s32 %r2, %r2, 3;\nboth:\n"
    CALL("%r5", "sum", "7")
    "add.s32 %r5, %r5, %r2;\n"
    TAIL SUM;
/* clang-format on */

static void each_item_returns_to_its_place(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        uint32_t words[ITEMS] = {0};
        if (run_text(three_calls, seed, words) != PTX_OK)
            fail_msg("%s", message);
        for (uint32_t i = 0; i < ITEMS; i++)
            assert_int_equal(words[i], 28 + i * (i + 1) / 2 * (i % 2 == 0 ? 3 : 2));
    }
}

/* A function that calls another, one without result, a call for some items only, and a barrier in a
 * function; local memory of a function is its own. */
/* clang-format off */
static const char nested[] =
    HEAD
    "mov.b32 %r5, 1000;\nsetp.lt.u32 %p1, %r0, 40;\n{\n.param .b32 given;\n.param .b32 got;\n"
    "st.param.b32 [given], %r0;\n@%p1 call (got), outer, (given);\n@%p1 ld.param.b32 %r5, [got];\n"
    "}\n{\n.param .b64 to;\nst.param.b64 [to], %d1;\ncall.uni bump, (to);\n}\n"
    "ld.global.b32 %r6, [%d1];\nadd.s32 %r5, %r5, %r6;\ncall.uni rest;\n"
    TAIL SUM
    ".func (.param .b32 result) outer(.param .b32 n)\n{\n.reg .b32 %r<4>;\n"
    ".local .align 4 .b8 own[4];\nld.param.b32 %r1, [n];\nst.local.b32 [own], %r1;\n"
    CALL("%r2", "sum", "%r1")
    "ld.local.b32 %r3, [own];\nadd.s32 %r2, %r2, %r3;\nst.param.b32 [result], %r2;\nret;\n}\n"
    ".func bump(.param .b64 to)\n{\n.reg .b64 %d<2>;\n.reg .b32 %r<3>;\n"
    "ld.param.b64 %d1, [to];\nld.global.b32 %r1, [%d1];\nadd.s32 %r1, %r1, 5;\n"
    "st.global.b32 [%d1], %r1;\n}\n"
    ".func rest()\n{\nbar.sync 0;\nret;\n}\n";
/* clang-format on */

static void functions_call_functions(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        uint32_t words[ITEMS];
        for (uint32_t i = 0; i < ITEMS; i++)
            words[i] = 7 * i;
        if (run_text(nested, seed, words) != PTX_OK)
            fail_msg("%s", message);
        for (uint32_t i = 0; i < ITEMS; i++)
            assert_int_equal(words[i], 7 * i + 5 + (i < 40 ? i * (i + 1) / 2 + i : 1000));
    }
}

static const struct {
    const char *text, *says;
} refused[] = {
    {HEAD CALL("%r5", "none", "%r0") TAIL SUM, "there is no function 'none'"},
    {HEAD "call.uni sum;\n" TAIL SUM, "sum has 1 results and 1 parameters, not 0 and 0"},
    {HEAD "{\n.param .align 8 .b8 pair[16];\n}\n" TAIL, "a struct as an argument"},
    {HEAD "{\n.param .b8 pair[16];\n}\n" TAIL, "an array as an argument"},
    {HEAD "{\n.param .b32 one;\nst.param.b64 [one], %d1;\n}\n" TAIL, "argument 'one'"},
    {HEAD "call.uni a;\n" TAIL ".func a()\n{\ncall.uni b;\n}\n.func b()\n{\ncall.uni a;\n}\n",
     "calls itself"},
    {HEAD TAIL ".func a()\n{\n", "the text ends in a function"},
};

static void what_is_not_known_of_calls_is_refused(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        uint32_t words[ITEMS] = {0};
        assert_int_equal(run_text(refused[i].text, 1, words), PTX_BAD_TEXT);
        if (strstr(message, refused[i].says) == NULL)
            fail_msg("'%s', not '%s'", message, refused[i].says);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_item_returns_to_its_place),
        cmocka_unit_test(functions_call_functions),
        cmocka_unit_test(what_is_not_known_of_calls_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
