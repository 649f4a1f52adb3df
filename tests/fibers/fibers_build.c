/* SPDX-License-Identifier: Apache-2.0
 *
 * Compiles the text of a program as C into a shared library in the cache, and loads it.
 *
 * Kernels have parameters of many types. So that they can be called with an array of pointers to
 * values, a function is added for each that does just this; the signatures are found in the text
 * after the preprocessor, where a kernel is what begins with "extern void" (kernels/shim.h). */
#include <ctype.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "fibers.h"

#if defined(__SANITIZE_ADDRESS__)
#define LOCAL_SECTION "-DSHIM_LOCAL_SECTION=0"
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define LOCAL_SECTION "-DSHIM_LOCAL_SECTION=0"
#endif
#endif
#if !defined(LOCAL_SECTION)
#define LOCAL_SECTION "-DSHIM_LOCAL_SECTION=1"
#endif

/* A warning in a kernel is an error here. */
#define COMPILE                                                                                    \
    FIBERS_CC " -x c -std=gnu11 -O1 -g -fPIC -fno-omit-frame-pointer -Wall -Wextra -Werror "       \
              "-Wno-unused-parameter"

enum { COMMAND_LONGEST = 8192, PATH_LONGEST = 1024 };

static bool traced(void) {
    return fibers_races || fibers_segments;
}

/* The address sanitizer guards no variables in sections of their own; but traced kernels are
 * compiled without it, and races in local memory are only seen in that section. */
static const char *local_section(void) {
    return traced() ? "-DSHIM_LOCAL_SECTION=1" : LOCAL_SECTION;
}

static const char *cache_folder(void) {
    const char *folder = getenv("HOPLITE_FIBERS_CACHE");
    folder = folder ? folder : FIBERS_CACHE;
    mkdir(folder, 0700);
    return folder;
}

static char *read_all(FILE *file) {
    size_t length = 0, room = 1 << 16;
    char *text = malloc(room);
    while (text != NULL) {
        length += fread(text + length, 1, room - length - 1, file);
        if (length + 1 < room)
            break;
        room *= 2;
        char *more = realloc(text, room);
        if (more == NULL)
            free(text);
        text = more;
    }
    if (text != NULL)
        text[length] = '\0';
    return text;
}

/* Runs a command of the shell; what it prints is returned, to be freed. */
static char *output_of(int *result, const char *format, ...) {
    char command[COMMAND_LONGEST];
    va_list list;
    va_start(list, format);
    int length = vsnprintf(command, sizeof command, format, list);
    va_end(list);
    *result = -1;
    if (length < 0 || length >= (int)sizeof command)
        return NULL;
    FILE *pipe = popen(command, "r");
    if (pipe == NULL)
        return NULL;
    char *text = read_all(pipe);
    *result = pclose(pipe);
    return text;
}

/* Writes "type" of a parameter "type name": everything but the last word. */
static void write_parameter(FILE *file, const char *begin, const char *end, uint32_t number) {
    while (end > begin && (isalnum((unsigned char)end[-1]) || end[-1] == '_'))
        end--;
    /* const at the top would make the pointer's target constant, which does no harm. */
    fprintf(file, "%s*(%.*s *)a[%u]", number ? ", " : "", (int)(end - begin), begin, number);
}

/* One line per parameter into `file`: its size and whether it is a pointer. */
static void write_facts(FILE *file, const char *begin, const char *end, bool pointers) {
    bool star = false;
    for (const char *at = begin; at < end; at++)
        star |= *at == '*';
    while (end > begin && (isalnum((unsigned char)end[-1]) || end[-1] == '_'))
        end--;
    if (pointers)
        fprintf(file, "%d, ", star);
    else
        fprintf(file, "sizeof(%.*s), ", (int)(end - begin), begin);
}

/* Goes over the parameters of a list that begins after '(' and ends before ')'. */
static uint32_t each_parameter(FILE *file, const char *begin, const char *end, int what) {
    uint32_t count = 0;
    while (begin < end) {
        const char *comma = memchr(begin, ',', (size_t)(end - begin));
        const char *stop = comma ? comma : end;
        while (begin < stop && isspace((unsigned char)*begin))
            begin++;
        if (what == 0)
            write_parameter(file, begin, stop, count);
        else
            write_facts(file, begin, stop, what == 2);
        count++;
        begin = stop + 1;
    }
    return count;
}

/* Appends to `file` what makes the kernels of the expanded text callable. */
static uint32_t write_calls(FILE *file, const char *expanded) {
    static const char mark[] = "extern";
    char rows[1 << 16];
    size_t used = 0;
    uint32_t kernels = 0;
    fprintf(file, "\n#pragma GCC diagnostic ignored \"-Wcast-qual\"\n"
                  "struct shim_item shim_item;\n"
                  "struct fibers_kernel {\n    const char *name;\n    void (*call)(void **);\n"
                  "    u32 parameters;\n    const u32 *sizes, *pointers;\n};\n");
    for (const char *at = expanded; (at = strstr(at, mark)) != NULL;) {
        at += sizeof mark - 1;
        const char *name = at + strspn(at, " \n");
        if (strncmp(name, "void ", 5) != 0)
            continue;
        name += 5;
        const char *open = strchr(name, '('), *close = open ? strchr(open, ')') : NULL;
        if (close == NULL)
            break;
        int length = (int)(open - name);
        fprintf(file, "static void call_%.*s(void **a) {\n    %.*s(", length, name, length, name);
        uint32_t count = each_parameter(file, open + 1, close, 0);
        fprintf(file, ");\n}\nstatic const u32 sizes_%.*s[] = {", length, name);
        each_parameter(file, open + 1, close, 1);
        fprintf(file, "};\nstatic const u32 pointers_%.*s[] = {", length, name);
        each_parameter(file, open + 1, close, 2);
        fprintf(file, "};\n");
        int wrote = snprintf(rows + used, sizeof rows - used,
                             "    {\"%.*s\", call_%.*s, %u, sizes_%.*s, pointers_%.*s},\n", length,
                             name, length, name, count, length, name, length, name);
        used += (size_t)wrote < sizeof rows - used ? (size_t)wrote : 0;
        kernels++;
        at = close;
    }
    fprintf(file, "const struct fibers_kernel fibers_kernels[] = {\n%.*s    {0}};\n", (int)used,
            rows);
    fprintf(file, "const u32 fibers_kernel_count = %u;\n", kernels);
    return kernels;
}

static bool load(const char *path, fibers_program *program) {
    program->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (program->library == NULL)
        return false;
    const uint32_t *count = dlsym(program->library, "fibers_kernel_count");
    program->kernels = dlsym(program->library, "fibers_kernels");
    program->item = dlsym(program->library, "shim_item");
    /* Both are there only if the program has local variables, or is traced. */
    char **locals = dlsym(program->library, "fibers_locals");
    program->trace = traced() ? dlsym(program->library, "fibers_trace") : NULL;
    program->locals = locals ? locals[0] : NULL;
    program->locals_end = locals ? locals[1] : NULL;
    if (count == NULL || program->kernels == NULL || program->item == NULL)
        return false;
    program->kernel_count = *count;
    return true;
}

static void add_text(XXH3_state_t *state, const char *text) {
    XXH3_128bits_update(state, text, strlen(text) + 1);
}

static void hash_end(const XXH3_state_t *state, char out[40]) {
    XXH128_hash_t hash = XXH3_128bits_digest(state);
    snprintf(out, 40, "%016llx%016llx", (unsigned long long)hash.high64,
             (unsigned long long)hash.low64);
}

void fibers_version(char version[40]) {
    XXH3_state_t state;
    FILE *hooks = fopen(FIBERS_HOOKS, "r");
    char *text = hooks != NULL ? read_all(hooks) : NULL;
    XXH3_128bits_reset(&state);
    add_text(&state, COMPILE " " FIBERS_FLAGS);
    add_text(&state, local_section());
    add_text(&state, traced() ? "traced " FIBERS_VOLATILE : "");
    add_text(&state, traced() && text != NULL ? text : "");
    hash_end(&state, version);
    free(text);
    if (hooks != NULL)
        fclose(hooks);
}

static void make_key(const char *text, const char *options, char key[40]) {
    XXH3_state_t state;
    char version[40];
    fibers_version(version);
    XXH3_128bits_reset(&state);
    add_text(&state, version);
    add_text(&state, options);
    add_text(&state, text);
    hash_end(&state, key);
}

/* Compiles `stem`.c, with the calls added, into `stem`.so. */
static bool compile(const char *stem, const char *options, char *log, size_t log_size) {
    int result;
    char path[PATH_LONGEST + 8];
    char *expanded =
        output_of(&result, COMPILE " %s %s -E -P %s.c 2>&1", local_section(), options, stem);
    snprintf(path, sizeof path, "%s.c", stem);
    FILE *file = result == 0 && expanded ? fopen(path, "a") : NULL;
    if (file != NULL) {
        write_calls(file, expanded);
        if (strstr(expanded, "section(\"shim_local\")") != NULL)
            fprintf(file, "extern char __start_shim_local[], __stop_shim_local[];\n"
                          "char *const fibers_locals[] = {__start_shim_local, "
                          "__stop_shim_local};\n");
        fclose(file);
        free(expanded);
        /* Traced kernels are compiled with the thread sanitizer's calls, and linked with our own
         * functions of these names instead of its library. The others are for the sanitizers, with
         * which an optimised tile of all pairs takes gcc 20 seconds, and this one less than one. */
        if (traced())
            expanded =
                output_of(&result,
                          "{ " COMPILE " %s %s -fsanitize=thread " FIBERS_VOLATILE
                          " -c -o %s.o %s.c && " FIBERS_CC " -O2 -fPIC -c -o %s.h.o " FIBERS_HOOKS
                          " && " FIBERS_CC " -shared -Wl,-Bsymbolic -o %s.so %s.o %s.h.o; } 2>&1; ",
                          local_section(), options, stem, stem, stem, stem, stem, stem);
        else
            expanded = output_of(&result,
                                 COMPILE " -O0 " FIBERS_FLAGS
                                         " %s %s -shared -Wl,-Bsymbolic -o %s.so %s.c 2>&1",
                                 local_section(), options, stem, stem);
    }
    if (result != 0 && expanded != NULL)
        snprintf(log, log_size, "%s", expanded);
    free(expanded);
    return file != NULL && result == 0;
}

/* Definitions are taken over; the other options of OpenCL mean nothing here. */
static void keep_definitions(const char *options, char *kept, size_t room) {
    size_t used = 0;
    for (const char *at = options; *at != '\0';) {
        size_t length = strcspn(at, " ");
        if (strncmp(at, "-D", 2) == 0 && used + length + 2 < room) {
            memcpy(kept + used, at, length);
            used += length;
            kept[used++] = ' ';
        }
        at += length + strspn(at + length, " ");
    }
    kept[used] = '\0';
}

bool fibers_build(const char *text, const char *all_options, const char *key,
                  fibers_program *program, char *log, size_t log_size) {
    static const char *const suffixes[] = {".c", ".o", ".h.o", ".so"};
    char stem[PATH_LONGEST], path[PATH_LONGEST + 8], made[PATH_LONGEST + 8];
    char options[PATH_LONGEST];
    memset(program, 0, sizeof *program);
    keep_definitions(all_options, options, sizeof options);
    if (text != NULL)
        make_key(text, options, program->key);
    else
        snprintf(program->key, sizeof program->key, "%.32s", key);
    snprintf(made, sizeof made, "%.900s/%s.so", cache_folder(), program->key);
    if (load(made, program))
        return true;
    if (text == NULL)
        return false;
    snprintf(stem, sizeof stem, "%.900s/%s.%d", cache_folder(), program->key, (int)getpid());
    snprintf(path, sizeof path, "%s.c", stem);
    FILE *file = fopen(path, "w");
    bool written = file != NULL && fputs(text, file) >= 0;
    if (file == NULL || fclose(file) != 0 || !written) {
        snprintf(log, log_size, "cannot write %s", path);
        return false;
    }
    bool ok = compile(stem, options, log, log_size);
    snprintf(path, sizeof path, "%s.so", stem);
    if (ok && !(rename(path, made) == 0 && load(made, program))) {
        const char *why = dlerror();
        snprintf(log, log_size, "error: cannot load it: %s", why != NULL ? why : strerror(errno));
        ok = false;
    }
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        snprintf(path, sizeof path, "%s%s", stem, suffixes[i]);
        unlink(path);
    }
    return ok;
}

void fibers_unload(fibers_program *program) {
    if (program->library != NULL)
        dlclose(program->library);
    program->library = NULL;
}
