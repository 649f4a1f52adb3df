/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory, control and reports of the interpreter, each by a small kernel. A kernel gets one
 * parameter, the address of some words; items number themselves in %i and have their own 64 bytes
 * at %at. */
#include <stdio.h>

#include "core/core_testing.h"
#include "ptx/ptx.h"

enum { WORDS = 1 << 14, SEEDS = 20 };

typedef struct outcome {
    ptx_error error;
    char message[512];
    ptx_counters counters;
    uint32_t words[WORDS];
} outcome;

static const char prologue[] =
    ".visible .entry k(.param .u64 data)\n{\n"
    ".reg .pred %p<4>;\n.reg .b16 %h<4>;\n.reg .b32 %r<8>, %i;\n.reg .f32 %f<4>;\n"
    ".reg .b64 %d<8>, %at, %data;\n.shared .align 8 .b8 tile[4096];\n"
    ".local .align 8 .b8 own[64];\n"
    "ld.param.u64 %data, [data];\nmov.u32 %i, %tid.x;\nmad.wide.u32 %at, %i, 64, %data;\n";

/* Runs the lines with these words in memory. */
static void run_lines(const char *lines, const uint32_t groups[3], const uint32_t group[3],
                      uint64_t seed, outcome *out) {
    static char text[1 << 15];
    const ptx_options options = {.seed = seed, .resident = 3, .races = true};
    ptx_machine *machine = ptx_machine_create(&options);
    snprintf(text, sizeof text, "%s%s\nret;\n}\n", prologue, lines);
    ptx_module *module = ptx_load(machine, text);
    out->error = PTX_BAD_TEXT;
    if (module != NULL) {
        uint64_t at = ptx_allocate(machine, sizeof out->words);
        ptx_kernel *kernel = ptx_find(module, "k");
        memcpy(ptx_host(machine, at, sizeof out->words), out->words, sizeof out->words);
        out->error = ptx_launch(machine, kernel, groups, group, &at);
        memcpy(out->words, ptx_host(machine, at, sizeof out->words), sizeof out->words);
        out->counters = ptx_kernel_facts(kernel)->counters;
        ptx_unload(machine, module);
    }
    snprintf(out->message, sizeof out->message, "%s", ptx_message(machine));
    ptx_machine_free(machine);
}

static void run_one(const char *lines, outcome *out) {
    const uint32_t one[3] = {1, 1, 1};
    run_lines(lines, one, one, 1, out);
    if (out->error != PTX_OK)
        fail_msg("%s", out->message);
}

static outcome out; /* large */

static void clear(void) {
    memset(&out, 0, sizeof out);
}

/* --- memory ---------------------------------------------------------------------------------- */

static void loads_extend(void **state) {
    (void)state;
    clear();
    out.words[0] = 0x80f0e1d2;
    run_one("ld.global.s8 %r0, [%at+3];\nst.global.u32 [%at+8], %r0;\n"
            "ld.global.u8 %r0, [%at+3];\nst.global.u32 [%at+12], %r0;\n"
            "ld.global.s16 %r0, [%at+2];\nst.global.u32 [%at+16], %r0;\n"
            "ld.global.u16 %r0, [%at+2];\nst.global.u32 [%at+20], %r0;\n"
            "ld.global.s32 %d0, [%at];\nst.global.u64 [%at+24], %d0;\n"
            "ld.global.u32 %d0, [%at];\nst.global.u64 [%at+32], %d0;\n"
            "st.global.u8 [%at+41], 258;\nst.global.b16 [%at+42], %h0;\n",
            &out);
    const uint32_t wanted[] = {0xffffff80, 0x80, 0xffff80f0, 0x80f0,
                               0x80f0e1d2, ~0u,  0x80f0e1d2, 0};
    assert_memory_equal(&out.words[2], wanted, sizeof wanted);
    assert_int_equal(out.words[10], 0xa5a50200); /* a register that was never set is rubbish */
}

static void vectors_and_halves(void **state) {
    (void)state;
    clear();
    for (uint32_t i = 0; i < 4; i++)
        out.words[i] = 0x01010101 * (i + 1);
    run_one("ld.global.v4.u32 {%r0, %r1, %r2, %r3}, [%at];\n"
            "st.global.v2.b32 [%at+16], {%r3, %r2};\nmov.b64 %d0, {%r1, %r0};\n"
            "st.global.b64 [%at+24], %d0;\nmov.b64 {_, %r4}, %d0;\nmov.b64 {%r5, %r6}, %d0;\n"
            "st.global.v4.u32 [%at+32], {%r4, %r5, %r6, 9};\n"
            "mov.b32 {%h0, %h1}, %r4;\nmov.b32 %r7, {%h1, %h0};\nst.global.u32 [%at+48], %r7;\n",
            &out);
    const uint32_t wanted[] = {0x04040404, 0x03030303, 0x02020202, 0x01010101, 0x01010101,
                               0x02020202, 0x01010101, 9,          0x01010101};
    assert_memory_equal(&out.words[4], wanted, sizeof wanted);
}

static void spaces_are_apart(void **state) {
    (void)state;
    clear();
    run_one("mov.u32 %r0, tile;\nst.shared.u32 [%r0+8], 7;\nst.shared.u32 [tile+12], 8;\n"
            "st.local.u32 [own+8], 9;\nld.shared.u32 %r1, [tile+8];\nld.local.u32 %r2, [own+8];\n"
            "cvt.u64.u32 %d0, %r0;\ncvta.shared.u64 %d1, %d0;\nld.u32 %r3, [%d1+12];\n"
            "mov.u64 %d2, own;\ncvta.local.u64 %d3, %d2;\nld.u32 %r4, [%d3+8];\n"
            "ld.u32 %r5, [%at];\nld.shared.u32 %r6, [tile+16];\n"
            "st.global.v4.u32 [%at], {%r1, %r2, %r3, %r4};\nst.u32 [%at+16], %r6;\n",
            &out);
    const uint32_t wanted[] = {7, 9, 8, 9, 0xa5a5a5a5};
    assert_memory_equal(out.words, wanted, sizeof wanted);
}

/* A register of 32 bits and its offset are added in 32 bits. */
static void narrow_addresses_wrap(void **state) {
    (void)state;
    clear();
    run_one("mov.b32 %r1, 77;\nst.shared.b32 [tile+8], %r1;\nmov.b32 %r2, -4;\n"
            "ld.shared.b32 %r3, [%r2+12];\nst.global.b32 [%at], %r3;",
            &out);
    assert_int_equal(out.words[0], 77);
}

static void module_variables(void **state) {
    (void)state;
    const ptx_options options = {.seed = 1, .resident = 1};
    ptx_machine *machine = ptx_machine_create(&options);
    ptx_module *module = ptx_load(
        machine,
        ".version 8.0\n.target sm_75\n.global .align 4 .b32 table[3] = {5, 6, 7};\n"
        ".visible .entry k(.param .u64 data, .param .align 4 .b8 pair[8]) .maxntid 8, 2, 1\n"
        "{\n.reg .b32 %r<3>;\n.reg .b64 %d<3>;\nld.param.u64 %d0, [data];\n"
        "ld.global.u32 %r0, [table+8];\nld.param.u32 %r1, [pair+4];\n"
        "mov.u64 %d1, table;\nld.u32 %r2, [%d1+4];\nadd.s32 %r0, %r0, %r1;\n"
        "mad.lo.s32 %r0, %r2, 100, %r0;\nst.global.u32 [%d0], %r0;\nret;\n}\n");
    if (module == NULL)
        fail_msg("%s", ptx_message(machine));
    size_t bytes;
    assert_int_equal(ptx_allocated(machine, &bytes), 1);
    const struct ptx_facts *facts = ptx_kernel_facts(ptx_find(module, "k"));
    assert_int_equal(facts->parameter_count, 2);
    assert_int_equal(facts->parameters[1].offset, 8);
    assert_int_equal(facts->parameters[1].bytes, 8);
    assert_int_equal(facts->group_most, 16);
    uint64_t at = ptx_allocate(machine, 4);
    struct {
        uint64_t data;
        uint32_t pair[2];
    } parameters = {at, {0, 30}};
    const uint32_t one[3] = {1, 1, 1}, many[3] = {17, 1, 1};
    assert_int_equal(ptx_launch(machine, ptx_find(module, "k"), one, many, &parameters),
                     PTX_BAD_VALUE);
    assert_int_equal(ptx_launch(machine, ptx_find(module, "k"), one, one, &parameters), PTX_OK);
    assert_int_equal(*(uint32_t *)ptx_host(machine, at, 4), 637);
    ptx_unload(machine, module);
    assert_int_equal(ptx_allocated(machine, &bytes), 1);
    assert_true(ptx_release(machine, at));
    assert_false(ptx_release(machine, at));
    ptx_machine_free(machine);
}

typedef struct atomic_case {
    const char *lines; /* old value in d0 or r0, from [%at] */
    uint64_t before, after;
} atomic_case;

static const atomic_case atomic_cases[] = {
    {"atom.global.add.u32 %r0, [%at], 7;", 0xfffffffe, 5},
    {"atom.global.add.u64 %d0, [%at], 7;", 0xfffffffe, 0x100000005},
    {"atom.global.and.b32 %r0, [%at], 12;", 10, 8},
    {"atom.global.or.b32 %r0, [%at], 12;", 10, 14},
    {"atom.global.or.b64 %d0, [%at], 12;", 10, 14},
    {"atom.global.xor.b32 %r0, [%at], 12;", 10, 6},
    {"atom.global.exch.b32 %r0, [%at], 12;", 10, 12},
    {"atom.global.exch.b64 %d0, [%at], -1;", 10, UINT64_MAX},
    {"atom.global.cas.b32 %r0, [%at], 10, 3;", 10, 3},
    {"atom.relaxed.gpu.global.cas.b32 %r0, [%at], 11, 3;", 10, 10},
    {"atom.global.cas.b64 %d0, [%at], 10, -2;", 10, UINT64_MAX - 1},
    {"atom.global.min.u32 %r0, [%at], -1;", 10, 10},
    {"atom.global.min.s32 %r0, [%at], -1;", 10, 0xffffffff},
    {"atom.global.max.u32 %r0, [%at], -1;", 10, 0xffffffff},
    {"atom.global.max.s32 %r0, [%at], -1;", 10, 10},
    {"atom.global.min.u64 %d0, [%at], -1;", 10, 10},
    {"atom.global.min.s64 %d0, [%at], -1;", 10, UINT64_MAX},
    {"atom.global.max.u64 %d0, [%at], -1;", 10, UINT64_MAX},
    {"atom.global.inc.u32 %r0, [%at], 10;", 10, 0},
    {"atom.global.dec.u32 %r0, [%at], 10;", 0, 10},
    {"atom.global.add.f32 %f0, [%at], 0f3F800000;\nmov.b32 %r0, %f0;", 0x3f800000, 0x40000000},
    {"atom.global.add.f64 %d0, [%at], 0d3FF0000000000000;", 0x3ff0000000000000, 0x4000000000000000},
    {"atom.add.u32 %r0, [%at], 1;", 4, 5},
    {"red.global.add.u32 [%at], 1;\nmov.u32 %r0, 4;", 4, 5},
};

static void atomics_give_the_old_value(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof atomic_cases / sizeof *atomic_cases; i++) {
        const atomic_case *now = &atomic_cases[i];
        char lines[512];
        uint64_t after, old;
        bool wide = strstr(now->lines, "64 %d0") != NULL;
        clear();
        memcpy(out.words, &now->before, sizeof now->before);
        snprintf(lines, sizeof lines, "%s\nst.global.%s [%%at+16], %s;\n", now->lines,
                 wide ? "u64" : "u32", wide ? "%d0" : "%r0");
        run_one(lines, &out);
        memcpy(&after, out.words, sizeof after);
        memcpy(&old, out.words + 4, sizeof old);
        if (after != now->after || old != now->before)
            fail_msg("%s: %llx, old %llx", now->lines, (unsigned long long)after,
                     (unsigned long long)old);
    }
}

/* --- items ----------------------------------------------------------------------------------- */

static void special_registers(void **state) {
    (void)state;
    clear();
    const uint32_t groups[3] = {2, 3, 2}, group[3] = {5, 4, 3};
    /* number of the item over all, from its nine coordinates */
    run_lines(
        "mov.u32 %r0, %tid.z;\nmov.u32 %r1, %ntid.y;\nmov.u32 %r2, %tid.y;\n"
        "mad.lo.s32 %r0, %r0, %r1, %r2;\nmov.u32 %r1, %ntid.x;\nmad.lo.s32 %r0, %r0, %r1, %i;\n"
        "mov.u32 %r3, %ctaid.z;\nmov.u32 %r1, %nctaid.y;\nmov.u32 %r2, %ctaid.y;\n"
        "mad.lo.s32 %r3, %r3, %r1, %r2;\nmov.u32 %r1, %nctaid.x;\nmov.u32 %r2, %ctaid.x;\n"
        "mad.lo.s32 %r3, %r3, %r1, %r2;\nmad.lo.s32 %r0, %r3, 60, %r0;\n"
        "mul.wide.u32 %d0, %r0, 16;\nadd.s64 %d0, %d0, %data;\n"
        "mov.u32 %r4, %laneid;\nmov.u32 %r5, %warpid;\nmov.u32 %r6, %lanemask_lt;\n"
        "st.global.v4.u32 [%d0], {%r0, %r4, %r5, %r6};\n",
        groups, group, 5, &out);
    assert_int_equal(out.error, PTX_OK);
    for (uint32_t i = 0; i < 12 * 60; i++) {
        uint32_t lane = i % 60 % 32;
        assert_int_equal(out.words[4 * i], i);
        assert_int_equal(out.words[4 * i + 1], lane);
        assert_int_equal(out.words[4 * i + 2], i % 60 / 32);
        assert_int_equal(out.words[4 * i + 3], (1u << lane) - 1);
    }
    assert_int_equal(out.counters.groups, 12);
    assert_int_equal(out.counters.stores, 12 * 60);
}

static void clocks_go_on(void **state) {
    (void)state;
    clear();
    run_one("mov.u64 %d0, %clock64;\nmov.u64 %d1, %globaltimer;\nmov.u32 %r0, %clock;\n"
            "sub.s64 %d1, %d1, %d0;\nst.global.u64 [%at], %d1;\n",
            &out);
    assert_true(out.words[0] > 0 && out.words[1] == 0);
}

/* Items of a warp go round a loop for different numbers of times, and meet again. */
static void items_part_and_meet(void **state) {
    (void)state;
    const uint32_t groups[3] = {2, 1, 1}, group[3] = {48, 1, 1};
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        clear();
        run_lines(
            "mov.u32 %r0, 0;\nmov.u32 %r1, 0;\n$loop:\nsetp.gt.u32 %p0, %r1, %i;\n"
            "@%p0 bra $end;\nadd.s32 %r0, %r0, %r1;\nadd.s32 %r1, %r1, 1;\nbra.uni $loop;\n"
            "$end:\nand.b32 %r2, %i, 1;\nsetp.eq.s32 %p1, %r2, 1;\n@!%p1 add.s32 %r0, %r0, 1000;\n"
            "st.global.u32 [%at], %r0;\n",
            groups, group, seed, &out);
        assert_int_equal(out.error, PTX_OK);
        for (uint32_t i = 0; i < 48; i++)
            assert_int_equal(out.words[16 * i], i * (i + 1) / 2 + (i % 2 == 0 ? 1000 : 0));
    }
}

static const char reversal[] = /* of a tile of 256 words, through shared memory */
    "mov.u32 %r0, tile;\nmad.lo.s32 %r1, %i, 4, %r0;\nst.shared.u32 [%r1], %i;\n"
    "bar.sync 0;\nmul.lo.s32 %r2, %i, 4;\nsub.s32 %r2, 1020, %r2;\nadd.s32 %r2, %r2, %r0;\n"
    "ld.shared.u32 %r3, [%r2];\nst.global.u32 [%at], %r3;\n";

static void barriers_hold(void **state) {
    (void)state;
    const uint32_t groups[3] = {4, 1, 1}, group[3] = {256, 1, 1};
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        clear();
        run_lines(reversal, groups, group, seed, &out);
        if (out.error != PTX_OK)
            fail_msg("%s", out.message);
        for (uint32_t i = 0; i < 256; i++)
            assert_int_equal(out.words[16 * i], 255 - i);
        assert_int_equal(out.counters.barriers, 4);
    }
}

static void seeds_decide(void **state) {
    (void)state;
    static outcome again;
    const uint32_t groups[3] = {3, 1, 1}, group[3] = {64, 1, 1};
    /* who comes first takes the next number */
    static const char lines[] =
        "atom.global.add.u32 %r0, [%data], 1;\nst.global.u32 [%at+4], %r0;\n";
    uint32_t differ = 0;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        clear();
        memset(&again, 0, sizeof again);
        run_lines(lines, groups, group, seed, &out);
        run_lines(lines, groups, group, seed, &again);
        assert_memory_equal(out.words, again.words, sizeof out.words);
        run_lines(lines, groups, group, seed + 1, &again);
        differ += memcmp(out.words, again.words, sizeof out.words) != 0;
    }
    assert_true(differ > SEEDS / 2);
}

/* --- reports --------------------------------------------------------------------------------- */

typedef struct bad_case {
    const char *what, *lines;
    ptx_error error;
    const char *says;
} bad_case;

static const bad_case bad_cases[] = {
    {"below an array", "ld.global.u32 %r0, [%data+-4];", PTX_BAD_ADDRESS, "in no allocation"},
    {"behind an array", "st.global.u32 [%data+65536], %r0;", PTX_BAD_ADDRESS, "in no allocation"},
    {"over its end", "ld.global.v4.u32 {%r0, %r1, %r2, %r3}, [%data+65536];", PTX_BAD_ADDRESS,
     "16 bytes"},
    {"nowhere", "ld.global.u32 %r0, [0];", PTX_BAD_ADDRESS, "in no allocation"},
    {"a host's address", "cvt.u32.u64 %r0, %data;\ncvt.u64.u32 %d0, %r0;\nld.u32 %r1, [%d0];",
     PTX_BAD_ADDRESS, "in no allocation"},
    {"behind shared memory", "st.shared.u32 [tile+4096], %r0;", PTX_BAD_ADDRESS, "shared memory"},
    {"behind local memory", "st.local.u64 [own+64], %d0;", PTX_BAD_ADDRESS, "local memory"},
    {"not aligned", "ld.global.u32 %r0, [%data+2];", PTX_MISALIGNED, "not aligned"},
    {"atomic not aligned", "atom.global.add.u64 %d0, [%data+4], 1;", PTX_MISALIGNED, "not aligned"},
    {"trap", "trap;", PTX_TRAP, "trap"},
    {"barrier in a branch",
     "setp.lt.u32 %p0, %i, 16;\n@%p0 bra $on;\nbar.sync 0;\n$on:\n"
     "ld.global.u32 %r0, [%at];\n$loop:\nsetp.eq.u32 %p1, %r0, 0;\n"
     "@%p1 bra $out;\nbra $loop;\n$out:\nbar.sync 0;",
     PTX_STUCK, "barrier"},
    {"predicated barrier", "setp.lt.u32 %p0, %i, 16;\n@%p0 bar.sync 0;", PTX_TRAP,
     "skip a barrier"},
    {"two write", "st.shared.u32 [tile], %i;", PTX_RACE, "has written"},
    {"read after another's write",
     "mov.u32 %r0, tile;\nmad.lo.s32 %r0, %i, 4, %r0;\n"
     "st.shared.u32 [%r0], %i;\nld.shared.u32 %r1, [tile+4];",
     PTX_RACE, "the shared word at 4"},
    {"write after another's read",
     "ld.shared.u32 %r1, [tile];\nsetp.eq.u32 %p0, %i, 9;\n"
     "@%p0 st.shared.u32 [tile], 1;",
     PTX_RACE, "the shared word at 0"},
    {"atomic and plain", "atom.shared.add.u32 %r0, [tile], 1;\nld.shared.u32 %r1, [tile];",
     PTX_RACE, "reads"},
};

static void mistakes_are_reported(void **state) {
    (void)state;
    const uint32_t groups[3] = {2, 1, 1}, group[3] = {64, 1, 1};
    for (size_t i = 0; i < sizeof bad_cases / sizeof *bad_cases; i++) {
        const bad_case *bad = &bad_cases[i];
        clear();
        run_lines(bad->lines, groups, group, i, &out);
        if (out.error != bad->error || strstr(out.message, bad->says) == NULL ||
            strstr(out.message, "kernel k, line ") == NULL ||
            strstr(out.message, "group (") == NULL)
            fail_msg("%s: %d, %s", bad->what, (int)out.error, out.message);
    }
}

static void sharing_that_is_no_race(void **state) {
    (void)state;
    const uint32_t groups[3] = {2, 1, 1}, group[3] = {64, 1, 1};
    static const char *const fine[] = {
        "atom.shared.add.u32 %r0, [tile], 1;\natom.shared.max.u32 %r0, [tile], 1;",
        "st.volatile.shared.u32 [tile], 1;\nld.volatile.shared.u32 %r0, [tile];",
        "ld.shared.u32 %r0, [tile];",
        ("setp.eq.u32 %p0, %i, 3;\n@%p0 st.shared.u32 [tile], 1;\nbar.sync 0;\n"
         "ld.shared.u32 %r0, [tile];\nbar.sync 0;\n@%p0 st.shared.u32 [tile], 1;"),
    };
    for (size_t i = 0; i < sizeof fine / sizeof *fine; i++) {
        clear();
        run_lines(fine[i], groups, group, i, &out);
        if (out.error != PTX_OK)
            fail_msg("%s: %s", fine[i], out.message);
    }
}

static void a_missing_barrier_is_seen(void **state) {
    (void)state;
    const uint32_t groups[3] = {1, 1, 1}, group[3] = {256, 1, 1};
    char lines[1024];
    snprintf(lines, sizeof lines, "%s", reversal);
    memcpy(strstr(lines, "bar.sync 0;"), "           ", 11);
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        clear();
        run_lines(lines, groups, group, seed, &out);
        assert_int_equal(out.error, PTX_RACE);
    }
}

static void what_is_not_known_is_refused(void **state) {
    (void)state;
    static const char *const unknown[] = {
        "add.rz.f32 %f0, %f1, %f2;",
        "add.ftz.f32 %f0, %f1, %f2;",
        "div.approx.f32 %f0, %f1, %f2;",
        "shfl.down.b32 %r0, %r1, 1, 31;",
        "add.s33 %r0, %r1, %r2;",
        "ld.global.b128 %r0, [%at];",
        "atom.global.min.b32 %r0, [%at], 1;",
        "bra $nowhere;",
        "add.s32 %r0, %r1;",
        "add.s32 %r0, %r1, %nothing;",
        "call f;",
        "bar.sync 1;",
        "ld.global.v2.u32 %r0, [%at];",
        "mov.u32 7, %r0;",
    };
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
        const uint32_t one[3] = {1, 1, 1};
        clear();
        run_lines(unknown[i], one, one, 1, &out);
        if (out.error != PTX_BAD_TEXT || strstr(out.message, "line 1") == NULL)
            fail_msg("%s: %d, %s", unknown[i], (int)out.error, out.message);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_extend),
        cmocka_unit_test(vectors_and_halves),
        cmocka_unit_test(spaces_are_apart),
        cmocka_unit_test(narrow_addresses_wrap),
        cmocka_unit_test(module_variables),
        cmocka_unit_test(atomics_give_the_old_value),
        cmocka_unit_test(special_registers),
        cmocka_unit_test(clocks_go_on),
        cmocka_unit_test(items_part_and_meet),
        cmocka_unit_test(barriers_hold),
        cmocka_unit_test(seeds_decide),
        cmocka_unit_test(mistakes_are_reported),
        cmocka_unit_test(sharing_that_is_no_race),
        cmocka_unit_test(a_missing_barrier_is_seen),
        cmocka_unit_test(what_is_not_known_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
