/* SPDX-License-Identifier: Apache-2.0
 * What the tests need of POSIX beyond the library's own src/windows; included before every test on
 * Windows. A test that cannot be there without a call that Windows lacks is skipped by the call. */
#ifndef HOPLITE_TESTS_WINDOWS_TESTING_H
#define HOPLITE_TESTS_WINDOWS_TESTING_H

#include <direct.h>
#include <fcntl.h>
#include <io.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define fork()                (skip(), (pid_t)-1)
#define symlink(target, path) (skip(), -1)
#define alarm(seconds)        ((void)(seconds)) /* a hang ends by CTest's limit */
#define pipe(ends)            _pipe(ends, 1 << 16, _O_BINARY)

/* The one command of the tests that Windows has another name for; others are skipped. */
#define system(command)                                                                            \
    (strncmp(command, "rm -rf '", 8) == 0 ? windows_remove(command) : (skip(), -1))
static inline int windows_remove(const char *command) {
    char other[512];
    snprintf(other, sizeof other, "rmdir /s /q \"%s", command + 8);
    for (char *at = other + 13; *at != '\0'; at++)
        *at = *at == '/' ? '\\' : *at == '\'' ? '"' : *at;
    return (system)(other);
}

/* What follows a fork() is compiled and never reached; sys/wait.h is an empty file of the build. */
#define WIFEXITED(status)   ((status) == 0)
#define WIFSIGNALED(status) ((status) != 0)
#define WEXITSTATUS(status) (status)
#define WTERMSIG(status)    (status)

static inline pid_t waitpid(pid_t child, int *status, int options) {
    (void)child, (void)status, (void)options;
    return -1;
}

static inline int setenv(const char *name, const char *value, int replace) {
    return replace || getenv(name) == NULL ? _putenv_s(name, value) : 0;
}

static inline int unsetenv(const char *name) {
    return _putenv_s(name, "");
}

static inline char *mkdtemp(char *path) {
    return _mktemp(path) != NULL && _mkdir(path) == 0 ? path : NULL;
}

/* _mktemp wants its six letters at the end. */
static inline int mkstemps(char *path, int suffix) {
    char ending[16];
    size_t bare = strlen(path) - (size_t)suffix;
    snprintf(ending, sizeof ending, "%s", path + bare);
    path[bare] = '\0';
    if (_mktemp(path) == NULL)
        return -1;
    memcpy(path + bare, ending, (size_t)suffix + 1);
    return open(path, O_RDWR | O_CREAT | O_EXCL | O_BINARY, 0600);
}

#endif
