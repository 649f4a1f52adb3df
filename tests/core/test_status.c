/* SPDX-License-Identifier: Apache-2.0
 * Names of statuses; what the library says about itself. */
#include "core/core_testing.h"

#include <stdio.h>

#include "core/try.h"
#include "hoplite/hoplite.h"

static void every_status_has_its_name(void **state) {
    (void)state;
    assert_string_equal(hop_status_name(HOP_OK), "HOP_OK");
    assert_string_equal(hop_status_name(HOP_ERR_MEMORY), "HOP_ERR_MEMORY");
    assert_string_equal(hop_status_name(HOP_ERR_BUDGET), "HOP_ERR_BUDGET");
    assert_string_equal(hop_status_name(HOP_ERR_ARGUMENT), "HOP_ERR_ARGUMENT");
    assert_string_equal(hop_status_name(HOP_ERR_INPUT), "HOP_ERR_INPUT");
    assert_string_equal(hop_status_name(HOP_ERR_IO), "HOP_ERR_IO");
    assert_string_equal(hop_status_name(HOP_ERR_UNSUPPORTED), "HOP_ERR_UNSUPPORTED");
    assert_string_equal(hop_status_name(HOP_ERR_CANCELLED), "HOP_ERR_CANCELLED");
    assert_string_equal(hop_status_name(HOP_ERR_NEGATIVE_CYCLE), "HOP_ERR_NEGATIVE_CYCLE");
    assert_string_equal(hop_status_name(HOP_ERR_CERTIFICATE), "HOP_ERR_CERTIFICATE");
}

static void other_numbers_have_a_name_too(void **state) {
    (void)state;
    assert_string_equal(hop_status_name((hop_status)1), "unknown status");
    assert_string_equal(hop_status_name((hop_status)-99), "unknown status");
}

static hop_status try_both(hop_status first, hop_status second, unsigned *reached) {
    hop_status status = HOP_OK;
    HOP_TRY(status, first);
    ++*reached;
    HOP_TRY(status, second);
    ++*reached;
done:
    return status;
}

static void try_stops_at_the_first_failure(void **state) {
    (void)state;
    unsigned reached = 0;
    assert_int_equal(try_both(HOP_ERR_IO, HOP_ERR_INPUT, &reached), HOP_ERR_IO);
    assert_int_equal(reached, 0);
    assert_int_equal(try_both(HOP_OK, HOP_ERR_INPUT, &reached), HOP_ERR_INPUT);
    assert_int_equal(reached, 1);
    assert_int_equal(try_both(HOP_OK, HOP_OK, &reached), HOP_OK);
    assert_int_equal(reached, 3);
}

static void version_is_that_of_the_header(void **state) {
    (void)state;
    char numbers[64];
    snprintf(numbers, sizeof numbers, "%d.%d.%d", HOP_VERSION_MAJOR, HOP_VERSION_MINOR,
             HOP_VERSION_PATCH);
    assert_string_equal(HOP_VERSION, numbers);
    assert_string_equal(hop_version(), HOP_VERSION);
}

static void features_are_single_words(void **state) {
    (void)state;
    const char *features = hop_build_features();
    static const char *const always[] = {"threads", "zlib", "zstd", "cuda", "hip"};
    for (size_t i = 0; i < sizeof always / sizeof always[0]; i++)
        assert_non_null(strstr(features, always[i]));
    assert_null(strstr(features, "  "));
    assert_true(features[0] != ' ' && features[strlen(features) - 1] != ' ');
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_status_has_its_name),
        cmocka_unit_test(other_numbers_have_a_name_too),
        cmocka_unit_test(try_stops_at_the_first_failure),
        cmocka_unit_test(version_is_that_of_the_header),
        cmocka_unit_test(features_are_single_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
