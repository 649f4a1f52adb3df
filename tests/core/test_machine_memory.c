/* SPDX-License-Identifier: Apache-2.0
 * The memory of the machine, and limits of cgroups laid out in a folder as the system shows them.
 */
#include "core/core_testing.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/machine_share.h"
#include "core/memory.h"

static char folder[] = "/tmp/hoplite_test_cgroup_XXXXXX";

static int make_folder(void **state) {
    (void)state;
    return mkdtemp(folder) == NULL;
}

static int remove_folder(void **state) {
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

static void write_file(const char *name, const char *text) {
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    for (char *slash = path + strlen(folder) + 1; (slash = strchr(slash, '/')) != NULL; slash++) {
        *slash = '\0';
        mkdir(path, 0700);
        *slash = '/';
    }
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

/* What a limit is for a process with these groups, below a mount in the folder. */
static uint64_t ask(uint64_t (*limit)(const char *membership, const char *mount), const char *root,
                    const char *membership) {
    char path[256], mount[256];
    write_file("membership", membership);
    snprintf(path, sizeof path, "%s/membership", folder);
    snprintf(mount, sizeof mount, "%s/%s", folder, root);
    return limit(path, mount);
}

static uint64_t limit_of(const char *root, const char *membership) {
    return ask(hop__cgroup_limit, root, membership);
}

static uint64_t millicores_of(const char *root, const char *membership) {
    return ask(hop__cgroup_millicores, root, membership);
}

static void quotas_of_cores(void **state) {
    (void)state;
    write_file("two/half/cpu.max", "50000 100000\n");
    write_file("two/half/inner/cpu.max", "max 100000\n");
    write_file("two/wide/cpu.max", "250000 100000\n");
    write_file("two/broken/cpu.max", "50000\n");
    write_file("two/zero/cpu.max", "0 0\n");
    assert_int_equal(millicores_of("two", "0::/half\n"), 500);
    assert_int_equal(millicores_of("two", "0::/half/inner\n"), 500); /* the parent's binds */
    assert_int_equal(millicores_of("two", "0::/wide\n"), 2500);
    assert_true(millicores_of("two", "0::/broken\n") == UINT64_MAX);
    assert_true(millicores_of("two", "0::/zero\n") == UINT64_MAX);
    write_file("one/cpu/q/cpu.cfs_quota_us", "150000\n");
    write_file("one/cpu/q/cpu.cfs_period_us", "100000\n");
    write_file("one/cpu/free/cpu.cfs_quota_us", "-1\n");
    write_file("one/cpu/free/cpu.cfs_period_us", "100000\n");
    assert_int_equal(millicores_of("one", "1:cpu,cpuacct:/q\n"), 1500);
    assert_true(millicores_of("one", "1:cpu:/free\n") == UINT64_MAX);
    assert_true(millicores_of("one", "1:cpuset:/q\n") == UINT64_MAX);
}

static void version_two(void **state) {
    (void)state;
    write_file("two/a/b/memory.max", "5000000\n");
    write_file("two/a/memory.max", "max\n");
    write_file("two/c/d/memory.max", "max\n");
    write_file("two/c/memory.max", "7000\n");
    write_file("two/e/f/memory.max", "8000\n");
    write_file("two/e/memory.max", "9000\n");
    assert_int_equal(limit_of("two", "0::/a/b\n"), 5000000);
    assert_true(limit_of("two", "0::/a\n") == UINT64_MAX);
    assert_int_equal(limit_of("two", "0::/c/d\n"), 7000); /* the parent's binds */
    assert_int_equal(limit_of("two", "0::/e/f\n"), 8000); /* the tighter one binds */
    assert_true(limit_of("two", "0::/\n") == UINT64_MAX);
    assert_true(limit_of("two", "0::/not/there\n") == UINT64_MAX);
}

/* In a container the path is the host's, and the limit stands at the mount. */
static void inside_a_container(void **state) {
    (void)state;
    write_file("box/memory.max", "123456\n");
    assert_int_equal(limit_of("box", "0::/\n"), 123456);
    assert_int_equal(limit_of("box", "0::/docker/0123abcd\n"), 123456);
}

static void version_one(void **state) {
    (void)state;
    write_file("one/memory/limits/memory.limit_in_bytes", "4096000\n");
    write_file("one/memory/memory.limit_in_bytes", "9223372036854771712\n");
    assert_int_equal(limit_of("one", "3:cpuset:/\n4:memory:/limits\n1:cpu:/x\n"), 4096000);
    assert_int_equal(limit_of("one", "4:hugetlb,memory:/limits\n0::/\n"), 4096000);
    assert_int_equal(limit_of("one", "4:memory,hugetlb:/limits"), 4096000);
    assert_true(limit_of("one", "4:memory:/\n") == UINT64_C(9223372036854771712));
    assert_true(limit_of("one", "4:nomemory:/limits\n") == UINT64_MAX);
    assert_true(limit_of("one", "4:memoryless:/limits\n") == UINT64_MAX);
}

static void nonsense_is_no_limit(void **state) {
    (void)state;
    write_file("bad/memory.max", "a lot\n");
    assert_true(limit_of("bad", "0::/\n") == UINT64_MAX);
    assert_true(limit_of("bad", "") == UINT64_MAX);
    assert_true(limit_of("bad", "no colons at all\n1:\n::\n") == UINT64_MAX);
    assert_true(hop__cgroup_limit("/nonexistent/file", "/nonexistent") == UINT64_MAX);
    char lengthy[6000];
    memset(lengthy, '/', sizeof lengthy);
    memcpy(lengthy, "0::", 3);
    lengthy[sizeof lengthy - 1] = '\0';
    assert_true(limit_of("bad", lengthy) == UINT64_MAX);
}

static void some_is_left_to_the_rest(void **state) {
    (void)state;
    const uint64_t mib = 1 << 20, gib = 1 << 30;
    assert_true(hop__default_budget(16 * gib) == 14 * gib);
    assert_true(hop__default_budget(512 * mib) == 448 * mib);
    assert_true(hop__default_budget(200 * mib) == 136 * mib);
    assert_true(hop__default_budget(100 * mib) == 50 * mib);
    assert_true(hop__default_budget(UINT64_MAX) > UINT64_MAX / 2);
    assert_true(hop__default_budget(1) == 1); /* 0 would mean: choose */
}

static void the_machine_has_memory(void **state) {
    (void)state;
    uint64_t bytes = hop__machine_memory();
    uint64_t physical = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    assert_true(bytes > 0 && bytes <= physical);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(version_two),
        cmocka_unit_test(quotas_of_cores),
        cmocka_unit_test(inside_a_container),
        cmocka_unit_test(version_one),
        cmocka_unit_test(nonsense_is_no_limit),
        cmocka_unit_test(the_machine_has_memory),
        cmocka_unit_test(some_is_left_to_the_rest),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
