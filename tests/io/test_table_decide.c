/* SPDX-License-Identifier: Apache-2.0
 * What the first rows of a table say does not depend on where blocks and chunks are cut. */
#include "io/text_testing.h"

static const char long_comment[] =
    "# a comment that is longer than every block of this test is, so "
    "that the second row is never in the first one\n";

static void assert_same_cut(const char *text) {
    hop_context *one = make_context(1), *three = make_context(3);
    hop_graph *whole = NULL, *cut = NULL;
    uint64_t hash = 0, cut_hash = 0;
    hop_status status = read_bytes(one, "edge-list", text, strlen(text), &whole);
    if (status == HOP_OK)
        assert_int_equal(hop_graph_hash(one, whole, &hash), HOP_OK);
    for (size_t block = 1; block < 48; block++) {
        hop_status cut_status =
            read_cut(three, "edge-list", text, strlen(text), block, 1 + block % 7, &cut);
        if (cut_status == HOP_OK)
            assert_int_equal(hop_graph_hash(three, cut, &cut_hash), HOP_OK);
        else
            assert_string_equal(hop_context_message(three), hop_context_message(one));
        if (cut_status != status || (status == HOP_OK && cut_hash != hash))
            fail_msg("blocks of %zu bytes: %s", block, text);
        assert_int_equal(whole == NULL || hop_graph_named(whole),
                         cut == NULL || hop_graph_named(cut));
        hop_graph_release(cut);
    }
    hop_graph_release(whole);
    free_context(three);
    free_context(one);
}

static void test_first_rows_may_be_cut(void **state) {
    (void)state;
    static const char *const texts[] = {
        "source,target,weight\nalice,bob,3.5\nbob,carol,1\n",
        "source,target\n1,2\n2,3\n",
        "a b\nb c\nc d\n",
        "\"a\nb\",\"c,d\"\n\"c,d\",e\n",
        "\"from\nhere\",\"to\nthere\",\"how\nfar\"\nx,y,1\ny,z,2\n",
        "1;2;3\n2;3;4\n",
        "\"1\",\"2\"\n\"2\",\"3\"\n",
        "1,2\n\"2\",\"3\"\n",
        "1,2\n2,3\n\"3\",\"4\"\n",
        "name|other\n\n\n1|2\n",
        "a,b\n# between\n% and\n1,2\n",
        "a,\"b\nis never closed\n1,2\n",
        "a,\"b\"c\n1,2\n",
        "a,b,c,d\n1,2,3,4\n",
        "a\tb\n1\t2",
        "u,v\r\n\"1\",\"2\"\r\n",
        "{a,b\n1,2\n",
        "\"x\" \"y",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        assert_same_cut(texts[i]);
}

static void test_second_row_far_away(void **state) {
    (void)state;
    char text[1024];
    snprintf(text, sizeof text, "person,friend\n%s%s1,2\n2,3\n", long_comment, long_comment);
    assert_same_cut(text);
    hop_context *context = make_context(1);
    hop_graph *graph = NULL;
    assert_int_equal(read_cut(context, "edge-list", text, strlen(text), 16, 16, &graph), HOP_OK);
    assert_graph_text(graph, "3 undirected none: 1>2 2>3"); /* the first row is no edge */
    hop_graph_release(graph);
    free_context(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_first_rows_may_be_cut),
        cmocka_unit_test(test_second_row_far_away),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
