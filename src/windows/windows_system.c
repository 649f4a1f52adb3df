/* SPDX-License-Identifier: Apache-2.0
 *
 * What else the library takes from POSIX (the headers are in posix/): sleeping on a word, facts of
 * the machine, the C locale, libraries at run time. */
#include <windows.h>

#include <psapi.h>

#include <dlfcn.h>
#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <linux/futex.h>

#undef signal /* Windows' own is called below */

/* ---- sleeping on a word ---------------------------------------------------------------------- */

/* Up to the next millisecond, which is as fine as it gets. */
static DWORD milliseconds_of(const struct timespec *limit) {
    return limit == NULL ? INFINITE
                         : (DWORD)(limit->tv_sec * 1000 + (limit->tv_nsec + 999999) / 1000000);
}

static long futex(va_list rest) {
    volatile void *word = va_arg(rest, void *);
    int what = va_arg(rest, int);
    unsigned value = va_arg(rest, unsigned);
    if (what == FUTEX_WAIT_PRIVATE)
        return WaitOnAddress(word, &value, sizeof value,
                             milliseconds_of(va_arg(rest, const struct timespec *)))
                   ? 0
                   : -1;
    WakeByAddressAll((void *)(uintptr_t)word);
    return 0;
}

static long random_bytes(va_list rest) {
    unsigned char *bytes = va_arg(rest, unsigned char *);
    size_t count = va_arg(rest, size_t);
    for (size_t i = 0; i < count; i++) {
        unsigned bits;
        if (rand_s(&bits) != 0)
            return -1;
        bytes[i] = (unsigned char)bits;
    }
    return (long)count;
}

long syscall(long number, ...) {
    va_list rest;
    va_start(rest, number);
    long result = number == SYS_futex ? futex(rest) : random_bytes(rest);
    va_end(rest);
    return result;
}

int poll(struct pollfd *wanted, unsigned long count, int milliseconds) {
    for (unsigned long i = 0; i < count; i++)
        wanted[i].revents = wanted[i].events;
    if (count == 0)
        Sleep((DWORD)milliseconds);
    return (int)count;
}

/* ---- the machine ----------------------------------------------------------------------------- */

long sysconf(int name) {
    enum { PAGE = 4096 };
    MEMORYSTATUSEX memory = {.dwLength = sizeof memory};
    switch (name) {
    case _SC_PAGESIZE:
        return PAGE;
    case _SC_PHYS_PAGES:
        return GlobalMemoryStatusEx(&memory) ? (long)(memory.ullTotalPhys / PAGE) : -1;
    case _SC_NPROCESSORS_ONLN:
    case _SC_NPROCESSORS_CONF:
        return (long)GetActiveProcessorCount(ALL_PROCESSOR_GROUPS);
    case _SC_CLK_TCK:
        return 1000;
    default:
        return -1;
    }
}

/* Those of its own group where it is kept from some of them; else all. */
int sched_getaffinity(int process, size_t bytes, cpu_set_t *set) {
    DWORD_PTR own, all;
    (void)process, (void)bytes;
    set->count = (int)GetActiveProcessorCount(ALL_PROCESSOR_GROUPS);
    if (GetProcessAffinityMask(GetCurrentProcess(), &own, &all) && own != 0 && own != all)
        set->count = __builtin_popcountll(own);
    return 0;
}

int getrusage(int who, struct rusage *used) {
    PROCESS_MEMORY_COUNTERS memory;
    *used = (struct rusage){0, 0};
    if (who == RUSAGE_SELF && K32GetProcessMemoryInfo(GetCurrentProcess(), &memory, sizeof memory))
        used->ru_maxrss = (long)(memory.PeakWorkingSetSize / 1024);
    return 0;
}

int ioctl(int descriptor, unsigned long request, struct winsize *size) {
    CONSOLE_SCREEN_BUFFER_INFO console;
    (void)request;
    HANDLE handle = GetStdHandle(descriptor == 2 ? STD_ERROR_HANDLE : STD_OUTPUT_HANDLE);
    if (!GetConsoleScreenBufferInfo(handle, &console))
        return -1;
    size->ws_col = (unsigned short)(console.srWindow.Right - console.srWindow.Left + 1);
    return 0;
}

/* ---- signals --------------------------------------------------------------------------------- */

hop__windows_handler hop__windows_signal(int number, hop__windows_handler handler) {
    switch (number) {
    case SIGINT:
    case SIGTERM:
    case SIGSEGV:
        return signal(number, handler);
    default:
        errno = EINVAL;
        return SIG_ERR;
    }
}

/* A handler is forgotten when it is called: that is all that Windows has, and SA_RESETHAND. */
int sigaction(int number, const struct sigaction *action, struct sigaction *old) {
    hop__windows_handler before =
        hop__windows_signal(number, action == NULL ? SIG_DFL : action->sa_handler);
    if (before == SIG_ERR)
        return -1;
    if (action == NULL)
        (void)hop__windows_signal(number, before);
    if (old != NULL)
        *old = (struct sigaction){.sa_handler = before};
    return 0;
}

/* ---- memory, text, numbers ------------------------------------------------------------------- */

void *aligned_alloc(size_t alignment, size_t bytes) {
    (void)alignment;
    return malloc(bytes);
}

void *memrchr(const void *bytes, int wanted, size_t count) {
    const unsigned char *from = bytes;
    while (count > 0)
        if (from[--count] == (unsigned char)wanted)
            return (void *)(uintptr_t)(from + count);
    return NULL;
}

char *hop__windows_strrchr(const char *text, int wanted) {
    char *found = (strrchr)(text, wanted), *back = wanted == '/' ? (strrchr)(text, '\\') : NULL;
    return found == NULL || (back != NULL && back > found) ? back : found;
}

char *strsep(char **rest, const char *marks) {
    char *word = *rest;
    if (word == NULL)
        return NULL;
    char *end = word + strcspn(word, marks);
    *rest = *end == '\0' ? NULL : end + 1;
    *end = '\0';
    return word;
}

ssize_t getline(char **line, size_t *room, FILE *file) {
    size_t used = 0;
    int byte;
    while ((byte = getc(file)) != EOF) {
        if (used + 2 > *room) {
            size_t larger = *room < 128 ? 256 : 2 * *room;
            char *grown = realloc(*line, larger);
            if (grown == NULL)
                return -1;
            *line = grown;
            *room = larger;
        }
        (*line)[used++] = (char)byte;
        if (byte == '\n')
            break;
    }
    if (used == 0)
        return -1;
    (*line)[used] = '\0';
    return (ssize_t)used;
}

/* The one locale, and the one that means: whatever the thread had before. */
static char c_locale, own_locale;
static _Thread_local char before[64];
static _Thread_local int way_before;

locale_t newlocale(int mask, const char *name, locale_t base) {
    (void)mask, (void)name, (void)base;
    return (locale_t)(void *)&c_locale;
}

void freelocale(locale_t locale) {
    (void)locale;
}

locale_t uselocale(locale_t locale) {
    if (locale == (locale_t)(void *)&c_locale) {
        way_before = _configthreadlocale(_ENABLE_PER_THREAD_LOCALE);
        snprintf(before, sizeof before, "%s", setlocale(LC_NUMERIC, NULL));
        setlocale(LC_NUMERIC, "C");
    } else {
        setlocale(LC_NUMERIC, before);
        _configthreadlocale(way_before);
    }
    return (locale_t)(void *)&own_locale;
}

double strtod_l(const char *text, char **end, locale_t locale) {
    if (localeconv()->decimal_point[0] == '.')
        return strtod(text, end);
    (void)uselocale(locale);
    double value = strtod(text, end);
    (void)uselocale((locale_t)(void *)&own_locale);
    return value;
}

const char *nl_langinfo(int item) {
    (void)item;
    return GetConsoleOutputCP() == CP_UTF8 ? "UTF-8" : "";
}

/* ---- libraries at run time ------------------------------------------------------------------- */

static const char *name_here(const char *name) {
    static const struct {
        const char *linux_name, *here;
    } rows[] = {{"libzstd.so.1", "libzstd.dll"}, {"libcuda.so.1", "nvcuda.dll"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (strcmp(name, rows[i].linux_name) == 0)
            return rows[i].here;
    return name;
}

void *dlopen(const char *name, int mode) {
    (void)mode;
    return (void *)LoadLibraryExA(name_here(name), NULL, LOAD_LIBRARY_SEARCH_DEFAULT_DIRS);
}

void *dlsym(void *library, const char *name) {
    FARPROC found = GetProcAddress((HMODULE)library, name);
    void *address;
    memcpy(&address, &found, sizeof address);
    return address;
}

int dlclose(void *library) {
    return FreeLibrary((HMODULE)library) ? 0 : -1;
}

const char *dlerror(void) {
    return "the library was not found, or lacks one that it needs";
}

int dladdr(const void *address, Dl_info *info) {
    (void)address, (void)info;
    return 0;
}
