/* SPDX-License-Identifier: Apache-2.0
 * Matrix Market: the kinds that are read, and what is refused. */
#include "io/text_testing.h"

#define BANNER "%%MatrixMarket matrix coordinate "

static void test_kinds(void **state) {
    (void)state;
    assert_reads("matrix-market", BANNER "pattern general\n3 3 2\n1 2\n3 1\n",
                 "3 directed none: 1>2 3>1");
    assert_reads("matrix-market", BANNER "pattern symmetric\n3 3 2\n2 1\n3 3\n",
                 "3 undirected none: 1>2 3>3");
    assert_reads("matrix-market", BANNER "integer general\n2 2 2\n1 2 7\n2 1 -8\n",
                 "2 directed int32: 1>2=7 2>1=-8");
    assert_reads("matrix-market", BANNER "integer general\n2 2 1\n1 2 3000000000\n",
                 "2 directed int64: 1>2=3e+09");
    assert_reads("matrix-market", BANNER "real symmetric\n2 2 1\n2 1 1\n",
                 "2 undirected float64: 1>2=1");
    assert_reads("matrix-market",
                 BANNER "real general\n%%hoplite weights float32\n2 2 1\n2 1 0.5\n",
                 "2 directed float32: 2>1=0.5");
    assert_reads("matrix-market", BANNER "integer general\n% hoplite weights int64\n2 2 1\n2 1 5\n",
                 "2 directed int64: 2>1=5");
}

static void test_forms(void **state) {
    (void)state;
    assert_reads("matrix-market",
                 "%%matrixmarket MATRIX Coordinate Real General\r\n% c\r\n\r\n%\r\n 2  2 1\r\n"
                 "\r\n  1\t 2  -1.5e0 \r\n\r\n",
                 "2 directed float64: 1>2=-1.5");
    assert_reads("matrix-market", BANNER "real general\n2 2 1\n1 2 inf",
                 "2 directed float64: 1>2=inf");
    assert_reads("matrix-market", BANNER "real general\n0 0 0\n", "0 directed float64:");
    assert_reads("matrix-market", BANNER "pattern general\n5 5 0", "5 directed none:");
    /* An explicit zero is an edge of weight 0; duplicates stay until the graph is built. */
    assert_reads("matrix-market", BANNER "integer general\n2 2 3\n1 2 0\n1 2 3\n1 2 0\n",
                 "2 directed int32: 1>2=0 1>2=3 1>2=0");
}

static void test_malformed(void **state) {
    (void)state;
    static const bad_text table[] = {
        {"", "f:1: found the end of the file, expected \"%%MatrixMarket"},
        {"1 2 3\n", "f:1: found \"1\", expected \"%%MatrixMarket"},
        {"%%MatrixMarketx matrix\n", "f:1: found \"%%MatrixMarketx\""},
        {"%%MatrixMarket vector\n", "f:1: found \"vector\", expected \"matrix\""},
        {"%%MatrixMarket matrix array real general\n", "\"array\", expected \"coordinate\""},
        {BANNER "complex general\n", "found \"complex\", expected \"pattern\", \"integer\""},
        {BANNER "real skew-symmetric\n", "\"skew-symmetric\", expected \"general\" or"},
        {BANNER "complex hermitian\n", "found \"complex\""},
        {BANNER "real hermitian\n", "found \"hermitian\""},
        {BANNER "real\n", "found the end of the line, expected \"general\""},
        {BANNER "real general x\n", "found \"x\", expected the end of the line"},
        {BANNER "real general\n", "f:2: the end of the file, expected the numbers of rows"},
        {BANNER "real general\n% c\n\n", "f:4: the end of the file"},
        {BANNER "real general\n3 3\n", "f:2: found the end of the line, expected the numbers"},
        {BANNER "real general\n3 x 1\n", "f:2: found \"x\""},
        {BANNER "real general\n3 3 1 1\n", "f:2: found \"1\", expected the numbers"},
        {BANNER "real general\n3 -3 1\n", "f:2: found \"-3\""},
        {BANNER "real general\n3 4 1\n1 1 1\n", "f:2: 3 rows and 4 columns, expected as many"},
        {BANNER "real general\n2 2 1\n0 1 5\n", "f:3: vertex 0, expected 1 to 2"},
        {BANNER "real general\n2 2 1\n1 3 5\n", "f:3: vertex 3, expected 1 to 2"},
        {BANNER "pattern general\n0 0 1\n1 1\n", "f:3: vertex 1, but the header states no"},
        {BANNER "real general\n2 2 1\n1 2\n", "f:3: 2 numbers, expected 3 numbers"},
        {BANNER "pattern general\n2 2 1\n1 2 3\n", "f:3: found \"3\" after the row, expected 2"},
        {BANNER "real general\n2 2 1\n1,2,3\n", "f:3: found \"1,2,3\", expected a vertex id"},
        {BANNER "integer general\n2 2 1\n1 2 1.5\n", "f:3: the weight is \"1.5\", expected an int"},
        {BANNER "integer general\n2 2 1\n1 2 9223372036854775808\n", "does not fit in 64 bits"},
        {BANNER "real general\n2 2 1\n1 2 nan\n", "f:3: the weight is NaN"},
        {BANNER "real general\n2 2 1\n1 2 1\n2 1 1\n", "f:4: one entry more than the 1 that"},
        {BANNER "real general\n2 2 1\n% c\n\n1 2 1\n% c\n\n2 1 1\n", "f:8: one entry more"},
        {BANNER "real general\n2 2 2\n1 2 1\n",
         "f:4: the end of the file after 1 rows, expected 2"},
        {BANNER "real general\n2 2 9223372036854775808\n1 2 1\n", "more than"},
        {BANNER "pattern general\n2 2 30\n1 2\n", "30 entry rows, more than"},
        {BANNER "pattern general\n4294967295 4294967295 0\n", "4294967295 vertices, at most"},
        {BANNER "pattern general\n18446744073709551615 18446744073709551615 0\n", "vertices"},
        {BANNER "pattern general\n18446744073709551616 1 0\n", "found \"18446744073709551616\""},
        {BANNER "real general\n%%hoplite weights int32\n2 2 0\n", "f:2: weights are said to be"},
        {BANNER "pattern general\n%%hoplite weights int32\n2 2 0\n", "contradicts"},
        {BANNER "real general\n%%hoplite weights float32\n2 2 1\n1 1 1e300\n",
         "f:4: the weight 1.0000000000000001e+300 does not fit in float32"},
    };
    assert_all_bad("matrix-market", table, sizeof table / sizeof table[0]);
}

/* One entry too many, found in any block and chunk. */
static void test_surplus_lines(void **state) {
    (void)state;
    static const char text[] = BANNER "pattern general\n3 3 2\n1 1\n%\n1 2\n\n1 3\n2 2\n";
    hop_context *context = make_context(1);
    for (size_t block = 1; block < 30; block++)
        for (size_t chunk = 1; chunk < 30; chunk++) {
            hop_graph *graph = NULL;
            assert_int_equal(
                read_cut(context, "matrix-market", text, sizeof text - 1, block, chunk, &graph),
                HOP_ERR_INPUT);
            assert_message(context, "f:7: one entry more than the 2");
        }
    free_context(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_forms),
        cmocka_unit_test(test_malformed),
        cmocka_unit_test(test_surplus_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
