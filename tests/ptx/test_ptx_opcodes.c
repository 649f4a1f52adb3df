/* SPDX-License-Identifier: Apache-2.0
 *
 * Every instruction that computes, by itself: a kernel of one line, run with many inputs, against a
 * second opinion that knows nothing of the interpreter's table. For integers that is arithmetic in
 * 128 bits, bit by bit where bits are meant; for floats a list of cases worked out by hand. An
 * instruction for which there is no second opinion fails the test. */
#include <math.h>
#include <stdio.h>

#include "core/core_testing.h"
#include "ptx/float_cases.h"
#include "ptx/ptx_internal.h"

__extension__ typedef __int128 i128;

enum { SETS = 256, SOURCES = 4 };

typedef struct inputs {
    uint64_t source[SOURCES], result;
} inputs;

/* "mul_wide_u32": root "mul_wide", type 'u', 32 bits. */
typedef struct spelled {
    char root[64];
    char class;
    int bits; /* pred: 1 */
} spelled;

static spelled spell(const char *name) {
    spelled found = {.class = 'b', .bits = 1};
    snprintf(found.root, sizeof found.root, "%s", name);
    char *end = strrchr(found.root, '_');
    if (strcmp(end, "_pred") != 0) {
        found.class = end[1];
        found.bits = atoi(end + 2);
    }
    *end = '\0';
    return found;
}

static bool is(const spelled *what, const char *root) {
    return strcmp(what->root, root) == 0;
}

static bool begins(const spelled *what, const char *root) {
    return strncmp(what->root, root, strlen(root)) == 0;
}

static uint64_t low(uint64_t value, int bits) {
    return bits >= 64 ? value : value & ((1ull << bits) - 1);
}

/* The value that the bits mean. */
static i128 meant(uint64_t value, char class, int bits) {
    value = low(value, bits);
    if (class == 's' && (value >> (bits - 1) & 1) != 0)
        return (i128)value - ((i128)1 << bits);
    return (i128)value;
}

/* --- the second opinion on integers ---------------------------------------------------------- */

static bool on_comparison(const char *how, i128 a, i128 b, uint64_t *result) {
    static const char *const hows[] = {"eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs"};
    const bool answers[] = {a == b, a != b, a<b, a <= b, a> b, a >= b, a<b, a <= b, a> b, a >= b};
    for (size_t i = 0; i < sizeof hows / sizeof *hows; i++)
        if (strcmp(hows[i], how) == 0) {
            *result = answers[i];
            return true;
        }
    return false;
}

static i128 divided(i128 a, i128 b, bool rest) {
    if (b == 0)
        return rest ? a : -1;
    return rest ? a - a / b * b : a / b;
}

static bool on_arithmetic(const spelled *what, const uint64_t s[SOURCES], uint64_t *result) {
    i128 a = meant(s[0], what->class, what->bits), b = meant(s[1], what->class, what->bits);
    i128 c = meant(s[2], what->class, what->bits), wide = meant(s[2], 'u', 2 * what->bits);
    if (is(what, "add"))
        *result = (uint64_t)(a + b);
    else if (is(what, "sub"))
        *result = (uint64_t)(a - b);
    else if (is(what, "mul_lo"))
        *result = (uint64_t)low((uint64_t)a * (uint64_t)b, what->bits);
    else if (is(what, "mad_lo"))
        *result = (uint64_t)a * (uint64_t)b + (uint64_t)c;
    else if (is(what, "mul_hi") && what->class == 's')
        *result = (uint64_t)(a * b >> what->bits);
    else if (is(what, "mul_hi") && what->bits < 64)
        *result = (uint64_t)(a * b >> what->bits);
    else if (is(what, "mul_hi")) { /* by halves */
        uint64_t al = s[0] & UINT32_MAX, ah = s[0] >> 32, bl = s[1] & UINT32_MAX, bh = s[1] >> 32;
        i128 middle = (i128)(al * bh) + (i128)(ah * bl) + (i128)(al * bl >> 32);
        *result = ah * bh + (uint64_t)(middle >> 32);
    } else if (is(what, "mul_wide"))
        *result = low((uint64_t)(a * b), 2 * what->bits);
    else if (is(what, "mad_wide"))
        *result = low((uint64_t)(a * b + wide), 2 * what->bits);
    else if (is(what, "div") || is(what, "rem"))
        *result = (uint64_t)divided(a, b, is(what, "rem"));
    else if (is(what, "min") || is(what, "max"))
        *result = (uint64_t)((a < b) == is(what, "min") ? a : b);
    else if (is(what, "abs"))
        *result = (uint64_t)(a < 0 ? -a : a);
    else if (is(what, "neg"))
        *result = (uint64_t)-a;
    else
        return begins(what, "setp_") && on_comparison(what->root + 5, a, b, result);
    if (!begins(what, "mul_wide") && !begins(what, "mad_wide"))
        *result = low(*result, what->bits);
    return true;
}

/* Bit number i of the result, each from its definition. */
static bool bit_of(const spelled *what, const uint64_t s[SOURCES], int i, bool *bit) {
    bool a = s[0] >> i & 1, b = s[1] >> i & 1, c = s[2] >> i & 1;
    int64_t by = (int64_t)low(s[1], 32);
    int last = what->bits - 1;
    if (is(what, "and"))
        *bit = a && b;
    else if (is(what, "or"))
        *bit = a || b;
    else if (is(what, "xor"))
        *bit = a != b;
    else if (is(what, "not"))
        *bit = !a;
    else if (is(what, "lop3"))
        *bit = s[3] >> (4 * a + 2 * b + c) & 1;
    else if (is(what, "brev"))
        *bit = s[0] >> (last - i) & 1;
    else if (is(what, "shl"))
        *bit = i >= by && (s[0] >> (i - by) & 1);
    else if (is(what, "shr") && i + by > last)
        *bit = what->class == 's' && (s[0] >> last & 1);
    else if (is(what, "shr"))
        *bit = s[0] >> (i + by) & 1;
    else
        return false;
    return true;
}

static bool on_fields(const spelled *what, const uint64_t s[SOURCES], int i, bool *bit) {
    bool left = begins(what, "shf_l"), wraps = strstr(what->root, "wrap") != NULL;
    int from = (int)(s[1] & 255), length = (int)(s[2] & 255), last = what->bits - 1;
    if (begins(what, "shf_")) { /* of b above a; the count is c */
        uint64_t count = low(s[2], 32);
        int by = (int)(wraps        ? count % 32
                       : count > 32 ? 32
                                    : count),
            at = left ? i + 32 - by : i + by;
        *bit = at >= 32 ? s[1] >> (at - 32) & 1 : s[0] >> at & 1;
    } else if (is(what, "bfe")) {
        int top = from + length - 1 < last ? from + length - 1 : last;
        bool sign = what->class == 's' && length > 0 && (s[0] >> top & 1);
        *bit = i < length && from + i <= last ? s[0] >> (from + i) & 1 : sign;
    } else if (is(what, "bfi")) {
        from = (int)(s[2] & 255), length = (int)(s[3] & 255);
        *bit = i >= from && i < from + length ? s[0] >> (i - from) & 1 : s[1] >> i & 1;
    } else if (is(what, "prmt")) {
        int selector = (int)(s[2] >> (i / 8 * 4) & 15), byte = selector & 7;
        uint64_t of = byte < 4 ? s[0] : s[1];
        *bit = of >> (byte % 4 * 8 + ((selector & 8) != 0 ? 7 : i % 8)) & 1;
    } else {
        return false;
    }
    return true;
}

static bool on_bits(const spelled *what, const uint64_t s[SOURCES], uint64_t *result) {
    uint64_t bits = 0, counted = 0;
    int i;
    if (is(what, "popc") || is(what, "clz")) {
        for (i = what->bits - 1; i >= 0 && (is(what, "popc") || (s[0] >> i & 1) == 0); i--)
            counted += is(what, "clz") || (s[0] >> i & 1);
        *result = counted;
        return true;
    }
    for (i = 0; i < what->bits; i++) {
        bool bit = false;
        if (!bit_of(what, s, i, &bit) && !on_fields(what, s, i, &bit))
            return false;
        bits |= (uint64_t)bit << i;
    }
    *result = bits;
    return true;
}

static bool on_moves(const spelled *what, const uint64_t s[SOURCES], uint64_t *result) {
    spelled to;
    if (is(what, "mov"))
        *result = low(s[0], what->bits);
    else if (is(what, "selp"))
        *result = low((s[2] & 1) != 0 ? s[0] : s[1], what->bits);
    else if (is(what, "cvta_to_shared"))
        *result = s[0] & ~(1ull << 56);
    else if (is(what, "cvta_to_local"))
        *result = s[0] & ~(2ull << 56);
    else if (is(what, "cvta_shared"))
        *result = s[0] | 1ull << 56;
    else if (is(what, "cvta_local"))
        *result = s[0] | 2ull << 56;
    else if (begins(what, "cvta"))
        *result = s[0];
    else if (begins(what, "cvt_") && what->class != 'f' && what->root[4] != 'f') {
        to = spell(what->root); /* cut to the type, then extended to the register */
        uint64_t cut = (uint64_t)meant(s[0], what->class, what->bits);
        *result = (uint64_t)meant(low(cut, to.bits), to.class, to.bits);
    } else
        return false;
    return true;
}

static bool on_integers(const char *name, const uint64_t s[SOURCES], uint64_t *result) {
    spelled what = spell(name);
    if (what.class == 'f')
        return (is(&what, "mov") || is(&what, "selp")) && on_moves(&what, s, result);
    return on_moves(&what, s, result) || on_arithmetic(&what, s, result) ||
           on_bits(&what, s, result);
}

/* --- floats: float_cases.h, and how two are related ------------------------------------------ */

static const char *const float_tests[] = {"eq",  "ne",  "lt",  "le",  "gt",  "ge",  "num",
                                          "equ", "neu", "ltu", "leu", "gtu", "geu", "nan"};

/* setp of floats: by how the two are related, and whether they are related at all. */
static bool on_float_test(const char *name, double a, double b, uint64_t *result) {
    char how[16];
    if (sscanf(name, "setp_%15[a-z]", how) != 1)
        return false;
    bool unordered = isnan(a) || isnan(b), less = !unordered && a < b, more = !unordered && a > b;
    bool same = !unordered && !less && !more;
    const bool answers[] = {same,  less || more,      less,       less || same,
                            more,  more || same,      !unordered, same || unordered,
                            !same, less || unordered, !more,      more || unordered,
                            !less, unordered};
    for (size_t i = 0; i < sizeof float_tests / sizeof *float_tests; i++)
        if (strcmp(float_tests[i], how) == 0) {
            *result = answers[i];
            return true;
        }
    return false;
}

static uint64_t as_bits(const char *type, double value) {
    float narrow = (float)value;
    uint64_t bits = 0;
    if (strstr(type, "32") != NULL)
        memcpy(&bits, &narrow, sizeof narrow);
    else
        memcpy(&bits, &value, sizeof value);
    return bits;
}

/* --- kernels of one line --------------------------------------------------------------------- */

/* Bits of source number i, and of the result. */
static int source_width(const char *name, const spelled *what, int i) {
    if ((i == 1 && (is(what, "shl") || is(what, "shr"))) || (i > 0 && is(what, "bfe")) ||
        (i > 1 && is(what, "bfi")))
        return 32;
    if (i == 2 && is(what, "selp"))
        return 1;
    if (i == 2 && is(what, "mad_wide"))
        return 2 * what->bits;
    (void)name;
    return what->bits;
}

static int result_width(const spelled *what) {
    if (begins(what, "setp_"))
        return 1;
    if (begins(what, "mul_wide") || begins(what, "mad_wide"))
        return 2 * what->bits;
    if (is(what, "popc") || is(what, "clz"))
        return 32;
    if (begins(what, "cvt_f") || begins(what, "cvt_rzi_"))
        return spell(what->root).bits;
    return begins(what, "cvt_") ? 64 : what->bits;
}

static void write_load(char *text, int i, int bits) {
    if (bits == 1)
        sprintf(text,
                "ld.global.u32 %%w%d, [%%at+%d];\nand.b32 %%w%d, %%w%d, 1;\n"
                "setp.ne.u32 %%p%d, %%w%d, 0;\n",
                i, 8 * i, i, i, i, i);
    else
        sprintf(text, "ld.global.b%d %%%c%d, [%%at+%d];\n", bits,
                bits == 16   ? 'h'
                : bits == 32 ? 'w'
                : bits == 64 ? 'd'
                             : 'h',
                i, 8 * i);
}

static char letter(int bits) {
    return bits == 1 ? 'p' : bits <= 16 ? 'h' : bits == 32 ? 'w' : 'd';
}

static void write_kernel(const ptx_opcode *opcode, char text[4096]) {
    spelled what = spell(opcode->name);
    char mnemonic[64], operands[128] = "", loads[1024] = "";
    int width = result_width(&what);
    snprintf(mnemonic, sizeof mnemonic, "%s", opcode->name);
    for (char *at = mnemonic; *at != '\0'; at++)
        if (*at == '_')
            *at = '.';
    for (uint32_t i = 0; i < opcode->sources; i++) {
        int bits = source_width(opcode->name, &what, (int)i);
        char *end = operands + strlen(operands);
        write_load(loads + strlen(loads), (int)i, bits == 8 ? 16 : bits);
        sprintf(end, ", %%%c%u", letter(bits), i);
    }
    char store[160];
    if (width == 1)
        sprintf(store, "selp.b64 %%d9, 1, 0, %%p9;\nst.global.b64 [%%at+32], %%d9;\n");
    else
        sprintf(store, "st.global.b%d [%%at+32], %%%c9;\n", width, letter(width));
    snprintf(text, 4096,
             ".visible .entry one(.param .u64 data) {\n"
             ".reg .pred %%p<10>;\n.reg .b16 %%h<10>;\n.reg .b32 %%w<10>;\n.reg .b64 %%d<10>;\n"
             ".reg .b64 %%at, %%base;\n.reg .b32 %%i;\n"
             "ld.param.u64 %%base, [data];\nmov.u32 %%i, %%tid.x;\n"
             "mad.wide.u32 %%at, %%i, 40, %%base;\n%s%s %%%c9%s;\n%sret;\n}\n",
             loads, mnemonic, letter(width), operands, store);
}

static void run_kernel(const ptx_opcode *opcode, inputs *sets, uint32_t count) {
    char text[4096];
    const ptx_options options = {.seed = 3, .resident = 1};
    ptx_machine *machine = ptx_machine_create(&options);
    write_kernel(opcode, text);
    ptx_module *module = ptx_load(machine, text);
    if (module == NULL)
        fail_msg("%s:\n%s\n%s", opcode->name, text, ptx_message(machine));
    uint64_t at = ptx_allocate(machine, count * sizeof *sets);
    memcpy(ptx_host(machine, at, count * sizeof *sets), sets, count * sizeof *sets);
    const uint32_t one[3] = {1, 1, 1}, items[3] = {count, 1, 1};
    if (ptx_launch(machine, ptx_find(module, "one"), one, items, &at) != PTX_OK)
        fail_msg("%s: %s", opcode->name, ptx_message(machine));
    memcpy(sets, ptx_host(machine, at, count * sizeof *sets), count * sizeof *sets);
    ptx_unload(machine, module);
    ptx_machine_free(machine);
}

static void compare(const ptx_opcode *opcode, const inputs *set, uint64_t wanted) {
    if (set->result != wanted)
        fail_msg("%s of %llx, %llx, %llx, %llx is %llx, not %llx", opcode->name,
                 (unsigned long long)set->source[0], (unsigned long long)set->source[1],
                 (unsigned long long)set->source[2], (unsigned long long)set->source[3],
                 (unsigned long long)set->result, (unsigned long long)wanted);
}

/* Corners first, then anything. */
static uint64_t input(uint32_t i, uint64_t *state) {
    static const uint64_t corners[] = {0,         1,          2,         31,         32,
                                       33,        63,         64,        255,        0x7fff,
                                       0x8000,    0xffff,     INT32_MAX, 0x80000000, UINT32_MAX,
                                       INT64_MAX, 1ull << 63, UINT64_MAX};
    *state = *state * 6364136223846793005ull + 1442695040888963407ull;
    uint64_t drawn = *state >> 16 ^ *state << 40;
    if (i % 4 == 3)
        return drawn;
    if (i % 4 == 2)
        return drawn >> 32 & 127;
    return corners[(drawn >> 20) % (sizeof corners / sizeof *corners)];
}

static bool try_integers(const ptx_opcode *opcode) {
    static inputs sets[SETS];
    uint64_t state = 7, wanted, masked[SOURCES];
    spelled what = spell(opcode->name);
    for (uint32_t i = 0; i < SETS; i++) {
        for (int k = 0; k < SOURCES; k++)
            sets[i].source[k] = input(i + (uint32_t)k * 5, &state);
        sets[i].result = 0;
    }
    for (int k = 0; k < SOURCES; k++)
        masked[k] = 0;
    if (!on_integers(opcode->name, masked, &wanted))
        return false;
    run_kernel(opcode, sets, SETS);
    for (uint32_t i = 0; i < SETS; i++) {
        for (int k = 0; k < SOURCES; k++)
            masked[k] = low(sets[i].source[k], source_width(opcode->name, &what, k));
        assert_true(on_integers(opcode->name, masked, &wanted));
        compare(opcode, &sets[i], wanted);
    }
    return true;
}

static bool try_float_tests(const ptx_opcode *opcode) {
    static const double values[] = {-INFINITY, -1, -0.0, 0.0, 0x1p-149, 2, INFINITY, NAN};
    enum { COUNT = sizeof values / sizeof *values };
    inputs sets[COUNT * COUNT];
    uint64_t wanted;
    spelled what = spell(opcode->name);
    if (what.class != 'f' || !begins(&what, "setp_"))
        return false;
    for (int i = 0; i < COUNT * COUNT; i++)
        sets[i] = (inputs){
            {as_bits(opcode->name, values[i / COUNT]), as_bits(opcode->name, values[i % COUNT])},
            0};
    run_kernel(opcode, sets, COUNT * COUNT);
    for (int i = 0; i < COUNT * COUNT; i++) {
        if (!on_float_test(opcode->name, values[i / COUNT], values[i % COUNT], &wanted))
            return false;
        compare(opcode, &sets[i], wanted);
    }
    return true;
}

static bool try_floats(const ptx_opcode *opcode) {
    bool found = try_float_tests(opcode);
    const char *last = strrchr(opcode->name, '_');
    for (size_t i = 0; i < sizeof float_cases / sizeof *float_cases; i++) {
        const float_case *now = &float_cases[i];
        if (strcmp(now->name, opcode->name) != 0)
            continue;
        inputs set = {{as_bits(last, now->a), as_bits(last, now->b), as_bits(last, now->c)}, 0};
        run_kernel(opcode, &set, 1);
        bool wide = strncmp(now->name, "cvt_f64", 7) == 0;
        bool narrow = strncmp(now->name, "cvt_f32", 7) == 0;
        compare(opcode, &set, as_bits(wide ? "64" : narrow ? "32" : last, now->result));
        found = true;
    }
    for (size_t i = 0; i < sizeof to_float_cases / sizeof *to_float_cases; i++)
        if (strcmp(to_float_cases[i].name, opcode->name) == 0) {
            inputs set = {{to_float_cases[i].a}, 0};
            run_kernel(opcode, &set, 1);
            char to[4] = {opcode->name[5], opcode->name[6], '\0'};
            compare(opcode, &set, as_bits(to, to_float_cases[i].result));
            found = true;
        }
    for (size_t i = 0; i < sizeof from_float_cases / sizeof *from_float_cases; i++)
        if (strcmp(from_float_cases[i].name, opcode->name) == 0) {
            inputs set = {{as_bits(last, from_float_cases[i].a)}, 0};
            run_kernel(opcode, &set, 1);
            compare(opcode, &set, from_float_cases[i].result);
            found = true;
        }
    return found;
}

static void every_instruction(void **state) {
    (void)state;
    uint32_t tried = 0;
    for (size_t i = 0; i < ptx_opcode_count; i++) {
        const ptx_opcode *opcode = &ptx_opcodes[i];
        /* Halves have no name of their own in PTX: see test_ptx_machine.c. */
        if (strncmp(opcode->name, "pack", 4) == 0 || strncmp(opcode->name, "low", 3) == 0 ||
            strncmp(opcode->name, "high", 4) == 0)
            continue;
        if (!try_integers(opcode) && !try_floats(opcode))
            fail_msg("there is no second opinion on %s", opcode->name);
        tried++;
    }
    print_message("%u instructions\n", tried);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_instruction)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
