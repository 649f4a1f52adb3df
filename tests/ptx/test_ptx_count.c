/* SPDX-License-Identifier: Apache-2.0
 *
 * Counts of small kernels, known by hand. Two groups of 64 items: four warps. Each item numbers
 * itself over both groups in %i; %at is its word. */
#include <stdio.h>

#include "core/core_testing.h"
#include "ptx/ptx.h"

enum { WORDS = 1 << 14, WARPS = 4, ITEMS = 128, SEEDS = 5 };

static const char prologue[] =
    ".visible .entry k(.param .u64 data)\n{\n"
    ".reg .pred %p<4>;\n.reg .b32 %r<8>, %i;\n.reg .f32 %f<4>;\n.reg .b64 %d<8>, %at, %data;\n"
    ".shared .align 16 .b8 tile[8192];\n"
    "ld.param.u64 %data, [data];\nmov.u32 %r0, %ctaid.x;\nmov.u32 %r1, %ntid.x;\n"
    "mov.u32 %r2, %tid.x;\nmad.lo.u32 %i, %r0, %r1, %r2;\nmad.wide.u32 %at, %i, 4, %data;\n";

static ptx_counters counted(const char *lines, uint64_t seed) {
    static char text[1 << 14];
    const ptx_options options = {.seed = seed, .resident = 2, .count = true};
    const uint32_t groups[3] = {2, 1, 1}, group[3] = {64, 1, 1};
    ptx_machine *machine = ptx_machine_create(&options);
    snprintf(text, sizeof text, "%s%s\nret;\n}\n", prologue, lines);
    ptx_module *module = ptx_load(machine, text);
    if (module == NULL)
        fail_msg("%s", ptx_message(machine));
    uint64_t at = ptx_allocate(machine, 4 * WORDS);
    ptx_kernel *kernel = ptx_find(module, "k");
    uint32_t *words = ptx_host(machine, at, 4 * WORDS);
    for (uint32_t i = 0; i < WORDS; i++)
        words[i] = i * 2654435761u >> 18; /* places anywhere */
    if (ptx_launch(machine, kernel, groups, group, &at) != PTX_OK)
        fail_msg("%s", ptx_message(machine));
    const ptx_counters result = ptx_kernel_facts(kernel)->counters;
    ptx_unload(machine, module);
    ptx_release(machine, at);
    ptx_machine_free(machine);
    return result;
}

/* What lines add to a kernel without any. */
static ptx_counters added(const char *lines) {
    ptx_counters all = counted(lines, 1), none = counted("", 1);
    all.steps -= none.steps;
    all.lane_steps -= none.lane_steps;
    for (int i = 0; i < PTX_WORKS; i++)
        all.works[i] -= none.works[i];
    for (int i = 0; i <= 32; i++)
        all.lanes[i] -= none.lanes[i];
    return all;
}

static void assert_traffic(const ptx_traffic *traffic, uint64_t requests, uint64_t items,
                           uint64_t sectors, uint64_t least) {
    assert_int_equal(traffic->requests, requests);
    assert_int_equal(traffic->items, items);
    assert_int_equal(traffic->sectors, sectors);
    assert_int_equal(traffic->least, least);
}

static void kinds_of_instructions(void **state) {
    (void)state;
    const ptx_counters now = added(
        "mov.u32 %r3, 5;\nadd.u32 %r3, %r3, %r2;\nadd.u64 %d0, %at, 4;\nadd.f32 %f0, %f1, %f2;\n"
        "mul.wide.u32 %d1, %r3, 4;\nsetp.eq.u64 %p0, %d0, %d1;\nbra $on;\n$on:\n"
        "ld.global.u32 %r4, [%at];\nst.shared.u32 [tile], %r4;\nbar.sync 0;\nmembar.gl;\n"
        "ld.param.u64 %d2, [data];\natom.global.add.u32 %r4, [%at], 1;\nst.global.u32 [%at], %r4;");
    const uint64_t wanted[PTX_WORKS] = {
        [PTX_WORK_MOVE] = 1,      [PTX_WORK_INTEGER] = 2, [PTX_WORK_FLOAT] = 1,
        [PTX_WORK_INTEGER64] = 2, [PTX_WORK_BRANCH] = 1,  [PTX_WORK_LOAD] = 1,
        [PTX_WORK_STORE] = 1,     [PTX_WORK_ATOMIC] = 1,  [PTX_WORK_SHARED] = 1,
        [PTX_WORK_PARAMETER] = 1, [PTX_WORK_BARRIER] = 1, [PTX_WORK_FENCE] = 1};
    for (int i = 0; i < PTX_WORKS; i++)
        if (now.works[i] != WARPS * wanted[i])
            fail_msg("%s: %u", ptx_work_names[i], (unsigned)now.works[i]);
    assert_int_equal(now.steps, WARPS * 14);
    assert_int_equal(now.lanes[32], WARPS * 14);
    assert_int_equal(now.lane_steps, ITEMS * 14);
    assert_int_equal(now.barriers, 2);
}

static void copy_side_by_side(void **state) {
    (void)state;
    const ptx_counters now = added("ld.global.u32 %r3, [%at];\nst.global.u32 [%at+1024], %r3;");
    assert_traffic(&now.load, WARPS, ITEMS, WARPS * 4, WARPS * 4);
    assert_traffic(&now.store, WARPS, ITEMS, WARPS * 4, WARPS * 4);
    assert_int_equal(now.touched, 2 * WARPS * 4);
    const ptx_counters wide = added("mad.wide.u32 %d0, %i, 16, %data;\n"
                                    "ld.global.v4.u32 {%r3, %r4, %r5, %r6}, [%d0];");
    assert_traffic(&wide.load, WARPS, ITEMS, WARPS * 16, WARPS * 16);
    /* seven words on: each warp needs a sector more, which the next one needs, too */
    const ptx_counters moved = added("ld.global.u32 %r3, [%at+28];");
    assert_traffic(&moved.load, WARPS, ITEMS, WARPS * 5, WARPS * 4);
    assert_int_equal(moved.touched, WARPS * 4 + 1);
}

static void strides(void **state) {
    (void)state;
    const ptx_counters two = added("mad.wide.u32 %d0, %i, 8, %data;\nld.global.u32 %r3, [%d0];");
    assert_traffic(&two.load, WARPS, ITEMS, WARPS * 8, WARPS * 4);
    const ptx_counters far = added("mad.wide.u32 %d0, %i, 128, %data;\nld.global.u32 %r3, [%d0];");
    assert_traffic(&far.load, WARPS, ITEMS, ITEMS, WARPS * 4);
    const ptx_counters same = added("ld.global.u32 %r3, [%data];\nld.global.u32 %r3, [%data+4];");
    assert_traffic(&same.load, 2 * WARPS, 2 * ITEMS, 2 * WARPS, 2 * WARPS);
    assert_int_equal(same.touched, 1);
}

/* By the same arithmetic as above, in C. */
static void gather(void **state) {
    (void)state;
    uint64_t sectors = 0, least = 0;
    for (uint32_t warp = 0; warp < WARPS; warp++) {
        uint32_t place[32], seen_sectors = 0, seen_words = 0;
        for (uint32_t i = 0; i < 32; i++) {
            place[i] = (32 * warp + i) * 2654435761u >> 18;
            bool sector = true, word = true;
            for (uint32_t j = 0; j < i; j++) {
                sector &= place[j] / 8 != place[i] / 8;
                word &= place[j] != place[i];
            }
            seen_sectors += sector;
            seen_words += word;
        }
        sectors += seen_sectors;
        least += (4 * seen_words + 31) / 32;
    }
    const ptx_counters now = added("ld.global.u32 %r3, [%at];\nmad.wide.u32 %d0, %r3, 4, %data;\n"
                                   "ld.global.u32 %r4, [%d0];");
    assert_true(sectors > WARPS * 16);
    assert_traffic(&now.load, 2 * WARPS, 2 * ITEMS, sectors + WARPS * 4, least + WARPS * 4);
}

static void banks(void **state) {
    (void)state;
    static const struct {
        const char *lines;
        uint64_t requests, passes, few; /* of a warp */
    } cases[] = {
        {"mul.lo.u32 %r3, %r2, 4;\nld.shared.u32 %r4, [%r3];", 1, 1, 1},
        {"mul.lo.u32 %r3, %r2, 8;\nld.shared.u32 %r4, [%r3];", 1, 2, 1},
        {"mul.lo.u32 %r3, %r2, 128;\nld.shared.u32 %r4, [%r3];", 1, 32, 1},
        {"mul.lo.u32 %r3, %r2, 12;\nld.shared.u32 %r4, [%r3];", 1, 1, 1},
        {"ld.shared.u32 %r4, [tile+64];", 1, 1, 1},
        {"mul.lo.u32 %r3, %r2, 8;\nld.shared.u64 %d0, [%r3];", 1, 2, 2},
        {"mul.lo.u32 %r3, %r2, 16;\nld.shared.v4.u32 {%r4, %r5, %r6, %r7}, [%r3];", 1, 4, 4},
        {"mul.lo.u32 %r3, %r2, 32;\nld.shared.v4.u32 {%r4, %r5, %r6, %r7}, [%r3];", 1, 8, 4},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const ptx_counters now = added(cases[i].lines);
        if (now.shared_requests != WARPS * cases[i].requests ||
            now.shared_passes != WARPS * cases[i].passes || now.shared_few != WARPS * cases[i].few)
            fail_msg("%s: %u %u %u", cases[i].lines, (unsigned)now.shared_requests,
                     (unsigned)now.shared_passes, (unsigned)now.shared_few);
        assert_int_equal(now.load.requests, 0);
    }
}

static void branches_part_warps(void **state) {
    (void)state;
    /* the first 8 lanes of each warp run three lines, the others none, and all meet again */
    const ptx_counters now = added("and.b32 %r3, %i, 31;\nsetp.gt.u32 %p0, %r3, 7;\n@%p0 bra $on;\n"
                                   "add.u32 %r4, %r3, 1;\nadd.u32 %r4, %r4, 1;\n"
                                   "add.u32 %r4, %r4, 1;\n$on:\nadd.u32 %r5, %r3, 1;");
    assert_int_equal(now.steps, WARPS * 7);
    assert_int_equal(now.lanes[8], WARPS * 3);
    assert_int_equal(now.lanes[32], WARPS * 4);
    assert_int_equal(now.lane_steps, WARPS * (4 * 32 + 3 * 8));
    /* item i goes round i times: the warp goes round 31 times, with ever fewer */
    const ptx_counters loop = added("and.b32 %r3, %i, 31;\n$loop:\nsetp.eq.u32 %p0, %r3, 0;\n"
                                    "@%p0 bra $end;\nsub.u32 %r3, %r3, 1;\nbra $loop;\n$end:\n");
    assert_int_equal(loop.works[PTX_WORK_INTEGER], WARPS * (1 + 32 + 31));
    assert_int_equal(loop.lanes[1], WARPS * 4); /* item 31: the rest of a turn, and its last test */
}

static void atomics_on_one_word(void **state) {
    (void)state;
    const ptx_counters one = added("atom.global.add.u32 %r3, [%data], 1;");
    assert_traffic(&one.update, WARPS, ITEMS, WARPS, WARPS);
    assert_int_equal(one.collisions, WARPS * 31);
    assert_int_equal(one.hottest, ITEMS);
    const ptx_counters own = added("red.global.add.u32 [%at], 1;");
    assert_traffic(&own.update, WARPS, ITEMS, WARPS * 4, WARPS * 4);
    assert_int_equal(own.collisions, 0);
    assert_int_equal(own.hottest, 1);
    const ptx_counters group = added("atom.shared.add.u32 %r3, [tile], 1;");
    assert_int_equal(group.shared_collisions, WARPS * 31);
    assert_int_equal(group.update.requests, 0);
}

/* Generic addresses are counted where they lead. */
static void generic_addresses(void **state) {
    (void)state;
    const ptx_counters now = added("cvta.to.global.u64 %d0, %at;\nld.u32 %r3, [%d0];\n"
                                   "mov.u32 %r4, tile;\ncvt.u64.u32 %d1, %r4;\n"
                                   "cvta.shared.u64 %d2, %d1;\nld.u32 %r5, [%d2+4];");
    assert_traffic(&now.load, WARPS, ITEMS, WARPS * 4, WARPS * 4);
    assert_int_equal(now.shared_requests, WARPS);
}

static void the_same_with_every_seed(void **state) {
    (void)state;
    static const char lines[] = "and.b32 %r3, %i, 7;\n$loop:\nsetp.eq.u32 %p0, %r3, 0;\n"
                                "@%p0 bra $end;\nld.global.u32 %r4, [%at];\nsub.u32 %r3, %r3, 1;\n"
                                "bra $loop;\n$end:\natom.global.add.u32 %r4, [%data], 1;";
    const ptx_counters first = counted(lines, 1);
    for (uint64_t seed = 1; seed < SEEDS; seed++) {
        const ptx_counters again = counted(lines, seed);
        assert_memory_equal(&first, &again, sizeof first);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds_of_instructions),
        cmocka_unit_test(copy_side_by_side),
        cmocka_unit_test(strides),
        cmocka_unit_test(gather),
        cmocka_unit_test(banks),
        cmocka_unit_test(branches_part_warps),
        cmocka_unit_test(atomics_on_one_word),
        cmocka_unit_test(generic_addresses),
        cmocka_unit_test(the_same_with_every_seed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
