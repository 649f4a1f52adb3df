/* SPDX-License-Identifier: Apache-2.0
 *
 * Which OpenCL runtimes the tests on devices ran on. With HOPLITE_REQUIRE_OPENCL=1 in the
 * environment, as in CI, both PoCL and Intel's must be there: two independent compilers and
 * schedulers. A runtime that is installed by halves vanishes silently otherwise. */
#include "device/device_testing.h"

static void both_runtimes_are_there(void **state) {
    (void)state;
    const char *required = getenv("HOPLITE_REQUIRE_OPENCL");
    bool pocl = false, intel = false;
    hop_devices *all = NULL;
    hop_context *context = make_context(1);
    assert_int_equal(hop_devices_find(context, &all), HOP_OK);
    if (hop_devices_advice(all)[0] != '\0')
        print_message("%s\n", hop_devices_advice(all));
    for (size_t i = 0; i < hop_devices_count(all); i++) {
        const hop_device_info info = *hop_devices_at(all, i);
        print_message("%s: %s, %s: %s\n", info.name, info.platform, info.title,
                      info.usable ? "usable" : info.reason);
        pocl |= info.usable && strcmp(info.platform, "Portable Computing Language") == 0;
        intel |= info.usable && strcmp(info.platform, "Intel(R) OpenCL") == 0;
    }
    hop_devices_free(all);
    free_context(context);
    if (required == NULL || strcmp(required, "1") != 0)
        skip();
    if (!pocl || !intel)
        fail_msg("missing: %s%s; see tools/opencl_runtimes", pocl ? "" : "PoCL ",
                 intel ? "" : "Intel's runtime");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(both_runtimes_are_there)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
