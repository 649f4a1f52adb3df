/* SPDX-License-Identifier: Apache-2.0
 *
 * A library for LD_PRELOAD that stands below the C library: system calls on files come here first,
 * also those that stdio makes. Linux on x86-64.
 *
 * How: a seccomp filter turns these calls into SIGSYS, and the handler makes them itself, from the
 * one instruction that the filter lets through; or fails them. io_uring is refused with ENOSYS, so
 * that no call passes by.
 *
 * Environment
 *   HOPLITE_IO_FAULT    "N KIND": the N-th call (from 1) fails. KIND is the name of an error (EIO,
 *                       ENOSPC, EMFILE, EINTR), or "short": it reads or writes half of its bytes.
 *                       With "+" at the end all later calls of its number fail likewise.
 *                       "kill": the process is killed; half of what the call writes is there, any
 *                       other call is not made.
 *   HOPLITE_IO_UNDER    a folder with "/" at its end: only calls on what is below it are counted,
 *                       logged and fail
 *   HOPLITE_IO_LOG      file: a line for each call, "N NAME RESULT PATH"; RESULT is what the
 *                       system gave, or the fault
 *   HOPLITE_IO_RECORD   file: what was done to regular files that may be written, with all bytes,
 *                       for tools/soak_power; see note() for its form */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>

/* What a call is given: a descriptor, a path, or a folder and a path; what it does with bytes. */
typedef enum shape { DESCRIPTOR, PATH, PATH_AT, PATHS, PATHS_AT, REFUSED } shape;

typedef struct call_kind {
    int number;
    const char *name;
    shape shape;
    bool moves; /* bytes: the third argument is a count, or that of iovecs */
} call_kind;

#define KIND(name, shape, moves)                                                                   \
    { SYS_##name, #name, shape, moves }
static const call_kind kinds[] = {
    KIND(openat, PATH_AT, false),
    KIND(open, PATH, false),
    KIND(read, DESCRIPTOR, true),
    KIND(pread64, DESCRIPTOR, true),
    KIND(readv, DESCRIPTOR, true),
    KIND(preadv, DESCRIPTOR, true),
    KIND(write, DESCRIPTOR, true),
    KIND(pwrite64, DESCRIPTOR, true),
    KIND(writev, DESCRIPTOR, true),
    KIND(pwritev, DESCRIPTOR, true),
    KIND(sendfile, DESCRIPTOR, false),
    KIND(copy_file_range, DESCRIPTOR, false),
    KIND(fsync, DESCRIPTOR, false),
    KIND(fdatasync, DESCRIPTOR, false),
    KIND(sync_file_range, DESCRIPTOR, false),
    KIND(ftruncate, DESCRIPTOR, false),
    KIND(fallocate, DESCRIPTOR, false),
    KIND(fadvise64, DESCRIPTOR, false),
    KIND(fchmod, DESCRIPTOR, false),
    KIND(lseek, DESCRIPTOR, false),
    KIND(close, DESCRIPTOR, false),
    KIND(mmap, DESCRIPTOR, false),
    KIND(getdents64, DESCRIPTOR, false),
    KIND(rename, PATHS, false),
    KIND(renameat2, PATHS_AT, false),
    KIND(link, PATHS, false),
    KIND(linkat, PATHS_AT, false),
    KIND(unlink, PATH, false),
    KIND(unlinkat, PATH_AT, false),
    KIND(mkdir, PATH, false),
    KIND(newfstatat, PATH_AT, false),
    KIND(statx, PATH_AT, false),
    KIND(statfs, PATH, false),
    KIND(access, PATH, false),
    KIND(faccessat2, PATH_AT, false),
    KIND(io_uring_setup, REFUSED, false),
};
enum { KINDS = sizeof kinds / sizeof *kinds, SHORT = -1, KILL = -2 };

static struct {
    long fault_at; /* 0: never */
    int fault;     /* an errno, SHORT or KILL */
    bool stays;
    int stays_for; /* number of the call that failed, once it did */
    int log, record;
    const char *under;
    long count;
    int lock;
} shim = {.log = -1, .record = -1};

/* ---- calls that pass the filter -------------------------------------------------------------- */

/* By hand: the compiler may make several of an inline one, and the filter knows one address. */
extern const char io_shim_passed[] __attribute__((visibility("hidden")));
long io_shim_pass(long number, const long long *a) __attribute__((visibility("hidden")));
__asm__(".text\n"
        ".hidden io_shim_pass\n.globl io_shim_pass\n.type io_shim_pass, @function\n"
        ".hidden io_shim_passed\n.globl io_shim_passed\n"
        "io_shim_pass:\n"
        "    mov %rdi, %rax\n    mov %rsi, %r11\n"
        "    mov (%r11), %rdi\n    mov 8(%r11), %rsi\n    mov 16(%r11), %rdx\n"
        "    mov 24(%r11), %r10\n    mov 32(%r11), %r8\n    mov 40(%r11), %r9\n"
        "    syscall\n"
        "io_shim_passed:\n"
        "    ret\n"
        ".size io_shim_pass, . - io_shim_pass\n");

static long ask(long number, long long a, const void *b, long long c, long long d) {
    const long long all[6] = {a, (long long)(intptr_t)b, c, d, 0, 0};
    return io_shim_pass(number, all);
}

static void put_all(int to, const void *bytes, size_t count) {
    const char *at = bytes;
    while (count > 0) {
        long put = ask(SYS_write, to, at, (long long)count, 0);
        if (put <= 0)
            return;
        at += put;
        count -= (size_t)put;
    }
}

/* ---- the log --------------------------------------------------------------------------------- */

/* The name that a descriptor has. */
static const char *name_of(int descriptor, char room[4096]) {
    char link[32];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    long length = ask(SYS_readlinkat, AT_FDCWD, link, (long long)(intptr_t)room, 4095);
    room[length < 0 ? 0 : length] = '\0';
    return room;
}

static const char *path_of(const call_kind *kind, const long long *a, char room[4096]) {
    if (kind->shape == PATH || kind->shape == PATHS)
        return (const char *)(intptr_t)a[0];
    if (kind->shape == PATH_AT || kind->shape == PATHS_AT) {
        const char *path = (const char *)(intptr_t)a[1];
        if (path != NULL && path[0] != '\0')
            return path;
    }
    return name_of((int)(kind->number == SYS_mmap ? a[4] : a[0]), room);
}

/* Whether a call is one that is asked for. */
static bool is_under(const call_kind *kind, const long long *a, const char *path, char room[4096]) {
    if (shim.under == NULL || strncmp(path, shim.under, strlen(shim.under)) == 0)
        return true;
    bool inside = kind->shape == PATH_AT && path[0] != '/' && (int)a[0] != AT_FDCWD;
    return inside && strncmp(name_of((int)a[0], room), shim.under, strlen(shim.under)) == 0;
}

static void log_call(const call_kind *kind, long number, const char *result, const char *path) {
    char line[4400];
    int length = snprintf(line, sizeof line, "%ld %s %s %s\n", number, kind->name, result, path);
    put_all(shim.log, line, (size_t)length);
}

/* ---- the record ------------------------------------------------------------------------------ */

/* A record: these numbers, then `name_bytes` of names (ended by NUL each), then `bytes`. */
typedef struct record_head {
    uint32_t call, name_bytes;
    uint64_t file; /* its inode; 0: none */
    uint64_t size; /* of the file before */
    uint64_t at, bytes;
    uint64_t flags;
} record_head;

/* Whether it is a regular file, with its facts. */
static bool is_regular(int descriptor, struct stat *about) {
    return ask(SYS_fstat, descriptor, about, 0, 0) == 0 && S_ISREG(about->st_mode);
}

static void note(int call, const char *first, const char *second, record_head head,
                 const struct iovec *parts, size_t count) {
    uint64_t left = head.bytes;
    size_t sizes[2] = {first ? strlen(first) + 1 : 0, second ? strlen(second) + 1 : 0};
    head.call = (uint32_t)call;
    head.name_bytes = (uint32_t)(sizes[0] + sizes[1]);
    put_all(shim.record, &head, sizeof head);
    put_all(shim.record, first, sizes[0]);
    put_all(shim.record, second, sizes[1]);
    for (size_t i = 0; i < count && left > 0; i++) {
        size_t part = parts[i].iov_len < left ? parts[i].iov_len : (size_t)left;
        put_all(shim.record, parts[i].iov_base, part);
        left -= part;
    }
}

static void note_write(int call, const long long *a, long result, const struct stat *before,
                       uint64_t position) {
    struct iovec one = {(void *)(intptr_t)a[1], (size_t)a[2]};
    bool many = call == SYS_writev || call == SYS_pwritev;
    bool placed = call == SYS_pwrite64 || call == SYS_pwritev;
    record_head head = {.file = before->st_ino, .size = (uint64_t)before->st_size};
    head.at = placed ? (uint64_t)a[3] : position;
    head.bytes = (uint64_t)result;
    if (many)
        note(SYS_write, NULL, NULL, head, (const struct iovec *)(intptr_t)a[1], (size_t)a[2]);
    else
        note(SYS_write, NULL, NULL, head, &one, 1);
}

/* A link or a rename, with the file that has the second name now. */
static void note_names(const call_kind *kind, const long long *a) {
    bool at = kind->shape == PATHS_AT;
    const char *from = (const char *)(intptr_t)a[at], *to = (const char *)(intptr_t)a[at ? 3 : 1];
    struct stat about = {0};
    (void)ask(SYS_newfstatat, AT_FDCWD, to, (long long)(intptr_t)&about, 0);
    note(strncmp(kind->name, "link", 4) == 0 ? SYS_link : SYS_rename, from, to,
         (record_head){.file = about.st_ino, .size = (uint64_t)about.st_size}, NULL, 0);
}

/* The call is made; what it changed is written down. One at a time, so that the order is that of
 * the calls. */
static long record(const call_kind *kind, const long long *a) {
    struct stat about = {0};
    bool by_number = kind->shape == DESCRIPTOR, file = by_number && is_regular((int)a[0], &about);
    uint64_t position = 0;
    while (__atomic_exchange_n(&shim.lock, 1, __ATOMIC_ACQUIRE))
        ;
    if (file && (kind->number == SYS_write || kind->number == SYS_writev)) {
        long flags = ask(SYS_fcntl, a[0], (void *)F_GETFL, 0, 0);
        position = flags & O_APPEND ? (uint64_t)about.st_size
                                    : (uint64_t)ask(SYS_lseek, a[0], NULL, SEEK_CUR, 0);
    }
    long result = io_shim_pass(kind->number, a);
    record_head head = {.file = file ? about.st_ino : 0, .size = (uint64_t)about.st_size};
    const char *first = (const char *)(intptr_t)a[kind->shape == PATH ? 0 : 1];
    if (result < 0)
        ;
    else if (kind->number == SYS_openat && (a[2] & O_ACCMODE) != O_RDONLY &&
             is_regular((int)result, &about))
        note(SYS_open, first, NULL,
             (record_head){
                 .file = about.st_ino, .size = (uint64_t)about.st_size, .flags = (uint64_t)a[2]},
             NULL, 0);
    else if (file && strstr(kind->name, "write") != NULL)
        note_write(kind->number, a, result, &about, position);
    else if (by_number && (kind->number == SYS_fsync || kind->number == SYS_fdatasync))
        note(SYS_fsync, NULL, NULL, head, NULL, 0); /* file 0: that of a folder */
    else if (file && (kind->number == SYS_ftruncate || kind->number == SYS_fallocate)) {
        head.at = (uint64_t)(kind->number == SYS_ftruncate ? a[1] : a[2] + a[3]);
        head.flags = kind->number == SYS_fallocate ? (uint64_t)a[1] : 0;
        note(kind->number, NULL, NULL, head, NULL, 0);
    } else if (file && kind->number == SYS_sendfile)
        _exit(99); /* not known how */
    else if (kind->shape == PATHS || kind->shape == PATHS_AT)
        note_names(kind, a);
    else if (kind->number == SYS_unlink || kind->number == SYS_unlinkat)
        note(SYS_unlink, first, NULL, head, NULL, 0);
    __atomic_store_n(&shim.lock, 0, __ATOMIC_RELEASE);
    return result;
}

/* ---- the fault ------------------------------------------------------------------------------- */

/* Half of the bytes; of several parts, the first half of the first. */
static long make_short(const call_kind *kind, const long long *a) {
    long long less[6];
    struct iovec part;
    memcpy(less, a, sizeof less);
    if (strchr(kind->name, 'v') != NULL) {
        part = *(const struct iovec *)(intptr_t)a[1];
        part.iov_len = (part.iov_len + 1) / 2;
        less[1] = (long long)(intptr_t)&part;
        less[2] = 1;
    } else {
        less[2] = (a[2] + 1) / 2;
    }
    return io_shim_pass(kind->number, less);
}

static void end_by_kill(const call_kind *kind, const long long *a) {
    if (kind->moves)
        (void)make_short(kind, a);
    (void)ask(SYS_kill, getpid(), (const void *)SIGKILL, 0, 0);
}

static bool is_time(const call_kind *kind, long number) {
    if (shim.stays && shim.stays_for != 0)
        return shim.stays_for == kind->number;
    if (number != shim.fault_at)
        return false;
    shim.stays_for = kind->number;
    return true;
}

static long answer(const call_kind *kind, const long long *a) {
    if (kind->shape == DESCRIPTOR && kind->number != SYS_mmap && a[0] == STDERR_FILENO)
        return io_shim_pass(kind->number, a); /* a fault there cannot be reported */
    char room[4096], folder[4096], text[32];
    const char *path = shim.log >= 0 || shim.under ? path_of(kind, a, room) : "";
    if (!is_under(kind, a, path, folder))
        return io_shim_pass(kind->number, a);
    long number = __atomic_add_fetch(&shim.count, 1, __ATOMIC_SEQ_CST), result;
    bool fails = is_time(kind, number);
    if (fails && shim.fault == KILL)
        end_by_kill(kind, a);
    if (kind->shape == REFUSED)
        result = -ENOSYS;
    else if (fails && shim.fault > 0)
        result = -shim.fault;
    else if (fails && kind->moves)
        result = make_short(kind, a);
    else
        result = shim.record >= 0 ? record(kind, a) : io_shim_pass(kind->number, a);
    if (fails && shim.fault > 0 && kind->number == SYS_close)
        (void)io_shim_pass(kind->number, a); /* Linux closes it all the same */
    if (shim.log >= 0) {
        snprintf(text, sizeof text, "%s%ld", fails ? "fault:" : "", result);
        log_call(kind, number, text, path);
    }
    return result;
}

static void handle(int signal_number, siginfo_t *info, void *context) {
    ucontext_t *state = context;
    greg_t *r = state->uc_mcontext.gregs;
    const long long a[6] = {r[REG_RDI], r[REG_RSI], r[REG_RDX], r[REG_R10], r[REG_R8], r[REG_R9]};
    (void)signal_number;
    for (size_t i = 0; i < KINDS; i++)
        if (kinds[i].number == info->si_syscall) {
            r[REG_RAX] = answer(&kinds[i], a);
            return;
        }
    _exit(98);
}

/* ---- beginning ------------------------------------------------------------------------------- */

/* A thread that blocks SIGSYS would be ended at its first call. */
int pthread_sigmask(int how, const sigset_t *set, sigset_t *before);
int pthread_sigmask(int how, const sigset_t *set, sigset_t *before) {
    sigset_t own;
    if (set != NULL) {
        own = *set;
        if (how != SIG_UNBLOCK)
            sigdelset(&own, SIGSYS);
        set = &own;
    }
    return sigprocmask(how, set, before) == 0 ? 0 : errno;
}

static int open_high(const char *variable) {
    const char *path = getenv(variable);
    int low = path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;
    int high = low < 0 ? -1 : fcntl(low, F_DUPFD_CLOEXEC, 900);
    if (path && high < 0)
        _exit(97);
    if (low >= 0)
        close(low);
    return high;
}

static void read_fault(const char *text) {
    static const struct {
        const char *name;
        int value;
    } errors[] = {{"EIO", EIO},     {"ENOSPC", ENOSPC}, {"EMFILE", EMFILE},
                  {"EINTR", EINTR}, {"short", SHORT},   {"kill", KILL}};
    char name[16];
    if (sscanf(text, "%ld %15[A-Za-z]", &shim.fault_at, name) != 2)
        _exit(97);
    shim.stays = text[strlen(text) - 1] == '+';
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (strcmp(errors[i].name, name) == 0)
            shim.fault = errors[i].value;
    if (shim.fault == 0)
        _exit(97);
}

static void add(struct sock_filter *filter, unsigned short *count, unsigned short code,
                unsigned char yes, unsigned char no, unsigned k) {
    filter[(*count)++] = (struct sock_filter){code, yes, no, k};
}

static void install(void) {
    enum { LOAD = BPF_LD | BPF_W | BPF_ABS, EQUAL = BPF_JMP | BPF_JEQ | BPF_K, END = BPF_RET };
    struct sock_filter filter[3 * KINDS + 16];
    unsigned short count = 0;
    uint64_t passed = (uint64_t)(uintptr_t)io_shim_passed;
    unsigned ip = offsetof(struct seccomp_data, instruction_pointer);
    add(filter, &count, LOAD, 0, 0, ip);
    add(filter, &count, EQUAL, 0, 3, (unsigned)passed);
    add(filter, &count, LOAD, 0, 0, ip + 4);
    add(filter, &count, EQUAL, 0, 1, (unsigned)(passed >> 32));
    add(filter, &count, END, 0, 0, SECCOMP_RET_ALLOW);
    add(filter, &count, LOAD, 0, 0, offsetof(struct seccomp_data, nr));
    for (size_t i = 0; i < KINDS; i++)
        if (kinds[i].number != SYS_mmap) {
            add(filter, &count, EQUAL, 0, 1, (unsigned)kinds[i].number);
            add(filter, &count, END, 0, 0, SECCOMP_RET_TRAP);
        }
    add(filter, &count, EQUAL, 0, 3, SYS_mmap); /* only of files */
    add(filter, &count, LOAD, 0, 0, offsetof(struct seccomp_data, args[4]));
    add(filter, &count, EQUAL, 1, 0, UINT32_MAX);
    add(filter, &count, END, 0, 0, SECCOMP_RET_TRAP);
    add(filter, &count, END, 0, 0, SECCOMP_RET_ALLOW);
    struct sock_fprog program = {count, filter};
    struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_NODEFER};
    if (sigaction(SIGSYS, &action, NULL) != 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
        _exit(96);
}

__attribute__((constructor)) static void begin(void) {
    const char *fault = getenv("HOPLITE_IO_FAULT");
    shim.log = open_high("HOPLITE_IO_LOG");
    shim.record = open_high("HOPLITE_IO_RECORD");
    shim.under = getenv("HOPLITE_IO_UNDER");
    if (fault != NULL)
        read_fault(fault);
    if (fault != NULL || shim.log >= 0 || shim.record >= 0)
        install();
}
