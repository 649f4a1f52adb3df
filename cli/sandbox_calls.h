/* SPDX-License-Identifier: Apache-2.0
 *
 * The calls of the system that are allowed in a sandbox, X(name), by what the command, the library
 * and the C libraries (glibc and musl) use after the command line was read. What is not in this
 * list or in sandbox.c is not there: ENOSYS, as in an older kernel, to which all have an answer. */
#ifndef HOPLITE_CLI_SANDBOX_CALLS_H
#define HOPLITE_CLI_SANDBOX_CALLS_H

#include <sys/syscall.h>

/* clang-format off */
#define SANDBOX_CALLS(X)                                                                           \
    X(read) X(readv) X(pread64) X(preadv) X(write) X(writev) X(pwrite64) X(pwritev) X(lseek)       \
    X(openat) X(close) X(fstat) X(statx) X(fstatfs) X(statfs) X(faccessat) X(faccessat2)           \
    X(readlinkat) X(getcwd) X(getdents64) X(mkdirat) X(unlinkat) X(renameat2) X(linkat)            \
    X(ftruncate) X(fallocate) X(fsync) X(fdatasync) X(fadvise64) X(fchmod)                         \
    X(newfstatat) X(pselect6) X(flock) X(fcntl) X(dup) X(dup3) X(pipe2) X(ppoll) X(umask)          \
    X(copy_file_range)                                                                             \
    X(munmap) X(mremap) X(madvise) X(brk) X(mincore) X(futex) X(set_robust_list) X(rseq)           \
    X(rt_sigaction) X(rt_sigprocmask) X(rt_sigreturn) X(sigaltstack) X(restart_syscall) X(exit)    \
    X(exit_group) X(sched_yield) X(sched_getaffinity) X(sched_setaffinity) X(getcpu)               \
    X(membarrier) X(clock_gettime) X(clock_getres) X(clock_nanosleep) X(nanosleep)                 \
    X(gettimeofday) X(getrandom) X(getrusage) X(getrlimit) X(sysinfo) X(uname) X(getpid)           \
    X(gettid) X(getuid) X(geteuid) X(getgid) X(getegid) X(set_tid_address)

/* Those that only some kinds of processors have. */
#ifdef SYS_open
#define SANDBOX_OLD_CALLS(X)                                                                       \
    X(open) X(stat) X(lstat) X(access) X(readlink) X(mkdir) X(rmdir) X(unlink) X(rename) X(link)   \
    X(poll) X(pipe) X(dup2) X(select) X(time)
#else
#define SANDBOX_OLD_CALLS(X)
#endif
#ifdef SYS_renameat
#define SANDBOX_RENAMEAT(X) X(renameat)
#else
#define SANDBOX_RENAMEAT(X)
#endif
#ifdef SYS_sync_file_range
#define SANDBOX_SYNC_RANGE(X) X(sync_file_range)
#else
#define SANDBOX_SYNC_RANGE(X)
#endif

#endif
