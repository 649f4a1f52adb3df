/* SPDX-License-Identifier: Apache-2.0
 *
 * --sandbox by Landlock, which rules over files, and seccomp, which rules over calls of the system.
 * Rules over files come from the command line: option_table.h says which options name files, and
 * which of these are results. */
#include "sandbox.h"

#include <errno.h>
#include <string.h>

#include "complaint.h"
#include "exit_codes.h"

#if defined __linux__ && defined __has_include
#if __has_include(<linux/landlock.h>) && __has_include(<linux/seccomp.h>)
#define HAS_SANDBOX
#endif
#endif

#ifndef HAS_SANDBOX

int sandbox_enter(const arguments *given) {
    (void)given;
    complain(CODE_FAILURE, "--sandbox: this system has none; it needs Linux 5.13 or later");
    return CODE_FAILURE;
}

#else

#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sandbox_calls.h"
#include "tuning_file.h"

/* Rights over files, by the number of the bit; older headers lack the names of the last three. */
enum {
    RIGHT_WRITE = 1 << 1,
    RIGHT_READ = 1 << 2,
    RIGHT_LIST = 1 << 3,
    RIGHT_REMOVE = 1 << 4 | 1 << 5, /* folders and files */
    RIGHT_MAKE = 1 << 7 | 1 << 8,   /* the same */
    RIGHT_LINK = 1 << 13,           /* version 2 of Landlock */
    RIGHT_TRUNCATE = 1 << 14,       /* version 3 */
    RIGHTS_FILE = RIGHT_READ | RIGHT_WRITE | RIGHT_TRUNCATE,
    RIGHTS_FOLDER = RIGHTS_FILE | RIGHT_LIST | RIGHT_REMOVE | RIGHT_MAKE | RIGHT_LINK
};

typedef struct rule_set {
    int descriptor;
    uint64_t handled; /* rights that the kernel knows: those not given are taken away */
} rule_set;

/* All rights that this version of Landlock knows of. */
static uint64_t rights_known(long version) {
    unsigned bits = 13u + (version > 1) + (version > 2) + (version > 4);
    return (UINT64_C(1) << bits) - 1;
}

static int refuse(const char *what) {
    complain(CODE_FAILURE, "--sandbox: %s: %s", what, strerror(errno));
    advise("it needs Linux 5.13 or later with Landlock and seccomp, which some containers lack; "
           "without --sandbox the command runs anywhere");
    return CODE_FAILURE;
}

/* Rights over what is at `path`, if anything is. */
static int allow(const rule_set *rules, const char *path, uint64_t rights) {
    struct stat facts;
    int descriptor = open(path, O_PATH | O_CLOEXEC);
    if (descriptor < 0)
        return CODE_OK; /* what is not there is missed by whoever wants to read it */
    if (fstat(descriptor, &facts) == 0 && !S_ISDIR(facts.st_mode))
        rights &= RIGHTS_FILE;
    struct landlock_path_beneath_attr rule = {.allowed_access = rights & rules->handled,
                                              .parent_fd = descriptor};
    long failed =
        syscall(SYS_landlock_add_rule, rules->descriptor, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
    int code = failed != 0 ? refuse(path) : CODE_OK;
    close(descriptor);
    return code;
}

/* A file that is read; `-` and what is no file, such as a recipe, need nothing. */
static int allow_read(const rule_set *rules, const char *path) {
    return path == NULL ? CODE_OK : allow(rules, path, RIGHT_READ | RIGHT_LIST);
}

/* A result: a file that appears in its folder when it is complete, in that of the file that it
 * replaces if it is a link. A device or a pipe is written itself. */
static int allow_written(const rule_set *rules, const char *path) {
    char real[PATH_MAX], copy[PATH_MAX];
    struct stat facts;
    if (path == NULL || strcmp(path, "-") == 0)
        return CODE_OK;
    bool there = stat(path, &facts) == 0;
    if (there && !S_ISREG(facts.st_mode))
        return allow(rules, path, RIGHTS_FOLDER);
    const char *name = there && realpath(path, real) != NULL ? real : path;
    if (strlen(name) >= sizeof copy) {
        errno = ENAMETOOLONG;
        return refuse(path);
    }
    memcpy(copy, name, strlen(name) + 1);
    return allow(rules, dirname(copy), RIGHTS_FOLDER);
}

/* Whether the operand `index` is written, by its name in the table of verbs. */
static bool is_result(const verb *row, size_t index) {
    const char *word = row->operands;
    while (word != NULL && index-- > 0)
        word = (word = strchr(word, ' ')) != NULL ? word + 1 : NULL;
    return word != NULL && strncmp(word + strspn(word, "["), "OUTPUT", 6) == 0;
}

static int allow_named(const rule_set *rules, const arguments *given) {
    int code = CODE_OK;
    for (size_t i = 0; i < given->operand_count && code == CODE_OK; i++)
        code = is_result(given->verb, i) ? allow_written(rules, given->operands[i])
                                         : allow_read(rules, given->operands[i]);
    for (option_id id = 0; id < OPTION_COUNT && code == CODE_OK; id++) {
        if (option_rows[id].kind != KIND_FILE || !is_given(given, id))
            continue;
        const char *path = given->values[id].text;
        code = option_rows[id].written ? allow_written(rules, path) : allow_read(rules, path);
    }
    return code;
}

/* What the library asks the system about itself: cores, limits of memory. */
static int allow_system(const rule_set *rules) {
    static const char *const places[] = {"/proc/self", "/proc/meminfo", "/proc/stat",
                                         "/sys/fs/cgroup", "/sys/devices/system"};
    int code = allow_read(rules, tuning_path());
    for (size_t i = 0; i < sizeof places / sizeof *places && code == CODE_OK; i++)
        code = allow_read(rules, places[i]);
    return code;
}

static int restrict_files(const arguments *given) {
    long version = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
    if (version < 1)
        return refuse("Landlock");
    rule_set rules = {.handled = rights_known(version)};
    struct landlock_ruleset_attr attributes = {.handled_access_fs = rules.handled};
    rules.descriptor = (int)syscall(SYS_landlock_create_ruleset, &attributes, sizeof attributes, 0);
    if (rules.descriptor < 0)
        return refuse("Landlock");
    int code = allow_named(&rules, given);
    if (code == CODE_OK)
        code = allow_system(&rules);
    if (code == CODE_OK && (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
                            syscall(SYS_landlock_restrict_self, rules.descriptor, 0) != 0))
        code = refuse("Landlock");
    close(rules.descriptor);
    return code;
}

#if defined __x86_64__
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined __aarch64__
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#elif defined __riscv && __riscv_xlen == 64
#define ARCHITECTURE AUDIT_ARCH_RISCV64
#elif defined __powerpc64__
#define ARCHITECTURE AUDIT_ARCH_PPC64LE
#endif

/* An instruction of a filter; `yes` and `no` are how many to leave out. */
typedef struct filter {
    struct sock_filter code[512];
    unsigned short length;
} filter;

static void add(filter *f, unsigned code, uint32_t value, unsigned yes, unsigned no) {
    f->code[f->length++] =
        (struct sock_filter){(unsigned short)code, (unsigned char)yes, (unsigned char)no, value};
}

static void load(filter *f, size_t offset) {
    add(f, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

/* The low half of an argument; all machines here are little-endian. */
static size_t argument(size_t index) {
    return offsetof(struct seccomp_data, args) + index * sizeof(uint64_t);
}

static void allow_call(filter *f, long number) {
    add(f, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)number, 0, 1);
    add(f, BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
}

/* The call if its argument fulfils `test`, BPF_JEQ or BPF_JSET, with `value`, or, where `wanted`
 * is false, if it does not. */
static void allow_if(filter *f, long number, size_t index, unsigned test, uint32_t value,
                     bool wanted) {
    add(f, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)number, 0, 4);
    load(f, argument(index));
    add(f, BPF_JMP | test | BPF_K, value, wanted ? 0 : 1, wanted ? 1 : 0);
    add(f, BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
    load(f, offsetof(struct seccomp_data, nr));
}

static void add_calls(filter *f) {
#define ALLOW(name) allow_call(f, SYS_##name);
    SANDBOX_CALLS(ALLOW)
    SANDBOX_OLD_CALLS(ALLOW)
    SANDBOX_RENAMEAT(ALLOW)
    SANDBOX_SYNC_RANGE(ALLOW)
#undef ALLOW
}

static int restrict_calls(void) {
#ifdef ARCHITECTURE
    filter f = {.length = 0};
    load(&f, offsetof(struct seccomp_data, arch));
    add(&f, BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0);
    add(&f, BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS, 0, 0);
    load(&f, offsetof(struct seccomp_data, nr));
    add_calls(&f);
    allow_if(&f, SYS_mmap, 2, BPF_JSET, PROT_EXEC, false);
    allow_if(&f, SYS_mprotect, 2, BPF_JSET, PROT_EXEC, false);
    allow_if(&f, SYS_clone, 0, BPF_JSET, CLONE_THREAD, true);
    allow_if(&f, SYS_tgkill, 0, BPF_JEQ, (uint32_t)getpid(), true);
    allow_if(&f, SYS_prlimit64, 2, BPF_JEQ, 0, true); /* no limit is set */
    allow_if(&f, SYS_ioctl, 1, BPF_JEQ, TIOCGWINSZ, true);
    allow_if(&f, SYS_ioctl, 1, BPF_JEQ, TCGETS, true);
    add(&f, BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS, 0, 0);
    struct sock_fprog program = {f.length, f.code};
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
        return refuse("seccomp");
    return CODE_OK;
#else
    errno = ENOSYS;
    return refuse("seccomp on this kind of processor");
#endif
}

int sandbox_enter(const arguments *given) {
    const char *device = given->values[OPT_DEVICE].text;
    if (is_given(given, OPT_DEVICE) && strcmp(device, "cpu") != 0) {
        complain(CODE_USAGE,
                 "--sandbox: not with --device %s: drivers of devices need all files "
                 "and calls of the system",
                 device);
        return CODE_USAGE;
    }
    int code = restrict_files(given);
    return code == CODE_OK ? restrict_calls() : code;
}

#endif
