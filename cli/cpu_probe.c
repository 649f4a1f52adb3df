/* SPDX-License-Identifier: Apache-2.0
 *
 * What the processor and the memory of this machine are: see cpu_probe.h. */
#include "cpu_probe.h"

#include <sched.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hoplite/status.h"

/* First line of a file, without its newline. */
HOP_PRINTF(3, 4)
static bool first_line(char *line, size_t size, const char *format, ...) {
    char path[160];
    va_list rest;
    va_start(rest, format);
    vsnprintf(path, sizeof path, format, rest);
    va_end(rest);
    line[0] = '\0';
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return false;
    bool found = fgets(line, (int)size, file) != NULL;
    fclose(file);
    line[strcspn(line, "\n")] = '\0';
    return found;
}

/* Lists such as "0-3,8" begin with the processor that counts for all of them. */
static bool leads(const char *list, unsigned processor) {
    return strtoul(list, NULL, 10) == processor;
}

static void probe_topology(cpu_facts *facts) {
    long configured = sysconf(_SC_NPROCESSORS_CONF);
    char line[4096], seen[1024] = {0};
    for (unsigned p = 0; configured > 0 && p < (unsigned)configured; p++) {
        if (!first_line(line, sizeof line,
                        "/sys/devices/system/cpu/cpu%u/topology/"
                        "thread_siblings_list",
                        p))
            continue;
        facts->processors++;
        facts->cores += leads(line, p);
        if (first_line(line, sizeof line,
                       "/sys/devices/system/cpu/cpu%u/topology/physical_package_id", p)) {
            unsigned long package = strtoul(line, NULL, 10);
            if (package < sizeof seen && !seen[package]) {
                seen[package] = 1;
                facts->sockets++;
            }
        }
    }
    if (facts->processors == 0 && configured > 0)
        facts->processors = (unsigned)configured;
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0)
        facts->usable = (unsigned)CPU_COUNT(&allowed);
    for (unsigned node = 0; node < 1024; node++)
        facts->nodes +=
            first_line(line, sizeof line, "/sys/devices/system/node/node%u/cpulist", node);
}

static void probe_caches(cpu_facts *facts) {
    char line[4096];
    for (unsigned i = 0; i < MOST_CACHES; i++) {
        cpu_cache *cache = &facts->caches[i];
        if (!first_line(line, sizeof line, "/sys/devices/system/cpu/cpu0/cache/index%u/level", i))
            break;
        cache->level = (unsigned)strtoul(line, NULL, 10);
        first_line(cache->type, sizeof cache->type,
                   "/sys/devices/system/cpu/cpu0/cache/index%u/type", i);
        if (first_line(line, sizeof line, "/sys/devices/system/cpu/cpu0/cache/index%u/size", i)) {
            char *unit;
            cache->bytes = strtoull(line, &unit, 10);
            cache->bytes *= *unit == 'K' ? 1024 : *unit == 'M' ? 1024 * 1024 : 1;
        }
        for (unsigned p = 0; p < facts->processors; p++)
            if (first_line(line, sizeof line,
                           "/sys/devices/system/cpu/cpu%u/cache/index%u/shared_cpu_list", p, i))
                cache->instances += leads(line, p);
        facts->cache_count = i + 1;
    }
}

/* Whether `flag` is one of the words of `flags`. */
static bool has_flag(const char *flags, const char *flag) {
    size_t length = strlen(flag);
    for (const char *at = flags; (at = strstr(at, flag)) != NULL; at += length)
        if ((at == flags || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
            return true;
    return false;
}

static void take_flags(cpu_facts *facts, const char *flags) {
    static const char *const known[] = {"sse4_2",   "avx",      "avx2",       "fma",
                                        "bmi2",     "popcnt",   "avx512f",    "avx512dq",
                                        "avx512bw", "avx512vl", "avx512vbmi", "avx512_vpopcntdq",
                                        "asimd",    "sve",      "sve2"};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        size_t length = strlen(facts->simd);
        if (has_flag(flags, known[i]))
            snprintf(facts->simd + length, sizeof facts->simd - length, "%s%s",
                     length > 0 ? " " : "", known[i]);
    }
}

/* The value of a line "name : value" if its name is `name`, else NULL. */
static char *value_of(char *line, const char *name) {
    size_t length = strlen(name);
    if (strncmp(line, name, length) != 0)
        return NULL;
    char *at = line + length + strspn(line + length, " \t");
    if (*at != ':')
        return NULL;
    at++;
    at[strcspn(at, "\n")] = '\0';
    return at + strspn(at, " \t");
}

/* The first processor stands for all. */
static void probe_model(cpu_facts *facts) {
    FILE *file = fopen("/proc/cpuinfo", "r");
    char *line = NULL, *value;
    size_t room = 0;
    while (file != NULL && getline(&line, &room, file) > 1) {
        if ((value = value_of(line, "model name")) != NULL)
            snprintf(facts->model, sizeof facts->model, "%s", value);
        else if ((value = value_of(line, "flags")) != NULL ||
                 (value = value_of(line, "Features")) != NULL)
            take_flags(facts, value);
    }
    free(line);
    if (file != NULL)
        fclose(file);
}

static void probe_memory(cpu_facts *facts) {
    FILE *file = fopen("/proc/meminfo", "r");
    char line[256], *value;
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        if ((value = value_of(line, "MemTotal")) != NULL)
            facts->memory = strtoull(value, NULL, 10) * 1024;
        else if ((value = value_of(line, "MemAvailable")) != NULL)
            facts->memory_free = strtoull(value, NULL, 10) * 1024;
    }
    if (file != NULL)
        fclose(file);
    long page = sysconf(_SC_PAGESIZE);
    facts->page_bytes = page > 0 ? (uint64_t)page : 0;
    /* "always [madvise] never" */
    if (first_line(line, sizeof line, "/sys/kernel/mm/transparent_hugepage/enabled")) {
        char *open = strchr(line, '['), *close = strchr(line, ']');
        if (open != NULL && close != NULL && close > open)
            snprintf(facts->huge_pages, sizeof facts->huge_pages, "%.*s", (int)(close - open - 1),
                     open + 1);
    }
}

void cpu_probe(cpu_facts *facts) {
    *facts = (cpu_facts){0};
    probe_model(facts);
    probe_topology(facts);
    probe_caches(facts);
    probe_memory(facts);
}
