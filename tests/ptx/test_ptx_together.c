/* SPDX-License-Identifier: Apache-2.0
 *
 * Votes and shuffles of the interpreter: each against what the manual says of it, worked out here
 * lane by lane, in many orders of the items; and what the manual leaves undefined is reported. */
#include <stdio.h>

#include "core/core_testing.h"
#include "ptx/ptx.h"

enum { ITEMS = 64, WARP = 32, SEEDS = 20 };

static uint32_t words[ITEMS];
static char message[512];

/* Runs the lines, which leave a result in %r9 for each item. %i is its number in the group, %l that
 * in the warp. Items go apart before, and come together as they like. */
static ptx_error run_lines(const char *lines, uint32_t items, uint64_t seed) {
    char text[4096];
    const ptx_options options = {.seed = seed, .resident = 2, .races = true};
    ptx_machine *machine = ptx_machine_create(&options);
    snprintf(text, sizeof text,
             ".visible .entry k(.param .u64 data)\n{\n.reg .pred %%p<6>;\n.reg .b32 %%r<10>, %%i, "
             "%%l;\n.reg .b64 %%at, %%data;\n"
             "ld.param.u64 %%data, [data];\nmov.u32 %%i, %%tid.x;\nmov.u32 %%l, %%laneid;\n"
             "mad.wide.u32 %%at, %%i, 4, %%data;\nmov.u32 %%r9, 0;\n"
             "and.b32 %%r0, %%i, 3;\n$apart:\nsetp.eq.u32 %%p0, %%r0, 0;\n@%%p0 bra $met;\n"
             "sub.s32 %%r0, %%r0, 1;\nbra $apart;\n$met:\n"
             "%s\nst.global.u32 [%%at], %%r9;\nret;\n}\n",
             lines);
    ptx_module *module = ptx_load(machine, text);
    ptx_error error = PTX_BAD_TEXT;
    if (module != NULL) {
        const uint32_t one[3] = {1, 1, 1}, group[3] = {items, 1, 1};
        uint64_t at = ptx_allocate(machine, sizeof words);
        error = ptx_launch(machine, ptx_find(module, "k"), one, group, &at);
        memcpy(words, ptx_host(machine, at, sizeof words), sizeof words);
        ptx_unload(machine, module);
    }
    snprintf(message, sizeof message, "%s", ptx_message(machine));
    ptx_machine_free(machine);
    return error;
}

static void run_well(const char *lines, uint64_t seed) {
    if (run_lines(lines, ITEMS, seed) != PTX_OK)
        fail_msg("%s: %s", lines, message);
}

/* --- votes ----------------------------------------------------------------------------------- */

static void votes(void **state) {
    (void)state;
    static const char third[] = "rem.u32 %r1, %i, 3;\nsetp.eq.u32 %p1, %r1, 0;\n";
    char lines[512];
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        uint32_t of[2] = {0, 0};
        for (uint32_t i = 0; i < ITEMS; i++)
            of[i / WARP] |= (uint32_t)(i % 3 == 0) << i % WARP;
        snprintf(lines, sizeof lines, "%svote.sync.ballot.b32 %%r9, %%p1, -1;", third);
        run_well(lines, seed);
        for (uint32_t i = 0; i < ITEMS; i++)
            assert_int_equal(words[i], of[i / WARP]);
        snprintf(lines, sizeof lines, "%svote.sync.ballot.b32 %%r9, !%%p1, 0xffffffff;", third);
        run_well(lines, seed);
        for (uint32_t i = 0; i < ITEMS; i++)
            assert_int_equal(words[i], ~of[i / WARP]);
    }
}

/* Item 40 alone has the bit, or alone has it not. */
static void any_and_all(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        run_well("setp.eq.u32 %p1, %i, 40;\nvote.sync.any.pred %p2, %p1, -1;\n"
                 "vote.sync.all.pred %p3, !%p1, -1;\nselp.u32 %r1, 1, 0, %p2;\n"
                 "selp.u32 %r9, 2, 0, %p3;\nor.b32 %r9, %r9, %r1;",
                 seed);
        for (uint32_t i = 0; i < ITEMS; i++)
            assert_int_equal(words[i], i < WARP ? 2 : 1);
    }
}

/* The items of two branches vote by themselves. */
static void masks_of_some(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        run_well("and.b32 %r1, %i, 4;\nsetp.lt.u32 %p2, %l, 16;\nsetp.eq.u32 %p1, %r1, 0;\n"
                 "@%p1 bra $other;\nvote.sync.ballot.b32 %r9, %p2, 0xf0f0f0f0;\nbra $end;\n"
                 "$other:\nvote.sync.ballot.b32 %r9, %p2, 0x0f0f0f0f;\n$end:",
                 seed);
        for (uint32_t i = 0; i < ITEMS; i++)
            assert_int_equal(words[i], (i & 4) != 0 ? 0x0000f0f0 : 0x00000f0f);
    }
}

/* --- shuffles -------------------------------------------------------------------------------- */

/* Which lane the value comes from, in segments of `wide` lanes; -1: its own, and it says so. */
static int from_lane(const char *how, int lane, int by, int wide) {
    int begin = lane / wide * wide, at = 0;
    if (strcmp(how, "up") == 0)
        at = lane - by;
    else if (strcmp(how, "down") == 0)
        at = lane + by;
    else if (strcmp(how, "bfly") == 0)
        at = lane ^ by;
    else
        return begin + by % wide;
    if (strcmp(how, "bfly") == 0) /* those of segments before may be had */
        return at < begin + wide ? at : -1;
    return at >= begin && at < begin + wide ? at : -1;
}

static void shuffles(void **state) {
    (void)state;
    static const char *const hows[] = {"up", "down", "bfly", "idx"};
    char lines[512];
    for (size_t h = 0; h < sizeof hows / sizeof *hows; h++)
        for (int wide = 4; wide <= WARP; wide *= 2)
            for (int by = 0; by < WARP; by += 1 + by / 4) {
                int limits = (WARP - wide) << 8 | (strcmp(hows[h], "up") == 0 ? 0 : 31);
                snprintf(lines, sizeof lines,
                         "mad.lo.u32 %%r1, %%i, 7, 1000;\n"
                         "shfl.sync.%s.b32 %%r1|%%p1, %%r1, %d, %d, -1;\n"
                         "selp.u32 %%r2, 100000, 0, %%p1;\nadd.u32 %%r9, %%r1, %%r2;",
                         hows[h], by, limits);
                run_well(lines, (uint64_t)by);
                for (int i = 0; i < ITEMS; i++) {
                    int lane = i % WARP, from = from_lane(hows[h], lane, by, wide);
                    int item = i - lane + (from < 0 ? lane : from);
                    assert_int_equal(words[i], 7 * item + 1000 + (from < 0 ? 0 : 100000));
                }
            }
}

/* The lane is each item's own choice, and the predicate is not wanted. */
static void shuffle_by_register(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        run_well("mul.lo.u32 %r1, %l, 5;\nshfl.sync.idx.b32 %r9, %i, %r1, 31, -1;", seed);
        for (uint32_t i = 0; i < ITEMS; i++)
            assert_int_equal(words[i], i / WARP * WARP + i * 5 % WARP);
    }
}

/* --- reports --------------------------------------------------------------------------------- */

typedef struct bad_case {
    const char *lines;
    ptx_error error;
    const char *says;
    uint32_t items;
} bad_case;

static const bad_case bad_cases[] = {
    {"vote.sync.ballot.b32 %r9, %p0, 0xfffffffe;", PTX_TRAP, "not in its own mask", ITEMS},
    {"mov.u32 %r1, -1;\nsetp.eq.u32 %p1, %l, 9;\n@%p1 mov.u32 %r1, 0x0000ffff;\n"
     "vote.sync.ballot.b32 %r9, %p0, %r1;",
     PTX_TRAP, "not that of others", ITEMS},
    {"vote.sync.ballot.b32 %r9, %p0, -1;", PTX_STUCK, "never was", 40},
    {"setp.eq.u32 %p1, %l, 3;\n@%p1 exit;\nshfl.sync.up.b32 %r9, %i, 1, 0, -1;", PTX_STUCK, "",
     ITEMS},
    {"setp.eq.u32 %p1, %l, 3;\n@%p1 bra $other;\nvote.sync.ballot.b32 %r9, %p0, -1;\nbra $end;\n"
     "$other:\nvote.sync.ballot.b32 %r9, %p0, -1;\n$end:",
     PTX_STUCK, "do not come", ITEMS},
    {"setp.eq.u32 %p1, %l, 3;\n@%p1 bra $end;\nvote.sync.ballot.b32 %r9, %p0, -1;\n$end:\n"
     "bar.sync 0;",
     PTX_STUCK, "do not come", ITEMS},
    {"setp.lt.u32 %p1, %l, 16;\n@!%p1 bra $end;\nshfl.sync.down.b32 %r9, %i, 1, 31, 0xffff;\n"
     "$end:",
     PTX_TRAP, "outside of its mask", ITEMS},
};

static void mistakes_are_reported(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof bad_cases / sizeof *bad_cases; i++) {
        const bad_case *bad = &bad_cases[i];
        for (uint64_t seed = 0; seed < SEEDS; seed++) {
            ptx_error error = run_lines(bad->lines, bad->items, seed);
            if (error != bad->error || strstr(message, bad->says) == NULL ||
                strstr(message, "kernel k, line ") == NULL || strstr(message, "item ") == NULL)
                fail_msg("%s: %d, %s", bad->lines, (int)error, message);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(votes),
        cmocka_unit_test(any_and_all),
        cmocka_unit_test(masks_of_some),
        cmocka_unit_test(shuffles),
        cmocka_unit_test(shuffle_by_register),
        cmocka_unit_test(mistakes_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
